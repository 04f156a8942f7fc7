/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The components of a frame as metadata of its buffer: types, access from the buffer, numbers of the whole. */
#include "gst/meta/componentmeta-private.h"

G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_MOMENTS == (guint) CTR_FEATURE_MOMENTS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_GREY == (guint) CTR_FEATURE_GREY);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_LABELS == (guint) CTR_FEATURE_LABELS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_BACKGROUND == (guint) CTR_FEATURE_BACKGROUND);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_VALUES == (guint) CTR_FEATURE_VALUES);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES == (guint) CTR_FEATURE_PERCENTILES);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_INSCRIBED == (guint) CTR_FEATURE_INSCRIBED);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_CONTRAST == (guint) CTR_FEATURE_CONTRAST);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_SKELETON == (guint) CTR_FEATURE_SKELETON);

GType
gst_contours_component_features_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    static const GFlagsValue values[] = {
        {GST_CONTOURS_COMPONENT_FEATURE_MOMENTS, "Second moments: orientation, axes, eccentricity", "moments"},
        {GST_CONTOURS_COMPONENT_FEATURE_GREY, "Minimum, maximum, mean and standard deviation of the samples", "grey"},
        {GST_CONTOURS_COMPONENT_FEATURE_LABELS, "Label image", "labels"},
        {GST_CONTOURS_COMPONENT_FEATURE_BACKGROUND, "Pixels that are in no component", "background"},
        {GST_CONTOURS_COMPONENT_FEATURE_VALUES, "Sample of each component, whose pixels are all equal", "values"},
        {GST_CONTOURS_COMPONENT_FEATURE_PERCENTILES, "Median and percentiles of the samples", "percentiles"},
        {GST_CONTOURS_COMPONENT_FEATURE_INSCRIBED, "Largest inscribed circle", "inscribed"},
        {GST_CONTOURS_COMPONENT_FEATURE_CONTRAST, "Samples around the component", "contrast"},
        {GST_CONTOURS_COMPONENT_FEATURE_SKELETON, "Length and mean width of the skeleton", "skeleton"},
        {0, NULL, NULL},
    };
    g_once_init_leave (&type, g_flags_register_static ("GstContoursComponentFeatures", values));
  }
  return type;
}

static GstContoursComponent *
component_copy (const GstContoursComponent *component)
{
  return g_memdup2 (component, sizeof *component);
}

G_DEFINE_BOXED_TYPE (GstContoursComponent, gst_contours_component, component_copy, g_free)

static void
wait_for_result (gpointer result)
{
  ctr_components_wait (result, NULL);
}

static const GstContoursResultType result_type = {
    (gpointer (*) (gpointer)) ctr_components_ref, (void (*) (gpointer)) ctr_components_unref, wait_for_result};

CtrComponents *
gst_contours_component_meta_wait (GstContoursComponentMeta *meta)
{
  CtrComponents *components = PENDING (meta);
  CtrError error;
  if (!ctr_components_wait (components, &error))
    GST_WARNING ("There are no components, since their analysis has failed: %s", error.message);
  return components;
}

/**
 * gst_contours_component_meta_api_get_type:
 *
 * The API type of this metadata, as for gst_buffer_get_meta().
 *
 * Returns: the type
 *
 * Since: 0.1
 */
GType
gst_contours_component_meta_api_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_contours_result_meta_register_api ("GstContoursComponentMetaAPI"));
  return type;
}

/**
 * gst_contours_component_meta_get_info: (skip)
 *
 * The implementation of this metadata, as for gst_buffer_add_meta(). gst_buffer_add_contours_component_meta() is the
 * usual way.
 *
 * Returns: the registered #GstMetaInfo
 *
 * Since: 0.1
 */
const GstMetaInfo *
gst_contours_component_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;
  if (g_once_init_enter (&info)) {
    const GstMetaInfo *registered =
        gst_contours_result_meta_register (GST_CONTOURS_COMPONENT_META_API_TYPE, "GstContoursComponentMeta");
    g_once_init_leave (&info, registered);
  }
  return info;
}

/**
 * gst_buffer_add_contours_component_meta: (skip)
 * @buffer: (transfer none): a writable #GstBuffer
 * @components: (transfer none): the result; the metadata takes a reference of its own
 * @source: (nullable): name of the element that computed it
 *
 * Attaches the components of the frame in @buffer. The frame has to be as large as the analysed image.
 *
 * Returns: (transfer none): the metadata, owned by @buffer
 *
 * Since: 0.1
 */
GstContoursComponentMeta *
gst_buffer_add_contours_component_meta (GstBuffer *buffer, CtrComponents *components, const gchar *source)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), NULL);
  g_return_val_if_fail (components != NULL, NULL);

  return (GstContoursComponentMeta *) gst_contours_result_meta_add (buffer, GST_CONTOURS_COMPONENT_META_INFO,
      &result_type, components, components->width, components->height, source);
}

