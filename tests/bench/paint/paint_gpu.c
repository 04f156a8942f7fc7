/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/paint/paint_gpu.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct PaintGpu {
  BenchDevice device;
  CtrPainter *painter;
  uint8_t *drawn; /* to compare with */
};

enum { MAX_SIZE = 4 * PAINT_PIXELS };

PaintGpu *
paint_gpu_new (void)
{
  PaintGpu *gpu = calloc (1, sizeof *gpu);
  CtrError error;
  if (!gpu)
    return NULL;
  bool ok = bench_device_open (&gpu->device, MAX_SIZE);
  gpu->drawn = malloc (MAX_SIZE);
  if (ok && !(gpu->painter = ctr_painter_new (CTR_BACKEND_CUDA, &error)))
    fprintf (stderr, "%s\n", error.message);
  if (ok && gpu->painter && gpu->drawn)
    return gpu;
  paint_gpu_free (gpu);
  return NULL;
}

void
paint_gpu_free (PaintGpu *gpu)
{
  if (!gpu)
    return;
  ctr_painter_free (gpu->painter);
  free (gpu->drawn);
  bench_device_close (&gpu->device);
  free (gpu);
}

/* What bench_device_time() hands to enqueue(). */
typedef struct {
  PaintGpu *gpu;
  const PaintWork *work;
} Call;

static bool
enqueue (void *user, uint32_t copy)
{
  const Call *call = user;
  BenchDevice *device = &call->gpu->device;
  const CtrPaintPicture picture = paint_picture (call->work, device->images + copy * device->slot, CTR_MEMORY_DEVICE);
  CtrError error;
  if (ctr_painter_enqueue (call->gpu->painter, &picture, &call->work->layer, 1, paint_colours, device->stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", call->work->name, error.message);
  return false;
}

static bool
finish (const Call *call)
{
  CtrError error;
  if (ctr_painter_finish (call->gpu->painter, &error))
    return true;
  fprintf (stderr, "%s: %s\n", call->work->name, error.message);
  return false;
}

bool
paint_gpu_measure (PaintGpu *gpu, const PaintWork *work, const uint8_t *frame, const uint8_t *expected)
{
  const size_t size = paint_frame_size (work);
  Call call = {gpu, work};
  double us[BENCH_RUNS];
  if (!bench_device_upload (&gpu->device, frame, size) || !enqueue (&call, 0) || !finish (&call)
      || !BENCH_CHECK (cudaMemcpy (gpu->drawn, gpu->device.images, size, cudaMemcpyDeviceToHost)))
    return false;
  if (memcmp (gpu->drawn, expected, size) != 0) {
    fprintf (stderr, "%s: the GPU and the host draw different pictures\n", work->name);
    return false;
  }
  if (!bench_device_fill_copies (&gpu->device))
    return false;
  for (BenchCaching caching = BENCH_WARM; caching <= BENCH_IN_TURN; caching++) {
    if (!bench_device_time (&gpu->device, enqueue, &call, caching, us) || !finish (&call))
      return false;
    paint_record ("ours", bench_caching_names[caching], work, us, BENCH_RUNS);
  }
  for (int i = -BENCH_WARM_UPS; i < BENCH_RUNS; i++) {
    const double start = bench_now ();
    if (!enqueue (&call, 0) || !finish (&call))
      return false;
    if (i >= 0)
      us[i] = bench_now () - start;
  }
  paint_record ("ours", "run", work, us, BENCH_RUNS);
  return true;
}
