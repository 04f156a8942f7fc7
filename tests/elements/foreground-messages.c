/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the messages of the elements that split frames into foreground and background. */
#include "foreground.h"
#include "parts.h"

static guint
count_of (GstBuffer *buffer)
{
  return subject_follows_borders ()
             ? gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer))
             : gst_contours_component_meta_get_count (gst_buffer_get_contours_component_meta (buffer));
}

/* The total in the element's message, which must equal total_of(). */
static guint64
total_in_message (GstMessage *message)
{
  guint64 total = 0;

  fail_unless (gst_structure_get_uint64 (
      gst_message_get_structure (message), subject_follows_borders () ? "points" : "total-area", &total));
  return total;
}

static guint64
total_of (GstBuffer *buffer)
{
  const CtrComponents *components;
  guint64 area = 0;

  if (subject_follows_borders ())
    return gst_contours_contour_meta_get_point_count (gst_buffer_get_contours_contour_meta (buffer));
  components = gst_contours_component_meta_peek_components (gst_buffer_get_contours_component_meta (buffer));
  for (guint i = 0; i < components->count; i++)
    area += components->table[i].area;
  return area;
}

GST_START_TEST (test_messages)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 16};
  guint64 timestamp, stream_time, running_time, duration;
  guint count, threshold;
  GstHarness *h = new_subject (&default_foreground);
  GstBus *bus = gst_bus_new ();
  GstBuffer *buffer;
  GstMessage *message;

  gst_element_set_bus (h->element, bus);
  set_frame_caps (h, &frame);

  gst_harness_push (h, make_frame (&frame));
  fail_unless (pop_message (bus, GST_MESSAGE_ELEMENT) == NULL, "posted without being asked");
  gst_buffer_unref (gst_harness_pull (h));

  gst_harness_set (h, subject (), "post-messages", TRUE, NULL);
  buffer = make_frame (&frame);
  GST_BUFFER_PTS (buffer) = 2 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  gst_harness_push (h, buffer);
  buffer = gst_harness_pull (h);
  message = pop_message (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL && gst_message_has_name (message, subject ()));
  fail_unless (gst_structure_get (gst_message_get_structure (message), "timestamp", G_TYPE_UINT64, &timestamp,
      "stream-time", G_TYPE_UINT64, &stream_time, "running-time", G_TYPE_UINT64, &running_time, "duration",
      G_TYPE_UINT64, &duration, "threshold", G_TYPE_UINT, &threshold, NULL));
  fail_unless_equals_uint64 (timestamp, 2 * GST_SECOND);
  fail_unless_equals_uint64 (stream_time, 2 * GST_SECOND);
  fail_unless_equals_uint64 (running_time, 2 * GST_SECOND);
  fail_unless_equals_uint64 (duration, 40 * GST_MSECOND);
  fail_unless_equals_int (threshold, 128);
  if (!subject_shows_foreground ()) {
    fail_unless (gst_structure_get_uint (gst_message_get_structure (message), "count", &count));
    fail_unless_equals_int (count, count_of (buffer));
    fail_unless_equals_uint64 (total_in_message (message), total_of (buffer));
  }
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ELEMENT) == NULL, "more than one message");

  gst_buffer_unref (buffer);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A segment in bytes, the default of appsrc, has neither stream time nor running time. */
GST_START_TEST (test_segment_in_bytes)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 17};
  guint64 stream_time, running_time;
  GstHarness *h = new_subject (&default_foreground);
  GstBus *bus = gst_bus_new ();
  GstSegment segment;
  GstMessage *message;

  gst_element_set_bus (h->element, bus);
  gst_harness_set (h, subject (), "post-messages", TRUE, NULL);
  set_frame_caps (h, &frame);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
  message = pop_message (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  fail_unless (gst_structure_get (gst_message_get_structure (message), "stream-time", G_TYPE_UINT64, &stream_time,
      "running-time", G_TYPE_UINT64, &running_time, NULL));
  fail_unless_equals_uint64 (stream_time, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (running_time, GST_CLOCK_TIME_NONE);
  gst_message_unref (message);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_foreground_message_tests (TCase *tc)
{
  tcase_add_test (tc, test_messages);
  tcase_add_test (tc, test_segment_in_bytes);
}
