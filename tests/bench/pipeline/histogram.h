/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of many frames in constant memory: intervals of 1/64 of their value, so quantiles are exact to 1.6 %. */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_STEPS = 64, HISTOGRAM_OCTAVES = 36, HISTOGRAM_BINS = HISTOGRAM_STEPS * (HISTOGRAM_OCTAVES + 1) };

typedef struct {
  uint64_t count;
  int64_t max;
  uint32_t bins[HISTOGRAM_BINS];
} Histogram;

/* Counts one time in nanoseconds. */
void histogram_add (Histogram *histogram, int64_t nanoseconds);
void histogram_merge (Histogram *histogram, const Histogram *other);
/* Returns the time, in microseconds, that a share of Q of the times does not exceed; 0 if there are none. */
double histogram_quantile (const Histogram *histogram, double q);

#endif
