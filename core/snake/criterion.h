/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Criterion and description length of region snakes, equal on both backends to the last bit. For host and CUDA device
 * code. Internal.
 *
 * Each double operation is rounded. Products and sums use ctr_mul() and ctr_add(), which the device compiler does not
 * contract. Quotients are correctly rounded on both sides. */
#ifndef CTR_CORE_SNAKE_CRITERION_H
#define CTR_CORE_SNAKE_CRITERION_H

#include "core/snake/rule.h"

#include <contours/snake.h>
#include <math.h>
#include <string.h>

CTR_SNAKE_RULE double
ctr_mul (double a, double b)
{
#ifdef __CUDA_ARCH__
  return __dmul_rn (a, b);
#else
  return a * b;
#endif
}

CTR_SNAKE_RULE double
ctr_add (double a, double b)
{
#ifdef __CUDA_ARCH__
  return __dadd_rn (a, b);
#else
  return a + b;
#endif
}

/* The number of pixels, the sum of their samples, and the sum of their squares. Also for differences of such sums: s2
 * wraps around, as it needs all 64 bits for the largest 16-bit image. */
typedef struct {
  int64_t n;
  int64_t s1;
  uint64_t s2;
} CtrSnakeSums;

CTR_SNAKE_RULE CtrSnakeSums
ctr_snake_sums_add (CtrSnakeSums a, CtrSnakeSums b)
{
  const CtrSnakeSums sums = {a.n + b.n, a.s1 + b.s1, a.s2 + b.s2};
  return sums;
}

CTR_SNAKE_RULE CtrSnakeSums
ctr_snake_sums_sub (CtrSnakeSums a, CtrSnakeSums b)
{
  const CtrSnakeSums sums = {a.n - b.n, a.s1 - b.s1, a.s2 - b.s2};
  return sums;
}

/* The natural logarithm of a positive normal number, with a relative error of at most 2e-15. */
CTR_SNAKE_CALLED_RULE double
ctr_snake_log (double x)
{
  uint64_t bits;
  memcpy (&bits, &x, sizeof bits);
  /* x = m 2^e, with m between about sqrt (1/2) and sqrt (2). */
  const uint64_t least = 0x3fe6a09e00000000; /* about sqrt (1/2) */
  const int32_t e = (int32_t) (uint32_t) ((bits - least) >> 32) >> 20;
  bits -= (uint64_t) (uint32_t) e << 52;
  double m;
  memcpy (&m, &bits, sizeof m);
  /* ln m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 + ...), s^2 < 0.03 */
  const double f = ctr_add (m, -1), s = f / ctr_add (m, 1), z = ctr_mul (s, s);
  const double z2 = ctr_mul (z, z), z4 = ctr_mul (z2, z2);
  const double p0 = ctr_add (ctr_mul (z, 2. / 5), 2. / 3), p1 = ctr_add (ctr_mul (z, 2. / 9), 2. / 7);
  const double p2 = ctr_add (ctr_mul (z, 2. / 13), 2. / 11), p3 = ctr_add (ctr_mul (z, 2. / 17), 2. / 15);
  const double low = ctr_add (ctr_mul (z2, p1), p0), high = ctr_add (ctr_mul (z2, p3), p2);
  const double p = ctr_add (ctr_mul (z4, ctr_add (ctr_mul (z4, 2. / 19), high)), low);
  /* 2 s = f - s f */
  const double rest = ctr_mul (s, ctr_add (ctr_mul (z, p), -f));
  const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33; /* e ln2_high is exact */
  const double exponent = e;
  return ctr_add (ctr_mul (exponent, ln2_high), ctr_add (f, ctr_add (rest, ctr_mul (exponent, ln2_low))));
}

typedef struct {
  CtrSnakeModel model;
  double looks;
  double maximum; /* the largest sample of CTR_SNAKE_BERNOULLI; greater ones may come */
} CtrSnakeCost;

/* The lower bound of a variance, and of the mean with CTR_SNAKE_SPECKLE. */
#define CTR_SNAKE_LEAST (1. / 12)

/* Both sums of N > 0 pixels divided by N. */
typedef struct {
  double s1;
  double s2;
} CtrSnakeMeans;

/* The GPU takes one reciprocal for both, with a relative error E below 2^-52, and corrects the products by what remains. Before
 * they are rounded they are then off by less than 3 E units of the last place. A quotient by N < 2^32 is at least 1 / 2N units
 * away from where rounding changes, so it is correctly rounded, without the cases that a division has to tell apart. */
