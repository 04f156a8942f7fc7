/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The corners of a region of blocks, simplified: steps 4 to 6 of core/snake/snake.h. A corner's coordinates are those of
 * the block at its lower right, with the frame. */
#include "cpu/snake/outline.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  int32_t x;
  int32_t y;
} Corner;

typedef struct {
  Corner at[CTR_SNAKE_CORNERS];
  bool kept[CTR_SNAKE_CORNERS + 1]; /* the first one once more behind the last */
  uint32_t count;
} Corners;

/* Follows the outline from the upper left corner of block FIRST, with the region on the right. The region has no holes,
 * and none of its blocks meet at a corner alone (then the blocks beside them would be holes), so that the outline
 * passes a corner once. False if there are too many corners. */
static bool
trace (const CtrSnakeFrame *frame, const uint8_t *region, uint32_t first, Corners *corners)
{
  static const Corner steps[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}; /* right, down, left, up */
  const Corner start = {(int32_t) (first % frame->width), (int32_t) (first / frame->width)};
  Corner at = start;
  uint32_t heading = 3; /* it arrives from below, so that the start is a corner */
  corners->count = 0;
  do {
    const uint8_t *block = region + (uint32_t) at.y * frame->width + (uint32_t) at.x;
    const bool here = block[0], left = block[-1], above = block[-(ptrdiff_t) frame->width],
               across = block[-1 - (ptrdiff_t) frame->width];
    const uint32_t next = here && !above ? 0 : left && !here ? 1 : across && !left ? 2 : 3;
    if (next != heading) {
      if (corners->count == CTR_SNAKE_CORNERS)
        return false;
      corners->at[corners->count++] = at;
      heading = next;
    }
    at = (Corner){at.x + steps[heading].x, at.y + steps[heading].y};
  } while (at.x != start.x || at.y != start.y);
  return true;
}

static int64_t
cross (Corner a, Corner b, Corner c)
{
  return (int64_t) (b.x - a.x) * (c.y - a.y) - (int64_t) (b.y - a.y) * (c.x - a.x);
}

static int64_t
square_of_distance (Corner a, Corner b)
{
  return (int64_t) (a.x - b.x) * (a.x - b.x) + (int64_t) (a.y - b.y) * (a.y - b.y);
}

/* Keeps the farthest corner between FIRST and END if it is more than 1 from the line through these. */
static bool
keep_farthest (Corners *corners, uint32_t first, uint32_t end)
{
  const Corner a = corners->at[first], b = corners->at[end % corners->count];
  int64_t most = 0;
  uint32_t farthest = first;
  for (uint32_t i = first + 1; i < end; i++) {
    const int64_t distance = llabs (cross (a, b, corners->at[i])); /* times the length */
    if (distance > most) {
      most = distance;
      farthest = i;
    }
  }
  const bool keep = most * most > square_of_distance (a, b);
  if (keep)
    corners->kept[farthest] = true;
  return keep;
}

static void
simplify (Corners *corners)
{
  int64_t most = 0;
  uint32_t farthest = 0;
  memset (corners->kept, 0, sizeof corners->kept);
  for (uint32_t i = 1; i < corners->count; i++) {
    const int64_t distance = square_of_distance (corners->at[0], corners->at[i]);
    if (distance > most) {
      most = distance;
      farthest = i;
    }
  }
  corners->kept[0] = corners->kept[farthest] = corners->kept[corners->count] = true;
  bool any = true;
  for (int level = 0; level < CTR_SNAKE_LEVELS && any; level++) {
    uint32_t last = 0;
    any = false;
    for (uint32_t i = 1; i <= corners->count; i++)
      if (corners->kept[i]) {
        any = keep_farthest (corners, last, i) || any;
        last = i;
      }
  }
}

/* Do no two edges of POINTS touch or fold? */
static bool
is_simple (CtrSnakePolygon *polygon, const CtrPoint *points, uint32_t count)
{
  if (count < 3)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t next = ctr_snake_next (count, i);
    if (ctr_snake_fold (points[i], points[next], points[ctr_snake_next (count, next)])
        || ctr_snake_polygon_poll (polygon, count / 2))
      return false;
    for (uint32_t j = i + 2; j < count; j++)
      if (ctr_snake_next (count, j) != i
          && ctr_snake_touch (points[i], points[next], points[j], points[ctr_snake_next (count, j)]))
        return false;
  }
  return true;
}

uint32_t
ctr_snake_simplify_region (CtrSnakePolygon *polygon, const CtrSnakeFrame *frame)
{
  const uint8_t *region = polygon->region.data;
  CtrPoint *points = polygon->points.data;
  Corners corners;
  uint32_t first = 0, count = 0;
  while (!region[first])
    first++;
  if (!trace (frame, region, first, &corners))
    return 0;
  simplify (&corners);
  for (uint32_t i = 0; i < corners.count; i++)
    if (corners.kept[i])
      points[count++] =
          ctr_snake_grid_point (&polygon->task->window, &frame->grid, corners.at[i].x - 1, corners.at[i].y - 1);
  return is_simple (polygon, points, count) ? count : 0;
}
