/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/gradient.h"

#include "cpu/canny/kernels.h"
#include "cpu/common/simd.h"

/* Smoothing and slope with aperture 3, 5 or 7. GET returns the numbers I steps from FROM. */
ALWAYS_INLINE Int16s
smooth (int aperture, Int16s (*get) (const void *from, int i), const void *from)
{
  const Int16s centre = get (from, 0), first = get (from, -1) + get (from, 1);
  if (aperture == 3)
    return first + 2 * centre;
  const Int16s second = get (from, -2) + get (from, 2);
  if (aperture == 5)
    return second + 4 * first + 6 * centre;
  return get (from, -3) + get (from, 3) + 6 * second + 15 * first + 20 * centre;
}

ALWAYS_INLINE Int16s
slope (int aperture, Int16s (*get) (const void *from, int i), const void *from)
{
  const Int16s first = get (from, 1) - get (from, -1);
  if (aperture == 3)
    return first;
  const Int16s second = get (from, 2) - get (from, -2);
  if (aperture == 5)
    return second + 2 * first;
  return get (from, 3) - get (from, -3) + 4 * second + 5 * first;
}

typedef struct {
  const int16_t *rows[7]; /* the middle one is that of the centre */
  int64_t x;
} Column;

ALWAYS_INLINE Int16s
get_in_column (const void *from, int i)
{
  const Column *column = from;
  return load_int16s (column->rows[3 + i] + column->x);
}

ALWAYS_INLINE Int16s
get_in_row (const void *from, int i)
{
  return load_int16s ((const int16_t *) from + i);
}

ALWAYS_INLINE Int32s
weighted_pairs (const int16_t *from, int16_t a, int16_t b)
{
  return pair_sums (load_int16s (from), repeat_pair (a, b));
}

/* For every second pixel: the weighted sum of eight numbers, divided by 16 and rounded half to even. */
ALWAYS_INLINE Int32s
sixteenths (const int16_t *from, const int16_t *weights)
{
  const Int32s sum = weighted_pairs (from, weights[0], weights[1]) + weighted_pairs (from + 2, weights[2], weights[3])
                     + weighted_pairs (from + 4, weights[4], weights[5])
                     + weighted_pairs (from + 6, weights[6], weights[7]);
  return (sum + 7 + ((sum >> 4) & 1)) >> 4;
}

/* The weighted sum of the seven numbers around FROM, divided by 16. The eighth weight is 0. */
ALWAYS_INLINE Int16s
sixteenth_of_seven (const int16_t *from, const int16_t *weights)
{
  return zip (sixteenths (from - 3, weights), sixteenths (from - 2, weights));
}

ALWAYS_INLINE void
gradient_row (int aperture, bool l2_gradient, const int16_t *const *rows, uint32_t width, int16_t *smoothed,
    int16_t *sloped, const CtrGradientRow *gradient)
{
  static const int16_t slope_7[] = {-1, -4, -5, 0, 5, 4, 1, 0}, smooth_7[] = {1, 6, 15, 20, 15, 6, 1, 0};
  /* Copies, here and below: values behind a pointer would be read again after each store. */
  Column column;
  for (int i = -(aperture / 2); i <= aperture / 2; i++)
    column.rows[3 + i] = rows[aperture / 2 + i];
  for (column.x = -LANES; column.x < (int64_t) width + CTR_SOBEL_MARGIN; column.x += LANES) {
    store_int16s (smoothed + column.x, smooth (aperture, get_in_column, &column));
    store_int16s (sloped + column.x, slope (aperture, get_in_column, &column));
  }
  int16_t *all_dx = gradient->dx, *all_dy = gradient->dy, *sums = gradient->magnitudes;
  int32_t *squares = gradient->magnitudes;
  for (uint32_t x = 0; x < width; x += LANES) {
    const Int16s dx =
        aperture == 7 ? sixteenth_of_seven (smoothed + x, slope_7) : slope (aperture, get_in_row, smoothed + x);
    const Int16s dy =
        aperture == 7 ? sixteenth_of_seven (sloped + x, smooth_7) : smooth (aperture, get_in_row, sloped + x);
    store_int16s (all_dx + x, dx);
    store_int16s (all_dy + x, dy);
    if (l2_gradient) {
      const Interleaved both = interleave (dx, dy);
      store_interleaved (squares + x, pair_sums (both.first, both.first), pair_sums (both.last, both.last));
    } else {
      store_int16s (sums + x, abs_int16s (dx) + abs_int16s (dy));
    }
  }
  if (l2_gradient)
    squares[-1] = squares[width] = 0;
  else
    sums[-1] = sums[width] = 0;
}

