/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_borders measures, and its record. */
#ifndef BENCH_BORDERS_WORK_H
#define BENCH_BORDERS_WORK_H

#include <contours/borders.h>

typedef struct {
  const char *name; /* a scene's or a file's */
  uint32_t width;
  uint32_t height;
  CtrBordersParams params;
  const char *features; /* what PARAMS asks for and limits, in a word; "" where nothing */
  const char *select;
  uint64_t border_points; /* of all borders of the image, every pixel counted: LIST, NONE, no limits */
} BordersWork;

/* WHO worked in MODE ("warm", "flushed", "in-turn", "queue", "run", "fetch", "host-run", "host") and took
 * MICROSECONDS[runs], which this sorts, with this RESULT. */
void borders_record (const char *who, const char *mode, const BordersWork *work, const CtrContours *result,
    double *microseconds, int runs);

/* Where WORK went wrong, for messages. Not reentrant. */
const char *borders_describe (const BordersWork *work);

/* PIXELS in host memory, with so many bytes after each row. */
CtrImage borders_view (const BordersWork *work, const uint8_t *pixels, size_t padding);

/* By HOST, a follower of the host backend. NULL, and a message on stderr, on failure. */
CtrContours *borders_run_host (CtrBorders *host, const BordersWork *work, const CtrImage *image);

#endif
