/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of contours (include/contours/shapes.h): what both backends decide alike. Internal.
 *
 * All decisions are exact. Coordinates have 16 bits, so products of two differences have 33 and fit into 64 bits; quotients are
 * compared as products of 128 bits. A vertex of the hull is meant by its number; numbers beyond the last one begin again. */
#ifndef CTR_CORE_RESULTS_SHAPES_H
#define CTR_CORE_RESULTS_SHAPES_H

#include "core/results/exact.h"

#include <contours/shapes.h>

CTR_BEGIN_DECLS

/* No convex polygon with vertices at whole coordinates below 65536 has more: its sides have different directions, and so many of
 * the shortest ones fit into its circumference of 4 * 65535, measured along the axes. */
#define CTR_HULL_MAX 5728

/* A contour is narrow if its coordinates differ by less. Then 64 bits are enough for all products that are compared. */
#define CTR_SHAPE_NARROW 1024

CTR_SHAPE_RULE bool
ctr_shape_is_narrow (const CtrContour *row)
{
  return row->width <= CTR_SHAPE_NARROW && row->height <= CTR_SHAPE_NARROW;
}

/* (b - a) x (c - a): positive if a, b, c turn clockwise on the screen. */
CTR_SHAPE_RULE int64_t
ctr_shape_cross (CtrPoint a, CtrPoint b, CtrPoint c)
{
  return (int64_t) (b.x - a.x) * (c.y - a.y) - (int64_t) (b.y - a.y) * (c.x - a.x);
}

/* (b - a) . (c - a) */
CTR_SHAPE_RULE int64_t
ctr_shape_dot (CtrPoint a, CtrPoint b, CtrPoint c)
{
  return (int64_t) (b.x - a.x) * (c.x - a.x) + (int64_t) (b.y - a.y) * (c.y - a.y);
}

CTR_SHAPE_RULE uint64_t
ctr_shape_distance2 (CtrPoint a, CtrPoint b)
{
  return (uint64_t) ctr_shape_dot (a, b, b);
}

/* In CTR_LENGTH_UNIT. Both backends round the root correctly; the factor is a power of 2. */
CTR_SHAPE_RULE uint64_t
ctr_shape_length (CtrPoint a, CtrPoint b)
{
  return (uint64_t) (sqrt ((double) ctr_shape_distance2 (a, b)) * (1 << 23));
}

/* POINT, between its neighbours in the contour, is a vertex of the hull. Does the contour run along the outside here? A contour
 * that touches itself comes to such a point several times, but only once along the outside, where it turns as the hull does or
 * back. */
CTR_SHAPE_RULE bool
ctr_shape_is_outside (CtrPoint before, CtrPoint point, CtrPoint after, bool clockwise)
{
  const int64_t turn = ctr_shape_cross (before, point, after);
  return clockwise ? turn >= 0 : turn <= 0;
}

CTR_SHAPE_RULE CtrPoint
ctr_hull_at (const CtrPoint *hull, uint32_t count, uint32_t vertex)
{
  return hull[vertex < count ? vertex : vertex - count];
}

/* The product of side A and side B, each from a vertex to the next one. */
CTR_SHAPE_RULE int64_t
ctr_hull_cross (const CtrPoint *hull, uint32_t count, uint32_t a, uint32_t b)
{
  const CtrPoint p = ctr_hull_at (hull, count, a), q = ctr_hull_at (hull, count, a + 1);
  const CtrPoint r = ctr_hull_at (hull, count, b), s = ctr_hull_at (hull, count, b + 1);
  return (int64_t) (q.x - p.x) * (s.y - r.y) - (int64_t) (q.y - p.y) * (s.x - r.x);
}

CTR_SHAPE_RULE int64_t
ctr_hull_dot (const CtrPoint *hull, uint32_t count, uint32_t a, uint32_t b)
{
  const CtrPoint p = ctr_hull_at (hull, count, a), q = ctr_hull_at (hull, count, a + 1);
  const CtrPoint r = ctr_hull_at (hull, count, b), s = ctr_hull_at (hull, count, b + 1);
  return (int64_t) (q.x - p.x) * (s.x - r.x) + (int64_t) (q.y - p.y) * (s.y - r.y);
}

/* The vertices that a rectangle on a side touches. */
typedef struct {
  uint32_t side; /* also its first vertex */
  uint32_t opposite, ahead, behind;
  bool parallel; /* The side that begins at the opposite vertex is parallel. */
} CtrShapeCaliper;

