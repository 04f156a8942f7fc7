/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests what the base class promises of every element: here state changes, events, latency, QoS and flags.
 * It runs once for each element, backend and memory (CTR_TEST_ELEMENT, CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "filter.h"
#include "parts.h"

#include <dirent.h>

static guint
count_open_files (void)
{
  DIR *dir = opendir ("/proc/self/fd");
  guint count = 0;

  while (readdir (dir))
    count++;
  closedir (dir);
  return count;
}

/* Many state changes up to PLAYING and back leave no file open. */
GST_START_TEST (test_state_changes)
{
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=2 ! video/x-raw,format=NV12,width=64,height=48 ! "
                                 "%s backend=%s ! fakesink sync=false",
      subject_line (), test_backend ());
  GstElement *pipeline = gst_parse_launch (line, NULL);
  guint n_files = 0;

  for (guint i = 0; i < 200; i++) {
    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
    fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
    fail_unless_equals_int (
        gst_element_set_state (pipeline, i % 2 ? GST_STATE_NULL : GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
    if (i == 20)
      n_files = count_open_files ();
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless (count_open_files () <= n_files, "%u files open, %u after 20 rounds", count_open_files (), n_files);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

/* The element can stop in the middle of a stream, whatever its streaming thread is doing. */
GST_START_TEST (test_state_change_stress)
{
  gchar *line = g_strdup_printf ("videotestsrc ! video/x-raw,format=NV12,width=64,height=48 ! "
                                 "%s backend=%s ! fakesink sync=false",
      subject_line (), test_backend ());
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);

  for (guint i = 0; i < 100; i++) {
    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
    g_usleep (i % 10 * 400);
    fail_unless_equals_int (
        gst_element_set_state (pipeline, i % 2 ? GST_STATE_NULL : GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_if (pop_message (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING) != NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

/* A flush and a new segment leave no stale state: the same frame has the same result. */
GST_START_TEST (test_flush_and_eos)
{
  GstHarness *h = new_harness (subject_line ());
  TestFrame frame = small;
  GstSegment segment;

  set_frame_caps (h, &frame);
  check_default (h, &frame);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  frame.seed++;
  check_default (h, &frame);
  fail_unless (gst_harness_push_event (h, gst_event_new_gap (0, GST_SECOND)));
  frame.seed++;
  check_default (h, &frame);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The number of threads may change between two frames, and has no influence on the result. */
GST_START_TEST (test_threads)
{
  static const guint counts[] = {0, 3, 1, 2, G_MAXUINT};
  GstHarness *h = new_harness (subject_line ());
  TestFrame frame = small;
  guint n_threads;

  g_object_get (h->element, "n-threads", &n_threads, NULL);
  fail_unless_equals_int (n_threads, 1);
  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_object_set (h->element, "n-threads", counts[i], NULL);
    frame.seed++;
    check_default (h, &frame);
    g_object_get (h->element, "n-threads", &n_threads, NULL);
    fail_unless_equals_int (n_threads, counts[i]);
  }
  fail_unless_equals_int (ctr_threads_current (), 1);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_latency)
{
  GstHarness *h = new_harness (subject_line ());

  set_frame_caps (h, &small);
  gst_harness_set_live (h, TRUE);
  gst_harness_set_upstream_latency (h, 40 * GST_MSECOND);
  fail_unless_equals_uint64 (gst_harness_query_latency (h), 40 * GST_MSECOND);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* With qos=true, the element drops frames that would be late by the sink's report, without processing them, and posts a
 * QoS message for each. */
GST_START_TEST (test_qos)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (subject_line (), bus);
  GstMessage *message;
  guint64 processed, dropped;
  GstBuffer *buffer;

  g_object_set (h->element, "qos", TRUE, NULL);
  set_frame_caps (h, &small);
  for (guint i = 0; i < 10; i++) {
    buffer = make_frame (&small);
    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    if (i == 3)
      gst_harness_push_upstream_event (
          h, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, 100 * GST_MSECOND, 100 * GST_MSECOND));
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  /* The earliest time is 200 ms, so that frames 3, 4 and 5 are late. */
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 7);
  for (guint i = 0; i < 3; i++) {
    message = pop_message (bus, GST_MESSAGE_QOS);
    fail_unless (message != NULL);
    gst_message_parse_qos_stats (message, NULL, &processed, &dropped);
    fail_unless_equals_uint64 (processed, 3);
    fail_unless_equals_uint64 (dropped, i + 1);
    gst_message_unref (message);
  }
  fail_unless (pop_message (bus, GST_MESSAGE_QOS) == NULL);
  for (guint i = 0; i < 7; i++) {
    buffer = gst_harness_pull (h);
    assert_default_result (buffer, &small);
    fail_unless (GST_BUFFER_IS_DISCONT (buffer) == (i == 3), "frame %u", i);
    gst_buffer_unref (buffer);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* By default the element drops no frame, however late it is, because each is a measurement. */
GST_START_TEST (test_no_qos)
{
  GstHarness *h = new_harness (subject_line ());

  set_frame_caps (h, &small);
  for (guint i = 0; i < 5; i++) {
    GstBuffer *buffer = make_frame (&small);

    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    gst_harness_push_upstream_event (
        h, gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, GST_BUFFER_PTS (buffer)));
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 5);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* An empty buffer with the gap flag is passed on as it is; an empty buffer without the flag is an error. */
GST_START_TEST (test_gap_buffers)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (subject_line (), bus);
  TestFrame frame = small;

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *gap = gst_buffer_new (), *out;

    GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
    GST_BUFFER_PTS (gap) = i * GST_SECOND;
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (gap)), GST_FLOW_OK);
    out = gst_harness_pull (h);
    fail_unless (out == gap && gst_buffer_get_meta (out, GST_CONTOURS_COMPONENT_META_API_TYPE) == NULL
                 && gst_buffer_get_meta (out, GST_CONTOURS_CONTOUR_META_API_TYPE) == NULL);
    gst_buffer_unref (out);
    gst_buffer_unref (gap);
    frame.seed++;
    check_default (h, &frame);
  }
  fail_if (pop_message (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING) != NULL);
  /* A buffer with the gap flag and a picture is processed. */
  if (!subject_renders ()) {
    GstBuffer *silent = make_frame (&frame);

    GST_BUFFER_FLAG_SET (silent, GST_BUFFER_FLAG_GAP);
    fail_unless_equals_int (gst_harness_push (h, silent), GST_FLOW_OK);
    silent = gst_harness_pull (h);
    assert_default_result (silent, &frame);
    gst_buffer_unref (silent);
  }
  if (!subject_draws ()) {
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_ERROR);
    assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static GstContoursResultFlags
result_flags (GstBuffer *buffer)
{
  GstContoursContourMeta *contours = gst_buffer_get_contours_contour_meta (buffer);
  GstContoursComponentMeta *components = gst_buffer_get_contours_component_meta (buffer);

  fail_unless (contours || components);
  return contours ? gst_contours_contour_meta_get_flags (contours) : gst_contours_component_meta_get_flags (components);
}

/* Sends a frame with the buffer flags FLAGS, of which metadata and message must say EXPECTED. Returns the number of
 * warnings. */
static guint
check_flags (GstHarness *h, GstBus *bus, guint flags, GstContoursResultFlags expected)
{
  GstBuffer *buffer = make_frame (&small);
  gboolean corrupted, interlaced;
  GstMessage *message;
  guint warnings = 0;

  GST_BUFFER_FLAG_SET (buffer, flags);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  fail_unless (flags == 0 || GST_BUFFER_FLAG_IS_SET (buffer, flags));
  if (!subject_renders () && !subject_draws ()) {
    fail_unless_equals_int (result_flags (buffer), expected);
    while ((message = pop_message (bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING))
           && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      gst_message_unref (message);
      warnings++;
    }
    fail_unless (message
                 && gst_structure_get (gst_message_get_structure (message), "corrupted", G_TYPE_BOOLEAN, &corrupted,
                     "interlaced", G_TYPE_BOOLEAN, &interlaced, NULL));
    fail_unless_equals_int (corrupted, (expected & GST_CONTOURS_RESULT_FLAG_CORRUPTED) != 0);
    fail_unless_equals_int (interlaced, (expected & GST_CONTOURS_RESULT_FLAG_INTERLACED) != 0);
    gst_message_unref (message);
  }
  while ((message = pop_message (bus, GST_MESSAGE_WARNING))) {
    gst_message_unref (message);
    warnings++;
  }
  gst_buffer_unref (buffer);
  return warnings;
}

/* The result tells whether its frame was corrupted or interlaced. Interlaced frames, which the element analyses as one
 * picture, also yield one warning. */
GST_START_TEST (test_flags)
{
  static const struct {
    const gchar *mode;
    GstContoursResultFlags plain, marked;
  } cases[] = {
      {"progressive", 0, 0},
      {"interleaved", GST_CONTOURS_RESULT_FLAG_INTERLACED, GST_CONTOURS_RESULT_FLAG_INTERLACED},
      {"mixed", 0, GST_CONTOURS_RESULT_FLAG_INTERLACED},
  };
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (subject_line (), bus);

  if (!subject_renders () && !subject_draws ())
    g_object_set (h->element, "post-messages", TRUE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = frame_caps (&small);
    guint warnings;

    if (i > 0)
      gst_caps_set_simple (caps, "interlace-mode", G_TYPE_STRING, cases[i].mode, NULL);
    gst_harness_set_src_caps (h, caps);
    warnings = check_flags (h, bus, 0, cases[i].plain);
    warnings += check_flags (h, bus, GST_BUFFER_FLAG_CORRUPTED, cases[i].plain | GST_CONTOURS_RESULT_FLAG_CORRUPTED);
    if (i > 0)
      warnings += check_flags (h, bus, GST_VIDEO_BUFFER_FLAG_INTERLACED, cases[i].marked);
    warnings += check_flags (h, bus, 0, cases[i].plain);
    fail_unless_equals_int (warnings, i > 0 && !subject_draws ());
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
count_input (GstElement *identity, GstBuffer *buffer, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
}

static void
count_output (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
}

/* With a live source, a sink that is too slow for it and property changes, nothing blocks, and every frame is passed on
 * or reported as dropped. With qos=false, in the second round, no frame is dropped. */
GST_START_TEST (test_live_slow_sink)
{
  gchar *line = g_strdup_printf (
      "videotestsrc is-live=true num-buffers=30 ! video/x-raw,format=NV12,width=64,height=48,framerate=60/1 ! "
      "identity name=in signal-handoffs=true ! %s name=subject backend=%s qos=%d ! identity sleep-time=40000 ! "
      "fakesink name=out sync=true qos=true max-lateness=-1 signal-handoffs=true",
      subject_line (), test_backend (), __i__ == 0);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstElement *in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  GstElement *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "subject");
  GstBus *bus = gst_element_get_bus (pipeline);
  gint n_in = 0, n_out = 0, n_dropped = 0;
  gboolean ended = FALSE;

  g_signal_connect (in, "handoff", G_CALLBACK (count_input), &n_in);
  g_signal_connect (out, "handoff", G_CALLBACK (count_output), &n_out);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended) {
    GstMessage *message =
        gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_QOS);

    fail_unless (message != NULL, "the pipeline hangs");
    fail_unless (GST_MESSAGE_TYPE (message) != GST_MESSAGE_ERROR);
    ended = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS && GST_MESSAGE_SRC (message) == GST_OBJECT (element)) {
      n_dropped++;
      set_live_property (element, 10 * n_dropped);
    }
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless ((n_dropped > 0) == (__i__ == 0), "%d frames were dropped", n_dropped);
  fail_unless_equals_int (n_in, n_out + n_dropped);
  gst_object_unref (bus);
  gst_object_unref (in);
  gst_object_unref (out);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

static Suite *
filter_suite (void)
{
  Suite *s = suite_create ("filter");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  add_filter_negotiation_tests (tc);
  tcase_add_test (tc, test_state_changes);
  tcase_add_test (tc, test_state_change_stress);
  tcase_add_test (tc, test_flush_and_eos);
  tcase_add_test (tc, test_threads);
  tcase_add_test (tc, test_latency);
  tcase_add_test (tc, test_qos);
  tcase_add_test (tc, test_no_qos);
  tcase_add_test (tc, test_gap_buffers);
  tcase_add_test (tc, test_flags);
  tcase_add_loop_test (tc, test_live_slow_sink, 0, 2);
  return s;
}

GST_CHECK_MAIN (filter);
