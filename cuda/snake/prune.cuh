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

/* Does the edge that replaces point I touch the edge before or after its own ones, by SIDE? There are more than 3. */
__device__ inline bool
removal_touches_beside (const Snake &s, uint32_t i, uint32_t side)
{
  const CtrPoint a = s.arrays.points[ctr_snake_before (s.count, i)], b = s.arrays.points[ctr_snake_next (s.count, i)];
  const CtrPoint other = point_beside (s, i, side);
  return ctr_snake_fold (side ? a : other, side ? b : a, side ? other : b);
}

/* Does the edge that replaces point I touch one of 32 edges from FIRST on, but for those beside its own ones? */
__device__ inline bool
warp_removal_touches (const Snake &s, uint32_t i, uint32_t first)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t edge = first + lane_index ();
  bool touches = false;
  if (edge < s.count && is_apart (s, i, edge)) {
    const CtrPoint a = points[ctr_snake_before (s.count, i)], b = points[ctr_snake_next (s.count, i)];
    const CtrPoint c = points[edge], d = points[ctr_snake_next (s.count, edge)];
    touches = !boxes_are_disjoint (a, b, b, c, d, d) && ctr_snake_touch (a, b, c, d);
  }
  return __any_sync (~0u, touches);
}

/* The edge that replaces point I, or its edges where VARIANT is 1. */
__device__ inline SnakeLine
line_of_removal (const Snake &s, uint32_t i, int variant)
{
  const CtrPoint *points = s.arrays.points, b = points[ctr_snake_next (s.count, i)];
  return {points[ctr_snake_before (s.count, i)], variant ? points[i] : b, b};
}

/* Finds the points whose removal alone makes the description shorter than LIMIT; each CTA finds those of every
 * s.ctas-th point. */
template <bool WIDE>
__device__ inline void
cluster_find_removals (const SnakeKernelArgs &f, Snake &s, CtrSnakeLengths lengths, double limit)
{
  constexpr uint32_t LANES = 4, LINES = 2; /* for a point */
  const CtrPoint *points = s.arrays.points;
  const uint32_t count = s.count, all = cta_items (s);
  const bool together = cta_has_long_edges (s) && s.ctas > 1;
  if (together)
    cluster_sum_lines<WIDE, LINES> (
        f, s, count,
        [&] (uint32_t i) {
          return rows_between (points[ctr_snake_before (count, i)], points[i])
                 + rows_between (points[i], points[ctr_snake_next (count, i)]);
        },
        [&] (uint32_t i, int variant) { return line_of_removal (s, i, variant); });
#pragma unroll 1
  for (uint32_t begin = 0; begin < all; begin += SNAKE_ITEMS) {
    const uint32_t items = min (all - begin, SNAKE_ITEMS), first = s.cta + begin * s.ctas;
#pragma unroll 1
    for (uint32_t part = 0; part < items && !together; part += 32)
      cta_sum_lines<WIDE, LINES> (f, s, items - part < 32 ? (1u << (items - part)) - 1 : ~0u,
          s.scratch->lines + part * LINES,
          [&] (uint32_t item, int variant) { return line_of_removal (s, first + (part + item) * s.ctas, variant); });
    __syncthreads ();
    const uint32_t slot = threadIdx.x / LANES, item = min (slot, items - 1), i = first + item * s.ctas;
    const bool own = slot < items && threadIdx.x % LANES == 0;
    CtrSnakeSums gain = {0, 0, 0};
    double value = HUGE_VAL;
    if (threadIdx.x / 32 * 32 < items * LANES) {
      const uint32_t piece = together ? s.arrays.offsets[i] : item, end = together ? s.arrays.offsets[i + 1] : item + 1;
      const CtrSnakeSums *sums = together ? s.workspace.by_piece.partial_sums : s.scratch->lines;
      for (uint32_t k = piece; k < end; k++)
        gain = ctr_snake_sums_add (gain, ctr_snake_sums_sub (sums[LINES * k], sums[LINES * k + 1]));
      __syncwarp ();
      value = warp_description (f, s, ctr_snake_sums_add (s.inside, gain), count - 1, lengths_without (s, lengths, i));
    }
    const bool asks = own && value < limit;
    bool eligible = asks;
    if (cta_ask (s, true, asks, item, 0)) {
      cta_find_blocked (
          s, false,
          [&] (uint32_t tested, uint32_t, uint32_t edge) {
            return warp_removal_touches (s, first + tested * s.ctas, edge);
          },
          [&] (uint32_t tested, uint32_t, uint32_t side) {
            return removal_touches_beside (s, first + tested * s.ctas, side);
          });
      eligible = asks && !s.scratch->blocked[item];
    }
    if (own)
      s.changes[i] = {value, gain, eligible ? i : NO_CHANGE, 0};
    warp_send_change (s, i, slot < items, threadIdx.x % LANES, LANES);
  }
}

