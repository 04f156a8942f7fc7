/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_borders. */
#ifndef BENCH_BORDERS_GPU_H
#define BENCH_BORDERS_GPU_H

#include "tests/bench/borders/borders_work.h"

typedef struct BordersGpu BordersGpu;

/* Prints the device record. Works on images of up to MAX_SIZE bytes. NULL, and a message on stderr, on failure. */
BordersGpu *borders_gpu_new (size_t max_size);
void borders_gpu_free (BordersGpu *gpu);

/* bench_lists_measure() of IMAGE, which has no padding. */
bool borders_gpu_measure (BordersGpu *gpu, const BordersWork *work, const uint8_t *image, CtrContours *expected);

#endif
