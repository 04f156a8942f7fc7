/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on numbers of the rows: a kernel finds which rows remain and where they go, another one writes them. Rows are in
 * pre-order, so what is inside a row follows it, and so do the rows that remain. */
#include "cuda/borders/device_state.cuh"
#include "cuda/common/scan.cuh"
#include "cuda/contours/contour_measures.cuh"

#include "core/results/select.h"

namespace
{

constexpr int DECIDE_THREADS = SCAN_SHARE; /* a thread a row */

__global__ void
__launch_bounds__ (DECIDE_THREADS)
    decide_kernel (const __grid_constant__ BordersKernelArgs f, const __grid_constant__ CtrSelectPlan plan)
{
  __shared__ uint32_t ticket;
  __shared__ unsigned long long sums[DECIDE_THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_table (f))
    return;
  const uint32_t rows = f.counters->header.contours;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[SCAN_REMAINING], 1);
  __syncthreads ();
  const uint32_t i = ticket * DECIDE_THREADS + threadIdx.x;
  if (ticket * DECIDE_THREADS >= rows)
    return;
  const ContourOutput all = *f.output;
  bool remains = false;
  uint32_t points = 0;
  if (i < rows) {
    const CtrContour row = all.table[i];
    remains = ctr_select_keeps_contour (&plan, &row, all.shapes ? &all.shapes[i] : NULL, all.sums ? &all.sums[i] : NULL,
        all.fits ? &all.fits[i] : NULL);
    points = remains ? row.count : 0;
    f.unselected.parents[i] = row.parent < 0 ? NO_PARENT : (uint32_t) row.parent | SAME_PARENT_AS;
  }
  uint2 so_far;
  const uint2 place = device_scan_two<DECIDE_THREADS> (
      remains, points, f.scan_states[SCAN_REMAINING], f.scan_states[SCAN_REMAINING_POINTS], ticket, sums, &so_far);
  if (i < rows)
    f.unselected.ranks[i] = place.x | (remains ? ROW_REMAINS : 0);
  if (remains) {
    f.unselected.firsts[i] = place.y;
    f.unselected.rows[place.x] = i;
  }
  if (i == rows - 1)
    f.counters->select = {1, rows, f.counters->header.points, so_far.x, so_far.y};
}

__device__ inline bool
remains (const BordersKernelArgs &f, uint32_t row)
{
  return f.unselected.ranks[row] & ROW_REMAINS;
}

/* The row of the next remaining contour around ROW, or NO_PARENT. Threads take over what others have found. */
__device__ inline uint32_t
find_parent (const BordersKernelArgs &f, uint32_t row)
{
  uint32_t *const parents = f.unselected.parents;
  uint32_t parent = load_shared_word (&parents[row]);
  while (parent & SAME_PARENT_AS) {
    const uint32_t around = parent & ~SAME_PARENT_AS;
    parent = remains (f, around) ? around : load_shared_word (&parents[around]);
    atomicExch (&parents[row], parent);
  }
  return parent;
}

/* The remaining row behind ROW and all that is inside it; there may be none. */
__device__ inline uint32_t
row_behind (const BordersKernelArgs &f, const CtrContour *table, uint32_t row)
{
  int32_t next = table[row].next;
  for (int32_t around = (int32_t) row; next < 0 && (around = table[around].parent) >= 0;)
    next = table[around].next;
  return next < 0 ? f.counters->select.remaining_rows : f.unselected.ranks[next] & ~ROW_REMAINS;
}

__device__ inline int32_t
rank_of (const BordersKernelArgs &f, uint32_t row)
{
  return row == NO_PARENT ? -1 : (int32_t) (f.unselected.ranks[row] & ~ROW_REMAINS);
}

template <typename Row>
__device__ inline void
copy_row (Row *to, const Row *from)
{
  static_assert (sizeof (Row) % sizeof (uint4) == 0, "words");
  for (uint32_t k = 0; k < sizeof (Row) / sizeof (uint4); k++)
    ((uint4 *) to)[k] = ((const uint4 *) from)[k];
}

