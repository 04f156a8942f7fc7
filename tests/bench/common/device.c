/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/device.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/kernels.h"

#include <stdio.h>

enum { FIRST_DELAY = 2000 }; /* microseconds; longer than queueing a frame takes */

const char *const bench_caching_names[] = {"warm", "flushed", "in-turn"};

bool
bench_check_call (cudaError_t error, const char *call)
{
  if (error != cudaSuccess)
    fprintf (stderr, "%s: %s\n", call, cudaGetErrorString (error));
  return error == cudaSuccess;
}

/* Bytes read and written per second by the fastest of a few copies of half a GiB. */
static bool
measure_copy (BenchDevice *device, double *bytes_per_second)
{
  const size_t size = (size_t) 1 << 29;
  uint8_t *from = NULL, *to = NULL;
  float best = 0;
  bool ok = BENCH_CHECK (cudaMalloc ((void **) &from, size)) && BENCH_CHECK (cudaMalloc ((void **) &to, size))
            && BENCH_CHECK (cudaMemsetAsync (from, 1, size, device->stream));
  for (int i = 0; ok && i < BENCH_RUNS; i++) {
    float ms = 0;
    ok = BENCH_CHECK (cudaEventRecord (device->start[0], device->stream))
         && BENCH_CHECK (cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToDevice, device->stream))
         && BENCH_CHECK (cudaEventRecord (device->stop[0], device->stream))
         && BENCH_CHECK (cudaStreamSynchronize (device->stream))
         && BENCH_CHECK (cudaEventElapsedTime (&ms, device->start[0], device->stop[0]));
    if (i == 0 || ms < best)
      best = ms;
  }
  cudaFree (from);
  cudaFree (to);
  if (ok)
    *bytes_per_second = 2.0 * size / (best * 1e-3);
  return ok;
}

bool
bench_device_open (BenchDevice *device, size_t max_size)
{
  struct cudaDeviceProp properties;
  int driver = 0, runtime = 0;
  double copy = 0;
  bool ok = BENCH_CHECK (cudaGetDeviceProperties (&properties, 0)) && BENCH_CHECK (cudaDriverGetVersion (&driver))
            && BENCH_CHECK (cudaRuntimeGetVersion (&runtime))
            && BENCH_CHECK (cudaStreamCreateWithFlags (&device->stream, cudaStreamNonBlocking));
  for (int i = 0; ok && i < BENCH_RUNS; i++)
    ok = BENCH_CHECK (cudaEventCreate (&device->start[i])) && BENCH_CHECK (cudaEventCreate (&device->stop[i]));
  ok = ok && measure_copy (device, &copy);
  if (ok) {
    device->l2_size = (size_t) properties.l2CacheSize;
    device->images_size = bench_device_copies_size (device, max_size);
    ok = BENCH_CHECK (cudaMalloc ((void **) &device->images, device->images_size));
  }
  if (ok) {
    printf ("{\"type\": \"device\", \"gpu\": \"%s\", \"compute\": \"%d.%d\", \"cuda_driver\": \"%d.%d\", "
            "\"cuda_runtime\": \"%d.%d\", \"l2_bytes\": %zu, \"copy_bytes_per_second\": %.4g}\n",
        properties.name, properties.major, properties.minor, driver / 1000, driver % 1000 / 10, runtime / 1000,
        runtime % 1000 / 10, device->l2_size, copy);
    fflush (stdout);
  }
  return ok;
}

void
bench_device_close (BenchDevice *device)
{
  cudaFree (device->images);
  for (int i = 0; i < BENCH_RUNS; i++) {
    if (device->start[i])
      cudaEventDestroy (device->start[i]);
    if (device->stop[i])
      cudaEventDestroy (device->stop[i]);
  }
  if (device->stream)
    cudaStreamDestroy (device->stream);
}

static size_t
slot_of (size_t size)
{
  return (size + 255) / 256 * 256;
}

