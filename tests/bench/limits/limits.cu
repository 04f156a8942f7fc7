/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/limits/limits.h"

#include "cuda/common/cluster.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

__global__ void
empty_kernel ()
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
}

/* Each load needs the one before: MEMORY holds zeros. */
__global__ void
load_kernel (const uint32_t *memory, uint32_t count, uint32_t *sum)
{
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++)
    at = __ldcg (memory + at);
  *sum = at;
}

__global__ void
atomic_kernel (uint32_t *memory, uint32_t count, uint32_t *sum)
{
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++)
    at = atomicMin (memory + at, 0u);
  *sum = at;
}

__global__ void
barrier_kernel (uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    __syncthreads ();
}

__global__ void
cluster_kernel (uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    cluster_barrier ();
}

__global__ void
fence_kernel (volatile uint32_t *host, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    *host = i;
    fence_system ();
  }
}

} // namespace

cudaError_t
limits_enqueue_kernels (uint32_t kernels, uint32_t ctas, uint32_t threads, bool overlap, cudaStream_t stream)
{
  for (uint32_t i = 0; i < kernels; i++)
    ctr_launch_overlapped (overlap && i > 0, empty_kernel, ctas, threads, 0, stream);
  return cudaGetLastError ();
}

cudaError_t
limits_enqueue_steps (LimitsStep step, uint32_t count, uint32_t *memory, cudaStream_t stream)
{
  cudaError_t status = cudaSuccess;
  switch (step) {
    case LIMITS_LOAD:
      ctr_launch (load_kernel, 1, 1, 0, stream, memory, count, memory + 32);
      break;
    case LIMITS_ATOMIC:
      ctr_launch (atomic_kernel, 1, 1, 0, stream, memory, count, memory + 32);
      break;
    case LIMITS_BARRIER:
      ctr_launch (barrier_kernel, 1, 1024, 0, stream, count);
      break;
    case LIMITS_CLUSTER_BARRIER: {
      cudaLaunchAttribute attributes[2];
      cudaLaunchConfig_t config = ctr_cluster_config (LIMITS_CLUSTER_CTAS, 512, stream, attributes);
      config.numAttrs = 1;
      status = cudaFuncSetAttribute (cluster_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (status == cudaSuccess)
        ctr_launch_configured (config, cluster_kernel, count);
      break;
    }
    case LIMITS_FENCE:
      ctr_launch (fence_kernel, 1, 1, 0, stream, memory, count);
      break;
  }
  return status == cudaSuccess ? cudaGetLastError () : status;
}
