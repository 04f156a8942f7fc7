/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/rings.cuh"

namespace
{

/* A and what follows it. *OPEN: may there be segments of the ring that neither has seen? If both know the same key,
 * then the second has come round to where the first found it. */
__device__ inline RingView
join (const RingView &a, const RingView &b, bool *open)
{
  *open = a.key != b.key || a.key == NO_KEY;
  return {b.next, a.length + b.length, min (a.key, b.key), b.key < a.key ? a.length + b.distance : a.distance};
}

constexpr int SMALL_THREADS = 1024, SMALL_SHARE = RING_SMALL / SMALL_THREADS;

__global__ void
__launch_bounds__ (SMALL_THREADS) small_kernel (const __grid_constant__ Rings r)
{
  __shared__ RingView views[RING_SMALL];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t count = r.progress->count, t = threadIdx.x;
  if (count > RING_SMALL)
    return;
  for (uint32_t i = t; i < count; i += SMALL_THREADS)
    views[i] = r.views[0][i];
  bool any;
  do {
    any = false;
    RingView news[SMALL_SHARE];
    __syncthreads ();
#pragma unroll
    for (int k = 0; k < SMALL_SHARE; k++) {
      const uint32_t i = t + k * SMALL_THREADS;
      if (i < count) {
        bool open;
        const RingView own = views[i];
        news[k] = join (own, views[own.next], &open);
        any = any || open;
      }
    }
    __syncthreads ();
#pragma unroll
    for (int k = 0; k < SMALL_SHARE; k++)
      if (t + k * SMALL_THREADS < count)
        views[t + k * SMALL_THREADS] = news[k];
  } while (__syncthreads_or (any));
  for (uint32_t i = t; i < count; i += SMALL_THREADS)
    r.views[0][i] = views[i];
  if (t == 0)
    r.progress->small = 1;
}

constexpr int ROUND_THREADS = 256, ROUND_CTAS = 1056;

__global__ void
__launch_bounds__ (ROUND_THREADS) round_kernel (const __grid_constant__ Rings r, uint32_t round)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t count = r.progress->count;
  if (count <= RING_SMALL || (round > 0 && !r.progress->unfinished[round - 1]))
    return;
  const RingView *from = r.views[round % 2];
  RingView *to = r.views[(round + 1) % 2];
  bool any = false;
  for (uint32_t i = blockIdx.x * ROUND_THREADS + threadIdx.x; i < count; i += gridDim.x * ROUND_THREADS) {
    bool open;
    const RingView own = from[i];
    to[i] = join (own, from[own.next], &open);
    any = any || open;
  }
  if (__syncthreads_or (any) && threadIdx.x == 0)
    atomicOr (&r.progress->unfinished[round], 1u);
}

} // namespace

void
ctr_launch_rings (const Rings &rings, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, small_kernel, 1, SMALL_THREADS, 0, stream, rings);
  const unsigned ctas = min (rings.capacity / ROUND_THREADS + 1, (unsigned) ROUND_CTAS);
  for (uint32_t i = 0; i < rings.rounds; i++)
    ctr_launch_overlapped (overlap, round_kernel, ctas, ROUND_THREADS, 0, stream, rings, i);
}