/* Finds them for SIDE of a hull with two or more vertices. The sides that follow turn clockwise by less than a full turn, so
 * each vertex is where a product with these changes its sign. */
CTR_SHAPE_RULE CtrShapeCaliper
ctr_shape_caliper (const CtrPoint *hull, uint32_t count, uint32_t side)
{
  uint32_t low = side + 1, high = side + count - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ctr_hull_cross (hull, count, side, middle) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  const uint32_t opposite = low;
  low = side + 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ctr_hull_dot (hull, count, side, middle) > 0)
      low = middle + 1;
    else
      high = middle;
  }
  const uint32_t ahead = low;
  low = opposite;
  high = side + count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (ctr_hull_dot (hull, count, side, middle) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  const CtrShapeCaliper caliper = {side, opposite, ahead, low, ctr_hull_cross (hull, count, side, opposite) == 0};
  return caliper;
}

/* A candidate for the rectangle; its sides are multiplied by the length of the hull's side. */
typedef struct {
  uint64_t along, across, length2;
  uint32_t side, opposite, ahead, behind;
} CtrShapeRectangle;

CTR_SHAPE_RULE CtrShapeRectangle
ctr_shape_rectangle (const CtrPoint *hull, uint32_t count, CtrShapeCaliper c)
{
  const CtrPoint p = hull[c.side], q = ctr_hull_at (hull, count, c.side + 1);
  const CtrShapeRectangle rectangle = {(uint64_t) (ctr_shape_dot (p, q, ctr_hull_at (hull, count, c.ahead))
                                                   - ctr_shape_dot (p, q, ctr_hull_at (hull, count, c.behind))),
      (uint64_t) ctr_shape_cross (p, q, ctr_hull_at (hull, count, c.opposite)), ctr_shape_distance2 (p, q), c.side,
      c.opposite, c.ahead, c.behind};
  return rectangle;
}

CTR_SHAPE_RULE bool
ctr_shape_rectangle_is_better (CtrShapeRectangle a, CtrShapeRectangle b)
{
  const CtrUnsigned128 x = (CtrUnsigned128) a.along * a.across * b.length2,
                       y = (CtrUnsigned128) b.along * b.across * a.length2;
  return x < y || (x == y && a.side < b.side);
}

/* A distance from a side: ACROSS / sqrt (length2). Of the hull's vertex POINT, or of a contour's point. */
typedef struct {
  uint64_t across, length2;
  uint32_t side, point;
} CtrShapeDistance;

/* The sign of a - b. */
CTR_SHAPE_RULE int
ctr_shape_distance_compare (CtrShapeDistance a, CtrShapeDistance b)
{
  const CtrUnsigned128 x = (CtrUnsigned128) a.across * a.across * b.length2,
                       y = (CtrUnsigned128) b.across * b.across * a.length2;
  return (x > y) - (x < y);
}

CTR_SHAPE_RULE bool
ctr_shape_breadth_is_better (CtrShapeDistance a, CtrShapeDistance b)
{
  const int order = ctr_shape_distance_compare (a, b);
  return order < 0 || (order == 0 && a.side < b.side);
}

CTR_SHAPE_RULE bool
ctr_shape_defect_is_better (CtrShapeDistance a, CtrShapeDistance b)
{
  const int order = ctr_shape_distance_compare (a, b);
  return order > 0 || (order == 0 && a.point < b.point);
}

/* How far a point is in a DIRECTION whose vector is that of CtrBordersPlan: 62 bits and a sign. */
CTR_SHAPE_RULE int64_t
ctr_shape_along (CtrPoint point, const int64_t direction[2])
{
  return point.x * direction[0] + point.y * direction[1];
}

/* Two vertices of the hull, and the square of their distance. */
typedef struct {
  uint64_t distance2;
  uint32_t first, second;
} CtrShapeDiameter;

