/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/foreground/foreground_gpu.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"

#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ForegroundGpu {
  BenchDevice device;
  uint8_t *masks; /* one for each copy of the image, mask_slot bytes apart */
  size_t masks_size;
  size_t mask_slot;
  uint8_t *host_mask; /* to compare with */
  CtrMask *mask;
};

enum { GARBAGE = 0x55 };

ForegroundGpu *
foreground_gpu_new (size_t max_size, size_t max_pixels)
{
  ForegroundGpu *gpu = calloc (1, sizeof *gpu);
  if (!gpu)
    return NULL;
  bool ok = bench_device_open (&gpu->device, max_size);
  if (ok) {
    gpu->masks_size = bench_device_copies_size (&gpu->device, max_pixels);
    gpu->host_mask = malloc (max_pixels);
    ok = gpu->host_mask && BENCH_CHECK (cudaMalloc ((void **) &gpu->masks, gpu->masks_size));
  }
  if (ok) {
    CtrError error;
    gpu->mask = ctr_mask_new (CTR_BACKEND_CUDA, &error);
    ok = gpu->mask;
    if (!ok)
      fprintf (stderr, "%s\n", error.message);
  }
  if (!ok) {
    foreground_gpu_free (gpu);
    return NULL;
  }
  return gpu;
}

void
foreground_gpu_free (ForegroundGpu *gpu)
{
  if (!gpu)
    return;
  ctr_mask_free (gpu->mask);
  cudaFree (gpu->masks);
  free (gpu->host_mask);
  bench_device_close (&gpu->device);
  free (gpu);
}

/* What bench_device_time() hands to enqueue(). */
typedef struct {
  ForegroundGpu *gpu;
  const ForegroundWork *work;
} Call;

static CtrImage
device_image (const ForegroundGpu *gpu, const ForegroundWork *work, uint32_t copy)
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
device_picture (const ForegroundGpu *gpu, const ForegroundWork *work, uint32_t copy)
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
  if (ctr_mask_enqueue (call->gpu->mask, &image, &call->work->foreground, &picture, call->gpu->device.stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", foreground_describe (call->work), error.message);
  return false;
}

static bool
finish (ForegroundGpu *gpu, const ForegroundWork *work)
{
  CtrError error;
  if (ctr_mask_finish (gpu->mask, &error))
    return true;
  fprintf (stderr, "%s: %s\n", foreground_describe (work), error.message);
  return false;
}

static bool
run (ForegroundGpu *gpu, const ForegroundWork *work, const CtrImage *image, const CtrEdgePicture *picture)
{
  CtrError error;
  if (ctr_mask_run (gpu->mask, image, &work->foreground, picture, gpu->device.stream, &error))
    return true;
  fprintf (stderr, "%s: %s\n", foreground_describe (work), error.message);
  return false;
}

static bool
spoil_masks (ForegroundGpu *gpu)
{
  return BENCH_CHECK (cudaMemsetAsync (gpu->masks, GARBAGE, gpu->masks_size, gpu->device.stream))
         && BENCH_CHECK (cudaStreamSynchronize (gpu->device.stream));
}

static bool
download (ForegroundGpu *gpu, const ForegroundWork *work, uint32_t copy, uint8_t *mask)
{
  return BENCH_CHECK (cudaMemcpy (
      mask, gpu->masks + copy * gpu->mask_slot, (size_t) work->width * work->height, cudaMemcpyDeviceToHost));
}

static void
set_size (ForegroundGpu *gpu, const ForegroundWork *work)
{
  gpu->mask_slot = ((size_t) work->width * work->height + 255) / 256 * 256;
}

static bool
time_runs (ForegroundGpu *gpu, const ForegroundWork *work, const char *mode, const CtrImage *image,
    const CtrEdgePicture *picture, uint64_t pixels_set)
{
  double us[BENCH_RUNS];
  for (int i = -BENCH_WARM_UPS; i < BENCH_RUNS; i++) {
    double start = bench_now ();
    if (!run (gpu, work, image, picture))
      return false;
    if (i >= 0)
      us[i] = bench_now () - start;
  }
  foreground_record ("ours", mode, work, pixels_set, us, BENCH_RUNS);
  return true;
}

bool
foreground_gpu_measure (ForegroundGpu *gpu, const ForegroundWork *work, const uint8_t *image, uint8_t *mask)
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
  const uint64_t pixels_set = foreground_count (work, mask);

  Call call = {gpu, work};
  for (BenchCaching caching = BENCH_WARM; caching <= BENCH_IN_TURN; caching++) {
    double us[BENCH_RUNS];
    if (!spoil_masks (gpu) || !bench_device_time (&gpu->device, enqueue, &call, caching, us) || !finish (gpu, work)
        || !download (gpu, work, bench_device_last_copy (&gpu->device, caching), gpu->host_mask)
        || !foreground_same_mask ("the last timed frame", work, gpu->host_mask, mask))
      return false;
    foreground_record ("ours", bench_caching_names[caching], work, pixels_set, us, BENCH_RUNS);
  }

  CtrImage on_host = on_device;
  on_host.data = image;
  on_host.memory = CTR_MEMORY_HOST;
  CtrEdgePicture to_host;
  ctr_edge_picture_init_mask (&to_host, gpu->host_mask, work->width, CTR_MEMORY_HOST);
  memset (gpu->host_mask, GARBAGE, pixels);
  return time_runs (gpu, work, "run", &on_device, &to_device, pixels_set)
         && time_runs (gpu, work, "host-run", &on_host, &to_host, pixels_set)
         && foreground_same_mask ("the GPU backend on host memory", work, gpu->host_mask, mask);
}
