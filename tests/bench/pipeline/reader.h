/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an application does with a frame's metadata. */
#ifndef BENCH_READER_H
#define BENCH_READER_H

#include "tests/bench/pipeline/streams.h"

/* Reads WHAT of BUFFER on the host, and leaves its numbers in RESULT. */
void reader_read (GstBuffer *buffer, ReadWhat what, RunResult *result);

#endif
