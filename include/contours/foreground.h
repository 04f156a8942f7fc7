/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pixels of an image are foreground, for the algorithms on binary images: cca.h and borders.h. */
#ifndef CONTOURS_FOREGROUND_H
#define CONTOURS_FOREGROUND_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Where the foreground threshold comes from. */
typedef enum {
  CTR_THRESHOLD_FIXED, /* CtrForeground.threshold */
  CTR_THRESHOLD_OTSU   /* one more than OpenCV's THRESH_OTSU value of the frame: OpenCV's rule is sample > T */
} CtrThresholdMode;

typedef struct {
  CtrThresholdMode mode;
  /* Foreground threshold, inclusive, in sample units: 0 .. 255 for 8-bit images and luma, 0 .. 65535 for 16-bit images.
   * No sample reaches a threshold above that range. Ignored with CTR_THRESHOLD_OTSU. */
  uint32_t threshold;
  bool invert; /* the samples below the threshold are foreground instead */
} CtrForeground;

CTR_END_DECLS

#endif
