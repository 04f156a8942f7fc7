/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting: adds points in the middle of long edges. */
#include "cpu/snake/moves.h"
#include "cpu/snake/polygon.h"

static CtrSnakeBox
box_of (const CtrSnakePolygon *polygon, const CtrSnakeChange *middle)
{
  const CtrPoint *points = polygon->points.data;
  return ctr_snake_box_with (
      ctr_snake_box (points[middle->index], points[ctr_snake_next (polygon->count, middle->index)]), middle->to);
}

static bool
touches_edges (const CtrSnakePolygon *polygon, const CtrSnakeChange *middle)
{
  uint32_t *near = polygon->near.data;
  const uint32_t found = ctr_snake_boxes_near (&polygon->boxes, polygon->count, box_of (polygon, middle), near);
  for (uint32_t k = 0; k < found; k++)
    if (near[k] != middle->index
        && ctr_snake_split_touches (polygon->points.data, polygon->count, middle->index, middle->to, near[k]))
      return true;
  return false;
}

/* Finds the proposals, in the order of their edges. Returns their number. */
static uint32_t
find_middles (CtrSnakePolygon *polygon)
{
  const CtrPoint *points = polygon->points.data;
  CtrSnakeChange *middles = polygon->changes.data;
  uint32_t count = 0;
  for (uint32_t i = 0; i < polygon->count && !ctr_snake_polygon_poll (polygon, 4 + polygon->count / 8); i++) {
    const CtrPoint a = points[i], b = points[ctr_snake_next (polygon->count, i)];
    middles[count] = (CtrSnakeChange){.index = i, .to = ctr_snake_middle (a, b)};
    count += ctr_snake_splits (a, b, polygon->task->min_segment) && !touches_edges (polygon, &middles[count]);
  }
  return count;
}

/* Drops middles whose edges touch those of an earlier one, and those beyond CTR_SNAKE_MAX_POINTS. Returns the number of
 * middles that remain. */
static uint32_t
drop_middles (CtrSnakePolygon *polygon, uint32_t count)
{
  CtrSnakeChange *middles = polygon->changes.data;
  uint32_t *near = polygon->near.data, kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeBox box = box_of (polygon, &middles[i]);
    const uint32_t found = ctr_snake_boxes_near (&polygon->area, i, box, near);
    if (ctr_snake_polygon_poll (polygon, i / 8 + found))
      return 0;
    middles[i].dropped = polygon->count + kept == CTR_SNAKE_MAX_POINTS;
    for (uint32_t k = 0; k < found && !middles[i].dropped; k++) {
      const CtrSnakeChange *other = &middles[near[k]];
      middles[i].dropped = ctr_snake_two_splits_touch (
          polygon->points.data, polygon->count, middles[i].index, middles[i].to, other->index, other->to);
    }
    kept += !middles[i].dropped;
    ctr_snake_boxes_set (&polygon->area, i, box);
  }
  return kept;
}

/* Inserts the KEPT of COUNT middles from the last one to the first, so that points only move up the list. */
static void
enter_middles (CtrSnakePolygon *polygon, uint32_t count, uint32_t kept)
{
  const CtrSnakeChange *middles = polygon->changes.data;
  CtrPoint *points = polygon->points.data;
  uint32_t to = polygon->count + kept;
  for (uint32_t i = polygon->count; i-- > 0;) {
    if (count > 0 && middles[count - 1].index == i) {
      count--;
      if (!middles[count].dropped)
        points[--to] = middles[count].to;
    }
    points[--to] = points[i];
  }
  polygon->count += kept;
}

bool
ctr_snake_polygon_split (CtrSnakePolygon *polygon, bool *any)
{
  const uint32_t count = find_middles (polygon), kept = drop_middles (polygon, count);
  *any = kept > 0;
  if (kept == 0)
    return true;
  if (!ctr_snake_polygon_reserve (polygon, polygon->count + kept))
    return false;
  enter_middles (polygon, count, kept);
  ctr_snake_polygon_sum (polygon);
  return true;
}
