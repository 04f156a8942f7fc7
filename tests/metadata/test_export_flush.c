/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: flushes, seeks and stops while it waits for a reader or writes much text. */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "core/results/contourlist.h"
#include "exporting.h"

/* Frames whose text is longer than what a pipe holds. */
static GstHarness *
play_large (GstElement *element)
{
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  sample_play_file (h);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=128,height=128,framerate=25/1");
  return h;
}

static GstFlowReturn
push_large (GstHarness *h, guint number)
{
  GstBuffer *buffer = sample_dots (128, 128);
  GST_BUFFER_PTS (buffer) = number * 40;
  return gst_harness_push (h, buffer);
}

/* Text of COUNT large frames, written without a flush; transfer full. */
static gchar *
export_large (guint format, guint count)
{
  GstBus *bus;
  gchar *path = in_folder ("frame.out"), *text; /* LabelMe calls a descriptor's picture frame.png */
  GstElement *element = make_for (path, format, &bus);
  GstHarness *h = play_large (element);
  for (guint i = 0; i < count; i++)
    fail_unless_equals_int (push_large (h, i), GST_FLOW_OK);
  finish (h, element, bus);
  text = read_text (path);
  g_unlink (path);
  g_free (path);
  return text;
}

/* What is done in a thread of its own, since it waits for a reader: pushing a frame, or the end of the stream. */
typedef struct {
  GstHarness *h;
  gint number; /* -1: the end */
  GstFlowReturn ret;
  GThread *thread;
} Pusher;

static gpointer
push_in_thread (gpointer data)
{
  Pusher *pusher = data;
  if (pusher->number >= 0)
    pusher->ret = push_large (pusher->h, (guint) pusher->number);
  else
    gst_harness_push_event (pusher->h, gst_event_new_eos ());
  return NULL;
}

static void
start_pushing (Pusher *pusher, GstHarness *h, gint number)
{
  *pusher = (Pusher){.h = h, .number = number, .ret = GST_FLOW_FLUSHING};
  pusher->thread = g_thread_new ("pusher", push_in_thread, pusher);
}

/* Until there is no room in the pipe. */
static void
wait_until_full (gint fd)
{
  struct pollfd room = {.fd = fd, .events = POLLOUT};
  for (guint i = 0; i < 1000 && poll (&room, 1, 0) > 0; i++)
    g_usleep (10000);
  fail_unless_equals_int (poll (&room, 1, 0), 0);
}

