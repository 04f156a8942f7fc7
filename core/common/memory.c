/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/memory.h"

#include "core/common/poll.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Large arrays are new memory for every image. Without huge pages, their page faults would take longer than writing a
 * label image. The kernel may ignore the advice. */
void *
ctr_alloc_array (size_t count, size_t size)
{
  const uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);
  size_t bytes;
  if (__builtin_mul_overflow (count, size, &bytes))
    return NULL;
  void *array = malloc (bytes);
  if (array && bytes >= 4 << 20) {
    uintptr_t start = ((uintptr_t) array + page - 1) / page * page;
    madvise ((void *) start, (uintptr_t) array + bytes - start, MADV_HUGEPAGE);
  }
  return array;
}

/* Bytes between two polls; the time includes page faults. */
enum { PIECE = 16 * CTR_POLL_WORK };

bool
ctr_clear (void *memory, size_t bytes)
{
  uint8_t *at = memory;
  for (; bytes > PIECE; bytes -= PIECE, at += PIECE) {
    memset (at, 0, PIECE);
    if (ctr_cancelled ())
      return false;
  }
  if (bytes > 0)
    memset (at, 0, bytes);
  return true;
}

bool
ctr_copy (void *to, const void *from, size_t bytes)
{
  uint8_t *at = to;
  const uint8_t *source = from;
  for (; bytes > PIECE; bytes -= PIECE, at += PIECE, source += PIECE) {
    memcpy (at, source, PIECE);
    if (ctr_cancelled ())
      return false;
  }
  if (bytes > 0)
    memcpy (at, source, bytes);
  return true;
}
