/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* worst BACKEND [WIDTH HEIGHT]
 *
 * What one frame costs at worst: every algorithm, with all features, over contents from empty to the most intricate. Its time
 * is at most a stated multiple of that of the median content, on the CPU backend also its memory, and the result on the CUDA
 * backend is that of the CPU backend. With a size, prints a table of what each costs instead, and checks nothing. */
#include "tests/core/common/hashed.h"
#include "tests/reliability/matrix/contents.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Times of the median content, and bytes a pixel with all that a frame allocates: see docs/reliability.md. */
typedef struct {
  const char *name;
  double most_times, most_bytes;
} Bound;

static const Bound bounds[] = {
    {"components", 8, 90},
    {"borders", 120, 420},
    {"simplified borders", 12, 620},
    {"levels", 250, 7500}, /* 19 levels in the pictures of two greys */
    {"label image", 150, 60},
    {"nested levels", 250, 2200},
    {"edge chains", 8, 60},
    {"edges", 5, 40},
    {"mask", 8, 60},
    {"adaptive mask", 4, 40},
    {"mask by hysteresis", 6, 40},
    {"snake", 180, 60},
};

/* What one frame has cost. */
typedef struct {
  double seconds; /* of a frame whose memory is there already */
  double bytes;   /* that the process has grown by; 0: not measured */
} Cost;

static Setup setup;

