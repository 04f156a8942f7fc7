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
  SnakeBox box;
  box.left = min (min (a.x, b.x), min (c.x, d.x));
  box.right = max (max (a.x, b.x), max (c.x, d.x));
  box.top = min (min (a.y, b.y), min (c.y, d.y));
  box.bottom = max (max (a.y, b.y), max (c.y, d.y));
  return box;
}

__device__ inline bool
boxes_touch (SnakeBox a, SnakeBox b)
{
  return a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
}

/* Fills LIST with the points that have changes, in any order, and the scratch memory with the first ones; BOX (change)
 * is a change's box. Returns their number. */
template <typename Box>
__device__ inline uint32_t
cta_list_changes (Snake &s, Box box)
{
  uint32_t *counter = &s.scratch->counters[s.list_count % 2];
  if (threadIdx.x == 0)
    s.scratch->counters[(s.list_count + 1) % 2] = 0;
  s.list_count++;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x) {
    const SnakeChange change = s.changes[i];
    if (change.index == NO_CHANGE)
      continue;
    const uint32_t at = atomicAdd (counter, 1);
    s.arrays.list[at] = (uint16_t) i;
    s.arrays.chosen[at] = 1;
    if (at < SNAKE_LISTED) {
      s.scratch->listed.values[at] = change.value;
      s.scratch->listed.points[at] = i | change.direction << 16;
      s.scratch->listed.boxes[at] = box (change);
    }
    if (at < SNAKE_WARP_CHANGES)
      s.scratch->first_changes[at] = change;
  }
  __syncthreads ();
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

/* Drops listed changes that CONFLICT with better ones: CHOSEN becomes 0. The warps from FIRST on share them. */
template <typename Box, typename Conflict>
__device__ inline void
cta_drop (const Snake &s, uint32_t listed, uint32_t first, Box box, Conflict conflict)
{
#pragma unroll 1
  for (uint32_t l = threadIdx.x / 32 - first; l < listed; l += cta_warps () - first) {
    const SnakeListed own = listed_change (s, l);
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
  if (s.ctas > 1 && listed > SNAKE_SHARED_LIST) {
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
    for (uint32_t l = threadIdx.x; l < listed; l += blockDim.x)
      if (s.workspace.by_point.drops[listed_change (s, l).index])
        s.arrays.chosen[l] = 0;
  } else {
    cta_drop (s, listed, 0, box, conflict);
  }
  __syncthreads ();
}

#endif
