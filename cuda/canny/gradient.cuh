/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gradient and non-maximum suppression of Canny: from the blurred tile to bits for its candidates and for those of them
 * that are strong.
 *
 * This is the usual case, aperture 3 and |dx| + |dy|; sobel_tile.cuh has the others. It works on pairs of pixels in 16-bit
 * floating point. A number N is N / 2^24 there, so that its bits are those of the integer, and all values are exact: a sum of
 * absolute values is at most 2040, and integers are exact up to 2048. A warp goes down its rows, a lane holding eight columns.
 * A pair is of two columns that are four apart: then the pair to its left or right is another word, and no data moves. All
 * decisions are signs of differences, combined as bits of words. */
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

constexpr int PAIRS = 4; /* of pixels in a lane: columns 0 and 4, 1 and 5, 2 and 6, 3 and 7 */

/* The direction test, with x = |dx| and y = |dy|: the gradient is horizontal if 32768 y < 13573 x, and vertical if
 * 32768 y > (13573 + 65536) x. With the magnitude m = x + y, these are m < (1 + c) x and m > (3 + c) x, where
 * c = 13573 / 32768 = 53 / 128 + 5 / 32768. Both sides are equal for m = 0 only. Rounding of the first product cannot
 * change the sign: where the sign depends on the second product, the first is exact, a multiple of 1/128 below 16. Both sides
 * are multiplied by 2^14, which leaves room for these fractions; a difference that is rounded to 0 keeps its sign. */
constexpr uint32_t H2_SCALE = 0x7400, H2_181_128 = 0x75a8, H2_437_128 = 0x7ad4, H2_5_32768 = 0x4100;
constexpr uint32_t H2_TWO = 0x4000, H2_MINUS = 0x8000;

/* A word for each pair of a lane, and for those left and right of them: columns -1 and 3, 0 and 4, .. 4 and 8. */
struct PairsOfRow {
  Half2 at[PAIRS + 2];
};

/* Signs of four words, a byte a pixel: 255 where it is set. */
struct Signs {
  uint32_t first, second; /* of columns 0, 4, 1, 5 and of 2, 6, 3, 7 */
};

__device__ inline Signs
signs_of (const uint32_t words[PAIRS])
{
  return {h2_signs (words[0], words[1]), h2_signs (words[2], words[3])};
}

/* Packs them into the lowest eight bits. Bytes of 255 are -1 there, and so are the weights negative. */
__device__ inline uint32_t
pack_signs (const Signs &signs)
{
  return __dp4a (signs.second, 0x80f8c0fcu, __dp4a (signs.first, 0xe0fef0ffu, 0u));
}

/* The maximum tests of a row's pixels as far as they do not need the row below. */
struct PartialMaxima {
  Signs horizontal; /* the pixel is a maximum along a horizontal gradient */
  Signs vertical;   /* the others hold if the row below agrees */
  Signs falling;    /* gradient from upper left to lower right */
  Signs rising;
};

/* FROM: four columns before the lane's first. */
__device__ inline PairsOfRow
load_row (const uint8_t *from)
{
  const uint2 first = *(const uint2 *) from, second = *(const uint2 *) (from + 8);
  const uint32_t low = __byte_perm (first.y, second.x, 0x5410), high = __byte_perm (first.y, second.x, 0x7632);
  PairsOfRow r;
  r.at[1] = low & 0x00ff00ff;
  r.at[2] = __byte_perm (low, 0, 0x4341);
  r.at[3] = high & 0x00ff00ff;
  r.at[4] = __byte_perm (high, 0, 0x4341);
  r.at[0] = __byte_perm (r.at[4], first.x, 0x1017);
  r.at[5] = __byte_perm (r.at[1], second.y, 0x1412);
  return r;
}

/* The magnitudes left and right of the tile, which no lane goes down: lane I has that of the I-th of the rows from FIRST - 1 to
 * END on, on the left, lane BESIDE_ROWS + I that on the right, in both halves. */
constexpr int BESIDE_ROWS = 16;

