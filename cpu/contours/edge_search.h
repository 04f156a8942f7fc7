/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search for an edge beside one point, on the host. Internal. */
#ifndef CTR_CPU_CONTOURS_EDGE_SEARCH_H
#define CTR_CPU_CONTOURS_EDGE_SEARCH_H

#include "core/results/edge_subpixel.h"
#include "core/results/subpixel_refine.h"

/* Refines POINT of a border whose normal is not 0. */
CtrSubpixelPoint ctr_edge_search_border (
    const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, CtrSubpixelNormal normal);

/* Refines an edge pixel, which has no side (include/contours/edgechains.h). RULE: for edge pixels. */
CtrSubpixelPoint ctr_edge_search_pixel (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point);

#endif
