/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/papers/papers.h"

#include "tests/bench/cca/flsl.h"
#include "tests/bench/cca/pixels.h"
#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"
#include "tests/bench/common/kernels.h"
#include "tests/bench/common/masks.h"

#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  BASELINES = 7,
  OURS = BASELINES,
  CHECKED_SIDE = 1024, /* up to which tables are compared, not only numbers of components, */
  CHECKED_STEP = 30,   /* at these densities */
  COUNTED_SIDE = 8192, /* of the images whose updates are counted: the paper's */
  LARGE_SIDE = 8192,   /* above which fewer densities are taken */
  LARGE_STEP = 50,
  SLOW_US = 50000
};

static const char *const names[BASELINES + 1] = {
    "naive", "HA", "HA+OTF", "HA+CD", "FLSL", "FLSL+OTF", "FLSL+CD", "ours"};
static const uint32_t granularities[] = {1, 4, 16};

typedef struct {
  const PapersOptions *options;
  BenchDevice device;
  uint32_t *numbers; /* on the GPU */
  Flsl *flsl;        /* NULL where the GPU is too small, as pixels */
  Pixels *pixels;
  CtrCca *ours, *host;
  uint32_t *updates; /* by label */
  unsigned long long *sums;
  cudaGraphExec_t graphs[BASELINES]; /* of the current size */
  uint8_t *mask;                     /* on the host */
  uint32_t side, granularity, density;
  uint32_t components; /* of the image, as ours has it */
} Work;

static bool
is_flsl (int baseline)
{
  return baseline >= 4;
}

static bool
is_present (const Work *work, int who)
{
  return who == OURS || (is_flsl (who) ? work->flsl != NULL : work->pixels != NULL);
}

static size_t
label_count (const Work *work, int baseline)
{
  return is_flsl (baseline) ? (size_t) (work->side + 1) / 2 * work->side : (size_t) work->side * work->side;
}

static const char *
describe (const Work *work, int who)
{
  static char text[128];
  snprintf (text, sizeof text, "%s, %u x %u, granularity %u, density %u %%", names[who], work->side, work->side,
      work->granularity, work->density);
  return text;
}

static bool
enqueue_baseline (Work *work, int baseline, uint32_t *updates)
{
  const Voting voting = baseline == 0 ? VOTING_PLAIN : (Voting) ((baseline - 1) % 3);
  const uint8_t *image = work->device.images;
  const uint32_t side = work->side;
  return BENCH_CHECK (is_flsl (baseline) ? flsl_enqueue (
                          work->flsl, image, side, side, side, CTR_CONNECTIVITY_4, voting, updates, work->device.stream)
                                         : pixels_enqueue (work->pixels, baseline == 0 ? PIXELS_NAIVE : PIXELS_HA,
                                             voting, image, side, side, side, updates, work->device.stream));
}

static CtrImage
image_of (const Work *work, const uint8_t *data, CtrMemory memory)
{
  return (CtrImage){.data = data,
      .stride = work->side,
      .width = work->side,
      .height = work->side,
      .format = CTR_FORMAT_GRAY8,
      .memory = memory};
}

