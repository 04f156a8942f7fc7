/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subpixel contours on the host. Internal. */
#ifndef CTR_CPU_CONTOURS_CONTOUR_SUBPIXEL_H
#define CTR_CPU_CONTOURS_CONTOUR_SUBPIXEL_H

#include "core/results/contourlist.h"
#include "core/results/edge_subpixel.h"
#include "cpu/common/host_buffer.h"

/* Sets PLANE to the samples of CHANNEL in IMAGE, which may be a view of its luma in a shared input: to those of IMAGE, or to a
 * copy in BUFFER. */
bool ctr_contour_subpixel_plane (CtrHostBuffer *buffer, const CtrImage *image, CtrChannel channel, unsigned threads,
    CtrSubpixelPlane *plane, CtrError *error);

/* Fills arrays->subpixel of all points of COUNT contours, on up to THREADS threads. False if the work is cancelled. */
bool ctr_contour_subpixel (const CtrContourArrays *arrays, uint32_t count, uint64_t points, const CtrSubpixelRule *rule,
    const CtrSubpixelPlane *plane, uint32_t threshold, unsigned threads);

/* The same of COUNT edge pixels. RULE: for edge pixels. */
bool ctr_edge_pixels_subpixel (const CtrPoint *pixels, uint64_t count, const CtrSubpixelRule *rule,
    const CtrSubpixelPlane *plane, unsigned threads, CtrSubpixelPoint *subpixel);

#endif
