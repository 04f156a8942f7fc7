/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums along lines: past points that move or go, and along the whole polygon. */
#ifndef CTR_CUDA_SNAKE_LINE_SUMS_CUH
#define CTR_CUDA_SNAKE_LINE_SUMS_CUH

#include "cuda/snake/exchange.cuh"

constexpr uint32_t SNAKE_TOGETHER = 2; /* rows of a thread whose samples are on their way */

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

/* Sums rows FIRST, FIRST + STEP, .. above END along a line. Rows are counted from above, first those of the first edge,
 * then those of the second. The loads of several rows are on their way together. */
template <bool WIDE, uint32_t TOGETHER>
__device__ inline CtrSnakeSums
sum_rows (const SnakeTable &t, const SnakeLine &l, uint32_t first, uint32_t end, uint32_t step)
{
  const uint32_t rows_a = rows_between (l.a, l.m);
  int32_t n = 0; /* of at most 2 * 65535 / 4 rows */
  int64_t s1 = 0;
  uint64_t s2 = 0;
#pragma unroll 1
  for (uint32_t row = first; row < end; row += TOGETHER * step) {
    SnakeLoads<WIDE> loads[TOGETHER];
    int32_t columns[TOGETHER], signs[TOGETHER];
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      const uint32_t r = min (row + k * step, end - 1);
      const bool second = r >= rows_a;
      const CtrPoint from = second ? l.m : l.a, to = second ? l.b : l.m;
      const bool down = from.y < to.y;
      const CtrPoint upper = down ? from : to, lower = down ? to : from;
      const uint32_t below = r - (second ? rows_a : 0);
      signs[k] = row + k * step < end ? (down ? 1 : -1) : 0;
      columns[k] = column_of (upper, lower, below);
      loads[k] = load_sums<WIDE> (t, columns[k], upper.y + (int32_t) below);
    }
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      const typename SnakeDepth<WIDE>::RowSums own = sums_of<WIDE> (t, loads[k]);
      n += signs[k] * columns[k];
      s1 += signs[k] * (int64_t) own.s1;
      s2 += (uint64_t) (int64_t) signs[k] * own.s2;
    }
  }
  return {n, s1, s2};
}

/* The last of COUNT items that begins at N or before, where OFFSETS has the beginnings. It is not an empty one if N is
 * below the last end. */
__device__ inline uint32_t
last_begun (const uint32_t *offsets, uint32_t count, uint32_t n)
{
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (offsets[middle] <= n)
      low = middle;
    else
      high = middle;
  }
  return low;
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
  /* There is room for at least one piece an item. */
  const uint32_t max_pieces = SNAKE_VARIANTS * f.capacity / VARIANTS;
  const uint32_t half_warps = cluster_warps (s) * HALF_WARPS;
  SnakePieces pieces = {SNAKE_PIECE_ROWS, 0};
  for (bool first = true;; first = false) {
    pieces.count = cta_scan (s, s.arrays.offsets, count, [&] (uint32_t k) {
      const uint32_t r = rows (k);
      return r == NO_CHANGE ? 0 : (r + pieces.rows - 1) / pieces.rows + (r == 0);
    });
    /* Longer pieces take less time in all, if there are enough of them. */
    const uint32_t times = pieces.count > max_pieces ? 4 : first ? ctr_div_up (pieces.count * VARIANTS, half_warps) : 1;
    if (times <= 1)
      break;
    pieces.rows *= min (times, 4u);
    __syncthreads ();
  }
  const uint32_t *offsets = s.arrays.offsets;
  const uint32_t all = pieces.count * VARIANTS;
