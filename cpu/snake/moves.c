/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moves of points. The change of the sums by a move depends only on the point and its neighbours, so it is computed
 * once as long as these stay. The criterion depends on the whole polygon, so all moves are evaluated anew in each
 * iteration. */
#include "cpu/snake/moves.h"

#include "cpu/snake/polygon.h"
#include "cpu/snake/price.h"

#include <string.h>

static inline CtrPoint *
points_of (const CtrSnakePolygon *polygon)
{
  return polygon->points.data;
}

static void
sum_gains (CtrSnakePolygon *polygon, uint32_t i, uint32_t step)
{
  const CtrPoint *points = points_of (polygon);
  const CtrSnakeSums *edges = polygon->edges.data;
  const uint32_t before = ctr_snake_before (polygon->count, i);
  const CtrPoint a = points[before], b = points[ctr_snake_next (polygon->count, i)];
  const CtrSnakeSums old = ctr_snake_sums_add (edges[before], edges[i]);
  CtrSnakeGains *gains = (CtrSnakeGains *) polygon->gains.data + i;
  for (uint32_t direction = 0; direction < CTR_SNAKE_DIRECTIONS; direction++) {
    const CtrPoint to = ctr_snake_moved (&polygon->task->window, points[i], direction, (int32_t) step);
    if (ctr_snake_polygon_poll (polygon, ctr_snake_polygon_rows (a, to) + ctr_snake_polygon_rows (to, b)))
      return;
    const CtrSnakeSums sums =
        ctr_snake_sums_add (ctr_snake_table_edge (polygon->table, a, to), ctr_snake_table_edge (polygon->table, to, b));
    const CtrSnakeSums gain = ctr_snake_sums_sub (sums, old);
    gains->n[direction] = gain.n;
    gains->s1[direction] = gain.s1;
    gains->s2[direction] = gain.s2;
  }
}

/* Finds the edges that moves of point I by STEP may touch, except its own. Returns their number. */
static uint32_t
edges_near (CtrSnakePolygon *polygon, uint32_t i, uint32_t step)
{
  const CtrPoint *points = points_of (polygon);
  const uint32_t before = ctr_snake_before (polygon->count, i);
  uint32_t *near = polygon->near.data, kept = 0;
  CtrSnakeBox box = ctr_snake_box (points[before], points[ctr_snake_next (polygon->count, i)]);
  for (uint32_t direction = 1; direction < CTR_SNAKE_DIRECTIONS; direction += 4)
    box = ctr_snake_box_with (box, ctr_snake_moved (&polygon->task->window, points[i], direction, (int32_t) step));
  const uint32_t found = ctr_snake_boxes_near (&polygon->boxes, polygon->count, box, near);
  for (uint32_t k = 0; k < found; k++)
    if (near[k] != before && near[k] != i)
      near[kept++] = near[k];
  return kept;
}

static bool
can_move (const CtrSnakePolygon *polygon, uint32_t i, CtrPoint to, uint32_t near_count)
{
  const CtrPoint *points = points_of (polygon);
  const uint32_t *near = polygon->near.data, count = polygon->count;
  if (ctr_snake_fold (points[ctr_snake_before (count, i)], to, points[ctr_snake_next (count, i)]))
    return false;
  for (uint32_t k = 0; k < near_count; k++)
    if (ctr_snake_move_touches (points, count, i, to, near[k]))
      return false;
  return true;
}

/* The first direction with the lowest criterion below LIMIT, or CTR_SNAKE_DIRECTIONS if there is none. */
static inline uint32_t
best_direction (const double *criteria, double limit)
{
  uint32_t best = CTR_SNAKE_DIRECTIONS;
  for (uint32_t direction = 0; direction < CTR_SNAKE_DIRECTIONS; direction++)
    if (criteria[direction] < limit) {
      limit = criteria[direction];
      best = direction;
    }
  return best;
}

/* Finds the move of point I; false if it has none. */
static bool
find_move (CtrSnakePolygon *polygon, uint32_t i, uint32_t step, CtrSnakeChange *move)
{
  const CtrSnakeGains *gains = (const CtrSnakeGains *) polygon->gains.data + i;
  double criteria[CTR_SNAKE_DIRECTIONS];
  uint32_t near_count = UINT32_MAX, direction;
  ctr_snake_price (&polygon->plan->cost, polygon->inside, polygon->window,
      (CtrSnakeLists){gains->n, gains->s1, gains->s2}, CTR_SNAKE_DIRECTIONS, criteria);
  while ((direction = best_direction (criteria, polygon->criterion)) < CTR_SNAKE_DIRECTIONS) {
    const CtrPoint to = ctr_snake_moved (&polygon->task->window, points_of (polygon)[i], direction, (int32_t) step);
    if (near_count == UINT32_MAX) {
      near_count = edges_near (polygon, i, step);
      if (ctr_snake_polygon_poll (polygon, polygon->count / 8 + near_count))
        return false;
    }
    if (can_move (polygon, i, to, near_count)) {
      *move = (CtrSnakeChange){.index = i, .to = to, .direction = direction, .value = criteria[direction]};
      return true;
    }
    criteria[direction] = HUGE_VAL;
  }
  return false;
}

