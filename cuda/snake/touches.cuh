/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests whether changes of a polygon touch its other edges. */
#ifndef CTR_CUDA_SNAKE_TOUCHES_CUH
#define CTR_CUDA_SNAKE_TOUCHES_CUH

#include "cuda/snake/cluster.cuh"

/* Is EDGE none of those at point I, and not beside these? */
__device__ inline bool
is_apart (const Snake &s, uint32_t i, uint32_t edge)
{
  const uint32_t before = ctr_snake_before (s.count, i), next = ctr_snake_next (s.count, i);
  return edge != before && edge != i && edge != next && ctr_snake_next (s.count, edge) != before;
}

/* The point before or after the neighbours of point I, by SIDE. */
__device__ inline CtrPoint
point_beside (const Snake &s, uint32_t i, uint32_t side)
{
  return s.arrays.points[side ? ctr_snake_next (s.count, ctr_snake_next (s.count, i))
                              : ctr_snake_before (s.count, ctr_snake_before (s.count, i))];
}

/* If point I moved TO, would its edges touch the edge before or after them, by SIDE? In a triangle that is the same edge. */
__device__ inline bool
move_touches_beside (const Snake &s, uint32_t i, CtrPoint to, uint32_t side)
{
  const CtrPoint a = s.arrays.points[ctr_snake_before (s.count, i)], b = s.arrays.points[ctr_snake_next (s.count, i)];
  const CtrPoint other = point_beside (s, i, side);
  return ctr_snake_fold (side ? to : other, side ? b : a, side ? other : to)
         || (s.count > 3 && ctr_snake_touch (side ? a : to, side ? to : b, side ? b : other, side ? other : a));
}

/* Would any of 32 edges from FIRST on, but for those beside point I's, be touched if it moved to TO? */
__device__ inline bool
warp_move_touches (const Snake &s, uint32_t i, CtrPoint to, uint32_t first)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t edge = first + lane_index ();
  bool touches = false;
  if (edge < s.count && is_apart (s, i, edge)) {
    const CtrPoint a = points[ctr_snake_before (s.count, i)], b = points[ctr_snake_next (s.count, i)];
    const CtrPoint c = points[edge], d = points[ctr_snake_next (s.count, edge)];
    touches =
        !boxes_are_disjoint (a, to, b, c, d, d) && (ctr_snake_touch (a, to, c, d) || ctr_snake_touch (to, b, c, d));
  }
  return __any_sync (~0u, touches);
}

/* Adds ITEM and DIRECTION to those in the scratch memory that are tested for touching edges in ROUND, 0 or 1, where the
 * thread ASKS for it. False: no thread does. The counter of round 0 is 0 before, and that of round 1 after round 0. */
__device__ inline bool
cta_ask (const Snake &s, uint32_t round, bool asks, uint32_t item, uint32_t direction)
{
  const uint32_t all = __ballot_sync (~0u, asks);
  uint32_t at = 0;
  if (threadIdx.x == 0)
    s.scratch->move_counts[(round + 1) % 2] = 0;
  if (all && lane_index () == 0)
    at = atomicAdd (&s.scratch->move_counts[round], __popc (all));
  at = __shfl_sync (~0u, at, 0) + __popc (all & ((1u << lane_index ()) - 1));
  if (asks) {
    s.scratch->moves[at] = (uint16_t) (item * CTR_SNAKE_DIRECTIONS + direction);
    if (round == 0)
      s.scratch->blocked[item] = 0;
  }
  return __syncthreads_or (asks);
}

/* Marks what was asked for in ROUND and touches an edge: TOUCHES (item, direction, first), by a warp, one of 32 edges from FIRST on;
 * or BESIDE (item, direction, side), by a thread, an edge beside those at the point, unless these are TESTED already. They are always
 * near, so that they would hold up all warps. */
template <typename Touches, typename Beside>
__device__ inline void
cta_find_blocked (const Snake &s, uint32_t round, bool tested, Touches touches, Beside beside)
{
  constexpr uint32_t SIDES = 2;
  const uint32_t moves = s.scratch->move_counts[round], blocks = (s.count + 31) / 32;
  const uint32_t besides = tested ? 0 : (moves * SIDES + 31) / 32, all = besides + moves * blocks;
  const float inverse = rough_inverse ((float) blocks);
  const auto mark = [&] (uint32_t item, uint32_t direction) { atomicOr (&s.scratch->blocked[item], 1u << direction); };
#pragma unroll 1
  for (uint32_t t = threadIdx.x / 32; t < all; t += cta_warps ()) {
    if (t < besides) {
      const uint32_t own = 32 * t + lane_index (), move = s.scratch->moves[min (own / SIDES, moves - 1)];
      const uint32_t item = move / CTR_SNAKE_DIRECTIONS, direction = move % CTR_SNAKE_DIRECTIONS;
      if (beside (item, direction, own % SIDES))
        mark (item, direction);
      continue;
    }
    /* (T - BESIDES) / BLOCKS: the half outweighs the errors, as both factors are at most 512. */
    const uint32_t test = t - besides, number = (uint32_t) (((float) test + 0.5f) * inverse);
    const uint32_t move = s.scratch->moves[number], item = move / CTR_SNAKE_DIRECTIONS;
    const uint32_t direction = move % CTR_SNAKE_DIRECTIONS;
    if (touches (item, direction, (test - number * blocks) * 32) && lane_index () == 0)
      mark (item, direction);
  }
  __syncthreads ();
}

#endif
