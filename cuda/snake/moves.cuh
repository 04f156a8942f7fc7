/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moves of a polygon's points. The change of the sums by a move, its gain, depends on the point and its neighbours
 * only, and is kept while these stay. The criterion depends on the whole polygon, so every iteration prices all moves
 * anew. */
#ifndef CTR_CUDA_SNAKE_MOVES_CUH
#define CTR_CUDA_SNAKE_MOVES_CUH

#include "cuda/snake/changes.cuh"
#include "cuda/snake/line_sums.cuh"

/* The number of the CTA's points: every s.ctas-th one from s.cta on. */
__device__ inline uint32_t
cta_items (const Snake &s)
{
  return s.cta < s.count ? (s.count - s.cta - 1) / s.ctas + 1 : 0;
}

/* Is there an edge of many rows? */
__device__ inline bool
cta_has_long_edges (const Snake &s)
{
  bool is_long = false;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
    is_long =
        is_long || rows_between (s.arrays.points[i], s.arrays.points[ctr_snake_next (s.count, i)]) > SNAKE_LONG_ROWS;
  return __syncthreads_or (is_long);
}

/* Would any of 32 edges from FIRST on be touched if point I moved to TO? */
__device__ inline bool
warp_move_touches (const Snake &s, uint32_t i, CtrPoint to, uint32_t first)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t before = ctr_snake_before (s.count, i), edge = first + lane_index ();
  bool touches = false;
  if (edge < s.count && edge != before && edge != i) {
    const CtrPoint c = points[edge], d = points[ctr_snake_next (s.count, edge)];
    touches = !boxes_are_disjoint (points[before], to, points[ctr_snake_next (s.count, i)], c, d, d)
              && ctr_snake_move_touches (points, s.count, i, to, edge);
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

/* Marks what was asked for in ROUND and TOUCHES (item, direction, first) one of 32 edges from FIRST on. */
template <typename Touches>
__device__ inline void
cta_find_blocked (const Snake &s, uint32_t round, Touches touches)
{
  const uint32_t blocks = (s.count + 31) / 32, all = s.scratch->move_counts[round] * blocks;
#pragma unroll 1
  for (uint32_t t = threadIdx.x / 32; t < all; t += cta_warps ()) {
    const uint32_t move = s.scratch->moves[t / blocks], item = move / CTR_SNAKE_DIRECTIONS;
    const uint32_t direction = move % CTR_SNAKE_DIRECTIONS;
    if (touches (item, direction, t % blocks * 32) && lane_index () == 0)
      atomicOr (&s.scratch->blocked[item], 1u << direction);
  }
  __syncthreads ();
}

/* The criteria of moves in all directions; each direction's lane has its GAIN. PAIRED: as many lanes again beside these
 * take the regions outside. */
__device__ inline double
warp_price (const SnakeKernelArgs &f, const Snake &s, CtrSnakeSums gain, bool paired)
{
  const CtrSnakeSums inside = ctr_snake_sums_add (s.inside, gain), outside = ctr_snake_sums_sub (s.window, inside);
  const bool both = inside.n >= 1 && outside.n >= 1;
  double cost = both ? ctr_snake_cost (&f.cost, paired && lane_index () & CTR_SNAKE_DIRECTIONS ? outside : inside) : 0;
  double other = __shfl_xor_sync (~0u, cost, CTR_SNAKE_DIRECTIONS);
  if (!paired && both)
    other = ctr_snake_cost (&f.cost, outside);
  return both ? ctr_add (cost, other) : HUGE_VAL;
}

/* Finds the moves of ITEMS points, every s.ctas-th one from FIRST on, with LANES lanes each. The gains of the points in
 * STALE come from the sums LINES. */
__device__ inline void
cta_price_moves (const SnakeKernelArgs &f, const Snake &s, uint32_t first, uint32_t items, uint32_t lanes,
    uint64_t stale, const CtrSnakeSums *lines, int32_t step)
{
  const uint32_t lane = threadIdx.x % lanes, direction = lane % CTR_SNAKE_DIRECTIONS;
  const uint32_t slot = threadIdx.x / lanes, item = min (slot, items - 1), i = first + item * s.ctas;
  const bool there = slot < items;
  CtrSnakeSums gain = {0, 0, 0};
  double value = HUGE_VAL;
  if (threadIdx.x / 32 * 32 < items * lanes) {
    CtrSnakeSums *gains = s.workspace.by_point_and_direction.gains + (size_t) i * CTR_SNAKE_DIRECTIONS + direction;
    if (stale >> item & 1) {
      const CtrSnakeSums *sums = lines + item * SNAKE_VARIANTS;
      gain = ctr_snake_sums_sub (sums[direction], sums[CTR_SNAKE_DIRECTIONS]);
      if (there && lane < CTR_SNAKE_DIRECTIONS)
        *gains = gain;
    } else {
      gain = *gains;
    }
    __syncwarp ();
    value = warp_price (f, s, gain, lanes > CTR_SNAKE_DIRECTIONS);
    bool wanted = there && value < s.criterion;
    if (wanted) {
      const CtrPoint *points = s.arrays.points;
      wanted = !ctr_snake_fold (points[ctr_snake_before (s.count, i)],
          ctr_snake_moved (&s.limits, points[i], direction, step), points[ctr_snake_next (s.count, i)]);
    }
    if (!wanted)
      value = HUGE_VAL;
  }
  /* Test each point's best move for touching edges first, and if it touches one, all others together. */
  bool found = false;
  uint32_t best;
#pragma unroll 1
  for (uint32_t round = 0;; round++) {
    double least = value;
    best = direction;
#pragma unroll 1
    for (int d = CTR_SNAKE_DIRECTIONS / 2; d; d /= 2) {
      const double other = __shfl_xor_sync (~0u, least, d);
      const uint32_t other_direction = __shfl_xor_sync (~0u, best, d);
      if (is_better (other, other_direction, least, best)) {
        least = other;
        best = other_direction;
      }
    }
    if (round == 2)
      break;
    const bool open = there && !found && least < HUGE_VAL;
    const bool asks = open && value < HUGE_VAL && (round > 0 ? lane == direction : lane == best);
    if (!cta_ask (s, round, asks, item, direction))
      break;
    cta_find_blocked (s, round, [&] (uint32_t tested, uint32_t way, uint32_t edge) {
      const uint32_t point = first + tested * s.ctas;
      return warp_move_touches (s, point, ctr_snake_moved (&s.limits, s.arrays.points[point], way, step), edge);
    });
    if (open) {
      const uint32_t blocked = s.scratch->blocked[item];
      found = round > 0 || !(blocked >> best & 1);
      if (blocked >> direction & 1)
        value = HUGE_VAL;
    }
    __syncwarp (); /* all lanes have read BLOCKED */
  }
  if (there && lane == best)
    s.changes[i] = {value, gain, value < HUGE_VAL ? i : NO_CHANGE, best};
}

template <typename Change>
__device__ inline CtrPoint
moved_to (const Snake &s, const Change &change, int32_t step)
{
  return ctr_snake_moved (&s.limits, s.arrays.points[change.index], change.direction, step);
}

/* The bounding box of the new edges and the old point, so that the boxes of neighbours touch. */
template <typename Change>
__device__ inline SnakeBox
box_of_move (const Snake &s, const Change &change, int32_t step)
{
  const CtrPoint *points = s.arrays.points;
  return box_of (points[ctr_snake_before (s.count, change.index)], points[change.index], moved_to (s, change, step),
      points[ctr_snake_next (s.count, change.index)]);
}

/* Applies the moves that remain or, if they do not lower the criterion, only the best one. */
__device__ inline void
cta_make_moves (const SnakeKernelArgs &f, Snake &s, uint32_t listed, int32_t step)
{
  CtrSnakeSums gain = {0, 0, 0};
  double best = HUGE_VAL;
  uint32_t best_index = NO_CHANGE;
#pragma unroll 1
  for (uint32_t l = threadIdx.x; l < listed; l += blockDim.x) {
    const SnakeListed c = listed_change (s, l);
    if (s.arrays.chosen[l])
      gain = ctr_snake_sums_add (gain, s.changes[c.index].gain);
    if (is_better (c.value, c.index, best, best_index)) {
      best = c.value;
      best_index = c.index;
    }
  }
  CtrSnakeSums inside = ctr_snake_sums_add (s.inside, cta_sum (s.scratch, gain));
  double criterion;
  if (threadIdx.x < 32) {
    criterion = warp_criterion (f, s, inside);
    if (threadIdx.x == 0)
      s.scratch->criterion = criterion;
  }
  __syncthreads ();
  criterion = s.scratch->criterion;
  const bool all = criterion < s.criterion;
  if (!all) {
    cta_best (s, &best, &best_index);
    gain = {0, 0, 0};
    if (threadIdx.x == 0)
      gain = s.changes[best_index].gain;
    inside = ctr_snake_sums_add (s.inside, cta_sum (s.scratch, gain));
    criterion = best;
  }
  s.inside = inside;
  s.criterion = criterion;
  /* No two moved points are neighbours, but two may share a neighbour: write one side first. */
  for (int side = 0; side < 2; side++) {
#pragma unroll 1
    for (uint32_t l = threadIdx.x; l < listed; l += blockDim.x) {
      const SnakeListed c = listed_change (s, l);
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

/* As cta_make_moves(), for LISTED <= SNAKE_WARP_CHANGES moves, by one warp. Leaves the new sums and criterion in the
 * scratch memory. */
__device__ inline void
warp_make_moves (const SnakeKernelArgs &f, const Snake &s, uint32_t listed, int32_t step)
{
  CtrPoint *points = s.arrays.points;
  const uint32_t lane = lane_index ();
  const bool there = lane < listed;
  const SnakeChange own = s.scratch->first_changes[there ? lane : 0];
  const uint32_t before = ctr_snake_before (s.count, own.index), next = ctr_snake_next (s.count, own.index);
  const CtrPoint to = moved_to (s, own, step);
  uint32_t made = __ballot_sync (~0u, there && s.arrays.chosen[there ? lane : 0]);
  bool all = __popc (made) > 1;
  CtrSnakeSums inside;
  double criterion;
  if (all) {
    inside = ctr_snake_sums_add (s.inside, warp_sum (made >> lane & 1 ? own.gain : CtrSnakeSums{0, 0, 0}));
    criterion = warp_criterion (f, s, inside);
    all = criterion < s.criterion;
  }
  if (!all) { /* only the best one, whose criterion is known */
    double best = there ? own.value : HUGE_VAL;
    uint32_t index = there ? own.index : NO_CHANGE;
    warp_best (&best, &index);
    made = __ballot_sync (~0u, there && own.index == index);
    inside = ctr_snake_sums_add (s.inside, shuffled (own.gain, __ffs (made) - 1));
    criterion = best;
  }
  __syncwarp (); /* all lanes have read what is overwritten now */
  /* No two moved points are neighbours, but two may share a neighbour: write one side first. */
  const bool moves = made >> lane & 1;
  if (moves) {
    points[own.index] = to;
    s.arrays.stale[own.index] = 1;
    s.arrays.stale[next] = 1;
  }
  __syncwarp ();
  if (moves)
    s.arrays.stale[before] = 1;
  if (lane == 0) {
    s.scratch->inside = inside;
    s.scratch->criterion = criterion;
  }
}

/* Drops and applies listed moves. */
__device__ inline void
cluster_make_listed (const SnakeKernelArgs &f, Snake &s, uint32_t listed, int32_t step)
{
  if (listed == 0)
    return;
  if (listed > 1)
    cluster_drop (
        s, listed, [&] (const SnakeListed &own) { return box_of_move (s, own, step); },
        [&] (const SnakeListed &own, const SnakeListed &other) {
          return ctr_snake_moves_touch (
              s.arrays.points, s.count, own.index, moved_to (s, own, step), other.index, moved_to (s, other, step));
        });
  if (listed > SNAKE_WARP_CHANGES) {
    cta_make_moves (f, s, listed, step);
    return;
  }
  if (threadIdx.x < 32)
    warp_make_moves (f, s, listed, step);
  __syncthreads ();
  s.inside = s.scratch->inside;
  s.criterion = s.scratch->criterion;
}

/* The line past point I after its move in direction VARIANT, or past its place if VARIANT is no direction. */
__device__ inline SnakeLine
line_of_move (const Snake &s, uint32_t i, int variant, int32_t step)
{
  const CtrPoint *points = s.arrays.points, p = points[i];
  return {points[ctr_snake_before (s.count, i)],
      variant < CTR_SNAKE_DIRECTIONS ? ctr_snake_moved (&s.limits, p, variant, step) : p,
      points[ctr_snake_next (s.count, i)]};
}

/* The gains of the stale points; the cluster shares the lines, cut into pieces. */
template <bool WIDE>
__device__ inline void
cluster_find_gains (const SnakeKernelArgs &f, const Snake &s, int32_t step)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t count = s.count, lane = lane_index ();
  cluster_sum_lines<WIDE, SNAKE_VARIANTS> (
      f, s, count,
      [&] (uint32_t i) -> uint32_t {
        return s.arrays.stale[i] ? rows_between (points[ctr_snake_before (count, i)], points[i])
                                       + rows_between (points[i], points[ctr_snake_next (count, i)]) + 2 * step
                                 : NO_CHANGE;
      },
      [&] (uint32_t i, int variant) { return line_of_move (s, i, variant, step); });
#pragma unroll 1
  for (uint32_t i = s.cta + threadIdx.x / 32 * s.ctas; i < count; i += cta_warps () * s.ctas) {
    if (!s.arrays.stale[i])
      continue;
    const CtrSnakeSums sums = warp_item_sums<SNAKE_VARIANTS> (s, i);
    const CtrSnakeSums gain = ctr_snake_sums_sub (sums, shuffled (sums, CTR_SNAKE_DIRECTIONS));
    if (lane < CTR_SNAKE_DIRECTIONS)
      s.workspace.by_point_and_direction.gains[(size_t) i * CTR_SNAKE_DIRECTIONS + lane] = gain;
  }
}

/* Finds the moves; each CTA finds those of every s.ctas-th point. TOGETHER: the CTAs share the sums along edges. */
template <bool WIDE>
__device__ inline void
cluster_find_moves (const SnakeKernelArgs &f, const Snake &s, int32_t step, bool together)
{
  const uint32_t all = cta_items (s);
  if (together)
    cluster_find_gains<WIDE> (f, s, step);
#pragma unroll 1
  for (uint32_t begin = 0; begin < all; begin += SNAKE_ITEMS) {
    const uint32_t items = min (all - begin, SNAKE_ITEMS), first = s.cta + begin * s.ctas;
    uint64_t stale = 0;
#pragma unroll 1
    for (uint32_t part = 0; part < items && !together; part += 32) {
      const uint32_t item = part + lane_index (), own = first + min (item, items - 1) * s.ctas;
      const uint32_t part_stale = __ballot_sync (~0u, item < items && s.arrays.stale[own]);
      cta_sum_lines<WIDE, SNAKE_VARIANTS> (
          f, part_stale, s.scratch->lines + part * SNAKE_VARIANTS, [&] (uint32_t stale_item, int variant) {
            return line_of_move (s, first + (part + stale_item) * s.ctas, variant, step);
          });
      stale |= (uint64_t) part_stale << part;
    }
    __syncthreads ();
    const uint32_t lanes = items > blockDim.x / HALF_WARP ? CTR_SNAKE_DIRECTIONS : HALF_WARP, room = blockDim.x / lanes;
#pragma unroll 1
    for (uint32_t part = 0; part < items; part += room)
      cta_price_moves (f, s, first + part * s.ctas, min (items - part, room), lanes, stale >> part,
          s.scratch->lines + part * SNAKE_VARIANTS, step);
  }
}

/* Moves points by STEP until an iteration moves none, or there were enough. */
template <bool WIDE, bool HISTORY>
__device__ inline void
cluster_move (const SnakeKernelArgs &f, Snake &s, uint32_t step)
{
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
    s.arrays.stale[i] = 1;
  const bool together = cta_has_long_edges (s) && s.ctas > 1;
  uint32_t left = s.from_outline && step > 1 ? CTR_SNAKE_OUTLINE_ITERATIONS : ~0u;
  for (uint32_t listed = 1; listed > 0 && left > 0; left--) {
    if (!cluster_count_iteration (f, s))
      return;
    swap_changes (s);
    cluster_find_moves<WIDE> (f, s, (int32_t) step, together);
    cluster_barrier (s);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
      s.arrays.stale[i] = 0;
    listed = cta_list_changes (s, [&] (const SnakeChange &change) { return box_of_move (s, change, (int32_t) step); });
    cluster_make_listed (f, s, listed, (int32_t) step);
    if (HISTORY && listed > 0)
      cta_record<HISTORY> (f, s, CTR_SNAKE_MOVED, step);
  }
}

#endif
