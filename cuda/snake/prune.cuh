/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of points that do not shorten a polygon's description, by a team. */
#ifndef CTR_CUDA_SNAKE_PRUNE_CUH
#define CTR_CUDA_SNAKE_PRUNE_CUH

#include "cuda/snake/moves.cuh"

/* What the lengths of a polygon without its point I are. */
__device__ inline CtrSnakeLengths
lengths_without (const Snake &s, CtrSnakeLengths lengths, uint32_t i)
{
  const CtrPoint *points = s.arrays.points;
  const CtrPoint a = points[ctr_snake_before (s.count, i)], p = points[i], b = points[ctr_snake_next (s.count, i)];
  lengths.x += (uint64_t) ctr_snake_distance (a.x, b.x) - ctr_snake_distance (a.x, p.x) - ctr_snake_distance (p.x, b.x);
  lengths.y += (uint64_t) ctr_snake_distance (a.y, b.y) - ctr_snake_distance (a.y, p.y) - ctr_snake_distance (p.y, b.y);
  return lengths;
}

/* By a warp: does the edge that replaces point I touch another one? */
__device__ inline bool
warp_removal_touches (const Snake &s, uint32_t i)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t before = ctr_snake_before (s.count, i);
  const CtrPoint a = points[before], b = points[ctr_snake_next (s.count, i)];
