/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The side of a GPU clock (include/contours/gputime.h) that a backend sees. Internal. */
#ifndef CTR_CORE_COMMON_GPUTIME_H
#define CTR_CORE_COMMON_GPUTIME_H

#include <contours/gputime.h>

CTR_BEGIN_DECLS

/* A new reference to the calling thread's current clock, or NULL. */
CtrGpuClock *ctr_gpu_clock_ref_current (void);
void ctr_gpu_clock_unref (CtrGpuClock *clock); /* CLOCK may be NULL */

/* Adds the time of a frame. Any thread may call it. */
void ctr_gpu_clock_add (CtrGpuClock *clock, uint64_t nanoseconds);

CTR_END_DECLS

#endif
