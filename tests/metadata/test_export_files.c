/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: one file a frame, one for all frames, files in rotation, and what is left if writing fails. */
#include <errno.h>
#include <sys/resource.h>

#include "exporting.h"

/* Its lines, less those that begin with "frame,": a CSV's head. */
static guint
count_lines (const gchar *name, guint *heads)
{
  gchar *text = read_file (name), **lines = g_strsplit (text, "\n", -1);
  guint n = 0;
  *heads = 0;
  for (guint i = 0; lines[i] && *lines[i]; i++)
    if (g_str_has_prefix (lines[i], "frame,"))
      (*heads)++;
    else
      n++;
  g_strfreev (lines);
  g_free (text);
  return n;
}

/* Each file has its name when its frame goes on, and only then. */
GST_START_TEST (one_a_frame)
{
  GstBus *bus;
  GstElement *element = make_in_folder ("f-%03d", __i__, &bus);
  GstHarness *h = play (element);
  for (guint i = 0; i < 12; i++) {
    gchar *name = g_strdup_printf ("f-%03u", i);
    fail_if (exists (name));
    fail_unless_equals_int (push (h, i * 40, 0), GST_FLOW_OK);
    gchar *text = read_file (name), *number = g_strdup_printf (__i__ == SVG ? "data-frame=\"%u\"" : "\"frame\":%u", i);
    fail_unless (strstr (text, number) != NULL, "%s", text);
    assert_equals_int (count_files (), i + 1);
    g_free (number);
    g_free (text);
    g_free (name);
  }
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  assert_equals_int (count_files (), 12);
  assert_no_message (bus);
  finish (h, element, bus);
}
GST_END_TEST;

/* A picture needs no number, a second one does. */
GST_START_TEST (second_frame)
{
  GstBus *bus;
  GstElement *element = make_in_folder ("picture", __i__, &bus);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  gchar *before = read_file ("picture");
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  fail_unless_equals_int (push (h, 80, 0), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_SETTINGS, "needs a placeholder");
  gchar *after = read_file ("picture");
  assert_equals_string (after, before);
  assert_equals_int (count_files (), 1);
  g_free (before);
  g_free (after);
  finish (h, element, bus);
}
GST_END_TEST;

/* Bytes of TEXT less its last LINES. */
static gsize
size_without (const gchar *text, guint lines)
{
  gsize size = strlen (text);
  for (lines++; size > 0; size--)
    if (text[size - 1] == '\n' && --lines == 0)
      break;
  return size;
}

/* A few frames, with the header of CSV, make so many bytes: those of a file. */
GST_START_TEST (rotation_by_size)
{
  for (guint format = NDJSON; format <= CSV; format++) {
    GstBus *bus;
    guint heads, most = 0, total = 0;
    const gsize limit = format == CSV ? 2000 : 600;
    GstElement *element = make_in_folder ("r%02d", format, &bus);
    g_object_set (element, "max-file-size", (guint64) limit, NULL);
    GstHarness *h = play (element);
    for (guint i = 0; i < 10; i++)
      fail_unless_equals_int (push (h, i * 40, 0), GST_FLOW_OK);
    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    finish (h, element, bus);
    guint files = count_files ();
    for (guint i = 0; i < files; i++) {
      gchar *name = g_strdup_printf ("r%02u", i), *text = read_file (name);
      guint lines = count_lines (name, &heads);
      assert_equals_int (heads, format == CSV);
      most = MAX (most, lines);
      total += lines;
      /* It is full, but was not before its last frame. */
      fail_unless (i + 1 == files || strlen (text) >= limit);
      fail_unless (size_without (text, format == CSV ? 3 : 1) < limit);
      g_free (text);
      g_free (name);
    }
    assert_equals_int (total, format == CSV ? 30 : 10);
    fail_unless (most > 1 && files > 3);
    remove_folder ();
    make_folder ();
  }
}
GST_END_TEST;

