/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/meta/resultmeta-private.h"

#include <contours/snake.h>
#include <gst/contours/gstcontourmeta.h>
#include <math.h>

G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_FEATURE_MOMENTS == (guint) CTR_CONTOUR_FEATURE_MOMENTS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_COORDINATES_PIXELS == (guint) CTR_COORDINATES_PIXELS);
G_STATIC_ASSERT ((guint) GST_CONTOURS_CONTOUR_COORDINATES_CORNERS == (guint) CTR_COORDINATES_CORNERS);
/* The layouts that the documentation below gives for numpy. */
G_STATIC_ASSERT (sizeof (CtrPoint) == 4);
G_STATIC_ASSERT (sizeof (CtrContour) == 64);
G_STATIC_ASSERT (sizeof (CtrContourMoments) == 24 * sizeof (gdouble));

#define PRIVATE(meta) ((GstContoursResultMeta *) (meta))
#define CONTOURS(meta) ((CtrContours *) PRIVATE (meta)->result)
#define IS_CONTOUR_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_CONTOUR_META_INFO)

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

static gboolean
has_moments (GstContoursContourMeta *meta)
{
  return (CONTOURS (meta)->features & CTR_CONTOUR_FEATURE_MOMENTS) != 0;
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

/* The arrays, or NULL after a warning. */
static const CtrContour *
map_table (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContour *table = ctr_contours_map_table (CONTOURS (meta), &error);
  if (!table)
    GST_WARNING ("no contours: %s", error.message);
  return table;
}

static const CtrPoint *
map_points (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrPoint *points = ctr_contours_map_points (CONTOURS (meta), &error);
  if (!points)
    GST_WARNING ("no contour points: %s", error.message);
  return points;
}

static const CtrContourSums *
map_sums (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContourSums *sums = ctr_contours_map_sums (CONTOURS (meta), &error);
  if (!sums)
    GST_WARNING ("no contour moments: %s", error.message);
  return sums;
}

static const CtrSnakeRegion *
map_regions (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrSnakeRegion *regions = ctr_contours_map_regions (CONTOURS (meta), &error);
  if (!regions)
    GST_WARNING ("no contour regions: %s", error.message);
  return regions;
}

/* Are lengths in all directions scaled alike? Then by hypot (xx, yx). */
static gboolean
scales_evenly (const GstContoursMapping *m)
{
  return fabs (m->xx) == fabs (m->yy) && fabs (m->xy) == fabs (m->yx) && m->xx * m->xy + m->yx * m->yy == 0;
}

/* The length of the closed line through POINTS as MAPPING distorts it. */
static gdouble
mapped_length (const GstContoursMapping *mapping, const CtrPoint *points, guint count)
{
  gdouble length = 0;
  for (guint i = 0; i < count; i++) {
    const CtrPoint *from = &points[i], *to = &points[i + 1 < count ? i + 1 : 0];
    gdouble dx = to->x - from->x, dy = to->y - from->y;
    gdouble mapped_dx = mapping->xx * dx + mapping->xy * dy, mapped_dy = mapping->yx * dx + mapping->yy * dy;
    length += sqrt (mapped_dx * mapped_dx + mapped_dy * mapped_dy);
  }
  return length;
}

static void
map_position (GstContoursContourMeta *meta, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y)
{
  const GstContoursMapping *mapping = &PRIVATE (meta)->mapping;
  if (CONTOURS (meta)->coordinates == CTR_COORDINATES_CORNERS)
    gst_contours_mapping_map_corner (mapping, x, y, frame_x, frame_y);
  else
    gst_contours_mapping_map_point (mapping, x, y, frame_x, frame_y);
}

/* What GstContoursContour is computed from. */
typedef struct {
  const CtrContour *table;
  const CtrPoint *points;     /* NULL: not needed */
  const CtrContourSums *sums; /* NULL: there are none */
} Arrays;

static gboolean
map_arrays (GstContoursContourMeta *meta, Arrays *arrays)
{
  gboolean measure = !scales_evenly (&PRIVATE (meta)->mapping), moments = has_moments (meta);
  *arrays = (Arrays){0};
  return (arrays->table = map_table (meta)) && (!measure || (arrays->points = map_points (meta)))
         && (!moments || (arrays->sums = map_sums (meta)));
}

static void
fill_contour (GstContoursContourMeta *meta, const Arrays *arrays, guint index, GstContoursContour *out)
{
  const CtrContour *row = &arrays->table[index];
  const GstContoursMapping *mapping = &PRIVATE (meta)->mapping;

  out->id = index;
  out->count = row->count;
  out->first = row->first;
  out->hole = (row->flags & CTR_CONTOUR_HOLE) != 0;
  out->level = row->level;
  out->parent = row->parent;
  out->next = row->next;
  out->previous = row->previous;
  out->child = row->child;
  out->area = ctr_contour_area (row, false) * fabs (mapping->xx * mapping->yy - mapping->xy * mapping->yx);
  if (arrays->points)
    out->perimeter = mapped_length (mapping, arrays->points + row->first, row->count);
  else
    out->perimeter = ctr_contour_perimeter (row) * hypot (mapping->xx, mapping->yx);
  gst_contours_mapping_map_box (
      mapping, row->left, row->top, row->width, row->height, &out->x, &out->y, &out->w, &out->h);

  out->cx = out->cy = NAN;
  if (arrays->sums && row->area2 != 0) {
    CtrContourMoments moments;
    ctr_contour_moments (&arrays->sums[index], &moments);
    map_position (meta, moments.m[1] / moments.m[0], moments.m[2] / moments.m[0], &out->cx, &out->cy);
  }
}

/**
 * gst_contours_contour_meta_get_contour:
 * @meta: a #GstContoursContourMeta
 * @index: from 0 to the count less one
 * @contour: (out caller-allocates): the contour, in pixels of the frame
 *
 * Needs the table and, with %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, the moments. The points are needed only in a frame
 * whose axes are scaled differently, for the perimeter.
 *
 * Returns: whether there is a contour of this @index and it could be fetched
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_contour (GstContoursContourMeta *meta, guint index, GstContoursContour *contour)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (contour != NULL, FALSE);
  Arrays arrays;
  if (index >= CONTOURS (meta)->count || !map_arrays (meta, &arrays))
    return FALSE;
  fill_contour (meta, &arrays, index, contour);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_contours:
 * @meta: a #GstContoursContourMeta
 *
 * All contours, in pixels of the frame, in the table's order: row 0 first. For other languages; C code needs no
 * allocation with gst_contours_contour_meta_get_contour().
 *
 * Returns: (transfer full) (element-type GstContoursContour): the contours, independent of the buffer; free with
 *     g_list_free_full() and g_free(). %NULL where there are none, or they could not be fetched
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_contours (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  GList *list = NULL;
  Arrays arrays;
  if (CONTOURS (meta)->count == 0 || !map_arrays (meta, &arrays))
    return NULL;
  for (guint i = CONTOURS (meta)->count; i-- > 0;) {
    GstContoursContour *contour = g_new (GstContoursContour, 1);
    fill_contour (meta, &arrays, i, contour);
    list = g_list_prepend (list, contour);
  }
  return list;
}

static void
fill_region (const CtrSnakeRegion *row, GstContoursRegion *out)
{
  *out = (GstContoursRegion){
      .object = row->object,
      .converged = (row->flags & CTR_SNAKE_CONVERGED) != 0,
      .restarted = (row->flags & CTR_SNAKE_RESTARTED) != 0,
      .iterations = row->iterations,
      .inside_count = row->inside_count,
      .inside_mean = ctr_snake_region_mean (row, true),
      .inside_variance = ctr_snake_region_variance (row, true),
      .outside_count = row->outside_count,
      .outside_mean = ctr_snake_region_mean (row, false),
      .outside_variance = ctr_snake_region_variance (row, false),
      .criterion = row->criterion,
      .gain = row->gain,
  };
}

/**
 * gst_contours_contour_meta_get_region:
 * @meta: a #GstContoursContourMeta
 * @index: from 0 to the count less one: that of the contour
 * @region: (out caller-allocates): what the contour parts
 *
 * One contour's regions. In other languages the result is the pair of both.
 *
 * Returns: whether there is a contour of this @index, gst_contours_contour_meta_has_regions(), and it could be fetched
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_region (GstContoursContourMeta *meta, guint index, GstContoursRegion *region)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (region != NULL, FALSE);
  const CtrSnakeRegion *regions;
  if (index >= CONTOURS (meta)->count || !gst_contours_contour_meta_has_regions (meta)
      || !(regions = map_regions (meta)))
    return FALSE;
  fill_region (&regions[index], region);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_regions:
 * @meta: a #GstContoursContourMeta
 *
 * What all contours part, in the table's order. For other languages; C code needs no allocation with
 * gst_contours_contour_meta_get_region().
 *
 * Returns: (transfer full) (element-type GstContoursRegion): the regions, independent of the buffer; free with
 *     g_list_free_full() and g_free(). %NULL where there are none, or they could not be fetched
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_regions (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrSnakeRegion *regions;
  GList *list = NULL;
  if (CONTOURS (meta)->count == 0 || !gst_contours_contour_meta_has_regions (meta) || !(regions = map_regions (meta)))
    return NULL;
  for (guint i = CONTOURS (meta)->count; i-- > 0;) {
    GstContoursRegion *region = g_new (GstContoursRegion, 1);
    fill_region (&regions[i], region);
    list = g_list_prepend (list, region);
  }
  return list;
}

/**
 * gst_contours_contour_meta_get_points:
 * @meta: a #GstContoursContourMeta
 * @index: from 0 to the count less one
 *
 * The points of one contour, in the analysed image, not mapped to the frame: pairs of native 16-bit unsigned integers
 * x, y. In numpy: numpy.frombuffer(points.get_data(), 'u2').reshape(-1, 2)
 *
 * Returns: (transfer full) (nullable): the points, without a copy; they outlive the buffer. %NULL where there is no
 *     contour of this @index, or it could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_points (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContour *table;
  const CtrPoint *points;
  if (index >= CONTOURS (meta)->count || !(table = map_table (meta)) || !(points = map_points (meta)))
    return NULL;
  return gst_contours_result_meta_view (
      PRIVATE (meta), points + table[index].first, (gsize) table[index].count * sizeof *points);
}

/**
 * gst_contours_contour_meta_get_mapped_points:
 * @meta: a #GstContoursContourMeta
 * @index: from 0 to the count less one
 *
 * The points of one contour where they are in the frame that carries the metadata: pairs of native single-precision
 * numbers x, y, as OpenCV takes them. %GST_CONTOURS_CONTOUR_COORDINATES_PIXELS go through
 * gst_contours_mapping_map_point(), %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS through
 * gst_contours_mapping_map_corner(). In numpy: numpy.frombuffer(points.get_data(), 'f4').reshape(-1, 2)
 *
 * Returns: (transfer full) (nullable): the points; %NULL where there is no contour of this @index, or it could not be
 *     fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_mapped_points (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContour *table;
  const CtrPoint *points;
  if (index >= CONTOURS (meta)->count || !(table = map_table (meta)) || !(points = map_points (meta)))
    return NULL;
  const guint count = table[index].count;
  points += table[index].first;
  gfloat *mapped = g_new (gfloat, (gsize) count * 2);
  for (guint i = 0; i < count; i++) {
    gdouble x, y;
    map_position (meta, points[i].x, points[i].y, &x, &y);
    mapped[(gsize) i * 2] = x;
    mapped[(gsize) i * 2 + 1] = y;
  }
  return g_bytes_new_take (mapped, (gsize) count * 2 * sizeof *mapped);
}

/**
 * gst_contours_contour_meta_get_points_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The points of all contours, in the analysed image, not mapped to the frame: contour by contour in the table's order,
 * each a pair of native 16-bit unsigned integers x, y. In numpy:
 *
 * ```python
 * points = numpy.frombuffer(meta.get_points_bytes().get_data(), 'u2').reshape(-1, 2)
 * of_contour = points[row['first']:row['first'] + row['count']]
 * ```
 *
 * There get_data() copies once; gst_buffer_new_wrapped_bytes() and mapping that buffer for reading does not.
 *
 * Returns: (transfer full) (nullable): the points, without a copy; they outlive the buffer. %NULL where they could not
 *     be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_points_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrPoint *points = map_points (meta);
  if (!points)
    return NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), points, (gsize) CONTOURS (meta)->point_count * sizeof *points);
}

/**
 * gst_contours_contour_meta_get_table_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The contours as exact integers of the analysed image, not mapped to the frame: one row of 64 bytes a contour. In
 * numpy:
 *
 * ```python
 * numpy.dtype([('first', 'u8'), ('area2', 'i8'), ('length', 'u8'), ('count', 'u4'), ('next', 'i4'),
 *              ('previous', 'i4'), ('child', 'i4'), ('parent', 'i4'), ('flags', 'u4'), ('level', 'u4'),
 *              ('left', 'u2'), ('top', 'u2'), ('width', 'u2'), ('height', 'u2'), ('reserved', 'u4')])
 * ```
 *
 * first: index of the first point; area2: twice the area inside, positive where the line runs clockwise on the screen;
 * length: of the line, in 2^-23 pixels; count: points; next to parent: rows or -1, as OpenCV's hierarchy; flags: 1
 * around a hole; left to height: the bounding box.
 *
 * Returns: (transfer full) (nullable): the table, without a copy; it outlives the buffer. %NULL where it could not be
 *     fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_table_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContour *table = map_table (meta);
  if (!table)
    return NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), table, (gsize) CONTOURS (meta)->count * sizeof *table);
}

/**
 * gst_contours_contour_meta_get_moments_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The moments of the area inside each contour, as cv2.moments() has them, in the coordinates of the analysed image's
 * points: one row of 192 bytes a contour, all 0 where the area is. In numpy:
 *
 * ```python
 * numpy.dtype([(name, 'f8') for name in ('m00', 'm10', 'm01', 'm20', 'm11', 'm02', 'm30', 'm21', 'm12', 'm03',
 *                                        'mu20', 'mu11', 'mu02', 'mu30', 'mu21', 'mu12', 'mu03',
 *                                        'nu20', 'nu11', 'nu02', 'nu30', 'nu21', 'nu12', 'nu03')])
 * ```
 *
 * Returns: (transfer full) (nullable): the rows; %NULL without %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, and where they
 * could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_moments_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const guint count = CONTOURS (meta)->count;
  const CtrContourSums *sums;
  if (!has_moments (meta) || !(sums = map_sums (meta)))
    return NULL;
  CtrContourMoments *moments = g_new (CtrContourMoments, count);
  for (guint i = 0; i < count; i++)
    ctr_contour_moments (&sums[i], &moments[i]);
  return g_bytes_new_take (moments, count * sizeof *moments);
}

/**
 * gst_contours_contour_meta_get_sums_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The exact sums from which the moments of each contour are computed, in the coordinates of the analysed image's
 * points: one `CtrContourSums` per contour, whose layout gst_contours_get_layout() describes.
 *
 * Returns: (transfer full) (nullable): the rows, without a copy; they outlive the buffer. %NULL without
 *     %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, and if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_sums_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContourSums *sums;
  if (!has_moments (meta) || !(sums = map_sums (meta)))
    return NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), sums, (gsize) CONTOURS (meta)->count * sizeof *sums);
}

/**
 * gst_contours_contour_meta_get_regions_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The two regions that each contour separates, as exact integers of the analysed image: one `CtrSnakeRegion` per
 * contour, whose layout gst_contours_get_layout() describes. Means and variances are in
 * gst_contours_contour_meta_get_region().
 *
 * Returns: (transfer full) (nullable): the rows, without a copy; they outlive the buffer. %NULL without
 *     gst_contours_contour_meta_has_regions(), and if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_regions_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrSnakeRegion *regions;
  if (!gst_contours_contour_meta_has_regions (meta) || !(regions = map_regions (meta)))
    return NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), regions, (gsize) CONTOURS (meta)->count * sizeof *regions);
}