/* Flushes while PUSHER waits. */
static void
flush_pushing (Pusher *pusher)
{
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  g_usleep (50000);
  gint64 start = g_get_monotonic_time ();
  fail_unless (gst_harness_push_event (pusher->h, gst_event_new_flush_start ()));
  g_thread_join (pusher->thread);
  assert_quick (start);
  fail_unless_equals_int (pusher->ret, GST_FLOW_FLUSHING);
  fail_unless (gst_harness_push_event (pusher->h, gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (pusher->h, gst_event_new_segment (&segment)));
}

static gpointer
read_all (gpointer data)
{
  GString *text = g_string_new (NULL);
  gchar block[4096];
  gssize size;
  while ((size = read (GPOINTER_TO_INT (data), block, sizeof block)) > 0)
    g_string_append_len (text, block, size);
  return text;
}

static GThread *
start_reading (const gint ends[2])
{
  return g_thread_new ("reader", read_all, GINT_TO_POINTER (ends[0]));
}

/* Closes the pipe and compares what came out, less its first SKIP bytes. */
static void
assert_read (GThread *reader, const gint ends[2], gsize skip, const gchar *expected)
{
  close (ends[1]);
  GString *got = g_thread_join (reader);
  close (ends[0]);
  fail_unless (got->len == skip + strlen (expected) && strcmp (got->str + skip, expected) == 0);
  g_string_free (got, TRUE);
}

/* A flush wakes the writer that waits for a reader. What is half written is written to its end when the stream goes on
 * or ends, also where another flush comes before that: the text is the same as without. A frame that had not begun is
 * not in it. */
GST_START_TEST (flush)
{
  GstBus *bus;
  gint ends[2];
  Pusher pusher;
  const guint format = __i__;
  const gboolean many = format == NDJSON || format == CSV || format == COCO;
  gchar *expected = export_large (format, many ? 3 : 1);
  fail_unless (strlen (expected) > 200000);
  GstElement *element = make_for_pipe (format, &bus, ends);
  GstHarness *h = play_large (element);
  start_pushing (&pusher, h, 0);
  wait_until_full (ends[1]);
  flush_pushing (&pusher);
  start_pushing (&pusher, h, 1000);
  flush_pushing (&pusher);

  GThread *reader = start_reading (ends);
  for (guint i = 1; many && i < 3; i++)
    fail_unless_equals_int (push_large (h, i), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  assert_no_message (bus);
  finish (h, element, bus);
  assert_read (reader, ends, 0, expected);
  g_free (expected);
}
GST_END_TEST;

/* Before the head of a CSV: it comes all the same, and once. */
GST_START_TEST (flush_before_the_head)
{
  GstBus *bus;
  gint ends[2];
  Pusher pusher;
  gchar *expected = export_large (CSV, 2), zeros[4096] = {0};
  gsize filled = 0;
  GstElement *element = make_for_pipe (CSV, &bus, ends);
  fail_unless (fcntl (ends[1], F_SETFL, O_NONBLOCK) == 0);
  while (write (ends[1], zeros, sizeof zeros) > 0)
    filled += sizeof zeros;
  GstHarness *h = play_large (element);
  start_pushing (&pusher, h, 0);
  flush_pushing (&pusher);

  GThread *reader = start_reading (ends);
  fail_unless_equals_int (push_large (h, 1), GST_FLOW_OK);
  finish (h, element, bus);
  assert_read (reader, ends, filled, expected);
  g_free (expected);
}
GST_END_TEST;

/* At the end of a document, which is written at the next end. */
GST_START_TEST (flush_at_the_end)
{
  GstBus *bus;
  gint ends[2];
  Pusher pusher;
  gchar *path = in_folder ("expected"), *expected;
  for (gint piped = 0; piped < 2; piped++) {
    GstElement *element = piped ? make_for_pipe (COCO, &bus, ends) : make_for (path, COCO, &bus);
    GstHarness *h = play (element);
    for (guint i = 0; i < 1000; i++) /* their images alone fill a pipe */
      fail_unless_equals_int (gst_harness_push (h, sample_buffer ()), GST_FLOW_OK);
    if (!piped) {
      finish (h, element, bus);
      continue;
    }
    start_pushing (&pusher, h, -1);
    wait_until_full (ends[1]);
    flush_pushing (&pusher);
    GThread *reader = start_reading (ends);
    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    assert_no_message (bus);
    finish (h, element, bus);
    expected = read_text (path);
    assert_read (reader, ends, 0, expected);
    g_free (expected);
  }
  g_free (path);
}
GST_END_TEST;

/* Stopping in the middle of a frame does not wait for the reader, but what it has room for is written. */
GST_START_TEST (stop_after_a_flush)
{
  GstBus *bus;
  gint ends[2];
  Pusher pusher;
  gchar *expected = export_large (NDJSON, 1);
  GString *got = g_string_new (NULL);
  gchar block[4096];
  GstElement *element = make_for_pipe (NDJSON, &bus, ends);
  GstHarness *h = play_large (element);
  start_pushing (&pusher, h, 0);
  wait_until_full (ends[1]);
  flush_pushing (&pusher);
  gsize held = 0, n = 0;
  for (; held < 8192; held += n) {
    n = (gsize) read (ends[0], block, sizeof block);
    g_string_append_len (got, block, (gssize) n);
  }
  gint64 start = g_get_monotonic_time ();
  assert_no_message (bus);
  finish (h, element, bus);
  assert_quick (start);
  wait_until_full (ends[1]);
  close (ends[1]);
  while ((n = (gsize) read (ends[0], block, sizeof block)) > 0)
    g_string_append_len (got, block, (gssize) n);
  close (ends[0]);
  fail_unless (got->len < strlen (expected) && g_str_has_prefix (expected, got->str));
  g_string_free (got, TRUE);
  g_free (expected);
}
GST_END_TEST;

/* A whole pipeline: the seek, the flush that has not ended, and stopping do not wait for the reader. */
GST_START_TEST (seek_while_waiting)
{
  gint ends[2];
  fail_unless (pipe (ends) == 0);
  gchar *launch = g_strdup_printf ("videotestsrc pattern=snow ! video/x-raw,format=GRAY8,width=320,height=240 ! "
                                   "cudacca backend=cpu ! contourexport name=export fd=%d ! fakesink",
      ends[1]);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *element;
  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_until_full (ends[1]);
  for (guint i = 0; i < 3; i++) {
    gint64 start = g_get_monotonic_time ();
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0));
    assert_quick (start);
    g_usleep (i * 50000);
  }
  element = gst_bin_get_by_name (GST_BIN (pipeline), "export");
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  if (__i__)
    fail_unless (gst_pad_send_event (pad, gst_event_new_flush_start ()));
  gint64 start = g_get_monotonic_time ();
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  assert_quick (start);
  gst_object_unref (pad);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  close (ends[0]);
  close (ends[1]);
  g_free (launch);
}
GST_END_TEST;

