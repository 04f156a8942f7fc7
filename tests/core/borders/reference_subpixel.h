/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of subpixels follows the definitions in include/contours/subpixel.h and edgechains.h, in floating point and
 * without separating sums. It shares no code with the backends. */
#ifndef CTR_TESTS_BORDERS_REFERENCE_SUBPIXEL_H
#define CTR_TESTS_BORDERS_REFERENCE_SUBPIXEL_H

#include <contours/contours.h>

/* Samples by row. */
typedef struct {
  const double *samples;
  int width, height;
} SubpixelPicture;

typedef struct {
  CtrSubpixel method;
  double sigma;
  double level; /* THRESHOLD */
  int polarity; /* 1: the foreground is brighter; -1: darker; 0: either */
} SubpixelCase;

typedef struct {
  double x, y, strength;
  double normal; /* radians */
  unsigned flags;
  bool close_call; /* A little less of something gives other flags, or another edge. */
} SubpixelExpected;

/* The refined point I of a contour of COUNT POINTS, each a neighbour of the one before. */
SubpixelExpected reference_subpixel (
    const SubpixelPicture *picture, const SubpixelCase *what, const CtrPoint *points, uint32_t count, uint32_t i);

/* The refined edge pixel POINT of an edge chain. */
SubpixelExpected reference_edge_pixel (const SubpixelPicture *picture, double sigma, CtrPoint point);

#endif
