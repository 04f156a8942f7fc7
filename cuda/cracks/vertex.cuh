/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the level indices around a vertex, and on both sides of a crack, tell: which lines turn, and which pass. */
#ifndef CTR_CUDA_CRACKS_VERTEX_CUH
#define CTR_CUDA_CRACKS_VERTEX_CUH

#include "cuda/cracks/device_state.cuh"

#include <type_traits>

namespace
{

constexpr uint32_t MASK_ACROSS = 6, MASK_ALONG = 9; /* opposite pixels: two lines turn */

__device__ inline uint32_t
corners_of (uint32_t mask)
{
  return mask == MASK_ACROSS || mask == MASK_ALONG ? 2 : 1;
}

/* Does a line turn that meets these pixels? */
__device__ inline bool
turns_at (uint32_t mask)
{
  return !(1u << mask & (1u << 0 | 1u << 15 | 1u << 3 | 1u << 12 | 1u << 5 | 1u << 10));
}

template <bool LABELS>
__device__ inline bool
by_equal (const CracksKernelArgs &f)
{
  return LABELS || f.equal;
}

template <bool LABELS>
__device__ inline uint32_t
index_at (const CracksKernelArgs &f, int x, int y)
{
  return LABELS ? label_at (f, x, y) : level_index_at (f, x, y);
}

template <bool LABELS>
__device__ inline auto
pixels_of (const CracksKernelArgs &f)
{
  if constexpr (LABELS)
    return (const uint32_t *) f.label_by_pixel;
  else
    return (const uint16_t *) f.by_pixel.level_index;
}

/* Level indices of the pixels around a tile's vertices. Row 0 and column 0 are above and left of the first vertex. */
template <typename Index> struct TileLevels {
  Index at[VERTEX_TILE + 1][VERTEX_TILE + 1];
};

enum { LEFT_SIDE, TOP_SIDE, RIGHT_SIDE, BOTTOM_SIDE, SIDES };

/* The pixels on both sides of the crack at POSITION of a side of a tile: above and below, or left and right of it. */
template <typename Index>
__device__ inline uint2
pixels_at_side (const TileLevels<Index> &t, uint32_t side, uint32_t position)
{
  const uint32_t line = side == RIGHT_SIDE || side == BOTTOM_SIDE ? VERTEX_TILE : 0;
  return side == LEFT_SIDE || side == RIGHT_SIDE ? uint2{t.at[position][line], t.at[position + 1][line]}
                                                 : uint2{t.at[line][position], t.at[line][position + 1]};
}

/* Are the corners of a tile with so many of them, and so many passages on all sides, joined to segments in shared memory? */
__device__ inline bool
is_tile_joined (const CracksKernelArgs &f, uint32_t corners, uint32_t passages)
{
  return corners <= f.tile_nodes && passages <= MOST_TILE_PASSAGES;
}

template <bool LABELS> using TileOf = TileLevels<std::conditional_t<LABELS, uint32_t, uint16_t>>;

/* The level indices around a vertex: upper left, upper right, lower left, lower right. */
struct Around {
  uint32_t level_indices[4];

  template <typename Index>
  __device__
  Around (const TileLevels<Index> &t, uint32_t x, uint32_t y)
      : level_indices{t.at[y][x], t.at[y][x + 1], t.at[y + 1][x], t.at[y + 1][x + 1]}
  {
  }

  /* Of vertex (X, Y) of the image. */
  template <bool LABELS>
  static __device__ Around
  vertex (const CracksKernelArgs &f, int x, int y)
  {
    return Around (index_at<LABELS> (f, x - 1, y - 1), index_at<LABELS> (f, x, y - 1), index_at<LABELS> (f, x - 1, y),
        index_at<LABELS> (f, x, y));
  }

  /* Which of the four pixels are foreground of a level: 8, 4, 2, 1. */
  __device__ uint32_t
  mask (uint32_t level_index, bool equal) const
  {
    uint32_t m = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
      m |= (equal ? level_indices[i] == level_index : level_indices[i] >= level_index) ? 8 >> i : 0;
    return m;
  }

  /* Calls CORNER (level_index, mask) for every level, ascending, whose lines turn here. For CTR_LEVELS_EQUAL. */
  template <typename Corner>
  __device__ void
  each_equal (Corner corner) const
  {
    uint32_t v[4];
    sort (v);
    for (int i = 0; i < 4; i++) {
      const uint32_t m = mask (v[i], true);
      if (v[i] && (i == 0 || v[i] != v[i - 1]) && turns_at (m))
        corner (v[i], m);
    }
  }

