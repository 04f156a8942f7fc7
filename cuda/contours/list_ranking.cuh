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

/* Of RingView.next: the smallest key of the ring is known; and that is so in both of Rings.views. */
constexpr uint32_t RING_DONE = 1u << 31, RING_DONE_TWICE = 1u << 30, RING_NEXT = RING_DONE_TWICE - 1;

/* What a segment knows: in the beginning of itself, in the end of its whole ring. */
struct __align__ (16) RingView
{
  uint32_t next;     /* the segment after those that are known; RING_DONE.. */
  uint32_t length;   /* their elements, modulo 2^32 */
  uint32_t key;      /* the smallest among them */
  uint32_t distance; /* elements from this segment's first one to where that key is */
};

/* A segment as it was in the beginning. */
struct __align__ (16) RingSegment
{
  uint32_t next, length, key;
  uint32_t note; /* of those who make the segments; the rings do not read it */
};

constexpr int RING_MOST_ROUNDS = 32;
constexpr uint32_t RING_SMALL = 2048; /* segments that one CTA takes alone */

/* On the device, zero in the beginning. */
struct RingProgress {
  uint32_t count;                        /* segments; set by who writes them */
  uint32_t unfinished[RING_MOST_ROUNDS]; /* after each round */
  uint32_t small;                        /* one CTA did it all */
};

struct Rings {
  uint32_t capacity; /* segments */
  RingSegment *segments;
  RingView *views[2]; /* in the beginning in the first */
  RingProgress *progress;
  uint32_t rounds; /* that are launched for more than RING_SMALL segments */
};

/* A and what follows it. If both know the same key, then the second has come round to where the first found it. */
__device__ inline RingView
ring_join (const RingView &a, const RingView &b)
{
  const bool done = (a.key == b.key && a.key != NO_KEY) || b.next & RING_DONE;
  return {(b.next & RING_NEXT) | (done ? RING_DONE : 0), a.length + b.length, min (a.key, b.key),
      b.key < a.key ? a.length + b.distance : a.distance};
}

/* Two rounds in one, from views OWN, not done, is one of: fewer barriers and launches, for two more loads. */
__device__ inline RingView
ring_quadruple (const RingView *views, const RingView &own)
{
  const RingView near = ring_join (own, views[own.next]);
  if (near.next & RING_DONE)
    return near;
  const RingView next = views[near.next];
  return ring_join (near, next.next & RING_DONE ? next : ring_join (next, views[next.next]));
}

/* All rounds by one CTA of THREADS threads, on COUNT <= RING_SMALL views in shared memory, where they are after a
 * barrier. Ends in a barrier. */
template <int THREADS>
__device__ inline void
ring_rounds_of_cta (RingView *views, uint32_t count)
{
  constexpr int SHARE = RING_SMALL / THREADS;
  bool any;
  do {
    any = false;
    RingView news[SHARE];
#pragma unroll
    for (int k = 0; k < SHARE; k++) {
      const uint32_t i = threadIdx.x + k * THREADS;
      if (i < count) {
        const RingView own = views[i];
        news[k] = own.next & RING_DONE ? own : ring_quadruple (views, own);
        any = any || !(news[k].next & RING_DONE);
      }
    }
    __syncthreads ();
#pragma unroll
    for (int k = 0; k < SHARE; k++)
      if (threadIdx.x + k * THREADS < count)
        views[threadIdx.x + k * THREADS] = news[k];
  } while (__syncthreads_or (any));
}

/* Queues the kernel for up to RING_SMALL segments, which sets progress->small if it did them all. */
void ctr_launch_small_rings (const Rings &rings, bool overlap, cudaStream_t stream);
/* Queues the rounds for any number of segments, unless progress->small. */
void ctr_launch_rings (const Rings &rings, bool overlap, cudaStream_t stream);

/* Rounds that were needed; *COMPLETE: were there enough? After the kernels. */
__device__ inline uint32_t
ring_rounds (const Rings &r, bool *complete)
{
  uint32_t done = 0;
  *complete = r.progress->small;
  while (!*complete && done < r.rounds)
    *complete = !r.progress->unfinished[done++];
  return done;
}

/* The views after them. */
__device__ inline const RingView *
ring_views (const Rings &r)
{
  bool complete;
  return r.views[ring_rounds (r, &complete) % 2];
}

/* Elements of the ring that starts with segment I. */
__device__ inline uint32_t
ring_length (const Rings &r, const RingView *views, uint32_t i)
{
  const RingSegment s = r.segments[i];
  return s.length + views[s.next].distance;
}

#endif
