/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/masks_gpu.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct MasksGpu {
  BenchDevice device;
  uint8_t *masks; /* one for each copy of the image, mask_slot bytes apart */
  size_t masks_size;
  size_t mask_slot;
  uint8_t *host_mask; /* to compare with */
  const MaskMaker *maker;
  void *state;
};

enum { GARBAGE = 0x55 };

MasksGpu *
masks_gpu_new (const MaskMaker *maker, size_t max_size, size_t max_pixels)
{
  MasksGpu *gpu = calloc (1, sizeof *gpu);
  if (!gpu)
    return NULL;
  gpu->maker = maker;
  bool ok = bench_device_open (&gpu->device, max_size);
  if (ok) {
    gpu->masks_size = bench_device_copies_size (&gpu->device, max_pixels);
    gpu->host_mask = malloc (max_pixels);
    ok = gpu->host_mask && BENCH_CHECK (cudaMalloc ((void **) &gpu->masks, gpu->masks_size));
  }
  if (ok) {
    CtrError error;
    gpu->state = maker->create (&error);
    ok = gpu->state;
    if (!ok)
      fprintf (stderr, "%s\n", error.message);
  }
  if (!ok) {
    masks_gpu_free (gpu);
    return NULL;
  }
  return gpu;
}

void
masks_gpu_free (MasksGpu *gpu)
{
  if (!gpu)
    return;
  gpu->maker->destroy (gpu->state);
  cudaFree (gpu->masks);
  free (gpu->host_mask);
  bench_device_close (&gpu->device);
  free (gpu);
}

/* What bench_device_time() hands to enqueue(). */
typedef struct {
  MasksGpu *gpu;
  const MaskWork *work;
} Call;

static CtrImage
device_image (const MasksGpu *gpu, const MaskWork *work, uint32_t copy)
{
  return (CtrImage){
      .data = gpu->device.images + copy * gpu->device.slot,
      .stride = work->width * ctr_format_pixel_size (work->format),
      .width = work->width,
      .height = work->height,
      .format = work->format,
      .memory = CTR_MEMORY_DEVICE,
  };
}

static CtrEdgePicture
device_picture (const MasksGpu *gpu, const MaskWork *work, uint32_t copy)
{
  CtrEdgePicture picture;
  ctr_edge_picture_init_mask (&picture, gpu->masks + copy * gpu->mask_slot, work->width, CTR_MEMORY_DEVICE);
  return picture;
}

static bool
enqueue (void *user, uint32_t copy)
{
  const Call *call = user;
  CtrImage image = device_image (call->gpu, call->work, copy);
  CtrEdgePicture picture = device_picture (call->gpu, call->work, copy);
  CtrError error;
  if (call->gpu->maker->enqueue (
          call->gpu->state, &image, call->work->user, &picture, call->gpu->device.stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", call->gpu->maker->describe (call->work->user), error.message);
  return false;
}

static bool
finish (MasksGpu *gpu, const MaskWork *work)
{
  CtrError error;
  if (gpu->maker->finish (gpu->state, &error))
    return true;
  fprintf (stderr, "%s: %s\n", gpu->maker->describe (work->user), error.message);
  return false;
}

static bool
run (MasksGpu *gpu, const MaskWork *work, const CtrImage *image, const CtrEdgePicture *picture)
{
  CtrError error;
  if (gpu->maker->run (gpu->state, image, work->user, picture, gpu->device.stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", gpu->maker->describe (work->user), error.message);
  return false;
}

static bool
spoil_masks (MasksGpu *gpu)
{
  return BENCH_CHECK (cudaMemsetAsync (gpu->masks, GARBAGE, gpu->masks_size, gpu->device.stream))
         && BENCH_CHECK (cudaStreamSynchronize (gpu->device.stream));
}

static bool
download (MasksGpu *gpu, const MaskWork *work, uint32_t copy, uint8_t *mask)
{
  return BENCH_CHECK (cudaMemcpy (
      mask, gpu->masks + copy * gpu->mask_slot, (size_t) work->width * work->height, cudaMemcpyDeviceToHost));
}

static void
set_size (MasksGpu *gpu, const MaskWork *work)
{
  gpu->mask_slot = ((size_t) work->width * work->height + 255) / 256 * 256;
}

static bool
time_runs (MasksGpu *gpu, const MaskWork *work, const char *mode, const CtrImage *image, const CtrEdgePicture *picture,
    uint64_t set)
{
  double us[BENCH_RUNS];
  for (int i = -BENCH_WARM_UPS; i < BENCH_RUNS; i++) {
    double start = bench_now ();
    if (!run (gpu, work, image, picture))
      return false;
    if (i >= 0)
      us[i] = bench_now () - start;
  }
  gpu->maker->record ("ours", mode, work->user, set, us, BENCH_RUNS);
  return true;
}

bool
masks_gpu_measure (MasksGpu *gpu, const MaskWork *work, const uint8_t *image, uint8_t *mask)
{
  const size_t pixels = (size_t) work->width * work->height;
  set_size (gpu, work);
  if (!bench_device_upload (&gpu->device, image, pixels * ctr_format_pixel_size (work->format))
      || !bench_device_fill_copies (&gpu->device))
    return false;
  const CtrImage on_device = device_image (gpu, work, 0);
  const CtrEdgePicture to_device = device_picture (gpu, work, 0);
  if (!spoil_masks (gpu) || !run (gpu, work, &on_device, &to_device) || !download (gpu, work, 0, mask))
    return false;
  const uint64_t set = gpu->maker->count (work->user, mask);

  Call call = {gpu, work};
  for (BenchCaching caching = BENCH_WARM; caching <= BENCH_IN_TURN; caching++) {
    double us[BENCH_RUNS];
    if (!spoil_masks (gpu) || !bench_device_time (&gpu->device, enqueue, &call, caching, us) || !finish (gpu, work)
        || !download (gpu, work, bench_device_last_copy (&gpu->device, caching), gpu->host_mask)
        || !gpu->maker->same_mask ("the last timed frame", work->user, gpu->host_mask, mask))
      return false;
    gpu->maker->record ("ours", bench_caching_names[caching], work->user, set, us, BENCH_RUNS);
  }

  CtrImage on_host = on_device;
  on_host.data = image;
  on_host.memory = CTR_MEMORY_HOST;
  CtrEdgePicture to_host;
  ctr_edge_picture_init_mask (&to_host, gpu->host_mask, work->width, CTR_MEMORY_HOST);
  memset (gpu->host_mask, GARBAGE, pixels);
  return time_runs (gpu, work, "run", &on_device, &to_device, set)
         && time_runs (gpu, work, "host-run", &on_host, &to_host, set)
         && gpu->maker->same_mask ("the GPU backend on host memory", work->user, gpu->host_mask, mask);
}
