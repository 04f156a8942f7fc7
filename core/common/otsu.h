/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Otsu's threshold from a histogram, for the host and for CUDA device code. Internal.
 *
 * Call ctr_otsu_init(), then ctr_otsu_add() for each level that has pixels, in ascending order, then
 * ctr_otsu_threshold(). cuda/common/otsu.cuh does the same in parallel.
 *
 * The threshold equals OpenCV's for every histogram. Double operations are therefore rounded where OpenCV rounds them,
 * and in the same order. On the device, intrinsics keep the compiler from contracting them.
 *
 * OpenCV also visits empty levels, but these change nothing: the running mean m = RN (t / q), where RN rounds to
 * double, becomes RN (RN (m q) / q), which is m again. (Let M and Q in [1, 2) be the significands of m and q. If M Q <
 * 2, rounding m q moves the quotient by less than half a unit in the last place of m. Otherwise |m q - t| is less than
 * half a unit in the last place of m q, so RN (m q) is t.) With the same mean and shares, the variance is the same, and
 * not a new maximum. */
#ifndef CTR_CORE_COMMON_OTSU_H
#define CTR_CORE_COMMON_OTSU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define CTR_OTSU_FUNC static inline __host__ __device__
#else
#define CTR_OTSU_FUNC static inline
#endif

#ifdef __CUDA_ARCH__
#define CTR_OTSU_ADD(a, b) __dadd_rn (a, b)
#define CTR_OTSU_SUB(a, b) __dsub_rn (a, b)
#define CTR_OTSU_MUL(a, b) __dmul_rn (a, b)
#define CTR_OTSU_DIV(a, b) __ddiv_rn (a, b)
#else
#define CTR_OTSU_ADD(a, b) ((a) + (b))
#define CTR_OTSU_SUB(a, b) ((a) - (b))
#define CTR_OTSU_MUL(a, b) ((a) * (b))
#define CTR_OTSU_DIV(a, b) ((a) / (b))
#endif

typedef struct {
  double scale;        /* 1 / pixels */
  double mean;         /* of all pixels */
  double mean_low;     /* of the pixels added so far */
  double part_low;     /* their share of all pixels */
  double max_variance; /* maximum between-class variance so far */
  uint32_t best;       /* the level of that maximum */
} CtrOtsu;

/* The histogram has PIXELS pixels with the sum SAMPLE_SUM. */
CTR_OTSU_FUNC void
ctr_otsu_init (CtrOtsu *otsu, uint64_t pixels, uint64_t sample_sum)
{
  otsu->scale = CTR_OTSU_DIV (1.0, (double) pixels);
  /* Below 2^48, so the sum is exact in double. */
  otsu->mean = CTR_OTSU_MUL ((double) sample_sum, otsu->scale);
  otsu->mean_low = 0.0;
  otsu->part_low = 0.0;
  otsu->max_variance = 0.0;
  otsu->best = 0;
}

/* Does each class have at least FLT_EPSILON of the pixels? LOW: the share of the lower class. */
CTR_OTSU_FUNC bool
ctr_otsu_splits (double low)
{
  const double epsilon = 1.1920928955078125e-07;
  const double high = CTR_OTSU_SUB (1.0, low), most = CTR_OTSU_SUB (1.0, epsilon);
  return low >= epsilon && high >= epsilon && low <= most && high <= most;
}

/* The between-class variance. MEAN: of all pixels; LOW, MEAN_LOW: share and mean of the lower class. */
CTR_OTSU_FUNC double
ctr_otsu_variance (double mean, double low, double mean_low)
{
  double high = CTR_OTSU_SUB (1.0, low);
  double mean_high = CTR_OTSU_DIV (CTR_OTSU_SUB (mean, CTR_OTSU_MUL (low, mean_low)), high);
  double distance = CTR_OTSU_SUB (mean_low, mean_high);
  return CTR_OTSU_MUL (CTR_OTSU_MUL (CTR_OTSU_MUL (low, high), distance), distance);
}

/* Adds LEVEL, which has COUNT > 0 pixels. */
CTR_OTSU_FUNC void
ctr_otsu_add (CtrOtsu *otsu, uint32_t level, uint32_t count)
{
  double part = CTR_OTSU_MUL ((double) count, otsu->scale);
  double weighted = CTR_OTSU_MUL (otsu->mean_low, otsu->part_low);
  double low = CTR_OTSU_ADD (otsu->part_low, part);
  otsu->part_low = low;
  /* The share of the lower class only grows: until both classes have pixels its mean is 0, and after that it is not
   * used. */
  if (!ctr_otsu_splits (low))
    return;
  otsu->mean_low = CTR_OTSU_DIV (CTR_OTSU_ADD (weighted, CTR_OTSU_MUL ((double) level, part)), low);
  double variance = ctr_otsu_variance (otsu->mean, low, otsu->mean_low);
  if (variance > otsu->max_variance) {
    otsu->max_variance = variance;
    otsu->best = level;
  }
}

/* The foreground threshold, inclusive: OpenCV's value + 1. */
CTR_OTSU_FUNC uint32_t
ctr_otsu_threshold (const CtrOtsu *otsu)
{
  return otsu->best + 1;
}

#endif
