/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/colours.h"

#include <math.h>
#include <string.h>

/* Orange, sky blue, bluish green, yellow, vermillion, reddish purple, blue. */
static const guint ids[OVERLAY_COLOUR_ID_COUNT] = {
    0xe69f00, 0x56b4e9, 0x009e73, 0xf0e442, 0xd55e00, 0xcc79a7, 0x0072b2};

/* Viridis at 2/8 to 8/8; colours between are interpolated linearly. */
static const guint scale[] = {0x3b528b, 0x2c728e, 0x21908c, 0x27ad81, 0x5dc863, 0xaadc32, 0xfde725};

static guint
channel (guint rgb, guint index)
{
  return rgb >> (16 - 8 * index) & 255;
}

guint
overlay_colours_get_rgb (guint index, guint fixed)
{
  const guint last = OVERLAY_COLOUR_SCALE_COUNT - 1;
  guint at, stop, rest, rgb = 0;

  if (index < OVERLAY_COLOUR_IDS)
    return fixed & 0xffffff;
  if (index < OVERLAY_COLOUR_BLACK)
    return ids[index - OVERLAY_COLOUR_IDS];
  if (index < OVERLAY_COLOUR_SCALE)
    return index == OVERLAY_COLOUR_BLACK ? 0x000000 : 0xffffff;
  at = (index - OVERLAY_COLOUR_SCALE) * (G_N_ELEMENTS (scale) - 1);
  stop = MIN (at / last, G_N_ELEMENTS (scale) - 2);
  rest = at - stop * last;
  for (guint i = 0; i < 3; i++)
    rgb = rgb << 8 | (channel (scale[stop], i) * (last - rest) + channel (scale[stop + 1], i) * rest + last / 2) / last;
  return rgb;
}

/* The text colour on RGB: black or white, whichever has the higher contrast (relative luminance of WCAG 2). */
static guint
text_on (guint rgb)
{
  static const gdouble weights[3] = {0.2126, 0.7152, 0.0722};
  gdouble luminance = 0;

  for (guint i = 0; i < 3; i++) {
    gdouble c = channel (rgb, i) / 255.0;
    luminance += weights[i] * (c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4));
  }
  return (luminance + 0.05) * (luminance + 0.05) > 1.05 * 0.05 ? 0x000000 : 0xffffff;
}

guint8
overlay_colours_get_edge (guint8 index, guint fixed)
{
  return text_on (overlay_colours_get_rgb (index, fixed)) == 0 ? OVERLAY_COLOUR_BLACK : OVERLAY_COLOUR_WHITE;
}

/* Conversion from R, G, B in 0 .. 1 to the components of a video format. */
typedef struct {
  gboolean yuv;
  gdouble kr, kb;
  gint offset[4], scale[4];
  guint shift[4];
} Conversion;

static void
conversion_init (Conversion *c, const GstVideoInfo *info, guint bits)
{
  const GstVideoFormatInfo *format = info->finfo;
  GstVideoColorimetry colorimetry = info->colorimetry;

  c->yuv = GST_VIDEO_FORMAT_INFO_IS_YUV (format) || GST_VIDEO_FORMAT_INFO_IS_GRAY (format);
  if (!c->yuv || !gst_video_color_matrix_get_Kr_Kb (colorimetry.matrix, &c->kr, &c->kb)) {
    c->kr = 0.299;
    c->kb = 0.114;
  }
  gst_video_color_range_offsets (colorimetry.range, format, c->offset, c->scale);
  if (GST_VIDEO_FORMAT_INFO_IS_GRAY (format) && GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) > bits) {
    c->offset[0] >>= GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) - bits;
    c->scale[0] >>= GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) - bits;
  }
  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); i++)
    c->shift[i] = GST_VIDEO_FORMAT_INFO_SHIFT (format, i);
  /* GStreamer computes these from a depth of 0, with a negative shift. */
  for (guint i = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format); i < 4; i++)
    c->offset[i] = c->scale[i] = 0;
  if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA (format)) {
    c->offset[3] = 0;
    c->scale[3] = (1 << GST_VIDEO_FORMAT_INFO_DEPTH (format, 3)) - 1;
  }
}

