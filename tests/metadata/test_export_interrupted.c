/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport where something comes in between: a flush, a crash, a second export, a standard output that is none. */
#include <fcntl.h>
#include <gst/check/gstcheck.h>
#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/results/contourlist.h"
#include "exporting.h"

enum { NDJSON, CSV, SVG, GEOJSON, COCO, LABELME, FORMATS };

static gchar *
read_text (const gchar *path)
{
  gchar *text = NULL;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "there is no %s", path);
  return text;
}

static void
write_text (const gchar *path, const gchar *text, gsize size)
{
  FILE *file = fopen (path, "w");
  fail_unless (file != NULL && fwrite (text, 1, size, file) == size && fclose (file) == 0);
}

static GstElement *
make_for (const gchar *location, guint format, GstBus **bus)
{
  GstElement *element = make_element (location, bus);
  g_object_set (element, "format", format, NULL);
  return element;
}

/* One that writes to a pipe. */
static GstElement *
make_for_pipe (guint format, GstBus **bus, gint ends[2])
{
  fail_unless (pipe (ends) == 0);
  GstElement *element = make_for (NULL, format, bus);
  g_object_set (element, "fd", ends[1], NULL);
  return element;
}

static void
drop (GstElement *element, GstBus *bus)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

static void
assert_no_message (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (message == NULL);
}

static void
assert_quick (gint64 since)
{
  gint64 passed = (g_get_monotonic_time () - since) / 1000;
  fail_unless (passed < 1000, "%" G_GINT64_FORMAT " ms", passed);
}

/* --- Flushes --- */

/* Frames whose text is longer than what a pipe holds. */
static GstHarness *
play_large (GstElement *element)
{
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
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

/* --- Frames of much text --- */

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
} LongPush;

static gpointer
push_long (gpointer data)
{
  LongPush *push = data;
  return GINT_TO_POINTER (gst_harness_push (push->h, push->buffer));
}

/* Neither a flush nor stopping waits for the end of a frame that is written for seconds. After the flush it is written
 * to its end; a stop leaves a line without an end, which the next run cuts off. */
GST_START_TEST (long_frame)
{
  const gboolean stop = __i__;
  const guint count = g_getenv ("CTR_TEST_QUICK") ? 1000000 : 4000000;
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *whole, *text;
  GstElement *element = make_for (path, NDJSON, &bus);
  GstHarness *h = play (element);
  gint64 start = g_get_monotonic_time (), full;
  fail_unless_equals_int (gst_harness_push (h, make_long (count)), GST_FLOW_OK);
  full = g_get_monotonic_time () - start;
  fail_unless_equals_int (gst_harness_push (h, sample_buffer ()), GST_FLOW_OK);
  finish (h, element, bus);
  whole = read_text (path);

  element = make_for (path, NDJSON, &bus);
  h = play (element);
  LongPush push = {h, make_long (count)};
  GThread *thread = g_thread_new ("pusher", push_long, &push);
  g_usleep (full / 8);
  start = g_get_monotonic_time ();
  if (stop)
    gst_element_set_state (element, GST_STATE_NULL);
  else
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_FLUSHING);
  gint64 taken = g_get_monotonic_time () - start;
  g_print ("%s after %d us, the frame takes %d us\n", stop ? "stopped" : "flushed", (gint) taken, (gint) full);
  fail_unless (taken < MIN (full * 3 / 4, G_TIME_SPAN_SECOND));
  if (!stop) {
    GstSegment segment;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
    fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
    fail_unless_equals_int (gst_harness_push (h, sample_buffer ()), GST_FLOW_OK);
  }
  finish (h, element, bus);
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

/* --- Crashes --- */

/* Text of COUNT small frames; transfer full. */
static gchar *
export_small (guint format, guint count)
{
  GstBus *bus;
  gchar *path = in_folder ("expected"), *text;
  GstElement *element = make_for (path, format, &bus);
  GstHarness *h = play (element);
  for (guint i = 0; i < count; i++)
    fail_unless_equals_int (push (h, i * 40, 0), GST_FLOW_OK);
  finish (h, element, bus);
  text = read_text (path);
  g_unlink (path);
  g_free (path);
  return text;
}

