/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moves of a polygon's points. The change of the sums by a move, its gain, depends on the point and its neighbours
 * only, and is kept while these stay. The criterion depends on the whole polygon, so every iteration prices all moves
 * anew. */
#ifndef CTR_CUDA_SNAKE_MOVES_CUH
#define CTR_CUDA_SNAKE_MOVES_CUH

#include "cuda/snake/changes.cuh"
#include "cuda/snake/line_sums.cuh"
#include "cuda/snake/touches.cuh"

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

/* The parts of move_touches_near() that are tested for each of ITEMS points before its moves have prices. */
__device__ inline uint32_t
parts_tested (uint32_t items)
{
  return items <= SNAKE_FEW_ITEMS ? SNAKE_NEAR_PARTS : 1;
}

/* Finds which moves of ITEMS points, every s.ctas-th one from FIRST on, touch near edges. Each part is tested by warps of its own; the
 * last ones begin, which have no lines to sum while there are few. */
__device__ inline void
cta_find_near (const Snake &s, uint32_t first, uint32_t items, int32_t step)
{
  const uint32_t warps = (items * CTR_SNAKE_DIRECTIONS + 31) / 32, all = parts_tested (items) * warps;
#pragma unroll 1
  for (uint32_t w = cta_warps () - 1 - threadIdx.x / 32; w < all; w += cta_warps ()) {
    uint32_t part = 0, begin = w;
    for (; begin >= warps; begin -= warps)
      part++;
    const uint32_t own = begin * 32 + lane_index (), item = min (own / CTR_SNAKE_DIRECTIONS, items - 1);
    const uint32_t i = first + item * s.ctas;
    const CtrPoint to = ctr_snake_moved (&s.limits, s.arrays.points[i], own % CTR_SNAKE_DIRECTIONS, step);
    const uint32_t touching = __ballot_sync (~0u, move_touches_near (s, i, to, part));
    if (own == item * CTR_SNAKE_DIRECTIONS)
      s.scratch->near[item].by_part[part] = (uint8_t) (touching >> lane_index ());
  }
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

/* The direction with the least VALUE among those of a point, by CTR_SNAKE_DIRECTIONS lanes, which have one each; *LEAST is that value. */
__device__ inline uint32_t
warp_best_direction (double value, double *least)
{
  uint32_t best = lane_index () % CTR_SNAKE_DIRECTIONS;
  *least = value;
#pragma unroll 1
  for (int d = CTR_SNAKE_DIRECTIONS / 2; d; d /= 2) {
    const double other = __shfl_xor_sync (~0u, *least, d);
    const uint32_t other_direction = __shfl_xor_sync (~0u, best, d);
    if (is_better (other, other_direction, *least, best)) {
      *least = other;
      best = other_direction;
    }
  }
  return best;
}

/* Finds the best direction for each of ITEMS points, every s.ctas-th one from FIRST on, in which it touches no edge. The thread has
 * one direction of ITEM, if it is THERE, with VALUE, which becomes HUGE_VAL where the direction touches one. FEW: each point has half a warp,
 * and edges near it are tested already. */
__device__ inline uint32_t
cta_choose_moves (
    Snake &s, uint32_t first, uint32_t item, bool there, uint32_t lane, double *value, bool few, int32_t step)
{
  static_assert (SNAKE_FEW_ITEMS * HALF_WARP <= SNAKE_SMALL_THREADS, "each point has half a warp");
  const uint32_t direction = lane % CTR_SNAKE_DIRECTIONS;
  const auto moved = [&] (uint32_t point, uint32_t way) {
    return ctr_snake_moved (&s.limits, s.arrays.points[point], way, step);
  };
  bool found = false;
  uint32_t best, round = 0;
  /* Test each point's best move first, and if it touches an edge, all others together. Mostly none does: a half warp tests its point's
   * alone, and other tests are shared by all warps. */
  if (few) {
    double least;
    const uint32_t point = first + item * s.ctas;
    best = warp_best_direction (*value, &least);
    const bool open = there && least < HUGE_VAL;
    const bool touches = open && move_touches (s, point, moved (point, best), lane, HALF_WARP);
    const bool blocked = __ballot_sync (~0u, touches) >> (lane_index () - lane) & ((1u << HALF_WARP) - 1);
    found = !blocked;
    if (blocked && direction == best)
      *value = HUGE_VAL;
    if (blocked && lane == 0)
      s.scratch->blocked[item] = 0;
    if (!__syncthreads_or (blocked))
      return best;
    round = 1;
  }
#pragma unroll 1
  for (;; round++) {
    double least;
    best = warp_best_direction (*value, &least);
    if (round == 2)
      break;
    const bool open = there && !found && least < HUGE_VAL;
    const bool asks = open && *value < HUGE_VAL && (round > 0 ? lane == direction : lane == best);
    if (!cta_ask (s, round == 0, asks, item, direction))
      break;
    const bool any_blocked = cta_find_blocked (
        s, few,
        [&] (uint32_t own_item, uint32_t way, uint32_t edge) {
          const uint32_t point = first + own_item * s.ctas;
          return __any_sync (~0u, move_touches (s, point, moved (point, way), edge + lane_index (), s.count)) != 0;
        },
        [&] (uint32_t own_item, uint32_t way, uint32_t side) {
          const uint32_t point = first + own_item * s.ctas;
          return move_touches_near (s, point, moved (point, way), 1 + side)
                 || move_touches_near (s, point, moved (point, way), 3 + side);
        });
    if (!any_blocked)
      break;
    if (open) {
      const uint32_t blocked = s.scratch->blocked[item];
      found = round > 0 || !(blocked >> best & 1);
      if (blocked >> direction & 1)
        *value = HUGE_VAL;
    }
    __syncwarp (); /* all lanes have read BLOCKED */
  }
  return best;
}

/* Finds the moves of ITEMS points, every s.ctas-th one from FIRST on, with LANES lanes each. The gains of the points in
 * STALE come from the sums LINES. NEAR: by item, the PARTS of move_touches_near() that were tested. */
__device__ inline void
cta_price_moves (const SnakeKernelArgs &f, Snake &s, uint32_t first, uint32_t items, uint32_t lanes, uint64_t stale,
    const CtrSnakeSums *lines, const SnakeNear *near, uint32_t parts, int32_t step)
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
    static_assert (SNAKE_NEAR_PARTS == 5, "a byte a part");
    const uint64_t tested = (parts == 1 ? 1 : UINT64_C (0x0101010101)) << direction;
    if (!(there && value < s.criterion) || near[item].all & tested)
      value = HUGE_VAL;
  }
  const uint32_t best = cta_choose_moves (s, first, item, there, lane, &value, parts > 1, step);
  if (there && lane == best)
    s.changes[i] = {value, gain, value < HUGE_VAL ? i : NO_CHANGE, best};
  warp_send_change (s, i, there, lane, lanes);
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
cta_make_moves (const SnakeKernelArgs &f, Snake &s, int32_t step)
{
  CtrSnakeSums gain = {0, 0, 0};
  double best = HUGE_VAL;
  uint32_t best_index = NO_CHANGE;
#pragma unroll 1
  for (uint32_t l = threadIdx.x; l < s.candidates; l += blockDim.x) {
    const SnakeListed c = candidate_change (s, l);
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
    for (uint32_t l = threadIdx.x; l < s.candidates; l += blockDim.x) {
      const SnakeListed c = candidate_change (s, l);
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

/* Finds the criterion after all of up to SNAKE_WARP_CHANGES candidates' moves, while other warps find which ones are dropped: mostly
 * none are. Leaves it in the scratch memory. */
__device__ inline void
warp_guess_moves (const SnakeKernelArgs &f, const Snake &s)
{
  CtrSnakeSums gain = {0, 0, 0};
  if (lane_index () < s.candidates)
    gain = s.scratch->first_changes[lane_index ()].gain;
  const CtrSnakeSums inside = ctr_snake_sums_add (s.inside, warp_sum (gain));
  const double criterion = warp_criterion (f, s, inside);
  if (lane_index () == 0) {
    s.scratch->inside = inside;
    s.scratch->criterion = criterion;
  }
}

/* As cta_make_moves(), for up to SNAKE_WARP_CHANGES candidates, by one warp. Leaves the new sums and criterion in the
 * scratch memory. */
__device__ inline void
warp_make_moves (const SnakeKernelArgs &f, const Snake &s, int32_t step)
{
  CtrPoint *points = s.arrays.points;
  const uint32_t lane = lane_index ();
  const bool there = lane < s.candidates;
  const SnakeChange own = s.scratch->first_changes[there ? lane : 0];
  const uint32_t before = ctr_snake_before (s.count, own.index), next = ctr_snake_next (s.count, own.index);
  const CtrPoint to = moved_to (s, own, step);
  uint32_t made = __ballot_sync (~0u, there && s.arrays.chosen[there ? lane : 0]);
  bool all = __popc (made) > 1;
  CtrSnakeSums inside;
  double criterion;
  if (all) {
    inside = s.scratch->inside;
    criterion = s.scratch->criterion;
    if ((uint32_t) __popc (made) < s.candidates) {
      inside = ctr_snake_sums_add (s.inside, warp_sum (made >> lane & 1 ? own.gain : CtrSnakeSums{0, 0, 0}));
      criterion = warp_criterion (f, s, inside);
    }
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
  const auto box = [&] (const SnakeListed &own) { return box_of_move (s, own, step); };
  const auto conflict = [&] (const SnakeListed &own, const SnakeListed &other) {
    return ctr_snake_moves_touch (
        s.arrays.points, s.count, own.index, moved_to (s, own, step), other.index, moved_to (s, other, step));
  };
  if (listed == 0)
    return;
  if (s.candidates > SNAKE_WARP_CHANGES) {
    cluster_drop (s, listed, box, conflict);
    cta_make_moves (f, s, step);
    return;
  }
  if (s.candidates > 1) {
    if (threadIdx.x < 32)
      warp_guess_moves (f, s);
    else
      cta_drop (s, listed, 1, box, conflict);
    __syncthreads ();
  }
  if (threadIdx.x < 32)
    warp_make_moves (f, s, step);
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
cluster_find_moves (const SnakeKernelArgs &f, Snake &s, int32_t step, bool together)
{
  const uint32_t all = cta_items (s);
  if (together)
    cluster_find_gains<WIDE> (f, s, step);
#pragma unroll 1
  for (uint32_t begin = 0; begin < all; begin += SNAKE_ITEMS) {
    const uint32_t items = min (all - begin, SNAKE_ITEMS), first = s.cta + begin * s.ctas;
    uint64_t stale = 0;
    cta_find_near (s, first, items, step);
#pragma unroll 1
    for (uint32_t part = 0; part < items && !together; part += 32) {
      const uint32_t item = part + lane_index (), own = first + min (item, items - 1) * s.ctas;
      const uint32_t part_stale = __ballot_sync (~0u, item < items && s.arrays.stale[own]);
      cta_sum_lines<WIDE, SNAKE_VARIANTS> (
          f, s, part_stale, s.scratch->lines + part * SNAKE_VARIANTS, [&] (uint32_t stale_item, int variant) {
            return line_of_move (s, first + (part + stale_item) * s.ctas, variant, step);
          });
      stale |= (uint64_t) part_stale << part;
    }
    __syncthreads ();
    const uint32_t lanes = items > blockDim.x / HALF_WARP ? CTR_SNAKE_DIRECTIONS : HALF_WARP, room = blockDim.x / lanes;
#pragma unroll 1
    for (uint32_t part = 0; part < items; part += room)
      cta_price_moves (f, s, first + part * s.ctas, min (items - part, room), lanes, stale >> part,
          s.scratch->lines + part * SNAKE_VARIANTS, s.scratch->near + part, parts_tested (items), step);
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
    cluster_share_changes (s);
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
