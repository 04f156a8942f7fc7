/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_foreground measures, and its record. */
#ifndef BENCH_FOREGROUND_WORK_H
#define BENCH_FOREGROUND_WORK_H

#include <contours/mask.h>

typedef struct {
  const char *name; /* of the steps */
  uint32_t width;
  uint32_t height;
  CtrFormat format;
  CtrForeground foreground;
} ForegroundWork;

/* WHO worked in MODE ("warm", "flushed", "in-turn", "run", "host-run", "host") and took MICROSECONDS[runs], which this
 * sorts. PIXELS: those of the foreground. */
void foreground_record (
    const char *who, const char *mode, const ForegroundWork *work, uint64_t pixels, double *microseconds, int runs);

/* Where WORK went wrong, for messages. Not reentrant. */
const char *foreground_describe (const ForegroundWork *work);

/* Is MASK, which WHO made, the expected one? Says on stderr where it is not. */
bool foreground_same_mask (const char *who, const ForegroundWork *work, const uint8_t *mask, const uint8_t *expected);

uint64_t foreground_count (const ForegroundWork *work, const uint8_t *mask);

#endif
