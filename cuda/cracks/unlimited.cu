/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The end of a frame whose contours all stay, and are nested in those of their level. Points do not depend on parents
 * then, so that a stage of the ones shares each launch with one of the others. */
#include "cuda/contours/contour_sums.cuh"
#include "cuda/contours/rows.cuh"
#include "cuda/cracks/measures.cuh"
#include "cuda/cracks/parents.cuh"
#include "cuda/cracks/points.cuh"

namespace
{

/* Runs FIRST on the first CTAS CTAs and SECOND on the others. */
template <typename First, typename Second>
__device__ inline void
run_both (const CracksKernelArgs &f, uint32_t ctas, First first, Second second)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  if (blockIdx.x < ctas)
    first (Ctas{blockIdx.x, ctas});
  else
    second (Ctas{blockIdx.x - ctas, gridDim.x - ctas});
}

template <bool LABELS>
__global__ void
__launch_bounds__ (CONTOUR_THREADS)
    offsets_and_neighbours_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas)
{
  const auto tell = [&] (uint32_t contour, uint32_t first, uint32_t count) {
    f.points_by_start[f.by_contour.starts[contour]] = {first, count};
  };
  run_both (
      f, ctas, [&] (const Ctas &c) { find_offsets (f, SCAN_OFFSETS, c.own, tell); },
      [&] (const Ctas &c) { find_west_neighbours<LABELS> (f, c); });
}

template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) keys_and_points_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas)
{
  run_both (
      f, ctas, [&] (const Ctas &c) { make_keys<Policy> (f, c); }, [&] (const Ctas &c) { write_points<true> (f, c); });
}

/* The work of share_rows() for measures and sums of moments. */
struct MeasureAndSumWork {
  MeasureWork measures;
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

/* SUMS: with those of moments, in fewer registers than they take by themselves, so that two CTAs fit on a multiprocessor. */
template <bool SUMS>
__global__ void
__launch_bounds__ (RADIX_THREADS, SUMS ? 2 : RADIX_LEAST_CTAS)
    pass_and_measures_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas)
{
  __shared__ RadixShared shared;
  __shared__ RowQueue<RADIX_THREADS> queue;
  run_both (
      f, ctas, [&] (const Ctas &c) { radix_pass (f.siblings, shared, 0, c); },
      [&] (const Ctas &c) {
        if constexpr (SUMS)
          share_rows (f, c, queue, MeasureAndSumWork{{f}, {f}});
        else
          share_rows (f, c, queue, MeasureWork{f});
      });
}

__global__ void
__launch_bounds__ (RADIX_THREADS, RADIX_LEAST_CTAS)
    pass_and_table_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas)
{
  __shared__ RadixShared shared;
  run_both (
      f, ctas, [&] (const Ctas &c) { radix_pass (f.siblings, shared, 1, c); },
      [&] (const Ctas &c) { write_table (f, c); });
}

/* Launches KERNEL with CTAS CTAs for its first stage, and for the second a thread an item, as far as they run at once: in MOST CTAs. */
void
launch_both (void (*kernel) (CracksKernelArgs, uint32_t), uint32_t ctas, uint64_t items, int threads, uint64_t most,
    const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, kernel, ctas + (unsigned) min (items / threads + 1, most), threads, 0, stream, f, ctas);
}

} // namespace

void
cracks_launch_unlimited (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const uint32_t contours = f.contour_capacity, corners = f.by_corner.capacity;
  constexpr uint32_t KEY_CTAS = 264, MEASURE_AND_SUM_CTAS = 264, MEASURE_CTAS = 396,
                     TABLE_CTAS = CONTOUR_CTAS * CONTOUR_THREADS / RADIX_THREADS;
  launch_both (f.labels ? offsets_and_neighbours_kernel<true> : offsets_and_neighbours_kernel<false>,
      contours / SCAN_SHARE + 1, contours, CONTOUR_THREADS, CONTOUR_CTAS, f, overlap, stream);
  launch_both (f.labels ? keys_and_points_kernel<LabelsPolicy> : keys_and_points_kernel<CracksPolicy>,
      min (contours / CONTOUR_THREADS + 1, KEY_CTAS), corners, CONTOUR_THREADS, CONTOUR_CTAS, f, overlap, stream);
  /* Two threads a point: few contours, some of them long, are shared by so many CTAs that each one has little. */
  launch_both (f.summing ? pass_and_measures_kernel<true> : pass_and_measures_kernel<false>, radix_ctas (f.siblings),
      corners * 2ull, RADIX_THREADS, f.summing ? MEASURE_AND_SUM_CTAS : MEASURE_CTAS, f, overlap, stream);
  /* With a single pass, the first stage has none left. */
  launch_both (pass_and_table_kernel, f.siblings.passes > 1 ? radix_ctas (f.siblings) : 0, contours, RADIX_THREADS,
      TABLE_CTAS, f, overlap, stream);
  launch_sibling_passes (f, 2, overlap, stream);
  cracks_launch_links (f, overlap, stream);
}
