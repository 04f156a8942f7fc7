/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/borders/borders_gpu.h"

#include "tests/bench/common/lists_gpu.h"

#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>

struct BordersGpu {
  BenchDevice device;
  CtrBorders *borders;
};

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

/* One image and what is asked of it. */
typedef struct {
  CtrBorders *borders;
  const BordersWork *work;
} Call;

static bool
enqueue (void *user, const CtrImage *image, void *stream, CtrError *error)
{
  const Call *call = user;
  return ctr_borders_enqueue (call->borders, image, &call->work->params, stream, error);
}

static CtrContours *
finish (void *user, CtrError *error)
{
  const Call *call = user;
  return ctr_borders_finish (call->borders, error);
}

static void
record (void *user, const char *mode, const CtrContours *result, double *microseconds, int runs)
{
  const Call *call = user;
  borders_record ("ours", mode, call->work, result, microseconds, runs);
}

bool
borders_gpu_measure (BordersGpu *gpu, const BordersWork *work, const uint8_t *image, CtrContours *expected)
{
  Call call = {gpu->borders, work};
  const BenchListsWork lists = {borders_describe (work), &call, enqueue, finish, record, work->params.epsilon > 0};
  const CtrImage view = borders_view (work, image, 0);
  return bench_lists_measure (&gpu->device, &lists, &view, expected);
}
