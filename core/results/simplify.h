/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simplification of closed contours (Ramer; Douglas, Peucker), equal to approxPolyDP() of OpenCV 4.13 and newer.
 * Internal. */
#ifndef CTR_CORE_RESULTS_SIMPLIFY_H
#define CTR_CORE_RESULTS_SIMPLIFY_H

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

/* Simplifies a contour of COUNT POINTS with the tolerance EPSILON. Writes the points that remain to TO, which has room
 * for COUNT, and returns their number; 0 if the work is cancelled. WORK has room for COUNT + 1 numbers. INDICES, which may be
 * NULL, has room for COUNT: it becomes the places of these points in POINTS. */
uint32_t ctr_simplify (
    const CtrPoint *points, uint32_t count, double epsilon, CtrPoint *to, uint32_t *indices, uint32_t *work);

CTR_END_DECLS

#endif
