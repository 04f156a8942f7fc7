/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hull comes from gift wrapping, pairs and sides from trying all of them, the circle from adding point after point. */
#include "tests/core/borders/reference_shapes.h"

#include "tests/core/common/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 Wide;

typedef struct {
  CtrPoint *points;
  uint32_t count;
} Hull;

static bool
same (CtrPoint a, CtrPoint b)
{
  return a.x == b.x && a.y == b.y;
}

static Wide
product (CtrPoint a, CtrPoint b, CtrPoint c, CtrPoint d)
{
  return (Wide) (b.x - a.x) * (d.y - c.y) - (Wide) (b.y - a.y) * (d.x - c.x);
}

static Wide
inner (CtrPoint a, CtrPoint b, CtrPoint c, CtrPoint d)
{
  return (Wide) (b.x - a.x) * (d.x - c.x) + (Wide) (b.y - a.y) * (d.y - c.y);
}

static Hull
wrap (const CtrPoint *points, uint32_t count)
{
  Hull hull = {malloc ((count + 1) * sizeof (CtrPoint)), 0};
  CtrPoint start = points[0];
  for (uint32_t i = 1; i < count; i++)
    if (points[i].y < start.y || (points[i].y == start.y && points[i].x > start.x))
      start = points[i];
  CtrPoint at = start;
  do {
    hull.points[hull.count++] = at;
    CtrPoint next = at;
    for (uint32_t i = 0; i < count; i++) {
      const Wide turn = same (next, at) ? -1 : product (at, next, at, points[i]);
      if (!same (points[i], at)
          && (turn < 0 || (turn == 0 && inner (at, points[i], at, points[i]) > inner (at, next, at, next))))
        next = points[i];
    }
    at = next;
  } while (!same (at, start));
  return hull;
}

static CtrPoint
vertex (Hull hull, uint32_t i)
{
  return hull.points[i % hull.count];
}

static void
set_hull (Hull hull, CtrContourShape *shape)
{
  shape->hull_count = hull.count;
  for (uint32_t i = 0; i < hull.count; i++) {
    const CtrPoint p = vertex (hull, i), q = vertex (hull, i + 1);
    shape->hull_area2 += (uint64_t) p.x * q.y - (uint64_t) p.y * q.x;
    shape->hull_length += (uint64_t) (sqrt ((double) inner (p, q, p, q)) * 8388608.0);
  }
}

static void
set_rectangle (Hull hull, CtrContourShape *shape)
{
  Wide best = 0, best_length2 = 0;
  for (int i = 0; i < 5; i++)
    shape->rectangle[i] = hull.points[0];
  for (uint32_t i = 0; hull.count > 1 && i < hull.count; i++) {
    const CtrPoint p = vertex (hull, i), q = vertex (hull, i + 1);
    CtrPoint opposite = q, ahead = q, behind = q;
    for (uint32_t k = i + 2; k <= i + hull.count; k++) {
      const CtrPoint v = vertex (hull, k);
      opposite = product (p, q, p, v) > product (p, q, p, opposite) ? v : opposite;
      ahead = inner (p, q, p, v) > inner (p, q, p, ahead) ? v : ahead;
      behind = inner (p, q, p, v) < inner (p, q, p, behind) ? v : behind;
    }
    const Wide length2 = inner (p, q, p, q);
    const Wide area = (inner (p, q, p, ahead) - inner (p, q, p, behind)) * product (p, q, p, opposite);
    if (best_length2 > 0 && area * best_length2 >= best * length2)
      continue;
    best = area;
    best_length2 = length2;
    const CtrPoint five[5] = {p, q, opposite, ahead, behind};
    memcpy (shape->rectangle, five, sizeof five);
  }
}

static void
set_feret (Hull hull, CtrContourShape *shape)
{
  Wide best = -1, best_across = 0, best_length2 = 0;
  for (uint32_t i = 0; i < hull.count; i++)
    for (uint32_t k = i; k < hull.count; k++) {
      const Wide distance2 = inner (hull.points[i], hull.points[k], hull.points[i], hull.points[k]);
      if (distance2 <= best)
        continue;
      best = distance2;
      shape->diameter[0] = hull.points[i];
      shape->diameter[1] = hull.points[k];
    }
  for (int i = 0; i < 3; i++)
    shape->breadth[i] = hull.points[0];
  for (uint32_t i = 0; hull.count > 1 && i < hull.count; i++) {
    const CtrPoint p = vertex (hull, i), q = vertex (hull, i + 1);
    CtrPoint opposite = q;
    for (uint32_t k = i + 2; k < i + hull.count; k++)
      opposite = product (p, q, p, vertex (hull, k)) > product (p, q, p, opposite) ? vertex (hull, k) : opposite;
    const Wide across = product (p, q, p, opposite), length2 = inner (p, q, p, q);
    if (best_length2 > 0 && across * across * best_length2 >= best_across * best_across * length2)
      continue;
    best_across = across;
    best_length2 = length2;
    const CtrPoint three[3] = {p, q, opposite};
    memcpy (shape->breadth, three, sizeof three);
  }
}

