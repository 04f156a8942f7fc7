/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This file replaces the functions of the CUDA driver that libgstcuda looks up. */
#include "fake-cuda.h"

#include <stdio.h>

#define N_DEVICES 2
#define PITCH 512

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  ILLEGAL_ADDRESS = 700
};

static bool full;
static bool host_full;
static int allocations, locked;
static bool lost; /* atomic */

/* While IS_LOST, every call fails that does something on the device, as behind an error that sticks. What is freed is freed: a
 * process that goes on would not get it back from a driver. */
CTR_API void fake_cuda_set_lost (bool is_lost);
void
fake_cuda_set_lost (bool is_lost)
{
  __atomic_store_n (&lost, is_lost, __ATOMIC_SEQ_CST);
  if (is_lost)
    forget_work ();
}

bool
device_is_lost (void)
{
  return __atomic_load_n (&lost, __ATOMIC_SEQ_CST);
}

/* While IS_FULL, no host memory can be page-locked. */
CTR_API void fake_cuda_set_host_full (bool is_full);
void
fake_cuda_set_host_full (bool is_full)
{
  host_full = is_full;
}

/* The number of page-locked pieces of host memory. */
CTR_API int fake_cuda_locked (void);
int
fake_cuda_locked (void)
{
  return locked;
}

/* How often device memory has been allocated. */
CTR_API int fake_cuda_allocations (void);
int
fake_cuda_allocations (void)
{
  return allocations;
}

/* While IS_FULL, allocations of device memory fail. */
CTR_API void fake_cuda_set_full (bool is_full);
void
fake_cuda_set_full (bool is_full)
{
  full = is_full;
}

/* Defines a function under the name that libgstcuda looks up. */
#define DRIVER(name, ...)         \
  CTR_API int name (__VA_ARGS__); \
  int name (__VA_ARGS__)

/* libgstcuda looks these functions up, but the tests never call them. */
#define UNUSED(name)      \
  DRIVER (name, void)     \
  {                       \
    return INVALID_VALUE; \
  }

DRIVER (cuInit, unsigned flags)
{
  return SUCCESS;
}

DRIVER (cuDriverGetVersion, int *version)
{
  *version = 13000;
  return SUCCESS;
}

DRIVER (cuGetErrorName, int error, const char **name)
{
  *name = "FAKE_CUDA_ERROR";
  return SUCCESS;
}

DRIVER (cuGetErrorString, int error, const char **text)
{
  *text = "an error of the simulated driver";
  return SUCCESS;
}

DRIVER (cuDeviceGetCount, int *count)
{
  *count = N_DEVICES;
  return SUCCESS;
}

DRIVER (cuDeviceGet, int *device, int ordinal)
{
  *device = ordinal;
  return ordinal >= 0 && ordinal < N_DEVICES ? SUCCESS : INVALID_DEVICE;
}

DRIVER (cuDeviceGetName, char *name, int length, int device)
{
  snprintf (name, length, "simulated");
  return SUCCESS;
}

DRIVER (cuDeviceGetAttribute, int *value, int attribute, int device)
{
  *value = PITCH;
  return SUCCESS;
}

DRIVER (cuDeviceCanAccessPeer, int *can, int device, int peer)
{
  *can = 0;
  return SUCCESS;
}

DRIVER (cuCtxPushCurrent_v2, Context *context)
{
  return context && push_context (context) ? SUCCESS : INVALID_CONTEXT;
}

DRIVER (cuCtxPopCurrent_v2, Context **context)
{
  Context *popped = current_context ();

  if (!pop_context ())
    return INVALID_CONTEXT;
  if (context)
    *context = popped;
  return SUCCESS;
}

DRIVER (cuCtxCreate_v2, Context **context, unsigned flags, int device)
{
  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  *context = calloc (1, sizeof **context);
  (*context)->device = device;
  return cuCtxPushCurrent_v2 (*context);
}

DRIVER (cuCtxDestroy_v2, Context *context)
{
  if (current_context () == context)
    pop_context ();
  free (context);
  return SUCCESS;
}

/* Returns the default limit of a driver. */
DRIVER (cuCtxGetLimit, size_t *value, int limit)
{
  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  if (!current_context ())
    return INVALID_CONTEXT;
  *value = 1024;
  return SUCCESS;
}

DRIVER (cuCtxSynchronize, void)
{
  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  catch_up (NULL);
  return SUCCESS;
}

DRIVER (cuMemAllocPitch_v2, void **memory, size_t *pitch, size_t width, size_t height, unsigned element)
{
  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  if (!current_context ())
    return INVALID_CONTEXT;
  if (full)
    return OUT_OF_MEMORY;
  allocations++;
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  *memory = malloc (*pitch * height);
  return *memory && add_object (*memory, *pitch * height, current_context ()) ? SUCCESS : OUT_OF_MEMORY;
}

DRIVER (cuMemFree_v2, void *memory)
{
  Object object = find_object (memory, true);

  if (object.context != current_context ())
    return INVALID_VALUE;
  check_unused (memory, object.size);
  free (memory);
  return SUCCESS;
}

