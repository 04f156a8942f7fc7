/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stream side of an analyser on the GPU: which stream its queued frame is in, and how that frame ends.
 *
 * All frames of an analyser share its device memory. So a frame waits for the one before it: always, where its memory
 * may move, or only where the two are in different streams, which do not order their work themselves. */
#ifndef CTR_CUDA_COMMON_SESSION_CUH
#define CTR_CUDA_COMMON_SESSION_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

struct CudaSession {
  cudaStream_t own_stream; /* for callers that pass no stream */
  cudaStream_t stream;     /* of the queued frame; NULL: none. A caller's stream may be gone once its frame is taken. */
  bool overlap;            /* The GPU has programmatic dependent launch. */
};

/* In the current context. PURPOSE names the analyser in the error: "preparing the border follower". */
bool cuda_session_open (CudaSession *session, const char *purpose, CtrError *error);

/* Waits for the queued frame. The context may be gone; errors have nowhere to go. SESSION may be zero. */
void cuda_session_close (CudaSession *session);

/* Puts the next frame into STREAM, NULL: the session's own. Waits for the frame before it. */
bool cuda_session_begin (CudaSession *session, void *stream, CtrError *error);

/* Likewise, but waits only for a frame in another stream. */
bool cuda_session_begin_in_order (CudaSession *session, void *stream, CtrError *error);

/* Waits until the queued frame is complete. PURPOSE is for the error: "following borders". */
bool cuda_session_wait (CudaSession *session, const char *purpose, CtrError *error);

/* Ends a frame whose work is complete (COMPLETE), or that has failed: then nothing of it is left in the caller's
 * stream, and the failure, which has been reported, is cleared. */
void cuda_session_end (CudaSession *session, bool complete);

#endif