static gsize
last_line_end (const gchar *text, gsize size)
{
  while (size > 0 && text[size - 1] != '\n')
    size--;
  return size;
}

/* Appending to what a crash has left: cut anywhere. No row is glued to another, the CSV's head is there once. */
GST_START_TEST (append_after_a_crash)
{
  const guint format = __i__;
  gchar *before = export_small (format, 2), *frame = export_small (format, 1), *path = in_folder ("appended");
  const gchar *rows = format == CSV ? strchr (frame, '\n') + 1 : frame;
  for (gsize size = 0; size <= strlen (before); size++) {
    GstBus *bus;
    gsize kept = last_line_end (before, size);
    if (size % 11 > 0 && size > kept + 1 && before[size] != '\n')
      continue;
    write_text (path, before, size);
    GstElement *element = make_for (path, format, &bus);
    g_object_set (element, "append", TRUE, NULL);
    GstHarness *h = play (element);
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
    if (kept < size) {
      gchar *bytes = g_strdup_printf ("appended\" is incomplete, as after a crash or on a full disk: its %" G_GSIZE_FORMAT
                                      " bytes were removed",
          size - kept);
      assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_WRITE, bytes);
      g_free (bytes);
    }
    assert_no_message (bus);
    finish (h, element, bus);
    gchar *whole = g_strndup (before, kept), *expected = g_strconcat (whole, kept > 0 ? rows : frame, NULL);
    assert_file (path, expected);
    g_free (whole);
    g_free (expected);
  }
  g_free (before);
  g_free (frame);
  g_free (path);
}
GST_END_TEST;

/* The end is looked for from the end, however large the file is and however long its last line. */
GST_START_TEST (append_to_a_large_file)
{
  GstBus *bus;
  const off_t zeros = (off_t) 5 << 30, cut = 1000000;
  gchar *path = in_folder ("large"), *frame = export_small (NDJSON, 1), *got = g_malloc0 (strlen (frame) + 2);
  gint fd = open (path, O_RDWR | O_CREAT, 0600);
  fail_unless (pwrite (fd, "\n", 1, zeros) == 1 && ftruncate (fd, zeros + 1 + cut) == 0);
  GstElement *element = make_for (path, NDJSON, &bus);
  g_object_set (element, "append", TRUE, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_WRITE, "its 1000000 bytes");
  finish (h, element, bus);
  fail_unless_equals_int (pread (fd, got, strlen (frame) + 1, zeros + 1), (gint) strlen (frame));
  assert_equals_string (got, frame);
  close (fd);
  g_free (got);
  g_free (frame);
  g_free (path);
}
GST_END_TEST;

/* Pipes and devices have no last line. */
GST_START_TEST (append_to_a_pipe)
{
  GstBus *bus;
  gchar *path = in_folder ("pipe");
  fail_unless (mkfifo (path, 0600) == 0);
  gint reader = open (path, O_RDONLY | O_NONBLOCK);
  const gchar *const locations[] = {path, "/dev/null"};
  for (guint i = 0; i < G_N_ELEMENTS (locations); i++) {
    GstElement *element = make_for (locations[i], NDJSON, &bus);
    g_object_set (element, "append", TRUE, NULL);
    GstHarness *h = play (element);
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
    assert_no_message (bus);
    finish (h, element, bus);
  }
  close (reader);
  g_free (path);
}
GST_END_TEST;

/* A document's frames: in turns nothing, components and contours of analysers that come one after the other. */
static GstFlowReturn
push_document_frame (GstHarness *h, guint i, SampleGpu *gpu)
{
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = i * 40;
  if (i % 3 == 1)
    sample_attach (buffer, 0, i < 4 ? "finder" : "later");
  if (i % 3 == 2)
    sample_attach_contours (buffer, gpu, 0, CTR_COORDINATES_PIXELS, "follower");
  return gst_harness_push (h, buffer);
}

