/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/allocations.h"

#include <stdbool.h>

#ifdef HAVE_ALLOCATIONS

/* glibc's own names for its allocator. */
extern void *__libc_malloc (size_t bytes);
extern void *__libc_calloc (size_t count, size_t bytes);
extern void *__libc_realloc (void *memory, size_t bytes);
extern void __libc_free (void *memory);

long allocations_left = -1;
long blocks;

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
  return memory ? __libc_realloc (memory, bytes) : counted (__libc_realloc (NULL, bytes));
}

void
free (void *memory)
{
  blocks -= memory != NULL;
  __libc_free (memory);
}

#endif
