/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of a frame as metadata of its buffer: types, access from the buffer, numbers of the whole. */
#include "gst/meta/contourmeta-private.h"

G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_FEATURE_MOMENTS == (guint) CTR_CONTOUR_FEATURE_MOMENTS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_FEATURE_HULL == (guint) CTR_CONTOUR_FEATURE_HULL);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_FEATURE_HOLES == (guint) CTR_CONTOUR_FEATURE_HOLES);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_FEATURE_FITS == (guint) CTR_CONTOUR_FEATURE_FITS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_COORDINATES_PIXELS == (guint) CTR_COORDINATES_PIXELS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_COORDINATES_CORNERS == (guint) CTR_COORDINATES_CORNERS);

GType
gst_contours_contour_features_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    static const GFlagsValue values[] = {
        {GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, "Moments: centroids", "moments"},
        {GST_CONTOURS_CONTOUR_FEATURE_HULL, "Convex hull: its area and perimeter, solidity", "hull"},
        {GST_CONTOURS_CONTOUR_FEATURE_DEFECT, "Deepest convexity defect", "defect"},
        {GST_CONTOURS_CONTOUR_FEATURE_RECTANGLE, "Rectangle of least area", "rectangle"},
        {GST_CONTOURS_CONTOUR_FEATURE_FERET, "Greatest and least Feret diameter", "feret"},
        {GST_CONTOURS_CONTOUR_FEATURE_CIRCLE, "Smallest enclosing circle", "circle"},
        {GST_CONTOURS_CONTOUR_FEATURE_DISTANCES, "Distances from the centroid: roundness", "distances"},
        {GST_CONTOURS_CONTOUR_FEATURE_HOLES, "Holes: number, area, Euler number; with mode ccomp or tree", "holes"},
        {GST_CONTOURS_CONTOUR_FEATURE_FITS, "Line, circle and ellipse that fit best", "fits"},
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

static void
wait_for_result (gpointer result)
{
  ctr_contours_wait (result, NULL);
}

static const GstContoursResultType result_type = {
    (gpointer (*) (gpointer)) ctr_contours_ref, (void (*) (gpointer)) ctr_contours_unref, wait_for_result};

/**
 * gst_contours_contour_meta_api_get_type:
 *
 * The API type of this metadata, as for gst_buffer_get_meta().
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
 * The implementation of this metadata, as for gst_buffer_add_meta(). gst_buffer_add_contours_contour_meta() is the
 * usual way.
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
 * @source: (nullable): name of the element that computed it
 *
 * Attaches the contours of the frame in @buffer. The frame has to be as large as the analysed image.
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

  return (GstContoursContourMeta *) gst_contours_result_meta_add (
      buffer, GST_CONTOURS_CONTOUR_META_INFO, &result_type, contours, contours->width, contours->height, source);
}

/**
 * gst_buffer_iterate_contours_contour_meta: (skip)
 * @buffer: a #GstBuffer
 * @state: (inout) (nullable): the position of the iteration; start with a pointer to %NULL
 *
 * Iterates over all contour metadata of @buffer, in the order in which it was attached.
 *
 * Returns: (transfer none) (nullable): the next metadata, valid as long as @buffer; %NULL at the end
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
 * Gets the contour metadata that was attached first. If several elements attach some,
 * gst_buffer_get_contours_contour_meta_by_source() and gst_buffer_get_contours_contour_metas() tell them apart.
 *
 * Returns: (transfer none) (nullable): the metadata, valid as long as @buffer; %NULL if there is none
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
 * Gets the contour metadata that the element of this name attached.
 *
 * Returns: (transfer none) (nullable): the metadata, valid as long as @buffer; %NULL if there is none
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
 * Gets all contour metadata, for other languages. In C, gst_buffer_iterate_contours_contour_meta() does so without an
 * allocation.
 *
 * Returns: (transfer container) (element-type GstContoursContourMeta): the metadata in the order in which it was
 *     attached, valid as long as @buffer; free the list with g_list_free()
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
 * The result of the analysis, in exact integers and in pixels of the analysed image. This function waits for the
 * analysis. ctr_contours_map_table() and its siblings return the arrays in host memory, ctr_contours_get_device() those in GPU memory.
 *
 * Returns: (transfer none): the result, valid as long as the buffer; ctr_contours_ref() keeps it longer
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
 * Whether the contours are outlines of `cudasnake`, each of which separates a target from its background.
 *
 * Returns: whether gst_contours_contour_meta_get_region() has the statistics of both regions
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_has_regions (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  return (PENDING (meta)->features & CTR_CONTOUR_FEATURE_REGIONS) != 0;
}

/**
 * gst_contours_contour_meta_fetch:
 * @meta: a #GstContoursContourMeta
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Waits for the analysis and fetches all arrays from the GPU. Getters do so themselves when they need a number or an
 * array, but only this function says why it failed. Once it has succeeded, getters do not fail for this reason.
 *
 * Returns: whether all arrays are in host memory
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_fetch (GstContoursContourMeta *meta, GError **error)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  CtrContours *contours = PENDING (meta);
  CtrError reason;
  if (ctr_contours_map_table (contours, &reason) && ctr_contours_map_points (contours, &reason)
      && (!has_moments (meta) || ctr_contours_map_sums (contours, &reason))
      && (!gst_contours_contour_meta_has_regions (meta) || ctr_contours_map_regions (contours, &reason))
      && (!gst_contours_contour_meta_has_nesting (meta) || ctr_contours_map_nesting (contours, &reason))
      && (!has_shapes (meta) || ctr_contours_map_shapes (contours, &reason))
      && (!has_subpixels (meta) || ctr_contours_map_subpixel (contours, &reason))
      && (!has_fits (meta) || ctr_contours_map_fits (contours, &reason)))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ, "The contours cannot be fetched from the GPU: %s",
      reason.message);
  return FALSE;
}

/**
 * gst_contours_contour_meta_get_source:
 * @meta: a #GstContoursContourMeta
 *
 * The element that attached the metadata.
 *
 * Returns: (transfer none) (nullable): its name, valid as long as the buffer
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
 * Conditions that affect how far the result can be trusted, such as a corrupted frame. Copying or scaling the buffer
 * does not change the flags.
 *
 * Returns: the flags of @meta; %GST_CONTOURS_RESULT_FLAG_NONE if there are none
 *
 * Since: 0.1
 */
GstContoursResultFlags
gst_contours_contour_meta_get_flags (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), GST_CONTOURS_RESULT_FLAG_NONE);
  const gboolean exceeded = CONTOURS (meta)->exceeded != CTR_LIMIT_NONE;
  return PRIVATE (meta)->flags | (exceeded ? GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED : 0);
}

