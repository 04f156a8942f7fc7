/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arrays of components as bytes, for other languages. */
#include "gst/meta/componentmeta-private.h"

/**
 * gst_contours_component_meta_get_table_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The components as exact integers in pixels of the analysed image, not mapped to the frame: one row of 32 bytes a
 * component, in order of the labels. In numpy:
 *
 * ```python
 * numpy.dtype([('sum_x', 'u8'), ('sum_y', 'u8'), ('area', 'u4'), ('left', 'u2'), ('top', 'u2'), ('width', 'u2'),
 *              ('height', 'u2'), ('start_x', 'u2'), ('reserved', 'u2')])
 * ```
 *
 * Returns: (transfer full): the table, without a copy; it outlives the buffer
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_table_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->table, (gsize) components->count * sizeof *components->table);
}

/**
 * gst_contours_component_meta_get_moments_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * Raw second moments in the analysed image, its pixel (0, 0) the origin: one row of 24 bytes a component. In numpy:
 *
 * ```python
 * numpy.dtype([('sum_xx', 'u8'), ('sum_xy', 'u8'), ('sum_yy', 'u8')])
 * ```
 *
 * Returns: (transfer full) (nullable): the rows, or %NULL without %GST_CONTOURS_COMPONENT_FEATURE_MOMENTS
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_moments_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  if (!components->moments)
    return NULL;
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->moments, (gsize) components->count * sizeof *components->moments);
}

/**
 * gst_contours_component_meta_get_grey_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * Sums over the samples: one row of 24 bytes a component. In numpy:
 *
 * ```python
 * numpy.dtype([('sum', 'u8'), ('sum_sq', 'u8'), ('min', 'u2'), ('max', 'u2'), ('reserved', 'u4')])
 * ```
 *
 * Returns: (transfer full) (nullable): the rows, or %NULL without %GST_CONTOURS_COMPONENT_FEATURE_GREY
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_grey_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  if (!components->grey)
    return NULL;
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->grey, (gsize) components->count * sizeof *components->grey);
}

/**
 * gst_contours_component_meta_get_labels_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The label image, as large as the analysed image (gst_contours_component_meta_get_reference_size()), whatever the size
 * of the frame now: one native 32-bit unsigned integer a pixel, rows without gaps; 0 is the background or a component
 * outside the area limits. In numpy: numpy.frombuffer(data, 'u4').reshape(height, width)
 *
 * Returns: (transfer full) (nullable): the image, or %NULL without %GST_CONTOURS_COMPONENT_FEATURE_LABELS
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_labels_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  if (!components->labels)
    return NULL;
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->labels, (gsize) components->width * components->height * sizeof *components->labels);
}
