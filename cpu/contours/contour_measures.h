/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures of contours. Internal. */
#ifndef CTR_CPU_CONTOURS_CONTOUR_MEASURES_H
#define CTR_CPU_CONTOURS_CONTOUR_MEASURES_H

#include <contours/contourlist.h>

/* The sums of the contour with COUNT POINTS. False if the work is cancelled. */
bool ctr_contour_sums (const CtrPoint *points, uint32_t count, CtrContourSums *sums);

/* The sums of a part of a contour, from its first to its last one of COUNT POINTS. The sums of parts, and of the
 * segments between these, add up to exactly those of the contour. */
bool ctr_contour_part_sums (const CtrPoint *points, uint64_t count, CtrContourSums *sums);
void ctr_contour_sums_add (CtrContourSums *sums, const CtrContourSums *more);
void ctr_contour_sums_add_segment (CtrContourSums *sums, CtrPoint from, CtrPoint to);

#endif
