/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/contours/contour_shapes.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/fits.h"
#include "core/results/hull.h"
#include "core/results/shapes.h"
#include "cpu/common/parallel.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_CONTOURS = 64 };

#define WITH_HULL                                                                                                    \
  (CTR_CONTOUR_FEATURE_HULL | CTR_CONTOUR_FEATURE_DEFECT | CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET \
      | CTR_CONTOUR_FEATURE_CIRCLE)

typedef struct {
  const CtrContourArrays *arrays;
  uint32_t count, features;
  const int64_t *direction; /* of feret_extent */
  bool failed;              /* atomic */
} Work;

/* A contour, and memory for the work that is used again for the next one. */
typedef struct {
  const CtrPoint *points;
  const CtrContour *row;
  CtrHullWork work;
  CtrPoint hull[CTR_HULL_MAX];
  uint32_t count;                /* vertices */
  uint32_t visits[CTR_HULL_MAX]; /* of each vertex: where the contour comes to it along the outside */
} Shape;

static void
set_hull (const Shape *s, CtrContourShape *shape)
{
  shape->hull_count = s->count;
  for (uint32_t i = 0; i < s->count; i++) {
    const CtrPoint p = s->hull[i], q = ctr_hull_at (s->hull, s->count, i + 1);
    shape->hull_area2 += (uint64_t) p.x * q.y - (uint64_t) q.x * p.y;
    shape->hull_length += ctr_shape_length (p, q);
  }
}

static void
set_calipers (const Shape *s, uint32_t features, CtrContourShape *shape)
{
  const CtrPoint *hull = s->hull;
  const uint32_t count = s->count;
  CtrShapeRectangle rectangle = {0};
  CtrShapeDistance breadth = {0};
  CtrShapeDiameter diameter = {0};
  for (uint32_t i = 0; count > 1 && i < count; i++) {
    const CtrShapeCaliper caliper = ctr_shape_caliper (hull, count, i);
    const CtrShapeRectangle box = ctr_shape_rectangle (hull, count, caliper);
    const CtrShapeDistance distance = {box.across, box.length2, i, caliper.opposite};
    const CtrShapeDiameter pair = ctr_shape_diameter (hull, count, caliper);
    if (i == 0 || ctr_shape_rectangle_is_better (box, rectangle))
      rectangle = box;
    if (i == 0 || ctr_shape_breadth_is_better (distance, breadth))
      breadth = distance;
    if (i == 0 || ctr_shape_diameter_is_better (pair, diameter))
      diameter = pair;
  }
  if (features & CTR_CONTOUR_FEATURE_RECTANGLE) {
    const uint32_t vertices[5] = {
        rectangle.side, count > 1 ? rectangle.side + 1 : 0, rectangle.opposite, rectangle.ahead, rectangle.behind};
    for (int i = 0; i < 5; i++)
      shape->rectangle[i] = ctr_hull_at (hull, count, vertices[i]);
  }
  if (features & CTR_CONTOUR_FEATURE_FERET) {
    shape->diameter[0] = hull[diameter.first];
    shape->diameter[1] = hull[diameter.second];
    shape->breadth[0] = hull[breadth.side];
    shape->breadth[1] = ctr_hull_at (hull, count, count > 1 ? breadth.side + 1 : 0);
    shape->breadth[2] = ctr_hull_at (hull, count, breadth.point);
  }
}

static void
set_extent (const Shape *s, const int64_t direction[2], CtrContourShape *shape)
{
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (uint32_t i = 0; i < s->count; i++) {
    const int64_t at = ctr_shape_along (s->hull[i], direction);
    least = at < least ? at : least;
    greatest = at > greatest ? at : greatest;
  }
  shape->feret_extent = (uint64_t) (greatest - least);
}

static bool
set_fits (const CtrPoint *points, uint32_t count, CtrContourFits *fits)
{
  CtrSigned128 sums[CTR_FIT_SUMS] = {0};
  uint64_t operations = 0;
  for (uint32_t i = 0; i < count; i++) {
    CtrSigned128 line[CTR_FIT_SUMS];
    ctr_fit_line (points[i], points[i + 1 < count ? i + 1 : 0], line);
    for (int k = 0; k < CTR_FIT_SUMS; k++)
      sums[k] += line[k];
    if (ctr_poll (&operations, 32))
      return false;
  }
  for (int k = 0; k < CTR_FIT_SUMS; k++) {
    fits->words[k][0] = (uint64_t) sums[k];
    fits->words[k][1] = (uint64_t) (sums[k] >> 64);
  }
  return true;
}

