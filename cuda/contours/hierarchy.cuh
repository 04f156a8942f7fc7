/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of contours: parents. contour_kernels.cuh describes the Policy. */
#ifndef CTR_CUDA_CONTOURS_HIERARCHY_CUH
#define CTR_CUDA_CONTOURS_HIERARCHY_CUH

#include "cuda/contours/contour_kernels.cuh"

namespace
{

/* Replaces SAME_PARENT_AS, of contour I, by the parent, and returns that. Threads that do so follow their chains at once;
 * each takes over what others have found so far. PARENT: what is known. */
__device__ inline uint32_t
resolve_parent (uint32_t *parents, uint32_t i, uint32_t parent)
{
  while (parent & SAME_PARENT_AS) {
    parent = load_shared_word (&parents[parent & ~SAME_PARENT_AS]);
    if (parent & SAME_PARENT_AS)
      parent = load_shared_word (&parents[parent & ~SAME_PARENT_AS]);
    store_shared_word (&parents[i], parent);
  }
  return parent;
}

__device__ inline uint32_t
resolve_parent (uint32_t *parents, uint32_t i)
{
  return resolve_parent (parents, i, load_shared_word (&parents[i]));
}

/* After the selection: the parent of a contour inside a dropped one is the next contour around it that stays. */
template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) adopt_kernel (const __grid_constant__ typename Policy::Args f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  uint32_t *parents = f.hierarchy.parents;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    uint32_t parent = load_shared_word (&parents[i]);
    while (parent != NO_PARENT && f.by_contour.rows[parent] == NO_CONTOUR) {
      parent = load_shared_word (&parents[parent]);
      atomicExch (&parents[i], parent);
    }
  }
}

} // namespace

#endif
