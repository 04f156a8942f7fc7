/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours in units of the world. They are converted when they are read: metadata holds a reference to the calibration. */
#include "gst/meta/contourmeta-private.h"

#include <contours/subpixel.h>
#include <gst/contours/gstcontoursubpixel.h>
#include <gst/contours/gstcontourworld.h>

static GstContoursWorldContour *
contour_copy (const GstContoursWorldContour *contour)
{
  return g_memdup2 (contour, sizeof *contour);
}

G_DEFINE_BOXED_TYPE (GstContoursWorldContour, gst_contours_world_contour, contour_copy, g_free)

/**
 * gst_contours_contour_meta_set_calibration: (skip)
 * @meta: a #GstContoursContourMeta of a writable buffer
 * @calibration: (transfer none) (nullable): the calibration of the analysed pictures; the metadata takes a reference
 *
 * Tells, for elements that attach metadata, how the pixels of the analysed picture become units of the world.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_set_calibration (GstContoursContourMeta *meta, GstContoursCalibration *calibration)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  gst_contours_result_meta_set_calibration (PRIVATE (meta), calibration);
}

/**
 * gst_contours_contour_meta_get_calibration:
 * @meta: a #GstContoursContourMeta
 *
 * How the pixels of the analysed picture become units of the world: what calibration-location named.
 *
 * Returns: (transfer none) (nullable): the calibration, valid as long as the buffer; %NULL if there is none
 *
 * Since: 0.1
 */
GstContoursCalibration *
gst_contours_contour_meta_get_calibration (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  return PRIVATE (meta)->calibration;
}

/* The arrays that the world's numbers come from. */
typedef struct {
  const CtrCalibration *model;
  const CtrContours *contours;
  const CtrContour *table;
  const CtrPoint *points;        /* NULL if a scale needs none */
  const CtrContourShape *shapes; /* NULL without one of their features */
  const CtrContourSums *sums;    /* NULL without moments */
  gdouble scale;                 /* NaN unless the calibration is one */
} Arrays;

static gboolean
map_arrays (GstContoursContourMeta *meta, Arrays *arrays)
{
  GstContoursCalibration *calibration = PRIVATE (meta)->calibration;
  if (!calibration)
    return FALSE;
  *arrays = (Arrays){.model = gst_contours_calibration_peek_model (calibration),
      .contours = CONTOURS (meta),
      .scale = gst_contours_calibration_get_scale (calibration)};
  return (arrays->table = gst_contours_contour_meta_map_table (meta))
         && (!isnan (arrays->scale) || (arrays->points = gst_contours_contour_meta_map_points (meta)))
         && (!has_shapes (meta) || (arrays->shapes = gst_contours_contour_meta_map_shapes (meta)))
         && (!has_moments (meta) || (arrays->sums = gst_contours_contour_meta_map_sums (meta)));
}

/* What is added to the coordinates of the result for positions of pixel centres in the picture of the camera, or in the web. */
static void
get_offsets (const CtrContours *contours, gdouble *x, gdouble *y)
{
  *x = contours->coordinates == CTR_COORDINATES_CORNERS ? -0.5 : 0;
  *y = *x + contours->origin_row;
}

/* Converts COUNT positions in the coordinates of the result in place. */
static void
convert (const Arrays *arrays, gdouble *positions, gsize count)
{
  gdouble x, y;
  get_offsets (arrays->contours, &x, &y);
  for (gsize i = 0; i < count; i++) {
    positions[2 * i] += x;
    positions[2 * i + 1] += y;
  }
  ctr_calibration_points (arrays->model, positions, count, positions);
}

/* Appends a point, and the pixels or corners that the straight line from FROM passes on its way, without FROM. */
static void
append_steps (GArray *line, const CtrPoint *from, const CtrPoint *to)
{
  const gint dx = (to->x > from->x) - (to->x < from->x), dy = (to->y > from->y) - (to->y < from->y);
  gint x = from->x, y = from->y;
  while (x != to->x || y != to->y) {
    x += dx;
    y += dy;
    const gdouble position[2] = {x, y};
    g_array_append_vals (line, position, 2);
  }
}

