/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The changes of a polygon that an iteration finds: a list of them, and which of them conflict with better ones. */
#ifndef CTR_CUDA_SNAKE_CHANGES_CUH
#define CTR_CUDA_SNAKE_CHANGES_CUH

#include "cuda/snake/exchange.cuh"

/* Called before changes are found: other CTAs may still read the previous ones. */
__device__ inline void
swap_changes (Snake &s)
{
  SnakeChange *last = s.workspace.by_point.changes;
  s.workspace.by_point.changes = s.workspace.by_point.previous_changes;
  s.workspace.by_point.previous_changes = last;
  s.changes = s.ctas == 1 && s.count <= SNAKE_SHARED_CHANGES ? s.scratch->changes
              : cluster_exchanges (s)                        ? s.arrays.exchanged + s.exchanges % 2 * SNAKE_EXCHANGED
                                                             : s.workspace.by_point.changes;
}

/* Sends the change of point I to the other CTAs, if changes are sent. LANES lanes of a warp call it together, LANE is the index among
 * them. One of them has found the change, where THERE. The whole warp calls it. */
__device__ inline void
warp_send_change (const Snake &s, uint32_t i, bool there, uint32_t lane, uint32_t lanes)
{
  constexpr int WORDS = sizeof (SnakeChange) / sizeof (uint64_t);
  if (!cluster_exchanges (s))
    return;
  __syncwarp ();
  if (!there)
    return;
  uint64_t *const own = (uint64_t *) (s.changes + i);
  uint64_t words[WORDS];
#pragma unroll
  for (int k = 0; k < WORDS; k++)
    words[k] = own[k];
#pragma unroll 1
  for (uint32_t rank = lane; rank < s.ctas; rank += lanes)
    if (rank != s.cta)
      send_words<WORDS> (own, words, &s.scratch->sent[s.exchanges % 2], rank);
}

/* Called when each CTA has found the changes of every s.ctas-th point: afterwards all CTAs see all changes. */
__device__ inline void
cluster_share_changes (Snake &s)
{
  if (!cluster_exchanges (s)) {
    cluster_barrier (s);
    return;
  }
  cluster_receive (s, (s.count - cta_items (s)) * (uint32_t) sizeof (SnakeChange));
}

__device__ inline SnakeBox
box_of (CtrPoint a, CtrPoint b, CtrPoint c, CtrPoint d)
{
  const SnakeBox some = box_of (a, b, c), rest = box_of (d, d, d);
  return {__vminu2 (some.low, rest.low), __vmaxu2 (some.high, rest.high)};
}

/* Is the change OWN worse than that of the neighbour I? */
__device__ inline bool
is_worse (const Snake &s, const SnakeChange &own, uint32_t i)
{
  const SnakeChange &other = s.changes[i];
  return other.index != NO_CHANGE && is_better (other.value, i, own.value, own.index);
}

/* Fills LIST with the points that have changes, in any order, and the scratch memory with the first ones; BOX (change)
 * is a change's box. Those that no neighbour's change excludes are candidates, the best one among them. The others are never made, but
 * candidates may still be dropped in favour of them. Returns the number of points. */
template <typename Box>
__device__ inline uint32_t
cta_list_changes (Snake &s, Box box)
{
  uint32_t *const counter = &s.scratch->counters[s.list_count % 2];
  uint32_t *const candidates = &s.scratch->candidates[s.list_count % 2];
  if (threadIdx.x == 0)
    s.scratch->counters[(s.list_count + 1) % 2] = s.scratch->candidates[(s.list_count + 1) % 2] = 0;
  s.list_count++;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x) {
    const SnakeChange change = s.changes[i];
    if (change.index == NO_CHANGE)
      continue;
    const bool excluded =
        is_worse (s, change, ctr_snake_before (s.count, i)) || is_worse (s, change, ctr_snake_next (s.count, i));
    const uint32_t at = atomicAdd (counter, 1);
    s.arrays.list[at] = (uint16_t) i;
    if (at < SNAKE_LISTED) {
      s.scratch->listed.values[at] = change.value;
      s.scratch->listed.points[at] = i | change.direction << 16;
      s.scratch->listed.boxes[at] = box (change);
    }
    if (excluded)
      continue;
    const uint32_t candidate = atomicAdd (candidates, 1);
    s.arrays.offsets[candidate] = at;
    s.arrays.chosen[candidate] = 1;
    if (candidate < SNAKE_WARP_CHANGES)
      s.scratch->first_changes[candidate] = change;
  }
  __syncthreads ();
  s.candidates = *candidates;
  return *counter;
}

