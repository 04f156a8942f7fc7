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

/* Refines an edge pixel, which has no side (include/contours/edgechains.h). RULE: for edge pixels. ALL: an edge is looked for at all
 * places and on each axis that it may take. Otherwise only between the places beside the pixel, on the likeliest axis, in half the
 * time; returns false if the edge may be elsewhere, which leaves *REFINED open. */
CTR_SUBPIXEL_RULE bool
ctr_subpixel_refine_edge_pixel_by (
    const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, bool all, CtrSubpixelPoint *refined)
{
  const int32_t first = all ? -CTR_SUBPIXEL_REACH : -1;
  const int count = all ? CTR_SUBPIXEL_PLACES : 3;
  const int32_t x = point.x, y = point.y;
  /* The samples beside the pixel mostly have the axis of the smoothed gradient, which comes out alike on each axis. */
  CtrSubpixelAxis axis =
      ctr_subpixel_axis_of (ctr_subpixel_sample (plane, x + 1, y) - ctr_subpixel_sample (plane, x - 1, y),
          ctr_subpixel_sample (plane, x, y + 1) - ctr_subpixel_sample (plane, x, y - 1));
  CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES];
  int64_t gx, gy;
  bool moved;
  do {
    ctr_subpixel_derive_axis (rule, plane, point, axis.x, axis.y, first, count, sums);
    const CtrSubpixelSums here = sums[-first];
    gx = axis.wide ? axis.x * here.a : here.b;
    gy = axis.wide ? here.b : axis.y * here.a;
    const CtrSubpixelAxis nearest = ctr_subpixel_axis_of (gx, gy);
    moved = nearest.x != axis.x || nearest.y != axis.y;
    axis = nearest;
  } while (moved && all);
  if (moved)
    return false;
  if (gx == 0 && gy == 0) {
    *refined = ctr_subpixel_keep (point, 0, 0, CTR_SUBPIXEL_LONE);
    return true;
  }
  const int32_t right = plane->width - 1 - x, below = plane->height - 1 - y;
  const int32_t ahead = axis.wide ? (axis.x > 0 ? right : x) : (axis.y > 0 ? below : y),
                behind = axis.wide ? (axis.x > 0 ? x : right) : (axis.y > 0 ? y : below);
  CtrSubpixelEdge edge = {0, 0, 0, 0};
  const uint32_t distance = ctr_subpixel_search_places (rule, sums, count, first, ahead, behind, 0, &edge);
  if (!all && distance >= 256) /* An edge elsewhere may be as near. */
    return false;
  if (distance != UINT32_MAX) {
    *refined = ctr_subpixel_at_edge (rule, point, axis.wide, axis.x, axis.y, &edge);
    return true;
  }
  const bool leaves = ahead < CTR_SUBPIXEL_REACH || behind < CTR_SUBPIXEL_REACH;
  *refined = ctr_subpixel_keep (point, 0, 0, leaves ? CTR_SUBPIXEL_FRAME : CTR_SUBPIXEL_NO_EDGE);
  refined->normal = ctr_subpixel_angle (gx, gy);
  return true;
}

CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_refine_edge_pixel (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point)
{
  CtrSubpixelPoint refined;
  if (!ctr_subpixel_refine_edge_pixel_by (rule, plane, point, false, &refined))
    ctr_subpixel_refine_edge_pixel_by (rule, plane, point, true, &refined);
  return refined;
}

CTR_END_DECLS

#endif
