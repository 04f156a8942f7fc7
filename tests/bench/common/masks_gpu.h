/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of the benchmarks of what makes a mask of an image: edges and foregrounds. */
#ifndef BENCH_MASKS_GPU_H
#define BENCH_MASKS_GPU_H

#include <contours/canny.h>

/* What makes the masks. STATE is what create() returns, WORK the USER of MaskWork. */
typedef struct {
  void *(*create) (CtrError *error);
  void (*destroy) (void *state); /* STATE may be NULL */
  bool (*enqueue) (void *state, const CtrImage *image, const void *work, const CtrEdgePicture *picture, void *stream,
      CtrError *error);
  bool (*finish) (void *state, CtrError *error);
  bool (*run) (void *state, const CtrImage *image, const void *work, const CtrEdgePicture *picture, void *stream,
      CtrError *error);
  const char *(*describe) (const void *work);
  uint64_t (*count) (const void *work, const uint8_t *mask);
  bool (*same_mask) (const char *who, const void *work, const uint8_t *mask, const uint8_t *expected);
  void (*record) (const char *who, const char *mode, const void *work, uint64_t count, double *microseconds, int runs);
} MaskMaker;

typedef struct {
  uint32_t width, height;
  CtrFormat format;
  const void *user; /* for the functions of the maker */
} MaskWork;

typedef struct MasksGpu MasksGpu;

/* Prints the device record. Works on images of up to MAX_SIZE bytes and MAX_PIXELS pixels. NULL, and a message on
 * stderr, on failure. */
MasksGpu *masks_gpu_new (const MaskMaker *maker, size_t max_size, size_t max_pixels);
void masks_gpu_free (MasksGpu *gpu);

/* Device time, image and mask on the GPU: "warm", with the L2 cache "flushed" before each frame, and with copies of the
 * image and mask "in-turn". Then the wall time of run() to the mask's completion: image and mask on the GPU ("run"), and
 * both in host memory ("host-run"). Records each. IMAGE has no padding. MASK: the result, in host memory. False, and a
 * message on stderr, on failure or where the results differ. */
bool masks_gpu_measure (MasksGpu *gpu, const MaskWork *work, const uint8_t *image, uint8_t *mask);

#endif
