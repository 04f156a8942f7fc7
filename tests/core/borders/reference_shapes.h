/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of contours after its definition alone, slowly. */
#ifndef CTR_TESTS_BORDERS_REFERENCE_SHAPES_H
#define CTR_TESTS_BORDERS_REFERENCE_SHAPES_H

#include "tests/core/results/contours.h"

/* The shape of the contour ROW with POINTS, but for its holes. */
CtrContourShape reference_shape (const CtrPoint *points, const CtrContour *row, uint32_t features, double feret_angle);

/* Adds the holes of COUNT contours. */
void reference_holes (const CtrContour *table, uint32_t count, CtrContourShape *shapes);

/* The sums of all pixels along a contour. */
CtrContourFits reference_fits (const CtrPoint *points, const CtrContour *row);

#endif
