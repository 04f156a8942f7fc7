/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the edge is beside each point of a chain (include/contours/edgechains.h), four lanes a point. */
#include "cuda/contours/edge_search.cuh"
#include "cuda/edgechains/device_state.cuh"

#include "core/results/edge_subpixel.h"

namespace
{

__global__ void
__launch_bounds__ (SEARCH_THREADS, 6)
    refine_kernel (const __grid_constant__ EdgeChainsArgs f, const __grid_constant__ CtrSubpixelRule rule)
{
  __shared__ SearchLines lines;
  __shared__ CtrSubpixelEdge edges[SEARCH_POINTS];
  __shared__ CtrSubpixelAxis axes[SEARCH_POINTS];
  __shared__ CtrSubpixelGradient gradients[SEARCH_POINTS];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!points_fit (f))
    return;
  const uint32_t points = f.counters->header.points;
  const ContourOutput output = *f.output;
  const SearchLane own (lines);
  for (uint64_t base = (uint64_t) blockIdx.x * SEARCH_POINTS; base < points;
       base += (uint64_t) gridDim.x * SEARCH_POINTS) {
    const uint64_t i = base + own.point;
    const bool searches = i < points;
    const CtrPoint point = searches ? output.points[i] : CtrPoint{};
    CtrSubpixelAxis axis = ctr_subpixel_first_axis (&output.samples, point);
    CtrSubpixelSums sums[2] = {};
    CtrSubpixelGradient g = {};
    bool moves = searches;
    do {
      search_derive (own, moves, &rule, &output.samples, point, axis, sums);
      /* The lane whose first place is the point has the gradient there. */
      const int64_t along = __shfl_sync (~0u, sums[0].a, CTR_SUBPIXEL_REACH, SEARCH_LANES),
                    across = __shfl_sync (~0u, sums[0].b, CTR_SUBPIXEL_REACH, SEARCH_LANES);
      if (moves) {
        g = ctr_subpixel_gradient (axis, along, across);
        const CtrSubpixelAxis nearest = ctr_subpixel_axis_of (g.x, g.y);
        moves = !ctr_subpixel_same_axis (nearest, axis);
        axis = nearest;
      }
    } while (__any_sync (~0u, moves));
    const CtrSubpixelRoom room = ctr_subpixel_room (&output.samples, point, axis);
    search_edge (own, searches && (g.x || g.y), &rule, sums, room, CTR_SUBPIXEL_EDGE_PIXEL_MIDDLE, &edges[own.point]);
    if (own.lane == 0) {
      axes[own.point] = axis;
      gradients[own.point] = g;
    }
    __syncthreads ();
    const uint64_t k = base + threadIdx.x;
    if (threadIdx.x < SEARCH_POINTS && k < points) {
      const uint32_t t = threadIdx.x;
      const CtrPoint of = output.points[k];
      store_subpixel (&output.subpixel[k], edges[t].found ? ctr_subpixel_at_edge (&rule, of, axes[t], &edges[t])
                                                          : ctr_subpixel_keep_edge_pixel (of, gradients[t],
                                                              ctr_subpixel_room (&output.samples, of, axes[t])));
    }
    __syncthreads ();
  }
}

} // namespace

void
edge_chains_launch_subpixel (const EdgeChainsArgs &f, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, refine_kernel, refine_ctas (f.point_capacity, SEARCH_POINTS), SEARCH_THREADS, 0, stream, f, rule);
}
