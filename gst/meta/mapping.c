/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/meta/mapping-private.h"

#include <gst/video/video.h>
#include <math.h>

static GstContoursMapping *
mapping_copy (const GstContoursMapping *mapping)
{
  return g_memdup2 (mapping, sizeof *mapping);
}

G_DEFINE_BOXED_TYPE (GstContoursMapping, gst_contours_mapping, mapping_copy, g_free)

void
gst_contours_mapping_init (GstContoursMapping *mapping, guint width, guint height)
{
  *mapping = (GstContoursMapping){
      .reference_width = width,
      .reference_height = height,
      .width = width,
      .height = height,
      .xx = 1,
      .yy = 1,
  };
}

/**
 * gst_contours_mapping_is_identity:
 * @mapping: a #GstContoursMapping
 *
 * Whether the frame still has the size and orientation of the analysed image.
 *
 * Returns: whether positions in the frame equal those in the analysed image
 *
 * Since: 0.1
 */
gboolean
gst_contours_mapping_is_identity (const GstContoursMapping *mapping)
{
  g_return_val_if_fail (mapping != NULL, FALSE);
  return mapping->xx == 1 && mapping->yy == 1 && mapping->xy == 0 && mapping->yx == 0 && mapping->x0 == 0
         && mapping->y0 == 0;
}

static void
map_corner (const GstContoursMapping *mapping, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y)
{
  *frame_x = mapping->xx * x + mapping->xy * y + mapping->x0;
  *frame_y = mapping->yx * x + mapping->yy * y + mapping->y0;
}

/**
 * gst_contours_mapping_map_point:
 * @mapping: a #GstContoursMapping
 * @x: x in the analysed image; whole numbers are pixel centres
 * @y: y in the analysed image
 * @frame_x: (out): x in the frame; whole numbers are pixel centres
 * @frame_y: (out): y in the frame
 *
 * Transforms the position of a pixel. In a frame scaled from W to W2 pixels, x becomes (x + 0.5) * W2 / W - 0.5.
 *
 * Since: 0.1
 */
void
gst_contours_mapping_map_point (
    const GstContoursMapping *mapping, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y)
{
  g_return_if_fail (mapping != NULL);
  g_return_if_fail (frame_x != NULL && frame_y != NULL);

  if (mapping->xx == 1 && mapping->yy == 1 && mapping->xy == 0 && mapping->yx == 0) {
    /* Adding and subtracting 0.5 would round. */
    *frame_x = x + mapping->x0;
    *frame_y = y + mapping->y0;
    return;
  }
  map_corner (mapping, x + 0.5, y + 0.5, frame_x, frame_y);
  *frame_x -= 0.5;
  *frame_y -= 0.5;
}

/**
 * gst_contours_mapping_map_corner:
 * @mapping: a #GstContoursMapping
 * @x: x in the analysed image; whole numbers are the edges between pixels
 * @y: y in the analysed image
 * @frame_x: (out): x in the frame; whole numbers are the edges between pixels
 * @frame_y: (out): y in the frame
 *
 * Transforms the position of a corner between pixels. In a frame scaled from W to W2 pixels, x becomes x * W2 / W.
 *
 * Since: 0.1
 */
void
gst_contours_mapping_map_corner (
    const GstContoursMapping *mapping, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y)
{
  g_return_if_fail (mapping != NULL);
  g_return_if_fail (frame_x != NULL && frame_y != NULL);
  map_corner (mapping, x, y, frame_x, frame_y);
}

/**
 * gst_contours_mapping_map_box:
 * @mapping: a #GstContoursMapping
 * @x: left edge in the analysed image
 * @y: top edge in the analysed image
 * @width: width in the analysed image
 * @height: height in the analysed image
 * @frame_x: (out): left edge in the frame
 * @frame_y: (out): top edge in the frame
 * @frame_width: (out): width in the frame
 * @frame_height: (out): height in the frame
 *
 * Transforms the box around the pixels of columns @x to @x + @width - 1 and rows @y to @y + @height - 1. Its edges are
 * scaled: x becomes x * W2 / W.
 *
 * Since: 0.1
 */
