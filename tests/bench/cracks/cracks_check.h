/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_cracks --check. */
#ifndef BENCH_CRACKS_CHECK_H
#define BENCH_CRACKS_CHECK_H

#include "tests/bench/cracks/cracks_gpu.h"

/* Compares the GPU backend with HOST, a tracer of the host backend, and prints the outcome: the exit status. */
int cracks_check (CracksGpu *gpu, CtrCracks *host);

#endif
