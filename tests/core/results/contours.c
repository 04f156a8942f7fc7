/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/results/contours.h"

#include "tests/core/common/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Contours
contours_of (CtrContours *contours)
{
  CtrError error;
  Contours all = {.info = *contours};
  all.table = ctr_contours_map_table (contours, &error);
  if (!all.table || !(all.points = ctr_contours_map_points (contours, &error)))
    fail (__FILE__, __LINE__, error.message);
  all.sums = ctr_contours_map_sums (contours, &error);
  CHECK (!all.sums == !(contours->features & CTR_CONTOUR_FEATURE_MOMENTS));
  all.nesting = ctr_contours_map_nesting (contours, &error);
  CHECK (!all.nesting == !(contours->features & CTR_CONTOUR_FEATURE_NESTING));
  all.shapes = ctr_contours_map_shapes (contours, &error);
  CHECK (!all.shapes == !(contours->features & CTR_CONTOUR_SHAPE_FEATURES));
  all.fits = ctr_contours_map_fits (contours, &error);
  CHECK (!all.fits == !(contours->features & CTR_CONTOUR_FEATURE_FITS));
  return all;
}

__extension__ typedef __int128 Wide;

/* The circle around (x / scale, y / scale) with the radius sqrt (r2) / scale. */
typedef struct {
  Wide x, y, scale, r2;
} Circle;

static Circle
circle_of (const CtrPoint p[3])
{
  const Wide bx = p[1].x - p[0].x, by = p[1].y - p[0].y, cx = p[2].x - p[0].x, cy = p[2].y - p[0].y;
  const Wide b2 = bx * bx + by * by, c2 = cx * cx + cy * cy, cross = bx * cy - by * cx;
  Circle circle = {bx, by, 2, b2};
  if (cross != 0)
    circle = (Circle){cy * b2 - by * c2, bx * c2 - cx * b2, 2 * cross, 0};
  if (cross != 0)
    circle.r2 = circle.x * circle.x + circle.y * circle.y;
  circle.x += circle.scale * p[0].x;
  circle.y += circle.scale * p[0].y;
  return circle;
}

bool
reference_is_outside (const CtrPoint p[3], CtrPoint q)
{
  const Circle c = circle_of (p);
  const Wide dx = c.scale * q.x - c.x, dy = c.scale * q.y - c.y;
  return dx * dx + dy * dy > c.r2;
}

static void
check_circles_equal (const CtrPoint expected[3], const CtrPoint actual[3])
{
  const Circle e = circle_of (expected), a = circle_of (actual);
  CHECK (e.x * a.scale == a.x * e.scale && e.y * a.scale == a.y * e.scale);
  CHECK (!reference_is_outside (expected, actual[0]) && !reference_is_outside (actual, expected[0]));
}

static void
check_shapes_equal (const CtrContourShape *expected, const CtrContourShape *actual, uint32_t i)
{
  CtrContourShape copy = *actual;
  check_circles_equal (expected->circle, actual->circle);
  memcpy (copy.circle, expected->circle, sizeof copy.circle);
  if (memcmp (expected, &copy, sizeof copy) == 0)
    return;
  fprintf (stderr, "the shape of row %u, in words of 32 bits:\n", i);
  for (size_t k = 0; k < sizeof copy / 4; k++) {
    uint32_t e, a;
    memcpy (&e, (const char *) expected + 4 * k, 4);
    memcpy (&a, (const char *) &copy + 4 * k, 4);
    if (e != a)
      fprintf (stderr, "  %zu: %#x instead of %#x\n", k, a, e);
  }
  CHECK (memcmp (expected, &copy, sizeof copy) == 0);
}

static void
print_row (const char *name, const CtrContour *row)
{
  fprintf (stderr,
      "  %s: first %llu, count %u, area2 %lld, length %llu, next %d, previous %d, child %d, parent %d, flags %u, level "
      "%u, box %u %u %u %u\n",
      name, (unsigned long long) row->first, row->count, (long long) row->area2, (unsigned long long) row->length,
      row->next, row->previous, row->child, row->parent, row->flags, row->level, row->left, row->top, row->width,
      row->height);
}

void
check_contours_equal (const Contours *expected, const Contours *actual)
{
  const CtrContours *e = &expected->info, *a = &actual->info;
  CHECK (a->width == e->width && a->height == e->height);
  CHECK (a->threshold == e->threshold);
  CHECK (a->coordinates == e->coordinates);
  CHECK (a->features == e->features);
  CHECK (a->connectivity == e->connectivity);
  CHECK (a->exceeded == e->exceeded && a->needed == e->needed);
  if (a->count != e->count)
    fprintf (stderr, "%u contours instead of %u\n", a->count, e->count);
  CHECK (a->count == e->count);
  for (uint32_t i = 0; i < e->count; i++) {
    if (memcmp (expected->table + i, actual->table + i, sizeof *expected->table)) {
      fprintf (stderr, "row %u of %u\n", i, e->count);
      print_row ("expected", expected->table + i);
      print_row ("actual", actual->table + i);
    }
    CHECK (memcmp (expected->table + i, actual->table + i, sizeof *expected->table) == 0);
  }
  CHECK (a->point_count == e->point_count);
  CHECK (memcmp (expected->points, actual->points, e->point_count * sizeof *expected->points) == 0);
  CHECK (!actual->sums == !expected->sums);
  if (actual->sums)
    CHECK (memcmp (expected->sums, actual->sums, e->count * sizeof *expected->sums) == 0);
  CHECK (!actual->nesting == !expected->nesting);
  for (uint32_t i = 0; actual->nesting && i < e->count; i++) {
    const CtrContourNesting *x = expected->nesting + i, *n = actual->nesting + i;
    if (memcmp (x, n, sizeof *x))
      fprintf (stderr, "row %u: depth %u, birth %u, death %u instead of %u, %u, %u\n", i, n->depth, n->birth, n->death,
          x->depth, x->birth, x->death);
    CHECK (memcmp (x, n, sizeof *x) == 0);
  }
  CHECK (!actual->shapes == !expected->shapes);
  for (uint32_t i = 0; actual->shapes && i < e->count; i++)
    check_shapes_equal (expected->shapes + i, actual->shapes + i, i);
  CHECK (!actual->fits == !expected->fits);
  if (actual->fits)
    CHECK (memcmp (expected->fits, actual->fits, e->count * sizeof *expected->fits) == 0);
}

void
reference_contours_free (Contours *contours)
{
  free ((void *) contours->table);
  free ((void *) contours->points);
  free ((void *) contours->sums);
  free ((void *) contours->nesting);
  free ((void *) contours->shapes);
  free ((void *) contours->fits);
}