/**
 * gst_contours_contour_meta_add_flags: (skip)
 * @meta: a #GstContoursContourMeta of a writable buffer
 * @flags: the flags to set
 *
 * Sets flags, for elements that attach metadata. gst_buffer_add_contours_contour_meta() has already set those that
 * follow from %GST_BUFFER_FLAG_CORRUPTED and %GST_VIDEO_BUFFER_FLAG_INTERLACED.
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
 * gst_contours_contour_meta_guard_memory: (skip)
 * @meta: a #GstContoursContourMeta of a writable buffer
 *
 * Tells, for elements that attach pending results, that the analysis may still read the memory of the buffer, and that
 * no CUDA stream orders other work on the memory behind it. The buffer then waits for the analysis before its memory is
 * freed or returns to its pool.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_guard_memory (GstContoursContourMeta *meta)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  PRIVATE (meta)->guards_memory = TRUE;
}

/**
 * gst_contours_contour_meta_get_needed:
 * @meta: a #GstContoursContourMeta
 *
 * What the frame needs of a resource whose limit it exceeds. In this case %GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED is
 * set, and there are no contours. The unit is that of the limiting property: points for `max-points` of
 * `cudacrackcontour`, objects for `max-objects` of `cudasnake`, or else pixels for its `max-window-sides`.
 *
 * Returns: what the frame needs, 0 if no limit was exceeded
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
 * The number of contours. This function waits for the analysis, but fetches no array from the GPU.
 *
 * Returns: the number of contours
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
 * The number of points of all contours. This function waits for the analysis, but fetches no array from the GPU.
 *
 * Returns: the number of points
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
 * The foreground threshold, inclusive: pixels with this sample or a larger one are foreground, or, inverted, pixels
 * with a smaller one. With Otsu's method it is the threshold of this frame.
 *
 * Returns: the threshold in sample units, 0 if the analysis has none
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
 * What the coordinates of the points mean.
 *
 * Returns: whether points are pixel centres or corners between pixels
 *
 * Since: 0.1
 */
GstContoursContourCoordinates
gst_contours_contour_meta_get_coordinates (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), GST_CONTOURS_CONTOUR_COORDINATES_PIXELS);
  return (GstContoursContourCoordinates) PENDING (meta)->coordinates;
}

/**
 * gst_contours_contour_meta_get_reference_size:
 * @meta: a #GstContoursContourMeta
 * @width: (out): width of the analysed image, pixels
 * @height: (out): height of the analysed image, pixels
 *
 * The size of the analysed image. The frame may have been scaled since.
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
 * The size of the frame that carries the metadata. Positions in #GstContoursContour are positions in this frame.
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
 * The transformation from the analysed image to the frame, for positions in arrays. Positions in #GstContoursContour
 * have been transformed already.
 *
 * Returns: (transfer none): the transformation, valid as long as the buffer
 *
 * Since: 0.1
 */
const GstContoursMapping *
gst_contours_contour_meta_get_mapping (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  return &PRIVATE (meta)->mapping;
}