static void
set_circle (const Shape *s, CtrContourShape *shape)
{
  /* The vertex farthest from the first one is farthest outside a circle that is only the first one. */
  CtrShapeCircle circle = {{s->hull[0], s->hull[0], s->hull[0]}, 1};
  const bool narrow = ctr_shape_is_narrow (s->row);
  for (;;) {
    CtrShapePower best = {0};
    for (uint32_t i = 0; i < s->count; i++) {
      const CtrShapePower power = {
          narrow ? ctr_shape_narrow_power (circle, s->hull[i]) : ctr_shape_power (circle, s->hull[i]), i};
      if (i == 0 || ctr_shape_power_is_better (power, best))
        best = power;
    }
    if (best.power <= 0)
      break;
    circle = ctr_shape_circle_add (circle, s->hull[best.vertex], narrow);
  }
  memcpy (shape->circle, circle.points, sizeof shape->circle);
}

/* The vertex at P, or CTR_HULL_MAX. From the first to the last one of the right side rows descend, then they ascend. */
static uint32_t
find_vertex (const Shape *s, CtrPoint p)
{
  const uint32_t right = s->work.right;
  uint32_t low = 0, high = right;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (s->hull[middle].y < p.y)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < right && s->hull[low].x == p.x && s->hull[low].y == p.y)
    return low;
  low = right;
  high = s->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (s->hull[middle].y > p.y)
      low = middle + 1;
    else
      high = middle;
  }
  return low < s->count && s->hull[low].x == p.x && s->hull[low].y == p.y ? low : CTR_HULL_MAX;
}

static bool
find_visits (Shape *s, bool clockwise)
{
  const uint32_t count = s->row->count;
  memset (s->visits, 0xff, s->count * sizeof *s->visits);
  for (uint64_t i = 0, end = 0; i < count; i++) {
    if (i == end) {
      end = ctr_poll_end (i, count);
      if (i > 0 && ctr_cancelled ())
        return false;
    }
    const uint32_t vertex = find_vertex (s, s->points[i]);
    if (vertex < CTR_HULL_MAX && s->visits[vertex] == UINT32_MAX
        && ctr_shape_is_outside (
            s->points[i > 0 ? i - 1 : count - 1], s->points[i], s->points[i + 1 < count ? i + 1 : 0], clockwise))
      s->visits[vertex] = (uint32_t) i;
  }
  return true;
}

/* Between two vertices, the contour goes along one side of the hull. */
static bool
set_defect (Shape *s, CtrContourShape *shape)
{
  const bool clockwise = s->row->area2 > 0;
  const uint32_t count = s->row->count;
  CtrShapeDistance best = {0, 1, 0, 0};
  if (!find_visits (s, clockwise))
    return false;
  for (uint32_t side = 0; side < s->count; side++) {
    const uint32_t next = side + 1 < s->count ? side + 1 : 0;
    const CtrPoint p = s->hull[side], q = s->hull[next];
    const uint64_t length2 = ctr_shape_distance2 (p, q);
    uint64_t operations = 0;
    for (uint32_t i = s->visits[side]; i != s->visits[next];) {
      const CtrShapeDistance depth = {(uint64_t) ctr_shape_cross (p, q, s->points[i]), length2, side, i};
      if (depth.across > 0 && (best.across == 0 || ctr_shape_defect_is_better (depth, best)))
        best = depth;
      if (ctr_poll (&operations, 1))
        return false;
      if (clockwise)
        i = i + 1 < count ? i + 1 : 0;
      else
        i = i > 0 ? i - 1 : count - 1;
    }
  }
  shape->defect[0] = s->hull[best.side];
  shape->defect[1] = best.across > 0 ? ctr_hull_at (s->hull, s->count, best.side + 1) : s->hull[best.side];
  shape->defect[2] = best.across > 0 ? s->points[best.point] : s->hull[best.side];
  return true;
}

static bool
sum_lines (const Shape *s, CtrShapeSums *sums)
{
  const uint32_t count = s->row->count;
  CtrPoint from = s->points[count - 1];
  *sums = (CtrShapeSums){0};
  for (uint64_t i = 0, end = 0; i < count; i++) {
    if (i == end) {
      end = ctr_poll_end (i, count);
      if (i > 0 && ctr_cancelled ())
        return false;
    }
    ctr_shape_sums_add (sums, from, s->points[i]);
    from = s->points[i];
  }
  if (sums->steps == 0)
    *sums = (CtrShapeSums){.steps = 1, .sum_x = from.x, .sum_y = from.y};
  return true;
}

