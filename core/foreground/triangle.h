/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The triangle threshold from a histogram, for the host and for CUDA device code. Internal.
 *
 * The threshold equals OpenCV's for every histogram of 256 levels. Samples of 16 bits are counted in 256 levels, too.
 * OpenCV computes in double, where all values are integers below 2^49: integers give the same. */
#ifndef CTR_CORE_FOREGROUND_TRIANGLE_H
#define CTR_CORE_FOREGROUND_TRIANGLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define CTR_TRIANGLE_FUNC static inline __host__ __device__
#else
#define CTR_TRIANGLE_FUNC static inline
#endif

#define CTR_TRIANGLE_LEVELS 256

/* A level has 2^SHIFT of the 16-bit samples, of which LARGEST is the largest of the image. SIGNIFICANT_BITS: 0, or 8 to 16,
 * see foreground.h. */
CTR_TRIANGLE_FUNC uint32_t
ctr_triangle_shift (uint32_t significant_bits, uint32_t largest)
{
  uint32_t bits = 10;
  while (largest >> bits)
    bits += 2;
  return (significant_bits ? significant_bits : bits) - 8;
}

/* The triangle of a histogram: its base is the line from the peak to the far end of the longer tail. Positions are levels,
 * or with FLIPPED the last level less the level, so that the tail lies to the left of the peak. */
typedef struct {
  bool flipped;
  int64_t left;   /* the end of the tail, a level before the first one with pixels where there is one */
  int64_t peak;   /* the first level with the most pixels */
  int64_t height; /* pixels of that level */
} CtrTriangle;

/* FIRST, LAST: the lowest and highest levels with pixels; PEAK: the lowest one with the most pixels, HEIGHT. */
CTR_TRIANGLE_FUNC CtrTriangle
ctr_triangle_init (uint32_t first, uint32_t last, uint32_t peak, uint32_t height)
{
  const int64_t left = first > 0 ? (int64_t) first - 1 : 0, top = CTR_TRIANGLE_LEVELS - 1;
  const int64_t right = last < top ? (int64_t) last + 1 : top;
  CtrTriangle triangle;
  triangle.flipped = peak - left < right - peak;
  triangle.left = triangle.flipped ? top - right : left;
  triangle.peak = triangle.flipped ? top - peak : peak;
  triangle.height = height;
  return triangle;
}

/* The level of POSITION, which is between left, exclusive, and peak, inclusive. */
CTR_TRIANGLE_FUNC uint32_t
ctr_triangle_level (const CtrTriangle *triangle, int64_t position)
{
  return (uint32_t) (triangle->flipped ? CTR_TRIANGLE_LEVELS - 1 - position : position);
}

/* The distance of the COUNT pixels at POSITION to the base, but for a factor and a summand. The position with the greatest
 * distance above 0 is the corner of the triangle; the first of several. Without one it is triangle->left. */
CTR_TRIANGLE_FUNC int64_t
ctr_triangle_distance (const CtrTriangle *triangle, int64_t position, uint32_t count)
{
  return triangle->height * position + (triangle->left - triangle->peak) * count;
}

/* The foreground threshold, inclusive, of the position of the corner: OpenCV's value + 1. */
CTR_TRIANGLE_FUNC uint32_t
ctr_triangle_threshold (const CtrTriangle *triangle, int64_t corner)
{
  return (uint32_t) (triangle->flipped ? CTR_TRIANGLE_LEVELS - corner + 1 : corner);
}

/* The threshold of a histogram with pixels. cuda/ does the same in parallel. */
static inline uint32_t
ctr_triangle_find (const uint32_t histogram[CTR_TRIANGLE_LEVELS])
{
  uint32_t first = 0, last = CTR_TRIANGLE_LEVELS - 1, peak = 0;
  while (histogram[first] == 0)
    first++;
  while (histogram[last] == 0)
    last--;
  for (uint32_t i = first; i <= last; i++)
    if (histogram[i] > histogram[peak])
      peak = i;
  const CtrTriangle triangle = ctr_triangle_init (first, last, peak, histogram[peak]);
  int64_t corner = triangle.left, most = 0;
  for (int64_t i = triangle.left + 1; i <= triangle.peak; i++) {
    const int64_t distance = ctr_triangle_distance (&triangle, i, histogram[ctr_triangle_level (&triangle, i)]);
    if (distance > most) {
      most = distance;
      corner = i;
    }
  }
  return ctr_triangle_threshold (&triangle, corner);
}

/* The threshold of a histogram of 16-bit samples. */
static inline uint32_t
ctr_triangle_find_16 (const uint32_t histogram[65536], uint32_t significant_bits)
{
  uint32_t levels[CTR_TRIANGLE_LEVELS] = {0}, largest = 65535;
  while (histogram[largest] == 0)
    largest--;
  const uint32_t shift = ctr_triangle_shift (significant_bits, largest);
  for (uint32_t sample = 0; sample <= largest; sample++) {
    const uint32_t level = sample >> shift;
    levels[level < CTR_TRIANGLE_LEVELS ? level : CTR_TRIANGLE_LEVELS - 1] += histogram[sample];
  }
  return ctr_triangle_find (levels) << shift;
}

#endif
