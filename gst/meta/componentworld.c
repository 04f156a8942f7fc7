/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components in units of the world. */
#include "gst/meta/componentmeta-private.h"

#include <gst/contours/gstcontourworld.h>
#include <math.h>

static GstContoursWorldComponent *
component_copy (const GstContoursWorldComponent *component)
{
  return g_memdup2 (component, sizeof *component);
}

G_DEFINE_BOXED_TYPE (GstContoursWorldComponent, gst_contours_world_component, component_copy, g_free)

/**
 * gst_contours_component_meta_set_calibration: (skip)
 * @meta: a #GstContoursComponentMeta of a writable buffer
 * @calibration: (transfer none) (nullable): the calibration of the analysed pictures; the metadata takes a reference
 *
 * Tells, for elements that attach metadata, how the pixels of the analysed picture become units of the world.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_set_calibration (GstContoursComponentMeta *meta, GstContoursCalibration *calibration)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  gst_contours_result_meta_set_calibration (PRIVATE (meta), calibration);
}

/**
 * gst_contours_component_meta_get_calibration:
 * @meta: a #GstContoursComponentMeta
 *
 * How the pixels of the analysed picture become units of the world: what calibration-location named.
 *
 * Returns: (transfer none) (nullable): the calibration, valid as long as the buffer; %NULL if there is none
 *
 * Since: 0.1
 */
GstContoursCalibration *
gst_contours_component_meta_get_calibration (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return PRIVATE (meta)->calibration;
}

static void
fill_component (
    const CtrComponents *components, const CtrCalibration *model, guint index, GstContoursWorldComponent *out)
{
  const CtrComponent *row = &components->table[index];
  gdouble cx, cy, d[4];
  *out = (GstContoursWorldComponent){.orientation = NAN, .major_axis = NAN, .minor_axis = NAN};
  ctr_component_centroid (row, &cx, &cy);
  cy += components->origin_row;
  ctr_calibration_point (model, cx, cy, &out->cx, &out->cy);
  ctr_calibration_jacobian (model, cx, cy, d);
  out->area = row->area * fabs (d[0] * d[3] - d[1] * d[2]);
  if (components->moments && !isnan (out->area)) {
    const GstContoursMapping local = {.xx = d[0], .xy = d[1], .yx = d[2], .yy = d[3]};
    CtrComponentShape shape;
    ctr_component_shape (row, &components->moments[index], &shape);
    gst_contours_component_map_shape (&local, &shape);
    out->orientation = shape.orientation;
    out->major_axis = shape.major_axis;
    out->minor_axis = shape.minor_axis;
  }
}

/**
 * gst_contours_component_meta_get_world_component:
 * @meta: a #GstContoursComponentMeta
 * @index: index of the component, from 0; its label is @index + 1
 * @component: (out caller-allocates): its measures in units of the world
 *
 * Gets the measures of one component in units of the world. In other languages the function returns the pair of both
 * results.
 *
 * Returns: whether there is a calibration and a component with this @index
 *
 * Since: 0.1
 */
gboolean
gst_contours_component_meta_get_world_component (
    GstContoursComponentMeta *meta, guint index, GstContoursWorldComponent *component)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), FALSE);
  g_return_val_if_fail (component != NULL, FALSE);
  const GstContoursCalibration *calibration = PRIVATE (meta)->calibration;
  if (!calibration || index >= COMPONENTS (meta)->count)
    return FALSE;
  fill_component (COMPONENTS (meta), gst_contours_calibration_peek_model (calibration), index, component);
  return TRUE;
}

/**
 * gst_contours_component_meta_get_world_components:
 * @meta: a #GstContoursComponentMeta
 *
 * Gets the measures of all components in units of the world in the order of their labels, for other languages. In C,
 * gst_contours_component_meta_get_world_component() needs no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursWorldComponent): the measures, valid without the buffer; free them with
 *     g_list_free_full() and g_free(). %NULL if there are none, or there is no calibration
 *
 * Since: 0.1
 */
GList *
gst_contours_component_meta_get_world_components (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  GList *list = NULL;
  for (guint i = PRIVATE (meta)->calibration ? COMPONENTS (meta)->count : 0; i-- > 0;) {
    GstContoursWorldComponent *component = g_new (GstContoursWorldComponent, 1);
    gst_contours_component_meta_get_world_component (meta, i, component);
    list = g_list_prepend (list, component);
  }
  return list;
}
