/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces tests/core/common/gpu.c, which calls the driver, for the emulated device. Copies are made in the default stream,
 * as the driver's are, and do not wait for non-blocking streams. */
#include "cuda_runtime.h"

extern "C" {
#include "tests/core/common/gpu.h"
}

#include <mutex>
#include <vector>

void
gpu_enter (void)
{
}

bool
gpu_open (bool own_context)
{
  return true;
}

static void *
stream_new (unsigned flags)
{
  /* The tests never destroy them: here they are still known when the process ends. */
  static std::vector<cudaStream_t> *const streams = new std::vector<cudaStream_t>;
  static std::mutex lock;
  std::lock_guard<std::mutex> locked (lock);
  streams->emplace_back ();
  cudaStreamCreateWithFlags (&streams->back (), flags);
  return streams->back ();
}

void *
gpu_stream_new (void)
{
  return stream_new (cudaStreamNonBlocking);
}

void *
gpu_stream_new_following (void)
{
  return stream_new (cudaStreamDefault);
}

void *
gpu_alloc (size_t bytes)
{
  void *memory;
  return cudaMalloc (&memory, bytes) == cudaSuccess ? memory : nullptr;
}

void
gpu_free (void *memory)
{
  cudaFree (memory);
}

void *
gpu_alloc_pinned (size_t bytes)
{
  void *memory;
  return cudaHostAlloc (&memory, bytes, cudaHostAllocDefault) == cudaSuccess ? memory : nullptr;
}

void
gpu_free_pinned (void *memory)
{
  cudaFreeHost (memory);
}

void
gpu_upload (void *device, const void *host, size_t bytes)
{
  memcpy (device, host, bytes);
}

void
gpu_download (void *host, const void *device, size_t bytes)
{
  cudaMemcpyAsync (host, device, bytes, cudaMemcpyDeviceToHost, nullptr);
  cudaStreamSynchronize (nullptr);
}
