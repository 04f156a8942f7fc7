/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host side of every kernel file: the one error macro, growing buffers. */
#ifndef CTR_CUDA_COMMON_CUH
#define CTR_CUDA_COMMON_CUH

#include <cuda_runtime.h>

#include "core/common/backend.h" /* after it: functions for both sides */

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
  if (buffer->pinned) {
    if (cudaHostAlloc (&buffer->data, size, cudaHostAllocDefault) != cudaSuccess) {
      cudaGetLastError ();
      buffer->data = NULL;
      return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory: %zu bytes pinned for the GPU", size);
    }
  } else {
    CTR_CUDA (cudaMalloc (&buffer->data, size));
  }
  buffer->size = size;
  return true;
}

/* Hands out pieces of one allocation; a first run with base NULL measures it. */
struct CtrCarver {
  uint8_t *base;
  size_t used;

  template <typename T>
  T *
  take (size_t count)
  {
    T *piece = (T *) (base + used);
    used += (count * sizeof (T) + 255) / 256 * 256;
    return base ? piece : NULL;
  }
};

/* Bytes of a row of our own planes, for vector loads. */
static inline size_t
ctr_aligned_row (size_t bytes)
{
  return (bytes + 255) / 256 * 256;
}

__host__ __device__ inline unsigned
ctr_div_up (unsigned a, unsigned b)
{
  return (a + b - 1) / b;
}

/* Overlapped launches, where the GPU can (sm_90 and up): a kernel lets its successor's CTAs start as its own run out,
 * and each CTA of the successor waits, before it touches any memory, until the predecessor is complete. Every CTA must
 * wait, also one with nothing to do, or the kernel after it would not be ordered behind the one before it. */
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

/* Can the current GPU? */
static inline cudaError_t
ctr_find_overlap (bool *overlap)
{
  int device = 0, major = 0;
  cudaError_t status = cudaGetDevice (&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device);
  *overlap = major >= 9;
  return status;
}

/* Launches KERNEL behind one that calls ctr_let_next_start(); it must call ctr_wait_for_previous(). */
template <typename... Args>
static inline void
ctr_launch_overlapped (
    bool overlap, void (*kernel) (Args...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, Args... args)
{
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
