/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of a frame as metadata of its buffer: types, access from the buffer, numbers of the whole. */
#include "gst/meta/contourmeta-private.h"

G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_FEATURE_MOMENTS == (guint) CTR_CONTOUR_FEATURE_MOMENTS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_COORDINATES_PIXELS == (guint) CTR_COORDINATES_PIXELS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_COORDINATES_CORNERS == (guint) CTR_COORDINATES_CORNERS);

GType
gst_contours_contour_features_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    static const GFlagsValue values[] = {
        {GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, "Moments: centroids", "moments"},
        {0, NULL, NULL},
    };
    g_once_init_leave (&type, g_flags_register_static ("GstContoursContourFeatures", values));
  }
  return type;
}

GType
gst_contours_contour_coordinates_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    static const GEnumValue values[] = {
        {GST_CONTOURS_CONTOUR_COORDINATES_PIXELS, "Pixel centres", "pixels"},
        {GST_CONTOURS_CONTOUR_COORDINATES_CORNERS, "Corners between pixels", "corners"},
        {0, NULL, NULL},
    };
    g_once_init_leave (&type, g_enum_register_static ("GstContoursContourCoordinates", values));
  }
  return type;
}

static GstContoursContour *
contour_copy (const GstContoursContour *contour)
{
  return g_memdup2 (contour, sizeof *contour);
}

G_DEFINE_BOXED_TYPE (GstContoursContour, gst_contours_contour, contour_copy, g_free)

static GstContoursRegion *
region_copy (const GstContoursRegion *region)
{
  return g_memdup2 (region, sizeof *region);
}

G_DEFINE_BOXED_TYPE (GstContoursRegion, gst_contours_region, region_copy, g_free)

static const GstContoursResultType result_type = {
    (gpointer (*) (gpointer)) ctr_contours_ref, (void (*) (gpointer)) ctr_contours_unref};

/**
 * gst_contours_contour_meta_api_get_type:
 *
 * The type by which metadata of this kind is told from others.
 *
 * Returns: the type
 *
 * Since: 0.1
 */
GType
gst_contours_contour_meta_api_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type))
    g_once_init_leave (&type, gst_contours_result_meta_register_api ("GstContoursContourMetaAPI"));
  return type;
}

/**
 * gst_contours_contour_meta_get_info: (skip)
 *
 * For gst_buffer_add_meta() and the like; gst_buffer_add_contours_contour_meta() is the usual way.
 *
 * Returns: the registered #GstMetaInfo
 *
 * Since: 0.1
 */
const GstMetaInfo *
gst_contours_contour_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;
  if (g_once_init_enter (&info)) {
    const GstMetaInfo *registered =
        gst_contours_result_meta_register (GST_CONTOURS_CONTOUR_META_API_TYPE, "GstContoursContourMeta");
    g_once_init_leave (&info, registered);
  }
  return info;
}

/**
 * gst_buffer_add_contours_contour_meta: (skip)
 * @buffer: (transfer none): a writable #GstBuffer
 * @contours: (transfer none): the result; the metadata takes a reference of its own
 * @source: (nullable): name of the element that made it
 *
 * Attaches the contours of the frame in @buffer. The frame is as large as the analysed image.
 *
 * Returns: (transfer none): the metadata, owned by @buffer
 *
 * Since: 0.1
 */
GstContoursContourMeta *
gst_buffer_add_contours_contour_meta (GstBuffer *buffer, CtrContours *contours, const gchar *source)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), NULL);
  g_return_val_if_fail (contours != NULL, NULL);

  GstContoursResultMeta *meta = gst_contours_result_meta_add (
      buffer, GST_CONTOURS_CONTOUR_META_INFO, &result_type, contours, contours->width, contours->height, source);
  if (meta && contours->exceeded != CTR_LIMIT_NONE)
    meta->flags |= GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED;
  return (GstContoursContourMeta *) meta;
}

/**
 * gst_buffer_iterate_contours_contour_meta: (skip)
 * @buffer: a #GstBuffer
 * @state: (inout) (nullable): position; point it to %NULL to start
 *
 * Walks through all contour metadata of @buffer, in the order they were attached: more than one analyser may have seen
 * the frame.
 *
 * Returns: (transfer none) (nullable): the next one, or %NULL at the end
 *
 * Since: 0.1
 */
GstContoursContourMeta *
gst_buffer_iterate_contours_contour_meta (GstBuffer *buffer, gpointer *state)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (state != NULL, NULL);
  return gst_contours_result_meta_iterate (buffer, state, GST_CONTOURS_CONTOUR_META_API_TYPE);
}

