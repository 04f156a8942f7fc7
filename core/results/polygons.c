/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of polygons that the caller has. */
#include "core/common/error.h"
#include "core/results/contourlist.h"

#include <math.h>
#include <string.h>

/* Sets ROW to the polygon of its points. */
static void
measure (CtrContour *row, const CtrPoint *points)
{
  uint16_t left = UINT16_MAX, top = UINT16_MAX, right = 0, bottom = 0;
  for (uint32_t i = 0; i < row->count; i++) {
    const CtrPoint *from = &points[i], *to = &points[i + 1 < row->count ? i + 1 : 0];
    const int64_t dx = to->x - from->x, dy = to->y - from->y;
    row->area2 += (int64_t) from->x * to->y - (int64_t) to->x * from->y;
    row->length += (uint64_t) ((float) sqrt ((double) (dx * dx + dy * dy)) / CTR_LENGTH_UNIT);
    left = from->x < left ? from->x : left;
    top = from->y < top ? from->y : top;
    right = from->x > right ? from->x : right;
    bottom = from->y > bottom ? from->y : bottom;
  }
  row->left = left;
  row->top = top;
  row->width = right - left;
  row->height = bottom - top;
}

CtrContours *
ctr_contours_new_polygons (const CtrPoint *points, const uint32_t *counts, uint32_t count, CtrCoordinates coordinates,
    uint32_t width, uint32_t height, CtrError *error)
{
  CtrContours info = {.width = width, .height = height, .count = count, .coordinates = coordinates};
  CtrContourArrays arrays;
  for (uint32_t i = 0; i < count; i++) {
    if (counts[i] == 0) {
      ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "polygon %u has no point, but needs one or more", i);
      return NULL;
    }
    info.point_count += counts[i];
  }
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, error);
  if (!contours)
    return NULL;
  if (info.point_count > 0)
    memcpy (arrays.points, points, info.point_count * sizeof *points);
  uint64_t first = 0;
  for (uint32_t i = 0; i < count; i++) {
    CtrContour *row = &arrays.table[i];
    *row = (CtrContour){.first = first,
        .count = counts[i],
        .next = i + 1 < count ? (int32_t) i + 1 : -1,
        .previous = (int32_t) i - 1,
        .child = -1,
        .parent = -1};
    measure (row, points + first);
    /* Of pixels, the box counts them. */
    row->width += coordinates == CTR_COORDINATES_PIXELS && row->width < UINT16_MAX;
    row->height += coordinates == CTR_COORDINATES_PIXELS && row->height < UINT16_MAX;
    first += counts[i];
  }
  return contours;
}
