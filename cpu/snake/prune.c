/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pruning: removes points that do not shorten the description of a polygon. */
#include "cpu/snake/moves.h"
#include "cpu/snake/polygon.h"

/* What determines the description length of a polygon with some points removed. */
typedef struct {
  uint32_t count;
  CtrSnakeSums inside;
  CtrSnakeLengths lengths;
} Rest;

static Rest
rest_of (const CtrSnakePolygon *polygon)
{
  return (Rest){polygon->count, polygon->inside, ctr_snake_lengths (polygon->points.data, polygon->count)};
}

static void
remove_edge (Rest *rest, CtrPoint a, CtrPoint b)
{
  rest->lengths.x -= ctr_snake_distance (a.x, b.x);
  rest->lengths.y -= ctr_snake_distance (a.y, b.y);
}

/* REST with point I removed, too. No neighbour of I is removed. */
static Rest
without (CtrSnakePolygon *polygon, Rest rest, uint32_t i)
{
  const CtrPoint *points = polygon->points.data;
  const CtrSnakeSums *edges = polygon->edges.data;
  const uint32_t before = ctr_snake_before (polygon->count, i);
  const CtrPoint a = points[before], b = points[ctr_snake_next (polygon->count, i)];
  ctr_snake_polygon_poll (polygon, ctr_snake_polygon_rows (a, b));
  rest.count--;
  rest.inside = ctr_snake_sums_sub (rest.inside, ctr_snake_sums_add (edges[before], edges[i]));
  rest.inside = ctr_snake_sums_add (rest.inside, ctr_snake_table_edge (polygon->table, a, b));
  remove_edge (&rest, a, points[i]);
  remove_edge (&rest, points[i], b);
  rest.lengths.x += ctr_snake_distance (a.x, b.x);
  rest.lengths.y += ctr_snake_distance (a.y, b.y);
  return rest;
}

static double
description_of (const CtrSnakePolygon *polygon, const Rest *rest)
{
  const double criterion = ctr_snake_criterion (&polygon->plan->cost, rest->inside, polygon->window);
  return ctr_snake_description (criterion, polygon->window.n, rest->count, rest->lengths);
}

/* The bounding box of the point's edges, so that the boxes of neighbours touch. */
static CtrSnakeBox
box_of (const CtrSnakePolygon *polygon, uint32_t i)
{
  const CtrPoint *points = polygon->points.data;
  const CtrPoint a = points[ctr_snake_before (polygon->count, i)], b = points[ctr_snake_next (polygon->count, i)];
  return ctr_snake_box_with (ctr_snake_box (a, b), points[i]);
}

static bool
touches_edges (const CtrSnakePolygon *polygon, uint32_t i)
{
  uint32_t *near = polygon->near.data;
  const uint32_t found = ctr_snake_boxes_near (&polygon->boxes, polygon->count, box_of (polygon, i), near);
  for (uint32_t k = 0; k < found; k++)
    if (near[k] != i && near[k] != ctr_snake_before (polygon->count, i)
        && ctr_snake_removal_touches (polygon->points.data, polygon->count, i, near[k]))
      return true;
  return false;
}

/* Finds the points whose removal alone gives a description length below LIMIT. Returns their number. */
static uint32_t
find_removals (CtrSnakePolygon *polygon, const Rest *all, double limit)
{
  CtrSnakeChange *removals = polygon->changes.data;
  uint32_t count = 0;
  for (uint32_t i = 0; i < polygon->count && !ctr_snake_polygon_poll (polygon, polygon->count / 8); i++) {
    const Rest rest = without (polygon, *all, i);
    removals[count] = (CtrSnakeChange){.index = i, .value = description_of (polygon, &rest)};
    count += removals[count].value < limit && !touches_edges (polygon, i);
  }
  return count;
}

/* Drops removals that conflict with better ones. */
static void
drop_removals (CtrSnakePolygon *polygon, uint32_t count)
{
  CtrSnakeChange *removals = polygon->changes.data;
  uint32_t *near = polygon->near.data;
  for (uint32_t i = 0; i < count; i++)
    ctr_snake_boxes_set (&polygon->area, i, box_of (polygon, removals[i].index));
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeBox box = box_of (polygon, removals[i].index);
    const uint32_t found = ctr_snake_boxes_near (&polygon->area, count, box, near);
    if (ctr_snake_polygon_poll (polygon, count / 8 + found))
      return;
    for (uint32_t k = 0; k < found && !removals[i].dropped; k++) {
      const CtrSnakeChange *other = &removals[near[k]];
      removals[i].dropped =
          near[k] != i && ctr_snake_better (other, &removals[i])
          && ctr_snake_two_removals_touch (polygon->points.data, polygon->count, removals[i].index, other->index);
    }
  }
}

/* Drops all removals but the best if all of them together do not give a description length below LIMIT. */
static void
judge_removals (CtrSnakePolygon *polygon, const Rest *all, uint32_t count, double limit)
{
  CtrSnakeChange *removals = polygon->changes.data;
  Rest rest = *all;
  uint32_t best = 0;
  for (uint32_t i = 0; i < count && !polygon->cancelled; i++) {
    if (!removals[i].dropped)
      rest = without (polygon, rest, removals[i].index);
    best = ctr_snake_better (&removals[i], &removals[best]) ? i : best;
  }
  if (rest.count >= 3 && description_of (polygon, &rest) < limit)
    return;
  for (uint32_t i = 0; i < count; i++)
    removals[i].dropped = i != best;
}

static void
make_removals (CtrSnakePolygon *polygon, uint32_t count)
{
  const CtrSnakeChange *removals = polygon->changes.data;
  CtrPoint *points = polygon->points.data;
  uint32_t kept = 0;
  for (uint32_t i = 0, next = 0; i < polygon->count; i++) {
    const bool listed = next < count && removals[next].index == i;
    if (!listed || removals[next].dropped)
      points[kept++] = points[i];
    next += listed;
  }
  polygon->count = kept;
}

static bool
prune_once (CtrSnakePolygon *polygon)
{
  if (polygon->count <= 3)
    return false;
  const Rest all = rest_of (polygon);
  const double limit = description_of (polygon, &all);
  const uint32_t count = find_removals (polygon, &all, limit);
  if (count == 0 || polygon->cancelled)
    return false;
  drop_removals (polygon, count);
  judge_removals (polygon, &all, count, limit);
  make_removals (polygon, count);
  ctr_snake_polygon_sum (polygon);
  return true;
}

bool
ctr_snake_polygon_prune (CtrSnakePolygon *polygon)
{
  bool any = false;
  while (ctr_snake_polygon_iterate (polygon) && prune_once (polygon)) {
    ctr_snake_polygon_record (polygon, CTR_SNAKE_PRUNED, 1);
    any = true;
  }
  return any;
}