static void
set_circle (Hull hull, CtrContourShape *shape)
{
  const CtrPoint *p = hull.points;
  CtrPoint on[3] = {p[0], p[0], p[0]};
  for (uint32_t i = 1; i < hull.count; i++) {
    if (!reference_is_outside (on, p[i]))
      continue;
    on[0] = on[1] = on[2] = p[i];
    for (uint32_t j = 0; j < i; j++) {
      if (!reference_is_outside (on, p[j]))
        continue;
      on[0] = p[i];
      on[1] = on[2] = p[j];
      for (uint32_t k = 0; k < j; k++)
        if (reference_is_outside (on, p[k])) {
          on[0] = p[i];
          on[1] = p[j];
          on[2] = p[k];
        }
    }
  }
  memcpy (shape->circle, on, sizeof on);
}

/* Where the contour comes to a vertex of the hull with everything else on the inner side. */
static uint32_t
visit_of (const CtrPoint *points, const CtrContour *row, CtrPoint at)
{
  for (uint32_t i = 0; i < row->count; i++) {
    if (!same (points[i], at))
      continue;
    const CtrPoint from = points[(i + row->count - 1) % row->count], to = points[(i + 1) % row->count];
    const double arrives = atan2 (at.y - from.y, at.x - from.x), leaves = atan2 (to.y - at.y, to.x - at.x);
    double turn = (row->area2 > 0 ? 1 : -1) * (leaves - arrives);
    turn = turn < -1e-9 ? turn + 2 * 3.14159265358979323846 : turn;
    if (turn < 3.141593)
      return i;
  }
  fail (__FILE__, __LINE__, "the contour goes around no outside of its hull's vertex");
}

static void
set_defect (const CtrPoint *points, const CtrContour *row, Hull hull, CtrContourShape *shape)
{
  Wide best = 0, best_length2 = 1;
  uint32_t best_point = 0;
  for (int i = 0; i < 3; i++)
    shape->defect[i] = hull.points[0];
  for (uint32_t i = 0; i < hull.count; i++) {
    const CtrPoint p = vertex (hull, i), q = vertex (hull, i + 1);
    const Wide length2 = inner (p, q, p, q);
    uint32_t from = visit_of (points, row, p), to = visit_of (points, row, q);
    if (row->area2 <= 0) {
      const uint32_t swapped = from;
      from = to;
      to = swapped;
    }
    for (uint32_t k = from; k != to; k = (k + 1) % row->count) {
      const Wide depth = product (p, q, p, points[k]);
      const Wide a = depth * depth * best_length2, b = best * best * length2;
      CHECK (depth >= 0);
      if (depth == 0 || a < b || (a == b && k > best_point))
        continue;
      best = depth;
      best_length2 = length2;
      best_point = k;
      const CtrPoint three[3] = {p, q, points[k]};
      memcpy (shape->defect, three, sizeof three);
    }
  }
}

/* Rounds to 1/256. */
static int32_t
rounded (Wide sum, Wide divisor)
{
  return (int32_t) ((512 * sum + divisor) / (2 * divisor));
}

