/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_RESULT_H__
#define __GST_CONTOURS_RESULT_H__

#include <gst/gst.h>
#include <gst/contours/gstcontoursprelude.h>

G_BEGIN_DECLS

/**
 * GstContoursResultFlags:
 * @GST_CONTOURS_RESULT_FLAG_NONE: no flag is set
 * @GST_CONTOURS_RESULT_FLAG_CORRUPTED: the frame was marked as corrupted (%GST_BUFFER_FLAG_CORRUPTED): parts of the
 *     image, and therefore of the result, may be missing or wrong
 * @GST_CONTOURS_RESULT_FLAG_INTERLACED: the frame holds two interlaced fields of different times: moving objects, and
 *     therefore their contours, have combed edges
 * @GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED: the frame exceeds a limit of the element and was not analysed, so there are
 *     no contours; see gst_contours_contour_meta_get_needed()
 * @GST_CONTOURS_RESULT_FLAG_STRIP: the frame is a strip of an endless picture, see
 *     gst_contours_component_meta_get_first_row()
 *
 * Conditions of the analysed frame that affect its result.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CONTOURS_RESULT_FLAG_NONE = 0,
  GST_CONTOURS_RESULT_FLAG_CORRUPTED = 1 << 0,
  GST_CONTOURS_RESULT_FLAG_INTERLACED = 1 << 1,
  GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED = 1 << 2,
  GST_CONTOURS_RESULT_FLAG_STRIP = 1 << 3
} GstContoursResultFlags;

#define GST_TYPE_CONTOURS_RESULT_FLAGS (gst_contours_result_flags_get_type ())

GST_CONTOURS_API
GType gst_contours_result_flags_get_type (void);

G_END_DECLS

#endif /* __GST_CONTOURS_RESULT_H__ */