template <int STRIDE>
__device__ inline Half2
find_beside (const CannyKernelArgs &f, const uint8_t *from, int tile_x, int tile_y, int first, int end)
{
  const int lane = threadIdx.x % 32, row = min (lane % BESIDE_ROWS, end - first + 1);
  const int column = lane < BESIDE_ROWS ? -1 : CANNY_W, x = tile_x + column, y = tile_y + first - 1 + row;
  const uint8_t *at = from + row * STRIDE + BLURRED_LEFT + column - 1;
  int dx = 0, dy = 0;
#pragma unroll
  for (int i = 0; i < 3; i++, at += STRIDE) {
    dx += (i == 1 ? 2 : 1) * (at[2] - at[0]);
    dy += (i - 1) * (at[0] + 2 * at[1] + at[2]);
  }
  const bool inside = x >= 0 && x < (int) f.width && y >= 0 && y < (int) f.height;
  return inside ? h2_broadcast (abs (dx) + abs (dy)) : 0;
}

/* Which of the lane's columns are inside the image: bit 7 - I is for column I, bit 15 - I for column I + 4. */
__device__ inline uint32_t
columns_inside_image (const CannyKernelArgs &f, int tile_x)
{
  const int lane = threadIdx.x % 32, inside = min (max ((int) f.width - tile_x - 8 * lane, 0), 2 * PAIRS);
  auto leading = [] (int count) { return 0xf0u & ~(0xf0u >> count); };
  return leading (min (inside, PAIRS)) | leading (max (inside - PAIRS, 0)) << 8;
}

/* Finds the candidates of rows FIRST .. END - 1 of the tile, by one warp. BLURRED begins two rows above the tile,
 * its rows STRIDE bytes apart. AT_IMAGE_BORDER: the tile or its surroundings reach beyond the image. */
