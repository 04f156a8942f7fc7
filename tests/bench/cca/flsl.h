/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The baselines FLSL, FLSL+OTF and FLSL+CD of Lemaitre, Hennequin and Lacassagne, "Taming voting algorithms on GPUs for an efficient
 * connected component analysis algorithm", written from the paper's text (its authors published no code). */
#ifndef BENCH_FLSL_H
#define BENCH_FLSL_H

#include "tests/bench/cca/voting.h"

#include <contours/components.h>
#include <cuda_runtime_api.h>

CTR_BEGIN_DECLS

typedef struct Flsl Flsl;

/* NULL when the GPU lacks the memory: about 50 bytes for every two pixels of the largest image. */
Flsl *flsl_new (uint32_t max_width, uint32_t max_height);
void flsl_free (Flsl *flsl);

/* Queues the analysis of a device image, foreground >= 128, width and height up to those of flsl_new(). The result is
 * what the paper describes: features at each component's root, neither compacted nor in a dense order, and their count.
 * UPDATES, in device memory and zero, gets the number of updates of each label's features; NULL: nobody counts. */
cudaError_t flsl_enqueue (Flsl *flsl, const uint8_t *image, size_t stride, uint32_t width, uint32_t height,
    CtrConnectivity connectivity, Voting voting, uint32_t *updates, cudaStream_t stream);

/* Waits, and fetches the number of components that the GPU counted. */
cudaError_t flsl_count (Flsl *flsl, cudaStream_t stream, uint32_t *count);

/* Waits, and collects the roots' features on the host: *rows (to be freed) in the order of the roots, which is the
 * raster order of the components' first pixels. */
cudaError_t flsl_download (Flsl *flsl, cudaStream_t stream, CtrComponent **rows, uint32_t *count);

CTR_END_DECLS

#endif
