/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the edge is beside each point of a chain (include/contours/edgechains.h), a thread a point. */
#include "cuda/contours/contour_subpixel.cuh"
#include "cuda/edgechains/device_state.cuh"

#include "core/results/edge_subpixel.h"

namespace
{

__global__ void
__launch_bounds__ (REFINE_THREADS, 4)
    refine_kernel (const __grid_constant__ EdgeChainsArgs f, const __grid_constant__ CtrSubpixelRule rule)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f))
    return;
  const uint32_t count = f.counters->header.points;
  const ContourOutput output = *f.output;
  const auto load = [&] (uint32_t i) { return output.points[min (i, count - 1)]; };
  const auto refine = [&] (CtrPoint point, bool all, CtrSubpixelPoint *refined) {
    return ctr_subpixel_refine_edge_pixel_by (&rule, &output.samples, point, all, refined);
  };
  refine_points<false> (count, output.subpixel, load, refine);
}

} // namespace

void
edge_chains_launch_subpixel (const EdgeChainsArgs &f, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, refine_kernel, refine_ctas (f.point_capacity), REFINE_THREADS, 0, stream, f, rule);
}
