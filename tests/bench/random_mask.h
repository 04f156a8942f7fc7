/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_random_mask() on the GPU. */
#ifndef BENCH_RANDOM_MASK_H
#define BENCH_RANDOM_MASK_H

#include <contours/types.h>
#include <cuda_runtime_api.h>

CTR_BEGIN_DECLS

cudaError_t random_mask_enqueue (const uint32_t *numbers, uint32_t width, uint32_t height, uint32_t granularity,
    uint64_t threshold, uint8_t *mask, cudaStream_t stream);

CTR_END_DECLS

#endif
