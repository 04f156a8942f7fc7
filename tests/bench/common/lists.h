/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of contours in host memory, and whether two are the same. */
#ifndef BENCH_LISTS_H
#define BENCH_LISTS_H

#include <contours/shapes.h>
#include <contours/snake.h>
#include <contours/subpixel.h>

typedef struct {
  const CtrContour *table;
  const CtrPoint *points;
  const CtrContourSums *sums;       /* NULL without */
  const CtrSnakeRegion *regions;    /* NULL without */
  const CtrContourNesting *nesting; /* NULL without */
  const CtrContourShape *shapes;    /* NULL without */
  const CtrSubpixelPoint *subpixel; /* NULL without */
} BenchLists;

/* False, and a message on stderr, on failure. */
bool bench_lists_map (CtrContours *contours, BenchLists *lists);

/* Is RESULT, which WHO made of WHAT, EXPECTED to the last byte: table, points, sums, regions, nesting, shapes and subpixels? Says on stderr where
 * it is not. */
bool bench_lists_same (const char *what, const char *who, CtrContours *result, CtrContours *expected);

#endif
