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
__launch_bounds__ (REFINE_THREADS, 8)
    edge_kernel (const __grid_constant__ BordersKernelArgs f, const __grid_constant__ CtrSubpixelRule rule)
{
  constexpr uint32_t EACH = 32 / SEARCH_LANES; /* points a warp */
  __shared__ SearchLines shared;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!has_points (f))
    return;
  const uint32_t count = f.counters->header.points, rows = f.counters->header.contours;
  const ContourOutput output = *f.output;
  const Lines lines = {f, output};
  const CtrPoint *const points = lines.points ();
  const SearchLane own (shared);
  for (uint64_t base = (uint64_t) blockIdx.x * SEARCH_POINTS + own.point / EACH * EACH; base < count;
       base += (uint64_t) gridDim.x * SEARCH_POINTS) {
    const uint32_t row = lines.find (rows, (uint32_t) base), i = (uint32_t) base + own.point % EACH;
    const bool is_point = i < count;
    Place p = {};
    CtrSubpixelAxis axis = {};
    CtrSubpixelRoom room = {};
    if (is_point) {
      p = place_of (lines, points, rows, count, row, i);
      axis = ctr_subpixel_border_axis (&output.samples, p.point, p.normal.x, p.normal.y);
      room = ctr_subpixel_room (&output.samples, p.point, axis);
    }
    const bool lone = !p.normal.x && !p.normal.y, searches = is_point && !lone && room.ahead > 0;
    CtrSubpixelSums sums[2] = {};
    search_derive (own, searches, &rule, &output.samples, p.point, axis, sums);
    bool any;
    const CtrSubpixelEdge edge = search_edge (own, searches, &rule, sums, room, CTR_SUBPIXEL_BORDER_MIDDLE, &any);
    if (edge.found)
      store_subpixel (&output.subpixel[i], ctr_subpixel_at_edge (&rule, p.point, axis, &edge));
    else if (is_point && !any && own.lane == 0)
      store_subpixel (&output.subpixel[i], ctr_subpixel_keep (p.point, p.normal.x, p.normal.y,
                                               lone       ? CTR_SUBPIXEL_LONE
                                               : searches ? CTR_SUBPIXEL_NO_EDGE
                                                          : CTR_SUBPIXEL_FRAME));
  }
}

} // namespace

void
borders_launch_subpixel (const BordersKernelArgs &f, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream)
{
  const bool edge = rule.method == CTR_SUBPIXEL_EDGE;
  ctr_launch_overlapped (overlap, edge ? edge_kernel : threshold_kernel,
      refine_ctas (f.point_capacity, edge ? SEARCH_LANES : 1), REFINE_THREADS, 0, stream, f, rule);
}
