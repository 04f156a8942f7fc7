/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudacca, and through it the base class: the metadata is the core's result, the picture stays as it is, whatever the
 * format, layout and size. Runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "frames.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#define ALL_FEATURES (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS)

/* A launch line that sets what PARAMS say. */
static gchar *
launch_line (const CtrCcaParams *params)
{
  return g_strdup_printf ("cudacca threshold-mode=%s threshold=%u invert=%d connectivity=%d min-area=%u max-area=%u "
                          "features=%s%s labels=%d",
      params->foreground.mode == CTR_THRESHOLD_OTSU ? "otsu" : "fixed", params->foreground.threshold,
      params->foreground.invert, params->connectivity, params->min_area, params->max_area,
      params->features & CTR_FEATURE_GREY ? "grey" : "0", params->features & CTR_FEATURE_MOMENTS ? "+moments" : "",
      (params->features & CTR_FEATURE_LABELS) != 0);
}

static GstHarness *
new_cca (const CtrCcaParams *params)
{
  gchar *line = launch_line (params);
  GstHarness *h = new_harness (line);

  g_free (line);
  return h;
}

static CtrCcaParams
default_params (void)
{
  CtrCcaParams params;

  ctr_cca_params_init (&params);
  return params;
}

/* Half way between black and white in the units of the format's samples. */
static guint
middle (GstVideoFormat format)
{
  return samples_of (format) == CTR_FORMAT_GRAY16 ? 32768 : 128;
}

GST_START_TEST (test_formats_all)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    TestFrame frame = {test_formats[i].video, 326, 242, .seed = i};
    CtrCcaParams params = default_params ();
    GstHarness *h;
    GstCaps *caps, *expected;

    if (!format_runs (&test_formats[i]))
      continue;
    params.foreground.threshold = middle (frame.format);
    params.features = ALL_FEATURES;
    h = new_cca (&params);
    set_frame_caps (h, &frame);
    check_frame (h, &frame, &params);

    caps = gst_pad_get_current_caps (h->sinkpad);
    expected = frame_caps (&frame);
    fail_unless (gst_caps_is_equal (caps, expected));
    gst_caps_unref (caps);
    gst_caps_unref (expected);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* What padding and offset hold never matters, and stays. */
GST_START_TEST (test_layouts)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_NV12,
      GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRA};
  static const gint fills[] = {0x00, 0xff, -1};

  if (test_in_cuda_memory ())
    return; /* libgstcuda lays these out itself */
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    CtrCcaParams params = default_params ();
    TestFrame frame = {formats[i], 63, 33, .seed = 100 + i};
    GstHarness *h;

    params.foreground.threshold = middle (formats[i]);
    params.features = ALL_FEATURES;
    h = new_cca (&params);
    set_frame_caps (h, &frame);
    for (frame.padding = 0; frame.padding <= 64; frame.padding += frame.padding < 8 ? 2 : 14)
      for (frame.offset = 0; frame.offset <= 64; frame.offset += 32)
        for (guint f = 0; f < G_N_ELEMENTS (fills); f++) {
          frame.fill = fills[f];
          check_frame (h, &frame, &params);
        }
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static const gint odd_sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 3}, {1, 31}, {33, 1}, {1, 257}, {255, 1}, {1000, 1},
    {1, 1000}, {16383, 1}, {1, 16383}, {17, 9}, {127, 129}, {321, 243}};

/* In CUDA memory only formats whose odd sizes libgstcuda 1.22 lays out rightly. */
GST_START_TEST (test_sizes)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA};

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    if (formats[i] == GST_VIDEO_FORMAT_GRAY8 && test_in_cuda_memory ())
      continue;
    for (guint s = 0; s < G_N_ELEMENTS (odd_sizes); s++) {
      CtrCcaParams params = default_params ();
      TestFrame frame = {formats[i], odd_sizes[s][0], odd_sizes[s][1], .seed = s};
      GstHarness *h;

      params.features = ALL_FEATURES;
      h = new_cca (&params);
      set_frame_caps (h, &frame);
      check_frame (h, &frame, &params);
      gst_harness_teardown (h);
    }
  }
}