#pragma unroll 1
  for (uint32_t w = cluster_warp (s); w * HALF_WARPS < all; w += cluster_warps (s)) {
    /* Most lines are short, so half a warp has a piece. */
    const uint32_t t = min (w * HALF_WARPS + lane_index () / HALF_WARP, all - 1), piece = t / VARIANTS;
    const uint32_t low = last_begun (offsets, count, piece);
    const SnakeLine l = line (low, (int) (t % VARIANTS));
    const uint32_t first = (piece - offsets[low]) * pieces.rows, end = min (rows_of (l), first + pieces.rows);
    CtrSnakeSums sums = sum_rows<WIDE, SNAKE_TOGETHER> (f.table, l, first + lane_index () % HALF_WARP, end, HALF_WARP);
    __syncwarp ();
    sums = lanes_sum<!WIDE> (sums, HALF_WARP, pieces.rows <= SNAKE_FEW_ROWS);
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

/* Sums along VARIANTS lines of each of up to 32 items, whose bits are in ITEMS. LINE (item, variant): the line. After a
 * barrier, the sums are in ALL[item * VARIANTS + variant]. */
template <bool WIDE, int VARIANTS, typename Line>
__device__ inline void
cta_sum_lines (const SnakeKernelArgs &f, const Snake &s, uint32_t items, CtrSnakeSums *all, Line line)
{
  const uint32_t lines = __popc (items) * VARIANTS;
  /* Lanes for each line. Most lines are short, and fewer lanes prepare them less often. */
  const uint32_t threads = blockDim.x;
  const uint32_t shift = lines > threads / 4 ? 2 : lines > threads / 16 ? 3 : lines > threads / 32 ? 4 : 5;
  const uint32_t lanes = 1u << shift, lane = threadIdx.x & (lanes - 1);
  uint8_t *const list = s.scratch->items[threadIdx.x / 32];
  __syncwarp (); /* all lanes have read the last list */
  if (items >> lane_index () & 1)
    list[__popc (items & ((1u << lane_index ()) - 1))] = (uint8_t) lane_index ();
  __syncwarp ();
#pragma unroll 1
  for (uint32_t begin = threadIdx.x / 32 * 32 >> shift; begin < lines; begin += threads >> shift) {
    const uint32_t own = begin + (lane_index () >> shift), t = min (own, lines - 1);
    const uint32_t item = list[t / VARIANTS], variant = t % VARIANTS;
    const SnakeLine l = line (item, (int) variant);
    const uint32_t rows = rows_of (l);
    CtrSnakeSums sums = sum_rows<WIDE, SNAKE_TOGETHER> (f.table, l, lane, rows, lanes);
    __syncwarp ();
    sums = lanes_sum<!WIDE> (sums, lanes, !__any_sync (~0u, rows > SNAKE_FEW_ROWS));
    if (lane == 0 && own < lines)
      all[item * VARIANTS + variant] = sums;
  }
}

/* Sums the whole polygon and finds its criterion, a thread a row. */
template <bool WIDE>
__device__ inline void
cluster_sum_polygon (const SnakeKernelArgs &f, Snake &s)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t *offsets = s.arrays.offsets, count = s.count;
  const uint32_t rows = cta_scan (s, s.arrays.offsets, count,
      [&] (uint32_t i) { return rows_between (points[i], points[ctr_snake_next (count, i)]); });
  CtrSnakeSums sums = {0, 0, 0};
#pragma unroll 1
  for (uint32_t row = cluster_thread (s); row < rows; row += cluster_threads (s)) {
    const uint32_t edge = last_begun (offsets, count, row);
    const CtrPoint b = points[ctr_snake_next (count, edge)];
    const uint32_t own = row - offsets[edge];
    sums = ctr_snake_sums_add (sums, sum_rows<WIDE, 1> (f.table, {points[edge], b, b}, own, own + 1, 1));
  }
  sums = warp_sum (sums);
  if (lane_index () == 0)
    s.scratch->sums[threadIdx.x / 32] = sums;
  __syncthreads ();
  if (threadIdx.x < 32) /* only this warp needs the CTA's sums */
    sums = warp_sum (lane_index () < cta_warps () ? s.scratch->sums[lane_index ()] : CtrSnakeSums{0, 0, 0});
  sums = cluster_share_sums (s, sums);
  if (threadIdx.x < 32) {
    sums = warp_sum (sums);
    const double criterion = warp_criterion (f, s, sums);
    if (threadIdx.x == 0) {
      s.scratch->inside = sums;
      s.scratch->criterion = criterion;
    }
  }
  __syncthreads ();
  s.inside = s.scratch->inside;
  s.criterion = s.scratch->criterion;
}

#endif