void
gst_contours_mapping_map_box (const GstContoursMapping *mapping, gdouble x, gdouble y, gdouble width, gdouble height,
    gdouble *frame_x, gdouble *frame_y, gdouble *frame_width, gdouble *frame_height)
{
  g_return_if_fail (mapping != NULL);
  g_return_if_fail (frame_x != NULL && frame_y != NULL);
  g_return_if_fail (frame_width != NULL && frame_height != NULL);

  gdouble x1, y1, x2, y2;
  map_corner (mapping, x, y, &x1, &y1);
  map_corner (mapping, x + width, y + height, &x2, &y2);
  *frame_x = MIN (x1, x2);
  *frame_y = MIN (y1, y2);
  *frame_width = fabs (x2 - x1);
  *frame_height = fabs (y2 - y1);
}

static gboolean
is_frame_size (const GstContoursMapping *mapping, const GstVideoInfo *info)
{
  return (guint) GST_VIDEO_INFO_WIDTH (info) == mapping->width
         && (guint) GST_VIDEO_INFO_HEIGHT (info) == mapping->height;
}

/* Scales the frame by SX, SY, then moves it by X0, Y0. */
static void
scale_and_move (GstContoursMapping *mapping, gdouble sx, gdouble sy, gdouble x0, gdouble y0)
{
  mapping->xx *= sx;
  mapping->xy *= sx;
  mapping->x0 = mapping->x0 * sx + x0;
  mapping->yx *= sy;
  mapping->yy *= sy;
  mapping->y0 = mapping->y0 * sy + y0;
}

/* Scales the frame to a size of WIDTH x HEIGHT. */
static void
resize (GstContoursMapping *mapping, guint width, guint height)
{
  gboolean only_resized = mapping->xy == 0 && mapping->yx == 0 && mapping->x0 == 0 && mapping->y0 == 0
                          && mapping->xx == (gdouble) mapping->width / mapping->reference_width
                          && mapping->yy == (gdouble) mapping->height / mapping->reference_height;
  if (only_resized) {
    /* The factors come from the original size, so that scaling down and up again yields exactly the identity. */
    mapping->xx = (gdouble) width / mapping->reference_width;
    mapping->yy = (gdouble) height / mapping->reference_height;
  } else {
    scale_and_move (mapping, (gdouble) width / mapping->width, (gdouble) height / mapping->height, 0, 0);
  }
  mapping->width = width;
  mapping->height = height;
}

/* A scaler may add borders to keep the display aspect ratio, as videoscale does by default, and the scale
 * transformation does not say so. It is unambiguous if the aspect ratio needs no border; sizes are rounded to one
 * pixel. */
static gboolean
may_have_borders (const GstVideoInfo *in, const GstVideoInfo *out)
{
  gdouble in_par = (gdouble) GST_VIDEO_INFO_PAR_N (in) / GST_VIDEO_INFO_PAR_D (in);
  gdouble out_par = (gdouble) GST_VIDEO_INFO_PAR_N (out) / GST_VIDEO_INFO_PAR_D (out);
  gdouble aspect = in_par * GST_VIDEO_INFO_WIDTH (in) / GST_VIDEO_INFO_HEIGHT (in) / out_par;
  gdouble width = GST_VIDEO_INFO_HEIGHT (out) * aspect;
  gdouble height = GST_VIDEO_INFO_WIDTH (out) / aspect;
  return GST_VIDEO_INFO_WIDTH (out) - width > 1 || GST_VIDEO_INFO_HEIGHT (out) - height > 1;
}

#if GST_CHECK_VERSION(1, 28, 0)
static gboolean
is_signed_unit (gfloat value)
{
  return value == 1 || value == -1;
}

/* Applies the matrices that elements use: scaling and translation (videoconvertscale, videocrop, videobox), which refer
 * to pixel edges, and quarter turns and mirrors (videoflip), which refer to pixel indices. No other matrix says to
 * which it refers. */
