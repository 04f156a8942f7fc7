/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers are for tests of strip-mode: strips of one picture, the web, and what ends it. They are static inline, so
 * that a test may leave some unused. */
#ifndef WEBS_H
#define WEBS_H

#include "frames.h"

enum { WIDTH = 160, HEIGHT = 40, STRIPS = 6 };

static inline TestFrame
strip (guint i)
{
  return (TestFrame){GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT, .seed = 100 + i};
}

/* Strips FIRST to before END as one picture; free PIXELS. */
static inline CtrImage
join_strips (guint first, guint end, guint8 **pixels)
{
  *pixels = g_malloc (WIDTH * HEIGHT * (end - first));
  for (guint i = first; i < end; i++) {
    const TestFrame frame = strip (i);
    guint8 *part;

    first_plane (&frame, &part);
    memcpy (*pixels + (i - first) * WIDTH * HEIGHT, part, WIDTH * HEIGHT);
    g_free (part);
  }
  return (CtrImage){*pixels, WIDTH, WIDTH, HEIGHT * (end - first), CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
}

/* Pulls the frame that ends a web: black, flagged as a gap. */
static inline GstBuffer *
pull_end (GstHarness *h)
{
  GstBuffer *buffer = gst_harness_pull (h);
  GstVideoInfo info;
  GstVideoFrame frame;

  fail_unless (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP));
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_NV12, WIDTH, HEIGHT);
  fail_unless (gst_video_frame_map (&frame, &info, buffer, GST_MAP_READ));
  for (guint plane = 0; plane < 2; plane++)
    for (guint y = 0; y < plane_rows (&info, plane); y++)
      for (guint x = 0; x < WIDTH; x++)
        fail_unless_equals_int (((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (
                                    &frame, plane))[y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane) + x],
            plane ? 128 : 0);
  gst_video_frame_unmap (&frame);
  return buffer;
}

/* Sends H caps that differ in the frame rate alone. */
static inline void
change_caps (GstHarness *h)
{
  const TestFrame frame = strip (0);
  GstCaps *caps = frame_caps (&frame);

  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  gst_harness_push_event (h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static inline void
flush (GstHarness *h)
{
  GstSegment segment;

  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

/* What messages have said so far. */
typedef struct {
  guint count, unfinished, warnings;
} Told;

/* Takes all messages from BUS. Those of a result must be of the strip that begins with ROW, and warnings must mention both
 * texts. */
static inline void
take_messages (Told *told, GstBus *bus, guint64 row, const gchar *limit, const gchar *what)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
      guint count, unfinished;
      guint64 first_row;

      fail_unless (gst_structure_get (gst_message_get_structure (message), "count", G_TYPE_UINT, &count, "unfinished",
          G_TYPE_UINT, &unfinished, "first-row", G_TYPE_UINT64, &first_row, NULL));
      fail_unless (first_row == row);
      told->count += count;
      told->unfinished += unfinished;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      GError *error = NULL;

      gst_message_parse_warning (message, &error, NULL);
      fail_unless (strstr (error->message, limit) && strstr (error->message, what), "%s", error->message);
      g_error_free (error);
      told->warnings++;
    }
    gst_message_unref (message);
  }
}

/* The element of LINE must refuse a strip with an error that MENTIONS this. */
static inline void
check_no_strip (const gchar *line, const gchar *mentions)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (line, bus);
  const TestFrame frame = strip (0);
  GstMessage *message;
  GError *error = NULL;

  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, mentions) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_harness_teardown (h);
  drop_bus (bus);
}

#endif
