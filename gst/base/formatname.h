/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of video formats for messages. Internal. */
#ifndef GST_CONTOURS_FORMAT_NAME_H
#define GST_CONTOURS_FORMAT_NAME_H

#include <gst/video/video.h>

/* A meta may have any number for a format. GStreamer's own function takes those that it knows, and from 1.26 on others are a
 * programming error. */
static inline const gchar *
gst_contours_format_name (GstVideoFormat format)
{
  GEnumClass *known = g_type_class_ref (GST_TYPE_VIDEO_FORMAT);
  const gboolean has_name = format != GST_VIDEO_FORMAT_UNKNOWN && g_enum_get_value (known, (gint) format);

  g_type_class_unref (known);
  return has_name ? gst_video_format_to_string (format) : "an unknown format";
}

#endif
