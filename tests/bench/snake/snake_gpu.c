/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/snake/snake_gpu.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"
#include "tests/bench/common/kernels.h"
#include "tests/bench/common/lists.h"

#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>

enum { LEAST_RUNS = 3, MAX_FRAMES = 64, MAX_DELAY = 2000 };

static const double run_limit = 0.15e6; /* microseconds: no further run after this */

struct SnakeGpu {
  BenchDevice device;
  CtrSnake *snake;
};

SnakeGpu *
snake_gpu_new (size_t max_size)
{
  SnakeGpu *gpu = calloc (1, sizeof *gpu);
  if (!gpu)
    return NULL;
  CtrError error;
  bool ok = bench_device_open (&gpu->device, max_size);
  if (ok) {
    gpu->snake = ctr_snake_new (CTR_BACKEND_CUDA, &error);
    ok = gpu->snake;
    if (!ok)
      fprintf (stderr, "%s\n", error.message);
  }
  if (ok)
    return gpu;
  snake_gpu_free (gpu);
  return NULL;
}

void
snake_gpu_free (SnakeGpu *gpu)
{
  if (!gpu)
    return;
  ctr_snake_free (gpu->snake);
  bench_device_close (&gpu->device);
  free (gpu);
}

/* IMAGE on the GPU, so many bytes behind the beginning of the images' memory. */
static bool
upload (SnakeGpu *gpu, const CtrImage *image, size_t offset, CtrImage *there)
{
  const size_t size = image->stride * image->height;
  uint8_t *memory = gpu->device.images + offset;
  *there = *image;
  there->data = memory;
  there->memory = CTR_MEMORY_DEVICE;
  return BENCH_CHECK (cudaMemcpyAsync (memory, image->data, size, cudaMemcpyHostToDevice, gpu->device.stream))
         && BENCH_CHECK (cudaStreamSynchronize (gpu->device.stream));
}

static bool
compare_run (SnakeGpu *gpu, const SnakeWork *work, const char *who, const CtrImage *image, CtrContours *expected)
{
  CtrContours *result = snake_run_work (gpu->snake, work, image, gpu->device.stream);
  const bool same = result && bench_lists_same (snake_describe (work), who, result, expected);
  ctr_contours_unref (result);
  return same;
}

/* Device time of one frame into *US. The stream is kept busy for DELAY microseconds while the frame is queued, which
 * takes *QUEUEING: the time would be the host's otherwise. */
static bool
time_frame (SnakeGpu *gpu, const SnakeWork *work, const CtrImage *image, double delay, CtrContours *expected,
    double *us, double *queueing)
{
  BenchDevice *device = &gpu->device;
  CtrError error;
  float ms = 0;
  if (!BENCH_CHECK (delay_enqueue ((uint32_t) (1e3 * delay), device->stream)))
    return false;
  const double start = bench_now ();
  bool ok = BENCH_CHECK (cudaEventRecord (device->start[0], device->stream));
  CtrContours *result = NULL;
  if (ctr_snake_enqueue (gpu->snake, image, &work->params, work->objects, work->object_count, device->stream, &error)) {
    ok = BENCH_CHECK (cudaEventRecord (device->stop[0], device->stream)) && ok;
    *queueing = bench_now () - start;
    result = ctr_snake_finish (gpu->snake, &error);
  }
  if (!result)
    fprintf (stderr, "%s: %s\n", snake_describe (work), error.message);
  ok = ok && result
       && BENCH_CHECK (cudaEventSynchronize (device->stop[0])) /* behind the kernel that has delivered the result */
       && BENCH_CHECK (cudaEventElapsedTime (&ms, device->start[0], device->stop[0]))
       && bench_lists_same (snake_describe (work), "a timed frame", result, expected);
  ctr_contours_unref (result);
  *us = 1e3 * ms;
  return ok;
}

static bool
time_device (SnakeGpu *gpu, const SnakeWork *work, const CtrImage *image, CtrContours *expected)
{
  double us[BENCH_RUNS], total = 0, warm_up, queueing;
  int runs = 0;
  if (!time_frame (gpu, work, image, MAX_DELAY, expected, &warm_up, &queueing))
    return false;
  const double delay = queueing < MAX_DELAY / 2 ? 2 * queueing : MAX_DELAY;
  while (runs < BENCH_RUNS && (runs < LEAST_RUNS || total < run_limit)) {
    if (!time_frame (gpu, work, image, delay, expected, us + runs, &queueing))
      return false;
    total += us[runs++];
  }
  snake_record ("ours", "warm", work, us, runs);
  return true;
}

static bool
time_run (SnakeGpu *gpu, const SnakeWork *work, const char *mode, const CtrImage *image, CtrContours *expected)
{
  double us[BENCH_RUNS], total = 0;
  int runs = 0;
  if (!compare_run (gpu, work, mode, image, expected))
    return false;
  while (runs < BENCH_RUNS && (runs < LEAST_RUNS || total < run_limit)) {
    BenchLists lists;
    const double start = bench_now ();
    CtrContours *result = snake_run_work (gpu->snake, work, image, gpu->device.stream);
    const bool ok = result && bench_lists_map (result, &lists);
    us[runs] = bench_now () - start;
    ctr_contours_unref (result);
    if (!ok)
      return false;
    total += us[runs++];
  }
  snake_record ("ours", mode, work, us, runs);
  return true;
}

bool
snake_gpu_measure (SnakeGpu *gpu, const SnakeWork *work, const CtrImage *image, CtrContours *expected)
{
  CtrImage there;
  return upload (gpu, image, 0, &there) && compare_run (gpu, work, "the GPU backend", &there, expected)
         && time_device (gpu, work, &there, expected) && time_run (gpu, work, "run", &there, expected)
         && time_run (gpu, work, "host-run", image, expected);
}

/* The first pass makes room; of the second one, all frames but the first are recorded. */
static bool
track (SnakeGpu *gpu, const SnakeWork *work, const char *mode, const CtrImage *frames, uint32_t count,
    CtrContours **expected)
{
  CtrContours *results[MAX_FRAMES];
  double us[MAX_FRAMES];
  bool ok = true;
  for (int pass = 0; ok && pass < 2; pass++) {
    ok = snake_track (gpu->snake, work, frames, count, gpu->device.stream, us, results);
    for (uint32_t i = 0; i < count; i++) {
      ok = ok && bench_lists_same (snake_describe (work), mode, results[i], expected[i]);
      ctr_contours_unref (results[i]);
    }
  }
  if (ok)
    snake_record ("ours", mode, work, us + 1, (int) count - 1);
  return ok;
}

bool
snake_gpu_track (SnakeGpu *gpu, const SnakeWork *work, const CtrImage *frames, uint32_t count, CtrContours **expected)
{
  CtrImage there[MAX_FRAMES];
  bool ok = count <= MAX_FRAMES;
  for (uint32_t i = 0; ok && i < count; i++)
    ok = upload (gpu, frames + i, i * frames[i].stride * frames[i].height, there + i);
  return ok && track (gpu, work, "track", there, count, expected)
         && track (gpu, work, "host-track", frames, count, expected);
}
