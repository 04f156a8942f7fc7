/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What CTAs of a cluster send to each other: straight into the shared memory of the others, without a barrier of the cluster. None can be
 * two exchanges ahead of another, as each waits for what all others send. So two arrays, and two counters of bytes, suffice by turns.
 *
 * A barrier of the cluster takes longer: it waits for all stores, and afterwards nothing of global memory is left in the first cache. */
#ifndef CTR_CUDA_SNAKE_EXCHANGE_CUH
#define CTR_CUDA_SNAKE_EXCHANGE_CUH

#include "cuda/snake/cluster.cuh"

/* Do the CTAs send changes to each other? Each of them has to have some. Otherwise changes go through global memory and a barrier. */
__device__ inline bool
cluster_exchanges (const Snake &s)
{
#if CTR_HAVE_SENDS
  return s.arrays.exchanged && s.count >= s.ctas && s.count <= SNAKE_EXCHANGED;
#else
  return false;
#endif
}

/* Waits for COUNT bytes that other CTAs have sent. What this CTA's threads have stored in its shared memory is seen afterwards, too.
 * Between one exchange and what the CTA sends for the next one there has to be a barrier of the CTA. */
__device__ inline void
cluster_receive (Snake &s, uint32_t count)
{
  SentBytes *const sent = &s.scratch->sent[s.exchanges % 2];
  if (threadIdx.x == 0)
    expect_bytes (sent, count);
  __syncthreads ();
  wait_for_bytes (sent, s.exchanges / 2 % 2);
  s.exchanges++;
}

/* Gives each CTA the first COUNT words of all CTAs, for which those of OWN are this one's. Returns them by CTA. */
template <int COUNT>
__device__ inline const SnakeWords *
cluster_share_words (Snake &s, SnakeWords own)
{
  SnakeWords *const from = s.scratch->from[s.exchanges % 2];
  const uint32_t rank = threadIdx.x;
  if (rank == s.cta) {
#pragma unroll
    for (int k = 0; k < COUNT; k++)
      from[rank].words[k] = own.words[k];
  } else if (rank < s.ctas) {
    send_words<COUNT> (from[s.cta].words, own.words, &s.scratch->sent[s.exchanges % 2], rank);
  }
  cluster_receive (s, (s.ctas - 1) * COUNT * (uint32_t) sizeof (uint64_t));
  return from;
}

/* Gives each CTA the sums of all CTAs, for which OWN are this one's: lane I returns those of CTA I. */
__device__ inline CtrSnakeSums
cluster_share_sums (Snake &s, CtrSnakeSums own)
{
  CtrSnakeSums sums = {0, 0, 0};
  const uint32_t lane = lane_index ();
  if (s.ctas == 1)
    return lane == 0 ? own : sums;
#if CTR_HAVE_SENDS
  const SnakeWords *const all = cluster_share_words<3> (s, {{(uint64_t) own.n, (uint64_t) own.s1, own.s2}});
  if (lane < s.ctas)
    sums = {(int64_t) all[lane].words[0], (int64_t) all[lane].words[1], all[lane].words[2]};
#else
  CtrSnakeSums *parts = s.workspace.by_cta.sums + s.sum_count % 2 * SNAKE_MAX_CTAS;
  s.sum_count++;
  if (threadIdx.x == 0)
    parts[s.cta] = own;
  cluster_barrier (s);
  if (lane < s.ctas)
    sums = parts[lane];
#endif
  return sums;
}

#endif
