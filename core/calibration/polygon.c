/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures of lines in units of the world, in double precision. */
#include <contours/calibration.h>
#include <contours/contourlist.h>

#include "core/common/error.h"
#include "core/common/memory.h"

#include <math.h>
#include <stdlib.h>

#define DEGREES (180 / 3.14159265358979323846)

typedef struct {
  double x, y;
} Point;

/* The convex hull: COUNT vertices that turn left, without three on one line. */
typedef struct {
  Point *points;
  size_t count;
} Hull;

static double
cross (Point o, Point a, Point b)
{
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

static double
distance (Point a, Point b)
{
  return hypot (b.x - a.x, b.y - a.y);
}

/* An angle below LIMIT degrees, 180 or 90, from the x axis towards the y axis. */
static double
angle_of (double x, double y, double limit)
{
  const double angle = fmod (atan2 (y, x) * DEGREES + 360, limit);
  return limit - angle < 1e-9 ? 0 : angle; /* by a rounding error below a full turn */
}

static void
measure_line (const Point *points, size_t count, bool closed, CtrWorldShape *shape)
{
  double twice = 0, moment_x = 0, moment_y = 0, right, bottom;
  const Point origin = points[0]; /* near the line, against cancellation */
  shape->x = right = origin.x;
  shape->y = bottom = origin.y;
  shape->perimeter = 0;
  for (size_t i = 0; i < count; i++) {
    const Point a = points[i], b = points[i + 1 < count ? i + 1 : 0];
    const double ax = a.x - origin.x, ay = a.y - origin.y, bx = b.x - origin.x, by = b.y - origin.y;
    const double c = ax * by - bx * ay;
    if (closed || i + 1 < count)
      shape->perimeter += distance (a, b);
    twice += c;
    moment_x += c * (ax + bx);
    moment_y += c * (ay + by);
    shape->x = fmin (shape->x, a.x);
    shape->y = fmin (shape->y, a.y);
    right = fmax (right, a.x);
    bottom = fmax (bottom, a.y);
  }
  shape->w = right - shape->x;
  shape->h = bottom - shape->y;
  shape->area = closed ? fabs (twice) / 2 : 0;
  if (closed && twice != 0) {
    shape->cx = origin.x + moment_x / (3 * twice);
    shape->cy = origin.y + moment_y / (3 * twice);
  }
}

static int
compare (const void *a, const void *b)
{
  const Point *p = a, *q = b;
  return p->x != q->x ? (p->x < q->x ? -1 : 1) : p->y != q->y ? (p->y < q->y ? -1 : 1) : 0;
}

/* Andrew's monotone chain. SORTED is sorted by x, then y. */
static size_t
chain_hull (const Point *sorted, size_t count, Point *hull)
{
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    while (n >= 2 && cross (hull[n - 2], hull[n - 1], sorted[i]) <= 0)
      n--;
    hull[n++] = sorted[i];
  }
  const size_t lower = n + 1;
  for (size_t i = count - 1; i-- > 0;) {
    while (n >= lower && cross (hull[n - 2], hull[n - 1], sorted[i]) <= 0)
      n--;
    hull[n++] = sorted[i];
  }
  return n > 1 ? n - 1 : n; /* The last one is the first one. */
}

static bool
find_hull (const Point *points, size_t count, Hull *hull)
{
  Point *sorted = ctr_alloc_array (count, sizeof *sorted);
  size_t different = 0;
  hull->points = ctr_alloc_array (count + 1, sizeof *hull->points);
  if (!sorted || !hull->points) {
    free (sorted);
    free (hull->points);
    return false;
  }
  for (size_t i = 0; i < count; i++)
    sorted[i] = points[i];
  qsort (sorted, count, sizeof *sorted, compare);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || compare (&sorted[i], &sorted[different - 1]) != 0)
      sorted[different++] = sorted[i];
  hull->count = chain_hull (sorted, different, hull->points);
  free (sorted);
  return true;
}

static Point
vertex (const Hull *hull, size_t i)
{
  return hull->points[i % hull->count];
}

static void
measure_hull (const Hull *hull, CtrWorldShape *shape)
{
  double twice = 0, length = 0;
  for (size_t i = 0; i < hull->count; i++) {
    const Point a = vertex (hull, i), b = vertex (hull, i + 1);
    twice += cross (hull->points[0], a, b);
    length += distance (a, b);
  }
  shape->hull_area = fabs (twice) / 2;
  shape->hull_perimeter = length;
}

/* Distances along the direction of side I, and across it. */
static double
along (const Hull *hull, size_t i, size_t j)
{
  const Point a = vertex (hull, i), b = vertex (hull, i + 1), p = vertex (hull, j);
  return ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / distance (a, b);
}

