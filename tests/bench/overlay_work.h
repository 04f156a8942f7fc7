/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What bench_overlay measures, and its record. */
#ifndef BENCH_OVERLAY_WORK_H
#define BENCH_OVERLAY_WORK_H

#include <contours/contours.h>

typedef struct {
  const char *name; /* of what is drawn */
  bool rgba;        /* else NV12 */
  CtrPaintLayer layer;
} OverlayWork;

enum { OVERLAY_WIDTH = 3840, OVERLAY_HEIGHT = 2160, OVERLAY_PIXELS = OVERLAY_WIDTH * OVERLAY_HEIGHT };

/* Bytes of the frame, and the frame at DATA as a picture. */
size_t overlay_frame_size (const OverlayWork *work);
CtrPaintPicture overlay_picture (const OverlayWork *work, void *data, CtrMemory memory);

extern CtrPaintColour overlay_colours[CTR_PAINT_COLOURS];

/* WHO worked in MODE ("warm", "flushed", "in-turn", "run", "host") and took MICROSECONDS[runs], which this sorts. */
void overlay_record (const char *who, const char *mode, const OverlayWork *work, double *microseconds, int runs);

#endif