/**
 * gst_buffer_get_contours_contour_meta:
 * @buffer: a #GstBuffer
 *
 * What the first analyser of the frame found. More than one may have seen it:
 * gst_buffer_get_contours_contour_meta_by_source(), gst_buffer_get_contours_contour_metas().
 *
 * Returns: (transfer none) (nullable): the first contour metadata of @buffer, valid as long as @buffer; %NULL without
 *
 * Since: 0.1
 */
GstContoursContourMeta *
gst_buffer_get_contours_contour_meta (GstBuffer *buffer)
{
  gpointer state = NULL;
  return gst_buffer_iterate_contours_contour_meta (buffer, &state);
}

/**
 * gst_buffer_get_contours_contour_meta_by_source:
 * @buffer: a #GstBuffer
 * @source: name of an element
 *
 * What one of several analysers of the frame found.
 *
 * Returns: (transfer none) (nullable): the contour metadata that the element of this name attached; %NULL without
 *
 * Since: 0.1
 */
GstContoursContourMeta *
gst_buffer_get_contours_contour_meta_by_source (GstBuffer *buffer, const gchar *source)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (source != NULL, NULL);
  return gst_contours_result_meta_find (buffer, GST_CONTOURS_CONTOUR_META_API_TYPE, source);
}

/**
 * gst_buffer_get_contours_contour_metas:
 * @buffer: a #GstBuffer
 *
 * What all analysers of the frame found. For other languages; C code needs no allocation with
 * gst_buffer_iterate_contours_contour_meta().
 *
 * Returns: (transfer container) (element-type GstContoursContourMeta): all contour metadata of @buffer, in the order
 * they were attached
 *
 * Since: 0.1
 */
GList *
gst_buffer_get_contours_contour_metas (GstBuffer *buffer)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  return gst_contours_result_meta_list (buffer, GST_CONTOURS_CONTOUR_META_API_TYPE);
}

/**
 * gst_contours_contour_meta_peek_contours: (skip)
 * @meta: a #GstContoursContourMeta
 *
 * The result as the analysis delivered it: exact integers of the analysed image, whatever happened to the frame since.
 * ctr_contours_map_table() and its likes give its arrays, ctr_contours_get_device() those in GPU memory.
 *
 * Returns: (transfer none): the result, valid as long as the buffer; to keep it, ctr_contours_ref()
 *
 * Since: 0.1
 */
CtrContours *
gst_contours_contour_meta_peek_contours (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  return CONTOURS (meta);
}

/**
 * gst_contours_contour_meta_has_regions:
 * @meta: a #GstContoursContourMeta
 *
 * Whether it comes from a region-based search.
 *
 * Returns: whether each contour parts two regions, and gst_contours_contour_meta_get_region() tells about them:
 * outlines of cudasnake
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_has_regions (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  return (CONTOURS (meta)->features & CTR_CONTOUR_FEATURE_REGIONS) != 0;
}

/**
 * gst_contours_contour_meta_fetch:
 * @meta: a #GstContoursContourMeta
 * @error: why it failed, of %GST_RESOURCE_ERROR
 *
 * Fetches everything that still lies on the GPU. Getters fetch what they need on their own; this is for those who want
 * to know why that failed. After it has succeeded, they do not fail for this reason.
 *
 * Returns: whether everything is in host memory
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_fetch (GstContoursContourMeta *meta, GError **error)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  CtrContours *contours = CONTOURS (meta);
  CtrError reason;
  if (ctr_contours_map_table (contours, &reason) && ctr_contours_map_points (contours, &reason)
      && (!has_moments (meta) || ctr_contours_map_sums (contours, &reason))
      && (!gst_contours_contour_meta_has_regions (meta) || ctr_contours_map_regions (contours, &reason)))
    return TRUE;
  g_set_error (
      error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "The contours cannot be fetched: %s", reason.message);
  return FALSE;
}

/**
 * gst_contours_contour_meta_get_source:
 * @meta: a #GstContoursContourMeta
 *
 * Which element found this.
 *
 * Returns: (transfer none) (nullable): name of the element that attached @meta
 *
 * Since: 0.1
 */
const gchar *
gst_contours_contour_meta_get_source (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  return PRIVATE (meta)->source;
}

/**
 * gst_contours_contour_meta_get_flags:
 * @meta: a #GstContoursContourMeta
 *
 * What is to be known about the frame that was analysed, such as that it was corrupted. The flags stay as they are when
 * the buffer is copied or scaled.
 *
 * Returns: the flags of @meta; %GST_CONTOURS_RESULT_FLAG_NONE where nothing is wrong
 *
 * Since: 0.1
 */
GstContoursResultFlags
gst_contours_contour_meta_get_flags (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), GST_CONTOURS_RESULT_FLAG_NONE);
  return PRIVATE (meta)->flags;
}

