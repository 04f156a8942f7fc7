/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subpixels of edge pixels, which have no side (include/contours/edgechains.h), by the search of subpixel.h. Internal. */
#ifndef CTR_CORE_RESULTS_EDGE_SUBPIXEL_H
#define CTR_CORE_RESULTS_EDGE_SUBPIXEL_H

#include "core/results/subpixel_axis.h"

CTR_BEGIN_DECLS

/* The axis nearest to the gradient (GX, GY), in its direction; rows if both are equally near. */
CTR_SUBPIXEL_RULE CtrSubpixelAxis
ctr_subpixel_axis_of (int64_t gx, int64_t gy)
{
  const bool wide = ctr_subpixel_abs (gx) >= ctr_subpixel_abs (gy);
  const CtrSubpixelAxis axis = {wide, wide ? (gx < 0 ? -1 : 1) : 0, wide ? 0 : (gy < 0 ? -1 : 1)};
  return axis;
}

CTR_SUBPIXEL_RULE bool
ctr_subpixel_same_axis (CtrSubpixelAxis a, CtrSubpixelAxis b)
{
  return a.x == b.x && a.y == b.y;
}

/* The axis of the samples beside POINT. It mostly is that of the smoothed gradient, which comes out alike on each axis. */
CTR_SUBPIXEL_RULE CtrSubpixelAxis
ctr_subpixel_first_axis (const CtrSubpixelPlane *plane, CtrPoint point)
{
  const int32_t x = point.x, y = point.y;
  return ctr_subpixel_axis_of (ctr_subpixel_sample (plane, x + 1, y) - ctr_subpixel_sample (plane, x - 1, y),
      ctr_subpixel_sample (plane, x, y + 1) - ctr_subpixel_sample (plane, x, y - 1));
}

enum { CTR_SUBPIXEL_EDGE_PIXEL_MIDDLE = 0 }; /* where an edge is expected on the axis, in 1/256 pixel */

/* POINT as it is, where no edge was found on the axis of its gradient G. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_keep_edge_pixel (CtrPoint point, CtrSubpixelGradient g, CtrSubpixelRoom room)
{
  if (g.x == 0 && g.y == 0)
    return ctr_subpixel_keep (point, 0, 0, CTR_SUBPIXEL_LONE);
  const bool leaves = room.ahead < CTR_SUBPIXEL_REACH || room.behind < CTR_SUBPIXEL_REACH;
  CtrSubpixelPoint kept = ctr_subpixel_keep (point, 0, 0, leaves ? CTR_SUBPIXEL_FRAME : CTR_SUBPIXEL_NO_EDGE);
  kept.normal = ctr_subpixel_angle (g.x, g.y);
  return kept;
}

CTR_END_DECLS

#endif
