/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests change the properties of the elements that split frames into foreground and background during the
 * stream. */
#include "foreground.h"
#include "parts.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

static guint
threshold_of (GstBuffer *buffer)
{
  return subject_follows_borders ()
             ? gst_contours_contour_meta_get_threshold (gst_buffer_get_contours_contour_meta (buffer))
             : gst_contours_component_meta_get_threshold (gst_buffer_get_contours_component_meta (buffer));
}

/* Each property can change alone, and its change applies from the next frame on. */
GST_START_TEST (test_live_properties)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  CtrForeground foreground = default_foreground;
  GstHarness *h = new_subject (&foreground);
  GstElement *element = gst_harness_find_element (h, subject ());

  set_frame_caps (h, &frame);
  check_frame (h, &frame, &foreground);

  foreground.threshold = 200;
  g_object_set (element, "threshold", 200, NULL);
  check_frame (h, &frame, &foreground);

  foreground.invert = true;
  g_object_set (element, "invert", TRUE, NULL);
  check_frame (h, &frame, &foreground);

  foreground.mode = CTR_THRESHOLD_OTSU;
  gst_util_set_object_arg (G_OBJECT (element), "threshold-mode", "otsu");
  check_frame (h, &frame, &foreground);

  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A foreground of each kind, for formats of one kind. */
typedef struct {
  GstVideoFormat format;
  CtrForeground foreground;
} Step;

#define RANGE(channel, low, high) .ranges = 1u << (channel), .lower[channel] = low, .upper[channel] = high

/* Each differs from the one before in one or a few properties. */
static const Step steps[] = {
    {GST_VIDEO_FORMAT_NV12, {.threshold = 100}},
    {GST_VIDEO_FORMAT_NV12, {.threshold = 100, .upper_threshold = 180}},
    {GST_VIDEO_FORMAT_NV12, {.mode = CTR_THRESHOLD_HYSTERESIS, .threshold = 100, .upper_threshold = 180}},
    {GST_VIDEO_FORMAT_NV12, {.mode = CTR_THRESHOLD_TRIANGLE}},
    {GST_VIDEO_FORMAT_NV12, {.mode = CTR_THRESHOLD_TRIANGLE, .channel = CTR_CHANNEL_CB}},
    {GST_VIDEO_FORMAT_NV12, {.mode = CTR_THRESHOLD_OTSU, .channel = CTR_CHANNEL_CR}},
    {GST_VIDEO_FORMAT_NV12, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 9, .offset = -5}},
    {GST_VIDEO_FORMAT_NV12, {.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, .block_size = 15, .offset = 3, .invert = true}},
    {GST_VIDEO_FORMAT_NV12, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 9, .channel = CTR_CHANNEL_CR}},
    {GST_VIDEO_FORMAT_NV12, {RANGE (CTR_CHANNEL_CB, 20, 140)}},
    {GST_VIDEO_FORMAT_NV21, {RANGE (CTR_CHANNEL_CB, 20, 140)}},
    {GST_VIDEO_FORMAT_I420, {RANGE (CTR_CHANNEL_CR, 200, 100), .open_size = 3}},
    {GST_VIDEO_FORMAT_YV12, {.threshold = 90, .channel = CTR_CHANNEL_CR}},
    {GST_VIDEO_FORMAT_Y42B, {.threshold = 90, .channel = CTR_CHANNEL_CB, .close_size = 5, .shape = CTR_SHAPE_ELLIPSE}},
    {GST_VIDEO_FORMAT_Y444, {.threshold = 90, .channel = CTR_CHANNEL_CB, .fill_holes = true}},
    {GST_VIDEO_FORMAT_RGB, {.threshold = 90, .channel = CTR_CHANNEL_RED, .clear_border = true}},
    {GST_VIDEO_FORMAT_RGB, {.threshold = 90, .channel = CTR_CHANNEL_RED, .split_touching = 8}},
    {GST_VIDEO_FORMAT_RGB, {.threshold = 90, .channel = CTR_CHANNEL_RED, .split_touching = 9, .clear_border = true}},
    {GST_VIDEO_FORMAT_RGB, {.mode = CTR_THRESHOLD_OTSU, .channel = CTR_CHANNEL_SATURATION}},
    {GST_VIDEO_FORMAT_BGRA, {.mode = CTR_THRESHOLD_OTSU, .open_size = 2, .shape = CTR_SHAPE_CROSS}},
    {GST_VIDEO_FORMAT_BGRA, {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 11, .channel = CTR_CHANNEL_VALUE}},
    {GST_VIDEO_FORMAT_BGRA, {RANGE (CTR_CHANNEL_HUE, 100, 30), .invert = true}},
    {GST_VIDEO_FORMAT_P010_10LE, {.mode = CTR_THRESHOLD_TRIANGLE, .open_size = 3, .close_size = 3}},
    {GST_VIDEO_FORMAT_P010_10LE, {.mode = CTR_THRESHOLD_HYSTERESIS, .threshold = 20000, .upper_threshold = 50000}},
};

