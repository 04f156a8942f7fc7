/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/wide.h"

#include "cpu/canny/blur.h"
#include "cpu/common/simd.h"

#include <stdlib.h>

typedef uint32_t UInt32s __attribute__ ((vector_size (VECTOR_BYTES)));
typedef uint16_t HalfSamples __attribute__ ((vector_size (VECTOR_BYTES / 2)));

ALWAYS_INLINE UInt32s
load_samples (const uint16_t *from)
{
  HalfSamples samples;
  memcpy (&samples, from, sizeof samples);
  return __builtin_convertvector(samples, UInt32s);
}

ALWAYS_INLINE UInt32s
load_uint32s (const uint32_t *from)
{
  UInt32s vector;
  memcpy (&vector, from, sizeof vector);
  return vector;
}

ALWAYS_INLINE void
store_uint32s (uint32_t *to, UInt32s vector)
{
  memcpy (to, &vector, sizeof vector);
}

/* The sums stay below 2^32, because the weights add up to 65536. */
static void
blur_down (const uint16_t *weights, uint32_t radius, const uint16_t *const *rows, uint32_t width, uint32_t *upper,
    uint32_t *lower)
{
  uint32_t x = 0;
  for (; x + HALF_LANES <= width; x += HALF_LANES) {
    UInt32s sum = load_samples (rows[radius] + x) * (uint32_t) weights[radius];
    for (uint32_t i = 0; i < radius; i++)
      sum += (load_samples (rows[i] + x) + load_samples (rows[2 * radius - i] + x)) * (uint32_t) weights[i];
    store_uint32s (upper + x, sum >> 16);
    store_uint32s (lower + x, sum & 0xffff);
  }
  for (; x < width; x++) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= 2 * radius; i++)
      sum += (uint32_t) weights[i] * rows[i][x];
    upper[x] = sum >> 16;
    lower[x] = sum & 0xffff;
  }
}

/* The weighted sum of 2 RADIUS + 1 numbers around FROM, below 2^32. */
ALWAYS_INLINE UInt32s
weighted_sum (const uint16_t *weights, uint32_t radius, const uint32_t *from)
{
  UInt32s sum = load_uint32s (from) * (uint32_t) weights[radius];
  for (uint32_t i = 0; i < radius; i++) {
    const uint32_t distance = radius - i;
    sum += (load_uint32s (from - distance) + load_uint32s (from + distance)) * (uint32_t) weights[i];
  }
  return sum;
}

static void
blur_across (
    const uint16_t *weights, uint32_t radius, uint32_t *upper, uint32_t *lower, uint32_t width, int32_t *samples)
{
  for (int64_t i = 1; i <= radius; i++) {
    const uint32_t left = ctr_reflect (-i, width), right = ctr_reflect (width - 1 + i, width);
    upper[-i] = upper[left];
    lower[-i] = lower[left];
    upper[width - 1 + i] = upper[right];
    lower[width - 1 + i] = lower[right];
  }
  /* (65536 upper + lower + 2^31) >> 32: the lower 16 bits of LOWER cannot change the result. */
  for (uint32_t x = 0; x < width; x += HALF_LANES) {
    const UInt32s rounded =
        (weighted_sum (weights, radius, upper + x) + (weighted_sum (weights, radius, lower + x) >> 16) + 32768) >> 16;
    store_int32s (samples + x, (Int32s) rounded);
  }
}

/* Smoothing and slope with aperture 3, 5 or 7, of the numbers at FROM[3], their middle. */
ALWAYS_INLINE Int32s
smooth (int aperture, const int32_t *const *from)
{
  const Int32s centre = load_int32s (from[3]), first = load_int32s (from[2]) + load_int32s (from[4]);
  if (aperture == 3)
    return first + 2 * centre;
  const Int32s second = load_int32s (from[1]) + load_int32s (from[5]);
  if (aperture == 5)
    return second + 4 * first + 6 * centre;
  return load_int32s (from[0]) + load_int32s (from[6]) + 6 * second + 15 * first + 20 * centre;
}

ALWAYS_INLINE Int32s
slope (int aperture, const int32_t *const *from)
{
  const Int32s first = load_int32s (from[4]) - load_int32s (from[2]);
  if (aperture == 3)
    return first;
  const Int32s second = load_int32s (from[5]) - load_int32s (from[1]);
  if (aperture == 5)
    return second + 2 * first;
  return load_int32s (from[6]) - load_int32s (from[0]) + 4 * second + 5 * first;
}

/* N / 16, rounded half to even. */
ALWAYS_INLINE Int32s
sixteenths (Int32s n)
{
  return (n + 7 + ((n >> 4) & 1)) >> 4;
}

ALWAYS_INLINE void
gradient_of (int aperture, const int32_t *const *rows, uint32_t width, int32_t *smoothed, int32_t *sloped,
    const CtrWideGradientRow *gradient)
{
  const int32_t *from[7];
  for (int64_t x = -HALF_LANES; x < (int64_t) width + 3; x += HALF_LANES) {
    for (int i = -(aperture / 2); i <= aperture / 2; i++)
      from[3 + i] = rows[aperture / 2 + i] + x;
    store_int32s (smoothed + x, smooth (aperture, from));
    store_int32s (sloped + x, slope (aperture, from));
  }
  int32_t *all_dx = gradient->dx, *all_dy = gradient->dy;
  for (uint32_t x = 0; x < width; x += HALF_LANES) {
    const int32_t *along[7];
    for (int i = -(aperture / 2); i <= aperture / 2; i++) {
      from[3 + i] = smoothed + x + i;
      along[3 + i] = sloped + x + i;
    }
    const Int32s dx = slope (aperture, from), dy = smooth (aperture, along);
    store_int32s (all_dx + x, aperture == 7 ? sixteenths (dx) : dx);
    store_int32s (all_dy + x, aperture == 7 ? sixteenths (dy) : dy);
  }
}

static void
gradient_row (uint32_t aperture, bool l2_gradient, const int32_t *const *rows, uint32_t width, int32_t *const *scratch,
    const CtrWideGradientRow *gradient)
{
  const int32_t *dx = gradient->dx, *dy = gradient->dy;
  int64_t *magnitudes = gradient->magnitudes;
  if (aperture == 3)
    gradient_of (3, rows, width, scratch[0], scratch[1], gradient);
  else if (aperture == 5)
    gradient_of (5, rows, width, scratch[0], scratch[1], gradient);
  else
    gradient_of (7, rows, width, scratch[0], scratch[1], gradient);
  if (l2_gradient)
    for (uint32_t x = 0; x < width; x++)
      magnitudes[x] = (int64_t) dx[x] * dx[x] + (int64_t) dy[x] * dy[x];
  else
    for (uint32_t x = 0; x < width; x++)
      magnitudes[x] = abs (dx[x]) + abs (dy[x]);
  magnitudes[-1] = magnitudes[width] = 0;
}

const CtrWideKernels CTR_KERNEL (ctr_wide_kernels) = {
    .blur_down = blur_down,
    .blur_across = blur_across,
    .gradient_row = gradient_row,
};
