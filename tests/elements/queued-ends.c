/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check that a queued drawing of cudacontouroverlay ends even without a further frame to draw, and that
 * late errors are reported. */
#include "parts.h"
#include "queued.h"

typedef enum { STOP, END_OF_STREAM, FLUSH, DRAIN, NOTHING_TO_DRAW, LAST_WAY } Way;

/* Ends a queued drawing in the given WAY, which draws no further frame. */
static GstFlowReturn
end_drawing (GstHarness *h, Way way, const TestFrame *frame)
{
  GstFlowReturn ret;
  GstBuffer *buffer;
  GstQuery *query;

  switch (way) {
    case STOP:
      fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
      break;
    case END_OF_STREAM:
      fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
      break;
    case FLUSH:
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
      break;
    case DRAIN:
      query = gst_query_new_drain ();
      gst_pad_peer_query (h->srcpad, query);
      gst_query_unref (query);
      break;
    default:
      ret = gst_harness_push (h, make_frame (frame));
      buffer = gst_harness_try_pull (h);
      gst_clear_buffer (&buffer);
      return ret;
  }
  return GST_FLOW_OK;
}

/* The drawing ends whether the frame is kept or freed, and its memory is not freed before. */
GST_START_TEST (test_ends)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 4};

  for (Way way = STOP; way < LAST_WAY; way++)
    for (guint keep = 0; keep < 2; keep++) {
      int before = fake_cuda.count ? fake_cuda.count () : 0;
      GstBus *bus = gst_bus_new ();
      GstHarness *h = new_harness_with_bus ("cudacontouroverlay", bus);
      gboolean released;
      GstBuffer *buffer;

      set_frame_caps (h, &frame);
      buffer = pass (h, with_contours (make_frame (&frame), &frame, &released));
      if (keep)
        drop_contours (buffer);
      else
        gst_clear_buffer (&buffer);
      assert_queued (&released, !keep);
      fail_unless_equals_int (end_drawing (h, way, &frame), GST_FLOW_OK);
      fail_unless (released, "way %d, frame kept: %u", way, keep);
      if (fake_cuda.queued)
        fail_unless_equals_int (fake_cuda.queued (), 0);
      if (keep)
        assert_drawn (buffer, "cudacontouroverlay", &frame);
      gst_clear_buffer (&buffer);
      fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
      gst_element_set_bus (h->element, NULL);
      gst_harness_teardown (h);
      gst_object_unref (bus);
      if (fake_cuda.count)
        fail_unless_equals_int (fake_cuda.count (), before);
    }
}

GST_END_TEST;

/* A drawing that fails late yields one error message, keeps nothing, and a restart works. */
GST_START_TEST (test_late_failures)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 8};

  for (Way way = goes_on_undrawn () ? STOP : LAST_WAY; way <= LAST_WAY; way++) {
    GstBus *bus = gst_bus_new ();
    GstHarness *h = new_harness_with_bus ("cudacontouroverlay", bus);
    gboolean released[2] = {FALSE, TRUE};

    set_frame_caps (h, &frame);
    gst_buffer_unref (pass (h, with_contours (make_frame (&frame), &frame, &released[0])));
    fake_cuda.fail_later (CTR_ERROR_CUDA);
    fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
    if (way == LAST_WAY) {
      fail_unless_equals_int (
          gst_harness_push (h, with_contours (make_frame (&frame), &frame, &released[1])), GST_FLOW_ERROR);
      fail_unless (gst_harness_try_pull (h) == NULL);
    } else {
      fail_unless_equals_int (end_drawing (h, way, &frame), way == NOTHING_TO_DRAW ? GST_FLOW_ERROR : GST_FLOW_OK);
    }
    fail_unless (released[0] && released[1]);
    assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
    restart (h, &frame);
    gst_buffer_unref (pass (h, with_contours (make_frame (&frame), &frame, &released[0])));
    gst_element_set_state (h->element, GST_STATE_NULL);
    fail_unless (released[0]);
    fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
    gst_element_set_bus (h->element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

/* A late failure is also reported when the element moves to the context of other frames: with one error, and no
 * picture. */
GST_START_TEST (test_late_failure_on_move)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 9};
  GstCudaContext *other = gst_cuda_context_new (0);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacontouroverlay", bus);
  gboolean released[3];

  set_frame_caps (h, &frame);
  gst_buffer_unref (pass (h, with_contours (make_frame (&frame), &frame, &released[0])));
  assert_queued (&released[0], TRUE);
  gst_buffer_unref (pass (h, with_contours (make_cuda_frame (&frame, other), &frame, &released[1])));
  assert_queued (&released[1], TRUE);
  fail_unless (released[0]);
  fake_cuda.fail_later (CTR_ERROR_CUDA);
  fail_unless_equals_int (
      gst_harness_push (h, with_contours (make_frame (&frame), &frame, &released[2])), GST_FLOW_ERROR);
  fail_unless (released[1] && released[2]);
  assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
  gst_object_unref (other);
}

GST_END_TEST;

void
add_queued_end_tests (TCase *tc)
{
  tcase_add_test (tc, test_ends);
  if (fake_cuda.fail_later) {
    tcase_add_test (tc, test_late_failures);
    tcase_add_test (tc, test_late_failure_on_move);
  }
}
