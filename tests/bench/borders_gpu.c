/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "borders_gpu.h"

#include "bench.h"
#include "device.h"

#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>

struct BordersGpu {
  BenchDevice device;
  CtrBorders *borders;
};

static const double wall_limit = 1e6; /* microseconds: no further run after this */

BordersGpu *
borders_gpu_new (size_t max_size)
{
  BordersGpu *gpu = calloc (1, sizeof *gpu);
  if (!gpu)
    return NULL;
  CtrError error;
  bool ok = bench_device_open (&gpu->device, max_size);
  if (ok) {
    gpu->borders = ctr_borders_new (CTR_BACKEND_CUDA, &error);
    ok = gpu->borders;
    if (!ok)
      fprintf (stderr, "%s\n", error.message);
  }
  if (ok)
    return gpu;
  borders_gpu_free (gpu);
  return NULL;
}

void
borders_gpu_free (BordersGpu *gpu)
{
  if (!gpu)
    return;
  ctr_borders_free (gpu->borders);
  bench_device_close (&gpu->device);
  free (gpu);
}

static CtrImage
device_image (const BordersGpu *gpu, const BordersWork *work, uint32_t copy)
{
  return (CtrImage){
      .data = gpu->device.images + copy * gpu->device.slot,
      .stride = work->width,
      .width = work->width,
      .height = work->height,
      .format = CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_DEVICE,
  };
}

static bool
fail (const BordersWork *work, const CtrError *error)
{
  fprintf (stderr, "%s: %s\n", borders_describe (work), error->message);
  return false;
}

/* What bench_device_time_finished() hands to both. */
typedef struct {
  BordersGpu *gpu;
  const BordersWork *work;
  int frames;
  CtrContours *last; /* of the last frame */
} Call;

static bool
enqueue (void *user, uint32_t copy)
{
  const Call *call = user;
  const CtrImage image = device_image (call->gpu, call->work, copy);
  CtrError error;
  return ctr_borders_enqueue (call->gpu->borders, &image, &call->work->params, call->gpu->device.stream, &error)
         || fail (call->work, &error);
}

static bool
finish (void *user)
{
  Call *call = user;
  CtrError error;
  CtrContours *result = ctr_borders_finish (call->gpu->borders, &error);
  if (!result)
    return fail (call->work, &error);
  /* A result that is kept would keep the next frame from using its memory. */
  if (++call->frames == BENCH_WARM_UPS + BENCH_RUNS)
    call->last = result;
  else
    ctr_contours_unref (result);
  return true;
}

static CtrContours *
run (BordersGpu *gpu, const BordersWork *work, const CtrImage *image)
{
  CtrError error;
  CtrContours *result = ctr_borders_run (gpu->borders, image, &work->params, gpu->device.stream, &error);
  if (!result)
    fail (work, &error);
  return result;
}

static bool
map (const BordersWork *work, CtrContours *result)
{
  CtrError error;
  return (ctr_contours_map_table (result, &error) && ctr_contours_map_points (result, &error)
             && (!result->features || ctr_contours_map_sums (result, &error)))
         || fail (work, &error);
}

static bool
compare_run (BordersGpu *gpu, const BordersWork *work, const char *who, const CtrImage *image, CtrContours *expected)
{
  CtrContours *result = run (gpu, work, image);
  const bool same = result && borders_same (who, work, result, expected);
  ctr_contours_unref (result);
  return same;
}

static bool
time_device (BordersGpu *gpu, const BordersWork *work, CtrContours *expected)
{
  bool ok = true;
  for (BenchCaching caching = BENCH_WARM; ok && caching <= BENCH_IN_TURN; caching++) {
    Call call = {.gpu = gpu, .work = work};
    double us[BENCH_RUNS];
    ok = bench_device_time_finished (&gpu->device, enqueue, finish, &call, caching, us)
         && borders_same ("the last timed frame", work, call.last, expected);
    ctr_contours_unref (call.last);
    if (ok)
      borders_record ("ours", bench_caching_names[caching], work, expected, us, BENCH_RUNS);
  }
  return ok;
}

/* The host's time, of frames one at a time. */
typedef enum { QUEUE, RUN, FETCH, HOST_RUN } HostTime;

static bool
time_one (BordersGpu *gpu, const BordersWork *work, HostTime what, const CtrImage *image, double *us)
{
  CtrContours *result = NULL;
  CtrError error;
  double start = bench_now (), end = 0;
  bool ok;
  if (what == RUN || what == HOST_RUN) {
    result = run (gpu, work, image);
    ok = result && (what == RUN || map (work, result));
  } else {
    ok = ctr_borders_enqueue (gpu->borders, image, &work->params, gpu->device.stream, &error) || fail (work, &error);
    end = bench_now ();
    ok = ok && BENCH_CHECK (cudaStreamSynchronize (gpu->device.stream));
    if (what == FETCH)
      start = bench_now ();
    result = ok ? ctr_borders_finish (gpu->borders, &error) : NULL;
    ok = ok && (result || fail (work, &error)) && (what == QUEUE || map (work, result));
  }
  *us = (what == QUEUE ? end : bench_now ()) - start;
  ctr_contours_unref (result);
  return ok;
}

static bool
time_host (BordersGpu *gpu, const BordersWork *work, HostTime what, const CtrImage *image, CtrContours *expected)
{
  static const char *const names[] = {"queue", "run", "fetch", "host-run"};
  double us[BENCH_RUNS], total = 0, warm_up;
  int runs = 0;
  if (!time_one (gpu, work, what, image, &warm_up))
    return false;
  while (runs < BENCH_RUNS && total < wall_limit) {
    if (!time_one (gpu, work, what, image, us + runs))
      return false;
    total += us[runs++];
  }
  borders_record ("ours", names[what], work, expected, us, runs);
  return true;
}

bool
borders_gpu_measure (BordersGpu *gpu, const BordersWork *work, const uint8_t *image, CtrContours *expected)
{
  if (!bench_device_upload (&gpu->device, image, (size_t) work->width * work->height)
      || !bench_device_fill_copies (&gpu->device))
    return false;
  const CtrImage on_device = device_image (gpu, work, 0);
  CtrImage on_host = on_device;
  on_host.data = image;
  on_host.memory = CTR_MEMORY_HOST;
  return compare_run (gpu, work, "the GPU backend", &on_device, expected)
         && compare_run (gpu, work, "the GPU backend on host memory", &on_host, expected)
         && time_device (gpu, work, expected) && time_host (gpu, work, QUEUE, &on_device, expected)
         && time_host (gpu, work, RUN, &on_device, expected) && time_host (gpu, work, FETCH, &on_device, expected)
         && time_host (gpu, work, HOST_RUN, &on_host, expected);
}

bool
borders_gpu_check (
    BordersGpu *gpu, const BordersWork *work, const CtrImage *image, bool on_device, CtrContours *expected)
{
  CtrImage view = *image;
  if (!on_device)
    return compare_run (gpu, work, "the GPU backend on host memory", &view, expected);
  if (!bench_device_upload (&gpu->device, image->data, image->stride * image->height))
    return false;
  view.data = gpu->device.images;
  view.memory = CTR_MEMORY_DEVICE;
  return compare_run (gpu, work, "the GPU backend", &view, expected);
}
