/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/testing.h"

#include "tests/core/common/gpu.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Thread_local char description[512];
static char repetition[256];

void
skip (const char *reason)
{
  printf ("skipped: %s\n", reason);
  exit (77);
}

void
describe (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  vsnprintf (description, sizeof description, format, args);
  va_end (args);
}

static void
on_abort (int signal)
{
  static const char heading[] = "  repeat with: ";
  ssize_t written = write (STDERR_FILENO, heading, sizeof heading - 1);
  written += write (STDERR_FILENO, repetition, strlen (repetition));
  written += write (STDERR_FILENO, "\n", 1);
  (void) written; /* the process ends whether or not it could say why */
}

void
repeat_with (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  vsnprintf (repetition, sizeof repetition, format, args);
  va_end (args);
  signal (SIGABRT, on_abort);
}

void
fail (const char *file, int line, const char *message)
{
  fprintf (stderr, "%s:%d: %s\n  in: %s\n", file, line, message, description);
  if (*repetition)
    fprintf (stderr, "  repeat with: %s\n", repetition);
  exit (1);
}

Setup
setup_open (const char *name, bool own_context)
{
  const char *quick = getenv ("CTR_TEST_QUICK");
  Setup setup = {.quick = quick && strcmp (quick, "0") != 0};
  if (name && strcmp (name, "cpu") == 0) {
    setup.backend = CTR_BACKEND_CPU;
  } else if (name && strcmp (name, "cuda") == 0) {
    CtrError error;
    setup.backend = CTR_BACKEND_CUDA;
    if (!ctr_cuda_available (&error))
      skip (error.message);
    CHECK (gpu_open (own_context));
    setup.stream = gpu_stream_new ();
  } else {
    fprintf (stderr, "the first argument must be cpu or cuda\n");
    exit (2);
  }
  return setup;
}

void
run_tests (const Test *tests, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    struct timespec start, end;
    clock_gettime (CLOCK_MONOTONIC, &start);
    tests[i].run ();
    clock_gettime (CLOCK_MONOTONIC, &end);
    printf ("%-18s %6.2f s\n", tests[i].name,
        (double) (end.tv_sec - start.tv_sec) + 1e-9 * (double) (end.tv_nsec - start.tv_nsec));
    fflush (stdout);
  }
}
