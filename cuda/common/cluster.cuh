/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Clusters of CTAs, which GPUs have from compute capability 9.0 on. No kernel with these is launched on others. */
#ifndef CTR_CUDA_COMMON_CLUSTER_CUH
#define CTR_CUDA_COMMON_CLUSTER_CUH

#include <stdint.h>

#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#endif

/* Waits for all threads of the cluster. */
__device__ inline void
cluster_barrier ()
{
#if __CUDA_ARCH__ >= 900
  cooperative_groups::this_cluster ().sync ();
#endif
}

/* Arrives at a barrier of the cluster, which orders nothing before it: a CTA that has arrived has started. Each thread has to wait for the
 * others before it arrives again. */
__device__ inline void
cluster_arrive ()
{
#if __CUDA_ARCH__ >= 900 && defined __NVCC__
#if __CUDACC_VER_MAJOR__ >= 12
  asm volatile("barrier.cluster.arrive.relaxed.aligned;");
#else
  asm volatile("barrier.cluster.arrive.aligned;"); /* PTX 7.8 has no other order. */
#endif
#endif
}

__device__ inline void
cluster_wait ()
{
#if __CUDA_ARCH__ >= 900
  cooperative_groups::this_cluster ().barrier_wait ();
#endif
}

/* As OWN, in shared memory, in that of the cluster's CTA of RANK. */
template <typename T>
__device__ inline T *
cluster_shared (T *own, [[maybe_unused]] uint32_t rank)
{
#if __CUDA_ARCH__ >= 900
  return cooperative_groups::this_cluster ().map_shared_rank (own, rank);
#else
  return own;
#endif
}

#endif
