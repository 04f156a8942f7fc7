/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpu.h"

#include "flsl.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 20, WARM_UPS = 3 };

struct BenchGpu {
  cudaStream_t stream; /* never the default stream: what is measured must run there */
  cudaEvent_t start[RUNS];
  cudaEvent_t stop[RUNS];
  uint32_t *numbers;
  size_t numbers_size;
  uint8_t *images; /* copies of the current image, slot bytes apart */
  size_t images_size;
  size_t slot;
  uint32_t width;
  uint32_t height;
  size_t l2_size;
  CtrCca *cca;
  Flsl *flsl; /* NULL where the GPU is too small for the baseline */
  cudaGraphExec_t flsl_graph;
};

static bool
check_call (cudaError_t error, const char *call)
{
  if (error != cudaSuccess)
    fprintf (stderr, "%s: %s\n", call, cudaGetErrorString (error));
  return error == cudaSuccess;
}
#define CHECK(call) check_call (call, #call)

/* Bytes read and written per second by the fastest of a few copies of half a GiB. */
static bool
measure_copy (BenchGpu *gpu, double *bytes_per_second)
{
  const size_t size = (size_t) 1 << 29;
  uint8_t *from = NULL, *to = NULL;
  float best = 0;
  bool ok = CHECK (cudaMalloc ((void **) &from, size)) && CHECK (cudaMalloc ((void **) &to, size))
            && CHECK (cudaMemsetAsync (from, 1, size, gpu->stream));
  for (int i = 0; ok && i < RUNS; i++) {
    float ms = 0;
    ok = CHECK (cudaEventRecord (gpu->start[0], gpu->stream))
         && CHECK (cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToDevice, gpu->stream))
         && CHECK (cudaEventRecord (gpu->stop[0], gpu->stream)) && CHECK (cudaStreamSynchronize (gpu->stream))
         && CHECK (cudaEventElapsedTime (&ms, gpu->start[0], gpu->stop[0]));
    if (i == 0 || ms < best)
      best = ms;
  }
  cudaFree (from);
  cudaFree (to);
  if (ok)
    *bytes_per_second = 2.0 * size / (best * 1e-3);
  return ok;
}

BenchGpu *
bench_gpu_new (uint32_t max_width, uint32_t max_height)
{
  BenchGpu *gpu = calloc (1, sizeof *gpu);
  struct cudaDeviceProp properties;
  int driver = 0, runtime = 0;
  double copy = 0;
  bool ok = gpu && CHECK (cudaGetDeviceProperties (&properties, 0)) && CHECK (cudaDriverGetVersion (&driver))
            && CHECK (cudaRuntimeGetVersion (&runtime))
            && CHECK (cudaStreamCreateWithFlags (&gpu->stream, cudaStreamNonBlocking));
  for (int i = 0; ok && i < RUNS; i++)
    ok = CHECK (cudaEventCreate (&gpu->start[i])) && CHECK (cudaEventCreate (&gpu->stop[i]));
  ok = ok && measure_copy (gpu, &copy);
  if (ok) {
    gpu->l2_size = (size_t) properties.l2CacheSize;
    size_t size = (size_t) max_width * max_height + 256;
    gpu->images_size = 4 * (size > gpu->l2_size ? size : gpu->l2_size) + size;
    gpu->numbers_size = (size_t) max_width * max_height * sizeof *gpu->numbers;
    ok = CHECK (cudaMalloc ((void **) &gpu->images, gpu->images_size))
         && CHECK (cudaMalloc ((void **) &gpu->numbers, gpu->numbers_size));
  }
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
  printf ("{\"type\": \"device\", \"gpu\": \"%s\", \"compute\": \"%d.%d\", \"cuda_driver\": \"%d.%d\", "
          "\"cuda_runtime\": \"%d.%d\", \"l2_bytes\": %zu, \"copy_bytes_per_second\": %.4g}\n",
      properties.name, properties.major, properties.minor, driver / 1000, driver % 1000 / 10, runtime / 1000,
      runtime % 1000 / 10, gpu->l2_size, copy);
  fflush (stdout);
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
  cudaFree (gpu->images);
  cudaFree (gpu->numbers);
  for (int i = 0; i < RUNS; i++) {
    if (gpu->start[i])
      cudaEventDestroy (gpu->start[i]);
    if (gpu->stop[i])
      cudaEventDestroy (gpu->stop[i]);
  }
  if (gpu->stream)
    cudaStreamDestroy (gpu->stream);
  free (gpu);
}

