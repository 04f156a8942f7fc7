/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/meta/resultmeta-private.h"

#include <gst/contours/gstcomponentmeta.h>
#include <math.h>

G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_MOMENTS == (guint) CTR_FEATURE_MOMENTS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_GREY == (guint) CTR_FEATURE_GREY);
G_STATIC_ASSERT ((guint) GST_CONTOURS_COMPONENT_FEATURE_LABELS == (guint) CTR_FEATURE_LABELS);

#define PRIVATE(meta) ((GstContoursResultMeta *) (meta))
#define COMPONENTS(meta) ((CtrComponents *) PRIVATE (meta)->result)
#define IS_COMPONENT_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_COMPONENT_META_INFO)

GType
gst_contours_component_features_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    static const GFlagsValue values[] = {
        {GST_CONTOURS_COMPONENT_FEATURE_MOMENTS, "Second moments: orientation, axes, eccentricity", "moments"},
        {GST_CONTOURS_COMPONENT_FEATURE_GREY, "Minimum, maximum, mean, standard deviation of the samples", "grey"},
        {GST_CONTOURS_COMPONENT_FEATURE_LABELS, "Label image", "labels"},
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

static const GstContoursResultType result_type = {
    (gpointer (*) (gpointer)) ctr_components_ref, (void (*) (gpointer)) ctr_components_unref};

/**
 * gst_contours_component_meta_api_get_type:
 *
 * The type by which metadata of this kind is told from others.
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
 * For gst_buffer_add_meta() and the like; gst_buffer_add_contours_component_meta() is the usual way.
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
 * @source: (nullable): name of the element that made it
 *
 * Attaches the components of the frame in @buffer. The frame is as large as the analysed image.
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
 * @state: (inout) (nullable): position; point it to %NULL to start
 *
 * Walks through all component metadata of @buffer, in the order they were attached: more than one cudacca may have seen
 * the frame.
 *
 * Returns: (transfer none) (nullable): the next one, or %NULL at the end
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
 * What the first analyser of the frame found. More than one may have seen it:
 * gst_buffer_get_contours_component_meta_by_source(), gst_buffer_get_contours_component_metas().
 *
 * Returns: (transfer none) (nullable): the first component metadata of @buffer, valid as long as @buffer; %NULL without
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
 * What one of several analysers of the frame found.
 *
 * Returns: (transfer none) (nullable): the component metadata that the element of this name attached; %NULL without
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
 * What all analysers of the frame found. For other languages; C code needs no allocation with
 * gst_buffer_iterate_contours_component_meta().
 *
 * Returns: (transfer container) (element-type GstContoursComponentMeta): all component metadata of @buffer, in the
 * order they were attached
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
 * The result as the analysis delivered it: the arrays of exact integers, in pixels of the analysed image, whatever
 * happened to the frame since.
 *
 * Returns: (transfer none): the result, valid as long as the buffer; to keep it, ctr_components_ref()
 *
 * Since: 0.1
 */
const CtrComponents *
gst_contours_component_meta_peek_components (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return COMPONENTS (meta);
}

/**
 * gst_contours_component_meta_get_source:
 * @meta: a #GstContoursComponentMeta
 *
 * Which element found this.
 *
 * Returns: (transfer none) (nullable): name of the element that attached @meta
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
 * What is to be known about the frame that was analysed, such as that it was corrupted. The flags stay as they are when
 * the buffer is copied or scaled.
 *
 * Returns: the flags of @meta; %GST_CONTOURS_RESULT_FLAG_NONE where nothing is wrong
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
 * Sets flags that the buffer itself does not tell, for elements that attach metadata:
 * gst_buffer_add_contours_component_meta() has taken over %GST_BUFFER_FLAG_CORRUPTED and
 * %GST_VIDEO_BUFFER_FLAG_INTERLACED.
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
 * gst_contours_component_meta_get_count:
 * @meta: a #GstContoursComponentMeta
 *
 * How many components there are; labels go from 1 to this.
 *
 * Returns: number of components
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
 * gst_contours_component_meta_get_threshold:
 * @meta: a #GstContoursComponentMeta
 *
 * From which sample on pixels are foreground (inverted: below which). 0 where the analysis has no threshold.
 *
 * Returns: the threshold that was applied, in sample units; with Otsu's method the one found for this frame
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
 * Which neighbouring pixels belong to one component.
 *
 * Returns: 4 (edge neighbours) or 8 (edge and corner neighbours)
 *
 * Since: 0.1
 */
guint
gst_contours_component_meta_get_connectivity (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return COMPONENTS (meta)->connectivity;
}

/**
 * gst_contours_component_meta_get_features:
 * @meta: a #GstContoursComponentMeta
 *
 * What the analysis was asked for.
 *
 * Returns: what @meta has beyond area, bounding box and centroid
 *
 * Since: 0.1
 */
GstContoursComponentFeatures
gst_contours_component_meta_get_features (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return COMPONENTS (meta)->features;
}

/**
 * gst_contours_component_meta_get_reference_size:
 * @meta: a #GstContoursComponentMeta
 * @width: (out): width of the analysed image, pixels
 * @height: (out): height of the analysed image, pixels
 *
 * The size of the image that was analysed, whatever happened to the frame since.
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
 * The size of the frame that carries the metadata: positions in it are what #GstContoursComponent has.
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
 * For positions that are not mapped already, such as those of arrays.
 *
 * Returns: (transfer none): where positions in the analysed image lie in the frame; valid as long as the buffer
 *
 * Since: 0.1
 */
const GstContoursMapping *
gst_contours_component_meta_get_mapping (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), NULL);
  return &PRIVATE (meta)->mapping;
}

