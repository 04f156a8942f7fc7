/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A second stream beside that of a frame, for kernels that can run at the same time as the frame's own ones. A captured graph gets
 * two branches. */
#ifndef CTR_CUDA_COMMON_FORK_CUH
#define CTR_CUDA_COMMON_FORK_CUH

#include "cuda/common/device_buffer.cuh"

/* Zero: not open. */
struct CudaFork {
  cudaStream_t stream;
  cudaEvent_t forked, joined;
};

/* In the current context, outside of any capture. An open one stays as it is. */
bool cuda_fork_open (CudaFork *fork, CtrError *error);

/* Nothing is queued in it any more. The context may be gone; errors have nowhere to go. */
void cuda_fork_close (CudaFork *fork);

/* What is queued in fork->stream from here on follows what STREAM has so far. In a graph the first kernel there may overlap the last one
 * of STREAM. */
bool cuda_fork_begin (const CudaFork *fork, cudaStream_t stream, CtrError *error);

/* What is queued in STREAM from here on follows all of fork->stream. In a graph the next kernel may overlap the last ones of both. To be
 * called after each cuda_fork_begin(), even if something has failed in between. */
bool cuda_fork_join (const CudaFork *fork, cudaStream_t stream, CtrError *error);

#endif
