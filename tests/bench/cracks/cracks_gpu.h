/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The GPU side of bench_cracks. */
#ifndef BENCH_CRACKS_GPU_H
#define BENCH_CRACKS_GPU_H

#include "tests/bench/cracks/cracks_work.h"

typedef struct CracksGpu CracksGpu;

/* Prints the device record. Works on images of up to MAX_SIZE bytes. NULL, and a message on stderr, on failure. */
CracksGpu *cracks_gpu_new (size_t max_size);
void cracks_gpu_free (CracksGpu *gpu);

/* bench_lists_measure() of IMAGE, which has no padding. Where the work traces labels, these are on the GPU if the image is, the same
 * ones for all copies of it, and in host memory otherwise. */
bool cracks_gpu_measure (CracksGpu *gpu, const CracksWork *work, const CtrImage *image, CtrContours *expected);

#endif
