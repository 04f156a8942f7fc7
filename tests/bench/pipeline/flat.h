/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does a long stream need more and more? */
#ifndef BENCH_FLAT_H
#define BENCH_FLAT_H

#include "tests/bench/pipeline/cases.h"

/* Runs FRAMES frames through each stream, and prints resident memory, open descriptors and memory of the GPU after a
 * tenth of them and at the end. FALSE if any of them has grown, by more than 4 MiB if it is memory. */
gboolean flat_run (Streams *streams, const Case *c, guint64 frames, ReadWhat read);

#endif
