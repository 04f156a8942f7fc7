/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cancelling long work from another thread. Each thread has a current cancellation token, as it has a current CUDA
 * context. Host code polls the token of its thread in every row and every few milliseconds. Cancelled work fails with
 * CTR_ERROR_CANCELLED within 100 ms. The analyser stays usable, and its next result is complete. A cancelled drawing or
 * edge picture may be incomplete. Work that is already queued on a GPU is not cancelled: it takes milliseconds, and its
 * analyser waits for it. */
#ifndef CONTOURS_CANCEL_H
#define CONTOURS_CANCEL_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* A token is zeroed before first use, and must exist as long as it is any thread's current token. */
typedef struct {
  int requested; /* private, atomic */
} CtrCancel;

/* May be called from any thread. A request stays until it is reset. Reset a token only while no thread works with it:
 * otherwise running work may or may not see the request. */
CTR_API void ctr_cancel_request (CtrCancel *cancel);
CTR_API void ctr_cancel_reset (CtrCancel *cancel);

/* Makes CANCEL the calling thread's current token; NULL, the initial state, for none. Returns the previous token. */
CTR_API const CtrCancel *ctr_cancel_set_current (const CtrCancel *cancel);

/* Has a request been made on the calling thread's current token? For other long work that shares the token. Takes
 * nanoseconds. */
CTR_API bool ctr_cancelled (void);

CTR_END_DECLS

#endif