GST_END_TEST;

GST_START_TEST (test_small_sizes_all)
{
  CtrCcaParams params = default_params ();
  GstHarness *h;
  TestFrame frame = {.format = GST_VIDEO_FORMAT_RGBA};

  params.features = CTR_FEATURE_LABELS;
  h = new_cca (&params);
  for (frame.width = 1; frame.width <= 17; frame.width++)
    for (frame.height = 1; frame.height <= 17; frame.height++) {
      set_frame_caps (h, &frame);
      check_frame (h, &frame, &params);
      frame.seed++;
    }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* One element through changing sizes and formats gives what a fresh one gives. */
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
  CtrCcaParams params = default_params ();
  GstHarness *h;

  params.features = ALL_FEATURES;
  h = new_cca (&params);
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      TestFrame frame = frames[i];

      set_frame_caps (h, &frame);
      for (guint n = 0; n < 3; n++) {
        frame.seed = frames[i].seed + 10 * n;
        check_frame (h, &frame, &params);
      }
    }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A change counts from the next frame on, each property by itself. */
GST_START_TEST (test_live_properties)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  CtrCcaParams params = default_params ();
  GstHarness *h = new_cca (&params);
  GstElement *cca = gst_harness_find_element (h, "cudacca");

  set_frame_caps (h, &frame);
  check_frame (h, &frame, &params);

  params.foreground.threshold = 200;
  g_object_set (cca, "threshold", 200, NULL);
  check_frame (h, &frame, &params);

  params.foreground.invert = true;
  g_object_set (cca, "invert", TRUE, NULL);
  check_frame (h, &frame, &params);

  params.connectivity = CTR_CONNECTIVITY_4;
  gst_util_set_object_arg (G_OBJECT (cca), "connectivity", "4");
  check_frame (h, &frame, &params);

  params.min_area = 12;
  g_object_set (cca, "min-area", 12, NULL);
  check_frame (h, &frame, &params);

  params.max_area = 60;
  g_object_set (cca, "max-area", 60, NULL);
  check_frame (h, &frame, &params);

  params.foreground.mode = CTR_THRESHOLD_OTSU;
  gst_util_set_object_arg (G_OBJECT (cca), "threshold-mode", "otsu");
  check_frame (h, &frame, &params);

  params.features = CTR_FEATURE_MOMENTS;
  gst_util_set_object_arg (G_OBJECT (cca), "features", "moments");
  check_frame (h, &frame, &params);

  params.features = CTR_FEATURE_MOMENTS | CTR_FEATURE_LABELS;
  g_object_set (cca, "labels", TRUE, NULL);
  check_frame (h, &frame, &params);

  params.features = ALL_FEATURES;
  gst_util_set_object_arg (G_OBJECT (cca), "features", "grey+moments");
  check_frame (h, &frame, &params);

  params.features = 0;
  gst_util_set_object_arg (G_OBJECT (cca), "features", "0");
  g_object_set (cca, "labels", FALSE, NULL);
  check_frame (h, &frame, &params);

  gst_object_unref (cca);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Properties are changed from another thread all the time: each frame has one value or the other, wholly. */
