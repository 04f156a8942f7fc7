/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourextract: its text is that of contourexport; frames pass; events, flows and errors of its pads. */
#include <gst/video/video.h>

#include "exporting.h"

typedef struct {
  GstElement *element;
  GstBus *bus;
  GstHarness *video;
  GstHarness *json; /* NULL: not linked */
} Extract;

static Extract
extract_new (gboolean linked)
{
  Extract e = {.element = gst_element_factory_make ("contourextract", NULL), .bus = gst_bus_new ()};
  fail_unless (e.element != NULL);
  gst_element_set_bus (e.element, e.bus);
  e.video = gst_harness_new_with_element (e.element, "sink", "src");
  sample_play_file (e.video);
  e.json = linked ? gst_harness_new_with_element (e.element, NULL, "json_src") : NULL;
  gst_harness_set_src_caps_str (e.video, SAMPLE_CAPS);
  return e;
}

static void
extract_free (Extract *e)
{
  if (e->json)
    gst_harness_teardown (e->json);
  gst_harness_teardown (e->video);
  gst_element_set_bus (e->element, NULL);
  gst_object_unref (e->bus);
  gst_object_unref (e->element);
}

enum { COMPONENTS = 1, CONTOURS = 2 };

/* A frame with the results that KINDS names. Each is the second one behind the one before, and has the time of a camera's
 * clock; those with contours are corrupted and interlaced. */
static GstBuffer *
frame_new (SampleGpu *gpu, guint kinds, GstClockTime pts)
{
  GstBuffer *frame = sample_buffer ();
  GstCaps *clock = gst_caps_new_empty_simple ("timestamp/x-unix");
  GST_BUFFER_PTS (frame) = pts;
  GST_BUFFER_DTS (frame) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (frame) = 40 * GST_MSECOND;
  GST_BUFFER_OFFSET (frame) = 2 * (pts / (40 * GST_MSECOND));
  GST_BUFFER_OFFSET_END (frame) = GST_BUFFER_OFFSET (frame) + 1;
  if (kinds & CONTOURS)
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED | GST_VIDEO_BUFFER_FLAG_INTERLACED);
  gst_buffer_add_reference_timestamp_meta (frame, clock, pts + GST_SECOND, GST_CLOCK_TIME_NONE);
  gst_caps_unref (clock);
  if (kinds & COMPONENTS)
    sample_attach (frame, SAMPLE_ALL, "parts");
  if (kinds & CONTOURS)
    sample_attach_contours (frame, gpu, CTR_CONTOUR_FEATURE_MOMENTS, CTR_COORDINATES_PIXELS, "borders");
  return frame;
}

#define FRAMES 6
static const guint frame_kinds[FRAMES] = {COMPONENTS, CONTOURS, 0, COMPONENTS | CONTOURS, CONTOURS, 0};

/* What contourexport writes of these frames; transfer full. */
static gchar *
exported (SampleGpu *gpu, gboolean codes)
{
  GstBus *bus;
  GstElement *element = make_in_folder ("frames.ndjson", NDJSON, &bus);
  g_object_set (element, "codes", codes, NULL);
  GstHarness *h = play (element);
  for (guint i = 0; i < FRAMES; i++)
    fail_unless_equals_int (gst_harness_push (h, frame_new (gpu, frame_kinds[i], i * 40 * GST_MSECOND)), GST_FLOW_OK);
  finish (h, element, bus);
  return read_file ("frames.ndjson");
}

static void
append_text (GString *all, GstBuffer *text)
{
  GstMapInfo map;
  fail_unless (gst_buffer_map (text, &map, GST_MAP_READ));
  fail_unless (map.size > 0 && map.data[map.size - 1] == '\n');
  g_string_append_len (all, (const gchar *) map.data, (gssize) map.size);
  gst_buffer_unmap (text, &map);
}

