/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which element makes which calls to CUDA. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include "tests/bench/pipeline/report.h"

/* The chain of all drawing elements, in one stream and in 16. */
extern const gchar calls_cases[];

/* Reports the calls of ROWS a frame, by kind and function, and by who makes them. */
void calls_report (Report *report, const Case *c, const GArray *rows, guint64 frames);

#endif
