/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums along lines: past points that move or go, and along the whole polygon. */
#ifndef CTR_CUDA_SNAKE_LINE_SUMS_CUH
#define CTR_CUDA_SNAKE_LINE_SUMS_CUH

#include "cuda/snake/cluster.cuh"

/* Two consecutive edges, from A over M to B. A single edge has M = B. */
struct SnakeLine {
  CtrPoint a, m, b;
};

__device__ inline uint32_t
rows_between (CtrPoint a, CtrPoint b)
{
  return a.y < b.y ? b.y - a.y : a.y - b.y;
}

__device__ inline uint32_t
rows_of (const SnakeLine &l)
{
  return rows_between (l.a, l.m) + rows_between (l.m, l.b);
}

/* The term of row R in the sums along a line. Rows are counted from above, first those of the first edge, then those of
 * the second. */
template <bool WIDE>
__device__ inline CtrSnakeSums
row_term (const SnakeTable &t, const SnakeLine &l, uint32_t r)
{
  const uint32_t rows_a = rows_between (l.a, l.m);
  const bool second = r >= rows_a;
  const CtrPoint from = second ? l.m : l.a, to = second ? l.b : l.m;
  const bool down = from.y < to.y;
  const CtrPoint upper = down ? from : to, lower = down ? to : from;
  r -= second ? rows_a : 0;
  const CtrSnakeSums sums = sums_left_of<WIDE> (t, column_of (upper, lower, r), upper.y + (int32_t) r);
  return down ? sums : CtrSnakeSums{-sums.n, -sums.s1, 0 - sums.s2};
}

/* The pieces into which lines are cut, so that warps share them. */
struct SnakePieces {
  uint32_t rows;  /* of a piece, at most */
  uint32_t count; /* over all items */
};

/* Sums along VARIANTS lines of each of COUNT items. ROWS (k): the largest number of rows of item k's lines, NO_CHANGE:
 * the item has none. LINE (k, variant): the line. Afterwards item k has partial_sums[VARIANTS * offsets[k] ..], piece
 * by piece and, inside a piece, variant by variant. Ends in a barrier of the cluster if there are any pieces. */
template <bool WIDE, int VARIANTS, typename Rows, typename Line>
__device__ inline SnakePieces
cluster_sum_lines (const SnakeKernelArgs &f, const Snake &s, uint32_t count, Rows rows, Line line)
{
  SnakePieces pieces = {SNAKE_PIECE_ROWS, 0};
  /* There is room for at least one piece an item. */
  const uint32_t max_pieces = SNAKE_VARIANTS * f.capacity / VARIANTS;
  for (;; pieces.rows *= 4) {
    pieces.count = cta_scan (s, s.arrays.offsets, count, [&] (uint32_t k) {
      const uint32_t r = rows (k);
      return r == NO_CHANGE ? 0 : (r + pieces.rows - 1) / pieces.rows + (r == 0);
    });
    if (pieces.count <= max_pieces)
      break;
    __syncthreads ();
  }
  const uint32_t *offsets = s.arrays.offsets;
  const uint32_t all = pieces.count * VARIANTS;
#pragma unroll 1
  for (uint32_t w = cluster_warp (s); w * HALF_WARPS < all; w += cluster_warps (s)) {
    /* Most lines are short, so half a warp has a piece. */
    const uint32_t t = min (w * HALF_WARPS + lane_index () / HALF_WARP, all - 1), piece = t / VARIANTS;
    /* LOW becomes the last item that begins at this piece or before. It is not one without pieces. */
    uint32_t low = 0, high = count;
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (offsets[middle] <= piece)
        low = middle;
      else
        high = middle;
    }
    const SnakeLine l = line (low, (int) (t % VARIANTS));
    const uint32_t first = (piece - offsets[low]) * pieces.rows, end = min (rows_of (l), first + pieces.rows);
    CtrSnakeSums sums = {0, 0, 0};
#pragma unroll 2
    for (uint32_t r = first + lane_index () % HALF_WARP; r < end; r += HALF_WARP)
      sums = ctr_snake_sums_add (sums, row_term<WIDE> (f.table, l, r));
    __syncwarp ();
    sums = lanes_sum<!WIDE> (sums, HALF_WARP, pieces.rows <= SNAKE_PIECE_ROWS);
    if (lane_index () % HALF_WARP == 0 && w * HALF_WARPS + lane_index () / HALF_WARP < all)
      s.workspace.by_piece.partial_sums[t] = sums;
  }
  if (pieces.count > 0)
    cluster_barrier (s);
  return pieces;
}

/* The sums of one item, by a warp: lane v < VARIANTS returns those of variant v. */
template <int VARIANTS>
__device__ inline CtrSnakeSums
warp_item_sums (const Snake &s, uint32_t item)
{
  constexpr int GROUPS = 32 / VARIANTS;
  const uint32_t first = s.arrays.offsets[item], end = s.arrays.offsets[item + 1], lane = lane_index ();
  CtrSnakeSums sums = {0, 0, 0};
  if (lane < GROUPS * VARIANTS)
    for (uint32_t piece = first + lane / VARIANTS; piece < end; piece += GROUPS)
      sums = ctr_snake_sums_add (sums, s.workspace.by_piece.partial_sums[piece * VARIANTS + lane % VARIANTS]);
  CtrSnakeSums all = sums;
  for (int group = 1; group < GROUPS; group++)
    all = ctr_snake_sums_add (all, shuffled_down (sums, group * VARIANTS));
  return all;
}

/* Sums the whole polygon and finds its criterion. */
template <bool WIDE>
__device__ inline void
cluster_sum_polygon (const SnakeKernelArgs &f, Snake &s)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t count = s.count;
  const SnakePieces pieces = cluster_sum_lines<WIDE, 1> (
      f, s, count, [&] (uint32_t i) { return rows_between (points[i], points[ctr_snake_next (count, i)]); },
      [&] (uint32_t i, int) {
        const CtrPoint b = points[ctr_snake_next (count, i)];
        return SnakeLine{points[i], b, b};
      });
  CtrSnakeSums sums = {0, 0, 0};
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < pieces.count; i += blockDim.x)
    sums = ctr_snake_sums_add (sums, s.workspace.by_piece.partial_sums[i]);
  s.inside = cta_sum (s.scratch, sums);
  s.criterion = warp_criterion (f, s, s.inside);
  cluster_barrier (s); /* before the partial sums are overwritten */
}

#endif
