/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_snake --check. */
#ifndef BENCH_SNAKE_CHECK_H
#define BENCH_SNAKE_CHECK_H

#include "tests/bench/snake/snake_gpu.h"

/* Compares the GPU backend with HOST, a snake of the host backend, and prints the outcome: the exit status. */
int snake_check (SnakeGpu *gpu, CtrSnake *host);

#endif
