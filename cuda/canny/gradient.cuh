/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gradient and non-maximum suppression of Canny: from the blurred tile to bits for its candidates and for those of them
 * that are strong.
 *
 * This is the usual case, aperture 3 and |dx| + |dy|; sobel_tile.cuh has the others. It works on pairs of pixels in 16-bit
 * floating point. All values are exact: integers are up to 2048. A warp goes down its rows, a lane holding eight columns.
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

/* The direction test. The gradient is horizontal if 32768 |dy| < 13573 |dx|, and vertical if 32768 |dy| > (13573 + 65536) |dx|. With
 * P and Q, which are below, and m, the greater one of |P| and |Q|, it is neither of them but diagonal if |P| + |Q| < (1 + c) m, where
 * c = 13573 / 32768 = 53 / 128 + 5 / 32768; otherwise it is vertical if P and Q differ in their signs. For the gradients that bytes have
 * this is the same: the ratio of the lesser to the greater one of |P| and |Q| has three limits in all of this, but none lies between
 * two of them. Rounding of the first product cannot change the sign: where the sign depends on the second product, the first is
 * exact, a multiple of 1/128 below 16. */
constexpr uint32_t H2_181_128 = 0x3da8, H2_5_32768 = 0x0900, H2_MINUS = 0x8000;

constexpr Half2 H2_1024 = 0x64006400;

/* The number N, at most 1023, in both halves: it is what the last bits of 1024 + N are. */
__device__ inline Half2
h2_of_integer (uint32_t n)
{
  return h2_sub (h2_broadcast (n) + H2_1024, H2_1024);
}

/* A word for each pair of a lane, and for those left and right of them: columns -1 and 3, 0 and 4, .. 4 and 8. */
struct PairsOfRow {
  Half2 at[PAIRS + 2];
};

__device__ inline uint32_t
select_bits (uint32_t mask, uint32_t where_set, uint32_t elsewhere)
{
  return (where_set & mask) | (elsewhere & ~mask);
}

/* Signs of four words, a byte a pixel: 255 where it is set. */
struct Signs {
  uint32_t first, second; /* of columns 0, 4, 1, 5 and of 2, 6, 3, 7 */
};

__device__ inline Signs
signs_of (const uint32_t words[PAIRS])
{
  return {h2_signs (words[0], words[1]), h2_signs (words[2], words[3])};
}

/* Packs them into the lowest eight bits. Bytes of 255 are -1 there, and so are the weights negative. As arguments of the kernel these are
 * at hand; constants would take an instruction each time. */
__device__ inline uint32_t
pack_signs (const CannyKernelArgs &f, const Signs &signs)
{
  return __dp4a (signs.second, f.sign_weights[1], __dp4a (signs.first, f.sign_weights[0], 0u));
}

/* The maximum tests of a row's pixels as far as they do not need the row below. */
struct PartialMaxima {
  Signs diagonal;      /* The gradient is diagonal, */
  Signs vertical;      /* or vertical, if it is not. */
  Signs on_diagonal;   /* The pixel is larger than the one above on its diagonal, */
  Signs straight;      /* or on a vertical line, or it is a maximum on a horizontal one. */
  Half2 rising[PAIRS]; /* The gradient of a diagonal one is from lower left to upper right: all bits of a half. */
};

/* A sample S becomes the number 1024 + S in odd columns, and 1024 + 255 - S in even ones: its bits are among those of either number, so
 * that samples need no conversion, and their sum is a difference. FROM: four columns before the lane's first. */
__device__ inline PairsOfRow
load_row (const uint8_t *from)
{
  const uint2 first = *(const uint2 *) from, second = *(const uint2 *) (from + 8);
  const uint32_t low = __byte_perm (first.y, second.x, 0x5410), high = __byte_perm (first.y, second.x, 0x7632);
  PairsOfRow r;
  constexpr uint32_t bytes = 0x00ff00ff;
  const uint32_t bytes_of_1279 = keep_in_register (H2_1024 | bytes);
  r.at[1] = logic<(LOGIC_A & LOGIC_B) ^ LOGIC_C> (low, bytes, bytes_of_1279);
  r.at[2] = __byte_perm (low, bytes_of_1279, 0x5351);
  r.at[3] = logic<(LOGIC_A & LOGIC_B) ^ LOGIC_C> (high, bytes, bytes_of_1279);
  r.at[4] = __byte_perm (high, bytes_of_1279, 0x5351);
  r.at[0] = __byte_perm (r.at[4], first.x, 0x1017);
  r.at[5] = __byte_perm (r.at[1], ~second.y, 0x1412);
  return r;
}