CTR_SNAKE_RULE CtrSnakeMeans
ctr_snake_means (CtrSnakeSums sums)
{
#ifdef __CUDA_ARCH__
  const uint32_t n = (uint32_t) sums.n;
  const double real = n, rough = __fdividef (1, (float) n), error = __fma_rn (-real, rough, 1);
  const double inverse = __fma_rn (rough, __fma_rn (error, error, error), rough);
  const double s1 = (double) sums.s1, s2 = (double) sums.s2;
  const double mean = __dmul_rn (s1, inverse), square = __dmul_rn (s2, inverse);
  const CtrSnakeMeans means = {
      __fma_rn (__fma_rn (-real, mean, s1), inverse, mean), __fma_rn (__fma_rn (-real, square, s2), inverse, square)};
#else
  const CtrSnakeMeans means = {(double) sums.s1 / (double) sums.n, (double) sums.s2 / (double) sums.n};
#endif
  return means;
}

/* The variance of a region with these MEANS, or its lower bound. */
CTR_SNAKE_RULE double
ctr_snake_variance (CtrSnakeMeans means)
{
  const double variance = ctr_add (means.s2, -ctr_mul (means.s1, means.s1));
  return variance > CTR_SNAKE_LEAST ? variance : CTR_SNAKE_LEAST;
}

/* ctr_snake_cost(); COST is a copy, as a pointer to a kernel's argument takes loads from global memory. */
CTR_SNAKE_CALLED_RULE double
ctr_snake_cost_by (CtrSnakeCost cost, CtrSnakeSums sums)
{
  const double n = (double) sums.n, s1 = (double) sums.s1;
  const CtrSnakeMeans means = ctr_snake_means (sums);
  const double mean = means.s1;
  if (cost.model == CTR_SNAKE_GAUSSIAN)
    return ctr_mul (ctr_mul (0.5, n), ctr_snake_log (ctr_snake_variance (means)));
  switch (cost.model) {
    case CTR_SNAKE_GAUSSIAN:
      break;
    case CTR_SNAKE_SPECKLE: {
      const double m = mean > CTR_SNAKE_LEAST ? mean : CTR_SNAKE_LEAST;
      return ctr_mul (ctr_mul (cost.looks, n), ctr_snake_log (m));
    }
    case CTR_SNAKE_POISSON:
      return sums.s1 > 0 ? -ctr_mul (s1, ctr_snake_log (mean)) : 0;
    case CTR_SNAKE_BERNOULLI: {
      const double share = s1 / ctr_mul (n, cost.maximum), p = share < 1 ? share : 1, q = ctr_add (1, -p);
      const double a = p > 0 ? ctr_mul (p, ctr_snake_log (p)) : 0;
      const double b = q > 0 ? ctr_mul (q, ctr_snake_log (q)) : 0;
      return -ctr_mul (n, ctr_add (a, b));
    }
  }
  return 0;
}

/* The contribution of a region of N > 0 pixels to the criterion. */
CTR_SNAKE_RULE double
ctr_snake_cost (const CtrSnakeCost *cost, CtrSnakeSums sums)
{
  return ctr_snake_cost_by (*cost, sums);
}

/* The criterion of a target with the sums INSIDE in a window with the sums WINDOW; infinite if a region is empty. */
CTR_SNAKE_RULE double
ctr_snake_criterion (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window)
{
  const CtrSnakeSums outside = ctr_snake_sums_sub (window, inside);
  if (inside.n < 1 || outside.n < 1)
    return HUGE_VAL;
  return ctr_add (ctr_snake_cost (cost, inside), ctr_snake_cost (cost, outside));
}

/* Minus the logarithm of the likelihood of pixels with the sums S, but for what depends on their samples alone:
 * pixel * S.n + sample * S.s1 + square * S.s2. Also the difference of two. */
typedef struct {
  double pixel;
  double sample;
  double square;
} CtrSnakeLikelihood;

/* That of a pixel in a region of N > 0 pixels with the sums SUMS. */
CTR_SNAKE_CALLED_RULE CtrSnakeLikelihood
ctr_snake_likelihood (const CtrSnakeCost *cost, CtrSnakeSums sums)
{
  const double n = (double) sums.n, mean = (double) sums.s1 / n, m = mean > CTR_SNAKE_LEAST ? mean : CTR_SNAKE_LEAST;
  CtrSnakeLikelihood l = {0, 0, 0};
  switch (cost->model) {
    case CTR_SNAKE_GAUSSIAN: {
      const double variance = ctr_add ((double) sums.s2 / n, -ctr_mul (mean, mean));
      const double v = variance > CTR_SNAKE_LEAST ? variance : CTR_SNAKE_LEAST;
      l.pixel = ctr_mul (0.5, ctr_add (ctr_snake_log (v), ctr_mul (mean, mean) / v));
      l.sample = -mean / v;
      l.square = 0.5 / v;
      break;
    }
    case CTR_SNAKE_SPECKLE:
      l.pixel = ctr_mul (cost->looks, ctr_snake_log (m));
      l.sample = cost->looks / m;
      break;
    case CTR_SNAKE_POISSON:
      l.pixel = m;
      l.sample = -ctr_snake_log (m);
      break;
    case CTR_SNAKE_BERNOULLI: {
      const double least = 1. / 1024, share = mean / cost->maximum;
      const double p = share < least ? least : share > 1 - least ? 1 - least : share;
      const double rest = ctr_snake_log (ctr_add (1, -p));
      l.pixel = -rest;
      l.sample = ctr_add (rest, -ctr_snake_log (p)) / cost->maximum;
      break;
    }
  }
  return l;
}

