/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Siblings: contours with the same parent. A sort by parents brings them together, and each row of the table learns of
 * those before and behind it. OpenCV's order is the reverse of that of the contours: the next sibling starts earlier,
 * and the first child starts last.
 *
 * They are templates over a Policy, see contour_kernels.cuh. */
#ifndef CTR_CUDA_CRACKS_SIBLINGS_CUH
#define CTR_CUDA_CRACKS_SIBLINGS_CUH

#include "cuda/contours/hierarchy.cuh"
#include "cuda/cracks/device_state.cuh"

namespace
{

/* What policies of contour_kernels.cuh have in common where contours have been numbered in the order of the result. */
struct NumberedPolicy {
  typedef CracksKernelArgs Args;
  static constexpr int SELECT_SCAN = SCAN_SELECTED;

  static __device__ uint32_t
  contour_at (const Args &, uint32_t i)
  {
    return i;
  }

  static __device__ void
  assign_row (const Args &, uint32_t, uint32_t)
  {
  }
};

/* Keys that bring siblings together: top-level contours first, then the others by parent, which PARENT_OF (contour) is. By all threads of
 * CTAS, which are the first of the grid. */
template <typename Policy, typename ParentOf>
__device__ inline void
make_keys (const CracksKernelArgs &f, const Ctas &ctas, ParentOf parent_of)
{
  __shared__ RadixHistograms histograms;
  const uint32_t rows = f.counters->header.contours;
  if (ctas.own * blockDim.x >= rows)
    return;
  radix_begin_count (histograms);
  radix_clear_states (f.siblings, rows, min (ctas.count, ctr_div_up (rows, blockDim.x)));
  for (uint32_t i = ctas.first_index (); i < rows; i += ctas.index_step ()) {
    const uint32_t contour = f.by_row.contours ? f.by_row.contours[i] : i, parent = parent_of (contour);
    const uint32_t key = parent == NO_PARENT
                             ? Policy::top_level_key (f, contour)
                             : Policy::first_parent_key (f) + (f.by_contour.rows ? f.by_contour.rows[parent] : parent);
    f.siblings.keys[0][i] = key;
    f.siblings.values[0][i] = i;
    radix_count (f.siblings, histograms, key);
  }
  radix_end_count (f.siblings, histograms);
}

template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) key_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (contours_fit (f))
    make_keys<Policy> (f, Ctas::all (), [&] (uint32_t contour) { return f.hierarchy.parents[contour]; });
}

__global__ void
__launch_bounds__ (RADIX_THREADS) sibling_pass_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t pass)
{
  __shared__ RadixShared shared;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  radix_pass (f.siblings, shared, pass, Ctas::all ());
}

/* After the sort, and once the table is there. */
template <typename Policy>
__device__ inline void
link_siblings (const CracksKernelArgs &f)
{
  CtrContour *const table = f.output->table;
  const uint32_t *keys = f.siblings.keys[radix_sorted (f.siblings)],
                 *rows = f.siblings.values[radix_sorted (f.siblings)];
  const uint32_t count = f.counters->header.contours, first_parent_key = Policy::first_parent_key (f);
  for (uint32_t i = first_index (); i < count; i += index_step ()) {
    const uint32_t key = keys[i], own = rows[i];
    const bool first = i == 0 || keys[i - 1] != key, last = i + 1 == count || keys[i + 1] != key;
    table[own].next = first ? -1 : (int32_t) rows[i - 1];
    table[own].previous = last ? -1 : (int32_t) rows[i + 1];
    if (last && key >= first_parent_key)
      table[key - first_parent_key].child = (int32_t) own;
  }
}

template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) link_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (contours_fit (f))
    link_siblings<Policy> (f);
}

/* The passes from number FIRST on. */
inline void
launch_sibling_passes (const CracksKernelArgs &f, uint32_t first, bool overlap, cudaStream_t stream)
{
  for (uint32_t pass = first; pass < f.siblings.passes; pass++)
    ctr_launch_overlapped (overlap, sibling_pass_kernel, radix_ctas (f.siblings), RADIX_THREADS, 0, stream, f, pass);
}

template <typename Policy>
void
launch_sibling_sort (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  launch_over (key_kernel<Policy>, f.contour_capacity, f, overlap, stream);
  launch_sibling_passes (f, 0, overlap, stream);
}

} // namespace

#endif
