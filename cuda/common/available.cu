/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether this process has a CUDA device that it can use. */
#include "cuda/common/error.cuh"

extern "C" bool
ctr_cuda_available (CtrError *error)
{
  int devices = 0;
  cudaError_t status = cudaGetDeviceCount (&devices);
  if (status == cudaSuccess && devices > 0)
    return true;
  cudaGetLastError ();
  return ctr_fail (error, CTR_ERROR_NO_CUDA, "no usable CUDA device (%s): check the NVIDIA driver with nvidia-smi",
      status == cudaSuccess ? "none found" : cudaGetErrorString (status));
}