/* That of the region INSIDE minus that of the rest of WINDOW. Both have pixels. */
CTR_SNAKE_RULE CtrSnakeLikelihood
ctr_snake_contrast (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window)
{
  const CtrSnakeLikelihood a = ctr_snake_likelihood (cost, inside);
  const CtrSnakeLikelihood b = ctr_snake_likelihood (cost, ctr_snake_sums_sub (window, inside));
  CtrSnakeLikelihood contrast;
  contrast.pixel = ctr_add (a.pixel, -b.pixel);
  contrast.sample = ctr_add (a.sample, -b.sample);
  contrast.square = ctr_add (a.square, -b.square);
  return contrast;
}

/* Minus the logarithm of how much likelier pixels with the sums SUMS are inside than outside. */
CTR_SNAKE_RULE double
ctr_snake_evidence (const CtrSnakeLikelihood *contrast, CtrSnakeSums sums)
{
  return ctr_add (ctr_add (ctr_mul (contrast->pixel, (double) sums.n), ctr_mul (contrast->sample, (double) sums.s1)),
      ctr_mul (contrast->square, (double) sums.s2));
}

/* The sums of |dx| and of |dy| over the edges of a polygon. */
typedef struct {
  uint64_t x;
  uint64_t y;
} CtrSnakeLengths;

CTR_SNAKE_RULE uint32_t
ctr_snake_distance (uint16_t a, uint16_t b)
{
  return a > b ? a - b : b - a;
}

CTR_SNAKE_RULE CtrSnakeLengths
ctr_snake_lengths (const CtrPoint *points, uint32_t count)
{
  CtrSnakeLengths lengths = {0, 0};
  CtrPoint from = points[count - 1];
  for (uint32_t i = 0; i < count; i++) {
    lengths.x += ctr_snake_distance (from.x, points[i].x);
    lengths.y += ctr_snake_distance (from.y, points[i].y);
    from = points[i];
  }
  return lengths;
}

/* The product of the mean |dx| and the mean |dy| of the COUNT edges of a polygon. */
CTR_SNAKE_RULE double
ctr_snake_mean_box (uint32_t count, CtrSnakeLengths lengths)
{
  const double p = count;
  const double mx = (double) (lengths.x > 1 ? lengths.x : 1) / p, my = (double) (lengths.y > 1 ? lengths.y : 1) / p;
  return ctr_mul (mx, my);
}

/* The description length of a polygon of COUNT points with this CRITERION, by the logarithms of the window's pixels, of
 * COUNT and of ctr_snake_mean_box(). */
CTR_SNAKE_RULE double
ctr_snake_description_by (double criterion, double log_pixels, uint32_t count, double log_count, double log_box)
{
  const double twice_ln_2e = 3.3862943611198906; /* 2 ln (2 e) */
  const double points = ctr_mul (count, ctr_add (twice_ln_2e, log_box));
  return ctr_add (ctr_add (ctr_add (criterion, log_pixels), ctr_mul (2, log_count)), points);
}

/* The description length of a polygon of COUNT points with this CRITERION in a window of PIXELS pixels. */
CTR_SNAKE_RULE double
ctr_snake_description (double criterion, int64_t pixels, uint32_t count, CtrSnakeLengths lengths)
{
  return ctr_snake_description_by (criterion, ctr_snake_log ((double) pixels), count, ctr_snake_log (count),
      ctr_snake_log (ctr_snake_mean_box (count, lengths)));
}

/* The description length of the whole window with the sums WINDOW as one region. That of a target is lower. */
CTR_SNAKE_RULE double
ctr_snake_description_without (const CtrSnakeCost *cost, CtrSnakeSums window)
{
  return ctr_add (ctr_snake_cost (cost, window), ctr_snake_log ((double) window.n));
}

#endif