static double
seconds (void)
{
  struct timespec t;
  clock_gettime (setup.backend == CTR_BACKEND_CPU ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double
peak_bytes (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return 1024.0 * (double) usage.ru_maxrss;
}

static void
run (const HashedCase *c, void *analyser, const CtrImage *image, uint64_t *hash)
{
  CtrError error;
  if (!c->run (analyser, image, hash, &error))
    fail (__FILE__, __LINE__, error.message);
}

static Cost
measure (const HashedCase *c, const CtrImage *image)
{
  const double before = peak_bytes ();
  void *analyser = c->create ();
  Cost cost = {.seconds = 1e9};
  CHECK (analyser);
  run (c, analyser, image, NULL);
  cost.bytes = peak_bytes () - before;
  for (int i = 0; i < 2; i++) {
    const double start = seconds ();
    run (c, analyser, image, NULL);
    const double took = seconds () - start;
    cost.seconds = took < cost.seconds ? took : cost.seconds;
  }
  c->destroy (analyser);
  return cost;
}

/* In a process of its own, whose memory is only that of this frame; CUDA does not survive a fork. */
static Cost
measure_alone (const HashedCase *c, const CtrImage *image)
{
  Cost cost;
  int ends[2], status;
  if (setup.backend != CTR_BACKEND_CPU) {
    cost = measure (c, image);
    cost.bytes = 0;
    return cost;
  }
  CHECK (pipe (ends) == 0);
  const pid_t child = fork ();
  CHECK (child >= 0);
  if (child == 0) {
    cost = measure (c, image);
    _exit (write (ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
  }
  CHECK (read (ends[0], &cost, sizeof cost) == sizeof cost);
  CHECK (waitpid (child, &status, 0) == child && status == 0);
  close (ends[0]);
  close (ends[1]);
  return cost;
}

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static double
median_of (const Cost *costs)
{
  double all[LENGTH (contents)];
  for (size_t i = 0; i < LENGTH (contents); i++)
    all[i] = costs[i].seconds;
  qsort (all, LENGTH (contents), sizeof *all, compare_doubles);
  return all[LENGTH (contents) / 2];
}

static const Bound *
bound_of (const char *name)
{
  for (size_t i = 0; i < LENGTH (bounds); i++)
    if (strcmp (bounds[i].name, name) == 0)
      return &bounds[i];
  fail (__FILE__, __LINE__, "an algorithm without bounds");
}

static CtrImage
image_of (const uint8_t *pixels, uint32_t width, uint32_t height)
{
  return (CtrImage){.data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

/* A row of the table: the median content, the most expensive one, and the most memory. */
static void
print_row (const char *name, const Cost *costs, double pixels)
{
  size_t slowest = 0, largest = 0;
  for (size_t i = 1; i < LENGTH (contents); i++) {
    slowest = costs[i].seconds > costs[slowest].seconds ? i : slowest;
    largest = costs[i].bytes > costs[largest].bytes ? i : largest;
  }
  const double median = median_of (costs);
  printf ("| %s | %.1f | %.1f | %s | %.1f |", name, 1e3 * median, 1e3 * costs[slowest].seconds, contents[slowest].name,
      costs[slowest].seconds / median);
  if (setup.backend == CTR_BACKEND_CPU)
    printf (" %.0f, %s |", costs[largest].bytes / pixels, contents[largest].name);
  printf ("\n");
  fflush (stdout);
}

/* A sanitizer takes time and memory of its own. */
#ifdef __SANITIZE_ADDRESS__
enum { IS_JUDGED = 0 };
#else
enum { IS_JUDGED = 1 };
#endif

static void
check_bounds (const HashedCase *c, const Cost *costs, double pixels)
{
  const Bound *bound = bound_of (c->name);
  const double median = median_of (costs);
  for (size_t i = 0; i < LENGTH (contents); i++) {
    describe ("%s of %s: %.1f times the median content's %.2f ms, %.0f bytes a pixel", c->name, contents[i].name,
        costs[i].seconds / median, 1e3 * median, costs[i].bytes / pixels);
    /* What does not depend on the content counts in a small frame. */
    CHECK (costs[i].seconds <= bound->most_times * median + 1e-3);
    CHECK (costs[i].bytes <= bound->most_bytes * pixels + 6e6);
  }
}

/* CUDA: is it what the CPU backend finds? */
static void
check_exact (const HashedCase *c, const CtrImage *image)
{
  const Setup cpu = {.backend = CTR_BACKEND_CPU};
  uint64_t hashes[2] = {HASH_SEED, HASH_SEED};
  for (int i = 0; i < 2; i++) {
    hashed_open (i ? &setup : &cpu);
    void *analyser = c->create ();
    run (c, analyser, image, &hashes[i]);
    c->destroy (analyser);
  }
  CHECK (hashes[0] == hashes[1]);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  const bool table = argc > 3;
  const uint32_t width = table ? (uint32_t) atoi (argv[2]) : setup.quick ? 50 : 240;
  const uint32_t height = table ? (uint32_t) atoi (argv[3]) : setup.quick ? 30 : 128;
  const double pixels = (double) width * height;
  if (table)
    printf ("| %u x %u, %s | median content, ms | worst, ms | content | times the median |%s\n", width, height, argv[1],
        setup.backend == CTR_BACKEND_CPU ? " most memory, bytes a pixel |" : "");
  for (size_t k = 0; k < hashed_case_count; k++) {
    Cost costs[LENGTH (contents)];
    const bool is_snake =
        strcmp (hashed_cases[k].name, "snake") == 0; /* It takes a second at a quarter of each side. */
    const uint32_t part = is_snake ? 4 : 1;
    if (table && is_snake)
      continue;
    for (size_t i = 0; i < LENGTH (contents); i++) {
      uint8_t *of_content = content_new (&contents[i], width / part, height / part);
      const CtrImage image = image_of (of_content, width / part, height / part);
      describe ("%s of %s", hashed_cases[k].name, contents[i].name);
      if (setup.backend == CTR_BACKEND_CUDA && !table)
        check_exact (&hashed_cases[k], &image);
      hashed_open (&setup);
      costs[i] = measure_alone (&hashed_cases[k], &image);
      free (of_content);
    }
    if (table)
      print_row (hashed_cases[k].name, costs, pixels);
    else if (IS_JUDGED && setup.backend == CTR_BACKEND_CPU && !setup.quick)
      check_bounds (&hashed_cases[k], costs, pixels);
  }
  return 0;
}