/* All that the line of ROW passes, converted: where a list has the points at which the line turns, those between are
 * converted, too, since a straight line need not be straight in the world. */
static GArray *
convert_line (const Arrays *arrays, const CtrContour *row)
{
  const CtrPoint *points = arrays->points + row->first;
  const gboolean turns = arrays->contours->vertices == CTR_VERTICES_TURNS;
  const gboolean closed = !(row->flags & CTR_CONTOUR_OPEN);
  GArray *line = g_array_sized_new (FALSE, FALSE, sizeof (gdouble), 2 * row->count);
  for (guint i = 0; i < row->count; i++) {
    const gdouble position[2] = {points[i].x, points[i].y};
    if (i == 0 || !turns)
      g_array_append_vals (line, position, 2);
    else
      append_steps (line, &points[i - 1], &points[i]);
  }
  if (turns && closed && row->count > 1) {
    append_steps (line, &points[row->count - 1], &points[0]);
    g_array_set_size (line, line->len - 2); /* the first point again */
  }
  convert (arrays, (gdouble *) (gpointer) line->data, line->len / 2);
  return line;
}

static gboolean
measure_line (const Arrays *arrays, const CtrContour *row, guint features, CtrWorldShape *shape)
{
  GArray *line = convert_line (arrays, row);
  CtrError error;
  const gboolean ok = ctr_world_shape_measure ((const gdouble *) (gpointer) line->data, line->len / 2,
      !(row->flags & CTR_CONTOUR_OPEN), features, shape, &error);
  if (!ok)
    GST_WARNING ("A contour cannot be measured: %s", error.message);
  g_array_unref (line);
  return ok;
}

/* Everything by the scale: no point is needed. */
static void
fill_scaled (const Arrays *arrays, guint index, GstContoursWorldContour *out)
{
  const CtrContour *row = &arrays->table[index];
  const gdouble s = arrays->scale;
  const guint edge = arrays->contours->coordinates == CTR_COORDINATES_PIXELS; /* The line runs through pixel centres. */
  CtrContourShapeValues v;
  gdouble x, y;
  get_offsets (arrays->contours, &x, &y);
  ctr_contour_shape_values (arrays->contours, row, arrays->shapes ? &arrays->shapes[index] : NULL,
      arrays->sums ? &arrays->sums[index] : NULL, NULL, &v);
  *out = (GstContoursWorldContour){
      .area = ctr_contour_area (row, false) * s * s,
      .perimeter = ctr_contour_perimeter (row) * s,
      .x = (row->left + x) * s,
      .y = (row->top + y) * s,
      .w = (row->width - edge) * s,
      .h = (row->height - edge) * s,
      .cx = NAN,
      .cy = NAN,
      .hull_area = v.hull_area * s * s,
      .hull_perimeter = v.hull_perimeter * s,
      .defect_depth = v.defect_depth * s,
      .defect_x = (v.defect_x + x) * s,
      .defect_y = (v.defect_y + y) * s,
      .rectangle_x = (v.rectangle_x + x) * s,
      .rectangle_y = (v.rectangle_y + y) * s,
      .rectangle_width = v.rectangle_width * s,
      .rectangle_height = v.rectangle_height * s,
      .rectangle_angle = v.rectangle_angle,
      .feret_max = v.feret_max * s,
      .feret_max_angle = v.feret_max_angle,
      .feret_min = v.feret_min * s,
      .feret_min_angle = v.feret_min_angle,
      .circle_x = (v.circle_x + x) * s,
      .circle_y = (v.circle_y + y) * s,
      .circle_radius = v.circle_radius * s,
      .distance_mean = v.distance_mean * s,
      .distance_deviation = v.distance_deviation * s,
      .distance_max = v.distance_max * s,
      .hole_area = v.hole_area * s * s,
  };
  if (arrays->sums && row->area2 != 0) {
    CtrContourMoments moments;
    ctr_contour_moments (&arrays->sums[index], &moments);
    out->cx = (moments.m[1] / moments.m[0] + x) * s;
    out->cy = (moments.m[2] / moments.m[0] + y) * s;
  }
}

