/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/cca/cca_gpu.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"
#include "tests/bench/cca/flsl.h"
#include "tests/bench/common/kernels.h"

#include <stdio.h>
#include <stdlib.h>

struct BenchGpu {
  BenchDevice device;
  uint32_t *numbers;
  size_t numbers_size;
  uint32_t width;
  uint32_t height;
  CtrCca *cca;
  Flsl *flsl; /* NULL where the GPU is too small for the baseline */
  cudaGraphExec_t flsl_graph;
};

BenchGpu *
bench_gpu_new (uint32_t max_width, uint32_t max_height)
{
  size_t size = (size_t) max_width * max_height;
  BenchGpu *gpu = calloc (1, sizeof *gpu);
  if (!gpu)
    return NULL;
  gpu->numbers_size = size * sizeof *gpu->numbers;
  bool ok =
      bench_device_open (&gpu->device, size) && BENCH_CHECK (cudaMalloc ((void **) &gpu->numbers, gpu->numbers_size));
  if (ok) {
    CtrError error;
    gpu->cca = ctr_cca_new (CTR_BACKEND_CUDA, &error);
    ok = gpu->cca;
    if (!ok)
      fprintf (stderr, "%s\n", error.message);
  }
  if (!ok) {
    bench_gpu_free (gpu);
    return NULL;
  }
  gpu->flsl = flsl_new (max_width, max_height);
  if (!gpu->flsl)
    fprintf (stderr, "too little GPU memory for the FLSL+CD baseline: left out\n");
  return gpu;
}

void
bench_gpu_free (BenchGpu *gpu)
{
  if (!gpu)
    return;
  ctr_cca_free (gpu->cca);
  if (gpu->flsl_graph)
    cudaGraphExecDestroy (gpu->flsl_graph);
  flsl_free (gpu->flsl);
  cudaFree (gpu->numbers);
  bench_device_close (&gpu->device);
  free (gpu);
}

bool
bench_gpu_set_numbers (BenchGpu *gpu, const uint32_t *numbers, uint64_t count)
{
  if (count * sizeof *numbers > gpu->numbers_size) {
    fprintf (stderr, "%llu random numbers: more than the largest image takes\n", (unsigned long long) count);
    return false;
  }
  return BENCH_CHECK (cudaMemcpy (gpu->numbers, numbers, count * sizeof *numbers, cudaMemcpyHostToDevice));
}

bool
bench_gpu_random_mask (BenchGpu *gpu, uint32_t width, uint32_t height, uint32_t granularity, uint64_t threshold)
{
  gpu->width = width;
  gpu->height = height;
  bench_device_set_size (&gpu->device, (size_t) width * height);
  return BENCH_CHECK (random_mask_enqueue (
      gpu->numbers, width, height, granularity, threshold, gpu->device.images, gpu->device.stream));
}

bool
bench_gpu_upload (BenchGpu *gpu, const uint8_t *image, const BenchWork *work)
{
  gpu->width = work->width;
  gpu->height = work->height;
  return bench_device_upload (&gpu->device, image, (size_t) work->width * work->height << work->equal);
}

/* What bench_device_time() hands to the contenders. */
typedef struct {
  BenchGpu *gpu;
  const BenchWork *work;
} Call;

static const uint8_t *
copy_at (const BenchGpu *gpu, uint32_t copy)
{
  return gpu->device.images + copy * gpu->device.slot;
}

