/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_foreground. */
#ifndef BENCH_FOREGROUND_GPU_H
#define BENCH_FOREGROUND_GPU_H

#include "tests/bench/foreground/foreground_work.h"

#include <stddef.h>

typedef struct ForegroundGpu ForegroundGpu;

/* Prints the device record. Works on images of up to MAX_SIZE bytes and MAX_PIXELS pixels. NULL, and a message on
 * stderr, on failure. */
ForegroundGpu *foreground_gpu_new (size_t max_size, size_t max_pixels);
void foreground_gpu_free (ForegroundGpu *gpu);

/* Device time, image and mask on the GPU: "warm", with the L2 cache "flushed" before each frame, and with copies of the
 * image and mask "in-turn". Then the wall time of ctr_mask_run() to the mask's completion: image and mask on the GPU
 * ("run"), and both in host memory ("host-run"). Prints one record each. IMAGE has no padding. MASK: the result, in
 * host memory. False, and a message on stderr, on failure or where the results differ. */
bool foreground_gpu_measure (ForegroundGpu *gpu, const ForegroundWork *work, const uint8_t *image, uint8_t *mask);

#endif