/* A buffer with one contour of COUNT points. */
static GstBuffer *
make_long (guint count)
{
  const CtrContours info = {.width = 8, .height = 6, .count = 1, .point_count = count};
  CtrContourArrays arrays;
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, NULL);
  arrays.table[0] = (CtrContour){.count = count, .next = -1, .previous = -1, .child = -1, .parent = -1};
  for (guint i = 0; i < count; i++)
    arrays.points[i] = (CtrPoint){i % 8, i % 6};
  GstBuffer *buffer = sample_buffer ();
  gst_buffer_add_contours_contour_meta (buffer, contours, "long");
  ctr_contours_unref (contours);
  return buffer;
}

typedef struct {
  GstHarness *h;
  GstBuffer *buffer;
  GstFlowReturn ret;
  gint done; /* atomic */
} LongPush;

static gpointer
push_long (gpointer data)
{
  LongPush *push = data;
  push->ret = gst_harness_push (push->h, push->buffer);
  g_atomic_int_set (&push->done, 1);
  return NULL;
}

static gsize
size_of (const gchar *path)
{
  GStatBuf status;
  return g_stat (path, &status) == 0 ? (gsize) status.st_size : 0;
}

/* Pushes a frame of LENGTH bytes of text and interrupts it by a flush, or with STOP by stopping, when some of it is written.
 * Is less than three quarters of the rest written then? Time is no measure, since other programs may be running; if they hold up
 * this thread, the frame may have ended before. */
static gboolean
interrupt (GstElement *element, GstHarness *h, gboolean stop, guint count, const gchar *path, gsize length)
{
  LongPush push = {h, make_long (count), GST_FLOW_OK, 0};
  GThread *thread = g_thread_new ("pusher", push_long, &push);
  while (size_of (path) < length / 8 && !g_atomic_int_get (&push.done))
    g_usleep (100);
  const gsize before = size_of (path);
  if (stop)
    gst_element_set_state (element, GST_STATE_NULL);
  else
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  g_thread_join (thread);
  const gsize after = size_of (path);
  g_print ("%s after %" G_GSIZE_FORMAT " bytes, at %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT "\n",
      stop ? "stopped" : "flushed", after - before, after, length);
  return push.ret == GST_FLOW_FLUSHING && after - before < (length - before) * 3 / 4;
}

/* Neither a flush nor stopping waits for the end of a frame that is written for long. After the flush it is written
 * to its end; a stop leaves a line without an end, which the next run cuts off. */
GST_START_TEST (long_frame)
{
  enum { TRIES = 10 };
  const gboolean stop = __i__;
  const guint count = g_getenv ("CTR_TEST_QUICK") ? 2000000 : 4000000;
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *whole, *text;
  GstElement *element = make_for (path, NDJSON, &bus);
  GstHarness *h = play (element);
  fail_unless_equals_int (gst_harness_push (h, make_long (count)), GST_FLOW_OK);
  const gsize length = size_of (path);
  fail_unless_equals_int (gst_harness_push (h, sample_buffer ()), GST_FLOW_OK);
  finish (h, element, bus);
  whole = read_text (path);

  gboolean interrupted = FALSE;
  for (gint i = 0; !interrupted; i++) {
    fail_unless (i < TRIES);
    g_unlink (path);
    element = make_for (path, NDJSON, &bus);
    h = play (element);
    interrupted = interrupt (element, h, stop, count, path, length);
    if (!stop) {
      GstSegment segment;
      gst_segment_init (&segment, GST_FORMAT_TIME);
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
      fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
      fail_unless_equals_int (gst_harness_push (h, sample_buffer ()), GST_FLOW_OK);
    }
    finish (h, element, bus);
  }
  text = read_text (path);
  if (stop)
    fail_unless (strlen (text) < strlen (whole) && g_str_has_prefix (whole, text) && strchr (text, '\n') == NULL);
  else
    fail_unless (strcmp (text, whole) == 0);
  g_free (text);
  g_free (whole);
  g_free (path);
}
GST_END_TEST;

static Suite *
export_flush_suite (void)
{
  Suite *suite = suite_create ("contourexport and flushes");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, flush, 0, FORMATS);
  tcase_add_test (tcase, flush_before_the_head);
  tcase_add_test (tcase, flush_at_the_end);
  tcase_add_test (tcase, stop_after_a_flush);
  tcase_add_loop_test (tcase, seek_while_waiting, 0, 2); /* stopped after a flush, within one */
  tcase_add_loop_test (tcase, long_frame, 0, 2);         /* flushed, stopped */
  return suite;
}

GST_CHECK_MAIN (export_flush);
