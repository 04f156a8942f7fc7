/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <contours/threads.h>

#include <sched.h>
#include <unistd.h>

/* Each starts a thread that stays: a wrong number must not take all that the system has. */
#define MOST_THREADS 64

static _Thread_local unsigned current = 1;

/* The affinity is that of the process's first thread: an application may bind the others to one core each. */
static unsigned
logical_cores (void)
{
  cpu_set_t set;
  if (sched_getaffinity (getpid (), sizeof set, &set) == 0)
    return (unsigned) CPU_COUNT (&set);
  const long cores = sysconf (_SC_NPROCESSORS_ONLN);
  return cores > 1 ? (unsigned) cores : 1;
}

unsigned
ctr_threads_set_current (unsigned threads)
{
  const unsigned before = current;
  if (threads == 0 || threads > MOST_THREADS) {
    const unsigned cores = logical_cores ();
    const unsigned most = cores > MOST_THREADS ? cores : MOST_THREADS;
    current = threads == 0 ? cores : threads < most ? threads : most;
  } else {
    current = threads;
  }
  return before;
}

unsigned
ctr_threads_current (void)
{
  return current;
}
