/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/results/pending.h"

#include <contours/cancel.h>

#include <time.h>

enum { MOST_SPINNING = 2, SPIN_NS = 100000 };

static atomic_int spinning; /* threads of the process */

void
ctr_pending_init (CtrPending *pending, const CtrPendingOps *ops, void *analyser)
{
  pthread_mutex_init (&pending->lock, NULL);
  atomic_init (&pending->settled, ops == NULL);
  pending->failed = pending->was_incomplete = false;
  pending->ops = ops;
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
  pending->failed = !pending->ops->settle (pending->analyser, result, &pending->error);
  pending->was_incomplete = pending->ops->was_incomplete && pending->ops->was_incomplete (pending->analyser);
  ctr_cancel_set_current (cancel);
  atomic_store_explicit (&pending->settled, true, memory_order_release);
}

bool
ctr_pending_settled (const CtrPending *pending)
{
  return atomic_load_explicit (&pending->settled, memory_order_acquire);
}

static int64_t
now_ns (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

/* Another thread that has the lock mostly settles the result within microseconds, and a thread that sleeps wakes up 50 us
 * late. So a few threads at a time do not sleep. */
static void
lock (CtrPending *pending)
{
  bool locked = pthread_mutex_trylock (&pending->lock) == 0;
  if (!locked) {
    const bool spins = atomic_fetch_add_explicit (&spinning, 1, memory_order_relaxed) < MOST_SPINNING;
    const int64_t end = now_ns () + SPIN_NS;
    while (spins && !locked && now_ns () < end)
      locked = pthread_mutex_trylock (&pending->lock) == 0;
    atomic_fetch_sub_explicit (&spinning, 1, memory_order_relaxed);
  }
  if (!locked)
    pthread_mutex_lock (&pending->lock);
}

/* Called with the lock, which it may release in between. */
static void
settle_source (CtrPending *pending)
{
  CtrComponents *source = NULL;
  if (pending->ops->source && !atomic_load_explicit (&pending->settled, memory_order_relaxed))
    source = pending->ops->source (pending->analyser);
  if (!source)
    return;
  pthread_mutex_unlock (&pending->lock);
  ctr_components_wait (source, NULL);
  ctr_components_unref (source);
  lock (pending);
}

bool
ctr_pending_wait (CtrPending *pending, void *result, CtrError *error)
{
  if (!ctr_pending_settled (pending)) {
    lock (pending);
    settle_source (pending);
    if (!atomic_load_explicit (&pending->settled, memory_order_relaxed))
      settle (pending, result);
    pthread_mutex_unlock (&pending->lock);
  }
  if (pending->failed && error)
    *error = pending->error;
  return !pending->failed;
}

bool
ctr_pending_lock (CtrPending *pending, CtrPendingView *view)
{
  if (ctr_pending_settled (pending) || !pending->ops->view)
    return false;
  pthread_mutex_lock (&pending->lock);
  if (!atomic_load_explicit (&pending->settled, memory_order_relaxed) && pending->ops->view (pending->analyser, view))
    return true;
  pthread_mutex_unlock (&pending->lock);
  return false;
}

bool
ctr_pending_unlock (CtrPending *pending, void *event, CtrError *error)
{
  const bool ok = !event || pending->ops->hold (pending->analyser, event, error);
  pthread_mutex_unlock (&pending->lock);
  return ok;
}

bool
ctr_pending_lead (CtrPending *pending, void *stream, CtrError *error)
{
  bool ok = true;
  if (ctr_pending_settled (pending))
    return true;
  pthread_mutex_lock (&pending->lock);
  if (!atomic_load_explicit (&pending->settled, memory_order_relaxed))
    ok = pending->ops->lead (pending->analyser, stream, error);
  pthread_mutex_unlock (&pending->lock);
  return ok;
}
