/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of the list ranking: one CTA for few segments, rounds of pointer jumping for many. */
#include "cuda/contours/list_ranking.cuh"

namespace
{

constexpr int SMALL_THREADS = 1024;

/* Ranks all of COUNT <= LIST_SMALL segments by one CTA. VIEWS: shared memory. */
template <int CTA_THREADS>
__device__ inline void
rank_few (const ListRanking &r, ListView *views, uint32_t count)
{
  for (uint32_t i = threadIdx.x; i < count; i += CTA_THREADS)
    views[i] = r.views[0][i];
  __syncthreads ();
  list_ranking_by_cta<CTA_THREADS> (views, count);
  for (uint32_t i = threadIdx.x; i < count; i += CTA_THREADS)
    r.views[0][i] = views[i];
  if (threadIdx.x == 0)
    r.progress->small = 1;
}

__global__ void
__launch_bounds__ (SMALL_THREADS) small_kernel (const __grid_constant__ ListRanking r)
{
  __shared__ ListView views[LIST_SMALL];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t count = r.progress->count;
  if (count <= LIST_SMALL)
    rank_few<SMALL_THREADS> (r, views, count);
}

constexpr int ROUND_THREADS = 256, ROUND_CTAS = 1056;

/* FEW_TOO: the first round, whose first CTA ranks all segments where they are few. */
template <bool FEW_TOO>
__global__ void
__launch_bounds__ (ROUND_THREADS) round_kernel (const __grid_constant__ ListRanking r, uint32_t round)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const ListView *from = r.views[round % 2];
  ListView *to = r.views[(round + 1) % 2];
  uint32_t i = blockIdx.x * ROUND_THREADS + threadIdx.x;
  /* This load is under way while the thread finds out whether it needs it. A CTA that ranks all alone writes what it would read. */
  ListView own = !FEW_TOO && i < r.capacity ? from[i] : ListView ();
  const uint32_t count = r.progress->count;
  if constexpr (FEW_TOO) {
    __shared__ ListView views[LIST_SMALL];
    if (count <= LIST_SMALL) {
      if (blockIdx.x == 0)
        rank_few<ROUND_THREADS> (r, views, count);
      return;
    }
    own = i < count ? from[i] : own;
  } else if (r.progress->small || (round > 0 && !r.progress->unfinished[round - 1])) {
    return;
  }
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

void
launch_rounds (const ListRanking &ranking, bool few_too, bool overlap, cudaStream_t stream)
{
  const unsigned ctas = min (ranking.capacity / ROUND_THREADS + 1, (unsigned) ROUND_CTAS);
  for (uint32_t i = 0; i < ranking.rounds; i++)
    ctr_launch_overlapped (overlap, i == 0 && few_too ? round_kernel<true> : round_kernel<false>, ctas, ROUND_THREADS,
        0, stream, ranking, i);
}

} // namespace

void
list_ranking_launch (const ListRanking &ranking, bool overlap, cudaStream_t stream)
{
  if (ranking.rounds == 0)
    ctr_launch_overlapped (overlap, small_kernel, 1, SMALL_THREADS, 0, stream, ranking);
  launch_rounds (ranking, true, overlap, stream);
}

void
list_ranking_launch_rounds (const ListRanking &ranking, bool overlap, cudaStream_t stream)
{
  launch_rounds (ranking, false, overlap, stream);
}