/* One buffer for each frame, with its times, and together the lines of contourexport. The frame is the one that came. */
GST_START_TEST (test_text)
{
  static const gchar *const of_clock_and_health[] = {
      "\"running_time\":80000000,\"utc\":\"1970-01-01T00:00:01.080000Z\"",
      "\"reference_timestamps\":[{\"clock\":\"timestamp/x-unix\",\"timestamp\":1080000000}]", "\"dropped\":1",
      "\"corrupted\":true", "\"interlaced\":true"};
  const gboolean codes = __i__;
  SampleGpu gpu[2];
  gchar *expected = exported (&gpu[0], codes);
  GString *all = g_string_new (NULL);
  Extract e = extract_new (TRUE);
  g_object_set (e.element, "codes", codes, NULL);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *frame = frame_new (&gpu[1], frame_kinds[i], i * 40 * GST_MSECOND);
    fail_unless_equals_int (gst_harness_push (e.video, gst_buffer_ref (frame)), GST_FLOW_OK);
    GstBuffer *passed = gst_harness_pull (e.video), *text = gst_harness_pull (e.json);
    fail_unless (passed == frame);
    assert_equals_uint64 (GST_BUFFER_PTS (text), i * 40 * GST_MSECOND);
    assert_equals_uint64 (GST_BUFFER_DURATION (text), 40 * GST_MSECOND);
    append_text (all, text);
    gst_buffer_unref (text);
    gst_buffer_unref (passed);
    gst_buffer_unref (frame);
  }
  fail_unless_equals_string (all->str, expected);
  for (guint i = 0; i < G_N_ELEMENTS (of_clock_and_health); i++)
    fail_unless (strstr (all->str, of_clock_and_health[i]), "%s", of_clock_and_health[i]);
  assert_no_message (e.bus);
  extract_free (&e);
  g_string_free (all, TRUE);
  g_free (expected);
}
GST_END_TEST;

/* Both streams begin, have caps and a segment, and end. Tags of the video do not concern the text. */
GST_START_TEST (test_events)
{
  Extract e = extract_new (TRUE);
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (NULL, 0, 0)), GST_FLOW_OK);
  fail_unless (
      gst_harness_push_event (e.video, gst_event_new_tag (gst_tag_list_new (GST_TAG_VIDEO_CODEC, "raw", NULL))));
  fail_unless (gst_harness_push_event (e.video, gst_event_new_gap (40 * GST_MSECOND, 40 * GST_MSECOND)));
  fail_unless (gst_harness_push_event (e.video, gst_event_new_eos ()));
  static const GstEventType expected[] = {
      GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_GAP, GST_EVENT_EOS};
  const gchar *ids[2] = {NULL};
  GstEvent *starts[2] = {NULL};
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstEvent *event = gst_harness_pull_event (e.json);
    fail_unless_equals_string (GST_EVENT_TYPE_NAME (event), gst_event_type_get_name (expected[i]));
    if (i == 0) {
      starts[0] = event;
      gst_event_parse_stream_start (event, &ids[0]);
      continue;
    }
    if (expected[i] == GST_EVENT_CAPS) {
      GstCaps *caps, *wanted = gst_caps_new_empty_simple ("application/x-json");
      gst_event_parse_caps (event, &caps);
      fail_unless (gst_caps_is_equal (caps, wanted));
      gst_caps_unref (wanted);
    }
    gst_event_unref (event);
  }
  starts[1] = gst_harness_pull_event (e.video);
  gst_event_parse_stream_start (starts[1], &ids[1]);
  fail_unless (g_strcmp0 (ids[0], ids[1]) != 0, "Both streams are called %s.", ids[0]);
  gst_event_unref (starts[0]);
  gst_event_unref (starts[1]);
  extract_free (&e);
}
GST_END_TEST;

/* Nothing is fetched for a pad that nobody reads; a reader that comes later gets what follows, numbered as the frames. */
GST_START_TEST (test_unlinked)
{
  SampleGpu gpu;
  Extract e = extract_new (FALSE);
  GstBuffer *frame = frame_new (&gpu, CONTOURS, 0);
  fail_unless_equals_int (gst_harness_push (e.video, frame), GST_FLOW_OK);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gpu.fetched[i], 0);
  gst_buffer_unref (gst_harness_pull (e.video));

  e.json = gst_harness_new_with_element (e.element, NULL, "json_src");
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (&gpu, CONTOURS, 40)), GST_FLOW_OK);
  GstBuffer *text = gst_harness_pull (e.json);
  GString *line = g_string_new (NULL);
  append_text (line, text);
  fail_unless (strstr (line->str, "\"frame\":1,"), "%s", line->str);
  g_string_free (line, TRUE);
  gst_buffer_unref (text);
  extract_free (&e);
}
GST_END_TEST;

