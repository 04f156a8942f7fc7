/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on numbers of the rows: a kernel finds which rows remain and where they go, another one writes them. Rows are in
 * pre-order, so what is inside a row follows it, and so do the rows that remain. Where all limits are on numbers of the row itself, and no
 * row is inside another, one kernel does both. */
#include "cuda/borders/device_state.cuh"
#include "cuda/borders/row.cuh"
#include "cuda/common/ptx.cuh"
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
  __shared__ uint2 sums[DECIDE_THREADS / 32];
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

/* Moves the points from BEGIN to END, of all ROWS, to their places among those that remain. */
__device__ inline void
move_points (const BordersKernelArgs &f, const ContourOutput &output, uint32_t rows, uint32_t begin, uint32_t end)
{
  const uint32_t lane = threadIdx.x % 32;
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

/* By one thread: the numbers of the result are those of what remains. */
__device__ inline void
write_header (const BordersKernelArgs &f)
{
  const auto select = f.counters->select;
  BordersHeader &h = f.counters->header;
  h.rows = select.rows;
  h.row_points = select.points;
  h.contours = select.remaining_rows;
  h.points = select.remaining_points;
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
    move_points (f, output, select.rows, (uint32_t) begin, (uint32_t) min ((uint64_t) select.points, begin + CHUNK));
  if (first_index () == 0)
    write_header (f);
}

/* What a thread knows of the row that it decides on. */
struct DecidedRow {
  bool remains;
  uint32_t first, points; /* 0 if it does not remain */
};

/* ROW, of ROWS. */
__device__ inline DecidedRow
decide_row (const BordersKernelArgs &f, const CtrSelectPlan &plan, uint32_t row, uint32_t rows)
{
  DecidedRow decided = {false, 0, 0};
  if (row >= rows)
    return decided;
  const CtrContour made = make_row (f, row);
  decided.remains = ctr_select_keeps_row (&plan, &made);
  decided.first = (uint32_t) made.first;
  decided.points = decided.remains ? made.count : 0;
  return decided;
}

/* Writes ROW to its place among REMAINING rows: PLACE.x of these and PLACE.y points come before it. The row is made again, which is
 * faster than to keep it in registers. */
__device__ inline void
write_decided (const BordersKernelArgs &f, CtrContour *table, uint32_t row, uint2 place, uint32_t remaining)
{
  union {
    CtrContour made;
    uint4 words[sizeof (CtrContour) / sizeof (uint4)];
  };
  made = make_row (f, row);
  made.first = place.y;
  made.previous = (int32_t) place.x - 1;
  made.next = place.x + 1 < remaining ? (int32_t) place.x + 1 : -1;
#pragma unroll
  for (int k = 0; k < 4; k++)
    ((uint4 *) &table[place.x])[k] = words[k];
}

constexpr uint32_t DROPPED = ~0u;

/* A CTA decides on all ROWS, up to DECIDE_THREADS: the first one writes those that remain, the others move points. This is faster than to
 * wait for another CTA. */
__device__ inline void
select_few_rows (const BordersKernelArgs &f, const CtrSelectPlan &plan, const ContourOutput &output, uint32_t rows)
{
  __shared__ uint2 sums[DECIDE_THREADS / 32];
  __shared__ uint32_t firsts[DECIDE_THREADS], backwards[DECIDE_THREADS]; /* how far points move; DROPPED */
  const uint32_t t = threadIdx.x, points = f.by_row.firsts[rows - 1] + f.by_row.lengths[rows - 1];
  const bool moves = blockIdx.x > 0;
  const uint32_t *const from = (const uint32_t *) output.points, step = (gridDim.x - 1) * DECIDE_THREADS;
  uint32_t *const to = (uint32_t *) output.selected.points, i = (blockIdx.x - 1) * DECIDE_THREADS + t;
  uint32_t point = moves && i < points ? from[i] : 0; /* loaded while the CTA decides */
  const DecidedRow decided = decide_row (f, plan, t, rows);
  uint2 all;
  const uint2 place = block_scan_two<DECIDE_THREADS> (decided.remains, decided.points, sums, &all);
  if (!moves) {
    if (decided.remains)
      write_decided (f, output.selected.table, t, place, all.x);
    if (t == 0) {
      f.counters->select = {1, rows, points, all.x, all.y};
      write_header (f);
    }
    return;
  }
  if (t < rows) {
    firsts[t] = decided.first;
    backwards[t] = decided.remains ? decided.first - place.y : DROPPED;
  }
  __syncthreads ();
  while (i < points) {
    uint32_t row = 0;
    for (uint32_t bit = DECIDE_THREADS / 2; bit; bit /= 2)
      row += row + bit < rows && firsts[row + bit] <= i ? bit : 0;
    if (backwards[row] != DROPPED)
      to[i - backwards[row]] = point;
    i += step;
    point = i < points ? from[i] : 0;
  }
}

/* A CTA decides on the rows with number TICKET, of its size. */
__device__ inline void
decide_rows (const BordersKernelArgs &f, const CtrSelectPlan &plan, uint32_t rows, uint32_t ticket)
{
  __shared__ uint2 sums[DECIDE_THREADS / 32];
  const uint32_t i = ticket * DECIDE_THREADS + threadIdx.x;
  const DecidedRow decided = decide_row (f, plan, i, rows);
  uint2 so_far;
  const uint2 place = device_scan_two<DECIDE_THREADS> (decided.remains, decided.points, f.scan_states[SCAN_REMAINING],
      f.scan_states[SCAN_REMAINING_POINTS], ticket, sums, &so_far);
  if (i < rows)
    f.unselected.ranks[i] = place.x | (decided.remains ? ROW_REMAINS : 0);
  if (decided.remains)
    f.unselected.firsts[i] = place.y;
  if (i == rows - 1)
    f.counters->select = {1, rows, f.counters->header.points, so_far.x, so_far.y};
}

/* The first CTAs to start decide on rows. The others wait for them, and write rows and move points. */
__device__ inline void
select_many_rows (const BordersKernelArgs &f, const CtrSelectPlan &plan, const ContourOutput &output, uint32_t rows)
{
  __shared__ uint32_t ticket;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[SCAN_REMAINING], 1);
  __syncthreads ();
  const uint32_t deciding = ctr_div_up (rows, DECIDE_THREADS);
  if (ticket < deciding) {
    decide_rows (f, plan, rows, ticket);
    __syncthreads ();
    if (threadIdx.x == 0)
      count_arrival (&f.counters->decided);
    return;
  }
  if (threadIdx.x == 0)
    wait_for_arrivals (&f.counters->decided, deciding);
  __syncthreads ();
  const auto select = f.counters->select;
  const uint32_t first = (ticket - deciding) * DECIDE_THREADS + threadIdx.x,
                 threads = (gridDim.x - deciding) * DECIDE_THREADS;
  for (uint64_t begin = (uint64_t) (first / 32) * CHUNK; begin < select.points;
       begin += (uint64_t) (threads / 32) * CHUNK)
    move_points (f, output, rows, (uint32_t) begin, (uint32_t) min ((uint64_t) select.points, begin + CHUNK));
  for (uint32_t i = threads - 1 - first; i < rows; i += threads) /* The last warps begin: they have fewer points. */
    if (remains (f, i)) {
      const uint2 place = {f.unselected.ranks[i] & ~ROW_REMAINS, f.unselected.firsts[i]};
      write_decided (f, output.selected.table, i, place, select.remaining_rows);
    }
  if (first == 0)
    write_header (f);
}

