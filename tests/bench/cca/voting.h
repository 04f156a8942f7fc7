/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef BENCH_VOTING_H
#define BENCH_VOTING_H

/* How runs vote for the features of their component. */
typedef enum {
  VOTING_PLAIN,             /* once each, when the component is known */
  VOTING_ON_THE_FLY,        /* OTF: while components are found */
  VOTING_CONFLICT_DETECTION /* CD: those of a warp together */
} Voting;

#endif
