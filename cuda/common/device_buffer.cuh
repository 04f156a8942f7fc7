/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of the GPU backend: buffers that grow, and the layout of many arrays in one buffer. */
#ifndef CTR_CUDA_COMMON_DEVICE_BUFFER_CUH
#define CTR_CUDA_COMMON_DEVICE_BUFFER_CUH

#include "cuda/common/error.cuh"

#include "core/common/room.h"

/* Memory on the device, or pinned on the host, that grows until it is freed. Growing loses the contents. */
struct CtrDeviceBuffer {
  void *data;
  size_t size;  /* bytes */
  size_t used;  /* bytes: the most that was asked for since the period began, see core/common/room.h */
  size_t least; /* bytes: of the next memory, where it takes the place of too much */
  bool pinned;  /* The memory is on the host. */
};

static inline void
ctr_device_buffer_free (CtrDeviceBuffer *buffer)
{
  if (buffer->data)
    buffer->pinned ? cudaFreeHost (buffer->data) : cudaFree (buffer->data);
  cudaGetLastError (); /* The context may be gone; its memory is then gone, too. */
  buffer->data = NULL;
  buffer->size = buffer->least = 0;
}

/* Makes BUFFER at least SIZE bytes large. No queued work may use it. */
static inline bool
ctr_device_buffer_reserve (CtrDeviceBuffer *buffer, size_t size, CtrError *error)
{
  if (size > buffer->used)
    buffer->used = size;
  if (size <= buffer->size)
    return true;
  if (size < buffer->least)
    size = buffer->least;
  ctr_device_buffer_free (buffer);
  if (buffer->pinned) {
    const cudaError_t status = cudaHostAlloc (&buffer->data, size, cudaHostAllocDefault);
    if (status != cudaSuccess)
      buffer->data = NULL;
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError ();
      return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
          "out of pinned host memory (%zu bytes for the GPU): use smaller frames, or close other programs", size);
    }
    if (status != cudaSuccess)
      return ctr_cuda_fail (error, status, "allocating pinned host memory");
  } else {
    CTR_CUDA (cudaMalloc (&buffer->data, size));
  }
  buffer->size = size;
  return true;
}

/* Ends a period: frees the memory if none of its frames has asked for a fair share of it. The next memory will be as large
 * as was asked for. Was there so much? No queued work may use it. */
static inline bool
ctr_device_buffer_give_back (CtrDeviceBuffer *buffer)
{
  const size_t used = buffer->used;
  buffer->used = 0;
  if (!ctr_room_is_excess (buffer->size, used))
    return false;
  ctr_device_buffer_free (buffer);
  buffer->least = used;
  return true;
}

/* Does the same for COUNT buffers that are used in STREAM, and waits for it where there is too much. Sets *SOME if there
 * was. */
static inline bool
ctr_device_buffers_give_back (
    CtrDeviceBuffer *const *buffers, size_t count, cudaStream_t stream, bool *some, CtrError *error)
{
  bool excess = false;
  for (size_t i = 0; i < count; i++)
    excess |= ctr_room_is_excess (buffers[i]->size, buffers[i]->used);
  if (excess)
    CTR_CUDA (cudaStreamSynchronize (stream));
  for (size_t i = 0; i < count; i++)
    *some |= ctr_device_buffer_give_back (buffers[i]);
  return true;
}

/* As ctr_device_buffer_reserve(); new memory is cleared in STREAM. */
static inline bool
ctr_device_buffer_reserve_clear (CtrDeviceBuffer *buffer, size_t size, cudaStream_t stream, CtrError *error)
{
  const size_t before = buffer->size;
  if (!ctr_device_buffer_reserve (buffer, size, error))
    return false;
  if (buffer->size != before)
    CTR_CUDA (cudaMemsetAsync (buffer->data, 0, buffer->size, stream));
  return true;
}

/* Lays out arrays one after the other in one buffer. A first run with BASE NULL measures how much they take. */
struct ArenaLayout {
  uint8_t *base;
  size_t used; /* bytes */

  template <typename T>
  T *
  take (size_t count)
  {
    T *array = (T *) (base + used);
    used += (count * sizeof (T) + 255) / 256 * 256;
    return base ? array : NULL;
  }
};

/* NEED and a quarter more, so that frames that need slightly more than the last one still fit. */
static inline uint32_t
ctr_with_spare (uint32_t need)
{
  return need > UINT32_MAX / 5 * 4 ? UINT32_MAX : need + need / 4 + 64;
}

/* Bytes of a row of our own planes, aligned for vector loads. */
static inline size_t
ctr_aligned_row (size_t bytes)
{
  return (bytes + 255) / 256 * 256;
}

#endif
