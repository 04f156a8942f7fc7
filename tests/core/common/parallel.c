/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the thread pool of the CPU backend, and the number of threads that a thread sets. */
#include "cpu/common/parallel.h"

#include "tests/core/common/testing.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1000, CALLERS = 8 };

static void
count_call (void *data, uint32_t index)
{
  ((uint32_t *) data)[index]++; /* not atomic: a second call at the same time is a race */
}

static void
check_counts (unsigned threads, uint32_t count)
{
  uint32_t calls[MOST] = {0};
  ctr_parallel_for (threads, count, count_call, calls);
  for (uint32_t i = 0; i < MOST; i++)
    CHECK (calls[i] == (i < count ? 1 : 0));
}

static const unsigned thread_counts[] = {1, 2, 3, 7, 16};

static void
test_each_index_once (void)
{
  static const uint32_t counts[] = {0, 1, 2, 3, 16, 17, MOST};
  for (size_t t = 0; t < LENGTH (thread_counts); t++)
    for (size_t c = 0; c < LENGTH (counts); c++) {
      describe ("%u indices on %u threads", counts[c], thread_counts[t]);
      for (int repeat = 0; repeat < 20; repeat++)
        check_counts (thread_counts[t], counts[c]);
    }
}

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t all_here;
  unsigned here, expected;
  bool named;
  CtrCancel token;
} Meeting;

/* Waits for the other indices, so each needs a thread of its own. */
static void
meet (void *data, uint32_t index)
{
  Meeting *meeting = data;
  char name[16] = "";
  sigset_t blocked;
  CHECK (ctr_cancelled ());
  CHECK (ctr_threads_current () == (index == 0 ? 5 : 1));
  pthread_getname_np (pthread_self (), name, sizeof name);
  pthread_sigmask (SIG_SETMASK, NULL, &blocked);
  pthread_mutex_lock (&meeting->lock);
  if (index > 0)
    meeting->named &= strcmp (name, "contours") == 0 && sigismember (&blocked, SIGINT);
  if (++meeting->here == meeting->expected)
    pthread_cond_broadcast (&meeting->all_here);
  while (meeting->here < meeting->expected)
    pthread_cond_wait (&meeting->all_here, &meeting->lock);
  pthread_mutex_unlock (&meeting->lock);
}

/* Only on an idle pool may an index wait for others. That of the caller need not be the first. */
static void
meet_anywhere (void *data, uint32_t index)
{
  meet (data, ctr_threads_current () == 5 ? 0 : 1);
}

static void
test_workers (void)
{
  Meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 5, true, {0}};
  describe ("the token, the name and the signals of 4 workers");
  CHECK (ctr_threads_set_current (5) == 1);
  ctr_cancel_request (&meeting.token);
  ctr_cancel_set_current (&meeting.token);
  ctr_parallel_for (5, 5, meet_anywhere, &meeting);
  CHECK (meeting.here == 5 && meeting.named);
  CHECK (ctr_cancel_set_current (NULL) == &meeting.token);
  CHECK (ctr_threads_set_current (1) == 5);
}

static void
nested (void *data, uint32_t index)
{
  check_counts (3, 20 + index);
}

static void *
call (void *data)
{
  for (uint32_t i = 0; i < 200; i++) {
    describe ("caller %u, run %u", (unsigned) (uintptr_t) data, i);
    check_counts (1 + i % 5, i);
    if (i % 20 == 0)
      ctr_parallel_for (4, 8, nested, NULL);
  }
  return NULL;
}

static void
test_many_callers (void)
{
  pthread_t threads[CALLERS];
  for (uintptr_t i = 0; i < CALLERS; i++)
    CHECK (pthread_create (&threads[i], NULL, call, (void *) i) == 0);
  for (int i = 0; i < CALLERS; i++)
    pthread_join (threads[i], NULL);
}

static unsigned
count_threads (void)
{
  DIR *tasks = opendir ("/proc/self/task");
  unsigned count = 0;
  CHECK (tasks);
  for (struct dirent *task; (task = readdir (tasks));)
    count += task->d_name[0] != '.';
  closedir (tasks);
  return count;
}

/* The child has none of the workers, starts its own, and ends. */
static void
test_fork (void)
{
#ifdef __SANITIZE_THREAD__
  return; /* ThreadSanitizer refuses threads in such a child */
#endif
  pthread_t other;
  int status;
  describe ("a child process");
  CHECK (pthread_create (&other, NULL, call, NULL) == 0);
  for (int i = 0; i < 10; i++) {
    fflush (NULL);
    const pid_t child = fork ();
    CHECK (child >= 0);
    if (child == 0) {
      const unsigned threads = count_threads ();
      check_counts (4, MOST);
      _exit (threads == 1 ? 0 : 1);
    }
    while (waitpid (child, &status, 0) < 0)
      CHECK (errno == EINTR);
    CHECK (WIFEXITED (status) && WEXITSTATUS (status) == 0);
    check_counts (4, MOST);
  }
  pthread_join (other, NULL);
}

static void
test_current (void)
{
  describe ("the number of threads");
  CHECK (ctr_threads_current () == 1);
  CHECK (ctr_threads_set_current (3) == 1 && ctr_threads_current () == 3);
  CHECK (ctr_threads_set_current (0) == 3);
  const unsigned cores = ctr_threads_current ();
  CHECK (cores >= 1 && cores <= (unsigned) sysconf (_SC_NPROCESSORS_CONF));
  CHECK (ctr_threads_set_current (1) == cores && ctr_threads_current () == 1);
}

/* A number that no system has threads for. */
static void
test_too_many (void)
{
  describe ("4294967295 threads");
  ctr_threads_set_current (0);
  const unsigned cores = ctr_threads_current ();
  ctr_threads_set_current (~0u);
  const unsigned most = ctr_threads_current ();
  CHECK (most == (cores > 64 ? cores : 64));
  for (int repeat = 0; repeat < 20; repeat++)
    check_counts (most, MOST);
  CHECK (count_threads () <= most + 1); /* ThreadSanitizer has one of its own. */
  ctr_threads_set_current (1);
}

int
main (void)
{
  static const Test tests[] = {
      {"current", test_current},
      {"workers", test_workers},
      {"each index once", test_each_index_once},
      {"many callers", test_many_callers},
      {"fork", test_fork},
      {"too many", test_too_many},
  };
  run_tests (tests, LENGTH (tests));
  return 0;
}
