/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the edge is beside each point (include/contours/subpixel.h). */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/contour_measures.cuh"
#include "cuda/contours/edge_search.cuh"

#include "core/results/subpixel_refine.h"

namespace
{

static_assert (sizeof (CtrSubpixelRule) == 4 * sizeof (uint32_t) + 6 * CTR_SUBPIXEL_TAPS && CTR_SUBPIXEL_TAPS % 2 == 0,
    "keys of graphs are compared byte by byte");

/* Which points belong to which row. Limits on numbers have left some rows, whose points lie elsewhere. */
struct Lines {
  const BordersKernelArgs &f;
  const ContourOutput &output;

  __device__ const CtrPoint *
  points () const
  {
    return f.selecting ? output.selected.points : output.points;
  }

  /* The first point of ROW. */
  __device__ uint32_t
  first (uint32_t row) const
  {
    return f.selecting ? (uint32_t) output.selected.table[row].first : f.by_row.firsts[row];
  }

  /* The row, of ROWS, of POINT. */
  __device__ uint32_t
  find (uint32_t rows, uint32_t point) const
  {
    if (!f.selecting)
      return find_row (f, rows, point);
    uint32_t low = 0, high = rows;
    while (high - low > 1) {
      const uint32_t middle = low + (high - low) / 2;
      if (first (middle) <= point)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
};

/* A point and what its subpixels depend on. */
struct Place {
  CtrPoint point;
  CtrSubpixelNormal normal;

  __device__ bool
  is_lone () const
  {
    return !normal.x && !normal.y;
  }
};

/* Of point I, less than COUNT, of ROWS. ROW: its row, or one before it. */
__device__ inline Place
place_of (const Lines &lines, const CtrPoint *points, uint32_t rows, uint32_t count, uint32_t row, uint32_t i)
{
  while (row + 1 < rows && lines.first (row + 1) <= i)
    row++;
  const uint32_t first = lines.first (row), end = row + 1 < rows ? lines.first (row + 1) : count;
  const CtrPoint before = points[i > first ? i - 1 : end - 1], point = points[i],
                 after = points[i + 1 < end ? i + 1 : first];
  return {point, ctr_subpixel_normal (before, point, after)};
}

__device__ inline bool
has_points (const BordersKernelArgs &f)
{
  return points_fit (f) && !f.counters->header.unmeasured && (!f.selecting || f.counters->select.done);
}

/* CTR_SUBPIXEL_THRESHOLD, a thread a point. */
__global__ void
__launch_bounds__ (REFINE_THREADS)
    threshold_kernel (const __grid_constant__ BordersKernelArgs f, const __grid_constant__ CtrSubpixelRule rule)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_points (f))
    return;
  const uint32_t count = f.counters->header.points, rows = f.counters->header.contours, lane = threadIdx.x % 32;
  const uint32_t threshold = f.counters->header.threshold;
  const ContourOutput output = *f.output;
  const Lines lines = {f, output};
  const CtrPoint *const points = lines.points ();
  for (uint64_t base = (uint64_t) blockIdx.x * REFINE_THREADS + threadIdx.x - lane; base < count;
       base += (uint64_t) gridDim.x * REFINE_THREADS) {
    const uint32_t row = lines.find (rows, (uint32_t) base), i = (uint32_t) base + lane;
    if (i >= count)
      continue;
    const Place p = place_of (lines, points, rows, count, row, i);
    const CtrSubpixelPoint refined = p.normal.x || p.normal.y ? ctr_subpixel_threshold (
                                         &rule, &output.samples, threshold, p.point, p.normal.x, p.normal.y)
                                                              : ctr_subpixel_keep (p.point, 0, 0, CTR_SUBPIXEL_LONE);
    store_subpixel (&output.subpixel[i], refined);
  }
}

/* CTR_SUBPIXEL_EDGE, four lanes a point. */
__global__ void
__launch_bounds__ (SEARCH_THREADS, 8)
    edge_kernel (const __grid_constant__ BordersKernelArgs f, const __grid_constant__ CtrSubpixelRule rule)
{
  constexpr uint32_t EACH = 32 / SEARCH_LANES; /* points a warp */
  __shared__ SearchLines shared;
  __shared__ CtrSubpixelEdge edges[SEARCH_POINTS];
  __shared__ Place places[SEARCH_POINTS];
  __shared__ CtrSubpixelAxis axes[SEARCH_POINTS];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_points (f))
    return;
  const uint32_t count = f.counters->header.points, rows = f.counters->header.contours;
  const ContourOutput output = *f.output;
  const Lines lines = {f, output};
  const CtrPoint *const points = lines.points ();
  const SearchLane own (shared);
  for (uint64_t base = (uint64_t) blockIdx.x * SEARCH_POINTS; base < count;
       base += (uint64_t) gridDim.x * SEARCH_POINTS) {
    const uint64_t first = base + own.point / EACH * EACH, i = base + own.point;
    const uint32_t row = first < count ? lines.find (rows, (uint32_t) first) : 0;
    Place p = {};
    CtrSubpixelAxis axis = {};
    CtrSubpixelRoom room = {};
    if (i < count) {
      p = place_of (lines, points, rows, count, row, (uint32_t) i);
      axis = ctr_subpixel_border_axis (&output.samples, p.point, p.normal.x, p.normal.y);
      room = ctr_subpixel_room (&output.samples, p.point, axis);
    }
    const bool searches = i < count && !p.is_lone () && room.ahead > 0;
    CtrSubpixelSums sums[2] = {};
    search_derive (own, searches, &rule, &output.samples, p.point, axis, sums);
    search_edge (own, searches, &rule, sums, room, CTR_SUBPIXEL_BORDER_MIDDLE, &edges[own.point]);
    if (own.lane == 0) {
      places[own.point] = p;
      axes[own.point] = axis;
    }
    __syncthreads ();
    const uint32_t t = threadIdx.x;
    if (t < SEARCH_POINTS && base + t < count) {
      const Place &q = places[t];
      const bool leaves = ctr_subpixel_room (&output.samples, q.point, axes[t]).ahead == 0;
      store_subpixel (&output.subpixel[base + t], edges[t].found
                                                      ? ctr_subpixel_at_edge (&rule, q.point, axes[t], &edges[t])
                                                      : ctr_subpixel_keep (q.point, q.normal.x, q.normal.y,
                                                          q.is_lone () ? CTR_SUBPIXEL_LONE
                                                          : leaves     ? CTR_SUBPIXEL_FRAME
                                                                       : CTR_SUBPIXEL_NO_EDGE));
    }
    __syncthreads ();
  }
}

} // namespace

void
borders_launch_subpixel (const BordersKernelArgs &f, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream)
{
  if (rule.method == CTR_SUBPIXEL_EDGE)
    ctr_launch_overlapped (
        overlap, edge_kernel, refine_ctas (f.point_capacity, SEARCH_POINTS), SEARCH_THREADS, 0, stream, f, rule);
  else
    ctr_launch_overlapped (
        overlap, threshold_kernel, refine_ctas (f.point_capacity, REFINE_THREADS), REFINE_THREADS, 0, stream, f, rule);
}