static void
convert (const Conversion *c, guint rgb, guint16 *components)
{
  gdouble values[4] = {channel (rgb, 0) / 255.0, channel (rgb, 1) / 255.0, channel (rgb, 2) / 255.0, 1};

  if (c->yuv) {
    gdouble r = values[0], g = values[1], b = values[2];
    values[0] = c->kr * r + (1 - c->kr - c->kb) * g + c->kb * b;
    values[1] = (b - values[0]) / (2 * (1 - c->kb));
    values[2] = (r - values[0]) / (2 * (1 - c->kr));
  }
  for (guint i = 0; i < 4; i++) {
    gint maximum = c->offset[i] + c->scale[i];
    components[i] = (guint16) (CLAMP (lrint (c->offset[i] + c->scale[i] * values[i]), 0, maximum) << c->shift[i]);
  }
}

void
overlay_colours_fill (CtrPaintColour *colours, const GstVideoInfo *info, guint bits, guint fixed)
{
  Conversion conversion = {0};

  conversion_init (&conversion, info, bits);
  for (guint i = 0; i < CTR_PAINT_COLOURS; i++) {
    guint rgb = overlay_colours_get_rgb (i, fixed);
    convert (&conversion, rgb, colours[i].shape);
    convert (&conversion, text_on (rgb), colours[i].text);
  }
}

void
overlay_picture_init (CtrPaintPicture *picture, GstVideoFrame *frame, CtrMemory memory)
{
  const GstVideoFormatInfo *format = frame->info.finfo;
  const guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (format, 0), size = depth > 8 ? 2 : 1;

  *picture = (CtrPaintPicture){
      .plane_count = GST_VIDEO_FRAME_N_PLANES (frame),
      .width = GST_VIDEO_FRAME_WIDTH (frame),
      .height = GST_VIDEO_FRAME_HEIGHT (frame),
      .sample_size = size,
      .sample_mask = ((1u << depth) - 1) << GST_VIDEO_FORMAT_INFO_SHIFT (format, 0),
      .memory = memory,
  };
  for (guint p = 0; p < picture->plane_count; p++) {
    CtrPaintPlane *plane = &picture->planes[p];
    gint components[GST_VIDEO_MAX_COMPONENTS];

    gst_video_format_info_component (format, p, components);
    *plane = (CtrPaintPlane){
        .data = GST_VIDEO_FRAME_PLANE_DATA (frame, p),
        .stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, p),
        .samples = GST_VIDEO_FORMAT_INFO_PSTRIDE (format, components[0]) / size,
        .x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (format, components[0]),
        .y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (format, components[0]),
        .component = {-1, -1, -1, -1},
    };
    for (guint i = 0; i < GST_VIDEO_MAX_COMPONENTS && components[i] >= 0; i++) {
      /* GStreamer 1.22 has a wrong offset for V of P010 and P016. */
      guint at = size == 2 ? i : (guint) GST_VIDEO_FORMAT_INFO_POFFSET (format, components[i]);
      plane->component[at] = components[i];
    }
  }
}

gboolean
overlay_picture_set_background (CtrPaintPicture *picture, const GstVideoInfo *info, OverlayBackground background,
    const CtrPaintColour *colours, CtrError *error)
{
  const guint index = background == OVERLAY_BACKGROUND_WHITE ? OVERLAY_COLOUR_WHITE : OVERLAY_COLOUR_BLACK;

  if (background == OVERLAY_BACKGROUND_FRAME)
    return TRUE;
  if (background == OVERLAY_BACKGROUND_TRANSPARENT && !GST_VIDEO_INFO_HAS_ALPHA (info)) {
    error->status = CTR_ERROR_INVALID_ARGUMENT;
    g_snprintf (error->message, sizeof error->message,
        "background=transparent needs alpha, which %s frames do not have; put videoconvert ! video/x-raw,format=RGBA "
        "before this element",
        gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info)));
    return FALSE;
  }
  picture->background =
      background == OVERLAY_BACKGROUND_TRANSPARENT ? CTR_BACKGROUND_TRANSPARENT : CTR_BACKGROUND_COLOUR;
  memcpy (picture->background_colour, colours[index].shape, sizeof picture->background_colour);
  return TRUE;
}