DRIVER (cuMemAllocHost_v2, void **memory, size_t size)
{
  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  if (!current_context ())
    return INVALID_CONTEXT;
  if (host_full)
    return OUT_OF_MEMORY;
  *memory = malloc (size);
  __atomic_add_fetch (&locked, *memory != NULL, __ATOMIC_RELAXED);
  return *memory ? SUCCESS : OUT_OF_MEMORY;
}

DRIVER (cuMemFreeHost, void *memory)
{
  if (!current_context ())
    return INVALID_CONTEXT;
  __atomic_sub_fetch (&locked, 1, __ATOMIC_RELAXED);
  free (memory);
  return SUCCESS;
}

static char *
row_of (const Side *side, size_t row)
{
  return (side->kind == 1 ? side->host : side->device) + (side->y + row) * side->pitch + side->x;
}

void
carry_out_copy (const Copy *copy)
{
  for (size_t row = 0; row < copy->height; row++)
    memcpy (row_of (&copy->target, row), row_of (&copy->source, row), copy->width);
}

/* A copy inside device memory waits for nothing, not even on the default stream. */
DRIVER (cuMemcpy2DAsync_v2, const Copy *copy, void *stream)
{
  Work later = {.kind = COPY, .copy = *copy};

  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  if (!current_context ())
    return INVALID_CONTEXT;
  if (copy->source.kind != 1 && copy->target.kind != 1) {
    queue_work (&later, stream);
    return SUCCESS;
  }
  catch_up (stream);
  carry_out_copy (copy);
  return SUCCESS;
}

DRIVER (cuMemcpy2D_v2, const Copy *copy)
{
  return cuMemcpy2DAsync_v2 (copy, NULL);
}

DRIVER (cuStreamCreate, void **stream, unsigned flags)
{
  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  if (!current_context ())
    return INVALID_CONTEXT;
  *stream = malloc (1);
  if (!add_object (*stream, 1, current_context ()))
    return OUT_OF_MEMORY;
  if (flags == 0) /* CU_STREAM_DEFAULT */
    set_following (*stream);
  return SUCCESS;
}

DRIVER (cuStreamDestroy, void *stream)
{
  if (find_object (stream, true).context != current_context ())
    return INVALID_VALUE;
  check_unused (stream, 1);
  free (stream);
  return SUCCESS;
}

/* Since 1.24, libgstcuda looks up this name. */
DRIVER (cuStreamDestroy_v2, void *stream)
{
  return cuStreamDestroy (stream);
}

DRIVER (cuStreamSynchronize, void *stream)
{
  if (device_is_lost ())
    return ILLEGAL_ADDRESS;
  if (catch_up (stream))
    note_host_wait ();
  return SUCCESS;
}

UNUSED (cuCtxDisablePeerAccess)
UNUSED (cuCtxEnablePeerAccess)
UNUSED (cuCtxSetLimit)
UNUSED (cuDeviceGetUuid)
UNUSED (cuEventCreate)
UNUSED (cuEventDestroy_v2)
UNUSED (cuEventRecord)
UNUSED (cuEventSynchronize)
UNUSED (cuGLGetDevices_v2)
UNUSED (cuGraphicsGLRegisterBuffer)
UNUSED (cuGraphicsGLRegisterImage)
UNUSED (cuGraphicsMapResources)
UNUSED (cuGraphicsResourceGetMappedPointer_v2)
UNUSED (cuGraphicsResourceSetMapFlags_v2)
UNUSED (cuGraphicsSubResourceGetMappedArray)
UNUSED (cuGraphicsUnmapResources)
UNUSED (cuGraphicsUnregisterResource)
UNUSED (cuIpcCloseMemHandle)
UNUSED (cuIpcGetEventHandle)
UNUSED (cuIpcGetMemHandle)
UNUSED (cuIpcOpenEventHandle)
UNUSED (cuIpcOpenMemHandle)
UNUSED (cuLaunchKernel)
UNUSED (cuMemAlloc_v2)
UNUSED (cuMemcpyDtoDAsync_v2)
UNUSED (cuMemcpyDtoD_v2)
UNUSED (cuMemcpyDtoHAsync_v2)
UNUSED (cuMemcpyDtoH_v2)
UNUSED (cuMemcpyHtoDAsync_v2)
UNUSED (cuMemcpyHtoD_v2)
UNUSED (cuMemsetD2D16Async)
UNUSED (cuMemsetD2D16_v2)
UNUSED (cuMemsetD2D32Async)
UNUSED (cuMemsetD2D32_v2)
UNUSED (cuMemsetD2D8Async)
UNUSED (cuMemsetD2D8_v2)
UNUSED (cuModuleGetFunction)
UNUSED (cuModuleLoadData)
UNUSED (cuModuleUnload)
UNUSED (cuTexObjectCreate)
UNUSED (cuTexObjectDestroy)
