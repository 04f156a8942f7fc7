/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernels over contours have in common, whatever algorithm found them.
 *
 * They are templates over a Policy, which the algorithm defines:
 *   Args                       the kernels' arguments: groups by_contour, by_row and hierarchy; counters with a header
 *                              and scan_tickets; scan_states, contour_capacity, measuring, output,
 *   keeps (f, contour)         does the contour stay in the result?
 *   contour_at (f, i)          the Ith contour in the order of the result
 *   assign_row (f, row, contour)   copies what the algorithm keeps by row
 *   SELECT_SCAN                which of scan_tickets and scan_states the selection uses
 *   needs_offsets (f)          must the kernels find where each row's points begin?
 *   note_points (f, row, first, length)   what else is kept of that, and of the number of its points
 *   first_parent_key (f)       in the sort by parents, the key of contour 0's children; top-level keys are below
 *   top_level_key (f, contour)     in the sort by parents, the key of a contour without a parent
 * A kernel needs only the part of the Policy that it uses. contours_fit (f) says that there is room for what the frame
 * needs. If not, all kernels return, and the frame is done again. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_KERNELS_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_KERNELS_CUH

#include "cuda/contours/contour_args.cuh"

namespace
{

/* Only the device knows the number of items: CTAS take them in turn. */
constexpr int CONTOUR_THREADS = 256, CONTOUR_CTAS = 1056;

__device__ inline uint32_t
first_index ()
{
  return blockIdx.x * CONTOUR_THREADS + threadIdx.x;
}

__device__ inline uint32_t
index_step ()
{
  return gridDim.x * CONTOUR_THREADS;
}

/* The CTAs that share a stage: all of a grid, or some of them. */
struct Ctas {
  uint32_t own, count; /* the number of this CTA among them */

  static __device__ Ctas
  all ()
  {
    return {blockIdx.x, gridDim.x};
  }

  __device__ uint32_t
  first_index () const
  {
    return own * blockDim.x + threadIdx.x;
  }

  __device__ uint32_t
  index_step () const
  {
    return count * blockDim.x;
  }
};

/* A word that other threads may be changing. */
__device__ inline uint32_t
load_shared_word (const uint32_t *p)
{
  return *(const volatile uint32_t *) p;
}

/* Stores it: others load what it was before or is now. */
__device__ inline void
store_shared_word (uint32_t *p, uint32_t value)
{
  *(volatile uint32_t *) p = value;
}

/* All warps share longer contours, see row_shares.cuh. */
constexpr uint32_t LONG_POINTS = 512;

/* Before the measures of ROW, of so many points, are summed up. */
template <typename Args>
__device__ inline void
clear_measures (const Args &f, uint32_t row, uint32_t count)
{
  if (f.measuring) {
    uint4 *to = (uint4 *) &f.by_row.accumulators[row];
    to[0] = make_uint4 (0, 0, 0, 0);
    to[1] = make_uint4 (~0u, ~0u, 0, 0);
  }
  if (count <= LONG_POINTS)
    return;
  if (f.summing & SUMMING_MOMENTS)
    f.output->sums[row] = {};
  if (f.summing & SUMMING_FITS)
    f.output->fits[row] = {};
}

/* Is the contour's measured area and length within the limits? */
template <typename Args>
__device__ inline bool
within_limits (const Args &f, const ContourAccumulator &a)
{
  const uint64_t area2 = (uint64_t) (a.area2 < 0 ? -a.area2 : a.area2);
  return area2 >= f.min_area2 && area2 <= f.max_area2 && a.length >= f.min_length;
}

/* Launches KERNEL with a thread an item, but no more than CONTOUR_CTAS. */
template <typename Args, typename... More>
void
launch_over (void (*kernel) (const Args, More...), uint64_t items, const Args &f, bool overlap, cudaStream_t stream,
    More... more)
{
  const unsigned ctas = (unsigned) min (items / CONTOUR_THREADS + 1, (uint64_t) CONTOUR_CTAS);
  ctr_launch_overlapped (overlap, kernel, ctas, CONTOUR_THREADS, 0, stream, f, more...);
}

} // namespace

#endif