/* The bounding box of the point and its neighbours, so that the boxes of neighbours touch. */
template <typename Change>
__device__ inline SnakeBox
box_of_removal (const Snake &s, const Change &change)
{
  const CtrPoint *points = s.arrays.points, p = points[change.index];
  return box_of (
      points[ctr_snake_before (s.count, change.index)], p, p, points[ctr_snake_next (s.count, change.index)]);
}

/* Sums over removals. */
struct SnakeRemovals {
  CtrSnakeSums gain;
  CtrSnakeSums rest; /* n and s1 are changes of the lengths, s2 counts points */
};

/* What the removal of point I adds. */
__device__ inline SnakeRemovals
removal_of (const Snake &s, uint32_t i, CtrSnakeSums gain)
{
  const CtrSnakeLengths change = lengths_without (s, {0, 0}, i);
  return {gain, {(int64_t) change.x, (int64_t) change.y, 1}};
}

/* Finds the description after all of up to SNAKE_WARP_CHANGES candidates' removals, while other warps find which ones are dropped:
 * mostly none are. Leaves it in the scratch memory. */
__device__ inline void
warp_guess_removals (const SnakeKernelArgs &f, const Snake &s, CtrSnakeLengths lengths)
{
  const uint32_t left = s.count - s.candidates;
  SnakeRemovals all = {{0, 0, 0}, {0, 0, 0}};
  if (lane_index () < s.candidates) {
    const SnakeChange &own = s.scratch->first_changes[lane_index ()];
    all = removal_of (s, own.index, own.gain);
  }
  const CtrSnakeSums inside = ctr_snake_sums_add (s.inside, warp_sum (all.gain)), rest = warp_sum (all.rest);
  lengths = {lengths.x + (uint64_t) rest.n, lengths.y + (uint64_t) rest.s1};
  const double description = left >= 3 ? warp_description (f, s, inside, left, lengths) : HUGE_VAL;
  if (lane_index () == 0) {
    s.scratch->inside = inside;
    s.scratch->lengths = lengths;
    s.scratch->description = description;
  }
}

/* Decides between ALL removals that remain and the best one, which has the value BEST and adds ONE. Leaves the result
 * in the scratch memory. */
__device__ inline void
warp_judge_removals (const SnakeKernelArgs &f, const Snake &s, SnakeRemovals all, SnakeRemovals one, double best,
    uint32_t best_index, CtrSnakeLengths lengths, double limit)
{
  const auto lengths_after = [&] (const SnakeRemovals &removals) {
    return CtrSnakeLengths{lengths.x + (uint64_t) removals.rest.n, lengths.y + (uint64_t) removals.rest.s1};
  };
  const uint32_t removed = (uint32_t) all.rest.s2;
  bool takes_all = removed > 1 && s.count - removed >= 3;
  double description = best;
  if (takes_all) {
    const double together =
        warp_description (f, s, ctr_snake_sums_add (s.inside, all.gain), s.count - removed, lengths_after (all));
    takes_all = together < limit;
    description = takes_all ? together : best;
  }
  __syncwarp (); /* All have read what is overwritten now. */
  if (threadIdx.x == 0) {
    s.scratch->inside = ctr_snake_sums_add (s.inside, takes_all ? all.gain : one.gain);
    s.scratch->lengths = takes_all ? lengths_after (all) : lengths_after (one);
    s.scratch->description = description;
    s.scratch->only = takes_all ? NO_CHANGE : best_index;
  }
}

/* Applies the removals that remain or, if they do not shorten the description, only the best one. The polygon's
 * criterion is not found. */