template <int STRIDE>
__device__ inline void
find_candidates (const CannyKernelArgs &f, bool at_image_border, const uint8_t *blurred, int tile_x, int tile_y,
    int first, int end, int low, int high, uint8_t *candidates, uint8_t *strong)
{
  const int lane = threadIdx.x % 32;
  const Half2 low2 = h2_broadcast (min (low, 2047)), high2 = h2_broadcast (min (high, 2047));
  static_assert (BLURRED_LEFT == 4, "a lane's columns are in two aligned words, with those beside them in four");
  const uint8_t *from = blurred + first * STRIDE + 8 * lane;
  const Half2 beside = find_beside<STRIDE> (f, blurred + first * STRIDE, tile_x, tile_y, first, end);
  const int beside_lane = lane == 0 ? 0 : BESIDE_ROWS, rows = end - first;
  const uint32_t columns_inside = keep_in_register (columns_inside_image (f, tile_x));
  PairsOfRow above = load_row (from), middle = load_row (from + STRIDE);
  PairsOfRow last = {}; /* magnitudes of the row above, whose candidates are next */
  PartialMaxima half = {};
  Signs last_low = {};
  from += 2 * STRIDE;
  const ptrdiff_t to_strong = strong - candidates;
  candidates += first * 32 + lane;
  bool last_is_active = false; /* Is the last row one of those, and has any lane a magnitude above LOW there? */
#pragma unroll 2
  for (int row = -1; row <= rows; row++, from += STRIDE) {
    const PairsOfRow below = load_row (from);
    PairsOfRow across, down, now;
#pragma unroll
    for (int i = 0; i < PAIRS + 2; i++) {
      across.at[i] = h2_add (h2_fma (middle.at[i], h2_broadcast (H2_TWO), above.at[i]), below.at[i]);
      down.at[i] = h2_sub (below.at[i], above.at[i]);
    }
    Half2 dx[PAIRS], dy[PAIRS];
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      dx[i] = h2_sub (across.at[i + 2], across.at[i]);
      dy[i] = h2_fma (down.at[i + 1], h2_broadcast (H2_TWO), h2_add (down.at[i], down.at[i + 2]));
      now.at[i + 1] = h2_add (h2_abs (dx[i]), h2_abs (dy[i]));
    }
    if (at_image_border) { /* Beyond it the magnitude is 0. */
      const uint32_t inside = (uint32_t) (tile_y + first + row) < f.height ? columns_inside : 0;
#pragma unroll
      for (int i = 0; i < PAIRS; i++)
        now.at[i + 1] &= h2_of_signs (inside << i);
    }
    {
      const Half2 on_left = __shfl_up_sync (~0u, now.at[PAIRS], 1), on_right = __shfl_down_sync (~0u, now.at[1], 1);
      const Half2 of_tile = __shfl_sync (~0u, beside, beside_lane + row + 1);
      now.at[0] = __byte_perm (lane == 0 ? of_tile : on_left, now.at[PAIRS], 0x5432);
      now.at[PAIRS + 1] = __byte_perm (now.at[1], lane == 31 ? of_tile : on_right, 0x5432);
    }
    /* No magnitude is greater than 2047, so none is looked at in the rows beside those. */
    const Half2 low_of_row = (uint32_t) row < (uint32_t) rows ? low2 : h2_broadcast (2047);
    uint32_t words[PAIRS];
#pragma unroll
    for (int i = 0; i < PAIRS; i++)
      words[i] = h2_sub (low_of_row, now.at[i + 1]);
    const Signs now_low = signs_of (words);
    const bool now_is_active = __any_sync (~0u, now_low.first | now_low.second);
#pragma unroll
    for (int i = 0; i < PAIRS; i++)
      words[i] = h2_sub (last.at[i + 1], now.at[i + 1]);
    const Signs up = signs_of (words); /* larger than above */

    /* The tests of the row above are complete now. */
    if (row > 0) {
      uint32_t found_bits = 0, more_bits = 0;
      if (last_is_active) {
        uint32_t left_words[PAIRS], right_words[PAIRS];
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
          left_words[i] = h2_sub (now.at[i], last.at[i + 1]);
          right_words[i] = h2_sub (now.at[i + 2], last.at[i + 1]);
          words[i] = h2_sub (high2, last.at[i + 1]);
        }
        const Signs lower_left = signs_of (left_words), lower_right = signs_of (right_words),
                    above_high = signs_of (words);
        Signs found, more;
        found.first = (half.horizontal.first | (half.vertical.first & ~up.first)
                          | (half.falling.first & lower_right.first) | (half.rising.first & lower_left.first))
                      & last_low.first;
        found.second = (half.horizontal.second | (half.vertical.second & ~up.second)
                           | (half.falling.second & lower_right.second) | (half.rising.second & lower_left.second))
                       & last_low.second;
        more.first = found.first & above_high.first;
        more.second = found.second & above_high.second;
        found_bits = pack_signs (found);
        more_bits = pack_signs (more);
      }
      *candidates = found_bits;
      candidates[to_strong] = more_bits;
      candidates += 32;
    }

    if (now_is_active) {
      uint32_t horizontal[PAIRS], not_vertical[PAIRS], falling[PAIRS], rising[PAIRS], left[PAIRS + 1];
#pragma unroll
      for (int i = 0; i <= PAIRS; i++)
        left[i] = h2_sub (now.at[i], now.at[i + 1]); /* negative: larger than the one on its left */
#pragma unroll
      for (int i = 0; i < PAIRS; i++) {
        const Half2 x = h2_abs (dx[i]), m = h2_fma (now.at[i + 1], h2_broadcast (H2_SCALE), 0);
        auto below_line = [&] (uint32_t slope) { /* m < (slope + 5 / 32768) x */
          return h2_fma (x, h2_broadcast (H2_MINUS | H2_5_32768), h2_fma (x, h2_broadcast (H2_MINUS | slope), m));
        };
        horizontal[i] = below_line (H2_181_128);
        not_vertical[i] = below_line (H2_437_128);
        const uint32_t diagonal = ~horizontal[i] & not_vertical[i], opposite = dx[i] ^ dy[i];
        falling[i] = diagonal & (~opposite & h2_sub (last.at[i], now.at[i + 1]));
        rising[i] = diagonal & (opposite & h2_sub (last.at[i + 2], now.at[i + 1]));
        horizontal[i] &= left[i] & ~left[i + 1];
      }
      half.horizontal = signs_of (horizontal);
      half.vertical = signs_of (not_vertical);
      half.vertical.first = up.first & ~half.vertical.first;
      half.vertical.second = up.second & ~half.vertical.second;
      half.falling = signs_of (falling);
      half.rising = signs_of (rising);
    }
    last_is_active = now_is_active;
    last_low = now_low;
    last = now;
    above = middle;
    middle = below;
  }
}

} // namespace

#endif
