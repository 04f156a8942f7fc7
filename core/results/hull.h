/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The convex hull of a contour on the host. Internal. */
#ifndef CTR_CORE_RESULTS_HULL_H
#define CTR_CORE_RESULTS_HULL_H

#include <contours/shapes.h>

#include <stddef.h>

CTR_BEGIN_DECLS

/* Memory that serves one contour after the other; zero at first. */
typedef struct {
  uint32_t *rows; /* the leftmost and the rightmost point of each row, then the hull */
  size_t room;
  uint32_t *hull; /* in ROWS: indices of the vertices */
  uint32_t count; /* of them */
  uint32_t right; /* those of them that the right side of the contour has */
} CtrHullWork;

void ctr_hull_work_free (CtrHullWork *work);

/* Finds the hull of a contour, see ctr_contour_hull(). False if there is no memory or the work is cancelled. */
bool ctr_hull_find (CtrHullWork *work, const CtrPoint *points, uint32_t count);

CTR_END_DECLS

#endif
