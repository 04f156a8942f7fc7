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
  const uint32_t points = f.counters->header.points;
  const ContourOutput output = *f.output;
  for (uint64_t i = (uint64_t) blockIdx.x * REFINE_THREADS + threadIdx.x; i < points;
       i += (uint64_t) gridDim.x * REFINE_THREADS) {
    store_subpixel (&output.subpixel[i], ctr_subpixel_refine_edge_pixel (&rule, &output.samples, output.points[i]));
  }
}

} // namespace

void
edge_chains_launch_subpixel (const EdgeChainsArgs &f, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, refine_kernel, refine_ctas (f.point_capacity), REFINE_THREADS, 0, stream, f, rule);
}
