/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removal of points without which a polygon's description is shorter. */
#ifndef CTR_CUDA_SNAKE_PRUNE_CUH
#define CTR_CUDA_SNAKE_PRUNE_CUH

#include "cuda/snake/moves.cuh"

/* LENGTHS after the removal of point I. */
__device__ inline CtrSnakeLengths
lengths_without (const Snake &s, CtrSnakeLengths lengths, uint32_t i)
{
  const CtrPoint *points = s.arrays.points;
  const CtrPoint a = points[ctr_snake_before (s.count, i)], p = points[i], b = points[ctr_snake_next (s.count, i)];
  lengths.x += (uint64_t) ctr_snake_distance (a.x, b.x) - ctr_snake_distance (a.x, p.x) - ctr_snake_distance (p.x, b.x);
  lengths.y += (uint64_t) ctr_snake_distance (a.y, b.y) - ctr_snake_distance (a.y, p.y) - ctr_snake_distance (p.y, b.y);
  return lengths;
}

/* Does the edge that replaces point I touch another one? */
__device__ inline bool
warp_removal_touches (const Snake &s, uint32_t i)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t before = ctr_snake_before (s.count, i);
  const CtrPoint a = points[before], b = points[ctr_snake_next (s.count, i)];
#pragma unroll 1
  for (uint32_t first = 0; first < s.count; first += 32) {
    const uint32_t edge = first + lane_index ();
    bool touches = false;
    if (edge < s.count && edge != before && edge != i) {
      const CtrPoint c = points[edge], d = points[ctr_snake_next (s.count, edge)];
      touches = !boxes_are_disjoint (a, b, b, c, d, d) && ctr_snake_removal_touches (points, s.count, i, edge);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* Finds the points whose removal alone makes the description shorter than LIMIT. */
template <bool WIDE>
__device__ inline void
cluster_find_removals (const SnakeKernelArgs &f, const Snake &s, CtrSnakeLengths lengths, double limit)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t count = s.count;
  cluster_sum_lines<WIDE, 2> (
      f, s, count,
      [&] (uint32_t i) {
        return rows_between (points[ctr_snake_before (count, i)], points[i])
               + rows_between (points[i], points[ctr_snake_next (count, i)]);
      },
      [&] (uint32_t i, int variant) {
        const CtrPoint b = points[ctr_snake_next (count, i)];
        return SnakeLine{points[ctr_snake_before (count, i)], variant ? points[i] : b, b};
      });
  constexpr uint32_t LANES = 4; /* for a point */
  /* Few points are spread over all warps, as each warp tests for touching edges one point after the other. */
  const uint32_t items = min (32 / LANES, (count + cluster_warps (s) - 1) / cluster_warps (s));
#pragma unroll 1
  for (uint32_t w = cluster_warp (s); w * items < count; w += cluster_warps (s)) {
    const uint32_t item = lane_index () / LANES, own = item < items ? w * items + item : count;
    const uint32_t i = min (own, count - 1);
    CtrSnakeSums gain = {0, 0, 0};
    for (uint32_t piece = s.arrays.offsets[i]; piece < s.arrays.offsets[i + 1]; piece++)
      gain = ctr_snake_sums_add (gain, ctr_snake_sums_sub (s.workspace.by_piece.partial_sums[2 * piece],
                                           s.workspace.by_piece.partial_sums[2 * piece + 1]));
    __syncwarp ();
    const double value =
        warp_description (f, s, ctr_snake_sums_add (s.inside, gain), count - 1, lengths_without (s, lengths, i));
    bool eligible = own < count && value < limit;
    for (uint32_t rest = __ballot_sync (~0u, eligible && lane_index () % LANES == 0); rest; rest &= rest - 1) {
      const uint32_t lane = __ffs (rest) - 1;
      if (warp_removal_touches (s, w * items + lane / LANES) && lane_index () == lane)
        eligible = false;
    }
    if (own < count && lane_index () % LANES == 0)
      s.changes[i] = {value, gain, eligible ? i : NO_CHANGE, 0};
  }
  cluster_barrier (s);
}

/* Is the removal OWN dropped in favour of OTHER? */
__device__ inline bool
drops_removal (const Snake &s, const SnakeListed &own, const SnakeListed &other)
{
  if (!is_better (other.value, other.index, own.value, own.index))
    return false;
  const CtrPoint *points = s.arrays.points;
  /* The boxes include the points themselves, so those of neighbours overlap. */
  return !boxes_are_disjoint (points[ctr_snake_before (s.count, own.index)], points[own.index],
             points[ctr_snake_next (s.count, own.index)], points[ctr_snake_before (s.count, other.index)],
             points[other.index], points[ctr_snake_next (s.count, other.index)])
         && ctr_snake_two_removals_touch (points, s.count, own.index, other.index);
}

/* Applies the removals that remain or, if they do not shorten the description, only the best one. */
__device__ inline void
cta_make_removals (const SnakeKernelArgs &f, Snake &s, uint32_t listed, CtrSnakeLengths lengths, double limit)
{
  CtrSnakeSums gain = {0, 0, 0}, rest = {0, 0, 0}; /* rest: n and s1 are changes of the lengths, s2 counts points */
  double best = HUGE_VAL;
  uint32_t best_index = NO_CHANGE;
#pragma unroll 1
  for (uint32_t l = threadIdx.x; l < listed; l += blockDim.x) {
    const SnakeListed c = listed_change (s, l);
    if (s.arrays.chosen[l]) {
      const CtrSnakeLengths change = lengths_without (s, {0, 0}, c.index);
      gain = ctr_snake_sums_add (gain, s.changes[c.index].gain);
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
  s.inside = ctr_snake_sums_add (s.inside, all ? gain : s.changes[best_index].gain);
  s.criterion = warp_criterion (f, s, s.inside);
  /* By point: does it stay? */
  uint8_t *stays = s.arrays.stale; /* overwrites the stale flags, which cluster_move() sets anew */
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
    stays[i] = all || i != best_index;
  __syncthreads ();
  if (all)
#pragma unroll 1
    for (uint32_t l = threadIdx.x; l < listed; l += blockDim.x)
      if (s.arrays.chosen[l])
        stays[listed_change (s, l).index] = 0;
  __syncthreads ();
  const uint32_t kept = cta_scan (s, s.arrays.offsets, s.count, [&] (uint32_t i) { return (uint32_t) stays[i]; });
  CtrPoint *new_points = s.workspace.by_cta_and_point.new_points + (size_t) s.cta * f.capacity;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
    if (stays[i])
      new_points[s.arrays.offsets[i]] = s.arrays.points[i];
  __syncthreads ();
  cta_take_points (s, new_points, kept);
}

/* A round of pruning. True: points were removed. */
template <bool WIDE>
__device__ inline bool
cluster_prune (const SnakeKernelArgs &f, Snake &s)
{
  if (!cluster_count_iteration (f, s) || s.count <= 3)
    return false;
  const CtrSnakeLengths lengths = cta_lengths (s);
  const double limit = warp_description (f, s, s.inside, s.count, lengths);
  swap_changes (s);
  cluster_find_removals<WIDE> (f, s, lengths, limit);
  const uint32_t listed = cta_list_changes (s);
  if (listed == 0)
    return false;
  cluster_drop (
      s, listed, [&] (const SnakeListed &own, const SnakeListed &other) { return drops_removal (s, own, other); });
  cta_make_removals (f, s, listed, lengths, limit);
  return true;
}

#endif
