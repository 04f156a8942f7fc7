/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures of borders and of parts of borders: integers, so parts add up to exactly the whole. Internal. */
#ifndef CTR_CPU_BORDERS_MEASURES_H
#define CTR_CPU_BORDERS_MEASURES_H

#include "core/borders/borders.h"

typedef struct {
  int64_t area2;
  uint64_t length; /* CTR_LENGTH_UNIT */
  uint16_t left, top, right, bottom;
} CtrLineMeasures;

/* Measures a line of COUNT points, at least one: CLOSED, or from the first point to the last one. UNIT: consecutive
 * points are neighbouring pixels. False if the work is cancelled. */
bool ctr_measure_line (const CtrPoint *points, uint64_t count, bool closed, bool unit, CtrLineMeasures *measures);

/* Adds MORE, which begins at point TO, to the line that ends at point FROM. */
void ctr_measures_join (CtrLineMeasures *measures, CtrPoint from, CtrPoint to, const CtrLineMeasures *more);

/* Adds the segment from FROM to TO, which closes the line. */
void ctr_measures_close (CtrLineMeasures *measures, CtrPoint from, CtrPoint to);

/* The row of a contour with COUNT points; the other members are 0. */
CtrContour ctr_measures_row (const CtrLineMeasures *measures, uint32_t count);

bool ctr_measures_kept (const CtrContour *row, const CtrBordersPlan *plan);

#endif