  /* Ascending. */
  __device__ void
  sort (uint32_t *v) const
  {
    auto order = [&] (int a, int b) {
      const uint32_t low = min (v[a], v[b]);
      v[b] = max (v[a], v[b]);
      v[a] = low;
    };
    for (int i = 0; i < 4; i++)
      v[i] = level_indices[i];
    order (0, 1);
    order (2, 3);
    order (0, 2);
    order (1, 3);
    order (1, 2);
  }

  /* The number of corners, found without going through the levels. */
  __device__ uint32_t
  count_corners (bool equal) const
  {
    uint32_t count = 0;
    if (equal) {
      each_equal ([&] (uint32_t, uint32_t m) { count += corners_of (m); });
      return count;
    }
    const uint32_t *r = level_indices;
    const uint32_t low = min (min (r[0], r[1]), min (r[2], r[3])), high = max (max (r[0], r[1]), max (r[2], r[3]));
    /* The diagonals: levels between them have both pixels of one as foreground, and two corners. */
    const uint32_t least_a = min (r[0], r[3]), most_a = max (r[0], r[3]), least_b = min (r[1], r[2]),
                   most_b = max (r[1], r[2]);
    const uint32_t between = least_a > most_b ? least_a - most_b : least_b > most_a ? least_b - most_a : 0;
    /* The second and third of the four level indices in ascending order. */
    const uint32_t second = min (max (least_a, least_b), min (most_a, most_b)),
                   third = max (max (least_a, least_b), min (most_a, most_b));
    return (second - low) + (high - third) + 2 * between;
  }

  /* The corners of levels below this one, whose lines turn here. */
  __device__ uint32_t
  corners_before (uint32_t level_index, bool equal) const
  {
    uint32_t before = 0;
    if (equal) {
      each_equal ([&] (uint32_t other, uint32_t m) { before += other < level_index ? corners_of (m) : 0; });
      return before;
    }
    uint32_t v[4];
    sort (v);
    if (level_index <= v[1])
      return level_index - v[0] - 1;
    if (level_index > v[2]) /* The last levels have one corner each. */
      return count_corners (false) - 1 - (v[3] - level_index);
    return v[1] - v[0] + 2 * (level_index - v[1] - 1);
  }

  /* The Nth corner, in the order of levels. Where two lines turn, the one with the western arm comes first. Sets
   * *LEVEL_INDEX. Returns the mask of the corner's line. */
  __device__ uint32_t
  find_corner (uint32_t n, bool equal, bool four_connected, uint32_t *level_index) const
  {
    uint32_t first = 0, m = 0; /* of the corners of one level */
    if (equal) {
      uint32_t before = 0;
      each_equal ([&] (uint32_t r, uint32_t own) {
        if (before <= n) {
          first = before;
          *level_index = r;
          m = own;
        }
        before += corners_of (own);
      });
    } else {
      uint32_t v[4];
      sort (v);
      const uint32_t low = v[1] - v[0], two = corners_of (mask (v[2], false)), turns = n - low;
      if (n < low) {
        *level_index = v[0] + 1 + n;
        first = n;
      } else if (two == 2 && turns < 2 * (v[2] - v[1])) {
        *level_index = v[1] + 1 + turns / 2;
        first = low + turns / 2 * 2;
      } else {
        *level_index = v[3] - (count_corners (false) - 1 - n); /* The last levels have one corner each. */
        first = n;
      }
      m = mask (*level_index, false);
    }
    const bool second = n != first;
    if (m == MASK_ACROSS)
      return second ? (four_connected ? 4 : 14) : four_connected ? 2 : 7;
    if (m == MASK_ALONG)
      return second ? (four_connected ? 1 : 11) : four_connected ? 8 : 13;
    return m;
  }

private:
  __device__
  Around (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
      : level_indices{a, b, c, d}
  {
  }
};

/* The levels whose lines pass between two pixels with these level indices: how many. */
__device__ inline uint32_t
crossings_between (uint32_t a, uint32_t b, bool equal)
{
  if (equal)
    return a == b ? 0 : (a != 0) + (b != 0);
  return max (a, b) - min (a, b);
}

/* How many of these levels are below LEVEL_INDEX, which is one of them. */
__device__ inline uint32_t
crossings_before (uint32_t a, uint32_t b, uint32_t level_index, bool equal)
{
  const uint32_t low = min (a, b);
  if (equal)
    return low != 0 && low != level_index;
  return level_index - low - 1;
}

/* The Nth of these levels. */
__device__ inline uint32_t
crossing_level (uint32_t a, uint32_t b, uint32_t n, bool equal)
{
  const uint32_t low = min (a, b);
  if (equal)
    return n == 0 && low != 0 ? low : max (a, b);
  return low + 1 + n;
}

} // namespace

#endif
