/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The polygon of a task during the search that core/snake/snake.h describes. Internal. */
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

/* Bounding boxes as one array per side, so that SIMD compares many at once. */
typedef struct {
  CtrHostBuffer left, top, right, bottom; /* uint16_t */
} CtrSnakeBoxes;

/* The history. Zeroed before first use. */
typedef struct {
  CtrHostBuffer moments, points; /* CtrSnakeMoment, CtrPoint: of all tasks so far */
  uint64_t moment_count, point_count;
} CtrSnakeRecord;

/* Zeroed before first use. */
typedef struct {
  const CtrSnakePlan *plan;
  const CtrSnakeTask *task;
  const CtrSnakeTable *table;
  CtrSnakeSums window;
  uint32_t iterations;
  bool from_outline; /* the start was an outline */
  bool limited;      /* max_iterations is reached: the search ends */
  bool cancelled;    /* the search ends, and the polygon is invalid */
  uint64_t work;     /* operations since the last poll */

  uint32_t count;
  CtrSnakeSums inside;
  double criterion;
  CtrHostBuffer points; /* CtrPoint */
  CtrHostBuffer edges;  /* CtrSnakeSums */
  CtrSnakeBoxes boxes;  /* by edge */

  CtrHostBuffer gains; /* CtrSnakeGains, by point */
  CtrHostBuffer stale; /* bool, by point: its gains must be computed anew */

  CtrHostBuffer near;    /* uint32_t: the result of ctr_snake_boxes_near() */
  CtrHostBuffer changes; /* CtrSnakeChange: possible moves, middles or removals */
  CtrSnakeBoxes area;    /* by change: its bounding box */

  /* Of an automatic start, by block (cpu/snake/outline.h). */
  CtrHostBuffer blocks; /* CtrSnakeSums */
  CtrHostBuffer judged; /* uint8_t: is it inside? */
  CtrHostBuffer region; /* uint8_t: is it in the region? */
  CtrHostBuffer stack;  /* uint32_t */

  CtrSnakeRecord record;
} CtrSnakePolygon;

/* Counts OPERATIONS, and polls when there are enough. Is the task cancelled? */
static inline bool
ctr_snake_polygon_poll (CtrSnakePolygon *polygon, uint64_t operations)
{
  polygon->cancelled = polygon->cancelled || ctr_poll (&polygon->work, operations);
  return polygon->cancelled;
}

/* The number of operations to compute the sums of an edge from A to B. */
static inline uint64_t
ctr_snake_polygon_rows (CtrPoint a, CtrPoint b)
{
  return 4 + ctr_snake_distance (a.y, b.y);
}

void ctr_snake_polygon_release (CtrSnakePolygon *polygon);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_snake_polygon_give_back (CtrSnakePolygon *polygon);

/* Makes room for COUNT points, keeping the contents. False if there is no memory. */
bool ctr_snake_polygon_reserve (CtrSnakePolygon *polygon, uint32_t count);

/* Computes all sums and boxes from the points. This and the functions below may return early if the task is cancelled.
 */
void ctr_snake_polygon_sum (CtrSnakePolygon *polygon);

/* Counts an iteration; false if max_iterations is reached or the task is cancelled. */
bool ctr_snake_polygon_iterate (CtrSnakePolygon *polygon);

/* Adds the polygon to the history, if there is to be one. Without memory for it the task is cancelled. */
void ctr_snake_polygon_record (CtrSnakePolygon *polygon, CtrSnakeChangeKind kind, uint32_t step);

/* Computes the sums and the box of edge I from its two points. */
void ctr_snake_polygon_set_edge (CtrSnakePolygon *polygon, uint32_t i);

static inline CtrSnakeBox
ctr_snake_box (CtrPoint a, CtrPoint b)
{
  return (CtrSnakeBox){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y};
}

/* BOX extended to P. */
static inline CtrSnakeBox
ctr_snake_box_with (CtrSnakeBox box, CtrPoint p)
{
  return (CtrSnakeBox){box.left < p.x ? box.left : p.x, box.top < p.y ? box.top : p.y,
      box.right > p.x ? box.right : p.x, box.bottom > p.y ? box.bottom : p.y};
}

void ctr_snake_boxes_set (CtrSnakeBoxes *boxes, uint32_t i, CtrSnakeBox box);

/* Finds those of COUNT boxes that touch BOX. NEAR receives their indices, and has room for COUNT. Returns their number.
 */
uint32_t ctr_snake_boxes_near (const CtrSnakeBoxes *boxes, uint32_t count, CtrSnakeBox box, uint32_t *near);

/* Makes an automatic start the polygon, lowers STEP to what suits it, and sets FROM_OUTLINE. False if there is none, or if the
 * task is cancelled, as it is without memory. */
bool ctr_snake_start (CtrSnakePolygon *polygon, uint32_t *step);

/* Iterates moves by STEP until they end. */
void ctr_snake_polygon_move (CtrSnakePolygon *polygon, uint32_t step);

/* Splits long edges. *ANY: was one split? False if there is no memory. */
bool ctr_snake_polygon_split (CtrSnakePolygon *polygon, bool *any);

/* Iterates rounds of pruning until they end. Were points removed? */
bool ctr_snake_polygon_prune (CtrSnakePolygon *polygon);

#endif
