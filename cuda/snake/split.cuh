/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits long edges of a polygon at their middles. */
#ifndef CTR_CUDA_SNAKE_SPLIT_CUH
#define CTR_CUDA_SNAKE_SPLIT_CUH

#include "cuda/snake/exchange.cuh"

/* Is the middle exactly on the edge? Then its halves touch nothing that the edge does not touch. */
__device__ inline bool
halves_exactly (CtrPoint a, CtrPoint b)
{
  return (a.x + b.x) % 2 == 0 && (a.y + b.y) % 2 == 0;
}

/* Do the halves of edge E touch another edge? */
__device__ inline bool
warp_split_touches (const Snake &s, uint32_t e, CtrPoint a, CtrPoint b)
{
  const CtrPoint middle = ctr_snake_middle (a, b);
#pragma unroll 1
  for (uint32_t first = 0; first < s.count; first += 32) {
    const uint32_t edge = first + lane_index ();
    bool touches = false;
    if (edge < s.count && edge != e) {
      const CtrPoint c = s.arrays.points[edge], d = s.arrays.points[ctr_snake_next (s.count, edge)];
      touches = !boxes_are_disjoint (a, middle, b, c, d, d)
                && ctr_snake_split_touches (s.arrays.points, s.count, e, middle, edge);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* Do the halves of edge E touch those of a proposed edge of a lower index? */
__device__ inline bool
warp_splits_touch (const Snake &s, uint32_t e, CtrPoint a, CtrPoint b)
{
  const CtrPoint middle = ctr_snake_middle (a, b);
#pragma unroll 1
  for (uint32_t first = 0; first < e; first += 32) {
    const uint32_t edge = first + lane_index ();
    bool touches = false;
    if (edge < e && s.arrays.stale[edge]) {
      const CtrPoint c = s.arrays.points[edge], d = s.arrays.points[ctr_snake_next (s.count, edge)];
      const CtrPoint other = ctr_snake_middle (c, d);
      touches = !(halves_exactly (a, b) && halves_exactly (c, d)) && !boxes_are_disjoint (a, middle, b, c, other, d)
                && ctr_snake_two_splits_touch (s.arrays.points, s.count, e, middle, edge, other);
    }
    if (__any_sync (~0u, touches))
      return true;
  }
  return false;
}

/* Are flags sent, all of a CTA as bits of a word? */
__device__ inline bool
cluster_sends_flags (const Snake &s)
{
#if CTR_HAVE_SENDS
  return s.ctas > 1 && s.count <= 64 * s.ctas;
#else
  return false;
#endif
}

/* Completes FLAGS, of which each CTA has set every s.ctas-th one. */
__device__ inline void
cluster_share_flags (Snake &s, uint8_t *flags)
{
  uint64_t own = 0;
  __syncthreads ();
  if (threadIdx.x < 32)
#pragma unroll
    for (uint32_t part = 0; part < 2; part++) {
      const uint32_t e = s.cta + (32 * part + lane_index ()) * s.ctas;
      own |= (uint64_t) __ballot_sync (~0u, e < s.count && flags[e]) << 32 * part;
    }
  const SnakeWords *const all = cluster_share_words<1> (s, {{own}});
  const int shift = __ffs ((int) s.ctas) - 1; /* a power of two */
#pragma unroll 1
  for (uint32_t e = threadIdx.x; e < s.count; e += blockDim.x)
    flags[e] = (uint8_t) (all[e & (s.ctas - 1)].words[0] >> (e >> shift) & 1);
  __syncthreads ();
}

/* Sets FLAGS[edge] to whether TEST (edge), for all edges. The CTAs share them, through SHARED. */
template <typename Test>
__device__ inline void
cluster_test_edges (Snake &s, uint8_t *flags, uint32_t *shared, Test test)
{
  const bool sends = cluster_sends_flags (s);
#pragma unroll 1
  for (uint32_t e = s.cta + threadIdx.x / 32 * s.ctas; e < s.count; e += cta_warps () * s.ctas) {
    const bool flag = test (e);
    if (lane_index () > 0)
      continue;
    if (s.ctas > 1 && !sends)
      shared[e] = flag;
    else
      flags[e] = flag;
  }
  if (sends) {
    cluster_share_flags (s, flags);
    return;
  }
  cluster_barrier (s);
  if (s.ctas > 1) {
#pragma unroll 1
    for (uint32_t e = threadIdx.x; e < s.count; e += blockDim.x)
      flags[e] = (uint8_t) shared[e];
    __syncthreads ();
  }
}

/* Splits long edges. True: some were split. */
template <bool WIDE>
__device__ inline bool
cluster_split (const SnakeKernelArgs &f, Snake &s)
{
  CtrPoint *points = s.arrays.points;
  uint8_t *proposed = s.arrays.stale,
          *chosen = s.arrays.chosen; /* overwrites the stale flags, which cluster_move() sets anew */
  cluster_test_edges (s, proposed, s.workspace.by_point.proposals, [&] (uint32_t e) {
    const CtrPoint a = points[e], b = points[ctr_snake_next (s.count, e)];
    return ctr_snake_splits (a, b, s.min_segment) && (halves_exactly (a, b) || !warp_split_touches (s, e, a, b));
  });
  cluster_test_edges (s, chosen, s.workspace.by_point.splits, [&] (uint32_t e) {
    const CtrPoint a = points[e], b = points[ctr_snake_next (s.count, e)];
    return proposed[e] && !warp_splits_touch (s, e, a, b);
  });
  const uint32_t *before = s.arrays.offsets;
  const uint32_t all = cta_scan (s, s.arrays.offsets, s.count, [&] (uint32_t e) { return (uint32_t) chosen[e]; });
  const uint32_t kept = min (all, CTR_SNAKE_MAX_POINTS - s.count), count = s.count;
  if (kept == 0)
    return false;
  if (count + kept > f.capacity) {
    s.needed_capacity = count + kept;
    return false;
  }
  /* From the end on, a share of the CTA's size at a time: it goes to where points have been read. */
#pragma unroll 1
  for (uint32_t end = ctr_div_up (count, blockDim.x) * blockDim.x; end > 0; end -= blockDim.x) {
    const uint32_t e = end - blockDim.x + threadIdx.x, next = ctr_snake_next (count, e);
    const bool there = e < count, splits = there && chosen[e] && before[e] < kept;
    CtrPoint a = points[there ? e : 0], b = a;
    if (splits) /* point END has been moved */
      b = points[next == end ? next + min (before[next], kept) : next];
    __syncthreads ();
    if (there)
      points[e + min (before[e], kept)] = a;
    if (splits)
      points[e + before[e] + 1] = ctr_snake_middle (a, b);
    __syncthreads ();
  }
  s.count = count + kept;
  s.most = max (s.most, s.count);
  return true;
}

#endif