static uint32_t
find_moves (CtrSnakePolygon *polygon, uint32_t step)
{
  CtrSnakeChange *moves = polygon->changes.data;
  bool *stale = polygon->stale.data;
  uint32_t count = 0;
  for (uint32_t i = 0; i < polygon->count && !ctr_snake_polygon_poll (polygon, 16); i++) {
    if (stale[i])
      sum_gains (polygon, i, step);
    stale[i] = false;
    count += find_move (polygon, i, step, &moves[count]);
  }
  return count;
}

/* The bounding box of the new edges and the old point, so that the boxes of neighbours touch. */
static CtrSnakeBox
box_of (const CtrSnakePolygon *polygon, const CtrSnakeChange *move)
{
  const CtrPoint *points = points_of (polygon);
  const CtrPoint a = points[ctr_snake_before (polygon->count, move->index)];
  const CtrPoint b = points[ctr_snake_next (polygon->count, move->index)];
  return ctr_snake_box_with (ctr_snake_box_with (ctr_snake_box (a, b), move->to), points[move->index]);
}

/* Drops moves that conflict with better ones. */
static void
drop_moves (CtrSnakePolygon *polygon, uint32_t count)
{
  const CtrPoint *points = points_of (polygon);
  CtrSnakeChange *moves = polygon->changes.data;
  uint32_t *near = polygon->near.data;
  for (uint32_t i = 0; i < count; i++)
    ctr_snake_boxes_set (&polygon->area, i, box_of (polygon, &moves[i]));
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeBox box = box_of (polygon, &moves[i]);
    const uint32_t found = ctr_snake_boxes_near (&polygon->area, count, box, near);
    if (ctr_snake_polygon_poll (polygon, count / 8 + found))
      return;
    for (uint32_t k = 0; k < found && !moves[i].dropped; k++) {
      const CtrSnakeChange *other = &moves[near[k]];
      moves[i].dropped =
          near[k] != i && ctr_snake_better (other, &moves[i])
          && ctr_snake_moves_touch (points, polygon->count, moves[i].index, moves[i].to, other->index, other->to);
    }
  }
}

static CtrSnakeSums
gain_of (const CtrSnakePolygon *polygon, const CtrSnakeChange *move)
{
  const CtrSnakeGains *gains = (const CtrSnakeGains *) polygon->gains.data + move->index;
  return (CtrSnakeSums){gains->n[move->direction], gains->s1[move->direction], gains->s2[move->direction]};
}

/* Drops all moves but the best if the criterion does not fall by all of them together. Updates the criterion. */
static void
judge_moves (CtrSnakePolygon *polygon, uint32_t count)
{
  CtrSnakeChange *moves = polygon->changes.data;
  CtrSnakeSums inside = polygon->inside;
  uint32_t best = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!moves[i].dropped)
      inside = ctr_snake_sums_add (inside, gain_of (polygon, &moves[i]));
    best = ctr_snake_better (&moves[i], &moves[best]) ? i : best;
  }
  double criterion = ctr_snake_criterion (&polygon->plan->cost, inside, polygon->window);
  if (!(criterion < polygon->criterion)) {
    for (uint32_t i = 0; i < count; i++)
      moves[i].dropped = i != best;
    inside = ctr_snake_sums_add (polygon->inside, gain_of (polygon, &moves[best]));
    criterion = moves[best].value;
  }
  polygon->inside = inside;
  polygon->criterion = criterion;
}

static void
make_moves (CtrSnakePolygon *polygon, uint32_t count)
{
  const CtrSnakeChange *moves = polygon->changes.data;
  bool *stale = polygon->stale.data;
  for (uint32_t i = 0; i < count; i++) {
    if (moves[i].dropped)
      continue;
    const uint32_t at = moves[i].index, before = ctr_snake_before (polygon->count, at);
    points_of (polygon)[at] = moves[i].to;
    ctr_snake_polygon_set_edge (polygon, before);
    ctr_snake_polygon_set_edge (polygon, at);
    stale[before] = stale[at] = stale[ctr_snake_next (polygon->count, at)] = true;
  }
}

void
ctr_snake_polygon_move (CtrSnakePolygon *polygon, uint32_t step)
{
  const uint32_t most = polygon->from_outline && step > 1 ? CTR_SNAKE_OUTLINE_ITERATIONS : UINT32_MAX;
  memset (polygon->stale.data, true, polygon->count * sizeof (bool));
  for (uint32_t i = 0; i < most && ctr_snake_polygon_iterate (polygon); i++) {
    const uint32_t count = find_moves (polygon, step);
    if (count == 0 || polygon->cancelled)
      return;
    drop_moves (polygon, count);
    judge_moves (polygon, count);
    make_moves (polygon, count);
    ctr_snake_polygon_record (polygon, CTR_SNAKE_MOVED, step);
  }
}
