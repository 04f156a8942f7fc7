/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host side of every kernel file: the one error macro, growing buffers. */
#ifndef CTR_CUDA_COMMON_CUH
#define CTR_CUDA_COMMON_CUH

#include "core/backend.h"

#include <cuda_runtime.h>

/* Leaves the calling function with false after a failed CUDA call; the message names the call and the code. */
#define CTR_CUDA(call)                              \
  do {                                              \
    cudaError_t status_ = (call);                   \
    if (status_ != cudaSuccess)                     \
      return ctr_cuda_fail (error, status_, #call); \
  } while (0)

static inline bool
ctr_cuda_fail (CtrError *error, cudaError_t status, const char *call)
{
  cudaGetLastError (); /* a later, unrelated check must not see this error again */
  if (status == cudaErrorMemoryAllocation)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "out of GPU memory (%s): use a smaller frame, or free memory other programs hold on this GPU", call);
  return ctr_fail (error, CTR_ERROR_CUDA, "CUDA error %d, %s: %s", (int) status, cudaGetErrorString (status), call);
}

/* Memory that only grows, on the device or pinned on the host. Contents do not survive growing. */
struct CtrBuffer {
  void *data;
  size_t size; /* bytes */
  bool pinned; /* host memory */
};

static inline void
ctr_buffer_free (CtrBuffer *buffer)
{
  if (buffer->data)
    buffer->pinned ? cudaFreeHost (buffer->data) : cudaFree (buffer->data);
  buffer->data = NULL;
  buffer->size = 0;
}

/* At least SIZE bytes; never called while work that uses the buffer is queued. */
static inline bool
ctr_buffer_reserve (CtrBuffer *buffer, size_t size, CtrError *error)
{
  if (size <= buffer->size)
    return true;
  ctr_buffer_free (buffer);
  if (buffer->pinned)
    CTR_CUDA (cudaHostAlloc (&buffer->data, size, cudaHostAllocDefault));
  else
    CTR_CUDA (cudaMalloc (&buffer->data, size));
  buffer->size = size;
  return true;
}

__host__ __device__ inline unsigned
ctr_div_up (unsigned a, unsigned b)
{
  return (a + b - 1) / b;
}

#endif
