/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unloading LIBRARY
 *
 * Loads the core, lets several threads work, and unloads it: no thread may be left, nor a function that fork() calls.
 * Exits 77 (skip) where the system keeps the library loaded, as it may for the sake of C++ symbols. */
#include <contours/contours.h>

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIDE = 1024, THREADS = 4 };

static uint8_t samples[SIDE * SIDE];

static void
check (bool ok, const char *what)
{
  if (ok)
    return;
  fprintf (stderr, "%s\n", what);
  exit (1);
}

static void *
function (void *library, const char *name)
{
  void *found = dlsym (library, name);
  check (found, name);
  return found;
}

static int
count_threads (void)
{
  DIR *tasks = opendir ("/proc/self/task");
  int count = 0;
  for (struct dirent *task; (task = readdir (tasks));)
    count += task->d_name[0] != '.';
  closedir (tasks);
  return count;
}

static void
work (void *library)
{
  unsigned (*set_threads) (unsigned) = function (library, "ctr_threads_set_current");
  void (*init) (CtrCcaParams *) = function (library, "ctr_cca_params_init");
  CtrCca *(*new) (CtrBackend, CtrError *) = function (library, "ctr_cca_new");
  CtrComponents *(*run) (CtrCca *, const CtrImage *, const CtrCcaParams *, void *, CtrError *) =
      function (library, "ctr_cca_run");
  void (*drop) (CtrComponents *) = function (library, "ctr_components_unref");
  void (*destroy) (CtrCca *) = function (library, "ctr_cca_free");
  const CtrImage image = {.data = samples, .stride = SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY8};
  CtrCcaParams params;
  init (&params);
  set_threads (THREADS);
  CtrCca *cca = new (CTR_BACKEND_CPU, NULL);
  CtrComponents *components = run (cca, &image, &params, NULL, NULL);
  check (components && components->count == 0, "a black image has a component");
  drop (components);
  destroy (cca);
}

static void
check_fork (void)
{
  int status;
  const pid_t child = fork ();
  if (child == 0)
    _exit (0);
  check (child > 0 && waitpid (child, &status, 0) == child && status == 0, "fork() fails");
}

int
main (int argc, char **argv)
{
  for (int round = 0; round < 10; round++) {
    void *library = dlopen (argv[1], RTLD_NOW | RTLD_LOCAL);
    check (library, "the library cannot be loaded");
    work (library);
    check (count_threads () == THREADS, "there are other threads than asked for");
    check (dlclose (library) == 0, "the library cannot be unloaded");
    if (dlopen (argv[1], RTLD_NOW | RTLD_NOLOAD))
      return 77;
    /* The system takes a moment to forget a thread that has ended. */
    for (int i = 0; i < 1000 && count_threads () > 1; i++)
      usleep (1000);
    check (count_threads () == 1, "a thread is left");
    check_fork ();
  }
  return 0;
}
