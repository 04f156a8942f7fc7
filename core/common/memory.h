/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Large arrays: allocation, and clearing and copying that can be cancelled. Internal. */
#ifndef CTR_CORE_COMMON_MEMORY_H
#define CTR_CORE_COMMON_MEMORY_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Memory for a result's array, freed with free(); not initialised. NULL when there is none. */
void *ctr_alloc_array (size_t count, size_t size);

/* memset() to 0 and memcpy(); false if they were cancelled. */
bool ctr_clear (void *memory, size_t bytes);
bool ctr_copy (void *to, const void *from, size_t bytes);

CTR_END_DECLS

#endif
