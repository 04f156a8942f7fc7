/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gradient and non-maximum suppression of Canny: from the blurred tile to bits for its candidates and for those of them
 * that are strong.
 *
 * This is the usual case, aperture 3 and |dx| + |dy|; sobel_tile.cuh has the others. It works on pairs of pixels in 16-bit floating point. All values there are
 * exact: a sum of absolute values is at most 2040, and integers are exact up to 2048. A warp goes down its rows, a lane
 * holding eight columns. All decisions are signs of differences, combined as bits of words. */
#ifndef CTR_CUDA_CANNY_GRADIENT_CUH
#define CTR_CUDA_CANNY_GRADIENT_CUH

#include "cuda/canny/blur.cuh"

namespace
{

__device__ inline Half2
h2_broadcast (uint32_t half)
{
  return half << 16 | half;
}

/* An integer up to 2048 in both halves. */
__device__ inline Half2
h2_integer (uint32_t value)
{
  if (value == 0)
    return 0;
  const uint32_t exponent = 31 - __clz (value);
  return h2_broadcast ((exponent + 15) << 10 | (exponent > 10 ? 0 : (value << (10 - exponent) & 1023)));
}

constexpr int PAIRS = 4; /* of pixels in a lane */

/* The direction test, with x = |dx| and y = |dy|: the gradient is horizontal if 32768 y < 13573 x, and vertical if
 * 32768 y > (13573 + 65536) x. With the magnitude m = x + y, these are m < (1 + c) x and m > (3 + c) x, where
 * c = 13573 / 32768 = 53 / 128 + 5 / 32768. Both sides are equal for m = 0 only. Rounding of the first product cannot
 * change the sign: where the sign depends on the second product, the first is exact, a multiple of 1/128 below 16. */
constexpr uint32_t H2_181_128 = 0x3da8, H2_437_128 = 0x42d4, H2_5_32768 = 0x0900, H2_MINUS = 0x8000;
constexpr uint32_t H2_TWO = 0x4000, H2_MINUS_1024 = 0xe400;

/* A lane's magnitudes in one row. */
struct GradientRow {
  Half2 odd[PAIRS + 1]; /* of columns -1 and 0, 1 and 2, .. 7 and 8 */
  Half2 even[PAIRS];    /* of columns 0 and 1, .. 6 and 7 */
};

/* The maximum tests of a row's pixels as far as they do not need the row below: bits 15 and 31 of each word. */
struct PartialMaxima {
  uint32_t horizontal[PAIRS]; /* the pixel is a maximum along a horizontal gradient */
  uint32_t vertical[PAIRS];   /* the others hold if the row below agrees */
  uint32_t falling[PAIRS];    /* gradient from upper left to lower right */
  uint32_t rising[PAIRS];
};

/* Packs the eight signs of four words into bits. */
__device__ inline uint32_t
pack_signs (const uint32_t words[PAIRS])
{
  const uint32_t low = __byte_perm (words[0], words[1], 0x7531) & 0x80808080u;
  const uint32_t high = __byte_perm (words[2], words[3], 0x7531) & 0x80808080u;
  return __dp4a (high, 0x80402010u, __dp4a (low, 0x08040201u, 0u)) >> 7;
}

/* The horizontal half of the Sobel operator on a blurred row. */
struct SmoothedRow {
  Half2 across[PAIRS + 1]; /* right minus left neighbour */
  Half2 sums[PAIRS + 1];   /* left + 2 middle + right */
};

__device__ inline void
load_row (const uint8_t *row, SmoothedRow *r)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint2 first = *(const uint2 *) (row + 8 * lane), second = *(const uint2 *) (row + 8 * lane + 8);
  /* As a half, 0x6400 | byte is 1024 + byte. */
  Half2 z[PAIRS + 2];
  z[0] = __byte_perm (first.x, 0x64646464u, 0x4342);
  z[1] = __byte_perm (first.y, 0x64646464u, 0x4140);
  z[2] = __byte_perm (first.y, 0x64646464u, 0x4342);
  z[3] = __byte_perm (second.x, 0x64646464u, 0x4140);
  z[4] = __byte_perm (second.x, 0x64646464u, 0x4342);
  z[5] = __byte_perm (second.y, 0x64646464u, 0x4140);
#pragma unroll
  for (int i = 0; i < PAIRS + 2; i++)
    z[i] = h2_add (z[i], h2_broadcast (H2_MINUS_1024));
#pragma unroll
  for (int i = 0; i <= PAIRS; i++) {
    r->across[i] = h2_sub (z[i + 1], z[i]);
    r->sums[i] = h2_fma (__byte_perm (z[i], z[i + 1], 0x5432), h2_broadcast (H2_TWO), h2_add (z[i], z[i + 1]));
  }
}

/* Finds the candidates of rows FIRST .. END - 1 of the tile, by one warp. BLURRED begins two rows above the tile.
 * AT_IMAGE_BORDER: the tile or its surroundings reach beyond the image. */