/* Sums of the samples at columns X - 1 and X, for X = 0 to 4, in one row or in two, all less 255 or 510, which differences are without.
 * The sums of 2 x 2 samples make gradients cheap: half of dx + dy is the difference P of those at the lower right and the upper left
 * of a pixel, half of dx - dy the difference Q of those at the upper right and the lower left. Half of |dx| + |dy| is the greater one
 * of |P| and |Q|, so that the whole one is even, and dx and dy have the same sign if it is |P|. */
struct BoxesOfRow {
  Half2 at[PAIRS + 1];
};

__device__ inline BoxesOfRow
sum_pairs (const PairsOfRow &row)
{
  BoxesOfRow sums;
#pragma unroll
  for (int i = 0; i <= PAIRS; i++)
    sums.at[i] = i % 2 ? h2_sub (row.at[i + 1], row.at[i]) : h2_sub (row.at[i], row.at[i + 1]);
  return sums;
}

__device__ inline BoxesOfRow
add_boxes (const BoxesOfRow &a, const BoxesOfRow &b)
{
  BoxesOfRow sums;
#pragma unroll
  for (int i = 0; i <= PAIRS; i++)
    sums.at[i] = h2_add (a.at[i], b.at[i]);
  return sums;
}

/* In which pixels of ROW is the magnitude larger than ABOVE? */
__device__ inline Signs
find_larger (const PairsOfRow &above, const PairsOfRow &row)
{
  uint32_t words[PAIRS];
#pragma unroll
  for (int i = 0; i < PAIRS; i++)
    words[i] = h2_sub (above.at[i + 1], row.at[i + 1]);
  return signs_of (words);
}

/* Of the magnitudes in ROW, below those in ABOVE. UP: find_larger(). */
__device__ inline PartialMaxima
find_partial_maxima (
    const PairsOfRow &above, const PairsOfRow &row, const Signs &up, const Half2 p[PAIRS], const Half2 q[PAIRS])
{
  PartialMaxima half;
  uint32_t diagonal[PAIRS], vertical[PAIRS], on_diagonal[PAIRS], on_row[PAIRS], left[PAIRS + 1];
#pragma unroll
  for (int i = 0; i <= PAIRS; i++)
    left[i] = h2_sub (row.at[i], row.at[i + 1]); /* negative: larger than the one on its left */
#pragma unroll
  for (int i = 0; i < PAIRS; i++) {
    const Half2 both = h2_add (h2_abs (p[i]), h2_abs (q[i])), m = row.at[i + 1];
    diagonal[i] =
        h2_fma (m, h2_broadcast (H2_MINUS | H2_5_32768), h2_fma (m, h2_broadcast (H2_MINUS | H2_181_128), both));
    vertical[i] = h2_fma (p[i], q[i], 0);
    half.rising[i] = h2_less (h2_abs (p[i]), h2_abs (q[i]));
    on_diagonal[i] = h2_sub (select_bits (half.rising[i], above.at[i + 2], above.at[i]), m);
    on_row[i] = left[i] & ~left[i + 1];
  }
  half.diagonal = signs_of (diagonal);
  half.vertical = signs_of (vertical);
  half.on_diagonal = signs_of (on_diagonal);
  half.straight = signs_of (on_row);
  half.straight.first = select_bits (half.vertical.first, up.first, half.straight.first);
  half.straight.second = select_bits (half.vertical.second, up.second, half.straight.second);
  return half;
}

