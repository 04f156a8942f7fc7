/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PTX instructions of clusters of CTAs, which GPUs have from compute capability 9.0 on: a barrier, and stores in the shared memory of
 * other CTAs. The emulator has its own versions in tests/emulation/sends-emulated.h. */
#ifndef CTR_CUDA_COMMON_SENDS_CUH
#define CTR_CUDA_COMMON_SENDS_CUH

#include <stdint.h>

#ifdef __NVCC__

/* Waits for all threads of the cluster. What they have written before is seen by all of them afterwards. One warp of each CTA
 * orders what the CTA's threads have written, as each fence waits for all writes that are on their way. */
__device__ inline void
meet_cluster ()
{
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
  __syncthreads ();
  if (threadIdx.x < 32)
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  else
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#elif __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/* Does nvcc know how CTAs of a cluster store in the shared memory of others? */
#define CTR_HAVE_SENDS \
  (__CUDA_ARCH__ >= 900 && (__CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 1)))

/* Bytes that other CTAs of the cluster send, in shared memory. They come in phases: each ends when as many have come as were expected. */
typedef uint64_t SentBytes;

/* To be called by one thread; a barrier of the cluster has to follow before bytes are sent. */
__device__ inline void
sent_bytes_init ([[maybe_unused]] SentBytes *bytes)
{
#if CTR_HAVE_SENDS
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"((uint32_t) __cvta_generic_to_shared (bytes)) : "memory");
#endif
}

/* Says how many bytes come in this phase. To be called by one thread. */
__device__ inline void
expect_bytes ([[maybe_unused]] SentBytes *bytes, [[maybe_unused]] uint32_t count)
{
#if CTR_HAVE_SENDS
  asm volatile(
      "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"((uint32_t) __cvta_generic_to_shared (bytes)), "r"(count)
      : "memory");
#endif
}

/* Waits for the end of a phase: of the first one where PARITY is 0, of the second one where it is 1, and so on. What has been sent is
 * seen afterwards; nothing else that other CTAs have written is ordered, so that the first cache keeps what it has. */
__device__ inline void
wait_for_bytes ([[maybe_unused]] SentBytes *bytes, [[maybe_unused]] uint32_t parity)
{
#if CTR_HAVE_SENDS
  uint32_t done;
  do
    asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared.b64 done, [%1], %2; selp.u32 %0, 1, 0, done; }"
                 : "=r"(done)
                 : "r"((uint32_t) __cvta_generic_to_shared (bytes)), "r"(parity)
                 : "memory");
  while (!done);
#endif
}

/* Stores the COUNT words in FROM where OWN is in the cluster's CTA of RANK, which is another one, and counts them at its BYTES. */
template <int COUNT>
__device__ inline void
send_words ([[maybe_unused]] uint64_t *own, [[maybe_unused]] const uint64_t *from, [[maybe_unused]] SentBytes *bytes,
    [[maybe_unused]] uint32_t rank)
{
#if CTR_HAVE_SENDS
  uint32_t there, counter;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((uint32_t) __cvta_generic_to_shared (own)), "r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(counter)
      : "r"((uint32_t) __cvta_generic_to_shared (bytes)), "r"(rank));
#pragma unroll
  for (int i = 0; i < COUNT; i++)
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(there + 8 * i),
                 "l"(from[i]), "r"(counter)
                 : "memory");
#endif
}

#else
#include "sends-emulated.h"
#endif

#endif
