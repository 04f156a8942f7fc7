/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A result that was handed out before its analysis is complete. Internal.
 *
 * The thread that first asks for its contents completes it. The analyser holds a reference, and completes it at the
 * latest before its next image and before it is freed, so a result never refers to an analyser that is gone or busy
 * with another image. */
#ifndef CTR_CORE_RESULTS_PENDING_H
#define CTR_CORE_RESULTS_PENDING_H

#include <contours/types.h>

/* Waits for ANALYSER's work and fills in RESULT. It is called once, under the lock of the result. */
typedef bool (*CtrSettle) (void *analyser, void *result, CtrError *error);

/* What an analyser does with the result that it has handed out, of either kind. wait() completes it. */
typedef struct {
  bool (*wait) (void *result, CtrError *error);
  void (*unref) (void *result);
} CtrResultType;

#ifndef __cplusplus /* whose atomic types are others; no backend needs the rest */

#include <pthread.h>
#include <stdatomic.h>

/* A member of every result. */
typedef struct {
  pthread_mutex_t lock;
  atomic_bool settled; /* the result is complete, or its analysis has failed */
  bool failed;
  CtrError error; /* if the analysis has failed */
  CtrSettle settle;
  void *analyser;
} CtrPending;

/* SETTLE NULL: the result is complete. */
void ctr_pending_init (CtrPending *pending, CtrSettle settle, void *analyser);
void ctr_pending_clear (CtrPending *pending);

/* Completes RESULT, to which PENDING belongs, unless it is complete. Any thread. False and the error of the analysis if
 * it has failed. */
bool ctr_pending_wait (CtrPending *pending, void *result, CtrError *error);

/* Is the result complete, or has it failed? */
bool ctr_pending_settled (const CtrPending *pending);

#endif

#endif
