/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a frame lies that is a strip of an endless picture, the web; and where the result of an earlier one lies in a
 * frame. */
#include "gst/meta/resultmeta-private.h"

#include <gst/contours/gstcomponentmeta.h>
#include <gst/contours/gstcontourmeta.h>

#define RESULT(m) ((GstContoursResultMeta *) (m))
#define IS_COMPONENT_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_COMPONENT_META_INFO)
#define IS_CONTOUR_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_CONTOUR_META_INFO)
/* Their size and origin are valid also while they are pending. */
#define COMPONENTS(m) ((const CtrComponents *) RESULT (m)->result)
#define CONTOURS(m) ((const CtrContours *) RESULT (m)->result)

/**
 * gst_contours_component_meta_place_strip: (skip)
 * @meta: a #GstContoursComponentMeta of a writable buffer that is not shared
 * @y: row of the result that is the first row of the frame
 * @height: height of the frame, pixels
 *
 * Tells, for elements that attach results of strips, that the frame is a strip, and where it lies in the result.
 * Positions in the frame are smaller by @y than those in the result; what lies above the frame is negative. Sets
 * %GST_CONTOURS_RESULT_FLAG_STRIP.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_place_strip (GstContoursComponentMeta *meta, guint y, guint height)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  gst_contours_result_meta_place_strip (RESULT (meta), COMPONENTS (meta)->origin_row, y, height);
}

/**
 * gst_contours_component_meta_set_mapping: (skip)
 * @meta: a #GstContoursComponentMeta of a writable buffer that is not shared
 * @mapping: (transfer none): where the analysed image is in the frame
 *
 * Tells, for elements that analyse a mask instead of the frame, where the mask lies in the frame.
 *
 * Since: 0.1
 */
void
gst_contours_component_meta_set_mapping (GstContoursComponentMeta *meta, const GstContoursMapping *mapping)
{
  g_return_if_fail (IS_COMPONENT_META (meta));
  g_return_if_fail (mapping != NULL);
  RESULT (meta)->mapping = *mapping;
}

/**
 * gst_contours_component_meta_get_origin_row:
 * @meta: a #GstContoursComponentMeta
 *
 * The row of the web that y = 0 stands for in the arrays of the result, if the frame is a strip of an endless picture.
 * Their y never is negative, and fits in 16 bits.
 *
 * Returns: the row; 0 without %GST_CONTOURS_RESULT_FLAG_STRIP
 *
 * Since: 0.1
 */
guint64
gst_contours_component_meta_get_origin_row (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return COMPONENTS (meta)->origin_row;
}

/**
 * gst_contours_component_meta_get_first_row:
 * @meta: a #GstContoursComponentMeta
 *
 * The row of the web that the frame begins with, if the frame is a strip of an endless picture. The position y in
 * #GstContoursComponent is row get_first_row() + y of the web while the frame has its size.
 *
 * Returns: the row; 0 without %GST_CONTOURS_RESULT_FLAG_STRIP
 *
 * Since: 0.1
 */
guint64
gst_contours_component_meta_get_first_row (GstContoursComponentMeta *meta)
{
  g_return_val_if_fail (IS_COMPONENT_META (meta), 0);
  return RESULT (meta)->first_row;
}

/**
 * gst_contours_contour_meta_place_strip: (skip)
 * @meta: a #GstContoursContourMeta of a writable buffer that is not shared
 * @y: row of the result that is the first row of the frame
 * @height: height of the frame, pixels
 *
 * Tells, for elements that attach results of strips, that the frame is a strip, and where it lies in the result.
 * Positions in the frame are smaller by @y than those in the result; what lies above the frame is negative. Sets
 * %GST_CONTOURS_RESULT_FLAG_STRIP.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_place_strip (GstContoursContourMeta *meta, guint y, guint height)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  gst_contours_result_meta_place_strip (RESULT (meta), CONTOURS (meta)->origin_row, y, height);
}

/**
 * gst_contours_contour_meta_get_origin_row:
 * @meta: a #GstContoursContourMeta
 *
 * The row of the web that y = 0 stands for in the arrays of the result, if the frame is a strip of an endless picture.
 * Their y never is negative, and fits in 16 bits.
 *
 * Returns: the row; 0 without %GST_CONTOURS_RESULT_FLAG_STRIP
 *
 * Since: 0.1
 */
guint64
gst_contours_contour_meta_get_origin_row (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return CONTOURS (meta)->origin_row;
}

/**
 * gst_contours_contour_meta_get_first_row:
 * @meta: a #GstContoursContourMeta
 *
 * The row of the web that the frame begins with, if the frame is a strip of an endless picture. The position y in
 * #GstContoursContour is row get_first_row() + y of the web while the frame has its size.
 *
 * Returns: the row; 0 without %GST_CONTOURS_RESULT_FLAG_STRIP
 *
 * Since: 0.1
 */
guint64
gst_contours_contour_meta_get_first_row (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return RESULT (meta)->first_row;
}

/**
 * gst_contours_contour_meta_set_mapping: (skip)
 * @meta: a #GstContoursContourMeta of a writable buffer that is not shared
 * @mapping: (transfer none): where the analysed image is in the frame
 *
 * Tells, for elements that analyse a result of an earlier element or a mask instead of the frame, where the analysed image
 * lies in the frame. The mapping of an earlier result tells this, as frames may have been scaled since.
 *
 * Since: 0.1
 */
void
gst_contours_contour_meta_set_mapping (GstContoursContourMeta *meta, const GstContoursMapping *mapping)
{
  g_return_if_fail (IS_CONTOUR_META (meta));
  g_return_if_fail (mapping != NULL);
  RESULT (meta)->mapping = *mapping;
}
