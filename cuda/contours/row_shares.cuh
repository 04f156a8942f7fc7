/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work on the lines of contours, shared by their lengths: a thread has a short one, a warp of the same CTA a longer one, and all
 * warps share the points of long ones. ARGS: as for the measures. */
#ifndef CTR_CUDA_CONTOURS_ROW_SHARES_CUH
#define CTR_CUDA_CONTOURS_ROW_SHARES_CUH

#include "cuda/contours/contour_measures.cuh"

namespace
{

constexpr uint32_t SHORT_POINTS = 32, LONG_CHUNK = 512;
static_assert (LONG_CHUNK <= LONG_POINTS, "a chunk has points of two long contours at most");

/* The points of one row. */
struct RowPoints {
  const CtrPoint *points;
  uint32_t first, end;

  template <typename Args>
  __device__
  RowPoints (const Args &f, uint32_t row)
      : points (points_of (f)), first (f.by_row.firsts[row]),
        end (row + 1 < f.counters->header.contours ? f.by_row.firsts[row + 1] : f.counters->header.points)
  {
  }

  __device__ uint32_t
  count () const
  {
    return end - first;
  }

  /* Of a kernel before. */
  __device__ CtrPoint
  at (uint32_t i) const
  {
    const uint32_t place = ((const uint32_t *) points)[i];
    return {(uint16_t) place, (uint16_t) (place >> 16)};
  }

  /* I may be past the end, by less than all points. */
  __device__ CtrPoint
  at_wrapped (uint32_t i) const
  {
    return at (i < end ? i : i - count ());
  }

  /* Of a contour whose lines are upright and level by turns: where the first upright line from point I on begins. */
  __device__ uint32_t
  first_upright (uint32_t i) const
  {
    const bool second = at (first).x != at (first + 1).x; /* is the first upright one */
    return i + (((i - first) % 2 != 0) != second);
  }
};

/* In shared memory: rows for the warps of a CTA. */
template <int THREADS> struct RowQueue {
  uint32_t count, rows[THREADS];
};

/* By all THREADS of CTAS, once the points are complete, for the rows that are not long: calls WORK.by_thread (row) or, in whole warps,
 * WORK.by_warp (row), and behind the latter FINISH (row), by a thread each. Where the CTA has few rows and WORK has several SHORT_LANES,
 * so many share a short row: WORK.by_lanes (row, whether there is one). Once, beside the warps' rows, each warp calls MORE (). */
template <int THREADS, typename Args, typename Work, typename Finish, typename More>
__device__ inline void
share_shorter_rows (
    const Args &f, const Ctas &ctas, RowQueue<THREADS> &queue, const Work &work, const Finish &finish, const More &more)
{
  constexpr uint32_t WARPS = THREADS / 32;
  const uint32_t rows = f.counters->header.contours;
  /* With few rows all CTAs have some, and each warp one. */
  const uint32_t share = max (WARPS, min (ctr_div_up (rows, ctas.count), (uint32_t) THREADS));
  const uint32_t lanes = share > WARPS && share * Work::SHORT_LANES <= THREADS ? Work::SHORT_LANES : 1,
                 own = threadIdx.x / lanes;
  const bool leads = threadIdx.x % lanes == 0;
  bool needs_more = true;
  for (uint64_t base = (uint64_t) ctas.own * share; base < rows; base += (uint64_t) ctas.count * share) {
    const uint32_t row = (uint32_t) base + own;
    const bool has_row = own < share && row < rows;
    if (threadIdx.x == 0)
      queue.count = 0;
    __syncthreads ();
    const uint32_t count = has_row ? RowPoints (f, row).count () : 0;
    const bool is_short = has_row && count <= SHORT_POINTS && share > WARPS;
    if (has_row && leads && !is_short && count <= LONG_POINTS)
      queue.rows[atomicAdd (&queue.count, 1)] = row;
    __syncthreads ();
    const uint32_t queued = queue.count;
    if constexpr (Work::SHORT_LANES > 1) {
      if (lanes > 1)
        work.by_lanes (row, is_short);
      else if (is_short)
        work.by_thread (row);
    } else if (is_short) {
      work.by_thread (row);
    }
    for (uint32_t i = WARPS - 1 - threadIdx.x / 32; i < queued; i += WARPS) /* The last warps may have no short rows. */
      work.by_warp (queue.rows[i]);
    if (needs_more)
      more ();
    needs_more = false;
    __syncthreads ();
    if (threadIdx.x < queued)
      finish (queue.rows[threadIdx.x]);
  }
  if (needs_more)
    more ();
}

/* The last row whose points begin at or before AT, from row FIRST on, for which this is true; called by a whole warp. */
template <typename Args>
__device__ inline uint32_t
find_row_behind (const Args &f, uint32_t rows, uint32_t first, uint32_t at)
{
  const uint32_t i = first + 1 + threadIdx.x % 32, before = __ballot_sync (~0u, i < rows && f.by_row.firsts[i] <= at);
  return before != ~0u ? first + __popc (before) : find_row (f, rows, at);
}

/* As share_shorter_rows(), for all rows. Calls WORK.part (row, first point, end), in whole warps, for each part of a long row. */
template <int THREADS, typename Args, typename Work, typename Finish>
__device__ inline void
share_rows (const Args &f, const Ctas &ctas, RowQueue<THREADS> &queue, const Work &work, const Finish &finish)
{
  constexpr uint32_t WARPS = THREADS / 32;
  const uint32_t rows = f.counters->header.contours, points = f.counters->header.points;
  share_shorter_rows (f, ctas, queue, work, finish, [&] {
    if (points <= LONG_POINTS)
      return;
    /* The last CTAs come first: of few rows they have none. */
    const uint32_t warps = ctas.count * WARPS, warp = (ctas.count - 1 - ctas.own) * WARPS + threadIdx.x / 32;
    for (uint64_t begin = (uint64_t) warp * LONG_CHUNK; begin < points; begin += (uint64_t) warps * LONG_CHUNK) {
      const uint32_t end = (uint32_t) min ((uint64_t) points, begin + LONG_CHUNK);
      /* A long row that has some of these points has the first or the last of them. */
      const uint32_t first = find_row (f, rows, (uint32_t) begin), last = find_row_behind (f, rows, first, end - 1);
      if (RowPoints (f, first).count () > LONG_POINTS)
        work.part (first, (uint32_t) begin, end);
      if (last != first && RowPoints (f, last).count () > LONG_POINTS)
        work.part (last, (uint32_t) begin, end);
    }
  });
}

template <int THREADS, typename Args, typename Work>
__device__ inline void
share_rows (const Args &f, const Ctas &ctas, RowQueue<THREADS> &queue, const Work &work)
{
  share_rows (f, ctas, queue, work, [] (uint32_t) {});
}

} // namespace

#endif
