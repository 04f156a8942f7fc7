/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of contours on the host. Internal. */
#ifndef CTR_CPU_CONTOURS_CONTOUR_SHAPES_H
#define CTR_CPU_CONTOURS_CONTOUR_SHAPES_H

#include "core/results/contourlist.h"

/* Fills arrays->shapes and arrays->fits, where they are there, of COUNT contours, on up to THREADS threads. DIRECTION: see
 * CtrBordersPlan. False if there is no memory or the work is cancelled. */
bool ctr_contour_shapes (
    const CtrContourArrays *arrays, uint32_t count, uint32_t features, const int64_t direction[2], unsigned threads);

#endif
