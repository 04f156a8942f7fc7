/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the benchmark itself does on the GPU. */
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include <contours/types.h>
#include <cuda_runtime_api.h>

CTR_BEGIN_DECLS

/* bench_random_mask() on the GPU; NUMBERS and MASK are device memory. */
cudaError_t random_mask_enqueue (const uint32_t *numbers, uint32_t width, uint32_t height, uint32_t granularity,
    uint64_t threshold, uint8_t *mask, cudaStream_t stream);

/* Reads SIZE bytes, a multiple of 16, at MEMORY, 16-byte aligned: leaves the L2 cache full of them, none to be written
 * back. */
cudaError_t read_memory_enqueue (const void *memory, size_t size, cudaStream_t stream);

/* Keeps STREAM busy for so long. */
cudaError_t delay_enqueue (uint32_t nanoseconds, cudaStream_t stream);

CTR_END_DECLS

#endif
