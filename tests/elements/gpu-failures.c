/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check errors on a GPU: invalid and unexpected devices, errors of the core, and no free device memory. */
#include "gpu.h"
#include "parts.h"

#include <dlfcn.h>

GST_START_TEST (test_wrong_device)
{
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("backend=cuda cuda-device-id=99");
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_bus (element, bus);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (strstr (error->message, "99") && strstr (error->message, "cuda-device-id"), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);

  gst_element_set_state (element, GST_STATE_NULL);
  g_object_set (element, "cuda-device-id", 0, NULL);
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

/* Frames on another device than cuda-device-id yield one error. This test needs two devices. */
GST_START_TEST (test_other_device)
{
  GstCudaContext *context = gst_cuda_context_new (1);
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("backend=cuda cuda-device-id=0");
  GstBuffer *buffer;
  GstHarness *h;

  gst_element_set_bus (element, bus);
  h = gst_harness_new_with_element (element, "sink", "src");
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&frame, context)), GST_FLOW_ERROR);
  assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  /* Upstream may push another frame before it sees the error. */
  fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&frame, context)), GST_FLOW_ERROR);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (element);

  element = new_subject ("backend=cuda");
  h = gst_harness_new_with_element (element, "sink", "src");
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&frame, context)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  assert_default_result (buffer, &frame);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  gst_object_unref (element);
  gst_object_unref (context);
  gst_object_unref (bus);
}

GST_END_TEST;

/* A context that was set while cuda-device-id had another value is not used. This test needs two devices, too. */
GST_START_TEST (test_context_elsewhere)
{
  GstCudaContext *other = gst_cuda_context_new (1);
  GstContext *context = gst_context_new_cuda_context (other);
  GstElement *element = new_subject ("backend=cuda");
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (element);
  GstHarness *h;
  guint device_id;

  gst_element_set_context (element, context);
  fail_unless (context_of (pad) == other);
  g_object_set (element, "cuda-device-id", 0, NULL);
  h = gst_harness_new_with_element (element, "sink", "src");
  set_frame_caps (h, &frame);
  g_object_get (context_of (pad), "cuda-device-id", &device_id, NULL);
  fail_unless_equals_int (device_id, 0);
  gst_harness_teardown (h);
  gst_object_unref (element);
  gst_context_unref (context);
  gst_object_unref (other);
}

GST_END_TEST;

/* An error of the core, which only the simulated GPU raises on demand, yields one error message and no output, and a
 * restart works. */
GST_START_TEST (test_core_failures)
{
  static const struct {
    CtrStatus status;
    gint code;
  } cases[] = {{CTR_ERROR_OUT_OF_MEMORY, GST_RESOURCE_ERROR_NO_SPACE_LEFT}, {CTR_ERROR_CUDA, GST_RESOURCE_ERROR_FAILED},
      {CTR_ERROR_NO_CUDA, GST_RESOURCE_ERROR_NOT_FOUND}};
  void (*fake_cuda_fail) (CtrStatus) = dlsym (RTLD_DEFAULT, "fake_cuda_fail");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *bus = gst_bus_new ();
    GstElement *element = new_subject ("backend=cuda");
    GstHarness *h;

    gst_element_set_bus (element, bus);
    h = gst_harness_new_with_element (element, "sink", "src");
    set_frame_caps (h, &frame);
    check_default (h, &frame);
    fake_cuda_fail (cases[i].status);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
    fail_unless (gst_harness_try_pull (h) == NULL);
    assert_one_error (bus, GST_RESOURCE_ERROR, cases[i].code);
    restart (h, &frame);
    check_default (h, &frame);
    gst_element_set_bus (element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

/* Without free device memory for a new picture, at the start or later, the element posts one error. A restart works
 * once memory is free. */
GST_START_TEST (test_full)
{
  void (*fake_cuda_set_full) (bool) = dlsym (RTLD_DEFAULT, "fake_cuda_set_full");

  for (guint later = 0; later < 2; later++) {
    GstBus *bus = gst_bus_new ();
    GstElement *element = new_subject ("backend=cuda");
    GstBuffer *in = make_frame (&frame), *out[3] = {NULL}; /* all buffers of the pool */
    GstHarness *h;

    gst_element_set_bus (element, bus);
    h = gst_harness_new_with_element (element, "sink", "src");
    fake_cuda_set_full (!later);
    set_frame_caps (h, &frame);
    for (guint i = 0; later && i < G_N_ELEMENTS (out); i++) {
      fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (in)), GST_FLOW_OK);
      out[i] = gst_harness_pull (h);
    }
    fake_cuda_set_full (true);
    fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_ERROR);
    assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
    for (guint i = 0; i < G_N_ELEMENTS (out); i++)
      gst_clear_buffer (&out[i]);
    fake_cuda_set_full (false);
    restart (h, &frame);
    check_default (h, &frame);
    gst_element_set_bus (element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

/* Stopping frees everything on the GPU, which the simulated GPU counts. */
GST_START_TEST (test_nothing_left)
{
  int (*fake_cuda_count) (void) = dlsym (RTLD_DEFAULT, "fake_cuda_count");
  int before = fake_cuda_count ();
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  for (guint i = 0; i < 10; i++) {
    restart (h, &frame);
    check_default (h, &frame);
    fail_unless (fake_cuda_count () > before);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  fail_unless_equals_int (fake_cuda_count (), before);
  gst_harness_teardown (h);
  gst_object_unref (element);
}

GST_END_TEST;

void
add_gpu_failure_tests (TCase *tc)
{
  GstCudaContext *second;

  tcase_add_test (tc, test_wrong_device);
  gst_cuda_load_library ();
  second = gst_cuda_context_new (1);
  if (second) {
    tcase_add_test (tc, test_other_device);
    tcase_add_test (tc, test_context_elsewhere);
  }
  gst_clear_object (&second);
  if (dlsym (RTLD_DEFAULT, "fake_cuda_fail")) {
    tcase_add_test (tc, test_core_failures);
    tcase_add_test (tc, test_nothing_left);
    if (subject_renders ())
      tcase_add_test (tc, test_full);
  }
}
