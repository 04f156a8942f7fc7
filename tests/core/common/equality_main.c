/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* equality [--backend cpu|cuda] [--algorithm NAME] [--cases | --random | --bench] [--seed N] [--count N] [--threads N]
 *
 * --random compares each backend with the definition, on COUNT pictures from SEED on. --cases compares the CUDA backend
 * with the CPU backend on adversarial sizes and shapes. Both are the default. --bench prints the time that an image
 * takes on each backend. Without --backend, each backend that this machine has is tested; with --backend cuda and no
 * GPU, the exit status is 77. A failure prints the command that repeats it. A long soak is a large COUNT. */
#include "tests/core/common/equality.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  const char *program, *backend, *algorithm;
  bool cases, random, bench;
  uint64_t seed, count; /* count 0: the algorithm's own */
  uint64_t threads;
} options = {.seed = 1, .threads = 1};

static _Noreturn void
print_usage (void)
{
  fprintf (stderr,
      "usage: %s [--backend cpu|cuda] [--algorithm NAME] [--cases | --random | --bench] [--seed N] [--count N]\n"
      "    [--threads N]\n",
      options.program);
  exit (2);
}

static uint64_t
number_of (const char *text)
{
  char *end;
  const uint64_t number = strtoull (text, &end, 0);
  if (end == text || *end)
    print_usage ();
  return number;
}

static void
read_options (int argc, char **argv)
{
  options.program = argv[0];
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp (argv[i], "--cases") == 0)
      options.cases = true;
    else if (strcmp (argv[i], "--random") == 0)
      options.random = true;
    else if (strcmp (argv[i], "--bench") == 0)
      options.bench = true;
    else if (!value)
      print_usage ();
    else if (strcmp (argv[i], "--backend") == 0)
      options.backend = argv[++i];
    else if (strcmp (argv[i], "--algorithm") == 0)
      options.algorithm = argv[++i];
    else if (strcmp (argv[i], "--seed") == 0)
      options.seed = number_of (argv[++i]);
    else if (strcmp (argv[i], "--count") == 0)
      options.count = number_of (argv[++i]);
    else if (strcmp (argv[i], "--threads") == 0)
      options.threads = number_of (argv[++i]);
    else
      print_usage ();
  }
  if (!options.cases && !options.random && !options.bench)
    options.cases = options.random = true;
}

static void
compare_random (const Equality *algorithm, const Setup *setup, const char *backend, void *state)
{
  const uint64_t count = options.count ? options.count : setup->quick ? algorithm->quick_count : algorithm->count;
  for (uint64_t i = 0; i < count; i++) {
    repeat_with ("%s --backend %s --algorithm %s --random --seed %" PRIu64 " --count 1 --threads %" PRIu64,
        options.program, backend, algorithm->name, options.seed + i, options.threads);
    algorithm->compare_random (state, options.seed + i);
  }
  printf ("%s on %s: %" PRIu64 " random pictures equal, seeds %" PRIu64 " to %" PRIu64 "\n", algorithm->name, backend,
      count, options.seed, options.seed + count - 1);
  fflush (stdout);
}

static void
compare_cases (const Equality *algorithm, const char *backend, void *state)
{
  repeat_with ("%s --backend %s --algorithm %s --cases", options.program, backend, algorithm->name);
  algorithm->compare_cases (state);
  printf ("%s on %s: the adversarial cases are equal to those on the CPU\n", algorithm->name, backend);
  fflush (stdout);
}

static void
test_backend (const char *backend)
{
  const Setup setup = setup_open (backend, true); /* in a CUDA context of its own, as GStreamer has */
  const Equality *list[EQUALITY_ALGORITHMS];
  const uint32_t count = equality_select (options.algorithm, list);
  for (uint32_t i = 0; i < count; i++) {
    void *state = list[i]->open (&setup);
    if (options.cases && setup.backend == CTR_BACKEND_CUDA)
      compare_cases (list[i], backend, state);
    if (options.random)
      compare_random (list[i], &setup, backend, state);
    if (options.bench)
      list[i]->bench (state);
    list[i]->close (state);
  }
}

int
main (int argc, char **argv)
{
  read_options (argc, argv);
  ctr_threads_set_current ((unsigned) options.threads);
  if (options.backend) {
    test_backend (options.backend);
    return 0;
  }
  test_backend ("cpu");
  if (ctr_cuda_available (NULL))
    test_backend ("cuda");
  return 0;
}
