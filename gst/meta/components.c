/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Single components, in pixels of the frame that carries the metadata. */
#include "gst/meta/componentmeta-private.h"
#include "gst/meta/mapping-private.h"

#include <math.h>
#include <string.h>

/* Transforms the ellipse of SHAPE by MAPPING: with its linear part A, the covariance C becomes A C A^T. The formulas
 * are those of ctr_component_shape(). */
void
gst_contours_component_map_shape (const GstContoursMapping *mapping, CtrComponentShape *shape)
{
  gdouble a = mapping->xx, b = mapping->xy, c = mapping->yx, d = mapping->yy;
  gdouble xx = shape->mu20, xy = shape->mu11, yy = shape->mu02;
  gdouble mu20 = a * a * xx + 2 * a * b * xy + b * b * yy;
  /* Adding 0 turns the negative zero of a mirrored axis into a positive one: for atan2() they are -pi and pi. */
  gdouble mu11 = a * c * xx + (a * d + b * c) * xy + b * d * yy + 0.0;
  gdouble mu02 = c * c * xx + 2 * c * d * xy + d * d * yy;
  gdouble mean = (mu20 + mu02) / 2, spread = hypot ((mu20 - mu02) / 2, mu11);
  gdouble major = mean + spread, minor = fmax (mean - spread, 0.0);
  shape->orientation = spread > 0 ? 0.5 * atan2 (2 * mu11, mu20 - mu02) : 0.0;
  shape->major_axis = 4 * sqrt (major);
  shape->minor_axis = 4 * sqrt (minor);
  shape->eccentricity = major > 0 ? sqrt (1 - minor / major) : 0.0;
}

/* The fields that follow from a row of the table; the others are those of a component without features. */
static void
fill_row (const GstContoursMapping *mapping, const CtrComponent *row, guint features, GstContoursComponent *out)
{
  memset (out, 0, sizeof *out); /* padding, too */
  out->pixels = row->area;
  out->area = row->area * fabs (mapping->xx * mapping->yy - mapping->xy * mapping->yx);
  gst_contours_mapping_map_box (
      mapping, row->left, row->top, row->width, row->height, &out->x, &out->y, &out->w, &out->h);
  gdouble cx, cy;
  ctr_component_centroid (row, &cx, &cy);
  gst_contours_mapping_map_point (mapping, cx, cy, &out->cx, &out->cy);
  gst_contours_mapping_map_point (mapping, row->start_x, row->top, &out->first_x, &out->first_y);
  out->sum_x = row->sum_x;
  out->sum_y = row->sum_y;
  if (features & CTR_FEATURE_VALUES)
    out->value = row->value;
  else
    out->region_number = row->region;
  out->orientation = out->major_axis = out->minor_axis = out->eccentricity = NAN;
  out->mean = out->std = out->ring_mean = out->contrast = NAN;
  out->inscribed_radius = out->inscribed_x = out->inscribed_y = NAN;
  out->skeleton_length = out->skeleton_width = NAN;
}

/* A circle remains one where all lengths are scaled alike. */
static void
fill_inscribed (const GstContoursMapping *mapping, const CtrComponentInscribed *inscribed, GstContoursComponent *out)
{
  if (!scales_evenly (mapping))
    return;
  out->inscribed_radius = ctr_component_inscribed_radius (inscribed) * hypot (mapping->xx, mapping->yx);
  gst_contours_mapping_map_point (mapping, inscribed->x, inscribed->y, &out->inscribed_x, &out->inscribed_y);
}

/* Lengths of all directions are known where all are scaled alike. */
static void
fill_skeleton (const GstContoursMapping *mapping, const CtrComponentSkeleton *skeleton, GstContoursComponent *out)
{
  out->skeleton_pixels = skeleton->pixels;
  if (!scales_evenly (mapping))
    return;
  const gdouble scale = hypot (mapping->xx, mapping->yx);
  out->skeleton_length = ctr_component_skeleton_length (skeleton) * scale;
  out->skeleton_width = ctr_component_skeleton_width (skeleton) * scale;
}