bool
bench_gpu_set_numbers (BenchGpu *gpu, const uint32_t *numbers, uint64_t count)
{
  if (count * sizeof *numbers > gpu->numbers_size) {
    fprintf (stderr, "%llu random numbers: more than the largest image takes\n", (unsigned long long) count);
    return false;
  }
  return CHECK (cudaMemcpy (gpu->numbers, numbers, count * sizeof *numbers, cudaMemcpyHostToDevice));
}

static void
set_size (BenchGpu *gpu, uint32_t width, uint32_t height)
{
  gpu->width = width;
  gpu->height = height;
  gpu->slot = ((size_t) width * height + 255) / 256 * 256;
}

bool
bench_gpu_random_mask (BenchGpu *gpu, uint32_t width, uint32_t height, uint32_t granularity, uint64_t threshold)
{
  set_size (gpu, width, height);
  return CHECK (random_mask_enqueue (gpu->numbers, width, height, granularity, threshold, gpu->images, gpu->stream));
}

bool
bench_gpu_upload (BenchGpu *gpu, const uint8_t *mask, uint32_t width, uint32_t height)
{
  set_size (gpu, width, height);
  return CHECK (cudaMemcpyAsync (gpu->images, mask, (size_t) width * height, cudaMemcpyHostToDevice, gpu->stream))
         && CHECK (cudaStreamSynchronize (gpu->stream));
}

static CtrImage
image_view (const BenchGpu *gpu, const uint8_t *data, CtrMemory memory)
{
  return (CtrImage){
      .data = data,
      .stride = gpu->width,
      .width = gpu->width,
      .height = gpu->height,
      .format = CTR_FORMAT_GRAY8,
      .memory = memory,
  };
}

static CtrCcaParams
params_for (const BenchWork *work)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.connectivity = work->connectivity;
  return params;
}

typedef bool Enqueue (BenchGpu *gpu, const BenchWork *work, const uint8_t *image);

