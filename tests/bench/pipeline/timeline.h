/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One frame in detail. */
#ifndef BENCH_TIMELINE_H
#define BENCH_TIMELINE_H

#include "tests/bench/pipeline/cases.h"

/* Prints what happens to one frame, by time: the frame at each element, the calls to CUDA, the work of the GPU. CUPTI's own cost is in
 * the times of the calls. FALSE, and the reason, if it is unknown. */
gboolean timeline_print (Streams *streams, const Case *c, ReadWhat read);

#endif
