/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The baselines of Lemaitre, Hennequin and Lacassagne that label pixels, not runs: naive, HA, HA+OTF, HA+CD. Written from
 * the text of "Taming voting algorithms on GPUs for an efficient connected component analysis algorithm". 4-connected. */
#ifndef BENCH_PIXELS_H
#define BENCH_PIXELS_H

#include "tests/bench/cca/voting.h"

#include <contours/components.h>
#include <cuda_runtime_api.h>

CTR_BEGIN_DECLS

typedef enum { PIXELS_NAIVE, PIXELS_HA } PixelsAlgorithm;

typedef struct Pixels Pixels;

/* NULL when the GPU lacks the memory: 44 bytes a pixel of the largest image. */
Pixels *pixels_new (uint32_t max_width, uint32_t max_height);
void pixels_free (Pixels *pixels);

/* As flsl_enqueue(). The naive one knows plain voting only. */
cudaError_t pixels_enqueue (Pixels *pixels, PixelsAlgorithm algorithm, Voting voting, const uint8_t *image,
    size_t stride, uint32_t width, uint32_t height, uint32_t *updates, cudaStream_t stream);

/* As flsl_count() and flsl_download(). */
cudaError_t pixels_count (Pixels *pixels, cudaStream_t stream, uint32_t *count);
cudaError_t pixels_download (Pixels *pixels, cudaStream_t stream, CtrComponent **rows, uint32_t *count);

/* The number of updates U of all COUNT labels, and the paper's estimate of conflicts, sum (U^2) / sum (U). Waits. SUMS is
 * device memory for two numbers. */
cudaError_t voting_sum_updates (const uint32_t *updates, size_t count, unsigned long long *sums, cudaStream_t stream,
    unsigned long long *total, double *conflicts);

CTR_END_DECLS

#endif
