/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool
bench_lists_map (CtrContours *contours, BenchLists *lists)
{
  CtrError error;
  lists->table = ctr_contours_map_table (contours, &error);
  lists->points = lists->table ? ctr_contours_map_points (contours, &error) : NULL;
  const uint32_t features = lists->points ? contours->features : 0;
  lists->sums = features & CTR_CONTOUR_FEATURE_MOMENTS ? ctr_contours_map_sums (contours, &error) : NULL;
  lists->regions = features & CTR_CONTOUR_FEATURE_REGIONS ? ctr_contours_map_regions (contours, &error) : NULL;
  lists->nesting = features & CTR_CONTOUR_FEATURE_NESTING ? ctr_contours_map_nesting (contours, &error) : NULL;
  lists->shapes = features & CTR_CONTOUR_SHAPE_FEATURES ? ctr_contours_map_shapes (contours, &error) : NULL;
  lists->subpixel = features & CTR_CONTOUR_FEATURE_SUBPIXEL ? ctr_contours_map_subpixel (contours, &error) : NULL;
  if (lists->points && !lists->subpixel == !(features & CTR_CONTOUR_FEATURE_SUBPIXEL)
      && !lists->shapes == !(features & CTR_CONTOUR_SHAPE_FEATURES)
      && !lists->nesting == !(features & CTR_CONTOUR_FEATURE_NESTING)
      && !lists->sums == !(features & CTR_CONTOUR_FEATURE_MOMENTS)
      && !lists->regions == !(features & CTR_CONTOUR_FEATURE_REGIONS))
    return true;
  fprintf (stderr, "%s\n", error.message);
  return false;
}

static void
tell_row (const char *who, const CtrContour *row)
{
  fprintf (stderr,
      "  %s: first %" PRIu64 ", count %u, area2 %" PRId64 ", length %" PRIu64
      ", hierarchy %d %d %d %d, flags %u, level %u, box %u,%u %ux%u\n",
      who, row->first, row->count, row->area2, row->length, row->next, row->previous, row->child, row->parent,
      row->flags, row->level, row->left, row->top, row->width, row->height);
}

bool
bench_lists_same (const char *what, const char *who, CtrContours *result, CtrContours *expected)
{
  BenchLists ours, theirs;
  const CtrContours *a = result, *b = expected;
  if (a->count != b->count || a->point_count != b->point_count || a->threshold != b->threshold || a->width != b->width
      || a->height != b->height || a->coordinates != b->coordinates || a->features != b->features) {
    fprintf (stderr, "%s: %s: %u contours, %" PRIu64 " points, threshold %u; expected %u, %" PRIu64 ", %u\n", what, who,
        a->count, a->point_count, a->threshold, b->count, b->point_count, b->threshold);
    return false;
  }
  if (!bench_lists_map (result, &ours) || !bench_lists_map (expected, &theirs))
    return false;
  if (!memcmp (ours.table, theirs.table, a->count * sizeof *ours.table)
      && !memcmp (ours.points, theirs.points, a->point_count * sizeof *ours.points)
      && (!ours.sums || !memcmp (ours.sums, theirs.sums, a->count * sizeof *ours.sums))
      && (!ours.regions || !memcmp (ours.regions, theirs.regions, a->count * sizeof *ours.regions))
      && (!ours.nesting || !memcmp (ours.nesting, theirs.nesting, a->count * sizeof *ours.nesting))
      && (!ours.shapes || !memcmp (ours.shapes, theirs.shapes, a->count * sizeof *ours.shapes))
      && (!ours.subpixel || !memcmp (ours.subpixel, theirs.subpixel, a->point_count * sizeof *ours.subpixel)))
    return true;
  fprintf (
      stderr, "%s: %s: other rows, points, sums, regions, nesting, shapes or subpixels than expected\n", what, who);
  for (uint32_t i = 0; i < a->count; i++)
    if (memcmp (ours.table + i, theirs.table + i, sizeof *ours.table)) {
      fprintf (stderr, "  row %u\n", i);
      tell_row (who, ours.table + i);
      tell_row ("expected", theirs.table + i);
      return false;
    }
  for (uint64_t i = 0; i < a->point_count; i++)
    if (ours.points[i].x != theirs.points[i].x || ours.points[i].y != theirs.points[i].y) {
      fprintf (stderr, "  point %" PRIu64 ": %u,%u, expected %u,%u\n", i, ours.points[i].x, ours.points[i].y,
          theirs.points[i].x, theirs.points[i].y);
      return false;
    }
  return false;
}
