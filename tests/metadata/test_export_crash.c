/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: continues files that a crash has left behind. */
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exporting.h"

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
      gchar *bytes = g_strdup_printf (
          "appended\" is incomplete, as after a crash or on a full disk: its %" G_GSIZE_FORMAT " bytes were removed",
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

static Suite *
export_crash_suite (void)
{
  Suite *suite = suite_create ("contourexport after a crash");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, append_after_a_crash, NDJSON, CSV + 1);
  tcase_add_test (tcase, append_to_a_large_file);
  tcase_add_test (tcase, append_to_a_pipe);
  tcase_add_test (tcase, document_after_a_crash);
  tcase_add_test (tcase, document_of_many_frames);
  return suite;
}

GST_CHECK_MAIN (export_crash);
