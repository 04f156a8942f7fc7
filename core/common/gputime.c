/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/gputime.h"

#include "core/common/error.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_TIMES = 64 };

struct CtrGpuClock {
  int refs; /* atomic */
  pthread_mutex_t lock;
  uint64_t times[MOST_TIMES]; /* a ring */
  uint64_t added, taken;      /* so far; what was dropped counts as taken */
};

static _Thread_local CtrGpuClock *current;

CtrGpuClock *
ctr_gpu_clock_new (CtrError *error)
{
  CtrGpuClock *clock = calloc (1, sizeof *clock);
  if (!clock) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a GPU clock");
    return NULL;
  }
  clock->refs = 1;
  pthread_mutex_init (&clock->lock, NULL);
  return clock;
}

void
ctr_gpu_clock_free (CtrGpuClock *clock)
{
  ctr_gpu_clock_unref (clock);
}

void
ctr_gpu_clock_unref (CtrGpuClock *clock)
{
  if (!clock || __atomic_sub_fetch (&clock->refs, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  pthread_mutex_destroy (&clock->lock);
  free (clock);
}

CtrGpuClock *
ctr_gpu_clock_set_current (CtrGpuClock *clock)
{
  CtrGpuClock *before = current;
  current = clock;
  return before;
}

CtrGpuClock *
ctr_gpu_clock_ref_current (void)
{
  if (current)
    __atomic_add_fetch (&current->refs, 1, __ATOMIC_RELAXED);
  return current;
}

void
ctr_gpu_clock_add (CtrGpuClock *clock, uint64_t nanoseconds)
{
  pthread_mutex_lock (&clock->lock);
  clock->times[clock->added++ % MOST_TIMES] = nanoseconds;
  if (clock->added - clock->taken > MOST_TIMES)
    clock->taken++;
  pthread_mutex_unlock (&clock->lock);
}

bool
ctr_gpu_clock_take (CtrGpuClock *clock, uint64_t *nanoseconds)
{
  pthread_mutex_lock (&clock->lock);
  const bool any = clock->taken < clock->added;
  if (any)
    *nanoseconds = clock->times[clock->taken++ % MOST_TIMES];
  pthread_mutex_unlock (&clock->lock);
  return any;
}