/* The distance of the deepest point from the side of the hull that spans its part of the contour. */
static void
fill_defect (const Arrays *arrays, const CtrContourShape *shape, GstContoursWorldContour *out)
{
  const CtrPoint *from = &shape->defect[0], *to = &shape->defect[1];
  gdouble p[6];
  out->defect_depth = 0;
  if (from->x == to->x && from->y == to->y) /* None is inside. */
    return;
  for (guint i = 0; i < 3; i++) {
    p[2 * i] = shape->defect[i].x;
    p[2 * i + 1] = shape->defect[i].y;
  }
  convert (arrays, p, 3);
  const gdouble dx = p[2] - p[0], dy = p[3] - p[1], side = hypot (dx, dy);
  out->defect_depth = fabs (dx * (p[5] - p[1]) - dy * (p[4] - p[0])) / side;
  out->defect_x = p[4];
  out->defect_y = p[5];
}

static gboolean
fill_hole_area (const Arrays *arrays, const CtrContour *row, GstContoursWorldContour *out)
{
  out->hole_area = 0;
  for (gint child = row->child; child >= 0; child = arrays->table[child].next) {
    CtrWorldShape hole;
    if (!(arrays->table[child].flags & CTR_CONTOUR_HOLE))
      continue;
    if (!measure_line (arrays, &arrays->table[child], 0, &hole))
      return FALSE;
    out->hole_area += hole.area;
  }
  return TRUE;
}

static gboolean
fill_measured (const Arrays *arrays, guint index, GstContoursWorldContour *out)
{
  const CtrContour *row = &arrays->table[index];
  const guint features = arrays->contours->features;
  const gboolean moments = (features & CTR_CONTOUR_FEATURE_MOMENTS) != 0;
  CtrWorldShape s;
  if (!measure_line (arrays, row, features, &s))
    return FALSE;
  *out = (GstContoursWorldContour){
      .area = s.area,
      .perimeter = s.perimeter,
      .x = s.x,
      .y = s.y,
      .w = s.w,
      .h = s.h,
      .cx = moments ? s.cx : NAN,
      .cy = moments ? s.cy : NAN,
      .hull_area = s.hull_area,
      .hull_perimeter = s.hull_perimeter,
      .defect_depth = NAN,
      .defect_x = NAN,
      .defect_y = NAN,
      .rectangle_x = s.rectangle_x,
      .rectangle_y = s.rectangle_y,
      .rectangle_width = s.rectangle_width,
      .rectangle_height = s.rectangle_height,
      .rectangle_angle = s.rectangle_angle,
      .feret_max = s.feret_max,
      .feret_max_angle = s.feret_max_angle,
      .feret_min = s.feret_min,
      .feret_min_angle = s.feret_min_angle,
      .circle_x = s.circle_x,
      .circle_y = s.circle_y,
      .circle_radius = s.circle_radius,
      .distance_mean = s.distance_mean,
      .distance_deviation = s.distance_deviation,
      .distance_max = s.distance_max,
      .hole_area = NAN,
  };
  if (isnan (s.perimeter))
    return TRUE;
  if (features & CTR_CONTOUR_FEATURE_DEFECT)
    fill_defect (arrays, &arrays->shapes[index], out);
  return !(features & CTR_CONTOUR_FEATURE_HOLES) || row->flags & CTR_CONTOUR_HOLE || fill_hole_area (arrays, row, out);
}

