/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU of a benchmark: copies of the image in its memory, and the time of work on them, by CUDA events on a
 * non-default stream. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_RUNS = 20, BENCH_WARM_UPS = 3 };

typedef struct {
  cudaStream_t stream; /* never the default stream: what is measured must run there */
  cudaEvent_t start[BENCH_RUNS];
  cudaEvent_t stop[BENCH_RUNS];
  uint8_t *images; /* copies of the current image, slot bytes apart */
  size_t images_size;
  size_t slot;
  size_t l2_size;
} BenchDevice;

/* Says on stderr what failed. */
bool bench_check_call (cudaError_t error, const char *call);
#define BENCH_CHECK(call) bench_check_call (call, #call)

/* Prints the device record. Works on images of up to MAX_SIZE bytes. False, and a message on stderr, on failure; to be
 * closed in any case. DEVICE is all zero before. */
bool bench_device_open (BenchDevice *device, size_t max_size);
void bench_device_close (BenchDevice *device);

/* What copies of up to MAX_SIZE bytes each take, whatever the size of the current image. */
size_t bench_device_copies_size (const BenchDevice *device, size_t max_size);

/* The image is of SIZE bytes from now on. */
void bench_device_set_size (BenchDevice *device, size_t size);

/* The image is this one from now on: its first copy, or all. */
bool bench_device_upload (BenchDevice *device, const void *image, size_t size);
bool bench_device_fill_copies (BenchDevice *device);

/* Copies of the image: at least four, together more than four times the L2 cache. */
uint32_t bench_device_copy_count (const BenchDevice *device);

typedef enum {
  BENCH_WARM,    /* always the first copy */
  BENCH_FLUSHED, /* the same, the L2 cache filled with other memory before each frame */
  BENCH_IN_TURN  /* a frame, a copy: as from a camera; with what a new address costs */
} BenchCaching;

extern const char *const bench_caching_names[];

/* The copy that the last of the timed frames works on. */
uint32_t bench_device_last_copy (const BenchDevice *device, BenchCaching caching);

/* Queues the work on one copy of the image. */
typedef bool BenchEnqueue (void *user, uint32_t copy);

/* Device time of BENCH_RUNS frames queued behind one another, after warm-ups. */
bool bench_device_time (
    BenchDevice *device, BenchEnqueue *enqueue, void *user, BenchCaching caching, double *microseconds);

/* Waits for the work on the copy queued last, outside the timing. */
typedef bool BenchFinish (void *user);

/* The same of work that has to be finished before more is queued. The stream is kept busy while a frame is queued:
 * otherwise the time would be the host's. */
bool bench_device_time_finished (BenchDevice *device, BenchEnqueue *enqueue, BenchFinish *finish, void *user,
    BenchCaching caching, double *microseconds);

#endif