static bool
enqueue_ours (void *user, uint32_t copy)
{
  const Call *call = user;
  BenchGpu *gpu = call->gpu;
  CtrImage view = bench_view (call->work, copy_at (gpu, copy), CTR_MEMORY_DEVICE);
  CtrCcaParams params = bench_params (call->work);
  CtrError error;
  if (ctr_cca_enqueue (gpu->cca, &view, &params, gpu->device.stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", bench_describe (call->work), error.message);
  return false;
}

static bool
enqueue_flsl (BenchGpu *gpu, const BenchWork *work, const uint8_t *image)
{
  return BENCH_CHECK (flsl_enqueue (gpu->flsl, image, gpu->width, gpu->width, gpu->height, work->connectivity,
      VOTING_CONFLICT_DETECTION, NULL, gpu->device.stream));
}

/* The baseline's kernels as a graph, like ours: launched one by one they would lose time on small images. */
static bool
capture_flsl (BenchGpu *gpu, const BenchWork *work)
{
  cudaGraph_t graph = NULL;
  if (gpu->flsl_graph)
    cudaGraphExecDestroy (gpu->flsl_graph);
  gpu->flsl_graph = NULL;
  bool ok = BENCH_CHECK (cudaStreamBeginCapture (gpu->device.stream, cudaStreamCaptureModeThreadLocal))
            && enqueue_flsl (gpu, work, gpu->device.images)
            && BENCH_CHECK (cudaStreamEndCapture (gpu->device.stream, &graph))
            && BENCH_CHECK (cudaGraphInstantiateWithFlags (&gpu->flsl_graph, graph, 0));
  if (graph)
    cudaGraphDestroy (graph);
  return ok;
}

/* Captured on the first copy, and never timed on another. */
static bool
enqueue_flsl_graph (void *user, uint32_t copy)
{
  const BenchGpu *gpu = ((const Call *) user)->gpu;
  return BENCH_CHECK (cudaGraphLaunch (gpu->flsl_graph, gpu->device.stream));
}

/* The frames above were queued without ctr_cca_finish(): did the last one come out whole? */
static bool
device_result_is (BenchGpu *gpu, const BenchWork *work, uint32_t expected)
{
  CtrDeviceComponents result;
  CtrError error;
  uint32_t count = 0;
  if (!ctr_cca_get_device_result (gpu->cca, &result, &error)) {
    fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
    return false;
  }
  if (!BENCH_CHECK (cudaMemcpy (&count, result.count, sizeof count, cudaMemcpyDeviceToHost)))
    return false;
  if (count == expected && count <= result.capacity)
    return true;
  fprintf (stderr, "%s: timed frame has %u components in room for %u, expected %u\n", bench_describe (work), count,
      result.capacity, expected);
  return false;
}

bool
bench_gpu_measure (BenchGpu *gpu, const BenchWork *work, bool cold)
{
  CtrImage view = bench_view (work, gpu->device.images, CTR_MEMORY_DEVICE);
  CtrCcaParams params = bench_params (work);
  CtrError error;
  uint32_t count = 0, counted = 0;
  /* What former images had in them chooses the kernels for the next one: an analyser of its own knows nothing of them. It makes room for this image
   * outside the measurement, and the first of two frames chooses the kernels for the second one, for which these may have no room. */
  ctr_cca_free (gpu->cca);
  gpu->cca = ctr_cca_new (CTR_BACKEND_CUDA, &error);
  if (!gpu->cca) {
    fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
    return false;
  }
  for (int i = 0; i < 2; i++) {
    CtrComponents *result = ctr_cca_run (gpu->cca, &view, &params, gpu->device.stream, &error);
    if (!result) {
      fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
      return false;
    }
    count = result->count;
    ctr_components_unref (result);
  }
  if (cold && !bench_device_fill_copies (&gpu->device))
    return false;

  Call call = {gpu, work};
  double us[BENCH_RUNS];
  for (BenchCaching caching = BENCH_WARM; caching <= (cold ? BENCH_IN_TURN : BENCH_WARM); caching++) {
    if (!bench_device_time (&gpu->device, enqueue_ours, &call, caching, us) || !device_result_is (gpu, work, count))
      return false;
    bench_record ("ours", bench_caching_names[caching], work, count, us, BENCH_RUNS);
  }
  if (!gpu->flsl || work->equal || work->regions || work->features || work->select.count)
    return true;
  if (!capture_flsl (gpu, work))
    return false;
  for (BenchCaching caching = BENCH_WARM; caching <= (cold ? BENCH_FLUSHED : BENCH_WARM); caching++) {
    if (!bench_device_time (&gpu->device, enqueue_flsl_graph, &call, caching, us)
        || !BENCH_CHECK (flsl_count (gpu->flsl, gpu->device.stream, &counted)))
      return false;
    bench_record ("flsl", bench_caching_names[caching], work, counted, us, BENCH_RUNS);
  }
  return true;
}

static bool
time_runs (BenchGpu *gpu, const BenchWork *work, const char *mode, const CtrImage *view)
{
  CtrCcaParams params = bench_params (work);
  CtrError error;
  double us[BENCH_RUNS];
  uint32_t count = 0;
  for (int i = -BENCH_WARM_UPS; i < BENCH_RUNS; i++) {
    double start = bench_now ();
    CtrComponents *result = ctr_cca_run (gpu->cca, view, &params, gpu->device.stream, &error);
    if (!result) {
      fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
      return false;
    }
    if (i >= 0)
      us[i] = bench_now () - start;
    count = result->count;
    ctr_components_unref (result);
  }
  bench_record ("ours", mode, work, count, us, BENCH_RUNS);
  return true;
}

bool
bench_gpu_measure_run (BenchGpu *gpu, const BenchWork *work, const uint8_t *mask)
{
  CtrImage on_device = bench_view (work, gpu->device.images, CTR_MEMORY_DEVICE);
  CtrImage on_host = bench_view (work, mask, CTR_MEMORY_HOST);
  return time_runs (gpu, work, "run", &on_device) && time_runs (gpu, work, "upload-run", &on_host);
}

static bool
rows_equal (const CtrComponent *a, const CtrComponent *b)
{
  return a->sum_x == b->sum_x && a->sum_y == b->sum_y && a->area == b->area && a->left == b->left && a->top == b->top
         && a->width == b->width && a->height == b->height && a->start_x == b->start_x;
}

static bool
check_rows (const BenchWork *work, const CtrComponent *rows, uint32_t count, const CtrComponents *expected)
{
  if (count != expected->count) {
    fprintf (stderr, "%s: FLSL+CD finds %u components, the host %u\n", bench_describe (work), count, expected->count);
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    const CtrComponent *got = &rows[i], *want = &expected->table[i];
    if (rows_equal (got, want))
      continue;
    fprintf (stderr,
        "%s: FLSL+CD, component %u of %u: area %u box %u,%u %ux%u sums %llu,%llu start %u; "
        "the host has area %u box %u,%u %ux%u sums %llu,%llu start %u\n",
        bench_describe (work), i, count, got->area, got->left, got->top, got->width, got->height,
        (unsigned long long) got->sum_x, (unsigned long long) got->sum_y, got->start_x, want->area, want->left,
        want->top, want->width, want->height, (unsigned long long) want->sum_x, (unsigned long long) want->sum_y,
        want->start_x);
    return false;
  }
  return true;
}

bool
bench_gpu_check_baseline (BenchGpu *gpu, const BenchWork *work, const uint8_t *mask, const CtrComponents *expected)
{
  CtrComponent *rows = NULL;
  uint32_t count = 0, counted = 0;
  if (!gpu->flsl)
    return true;
  if (!bench_gpu_upload (gpu, mask, work))
    return false;
  const bool ran = enqueue_flsl (gpu, work, gpu->device.images)
                   && BENCH_CHECK (flsl_count (gpu->flsl, gpu->device.stream, &counted))
                   && BENCH_CHECK (flsl_download (gpu->flsl, gpu->device.stream, &rows, &count));
  if (ran && counted != count)
    fprintf (stderr, "%s: FLSL+CD counts %u components and has %u\n", bench_describe (work), counted, count);
  const bool equal = ran && counted == count && check_rows (work, rows, count, expected);
  free (rows);
  return equal;
}
