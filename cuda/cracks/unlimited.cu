/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a frame whose contours all stay, and are nested in those of their level. Points do not depend on parents
 * then, so that a stage of the ones shares each launch with one of the others. */
#include "cuda/contours/contour_sums.cuh"
#include "cuda/contours/rows.cuh"
#include "cuda/cracks/measures.cuh"
#include "cuda/cracks/parents.cuh"
#include "cuda/cracks/stages.cuh"

namespace
{

/* Adds ROW, which has COUNT points, to the long ones, if it is one of them. */
__device__ inline void
list_if_long (const CracksKernelArgs &f, uint32_t row, uint32_t count)
{
  if (count <= LONG_POINTS)
    return;
  const unsigned long long own = 1ull << 32 | ctr_div_up (count, LONG_CHUNK),
                           before = atomicAdd (&f.counters->long_rows, own);
  f.long_rows[before >> 32] = {(uint32_t) before, row};
  f.output->table[row].child = -1; /* until it is linked */
}

template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) keys_and_offsets_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas)
{
  const auto parent_of = [&] (uint32_t contour) {
    const uint32_t parent = find_parent (f, contour);
    f.hierarchy.parents[contour] = parent;
    return parent;
  };
  const auto tell = [&] (uint32_t contour, uint32_t first, uint32_t count) {
    f.points_by_start[f.by_contour.starts[contour]] = {first, count};
    list_if_long (f, contour, count);
  };
  run_both (
      f, ctas,
      [&] (const Ctas &c) {
        if (contours_fit (f))
          make_keys<Policy> (f, c, parent_of);
      },
      [&] (const Ctas &c) { find_offsets (f, SCAN_OFFSETS, c.own, tell); });
}

__global__ void
__launch_bounds__ (RADIX_THREADS, RADIX_SHARED_CTAS)
    pass_and_points_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas)
{
  __shared__ RadixShared shared;
  run_both (
      f, ctas, [&] (const Ctas &c) { radix_pass (f.siblings, shared, 0, c); },
      [&] (const Ctas &c) { write_points<true> (f, c); });
}

/* The work of share_rows() for measures and sums of moments. */
struct MeasureAndSumWork {
  static constexpr uint32_t SHORT_LANES = 1;
  MeasureWork<true> measures;
  SumWork<UprightMomentSums, CracksKernelArgs> sums;

  __device__ void
  by_thread (uint32_t row) const
  {
    measures.by_thread (row);
    sums.by_thread (row);
  }

  __device__ void
  by_warp (uint32_t row) const
  {
    measures.by_warp (row);
    sums.by_warp (row);
  }

  __device__ void
  part (uint32_t row, uint32_t begin, uint32_t end) const
  {
    measures.part (row, begin, end);
    sums.part (row, begin, end);
  }
};

/* Shares the long rows, by chunks of their points. */
template <typename Work>
__device__ inline void
share_long_rows (const CracksKernelArgs &f, const Ctas &ctas, const Work &work)
{
  constexpr uint32_t WARPS = RADIX_THREADS / 32;
  const unsigned long long all = f.counters->long_rows;
  /* The last warps of the last CTAs come first: they have no other rows meanwhile, or the fewest. */
  const uint32_t warps = ctas.count * WARPS,
                 warp = (WARPS - 1 - threadIdx.x / 32) * ctas.count + ctas.count - 1 - ctas.own;
  for (uint32_t chunk = warp; chunk < (uint32_t) all; chunk += warps) {
    const LongRow row =
        f.long_rows[find_last ((uint32_t) (all >> 32), chunk, [&] (uint32_t i) { return f.long_rows[i].first_chunk; })];
    const uint32_t begin = f.by_row.firsts[row.row] + (chunk - row.first_chunk) * LONG_CHUNK;
    work.part (row.row, begin, begin + LONG_CHUNK);
  }
}

/* SUMS: with those of moments. */
template <bool SUMS>
__global__ void
__launch_bounds__ (RADIX_THREADS, RADIX_SHARED_CTAS)
    pass_and_rows_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas)
{
  __shared__ RadixShared shared;
  __shared__ RowQueue<RADIX_THREADS> queue;
  run_both (
      f, ctas, [&] (const Ctas &c) { radix_pass (f.siblings, shared, 1, c); },
      [&] (const Ctas &c) {
        const auto share = [&] (const auto &work) {
          share_long_rows (f, c, work);
          share_shorter_rows (
              f, c, queue, work, [] (uint32_t) {}, [] {});
        };
        if constexpr (SUMS)
          share (MeasureAndSumWork{{f}, {f}});
        else
          share (MeasureWork<true>{f});
      });
}

/* Links all rows, and writes the long ones, whose measures are there now. */
template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) link_and_end_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t rows = (uint32_t) (f.counters->long_rows >> 32);
  link_siblings<Policy> (f);
  for (uint32_t i = first_index (); i < rows; i += index_step ()) {
    const uint32_t row = f.long_rows[i].row;
    CtrContour c = begin_row (f, row), *to = &f.output->table[row];
    set_measures (&c, f.by_row.accumulators[row]);
    /* All but the links. */
    to->first = c.first;
    to->count = c.count;
    to->parent = c.parent;
    to->flags = c.flags;
    to->level = c.level;
    to->region = c.region;
    to->area2 = c.area2;
    to->length = c.length;
    to->left = c.left;
    to->top = c.top;
    to->width = c.width;
    to->height = c.height;
  }
}

} // namespace

void
cracks_launch_unlimited (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const uint32_t contours = f.contour_capacity, corners = f.by_corner.capacity, ctas = radix_ctas (f.siblings);
  constexpr uint32_t KEY_CTAS = 264, PASS_CTAS = 264; /* as many as run at once */
  launch_both (f.labels ? keys_and_offsets_kernel<LabelsPolicy> : keys_and_offsets_kernel<CracksPolicy>,
      min (contours / CONTOUR_THREADS + 1, KEY_CTAS), contours / SCAN_EACH, CONTOUR_THREADS, contours, f, overlap,
      stream);
  launch_both (pass_and_points_kernel, ctas, corners, RADIX_THREADS, PASS_CTAS, f, overlap, stream);
  /* Two threads a point: few contours, some of them long, are shared by so many CTAs that each one has little. With a single pass, the
   * first stage has none left. */
  launch_both (f.summing ? pass_and_rows_kernel<true> : pass_and_rows_kernel<false>, f.siblings.passes > 1 ? ctas : 0,
      corners * 2ull, RADIX_THREADS, PASS_CTAS, f, overlap, stream);
  launch_sibling_passes (f, 2, overlap, stream);
  launch_over (
      f.labels ? link_and_end_kernel<LabelsPolicy> : link_and_end_kernel<CracksPolicy>, contours, f, overlap, stream);
}
