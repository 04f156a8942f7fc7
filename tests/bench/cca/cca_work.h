/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_cca measures, and its record. */
#ifndef BENCH_CCA_WORK_H
#define BENCH_CCA_WORK_H

#include <contours/components.h>

typedef struct {
  const char *name; /* "random", a pattern's or a file's name */
  uint32_t width;
  uint32_t height;
  uint32_t granularity; /* 0: not a random mask */
  uint32_t density;     /* percent */
  CtrConnectivity connectivity;
} BenchWork;

/* WHO worked in MODE ("warm", "flushed", "in-turn", "run", "upload-run", "host") and took MICROSECONDS[runs], which
 * this sorts. */
void bench_record (
    const char *who, const char *mode, const BenchWork *work, uint32_t components, double *microseconds, int runs);

/* Where WORK went wrong, for messages. Not reentrant. */
const char *bench_describe (const BenchWork *work);

#endif
