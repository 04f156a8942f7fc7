/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_snake. */
#ifndef BENCH_SNAKE_GPU_H
#define BENCH_SNAKE_GPU_H

#include "tests/bench/snake/snake_work.h"

typedef struct SnakeGpu SnakeGpu;

/* Prints the device record. Works on images of up to MAX_SIZE bytes. NULL, and a message on stderr, on failure. */
SnakeGpu *snake_gpu_new (size_t max_size);
void snake_gpu_free (SnakeGpu *gpu);

/* Compares the result on IMAGE, a view of host memory without padding, with EXPECTED. Then measures, with the image on
 * the GPU, device time until the polygons are complete ("warm"), and the host's from the call to the result in its
 * memory ("run"); the same with the image in host memory ("host-run"). Records each. False, and a message on stderr, on
 * failure or where the results differ. */
bool snake_gpu_measure (SnakeGpu *gpu, const SnakeWork *work, const CtrImage *image, CtrContours *expected);

/* The same of snake_track(), whose results in host memory are EXPECTED[count]: FRAMES, without padding and together of
 * MAX_SIZE at most, on the GPU ("track") and in host memory ("host-track"). */
bool snake_gpu_track (
    SnakeGpu *gpu, const SnakeWork *work, const CtrImage *frames, uint32_t count, CtrContours **expected);

#endif