#pragma unroll 1
  for (uint32_t first = 0; first < s.count; first += 32) {
    const uint32_t edge = first + lane_here ();
    bool touches = false;
    if (edge < s.count && edge != before && edge != i) {
      const CtrPoint c = points[edge], d = points[ctr_snake_next (s.count, edge)];
      touches = !boxes_part (a, b, b, c, d, d) && ctr_snake_removal_touches (points, s.count, i, edge);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* The points whose removal alone makes the description shorter than LIMIT, in global memory. */
template <bool WIDE>
__device__ inline void
team_find_removals (const SnakeFrame &f, const Snake &s, CtrSnakeLengths lengths, double limit)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t count = s.count;
  team_sums<WIDE, 2> (
      f, s, count,
      [&] (uint32_t i) {
        return rows_between (points[ctr_snake_before (count, i)], points[i])
               + rows_between (points[i], points[ctr_snake_next (count, i)]);
      },
      [&] (uint32_t i, int variant) {
        const CtrPoint b = points[ctr_snake_next (count, i)];
        return SnakeLine{points[ctr_snake_before (count, i)], variant ? points[i] : b, b};
      });
  constexpr uint32_t LANES = 4, ITEMS = 32 / LANES; /* for a point, and how many a warp looks at together */
#pragma unroll 1
  for (uint32_t w = warp_of_team (s); w * ITEMS < count; w += warps_of_team (s)) {
    const uint32_t own = w * ITEMS + lane_here () / LANES, i = min (own, count - 1);
    CtrSnakeSums gain = {0, 0, 0};
    for (uint32_t piece = s.arrays.places[i]; piece < s.arrays.places[i + 1]; piece++)
      gain = ctr_snake_sums_add (gain, ctr_snake_sums_sub (s.room.partials[2 * piece], s.room.partials[2 * piece + 1]));
    __syncwarp ();
    const double value =
        warp_description (f, s, ctr_snake_sums_add (s.inside, gain), count - 1, lengths_without (s, lengths, i));
    bool eligible = own < count && value < limit;
    for (uint32_t rest = __ballot_sync (~0u, eligible && lane_here () % LANES == 0); rest; rest &= rest - 1) {
      const uint32_t lane = __ffs (rest) - 1;
      if (warp_removal_touches (s, w * ITEMS + lane / LANES) && lane_here () == lane)
        eligible = false;
    }
    if (own < count && lane_here () % LANES == 0)
      s.found[i] = {value, gain, eligible ? i : NO_CHANGE, 0};
  }
  team_barrier (s);
}

/* Drops those that cannot go with better ones. */
__device__ inline void
cta_drop_removals (const Snake &s, uint32_t listed)
{
  const CtrPoint *points = s.arrays.points;
#pragma unroll 1
  for (uint32_t l = threadIdx.x / 32; l < listed; l += warps_here ()) {
    const SnakeChange own = s.found[s.arrays.list[l]];
    const CtrPoint a = points[ctr_snake_before (s.count, own.index)], b = points[ctr_snake_next (s.count, own.index)];
    bool dropped = false;
#pragma unroll 1
    for (uint32_t first = 0; first < listed && !dropped; first += 32) {
      bool touches = false;
      if (first + lane_here () < listed) {
        const SnakeChange other = s.found[s.arrays.list[first + lane_here ()]];
        if (is_better (other.value, other.index, own.value, own.index))
          /* With the points themselves: so the boxes of neighbours have one in common. */
          touches = !boxes_part (a, points[own.index], b, points[ctr_snake_before (s.count, other.index)],
                        points[other.index], points[ctr_snake_next (s.count, other.index)])
                    && ctr_snake_two_removals_touch (points, s.count, own.index, other.index);
      }
      dropped = __any_sync (~0u, touches);
    }
    if (dropped && lane_here () == 0)
      s.arrays.chosen[l] = 0;
  }
  __syncthreads ();
}

/* Removes those that remain, or only the best. */
__device__ inline void
cta_make_removals (const SnakeFrame &f, Snake &s, uint32_t listed, CtrSnakeLengths lengths, double limit)
{
  CtrSnakeSums gain = {0, 0, 0}, rest = {0, 0, 0}; /* of the latter, n and s1: what the lengths change by; s2: points */
  double best = HUGE_VAL;
  uint32_t best_index = NO_CHANGE;
#pragma unroll 1
  for (uint32_t l = threadIdx.x; l < listed; l += blockDim.x) {
    const SnakeChange c = s.found[s.arrays.list[l]];
    if (s.arrays.chosen[l]) {
      const CtrSnakeLengths change = lengths_without (s, {0, 0}, c.index);
      gain = ctr_snake_sums_add (gain, c.gain);
      rest = ctr_snake_sums_add (rest, {(int64_t) change.x, (int64_t) change.y, 1});
    }
    if (is_better (c.value, c.index, best, best_index)) {
      best = c.value;
      best_index = c.index;
    }
  }
  gain = cta_sum (s.scratch, gain);
  rest = cta_sum (s.scratch, rest);
  cta_best (s, &best, &best_index);
  const uint32_t count = s.count - (uint32_t) rest.s2;
  const bool all = count >= 3
                   && warp_description (f, s, ctr_snake_sums_add (s.inside, gain), count,
                          {lengths.x + (uint64_t) rest.n, lengths.y + (uint64_t) rest.s1})
                          < limit;
  /* What stays, by point. */
  uint8_t *stays = s.arrays.stale; /* what is stale is not known after this */
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
    stays[i] = all || i != best_index;
  __syncthreads ();
  if (all)
#pragma unroll 1
    for (uint32_t l = threadIdx.x; l < listed; l += blockDim.x)
      if (s.arrays.chosen[l])
        stays[s.found[s.arrays.list[l]].index] = 0;
  __syncthreads ();
  const uint32_t kept = cta_places (s, s.count, [&] (uint32_t i) { return (uint32_t) stays[i]; });
  CtrPoint *news = s.room.news + (size_t) s.cta * f.capacity;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
    if (stays[i])
      news[s.arrays.places[i]] = s.arrays.points[i];
  __syncthreads ();
  cta_take_points (s, news, kept);
}

/* A round of pruning: were points removed? The sums are not those of the polygon then. */
template <bool WIDE>
__device__ inline bool
team_prune (const SnakeFrame &f, Snake &s)
{
  if (!team_iterates (f, s) || s.count <= 3)
    return false;
  const CtrSnakeLengths lengths = cta_lengths (s);
  const double limit = warp_description (f, s, s.inside, s.count, lengths);
  swap_changes (s);
  team_find_removals<WIDE> (f, s, lengths, limit);
  const uint32_t listed = cta_list (s);
  if (listed == 0)
    return false;
  cta_drop_removals (s, listed);
  cta_make_removals (f, s, listed, lengths, limit);
  return true;
}

#endif
