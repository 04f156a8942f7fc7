/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/contours/edge_search.h"

#include <string.h>

/* Adds up the sums at all places on AXIS around POINT. */
static void
derive (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, CtrSubpixelAxis axis,
    CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES])
{
  const int32_t radius = (int32_t) rule->radius, reach = radius + CTR_SUBPIXEL_REACH;
  const bool inside = ctr_subpixel_inside (rule, plane, point);
  memset (sums, 0, CTR_SUBPIXEL_PLACES * sizeof *sums);
  for (int32_t c = -reach; c <= reach; c++) {
    const CtrSubpixelLine line = ctr_subpixel_line (rule, radius, plane, point, axis, c, inside);
    for (int k = 0; k < CTR_SUBPIXEL_PLACES; k++) /* Weights beyond the radius are 0. */
      ctr_subpixel_add (rule, c - (k - CTR_SUBPIXEL_REACH), &line, &sums[k]);
  }
}

/* The edge nearest to MIDDLE, in 1/256 pixel along the axis, among SUMS; the first one of two equally near ones. */
static CtrSubpixelEdge
search (
    const CtrSubpixelRule *rule, const CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES], CtrSubpixelRoom room, int32_t middle)
{
  CtrSubpixelEdge edge = {false, 0, 0, 0, 0};
  uint64_t nearest = UINT64_MAX;
  CtrSubpixelChange from = ctr_subpixel_change (&sums[0]);
  for (int k = 0; k + 1 < CTR_SUBPIXEL_PLACES; k++) {
    const CtrSubpixelChange to = ctr_subpixel_change (&sums[k + 1]);
    const int32_t place = k - CTR_SUBPIXEL_REACH, t = ctr_subpixel_edge_between (rule, place, &from, &to, room);
    const uint64_t distance = ctr_subpixel_abs (place * 256 + t - middle);
    if (t >= 0 && distance < nearest) {
      nearest = distance;
      edge = ctr_subpixel_edge_at (rule, place, t, from.sign, &sums[k], &sums[k + 1]);
    }
    from = to;
  }
  return edge;
}

CtrSubpixelPoint
ctr_edge_search_border (
    const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, CtrSubpixelNormal normal)
{
  const CtrSubpixelAxis axis = ctr_subpixel_border_axis (plane, point, normal.x, normal.y);
  const CtrSubpixelRoom room = ctr_subpixel_room (plane, point, axis);
  if (room.ahead == 0)
    return ctr_subpixel_keep (point, normal.x, normal.y, CTR_SUBPIXEL_FRAME);
  CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES];
  derive (rule, plane, point, axis, sums);
  const CtrSubpixelEdge edge = search (rule, sums, room, CTR_SUBPIXEL_BORDER_MIDDLE);
  if (!edge.found)
    return ctr_subpixel_keep (point, normal.x, normal.y, CTR_SUBPIXEL_NO_EDGE);
  return ctr_subpixel_at_edge (rule, point, axis, &edge);
}

CtrSubpixelPoint
ctr_edge_search_pixel (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point)
{
  CtrSubpixelAxis axis = ctr_subpixel_first_axis (plane, point);
  CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES];
  CtrSubpixelGradient g;
  bool moved;
  do {
    derive (rule, plane, point, axis, sums);
    g = ctr_subpixel_gradient (axis, sums[CTR_SUBPIXEL_REACH].a, sums[CTR_SUBPIXEL_REACH].b);
    const CtrSubpixelAxis nearest = ctr_subpixel_axis_of (g.x, g.y);
    moved = !ctr_subpixel_same_axis (nearest, axis);
    axis = nearest;
  } while (moved);
  const CtrSubpixelRoom room = ctr_subpixel_room (plane, point, axis);
  const CtrSubpixelEdge edge = search (rule, sums, room, CTR_SUBPIXEL_EDGE_PIXEL_MIDDLE);
  if ((g.x == 0 && g.y == 0) || !edge.found)
    return ctr_subpixel_keep_edge_pixel (point, g, room);
  return ctr_subpixel_at_edge (rule, point, axis, &edge);
}
