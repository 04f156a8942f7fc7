/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The thread pool of the process. All work in progress is in one list, under one lock, which is taken once by each
 * thread at the beginning and at the end of its share. Workers live until the library is unloaded, or the process
 * exits; a sleeping one costs no more than the memory of its stack. */
#include "cpu/common/parallel.h"

#include <contours/cancel.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

enum {
  CALLS = 4,  /* workers that a thread wakes, which wake the next ones: each takes some microseconds */
  SPINS = 500 /* looks at a job that others are about to end, before the caller sleeps: some 20 us */
};

/* A call of ctr_parallel_for(). On the caller's stack. */
typedef struct Job Job;
struct Job {
  void (*body) (void *context, uint32_t index);
  void *context;
  const CtrCancel *cancel;
  uint32_t count;
  uint32_t next; /* index; atomic. At least COUNT: all are taken */
  /* Under the lock. */
  unsigned room;          /* workers that may still join */
  unsigned helping;       /* workers that have joined and not left; atomic */
  pthread_cond_t no_help; /* helping has become 0 */
  Job *older, *newer;
};

typedef struct Worker Worker;
struct Worker {
  pthread_t thread;
  Worker *next;
};

/* All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_waits = PTHREAD_COND_INITIALIZER;
static Job *oldest, *newest;
static Worker *workers;
static unsigned worker_count;
static unsigned idle;     /* workers that sleep, or are on their way to look for work */
static unsigned sleeping; /* workers that sleep */
static unsigned called;   /* sleeping workers that have been, or are about to be, woken */
static unsigned room;     /* of all jobs */
static bool ending;       /* atomic: workers stop at the end of the index they work on, and no more are started */

/* The calling thread's token. */
static const CtrCancel *
current_token (void)
{
  const CtrCancel *token = ctr_cancel_set_current (NULL);
  ctr_cancel_set_current (token);
  return token;
}

