/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stream side of an analyser on the GPU: which stream its queued frame is in, and how that frame ends.
 *
 * All frames of an analyser share its device memory. So a frame waits for the one before it: on the host where its
 * memory may move, otherwise on the GPU. */
#ifndef CTR_CUDA_COMMON_SESSION_CUH
#define CTR_CUDA_COMMON_SESSION_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"
#include "cuda/common/timing.h"

/* How long a thread usually waits at one place; zero at first. */
struct CudaWait {
  int64_t usual_ns;
};

/* An event that several objects refer to. */
struct CudaSharedEvent {
  cudaEvent_t event;
  cudaStream_t stream; /* in which it was recorded last; atomic */
  int refs;            /* atomic */
};

/* One with one reference; NULL and STATUS on failure. */
CudaSharedEvent *cuda_shared_event_new (cudaError_t *status);
cudaError_t cuda_shared_event_record (CudaSharedEvent *event, cudaStream_t stream);
CudaSharedEvent *cuda_shared_event_ref (CudaSharedEvent *event);
void cuda_shared_event_unref (CudaSharedEvent *event); /* EVENT may be NULL */

constexpr int CUDA_READERS = 3;

struct CudaSession {
  void *context;
  cudaStream_t own_stream; /* for callers that pass no stream, and for frames that are done again */
  cudaStream_t stream;     /* of the queued frame; NULL: none. A caller's stream may be gone once its frame is done. */
  cudaEvent_t done;        /* what was queued last */
  cudaStream_t marked;     /* where that was */
  CudaSharedEvent *readers[CUDA_READERS]; /* behind other work that reads the pending result; NULL: none */
  CudaWait wait;                          /* for the queued frame */
  CudaTiming timing;
  bool was_incomplete; /* The result of the last frame had outgrown its memory, or exceeded a limit. */
  bool overlap;        /* The GPU has programmatic dependent launch. */
};

/* In the current context. PURPOSE names the analyser in the error: "preparing the border follower". */
bool cuda_session_open (CudaSession *session, const char *purpose, CtrError *error);

/* Waits for the queued frame. The context may be gone; errors have nowhere to go. SESSION may be zero. */
void cuda_session_close (CudaSession *session);

/* Puts the next frame into STREAM, NULL: the session's own. Waits for the frame before it. */
bool cuda_session_begin (CudaSession *session, void *stream, CtrError *error);

/* Likewise, but the host waits only for a frame in another stream. */
bool cuda_session_begin_in_order (CudaSession *session, void *stream, CtrError *error);

/* Of CtrBackendOps. STATE begins with a CudaSession, EVENT is a CudaSharedEvent. */
bool cuda_session_hold (void *state, void *event, CtrError *error);
bool cuda_session_lead (void *state, void *stream, CtrError *error);
bool cuda_session_was_incomplete (const void *state);

/* Before the memory that held work reads is written: makes the session's stream wait for that work, or the host. */
bool cuda_session_follow_readers (CudaSession *session, CtrError *error);
bool cuda_session_wait_for_readers (CudaSession *session, CtrError *error);
void cuda_session_forget_readers (CudaSession *session);

/* Around the frame's work on the GPU, for its time (timing.h). The work starts behind what it waits for in the stream.
 * Frames that are marked stop there. */
bool cuda_session_start_clock (const CudaSession *session, CtrError *error);
bool cuda_session_stop_clock (const CudaSession *session, CtrError *error);

/* To be called when all work of a frame is queued, if cuda_session_wait_for_flag() will wait for it. */
bool cuda_session_mark (CudaSession *session, CtrError *error);

/* Waits until the queued frame is complete. PURPOSE is for the error: "following borders". What is queued afterwards
 * belongs into the session's stream, too: that is its own one then. */
bool cuda_session_wait (CudaSession *session, const char *purpose, CtrError *error);

/* Likewise, after cuda_session_mark(). The frame's last kernel sets FLAG, in pinned memory, to 1, when the result is there. Only what came before
 * that kernel is sure to be complete. */
bool cuda_session_wait_for_flag (CudaSession *session, const uint32_t *flag, const char *purpose, CtrError *error);
/* Likewise, where COUNT CTAs set a flag each. */
bool cuda_session_wait_for_flags (
    CudaSession *session, const uint32_t *flags, uint32_t count, const char *purpose, CtrError *error);

/* Waits for all of the marked frame, whose flag is set. */
bool cuda_session_wait_for_mark (CudaSession *session, const char *purpose, CtrError *error);

/* Ends a frame whose work is complete (COMPLETE), or that has failed: then nothing of it is left in the caller's
 * stream, and the failure, which has been reported, is cleared. */
void cuda_session_end (CudaSession *session, bool complete);

/* Makes the session's context current, on any thread, and the former one again. */
void cuda_session_enter (const CudaSession *session);
void cuda_session_leave (const CudaSession *session);

/* An event without a time. */
cudaError_t cuda_create_event (cudaEvent_t *event);

/* Waits for EVENT, however long it takes, and wakes up late by a quarter of that at most. */
cudaError_t cuda_wait_asleep (cudaEvent_t event);

/* Waits for EVENT, which WAIT is for. */
cudaError_t cuda_wait_for_event (cudaEvent_t event, CudaWait *wait);

/* Records EVENT in STREAM and waits for it. */
cudaError_t cuda_wait_for_stream (cudaStream_t stream, cudaEvent_t event, CudaWait *wait);

#endif
