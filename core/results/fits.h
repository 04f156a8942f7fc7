/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Least-squares fits to the pixels along a contour (include/contours/shapes.h): the exact sums, which both backends add up alike, and
 * what follows from them. Internal.
 *
 * Sums are in the order 1, x, y, xx, xy, yy, xxx, .. yyyy of CtrContourFits. Shifting them to the middle of the bounding box stays
 * exact: with coordinates below 2^16 and fewer than 2^32 pixels, all terms have less than 2^104. */
#ifndef CTR_CORE_RESULTS_FITS_H
#define CTR_CORE_RESULTS_FITS_H

#include "core/results/shapes.h"

CTR_BEGIN_DECLS

#define CTR_FIT_SUMS 15

/* The place of the sum of x^a y^b. */
CTR_SHAPE_RULE int
ctr_fit_at (int a, int b)
{
  return (a + b) * (a + b + 1) / 2 + b;
}

CTR_SHAPE_RULE int
ctr_fit_binomial (int n, int k)
{
  int all = 1;
  for (int i = 0; i < k; i++)
    all = all * (n - i) / (i + 1);
  return all;
}

#define CTR_FIT_INT CtrSigned128
#define CTR_FIT_EXPAND ctr_fit_expand
#include "core/results/fit_expand.h"
#undef CTR_FIT_INT
#undef CTR_FIT_EXPAND

/* Unsigned, as it may wrap around. */
#define CTR_FIT_INT uint64_t
#define CTR_FIT_EXPAND ctr_fit_expand_near
#include "core/results/fit_expand.h"
#undef CTR_FIT_INT
#undef CTR_FIT_EXPAND

/* A line both ends of which have coordinates below this has sums of less than 2^60. */
#define CTR_FIT_NEAR 4096

/* The powers of a pixel. */
CTR_SHAPE_RULE void
ctr_fit_pixel (CtrPoint pixel, CtrSigned128 to[CTR_FIT_SUMS])
{
  const uint64_t x = pixel.x, y = pixel.y, xx = x * x, xy = x * y, yy = y * y;
  const uint64_t powers[CTR_FIT_SUMS] = {
      1, x, y, xx, xy, yy, xx * x, xx * y, x * yy, yy * y, xx * xx, xx * xy, xx * yy, xy * yy, yy * yy};
  for (int i = 0; i < CTR_FIT_SUMS; i++)
    to[i] = powers[i];
}

/* The sums of the pixels from A to B, without B, which are on a horizontal, vertical or diagonal line; of A if both are one pixel. */
CTR_SHAPE_RULE void
ctr_fit_line (CtrPoint a, CtrPoint b, CtrSigned128 to[CTR_FIT_SUMS])
{
  const uint32_t steps = ctr_shape_steps (a, b);
  if (steps <= 1) {
    ctr_fit_pixel (a, to);
    return;
  }
  /* There are 2^16 steps at most, so only the fourth powers need more than 64 bits; to multiply by the inverse of 5 modulo 2^128
   * divides their sum, which is a multiple of 5. */
  const uint64_t n = steps, pairs = (n - 1) * n / 2, squares = (n - 1) * n * (2 * n - 1) / 6;
  const CtrUnsigned128 fifth = (CtrUnsigned128) UINT64_C (0xcccccccccccccccc) << 64 | UINT64_C (0xcccccccccccccccd);
  const int dx = (b.x > a.x) - (b.x < a.x), dy = (b.y > a.y) - (b.y < a.y);
  if ((a.x | a.y | b.x | b.y) < CTR_FIT_NEAR) {
    const uint64_t near_powers[5] = {
        n, pairs, squares, pairs * pairs, squares * (3 * n * n - 3 * n - 1) * (uint64_t) fifth};
    uint64_t sums[CTR_FIT_SUMS];
    ctr_fit_expand_near (a.x, (uint64_t) (int64_t) dx, a.y, (uint64_t) (int64_t) dy, near_powers, sums);
    for (int i = 0; i < CTR_FIT_SUMS; i++)
      to[i] = (CtrSigned128) sums[i];
    return;
  }
  const CtrSigned128 powers[5] = {
      n, pairs, squares, pairs * pairs, (CtrSigned128) ((CtrUnsigned128) squares * (3 * n * n - 3 * n - 1) * fifth)};
  ctr_fit_expand (a.x, dx, a.y, dy, powers, to);
}

CTR_SHAPE_RULE CtrSigned128
ctr_fit_sum (const CtrContourFits *fits, int a, int b)
{
  const uint64_t *words = fits->words[ctr_fit_at (a, b)];
  return (CtrSigned128) ((CtrUnsigned128) words[1] << 64 | words[0]);
}

/* The mean of (x - CX)^a (y - CY)^b. */
CTR_SHAPE_RULE double
ctr_fit_mean (const CtrContourFits *fits, int a, int b, int32_t cx, int32_t cy)
{
  CtrSigned128 sum = 0, of_x = 1;
  for (int i = a; i >= 0; i--) { /* of_x: (-cx)^(a - i) */
    CtrSigned128 of_y = 1;
    for (int k = b; k >= 0; k--) {
      sum += ctr_fit_binomial (a, i) * ctr_fit_binomial (b, k) * of_x * of_y * ctr_fit_sum (fits, i, k);
      of_y *= -cy;
    }
    of_x *= -cx;
  }
  return ctr_signed128_to_double (sum) / ctr_signed128_to_double (ctr_fit_sum (fits, 0, 0));
}

/* (n sum of x^a y^b - sum of x^a sum of y^b) / n^2 of the second order, exact up to the last steps. */
CTR_SHAPE_RULE double
ctr_fit_covariance (const CtrContourFits *fits, int a, int b)
{
  const CtrSigned128 n = ctr_fit_sum (fits, 0, 0);
  const CtrSigned128 first = a ? ctr_fit_sum (fits, 1, 0) : ctr_fit_sum (fits, 0, 1),
                     second = b ? ctr_fit_sum (fits, 0, 1) : ctr_fit_sum (fits, 1, 0);
  const double size = ctr_signed128_to_double (n);
  return ctr_signed128_to_double (n * ctr_fit_sum (fits, a, b) - first * second) / (size * size);
}

CTR_END_DECLS

#endif
