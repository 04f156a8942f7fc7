/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_papers components [--sizes A,B,...] [--step PERCENT] [--seconds N] [--budget MS]
 *                         our component analysis and the baselines of its paper on random images, one JSON record a line
 * bench_papers phases [--seconds N]
 *                         the kernels of a frame of each algorithm, and the memory that it takes on the GPU
 *
 * Nothing new begins after N seconds. An image is measured again and again for MS milliseconds. Without a GPU only the host
 * backend is measured, on images up to 2048 x 2048. tests/bench/papers.py makes the tables; docs/benchmarks/papers.md has
 * them. */
#include "tests/bench/papers/papers.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/masks.h"

#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_LARGEST = 2048, HOST_RUNS = 5 };

static bool
measure_host_image (CtrCca *cca, const PapersOptions *options, const uint8_t *mask, uint32_t side, uint32_t granularity,
    uint32_t density)
{
  const CtrImage view = {.data = mask,
      .stride = side,
      .width = side,
      .height = side,
      .format = CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_HOST};
  CtrCcaParams params;
  CtrError error;
  double us[HOST_RUNS], total = 0;
  uint32_t count = 0;
  int runs = 0;
  ctr_cca_params_init (&params);
  params.connectivity = CTR_CONNECTIVITY_4;
  for (; runs < HOST_RUNS && (runs == 0 || total < options->run_budget); runs++) {
    const double start = bench_now ();
    CtrComponents *result = ctr_cca_run (cca, &view, &params, NULL, &error);
    us[runs] = bench_now () - start;
    total += us[runs];
    if (!result) {
      fprintf (stderr, "host backend, %u x %u: %s\n", side, side, error.message);
      return false;
    }
    count = result->count;
    ctr_components_unref (result);
  }
  const BenchTimes times = bench_times (us, runs);
  printf ("{\"type\": \"votes\", \"who\": \"ours, host backend\", \"size\": %u, \"granularity\": %u, \"density\": %u, "
          "\"components\": %u, \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f}\n",
      side, granularity, density, count, runs, times.min, times.median);
  fflush (stdout);
  return true;
}

static bool
measure_host (const PapersOptions *options)
{
  static const uint32_t granularities[] = {1, 4, 16};
  const size_t largest = (size_t) HOST_LARGEST * HOST_LARGEST;
  CtrError error;
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, &error);
  uint32_t *numbers = malloc (largest * sizeof *numbers);
  uint8_t *mask = malloc (largest);
  bool ok = cca && numbers && mask;
  if (ok)
    bench_random_numbers (0, largest, numbers);
  for (uint32_t i = 0; i < options->size_count; i++)
    for (int g = 0; g < 3 && options->sizes[i] <= HOST_LARGEST; g++)
      for (uint32_t density = 0; ok && density <= 100 && bench_now () < options->until; density += options->step) {
        bench_random_mask (
            numbers, options->sizes[i], options->sizes[i], granularities[g], bench_density_threshold (density), mask);
        ok = measure_host_image (cca, options, mask, options->sizes[i], granularities[g], density);
      }
  free (numbers);
  free (mask);
  ctr_cca_free (cca);
  return ok;
}

/* Records why there is no GPU. */
static bool
have_gpu (const char *what)
{
  CtrError error = {.message = "this build has no CUDA backend"};
#ifdef CTR_HAVE_CUDA
  if (ctr_cuda_available (&error))
    return true;
#endif
  for (char *c = error.message; *c; c++)
    if (*c == '"' || *c == '\\')
      *c = '\''; /* in a string of JSON */
  printf ("{\"type\": \"missing\", \"what\": \"%s\", \"reason\": \"%s\"}\n", what, error.message);
  fflush (stdout);
  return false;
}

static bool
parse_sizes (const char *text, PapersOptions *options)
{
  options->size_count = 0;
  while (*text) {
    char *end;
    const unsigned long size = strtoul (text, &end, 10);
    if (end == text || size < 1 || size > PAPERS_LARGEST || options->size_count == PAPERS_MAX_SIZES
        || (*end && *end != ','))
      return false;
    options->sizes[options->size_count++] = (uint32_t) size;
    text = *end ? end + 1 : end;
  }
  return options->size_count > 0;
}

static bool
parse (int argc, char **argv, PapersOptions *options)
{
  double seconds = 3600;
  for (int i = 2; i < argc; i += 2) {
    if (i + 1 == argc)
      return false;
    const double number = atof (argv[i + 1]);
    if (!strcmp (argv[i], "--sizes")) {
      if (!parse_sizes (argv[i + 1], options))
        return false;
    } else if (!strcmp (argv[i], "--step") && number >= 1 && number <= 100) {
      options->step = (uint32_t) number;
    } else if (!strcmp (argv[i], "--seconds") && number > 0) {
      seconds = number;
    } else if (!strcmp (argv[i], "--budget") && number > 0) {
      options->run_budget = 1e3 * number;
    } else {
      return false;
    }
  }
  options->until = bench_now () + 1e6 * seconds;
  return true;
}

int
main (int argc, char **argv)
{
  /* The paper's own size comes first: what time is left goes to the others. */
  PapersOptions options = {
      .sizes = {8192, 256, 512, 1024, 2048, 4096, 16384}, .size_count = 7, .step = 10, .run_budget = 10e3};
  const bool components = argc > 1 && !strcmp (argv[1], "components");
  if ((!components && (argc < 2 || strcmp (argv[1], "phases") != 0)) || !parse (argc, argv, &options)) {
    fprintf (stderr,
        "usage: %s components [--sizes A,B,...] [--step PERCENT] [--seconds N] [--budget MS]\n"
        "       %s phases [--seconds N]\n",
        argv[0], argv[0]);
    return 2;
  }
  if (!have_gpu (components ? "components on the GPU" : "phases"))
    return components && !measure_host (&options) ? 1 : 0;
#ifdef CTR_HAVE_CUDA
  return (components ? papers_components_on_gpu : papers_phases) (&options) ? 0 : 1;
#else
  return 1;
#endif
}
