/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The few CUDA driver calls the tests need, taken from libcuda at run time: the tests link no CUDA. Every function but
 * gpu_open() ends the test with a message when its call fails. */
#ifndef CTR_TESTS_GPU_H
#define CTR_TESTS_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes device 0's primary context, or a new one, current in this thread. False without a driver or a device. */
bool gpu_open (bool own_context);

/* Makes the context of gpu_open() current in another thread. */
void gpu_enter (void);

/* A new stream that does not wait for the default stream; or one that does, and for which that one waits. */
void *gpu_stream_new (void);
void *gpu_stream_new_following (void);

/* Device memory, a multiple of 256 bytes aligned. */
void *gpu_alloc (size_t bytes);
void *gpu_try_alloc (size_t bytes); /* NULL: there is not as much */
void gpu_free (void *memory);

/* Page-locked host memory. */
void *gpu_alloc_pinned (size_t bytes);
void gpu_free_pinned (void *memory);

/* Device and page-locked memory in use, and the number of allocations so far. False on a real GPU, where others allocate,
 * too. */
bool gpu_count_memory (size_t *bytes, uint64_t *calls);

void gpu_upload (void *device, const void *host, size_t bytes);
void gpu_download (void *host, const void *device, size_t bytes);

#endif