static double
across (const Hull *hull, size_t i, size_t j)
{
  const Point a = vertex (hull, i), b = vertex (hull, i + 1);
  return cross (a, b, vertex (hull, j)) / distance (a, b);
}

static void
take_diameter (const Hull *hull, size_t i, size_t j, CtrWorldShape *shape)
{
  const Point a = vertex (hull, i), b = vertex (hull, j);
  const double length = distance (a, b);
  if (length > shape->feret_max) {
    shape->feret_max = length;
    shape->feret_max_angle = angle_of (b.x - a.x, b.y - a.y, 180);
  }
}

/* Rotating calipers: the vertex opposite to a side advances with the side. */
static void
measure_ferets (const Hull *hull, CtrWorldShape *shape)
{
  const size_t n = hull->count;
  shape->feret_max = shape->feret_min = 0;
  if (n < 2)
    return;
  take_diameter (hull, 0, 1, shape);
  if (n == 2) {
    shape->feret_min_angle = fmod (shape->feret_max_angle + 90, 180);
    return;
  }
  shape->feret_min = INFINITY;
  for (size_t i = 0, j = 1; i < n; i++) {
    const Point a = vertex (hull, i), b = vertex (hull, i + 1);
    if (j <= i)
      j = i + 1;
    while (j < i + n && across (hull, i, j + 1) > across (hull, i, j))
      j++;
    /* The next one may be as far: the side there is parallel. */
    for (size_t end = 0; end < 2; end++) {
      take_diameter (hull, i + end, j, shape);
      take_diameter (hull, i + end, j + 1, shape);
    }
    const double breadth = across (hull, i, j);
    if (breadth < shape->feret_min) {
      shape->feret_min = breadth;
      shape->feret_min_angle = angle_of (a.y - b.y, b.x - a.x, 180);
    }
  }
}

/* Sets the rectangle on side I, whose farthest vertices are TOP across the side, RIGHT ahead and LEFT behind. */
static void
set_rectangle (const Hull *hull, size_t i, size_t top, size_t right, size_t left, CtrWorldShape *shape)
{
  const Point a = vertex (hull, i), b = vertex (hull, i + 1);
  const double ux = (b.x - a.x) / distance (a, b), uy = (b.y - a.y) / distance (a, b);
  const double from = along (hull, i, left), width = along (hull, i, right) - from, height = across (hull, i, top);
  const double u = from + width / 2, v = height / 2;
  shape->rectangle_x = a.x + u * ux - v * uy;
  shape->rectangle_y = a.y + u * uy + v * ux;
  shape->rectangle_angle = angle_of (ux, uy, 90);
  /* The side is that of the width if its direction is the angle, rather than one a quarter turn away. */
  const bool turned = angle_of (ux, uy, 180) >= 90 - 1e-9 && angle_of (ux, uy, 180) < 180 - 1e-9;
  shape->rectangle_width = turned ? height : width;
  shape->rectangle_height = turned ? width : height;
}

static void
measure_rectangle (const Hull *hull, CtrWorldShape *shape)
{
  const size_t n = hull->count;
  double least = INFINITY;
  shape->rectangle_x = hull->points[0].x;
  shape->rectangle_y = hull->points[0].y;
  shape->rectangle_width = shape->rectangle_height = shape->rectangle_angle = 0;
  if (n == 2)
    set_rectangle (hull, 0, 0, 1, 0, shape);
  for (size_t i = 0, right = 1, top = 1, left = 1; n > 2 && i < n; i++) {
    if (right <= i)
      right = i + 1;
    while (right < i + n && along (hull, i, right + 1) > along (hull, i, right))
      right++;
    if (top < right)
      top = right;
    while (top < i + n && across (hull, i, top + 1) > across (hull, i, top))
      top++;
    if (left < top)
      left = top;
    while (left < i + n && along (hull, i, left + 1) <= along (hull, i, left))
      left++;
    const double area = (along (hull, i, right) - along (hull, i, left)) * across (hull, i, top);
    if (area < least) {
      least = area;
      set_rectangle (hull, i, top, right, left, shape);
    }
  }
}

typedef struct {
  Point centre;
  double radius;
} Circle;

static Circle
circle_of_two (Point a, Point b)
{
  const Point centre = {(a.x + b.x) / 2, (a.y + b.y) / 2};
  return (Circle){centre, distance (a, b) / 2};
}

/* Through three points; infinite if they lie on one line. */
static Circle
circle_of_three (Point a, Point b, Point c)
{
  const double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y, d = 2 * (bx * cy - by * cx);
  const double x = (cy * (bx * bx + by * by) - by * (cx * cx + cy * cy)) / d;
  const double y = (bx * (cx * cx + cy * cy) - cx * (bx * bx + by * by)) / d;
  const Point centre = {a.x + x, a.y + y};
  return (Circle){centre, d == 0 ? INFINITY : hypot (x, y)};
}