size_t
bench_device_copies_size (const BenchDevice *device, size_t max_size)
{
  size_t slot = slot_of (max_size);
  return 4 * (slot > device->l2_size ? slot : device->l2_size) + slot;
}

void
bench_device_set_size (BenchDevice *device, size_t size)
{
  device->slot = slot_of (size);
}

bool
bench_device_upload (BenchDevice *device, const void *image, size_t size)
{
  bench_device_set_size (device, size);
  return BENCH_CHECK (cudaMemcpyAsync (device->images, image, size, cudaMemcpyHostToDevice, device->stream))
         && BENCH_CHECK (cudaStreamSynchronize (device->stream));
}

bool
bench_device_fill_copies (BenchDevice *device)
{
  bool ok = true;
  for (uint32_t i = 1; ok && i < bench_device_copy_count (device); i++)
    ok = BENCH_CHECK (cudaMemcpyAsync (
        device->images + i * device->slot, device->images, device->slot, cudaMemcpyDeviceToDevice, device->stream));
  return ok;
}

uint32_t
bench_device_copy_count (const BenchDevice *device)
{
  uint32_t copies = (uint32_t) (4 * device->l2_size / device->slot) + 1;
  return copies < 4 ? 4 : copies;
}

/* Of frame I, counted from the first warm-up. */
static uint32_t
copy_of (const BenchDevice *device, BenchCaching caching, uint32_t i)
{
  return caching == BENCH_IN_TURN ? i % bench_device_copy_count (device) : 0;
}

uint32_t
bench_device_last_copy (const BenchDevice *device, BenchCaching caching)
{
  return copy_of (device, caching, BENCH_WARM_UPS + BENCH_RUNS - 1);
}

/* FINISH: NULL, or what ends each frame. */
static bool
time_frames (BenchDevice *device, BenchEnqueue *enqueue, BenchFinish *finish, void *user, BenchCaching caching,
    double *microseconds)
{
  size_t others = (bench_device_copy_count (device) - 1) * device->slot;
  double queueing = FIRST_DELAY;
  bool ok = true;
  for (int i = -BENCH_WARM_UPS; ok && i < BENCH_RUNS; i++) {
    if (caching == BENCH_FLUSHED)
      ok = BENCH_CHECK (read_memory_enqueue (device->images + device->slot, others, device->stream));
    if (finish)
      ok = ok && BENCH_CHECK (delay_enqueue ((uint32_t) (2e3 * queueing), device->stream)); /* twice as long */
    const double start = bench_now ();
    ok = ok && (i < 0 || BENCH_CHECK (cudaEventRecord (device->start[i], device->stream)));
    ok = ok && enqueue (user, copy_of (device, caching, (uint32_t) (i + BENCH_WARM_UPS)));
    ok = ok && (i < 0 || BENCH_CHECK (cudaEventRecord (device->stop[i], device->stream)));
    const double took = bench_now () - start;
    ok = ok && (!finish || finish (user));
    /* The first warm-up may allocate. */
    if (i == 1 - BENCH_WARM_UPS || (i > 1 - BENCH_WARM_UPS && took > queueing))
      queueing = took < FIRST_DELAY ? took : FIRST_DELAY;
  }
  ok = ok && BENCH_CHECK (cudaStreamSynchronize (device->stream));
  for (int i = 0; ok && i < BENCH_RUNS; i++) {
    float ms = 0;
    ok = BENCH_CHECK (cudaEventElapsedTime (&ms, device->start[i], device->stop[i]));
    microseconds[i] = ms * 1e3;
  }
  return ok;
}

bool
bench_device_time (BenchDevice *device, BenchEnqueue *enqueue, void *user, BenchCaching caching, double *microseconds)
{
  return time_frames (device, enqueue, NULL, user, caching, microseconds);
}

bool
bench_device_time_finished (BenchDevice *device, BenchEnqueue *enqueue, BenchFinish *finish, void *user,
    BenchCaching caching, double *microseconds)
{
  return time_frames (device, enqueue, finish, user, caching, microseconds);
}
