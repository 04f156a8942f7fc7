/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/session.cuh"

static cudaError_t
find_overlap (bool *overlap)
{
  int device = 0, major = 0;
  cudaError_t status = cudaGetDevice (&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device);
  *overlap = major >= 9;
  return status;
}

bool
cuda_session_open (CudaSession *session, const char *purpose, CtrError *error)
{
  *session = {};
  cudaError_t status = find_overlap (&session->overlap);
  if (status == cudaSuccess)
    status = cudaStreamCreateWithFlags (&session->own_stream, cudaStreamNonBlocking);
  return status == cudaSuccess || ctr_cuda_fail (error, status, purpose);
}

void
cuda_session_close (CudaSession *session)
{
  if (session->stream)
    cudaStreamSynchronize (session->stream);
  if (session->own_stream)
    cudaStreamDestroy (session->own_stream);
  cudaGetLastError ();
  *session = {};
}

bool
cuda_session_begin (CudaSession *session, void *stream, CtrError *error)
{
  if (session->stream)
    CTR_CUDA (cudaStreamSynchronize (session->stream));
  session->stream = stream ? (cudaStream_t) stream : session->own_stream;
  return true;
}

bool
cuda_session_begin_in_order (CudaSession *session, void *stream, CtrError *error)
{
  const cudaStream_t wanted = stream ? (cudaStream_t) stream : session->own_stream;
  if (session->stream && session->stream != wanted)
    CTR_CUDA (cudaStreamSynchronize (session->stream));
  session->stream = wanted;
  return true;
}

bool
cuda_session_wait (CudaSession *session, const char *purpose, CtrError *error)
{
  const cudaError_t status = cudaStreamSynchronize (session->stream);
  return status == cudaSuccess || ctr_cuda_fail (error, status, purpose);
}

void
cuda_session_end (CudaSession *session, bool complete)
{
  if (!complete) {
    cudaStreamSynchronize (session->stream);
    cudaGetLastError ();
  }
  session->stream = NULL;
}
