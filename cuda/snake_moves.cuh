/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moves of a polygon's points, by a team. What a move changes in the sums depends on the point and its neighbours only,
 * and is summed once for as long as these stay; the criterion is the whole polygon's, so all are priced anew in each
 * phase. */
#ifndef CTR_SNAKE_MOVES_CUH
#define CTR_SNAKE_MOVES_CUH

#include "cuda/snake_team.cuh"

/* By a warp: may the point move there? */
__device__ inline bool
warp_can_move (const Snake &s, uint32_t i, CtrPoint to)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t before = ctr_snake_before (s.count, i), next = ctr_snake_next (s.count, i);
  const CtrPoint a = points[before], b = points[next];
  if (ctr_snake_fold (a, to, b))
    return false;
#pragma unroll 1
  for (uint32_t first = 0; first < s.count; first += 32) {
    const uint32_t edge = first + lane_here ();
    bool touches = false;
    if (edge < s.count && edge != before && edge != i) {
      const CtrPoint c = points[edge], d = points[ctr_snake_next (s.count, edge)];
      touches = !boxes_part (a, to, b, c, d, d) && ctr_snake_move_touches (points, s.count, i, to, edge);
    }
    if (__any_sync (~0u, touches))
      return false;
  }
  return true;
}

/* By a warp: the move of point I, if it has any. GAIN: in lane d < CTR_SNAKE_DIRECTIONS, that of the direction. */
__device__ inline void
warp_find_move (const SnakeFrame &f, const Snake &s, uint32_t i, int32_t step, CtrSnakeSums gain, SnakeChange *change)
{
  const uint32_t lane = lane_here ();
  /* The regions inside by the first eight lanes, those outside by the next. */
  const CtrSnakeSums inside = ctr_snake_sums_add (s.inside, shuffled (gain, lane % CTR_SNAKE_DIRECTIONS));
  const CtrSnakeSums region = lane < CTR_SNAKE_DIRECTIONS ? inside : ctr_snake_sums_sub (s.window, inside);
  double value = lane < 2 * CTR_SNAKE_DIRECTIONS && region.n >= 1 ? ctr_snake_cost (&f.cost, region) : HUGE_VAL;
  value = ctr_add (value, __shfl_down_sync (~0u, value, CTR_SNAKE_DIRECTIONS));
  if (lane >= CTR_SNAKE_DIRECTIONS)
    value = HUGE_VAL;
  const CtrPoint to = ctr_snake_moved (&s.limits, s.arrays.points[i], lane % CTR_SNAKE_DIRECTIONS, step);
  uint32_t found = NO_CHANGE;
  while (__any_sync (~0u, value < s.criterion)) {
    double least = value;
    uint32_t direction = lane;
    for (int d = 4; d; d /= 2) { /* among the first eight lanes */
      const double other = __shfl_xor_sync (~0u, least, d);
      const uint32_t other_direction = __shfl_xor_sync (~0u, direction, d);
      if (is_better (other, other_direction, least, direction)) {
        least = other;
        direction = other_direction;
      }
    }
    direction = __shfl_sync (~0u, direction, 0);
    CtrPoint there;
    there.x = (uint16_t) __shfl_sync (~0u, (uint32_t) to.x, direction);
    there.y = (uint16_t) __shfl_sync (~0u, (uint32_t) to.y, direction);
    if (warp_can_move (s, i, there)) {
      found = direction;
      break;
    }
    if (lane == direction)
      value = HUGE_VAL;
  }
  if (found == NO_CHANGE ? lane == 0 : lane == found)
    *change = {value, gain, found == NO_CHANGE ? NO_CHANGE : i, found};
}

__device__ inline CtrPoint
moved_to (const Snake &s, const SnakeChange &change, int32_t step)
{
  return ctr_snake_moved (&s.limits, s.arrays.points[change.index], change.direction, step);
}

/* Those of COUNT changes that there are into the list, in any order. Returns how many. */
__device__ inline uint32_t
cta_list (Snake &s, uint32_t count)
{
  if (threadIdx.x == 0)
    s.scratch->counter = 0;
  __syncthreads ();
  const bool few = count <= SNAKE_FEW_CHANGES;
  s.changes = few ? s.scratch->changes : s.room.changes;
#pragma unroll 1
  for (uint32_t k = threadIdx.x; k < count; k += SNAKE_THREADS) {
    const SnakeChange change = s.room.changes[k];
    if (few)
      s.scratch->changes[k] = change;
    if (change.index == NO_CHANGE)
      continue;
    const uint32_t at = atomicAdd (&s.scratch->counter, 1);
    s.arrays.list[at] = (uint16_t) k;
    s.arrays.chosen[at] = 1;
  }
  __syncthreads ();
  return s.scratch->counter;
}

/* Drops those that touch better ones. */
__device__ inline void
cta_drop_moves (const Snake &s, uint32_t listed, int32_t step)
{
  const CtrPoint *points = s.arrays.points;
#pragma unroll 1
  for (uint32_t l = threadIdx.x / 32; l < listed; l += SNAKE_WARPS) {
    const SnakeChange own = s.changes[s.arrays.list[l]];
    const CtrPoint to = moved_to (s, own, step), a = points[ctr_snake_before (s.count, own.index)],
                   b = points[ctr_snake_next (s.count, own.index)];
    bool dropped = false;
#pragma unroll 1
    for (uint32_t first = 0; first < listed && !dropped; first += 32) {
      bool touches = false;
      if (first + lane_here () < listed) {
        const SnakeChange other = s.changes[s.arrays.list[first + lane_here ()]];
        if (is_better (other.value, other.index, own.value, own.index)) {
          const CtrPoint other_to = moved_to (s, other, step);
          touches = !boxes_part (a, to, b, points[ctr_snake_before (s.count, other.index)], other_to,
                        points[ctr_snake_next (s.count, other.index)])
                    && ctr_snake_moves_touch (points, s.count, own.index, to, other.index, other_to);
        }
      }
      dropped = __any_sync (~0u, touches);
    }
    if (dropped && lane_here () == 0)
      s.arrays.chosen[l] = 0;
  }
  __syncthreads ();
}