/* After a flush, frames and text go on. */
GST_START_TEST (test_flush)
{
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.position = GST_SECOND;
  Extract e = extract_new (TRUE);
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (NULL, 0, 0)), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (e.video, gst_event_new_flush_start ()));
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (NULL, 0, 40)), GST_FLOW_FLUSHING);
  fail_unless (gst_harness_push_event (e.video, gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (e.video, gst_event_new_segment (&segment)));
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (NULL, 0, 3 * GST_SECOND)), GST_FLOW_OK);
  GstBuffer *text = NULL;
  for (guint i = 0; i < 2; i++) {
    gst_clear_buffer (&text);
    text = gst_harness_pull (e.json);
  }
  GString *line = g_string_new (NULL);
  append_text (line, text);
  fail_unless (strstr (line->str, "\"timestamp\":2000000000"), "%s", line->str);
  g_string_free (line, TRUE);
  gst_buffer_unref (text);
  extract_free (&e);
}
GST_END_TEST;

/* Contours that cannot be fetched end the stream with one error; the frame does not pass as if it were complete. */
GST_START_TEST (test_broken)
{
  SampleGpu gpu;
  Extract e = extract_new (TRUE);
  GstBuffer *frame = frame_new (&gpu, CONTOURS, 0);
  gpu.broken = TRUE;
  fail_unless_equals_int (gst_harness_push (e.video, frame), GST_FLOW_ERROR);
  fail_unless_equals_int (gst_harness_buffers_received (e.video), 0);
  fail_unless_equals_int (gst_harness_buffers_received (e.json), 0);
  assert_message (e.bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_READ, "");
  extract_free (&e);
}
GST_END_TEST;

/* A reader of text that has had enough does not end the video, and the other way round. */
GST_START_TEST (test_ends)
{
  Extract e = extract_new (TRUE);
  gst_pad_set_active (e.json->sinkpad, TRUE);
  GST_PAD_SET_FLUSHING (e.json->sinkpad);
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (NULL, 0, 0)), GST_FLOW_FLUSHING);
  GST_PAD_UNSET_FLUSHING (e.json->sinkpad);
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (NULL, 0, 40)), GST_FLOW_OK);

  /* EOS on one pad. */
  GstPad *pad = gst_element_get_static_pad (e.element, "json_src");
  gst_pad_push_event (pad, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_push (e.video, frame_new (NULL, 0, 80)), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (e.video), 2);
  gst_object_unref (pad);
  extract_free (&e);
}
GST_END_TEST;

/* A sink of frames that offers crop metas does not make upstream use them: an analysis would see other pixels. */
GST_START_TEST (test_allocation)
{
  Extract e = extract_new (TRUE);
  gst_harness_add_propose_allocation_meta (e.video, GST_VIDEO_CROP_META_API_TYPE, NULL);
  gst_harness_add_propose_allocation_meta (e.video, GST_VIDEO_META_API_TYPE, NULL);
  GstCaps *caps = gst_caps_from_string (SAMPLE_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  fail_unless (gst_pad_peer_query (e.video->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_if (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
  extract_free (&e);
}
GST_END_TEST;

/* Caps of frames pass in both directions, whatever the text is. */
GST_START_TEST (test_caps)
{
  Extract e = extract_new (TRUE);
  gst_harness_set_sink_caps_str (e.video, "video/x-raw,format=NV12,width=[1,64],height=48");
  GstCaps *caps = gst_pad_peer_query_caps (e.video->srcpad, NULL);
  GstCaps *wanted = gst_caps_from_string ("video/x-raw,format=NV12,width=[1,64],height=48");
  fail_unless (gst_caps_is_equal (caps, wanted), "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (caps);
  gst_caps_unref (wanted);
  caps = gst_pad_peer_query_caps (e.json->sinkpad, NULL);
  wanted = gst_caps_new_empty_simple ("application/x-json");
  fail_unless (gst_caps_is_equal (caps, wanted), "%" GST_PTR_FORMAT, caps);
  gst_caps_unref (caps);
  gst_caps_unref (wanted);
  extract_free (&e);
}
GST_END_TEST;

static Suite *
extract_suite (void)
{
  Suite *suite = suite_create ("contourextract");
  TCase *cases = tcase_create ("contourextract");
  tcase_add_checked_fixture (cases, make_folder, remove_folder);
  tcase_add_loop_test (cases, test_text, 0, 2);
  tcase_add_test (cases, test_events);
  tcase_add_test (cases, test_unlinked);
  tcase_add_test (cases, test_flush);
  tcase_add_test (cases, test_broken);
  tcase_add_test (cases, test_ends);
  tcase_add_test (cases, test_allocation);
  tcase_add_test (cases, test_caps);
  suite_add_tcase (suite, cases);
  return suite;
}

GST_CHECK_MAIN (extract);