static bool
enqueue_ours (Work *work)
{
  const CtrImage view = image_of (work, work->device.images, CTR_MEMORY_DEVICE);
  CtrCcaParams params;
  CtrError error;
  ctr_cca_params_init (&params);
  params.connectivity = CTR_CONNECTIVITY_4;
  if (ctr_cca_enqueue (work->ours, &view, &params, work->device.stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", describe (work, OURS), error.message);
  return false;
}

/* A baseline's kernels as a graph, like ours: launched one by one they would lose time on small images. */
static bool
capture (Work *work, int baseline)
{
  cudaGraph_t graph = NULL;
  if (work->graphs[baseline])
    cudaGraphExecDestroy (work->graphs[baseline]);
  work->graphs[baseline] = NULL;
  const bool ok = BENCH_CHECK (cudaStreamBeginCapture (work->device.stream, cudaStreamCaptureModeThreadLocal))
                  && enqueue_baseline (work, baseline, NULL)
                  && BENCH_CHECK (cudaStreamEndCapture (work->device.stream, &graph))
                  && BENCH_CHECK (cudaGraphInstantiateWithFlags (&work->graphs[baseline], graph, 0));
  if (graph)
    cudaGraphDestroy (graph);
  return ok;
}

static bool
enqueue (Work *work, int who)
{
  return who == OURS ? enqueue_ours (work) : BENCH_CHECK (cudaGraphLaunch (work->graphs[who], work->device.stream));
}

/* Device time of RUNS images, queued one behind another. */
static bool
time_runs (Work *work, int who, int runs, double *us)
{
  BenchDevice *device = &work->device;
  bool ok = true;
  for (int i = 0; ok && i < runs; i++)
    ok = BENCH_CHECK (cudaEventRecord (device->start[i], device->stream)) && enqueue (work, who)
         && BENCH_CHECK (cudaEventRecord (device->stop[i], device->stream));
  ok = ok && BENCH_CHECK (cudaStreamSynchronize (device->stream));
  for (int i = 0; ok && i < runs; i++) {
    float ms = 0;
    ok = BENCH_CHECK (cudaEventElapsedTime (&ms, device->start[i], device->stop[i]));
    us[i] = 1e3 * ms;
  }
  return ok;
}

static bool
count_of (Work *work, int who, uint32_t *count)
{
  if (who == OURS) {
    CtrDeviceComponents result;
    CtrError error;
    return ctr_cca_get_device_result (work->ours, &result, &error)
           && BENCH_CHECK (cudaMemcpy (count, result.count, sizeof *count, cudaMemcpyDeviceToHost));
  }
  return BENCH_CHECK (is_flsl (who) ? flsl_count (work->flsl, work->device.stream, count)
                                    : pixels_count (work->pixels, work->device.stream, count));
}

static bool
same_rows (Work *work, int baseline, const CtrComponents *expected)
{
  CtrComponent *rows = NULL;
  uint32_t count = 0;
  const bool ok = BENCH_CHECK (is_flsl (baseline) ? flsl_download (work->flsl, work->device.stream, &rows, &count)
                                                  : pixels_download (work->pixels, work->device.stream, &rows, &count));
  const bool same = ok && count == expected->count && !memcmp (rows, expected->table, count * sizeof *rows);
  if (ok && !same)
    fprintf (stderr, "%s: its table of %u components is not the host backend's of %u\n", describe (work, baseline),
        count, expected->count);
  free (rows);
  return same;
}

/* Each baseline's features, row by row. */
static bool
check_tables (Work *work)
{
  const size_t size = (size_t) work->side * work->side;
  const CtrImage view = image_of (work, work->mask, CTR_MEMORY_HOST);
  CtrCcaParams params;
  CtrError error;
  ctr_cca_params_init (&params);
  params.connectivity = CTR_CONNECTIVITY_4;
  if (!BENCH_CHECK (cudaMemcpy (work->mask, work->device.images, size, cudaMemcpyDeviceToHost)))
    return false;
  CtrComponents *expected = ctr_cca_run (work->host, &view, &params, NULL, &error);
  bool ok = expected;
  for (int i = 0; ok && i < BASELINES; i++)
    if (is_present (work, i))
      ok = enqueue_baseline (work, i, NULL) && same_rows (work, i, expected);
  ctr_components_unref (expected);
  return ok;
}

static bool
count_updates (Work *work, int baseline, unsigned long long *updates, double *conflicts)
{
  const size_t labels = label_count (work, baseline);
  return BENCH_CHECK (cudaMemsetAsync (work->updates, 0, labels * sizeof *work->updates, work->device.stream))
         && enqueue_baseline (work, baseline, work->updates)
         && BENCH_CHECK (
             voting_sum_updates (work->updates, labels, work->sums, work->device.stream, updates, conflicts));
}

static bool
measure (Work *work, int who)
{
  double us[BENCH_RUNS];
  uint32_t count = 0;
  /* Ours records its graph in the second image. */
  for (int i = 0; i < (who == OURS ? BENCH_WARM_UPS : 1); i++)
    if (!time_runs (work, who, 1, us))
      return false;
  int runs = us[0] > SLOW_US ? 1 : (int) (work->options->run_budget / us[0]);
  runs = runs < 1 ? 1 : runs > BENCH_RUNS ? BENCH_RUNS : runs;
  if (!time_runs (work, who, runs, us) || !count_of (work, who, &count))
    return false;
  if (who != OURS && count != work->components) {
    fprintf (stderr, "%s: %u components, ours are %u\n", describe (work, who), count, work->components);
    return false;
  }
  const BenchTimes times = bench_times (us, runs);
  printf ("{\"type\": \"votes\", \"who\": \"%s\", \"size\": %u, \"granularity\": %u, \"density\": %u, "
          "\"components\": %u, \"runs\": %d, \"min_us\": %.3f, \"median_us\": %.3f",
      names[who], work->side, work->granularity, work->density, count, runs, times.min, times.median);
  if (who != OURS && work->side == COUNTED_SIDE && work->granularity == 1) {
    unsigned long long updates;
    double conflicts;
    if (!count_updates (work, who, &updates, &conflicts))
      return false;
    printf (", \"updates\": %llu, \"conflicts\": %.1f", updates, conflicts);
  }
  printf ("}\n");
  fflush (stdout);
  return true;
}

/* Ours once to the host, so that it has room for the image; then everybody. */
static bool
measure_image (Work *work)
{
  const CtrImage view = image_of (work, work->device.images, CTR_MEMORY_DEVICE);
  const uint64_t threshold = bench_density_threshold (work->density);
  CtrCcaParams params;
  CtrError error;
  ctr_cca_params_init (&params);
  params.connectivity = CTR_CONNECTIVITY_4;
  if (!BENCH_CHECK (random_mask_enqueue (work->numbers, work->side, work->side, work->granularity, threshold,
          work->device.images, work->device.stream)))
    return false;
  CtrComponents *result = ctr_cca_run (work->ours, &view, &params, work->device.stream, &error);
  if (!result) {
    fprintf (stderr, "%s: %s\n", describe (work, OURS), error.message);
    return false;
  }
  work->components = result->count;
  ctr_components_unref (result);
  if (work->side <= CHECKED_SIDE && work->density % CHECKED_STEP == 0 && !check_tables (work))
    return false;
  for (int who = 0; who <= OURS; who++)
    if (is_present (work, who) && !measure (work, who))
      return false;
  return true;
}

static bool
measure_size (Work *work)
{
  const uint32_t step = work->side > LARGE_SIDE ? LARGE_STEP : work->options->step;
  bench_device_set_size (&work->device, (size_t) work->side * work->side);
  for (int i = 0; i < BASELINES; i++)
    if (is_present (work, i) && !capture (work, i))
      return false;
  for (int g = 0; g < 3; g++) {
    work->granularity = granularities[g];
    for (work->density = 0; work->density <= 100; work->density += step) {
      if (bench_now () > work->options->until) {
        printf ("{\"type\": \"cut\", \"what\": \"components\", \"from\": \"%s\"}\n", describe (work, OURS));
        return true;
      }
      if (!measure_image (work))
        return false;
    }
  }
  return true;
}

static bool
open_work (Work *work, uint32_t largest)
{
  const size_t size = (size_t) largest * largest;
  CtrError error;
  uint32_t *numbers = malloc (size * sizeof *numbers);
  work->mask = malloc ((size_t) CHECKED_SIDE * CHECKED_SIDE);
  bool ok = numbers && work->mask && bench_device_open (&work->device, size)
            && BENCH_CHECK (cudaMalloc ((void **) &work->numbers, size * sizeof *numbers))
            && BENCH_CHECK (cudaMalloc ((void **) &work->sums, 2 * sizeof *work->sums))
            && BENCH_CHECK (cudaMalloc ((void **) &work->updates, size * sizeof *work->updates));
  if (ok) {
    /* Smaller images and larger blocks take the first of these. */
    bench_random_numbers (0, size, numbers);
    ok = BENCH_CHECK (cudaMemcpy (work->numbers, numbers, size * sizeof *numbers, cudaMemcpyHostToDevice));
  }
  free (numbers);
  work->ours = ok ? ctr_cca_new (CTR_BACKEND_CUDA, &error) : NULL;
  work->host = ok ? ctr_cca_new (CTR_BACKEND_CPU, &error) : NULL;
  if (!work->ours || !work->host)
    return false;
  work->flsl = flsl_new (largest, largest);
  work->pixels = pixels_new (largest, largest);
  for (int i = 0; i < BASELINES; i++)
    if (!is_present (work, i))
      printf (
          "{\"type\": \"missing\", \"what\": \"%s\", \"reason\": \"the GPU has too little memory for images of %u x "
          "%u\"}\n",
          names[i], largest, largest);
  return true;
}

static void
close_work (Work *work)
{
  for (int i = 0; i < BASELINES; i++)
    if (work->graphs[i])
      cudaGraphExecDestroy (work->graphs[i]);
  ctr_cca_free (work->ours);
  ctr_cca_free (work->host);
  flsl_free (work->flsl);
  pixels_free (work->pixels);
  cudaFree (work->updates);
  cudaFree (work->sums);
  cudaFree (work->numbers);
  bench_device_close (&work->device);
  free (work->mask);
}

bool
papers_components_on_gpu (const PapersOptions *options)
{
  Work work = {.options = options};
  uint32_t largest = 0;
  for (uint32_t i = 0; i < options->size_count; i++)
    largest = options->sizes[i] > largest ? options->sizes[i] : largest;
  bool ok = open_work (&work, largest);
  for (uint32_t i = 0; ok && i < options->size_count; i++) {
    work.side = options->sizes[i];
    ok = measure_size (&work);
  }
  close_work (&work);
  return ok;
}
