/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What contours have been measured for besides points, and their shapes, in pixels of the frame that carries the metadata. */
#include "gst/meta/contourmeta-private.h"

#include <gst/contours/gstcontourshape.h>

/**
 * gst_contours_contour_meta_get_features:
 * @meta: a #GstContoursContourMeta
 *
 * The optional measurements that the analysis was asked for.
 *
 * Returns: what @meta has besides points, hierarchy, area, perimeter and bounding box
 *
 * Since: 0.1
 */
GstContoursContourFeatures
gst_contours_contour_meta_get_features (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return PENDING (meta)->features
         & (CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_FITS);
}

static GstContoursShape *
shape_copy (const GstContoursShape *shape)
{
  return g_memdup2 (shape, sizeof *shape);
}

G_DEFINE_BOXED_TYPE (GstContoursShape, gst_contours_shape, shape_copy, g_free)

/* The arrays from which shapes are computed. */
typedef struct {
  const CtrContour *table;
  const CtrContourShape *shapes; /* NULL without one of their features */
  const CtrContourSums *sums;    /* NULL without moments */
  const CtrContourFits *fits;    /* NULL without fits */
} Arrays;

static gboolean
map_arrays (GstContoursContourMeta *meta, Arrays *arrays)
{
  *arrays = (Arrays){NULL, NULL, NULL, NULL};
  return (arrays->table = gst_contours_contour_meta_map_table (meta))
         && (!has_shapes (meta) || (arrays->shapes = gst_contours_contour_meta_map_shapes (meta)))
         && (!has_fits (meta) || (arrays->fits = gst_contours_contour_meta_map_fits (meta)))
         && (!has_moments (meta) || (arrays->sums = gst_contours_contour_meta_map_sums (meta)));
}

static void
get_values (GstContoursContourMeta *meta, const Arrays *arrays, guint index, CtrContourShapeValues *values)
{
  ctr_contour_shape_values (CONTOURS (meta), &arrays->table[index], arrays->shapes ? &arrays->shapes[index] : NULL,
      arrays->sums ? &arrays->sums[index] : NULL, arrays->fits ? &arrays->fits[index] : NULL, values);
}

/* The angle of a direction of the analysed image in the frame, in degrees below LIMIT, which is 180 or 90. */
static gdouble
map_angle (const GstContoursMapping *m, gdouble degrees, gdouble limit)
{
  if (isnan (degrees) || (m->xx > 0 && m->xx == m->yy && m->yx == 0))
    return degrees;
  const gdouble c = cos (degrees * (G_PI / 180)), s = sin (degrees * (G_PI / 180));
  const gdouble angle = fmod (atan2 (m->yx * c + m->yy * s, m->xx * c + m->xy * s) * (180 / G_PI) + 360, limit);
  return limit - angle < 1e-9 ? 0 : angle; /* by a rounding error below a full turn */
}

/* Swaps the rectangle's sides if the direction of its width is not the mapped one any more. */
static void
map_rectangle (const GstContoursMapping *m, const CtrContourShapeValues *v, gdouble scale, GstContoursShape *out)
{
  const gdouble direction = map_angle (m, v->rectangle_angle, 180);
  const gboolean turned = direction >= 90 - 1e-9;
  out->rectangle_angle = map_angle (m, v->rectangle_angle, 90);
  out->rectangle_width = (turned ? v->rectangle_height : v->rectangle_width) * scale;
  out->rectangle_height = (turned ? v->rectangle_width : v->rectangle_height) * scale;
}

/* All that does not depend on the size of the frame, and how it is turned. */
static GstContoursShape
shape_of (const CtrContourShapeValues *v, gboolean evenly)
{
  const gdouble other = evenly ? 1 : NAN;
  return (GstContoursShape){
      .circularity = v->circularity * other,
      .touches_frame = v->touches_frame != 0,
      .solidity = v->solidity,
      .rectangularity = v->rectangularity * other,
      .roundness = v->roundness * other,
      .radial_circularity = v->radial_circularity * other,
      .holes = v->holes,
      .euler_number = v->euler_number,
      .anisometry = v->anisometry * other,
      .bulkiness = v->bulkiness,
      .structure_factor = v->structure_factor * other,
      .compactness = v->compactness * other,
  };
}

/* SCALE: that of lengths, NaN where axes were scaled differently. */
static void
fill_fits (GstContoursContourMeta *meta, const CtrContourShapeValues *v, gdouble scale, GstContoursShape *out)
{
  const GstContoursMapping *m = &PRIVATE (meta)->mapping;
  out->line_deviation = v->line_deviation * scale;
  out->fit_circle_radius = v->fit_circle_radius * scale;
  out->fit_circle_deviation = v->fit_circle_deviation * scale;
  out->ellipse_major = v->ellipse_major * scale;
  out->ellipse_minor = v->ellipse_minor * scale;
  out->line_angle = map_angle (m, v->line_angle, 180);
  out->ellipse_angle = map_angle (m, v->ellipse_angle, 180);
  gst_contours_contour_meta_map_position (meta, v->line_x, v->line_y, &out->line_x, &out->line_y);
  gst_contours_contour_meta_map_position (
      meta, v->fit_circle_x, v->fit_circle_y, &out->fit_circle_x, &out->fit_circle_y);
  gst_contours_contour_meta_map_position (meta, v->ellipse_x, v->ellipse_y, &out->ellipse_x, &out->ellipse_y);
  if (!isnan (scale))
    return;
  out->line_angle = out->ellipse_angle = NAN;
  out->line_x = out->line_y = out->fit_circle_x = out->fit_circle_y = out->ellipse_x = out->ellipse_y = NAN;
}

