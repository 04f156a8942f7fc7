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

/* If point I moved TO, would its edges fold where they meet (PART 0), would they fold where they meet the edge before or after them (1,
 * 2), or touch these otherwise (3, 4)? In a triangle both are the same edge. */
constexpr uint32_t SNAKE_NEAR_PARTS = 5;
__device__ inline bool
move_touches_near (const Snake &s, uint32_t i, CtrPoint to, uint32_t part)
{
  const CtrPoint a = s.arrays.points[ctr_snake_before (s.count, i)], b = s.arrays.points[ctr_snake_next (s.count, i)];
  if (part == 0)
    return ctr_snake_fold (a, to, b);
  const uint32_t side = (part - 1) % 2;
  const CtrPoint other = point_beside (s, i, side);
  return part <= 2 ? ctr_snake_fold (side ? to : other, side ? b : a, side ? other : to)
                   : s.count > 3 && ctr_snake_touch (side ? a : to, side ? to : b, side ? b : other, side ? other : a);
}

/* Would any of the edges FIRST, FIRST + STEP, .. be touched, but for those beside point I's, if it moved to TO? */
__device__ inline bool
move_touches (const Snake &s, uint32_t i, CtrPoint to, uint32_t first, uint32_t step)
{
  const CtrPoint *points = s.arrays.points;
  const CtrPoint a = points[ctr_snake_before (s.count, i)], b = points[ctr_snake_next (s.count, i)];
  const SnakeBox own = box_of (a, to, b);
  bool touches = false;
#pragma unroll 1
  for (uint32_t edge = first; edge < s.count; edge += step) {
    const CtrPoint c = points[edge], d = points[ctr_snake_next (s.count, edge)];
    if (boxes_touch (own, box_of (c, d, d)) && is_apart (s, i, edge))
      touches = touches || ctr_snake_touch (a, to, c, d) || ctr_snake_touch (to, b, c, d);
  }
  return touches;
}

/* Adds ITEM and DIRECTION to those in the scratch memory that are tested for touching edges, where the thread ASKS for it. FRESH: no
 * move of the item has been tested. False: no thread asks. Two counters by turns: each is cleared while the other one is used. */
__device__ inline bool
cta_ask (Snake &s, bool fresh, bool asks, uint32_t item, uint32_t direction)
{
  const uint32_t all = __ballot_sync (~0u, asks);
  uint32_t at = 0;
  if (threadIdx.x == 0)
    s.scratch->move_counts[(s.asks + 1) % 2] = 0;
  if (all && lane_index () == 0)
    at = atomicAdd (&s.scratch->move_counts[s.asks % 2], __popc (all));
  at = __shfl_sync (~0u, at, 0) + __popc (all & ((1u << lane_index ()) - 1));
  if (asks) {
    s.scratch->moves[at] = (uint16_t) (item * CTR_SNAKE_DIRECTIONS + direction);
    if (fresh)
      s.scratch->blocked[item] = 0;
  }
  s.asks++;
  return __syncthreads_or (asks);
}

/* Marks what was asked for last and touches an edge: TOUCHES (item, direction, first), by a warp, one of 32 edges from FIRST on;
 * or BESIDE (item, direction, side), by a thread, an edge beside those at the point, unless these are TESTED already. They are always near,
 * so that they would hold up all warps. False: nothing touches. */
template <typename Touches, typename Beside>
__device__ inline bool
cta_find_blocked (const Snake &s, bool tested, Touches touches, Beside beside)
{
  constexpr uint32_t SIDES = 2;
  const uint32_t moves = s.scratch->move_counts[(s.asks - 1) % 2], blocks = (s.count + 31) / 32;
  const uint32_t besides = tested ? 0 : (moves * SIDES + 31) / 32, all = besides + moves * blocks;
  const float inverse = rough_inverse ((float) blocks);
  bool marked = false;
  const auto mark = [&] (uint32_t item, uint32_t direction) {
    atomicOr (&s.scratch->blocked[item], 1u << direction);
    marked = true;
  };
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
  return __syncthreads_or (marked);
}

#endif
