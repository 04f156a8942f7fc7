/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the elements that split frames into foreground and background: the metadata is the core's result,
 * and the picture is unchanged, whatever the format, layout and size. It runs once for each element, backend and memory
 * (CTR_TEST_ELEMENT, CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "foreground.h"
#include "parts.h"

static GType
result_type (void)
{
  return subject_follows_borders () ? GST_CONTOURS_CONTOUR_META_API_TYPE : GST_CONTOURS_COMPONENT_META_API_TYPE;
}

static gboolean
has_result (GstBuffer *buffer, const gchar *source)
{
  return subject_follows_borders () ? gst_buffer_get_contours_contour_meta_by_source (buffer, source) != NULL
                                    : gst_buffer_get_contours_component_meta_by_source (buffer, source) != NULL;
}

/* Half of the range of the format's samples. */
static guint
middle (GstVideoFormat format)
{
  return samples_of (format) == CTR_FORMAT_GRAY16 ? 32768 : 128;
}

GST_START_TEST (test_formats_all)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    TestFrame frame = {test_formats[i].video, 326, 242, .seed = i};
    CtrForeground foreground = default_foreground;
    GstHarness *h;
    GstCaps *caps, *expected;

    if (!format_runs (&test_formats[i]))
      continue;
    foreground.threshold = middle (frame.format);
    h = new_subject (&foreground);
    set_frame_caps (h, &frame);
    check_frame (h, &frame, &foreground);

    caps = gst_pad_get_current_caps (h->sinkpad);
    expected = frame_caps (&frame);
    fail_unless (gst_caps_is_equal (caps, expected));
    gst_caps_unref (caps);
    gst_caps_unref (expected);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* The bytes in the frame's padding and before its first plane do not affect the result, and stay unchanged. */
GST_START_TEST (test_layouts)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRA};
  static const gint fills[] = {0x00, 0xff, -1};

  if (test_in_cuda_memory ())
    return; /* libgstcuda chooses the layout of CUDA memory */
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    CtrForeground foreground = default_foreground;
    TestFrame frame = {formats[i], 63, 33, .seed = 100 + i};
    GstHarness *h;

    foreground.threshold = middle (formats[i]);
    h = new_subject (&foreground);
    set_frame_caps (h, &frame);
    for (frame.padding = 0; frame.padding <= 64; frame.padding += frame.padding < 8 ? 2 : 14)
      for (frame.offset = 0; frame.offset <= 64; frame.offset += 32)
        for (guint f = 0; f < G_N_ELEMENTS (fills); f++) {
          frame.fill = fills[f];
          check_frame (h, &frame, &foreground);
        }
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static const gint odd_sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 3}, {1, 31}, {33, 1}, {1, 257}, {255, 1}, {1000, 1},
    {1, 1000}, {16383, 1}, {1, 16383}, {17, 9}, {127, 129}, {321, 243}};

