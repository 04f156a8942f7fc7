/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arrays of contours: on the host, and as bytes for other languages. */
#include "gst/meta/contourmeta-private.h"

const CtrContour *
gst_contours_contour_meta_map_table (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContour *table = ctr_contours_map_table (CONTOURS (meta), &error);
  if (!table)
    GST_WARNING ("no contours: %s", error.message);
  return table;
}

const CtrPoint *
gst_contours_contour_meta_map_points (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrPoint *points = ctr_contours_map_points (CONTOURS (meta), &error);
  if (!points)
    GST_WARNING ("no contour points: %s", error.message);
  return points;
}

const CtrContourSums *
gst_contours_contour_meta_map_sums (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrContourSums *sums = ctr_contours_map_sums (CONTOURS (meta), &error);
  if (!sums)
    GST_WARNING ("no contour moments: %s", error.message);
  return sums;
}

const CtrSnakeRegion *
gst_contours_contour_meta_map_regions (GstContoursContourMeta *meta)
{
  CtrError error;
  const CtrSnakeRegion *regions = ctr_contours_map_regions (CONTOURS (meta), &error);
  if (!regions)
    GST_WARNING ("no contour regions: %s", error.message);
  return regions;
}

void
gst_contours_contour_meta_map_position (
    GstContoursContourMeta *meta, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y)
{
  const GstContoursMapping *mapping = &PRIVATE (meta)->mapping;
  if (CONTOURS (meta)->coordinates == CTR_COORDINATES_CORNERS)
    gst_contours_mapping_map_corner (mapping, x, y, frame_x, frame_y);
  else
    gst_contours_mapping_map_point (mapping, x, y, frame_x, frame_y);
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
  if (index >= CONTOURS (meta)->count || !(table = gst_contours_contour_meta_map_table (meta))
      || !(points = gst_contours_contour_meta_map_points (meta)))
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
  if (index >= CONTOURS (meta)->count || !(table = gst_contours_contour_meta_map_table (meta))
      || !(points = gst_contours_contour_meta_map_points (meta)))
    return NULL;
  const guint count = table[index].count;
  points += table[index].first;
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
  const CtrPoint *points = gst_contours_contour_meta_map_points (meta);
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
  const CtrContour *table = gst_contours_contour_meta_map_table (meta);
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
  if (!has_moments (meta) || !(sums = gst_contours_contour_meta_map_sums (meta)))
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
  if (!gst_contours_contour_meta_has_regions (meta) || !(regions = gst_contours_contour_meta_map_regions (meta)))
    return NULL;
  return gst_contours_result_meta_view (PRIVATE (meta), regions, (gsize) CONTOURS (meta)->count * sizeof *regions);
}