static void
add_distance (CtrContourShape *shape, CtrPoint pixel)
{
  const uint32_t distance = ctr_shape_centroid_distance (pixel, shape->centroid[0], shape->centroid[1]);
  const uint64_t square = (uint64_t) distance * distance;
  shape->distance_sum += distance;
  shape->distance_squares[0] += square;
  shape->distance_squares[1] += shape->distance_squares[0] < square;
  shape->distance_max = distance > shape->distance_max ? distance : shape->distance_max;
}

static bool
set_distances (const Shape *s, CtrContourShape *shape)
{
  const uint32_t count = s->row->count;
  CtrShapeSums sums;
  if (!sum_lines (s, &sums))
    return false;
  ctr_shape_set_centroid (&sums, s->row->area2, shape);
  if (count == 1)
    add_distance (shape, s->points[0]);
  uint64_t operations = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrPoint a = s->points[i], b = s->points[i + 1 < count ? i + 1 : 0];
    const uint32_t steps = ctr_shape_steps (a, b);
    for (uint32_t k = 0; k < steps; k++)
      add_distance (shape, ctr_shape_step (a, b, k));
    if (ctr_poll (&operations, 1 + steps))
      return false;
  }
  return true;
}

static bool
set_shape (Shape *s, uint32_t features, const int64_t direction[2], CtrContourShape *shape)
{
  memset (shape, 0, sizeof *shape);
  if (features & WITH_HULL) {
    if (!ctr_hull_find (&s->work, s->points, s->row->count))
      return false;
    s->count = s->work.count;
    for (uint32_t i = 0; i < s->count; i++)
      s->hull[i] = s->points[s->work.hull[i]];
  }
  if (features & CTR_CONTOUR_FEATURE_HULL)
    set_hull (s, shape);
  if (features & (CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET))
    set_calipers (s, features, shape);
  if (features & CTR_CONTOUR_FEATURE_FERET)
    set_extent (s, direction, shape);
  if (features & CTR_CONTOUR_FEATURE_CIRCLE)
    set_circle (s, shape);
  return (!(features & CTR_CONTOUR_FEATURE_DEFECT) || set_defect (s, shape))
         && (!(features & CTR_CONTOUR_FEATURE_DISTANCES) || set_distances (s, shape));
}

static void
set_shapes (void *context, uint32_t index)
{
  Work *work = context;
  const CtrContourArrays *arrays = work->arrays;
  const uint32_t begin = index * PIECE_CONTOURS,
                 end = work->count - begin > PIECE_CONTOURS ? begin + PIECE_CONTOURS : work->count;
  uint64_t operations = 0;
  Shape *s = ctr_alloc_array (1, sizeof *s);
  bool whole = s && !__atomic_load_n (&work->failed, __ATOMIC_RELAXED);
  if (s)
    s->work = (CtrHullWork){.rows = NULL};
  for (uint32_t i = begin; whole && i < end; i++) {
    s->row = arrays->table + i;
    s->points = arrays->points + s->row->first;
    whole = (!arrays->shapes || set_shape (s, work->features, work->direction, arrays->shapes + i))
            && (!arrays->fits || set_fits (s->points, s->row->count, arrays->fits + i))
            && !ctr_poll (&operations, 16 + s->row->count);
  }
  if (s)
    ctr_hull_work_free (&s->work);
  free (s);
  if (!whole)
    __atomic_store_n (&work->failed, true, __ATOMIC_RELAXED);
}

static bool
count_holes (const CtrContourArrays *arrays, uint32_t count)
{
  uint64_t operations = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrContour *row = arrays->table + i;
    if (row->parent >= 0 && row->flags & CTR_CONTOUR_HOLE) {
      CtrContourShape *around = arrays->shapes + row->parent;
      around->hole_area2 += (uint64_t) (row->area2 < 0 ? -row->area2 : row->area2);
      around->holes++;
    }
    if (ctr_poll (&operations, 1))
      return false;
  }
  return true;
}

bool
ctr_contour_shapes (
    const CtrContourArrays *arrays, uint32_t count, uint32_t features, const int64_t direction[2], unsigned threads)
{
  Work work = {arrays, count, features, direction, false};
  ctr_parallel_for (threads, (count + PIECE_CONTOURS - 1) / PIECE_CONTOURS, set_shapes, &work);
  return !work.failed && (!(features & CTR_CONTOUR_FEATURE_HOLES) || count_holes (arrays, count));
}
