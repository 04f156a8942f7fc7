/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours as bytes. */
#include "core/common/error.h"
#include "core/common/memory.h"
#include "core/results/bytes.h"
#include "core/results/checking.h"

#include <contours/serial.h>
#include <contours/subpixel.h>
#include <stdlib.h>

enum {
  INFO = 1,
  TABLE,
  POINTS,
  SUMS,
  REGIONS,
  NESTING,
  SHAPES,
  STATES,
  STATE_POINTS,
  SUBPIXELS,
  FITS,
  SECTIONS = FITS
};

/* Fields of points in CtrContourShape. */
#define POINT "22"
#define POINTS_3 POINT POINT POINT
#define POINTS_5 POINTS_3 POINT POINT

static const char info_fields[] = "888444444444444",
                  table_fields[] = "8884444444"
                                   "2222"
                                   "4",
                  point_fields[] = POINT, sums_fields[] = "88888888888888888888", region_fields[] = "444488888888",
                  nesting_fields[] = "444",
                  shape_fields[] = "844888884444" POINTS_3 POINTS_5 POINT POINT POINTS_3 POINTS_3 "8",
                  state_fields[] = "844444488", subpixel_fields[] = "44422",
                  fits_fields[] = "888888888888888888888888888888";

/* Everything but the arrays. */
typedef struct {
  uint64_t point_count, needed, origin_row;
  uint32_t width, height, count, threshold, coordinates, features, exceeded, unfinished, vertices, connectivity,
      region_count, reserved; /* 0 */
} Info;

_Static_assert(sizeof (Info) == 72 && sizeof (CtrContour) == 64 && sizeof (CtrPoint) == 4
                   && sizeof (CtrContourSums) == 160 && sizeof (CtrSnakeRegion) == 80
                   && sizeof (CtrContourNesting) == 12 && sizeof (CtrContourShape) == 144
                   && sizeof (CtrSnakeState) == 48 && sizeof (CtrSubpixelPoint) == 16 && sizeof (CtrContourFits) == 240,
    "Rows have no padding, and all of their fields are listed.");

/* Arrays that a result has with the features that ask for them, with a row per contour or per point. */
static const struct {
  uint32_t id, features;
  const char *name, *fields;
  bool by_point;
} optional[] = {
    {SUMS, CTR_CONTOUR_FEATURE_MOMENTS, "moments", sums_fields, false},
    {REGIONS, CTR_CONTOUR_FEATURE_REGIONS, "regions", region_fields, false},
    {NESTING, CTR_CONTOUR_FEATURE_NESTING, "nesting", nesting_fields, false},
    {SHAPES, CTR_CONTOUR_SHAPE_FEATURES, "shapes", shape_fields, false},
    {SUBPIXELS, CTR_CONTOUR_FEATURE_SUBPIXEL, "subpixels", subpixel_fields, true},
    {FITS, CTR_CONTOUR_FEATURE_FITS, "fits", fits_fields, false},
};
enum { OPTIONAL = sizeof optional / sizeof *optional };

static uint64_t
rows_of (const CtrContours *contours, int i)
{
  return optional[i].by_point ? contours->point_count : contours->count;
}

static const void *
map_optional (CtrContours *contours, uint32_t id, CtrError *error)
{
  switch (id) {
    case SUMS:
      return ctr_contours_map_sums (contours, error);
    case REGIONS:
      return ctr_contours_map_regions (contours, error);
    case NESTING:
      return ctr_contours_map_nesting (contours, error);
    case SUBPIXELS:
      return ctr_contours_map_subpixel (contours, error);
    case FITS:
      return ctr_contours_map_fits (contours, error);
    default:
      return ctr_contours_map_shapes (contours, error);
  }
}

void *
ctr_contours_serialize (CtrContours *contours, size_t *size, CtrError *error)
{
  const CtrContour *table = ctr_contours_map_table (contours, error);
  const CtrPoint *points = table ? ctr_contours_map_points (contours, error) : NULL;
  if (!points)
    return NULL;
  const CtrContours *c = contours;
  const Info info = {
      .point_count = c->point_count,
      .needed = c->needed,
      .origin_row = c->origin_row,
      .width = c->width,
      .height = c->height,
      .count = c->count,
      .threshold = c->threshold,
      .coordinates = c->coordinates,
      .features = c->features,
      .exceeded = c->exceeded,
      .unfinished = c->unfinished,
      .vertices = c->vertices,
      .connectivity = c->connectivity,
      .region_count = c->region_count,
  };
  CtrSection sections[SECTIONS] = {{INFO, info_fields, &info, 1}, {TABLE, table_fields, table, c->count},
      {POINTS, point_fields, points, c->point_count}};
  uint32_t count = 3;
  for (int i = 0; i < OPTIONAL; i++) {
    if (!(c->features & optional[i].features))
      continue;
    const void *rows = map_optional (contours, optional[i].id, error);
    if (!rows)
      return NULL;
    sections[count++] = (CtrSection){optional[i].id, optional[i].fields, rows, rows_of (c, i)};
  }
  CtrSnakeHistory history;
  if (ctr_contours_get_history (contours, &history)) {
    sections[count++] = (CtrSection){STATES, state_fields, history.states, history.state_count};
    sections[count++] = (CtrSection){STATE_POINTS, point_fields, history.points, history.point_count};
  }
  return ctr_bytes_write (CTR_BYTES_CONTOURS, sections, count, size, error);
}