static void
set_distances (const CtrPoint *points, const CtrContour *row, CtrContourShape *shape)
{
  Wide x = 0, y = 0, steps = 0, a10 = 0, a01 = 0, squares = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < row->count; i++) {
      const CtrPoint a = points[i], b = points[(i + 1) % row->count];
      const int dx = (b.x > a.x) - (b.x < a.x), dy = (b.y > a.y) - (b.y < a.y);
      const Wide c = (Wide) a.x * b.y - (Wide) b.x * a.y;
      int px = a.x, py = a.y;
      a10 += c * (a.x + b.x);
      a01 += c * (a.y + b.y);
      while (px != b.x || py != b.y || row->count == 1) {
        x += px;
        y += py;
        if (pass == 0) {
          steps++;
        } else {
          const double ux = px * 256.0 - shape->centroid[0], uy = py * 256.0 - shape->centroid[1];
          const uint64_t distance = (uint64_t) (64 * sqrt (ux * ux + uy * uy));
          shape->distance_sum += distance;
          shape->distance_max = distance > shape->distance_max ? (uint32_t) distance : shape->distance_max;
          squares += (Wide) distance * distance;
        }
        px += dx;
        py += dy;
        if (row->count == 1)
          break;
      }
    }
    if (pass == 0) {
      const Wide area2 = row->area2;
      shape->steps = (uint32_t) steps;
      shape->centroid[0] =
          area2 ? rounded (area2 < 0 ? -a10 : a10, 3 * (area2 < 0 ? -area2 : area2)) : rounded (x, steps);
      shape->centroid[1] =
          area2 ? rounded (area2 < 0 ? -a01 : a01, 3 * (area2 < 0 ? -area2 : area2)) : rounded (y, steps);
    }
  }
  shape->distance_squares[0] = (uint64_t) squares;
  shape->distance_squares[1] = (uint64_t) (squares >> 64);
}

/* Of all points; the unit vector is rounded to 2^-46. */
static void
set_extent (const CtrPoint *points, const CtrContour *row, double angle, CtrContourShape *shape)
{
  const double unit = 70368744177664.0, radians = fmod (angle, 360) * (acos (-1) / 180);
  const Wide dx = llround (cos (radians) * unit), dy = llround (sin (radians) * unit);
  for (uint32_t i = 0; i < row->count; i++)
    for (uint32_t k = 0; k < row->count; k++) {
      const Wide apart = dx * (points[i].x - points[k].x) + dy * (points[i].y - points[k].y);
      if (apart > (Wide) shape->feret_extent)
        shape->feret_extent = (uint64_t) apart;
    }
}

CtrContourFits
reference_fits (const CtrPoint *points, const CtrContour *row)
{
  unsigned __int128 sums[15] = {0};
  CtrContourFits fits;
  for (uint32_t i = 0; i < row->count; i++) {
    const CtrPoint a = points[i], b = points[(i + 1) % row->count];
    const int dx = (b.x > a.x) - (b.x < a.x), dy = (b.y > a.y) - (b.y < a.y);
    int x = a.x, y = a.y;
    do {
      int at = 0;
      for (int order = 0; order <= 4; order++)
        for (int k = 0; k <= order; k++) {
          unsigned __int128 power = 1;
          for (int n = 0; n < order; n++)
            power *= (unsigned) (n < k ? y : x);
          sums[at++] += power;
        }
      x += dx;
      y += dy;
    } while (x != b.x || y != b.y);
  }
  for (int i = 0; i < 15; i++) {
    fits.words[i][0] = (uint64_t) sums[i];
    fits.words[i][1] = (uint64_t) (sums[i] >> 64);
  }
  return fits;
}

CtrContourShape
reference_shape (const CtrPoint *points, const CtrContour *row, uint32_t features, double feret_angle)
{
  CtrContourShape shape;
  memset (&shape, 0, sizeof shape);
  const Hull hull = wrap (points, row->count);
  if (features & CTR_CONTOUR_FEATURE_HULL)
    set_hull (hull, &shape);
  if (features & CTR_CONTOUR_FEATURE_DEFECT)
    set_defect (points, row, hull, &shape);
  if (features & CTR_CONTOUR_FEATURE_RECTANGLE)
    set_rectangle (hull, &shape);
  if (features & CTR_CONTOUR_FEATURE_FERET)
    set_feret (hull, &shape);
  if (features & CTR_CONTOUR_FEATURE_FERET)
    set_extent (points, row, feret_angle, &shape);
  if (features & CTR_CONTOUR_FEATURE_CIRCLE)
    set_circle (hull, &shape);
  if (features & CTR_CONTOUR_FEATURE_DISTANCES)
    set_distances (points, row, &shape);
  free (hull.points);
  return shape;
}

void
reference_holes (const CtrContour *table, uint32_t count, CtrContourShape *shapes)
{
  for (uint32_t i = 0; i < count; i++)
    for (int32_t k = table[i].child; k >= 0; k = table[k].next)
      if (table[k].flags & CTR_CONTOUR_HOLE) {
        shapes[i].holes++;
        shapes[i].hole_area2 += (uint64_t) llabs (table[k].area2);
      }
}