/**
 * gst_contours_contour_meta_add_flags: (skip)
 * @meta: a #GstContoursContourMeta of a writable buffer
 * @flags: the flags to set
 *
 * Sets flags that the buffer itself does not tell, for elements that attach metadata:
 * gst_buffer_add_contours_contour_meta() has taken over %GST_BUFFER_FLAG_CORRUPTED and
 * %GST_VIDEO_BUFFER_FLAG_INTERLACED.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_add_flags (GstContoursContourMeta *meta, GstContoursResultFlags flags)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  PRIVATE (meta)->flags |= flags;
}

/**
 * gst_contours_contour_meta_get_needed:
 * @meta: a #GstContoursContourMeta
 *
 * What the frame would have taken, where the analyser has a limit on that and it was exceeded:
 * %GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED is set, and there are no contours. It is in the units of the property that
 * is the limit: points where that is the `max-points` of `cudacrackcontour`; objects for the `max-objects` of
 * `cudasnake`, and where these are not too many, pixels for its `max-window-sides`.
 *
 * Returns: how much was needed, which is more than the limit; 0 where no limit was exceeded
 *
 * Since: 0.1
 */
guint64
gst_contours_contour_meta_get_needed (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return CONTOURS (meta)->needed;
}

/**
 * gst_contours_contour_meta_get_count:
 * @meta: a #GstContoursContourMeta
 *
 * How many contours there are. Fetches nothing from a GPU.
 *
 * Returns: number of contours
 *
 * Since: 0.1
 */
guint
gst_contours_contour_meta_get_count (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return CONTOURS (meta)->count;
}

/**
 * gst_contours_contour_meta_get_point_count:
 * @meta: a #GstContoursContourMeta
 *
 * How many points there are. Fetches nothing from a GPU.
 *
 * Returns: number of points of all contours
 *
 * Since: 0.1
 */
guint64
gst_contours_contour_meta_get_point_count (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return CONTOURS (meta)->point_count;
}

/**
 * gst_contours_contour_meta_get_threshold:
 * @meta: a #GstContoursContourMeta
 *
 * From which sample on pixels are foreground (inverted: below which). 0 where the analysis has no threshold.
 *
 * Returns: the threshold that was applied, in sample units; with Otsu's method the one found for this frame
 *
 * Since: 0.1
 */
guint
gst_contours_contour_meta_get_threshold (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return CONTOURS (meta)->threshold;
}

/**
 * gst_contours_contour_meta_get_coordinates:
 * @meta: a #GstContoursContourMeta
 *
 * Whether points are pixels or corners between pixels.
 *
 * Returns: what the coordinates of the points mean
 *
 * Since: 0.1
 */
GstContoursContourCoordinates
gst_contours_contour_meta_get_coordinates (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), GST_CONTOURS_CONTOUR_COORDINATES_PIXELS);
  return (GstContoursContourCoordinates) CONTOURS (meta)->coordinates;
}

/**
 * gst_contours_contour_meta_get_features:
 * @meta: a #GstContoursContourMeta
 *
 * What the analysis was asked for.
 *
 * Returns: what @meta has beyond points, hierarchy, area, perimeter and bounding box
 *
 * Since: 0.1
 */
GstContoursContourFeatures
gst_contours_contour_meta_get_features (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return CONTOURS (meta)->features & GST_CONTOURS_CONTOUR_FEATURE_MOMENTS;
}

/**
 * gst_contours_contour_meta_get_reference_size:
 * @meta: a #GstContoursContourMeta
 * @width: (out): width of the analysed image, pixels
 * @height: (out): height of the analysed image, pixels
 *
 * The size of the image that was analysed, whatever happened to the frame since.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_get_reference_size (GstContoursContourMeta *meta, guint *width, guint *height)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  g_return_if_fail (width != NULL && height != NULL);
  *width = PRIVATE (meta)->mapping.reference_width;
  *height = PRIVATE (meta)->mapping.reference_height;
}

/**
 * gst_contours_contour_meta_get_size:
 * @meta: a #GstContoursContourMeta
 * @width: (out): width of the frame @meta is attached to, pixels
 * @height: (out): height of the frame, pixels
 *
 * The size of the frame that carries the metadata: positions in it are what #GstContoursContour has.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_get_size (GstContoursContourMeta *meta, guint *width, guint *height)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  g_return_if_fail (width != NULL && height != NULL);
  *width = PRIVATE (meta)->mapping.width;
  *height = PRIVATE (meta)->mapping.height;
}

/**
 * gst_contours_contour_meta_get_mapping:
 * @meta: a #GstContoursContourMeta
 *
 * For positions that are not mapped already, such as those of arrays.
 *
 * Returns: (transfer none): where positions in the analysed image lie in the frame; valid as long as the buffer
 *
 * Since: 0.1
 */
const GstContoursMapping *
gst_contours_contour_meta_get_mapping (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  return &PRIVATE (meta)->mapping;
}
