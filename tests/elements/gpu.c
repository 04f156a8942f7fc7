/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the elements on a GPU: here how they share, follow and announce CUDA contexts. It is skipped
 * without a GPU, and runs once for each element (CTR_TEST_ELEMENT). */
#include "gpu.h"
#include "parts.h"

/* backend=auto chooses the GPU, and names it in an info message. */
GST_START_TEST (test_auto)
{
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("backend=auto");
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_PAUSED);
  message = pop_message (bus, GST_MESSAGE_INFO);
  fail_unless (message != NULL, "the choice was not told");
  gst_message_parse_info (message, &error, NULL);
  fail_unless (strstr (error->message, "CUDA device 0") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

/* The element uses the context that the application sets, also after a restart. */
GST_START_TEST (test_application_context)
{
  GstElement *element = new_subject ("backend=cuda");
  GstPad *pad = gst_element_get_static_pad (element, "src");
  GstContext *context = gst_context_new_cuda_context (test_cuda_context ());

  gst_element_set_context (element, context);
  for (guint i = 0; i < 3; i++) {
    gst_element_set_state (element, GST_STATE_PAUSED);
    fail_unless (context_of (pad) == test_cuda_context ());
    gst_element_set_state (element, GST_STATE_NULL);
  }
  gst_context_unref (context);
  gst_object_unref (pad);
  gst_object_unref (element);
}

GST_END_TEST;

/* Two elements in one pipeline share one context. */
GST_START_TEST (test_context_shared)
{
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=2 ! video/x-raw,format=NV12 ! %s name=a backend=cuda ! "
                                 "%s name=b backend=cuda ! fakesink",
      subject (), subject ());
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstCudaContext *contexts[2];

  fail_unless (gst_element_set_state (pipeline, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 2; i++) {
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), i ? "b" : "a");
    GstPad *pad = gst_element_get_static_pad (element, "src");

    contexts[i] = context_of (pad);
    gst_object_unref (pad);
    gst_object_unref (element);
  }
  fail_unless (contexts[0] == contexts[1]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

/* The element moves to the context of the frames, back and forth, with the same results. */
GST_START_TEST (test_context_followed)
{
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstCudaContext *contexts[2] = {test_cuda_context (), gst_cuda_context_new (0)};

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 6; i++) {
    TestFrame next = frame;
    GstBuffer *buffer;

    next.seed = i;
    fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&next, contexts[i / 2 % 2])), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    assert_default_result (buffer, &next);
    fail_unless (context_of (GST_BASE_TRANSFORM_SRC_PAD (element)) == contexts[i / 2 % 2]);
    fail_unless (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context == contexts[i / 2 % 2]);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
  gst_object_unref (element);
  gst_object_unref (contexts[1]);
}

GST_END_TEST;

static void
note_end (gpointer ended, GObject *context)
{
  *(gboolean *) ended = TRUE;
}

/* A result that may be on the GPU keeps its context alive, even after the element and the frame are freed. */
GST_START_TEST (test_context_kept)
{
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstCaps *caps = frame_caps (&frame);
  gboolean ended = FALSE;
  GstBuffer *buffer;

  gst_caps_set_features_simple (caps, NULL);
  gst_harness_set_src_caps (h, caps);
  fail_unless_equals_int (gst_harness_push (h, make_system_frame (&frame)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  g_object_weak_ref (G_OBJECT (context_of (GST_BASE_TRANSFORM_SRC_PAD (element))), note_end, &ended);
  gst_harness_teardown (h);
  gst_object_unref (element);
  fail_if (ended);
  assert_default_result (buffer, &frame);
  gst_buffer_unref (buffer);
  fail_unless (ended, "the context is kept for ever");
}

GST_END_TEST;

static Suite *
gpu_suite (void)
{
  Suite *s = suite_create ("gpu");
  TCase *tc = tcase_create ("general");

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_auto);
  tcase_add_test (tc, test_application_context);
  tcase_add_test (tc, test_context_shared);
  tcase_add_test (tc, test_context_followed);
  if (subject_follows_borders () || subject_has_levels () || subject_outlines_targets ())
    tcase_add_test (tc, test_context_kept);
  add_gpu_memory_tests (tc);
  add_gpu_failure_tests (tc);
  return s;
}

GST_CHECK_MAIN (gpu);
