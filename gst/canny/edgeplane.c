/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/canny/edgeplane.h"

#include <string.h>

#define PIXEL_SIZE G_N_ELEMENTS (((CtrEdgePlane *) NULL)->edge) /* at most, in the formats of the caps */

/* Samples of more than 8 bits have two bytes, little endian in all formats of the caps. */
static void
put_sample (guint8 bytes[PIXEL_SIZE], guint at, guint sample, guint depth)
{
  g_return_if_fail (at + (depth > 8) < PIXEL_SIZE);
  bytes[at] = sample;
  if (depth > 8)
    bytes[at + 1] = sample >> 8;
}

void
edge_plane_describe (CtrEdgePlane *plane, const GstVideoFrame *out, const GstVideoFrame *source, guint index)
{
  const GstVideoFormatInfo *format = out->info.finfo;
  gint components[GST_VIDEO_MAX_COMPONENTS];

  gst_video_format_info_component (format, index, components);
  *plane = (CtrEdgePlane){
      .data = GST_VIDEO_FRAME_PLANE_DATA (out, index),
      .stride = GST_VIDEO_FRAME_PLANE_STRIDE (out, index),
      .source = source ? GST_VIDEO_FRAME_PLANE_DATA (source, index) : NULL,
      .source_stride = source ? GST_VIDEO_FRAME_PLANE_STRIDE (source, index) : 0,
      .pixel_size = GST_VIDEO_FORMAT_INFO_PSTRIDE (format, components[0]),
      .x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (format, components[0]),
      .y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (format, components[0]),
      .sample_size = GST_VIDEO_FORMAT_INFO_DEPTH (format, components[0]) > 8 ? 2 : 1,
  };
  /* Bytes that belong to no component are padding. */
  memset (plane->edge, 0xff, sizeof plane->edge);
  memset (plane->background, 0xff, sizeof plane->background);
  for (guint i = 0; i < GST_VIDEO_MAX_COMPONENTS && components[i] >= 0; i++) {
    const guint c = components[i], depth = GST_VIDEO_FORMAT_INFO_DEPTH (format, c);
    const guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (format, c);
    const guint full = ((1u << depth) - 1) << shift, middle = 1u << (depth - 1 + shift);

    if (GST_VIDEO_FORMAT_INFO_IS_YUV (format) && (c == GST_VIDEO_COMP_U || c == GST_VIDEO_COMP_V)) {
      /* U and V have the same value, so their order does not matter. GStreamer 1.22 has a wrong offset for V of P010
       * and P016. A pixel of packed YUV has one of them. */
      const guint at =
          index == 0 ? GST_VIDEO_FORMAT_INFO_POFFSET (format, c) % plane->pixel_size : i * (depth > 8 ? 2 : 1);
      put_sample (plane->edge, at, middle, depth);
      put_sample (plane->background, at, middle, depth);
    } else {
      const guint at = GST_VIDEO_FORMAT_INFO_POFFSET (format, c);
      put_sample (plane->edge, at, full, depth);
      put_sample (plane->background, at, c == GST_VIDEO_COMP_A ? full : 0, depth);
    }
  }
}
