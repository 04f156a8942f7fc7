/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of borders follows the definition alone, slowly. It shares no code with the backends. */
#ifndef CTR_TESTS_BORDERS_REFERENCE_H
#define CTR_TESTS_BORDERS_REFERENCE_H

#include "tests/core/results/contours.h"

/* The borders of a host IMAGE. Free with reference_contours_free(). */
Contours reference_borders (const CtrImage *image, const CtrBordersParams *params);

/* Area, length, box (in pixels) and sums of a contour of row->count points. */
void reference_measure (const CtrPoint *points, CtrContour *row, CtrContourSums *sums);

#endif
