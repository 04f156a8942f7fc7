/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work on several threads. Internal. */
#ifndef CTR_CPU_COMMON_PARALLEL_H
#define CTR_CPU_COMMON_PARALLEL_H

#include <contours/threads.h>

/* Calls BODY for each index below COUNT, on at most THREADS threads at a time, and returns after the last call. THREADS
 * is usually ctr_threads_current(). The calling thread is one of them; the others are free workers of the process's
 * pool. It takes indices like they do, and does not wait for workers to become free: BODY must not wait for another
 * index. Indices are taken in ascending order. With one thread or one index, this is a loop.
 *
 * In BODY the caller's cancellation token is current, and what the caller wrote is visible. What BODY writes is visible
 * to the caller afterwards. BODY may call this function. */
void ctr_parallel_for (unsigned threads, uint32_t count, void (*body) (void *context, uint32_t index), void *context);

#endif
