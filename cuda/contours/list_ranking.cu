/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of the list ranking: one CTA for few segments, rounds of pointer jumping for many. */
#include "cuda/contours/list_ranking.cuh"

namespace
{

constexpr int SMALL_THREADS = 1024;

__global__ void
__launch_bounds__ (SMALL_THREADS) small_kernel (const __grid_constant__ ListRanking r)
{
  __shared__ ListView views[LIST_SMALL];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t count = r.progress->count;
  if (count > LIST_SMALL)
    return;
  for (uint32_t i = threadIdx.x; i < count; i += SMALL_THREADS)
    views[i] = r.views[0][i];
  __syncthreads ();
  list_ranking_by_cta<SMALL_THREADS> (views, count);
  for (uint32_t i = threadIdx.x; i < count; i += SMALL_THREADS)
    r.views[0][i] = views[i];
  if (threadIdx.x == 0)
    r.progress->small = 1;
}

constexpr int ROUND_THREADS = 256, ROUND_CTAS = 1056;

__global__ void
__launch_bounds__ (ROUND_THREADS) round_kernel (const __grid_constant__ ListRanking r, uint32_t round)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const ListView *from = r.views[round % 2];
  ListView *to = r.views[(round + 1) % 2];
  uint32_t i = blockIdx.x * ROUND_THREADS + threadIdx.x;
  /* This load is under way while the thread finds out whether it needs it. */
  ListView own = i < r.capacity ? from[i] : ListView ();
  const uint32_t count = r.progress->count;
  if (r.progress->small || (round > 0 && !r.progress->unfinished[round - 1]))
    return;
  bool any = false;
  for (; i < count; i += gridDim.x * ROUND_THREADS, own = i < count ? from[i] : own) {
    if (own.next & LIST_DONE_TWICE)
      continue;
    if (own.next & LIST_DONE) {
      own.next |= LIST_DONE_TWICE;
    } else {
      own = list_jump_twice (from, own);
      any = any || !(own.next & LIST_DONE);
    }
    to[i] = own;
  }
  if (__syncthreads_or (any) && threadIdx.x == 0)
    atomicOr (&r.progress->unfinished[round], 1u);
}

} // namespace

void
list_ranking_launch_small (const ListRanking &ranking, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, small_kernel, 1, SMALL_THREADS, 0, stream, ranking);
}

void
list_ranking_launch_rounds (const ListRanking &ranking, bool overlap, cudaStream_t stream)
{
  const unsigned ctas = min (ranking.capacity / ROUND_THREADS + 1, (unsigned) ROUND_CTAS);
  for (uint32_t i = 0; i < ranking.rounds; i++)
    ctr_launch_overlapped (overlap, round_kernel, ctas, ROUND_THREADS, 0, stream, ranking, i);
}