static bool
enqueue_ours (BenchGpu *gpu, const BenchWork *work, const uint8_t *image)
{
  CtrImage view = image_view (gpu, image, CTR_MEMORY_DEVICE);
  CtrCcaParams params = params_for (work);
  CtrError error;
  if (ctr_cca_enqueue (gpu->cca, &view, &params, gpu->stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
  return false;
}

static bool
enqueue_flsl (BenchGpu *gpu, const BenchWork *work, const uint8_t *image)
{
  return CHECK (flsl_enqueue (gpu->flsl, image, gpu->width, gpu->width, gpu->height, work->connectivity, gpu->stream));
}

/* The baseline's kernels as a graph, like ours: launched one by one they would lose time on small images. */
static bool
capture_flsl (BenchGpu *gpu, const BenchWork *work)
{
  cudaGraph_t graph = NULL;
  if (gpu->flsl_graph)
    cudaGraphExecDestroy (gpu->flsl_graph);
  gpu->flsl_graph = NULL;
  bool ok = CHECK (cudaStreamBeginCapture (gpu->stream, cudaStreamCaptureModeThreadLocal))
            && enqueue_flsl (gpu, work, gpu->images) && CHECK (cudaStreamEndCapture (gpu->stream, &graph))
            && CHECK (cudaGraphInstantiateWithFlags (&gpu->flsl_graph, graph, 0));
  if (graph)
    cudaGraphDestroy (graph);
  return ok;
}

static bool
enqueue_flsl_graph (BenchGpu *gpu, const BenchWork *work, const uint8_t *image)
{
  return CHECK (cudaGraphLaunch (gpu->flsl_graph, gpu->stream));
}

typedef enum {
  WARM,    /* always the same buffer */
  FLUSHED, /* the same buffer, the L2 cache filled with other memory before each frame */
  IN_TURN  /* a frame, a buffer: as from a camera; with what a new address costs */
} Caching;

static const char *const caching_names[] = {"warm", "flushed", "in-turn"};

/* Copies of the image: at least four, together more than four times the L2 cache. */
static uint32_t
copy_count (const BenchGpu *gpu)
{
  uint32_t copies = (uint32_t) (4 * gpu->l2_size / gpu->slot) + 1;
  return copies < 4 ? 4 : copies;
}

/* Device time of RUNS frames queued behind one another, after warm-ups. */
static bool
time_frames (BenchGpu *gpu, const BenchWork *work, Enqueue *enqueue, Caching caching, double *microseconds)
{
  uint32_t copies = copy_count (gpu);
  bool ok = true;
  for (int i = -WARM_UPS; ok && i < RUNS; i++) {
    const uint8_t *image = gpu->images;
    if (caching == IN_TURN)
      image += (uint32_t) (i + WARM_UPS) % copies * gpu->slot;
    if (caching == FLUSHED)
      ok = CHECK (read_memory_enqueue (gpu->images + gpu->slot, (copies - 1) * gpu->slot, gpu->stream));
    ok = ok && (i < 0 || CHECK (cudaEventRecord (gpu->start[i], gpu->stream)));
    ok = ok && enqueue (gpu, work, image);
    ok = ok && (i < 0 || CHECK (cudaEventRecord (gpu->stop[i], gpu->stream)));
  }
  ok = ok && CHECK (cudaStreamSynchronize (gpu->stream));
  for (int i = 0; ok && i < RUNS; i++) {
    float ms = 0;
    ok = CHECK (cudaEventElapsedTime (&ms, gpu->start[i], gpu->stop[i]));
    microseconds[i] = ms * 1e3;
  }
  return ok;
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
  if (!CHECK (cudaMemcpy (&count, result.count, sizeof count, cudaMemcpyDeviceToHost)))
    return false;
  if (count == expected && count <= result.capacity)
    return true;
  fprintf (stderr, "%s: timed frame has %u components in room for %u, expected %u\n", bench_describe (work), count,
      result.capacity, expected);
  return false;
}

static bool
fill_copies (BenchGpu *gpu)
{
  bool ok = true;
  for (uint32_t i = 1; ok && i < copy_count (gpu); i++)
    ok = CHECK (
        cudaMemcpyAsync (gpu->images + i * gpu->slot, gpu->images, gpu->slot, cudaMemcpyDeviceToDevice, gpu->stream));
  return ok;
}

bool
bench_gpu_measure (BenchGpu *gpu, const BenchWork *work, bool cold)
{
  CtrImage view = image_view (gpu, gpu->images, CTR_MEMORY_DEVICE);
  CtrCcaParams params = params_for (work);
  CtrError error;
  /* Taken once to the host, so that room for this image is made outside the measurement. */
  CtrComponents *result = ctr_cca_run (gpu->cca, &view, &params, gpu->stream, &error);
  if (!result) {
    fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
    return false;
  }
  uint32_t count = result->count, counted = 0;
  ctr_components_unref (result);
  if (cold && !fill_copies (gpu))
    return false;

  double us[RUNS];
  for (Caching caching = WARM; caching <= (cold ? IN_TURN : WARM); caching++) {
    if (!time_frames (gpu, work, enqueue_ours, caching, us) || !device_result_is (gpu, work, count))
      return false;
    bench_record ("ours", caching_names[caching], work, count, us, RUNS);
  }
  if (!gpu->flsl)
    return true;
  if (!capture_flsl (gpu, work))
    return false;
  for (Caching caching = WARM; caching <= (cold ? FLUSHED : WARM); caching++) {
    if (!time_frames (gpu, work, enqueue_flsl_graph, caching, us)
        || !CHECK (flsl_count (gpu->flsl, gpu->stream, &counted)))
      return false;
    bench_record ("flsl", caching_names[caching], work, counted, us, RUNS);
  }
  return true;
}

static bool
time_runs (BenchGpu *gpu, const BenchWork *work, const char *mode, const CtrImage *view)
{
  CtrCcaParams params = params_for (work);
  CtrError error;
  double us[RUNS];
  uint32_t count = 0;
  for (int i = -WARM_UPS; i < RUNS; i++) {
    double start = bench_now ();
    CtrComponents *result = ctr_cca_run (gpu->cca, view, &params, gpu->stream, &error);
    if (!result) {
      fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
      return false;
    }
    if (i >= 0)
      us[i] = bench_now () - start;
    count = result->count;
    ctr_components_unref (result);
  }
  bench_record ("ours", mode, work, count, us, RUNS);
  return true;
}

bool
bench_gpu_measure_run (BenchGpu *gpu, const BenchWork *work, const uint8_t *mask)
{
  CtrImage on_device = image_view (gpu, gpu->images, CTR_MEMORY_DEVICE);
  CtrImage on_host = image_view (gpu, mask, CTR_MEMORY_HOST);
  return time_runs (gpu, work, "run", &on_device) && time_runs (gpu, work, "upload-run", &on_host);
}

static bool
rows_equal (const CtrComponent *a, const CtrComponent *b)
{
  return a->sum_x == b->sum_x && a->sum_y == b->sum_y && a->area == b->area && a->left == b->left && a->top == b->top
         && a->width == b->width && a->height == b->height && a->start_x == b->start_x;
}

static bool
check_rows (
    const char *who, const BenchWork *work, const CtrComponent *rows, uint32_t count, const CtrComponents *expected)
{
  if (count != expected->count) {
    fprintf (stderr, "%s: %s finds %u components, the host %u\n", bench_describe (work), who, count, expected->count);
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    const CtrComponent *got = &rows[i], *want = &expected->table[i];
    if (rows_equal (got, want))
      continue;
    fprintf (stderr,
        "%s: %s, component %u of %u: area %u box %u,%u %ux%u sums %llu,%llu start %u; "
        "the host has area %u box %u,%u %ux%u sums %llu,%llu start %u\n",
        bench_describe (work), who, i, count, got->area, got->left, got->top, got->width, got->height,
        (unsigned long long) got->sum_x, (unsigned long long) got->sum_y, got->start_x, want->area, want->left,
        want->top, want->width, want->height, (unsigned long long) want->sum_x, (unsigned long long) want->sum_y,
        want->start_x);
    return false;
  }
  return true;
}

bool
bench_gpu_check (BenchGpu *gpu, const BenchWork *work, const uint8_t *mask, const CtrComponents *expected)
{
  if (!bench_gpu_upload (gpu, mask, work->width, work->height))
    return false;
  CtrImage view = image_view (gpu, gpu->images, CTR_MEMORY_DEVICE);
  CtrCcaParams params = params_for (work);
  CtrError error;
  CtrComponents *ours = ctr_cca_run (gpu->cca, &view, &params, gpu->stream, &error);
  if (!ours)
    fprintf (stderr, "%s: %s\n", bench_describe (work), error.message);
  bool ok = ours && check_rows ("the GPU backend", work, ours->table, ours->count, expected);
  ctr_components_unref (ours);
  if (!gpu->flsl)
    return ok;

  CtrComponent *rows = NULL;
  uint32_t count = 0, counted = 0;
  bool ran = enqueue_flsl (gpu, work, gpu->images) && CHECK (flsl_count (gpu->flsl, gpu->stream, &counted))
             && CHECK (flsl_download (gpu->flsl, gpu->stream, &rows, &count));
  if (ran && counted != count)
    fprintf (stderr, "%s: FLSL+CD counts %u components and has %u\n", bench_describe (work), counted, count);
  bool baseline_ok = ran && counted == count && check_rows ("FLSL+CD", work, rows, count, expected);
  free (rows);
  return ok && baseline_ok;
}
