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
 * @width: width of the frame the metadata is attached to now, pixels
 * @height: height of that frame, pixels
 * @xx: frame x per analysed x
 * @xy: frame x per analysed y
 * @x0: frame x of the analysed image's top left corner
 * @yx: frame y per analysed x
 * @yy: frame y per analysed y
 * @y0: frame y of the analysed image's top left corner
 *
 * Where positions in the analysed image lie in the frame that carries the metadata: the frame may have been scaled
 * (with GStreamer 1.28 also cropped, flipped or turned by a quarter) since.
 *
 * X = xx * x + xy * y + x0 and Y = yx * x + yy * y + y0, with positions measured from the image's outer corner, so that
 * pixel i covers [i, i + 1). A pixel's centre is at i + 0.5 there; everything in this library that is called a pixel
 * position counts centres as whole numbers, see gst_contours_mapping_map_point().
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