/* Writes remaining row I but for its previous sibling, and its place in the row of the next one. */
__device__ inline void
write_remaining (const BordersKernelArgs &f, const ContourOutput &output, uint32_t i)
{
  const uint32_t row = f.unselected.rows[i], count = f.counters->select.remaining_rows, parent = find_parent (f, row),
                 behind = row_behind (f, output.table, row);
  CtrContour *const table = output.selected.table;
  CtrContour *const to = &table[i];
  const CtrContour c = output.table[row];
  const int32_t parent_row = rank_of (f, parent);
  const bool has_next = behind < count && find_parent (f, f.unselected.rows[behind]) == parent;
  to->first = f.unselected.firsts[row];
  to->area2 = c.area2;
  to->length = c.length;
  to->count = c.count;
  to->next = has_next ? (int32_t) behind : -1;
  to->child = i + 1 < count && find_parent (f, f.unselected.rows[i + 1]) == row ? (int32_t) i + 1 : -1;
  to->parent = parent_row;
  to->flags = c.flags;
  to->level = c.level;
  to->left = c.left;
  to->top = c.top;
  to->width = c.width;
  to->height = c.height;
  to->region = c.region;
  if (has_next)
    table[behind].previous = (int32_t) i;
  if (parent_row == (int32_t) i - 1) /* the first child; before row 0 there is none */
    to->previous = -1;
  if (output.sums)
    copy_row (&output.selected.sums[i], &output.sums[row]);
  if (output.fits)
    copy_row (&output.selected.fits[i], &output.fits[row]);
  if (output.shapes)
    copy_row (&output.selected.shapes[i], &output.shapes[row]);
}

constexpr uint32_t CHUNK = 64; /* points that a warp moves: few, as it waits for each row */

/* Moves the points from BEGIN to END, of all rows, to their places among those that remain. */
__device__ inline void
move_points (const BordersKernelArgs &f, const ContourOutput &output, uint32_t begin, uint32_t end)
{
  const uint32_t rows = f.counters->select.rows, lane = threadIdx.x % 32;
  uint32_t row = find_row (f, rows, begin);
  for (uint32_t base = begin; base < end; base += 32) {
    const uint32_t i = base + lane;
    uint32_t own = row;
    while (own + 1 < rows && f.by_row.firsts[own + 1] <= i)
      own++;
    row = __shfl_sync (~0u, own, 31);
    if (i < end && remains (f, own))
      ((uint32_t *) output.selected.points)[f.unselected.firsts[own] + i - f.by_row.firsts[own]] =
          ((const uint32_t *) output.points)[i];
  }
}

__global__ void
__launch_bounds__ (CONTOUR_THREADS) remaining_kernel (const __grid_constant__ BordersKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const auto select = f.counters->select;
  if (!select.done)
    return;
  const ContourOutput output = *f.output;
  for (uint32_t i = first_index (); i < select.remaining_rows; i += index_step ())
    write_remaining (f, output, i);
  /* The last warps begin: the first ones have rows. */
  const uint32_t warps = index_step () / 32, warp = warps - 1 - first_index () / 32;
  for (uint64_t begin = (uint64_t) warp * CHUNK; begin < select.points; begin += (uint64_t) warps * CHUNK)
    move_points (f, output, (uint32_t) begin, (uint32_t) min ((uint64_t) select.points, begin + CHUNK));
  if (first_index () == 0) {
    BordersHeader &h = f.counters->header;
    h.rows = select.rows;
    h.row_points = select.points;
    h.contours = select.remaining_rows;
    h.points = select.remaining_points;
  }
}

} // namespace

void
borders_launch_select (const BordersKernelArgs &f, const CtrSelectPlan &plan, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, decide_kernel, f.contour_capacity / DECIDE_THREADS + 1, DECIDE_THREADS, 0, stream, f, plan);
  launch_over (remaining_kernel, max ((uint64_t) f.contour_capacity, (uint64_t) f.point_capacity / (CHUNK / 32)), f,
      overlap, stream);
}