/* Which of the pixels in ROW, of which HALF is known, are maxima. BELOW: the row below. LARGER: find_larger() of it. */
__device__ inline Signs
complete_maxima (const PartialMaxima &half, const PairsOfRow &row, const PairsOfRow &below, const Signs &larger)
{
  uint32_t words[PAIRS];
#pragma unroll
  for (int i = 0; i < PAIRS; i++)
    words[i] = h2_sub (select_bits (half.rising[i], below.at[i], below.at[i + 2]), row.at[i + 1]);
  const Signs on_diagonal = signs_of (words);
  auto complete = [] (uint32_t diagonal, uint32_t before, uint32_t behind, uint32_t straight, uint32_t vertical,
                      uint32_t less) {
    return logic<(LOGIC_A & LOGIC_B) | (~LOGIC_A & LOGIC_C)> (
        diagonal, before & behind, logic<LOGIC_A & ~(LOGIC_B & LOGIC_C)> (straight, vertical, less));
  };
  return {complete (half.diagonal.first, half.on_diagonal.first, on_diagonal.first, half.straight.first,
              half.vertical.first, larger.first),
      complete (half.diagonal.second, half.on_diagonal.second, on_diagonal.second, half.straight.second,
          half.vertical.second, larger.second)};
}

/* Half of the magnitudes left and right of the tile, which no lane goes down, in both halves, of the rows from FIRST - 1 to END on:
 * lane I has that on the left of the I-th of them, lane 31 - I that on the right. */
constexpr int BESIDE_ROWS = 16;

template <int STRIDE>
__device__ inline Half2
find_beside (
    const CannyKernelArgs &f, bool at_image_border, const uint8_t *from, int tile_x, int tile_y, int first, int end)
{
  static_assert (BLURRED_LEFT == 4 && STRIDE % 8 == 0,
      "three samples in eight aligned ones: from the third on, on the right from the fourth on");
  const int lane = threadIdx.x % 32, row = min (lane < BESIDE_ROWS ? lane : 31 - lane, end - first + 1);
  const bool on_right = lane >= BESIDE_ROWS;
  const uint8_t *at = from + row * STRIDE + (on_right ? CANNY_W : 0);
  uint32_t samples[3]; /* three, and one that does not count, in each row */
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const uint2 words = *(const uint2 *) (at + i * STRIDE);
    samples[i] = __byte_perm (words.x, words.y, on_right ? 0x0543 : 0x0432);
  }
  constexpr uint32_t across = 0x000100ff, across_twice = 0x000200fe, down = 0x00010201,
                     up = 0x00fffeff; /* signed bytes */
  const int dx =
      dot_bytes (samples[0], across, dot_bytes (samples[1], across_twice, dot_bytes (samples[2], across, 0)));
  const int dy = dot_bytes (samples[0], up, dot_bytes (samples[2], down, 0));
  int magnitude = abs (dx) + abs (dy);
  if (at_image_border) {
    const int x = on_right ? tile_x + CANNY_W : tile_x - 1, y = tile_y + first - 1 + row;
    magnitude = x >= 0 && x < (int) f.width && y >= 0 && y < (int) f.height ? magnitude : 0;
  }
  return h2_of_integer (magnitude / 2);
}

/* Which of the lane's columns are inside the image: bit 7 - I is for column I, bit 15 - I for column I + 4. */
__device__ inline uint32_t
columns_inside_image (const CannyKernelArgs &f, int tile_x)
{
  const int lane = threadIdx.x % 32, inside = min (max ((int) f.width - tile_x - 8 * lane, 0), 2 * PAIRS);
  auto leading = [] (int count) { return 0xf0u & ~(0xf0u >> count); };
  return leading (min (inside, PAIRS)) | leading (max (inside - PAIRS, 0)) << 8;
}

/* A warp clears rows FIRST .. END - 1 of candidates or strong ones. */
__device__ inline void
clear_bits (uint8_t *bits, int first, int end)
{
  static_assert (CANNY_W == 256 && BESIDE_ROWS <= 16, "two lanes for each row");
  const int lane = threadIdx.x % 32;
  if (lane < 2 * (end - first))
    ((uint4 *) (bits + first * 32))[lane] = make_uint4 (0, 0, 0, 0);
}

/* Finds the candidates of rows FIRST .. END - 1 of the tile, by one warp, and, in STRONG, which magnitudes are above HIGH, at
 * least those of candidates. BLURRED begins two rows above the tile, its rows STRIDE bytes apart. AT_IMAGE_BORDER and LEAVES_IMAGE: of
 * TilePlace.
 *
 * All magnitudes are halves. Those that are not above LOW are replaced by it, so that no such pixel is greater than another one. */