static void
fill_component (GstContoursComponentMeta *meta, guint index, GstContoursComponent *out)
{
  const CtrComponents *components = COMPONENTS (meta);
  const CtrComponent *row = &components->table[index];
  const GstContoursMapping *mapping = &PRIVATE (meta)->mapping;

  fill_row (mapping, row, components->features, out);
  out->label = index + 1;
  out->web_row = components->origin_row + row->top;
  out->unfinished = ctr_components_is_unfinished (components, index);
  if (components->moments) {
    CtrComponentShape shape;
    ctr_component_shape (row, &components->moments[index], &shape);
    if (!gst_contours_mapping_is_identity (mapping))
      gst_contours_component_map_shape (mapping, &shape);
    out->orientation = shape.orientation;
    out->major_axis = shape.major_axis;
    out->minor_axis = shape.minor_axis;
    out->eccentricity = shape.eccentricity;
  }

  if (components->grey) {
    const CtrComponentGrey *grey = &components->grey[index];
    out->min = grey->min;
    out->max = grey->max;
    ctr_component_grey_stats (row, grey, &out->mean, &out->std);
  }

  if (components->percentiles) {
    const CtrComponentPercentiles *percentiles = &components->percentiles[index];
    out->p5 = percentiles->p5;
    out->p25 = percentiles->p25;
    out->median = percentiles->median;
    out->p75 = percentiles->p75;
    out->p95 = percentiles->p95;
  }

  if (components->inscribed)
    fill_inscribed (mapping, &components->inscribed[index], out);
  if (components->contrast)
    ctr_component_contrast (
        row, &components->grey[index], &components->contrast[index], &out->ring_mean, &out->contrast);
  if (components->skeleton)
    fill_skeleton (mapping, &components->skeleton[index], out);
}

/**
 * gst_contours_component_meta_get_component:
 * @meta: a #GstContoursComponentMeta
 * @index: index of the component, from 0; its label is @index + 1
 * @component: (out caller-allocates): the component, in pixels of the frame
 *
 * Gets one component. In other languages the function returns the pair of both results.
 *
 * Returns: whether there is a component with this @index
 *
 * Since: 0.1
 */
gboolean
gst_contours_component_meta_get_component (GstContoursComponentMeta *meta, guint index, GstContoursComponent *component)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), FALSE);
  g_return_val_if_fail (component != NULL, FALSE);
  if (index >= COMPONENTS (meta)->count)
    return FALSE;
  fill_component (meta, index, component);
  return TRUE;
}

/**
 * gst_contours_component_meta_get_components:
 * @meta: a #GstContoursComponentMeta
 *
 * Gets all components in the order of their labels, which is the raster order of their first pixels in the analysed
 * image. This function is for other languages. In C, gst_contours_component_meta_get_component() needs no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursComponent): the components, in pixels of the frame, valid without
 *     the buffer; free them with g_list_free_full() and g_free()
 *
 * Since: 0.1
 */
GList *
gst_contours_component_meta_get_components (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  GList *list = NULL;
  for (guint i = COMPONENTS (meta)->count; i-- > 0;) {
    GstContoursComponent *component = g_new (GstContoursComponent, 1);
    fill_component (meta, i, component);
    list = g_list_prepend (list, component);
  }
  return list;
}

/**
 * gst_contours_component_meta_get_background:
 * @meta: a #GstContoursComponentMeta
 * @background: (out caller-allocates): the background, in pixels of the frame
 *
 * Gets the pixels that are in no component, whatever the area limits: row 0 of OpenCV's connectedComponentsWithStats().
 * They have the label 0 and need not be connected. gst_contours_component_meta_get_count() does not include them, and
 * no index stands for them. A frame without such pixels has a background of 0 pixels, whose box is empty and whose
 * centroid is NaN.
 * In other languages the function returns the pair of both results.
 *
 * Returns: whether the analysis was asked for the background (%GST_CONTOURS_COMPONENT_FEATURE_BACKGROUND)
 *
 * Since: 0.1
 */
gboolean
gst_contours_component_meta_get_background (GstContoursComponentMeta *meta, GstContoursComponent *background)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), FALSE);
  g_return_val_if_fail (background != NULL, FALSE);
  if (!(PENDING (meta)->features & CTR_FEATURE_BACKGROUND))
    return FALSE;
  fill_row (&PRIVATE (meta)->mapping, &COMPONENTS (meta)->background, COMPONENTS (meta)->features, background);
  return TRUE;
}
