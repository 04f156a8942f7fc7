/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_foreground: what masks_gpu.h measures. */
#ifndef BENCH_FOREGROUND_GPU_H
#define BENCH_FOREGROUND_GPU_H

#include "tests/bench/common/masks_gpu.h"
#include "tests/bench/foreground/foreground_work.h"

MasksGpu *foreground_gpu_new (size_t max_size, size_t max_pixels);

bool foreground_gpu_measure (MasksGpu *gpu, const ForegroundWork *work, const uint8_t *image, uint8_t *mask);

#endif