GST_START_TEST (test_live_properties_stress)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  CtrCcaParams low = default_params (), high = low;
  GstHarness *h = new_cca (&low);
  CtrComponents *expected[2];
  GValue values[2] = {G_VALUE_INIT, G_VALUE_INIT};
  GstHarnessThread *threads[2];

  low.foreground.threshold = 60;
  high.foreground.threshold = 190;
  expected[0] = expected_components (&frame, &low);
  expected[1] = expected_components (&frame, &high);
  set_frame_caps (h, &frame);
  gst_harness_set (h, "cudacca", "threshold", 60, NULL);
  for (guint i = 0; i < 2; i++) {
    g_value_init (&values[i], G_TYPE_UINT);
    g_value_set_uint (&values[i], i ? 190 : 60);
    threads[i] = gst_harness_stress_property_start_full (h, "threshold", &values[i], 100);
  }
  for (guint n = 0; n < 500; n++) {
    const CtrComponents *components;
    GstBuffer *buffer;

    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    components = gst_component_meta_peek_components (gst_buffer_get_component_meta (buffer));
    assert_same_components (components, expected[components->threshold == 190], "under stress");
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < 2; i++) {
    gst_harness_stress_thread_stop (threads[i]);
    ctr_components_unref (expected[i]);
    g_value_unset (&values[i]);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Values outside the documented ranges cannot be set. */
GST_START_TEST (test_property_bounds)
{
  GstElement *cca = gst_element_factory_make ("cudacca", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (cca);
  static const struct {
    const gchar *name;
    guint64 maximum;
  } bounds[] = {{"threshold", 65535}, {"min-area", G_MAXUINT32}, {"max-area", G_MAXUINT32}};

  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++) {
    GParamSpecUInt *spec = G_PARAM_SPEC_UINT (g_object_class_find_property (klass, bounds[i].name));

    fail_unless_equals_int (spec->minimum, 0);
    fail_unless_equals_uint64 (spec->maximum, bounds[i].maximum);
  }
  fail_unless_equals_int (G_PARAM_SPEC_INT (g_object_class_find_property (klass, "cuda-device-id"))->minimum, -1);
  for (guint i = 0; i < 3; i++) {
    static const gchar *names[] = {"connectivity", "threshold-mode", "backend"};
    GParamSpec *spec = g_object_class_find_property (klass, names[i]);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, spec->value_type);
    g_value_set_enum (&value, 6);
    fail_unless (g_param_value_validate (spec, &value), "%s takes 6", names[i]);
    g_value_unset (&value);
  }
  gst_object_unref (cca);
}

GST_END_TEST;

