/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stands in for CUDA's header of this name: the part of the runtime API and, in cuda_device.h, of CUDA C++ that the
 * project uses, on the host. What is missing here is added when a kernel needs it. */
#ifndef CTR_EMULATION_CUDA_RUNTIME_H
#define CTR_EMULATION_CUDA_RUNTIME_H

#include "cuda_device.h"

#include <cstdlib>

#define CUDART_VERSION 13000

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorNotSupported = 801,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorGraphExecUpdateFailure = 910,
};

enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13
};

enum cudaSharedCarveout { cudaSharedmemCarveoutMaxShared = 100 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
enum cudaLaunchAttributeID {
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6
};

#define cudaStreamLegacy ((cudaStream_t) 1)

constexpr unsigned cudaStreamDefault = 0;
constexpr unsigned cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0;
constexpr unsigned cudaEventBlockingSync = 1;
constexpr unsigned cudaEventDisableTiming = 2;
constexpr unsigned cudaHostAllocDefault = 0;

struct CUevent_st;
typedef CUevent_st *cudaEvent_t;
struct CUgraph_st;
typedef CUgraph_st *cudaGraph_t;
struct CUgraphExec_st;
typedef CUgraphExec_st *cudaGraphExec_t;
struct cudaGraphExecUpdateResultInfo {
};

enum cudaMemoryType { cudaMemoryTypeUnregistered = 0, cudaMemoryTypeHost = 1, cudaMemoryTypeDevice = 2 };
struct cudaPointerAttributes {
  cudaMemoryType type;
};

struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  union {
    int programmaticStreamSerializationAllowed;
    struct {
      unsigned x, y, z;
    } clusterDim;
  } val;
};

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};

cudaError_t cudaGetLastError ();
cudaError_t cudaPeekAtLastError ();
const char *cudaGetErrorString (cudaError_t error);
cudaError_t cudaGetDeviceCount (int *count);
cudaError_t cudaGetDevice (int *device);
cudaError_t cudaDriverGetVersion (int *version);
cudaError_t cudaDeviceGetAttribute (int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaMalloc (void **memory, size_t size);
cudaError_t cudaFree (void *memory);
cudaError_t cudaHostAlloc (void **memory, size_t size, unsigned flags);
cudaError_t cudaFreeHost (void *memory);
cudaError_t cudaPointerGetAttributes (cudaPointerAttributes *attributes, const void *memory);
cudaError_t cudaMemcpyAsync (void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync (void *to, int value, size_t size, cudaStream_t stream);
cudaError_t cudaMemset2DAsync (void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags (cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy (cudaStream_t stream);
cudaError_t cudaStreamSynchronize (cudaStream_t stream);
cudaError_t cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags (cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy (cudaEvent_t event);
cudaError_t cudaEventRecord (cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize (cudaEvent_t event);
cudaError_t cudaEventQuery (cudaEvent_t event);
cudaError_t cudaEventElapsedTime (float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaStreamQuery (cudaStream_t stream);
cudaError_t cudaStreamBeginCapture (cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphGetNodes (cudaGraph_t graph, void *nodes, size_t *count);
cudaError_t cudaGraphInstantiate (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphExecUpdate (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info);
cudaError_t cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy (cudaGraphExec_t exec);
cudaError_t cudaGraphDestroy (cudaGraph_t graph);

namespace emulation
{
cudaError_t allow_shared (const void *kernel, size_t dynamic_size);
cudaError_t find_kernel ();
bool has_clusters ();
}

template <typename... Parameters>
static inline cudaError_t
cudaFuncSetAttribute (void (*kernel) (Parameters...), cudaFuncAttribute attribute, int value)
{
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess;
  return ::emulation::allow_shared ((const void *) kernel, (size_t) value);
}

template <typename... Parameters, typename... Arguments>
static inline cudaError_t
cudaLaunchKernelEx (const cudaLaunchConfig_t *config, void (*kernel) (Parameters...), Arguments &&...arguments)
{
  bool overlapped = false;
  unsigned cluster = 1;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
      cluster = config->attrs[i].val.clusterDim.x; /* along x only */
    else
      overlapped = overlapped || config->attrs[i].val.programmaticStreamSerializationAllowed;
  ::emulation::Launch (config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, overlapped, cluster)
      .run (kernel, arguments...);
  return cudaPeekAtLastError ();
}

template <typename... Parameters>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor (int *count, void (*) (Parameters...), int, size_t)
{
  *count = 1;
  return ::emulation::find_kernel ();
}

template <typename... Parameters>
static inline cudaError_t
cudaOccupancyMaxActiveClusters (int *count, void (*) (Parameters...), const cudaLaunchConfig_t *)
{
  *count = ::emulation::has_clusters ();
  return *count ? cudaSuccess : cudaErrorNotSupported;
}

#endif