static bool
holds (const Circle *circle, const Point *points, int count)
{
  for (int i = 0; i < count; i++)
    if (distance (circle->centre, points[i]) > circle->radius * (1 + 1e-12))
      return false;
  return true;
}

/* The smallest circle around up to four points; reduces them to those that it goes through. */
static Circle
smallest_circle (Point *points, int *count)
{
  Circle best = {points[0], INFINITY};
  Point through[3];
  int needed = 0;
  for (int i = 0; i < *count; i++)
    for (int j = i + 1; j < *count; j++)
      for (int k = j; k < *count; k++) { /* k = j: through two points */
        const Circle circle =
            k == j ? circle_of_two (points[i], points[j]) : circle_of_three (points[i], points[j], points[k]);
        if (circle.radius >= best.radius || !holds (&circle, points, *count))
          continue;
        best = circle;
        through[0] = points[i];
        through[1] = points[j];
        through[2] = points[k];
        needed = k == j ? 2 : 3;
      }
  for (int i = 0; i < needed; i++)
    points[i] = through[i];
  *count = needed;
  return best;
}

/* Grows a circle by the vertex farthest outside of it, until there is none. The radius rises with each step. */
static void
measure_circle (const Hull *hull, CtrWorldShape *shape)
{
  Point points[4] = {hull->points[0]};
  Circle circle = {points[0], 0};
  int count = 1;
  for (;;) {
    double farthest = circle.radius * (1 + 1e-12);
    size_t outside = hull->count;
    for (size_t i = 0; i < hull->count; i++)
      if (distance (circle.centre, hull->points[i]) > farthest) {
        farthest = distance (circle.centre, hull->points[i]);
        outside = i;
      }
    if (outside == hull->count)
      break;
    points[count++] = hull->points[outside];
    const Circle next = smallest_circle (points, &count);
    if (!(next.radius > circle.radius) || !isfinite (next.radius))
      break;
    circle = next;
  }
  shape->circle_x = circle.centre.x;
  shape->circle_y = circle.centre.y;
  shape->circle_radius = circle.radius;
}

/* Distances from the centroid, or from the mean of the points without an area. */
static void
measure_distances (const Point *points, size_t count, CtrWorldShape *shape)
{
  double sum = 0, squares = 0, x = 0, y = 0;
  for (size_t i = 0; i < count; i++) {
    x += points[i].x - points[0].x;
    y += points[i].y - points[0].y;
  }
  const Point mean = {points[0].x + x / count, points[0].y + y / count}, centroid = {shape->cx, shape->cy};
  const Point from = isnan (shape->cx) ? mean : centroid;
  shape->distance_max = 0;
  for (size_t i = 0; i < count; i++) {
    const double d = distance (from, points[i]);
    sum += d;
    shape->distance_max = fmax (shape->distance_max, d);
  }
  shape->distance_mean = sum / count;
  for (size_t i = 0; i < count; i++) {
    const double d = distance (from, points[i]) - shape->distance_mean;
    squares += d * d;
  }
  shape->distance_deviation = sqrt (squares / count);
}

bool
ctr_world_shape_measure (
    const double *coordinates, size_t count, bool closed, uint32_t features, CtrWorldShape *shape, CtrError *error)
{
  const Point *points = (const Point *) coordinates;
  const uint32_t of_hull =
      CTR_CONTOUR_FEATURE_HULL | CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET | CTR_CONTOUR_FEATURE_CIRCLE;
  Hull hull;
  double *numbers = (double *) shape;
  for (size_t i = 0; i < sizeof *shape / sizeof *numbers; i++)
    numbers[i] = NAN;
  for (size_t i = 0; i < 2 * count; i++)
    if (!isfinite (coordinates[i]))
      return true;
  if (count == 0)
    return true;
  measure_line (points, count, closed, shape);
  if (features & CTR_CONTOUR_FEATURE_DISTANCES)
    measure_distances (points, count, shape);
  if (!(features & of_hull))
    return true;
  if (!find_hull (points, count, &hull))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the hull of a contour of %zu points", count);
  if (features & CTR_CONTOUR_FEATURE_HULL)
    measure_hull (&hull, shape);
  if (features & CTR_CONTOUR_FEATURE_FERET)
    measure_ferets (&hull, shape);
  if (features & CTR_CONTOUR_FEATURE_RECTANGLE)
    measure_rectangle (&hull, shape);
  if (features & CTR_CONTOUR_FEATURE_CIRCLE)
    measure_circle (&hull, shape);
  free (hull.points);
  return true;
}