/* All properties of the foreground, with formats of all kinds, in new elements and in one that goes on. */
GST_START_TEST (test_foregrounds)
{
  GstHarness *h = new_subject (&default_foreground);
  GstElement *element = gst_harness_find_element (h, subject ());

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    TestFrame frame = {steps[i].format, 158, 122, .seed = 40 + i};
    GstHarness *other = new_subject (&default_foreground);
    GstElement *other_element = gst_harness_find_element (other, subject ());

    set_foreground (other_element, &steps[i].foreground);
    set_frame_caps (other, &frame);
    for (guint n = 0; n < 3; n++)
      check_frame (other, &frame, &steps[i].foreground);
    gst_object_unref (other_element);
    gst_harness_teardown (other);
    set_foreground (element, &steps[i].foreground);
    set_frame_caps (h, &frame);
    check_frame (h, &frame, &steps[i].foreground);
  }
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* What is set is what is read. */
GST_START_TEST (test_values)
{
  static const gdouble splits[][2] = {
      {0, 0}, {1e-9, 1. / 16}, {0.05, 1. / 16}, {2, 2}, {2.04, 2 + 1. / 16}, {1024, 1024}};
  GstElement *element = gst_element_factory_make (subject (), NULL);
  CtrForeground foreground = {.mode = CTR_THRESHOLD_HYSTERESIS,
      .threshold = 5,
      .upper_threshold = 7,
      .block_size = 255,
      .offset = -65535,
      .channel = CTR_CHANNEL_CR,
      RANGE (CTR_CHANNEL_HUE, 170, 10),
      .open_size = 63,
      .close_size = 62,
      .shape = CTR_SHAPE_ELLIPSE,
      .fill_holes = true,
      .split_touching = 41,
      .clear_border = true};
  gdouble split;
  gint mode, channel, shape, offset;
  guint upper, block, open, close;
  gboolean holes, border;
  gchar *range;

  set_foreground (element, &foreground);
  g_object_get (element, "threshold-mode", &mode, "upper-threshold", &upper, "block-size", &block, "offset", &offset,
      "channel", &channel, "color-range", &range, "open-size", &open, "close-size", &close, "shape", &shape,
      "fill-holes", &holes, "split-touching", &split, "clear-border", &border, NULL);
  fail_unless_equals_int (mode, foreground.mode);
  fail_unless_equals_int (upper, 7);
  fail_unless_equals_int (block, 255);
  fail_unless_equals_int (offset, -65535);
  fail_unless_equals_int (channel, CTR_CHANNEL_CR);
  fail_unless_equals_string (range, "hue=170-10");
  fail_unless_equals_int (open, 63);
  fail_unless_equals_int (close, 62);
  fail_unless_equals_int (shape, CTR_SHAPE_ELLIPSE);
  fail_unless (holes && border);
  fail_unless_equals_float (split, 41 / 16.);
  for (guint i = 0; i < G_N_ELEMENTS (splits); i++) {
    g_object_set (element, "split-touching", splits[i][0], NULL);
    g_object_get (element, "split-touching", &split, NULL);
    fail_unless_equals_float (split, splits[i][1]);
  }
  g_free (range);
  gst_object_unref (element);
}

GST_END_TEST;

