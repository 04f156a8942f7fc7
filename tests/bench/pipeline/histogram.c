/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/histogram.h"

/* The first HISTOGRAM_STEPS bins hold one nanosecond each, and each octave above has as many bins. */
static uint32_t
bin_of (uint64_t value)
{
  uint32_t octave, bin;

  if (value < HISTOGRAM_STEPS)
    return value;
  octave = 63 - __builtin_clzll (value) - 6;
  bin = HISTOGRAM_STEPS * (octave + 1) + (uint32_t) ((value >> octave) - HISTOGRAM_STEPS);
  return bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1;
}

static double
middle_of (uint32_t bin)
{
  uint32_t octave = bin / HISTOGRAM_STEPS;

  if (octave == 0)
    return bin;
  return ((double) (HISTOGRAM_STEPS + bin % HISTOGRAM_STEPS) + 0.5) * (double) (UINT64_C (1) << (octave - 1));
}

void
histogram_add (Histogram *histogram, int64_t nanoseconds)
{
  if (nanoseconds < 0)
    nanoseconds = 0;
  histogram->count++;
  histogram->bins[bin_of (nanoseconds)]++;
  if (nanoseconds > histogram->max)
    histogram->max = nanoseconds;
}

void
histogram_merge (Histogram *histogram, const Histogram *other)
{
  histogram->count += other->count;
  for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
    histogram->bins[i] += other->bins[i];
  if (other->max > histogram->max)
    histogram->max = other->max;
}

double
histogram_quantile (const Histogram *histogram, double q)
{
  uint64_t rank = q * (double) histogram->count, seen = 0;
  double value;

  if (histogram->count == 0)
    return 0;
  for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
    seen += histogram->bins[i];
    if (seen > rank) {
      value = middle_of (i);
      return (value < (double) histogram->max ? value : (double) histogram->max) / 1e3;
    }
  }
  return (double) histogram->max / 1e3;
}
