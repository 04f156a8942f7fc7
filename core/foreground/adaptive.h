/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thresholds of neighbourhoods in integers, for the host and for CUDA device code. Internal.
 *
 * A pixel is foreground if its sample exceeds mean - offset, that is if mean <= sample + offset - 1. So no mean is divided.
 *
 * MEAN. The mean is sum / n, rounded to the nearest integer, for a block of n pixels. N is odd: there are no halves.
 * cv::adaptiveThreshold() computes it in cv::boxFilter(), whose integers (up to a block size of 15) and double precision
 * (the last columns of larger blocks) round all sums alike. For its other columns it multiplies with 1 / n in float. Up to
 * a block size of 163 this rounds all sums alike, too. From 165 on, in 31 of 46 sizes, it rounds up to 64 of the 255 n + 1
 * sums to the wrong side: OpenCV's masks differ there from its own in other columns. */
#ifndef CTR_CORE_FOREGROUND_ADAPTIVE_H
#define CTR_CORE_FOREGROUND_ADAPTIVE_H

#include "core/foreground/foreground.h"

#ifdef __CUDACC__
#define CTR_ADAPTIVE_FUNC static inline __host__ __device__
#else
#define CTR_ADAPTIVE_FUNC static inline
#endif

/* SAMPLE + OFFSET, where MOST is the largest sample: greater sums decide alike. */
CTR_ADAPTIVE_FUNC uint32_t
ctr_adaptive_level (uint32_t sample, int32_t offset, uint32_t most)
{
  const int32_t level = (int32_t) sample + offset;
  return level < 0 ? 0 : level > (int32_t) most + 1 ? most + 1 : (uint32_t) level;
}

/* MEAN: SUM is that of the PIXELS of the block, LEVEL comes from ctr_adaptive_level(). All values fit into 32 bits, also with
 * 16-bit samples. */
CTR_ADAPTIVE_FUNC bool
ctr_mean_is_below (uint32_t sum, uint32_t pixels, uint32_t level)
{
  return sum + (pixels + 1) / 2 <= level * pixels;
}

/* GAUSSIAN: the greatest of the sums of gaussian.c that make a pixel of LEVEL foreground. Halves are rounded to even. */
CTR_ADAPTIVE_FUNC int64_t
ctr_gaussian_limit (uint32_t level)
{
  const int64_t mean = (int64_t) level - 1; /* the greatest that makes it foreground */
  return (2 * mean + 1) * (INT64_C (1) << (2 * CTR_GAUSSIAN_BITS - 1)) - (mean & 1);
}

CTR_ADAPTIVE_FUNC bool
ctr_gaussian_is_below (int64_t sum, uint32_t level)
{
  return sum <= ctr_gaussian_limit (level);
}

#endif
