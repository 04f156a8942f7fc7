/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The greatest |dx| + |dy| of blurred rows, with aperture 3.
 *
 * Sums of 2 x 2 samples make it cheap: dx + dy is twice the difference of the sums at the lower right and the upper left of a
 * pixel, dx - dy twice that of the sums at the upper right and the lower left, and |dx| + |dy| is the greater of their
 * absolute values. An integer below 2048 is also the half-precision number of so many units of 2^-24, exact in sums and
 * differences, so that samples need no conversion. */
#ifndef CTR_CUDA_CANNY_GREATEST_ROWS_CUH
#define CTR_CUDA_CANNY_GREATEST_ROWS_CUH

#include "cuda/canny/blur.cuh"

namespace
{

constexpr int BOX_WORDS = 2; /* of four pixels, in a lane */

/* Sums of samples at columns X - 1 and X, for the lane's pixels X, in one row or in two: two in each word. */
struct BoxSums {
  Half2 even[BOX_WORDS + 1]; /* X = 0 and 2, 4 and 6; 8 in the lower half */
  Half2 odd[BOX_WORDS];      /* 1 and 3, 5 and 7 */
};

__device__ inline BoxSums
load_pair_sums (const uint8_t *row)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint2 first = *(const uint2 *) (row + 8 * lane), second = *(const uint2 *) (row + 8 * lane + 8);
  static_assert (BLURRED_LEFT == 4 && BOX_WORDS == 2, "the samples -1, 0 to 3, 4 to 7 and 8 are in one word each");
  /* Samples 0 and 2, 4 and 6, 8; 1 and 3, 5 and 7; -1 and 1, 3 and 5, 7. */
  const Half2 even[BOX_WORDS + 1] = {first.y & 0x00ff00ff, second.x & 0x00ff00ff, second.y & 0x00ff00ff};
  const Half2 odd[BOX_WORDS] = {__byte_perm (first.y, 0, 0x4341), __byte_perm (second.x, 0, 0x4341)};
  const Half2 before[BOX_WORDS + 1] = {
      __byte_perm (first.x, odd[0], 0x5453), __byte_perm (odd[0], odd[1], 0x5432), odd[1] >> 16};
  BoxSums sums;
#pragma unroll
  for (int i = 0; i <= BOX_WORDS; i++)
    sums.even[i] = h2_add (before[i], even[i]);
#pragma unroll
  for (int i = 0; i < BOX_WORDS; i++)
    sums.odd[i] = h2_add (even[i], odd[i]);
  return sums;
}

__device__ inline BoxSums
add_rows (const BoxSums &a, const BoxSums &b)
{
  BoxSums sums;
#pragma unroll
  for (int i = 0; i <= BOX_WORDS; i++)
    sums.even[i] = h2_add (a.even[i], b.even[i]);
#pragma unroll
  for (int i = 0; i < BOX_WORDS; i++)
    sums.odd[i] = h2_add (a.odd[i], b.odd[i]);
  return sums;
}

/* The greatest of rows FIRST to END - 1 of a tile, for the lane's eight columns. FROM: the row above FIRST. */
__device__ inline uint32_t
greatest_of_rows (const CannyKernelArgs &f, const uint8_t *from, int tile_x, int tile_y, int first, int end)
{
  const int x = tile_x + 8 * (int) (threadIdx.x % 32), rows = min (end, (int) f.height - tile_y) - first;
  Half2 found_even[BOX_WORDS] = {}, found_odd[BOX_WORDS] = {};
  if (rows <= 0)
    return 0;
  BoxSums last = load_pair_sums (from + BLURRED_STRIDE); /* of one row */
  BoxSums upper = add_rows (load_pair_sums (from), last);
  from += 2 * BLURRED_STRIDE;
#pragma unroll 3
  for (int y = 0; y < rows; y++, from += BLURRED_STRIDE) {
    const BoxSums next = load_pair_sums (from), lower = add_rows (last, next);
    auto add_pixels = [] (Half2 *found, Half2 upper_left, Half2 upper_right, Half2 lower_left, Half2 lower_right) {
      *found = h2_max_abs (*found, h2_sub (lower_right, upper_left));
      *found = h2_max_abs (*found, h2_sub (upper_right, lower_left));
    };
#pragma unroll
    for (int i = 0; i < BOX_WORDS; i++) {
      const Half2 upper_next = __byte_perm (upper.even[i], upper.even[i + 1], 0x5432);
      const Half2 lower_next = __byte_perm (lower.even[i], lower.even[i + 1], 0x5432);
      add_pixels (&found_even[i], upper.even[i], upper.odd[i], lower.even[i], lower.odd[i]);
      add_pixels (&found_odd[i], upper.odd[i], upper_next, lower.odd[i], lower_next);
    }
    last = next;
    upper = lower;
  }
  if (tile_x + CANNY_W <= (int) f.width) {
    const Half2 found = h2_max_abs (h2_max_abs (h2_max_abs (found_even[0], found_even[1]), found_odd[0]), found_odd[1]);
    return 2 * max (found & 0xffff, found >> 16);
  }
  uint32_t greatest = 0;
#pragma unroll
  for (int i = 0; i < 2 * BOX_WORDS; i++) { /* Pairs of pixels: an even one and the odd one on its right. */
    const int half = 16 * (i % 2);
    if (x + 2 * i < (int) f.width)
      greatest = max (greatest, found_even[i / 2] >> half & 0xffff);
    if (x + 2 * i + 1 < (int) f.width)
      greatest = max (greatest, found_odd[i / 2] >> half & 0xffff);
  }
  return 2 * greatest;
}

} // namespace

#endif
