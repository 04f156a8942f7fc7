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
  tcase_add_test (tc, test_live_properties_stress);
  tcase_add_test (tc, test_controlled);
}