template <int STRIDE>
__device__ inline void
find_candidates (const CannyKernelArgs &f, bool at_image_border, bool leaves_image, const uint8_t *blurred, int tile_x,
    int tile_y, int first, int end, int low, int high, uint8_t *candidates, uint8_t *strong)
{
  const int lane = threadIdx.x % 32, rows = end - first;
  const Half2 low2 = h2_of_integer (min (low, 2047) >> 1), high2 = h2_of_integer (min (high, 2047) >> 1);
  static_assert (BLURRED_LEFT == 4, "a lane's columns are in two aligned words, with those beside them in four");
  const uint8_t *from = blurred + first * STRIDE + 8 * lane;
  Half2 beside =
      h2_max_abs (low2, find_beside<STRIDE> (f, at_image_border, blurred + first * STRIDE, tile_x, tile_y, first, end));
  /* Lanes 0 and 31 have those of the row that comes next. */
  const uint32_t next_beside = keep_in_register (lane < BESIDE_ROWS ? lane + 1 : lane - 1);
  const uint32_t columns_inside = leaves_image ? keep_in_register (columns_inside_image (f, tile_x)) : 0;
  BoxesOfRow samples = sum_pairs (load_row (from + STRIDE)), upper = add_boxes (sum_pairs (load_row (from)), samples);
  from += 2 * STRIDE;

  /* Goes down to the next row, ROW. */
  auto find_magnitudes = [&] (int row, Half2 *p, Half2 *q) {
    const BoxesOfRow next = sum_pairs (load_row (from)), lower = add_boxes (samples, next);
    PairsOfRow now;
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
      p[i] = h2_sub (lower.at[i + 1], upper.at[i]);
      q[i] = h2_sub (upper.at[i + 1], lower.at[i]);
      now.at[i + 1] = h2_max_abs (h2_max_abs (low2, p[i]), q[i]);
    }
    samples = next;
    upper = lower;
    from += STRIDE;
    if (leaves_image) { /* Beyond it the magnitude is 0, which is not above LOW. */
      const uint32_t inside = (uint32_t) (tile_y + first + row) < f.height ? columns_inside : 0;
#pragma unroll
      for (int i = 0; i < PAIRS; i++)
        now.at[i + 1] = select_bits (h2_of_signs (inside << i), now.at[i + 1], low2);
    }
    now.at[0] = __byte_perm (of_lane_before (now.at[PAIRS], beside), now.at[PAIRS], 0x5432);
    now.at[PAIRS + 1] = __byte_perm (now.at[1], of_lane_behind (now.at[1], beside), 0x5432);
    beside = __shfl_sync (~0u, beside, next_beside);
    return now;
  };

  Half2 p[PAIRS], q[PAIRS];
  PairsOfRow last = find_magnitudes (-1, p, q), now = find_magnitudes (0, p, q);
  Signs up = find_larger (last, now);
  clear_bits (candidates, first, end);
  clear_bits (strong, first, end);
  __syncwarp ();
  const ptrdiff_t to_strong = strong - candidates;
  candidates += first * 32 + lane;
  /* A warp has 3 rows of a low tile, and 12 of a tall one. */
#pragma unroll 3
  for (int row = 0; row < rows; row++, candidates += 32) {
    const Half2 any_of_lane = now.at[1] | now.at[2] | now.at[3] | now.at[4];
    const bool is_active = __any_sync (~0u, any_of_lane != low2); /* Has any lane a magnitude above LOW? */
    PartialMaxima half = any_value<PartialMaxima> ();
    if (is_active)
      half = find_partial_maxima (last, now, up, p, q);
    last = now;
    now = find_magnitudes (row + 1, p, q);
    up = find_larger (last, now);
    if (is_active) {
      *candidates = pack_signs (f, complete_maxima (half, last, now, up));
      uint32_t words[PAIRS];
#pragma unroll
      for (int i = 0; i < PAIRS; i++)
        words[i] = h2_sub (high2, last.at[i + 1]);
      candidates[to_strong] = pack_signs (f, signs_of (words));
    }
  }
}

} // namespace

#endif
