/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for large arrays of results. */
#include "backend.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Large arrays are fresh memory in every frame: in huge pages, it takes a fraction of the page faults, which otherwise
 * cost more than writing a label image. The advice may be ignored. */
void *
ctr_alloc_array (size_t count, size_t size)
{
  const uintptr_t page = (uintptr_t) sysconf (_SC_PAGESIZE);
  const size_t bytes = count * size;
  void *array = malloc (bytes);
  if (array && bytes >= 4 << 20) {
    uintptr_t start = ((uintptr_t) array + page - 1) / page * page;
    madvise ((void *) start, (uintptr_t) array + bytes - start, MADV_HUGEPAGE);
  }
  return array;
}