/* A listed change without its gain. */
struct SnakeListed {
  double value;
  uint32_t index, direction;
};

__device__ inline SnakeListed
listed_change (const Snake &s, uint32_t l)
{
  if (l < SNAKE_LISTED) {
    const uint32_t point = s.scratch->listed.points[l];
    return {s.scratch->listed.values[l], point & 0xffff, point >> 16};
  }
  const SnakeChange &change = s.changes[s.arrays.list[l]];
  return {change.value, change.index, change.direction};
}

/* Is the change OWN, with the box OWN_BOX, dropped in favour of a listed one that is better? CONFLICT (own, other): do
 * the two exclude each other? */
template <typename Conflict>
__device__ inline bool
warp_is_dropped (const Snake &s, uint32_t listed, const SnakeListed &own, SnakeBox own_box, Conflict conflict)
{
#pragma unroll 1
  for (uint32_t first = 0; first < listed; first += 32) {
    const uint32_t l = min (first + lane_index (), listed - 1);
    const SnakeListed other = listed_change (s, l);
    const bool near = is_better (other.value, other.index, own.value, own.index)
                      && (l >= SNAKE_LISTED || boxes_touch (own_box, s.scratch->listed.boxes[l]));
    if (__any_sync (~0u, near && conflict (own, other)))
      return true;
  }
  return false;
}

__device__ inline SnakeListed
candidate_change (const Snake &s, uint32_t candidate)
{
  return listed_change (s, s.arrays.offsets[candidate]);
}

/* Drops candidates that CONFLICT with better changes: CHOSEN becomes 0. The warps from FIRST on share them. */
template <typename Box, typename Conflict>
__device__ inline void
cta_drop (const Snake &s, uint32_t listed, uint32_t first, Box box, Conflict conflict)
{
#pragma unroll 1
  for (uint32_t l = threadIdx.x / 32 - first; l < s.candidates; l += cta_warps () - first) {
    const SnakeListed own = candidate_change (s, l);
    if (warp_is_dropped (s, listed, own, box (own), conflict) && lane_index () == 0)
      s.arrays.chosen[l] = 0;
  }
}

/* The same; the cluster shares many of them. */
template <typename Box, typename Conflict>
__device__ inline void
cluster_drop (const Snake &s, uint32_t listed, Box box, Conflict conflict)
{
  const uint32_t warp = threadIdx.x / 32;
  if (s.ctas > 1 && s.candidates > SNAKE_SHARED_LIST) {
#pragma unroll 1
    for (uint32_t i = s.cta + warp * s.ctas; i < s.count; i += cta_warps () * s.ctas) {
      const SnakeChange &change = s.changes[i];
      if (change.index == NO_CHANGE)
        continue;
      const SnakeListed own = {change.value, change.index, change.direction};
      const bool dropped = warp_is_dropped (s, listed, own, box (own), conflict);
      if (lane_index () == 0)
        s.workspace.by_point.drops[i] = dropped;
    }
    cluster_barrier (s);
#pragma unroll 1
    for (uint32_t l = threadIdx.x; l < s.candidates; l += blockDim.x)
      if (s.workspace.by_point.drops[candidate_change (s, l).index])
        s.arrays.chosen[l] = 0;
  } else {
    cta_drop (s, listed, 0, box, conflict);
  }
  __syncthreads ();
}

#endif
