/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests a machine without a usable GPU; Meson hides the GPUs with CUDA_VISIBLE_DEVICES. All elements
 * register, backend=auto chooses the host and reports it, and backend=cuda fails with one error that gives the
 * reason. */
#include "subject.h"

static const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 31};

static GstElement *
new_subject (const gchar *backend, gint device_id, GstBus *bus)
{
  GstElement *element = gst_parse_launch (subject_line (), NULL);

  fail_unless (element != NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", backend);
  g_object_set (element, "cuda-device-id", device_id, NULL);
  gst_element_set_bus (element, bus);
  return element;
}

static void
assert_works (GstElement *element)
{
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  set_frame_caps (h, &frame);
  check_default (h, &frame);
  gst_harness_teardown (h);
}

GST_START_TEST (test_auto)
{
  static const gint device_ids[] = {-1, 0, 99};

  for (guint i = 0; i < G_N_ELEMENTS (device_ids); i++) {
    GstBus *bus = gst_bus_new ();
    GstElement *element = new_subject ("auto", device_ids[i], bus);
    GstMessage *message;
    GError *error = NULL;

    assert_works (element);
    message = pop_message (bus, GST_MESSAGE_INFO);
    fail_unless (message != NULL, "the choice was not told");
    gst_message_parse_info (message, &error, NULL);
    fail_unless (strstr (error->message, "CPU") != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
    fail_unless (pop_message (bus, GST_MESSAGE_INFO | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

GST_START_TEST (test_cpu_is_silent)
{
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("cpu", -1, bus);

  assert_works (element);
  fail_unless (pop_message (bus, GST_MESSAGE_INFO | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

GST_START_TEST (test_cuda)
{
  static const gint device_ids[] = {-1, 0, 99};

  for (guint i = 0; i < G_N_ELEMENTS (device_ids); i++) {
    GstBus *bus = gst_bus_new ();
    GstElement *element = new_subject ("cuda", device_ids[i], bus);

    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
    for (guint again = 0; again < 2; again++) {
      fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
      assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
    }
    /* The error names backend=cpu as the solution, which works. */
    gst_element_set_state (element, GST_STATE_READY);
    gst_util_set_object_arg (G_OBJECT (element), "backend", "cpu");
    assert_works (element);
    gst_element_set_bus (element, NULL);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

/* Without a GPU, the caps exclude CUDA memory once the backend is chosen. */
GST_START_TEST (test_cuda_caps)
{
  GstElement *element = new_subject ("auto", -1, NULL);
  GstCaps *cuda = gst_caps_from_string ("video/x-raw(memory:CUDAMemory),format=NV12");
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstCaps *caps = gst_pad_query_caps (pad, NULL);

#ifdef HAVE_GST_CUDA
  fail_unless (gst_caps_can_intersect (caps, cuda));
#else
  fail_if (gst_caps_can_intersect (caps, cuda));
#endif
  gst_caps_unref (caps);
  gst_element_set_state (element, GST_STATE_PAUSED);
  caps = gst_pad_query_caps (pad, NULL);
  fail_if (gst_caps_can_intersect (caps, cuda));
  gst_caps_unref (caps);
  gst_caps_unref (cuda);
  gst_object_unref (pad);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
no_gpu_suite (void)
{
  Suite *s = suite_create ("no-gpu");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_auto);
  tcase_add_test (tc, test_cpu_is_silent);
  tcase_add_test (tc, test_cuda);
  tcase_add_test (tc, test_cuda_caps);
  return s;
}

GST_CHECK_MAIN (no_gpu);
