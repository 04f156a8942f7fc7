/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Launching kernels: grid sizes, and programmatic dependent launch.
 *
 * With programmatic dependent launch (sm_90 and up) a kernel lets its successor's CTAs start as its own run out. Each
 * CTA of the successor waits, before it touches any memory, until the predecessor is complete. Every CTA must wait,
 * also one with nothing to do: otherwise the kernel after it would not be ordered behind the one before it. */
#ifndef CTR_CUDA_COMMON_LAUNCH_CUH
#define CTR_CUDA_COMMON_LAUNCH_CUH

#include "cuda/common/error.cuh"

__host__ __device__ inline unsigned
ctr_div_up (unsigned a, unsigned b)
{
  return (a + b - 1) / b;
}

__device__ inline void
ctr_let_next_start ()
{
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion ();
#endif
}

__device__ inline void
ctr_wait_for_previous ()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize ();
#endif
}

/* Launches KERNEL behind one that calls ctr_let_next_start(). KERNEL must call ctr_wait_for_previous(). OVERLAP: the
 * GPU has programmatic dependent launch. */
template <typename... Args>
static inline void
ctr_launch_overlapped (
    bool overlap, void (*kernel) (Args...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, Args... args)
{
  if (!ctr_may_launch ())
    return;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = overlap ? 1 : 0;
  cudaLaunchKernelEx (&config, kernel, args...);
}

#endif
