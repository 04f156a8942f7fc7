/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/borders/reference.h"
#include "tests/core/results/simplify_reference.h"

#include <stdio.h>
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
  return all;
}

CtrBordersParams
borders_params_of (CtrRetrieval mode, CtrApproximation approximation, uint32_t threshold, bool invert)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.mode = mode;
  params.approximation = approximation;
  params.foreground.threshold = threshold;
  params.foreground.invert = invert;
  return params;
}

CtrBordersParams
random_borders_params (Random *random, uint32_t threshold, bool invert)
{
  CtrBordersParams params =
      borders_params_of (random_below (random, 4), 1 + random_below (random, 2), threshold, invert);
  if (random_below (random, 2))
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  if (random_below (random, 3) == 0)
    params.epsilon = random_epsilon (random);
  if (random_below (random, 3) == 0)
    params.min_area = random_below (random, 40) / 4.0;
  if (random_below (random, 4) == 0)
    params.max_area = params.min_area + random_below (random, 200) / 4.0;
  if (random_below (random, 4) == 0)
    params.min_length = random_below (random, 5) ? random_below (random, 100) / (random_below (random, 2) ? 1.5 : 7.0)
                                                 : 4 * 1.41421354f;
  if (random_below (random, 4) == 0)
    params.min_width = random_below (random, 9);
  if (random_below (random, 4) == 0)
    params.min_height = random_below (random, 9);
  return params;
}

void
describe_borders (const char *name, const CtrImage *image, const CtrBordersParams *params)
{
  describe ("%s, %u x %u, format %d, threshold %u%s, mode %d, approximation %d, epsilon %.17g, areas %g to %g, "
            "length %g, at least %u x %u, features %u",
      name, image->width, image->height, image->format, params->foreground.threshold,
      params->foreground.invert ? " inverted" : "", params->mode, params->approximation, params->epsilon,
      params->min_area, params->max_area, params->min_length, params->min_width, params->min_height, params->features);
}

CtrBorders *
follower_new (const Setup *setup)
{
  CtrError error;
  CtrBorders *borders = ctr_borders_new (setup->backend, &error);
  if (!borders)
    fail (__FILE__, __LINE__, error.message);
  return borders;
}

CtrContours *
follow_borders (CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params)
{
  CtrError error;
  CtrContours *contours = ctr_borders_run (borders, image, params, setup->stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  return contours;
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
}

void
check_borders (CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params)
{
  Contours expected = reference_borders (image, params);
  CtrContours *contours = follow_borders (borders, setup, image, params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  ctr_contours_unref (contours);
  reference_borders_free (&expected);
}
