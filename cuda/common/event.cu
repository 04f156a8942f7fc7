/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events for callers of the core. */
#include <contours/event.h>

#include "cuda/common/error.cuh"
#include "cuda/common/session.cuh"

#include <stdlib.h>

struct CtrEvent {
  cudaEvent_t event;
  CudaWait wait; /* atomic: several threads may wait */
};

static cudaStream_t
stream_or_default (void *stream)
{
  return stream ? (cudaStream_t) stream : cudaStreamLegacy;
}

extern "C" CtrEvent *
ctr_event_new (CtrError *error)
{
  CtrEvent *event = (CtrEvent *) calloc (1, sizeof *event);
  if (!event) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no memory for an event");
    return NULL;
  }
  const cudaError_t status = cuda_create_event (&event->event);
  if (status == cudaSuccess)
    return event;
  ctr_cuda_fail (error, status, "creating an event");
  free (event);
  return NULL;
}

extern "C" void
ctr_event_free (CtrEvent *event)
{
  if (event && cudaEventDestroy (event->event) != cudaSuccess)
    cudaGetLastError ();
  free (event);
}

extern "C" bool
ctr_event_record (CtrEvent *event, void *stream, CtrError *error)
{
  CTR_CUDA (cudaEventRecord (event->event, stream_or_default (stream)));
  return true;
}

extern "C" bool
ctr_event_lead (CtrEvent *event, void *stream, CtrError *error)
{
  CTR_CUDA (cudaStreamWaitEvent (stream_or_default (stream), event->event, 0));
  return true;
}

extern "C" bool
ctr_event_is_default_stream_idle (void)
{
  return cudaStreamQuery (cudaStreamLegacy) == cudaSuccess;
}

extern "C" bool
ctr_event_wait (CtrEvent *event, CtrError *error)
{
  CudaWait wait = {__atomic_load_n (&event->wait.usual_ns, __ATOMIC_RELAXED)};
  const cudaError_t status = cuda_wait_for_event (event->event, &wait);
  __atomic_store_n (&event->wait.usual_ns, wait.usual_ns, __ATOMIC_RELAXED);
  return status == cudaSuccess || ctr_cuda_fail (error, status, "waiting for an event");
}

extern "C" uint32_t
ctr_event_queue_count (void)
{
  constexpr long USUAL = 8, MOST = 32;
  static uint32_t count; /* atomic; any thread finds the same number. CUDA, too, reads the variable once. */
  uint32_t found = __atomic_load_n (&count, __ATOMIC_RELAXED);
  if (found == 0) {
    const char *value = getenv ("CUDA_DEVICE_MAX_CONNECTIONS");
    const long n = value ? strtol (value, NULL, 10) : USUAL;
    found = (uint32_t) (n < 1 ? USUAL : n > MOST ? MOST : n);
    __atomic_store_n (&count, found, __ATOMIC_RELAXED);
  }
  return found;
}
