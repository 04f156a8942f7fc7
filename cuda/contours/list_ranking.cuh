/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ordering engine: many rings of linked segments at once, each to be read from its start. Of the borders and the
 * crack contours.
 *
 * A segment is a piece of a ring: some elements one after the other. Where a segment's first element may be the ring's
 * start it has a key; the ring starts at the smallest one, which is unique. By doubling: a segment knows the smallest
 * key among the segments that follow it, itself included, and how many elements away it is, and learns in each round
 * what the segment behind these knows. log2 rounds, whatever the rings' sizes and order; segments whose ring is known
 * rest; no round waits for the host.
 */
#ifndef CTR_CUDA_CONTOURS_LIST_RANKING_CUH
#define CTR_CUDA_CONTOURS_LIST_RANKING_CUH

#include "cuda/common/launch.cuh"

constexpr uint32_t NO_KEY = ~0u;

/* Of ListView.next: the smallest key of the ring is known; and that is so in both of ListRanking.views. */
constexpr uint32_t LIST_DONE = 1u << 31, LIST_DONE_TWICE = 1u << 30, LIST_NEXT = LIST_DONE_TWICE - 1;

/* What a segment knows: in the beginning of itself, in the end of its whole ring. */
struct __align__ (16) ListView
{
  uint32_t next;     /* the segment after those that are known; LIST_DONE.. */
  uint32_t length;   /* their elements, modulo 2^32 */
  uint32_t key;      /* the smallest among them */
  uint32_t distance; /* elements from this segment's first one to where that key is */
};

/* A segment as it was in the beginning. */
struct __align__ (16) ListSegment
{
  uint32_t next, length, key;
  uint32_t note; /* of those who make the segments; the rings do not read it */
};

constexpr int LIST_MAX_ROUNDS = 32;
constexpr uint32_t LIST_SMALL = 2048; /* segments that one CTA takes alone */

/* On the device, zero in the beginning. */
struct ListProgress {
  uint32_t count;                       /* segments; set by who writes them */
  uint32_t unfinished[LIST_MAX_ROUNDS]; /* after each round */
  uint32_t small;                       /* one CTA did it all */
};

struct ListRanking {
  uint32_t capacity; /* segments */
  ListSegment *segments;
  ListView *views[2]; /* in the beginning in the first */
  ListProgress *progress;
  uint32_t rounds; /* that are launched for more than LIST_SMALL segments */
};

/* A and what follows it. If both know the same key, then the second has come round to where the first found it. */
__device__ inline ListView
list_join (const ListView &a, const ListView &b)
{
  const bool done = (a.key == b.key && a.key != NO_KEY) || b.next & LIST_DONE;
  return {(b.next & LIST_NEXT) | (done ? LIST_DONE : 0), a.length + b.length, min (a.key, b.key),
      b.key < a.key ? a.length + b.distance : a.distance};
}

/* Two rounds in one, from views OWN, not done, is one of: fewer barriers and launches, for two more loads. */
__device__ inline ListView
list_jump_twice (const ListView *views, const ListView &own)
{
  const ListView near = list_join (own, views[own.next]);
  if (near.next & LIST_DONE)
    return near;
  const ListView next = views[near.next];
  return list_join (near, next.next & LIST_DONE ? next : list_join (next, views[next.next]));
}

/* All rounds by one CTA of THREADS threads, on COUNT <= LIST_SMALL views in shared memory, where they are after a
 * barrier. Ends in a barrier. */
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

/* The rounds, of two doublings each, that complete rings of so many segments for certain. The last one finds that all
 * is done. */
static inline uint32_t
list_ranking_max_rounds (uint32_t segments)
{
  uint32_t rounds = 2;
  while (rounds < LIST_MAX_ROUNDS && (uint64_t) segments >> (2 * rounds - 1))
    rounds++;
  return rounds;
}

/* Queues the kernel for up to LIST_SMALL segments, which sets progress->small if it did them all. */
void list_ranking_launch_small (const ListRanking &rings, bool overlap, cudaStream_t stream);
/* Queues the rounds for any number of segments, unless progress->small. */
void list_ranking_launch_rounds (const ListRanking &rings, bool overlap, cudaStream_t stream);

/* Rounds that were needed; *COMPLETE: were there enough? After the kernels. */
__device__ inline uint32_t
list_ranking_rounds (const ListRanking &r, bool *complete)
{
  uint32_t done = 0;
  *complete = r.progress->small;
  while (!*complete && done < r.rounds)
    *complete = !r.progress->unfinished[done++];
  return done;
}

/* The views after them. */
__device__ inline const ListView *
list_ranking_views (const ListRanking &r)
{
  bool complete;
  return r.views[list_ranking_rounds (r, &complete) % 2];
}

/* Elements of the ring that starts with segment I. */
__device__ inline uint32_t
list_ranking_ring_length (const ListRanking &r, const ListView *views, uint32_t i)
{
  const ListSegment s = r.segments[i];
  return s.length + views[s.next].distance;
}

#endif
