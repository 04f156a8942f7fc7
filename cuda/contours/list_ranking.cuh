/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* List ranking by pointer jumping (Wyllie) for many circular lists at once: each list is to be read from its start.
 *
 * A list is a ring of segments. A segment is some elements one after the other. Where one of a segment's elements may be
 * the ring's start, the segment has the smallest key of these; the ring starts at its smallest key, which is unique. A
 * segment knows the smallest key among the segments that follow it, itself included, and how many elements of all these
 * come before that key. In each step it learns what the segment behind these knows, until it has come round. If all segments go at the
 * same pace, a step doubles what they know, so rings of any size in any order take the logarithm of their size.
 */
#ifndef CTR_CUDA_CONTOURS_LIST_RANKING_CUH
#define CTR_CUDA_CONTOURS_LIST_RANKING_CUH

#include "cuda/common/ptx.cuh"

constexpr uint32_t NO_KEY = ~0u;

/* Of ListView.next: the smallest key of the ring is known. */
constexpr uint32_t LIST_DONE = 1u << 31, LIST_NEXT = LIST_DONE - 1;

/* What a segment knows: at first about itself, in the end about its whole ring. */
struct __align__ (16) ListView
{
  uint32_t next;     /* the segment after the known ones; LIST_DONE */
  uint32_t length;   /* elements of the known segments, modulo 2^32 */
  uint32_t key;      /* the smallest one of the known segments */
  uint32_t distance; /* elements from this segment's first one to that key */
};

/* A segment as its maker writes it. */
struct __align__ (16) ListSegment
{
  uint32_t next, length, key;
  uint32_t maker_data; /* the maker's own; the ranking does not read it */
};

constexpr uint32_t LIST_SMALL = 2048; /* segments that one CTA ranks alone, see list_ranking_by_cta() */

struct ListRanking {
  uint32_t capacity; /* segments */
  ListSegment *segments;
  ListView *views;       /* Their maker fills these. In the end, keys and distances are those of the rings. */
  const uint32_t *count; /* segments that there are, on the device; 0: they need not be ranked, or do not fit */
  uint32_t *starts;      /* bits by key: those of the rings are set; NULL: not asked for */
};

/* Joins A with B, which follows it. Where both know the same key, B has come round to where A found it. */
__device__ inline ListView
list_join (const ListView &a, const ListView &b)
{
  const bool done = (a.key == b.key && a.key != NO_KEY) || b.next & LIST_DONE;
  return {(b.next & LIST_NEXT) | (done ? LIST_DONE : 0), a.length + b.length, min (a.key, b.key),
      b.key < a.key ? a.length + b.distance : a.distance};
}

/* Two rounds in one: fewer barriers, for two more loads. OWN is one of VIEWS, an array or what has its operator, and not
 * done. */
template <typename Views>
__device__ inline ListView
list_jump_twice (const Views &views, const ListView &own)
{
  const ListView near = list_join (own, views[own.next]);
  if (near.next & LIST_DONE)
    return near;
  const ListView next = views[near.next];
  return list_join (near, next.next & LIST_DONE ? next : list_join (next, views[next.next]));
}

/* All rounds, by one CTA of THREADS threads. VIEWS: COUNT <= LIST_SMALL of them in shared memory, after a barrier. Ends
 * with a barrier. */
template <int THREADS>
__device__ inline void
list_ranking_by_cta (ListView *views, uint32_t count)
{
  constexpr int SHARE = LIST_SMALL / THREADS;
  bool any;
  do {
    any = false;
    ListView news[SHARE];
#pragma unroll
    for (int k = 0; k < SHARE; k++) {
      const uint32_t i = threadIdx.x + k * THREADS;
      if (i < count) {
        const ListView own = views[i];
        news[k] = own.next & LIST_DONE ? own : list_jump_twice (views, own);
        any = any || !(news[k].next & LIST_DONE);
      }
    }
    __syncthreads ();
#pragma unroll
    for (int k = 0; k < SHARE; k++)
      if (threadIdx.x + k * THREADS < count)
        views[threadIdx.x + k * THREADS] = news[k];
  } while (__syncthreads_or (any));
}

/* Queues the kernel that ranks all segments. */
void list_ranking_launch (const ListRanking &ranking, bool overlap, cudaStream_t stream);

/* After the ranking: elements of the ring that starts in segment I, in a ring of several segments also behind its first element. */
__device__ inline uint32_t
list_ranking_ring_length (const ListRanking &r, uint32_t i)
{
  const ListSegment s = r.segments[i];
  return s.length - r.views[i].distance + r.views[s.next].distance;
}

#endif
