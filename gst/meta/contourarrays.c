/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for contours, and their arrays: on the host, and as bytes for other languages. */
#include "gst/meta/contourmeta-private.h"

CtrContours *
gst_contours_contour_meta_wait (GstContoursContourMeta *meta)
{
  CtrContours *contours = PENDING (meta);
  CtrError error;
  if (!ctr_contours_wait (contours, &error))
    GST_WARNING ("There are no contours, since their analysis has failed: %s", error.message);
  return contours;
}

const CtrContour *
gst_contours_contour_meta_map_table (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContour *table = ctr_contours_map_table (PENDING (meta), &error);
  if (!table)
    GST_WARNING ("The contours cannot be fetched from the GPU: %s", error.message);
  return table;
}

const CtrPoint *
gst_contours_contour_meta_map_points (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrPoint *points = ctr_contours_map_points (PENDING (meta), &error);
  if (!points)
    GST_WARNING ("The points cannot be fetched from the GPU: %s", error.message);
  return points;
}

const CtrContourSums *
gst_contours_contour_meta_map_sums (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContourSums *sums = ctr_contours_map_sums (PENDING (meta), &error);
  if (!sums)
    GST_WARNING ("The moments cannot be fetched from the GPU: %s", error.message);
  return sums;
}

const CtrContourShape *
gst_contours_contour_meta_map_shapes (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContourShape *shapes = ctr_contours_map_shapes (PENDING (meta), &error);
  if (!shapes)
    GST_WARNING ("The shapes cannot be fetched from the GPU: %s", error.message);
  return shapes;
}

const CtrContourFits *
gst_contours_contour_meta_map_fits (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContourFits *fits = ctr_contours_map_fits (PENDING (meta), &error);
  if (!fits)
    GST_WARNING ("The fits cannot be fetched from the GPU: %s", error.message);
  return fits;
}

const CtrContourNesting *
gst_contours_contour_meta_map_nesting (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContourNesting *nesting = ctr_contours_map_nesting (PENDING (meta), &error);
  if (!nesting)
    GST_WARNING ("The nesting cannot be fetched from the GPU: %s", error.message);
  return nesting;
}

const CtrSnakeRegion *
gst_contours_contour_meta_map_regions (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrSnakeRegion *regions = ctr_contours_map_regions (PENDING (meta), &error);
  if (!regions)
    GST_WARNING ("The regions cannot be fetched from the GPU: %s", error.message);
  return regions;
}

void
gst_contours_contour_meta_map_position (
    GstContoursContourMeta *meta, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y)
{
  const GstContoursMapping *mapping = &PRIVATE (meta)->mapping;
  if (PENDING (meta)->coordinates == CTR_COORDINATES_CORNERS)
    gst_contours_mapping_map_corner (mapping, x, y, frame_x, frame_y);
  else
    gst_contours_mapping_map_point (mapping, x, y, frame_x, frame_y);
}

GBytes *
gst_contours_contour_meta_map_list (GstContoursContourMeta *meta, const CtrPoint *points, guint count)
{
  gfloat *mapped = g_new (gfloat, (gsize) count * 2);
  for (guint i = 0; i < count; i++) {
    gdouble x, y;
    gst_contours_contour_meta_map_position (meta, points[i].x, points[i].y, &x, &y);
    mapped[(gsize) i * 2] = x;
    mapped[(gsize) i * 2 + 1] = y;
  }
  return g_bytes_new_take (mapped, (gsize) count * 2 * sizeof *mapped);
}

/**
 * gst_contours_contour_meta_peek_pending_contours: (skip)
 * @meta: a #GstContoursContourMeta
 *
 * The result of the analysis, without waiting for it: to draw it with a #CtrPainter in CUDA memory, behind the analysis.
 * Before ctr_contours_is_complete() its numbers are 0.
 *
 * Returns: (transfer none): the result, valid as long as the buffer; ctr_contours_ref() keeps it longer
 *
 * Since: 0.1
 */
CtrContours *
gst_contours_contour_meta_peek_pending_contours (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  return PENDING (meta);
}

