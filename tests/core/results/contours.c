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
  return all;
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
}

void
reference_contours_free (Contours *contours)
{
  free ((void *) contours->table);
  free ((void *) contours->points);
  free ((void *) contours->sums);
  free ((void *) contours->nesting);
}