__global__ void
__launch_bounds__ (DECIDE_THREADS, 1)
    rows_kernel (const __grid_constant__ BordersKernelArgs f, const __grid_constant__ CtrSelectPlan plan)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  /* The contours in the result and the points change while this kernel runs. */
  const uint32_t rows = f.counters->header.all_contours;
  const ContourOutput output = *f.output;
  if (!has_table (f) || rows == 0)
    return;
  if (rows <= DECIDE_THREADS)
    select_few_rows (f, plan, output, rows);
  else
    select_many_rows (f, plan, output, rows);
}

constexpr unsigned MOST_MOVING = 132; /* CTAs */

} // namespace

void
borders_launch_select (const BordersKernelArgs &f, const CtrSelectPlan &plan, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, decide_kernel, f.contour_capacity / DECIDE_THREADS + 1, DECIDE_THREADS, 0, stream, f, plan);
  launch_over (remaining_kernel, max ((uint64_t) f.contour_capacity, (uint64_t) f.point_capacity / (CHUNK / 32)), f,
      overlap, stream);
}

void
borders_launch_select_rows (const BordersKernelArgs &f, const CtrSelectPlan &plan, bool overlap, cudaStream_t stream)
{
  const unsigned deciding = ctr_div_up (f.contour_capacity, DECIDE_THREADS),
                 moving = min (f.point_capacity / (2 * DECIDE_THREADS) + 1, MOST_MOVING);
  ctr_launch_overlapped (overlap, rows_kernel, deciding + moving, DECIDE_THREADS, 0, stream, f, plan);
}
