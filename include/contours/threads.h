/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The number of threads of the CPU backend. Each thread has a current number of threads, as it has a current
 * cancellation token (cancel.h): work that it starts is shared among at most so many threads, itself included. The
 * results are the same for any number.
 *
 * The other threads belong to a pool of the process. It starts them when work first needs them, and they sleep between
 * two pieces of work. It has no more of them than the process has logical cores, or than the largest number that was
 * asked for, less one. The calling thread never waits for a free one: with many callers at a time, each works on its
 * own. Work that is cancelled ends on all threads. */
#ifndef CONTOURS_THREADS_H
#define CONTOURS_THREADS_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Sets the calling thread's current number of threads: 1, the initial state, for none besides itself, 0 for as many as
 * there are logical cores that the process may use. More than 64 count as 64, or as the logical cores if these are more.
 * Returns the previous number. */
CTR_API unsigned ctr_threads_set_current (unsigned threads);

/* The calling thread's current number of threads, at least 1. */
CTR_API unsigned ctr_threads_current (void);

CTR_END_DECLS

#endif
