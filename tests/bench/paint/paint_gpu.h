/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_paint. */
#ifndef BENCH_PAINT_GPU_H
#define BENCH_PAINT_GPU_H

#include "tests/bench/paint/paint_work.h"

typedef struct PaintGpu PaintGpu;

/* Prints the device record. NULL, and a message on stderr, on failure. */
PaintGpu *paint_gpu_new (void);
void paint_gpu_free (PaintGpu *gpu);

/* Draws into FRAME, in host memory, which must become EXPECTED. Then measures the device time of drawing
 * into a frame on the GPU: "warm", with the L2 cache "flushed" before each frame, with copies of the frame "in-turn";
 * and the wall time of ctr_painter_run() ("run"). Prints one record each. False, and a message on stderr, on failure.
 */
bool paint_gpu_measure (PaintGpu *gpu, const PaintWork *work, const uint8_t *frame, const uint8_t *expected);

#endif
