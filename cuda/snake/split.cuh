/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits long edges of a polygon at their middles. Every CTA does the same. */
#ifndef CTR_CUDA_SNAKE_SPLIT_CUH
#define CTR_CUDA_SNAKE_SPLIT_CUH

#include "cuda/snake/cluster.cuh"

/* Is the middle exactly on the edge? Then its halves touch nothing that the edge does not touch. */
__device__ inline bool
halves_exactly (CtrPoint a, CtrPoint b)
{
  return (a.x + b.x) % 2 == 0 && (a.y + b.y) % 2 == 0;
}

/* Do the halves of edge E touch another edge? */
__device__ inline bool
warp_split_touches (const Snake &s, uint32_t e, CtrPoint a, CtrPoint b)
{
  const CtrPoint middle = ctr_snake_middle (a, b);
#pragma unroll 1
  for (uint32_t first = 0; first < s.count; first += 32) {
    const uint32_t edge = first + lane_index ();
    bool touches = false;
    if (edge < s.count && edge != e) {
      const CtrPoint c = s.arrays.points[edge], d = s.arrays.points[ctr_snake_next (s.count, edge)];
      touches = !boxes_are_disjoint (a, middle, b, c, d, d)
                && ctr_snake_split_touches (s.arrays.points, s.count, e, middle, edge);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* Do the halves of edge E touch those of a proposed edge of a lower index? */
__device__ inline bool
warp_splits_touch (const Snake &s, uint32_t e, CtrPoint a, CtrPoint b)
{
  const CtrPoint middle = ctr_snake_middle (a, b);
#pragma unroll 1
  for (uint32_t first = 0; first < e; first += 32) {
    const uint32_t edge = first + lane_index ();
    bool touches = false;
    if (edge < e && s.arrays.stale[edge]) {
      const CtrPoint c = s.arrays.points[edge], d = s.arrays.points[ctr_snake_next (s.count, edge)];
      const CtrPoint other = ctr_snake_middle (c, d);
      touches = !(halves_exactly (a, b) && halves_exactly (c, d)) && !boxes_are_disjoint (a, middle, b, c, other, d)
                && ctr_snake_two_splits_touch (s.arrays.points, s.count, e, middle, edge, other);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* Splits long edges. True: some were split. */
template <bool WIDE>
__device__ inline bool
cluster_split (const SnakeKernelArgs &f, Snake &s)
{
  CtrPoint *points = s.arrays.points;
  uint8_t *proposed = s.arrays.stale,
          *chosen = s.arrays.chosen; /* overwrites the stale flags, which cluster_move() sets anew */
#pragma unroll 1
  for (uint32_t e = threadIdx.x / 32; e < s.count; e += cta_warps ()) {
    const CtrPoint a = points[e], b = points[ctr_snake_next (s.count, e)];
    const bool splits =
        ctr_snake_splits (a, b, s.min_segment) && (halves_exactly (a, b) || !warp_split_touches (s, e, a, b));
    if (lane_index () == 0)
      proposed[e] = splits;
  }
  __syncthreads ();
#pragma unroll 1
  for (uint32_t e = threadIdx.x / 32; e < s.count; e += cta_warps ()) {
    const CtrPoint a = points[e], b = points[ctr_snake_next (s.count, e)];
    const bool keeps = proposed[e] && !warp_splits_touch (s, e, a, b);
    if (lane_index () == 0)
      chosen[e] = keeps;
  }
  __syncthreads ();
  const uint32_t all = cta_scan (s, s.arrays.offsets, s.count, [&] (uint32_t e) { return (uint32_t) chosen[e]; });
  const uint32_t kept = min (all, CTR_SNAKE_MAX_POINTS - s.count), count = s.count;
  if (kept == 0)
    return false;
  if (count + kept > f.capacity) {
    s.needed_capacity = count + kept;
    return false;
  }
  CtrPoint *new_points = s.workspace.by_cta_and_point.new_points + (size_t) s.cta * f.capacity;
#pragma unroll 1
  for (uint32_t e = threadIdx.x; e < count; e += blockDim.x) {
    const uint32_t before = s.arrays.offsets[e];
    new_points[e + min (before, kept)] = points[e];
    if (chosen[e] && before < kept)
      new_points[e + before + 1] = ctr_snake_middle (points[e], points[ctr_snake_next (count, e)]);
  }
  __syncthreads ();
  cta_take_points (s, new_points, count + kept);
  return true;
}

#endif
