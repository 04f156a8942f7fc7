/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pixels of an image are foreground: the binary images of component analysis (cca.h) and border following
 * (borders.h). */
#ifndef CONTOURS_FOREGROUND_H
#define CONTOURS_FOREGROUND_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Where the foreground threshold comes from. */
typedef enum {
  CTR_THRESHOLD_FIXED, /* CtrForeground.threshold */
  CTR_THRESHOLD_OTSU   /* derived from the image's histogram: OpenCV's THRESH_OTSU value + 1, as OpenCV tests sample > T
                        */
} CtrThresholdMode;

typedef struct {
  CtrThresholdMode mode;
  /* Foreground threshold, inclusive, in sample units: 0 .. 255 for 8-bit images and luma, 0 .. 65535 for 16-bit images.
   * No sample reaches a threshold above that range. Ignored with CTR_THRESHOLD_OTSU. */
  uint32_t threshold;
  bool invert; /* samples below the threshold are foreground instead */
} CtrForeground;

CTR_END_DECLS

#endif
