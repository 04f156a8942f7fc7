/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/snake/polygon.h"

#include "cpu/common/simd.h"
#include "cpu/snake/moves.h"

enum {
  GROUP = 16,    /* boxes compared at once */
  MOMENTS = 128, /* room of a history at first */
  MOMENT_POINTS = 4096
};

static void
release_boxes (CtrSnakeBoxes *boxes)
{
  ctr_host_buffer_release (&boxes->left);
  ctr_host_buffer_release (&boxes->top);
  ctr_host_buffer_release (&boxes->right);
  ctr_host_buffer_release (&boxes->bottom);
}

static bool
give_back_boxes (CtrSnakeBoxes *boxes)
{
  CtrHostBuffer *const buffers[] = {&boxes->left, &boxes->top, &boxes->right, &boxes->bottom};
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
}

static bool
reserve_boxes (CtrSnakeBoxes *boxes, uint32_t count)
{
  const size_t room = count + GROUP;
  return ctr_host_buffer_reserve (&boxes->left, room, sizeof (uint16_t))
         && ctr_host_buffer_reserve (&boxes->top, room, sizeof (uint16_t))
         && ctr_host_buffer_reserve (&boxes->right, room, sizeof (uint16_t))
         && ctr_host_buffer_reserve (&boxes->bottom, room, sizeof (uint16_t));
}

void
ctr_snake_polygon_release (CtrSnakePolygon *polygon)
{
  ctr_host_buffer_release (&polygon->points);
  ctr_host_buffer_release (&polygon->edges);
  release_boxes (&polygon->boxes);
  ctr_host_buffer_release (&polygon->gains);
  ctr_host_buffer_release (&polygon->stale);
  ctr_host_buffer_release (&polygon->near);
  ctr_host_buffer_release (&polygon->changes);
  release_boxes (&polygon->area);
  ctr_host_buffer_release (&polygon->blocks);
  ctr_host_buffer_release (&polygon->judged);
  ctr_host_buffer_release (&polygon->region);
  ctr_host_buffer_release (&polygon->stack);
  ctr_host_buffer_release (&polygon->record.moments);
  ctr_host_buffer_release (&polygon->record.points);
}

bool
ctr_snake_polygon_give_back (CtrSnakePolygon *polygon)
{
  CtrHostBuffer *const buffers[] = {&polygon->points, &polygon->edges, &polygon->gains, &polygon->stale, &polygon->near,
      &polygon->changes, &polygon->blocks, &polygon->judged, &polygon->region, &polygon->stack,
      &polygon->record.moments, &polygon->record.points};
  bool some = ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
  some |= give_back_boxes (&polygon->boxes);
  return give_back_boxes (&polygon->area) || some;
}

bool
ctr_snake_polygon_reserve (CtrSnakePolygon *polygon, uint32_t count)
{
  return ctr_host_buffer_reserve (&polygon->points, count, sizeof (CtrPoint))
         && ctr_host_buffer_reserve (&polygon->edges, count, sizeof (CtrSnakeSums))
         && reserve_boxes (&polygon->boxes, count)
         && ctr_host_buffer_reserve (&polygon->gains, count, sizeof (CtrSnakeGains))
         && ctr_host_buffer_reserve (&polygon->stale, count, sizeof (bool))
         && ctr_host_buffer_reserve (&polygon->near, count, sizeof (uint32_t))
         && ctr_host_buffer_reserve (&polygon->changes, count, sizeof (CtrSnakeChange))
         && reserve_boxes (&polygon->area, count);
}

void
ctr_snake_polygon_set_edge (CtrSnakePolygon *polygon, uint32_t i)
{
  const CtrPoint *points = polygon->points.data;
  const CtrPoint a = points[i], b = points[ctr_snake_next (polygon->count, i)];
  if (ctr_snake_polygon_poll (polygon, ctr_snake_polygon_rows (a, b)))
    return;
  ((CtrSnakeSums *) polygon->edges.data)[i] = ctr_snake_table_edge (polygon->table, a, b);
  ctr_snake_boxes_set (&polygon->boxes, i, ctr_snake_box (a, b));
}

