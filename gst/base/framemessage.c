/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/framemessage.h"

GstContoursResultFlags
frame_message_get_flags (GstBuffer *buffer, GstVideoInterlaceMode mode)
{
  GstContoursResultFlags flags = GST_CONTOURS_RESULT_FLAG_NONE;

  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    flags |= GST_CONTOURS_RESULT_FLAG_CORRUPTED;
  /* In mixed mode each buffer says whether it is interlaced. */
  if (mode == GST_VIDEO_INTERLACE_MODE_MIXED ? GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED)
                                             : mode != GST_VIDEO_INTERLACE_MODE_PROGRESSIVE)
    flags |= GST_CONTOURS_RESULT_FLAG_INTERLACED;
  return flags;
}

void
frame_message_post (GstContoursFilter *filter, GstBuffer *buffer, const gchar *name, const gchar *field, ...)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (filter)->segment;
  GstContoursResultFlags flags = gst_contours_filter_get_frame_flags (filter, buffer);
  GstClockTime time = GST_BUFFER_PTS (buffer), stream_time = GST_CLOCK_TIME_NONE, running_time = GST_CLOCK_TIME_NONE;
  GstStructure *structure;
  va_list fields;

  /* Sources of raw bytes, such as appsrc by default, have segments in bytes. */
  if (segment->format == GST_FORMAT_TIME) {
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time);
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, time);
  }
  structure = gst_structure_new (name, "timestamp", G_TYPE_UINT64, time, "stream-time", G_TYPE_UINT64, stream_time,
      "running-time", G_TYPE_UINT64, running_time, "duration", G_TYPE_UINT64, GST_BUFFER_DURATION (buffer), "corrupted",
      G_TYPE_BOOLEAN, (flags & GST_CONTOURS_RESULT_FLAG_CORRUPTED) != 0, "interlaced", G_TYPE_BOOLEAN,
      (flags & GST_CONTOURS_RESULT_FLAG_INTERLACED) != 0, NULL);
  va_start (fields, field);
  gst_structure_set_valist (structure, field, fields);
  va_end (fields);
  gst_element_post_message (GST_ELEMENT_CAST (filter), gst_message_new_element (GST_OBJECT_CAST (filter), structure));
}
