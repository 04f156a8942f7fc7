/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The times of a session's frames on the GPU, for the clock that is current when a frame begins (contours/gputime.h).
 *
 * Two events with time stamps are recorded around the work of a frame. They lie outside of every graph, so a graph that
 * is replayed is timed like kernels that are launched. The host never waits for them, but at the end of the session:
 * what is not complete when it looks is read later. A session that has never seen a clock costs nothing. */
#ifndef CTR_CUDA_COMMON_TIMING_H
#define CTR_CUDA_COMMON_TIMING_H

#include "core/common/gputime.h"

#include <cuda_runtime.h>

struct TimedFrame;

struct CudaTiming {
  TimedFrame *current; /* the session's frame; NULL: it is not timed */
  TimedFrame *waiting; /* frames whose work is queued, the oldest first */
  TimedFrame *unused;
};

/* A new frame begins. Reads the times of former ones that are complete. */
bool cuda_timing_begin (CudaTiming *timing, CtrError *error);

/* Before work of the frame is queued in STREAM: starts the time unless it is running. If it was stopped and the GPU has
 * got there, the frame is done again, and a further piece of its time starts. */
bool cuda_timing_start (const CudaTiming *timing, cudaStream_t stream, CtrError *error);

/* Behind the work of the frame that is queued in STREAM. */
bool cuda_timing_stop (const CudaTiming *timing, cudaStream_t stream, CtrError *error);

/* The frame is over. Without COMPLETE it has failed, and has no time. */
void cuda_timing_end (CudaTiming *timing, bool complete);

/* Waits for times that have not arrived. The context may be gone. */
void cuda_timing_close (CudaTiming *timing);

#endif
