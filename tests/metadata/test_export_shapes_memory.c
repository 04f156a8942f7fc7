/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: documents of many shapes. */
#include <contours/borders.h>

#include "exporting.h"

/* Sends BUFFER through the element; returns the text of the file. Both transfer full. */
static gchar *
export_one (guint format, GstBuffer *buffer)
{
  GstBus *bus;
  gchar *path = in_folder ("part.out"), *text;
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "format", format, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  finish (h, element, bus);
  g_free (path);
  return text;
}

static guint
count_in (const gchar *text, const gchar *what)
{
  const gsize size = strlen (what);
  guint n = 0;
  /* AddressSanitizer makes strstr() measure the rest of the text each time. */
  for (; *text; text++)
    n += *text == *what && strncmp (text, what, size) == 0;
  return n;
}

/* The text of a frame with many components is not kept in memory. */
GST_START_TEST (many_components)
{
  static const gchar *const marks[FORMATS] = {
      [SVG] = "<rect ", [GEOJSON] = "\"Polygon\"", [COCO] = "\"iscrowd\"", [LABELME] = "\"rectangle\""};
  const guint width = 2048, height = 684;
  GstBus *bus;
  gchar *path = in_folder ("out"), *text;
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "format", __i__, NULL);
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_dots (width, height);
  glong before = peak_memory_kib ();
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  glong grown = peak_memory_kib () - before;
#ifndef __SANITIZE_ADDRESS__ /* which keeps what is freed */
  fail_unless (grown < 8192, "%ld KiB more", grown);
#else
  (void) grown;
#endif
  finish (h, element, bus);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  assert_equals_int (count_in (text, marks[__i__]), width * height / 4);
  g_free (text);
  g_free (path);
}
GST_END_TEST;

/* Noise has all that lines can do. Its outlines less their holes are its foreground, unless they are simplified. */
GST_START_TEST (noise)
{
  enum { WIDTH = 97, HEIGHT = 61 };
  static const gchar *const marks[FORMATS] = {
      [SVG] = "<path ", [GEOJSON] = "\"Feature\"", [COCO] = "\"iscrowd\"", [LABELME] = "\"polygon\""};
  guint8 samples[WIDTH * HEIGHT];
  guint foreground = 0, outlines = 0;
  CtrBordersParams params;
  CtrError error;
  ctr_borders_params_init (&params);
  params.mode = __i__ % 2 ? CTR_RETRIEVE_LIST : CTR_RETRIEVE_TREE;
  params.epsilon = __i__ % 4 < 2 ? 0 : 1.5;
  for (guint i = 0; i < sizeof samples; i++) {
    samples[i] = g_random_int_range (0, 100) < 55 ? 255 : 0;
    foreground += samples[i] > 0;
  }
  const CtrImage image = {samples, WIDTH, WIDTH, HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
  CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
  CtrContours *contours = ctr_borders_run (borders, &image, &params, NULL, &error);
  const CtrContour *table = ctr_contours_map_table (contours, NULL);
  for (guint i = 0; i < contours->count; i++)
    outlines += !(table[i].flags & CTR_CONTOUR_HOLE);
  for (guint format = SVG; format < FORMATS; format++) {
    GstBuffer *buffer = sample_buffer ();
    gst_buffer_add_contours_contour_meta (buffer, contours, "follower");
    gchar *text = export_one (format, buffer);
    /* LabelMe has a polygon for each part that hangs together by a corner only; and a simplified line may leave its
     * holes outside, which then are areas of their own. */
    guint found = count_in (text, marks[format]);
    gboolean more = format == LABELME || (__i__ % 4 == 3);
    fail_unless (found == outlines || (more && found > outlines), "%u of %u", found, outlines);
    if (format == COCO && params.epsilon == 0) {
      guint64 area = 0;
      for (const gchar *c = text; (c = strstr (c, "\"iscrowd\":0,\"area\":")); c++)
        area += g_ascii_strtoull (c + strlen ("\"iscrowd\":0,\"area\":"), NULL, 10);
      assert_equals_uint64 (area, foreground);
    }
    g_free (text);
  }
  ctr_contours_unref (contours);
  ctr_borders_free (borders);
}
GST_END_TEST;

static Suite *
export_shapes_memory_suite (void)
{
  Suite *suite = suite_create ("memory of contourexport's shapes");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, many_components, SVG, FORMATS);
  tcase_add_loop_test (tcase, noise, 0, 20);
  return suite;
}

GST_CHECK_MAIN (export_shapes_memory);
