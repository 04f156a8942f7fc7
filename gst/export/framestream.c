/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/framestream.h"

#include "gst/base/framemessage.h"

/* From 1900, when NTP's time begins, to 1970. */
#define NTP_SECONDS G_GUINT64_CONSTANT (2208988800)

void
export_stream_set_caps (ExportStream *stream, const GstCaps *caps)
{
  GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;

  gst_structure_get_int (structure, "width", &width);
  gst_structure_get_int (structure, "height", &height);
  const gchar *mode = gst_structure_get_string (structure, "interlace-mode");
  stream->width = (guint) width;
  stream->height = (guint) height;
  stream->interlace_mode = mode ? gst_video_interlace_mode_from_string (mode) : GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
}

void
export_stream_event (ExportStream *stream, const GstEvent *event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      stream->asked_upstream = FALSE;
      stream->numbered = FALSE;
      break;
    case GST_EVENT_SEGMENT:
    case GST_EVENT_FLUSH_STOP:
      stream->numbered = FALSE;
      break;
    default:
      break;
  }
}

/* A source that cannot answer yet is asked again for the next frame. */
static gboolean
is_live (ExportStream *stream, GstPad *pad)
{
  if (!stream->asked_upstream) {
    GstQuery *query = gst_query_new_latency ();
    stream->asked_upstream = gst_pad_peer_query (pad, query);
    stream->live = FALSE;
    if (stream->asked_upstream)
      gst_query_parse_latency (query, &stream->live, NULL, NULL);
    gst_query_unref (query);
  }
  return stream->live;
}

/* When the clock of the pipeline was at RUNNING_TIME, by the clock of the system: since 1970. */
static GstClockTime
from_running_time (GstPad *pad, GstClockTime running_time)
{
  GstElement *element = gst_pad_get_parent_element (pad);
  GstClock *clock = element ? gst_element_get_clock (element) : NULL;
  GstClockTime utc = GST_CLOCK_TIME_NONE;
  if (clock) {
    const GstClockTimeDiff ago =
        GST_CLOCK_DIFF (gst_element_get_base_time (element) + running_time, gst_clock_get_time (clock));
    utc = (GstClockTime) (g_get_real_time () * 1000 - ago);
    gst_object_unref (clock);
  }
  gst_clear_object (&element);
  return utc;
}

/* When BUFFER was captured by the clock of a camera or sender that tells the time of the world; GST_CLOCK_TIME_NONE if none
 * does. */
static GstClockTime
from_references (GstBuffer *buffer)
{
  gpointer iterator = NULL;
  for (GstMeta *meta;
       (meta = gst_buffer_iterate_meta_filtered (buffer, &iterator, GST_REFERENCE_TIMESTAMP_META_API_TYPE));) {
    const GstReferenceTimestampMeta *reference = (const GstReferenceTimestampMeta *) meta;
    const GstStructure *kind = gst_caps_get_structure (reference->reference, 0);
    if (gst_structure_has_name (kind, "timestamp/x-unix"))
      return reference->timestamp;
    if (gst_structure_has_name (kind, "timestamp/x-ntp") && reference->timestamp >= NTP_SECONDS * GST_SECOND)
      return reference->timestamp - NTP_SECONDS * GST_SECOND;
  }
  return GST_CLOCK_TIME_NONE;
}

/* Sources that count their frames give the next number as the end of a frame. Elsewhere offsets are bytes. */
static guint64
count_dropped (ExportStream *stream, GstBuffer *buffer)
{
  const guint64 number = GST_BUFFER_OFFSET (buffer), end = GST_BUFFER_OFFSET_END (buffer);
  guint64 dropped = 0;
  const gboolean was_numbered = stream->numbered;
  stream->numbered = number != GST_BUFFER_OFFSET_NONE && end == number + 1;
  if (stream->numbered) {
    if (was_numbered && number > stream->next_number)
      dropped = number - stream->next_number;
    stream->next_number = end;
  }
  return dropped;
}

ExportFrame
export_stream_describe (ExportStream *stream, GstPad *pad, guint64 index, GstBuffer *buffer, const GstSegment *segment)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);
  /* Sources of raw bytes, such as appsrc by default, have segments in bytes. */
  const gboolean timed = segment->format == GST_FORMAT_TIME;
  ExportFrame frame = {
      .index = index,
      .pts = pts,
      .stream_time = timed ? gst_segment_to_stream_time (segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE,
      .running_time = timed ? gst_segment_to_running_time (segment, GST_FORMAT_TIME, pts) : GST_CLOCK_TIME_NONE,
      .utc = from_references (buffer),
      .dropped = count_dropped (stream, buffer),
      .buffer = buffer,
      .width = stream->width,
      .height = stream->height,
      .flags = frame_message_get_flags (buffer, stream->interlace_mode),
  };
  if (!GST_CLOCK_TIME_IS_VALID (frame.utc) && GST_CLOCK_TIME_IS_VALID (frame.running_time) && is_live (stream, pad))
    frame.utc = from_running_time (pad, frame.running_time);
  return frame;
}