__device__ inline void
cta_make_removals (const SnakeKernelArgs &f, Snake &s, CtrSnakeLengths lengths, double limit)
{
  uint8_t *stays = s.arrays.stale; /* by point; overwrites the stale flags, which cluster_move() sets anew */
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
    stays[i] = 1;
  SnakeRemovals all = {{0, 0, 0}, {0, 0, 0}};
  double best = HUGE_VAL;
  uint32_t best_index = NO_CHANGE;
  const bool few = s.candidates <= SNAKE_WARP_CHANGES;
  /* Has warp_guess_removals() found the description after all of them? Only the first warp knows, which has all of so few. */
  bool guessed = false;
  if (few && threadIdx.x < 32) {
    const uint32_t made =
        __ballot_sync (~0u, lane_index () < s.candidates && s.arrays.chosen[min (lane_index (), s.candidates - 1)]);
    guessed = s.candidates > 1 && (uint32_t) __popc (made) == s.candidates;
  }
  const bool sure = guessed && s.scratch->description < limit;
#pragma unroll 1
  for (uint32_t l = threadIdx.x; l < s.candidates && !sure; l += blockDim.x) {
    const SnakeListed c = candidate_change (s, l);
    if (s.arrays.chosen[l] && !guessed) {
      const SnakeRemovals own = removal_of (s, c.index, s.changes[c.index].gain);
      all.gain = ctr_snake_sums_add (all.gain, own.gain);
      all.rest = ctr_snake_sums_add (all.rest, own.rest);
    }
    if (is_better (c.value, c.index, best, best_index)) {
      best = c.value;
      best_index = c.index;
    }
  }
  if (few) {
    if (threadIdx.x < 32 && !sure) {
      if (!guessed)
        all = {warp_sum (all.gain), warp_sum (all.rest)};
      warp_best (&best, &best_index);
    }
  } else {
    all = {cta_sum (s.scratch, all.gain), cta_sum (s.scratch, all.rest)};
    cta_best (s, &best, &best_index);
  }
  if (sure)
    *(volatile uint32_t *) &s.scratch->only = NO_CHANGE; /* by all lanes */
  else if (threadIdx.x < 32)
    warp_judge_removals (
        f, s, all, removal_of (s, best_index, s.changes[best_index].gain), best, best_index, lengths, limit);
  __syncthreads ();
  s.inside = s.scratch->inside;
  const uint32_t only = s.scratch->only;
#pragma unroll 1
  for (uint32_t l = threadIdx.x; l < s.candidates; l += blockDim.x) {
    const uint32_t index = candidate_change (s, l).index;
    if (only == NO_CHANGE ? s.arrays.chosen[l] != 0 : index == only)
      stays[index] = 0;
  }
  __syncthreads ();
  /* A share of the CTA's size at a time: it goes to where points have been read. */
  const uint32_t warp = threadIdx.x / 32;
  uint32_t kept = 0;
#pragma unroll 1
  for (uint32_t begin = 0; begin < s.count; begin += blockDim.x) {
    const uint32_t i = begin + threadIdx.x;
    const bool there = i < s.count && stays[i];
    const CtrPoint point = s.arrays.points[there ? i : 0];
    const uint32_t all = __ballot_sync (~0u, there);
    if (lane_index () == 0)
      s.scratch->numbers[warp] = __popc (all);
    __syncthreads ();
    uint32_t place = kept + __popc (all & ((1u << lane_index ()) - 1));
#pragma unroll 4
    for (uint32_t k = 0; k < cta_warps (); k++) {
      place += k < warp ? s.scratch->numbers[k] : 0;
      kept += s.scratch->numbers[k];
    }
    if (there)
      s.arrays.points[place] = point;
    __syncthreads ();
  }
  s.count = kept;
}

/* A round of pruning. FIRST: the polygon was moved after the last one. True: points were removed; then the criterion is
 * not that of the polygon. */
template <bool WIDE>
__device__ inline bool
cluster_prune (const SnakeKernelArgs &f, Snake &s, bool first)
{
  if (!cluster_count_iteration (f, s) || s.count <= 3)
    return false;
  const CtrSnakeLengths lengths = first ? cta_lengths (s) : s.scratch->lengths;
  const double limit = first ? warp_description (f, s, s.inside, s.count, lengths) : s.scratch->description;
  swap_changes (s);
  cluster_find_removals<WIDE> (f, s, lengths, limit);
  cluster_share_changes (s);
  const uint32_t listed = cta_list_changes (s, [&] (const SnakeChange &change) { return box_of_removal (s, change); });
  if (listed == 0)
    return false;
  const auto box = [&] (const SnakeListed &own) { return box_of_removal (s, own); };
  const auto conflict = [&] (const SnakeListed &own, const SnakeListed &other) {
    return ctr_snake_two_removals_touch (s.arrays.points, s.count, own.index, other.index);
  };
  if (s.candidates > SNAKE_WARP_CHANGES) {
    cluster_drop (s, listed, box, conflict);
  } else if (s.candidates > 1) {
    if (threadIdx.x < 32)
      warp_guess_removals (f, s, lengths);
    else
      cta_drop (s, listed, 1, box, conflict);
    __syncthreads ();
  }
  cta_make_removals (f, s, lengths, limit);
  return true;
}

#endif