/* In CUDA memory, the test leaves out the formats whose odd sizes libgstcuda 1.22 lays out wrongly. */
GST_START_TEST (test_sizes)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA};

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i] == GST_VIDEO_FORMAT_GRAY8 && test_in_cuda_memory ())
      continue;
    for (guint s = 0; s < G_N_ELEMENTS (odd_sizes); s++) {
      TestFrame frame = {formats[i], odd_sizes[s][0], odd_sizes[s][1], .seed = s};
      GstHarness *h = new_subject (&default_foreground);

      set_frame_caps (h, &frame);
      check_frame (h, &frame, &default_foreground);
      gst_harness_teardown (h);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_small_sizes_all)
{
  GstHarness *h = new_subject (&default_foreground);
  TestFrame frame = {.format = GST_VIDEO_FORMAT_RGBA};

  for (frame.width = 1; frame.width <= 17; frame.width++)
    for (frame.height = 1; frame.height <= 17; frame.height++) {
      set_frame_caps (h, &frame);
      check_frame (h, &frame, &default_foreground);
      frame.seed++;
    }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* After a change of size or format, an element gives the result of a new element. */
GST_START_TEST (test_renegotiation)
{
  static const TestFrame frames[] = {
      {GST_VIDEO_FORMAT_NV12, 640, 480, .seed = 1},
      {GST_VIDEO_FORMAT_RGBA, 1, 1, .seed = 2},
      {GST_VIDEO_FORMAT_NV12, 2048, 1088, .seed = 3},
      {GST_VIDEO_FORMAT_RGB, 33, 17, .seed = 4},
      {GST_VIDEO_FORMAT_P010_10LE, 640, 480, .seed = 5},
      {GST_VIDEO_FORMAT_Y444, 640, 480, .seed = 6},
      {GST_VIDEO_FORMAT_NV12, 638, 480, .seed = 7},
  };
  GstHarness *h = new_subject (&default_foreground);

  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      TestFrame frame = frames[i];

      set_frame_caps (h, &frame);
      for (guint n = 0; n < 3; n++) {
        frame.seed = frames[i].seed + 10 * n;
        check_frame (h, &frame, &default_foreground);
      }
    }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Timestamps, flags and other metadata are kept, and the pixels of a shared buffer are not copied. */
GST_START_TEST (test_buffer_kept)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 14};
  GstHarness *h = new_subject (&default_foreground);
  GstBuffer *in = make_frame (&frame), *out;

  set_frame_caps (h, &frame);
  GST_BUFFER_PTS (in) = 3 * GST_SECOND;
  GST_BUFFER_DURATION (in) = GST_SECOND;
  GST_BUFFER_OFFSET (in) = 75;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_MARKER);
  gst_buffer_add_video_region_of_interest_meta (in, "part", 1, 2, 3, 4);
  for (guint shared = 0; shared < 2; shared++) {
    GstMemory *memory = gst_buffer_peek_memory (in, 0);

    if (shared)
      gst_buffer_ref (in);
    gst_harness_push (h, shared ? in : gst_buffer_copy (in));
    out = gst_harness_pull (h);
    fail_unless (gst_buffer_peek_memory (out, 0) == memory);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 3 * GST_SECOND);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), GST_SECOND);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 75);
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
    fail_unless (gst_buffer_get_video_region_of_interest_meta_id (out, 0) != NULL);
    assert_result (out, NULL, &frame, &default_foreground);
    fail_unless_equals_int (gst_buffer_get_n_meta (in, result_type ()), 0);
    gst_buffer_unref (out);
  }
  gst_buffer_unref (in);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_two_in_series)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 15};
  CtrForeground low = {.threshold = 60}, high = {.threshold = 190};
  gchar *low_line = full_line (&low), *high_line = full_line (&high);
  gchar *line = g_strdup_printf (
      "%s name=low backend=%s ! %s name=high backend=%s", low_line, test_backend (), high_line, test_backend ());
  GstHarness *h = new_harness_of_line (line);
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  gst_harness_push (h, make_frame (&frame));
  buffer = gst_harness_pull (h);
  fail_unless_equals_int (gst_buffer_get_n_meta (buffer, result_type ()), 2);
  assert_result (buffer, "low", &frame, &low);
  assert_result (buffer, "high", &frame, &high);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (line);
  g_free (low_line);
  g_free (high_line);
}

GST_END_TEST;

static void
count_metas (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  gint *counts = user_data;

  counts[0]++;
  counts[1] += gst_buffer_get_n_meta (buffer, result_type ());
  counts[2] += has_result (buffer, g_object_get_data (G_OBJECT (sink), "source"));
}

/* Two branches of a tee share the picture, and each has its own result. */
GST_START_TEST (test_tee)
{
  static const gchar *names[] = {"left", "right"};
  gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=20 ! video/x-raw,format=NV12,width=160,height=120 ! tee name=t "
      "t. ! queue ! %s name=left backend=%s ! fakesink name=left-sink signal-handoffs=true async=false "
      "t. ! queue ! %s name=right backend=%s ! fakesink name=right-sink signal-handoffs=true async=false",
      subject (), test_backend (), subject (), test_backend ());
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  gint counts[2][3] = {{0}};
  GstMessage *message;

  for (guint i = 0; i < 2; i++) {
    gchar *name = g_strconcat (names[i], "-sink", NULL);
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), name);

    g_object_set_data (G_OBJECT (sink), "source", (gpointer) names[i]);
    g_signal_connect (sink, "handoff", G_CALLBACK (count_metas), counts[i]);
    gst_object_unref (sink);
    g_free (name);
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < 3; k++)
      fail_unless_equals_int (counts[i][k], 20);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

static Suite *
foreground_suite (void)
{
  Suite *s = suite_create ("foreground");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_formats_all);
  tcase_add_test (tc, test_layouts);
  tcase_add_test (tc, test_sizes);
  tcase_add_test (tc, test_small_sizes_all);
  tcase_add_test (tc, test_renegotiation);
  add_foreground_property_tests (tc);
  add_foreground_message_tests (tc);
  add_foreground_region_tests (tc);
  if (subject_shows_foreground ())
    return s;
  add_foreground_select_tests (tc);
  tcase_add_test (tc, test_buffer_kept);
  tcase_add_test (tc, test_two_in_series);
  tcase_add_test (tc, test_tee);
  return s;
}

GST_CHECK_MAIN (foreground);
