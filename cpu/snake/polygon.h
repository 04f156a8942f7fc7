/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The polygon of a task on its way to the target, on the host. What is done to it is said in core/snake/snake.h.
 * Internal. */
#ifndef CTR_CPU_SNAKE_POLYGON_H
#define CTR_CPU_SNAKE_POLYGON_H

#include "core/common/poll.h"
#include "core/snake/snake.h"
#include "cpu/snake/table.h"

typedef struct {
  uint16_t left;
  uint16_t top;
  uint16_t right;
  uint16_t bottom;
} CtrSnakeBox;

/* Boxes one side after the other, to compare many at once. */
typedef struct {
  CtrHostBuffer left, top, right, bottom; /* uint16_t */
} CtrSnakeBoxes;

/* Zeroed before first use. */
typedef struct {
  const CtrSnakePlan *plan;
  const CtrSnakeTask *task;
  const CtrSnakeTable *table;
  CtrSnakeSums window;
  uint32_t iterations;
  bool limited;   /* no more iterations: everything ends */
  bool cancelled; /* so it does, and nothing of the polygon counts any more */
  uint64_t work;  /* since it was asked whether to go on */

  uint32_t count;
  CtrSnakeSums inside;
  double criterion;
  CtrHostBuffer points; /* CtrPoint */
  CtrHostBuffer edges;  /* CtrSnakeSums */
  CtrSnakeBoxes boxes;  /* of the edges */

  CtrHostBuffer gains; /* CtrSnakeGains of the points */
  CtrHostBuffer stale; /* bool: these are to be summed anew */

  CtrHostBuffer near;    /* uint32_t: room for what ctr_snake_boxes_near() finds */
  CtrHostBuffer changes; /* moves, middles or removals that could be */
  CtrSnakeBoxes area;    /* which they lie in */
} CtrSnakePolygon;

/* Counts OPERATIONS: is the task cancelled? */
static inline bool
ctr_snake_polygon_poll (CtrSnakePolygon *polygon, uint64_t operations)
{
  polygon->cancelled = polygon->cancelled || ctr_poll (&polygon->work, operations);
  return polygon->cancelled;
}

/* Operations to sum up an edge from A to B: its rows. */
static inline uint64_t
ctr_snake_polygon_rows (CtrPoint a, CtrPoint b)
{
  return 4 + ctr_snake_distance (a.y, b.y);
}

void ctr_snake_polygon_release (CtrSnakePolygon *polygon);

/* Makes room for COUNT points, those there were kept; false when there is no memory. */
bool ctr_snake_polygon_reserve (CtrSnakePolygon *polygon, uint32_t count);

/* Sums up the polygon's points, whatever it was before. This, and what is below, may end early where it is cancelled.
 */
void ctr_snake_polygon_sum (CtrSnakePolygon *polygon);

/* Counts one; false where there may be no more. */
bool ctr_snake_polygon_iterate (CtrSnakePolygon *polygon);

/* Enters an edge, of which both points are what they shall be. It is counted as work. */
void ctr_snake_polygon_set_edge (CtrSnakePolygon *polygon, uint32_t i);

static inline CtrSnakeBox
ctr_snake_box (CtrPoint a, CtrPoint b)
{
  return (CtrSnakeBox){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y};
}

/* The box around BOX and P. */
static inline CtrSnakeBox
ctr_snake_box_with (CtrSnakeBox box, CtrPoint p)
{
  return (CtrSnakeBox){box.left < p.x ? box.left : p.x, box.top < p.y ? box.top : p.y,
      box.right > p.x ? box.right : p.x, box.bottom > p.y ? box.bottom : p.y};
}

void ctr_snake_boxes_set (CtrSnakeBoxes *boxes, uint32_t i, CtrSnakeBox box);

/* Which of COUNT boxes have a point in common with BOX; NEAR has room for all. Returns how many. */
uint32_t ctr_snake_boxes_near (const CtrSnakeBoxes *boxes, uint32_t count, CtrSnakeBox box, uint32_t *near);

/* The rectangle that an automatic start begins with; false where there is none. */
bool ctr_snake_start (CtrSnakePolygon *polygon, CtrPoint points[4]);

/* Moves by STEP until they end. */
void ctr_snake_polygon_move (CtrSnakePolygon *polygon, uint32_t step);

/* Splits long edges. False when there is no memory. */
bool ctr_snake_polygon_split (CtrSnakePolygon *polygon, bool *any);

/* Rounds of pruning until they end; were points removed? */
bool ctr_snake_polygon_prune (CtrSnakePolygon *polygon);

#endif