static void
fill_shape (GstContoursContourMeta *meta, const Arrays *arrays, guint index, GstContoursShape *out)
{
  const GstContoursMapping *m = &PRIVATE (meta)->mapping;
  const gdouble determinant = m->xx * m->yy - m->xy * m->yx, area = fabs (determinant);
  const gdouble scale = scales_evenly (m) ? hypot (m->xx, m->yx) : NAN;
  CtrContourShapeValues v;
  get_values (meta, arrays, index, &v);
  *out = shape_of (&v, !isnan (scale));
  out->hull_area = v.hull_area * area;
  out->hole_area = v.hole_area * area;
  out->hull_perimeter = v.hull_perimeter * scale;
  out->defect_depth = v.defect_depth * scale;
  out->feret_max = v.feret_max * scale;
  out->feret_min = v.feret_min * scale;
  out->feret_extent = v.feret_extent * scale;
  out->circle_radius = v.circle_radius * scale;
  out->distance_mean = v.distance_mean * scale;
  out->distance_deviation = v.distance_deviation * scale;
  out->distance_max = v.distance_max * scale;
  out->major = v.major * scale;
  out->minor = v.minor * scale;
  for (int i = 0; i < 7; i++) /* Mirroring changes the sign of the last one. */
    out->hu[i] = isnan (scale) ? NAN : i == 6 && determinant < 0 ? -v.hu[i] : v.hu[i];
  map_rectangle (m, &v, scale, out);
  out->feret_max_angle = map_angle (m, v.feret_max_angle, 180);
  out->feret_min_angle = map_angle (m, v.feret_min_angle, 180);
  gst_contours_contour_meta_map_position (meta, v.defect_x, v.defect_y, &out->defect_x, &out->defect_y);
  gst_contours_contour_meta_map_position (meta, v.rectangle_x, v.rectangle_y, &out->rectangle_x, &out->rectangle_y);
  gst_contours_contour_meta_map_position (meta, v.circle_x, v.circle_y, &out->circle_x, &out->circle_y);
  fill_fits (meta, &v, scale, out);
  if (!isnan (scale))
    return;
  out->rectangle_angle = out->feret_max_angle = out->feret_min_angle = NAN;
  out->defect_x = out->defect_y = out->rectangle_x = out->rectangle_y = out->circle_x = out->circle_y = NAN;
}

/**
 * gst_contours_contour_meta_get_shape:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @shape: (out caller-allocates): its shape, in pixels of the frame
 *
 * Gets the shape of one contour. In other languages the function returns the pair of both results. It fetches the table
 * and what the analysis was asked for of #GstContoursContourFeatures.
 *
 * Returns: whether there is a contour with this @index and its shape could be fetched
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_shape (GstContoursContourMeta *meta, guint index, GstContoursShape *shape)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (shape != NULL, FALSE);
  Arrays arrays;
  if (index >= CONTOURS (meta)->count || !map_arrays (meta, &arrays))
    return FALSE;
  fill_shape (meta, &arrays, index, shape);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_shapes:
 * @meta: a #GstContoursContourMeta
 *
 * Gets the shapes of all contours in the order of their ids, for other languages. In C,
 * gst_contours_contour_meta_get_shape() needs no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursShape): the shapes, in pixels of the frame, valid without the buffer;
 *     free them with g_list_free_full() and g_free(). %NULL if there are none, or they could not be fetched
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_shapes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  GList *list = NULL;
  Arrays arrays;
  if (CONTOURS (meta)->count == 0 || !map_arrays (meta, &arrays))
    return NULL;
  for (guint i = CONTOURS (meta)->count; i-- > 0;) {
    GstContoursShape *shape = g_new (GstContoursShape, 1);
    fill_shape (meta, &arrays, i, shape);
    list = g_list_prepend (list, shape);
  }
  return list;
}

/**
 * gst_contours_contour_meta_get_shapes_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The shapes of all contours in pixels of the analysed image: one `CtrContourShapeValues` per contour, in the order of
 * their ids. gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows; free them with g_bytes_unref(). %NULL if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_shapes_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const guint count = CONTOURS (meta)->count;
  Arrays arrays;
  if (!map_arrays (meta, &arrays))
    return NULL;
  CtrContourShapeValues *values = g_new0 (CtrContourShapeValues, count);
  for (guint i = 0; i < count; i++)
    get_values (meta, &arrays, i, &values[i]);
  return g_bytes_new_take (values, count * sizeof *values);
}