/**
 * gst_contours_contour_meta_get_points:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * The points of one contour in pixels of the analysed image: pairs (x, y) of native 16-bit unsigned integers.
 *
 * Returns: (transfer full) (nullable): the points, not a copy, valid without the buffer; free them with
 *     g_bytes_unref(). %NULL if there is no contour with this @index, or it could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_points (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContour *table;
  const CtrPoint *points;
  if (index >= CONTOURS (meta)->count || !(table = gst_contours_contour_meta_map_table (meta))
      || !(points = gst_contours_contour_meta_map_points (meta)))
    return NULL;
  return gst_contours_result_meta_view (
      PRIVATE (meta), points + table[index].first, (gsize) table[index].count * sizeof *points);
}

/**
 * gst_contours_contour_meta_get_mapped_points:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * The points of one contour in pixels of the frame that carries the metadata: pairs (x, y) of native single-precision
 * numbers, which OpenCV takes, too. gst_contours_mapping_map_point() transforms
 * %GST_CONTOURS_CONTOUR_COORDINATES_PIXELS, gst_contours_mapping_map_corner()
 * %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS.
 *
 * Returns: (transfer full) (nullable): the points; free them with g_bytes_unref(). %NULL if there is no contour with
 *     this @index, or it could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_mapped_points (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContour *table;
  const CtrPoint *points;
  if (index >= CONTOURS (meta)->count || !(table = gst_contours_contour_meta_map_table (meta))
      || !(points = gst_contours_contour_meta_map_points (meta)))
    return NULL;
  return gst_contours_contour_meta_map_list (meta, points + table[index].first, table[index].count);
}

/**
 * gst_contours_contour_meta_get_points_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The points of all contours in pixels of the analysed image, contour by contour in the order of their ids: pairs
 * (x, y) of native 16-bit unsigned integers. The `first` and `count` of a contour's row select its points.
 *
 * Returns: (transfer full) (nullable): the points, not a copy, valid without the buffer; free them with
 *     g_bytes_unref(). %NULL if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_points_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrPoint *points = gst_contours_contour_meta_map_points (meta);
  return gst_contours_result_meta_view (PRIVATE (meta), points, (gsize) CONTOURS (meta)->point_count * sizeof *points);
}

/**
 * gst_contours_contour_meta_get_table_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The contours in exact integers and in pixels of the analysed image: one `CtrContour` per contour, in the order of
 * their ids. gst_contours_get_layout() describes it. Its fields are
 *
 * - `first` and `count`: index of the first point, and number of points;
 * - `area2`: twice the area inside, positive if the line runs clockwise on the screen;
 * - `length`: length of the closed line, in units of 2^-23 pixels;
 * - `next`, `previous`, `child` and `parent`: rows, or -1, as in the hierarchy of OpenCV;
 * - `flags`: 1 if the line runs around a hole;
 * - `level`: index of the level, 0 for a binary image;
 * - `left`, `top`, `width` and `height`: the bounding box of the points.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_table_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContour *table = gst_contours_contour_meta_map_table (meta);
  return gst_contours_result_meta_view (PRIVATE (meta), table, (gsize) CONTOURS (meta)->count * sizeof *table);
}

/**
 * gst_contours_contour_meta_get_moments_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The moments of the area inside each contour, as those of cv2.moments(), in pixels of the analysed image: one
 * `CtrContourMoments` per contour, in the order of their ids. gst_contours_get_layout() describes it. All moments of a
 * contour without an area are 0.
 *
 * Returns: (transfer full) (nullable): the rows; free them with g_bytes_unref(). %NULL without
 *     %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, or if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_moments_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const guint count = CONTOURS (meta)->count;
  const CtrContourSums *sums;
  if (!has_moments (meta) || !(sums = gst_contours_contour_meta_map_sums (meta)))
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
 * The exact sums from which the moments of each contour are computed, in pixels of the analysed image: one
 * `CtrContourSums` per contour, in the order of their ids. gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL without %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, or if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_sums_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContourSums *sums = has_moments (meta) ? gst_contours_contour_meta_map_sums (meta) : NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), sums, (gsize) CONTOURS (meta)->count * sizeof *sums);
}

/**
 * gst_contours_contour_meta_get_regions_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The sums over the two regions that each contour separates, of the analysed image: one `CtrSnakeRegion` per contour,
 * in the order of their ids. gst_contours_get_layout() describes it. gst_contours_contour_meta_get_region() has means
 * and variances.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL unless gst_contours_contour_meta_has_regions(), or if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_regions_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrSnakeRegion *regions =
      gst_contours_contour_meta_has_regions (meta) ? gst_contours_contour_meta_map_regions (meta) : NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), regions, (gsize) CONTOURS (meta)->count * sizeof *regions);
}

/**
 * gst_contours_contour_meta_get_nesting_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The place of each contour in the tree of all levels: one `CtrContourNesting` per contour, in the order of their ids.
 * gst_contours_get_layout() describes it.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL unless gst_contours_contour_meta_has_nesting(), or if they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_nesting_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrContourNesting *nesting =
      gst_contours_contour_meta_has_nesting (meta) ? gst_contours_contour_meta_map_nesting (meta) : NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), nesting, (gsize) CONTOURS (meta)->count * sizeof *nesting);
}