/* Writes FRAMES with a limit; returns the bytes of the first file. */
static gsize
export_limited (guint format, guint frames, guint64 limit)
{
  GstBus *bus;
  GstElement *element = make_in_folder ("e%d", format, &bus);
  g_object_set (element, "max-file-size", limit, NULL);
  GstHarness *h = play (element);
  for (guint i = 0; i < frames; i++)
    fail_unless_equals_int (push (h, i * 40, 0), GST_FLOW_OK);
  finish (h, element, bus);
  gchar *text = read_file ("e0");
  gsize size = strlen (text);
  g_free (text);
  return size;
}

/* The frame that makes a file exactly as large as the limit is its last one. */
GST_START_TEST (exact_size)
{
  for (guint format = NDJSON; format <= CSV; format++)
    for (gint more = -1; more <= 1; more++) {
      gsize two = export_limited (format, 2, 0);
      gsize size = export_limited (format, 3, two + (gsize) more);
      fail_unless (more > 0 ? size > two : size == two);
      assert_equals_int (exists ("e1"), more <= 0);
      remove_folder ();
      make_folder ();
    }
}
GST_END_TEST;

/* A limit that the head of a CSV exceeds: one frame a file. */
GST_START_TEST (smallest_files)
{
  for (guint format = NDJSON; format <= CSV; format++) {
    GstBus *bus;
    guint heads;
    GstElement *element = make_in_folder (format == CSV ? "c%d" : "n%d", format, &bus);
    g_object_set (element, "max-file-size", (guint64) 1, NULL);
    GstHarness *h = play (element);
    for (guint i = 0; i < 3; i++)
      fail_unless_equals_int (push (h, i * 40, 0), GST_FLOW_OK);
    finish (h, element, bus);
    for (guint i = 0; i < 3; i++) {
      gchar *name = g_strdup_printf (format == CSV ? "c%u" : "n%u", i);
      assert_equals_int (count_lines (name, &heads), format == CSV ? 3 : 1);
      assert_equals_int (heads, format == CSV);
      g_free (name);
    }
  }
  assert_equals_int (count_files (), 6);
}
GST_END_TEST;

/* By the frames' own time: those without one end no file, and a jump back starts anew. */
GST_START_TEST (rotation_by_time)
{
  static const GstClockTime times[] = {1000, 1040, 1099, 1100, GST_CLOCK_TIME_NONE, 1199, 1500, 200, 299, 300};
  static const guint lines[] = {3, 3, 3, 1};
  GstBus *bus;
  guint heads;
  GstElement *element = make_in_folder ("t%d", NDJSON, &bus);
  g_object_set (element, "max-file-time", (guint64) 100, NULL);
  GstHarness *h = play (element);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    fail_unless_equals_int (push (h, times[i], 0), GST_FLOW_OK);
  finish (h, element, bus);
  assert_equals_int (count_files (), G_N_ELEMENTS (lines));
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    gchar *name = g_strdup_printf ("t%u", i);
    assert_equals_int (count_lines (name, &heads), lines[i]);
    g_free (name);
  }
}
GST_END_TEST;

/* Goes on in the first file that has room. */
GST_START_TEST (rotation_appended)
{
  guint heads;
  for (guint run = 0; run < 3; run++) {
    GstBus *bus;
    GstElement *element = make_in_folder ("r%d", CSV, &bus);
    g_object_set (element, "max-file-size", (guint64) 2950, "append", TRUE, NULL);
    GstHarness *h = play (element);
    for (guint i = 0; i < 4; i++)
      fail_unless_equals_int (push (h, i * 40, 0), GST_FLOW_OK);
    finish (h, element, bus);
  }
  guint total = 0, files = count_files ();
  for (guint i = 0; i < files; i++) {
    gchar *name = g_strdup_printf ("r%u", i), *text = read_file (name);
    total += count_lines (name, &heads);
    assert_equals_int (heads, 1);
    fail_unless (i + 1 == files || strlen (text) >= 2950);
    g_free (text);
    g_free (name);
  }
  assert_equals_int (total, 36);
  fail_unless (files > 1 && files < 6, "%u", files);
}
GST_END_TEST;

