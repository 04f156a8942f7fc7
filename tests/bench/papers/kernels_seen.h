/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels that run on the GPU, as CUPTI tells them. CUPTI is taken from the machine when the program runs. */
#ifndef BENCH_KERNELS_SEEN_H
#define BENCH_KERNELS_SEEN_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_KERNELS_SEEN = 64 };

/* All runs of one kernel, in the order of their first ones. */
typedef struct {
  char name[256]; /* mangled */
  uint32_t calls;
  uint64_t ns;
} KernelSeen;

/* NULL, or why there is no CUPTI. */
const char *kernels_seen_missing (void);

bool kernels_seen_begin (void);

/* Returns how many kinds of kernels, copies and sets have run, or -1 on failure. The work must be complete. */
int kernels_seen_end (KernelSeen seen[MAX_KERNELS_SEEN]);

#endif
