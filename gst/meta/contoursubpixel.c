/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points of contours to a fraction of a pixel, in pixels of the frame that carries the metadata. */
#include "gst/meta/contourmeta-private.h"

#include <gst/contours/gstcontoursubpixel.h>

GType
gst_contours_subpixel_flags_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {GST_CONTOURS_SUBPIXEL_FLAG_NONE, "Refined", "none"},
      {GST_CONTOURS_SUBPIXEL_FLAG_NO_EDGE, "No edge near the point", "no-edge"},
      {GST_CONTOURS_SUBPIXEL_FLAG_FRAME, "At the edge of the analysed image", "frame"},
      {GST_CONTOURS_SUBPIXEL_FLAG_LONE, "A pixel that has no side", "lone"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstContoursSubpixelFlags", values));
  return type;
}

static GstContoursSubpixel *
subpixel_copy (const GstContoursSubpixel *subpixel)
{
  return g_memdup2 (subpixel, sizeof *subpixel);
}

G_DEFINE_BOXED_TYPE (GstContoursSubpixel, gst_contours_subpixel, subpixel_copy, g_free)

/**
 * gst_contours_contour_meta_has_subpixel:
 * @meta: a #GstContoursContourMeta
 *
 * Whether the points of the contours were refined to fractions of pixels, as by `cudaborders subpixel=edge` and
 * `cudacanny contours=true subpixel=edge`.
 *
 * Returns: whether gst_contours_contour_meta_get_subpixel() has each point
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_has_subpixel (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  return has_subpixels (meta);
}

/* The refined points, or NULL without them, and after a warning where they cannot be fetched. */
static const CtrSubpixelPoint *
map_subpixels (GstContoursContourMeta *meta)
{
  CtrError error;
  if (!has_subpixels (meta))
    return NULL;
  const CtrSubpixelPoint *points = ctr_contours_map_subpixel (PENDING (meta), &error);
  if (!points)
    GST_WARNING ("The subpixels cannot be fetched from the GPU: %s", error.message);
  return points;
}

static void
map_position (GstContoursContourMeta *meta, const CtrSubpixelPoint *point, gdouble *x, gdouble *y)
{
  gst_contours_contour_meta_map_position (meta, point->x * CTR_SUBPIXEL_UNIT, point->y * CTR_SUBPIXEL_UNIT, x, y);
}

/* A normal stays at right angles to the edge, also where the axes are scaled differently. */
static void
map_normal (const GstContoursMapping *m, const CtrSubpixelPoint *point, GstContoursSubpixel *out)
{
  const gdouble angle = point->normal * (CTR_SUBPIXEL_NORMAL_UNIT * 2 * G_PI);
  const gdouble c = cos (angle), s = sin (angle), determinant = m->xx * m->yy - m->xy * m->yx;
  const gdouble x = (m->yy * c - m->yx * s) * determinant, y = (m->xx * s - m->xy * c) * determinant;
  const gdouble length = hypot (x, y);
  if (length == 0 || point->flags & CTR_SUBPIXEL_LONE)
    return;
  out->normal_x = x / length;
  out->normal_y = y / length;
}

/**
 * gst_contours_contour_meta_get_subpixel:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @point: index of the point in this contour, from 0
 * @subpixel: (out caller-allocates): where the edge is beside this point
 *
 * Gets one refined point. In other languages the function returns the pair of both results.
 *
 * Returns: whether there is such a point and it could be fetched; %FALSE unless gst_contours_contour_meta_has_subpixel()
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_subpixel (
    GstContoursContourMeta *meta, guint index, guint point, GstContoursSubpixel *subpixel)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (subpixel != NULL, FALSE);
  const CtrContour *table;
  const CtrSubpixelPoint *points;
  if (index >= CONTOURS (meta)->count || !(table = gst_contours_contour_meta_map_table (meta))
      || point >= table[index].count || !(points = map_subpixels (meta)))
    return FALSE;
  const CtrSubpixelPoint *from = &points[table[index].first + point];
  *subpixel = (GstContoursSubpixel){.strength = from->strength * CTR_SUBPIXEL_STRENGTH_UNIT, .flags = from->flags};
  map_position (meta, from, &subpixel->x, &subpixel->y);
  map_normal (&PRIVATE (meta)->mapping, from, subpixel);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_mapped_subpixel:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * The refined points of one contour in pixels of the frame that carries the metadata, as
 * gst_contours_contour_meta_get_mapped_points() has its pixels: pairs (x, y) of native single-precision numbers. A point that
 * was not refined is at its pixel.
 *
 * Returns: (transfer full) (nullable): the points; free them with g_bytes_unref(). %NULL if there is no contour with
 *     this @index, unless gst_contours_contour_meta_has_subpixel(), or if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_mapped_subpixel (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContour *table;
  const CtrSubpixelPoint *points;
  if (index >= CONTOURS (meta)->count || !(table = gst_contours_contour_meta_map_table (meta))
      || !(points = map_subpixels (meta)))
    return NULL;
  gfloat *mapped = g_new (gfloat, (gsize) table[index].count * 2);
  for (guint i = 0; i < table[index].count; i++) {
    gdouble x, y;
    map_position (meta, &points[table[index].first + i], &x, &y);
    mapped[(gsize) i * 2] = (gfloat) x;
    mapped[(gsize) i * 2 + 1] = (gfloat) y;
  }
  return g_bytes_new_take (mapped, (gsize) table[index].count * 2 * sizeof *mapped);
}

/**
 * gst_contours_contour_meta_get_subpixel_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The refined points of all contours in the analysed image, in the order of gst_contours_contour_meta_get_points_bytes(): one
 * `CtrSubpixelPoint` per point. gst_contours_get_layout() describes it. Its fields are
 *
 * - `x` and `y`: the position in 1/256 pixel;
 * - `strength`: the gradient at the edge in 1/256 sample unit per pixel;
 * - `normal`: the direction to the background, of chains of edges from dark to bright, in 1/65536 turn, clockwise on the screen from the x axis;
 * - `flags`: #GstContoursSubpixelFlags.
 *
 * Returns: (transfer full) (nullable): the points, not a copy, valid without the buffer; free them with
 *     g_bytes_unref(). %NULL unless gst_contours_contour_meta_has_subpixel(), or if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_subpixel_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrSubpixelPoint *points = map_subpixels (meta);
  return gst_contours_result_meta_view (PRIVATE (meta), points, (gsize) CONTOURS (meta)->point_count * sizeof *points);
}