/* A wrong value gives one warning, and the frames go on. */
GST_START_TEST (test_wrong_values)
{
  static const struct {
    const gchar *text, *problem;
  } wrong[] = {
      {"hue=1-256", "'hue=1-256' is no range"},
      {"hue=1-", "'hue=1-' is no range"},
      {"hue", "'hue' is no range"},
      {"hew=1-2", "'hew=1-2' names no channel"},
      {"red=1-2,red=3", "'red=3' is a second range"},
      {"red=1-2;green=3", "'red=1-2;green=3' is no range"},
  };
  TestFrame frame = {GST_VIDEO_FORMAT_RGB, 64, 48, .seed = 17};
  CtrForeground foreground = {RANGE (CTR_CHANNEL_RED, 10, 100)};
  GstHarness *h = new_subject (&default_foreground);
  GstBus *bus = gst_bus_new ();
  gchar *range;

  gst_element_set_bus (h->element, bus);
  set_foreground (h->element, &foreground);
  set_frame_caps (h, &frame);
  check_frame (h, &frame, &foreground);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_object_set (h->element, "color-range", wrong[i].text, NULL);
    check_frame (h, &frame, &foreground);
    assert_warning (bus, wrong[i].problem, "It stays \"red=10-100\"");
    g_object_get (h->element, "color-range", &range, NULL);
    fail_unless_equals_string (range, "red=10-100");
    g_free (range);
  }
  g_object_set (h->element, "block-size", 8, "color-range", NULL, "threshold-mode", CTR_THRESHOLD_ADAPTIVE_MEAN, NULL);
  foreground = (CtrForeground){.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 9};
  check_frame (h, &frame, &foreground);
  assert_warning (bus, "block-size=8 is even: 9 is used", "Set an odd number");
  /* An upper threshold that is not set yet is no error. */
  g_object_set (h->element, "threshold-mode", CTR_THRESHOLD_HYSTERESIS, "threshold", 150, "upper-threshold", 20, NULL);
  foreground = (CtrForeground){.threshold = 150};
  check_frame (h, &frame, &foreground);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A channel that the format lacks is one error. */
GST_START_TEST (test_missing_channel)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 18};
  GstHarness *h = new_subject (&default_foreground);
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  g_object_set (h->element, "channel", CTR_CHANNEL_RED, NULL);
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
  assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* While another thread keeps changing a property, each frame's result is that of one value. */
GST_START_TEST (test_live_properties_stress)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  CtrForeground foreground = default_foreground;
  GstHarness *h = new_subject (&foreground);
  GValue values[2] = {G_VALUE_INIT, G_VALUE_INIT};
  GstHarnessThread *threads[2];

  set_frame_caps (h, &frame);
  gst_harness_set (h, subject (), "threshold", 60, NULL);
  for (guint i = 0; i < 2; i++) {
    g_value_init (&values[i], G_TYPE_UINT);
    g_value_set_uint (&values[i], i ? 190 : 60);
    threads[i] = gst_harness_stress_property_start_full (h, "threshold", &values[i], 100);
  }
  for (guint n = 0; n < 500; n++) {
    GstBuffer *buffer;

    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    foreground.threshold = threshold_of (buffer) == 190 ? 190 : 60;
    assert_result (buffer, NULL, &frame, &foreground);
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < 2; i++) {
    gst_harness_stress_thread_stop (threads[i]);
    g_value_unset (&values[i]);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A controlled property has its value at each frame's time. */
GST_START_TEST (test_controlled)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 13};
  CtrForeground foreground = default_foreground;
  GstHarness *h = new_subject (&foreground);
  GstElement *element = gst_harness_find_element (h, subject ());
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_object_add_control_binding (
      GST_OBJECT (element), gst_direct_control_binding_new_absolute (GST_OBJECT (element), "threshold", source)));
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 0, 50);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 10 * GST_SECOND, 250);
  set_frame_caps (h, &frame);
  for (guint second = 0; second <= 10; second += 5) {
    GstBuffer *buffer = make_frame (&frame);

    GST_BUFFER_PTS (buffer) = second * GST_SECOND;
    foreground.threshold = 50 + 20 * second;
    gst_harness_push (h, buffer);
    buffer = gst_harness_pull (h);
    assert_result (buffer, NULL, &frame, &foreground);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (source);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_foreground_property_tests (TCase *tc)
{
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_foregrounds);
  tcase_add_test (tc, test_values);
  tcase_add_test (tc, test_wrong_values);
  tcase_add_test (tc, test_missing_channel);
  if (!subject_shows_foreground ())
    tcase_add_test (tc, test_live_properties_stress);
  tcase_add_test (tc, test_controlled);
}
