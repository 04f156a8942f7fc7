/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_canny measures, and its record. */
#ifndef BENCH_CANNY_WORK_H
#define BENCH_CANNY_WORK_H

#include <contours/canny.h>

typedef struct {
  const char *name; /* a scene's or a file's */
  uint32_t width;
  uint32_t height;
  CtrFormat format;
  CtrCannyParams params;
} CannyWork;

/* WHO worked in MODE ("warm", "flushed", "in-turn", "run", "host-run", "host") and took MICROSECONDS[runs], which this
 * sorts. EDGES: pixels that are one. */
void canny_record (
    const char *who, const char *mode, const CannyWork *work, uint64_t edges, double *microseconds, int runs);

/* Where WORK went wrong, for messages. Not reentrant. */
const char *canny_describe (const CannyWork *work);

/* Is MASK, which WHO made, the expected one? Says on stderr where it is not. */
bool canny_same_mask (const char *who, const CannyWork *work, const uint8_t *mask, const uint8_t *expected);

uint64_t canny_count_edges (const CannyWork *work, const uint8_t *mask);

#endif