/* Do the sections have the rows that INFO promises? Memory is allocated only then. */
static bool
check_sections (const CtrBytes *bytes, const CtrContours *info, CtrError *error)
{
  uint64_t count;
  bool ok = ctr_bytes_count (bytes, TABLE, &count) && count == info->count && ctr_bytes_count (bytes, POINTS, &count)
            && count == info->point_count;
  for (int i = 0; ok && i < OPTIONAL; i++)
    if (info->features & optional[i].features)
      ok = ctr_bytes_count (bytes, optional[i].id, &count) && count == rows_of (info, i);
  return ok || ctr_bytes_fail (error, "a section is missing or has another number of rows");
}

static bool
read_arrays (const CtrBytes *bytes, const CtrContours *info, CtrContourArrays *arrays, CtrError *error)
{
  void *const optional_arrays[OPTIONAL] = {
      arrays->sums, arrays->regions, arrays->nesting, arrays->shapes, arrays->subpixel, arrays->fits};
  if (!ctr_bytes_read (bytes, TABLE, "contours", table_fields, arrays->table, info->count, error)
      || !ctr_bytes_read (bytes, POINTS, "points", point_fields, arrays->points, info->point_count, error))
    return false;
  for (int i = 0; i < OPTIONAL; i++)
    if (optional_arrays[i]
        && !ctr_bytes_read (
            bytes, optional[i].id, optional[i].name, optional[i].fields, optional_arrays[i], rows_of (info, i), error))
      return false;
  const char *wrong = ctr_check_contour_arrays (info, arrays);
  return !wrong || ctr_bytes_fail (error, wrong);
}

static bool
read_history (const CtrBytes *bytes, CtrContours *contours, CtrError *error)
{
  CtrSnakeHistory history = {NULL, 0, NULL, 0};
  if (!ctr_bytes_count (bytes, STATES, &history.state_count)
      || !ctr_bytes_count (bytes, STATE_POINTS, &history.point_count))
    return ctr_bytes_fail (error, "the history is missing");
  CtrSnakeState *states = ctr_alloc_array (history.state_count + 1, sizeof *states);
  CtrPoint *points = ctr_alloc_array (history.point_count + 1, sizeof *points);
  history.states = states;
  history.points = points;
  bool ok = states && points;
  if (!ok)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the history of %u contours", contours->count);
  ok = ok && ctr_bytes_read (bytes, STATES, "history", state_fields, states, history.state_count, error)
       && ctr_bytes_read (bytes, STATE_POINTS, "history's points", point_fields, points, history.point_count, error);
  const char *wrong = ok ? ctr_check_history (contours, &history) : NULL;
  if (ok && !wrong) {
    ctr_contours_set_history (contours, &history);
    return true;
  }
  free (states);
  free (points);
  return wrong ? ctr_bytes_fail (error, wrong) : false;
}

CtrContours *
ctr_contours_deserialize (const void *bytes, size_t size, CtrError *error)
{
  CtrBytes opened;
  Info info;
  if (!ctr_bytes_open (bytes, size, CTR_BYTES_CONTOURS, &opened, error)
      || !ctr_bytes_read (&opened, INFO, "header", info_fields, &info, 1, error))
    return NULL;
  const CtrContours described = {
      .width = info.width,
      .height = info.height,
      .count = info.count,
      .threshold = info.threshold,
      .point_count = info.point_count,
      .coordinates = (CtrCoordinates) info.coordinates,
      .features = info.features,
      .exceeded = (CtrLimit) info.exceeded,
      .needed = info.needed,
      .origin_row = info.origin_row,
      .unfinished = info.unfinished,
      .vertices = (CtrVertices) info.vertices,
      .connectivity = (CtrConnectivity) info.connectivity,
      .region_count = info.region_count,
  };
  const char *wrong = ctr_check_contours (&described);
  if (wrong) {
    ctr_bytes_fail (error, wrong);
    return NULL;
  }
  CtrContourArrays arrays;
  CtrContours *contours =
      check_sections (&opened, &described, error) ? ctr_contours_alloc (&described, &arrays, error) : NULL;
  if (!contours)
    return NULL;
  if (read_arrays (&opened, &described, &arrays, error)
      && (!(described.features & CTR_CONTOUR_FEATURE_HISTORY) || read_history (&opened, contours, error)))
    return contours;
  ctr_contours_unref (contours);
  return NULL;
}