static gboolean
fill_contour (const Arrays *arrays, guint index, GstContoursWorldContour *out)
{
  if (isnan (arrays->scale))
    return fill_measured (arrays, index, out);
  fill_scaled (arrays, index, out);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_world_points:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * The points of one contour in units of the world, in the order of gst_contours_contour_meta_get_points(). Each is converted
 * from the pixel that the camera took, whatever happened to the frame since.
 *
 * Returns: (transfer full) (nullable): x and y of each point, in double precision, NaN for a point without a counterpart; free
 *     them with g_bytes_unref(). %NULL if there is no calibration, or no contour with this @index, or it could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_world_points (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  Arrays arrays;
  const CtrPoint *points;
  if (index >= CONTOURS (meta)->count || !map_arrays (meta, &arrays)
      || !(points = gst_contours_contour_meta_map_points (meta)))
    return NULL;
  const CtrContour *row = &arrays.table[index];
  gdouble *world = g_new (gdouble, 2 * (gsize) row->count);
  for (gsize i = 0; i < row->count; i++) {
    world[2 * i] = points[row->first + i].x;
    world[2 * i + 1] = points[row->first + i].y;
  }
  convert (&arrays, world, row->count);
  return g_bytes_new_take (world, 2 * (gsize) row->count * sizeof *world);
}

/**
 * gst_contours_contour_meta_get_world_subpixels:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * Where the edge is beside the points of one contour, in units of the world: as gst_contours_contour_meta_get_world_points(), but from
 * the refined points of gst_contours_contour_meta_get_subpixel(). A point that was not refined is at its pixel.
 *
 * Returns: (transfer full) (nullable): x and y of each point, in double precision, NaN for a point without a counterpart; free
 *     them with g_bytes_unref(). %NULL if there is no calibration, no contour with this @index, unless
 *     gst_contours_contour_meta_has_subpixel(), or if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_world_subpixels (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  Arrays arrays;
  const CtrSubpixelPoint *points;
  CtrError error;
  if (index >= CONTOURS (meta)->count || !gst_contours_contour_meta_has_subpixel (meta) || !map_arrays (meta, &arrays))
    return NULL;
  if (!(points = ctr_contours_map_subpixel (CONTOURS (meta), &error))) {
    GST_WARNING ("The refined points cannot be fetched: %s", error.message);
    return NULL;
  }
  const CtrContour *row = &arrays.table[index];
  gdouble *world = g_new (gdouble, 2 * (gsize) row->count);
  for (gsize i = 0; i < row->count; i++) {
    world[2 * i] = points[row->first + i].x * CTR_SUBPIXEL_UNIT;
    world[2 * i + 1] = points[row->first + i].y * CTR_SUBPIXEL_UNIT;
  }
  convert (&arrays, world, row->count);
  return g_bytes_new_take (world, 2 * (gsize) row->count * sizeof *world);
}

/**
 * gst_contours_contour_meta_get_world_contour:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @contour: (out caller-allocates): its measures in units of the world
 *
 * Gets the measures of one contour in units of the world. In other languages the function returns the pair of both results.
 * It converts and measures with each call; with a scale it fetches no points.
 *
 * Returns: whether there is a calibration and a contour with this @index, and it could be fetched
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_world_contour (
    GstContoursContourMeta *meta, guint index, GstContoursWorldContour *contour)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (contour != NULL, FALSE);
  Arrays arrays;
  return index < CONTOURS (meta)->count && map_arrays (meta, &arrays) && fill_contour (&arrays, index, contour);
}

/**
 * gst_contours_contour_meta_get_world_contours:
 * @meta: a #GstContoursContourMeta
 *
 * Gets the measures of all contours in units of the world in the order of their ids, for other languages. In C,
 * gst_contours_contour_meta_get_world_contour() needs no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursWorldContour): the measures, valid without the buffer; free them with
 *     g_list_free_full() and g_free(). %NULL if there are none, there is no calibration, or they could not be fetched
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_world_contours (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  GList *list = NULL;
  Arrays arrays;
  if (CONTOURS (meta)->count == 0 || !map_arrays (meta, &arrays))
    return NULL;
  for (guint i = CONTOURS (meta)->count; i-- > 0;) {
    GstContoursWorldContour *contour = g_new (GstContoursWorldContour, 1);
    list = g_list_prepend (list, contour);
    if (!fill_contour (&arrays, i, contour)) {
      g_list_free_full (list, g_free);
      return NULL;
    }
  }
  return list;
}
