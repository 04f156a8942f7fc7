/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ending long work early, from another thread. A thread has a current token, as it has a current CUDA context, and what
 * it does for an image on the host asks that one all along: in every row, and in every few milliseconds' work. A run
 * that is cancelled fails with CTR_ERROR_CANCELLED within 100 ms; its analyser stays usable, and the next image's
 * result is that of a new one. What has been drawn or painted by then may be any part of it. What is queued on a GPU is
 * waited for: it takes milliseconds. */
#ifndef CONTOURS_CANCEL_H
#define CONTOURS_CANCEL_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Zeroed: not requested. It must stay alive as long as it is any thread's current one. */
typedef struct {
  int requested; /* atomic: for the functions below only */
} CtrCancel;

/* From any thread. A request stays until it is reset, which is for when none of its threads is at work: a run may
 * otherwise miss it, or end without it. */
CTR_API void ctr_cancel_request (CtrCancel *cancel);
CTR_API void ctr_cancel_reset (CtrCancel *cancel);

/* Makes CANCEL the calling thread's token (NULL: none, as in the beginning); returns the one before. */
CTR_API const CtrCancel *ctr_cancel_set_current (const CtrCancel *cancel);

/* Is the calling thread's token requested? For other long work that is to end with it. Takes nanoseconds. */
CTR_API bool ctr_cancelled (void);

CTR_END_DECLS

#endif
