/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A result that was handed out before its analysis is complete. Internal.
 *
 * The thread that first asks for its contents completes it. The analyser holds a reference, and completes it at the
 * latest before its next image and before it is freed, so a result never refers to an analyser that is gone or busy
 * with another image. */
#ifndef CTR_CORE_RESULTS_PENDING_H
#define CTR_CORE_RESULTS_PENDING_H

#include <contours/components.h>

/* The numbers of a pending result, in device memory. Without COMPLETE the result has outgrown its memory: it will be
 * made again, and nothing of it may be used. */
typedef struct {
  uint32_t complete;
  uint32_t count; /* rows of the table */
  uint32_t point_count;
} CtrDeviceNumbers;

/* A pending result as kernels can read it behind the analysis, before the host knows its numbers. The pointers are to
 * device memory of CONTEXT. */
typedef struct {
  void *context;
  void *stream;                    /* in which the analysis is queued; work in it follows the analysis */
  void *done;                      /* the CUDA event behind the analysis, for work elsewhere */
  const CtrDeviceNumbers *numbers; /* the other arrays have room for them, if they are complete */
  const void *table;               /* CtrContour or CtrComponent */
  const void *points;              /* CtrPoint, of contours */
  uint32_t capacity;               /* rows that the table has room for */
  uint32_t likely_count;           /* what to expect from the images before: for the sizes of launches */
  uint32_t likely_point_count;
  const uint32_t *labels; /* of components with a label image: width * height; otherwise NULL */
} CtrPendingView;

/* What an analyser does for a pending result, under the lock of the result. STREAM is a CUDA stream. Without view() the
 * other functions on a GPU's work may be NULL, too. */
typedef struct {
  /* Waits for ANALYSER's work and fills in RESULT. It is called once. */
  bool (*settle) (void *analyser, void *result, CtrError *error);
  /* False: the result cannot be read before it is settled. */
  bool (*view) (void *analyser, CtrPendingView *view);
  /* Keeps what a view shows until EVENT, which the backend's own drawing has recorded behind its work. */
  bool (*hold) (void *analyser, void *event, CtrError *error);
  /* Makes STREAM wait for the analysis. */
  bool (*lead) (void *analyser, void *stream, CtrError *error);
  /* Has a view shown an incomplete result? Called behind settle(). May be NULL. */
  bool (*was_incomplete) (const void *analyser);
  /* The components that the result is made of (transfer full), or NULL. They are settled before settle() is called, without
   * the lock: others lock several results in another order. May be NULL. */
  CtrComponents *(*source) (void *analyser);
} CtrPendingOps;

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
  bool was_incomplete; /* Views of the result have shown an incomplete one. */
  CtrError error;      /* if the analysis has failed */
  const CtrPendingOps *ops;
  void *analyser;
} CtrPending;

/* OPS NULL: the result is complete. */
void ctr_pending_init (CtrPending *pending, const CtrPendingOps *ops, void *analyser);
void ctr_pending_clear (CtrPending *pending);

/* Completes RESULT, to which PENDING belongs, unless it is complete. Any thread. False and the error of the analysis if
 * it has failed. */
bool ctr_pending_wait (CtrPending *pending, void *result, CtrError *error);

/* Is the result complete, or has it failed? */
bool ctr_pending_settled (const CtrPending *pending);

/* Locks a result that is not settled, and shows it. False, and not locked: it is settled, or has nothing to show. Who
 * locks several results locks them in the order of their addresses. */
bool ctr_pending_lock (CtrPending *pending, CtrPendingView *view);

/* Unlocks it, after the work that reads it has been queued and EVENT recorded behind it, or nothing has been queued (EVENT
 * NULL). If it fails, the caller has to wait for the work. */
bool ctr_pending_unlock (CtrPending *pending, void *event, CtrError *error);

/* Makes STREAM wait for the analysis, unless the result is settled. */
bool ctr_pending_lead (CtrPending *pending, void *stream, CtrError *error);

#endif

#endif
