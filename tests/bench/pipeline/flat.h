/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a long stream need more and more? */
#ifndef BENCH_FLAT_H
#define BENCH_FLAT_H

#include "tests/bench/pipeline/cases.h"

/* The chain of all drawing elements, and each analyser, one stream each. */
extern const gchar flat_cases[];

void flat_header (void);

/* Runs the share of FRAMES that is C's through each stream, and prints resident memory, open descriptors, threads and
 * memory of the GPUs after a twentieth of them and at the end. FALSE if memory has grown by more than 4 MiB, or anything
 * else at all. */
gboolean flat_run (Streams *streams, const Case *c, guint64 frames, ReadWhat read);

#endif
