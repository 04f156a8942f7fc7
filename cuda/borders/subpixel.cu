/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the edge is beside each point (include/contours/subpixel.h). */
#include "cuda/borders/device_state.cuh"
#include "cuda/contours/contour_measures.cuh"
#include "cuda/contours/contour_subpixel.cuh"

namespace
{

static_assert (
    offsetof (CtrSubpixelRule, pairs) == 4 * sizeof (uint32_t) + 6 * CTR_SUBPIXEL_TAPS
        && sizeof (CtrSubpixelRule) == offsetof (CtrSubpixelRule, along) + 16 * (CTR_SUBPIXEL_USUAL_RADIUS + 1),
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

/* A point of the result and its neighbours in the contour. */
struct Neighbours {
  CtrPoint before, point, after;
};

/* Those of point I, of COUNT, of ROWS rows. A warp calls it for points from FIRST_POINT on, in order. Points that do not exist have some
 * neighbours, too. */
__device__ inline Neighbours
find_neighbours (const Lines &lines, uint32_t rows, uint32_t count, uint32_t first_point, uint32_t i)
{
  const CtrPoint *const points = lines.points ();
  /* While the row is searched for, the points are loaded that nearly all have as neighbours. */
  Neighbours n = {load_point (points, min (max (i, 1u) - 1, count - 1)), load_point (points, min (i, count - 1)),
      load_point (points, min (i + 1, count - 1))};
  uint32_t row = lines.find (rows, first_point);
  while (row + 1 < rows && lines.first (row + 1) <= i)
    row++;
  const uint32_t first = lines.first (row), end = row + 1 < rows ? lines.first (row + 1) : count;
  if (i == first)
    n.before = load_point (points, end - 1);
  if (i + 1 == end)
    n.after = load_point (points, first);
  return n;
}

/* Is there anything to refine? */
__device__ inline bool
has_points (const BordersKernelArgs &f)
{
  return has_table (f) && (!f.selecting || f.counters->select.done);
}

/* A thread a point. METHOD: that of the rule. The search for an edge takes more registers. */
template <uint32_t METHOD>
__global__ void
__launch_bounds__ (REFINE_THREADS, 4)
    refine_kernel (const __grid_constant__ BordersKernelArgs f, const __grid_constant__ CtrSubpixelRule rule)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const ContourOutput output = *f.output;
  if (!has_points (f))
    return;
  const uint32_t count = f.counters->header.points, rows = f.counters->header.contours, lane = threadIdx.x % 32;
  const uint32_t threshold = f.counters->header.threshold;
  const Lines lines = {f, output};
  for (uint64_t base = (uint64_t) blockIdx.x * REFINE_THREADS + threadIdx.x - lane; base < count;
       base += (uint64_t) gridDim.x * REFINE_THREADS) {
    const uint32_t i = (uint32_t) base + lane;
    const Neighbours n = find_neighbours (lines, rows, count, (uint32_t) base, i);
    if (i < count)
      store_subpixel (&output.subpixel[i],
          ctr_subpixel_refine_by (&rule, METHOD, &output.samples, threshold, n.before, n.point, n.after));
  }
}

} // namespace

void
borders_launch_subpixel (const BordersKernelArgs &f, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream)
{
  const auto kernel =
      rule.method == CTR_SUBPIXEL_THRESHOLD ? refine_kernel<CTR_SUBPIXEL_THRESHOLD> : refine_kernel<CTR_SUBPIXEL_EDGE>;
  ctr_launch_overlapped (overlap, kernel, refine_ctas (f.point_capacity), REFINE_THREADS, 0, stream, f, rule);
}
