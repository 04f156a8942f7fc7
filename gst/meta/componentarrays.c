/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arrays of components as bytes, for other languages. */
#include "gst/meta/componentmeta-private.h"

/**
 * gst_contours_component_meta_get_table_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The components in exact integers and in pixels of the analysed image: one `CtrComponent` per component, in the
 * order of the labels. gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full): the rows, not a copy, valid without the buffer; free them with g_bytes_unref()
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
 * The raw second moments in the analysed image, whose pixel (0, 0) is the origin: one `CtrComponentMoments` per
 * component, in the order of the labels. gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_COMPONENT_FEATURE_MOMENTS
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_moments_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->moments, (gsize) components->count * sizeof *components->moments);
}

/**
 * gst_contours_component_meta_get_grey_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The sums and extremes of the samples: one `CtrComponentGrey` per component, in the order of the labels.
 * gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_COMPONENT_FEATURE_GREY
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_grey_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->grey, (gsize) components->count * sizeof *components->grey);
}

/**
 * gst_contours_component_meta_get_percentiles_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The percentiles of the samples: one `CtrComponentPercentiles` per component, in the order of the labels.
 * gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_percentiles_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->percentiles, (gsize) components->count * sizeof *components->percentiles);
}

/**
 * gst_contours_component_meta_get_inscribed_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The largest inscribed circles: one `CtrComponentInscribed` per component, in the order of the labels.
 * gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_COMPONENT_FEATURE_INSCRIBED
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_inscribed_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->inscribed, (gsize) components->count * sizeof *components->inscribed);
}

/**
 * gst_contours_component_meta_get_contrast_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The samples around the components: one `CtrComponentContrast` per component, in the order of the labels.
 * gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_COMPONENT_FEATURE_CONTRAST
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_contrast_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->contrast, (gsize) components->count * sizeof *components->contrast);
}

/**
 * gst_contours_component_meta_get_skeleton_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The skeletons: one `CtrComponentSkeleton` per component, in the order of the labels. gst_contours_get_layout() describes
 * it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_COMPONENT_FEATURE_SKELETON
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_skeleton_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  const CtrComponents *components = COMPONENTS (meta);
  return gst_contours_result_meta_view (
      PRIVATE (meta), components->skeleton, (gsize) components->count * sizeof *components->skeleton);
}

/**
 * gst_contours_component_meta_get_labels_bytes:
 * @meta: a #GstContoursComponentMeta
 *
 * The label image: one native 32-bit unsigned integer per pixel of the analysed image, whose size is that of
 * gst_contours_component_meta_get_reference_size(), in rows without gaps. 0 is the background or a component outside
 * the area limits. The first call copies the image from GPU memory, if it is there. ctr_components_get_device_labels()
 * returns the image in GPU memory.
 *
 * Returns: (transfer full) (nullable): the image, not a copy, valid without the buffer; free it with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_COMPONENT_FEATURE_LABELS
 *
 * Since: 0.1
 */
GBytes *
gst_contours_component_meta_get_labels_bytes (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  CtrComponents *components = COMPONENTS (meta);
  const guint32 *labels = NULL;
  CtrError error;
  if (components->features & CTR_FEATURE_LABELS && !(labels = ctr_components_map_labels (components, &error)))
    GST_WARNING ("The label image cannot be read: %s", error.message);
  return gst_contours_result_meta_view (
      PRIVATE (meta), labels, (gsize) components->width * components->height * sizeof *components->labels);
}