void
ctr_snake_polygon_sum (CtrSnakePolygon *polygon)
{
  polygon->inside = (CtrSnakeSums){0, 0, 0};
  for (uint32_t i = 0; i < polygon->count && !polygon->cancelled; i++) {
    ctr_snake_polygon_set_edge (polygon, i);
    polygon->inside = ctr_snake_sums_add (polygon->inside, ((CtrSnakeSums *) polygon->edges.data)[i]);
  }
  polygon->criterion = ctr_snake_criterion (&polygon->plan->cost, polygon->inside, polygon->window);
}

void
ctr_snake_polygon_record (CtrSnakePolygon *polygon, CtrSnakeChangeKind kind, uint32_t step)
{
  CtrSnakeRecord *record = &polygon->record;
  if (!polygon->plan->history || ctr_snake_polygon_poll (polygon, polygon->count / 16))
    return;
  const uint64_t moments = record->moment_count + 1, points = record->point_count + polygon->count;
  if (!ctr_host_buffer_reserve (&record->moments, moments > MOMENTS ? moments : MOMENTS, sizeof (CtrSnakeMoment))
      || !ctr_host_buffer_reserve (
          &record->points, points > MOMENT_POINTS ? points : MOMENT_POINTS, sizeof (CtrPoint))) {
    polygon->cancelled = true;
    return;
  }
  ((CtrSnakeMoment *) record->moments.data)[record->moment_count++] = (CtrSnakeMoment){
      .first_point = record->point_count,
      .point_count = polygon->count,
      .kind = kind,
      .iteration = polygon->iterations,
      .step = step,
      .inside = polygon->inside,
  };
  memcpy (
      (CtrPoint *) record->points.data + record->point_count, polygon->points.data, polygon->count * sizeof (CtrPoint));
  record->point_count += polygon->count;
}

bool
ctr_snake_polygon_iterate (CtrSnakePolygon *polygon)
{
  polygon->limited = polygon->iterations == polygon->plan->max_iterations;
  polygon->iterations += !polygon->limited;
  return !polygon->limited && !polygon->cancelled;
}

void
ctr_snake_boxes_set (CtrSnakeBoxes *boxes, uint32_t i, CtrSnakeBox box)
{
  ((uint16_t *) boxes->left.data)[i] = box.left;
  ((uint16_t *) boxes->top.data)[i] = box.top;
  ((uint16_t *) boxes->right.data)[i] = box.right;
  ((uint16_t *) boxes->bottom.data)[i] = box.bottom;
}

static inline UInt16s
sides (const CtrHostBuffer *buffer, uint32_t i)
{
  UInt16s vector;
  memcpy (&vector, (const uint16_t *) buffer->data + i, sizeof vector);
  return vector;
}

/* -1 for each of LANES boxes that does not touch BOX, else 0. */
static inline Int16s
apart (const CtrSnakeBoxes *boxes, uint32_t i, CtrSnakeBox box)
{
  const UInt16s zero = {0};
  return (Int16s) ((sides (&boxes->left, i) > zero + box.right) | (sides (&boxes->right, i) < zero + box.left)
                   | (sides (&boxes->top, i) > zero + box.bottom) | (sides (&boxes->bottom, i) < zero + box.top));
}

uint32_t
ctr_snake_boxes_near (const CtrSnakeBoxes *boxes, uint32_t count, CtrSnakeBox box, uint32_t *near)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; i += GROUP) {
    const uint32_t group = count - i < GROUP ? (1u << (count - i)) - 1 : (1u << GROUP) - 1;
    uint32_t bits = ~mask_to_bits (apart (boxes, i, box), apart (boxes, i + GROUP / 2, box)) & group;
    for (; bits; bits &= bits - 1)
      near[found++] = i + (uint32_t) __builtin_ctz (bits);
  }
  return found;
}