static void
work_on (Job *job, bool helps)
{
  /* Relaxed: what the caller wrote comes with the lock. */
  while (!(helps && __atomic_load_n (&ending, __ATOMIC_RELAXED))) {
    uint32_t index = __atomic_load_n (&job->next, __ATOMIC_RELAXED);
    do {
      if (index >= job->count)
        return;
    } while (!__atomic_compare_exchange_n (&job->next, &index, index + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    job->body (job->context, index);
  }
}

static Job *
find_job (void)
{
  Job *job = oldest;
  while (job && (job->room == 0 || __atomic_load_n (&job->next, __ATOMIC_RELAXED) >= job->count))
    job = job->newer;
  return job;
}

/* The number of workers to wake once the lock is free. */
static unsigned
call_workers (void)
{
  unsigned count = room > called ? room - called : 0;
  count = count < sleeping - called ? count : sleeping - called;
  count = count < CALLS ? count : CALLS;
  called += count;
  return count;
}

static void
unlock_and_wake (unsigned count)
{
  pthread_mutex_unlock (&lock);
  while (count-- > 0)
    pthread_cond_signal (&work_waits);
}

static void
sleep_until_called (void)
{
  sleeping++;
  pthread_cond_wait (&work_waits, &lock);
  sleeping--;
  if (called > 0)
    called--;
}

static void
help (Job *job)
{
  idle--;
  room--;
  job->room--;
  __atomic_fetch_add (&job->helping, 1, __ATOMIC_RELAXED);
  unlock_and_wake (call_workers ());
  ctr_cancel_set_current (job->cancel);
  work_on (job, true);
  ctr_cancel_set_current (NULL);
  pthread_mutex_lock (&lock);
  if (__atomic_sub_fetch (&job->helping, 1, __ATOMIC_RELAXED) == 0)
    pthread_cond_signal (&job->no_help);
  idle++;
}

static void *
run_worker (void *unused)
{
  pthread_setname_np (pthread_self (), "contours");
  pthread_mutex_lock (&lock);
  while (!__atomic_load_n (&ending, __ATOMIC_RELAXED)) {
    Job *job = find_job ();
    if (job)
      help (job);
    else
      sleep_until_called ();
  }
  pthread_mutex_unlock (&lock);
  return NULL;
}

/* Signals are for the threads of the application. False if there is no memory, or the system refuses a thread. */
static bool
start_worker (void)
{
  sigset_t all, before;
  Worker *worker = malloc (sizeof *worker);
  if (!worker)
    return false;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  const bool started = pthread_create (&worker->thread, NULL, run_worker, NULL) == 0;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (!started) {
    free (worker);
    return false;
  }
  worker->next = workers;
  workers = worker;
  worker_count++;
  idle++;
  return true;
}

/* fork() copies only the thread that calls it: the child's pool is empty. */
static void
before_fork (void)
{
  pthread_mutex_lock (&lock);
}

static void
after_fork_in_parent (void)
{
  pthread_mutex_unlock (&lock);
}

static void
after_fork_in_child (void)
{
  while (workers) {
    Worker *worker = workers;
    workers = worker->next;
    free (worker);
  }
  worker_count = idle = sleeping = called = room = 0;
  oldest = newest = NULL;
  work_waits = (pthread_cond_t) PTHREAD_COND_INITIALIZER;
  pthread_mutex_unlock (&lock);
}

static void
watch_forks (void)
{
  pthread_atfork (before_fork, after_fork_in_parent, after_fork_in_child);
}

/* The workers' code must not be unloaded under them. */
static void __attribute__ ((destructor)) end_workers (void)
{
  pthread_mutex_lock (&lock);
  __atomic_store_n (&ending, true, __ATOMIC_RELAXED);
  Worker *ended = workers;
  workers = NULL;
  worker_count = 0;
  pthread_cond_broadcast (&work_waits);
  pthread_mutex_unlock (&lock);
  while (ended) {
    Worker *worker = ended;
    ended = worker->next;
    pthread_join (worker->thread, NULL);
    free (worker);
  }
}

/* The pool has a worker for each core, besides the caller, or for each thread that a caller has ever asked for. */
static unsigned
most_workers (unsigned threads)
{
  static unsigned most; /* under the lock */
  if (most == 0) {
    const unsigned before = ctr_threads_set_current (0);
    most = ctr_threads_set_current (before) - 1;
  }
  if (most < threads - 1)
    most = threads - 1;
  return most;
}

static void
publish (Job *job, unsigned threads)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once (&once, watch_forks);
  pthread_mutex_lock (&lock);
  job->older = newest;
  *(newest ? &newest->newer : &oldest) = job;
  newest = job;
  room += job->room;
  const unsigned most = most_workers (threads);
  while (idle < room && worker_count < most && !__atomic_load_n (&ending, __ATOMIC_RELAXED) && start_worker ())
    ;
  unlock_and_wake (call_workers ());
}

/* Waits a moment for the workers that are still at JOB. They touch it until they release the lock. */
static void
spin (const Job *job)
{
  for (int i = 0; i < SPINS && __atomic_load_n (&job->helping, __ATOMIC_RELAXED) > 0; i++) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause ();
#endif
  }
}

static void
withdraw (Job *job)
{
  pthread_mutex_lock (&lock);
  *(job->older ? &job->older->newer : &oldest) = job->newer;
  *(job->newer ? &job->newer->older : &newest) = job->older;
  room -= job->room;
  job->room = 0;
  if (job->helping > 0) {
    pthread_mutex_unlock (&lock);
    spin (job);
    pthread_mutex_lock (&lock);
  }
  while (job->helping > 0)
    pthread_cond_wait (&job->no_help, &lock);
  pthread_mutex_unlock (&lock);
  pthread_cond_destroy (&job->no_help);
}

void
ctr_parallel_for (unsigned threads, uint32_t count, void (*body) (void *context, uint32_t index), void *context)
{
  if (threads > count)
    threads = count;
  if (threads <= 1) {
    for (uint32_t i = 0; i < count; i++)
      body (context, i);
    return;
  }
  Job job = {
      .body = body,
      .context = context,
      .cancel = current_token (),
      .count = count,
      .room = threads - 1,
      .no_help = PTHREAD_COND_INITIALIZER,
  };
  publish (&job, threads);
  work_on (&job, false);
  withdraw (&job);
}