void
CTR_KERNEL (ctr_gradient_row) (uint32_t aperture, bool l2_gradient, const int16_t *const *rows, uint32_t width,
    int16_t *const *scratch, const CtrGradientRow *gradient)
{
  if (aperture == 3 && !l2_gradient)
    gradient_row (3, false, rows, width, scratch[0], scratch[1], gradient);
  else if (aperture == 3)
    gradient_row (3, true, rows, width, scratch[0], scratch[1], gradient);
  else if (aperture == 5)
    gradient_row (5, l2_gradient, rows, width, scratch[0], scratch[1], gradient);
  else
    gradient_row (7, l2_gradient, rows, width, scratch[0], scratch[1], gradient);
}

/* Is magnitude A[AX] > B[BX]? */
ALWAYS_INLINE Int16s
exceeds (bool l2_gradient, const void *a, int64_t ax, const void *b, int64_t bx)
{
  if (l2_gradient)
    return greater_int32s (load_pair ((const int32_t *) a + ax), load_pair ((const int32_t *) b + bx));
  return load_int16s ((const int16_t *) a + ax) > load_int16s ((const int16_t *) b + bx);
}

ALWAYS_INLINE Int16s
exceeds_threshold (bool l2_gradient, const void *a, int64_t x, int32_t threshold)
{
  const Int32s all = (Int32s){0} + threshold;
  if (l2_gradient)
    return greater_int32s (load_pair ((const int32_t *) a + x), (Int32Pair){all, all});
  return load_int16s ((const int16_t *) a + x) > (int16_t) threshold;
}

ALWAYS_INLINE Int16s
choose (Int16s mask, Int16s where_set, Int16s where_not)
{
  return (mask & where_set) | (~mask & where_not);
}

/* Which of eight pixels are maxima along their gradient? */
ALWAYS_INLINE Int16s
maxima (const CtrGradientRow *above, const CtrGradientRow *here, const CtrGradientRow *below, bool l2, int64_t x)
{
  const void *up = above->magnitudes, *m = here->magnitudes, *down = below->magnitudes;
  const Int16s dx = load_int16s (here->dx + x), dy = load_int16s (here->dy + x);
  const Int16s across = abs_int16s (dx), vertical = abs_int16s (dy);
  const Int16s factors = repeat_pair (13573, -32768);
  const Interleaved both = interleave (across, vertical);
  const Int32s first = pair_sums (both.first, factors), last = pair_sums (both.last, factors);
  const Interleaved across_65536 = interleave ((Int16s){0}, across);
  const Int16s is_across = negative (-first, -last),
               is_vertical = negative (first + (Int32s) across_65536.first, last + (Int32s) across_65536.last);
  const Int16s along_row = exceeds (l2, m, x, m, x - 1) & ~exceeds (l2, m, x + 1, m, x);
  const Int16s along_column = exceeds (l2, m, x, up, x) & ~exceeds (l2, down, x, m, x);
  const Int16s falling = exceeds (l2, m, x, up, x - 1) & exceeds (l2, m, x, down, x + 1);
  const Int16s rising = exceeds (l2, m, x, up, x + 1) & exceeds (l2, m, x, down, x - 1);
  return choose (is_across, along_row, choose (is_vertical, along_column, choose ((dx ^ dy) < 0, rising, falling)));
}

ALWAYS_INLINE void
maxima_row (const CtrGradientRow *above, const CtrGradientRow *here, const CtrGradientRow *below, bool l2,
    uint32_t width, int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong)
{
  for (uint32_t begin = 0; begin < width; begin += 64) {
    uint64_t c = 0, s = 0;
    for (uint32_t i = 0; i < 64; i += 2 * LANES) {
      const uint32_t x = begin + i;
      const void *m = here->magnitudes;
      uint32_t found = mask_to_bits (exceeds_threshold (l2, m, x, low), exceeds_threshold (l2, m, x + LANES, low));
      if (!found)
        continue;
      found &= mask_to_bits (maxima (above, here, below, l2, x), maxima (above, here, below, l2, x + LANES));
      const uint32_t above_high =
          mask_to_bits (exceeds_threshold (l2, m, x, high), exceeds_threshold (l2, m, x + LANES, high));
      c |= (uint64_t) found << i;
      s |= (uint64_t) (found & above_high) << i;
    }
    const uint64_t inside = width - begin < 64 ? (UINT64_C (1) << (width - begin)) - 1 : UINT64_MAX;
    *candidates++ = c & inside;
    *strong++ = s & inside;
  }
}

void
CTR_KERNEL (ctr_maxima_row) (const CtrGradientRow *above, const CtrGradientRow *here, const CtrGradientRow *below,
    bool l2_gradient, uint32_t width, int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong)
{
  if (l2_gradient)
    maxima_row (above, here, below, true, width, low, high, candidates, strong);
  else
    maxima_row (above, here, below, false, width, low, high, candidates, strong);
}
