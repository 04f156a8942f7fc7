/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_borders. */
#ifndef BENCH_BORDERS_GPU_H
#define BENCH_BORDERS_GPU_H

#include "borders_work.h"

typedef struct BordersGpu BordersGpu;

/* Prints the device record. Works on images of up to MAX_SIZE bytes. NULL, and a message on stderr, on failure. */
BordersGpu *borders_gpu_new (size_t max_size);
void borders_gpu_free (BordersGpu *gpu);

/* Compares the result on IMAGE, which has no padding, with EXPECTED. Then measures. Device time until table and points
 * are complete on the GPU: "warm", with the L2 cache "flushed" before each frame, and with copies of the image
 * "in-turn". The host's time: of queueing ("queue"); of ctr_borders_run() with the image on the GPU ("run"); of
 * finishing a frame whose work is done and mapping table and points ("fetch"); of all of it with the image in host
 * memory ("host-run"). Prints one record each. False, and a message on stderr, on failure or where the results
 * differ. */
bool borders_gpu_measure (BordersGpu *gpu, const BordersWork *work, const uint8_t *image, CtrContours *expected);

/* Compares the result on IMAGE, a view of host memory, with EXPECTED: on the GPU or in host memory. */
bool borders_gpu_check (
    BordersGpu *gpu, const BordersWork *work, const CtrImage *image, bool on_device, CtrContours *expected);

#endif
