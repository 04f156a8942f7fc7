/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subpixels of edge pixels, which have no side (include/contours/edgechains.h), by the search of subpixel.h. Internal. */
#ifndef CTR_CORE_RESULTS_EDGE_SUBPIXEL_H
#define CTR_CORE_RESULTS_EDGE_SUBPIXEL_H

#include "core/results/subpixel.h"

CTR_BEGIN_DECLS

/* The axis nearest to the gradient (GX, GY), in its direction; rows if both are equally near. */
typedef struct {
  bool wide; /* a row */
  int32_t x, y;
} CtrSubpixelAxis;

CTR_SUBPIXEL_RULE CtrSubpixelAxis
ctr_subpixel_axis_of (int64_t gx, int64_t gy)
{
  const bool wide = ctr_subpixel_abs (gx) >= ctr_subpixel_abs (gy);
  const CtrSubpixelAxis axis = {wide, wide ? (gx < 0 ? -1 : 1) : 0, wide ? 0 : (gy < 0 ? -1 : 1)};
  return axis;
}

/* Refines an edge pixel, which has no side (include/contours/edgechains.h). RULE: for edge pixels. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_refine_edge_pixel (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point)
{
  const int32_t x = point.x, y = point.y;
  /* The samples beside the pixel mostly have the axis of the smoothed gradient, which comes out alike on each axis. */
  CtrSubpixelAxis axis =
      ctr_subpixel_axis_of (ctr_subpixel_sample (plane, x + 1, y) - ctr_subpixel_sample (plane, x - 1, y),
          ctr_subpixel_sample (plane, x, y + 1) - ctr_subpixel_sample (plane, x, y - 1));
  CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES];
  int64_t gx, gy;
  bool moved;
  do {
    ctr_subpixel_derive_axis (rule, plane, point, axis.x, axis.y, sums);
    const CtrSubpixelSums here = sums[CTR_SUBPIXEL_REACH];
    gx = axis.wide ? axis.x * here.a : here.b;
    gy = axis.wide ? here.b : axis.y * here.a;
    const CtrSubpixelAxis nearest = ctr_subpixel_axis_of (gx, gy);
    moved = nearest.x != axis.x || nearest.y != axis.y;
    axis = nearest;
  } while (moved);
  if (gx == 0 && gy == 0)
    return ctr_subpixel_keep (point, 0, 0, CTR_SUBPIXEL_LONE);
  const int32_t right = plane->width - 1 - x, below = plane->height - 1 - y;
  const int32_t ahead = axis.wide ? (axis.x > 0 ? right : x) : (axis.y > 0 ? below : y),
                behind = axis.wide ? (axis.x > 0 ? x : right) : (axis.y > 0 ? y : below);
  const CtrSubpixelEdge edge = ctr_subpixel_search (rule, sums, ahead, behind, 0);
  if (edge.found)
    return ctr_subpixel_at_edge (rule, point, axis.wide, axis.x, axis.y, &edge);
  const bool leaves = ahead < CTR_SUBPIXEL_REACH || behind < CTR_SUBPIXEL_REACH;
  CtrSubpixelPoint kept = ctr_subpixel_keep (point, 0, 0, leaves ? CTR_SUBPIXEL_FRAME : CTR_SUBPIXEL_NO_EDGE);
  kept.normal = ctr_subpixel_angle (gx, gy);
  return kept;
}

CTR_END_DECLS

#endif
