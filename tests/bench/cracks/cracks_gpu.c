/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/cracks/cracks_gpu.h"

#include "tests/bench/common/lists_gpu.h"

#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>

struct CracksGpu {
  BenchDevice device;
  CtrCracks *cracks;
  CtrCca *cca; /* makes the labels that are traced */
};

CracksGpu *
cracks_gpu_new (size_t max_size)
{
  CracksGpu *gpu = calloc (1, sizeof *gpu);
  if (!gpu)
    return NULL;
  CtrError error;
  bool ok = bench_device_open (&gpu->device, max_size);
  if (ok) {
    gpu->cracks = ctr_cracks_new (CTR_BACKEND_CUDA, &error);
    gpu->cca = gpu->cracks ? ctr_cca_new (CTR_BACKEND_CUDA, &error) : NULL;
    ok = gpu->cca;
    if (!ok)
      fprintf (stderr, "%s\n", error.message);
  }
  if (ok)
    return gpu;
  cracks_gpu_free (gpu);
  return NULL;
}

void
cracks_gpu_free (CracksGpu *gpu)
{
  if (!gpu)
    return;
  ctr_cracks_free (gpu->cracks);
  ctr_cca_free (gpu->cca);
  bench_device_close (&gpu->device);
  free (gpu);
}

/* One image and what is asked of it. */
typedef struct {
  CtrCracks *cracks;
  const CracksWork *work;
  CtrComponents *components; /* the same as the work's, with the labels on the GPU */
} Call;

static bool
enqueue (void *user, const CtrImage *image, void *stream, CtrError *error)
{
  const Call *call = user;
  CtrComponents *components = image->memory == CTR_MEMORY_HOST ? call->work->components : call->components;
  return components ? ctr_cracks_enqueue_labels (call->cracks, components, &call->work->params, stream, error)
                    : ctr_cracks_enqueue (call->cracks, image, &call->work->params, stream, error);
}

static CtrContours *
finish (void *user, CtrError *error)
{
  const Call *call = user;
  return ctr_cracks_finish (call->cracks, error);
}

static void
record (void *user, const char *mode, const CtrContours *result, double *microseconds, int runs)
{
  const Call *call = user;
  cracks_record ("ours", mode, call->work, result, microseconds, runs);
}

bool
cracks_gpu_measure (CracksGpu *gpu, const CracksWork *work, const CtrImage *image, CtrContours *expected)
{
  Call call = {.cracks = gpu->cracks, .work = work};
  const BenchListsWork lists = {cracks_describe (work), &call, enqueue, finish, record, false};
  if (work->components && !(call.components = cracks_label (gpu->cca, image, gpu->device.stream)))
    return false;
  const bool ok = bench_lists_measure (&gpu->device, &lists, image, expected);
  ctr_components_unref (call.components);
  return ok;
}
