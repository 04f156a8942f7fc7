/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long the GPU takes for a frame. Each thread has a current GPU clock, as it has a current cancellation token
 * (cancel.h). While it has one, the CUDA backend times the frames that the thread enqueues, by two time stamps that the
 * GPU takes. Without a clock nothing is measured.
 *
 *   ctr_gpu_clock_set_current (clock);
 *   components = ctr_cca_submit (cca, &image, &params, stream, &error);
 *   ctr_gpu_clock_set_current (NULL);
 *   ...
 *   while (ctr_gpu_clock_take (clock, &nanoseconds))
 *     sum += nanoseconds;
 *
 * Content. The time of a frame goes from the start of its first copy or kernel to the end of its last one. In it are
 * uploads, work of other streams that the GPU does meanwhile, and gaps in which the GPU waits for the host to queue
 * more. Not in it are the wait for other analysers, what another analyser has made in a shared input (input.h), and
 * arrays that the host fetches later. If a frame outgrows its memory and is done again, its time is the sum of both.
 *
 * Arrival. Nobody waits for a time. It arrives when the analyser is used, finished or freed after the GPU has done the
 * frame: often with the next frame, and with ctr_*_free() at the latest. A frame that fails, is refused or is cancelled
 * has none, nor has any frame of the CPU backend. */
#ifndef CONTOURS_GPUTIME_H
#define CONTOURS_GPUTIME_H

#include <contours/types.h>

CTR_BEGIN_DECLS

typedef struct CtrGpuClock CtrGpuClock;

/* A clock without times; free it with ctr_gpu_clock_free(). NULL and error if there is no memory. */
CTR_API CtrGpuClock *ctr_gpu_clock_new (CtrError *error);

/* CLOCK may be NULL. It must not be any thread's current clock. Analysers that still time a frame with it keep what they
 * need. */
CTR_API void ctr_gpu_clock_free (CtrGpuClock *clock);

/* Makes CLOCK the calling thread's current clock; NULL, the initial state, for none. Returns the previous one. */
CTR_API CtrGpuClock *ctr_gpu_clock_set_current (CtrGpuClock *clock);

/* Takes the oldest time that has arrived and was not taken, in nanoseconds. False: there is none. CLOCK keeps the last
 * 64. Any thread may call it. */
CTR_API bool ctr_gpu_clock_take (CtrGpuClock *clock, uint64_t *nanoseconds);

CTR_END_DECLS

#endif
