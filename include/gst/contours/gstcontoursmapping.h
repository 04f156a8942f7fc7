/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_MAPPING_H__
#define __GST_CONTOURS_MAPPING_H__

#include <glib-object.h>
#include <gst/contours/gstcontoursprelude.h>

G_BEGIN_DECLS

/**
 * GstContoursMapping:
 * @reference_width: width of the analysed image, pixels
 * @reference_height: height of the analysed image, pixels
 * @width: width of the frame that carries the metadata, pixels
 * @height: height of this frame, pixels
 * @xx: change of x in the frame per x in the analysed image
 * @xy: change of x in the frame per y in the analysed image
 * @x0: x in the frame of the top left corner of the analysed image
 * @yx: change of y in the frame per x in the analysed image
 * @yy: change of y in the frame per y in the analysed image
 * @y0: y in the frame of the top left corner of the analysed image
 *
 * The affine transformation from positions in the analysed image to positions in the frame that carries the metadata.
 * The frame may have been scaled since the analysis, or, with GStreamer 1.28, cropped, mirrored or turned by a quarter.
 *
 * X = xx * x + xy * y + x0 and Y = yx * x + yy * y + y0, where positions are measured from the outer corner of the
 * image: pixel i covers [i, i + 1), and its centre is at i + 0.5. Pixel positions elsewhere in this library count
 * centres as whole numbers; gst_contours_mapping_map_point() transforms them.
 *
 * Since: 0.1
 */
typedef struct _GstContoursMapping GstContoursMapping;

struct _GstContoursMapping {
  guint reference_width;
  guint reference_height;
  guint width;
  guint height;
  gdouble xx;
  gdouble xy;
  gdouble x0;
  gdouble yx;
  gdouble yy;
  gdouble y0;
};

#define GST_TYPE_CONTOURS_MAPPING (gst_contours_mapping_get_type ())

GST_CONTOURS_API
GType gst_contours_mapping_get_type (void);

GST_CONTOURS_API
gboolean gst_contours_mapping_is_identity (const GstContoursMapping *mapping);

GST_CONTOURS_API
void gst_contours_mapping_map_point (
    const GstContoursMapping *mapping, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y);

GST_CONTOURS_API
void gst_contours_mapping_map_corner (
    const GstContoursMapping *mapping, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y);

GST_CONTOURS_API
void gst_contours_mapping_map_box (const GstContoursMapping *mapping, gdouble x, gdouble y, gdouble width,
    gdouble height, gdouble *frame_x, gdouble *frame_y, gdouble *frame_width, gdouble *frame_height);

G_END_DECLS

#endif /* __GST_CONTOURS_MAPPING_H__ */