/* Properties follow a controller, at each frame's time. */
GST_START_TEST (test_controlled)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 13};
  CtrCcaParams params = default_params ();
  GstHarness *h = new_cca (&params);
  GstElement *cca = gst_harness_find_element (h, "cudacca");
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_object_add_control_binding (
      GST_OBJECT (cca), gst_direct_control_binding_new_absolute (GST_OBJECT (cca), "threshold", source)));
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 0, 50);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 10 * GST_SECOND, 250);
  set_frame_caps (h, &frame);
  for (guint second = 0; second <= 10; second += 5) {
    GstBuffer *buffer = make_frame (&frame);

    GST_BUFFER_PTS (buffer) = second * GST_SECOND;
    params.foreground.threshold = 50 + 20 * second;
    gst_harness_push (h, buffer);
    buffer = gst_harness_pull (h);
    assert_frame_result (buffer, &frame, &params);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (source);
  gst_object_unref (cca);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Time stamps, flags and other metadata stay, and a shared buffer is not copied pixel by pixel. */
GST_START_TEST (test_buffer_kept)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 14};
  CtrCcaParams params = default_params ();
  GstHarness *h = new_cca (&params);
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
    assert_frame_result (out, &frame, &params);
    fail_unless (gst_buffer_get_component_meta (in) == NULL);
    gst_buffer_unref (out);
  }
  gst_buffer_unref (in);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_two_in_series)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 15};
  gchar *line =
      g_strdup_printf ("cudacca name=low threshold=60 backend=%s ! cudacca name=high threshold=190 backend=%s",
          test_backend (), test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
  CtrCcaParams params = default_params ();
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  gst_harness_push (h, make_frame (&frame));
  buffer = gst_harness_pull (h);
  fail_unless_equals_int (gst_buffer_get_n_meta (buffer, GST_COMPONENT_META_API_TYPE), 2);
  for (guint i = 0; i < 2; i++) {
    GstComponentMeta *meta = gst_buffer_get_component_meta_by_source (buffer, i ? "high" : "low");
    CtrComponents *expected;

    params.foreground.threshold = i ? 190 : 60;
    expected = expected_components (&frame, &params);
    fail_unless (meta != NULL);
    assert_same_components (gst_component_meta_peek_components (meta), expected, i ? "high" : "low");
    ctr_components_unref (expected);
  }
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

static void
count_metas (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  gint *counts = user_data;

  counts[0]++;
  counts[1] += gst_buffer_get_n_meta (buffer, GST_COMPONENT_META_API_TYPE);
  counts[2] += gst_buffer_get_component_meta_by_source (buffer, g_object_get_data (G_OBJECT (sink), "source")) != NULL;
}

/* Two branches of a tee share the picture and keep their results apart. */
GST_START_TEST (test_tee)
{
  static const gchar *names[] = {"left", "right"};
  gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=20 ! video/x-raw,format=NV12,width=160,height=120 ! tee name=t "
      "t. ! queue ! cudacca name=left backend=%s ! fakesink name=left-sink signal-handoffs=true async=false "
      "t. ! queue ! cudacca name=right backend=%s ! fakesink name=right-sink signal-handoffs=true async=false",
      test_backend (), test_backend ());
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

GST_START_TEST (test_messages)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 16};
  CtrCcaParams params = default_params ();
  CtrComponents *expected = expected_components (&frame, &params);
  guint64 area = 0, timestamp, stream_time, running_time, duration, total_area;
  guint count, threshold;
  GstHarness *h = new_cca (&params);
  GstBus *bus = gst_bus_new ();
  GstBuffer *buffer;
  GstMessage *message;

  for (guint i = 0; i < expected->count; i++)
    area += expected->table[i].area;
  gst_element_set_bus (h->element, bus);
  set_frame_caps (h, &frame);

  gst_harness_push (h, make_frame (&frame));
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL, "posted without being asked");

  gst_harness_set (h, "cudacca", "post-messages", TRUE, NULL);
  buffer = make_frame (&frame);
  GST_BUFFER_PTS (buffer) = 2 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  gst_harness_push (h, buffer);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL && gst_message_has_name (message, "cudacca"));
  fail_unless (gst_structure_get (gst_message_get_structure (message), "timestamp", G_TYPE_UINT64, &timestamp,
      "stream-time", G_TYPE_UINT64, &stream_time, "running-time", G_TYPE_UINT64, &running_time, "duration",
      G_TYPE_UINT64, &duration, "count", G_TYPE_UINT, &count, "threshold", G_TYPE_UINT, &threshold, "total-area",
      G_TYPE_UINT64, &total_area, NULL));
  fail_unless_equals_uint64 (timestamp, 2 * GST_SECOND);
  fail_unless_equals_uint64 (stream_time, 2 * GST_SECOND);
  fail_unless_equals_uint64 (running_time, 2 * GST_SECOND);
  fail_unless_equals_uint64 (duration, 40 * GST_MSECOND);
  fail_unless_equals_int (count, expected->count);
  fail_unless_equals_int (threshold, 128);
  fail_unless_equals_uint64 (total_area, area);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL, "more than one message");

  ctr_components_unref (expected);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A segment in bytes, which an appsrc has by default, tells neither stream time nor running time. */
GST_START_TEST (test_segment_in_bytes)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 17};
  guint64 stream_time, running_time;
  GstHarness *h = new_harness ("cudacca post-messages=true");
  GstBus *bus = gst_bus_new ();
  GstSegment segment;
  GstMessage *message;

  gst_element_set_bus (h->element, bus);
  set_frame_caps (h, &frame);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
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

static Suite *
cudacca_suite (void)
{
  Suite *s = suite_create ("cudacca");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_formats_all);
  tcase_add_test (tc, test_layouts);
  tcase_add_test (tc, test_sizes);
  tcase_add_test (tc, test_small_sizes_all);
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_live_properties_stress);
  tcase_add_test (tc, test_property_bounds);
  tcase_add_test (tc, test_controlled);
  tcase_add_test (tc, test_buffer_kept);
  tcase_add_test (tc, test_two_in_series);
  tcase_add_test (tc, test_tee);
  tcase_add_test (tc, test_messages);
  tcase_add_test (tc, test_segment_in_bytes);
  return s;
}

GST_CHECK_MAIN (cudacca);
