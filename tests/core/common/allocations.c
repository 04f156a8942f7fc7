/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/allocations.h"

#include <malloc.h>
#include <stdbool.h>

#ifdef HAVE_ALLOCATIONS

/* glibc's own names for its allocator. */
extern void *__libc_malloc (size_t bytes);
extern void *__libc_calloc (size_t count, size_t bytes);
extern void *__libc_realloc (void *memory, size_t bytes);
extern void __libc_free (void *memory);

long allocations_left = -1;
long blocks;
size_t allocated_bytes;
unsigned long allocation_calls;

static bool
may_allocate (void)
{
  if (allocations_left == 0)
    return false;
  if (allocations_left > 0)
    allocations_left--;
  return true;
}

static void *
counted (void *memory)
{
  blocks += memory != NULL;
  allocation_calls += memory != NULL;
  allocated_bytes += malloc_usable_size (memory);
  return memory;
}

void *
malloc (size_t bytes)
{
  return may_allocate () ? counted (__libc_malloc (bytes)) : NULL;
}

void *
calloc (size_t count, size_t bytes)
{
  return may_allocate () ? counted (__libc_calloc (count, bytes)) : NULL;
}

void *
realloc (void *memory, size_t bytes)
{
  if (!may_allocate ())
    return NULL;
  if (!memory)
    return counted (__libc_realloc (NULL, bytes));
  const size_t before = malloc_usable_size (memory);
  void *moved = __libc_realloc (memory, bytes);
  if (moved || bytes == 0) {
    allocation_calls++;
    allocated_bytes += malloc_usable_size (moved) - before;
  }
  return moved;
}

void
free (void *memory)
{
  blocks -= memory != NULL;
  allocated_bytes -= malloc_usable_size (memory);
  __libc_free (memory);
}

#endif
