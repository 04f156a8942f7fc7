/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framemessage.h"

void
frame_message_post (GstBaseTransform *trans, GstBuffer *buffer, const gchar *name, const gchar *field, ...)
{
  const GstSegment *segment = &trans->segment;
  GstClockTime time = GST_BUFFER_PTS (buffer), stream_time = GST_CLOCK_TIME_NONE, running_time = GST_CLOCK_TIME_NONE;
  GstStructure *structure;
  va_list fields;

  /* Sources of raw bytes, an appsrc by default, have segments in bytes. */
  if (segment->format == GST_FORMAT_TIME) {
    stream_time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME, time);
    running_time = gst_segment_to_running_time (segment, GST_FORMAT_TIME, time);
  }
  structure = gst_structure_new (name, "timestamp", G_TYPE_UINT64, time, "stream-time", G_TYPE_UINT64, stream_time,
      "running-time", G_TYPE_UINT64, running_time, "duration", G_TYPE_UINT64, GST_BUFFER_DURATION (buffer), NULL);
  va_start (fields, field);
  gst_structure_set_valist (structure, field, fields);
  va_end (fields);
  gst_element_post_message (GST_ELEMENT_CAST (trans), gst_message_new_element (GST_OBJECT_CAST (trans), structure));
}