/**
 * gst_buffer_iterate_contours_component_meta: (skip)
 * @buffer: a #GstBuffer
 * @state: (inout) (nullable): the position of the iteration; start with a pointer to %NULL
 *
 * Iterates over all component metadata of @buffer, in the order in which it was attached.
 *
 * Returns: (transfer none) (nullable): the next metadata, valid as long as @buffer; %NULL at the end
 *
 * Since: 0.1
 */
GstContoursComponentMeta *
gst_buffer_iterate_contours_component_meta (GstBuffer *buffer, gpointer *state)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (state != NULL, NULL);
  return gst_contours_result_meta_iterate (buffer, state, GST_CONTOURS_COMPONENT_META_API_TYPE);
}

/**
 * gst_buffer_get_contours_component_meta:
 * @buffer: a #GstBuffer
 *
 * Gets the component metadata that was attached first. If several elements attach some,
 * gst_buffer_get_contours_component_meta_by_source() and gst_buffer_get_contours_component_metas() tell them apart.
 *
 * Returns: (transfer none) (nullable): the metadata, valid as long as @buffer; %NULL if there is none
 *
 * Since: 0.1
 */
GstContoursComponentMeta *
gst_buffer_get_contours_component_meta (GstBuffer *buffer)
{
  gpointer state = NULL;
  return gst_buffer_iterate_contours_component_meta (buffer, &state);
}

/**
 * gst_buffer_get_contours_component_meta_by_source:
 * @buffer: a #GstBuffer
 * @source: name of an element
 *
 * Gets the component metadata that the element of this name attached.
 *
 * Returns: (transfer none) (nullable): the metadata, valid as long as @buffer; %NULL if there is none
 *
 * Since: 0.1
 */
GstContoursComponentMeta *
gst_buffer_get_contours_component_meta_by_source (GstBuffer *buffer, const gchar *source)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (source != NULL, NULL);
  return gst_contours_result_meta_find (buffer, GST_CONTOURS_COMPONENT_META_API_TYPE, source);
}

/**
 * gst_buffer_get_contours_component_metas:
 * @buffer: a #GstBuffer
 *
 * Gets all component metadata, for other languages. In C, gst_buffer_iterate_contours_component_meta() does so without
 * an allocation.
 *
 * Returns: (transfer container) (element-type GstContoursComponentMeta): the metadata in the order in which it was
 *     attached, valid as long as @buffer; free the list with g_list_free()
 *
 * Since: 0.1
 */
GList *
gst_buffer_get_contours_component_metas (GstBuffer *buffer)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  return gst_contours_result_meta_list (buffer, GST_CONTOURS_COMPONENT_META_API_TYPE);
}

/**
 * gst_contours_component_meta_peek_components: (skip)
 * @meta: a #GstContoursComponentMeta
 *
 * The result of the analysis, in exact integers and in pixels of the analysed image. This function waits for the
 * analysis. ctr_components_map_labels() returns the label image in host memory, ctr_components_get_device_labels() that
 * in GPU memory.
 *
 * Returns: (transfer none): the result, valid as long as the buffer; ctr_components_ref() keeps it longer
 *
 * Since: 0.1
 */
CtrComponents *
gst_contours_component_meta_peek_components (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return COMPONENTS (meta);
}

/**
 * gst_contours_component_meta_peek_pending_components: (skip)
 * @meta: a #GstContoursComponentMeta
 *
 * The result of the analysis, without waiting for it: to draw it with a #CtrPainter in CUDA memory, behind the analysis.
 * Before ctr_components_is_complete() its numbers are 0.
 *
 * Returns: (transfer none): the result, valid as long as the buffer; ctr_components_ref() keeps it longer
 *
 * Since: 0.1
 */
CtrComponents *
gst_contours_component_meta_peek_pending_components (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return PENDING (meta);
}

/**
 * gst_contours_component_meta_fetch:
 * @meta: a #GstContoursComponentMeta
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Waits for the analysis. Getters do so themselves when they need a number or an array, but only this function says why
 * the analysis failed.
 *
 * Returns: whether the components are on the host
 *
 * Since: 0.1
 */
gboolean
gst_contours_component_meta_fetch (GstContoursComponentMeta *meta, GError **error)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  CtrError reason;
  if (ctr_components_wait (PENDING (meta), &reason))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "The analysis of the components has failed: %s",
      reason.message);
  return FALSE;
}

/**
 * gst_contours_component_meta_get_source:
 * @meta: a #GstContoursComponentMeta
 *
 * The element that attached the metadata.
 *
 * Returns: (transfer none) (nullable): its name, valid as long as the buffer
 *
 * Since: 0.1
 */
const gchar *
gst_contours_component_meta_get_source (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return PRIVATE (meta)->source;
}

/**
 * gst_contours_component_meta_get_flags:
 * @meta: a #GstContoursComponentMeta
 *
 * Conditions that affect how far the result can be trusted, such as a corrupted frame. Copying or scaling the buffer
 * does not change the flags.
 *
 * Returns: the flags of @meta; %GST_CONTOURS_RESULT_FLAG_NONE if there are none
 *
 * Since: 0.1
 */
