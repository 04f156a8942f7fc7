/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: frames of much text need little memory, and end as they should. */
#include "core/results/contourlist.h"
#include "expected.h"
#include "exporting.h"

/* The text of a frame with many components is not kept in memory: 350,000 of them are 30 MB of text. */
GST_START_TEST (many_components)
{
  const guint width = 2048, height = 684, count = width * height / 4;
  const gboolean csv = __i__;
  GstBus *bus;
  gchar *path = in_folder ("out");
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "format", csv, NULL);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  sample_play_file (h);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=2048,height=684,framerate=25/1");
  GstBuffer *buffer = sample_dots (width, height);

  glong before = peak_memory_kib ();
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  glong grown = peak_memory_kib () - before;
  fail_unless (grown < 8192, "%ld KiB more", grown);
  finish (h, element, bus);

  gchar *text, *end;
  if (csv)
    end = g_strdup_printf (",%u,1,2046,682,1,1,2046,682,,,,,,,,,,,,,,,,,0" EMPTY_REST NO_CLOCK, count);
  else
    end = g_strdup_printf (
        "{\"label\":%u,\"area\":1,\"x\":2046,\"y\":682,\"w\":1,\"h\":1,\"cx\":2046,\"cy\":682}]}\n", count);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (g_str_has_suffix (text, end), "the last component is missing");
  guint found = 0;
  for (const gchar *c = text; *c; c++)
    found += *c == (csv ? '\n' : '{');
  assert_equals_int (found, csv ? count + 1 : count + 2);
  g_free (end);
  g_free (text);
  g_free (path);
}
GST_END_TEST;

/* Neither is the text of one contour with many points: 1,000,000 of them are 10 MB of text. */
GST_START_TEST (many_points)
{
  const guint count = 1000000;
  const CtrContours info = {.width = 2000, .height = 2000, .count = 1, .point_count = count};
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *text;
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  CtrContourArrays arrays;
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, NULL);
  arrays.table[0] = (CtrContour){.count = count, .next = -1, .previous = -1, .child = -1, .parent = -1};
  for (guint i = 0; i < count; i++)
    arrays.points[i] = (CtrPoint){i % 1000, i / 1000};
  GstBuffer *buffer = gst_buffer_new ();
  gst_buffer_add_contours_contour_meta (buffer, contours, "follower");
  ctr_contours_unref (contours);

  glong before = peak_memory_kib ();
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  glong grown = peak_memory_kib () - before;
  fail_unless (grown < 4096, "%ld KiB more", grown);
  finish (h, element, bus);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (g_str_has_suffix (text, ",[998,999],[999,999]]}]}\n"), "the last point is missing");
  guint found = 0;
  for (const gchar *c = text; *c; c++)
    found += *c == '[';
  assert_equals_int (found, count + 2);
  g_free (text);
  g_free (path);
}
GST_END_TEST;

static Suite *
export_memory_suite (void)
{
  Suite *suite = suite_create ("memory of contourexport");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, many_components, 0, 2); /* ndjson, csv */
  tcase_add_test (tcase, many_points);
  return suite;
}

GST_CHECK_MAIN (export_memory);
