/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Otsu's threshold from a histogram, for the host and for CUDA device code. Internal.
 *
 * The value is OpenCV's for every histogram, so each double operation is rounded where OpenCV rounds it and in its
 * order; on the device the intrinsics keep the compiler from contracting them.
 *
 * Only levels that have pixels are passed in, in ascending order. OpenCV visits the empty ones too, but they change
 * nothing: there the running mean m = RN (t / q), RN rounding to double, becomes RN (RN (m q) / q), which is m again.
 * (Let M and Q in [1, 2) be the significands of m and q. If M Q < 2, rounding m q moves the quotient by less than half
 * a unit in m's last place. Otherwise |m q - t| is less than half a unit in m q's last place, so RN (m q) is t.) With
 * the mean and the shares as before, the variance is as before and not a new maximum.
 *
 * Use: ctr_otsu_init(), ctr_otsu_add() for each level that has pixels, ctr_otsu_threshold(). */
#ifndef CTR_CORE_COMMON_OTSU_H
#define CTR_CORE_COMMON_OTSU_H

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
  double scale;     /* 1 / pixels */
  double mean;      /* of the whole image */
  double mean_low;  /* of the levels seen so far */
  double part_low;  /* share of the pixels in them */
  double max_sigma; /* largest between-class variance so far */
  uint32_t best;    /* its level */
} CtrOtsu;

/* PIXELS in the histogram, and the sum of all their samples. */
CTR_OTSU_FUNC void
ctr_otsu_init (CtrOtsu *otsu, uint64_t pixels, uint64_t sample_sum)
{
  otsu->scale = CTR_OTSU_DIV (1.0, (double) pixels);
  /* Below 2^48, so the integer sum is the exact value of the sum in double. */
  otsu->mean = CTR_OTSU_MUL ((double) sample_sum, otsu->scale);
  otsu->mean_low = 0.0;
  otsu->part_low = 0.0;
  otsu->max_sigma = 0.0;
  otsu->best = 0;
}

/* LEVEL has COUNT > 0 pixels; levels ascend from call to call. */
CTR_OTSU_FUNC void
ctr_otsu_add (CtrOtsu *otsu, uint32_t level, uint32_t count)
{
  const double epsilon = 1.1920928955078125e-07; /* FLT_EPSILON */
  double part = CTR_OTSU_MUL ((double) count, otsu->scale);
  double weighted = CTR_OTSU_MUL (otsu->mean_low, otsu->part_low);
  double low = CTR_OTSU_ADD (otsu->part_low, part);
  double high = CTR_OTSU_SUB (1.0, low);
  otsu->part_low = low;
  /* The share below only grows: before both classes have pixels the mean is still 0, after it is not used again. */
  if (low < epsilon || high < epsilon || low > CTR_OTSU_SUB (1.0, epsilon) || high > CTR_OTSU_SUB (1.0, epsilon))
    return;
  double mean_low = CTR_OTSU_DIV (CTR_OTSU_ADD (weighted, CTR_OTSU_MUL ((double) level, part)), low);
  double mean_high = CTR_OTSU_DIV (CTR_OTSU_SUB (otsu->mean, CTR_OTSU_MUL (low, mean_low)), high);
  double distance = CTR_OTSU_SUB (mean_low, mean_high);
  double sigma = CTR_OTSU_MUL (CTR_OTSU_MUL (CTR_OTSU_MUL (low, high), distance), distance);
  if (sigma > otsu->max_sigma) {
    otsu->max_sigma = sigma;
    otsu->best = level;
  }
  otsu->mean_low = mean_low;
}

/* The lowest sample that is foreground: OpenCV's threshold + 1. */
CTR_OTSU_FUNC uint32_t
ctr_otsu_threshold (const CtrOtsu *otsu)
{
  return otsu->best + 1;
}

#endif