#define DOCUMENT_FRAMES 8

/* What is there of the document after each of its frames; transfer full. */
typedef struct {
  gchar *complete[DOCUMENT_FRAMES + 1]; /* of so many frames */
  gsize ends[DOCUMENT_FRAMES + 1];      /* of the frames, in: */
  gsize spool_ends[DOCUMENT_FRAMES + 1];
  gchar *part; /* text of both files before the end */
  gchar *spool;
} Document;

static void
make_document (Document *document)
{
  gchar *path = in_folder ("doc"), *part = in_folder ("doc.part"), *spool = in_folder ("doc.frames.part");
  for (guint frames = 0; frames <= DOCUMENT_FRAMES; frames++) {
    GstBus *bus;
    SampleGpu gpus[DOCUMENT_FRAMES];
    GstElement *element = make_for (path, COCO, &bus);
    GstHarness *h = play (element);
    for (guint i = 0; i < frames; i++)
      fail_unless_equals_int (push_document_frame (h, i, &gpus[i]), GST_FLOW_OK);
    document->part = read_text (part);
    document->spool = read_text (spool);
    document->ends[frames] = strlen (document->part);
    document->spool_ends[frames] = strlen (document->spool);
    finish (h, element, bus);
    document->complete[frames] = read_text (path);
    fail_if (g_file_test (part, G_FILE_TEST_EXISTS) || g_file_test (spool, G_FILE_TEST_EXISTS));
    if (frames < DOCUMENT_FRAMES) {
      g_free (document->part);
      g_free (document->spool);
    }
    g_unlink (path);
  }
  g_free (path);
  g_free (part);
  g_free (spool);
}

static void
clear_document (Document *document)
{
  for (guint i = 0; i <= DOCUMENT_FRAMES; i++)
    g_free (document->complete[i]);
  g_free (document->part);
  g_free (document->spool);
}

/* Starts where a run has left SIZE and SPOOL_SIZE bytes: all frames that are whole are in the document then. One of a
 * run without frames does not take its place, one with frames does. */
static void
assert_recovered (const Document *document, gsize size, gsize spool_size, guint more)
{
  GstBus *bus;
  SampleGpu gpu;
  gchar *path = in_folder ("doc"), *part = in_folder ("doc.part"), *spool = in_folder ("doc.frames.part");
  guint frames = DOCUMENT_FRAMES;
  while (frames > 0 && (document->ends[frames] > size || document->spool_ends[frames] > spool_size))
    frames--;
  write_text (part, document->part, size);
  write_text (spool, document->spool, spool_size);
  GstElement *element = make_for (path, COCO, &bus);
  GstHarness *h = play (element);
  if (frames > 0) {
    gchar *text = g_strdup_printf ("doc\" incomplete. It has been completed with its %u complete frames.", frames);
    assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_WRITE, text);
    assert_file (path, document->complete[frames]);
    g_free (text);
  }
  for (guint i = 0; i < more; i++)
    fail_unless_equals_int (push_document_frame (h, i, &gpu), GST_FLOW_OK);
  assert_no_message (bus);
  finish (h, element, bus);
  assert_file (path, document->complete[more > 0 ? more : frames]);
  fail_if (g_file_test (part, G_FILE_TEST_EXISTS) || g_file_test (spool, G_FILE_TEST_EXISTS));
  g_unlink (path);
  g_free (path);
  g_free (part);
  g_free (spool);
}

/* A document that was left in the middle, anywhere, is completed by the next start. */
GST_START_TEST (document_after_a_crash)
{
  Document document = {0};
  make_document (&document);
  gsize size = strlen (document.part), spool_size = strlen (document.spool);
  for (gsize cut = 0; cut <= spool_size; cut += 7)
    assert_recovered (&document, size, cut, 0);
  for (gsize cut = 0; cut <= size; cut += 97) /* the machine failed: less of it came to the disk */
    assert_recovered (&document, cut, spool_size, 0);
  for (guint frames = 0; frames <= DOCUMENT_FRAMES; frames++)
    for (guint more = 0; more < 3; more++)
      assert_recovered (&document, document.ends[frames], document.spool_ends[frames], more);
  clear_document (&document);
}
GST_END_TEST;

