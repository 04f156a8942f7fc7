/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a GstContoursContourMeta says of the tree of all levels: values, other frames, text, and when it is fetched. */
#include <gst/check/gstcheck.h>
#include <string.h>

#include "contourset.h"
#include "expected.h"

/* A square of level 7 in one of level 3. */
static const CtrContour table[] = {
    {.first = 0,
        .area2 = 32,
        .length = 16 << 23,
        .count = 4,
        .next = -1,
        .previous = -1,
        .child = 1,
        .parent = -1,
        .level = 3,
        .left = 1,
        .top = 1,
        .width = 4,
        .height = 4},
    {.first = 4,
        .area2 = 8,
        .length = 8 << 23,
        .count = 4,
        .next = -1,
        .previous = -1,
        .child = -1,
        .parent = 0,
        .level = 7,
        .left = 2,
        .top = 2,
        .width = 2,
        .height = 2},
};
static const CtrPoint points[] = {{1, 1}, {5, 1}, {5, 5}, {1, 5}, {2, 2}, {4, 2}, {4, 4}, {2, 4}};
static const CtrContourNesting nesting[] = {{0, 3, 7}, {4000000000, 5, 65535}};
static const ContourSet set = {
    .info = {.width = SAMPLE_WIDTH,
        .height = SAMPLE_HEIGHT,
        .count = 2,
        .point_count = 8,
        .coordinates = CTR_COORDINATES_CORNERS,
        .features = CTR_CONTOUR_FEATURE_NESTING},
    .table = table,
    .points = points,
    .array = CTR_CONTOURS_NESTING,
    .rows = nesting,
};

static void
check_values (GstContoursContourMeta *meta)
{
  GstContoursNesting n;
  GBytes *bytes;
  fail_unless (gst_contours_contour_meta_has_nesting (meta));
  assert_equals_int (gst_contours_contour_meta_get_features (meta), 0);
  fail_unless (gst_contours_contour_meta_get_nesting (meta, 0, &n));
  fail_unless (n.depth == 0 && n.birth == 3 && n.death == 7);
  fail_unless (gst_contours_contour_meta_get_nesting (meta, 1, &n));
  fail_unless (n.depth == 4000000000 && n.birth == 5 && n.death == 65535);
  fail_if (gst_contours_contour_meta_get_nesting (meta, 2, &n));
  fail_if (gst_contours_contour_meta_get_nesting (meta, G_MAXUINT, &n));
  bytes = gst_contours_contour_meta_get_nesting_bytes (meta);
  assert_equals_int (g_bytes_get_size (bytes), sizeof nesting);
  fail_unless (memcmp (g_bytes_get_data (bytes, NULL), nesting, sizeof nesting) == 0);
  g_bytes_unref (bytes);
}

/* Also in a copy of the frame, and in a scaled one: levels and depths do not change. */
GST_START_TEST (values)
{
  GstBuffer *buffer = attach_contours (contour_set_new (&set, NULL), "levels");
  GList *list = gst_contours_contour_meta_get_nestings (gst_buffer_get_contours_contour_meta (buffer));
  assert_equals_int (g_list_length (list), 2);
  GstContoursNesting *boxed = g_boxed_copy (GST_TYPE_CONTOURS_NESTING, list->next->data);
  assert_equals_int (boxed->death, 65535);
  g_boxed_free (GST_TYPE_CONTOURS_NESTING, boxed);
  g_list_free_full (list, g_free);
  check_frames (buffer, check_values);
}
GST_END_TEST;

static void
check_missing (GstContoursContourMeta *meta)
{
  GstContoursNesting row;
  fail_if (gst_contours_contour_meta_get_nesting (meta, 0, &row));
  fail_unless (gst_contours_contour_meta_get_nestings (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_nesting_bytes (meta) == NULL);
}

static const ArrayChecks checks = {gst_contours_contour_meta_has_nesting, check_missing, check_values};

/* Borders have no levels. */
GST_START_TEST (without)
{
  check_borders (&checks);
}
GST_END_TEST;

GST_START_TEST (fetched_on_demand)
{
  check_fetching (&set, &checks);
}
GST_END_TEST;

static void
check_text (const gchar *options, const gchar *expected)
{
  gchar *text = export_text (options, attach_contours (contour_set_new (&set, NULL), "levels"));
  assert_equals_string (text, expected);
  g_free (text);
}

GST_START_TEST (exported)
{
  check_text ("format=ndjson",
      "{\"schema\":\"gst-cuda-contours/"
      "1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0,\"source\":\"levels\","
      "\"resolution\":{\"width\":8,\"height\":6},\"threshold\":0,\"count\":2,\"coordinates\":\"corners\",\"contours\":["
      "{\"id\":0,\"hole\":false,\"parent\":null,\"level\":3,\"depth\":0,\"birth\":3,\"death\":7,"
      "\"area\":16,\"perimeter\":16,\"x\":1,\"y\":1,\"w\":4,\"h\":4,\"points\":[[1,1],[5,1],[5,5],[1,5]]},"
      "{\"id\":1,\"hole\":false,\"parent\":0,\"level\":7,\"depth\":4000000000,\"birth\":5,\"death\":65535,"
      "\"area\":4,\"perimeter\":8,\"x\":2,\"y\":2,\"w\":2,\"h\":2,\"points\":[[2,2],[4,2],[4,4],[2,4]]}]}\n");
  check_text ("format=csv", CSV_HEADER
      "0,0,0,levels,8,6,0,0,,16,1,1,4,4,,,,,,,,,,,0,0,,16,4,3,corners,1 1 5 1 5 5 1 5,0,,,,,,,,,,,,,,0,3,7," NO_SHAPE
          CLOCK_0 "0,0,0,levels,8,6,0,0,,4,2,2,2,2,,,,,,,,,,,1,0,0,8,4,7,corners,2 2 4 2 4 4 2 4,0,,,,,,,,,,,,,,"
      "4000000000,5,65535," NO_SHAPE CLOCK_0);
}
GST_END_TEST;

/* A hole whose outline was dropped is in an outer contour of a lower level: it is no hole of that one's area. */
GST_START_TEST (hole_of_dropped_outline)
{
  CtrContourArrays arrays;
  CtrContours *contours = contour_set_new (&set, &arrays);
  arrays.table[1].flags = CTR_CONTOUR_HOLE;
  arrays.table[1].area2 = -arrays.table[1].area2;
  arrays.points[5] = points[7];
  arrays.points[7] = points[5];
  gchar *text = export_text ("format=svg", attach_contours (contours, "levels"));
  fail_unless (
      strstr (text, "data-id=\"0\" data-level=\"3\" fill=\"rgb(3,3,3)\" d=\"M1 1H5V5H1z\"") != NULL, "%s", text);
  fail_unless (strstr (text, "data-id=\"1\" data-level=\"7\" fill=\"rgb(7,7,7)\" class=\"hole\"") != NULL, "%s", text);
  g_free (text);
}
GST_END_TEST;

static Suite *
nesting_suite (void)
{
  Suite *suite = suite_create ("nesting");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, values);
  tcase_add_test (tcase, without);
  tcase_add_test (tcase, fetched_on_demand);
  tcase_add_test (tcase, exported);
  tcase_add_test (tcase, hole_of_dropped_outline);
  return suite;
}

GST_CHECK_MAIN (nesting)