/* Makes those that remain, or only the best. */
__device__ inline void
cta_make_moves (const SnakeFrame &f, Snake &s, uint32_t listed, int32_t step)
{
  CtrSnakeSums gain = {0, 0, 0};
  double best = HUGE_VAL;
  uint32_t best_index = NO_CHANGE;
#pragma unroll 1
  for (uint32_t l = threadIdx.x; l < listed; l += SNAKE_THREADS) {
    const SnakeChange c = s.changes[s.arrays.list[l]];
    if (s.arrays.chosen[l])
      gain = ctr_snake_sums_add (gain, c.gain);
    if (is_better (c.value, c.index, best, best_index)) {
      best = c.value;
      best_index = c.index;
    }
  }
  CtrSnakeSums inside = ctr_snake_sums_add (s.inside, cta_sum (s.scratch, gain));
  double criterion = warp_criterion (f, s, inside);
  const bool all = criterion < s.criterion;
  if (!all) {
    cta_best (s, &best, &best_index);
    gain = {0, 0, 0};
#pragma unroll 1
    for (uint32_t l = threadIdx.x; l < listed; l += SNAKE_THREADS) {
      const SnakeChange c = s.changes[s.arrays.list[l]];
      if (c.index == best_index)
        gain = c.gain;
    }
    inside = ctr_snake_sums_add (s.inside, cta_sum (s.scratch, gain));
    criterion = best;
  }
  s.inside = inside;
  s.criterion = criterion;
  /* Of a phase, no two are neighbours, but two may have one in common: one side first. */
  for (int side = 0; side < 2; side++) {
#pragma unroll 1
    for (uint32_t l = threadIdx.x; l < listed; l += SNAKE_THREADS) {
      const SnakeChange c = s.changes[s.arrays.list[l]];
      if (!(all ? s.arrays.chosen[l] != 0 : c.index == best_index))
        continue;
      if (side == 0) {
        s.arrays.points[c.index] = moved_to (s, c, step);
        s.arrays.stale[c.index] = 1;
        s.arrays.stale[ctr_snake_next (s.count, c.index)] = 1;
      } else {
        s.arrays.stale[ctr_snake_before (s.count, c.index)] = 1;
      }
    }
    __syncthreads ();
  }
}

/* The changes of a phase, in global memory. */
template <bool WIDE>
__device__ inline void
team_find_moves (const SnakeFrame &f, const Snake &s, uint32_t phase, int32_t step)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t count = s.count, size = ctr_snake_phase_size (count, phase);
  team_sums<WIDE, SNAKE_VARIANTS> (
      f, s, size,
      [&] (uint32_t k) -> uint32_t {
        const uint32_t i = ctr_snake_phase_point (count, phase, k);
        return s.arrays.stale[i] ? rows_between (points[ctr_snake_before (count, i)], points[i])
                                       + rows_between (points[i], points[ctr_snake_next (count, i)]) + 2 * step
                                 : NO_CHANGE;
      },
      [&] (uint32_t k, int variant) {
        const uint32_t i = ctr_snake_phase_point (count, phase, k);
        return SnakeLine{points[ctr_snake_before (count, i)],
            variant < CTR_SNAKE_DIRECTIONS ? ctr_snake_moved (&s.limits, points[i], variant, step) : points[i],
            points[ctr_snake_next (count, i)]};
      });
  for (uint32_t k = warp_of_team (s); k < size; k += warps_of_team (s)) {
    const uint32_t i = ctr_snake_phase_point (count, phase, k), lane = lane_here ();
    CtrSnakeSums *gains = s.room.gains + (size_t) i * CTR_SNAKE_DIRECTIONS;
    CtrSnakeSums gain = {0, 0, 0};
    if (s.arrays.stale[i]) {
      const CtrSnakeSums sums = warp_item_sums<SNAKE_VARIANTS> (s, k);
      gain = ctr_snake_sums_sub (sums, shuffled (sums, CTR_SNAKE_DIRECTIONS));
      if (lane < CTR_SNAKE_DIRECTIONS)
        gains[lane] = gain;
    } else if (lane < CTR_SNAKE_DIRECTIONS) {
      gain = gains[lane];
    }
    warp_find_move (f, s, i, step, gain, &s.room.changes[k]);
  }
  team_barrier (s);
}

/* Moves by STEP until they end. */
template <bool WIDE>
__device__ inline void
team_move (const SnakeFrame &f, Snake &s, uint32_t step)
{
  const uint32_t phases = ctr_snake_phases (s.count);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += SNAKE_THREADS)
    s.arrays.stale[i] = 1;
  __syncthreads ();
  for (uint32_t phase = 0, still = 0; still < phases; phase = (phase + 1) % phases) {
    if (!team_iterates (f, s))
      return;
    const uint32_t size = ctr_snake_phase_size (s.count, phase);
    swap_changes (s);
    team_find_moves<WIDE> (f, s, phase, (int32_t) step);
#pragma unroll 1
    for (uint32_t k = threadIdx.x; k < size; k += SNAKE_THREADS)
      s.arrays.stale[ctr_snake_phase_point (s.count, phase, k)] = 0;
    const uint32_t listed = cta_list (s, size);
    still = listed ? 0 : still + 1;
    if (listed) {
      cta_drop_moves (s, listed, (int32_t) step);
      cta_make_moves (f, s, listed, (int32_t) step);
    }
  }
}

#endif
