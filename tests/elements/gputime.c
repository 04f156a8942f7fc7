/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the signal "gpu-time". It runs once for each element, backend and memory (CTR_TEST_ELEMENT,
 * CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "filter.h"

#include <dlfcn.h>

#define FRAMES 5

typedef struct {
  guint n;
  guint64 sum;
} Times;

static void
add_time (GstElement *element, guint64 nanoseconds, Times *times)
{
  times->n++;
  times->sum += nanoseconds;
}

/* Does the GPU work on the frames? The host draws on those in its memory. */
static gboolean
is_timed (void)
{
  return test_on_gpu () && (!subject_draws () || test_in_cuda_memory ());
}

/* Sends FRAMES frames through H. */
static void
pass_frames (GstHarness *h)
{
  TestFrame frame = small;

  set_frame_caps (h, &frame);
  for (guint i = 0; i < FRAMES; i++) {
    frame.seed++;
    check_default (h, &frame);
  }
}

/* On the GPU all frames have a time when the element has stopped, on the host none has. */
GST_START_TEST (test_signal)
{
  GstHarness *h = new_harness (subject_line ());
  GstElement *element = gst_object_ref (h->element);
  Times times = {0, 0};

  g_signal_connect (element, "gpu-time", G_CALLBACK (add_time), &times);
  pass_frames (h);
  if (is_timed ())
    fail_unless (times.n >= FRAMES - 2, "%u times of %d frames have come while they flow", times.n, FRAMES);
  gst_harness_teardown (h);
  fail_unless_equals_int (times.n, is_timed () ? FRAMES : 0);
  fail_unless ((times.sum > 0) == (times.n > 0) && times.sum < 60 * GST_SECOND);
  gst_object_unref (element);
}

GST_END_TEST;

/* Who disconnects gets no more times, and with nobody there the GPU takes no time stamps. */
GST_START_TEST (test_disconnected)
{
  int (*timed) (void) = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_timed");
  GstHarness *h = new_harness (subject_line ());
  Times times = {0, 0};
  guint n, n_timed = timed ? timed () : 0;
  gulong handler;

  pass_frames (h);
  fail_unless_equals_int (timed ? timed () : 0, n_timed);
  handler = g_signal_connect (h->element, "gpu-time", G_CALLBACK (add_time), &times);
  pass_frames (h);
  n_timed = timed ? timed () : 0;
  g_signal_handler_disconnect (h->element, handler);
  n = times.n;
  pass_frames (h);
  fail_unless_equals_int (timed ? timed () : 0, n_timed);
  gst_harness_teardown (h);
  fail_unless_equals_int (times.n, n);
}

GST_END_TEST;

/* A handler may disconnect itself, or ask the element for something. */
static void
take_one (GstElement *element, guint64 nanoseconds, Times *times)
{
  guint n_threads;

  add_time (element, nanoseconds, times);
  g_object_get (element, "n-threads", &n_threads, NULL);
  g_signal_handlers_disconnect_by_func (element, take_one, times);
}

GST_START_TEST (test_handler)
{
  GstHarness *h = new_harness (subject_line ());
  Times times = {0, 0};

  g_signal_connect (h->element, "gpu-time", G_CALLBACK (take_one), &times);
  pass_frames (h);
  gst_harness_teardown (h);
  fail_unless_equals_int (times.n, is_timed ());
}

GST_END_TEST;

static Suite *
gpu_time_suite (void)
{
  Suite *s = suite_create ("gpu-time");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_signal);
  tcase_add_test (tc, test_disconnected);
  tcase_add_test (tc, test_handler);
  return s;
}

GST_CHECK_MAIN (gpu_time);
