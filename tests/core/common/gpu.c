/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/gpu.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
  int (*init) (unsigned flags);
  int (*device_get) (int *device, int ordinal);
  int (*primary_retain) (void **context, int device);
  int (*context_create) (void **context, unsigned flags, int device);
  int (*context_set) (void *context);
  int (*stream_create) (void **stream, unsigned flags);
  int (*alloc) (uint64_t *memory, size_t bytes);
  int (*free) (uint64_t memory);
  int (*alloc_pinned) (void **memory, size_t bytes);
  int (*free_pinned) (void *memory);
  int (*upload) (uint64_t device, const void *host, size_t bytes);
  int (*stream_synchronize) (void *stream);
  int (*download) (void *host, uint64_t device, size_t bytes);
} cu;

static void *context;

static bool
load (void)
{
  void *lib = dlopen ("libcuda.so.1", RTLD_NOW);
  if (!lib)
    return false;
  const struct {
    const char *name;
    void *pointer;
  } symbols[] = {
      {"cuInit", &cu.init},
      {"cuDeviceGet", &cu.device_get},
      {"cuDevicePrimaryCtxRetain", &cu.primary_retain},
      {"cuCtxCreate_v2", &cu.context_create},
      {"cuCtxSetCurrent", &cu.context_set},
      {"cuStreamCreate", &cu.stream_create},
      {"cuMemAlloc_v2", &cu.alloc},
      {"cuMemFree_v2", &cu.free},
      {"cuMemAllocHost_v2", &cu.alloc_pinned},
      {"cuMemFreeHost", &cu.free_pinned},
      {"cuMemcpyHtoD_v2", &cu.upload},
      {"cuStreamSynchronize", &cu.stream_synchronize},
      {"cuMemcpyDtoH_v2", &cu.download},
  };
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym (lib, symbols[i].name);
    if (!symbol) {
      fprintf (stderr, "libcuda.so.1 has no %s\n", symbols[i].name);
      return false;
    }
    *(void **) symbols[i].pointer = symbol;
  }
  return true;
}

static void
must (int result, const char *call)
{
  if (result == 0)
    return;
  fprintf (stderr, "%s failed: CUresult %d\n", call, result);
  exit (1);
}

void
gpu_enter (void)
{
  must (cu.context_set (context), "cuCtxSetCurrent");
}

bool
gpu_open (bool own_context)
{
  int device;
  if (!load () || cu.init (0) != 0 || cu.device_get (&device, 0) != 0)
    return false;
  if (own_context) {
    must (cu.context_create (&context, 0, device), "cuCtxCreate");
  } else {
    must (cu.primary_retain (&context, device), "cuDevicePrimaryCtxRetain");
    gpu_enter ();
  }
  return true;
}

static void *
stream_new (unsigned flags)
{
  void *stream;
  must (cu.stream_create (&stream, flags), "cuStreamCreate");
  return stream;
}

void *
gpu_stream_new (void)
{
  return stream_new (1 /* CU_STREAM_NON_BLOCKING */);
}

void *
gpu_stream_new_following (void)
{
  return stream_new (0 /* CU_STREAM_DEFAULT */);
}

void *
gpu_alloc (size_t bytes)
{
  uint64_t memory;
  must (cu.alloc (&memory, bytes), "cuMemAlloc");
  return (void *) (uintptr_t) memory;
}

void *
gpu_try_alloc (size_t bytes)
{
  uint64_t memory;
  const int result = cu.alloc (&memory, bytes);
  if (result == 2 /* CUDA_ERROR_OUT_OF_MEMORY */)
    return NULL;
  must (result, "cuMemAlloc");
  return (void *) (uintptr_t) memory;
}

void
gpu_free (void *memory)
{
  must (cu.free ((uintptr_t) memory), "cuMemFree");
}

void *
gpu_alloc_pinned (size_t bytes)
{
  void *memory;
  must (cu.alloc_pinned (&memory, bytes), "cuMemAllocHost");
  return memory;
}

void
gpu_free_pinned (void *memory)
{
  must (cu.free_pinned (memory), "cuMemFreeHost");
}

bool
gpu_count_memory (size_t *bytes, uint64_t *calls)
{
  return false;
}

void
gpu_upload (void *device, const void *host, size_t bytes)
{
  must (cu.upload ((uintptr_t) device, host, bytes), "cuMemcpyHtoD");
  /* From pageable memory it returns before all has arrived, and other streams do not wait for it. The context cannot be
   * synchronised while another thread captures a graph; its default stream can. */
  must (cu.stream_synchronize (NULL), "cuStreamSynchronize");
}

void
gpu_download (void *host, const void *device, size_t bytes)
{
  must (cu.download (host, (uintptr_t) device, bytes), "cuMemcpyDtoH");
}
