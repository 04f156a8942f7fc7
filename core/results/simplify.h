/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Closed lines with fewer points (Ramer; Douglas, Peucker), equal to approxPolyDP of OpenCV 4.13 and newer. Internal.
 */
#ifndef CTR_CORE_RESULTS_SIMPLIFY_H
#define CTR_CORE_RESULTS_SIMPLIFY_H

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

/* Writes to TO, room for COUNT, what remains of POINTS where dropped ones may be EPSILON from the segment that replaces
 * them; returns how many: 0 where it is cancelled. WORK: room for COUNT + 1 numbers. */
uint32_t ctr_simplify (const CtrPoint *points, uint32_t count, double epsilon, CtrPoint *to, uint32_t *work);

CTR_END_DECLS

#endif