static void
assert_complete (const gchar *name, guint images)
{
  gchar *text = read_file (name);
  fail_unless (g_str_has_prefix (text, "{\"info\":") && g_str_has_suffix (text, "]}\n"), "%s", text);
  guint found = 0;
  for (const gchar *c = text; (c = strstr (c, "\"file_name\"")); c++)
    found++;
  assert_equals_int (found, images);
  g_free (text);
}

/* Temporary until it can be read: after the end of the stream, or when it is cut off, also before the first frame. */
GST_START_TEST (document)
{
  GstBus *bus;
  gboolean eos = __i__ % 2;
  guint frames = __i__ / 2 * 3;
  GstElement *element = make_in_folder ("coco", COCO, &bus);
  GstHarness *h = play (element);
  for (guint i = 0; i < frames; i++)
    fail_unless_equals_int (push (h, i * 40, 0), GST_FLOW_OK);
  fail_if (exists ("coco"));
  fail_unless (exists ("coco.part"));
  if (eos) {
    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    assert_complete ("coco", frames);
  }
  assert_no_message (bus);
  finish (h, element, bus);
  assert_complete ("coco", frames);
  fail_if (exists ("coco.part"));
}
GST_END_TEST;

/* After a flush there may be frames after the end: a document that is complete stays as it is. */
GST_START_TEST (after_the_end)
{
  GstBus *bus;
  GstElement *element = make_in_folder ("coco", COCO, &bus);
  GstHarness *h = play (element);
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_WRITE, "after the end");
  finish (h, element, bus);
  assert_complete ("coco", 1);
}
GST_END_TEST;

/* A full disk: one error, and no file that looks complete. What was there before stays. */
GST_START_TEST (full_disk)
{
  GstBus *bus;
  gboolean one = __i__ == COCO;
  gchar *path = in_folder (one ? "a" : "a1");
  fail_unless (g_file_set_contents (path, "before", -1, NULL));
  GstElement *element = make_in_folder (one ? "a" : "a%d", __i__, &bus);
  GstHarness *h = play (element);
  struct rlimit before, limited;
  if (!one)
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  fail_unless (getrlimit (RLIMIT_FSIZE, &before) == 0);
  limited = before;
  limited.rlim_cur = 20000; /* Check's own files are smaller */
  fail_unless (setrlimit (RLIMIT_FSIZE, &limited) == 0);
  GstFlowReturn results[2] = {gst_harness_push (h, sample_dots (64, 64)), push (h, 80, 0)};
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (setrlimit (RLIMIT_FSIZE, &before) == 0);
  fail_unless_equals_int (results[0], GST_FLOW_ERROR);
  fail_unless_equals_int (results[1], GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, one ? "a.part" : "a1.part");
  finish (h, element, bus);
  assert_file (path, "before");
  fail_unless (exists (one ? "a.part" : "a1.part"));
  g_free (path);
}
GST_END_TEST;

static Suite *
export_files_suite (void)
{
  Suite *suite = suite_create ("contourexport's files");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  for (guint format = SVG; format < FORMATS; format++) {
    if (format != COCO) {
      tcase_add_loop_test (tcase, one_a_frame, (gint) format, (gint) format + 1);
      tcase_add_loop_test (tcase, second_frame, (gint) format, (gint) format + 1);
    }
    tcase_add_loop_test (tcase, full_disk, (gint) format, (gint) format + 1);
  }
  tcase_add_test (tcase, rotation_by_size);
  tcase_add_test (tcase, exact_size);
  tcase_add_test (tcase, smallest_files);
  tcase_add_test (tcase, rotation_by_time);
  tcase_add_test (tcase, rotation_appended);
  tcase_add_loop_test (tcase, document, 0, 4); /* stopped, ended, the same after frames */
  tcase_add_test (tcase, after_the_end);
  return suite;
}

GST_CHECK_MAIN (export_files);
