/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_paint measures, and its record. */
#ifndef BENCH_PAINT_WORK_H
#define BENCH_PAINT_WORK_H

#include <contours/contours.h>

typedef struct {
  const char *name; /* of what is drawn */
  bool rgba;        /* else NV12 */
  bool alone;       /* on a background of one colour */
  CtrPaintLayer layer;
} PaintWork;

enum { PAINT_WIDTH = 3840, PAINT_HEIGHT = 2160, PAINT_PIXELS = PAINT_WIDTH * PAINT_HEIGHT };

/* Bytes of the frame, and the frame at DATA as a picture. */
size_t paint_frame_size (const PaintWork *work);
CtrPaintPicture paint_picture (const PaintWork *work, void *data, CtrMemory memory);

extern CtrPaintColour paint_colours[CTR_PAINT_COLOURS];

/* WHO worked in MODE ("warm", "flushed", "in-turn", "run", "host") and took MICROSECONDS[runs], which this sorts. */
void paint_record (const char *who, const char *mode, const PaintWork *work, double *microseconds, int runs);

#endif
