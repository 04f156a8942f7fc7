/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Middles for the long edges of a polygon, by a team: each CTA alike. */
#ifndef CTR_CUDA_SNAKE_SPLIT_CUH
#define CTR_CUDA_SNAKE_SPLIT_CUH

#include "cuda/snake/cluster.cuh"

/* Are the halves of the edge parts of it? Then they touch nothing that it does not. */
__device__ inline bool
halves_exactly (CtrPoint a, CtrPoint b)
{
  return (a.x + b.x) % 2 == 0 && (a.y + b.y) % 2 == 0;
}

/* By a warp: do the halves of edge E touch another edge? */
__device__ inline bool
warp_split_touches (const Snake &s, uint32_t e, CtrPoint a, CtrPoint b)
{
  const CtrPoint middle = ctr_snake_middle (a, b);
#pragma unroll 1
  for (uint32_t first = 0; first < s.count; first += 32) {
    const uint32_t edge = first + lane_here ();
    bool touches = false;
    if (edge < s.count && edge != e) {
      const CtrPoint c = s.arrays.points[edge], d = s.arrays.points[ctr_snake_next (s.count, edge)];
      touches =
          !boxes_part (a, middle, b, c, d, d) && ctr_snake_split_touches (s.arrays.points, s.count, e, middle, edge);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* By a warp: do they touch the halves of a proposal of a lower index? */
__device__ inline bool
warp_splits_touch (const Snake &s, uint32_t e, CtrPoint a, CtrPoint b)
{
  const CtrPoint middle = ctr_snake_middle (a, b);
#pragma unroll 1
  for (uint32_t first = 0; first < e; first += 32) {
    const uint32_t edge = first + lane_here ();
    bool touches = false;
    if (edge < e && s.arrays.stale[edge]) {
      const CtrPoint c = s.arrays.points[edge], d = s.arrays.points[ctr_snake_next (s.count, edge)];
      const CtrPoint other = ctr_snake_middle (c, d);
      touches = !(halves_exactly (a, b) && halves_exactly (c, d)) && !boxes_part (a, middle, b, c, other, d)
                && ctr_snake_two_splits_touch (s.arrays.points, s.count, e, middle, edge, other);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* Splits long edges: were there any? */
template <bool WIDE>
__device__ inline bool
team_split (const SnakeFrame &f, Snake &s)
{
  CtrPoint *points = s.arrays.points;
  uint8_t *proposed = s.arrays.stale, *chosen = s.arrays.chosen; /* what is stale is not known after this */
#pragma unroll 1
  for (uint32_t e = threadIdx.x / 32; e < s.count; e += warps_here ()) {
    const CtrPoint a = points[e], b = points[ctr_snake_next (s.count, e)];
    const bool splits =
        ctr_snake_splits (a, b, s.min_segment) && (halves_exactly (a, b) || !warp_split_touches (s, e, a, b));
    if (lane_here () == 0)
      proposed[e] = splits;
  }
  __syncthreads ();
#pragma unroll 1
  for (uint32_t e = threadIdx.x / 32; e < s.count; e += warps_here ()) {
    const CtrPoint a = points[e], b = points[ctr_snake_next (s.count, e)];
    const bool keeps = proposed[e] && !warp_splits_touch (s, e, a, b);
    if (lane_here () == 0)
      chosen[e] = keeps;
  }
  __syncthreads ();
  const uint32_t all = cta_places (s, s.count, [&] (uint32_t e) { return (uint32_t) chosen[e]; });
  const uint32_t kept = min (all, CTR_SNAKE_MAX_POINTS - s.count), count = s.count;
  if (kept == 0)
    return false;
  if (count + kept > f.capacity) {
    s.needed = count + kept;
    return false;
  }
  CtrPoint *news = s.room.news + (size_t) s.cta * f.capacity;
#pragma unroll 1
  for (uint32_t e = threadIdx.x; e < count; e += blockDim.x) {
    const uint32_t before = s.arrays.places[e];
    news[e + min (before, kept)] = points[e];
    if (chosen[e] && before < kept)
      news[e + before + 1] = ctr_snake_middle (points[e], points[ctr_snake_next (count, e)]);
  }
  __syncthreads ();
  cta_take_points (s, news, count + kept);
  return true;
}

#endif
