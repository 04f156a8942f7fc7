/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/results/pending.h"

#include <contours/cancel.h>

void
ctr_pending_init (CtrPending *pending, CtrSettle settle, void *analyser)
{
  pthread_mutex_init (&pending->lock, NULL);
  atomic_init (&pending->settled, settle == NULL);
  pending->failed = false;
  pending->settle = settle;
  pending->analyser = analyser;
}

void
ctr_pending_clear (CtrPending *pending)
{
  pthread_mutex_destroy (&pending->lock);
}

/* The caller holds the lock. A reader that is being cancelled must not cancel an analysis that others wait for, too. */
static void
settle (CtrPending *pending, void *result)
{
  const CtrCancel *cancel = ctr_cancel_set_current (NULL);
  pending->failed = !pending->settle (pending->analyser, result, &pending->error);
  ctr_cancel_set_current (cancel);
  atomic_store_explicit (&pending->settled, true, memory_order_release);
}

bool
ctr_pending_settled (const CtrPending *pending)
{
  return atomic_load_explicit (&pending->settled, memory_order_acquire);
}

bool
ctr_pending_wait (CtrPending *pending, void *result, CtrError *error)
{
  if (!ctr_pending_settled (pending)) {
    pthread_mutex_lock (&pending->lock);
    if (!atomic_load_explicit (&pending->settled, memory_order_relaxed))
      settle (pending, result);
    pthread_mutex_unlock (&pending->lock);
  }
  if (pending->failed && error)
    *error = pending->error;
  return !pending->failed;
}
