/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of level contours: who is inside whom, and which contours stay. */
#include "cuda/contours/rows.cuh"
#include "cuda/cracks/parents.cuh"

namespace
{

__global__ void
__launch_bounds__ (CONTOUR_THREADS) parent_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!contours_fit (f))
    return;
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = first_index (); i < contours; i += index_step ())
    f.hierarchy.parents[i] = find_parent (f, i);
}

} // namespace

void
cracks_launch_parents (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  launch_over (parent_kernel, f.contour_capacity, f, overlap, stream);
}

void
cracks_launch_hierarchy (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  cracks_launch_parents (f, overlap, stream);
  launch_select_rows<CracksPolicy> (f, overlap, stream);
  launch_over (adopt_kernel<CracksPolicy>, f.contour_capacity, f, overlap, stream);
  (f.labels ? launch_sibling_sort<LabelsPolicy> : launch_sibling_sort<CracksPolicy>) (f, overlap, stream);
}

void
cracks_launch_links (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  launch_over (
      f.labels ? link_kernel<LabelsPolicy> : link_kernel<CracksPolicy>, f.contour_capacity, f, overlap, stream);
}