/* The shape of the component as MAPPING distorts it: its covariance C becomes A C A^T. The formulas are those of
 * ctr_component_shape(). */
static void
map_shape (const GstContoursMapping *mapping, CtrComponentShape *shape)
{
  gdouble a = mapping->xx, b = mapping->xy, c = mapping->yx, d = mapping->yy;
  gdouble xx = shape->mu20, xy = shape->mu11, yy = shape->mu02;
  gdouble mu20 = a * a * xx + 2 * a * b * xy + b * b * yy;
  /* The last 0 makes a negative zero, of mirrors, a positive one: atan2() would tell -pi from pi by it. */
  gdouble mu11 = a * c * xx + (a * d + b * c) * xy + b * d * yy + 0.0;
  gdouble mu02 = c * c * xx + 2 * c * d * xy + d * d * yy;
  gdouble mean = (mu20 + mu02) / 2, spread = hypot ((mu20 - mu02) / 2, mu11);
  gdouble major = mean + spread, minor = fmax (mean - spread, 0.0);
  shape->orientation = spread > 0 ? 0.5 * atan2 (2 * mu11, mu20 - mu02) : 0.0;
  shape->major_axis = 4 * sqrt (major);
  shape->minor_axis = 4 * sqrt (minor);
  shape->eccentricity = major > 0 ? sqrt (1 - minor / major) : 0.0;
}

static void
fill_component (GstContoursComponentMeta *meta, guint index, GstContoursComponent *out)
{
  const CtrComponents *components = COMPONENTS (meta);
  const CtrComponent *row = &components->table[index];
  const GstContoursMapping *mapping = &PRIVATE (meta)->mapping;

  out->label = index + 1;
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

  out->orientation = out->major_axis = out->minor_axis = out->eccentricity = NAN;
  if (components->moments) {
    CtrComponentShape shape;
    ctr_component_shape (row, &components->moments[index], &shape);
    if (!gst_contours_mapping_is_identity (mapping))
      map_shape (mapping, &shape);
    out->orientation = shape.orientation;
    out->major_axis = shape.major_axis;
    out->minor_axis = shape.minor_axis;
    out->eccentricity = shape.eccentricity;
  }

  out->min = out->max = 0;
  out->mean = out->std = NAN;
  if (components->grey) {
    const CtrComponentGrey *grey = &components->grey[index];
    out->min = grey->min;
    out->max = grey->max;
    ctr_component_grey_stats (row, grey, &out->mean, &out->std);
  }
}

/**
 * gst_contours_component_meta_get_component:
 * @meta: a #GstContoursComponentMeta
 * @index: from 0 to the count less one; the component's label is @index + 1
 * @component: (out caller-allocates): the component, in pixels of the frame
 *
 * One component. In other languages the result is the pair of both.
 *
 * Returns: whether there is a component of this @index
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
 * All components, in pixels of the frame, in order of their labels: that is in raster order of their first pixels in
 * the analysed image. For other languages; C code needs no allocation with gst_contours_component_meta_get_component().
 *
 * Returns: (transfer full) (element-type GstContoursComponent): the components, independent of the buffer; free with
 *     g_list_free_full() and g_free()
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
