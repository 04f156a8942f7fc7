/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This file replaces the core's GPU clock: each call for the simulated GPU takes a millisecond. As late as the core may, it
 * tells the time of a call with the next one, or when an object is freed. */
#include "fake-cuda.h"

#include <pthread.h>
#include <stdlib.h>

struct CtrGpuClock {
  CtrGpuClock *next;
  int late, times; /* that have not arrived, and that nobody has taken */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CtrGpuClock *clocks;
static int timed;
static _Thread_local CtrGpuClock *current;

/* How many calls have been timed. */
CTR_API int fake_cuda_timed (void);
int
fake_cuda_timed (void)
{
  return __atomic_load_n (&timed, __ATOMIC_RELAXED);
}

void
note_time (void)
{
  if (!current)
    return;
  pthread_mutex_lock (&lock);
  current->times += current->late;
  current->late = 1;
  pthread_mutex_unlock (&lock);
  __atomic_add_fetch (&timed, 1, __ATOMIC_RELAXED);
}

void
end_times (void)
{
  pthread_mutex_lock (&lock);
  for (CtrGpuClock *clock = clocks; clock; clock = clock->next) {
    clock->times += clock->late;
    clock->late = 0;
  }
  pthread_mutex_unlock (&lock);
}

CtrGpuClock *
ctr_gpu_clock_new (CtrError *error)
{
  CtrGpuClock *clock = calloc (1, sizeof *clock);

  pthread_mutex_lock (&lock);
  clock->next = clocks;
  clocks = clock;
  pthread_mutex_unlock (&lock);
  return clock;
}

void
ctr_gpu_clock_free (CtrGpuClock *clock)
{
  CtrGpuClock **place = &clocks;

  if (!clock)
    return;
  pthread_mutex_lock (&lock);
  while (*place != clock)
    place = &(*place)->next;
  *place = clock->next;
  pthread_mutex_unlock (&lock);
  free (clock);
}

CtrGpuClock *
ctr_gpu_clock_set_current (CtrGpuClock *clock)
{
  CtrGpuClock *before = current;

  current = clock;
  return before;
}

bool
ctr_gpu_clock_take (CtrGpuClock *clock, uint64_t *nanoseconds)
{
  pthread_mutex_lock (&lock);
  const bool any = clock->times > 0;
  clock->times -= any;
  pthread_mutex_unlock (&lock);
  *nanoseconds = 1000000;
  return any;
}
