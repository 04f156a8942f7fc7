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

/* A thread's share of these, in a CTA of WARPS warps, each of which has some rows of pixels. All loads are under way at once. */
template <int WARPS> struct TileShare {
  static constexpr uint32_t ROWS = VERTEX_TILE / WARPS;
  uint32_t own[ROWS], edge; /* EDGE: a pixel above the first row, or left of the first column */

  /* LOAD (x, y) has the level index of a pixel of the image, or outside of it 0. The tile's first vertex is at (LEFT, TOP). */
  template <typename Load>
  __device__
  TileShare (uint32_t left, uint32_t top, Load load)
      : edge (0)
  {
    static_assert (WARPS > 2, "a warp for each edge, and one for the pixel between them");
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (uint32_t k = 0; k < ROWS; k++)
      own[k] = load (left + lane, top + warp * ROWS + k);
    if (has_edge ())
      edge = load (left + edge_x () - 1, top + edge_y () - 1);
  }

  template <typename Index>
  __device__ void
  store (TileLevels<Index> &levels) const
  {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (uint32_t k = 0; k < ROWS; k++)
      levels.at[warp * ROWS + k + 1][lane + 1] = own[k];
    if (has_edge ())
      levels.at[edge_y ()][edge_x ()] = edge;
  }

private:
  static __device__ bool
  has_edge ()
  {
    return threadIdx.x <= 2 * 32;
  }

  static __device__ uint32_t
  edge_x ()
  {
    return threadIdx.x < 32 ? threadIdx.x + 1 : 0;
  }

  static __device__ uint32_t
  edge_y ()
  {
    return threadIdx.x / 32 == 1 ? threadIdx.x % 32 + 1 : 0;
  }
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
    const Sorted sorted (*this);
    const uint32_t *v = sorted.v;
    for (int i = 0; i < 4; i++) {
      const uint32_t m = mask (v[i], true);
      if (v[i] && (i == 0 || v[i] != v[i - 1]) && turns_at (m))
        corner (v[i], m);
    }
  }

  /* The level indices in ascending order. But for CTR_LEVELS_EQUAL, each level above V[0] up to V[1], and above V[2] up to V[3], has one
   * corner. Each one above V[1] up to V[2] has two if the pixels of one diagonal are foreground there, else none. */
  struct Sorted {
    uint32_t v[4];
    bool has_two;

    __device__
    Sorted (const Around &a)
    {
      const uint32_t *r = a.level_indices;
      const uint32_t least_a = min (r[0], r[3]), most_a = max (r[0], r[3]), least_b = min (r[1], r[2]),
                     most_b = max (r[1], r[2]);
      const uint32_t most_of_least = max (least_a, least_b), least_of_most = min (most_a, most_b);
      v[0] = min (least_a, least_b);
      v[1] = min (most_of_least, least_of_most);
      v[2] = max (most_of_least, least_of_most);
      v[3] = max (most_a, most_b);
      has_two = most_of_least > least_of_most;
    }

    /* The corners of levels up to V[2]. */
    __device__ uint32_t
    corners_below () const
    {
      return v[1] - v[0] + (has_two ? 2 * (v[2] - v[1]) : 0);
    }
  };

  /* The number of corners, found without going through the levels. */
  __device__ uint32_t
  count_corners (bool equal) const
  {
    if (equal) {
      uint32_t count = 0;
      each_equal ([&] (uint32_t, uint32_t m) { count += corners_of (m); });
      return count;
    }
    const Sorted sorted (*this);
    return sorted.corners_below () + sorted.v[3] - sorted.v[2];
  }

  /* The corners of levels below this one, whose lines turn here. */
  __device__ uint32_t
  corners_before (uint32_t level_index, bool equal) const
  {
    if (equal) {
      uint32_t before = 0;
      each_equal ([&] (uint32_t other, uint32_t m) { before += other < level_index ? corners_of (m) : 0; });
      return before;
    }
    const Sorted sorted (*this);
    const uint32_t *v = sorted.v;
    const uint32_t first = level_index <= v[1] ? level_index - v[0] : v[1] - v[0] + 2 * (level_index - v[1]) - 1;
    return (level_index > v[2] ? sorted.corners_below () + level_index - v[2] : first) - 1;
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
      const Sorted sorted (*this);
      const uint32_t *v = sorted.v, low = v[1] - v[0], below = sorted.corners_below (), turns = n - low;
      first = n;
      if (n < low) {
        *level_index = v[0] + 1 + n;
      } else if (n < below) {
        *level_index = v[1] + 1 + turns / 2;
        first = n - turns % 2;
      } else {
        *level_index = v[2] + 1 + n - below;
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
