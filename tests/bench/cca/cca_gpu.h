/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_cca: what runs, on which images, timed with CUDA events on a non-default stream. */
#ifndef BENCH_CCA_GPU_H
#define BENCH_CCA_GPU_H

#include "tests/bench/cca/cca_work.h"

#include <contours/contours.h>

typedef struct BenchGpu BenchGpu;

/* Prints the device record. Works on images up to MAX_WIDTH x MAX_HEIGHT. NULL, and a message on stderr, on failure. */
BenchGpu *bench_gpu_new (uint32_t max_width, uint32_t max_height);
void bench_gpu_free (BenchGpu *gpu);

/* Block numbers for the random masks that follow. */
bool bench_gpu_set_numbers (BenchGpu *gpu, const uint32_t *numbers, uint64_t count);

/* The image to measure on, made on the GPU from the numbers or uploaded. */
bool bench_gpu_random_mask (BenchGpu *gpu, uint32_t width, uint32_t height, uint32_t granularity, uint64_t threshold);
bool bench_gpu_upload (BenchGpu *gpu, const uint8_t *image, const BenchWork *work);

/* Device time of both contenders (of ours alone for equal samples) on the image: "warm", and if COLD also with the L2 cache "flushed" before each frame
 * and, ours only, with copies of the image "in-turn". Prints one record each. */
bool bench_gpu_measure (BenchGpu *gpu, const BenchWork *work, bool cold);

/* Wall time of ctr_cca_run() to the result in host memory: image on the GPU, and image in host memory. */
bool bench_gpu_measure_run (BenchGpu *gpu, const BenchWork *work, const uint8_t *mask);

/* Compares the FLSL+CD baseline with EXPECTED on MASK, row by row; a message on stderr for a difference. True
 * where the GPU is too small for the baseline. */
bool bench_gpu_check_baseline (
    BenchGpu *gpu, const BenchWork *work, const uint8_t *mask, const CtrComponents *expected);

#endif
