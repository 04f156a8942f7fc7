/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Growing memory on the host, kept from image to image until it is far too large for them. Internal. */
#ifndef CTR_CPU_COMMON_HOST_BUFFER_H
#define CTR_CPU_COMMON_HOST_BUFFER_H

#include "core/common/room.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct {
  void *data;
  size_t bytes;
  size_t used; /* bytes: the most since the period began, see core/common/room.h */
} CtrHostBuffer;

/* Makes room for COUNT items of SIZE bytes, keeping the contents. The size at least doubles, so that buffers that grow
 * during an image are rarely copied. */
static inline bool
ctr_host_buffer_reserve (CtrHostBuffer *buffer, size_t count, size_t size)
{
  size_t need;
  if (__builtin_mul_overflow (count, size, &need))
    return false;
  if (need > buffer->used)
    buffer->used = need;
  if (need <= buffer->bytes)
    return true;
  size_t bytes = need - buffer->bytes > buffer->bytes ? need : 2 * buffer->bytes;
  void *data = realloc (buffer->data, bytes);
  if (!data)
    return false;
  buffer->data = data;
  buffer->bytes = bytes;
  return true;
}

/* Ends a period: gives back what none of its images used, but for a quarter of reserve. Was there so much? */
static inline bool
ctr_host_buffer_give_back (CtrHostBuffer *buffer)
{
  const size_t used = buffer->used, bytes = used + used / 4;
  void *data = NULL;
  buffer->used = 0;
  if (!ctr_room_is_excess (buffer->bytes, used))
    return false;
  if (bytes == 0)
    free (buffer->data);
  else if (!(data = realloc (buffer->data, bytes)))
    return false;
  buffer->data = data;
  buffer->bytes = bytes;
  return true;
}

/* Does the same for COUNT buffers. */
static inline bool
ctr_host_buffers_give_back (CtrHostBuffer *const *buffers, size_t count)
{
  bool some = false;
  for (size_t i = 0; i < count; i++)
    some |= ctr_host_buffer_give_back (buffers[i]);
  return some;
}

static inline void
ctr_host_buffer_release (CtrHostBuffer *buffer)
{
  free (buffer->data);
  *buffer = (CtrHostBuffer){0};
}

#endif
