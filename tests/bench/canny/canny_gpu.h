/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_canny: what masks_gpu.h measures. */
#ifndef BENCH_CANNY_GPU_H
#define BENCH_CANNY_GPU_H

#include "tests/bench/common/masks_gpu.h"
#include "tests/bench/canny/canny_work.h"

MasksGpu *canny_gpu_new (size_t max_size, size_t max_pixels);

bool canny_gpu_measure (MasksGpu *gpu, const CannyWork *work, const uint8_t *image, uint8_t *mask);

#endif
