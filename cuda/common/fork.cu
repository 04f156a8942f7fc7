/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/fork.cuh"

#include "cuda/common/session.cuh"

bool
cuda_fork_open (CudaFork *fork, CtrError *error)
{
  if (!fork->stream)
    CTR_CUDA (cudaStreamCreateWithFlags (&fork->stream, cudaStreamNonBlocking));
  if (!fork->forked)
    CTR_CUDA (cuda_create_event (&fork->forked));
  if (!fork->joined)
    CTR_CUDA (cuda_create_event (&fork->joined));
  return true;
}

void
cuda_fork_close (CudaFork *fork)
{
  if (fork->stream)
    cudaStreamDestroy (fork->stream);
  for (cudaEvent_t event : {fork->forked, fork->joined})
    if (event)
      cudaEventDestroy (event);
  cudaGetLastError ();
  *fork = {};
}

bool
cuda_fork_begin (const CudaFork *fork, cudaStream_t stream, CtrError *error)
{
  CTR_CUDA (cudaEventRecord (fork->forked, stream));
  CTR_CUDA (cudaStreamWaitEvent (fork->stream, fork->forked, 0));
  return true;
}

bool
cuda_fork_join (const CudaFork *fork, cudaStream_t stream, CtrError *error)
{
  CTR_CUDA (cudaEventRecord (fork->joined, fork->stream));
  CTR_CUDA (cudaStreamWaitEvent (stream, fork->joined, 0));
  return true;
}
