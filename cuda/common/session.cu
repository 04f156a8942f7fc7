/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/session.cuh"

#include "cuda/common/context.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

namespace
{

/* A thread that sleeps in the driver wakes up 20 to 50 us late, and on the way takes locks that all threads share. An
 * event that it can sleep for interrupts the host each time the GPU reaches it, even if no thread sleeps. So a thread
 * polls, and sleeps without the driver for most of the time that it usually waits. A few threads of the process
 * at a time do not sleep for the last part. After MOST_POLLING_NS all sleep, see cuda_wait_asleep(). */
constexpr int64_t SPIN_NS = 200000, NAP_NS = 20000, LONGEST_NAP_NS = 500000, MOST_POLLING_NS = 4000000;
/* By which a nap takes longer where the system has its usual timer slack; on some machines it is more. */
constexpr int64_t LATE_NS = 55000;
int polling; /* threads; atomic */

int
most_spinning ()
{
  static int most; /* atomic; any thread finds the same number */
  int n = __atomic_load_n (&most, __ATOMIC_RELAXED);
  if (n == 0) {
    n = (int) sysconf (_SC_NPROCESSORS_ONLN) / 4;
    n = n < 1 ? 1 : n;
    __atomic_store_n (&most, n, __ATOMIC_RELAXED);
  }
  return n;
}

int64_t
now_ns ()
{
  timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

void
nap (int64_t ns)
{
  const timespec t = {0, (long) ns};
  nanosleep (&t, NULL);
}

/* Calls IS_DONE () until it returns true or takes unusually long. Returns its last answer. */
template <typename IsDone>
bool
poll (IsDone is_done, CudaWait *wait)
{
  if (is_done ())
    return true;
  const int64_t start = now_ns ();
  const bool spins = __atomic_add_fetch (&polling, 1, __ATOMIC_RELAXED) <= most_spinning ();
  const int64_t sleep = wait->usual_ns / 4 * 3 - (spins ? SPIN_NS / 2 : LATE_NS);
  const int64_t most = spins && wait->usual_ns + SPIN_NS < MOST_POLLING_NS ? wait->usual_ns + SPIN_NS : MOST_POLLING_NS;
  int64_t waited = 0;
  if (sleep > 0)
    nap (sleep < MOST_POLLING_NS ? sleep : MOST_POLLING_NS);
  bool done = is_done ();
  /* Who oversleeps cannot tell how long it would have taken, and must not take it for usual. */
  const bool overslept = done && sleep > 0;
  while (!done && (waited = now_ns () - start) < most) {
    if (!spins)
      nap (NAP_NS);
    done = is_done ();
  }
  __atomic_sub_fetch (&polling, 1, __ATOMIC_RELAXED);
  wait->usual_ns += overslept ? -wait->usual_ns / 4 : (waited - wait->usual_ns) / 8;
  return done;
}

/* Is in this build for the same GPUs as all other kernels. */
__global__ void
probe_kernel ()
{
}

/* Whether this build has kernels for the GPU. The question loads one, which shows it before the first frame does. */
bool
check_kernels (int major, int minor, const char *purpose, CtrError *error)
{
  int ctas;
  const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor (&ctas, probe_kernel, 32, 0);
  if (status == cudaSuccess)
    return true;
  if (status != cudaErrorNoKernelImageForDevice && status != cudaErrorInvalidDeviceFunction
      && status != cudaErrorUnsupportedPtxVersion)
    return ctr_cuda_fail (error, status, purpose);
  cudaGetLastError ();
  return ctr_fail (error, CTR_ERROR_NO_CUDA,
      "this build has no kernels for the GPU, of compute capability %d.%d (%s): rebuild with -Dcuda-archs=sm_%d%d, or "
      "update "
      "the driver",
      major, minor, cudaGetErrorString (status), major, minor);
}

/* Finds out whether kernels can overlap, and run at all. */
bool
look_at_device (bool *overlap, const char *purpose, CtrError *error)
{
  int device = 0, major = 0, minor = 0;
  cudaError_t status = cudaGetDevice (&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&minor, cudaDevAttrComputeCapabilityMinor, device);
  *overlap = major >= 9;
  if (status != cudaSuccess)
    return ctr_cuda_fail (error, status, purpose);
  return check_kernels (major, minor, purpose, error);
}

bool
ended_with (CudaSession *session, cudaError_t status, const char *purpose, CtrError *error)
{
  session->stream = status == cudaSuccess ? session->own_stream : NULL;
  return status == cudaSuccess || ctr_cuda_fail (error, status, purpose);
}

} // namespace

cudaError_t
cuda_create_event (cudaEvent_t *event)
{
  return cudaEventCreateWithFlags (event, cudaEventDisableTiming);
}

CudaSharedEvent *
cuda_shared_event_new (cudaError_t *status)
{
  CudaSharedEvent *event = (CudaSharedEvent *) calloc (1, sizeof *event);
  *status = event ? cuda_create_event (&event->event) : cudaErrorMemoryAllocation;
  if (*status == cudaSuccess) {
    event->refs = 1;
    return event;
  }
  free (event);
  return NULL;
}

cudaError_t
cuda_shared_event_record (CudaSharedEvent *event, cudaStream_t stream)
{
  __atomic_store_n (&event->stream, stream, __ATOMIC_RELEASE);
  return cudaEventRecord (event->event, stream);
}

CudaSharedEvent *
cuda_shared_event_ref (CudaSharedEvent *event)
{
  __atomic_add_fetch (&event->refs, 1, __ATOMIC_RELAXED);
  return event;
}

void
cuda_shared_event_unref (CudaSharedEvent *event)
{
  if (!event || __atomic_sub_fetch (&event->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  cudaEventDestroy (event->event);
  cudaGetLastError (); /* The context may be gone. */
  free (event);
}

cudaError_t
cuda_wait_asleep (cudaEvent_t event)
{
  int64_t ns = NAP_NS;
  cudaError_t status;
  while ((status = cudaEventQuery (event)) == cudaErrorNotReady) {
    nap (ns);
    ns = ns + ns / 4 < LONGEST_NAP_NS ? ns + ns / 4 : LONGEST_NAP_NS;
  }
  return status;
}

cudaError_t
cuda_wait_for_event (cudaEvent_t event, CudaWait *wait)
{
  cudaError_t status = cudaErrorNotReady;
  poll ([&] { return (status = cudaEventQuery (event)) != cudaErrorNotReady; }, wait);
  if (status == cudaErrorNotReady)
    status = cuda_wait_asleep (event);
  return status;
}

cudaError_t
cuda_wait_for_stream (cudaStream_t stream, cudaEvent_t event, CudaWait *wait)
{
  const cudaError_t status = cudaEventRecord (event, stream);
  return status == cudaSuccess ? cuda_wait_for_event (event, wait) : status;
}

bool
cuda_session_open (CudaSession *session, const char *purpose, CtrError *error)
{
  *session = {};
  if (!look_at_device (&session->overlap, purpose, error))
    return false;
  cudaError_t status = cudaStreamCreateWithFlags (&session->own_stream, cudaStreamNonBlocking);
  if (status == cudaSuccess)
    status = cuda_create_event (&session->done);
  session->context = ctr_context_current ();
  return status == cudaSuccess || ctr_cuda_fail (error, status, purpose);
}

void
cuda_session_close (CudaSession *session)
{
  if (session->stream)
    cudaStreamSynchronize (session->stream);
  if (session->done)
    cudaEventDestroy (session->done);
  cuda_session_forget_readers (session);
  cuda_timing_close (&session->timing);
  if (session->own_stream)
    cudaStreamDestroy (session->own_stream);
  cudaGetLastError ();
  *session = {};
}

/* The last kernel of the frame before may still be running, though it has set its flag. */
static bool
choose_stream (CudaSession *session, cudaStream_t stream, CtrError *error)
{
  session->stream = stream;
  if (!cuda_timing_begin (&session->timing, error))
    return false;
  if (stream != session->marked)
    CTR_CUDA (cudaStreamWaitEvent (stream, session->done, 0));
  return true;
}

bool
cuda_session_begin (CudaSession *session, void *stream, CtrError *error)
{
  if (session->stream)
    CTR_CUDA (cudaStreamSynchronize (session->stream));
  return choose_stream (session, stream ? (cudaStream_t) stream : session->own_stream, error);
}

bool
cuda_session_begin_in_order (CudaSession *session, void *stream, CtrError *error)
{
  const cudaStream_t wanted = stream ? (cudaStream_t) stream : session->own_stream;
  if (session->stream && session->stream != wanted)
    CTR_CUDA (cudaStreamSynchronize (session->stream));
  return choose_stream (session, wanted, error);
}

bool
cuda_session_hold (void *state, void *event, CtrError *error)
{
  CudaSharedEvent *read = (CudaSharedEvent *) event;
  for (CudaSharedEvent *&reader : ((CudaSession *) state)->readers)
    if (!reader || reader == read) {
      if (!reader)
        reader = cuda_shared_event_ref (read);
      return true;
    }
  /* So many others are rare. */
  CTR_CUDA (cuda_wait_asleep (read->event));
  return true;
}

bool
cuda_session_lead (void *state, void *stream, CtrError *error)
{
  const CudaSession *session = (const CudaSession *) state;
  if ((cudaStream_t) stream != session->marked)
    CTR_CUDA (cudaStreamWaitEvent ((cudaStream_t) stream, session->done, 0));
  return true;
}

bool
cuda_session_was_incomplete (const void *state)
{
  return ((const CudaSession *) state)->was_incomplete;
}

bool
cuda_session_follow_readers (CudaSession *session, CtrError *error)
{
  for (const CudaSharedEvent *reader : session->readers)
    if (reader && __atomic_load_n (&reader->stream, __ATOMIC_ACQUIRE) != session->stream)
      CTR_CUDA (cudaStreamWaitEvent (session->stream, reader->event, 0));
  cuda_session_forget_readers (session);
  return true;
}

bool
cuda_session_wait_for_readers (CudaSession *session, CtrError *error)
{
  for (const CudaSharedEvent *reader : session->readers)
    if (reader)
      CTR_CUDA (cuda_wait_asleep (reader->event));
  cuda_session_forget_readers (session);
  return true;
}

void
cuda_session_forget_readers (CudaSession *session)
{
  for (CudaSharedEvent *&reader : session->readers) {
    cuda_shared_event_unref (reader);
    reader = NULL;
  }
}

bool
cuda_session_start_clock (const CudaSession *session, CtrError *error)
{
  return cuda_timing_start (&session->timing, session->stream, error);
}

bool
cuda_session_stop_clock (const CudaSession *session, CtrError *error)
{
  return cuda_timing_stop (&session->timing, session->stream, error);
}

bool
cuda_session_mark (CudaSession *session, CtrError *error)
{
  if (!cuda_session_stop_clock (session, error))
    return false;
  CTR_CUDA (cudaEventRecord (session->done, session->stream));
  session->marked = session->stream;
  return true;
}

bool
cuda_session_wait (CudaSession *session, const char *purpose, CtrError *error)
{
  return ended_with (session, cuda_wait_for_stream (session->stream, session->done, &session->wait), purpose, error);
}

bool
cuda_session_wait_for_flag (CudaSession *session, const uint32_t *flag, const char *purpose, CtrError *error)
{
  return cuda_session_wait_for_flags (session, flag, 1, purpose, error);
}

bool
cuda_session_wait_for_flags (
    CudaSession *session, const uint32_t *flags, uint32_t count, const char *purpose, CtrError *error)
{
  uint32_t first = 0; /* that has not been seen yet */
  auto are_set = [&] {
    while (first < count && __atomic_load_n (&flags[first], __ATOMIC_ACQUIRE) == 1)
      first++;
    return first == count;
  };
  const bool set = poll (are_set, &session->wait);
  return ended_with (session, set ? cudaSuccess : cuda_wait_asleep (session->done), purpose, error);
}

bool
cuda_session_wait_for_mark (CudaSession *session, const char *purpose, CtrError *error)
{
  return ended_with (session, cuda_wait_asleep (session->done), purpose, error);
}

void
cuda_session_end (CudaSession *session, bool complete)
{
  if (!complete) {
    if (session->stream)
      cudaStreamSynchronize (session->stream);
    cudaGetLastError ();
  }
  cuda_timing_end (&session->timing, complete);
  session->stream = NULL;
}

void
cuda_session_enter (const CudaSession *session)
{
  ctr_context_push (session->context);
}

void
cuda_session_leave (const CudaSession *session)
{
  ctr_context_pop ();
}
