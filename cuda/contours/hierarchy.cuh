/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of contours: parents, siblings, first children. contour_kernels.cuh describes the Policy. */
#ifndef CTR_CUDA_CONTOURS_HIERARCHY_CUH
#define CTR_CUDA_CONTOURS_HIERARCHY_CUH

#include "cuda/contours/radix_sort.cuh"

namespace
{

/* Replaces SAME_PARENT_AS, of contour I, by the parent, and returns that. Threads that do so follow their chains at once;
 * each takes over what others have found so far. */
__device__ inline uint32_t
resolve_parent (uint32_t *parents, uint32_t i)
{
  uint32_t parent = load_shared_word (&parents[i]);
  while (parent & SAME_PARENT_AS) {
    parent = load_shared_word (&parents[parent & ~SAME_PARENT_AS]);
    if (parent & SAME_PARENT_AS)
      parent = load_shared_word (&parents[parent & ~SAME_PARENT_AS]);
    store_shared_word (&parents[i], parent);
  }
  return parent;
}

template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) resolve_parents_kernel (const __grid_constant__ typename Policy::Args f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ())
    resolve_parent (f.hierarchy.parents, i);
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

/* Keys that bring siblings together: top-level contours first, then the others by parent. BY_ROW: contours have rows by now, and
 * siblings are rows. */
template <typename Policy, bool BY_ROW>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) sibling_key_kernel (const __grid_constant__ typename Policy::Args f)
{
  __shared__ RadixHistograms histograms;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.contours;
  if (blockIdx.x * CONTOUR_THREADS >= contours)
    return;
  radix_begin_count (histograms);
  radix_clear_states (f.siblings, contours, min (gridDim.x, ctr_div_up (contours, CONTOUR_THREADS)));
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t contour = BY_ROW && f.by_row.contours ? f.by_row.contours[i] : i;
    Policy::prepare_parent (f, contour);
    const uint32_t parent = f.hierarchy.parents[contour];
    const uint32_t key = parent == NO_PARENT ? Policy::top_level_key (f, contour)
                                             : Policy::first_parent_key (f)
                                                   + (BY_ROW && f.by_contour.rows ? f.by_contour.rows[parent] : parent);
    f.hierarchy.child[i] = NO_CONTOUR;
    f.siblings.keys[0][i] = key;
    f.siblings.values[0][i] = i;
    radix_count (f.siblings, histograms, key);
  }
  radix_end_count (f.siblings, histograms);
}

/* After the stable sort by these keys. */
template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) link_siblings_kernel (const __grid_constant__ typename Policy::Args f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const ContourHierarchyArgs &h = f.hierarchy;
  const uint32_t sorted = radix_sorted (f.siblings);
  const uint32_t *const keys = f.siblings.keys[sorted], *const values = f.siblings.values[sorted];
  const uint32_t contours = f.counters->header.contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ()) {
    const uint32_t key = keys[i], own = values[i], first_parent_key = Policy::first_parent_key (f);
    const bool first = i == 0 || keys[i - 1] != key, last = i + 1 == contours || keys[i + 1] != key;
    const uint32_t before = first ? NO_CONTOUR : values[i - 1];
    const uint32_t after = last ? NO_CONTOUR : values[i + 1];
    h.next[own] = Policy::SIBLINGS_DESCEND ? before : after;
    h.previous[own] = Policy::SIBLINGS_DESCEND ? after : before;
    if ((Policy::SIBLINGS_DESCEND ? last : first) && key >= first_parent_key)
      h.child[key - first_parent_key] = own;
  }
}

} // namespace

#endif
