/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of a contour, on the host. Internal. */
#ifndef CTR_CPU_CONTOURS_CONTOUR_MEASURES_H
#define CTR_CPU_CONTOURS_CONTOUR_MEASURES_H

#include <contours/contourlist.h>

/* Of the closed line through COUNT points. False where it is cancelled. */
bool ctr_contour_sums (const CtrPoint *points, uint32_t count, CtrContourSums *sums);

#endif
