/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_borders --check. */
#ifndef BENCH_BORDERS_CHECK_H
#define BENCH_BORDERS_CHECK_H

#include "tests/bench/borders/borders_gpu.h"

/* Compares the GPU backend with HOST, a follower of the host backend, and prints the outcome: the exit status. */
int borders_check (BordersGpu *gpu, CtrBorders *host);

#endif