static gboolean
apply_matrix (GstContoursMapping *mapping, const GstVideoMetaTransformMatrix *trans)
{
  const gfloat (*m)[3] = trans->matrix;
  const GstVideoRectangle *in = &trans->in_rectangle, *out = &trans->out_rectangle;
  guint width = GST_VIDEO_INFO_WIDTH (trans->out_info), height = GST_VIDEO_INFO_HEIGHT (trans->out_info);

  if (m[2][0] != 0 || m[2][1] != 0 || m[2][2] != 1)
    return FALSE;

  if (m[0][1] == 0 && m[1][0] == 0 && m[0][0] > 0 && m[1][1] > 0) {
    /* The matrix is in single precision. The ratio of the rectangles is exact, if the matrix comes from them. */
    gdouble sx = m[0][0] == (gfloat) out->w / (gfloat) in->w ? (gdouble) out->w / in->w : m[0][0];
    gdouble sy = m[1][1] == (gfloat) out->h / (gfloat) in->h ? (gdouble) out->h / in->h : m[1][1];
    gdouble x0 = out->x + m[0][2] - in->x * sx, y0 = out->y + m[1][2] - in->y * sy;
    if (x0 == 0 && y0 == 0 && sx == (gdouble) width / mapping->width && sy == (gdouble) height / mapping->height)
      resize (mapping, width, height);
    else
      scale_and_move (mapping, sx, sy, x0, y0);
  } else {
    gboolean mirrored = m[0][1] == 0 && m[1][0] == 0 && is_signed_unit (m[0][0]) && is_signed_unit (m[1][1]);
    gboolean turned = m[0][0] == 0 && m[1][1] == 0 && is_signed_unit (m[0][1]) && is_signed_unit (m[1][0]);
    if (!mirrored && !turned)
      return FALSE;
    /* Convert the corner of a pixel to its index, apply the matrix, and convert back. */
    gdouble x0 = mapping->x0 - 0.5 - in->x, y0 = mapping->y0 - 0.5 - in->y;
    GstContoursMapping old = *mapping;
    mapping->xx = m[0][0] * old.xx + m[0][1] * old.yx;
    mapping->xy = m[0][0] * old.xy + m[0][1] * old.yy;
    mapping->x0 = m[0][0] * x0 + m[0][1] * y0 + m[0][2] + out->x + 0.5;
    mapping->yx = m[1][0] * old.xx + m[1][1] * old.yx;
    mapping->yy = m[1][0] * old.xy + m[1][1] * old.yy;
    mapping->y0 = m[1][0] * x0 + m[1][1] * y0 + m[1][2] + out->y + 0.5;
  }
  mapping->width = width;
  mapping->height = height;
  return TRUE;
}
#endif

gboolean
gst_contours_mapping_transform (
    const GstContoursMapping *mapping, GQuark type, gpointer data, GstContoursMapping *transformed)
{
  *transformed = *mapping;

  if (GST_META_TRANSFORM_IS_COPY (type)) {
    const GstMetaTransformCopy *copy = data;
    return !copy->region;
  }

  if (GST_VIDEO_META_TRANSFORM_IS_SCALE (type)) {
    const GstVideoMetaTransform *trans = data;
    if (!is_frame_size (mapping, trans->in_info) || may_have_borders (trans->in_info, trans->out_info)) {
      GST_DEBUG ("The metadata of a %u x %u frame is dropped: scaling from %d x %d to %d x %d may have added borders",
          mapping->width, mapping->height, GST_VIDEO_INFO_WIDTH (trans->in_info),
          GST_VIDEO_INFO_HEIGHT (trans->in_info), GST_VIDEO_INFO_WIDTH (trans->out_info),
          GST_VIDEO_INFO_HEIGHT (trans->out_info));
      return FALSE;
    }
    resize (transformed, GST_VIDEO_INFO_WIDTH (trans->out_info), GST_VIDEO_INFO_HEIGHT (trans->out_info));
    return TRUE;
  }

#if GST_CHECK_VERSION(1, 28, 0)
  if (GST_VIDEO_META_TRANSFORM_IS_MATRIX (type)) {
    const GstVideoMetaTransformMatrix *trans = data;
    return is_frame_size (mapping, trans->in_info) && apply_matrix (transformed, trans);
  }
#endif

  return FALSE;
}
