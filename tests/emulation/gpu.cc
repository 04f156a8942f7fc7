/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces tests/core/common/gpu.c, which calls the driver, for the emulated device. Copies are made in the default stream,
 * as the driver's are: an upload waits for the streams that the default stream waits for, and for no other. */
#include "runtime.h"

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

/* The tests never destroy their streams: here they are still known when the process ends. */
struct Streams {
  std::mutex lock;
  std::vector<cudaStream_t> others, following;
};

static Streams &
streams ()
{
  static Streams *const known = new Streams;
  return *known;
}

static void *
stream_new (unsigned flags)
{
  cudaStream_t stream;
  cudaStreamCreateWithFlags (&stream, flags);
  std::lock_guard<std::mutex> locked (streams ().lock);
  (flags == cudaStreamNonBlocking ? streams ().others : streams ().following).push_back (stream);
  return stream;
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

void *
gpu_try_alloc (size_t bytes)
{
  return gpu_alloc (bytes);
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

bool
gpu_count_memory (size_t *bytes, uint64_t *calls)
{
  emulation::count_memory (bytes, calls);
  return true;
}

/* As the default stream does. */
static void
wait_for_following ()
{
  std::vector<cudaStream_t> following;
  {
    std::lock_guard<std::mutex> locked (streams ().lock);
    following = streams ().following;
  }
  for (cudaStream_t stream : following)
    cudaStreamSynchronize (stream);
}

void
gpu_upload (void *device, const void *host, size_t bytes)
{
  wait_for_following ();
  memcpy (device, host, bytes);
}

void
gpu_download (void *host, const void *device, size_t bytes)
{
  wait_for_following ();
  cudaMemcpyAsync (host, device, bytes, cudaMemcpyDeviceToHost, nullptr);
  cudaStreamSynchronize (nullptr);
}
