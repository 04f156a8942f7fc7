/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_overlay. */
#ifndef BENCH_OVERLAY_GPU_H
#define BENCH_OVERLAY_GPU_H

#include "overlay_work.h"

typedef struct OverlayGpu OverlayGpu;

/* Prints the device record. NULL, and a message on stderr, on failure. */
OverlayGpu *overlay_gpu_new (void);
void overlay_gpu_free (OverlayGpu *gpu);

/* Draws into FRAME, in host memory, which must become EXPECTED. Then, unless only to CHECK, the device time of drawing
 * into a frame on the GPU: "warm", with the L2 cache "flushed" before each frame, with copies of the frame "in-turn";
 * and the wall time of ctr_painter_run() ("run"). Prints one record each. False, and a message on stderr, on failure.
 */
bool overlay_gpu_measure (
    OverlayGpu *gpu, const OverlayWork *work, const uint8_t *frame, const uint8_t *expected, bool only_check);

#endif