CTR_SHAPE_RULE bool
ctr_shape_diameter_is_better (CtrShapeDiameter a, CtrShapeDiameter b)
{
  if (a.distance2 != b.distance2)
    return a.distance2 > b.distance2;
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

CTR_SHAPE_RULE CtrShapeDiameter
ctr_shape_diameter_of (const CtrPoint *hull, uint32_t count, uint32_t a, uint32_t b)
{
  a = a < count ? a : a - count;
  b = b < count ? b : b - count;
  const CtrShapeDiameter diameter = {ctr_shape_distance2 (hull[a], hull[b]), a < b ? a : b, a < b ? b : a};
  return diameter;
}

/* The best pair of an end of the side and an opposite vertex. Every pair with the greatest distance is one for some side: turn
 * two parallels through it, at right angles to the line between them, until one lies on a side. */
CTR_SHAPE_RULE CtrShapeDiameter
ctr_shape_diameter (const CtrPoint *hull, uint32_t count, CtrShapeCaliper c)
{
  CtrShapeDiameter best = ctr_shape_diameter_of (hull, count, c.side, c.opposite);
  for (uint32_t i = 1; i < (c.parallel ? 4u : 2u); i++) {
    const CtrShapeDiameter other = ctr_shape_diameter_of (hull, count, c.side + i % 2, c.opposite + i / 2);
    if (ctr_shape_diameter_is_better (other, best))
      best = other;
  }
  return best;
}

/* The smallest circle around up to three points, all of which lie on it; three are clockwise. */
typedef struct {
  CtrPoint points[3];
  uint32_t count;
} CtrShapeCircle;

/* Positive outside the circle, and the more so the farther outside: the square of the distance from the centre less that of the
 * radius, times a factor of the circle. */
CTR_SHAPE_RULE CtrSigned128
ctr_shape_power (CtrShapeCircle circle, CtrPoint q)
{
  const CtrPoint *p = circle.points;
  if (circle.count < 3)
    return ctr_shape_dot (q, p[0], p[circle.count - 1]);
  CtrSigned128 inside = 0;
  for (int i = 0; i < 3; i++)
    inside +=
        (CtrSigned128) ctr_shape_cross (q, p[(i + 1) % 3], p[(i + 2) % 3]) * (int64_t) ctr_shape_distance2 (q, p[i]);
  return -inside;
}

/* The same of a narrow contour. */
CTR_SHAPE_RULE int64_t
ctr_shape_narrow_power (CtrShapeCircle circle, CtrPoint q)
{
  const CtrPoint *p = circle.points;
  if (circle.count < 3)
    return ctr_shape_dot (q, p[0], p[circle.count - 1]);
  int64_t inside = 0;
  for (int i = 0; i < 3; i++)
    inside += (int64_t) (int32_t) ctr_shape_cross (q, p[(i + 1) % 3], p[(i + 2) % 3])
              * (int32_t) ctr_shape_distance2 (q, p[i]);
  return -inside;
}

/* Is Q outside the circle? NARROW: of a narrow contour. */
CTR_SHAPE_RULE bool
ctr_shape_exceeds (CtrShapeCircle circle, CtrPoint q, bool narrow)
{
  return narrow ? ctr_shape_narrow_power (circle, q) > 0 : ctr_shape_power (circle, q) > 0;
}

/* Makes A, B, C the circle if it is their smallest one: if no angle of the triangle is a right or an obtuse one. */
CTR_SHAPE_RULE bool
ctr_shape_circle_of (CtrPoint a, CtrPoint b, CtrPoint c, CtrShapeCircle *circle)
{
  if (ctr_shape_dot (a, b, c) <= 0 || ctr_shape_dot (b, c, a) <= 0 || ctr_shape_dot (c, a, b) <= 0)
    return false;
  const bool clockwise = ctr_shape_cross (a, b, c) > 0;
  const CtrShapeCircle three = {{a, clockwise ? b : c, clockwise ? c : b}, 3};
  *circle = three;
  return true;
}

/* The smallest circle around those of CIRCLE and Q, which lies outside it and therefore on the new one. Each new circle is
 * larger than those before, so adding a point outside as long as there is one comes to an end. */
CTR_SHAPE_RULE CtrShapeCircle
ctr_shape_circle_add (CtrShapeCircle circle, CtrPoint q, bool narrow)
{
  const CtrPoint *p = circle.points;
  const uint32_t count = circle.count;
  for (uint32_t i = 0; i < count; i++) {
    const CtrShapeCircle two = {{q, p[i], p[i]}, 2};
    bool around = true;
    for (uint32_t k = 0; k < count; k++)
      around = around && !ctr_shape_exceeds (two, p[k], narrow);
    if (around)
      return two;
  }
  for (uint32_t i = 0; i < count; i++) { /* With two points, all rounds try the same triangle. */
    CtrShapeCircle three;
    if (ctr_shape_circle_of (q, p[i], p[(i + 1) % count], &three)
        && !ctr_shape_exceeds (three, p[(i + 2) % count], narrow))
      return three;
  }
  return circle; /* not reached */
}

/* How far outside a circle a vertex is. */
typedef struct {
  CtrSigned128 power;
  uint32_t vertex;
} CtrShapePower;

CTR_SHAPE_RULE bool
ctr_shape_power_is_better (CtrShapePower a, CtrShapePower b)
{
  return a.power > b.power || (a.power == b.power && a.vertex < b.vertex);
}

/* Sums along a contour, from which its centroid follows. They wrap around; the final ones fit. */
typedef struct {
  uint64_t a10, a01;            /* as in CtrContourSums */
  uint64_t steps, sum_x, sum_y; /* pixels, and the sums of their coordinates */
} CtrShapeSums;

CTR_SHAPE_RULE uint32_t
ctr_shape_steps (CtrPoint a, CtrPoint b)
{
  const uint32_t dx = b.x > a.x ? b.x - a.x : a.x - b.x, dy = b.y > a.y ? b.y - a.y : a.y - b.y;
  return dx > dy ? dx : dy;
}

/* The pixel STEP steps from A to B, which are on a horizontal, vertical or diagonal line. */
CTR_SHAPE_RULE CtrPoint
ctr_shape_step (CtrPoint a, CtrPoint b, uint32_t step)
{
  const CtrPoint pixel = {(uint16_t) (b.x > a.x   ? a.x + step
                                      : b.x < a.x ? a.x - step
                                                  : a.x),
      (uint16_t) (b.y > a.y   ? a.y + step
                  : b.y < a.y ? a.y - step
                              : a.y)};
  return pixel;
}

/* Adds the line from A to B with the pixels along it, without B. */
CTR_SHAPE_RULE void
ctr_shape_sums_add (CtrShapeSums *sums, CtrPoint a, CtrPoint b)
{
  const uint64_t steps = ctr_shape_steps (a, b), c = (uint64_t) a.x * b.y - (uint64_t) b.x * a.y;
  const uint64_t pairs = steps * (steps - 1) / 2; /* 0 without steps, as 0 * x is */
  sums->a10 += c * ((uint64_t) a.x + b.x);
  sums->a01 += c * ((uint64_t) a.y + b.y);
  sums->steps += steps;
  sums->sum_x += steps * a.x + (b.x > a.x ? pairs : b.x < a.x ? 0 - pairs : 0);
  sums->sum_y += steps * a.y + (b.y > a.y ? pairs : b.y < a.y ? 0 - pairs : 0);
}

CTR_SHAPE_RULE int32_t
ctr_shape_round (uint64_t sum, uint64_t divisor)
{
  return (int32_t) (((sum << 9) + divisor) / (2 * divisor));
}

/* Fills in the centroid and the number of steps of a contour that encloses AREA2 / 2. */
CTR_SHAPE_RULE void
ctr_shape_set_centroid (const CtrShapeSums *sums, int64_t area2, CtrContourShape *shape)
{
  const uint64_t area = (uint64_t) (area2 < 0 ? -area2 : area2);
  shape->steps = (uint32_t) sums->steps;
  if (area2 == 0) {
    shape->centroid[0] = ctr_shape_round (sums->sum_x, sums->steps);
    shape->centroid[1] = ctr_shape_round (sums->sum_y, sums->steps);
  } else {
    shape->centroid[0] = ctr_shape_round (area2 < 0 ? 0 - sums->a10 : sums->a10, 3 * area);
    shape->centroid[1] = ctr_shape_round (area2 < 0 ? 0 - sums->a01 : sums->a01, 3 * area);
  }
}

/* The distance of a pixel from the centroid in CTR_DISTANCE_UNIT. Both backends round the root correctly. */
CTR_SHAPE_RULE uint32_t
ctr_shape_centroid_distance (CtrPoint pixel, int32_t x, int32_t y)
{
  const int64_t dx = (int64_t) pixel.x * 256 - x, dy = (int64_t) pixel.y * 256 - y;
  return (uint32_t) (sqrt ((double) (dx * dx + dy * dy)) * 64);
}

CTR_END_DECLS

#endif
