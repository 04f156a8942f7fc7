/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures of contours. Internal. */
#ifndef CTR_CPU_CONTOURS_CONTOUR_MEASURES_H
#define CTR_CPU_CONTOURS_CONTOUR_MEASURES_H

#include <contours/contourlist.h>

/* The sums of the contour with COUNT POINTS. False if the work is cancelled. */
bool ctr_contour_sums (const CtrPoint *points, uint32_t count, CtrContourSums *sums);

#endif