#ifdef __SANITIZE_ADDRESS__ /* which has an allocator of its own */
#define MANY_FRAMES 5000
#else
#define MANY_FRAMES 200000
#endif

static gsize
memory_in_use (void)
{
  struct mallinfo2 info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
}

/* A stream may be long: what is kept of its frames is on the disk. */
GST_START_TEST (document_of_many_frames)
{
  GstBus *bus;
  const guint frames = MANY_FRAMES;
  gchar *path = in_folder ("doc"), *last = g_strdup_printf ("{\"id\":%u,", frames - 1);
  gsize before = 0;
  GstElement *element = make_for (path, COCO, &bus);
  GstHarness *h = play (element);
  gst_harness_set_drop_buffers (h, TRUE);
  for (guint i = 0; i < frames; i++) {
    if (i == 1000)
      before = memory_in_use ();
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_OK);
  }
  gssize grown = (gssize) (memory_in_use () - before);
  fail_unless (grown < 1000000, "%" G_GSSIZE_FORMAT " bytes more", grown);
  finish (h, element, bus);
  gchar *text = read_text (path);
  fail_unless (strstr (text, last) != NULL);
  g_free (text);
  g_free (last);
  g_free (path);
}
GST_END_TEST;

/* --- Others --- */

/* The second export to a file is refused, by whatever name, and the first one does not suffer. */
GST_START_TEST (two_exports)
{
  static const struct {
    const gchar *names[2];
    guint formats[2];
  } cases[] = {
      {{"out", "out"}, {NDJSON, NDJSON}},
      {{"out", "./out"}, {NDJSON, CSV}},
      {{"out", "link"}, {NDJSON, NDJSON}},
      {{"link", "out"}, {NDJSON, CSV}},
      {{"doc", "doc"}, {COCO, COCO}},
      {{"doc", "doc"}, {COCO, NDJSON}},
      {{"doc", "doc.part"}, {COCO, NDJSON}},
      {{"f%05d", "f%05d"}, {SVG, GEOJSON}},
      {{"f%d", "f0"}, {NDJSON, CSV}},
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *buses[2];
    GstElement *elements[2];
    gchar *link_path = in_folder ("link");
    fail_unless (symlink ("out", link_path) == 0);
    for (guint k = 0; k < 2; k++) {
      gchar *path = in_folder (cases[i].names[k]);
      elements[k] = make_for (path, cases[i].formats[k], &buses[k]);
      gst_object_set_name (GST_OBJECT (elements[k]), k ? "second" : "first");
      g_free (path);
    }
    GstHarness *h = play (elements[0]);
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
    assert_start_fails (elements[1], buses[1], GST_RESOURCE_ERROR_BUSY, "first already writes");
    fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
    assert_no_message (buses[0]);
    finish (h, elements[0], buses[0]);

    /* Now nobody else does. */
    h = play (elements[1]);
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
    assert_no_message (buses[1]);
    finish (h, elements[1], buses[1]);
    g_free (link_path);
    remove_folder ();
    make_folder ();
  }
}
GST_END_TEST;

