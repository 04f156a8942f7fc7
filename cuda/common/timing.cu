/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/timing.h"

#include "cuda/common/session.cuh"

#include <stdlib.h>

struct TimedFrame {
  TimedFrame *next;
  CtrGpuClock *clock; /* with a reference; NULL: unused */
  cudaEvent_t start, stop;
  uint64_t before_ns; /* of earlier pieces */
  bool is_started, is_stopped;
};

namespace
{

/* Adds the piece between the events of FRAME to *NS. False: it is not complete, or its GPU is lost. */
bool
read_piece (const TimedFrame *frame, uint64_t *ns)
{
  float ms = 0;
  const bool complete = cudaEventQuery (frame->stop) == cudaSuccess
                        && cudaEventElapsedTime (&ms, frame->start, frame->stop) == cudaSuccess;
  if (complete && ms > 0)
    *ns += (uint64_t) (ms * 1e6 + 0.5);
  return complete;
}

void
put_back (CudaTiming *timing, TimedFrame *frame)
{
  ctr_gpu_clock_unref (frame->clock);
  frame->clock = NULL;
  frame->next = timing->unused;
  timing->unused = frame;
}

void
read_complete (CudaTiming *timing)
{
  while (timing->waiting) {
    TimedFrame *frame = timing->waiting;
    uint64_t ns = frame->before_ns;
    if (!read_piece (frame, &ns))
      return;
    ctr_gpu_clock_add (frame->clock, ns);
    timing->waiting = frame->next;
    put_back (timing, frame);
  }
}

void
set_aside (CudaTiming *timing, bool complete)
{
  TimedFrame *frame = timing->current, **end = &timing->waiting;
  timing->current = NULL;
  if (!frame)
    return;
  if (!complete || !frame->is_stopped) {
    put_back (timing, frame);
    return;
  }
  while (*end)
    end = &(*end)->next;
  *end = frame;
  frame->next = NULL;
}

void
destroy (TimedFrame *frame)
{
  if (frame->start)
    cudaEventDestroy (frame->start);
  if (frame->stop)
    cudaEventDestroy (frame->stop);
  free (frame);
}

TimedFrame *
take_unused (CudaTiming *timing, CtrError *error)
{
  TimedFrame *frame = timing->unused;
  if (frame) {
    timing->unused = frame->next;
    return frame;
  }
  frame = (TimedFrame *) calloc (1, sizeof *frame);
  if (!frame) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the GPU time of a frame");
    return NULL;
  }
  cudaError_t status = cudaEventCreateWithFlags (&frame->start, cudaEventDefault);
  if (status == cudaSuccess)
    status = cudaEventCreateWithFlags (&frame->stop, cudaEventDefault);
  if (status == cudaSuccess)
    return frame;
  ctr_cuda_fail (error, status, "preparing the GPU time of a frame");
  destroy (frame);
  return NULL;
}

} // namespace

bool
cuda_timing_begin (CudaTiming *timing, CtrError *error)
{
  set_aside (timing, true);
  read_complete (timing);
  CtrGpuClock *clock = ctr_gpu_clock_ref_current ();
  if (!clock)
    return true;
  TimedFrame *frame = timing->current = take_unused (timing, error);
  if (!frame) {
    ctr_gpu_clock_unref (clock);
    return false;
  }
  frame->clock = clock;
  frame->before_ns = 0;
  frame->is_started = frame->is_stopped = false;
  return true;
}

bool
cuda_timing_start (const CudaTiming *timing, cudaStream_t stream, CtrError *error)
{
  TimedFrame *frame = timing->current;
  if (!frame || (frame->is_started && !(frame->is_stopped && read_piece (frame, &frame->before_ns))))
    return true;
  frame->is_started = true;
  frame->is_stopped = false;
  CTR_CUDA (cudaEventRecord (frame->start, stream));
  return true;
}

bool
cuda_timing_stop (const CudaTiming *timing, cudaStream_t stream, CtrError *error)
{
  TimedFrame *frame = timing->current;
  if (!frame || !frame->is_started)
    return true;
  frame->is_stopped = true;
  CTR_CUDA (cudaEventRecord (frame->stop, stream));
  return true;
}

void
cuda_timing_end (CudaTiming *timing, bool complete)
{
  set_aside (timing, complete);
  read_complete (timing);
}

void
cuda_timing_close (CudaTiming *timing)
{
  set_aside (timing, true);
  for (const TimedFrame *frame = timing->waiting; frame; frame = frame->next)
    cuda_wait_asleep (frame->stop);
  read_complete (timing);
  for (TimedFrame *list : {timing->waiting, timing->unused})
    while (list) {
      TimedFrame *frame = list;
      list = frame->next;
      ctr_gpu_clock_unref (frame->clock);
      destroy (frame);
    }
  *timing = {};
}