GstContoursResultFlags
gst_contours_component_meta_get_flags (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), GST_CONTOURS_RESULT_FLAG_NONE);
  return PRIVATE (meta)->flags;
}

/**
 * gst_contours_component_meta_add_flags: (skip)
 * @meta: a #GstContoursComponentMeta of a writable buffer
 * @flags: the flags to set
 *
 * Sets flags, for elements that attach metadata. gst_buffer_add_contours_component_meta() has already set those that
 * follow from %GST_BUFFER_FLAG_CORRUPTED and %GST_VIDEO_BUFFER_FLAG_INTERLACED.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_add_flags (GstContoursComponentMeta *meta, GstContoursResultFlags flags)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  PRIVATE (meta)->flags |= flags;
}

/**
 * gst_contours_component_meta_guard_memory: (skip)
 * @meta: a #GstContoursComponentMeta of a writable buffer
 *
 * Tells, for elements that attach pending results, that the analysis may still read the memory of the buffer, and that
 * no CUDA stream orders other work on the memory behind it. The buffer then waits for the analysis before its memory is
 * freed or returns to its pool.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_guard_memory (GstContoursComponentMeta *meta)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  PRIVATE (meta)->guards_memory = TRUE;
}

/**
 * gst_contours_component_meta_get_count:
 * @meta: a #GstContoursComponentMeta
 *
 * The number of components. Labels run from 1 to this number.
 *
 * Returns: the number of components
 *
 * Since: 0.1
 */
guint
gst_contours_component_meta_get_count (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return COMPONENTS (meta)->count;
}

/**
 * gst_contours_component_meta_get_region_count:
 * @meta: a #GstContoursComponentMeta
 *
 * The number of regions that were analysed, with the properties region-source, region and mask-location of the element. Each
 * component has the number of its region.
 *
 * Returns: the number of regions; 0 if the whole frame was analysed, or nothing of it
 *
 * Since: 0.1
 */
guint
gst_contours_component_meta_get_region_count (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return PENDING (meta)->region_count;
}

/**
 * gst_contours_component_meta_get_threshold:
 * @meta: a #GstContoursComponentMeta
 *
 * The foreground threshold, inclusive: pixels with this sample or a larger one are foreground, or, inverted, pixels
 * with a smaller one. With Otsu's method it is the threshold of this frame.
 *
 * Returns: the threshold in sample units, 0 if the analysis has none
 *
 * Since: 0.1
 */
guint
gst_contours_component_meta_get_threshold (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return COMPONENTS (meta)->threshold;
}

/**
 * gst_contours_component_meta_get_connectivity:
 * @meta: a #GstContoursComponentMeta
 *
 * Which neighbours of a pixel belong to its component.
 *
 * Returns: 4 (edge neighbours) or 8 (edge and corner neighbours)
 *
 * Since: 0.1
 */
guint
gst_contours_component_meta_get_connectivity (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return PENDING (meta)->connectivity;
}

/**
 * gst_contours_component_meta_get_features:
 * @meta: a #GstContoursComponentMeta
 *
 * The optional measurements that the analysis was asked for.
 *
 * Returns: what @meta has besides area, bounding box and centroid
 *
 * Since: 0.1
 */
GstContoursComponentFeatures
gst_contours_component_meta_get_features (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return PENDING (meta)->features;
}

/**
 * gst_contours_component_meta_get_reference_size:
 * @meta: a #GstContoursComponentMeta
 * @width: (out): width of the analysed image, pixels
 * @height: (out): height of the analysed image, pixels
 *
 * The size of the analysed image. The frame may have been scaled since.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_get_reference_size (GstContoursComponentMeta *meta, guint *width, guint *height)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  g_return_if_fail (width != NULL && height != NULL);
  *width = PRIVATE (meta)->mapping.reference_width;
  *height = PRIVATE (meta)->mapping.reference_height;
}

/**
 * gst_contours_component_meta_get_size:
 * @meta: a #GstContoursComponentMeta
 * @width: (out): width of the frame @meta is attached to, pixels
 * @height: (out): height of the frame, pixels
 *
 * The size of the frame that carries the metadata. Positions in #GstContoursComponent are positions in this frame.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_get_size (GstContoursComponentMeta *meta, guint *width, guint *height)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  g_return_if_fail (width != NULL && height != NULL);
  *width = PRIVATE (meta)->mapping.width;
  *height = PRIVATE (meta)->mapping.height;
}

/**
 * gst_contours_component_meta_get_mapping:
 * @meta: a #GstContoursComponentMeta
 *
 * The transformation from the analysed image to the frame, for positions in arrays. Positions in #GstContoursComponent
 * have been transformed already.
 *
 * Returns: (transfer none): the transformation, valid as long as the buffer
 *
 * Since: 0.1
 */
const GstContoursMapping *
gst_contours_component_meta_get_mapping (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return &PRIVATE (meta)->mapping;
}