/* Pipes, devices and descriptors may be shared: in one streaming thread, frames come by turns. */
GST_START_TEST (shared_pipe)
{
  gchar *path = in_folder ("pipe"), got[10000];
  fail_unless (mkfifo (path, 0600) == 0);
  gint reader = open (path, O_RDONLY | O_NONBLOCK);
  const gchar *const locations[] = {path, "/dev/null", NULL};
  for (guint i = 0; i < G_N_ELEMENTS (locations); i++) {
    GstBus *buses[2];
    GstElement *elements[2];
    GstHarness *h[2];
    gint fd = locations[i] ? -1 : open (path, O_WRONLY | O_NONBLOCK);
    for (guint k = 0; k < 2; k++) {
      elements[k] = make_for (locations[i], NDJSON, &buses[k]);
      if (fd >= 0)
        g_object_set (elements[k], "fd", fd, NULL);
      h[k] = play (elements[k]);
    }
    for (guint k = 0; k < 4; k++)
      fail_unless_equals_int (push (h[k % 2], k * 40, 0), GST_FLOW_OK);
    for (guint k = 0; k < 2; k++) {
      assert_no_message (buses[k]);
      finish (h[k], elements[k], buses[k]);
    }
    if (fd >= 0)
      close (fd);
    if (i == 1)
      continue;
    gssize size = read (reader, got, sizeof got - 1);
    fail_unless (size > 0);
    got[size] = '\0';
    gchar **lines = g_strsplit (got, "\n", -1);
    assert_equals_int (g_strv_length (lines), 5);
    for (guint k = 0; k < 4; k++)
      fail_unless (g_str_has_prefix (lines[k], "{\"schema\"") && g_str_has_suffix (lines[k], "]}"), "%s", lines[k]);
    g_strfreev (lines);
  }
  close (reader);
  g_free (path);
}
GST_END_TEST;

/* A standard output that is closed, or something that the process has opened since. */
GST_START_TEST (no_standard_output)
{
  gint pair[2], pipe_ends[2];
  fail_unless (socketpair (AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe (pipe_ends) == 0);
  const gint others[] = {-1, pair[0], pipe_ends[0], eventfd (0, 0), open ("/dev/null", O_WRONLY | O_CLOEXEC)};
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    GstBus *bus;
    GstElement *element = make_for (NULL, NDJSON, &bus);
    fflush (stdout);
    gint saved = dup (STDOUT_FILENO);
    close (STDOUT_FILENO);
    if (others[i] >= 0)
      fail_unless (dup3 (others[i], STDOUT_FILENO, fcntl (others[i], F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0) >= 0);
    gboolean refused = gst_element_set_state (element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE;
    gst_element_set_state (element, GST_STATE_NULL);
    dup2 (saved, STDOUT_FILENO);
    close (saved);
    fail_unless (refused, "%u", i);
    assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
        i == 3 ? "the standard output: it is not a file" : "The standard output is closed");
    drop (element, bus);
    if (others[i] >= 0)
      close (others[i]);
  }
  close (pair[1]);
  close (pipe_ends[1]);
}
GST_END_TEST;

/* Descriptors that take text and lead nowhere. */
GST_START_TEST (wrong_descriptors)
{
  const gint descriptors[] = {eventfd (0, 0), open ("/", O_RDONLY), open ("/dev/null", O_PATH), 987654};
  for (guint i = 0; i < G_N_ELEMENTS (descriptors); i++) {
    GstBus *bus;
    GstElement *element = make_for (NULL, NDJSON, &bus);
    g_object_set (element, "fd", descriptors[i], NULL);
    gchar *name = g_strdup_printf ("file descriptor %d", descriptors[i]);
    assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, name);
    drop (element, bus);
    close (descriptors[i]);
    g_free (name);
  }

  /* Closed while it runs. */
  GstBus *bus;
  gint fd = open ("/dev/null", O_WRONLY);
  GstElement *element = make_for (NULL, NDJSON, &bus);
  g_object_set (element, "fd", fd, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  close (fd);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_WRITE, "file descriptor");
  finish (h, element, bus);
}
GST_END_TEST;

static Suite *
export_interrupted_suite (void)
{
  Suite *suite = suite_create ("contourexport interrupted");
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
  tcase_add_loop_test (tcase, append_after_a_crash, NDJSON, CSV + 1);
  tcase_add_test (tcase, append_to_a_large_file);
  tcase_add_test (tcase, append_to_a_pipe);
  tcase_add_test (tcase, document_after_a_crash);
  tcase_add_test (tcase, document_of_many_frames);
  tcase_add_test (tcase, two_exports);
  tcase_add_test (tcase, shared_pipe);
  tcase_add_test (tcase, no_standard_output);
  tcase_add_test (tcase, wrong_descriptors);
  return suite;
}

GST_CHECK_MAIN (export_interrupted);
