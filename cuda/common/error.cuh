/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors of CUDA calls. */
#ifndef CTR_CUDA_COMMON_ERROR_CUH
#define CTR_CUDA_COMMON_ERROR_CUH

#include <cuda_runtime.h>

#include "core/common/error.h"

/* Leaves the calling function with false after a failed CUDA call. The message names the call and the error code. */
#define CTR_CUDA(call)                              \
  do {                                              \
    cudaError_t status_ = (call);                   \
    if (status_ != cudaSuccess)                     \
      return ctr_cuda_fail (error, status_, #call); \
  } while (0)

static inline bool
ctr_cuda_fail (CtrError *error, cudaError_t status, const char *call)
{
  cudaGetLastError (); /* A later, unrelated check must not see this error again. */
  if (status == cudaErrorMemoryAllocation)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "out of GPU memory (%s): use smaller frames, or free memory that other programs hold on this GPU", call);
  return ctr_fail (error, CTR_ERROR_CUDA, "CUDA error %d, %s: %s", (int) status, cudaGetErrorString (status), call);
}

#endif
