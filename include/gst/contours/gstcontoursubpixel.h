/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_CONTOUR_SUBPIXEL_H__
#define __GST_CONTOURS_CONTOUR_SUBPIXEL_H__

#include <gst/contours/gstcontourmeta.h>

G_BEGIN_DECLS

/**
 * GstContoursSubpixelFlags:
 * @GST_CONTOURS_SUBPIXEL_FLAG_NONE: the point was refined
 * @GST_CONTOURS_SUBPIXEL_FLAG_NO_EDGE: there is no edge near the point
 * @GST_CONTOURS_SUBPIXEL_FLAG_FRAME: what is behind the point lies outside the analysed image
 * @GST_CONTOURS_SUBPIXEL_FLAG_LONE: the point has no side: the border is a single pixel, or there is no gradient at the pixel of an edge
 *
 * Why a point of a contour was not refined. Then it is at its pixel.
 *
 * Since: 0.1
 */
typedef enum {
  GST_CONTOURS_SUBPIXEL_FLAG_NONE = 0,
  GST_CONTOURS_SUBPIXEL_FLAG_NO_EDGE = 1 << 0,
  GST_CONTOURS_SUBPIXEL_FLAG_FRAME = 1 << 1,
  GST_CONTOURS_SUBPIXEL_FLAG_LONE = 1 << 2
} GstContoursSubpixelFlags;

#define GST_TYPE_CONTOURS_SUBPIXEL_FLAGS (gst_contours_subpixel_flags_get_type ())

GST_CONTOURS_API
GType gst_contours_subpixel_flags_get_type (void);

/**
 * GstContoursSubpixel:
 * @x: horizontal position in pixels of the frame; pixel centres are at whole numbers
 * @y: vertical position
 * @normal_x: horizontal part of the unit vector across the edge, from the foreground to the background, of chains of edges from
 *     dark to bright, in the frame; 0 with %GST_CONTOURS_SUBPIXEL_FLAG_LONE
 * @normal_y: vertical part of this vector
 * @strength: gradient at the edge, in sample units per pixel of the analysed image; 0 if the point was not refined
 * @flags: why the point was not refined, %GST_CONTOURS_SUBPIXEL_FLAG_NONE if it was
 *
 * Where the edge is beside a point of a contour, to a fraction of a pixel.
 *
 * Since: 0.1
 */
typedef struct _GstContoursSubpixel GstContoursSubpixel;

struct _GstContoursSubpixel {
  gdouble x;
  gdouble y;
  gdouble normal_x;
  gdouble normal_y;
  gdouble strength;
  GstContoursSubpixelFlags flags;
};

#define GST_TYPE_CONTOURS_SUBPIXEL (gst_contours_subpixel_get_type ())

GST_CONTOURS_API
GType gst_contours_subpixel_get_type (void);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_has_subpixel (GstContoursContourMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_subpixel (
    GstContoursContourMeta *meta, guint index, guint point, GstContoursSubpixel *subpixel);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_mapped_subpixel (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_subpixel_bytes (GstContoursContourMeta *meta);

G_END_DECLS

#endif /* __GST_CONTOURS_CONTOUR_SUBPIXEL_H__ */