__device__ inline void
find_candidates (const CannyKernelArgs &f, bool at_image_border, const uint8_t *blurred, int tile_x, int tile_y,
    int first, int end, int low, int high, uint8_t *candidates, uint8_t *strong)
{
  const int lane = threadIdx.x % 32;
  const Half2 low2 = h2_integer (min (low, 2047)), high2 = h2_integer (min (high, 2047));
  SmoothedRow above, middle, below;
  GradientRow last = {}; /* of the row above, whose candidates are next */
  PartialMaxima half = {};
  uint32_t up[PAIRS];
  const uint8_t *from = blurred + first * BLURRED_STRIDE;
  load_row (from, &above);
  load_row (from + BLURRED_STRIDE, &middle);
  from += 2 * BLURRED_STRIDE;
  bool last_is_active = false; /* Is the last row one of those, and does any lane have a magnitude above LOW there? */
#pragma unroll 2
  for (int y = first - 1; y <= end; y++, from += BLURRED_STRIDE) {
    load_row (from, &below);
    GradientRow now;
    Half2 dx[PAIRS + 1], dy[PAIRS + 1];
#pragma unroll
    for (int i = 0; i <= PAIRS; i++) {
      dx[i] = h2_add (h2_fma (middle.across[i], h2_broadcast (H2_TWO), above.across[i]), below.across[i]);
      dy[i] = h2_sub (below.sums[i], above.sums[i]);
      now.odd[i] = h2_add (h2_abs (dx[i]), h2_abs (dy[i]));
    }
    if (at_image_border) { /* Beyond it the magnitude is 0. */
      const bool row_inside = tile_y + y >= 0 && tile_y + y < (int) f.height;
#pragma unroll
      for (int i = 0; i <= PAIRS; i++) {
        const int x = tile_x + 8 * lane - 1 + 2 * i;
        if (!row_inside || x < 0 || x >= (int) f.width)
          now.odd[i] &= 0xffff0000u;
        if (!row_inside || x + 1 >= (int) f.width)
          now.odd[i] &= 0xffffu;
      }
    }
    uint32_t active = 0;
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      now.even[i] = __byte_perm (now.odd[i], now.odd[i + 1], 0x5432);
      active |= h2_sub (low2, now.even[i]);
    }
    const bool now_is_active = y >= first && y < end && __any_sync (~0u, active & 0x80008000u);
    if (now_is_active || last_is_active)
#pragma unroll
      for (int i = 0; i < PAIRS; i++)
        up[i] = h2_sub (last.even[i], now.even[i]); /* negative: larger than above */

    /* The tests of the row above are complete now. */
    if (y > first) {
      uint32_t found_bits = 0, more_bits = 0;
      if (last_is_active) {
        uint32_t found[PAIRS], more[PAIRS];
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
          const Half2 m = last.even[i];
          const uint32_t lower_left = h2_sub (now.odd[i], m), lower_right = h2_sub (now.odd[i + 1], m);
          found[i] = (half.horizontal[i] | (half.vertical[i] & ~up[i]) | (half.falling[i] & lower_right)
                         | (half.rising[i] & lower_left))
                     & h2_sub (low2, m);
          more[i] = found[i] & h2_sub (high2, m);
        }
        found_bits = pack_signs (found);
        more_bits = pack_signs (more);
      }
      candidates[(y - 1) * 32 + lane] = found_bits;
      strong[(y - 1) * 32 + lane] = more_bits;
    }

    if (now_is_active)
#pragma unroll
      for (int i = 0; i < PAIRS; i++) {
        const Half2 x2 = __byte_perm (dx[i], dx[i + 1], 0x5432), y2 = __byte_perm (dy[i], dy[i + 1], 0x5432);
        const Half2 ax = h2_abs (x2), m = now.even[i];
        auto below_line = [&] (uint32_t slope) { /* m < (slope + 5 / 32768) ax */
          return h2_fma (ax, h2_broadcast (H2_MINUS | H2_5_32768), h2_fma (ax, h2_broadcast (H2_MINUS | slope), m));
        };
        const uint32_t horizontal = below_line (H2_181_128), not_vertical = below_line (H2_437_128);
        const uint32_t left = h2_sub (now.odd[i], m), right = h2_sub (m, now.odd[i + 1]);
        const uint32_t upper_left = h2_sub (last.odd[i], m), upper_right = h2_sub (last.odd[i + 1], m);
        const uint32_t diagonal = ~horizontal & not_vertical, opposite = x2 ^ y2;
        half.horizontal[i] = horizontal & left & ~right;
        half.vertical[i] = ~not_vertical & up[i];
        half.falling[i] = diagonal & ~opposite & upper_left;
        half.rising[i] = diagonal & opposite & upper_right;
      }
    last_is_active = now_is_active;
    last = now;
    above = middle;
    middle = below;
  }
}

} // namespace

#endif
