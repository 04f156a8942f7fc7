/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels that do nothing but what bounds others: launches, and steps that wait for one another. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <contours/types.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

CTR_BEGIN_DECLS

enum { LIMITS_CLUSTER_CTAS = 16 };

typedef enum {
  LIMITS_LOAD,            /* a load from the second cache */
  LIMITS_ATOMIC,          /* an atomic minimum there */
  LIMITS_BARRIER,         /* a barrier of a CTA of 1024 threads */
  LIMITS_CLUSTER_BARRIER, /* a barrier of a cluster of LIMITS_CLUSTER_CTAS CTAs of 512 threads */
  LIMITS_FENCE            /* a store to memory of the host and a fence behind it */
} LimitsStep;

/* Queues KERNELS empty kernels of CTAS CTAs. OVERLAP: each may start before the one before it has ended, as those of the analysers do. */
cudaError_t limits_enqueue_kernels (
    uint32_t kernels, uint32_t ctas, uint32_t threads, bool overlap, cudaStream_t stream);

/* Queues one kernel of COUNT steps. MEMORY: 256 bytes of zeros, for LIMITS_FENCE of the host. */
cudaError_t limits_enqueue_steps (LimitsStep step, uint32_t count, uint32_t *memory, cudaStream_t stream);

CTR_END_DECLS

#endif
