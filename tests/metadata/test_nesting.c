/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a GstContoursContourMeta says of the tree of all levels: values, other frames, text, and when it is fetched. */
#include "core/common/error.h"
#include "core/results/contourlist.h"

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#include "expected.h"
#include "sample.h"

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
static const CtrContours info = {.width = SAMPLE_WIDTH,
    .height = SAMPLE_HEIGHT,
    .count = 2,
    .point_count = 8,
    .coordinates = CTR_COORDINATES_CORNERS,
    .features = CTR_CONTOUR_FEATURE_NESTING};

static CtrContours *
make_contours (void)
{
  CtrContourArrays arrays;
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, NULL);
  memcpy (arrays.table, table, sizeof table);
  memcpy (arrays.points, points, sizeof points);
  memcpy (arrays.nesting, nesting, sizeof nesting);
  return contours;
}

/* A frame with CONTOURS (transfer full). */
static GstBuffer *
attach (CtrContours *contours)
{
  GstBuffer *buffer = sample_buffer ();
  gst_buffer_add_contours_contour_meta (buffer, contours, "levels");
  ctr_contours_unref (contours);
  return buffer;
}

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
  GstBuffer *buffer = attach (make_contours ()), *copy = gst_buffer_copy_deep (buffer);
  check_values (gst_buffer_get_contours_contour_meta (buffer));
  check_values (gst_buffer_get_contours_contour_meta (copy));
  gst_buffer_unref (copy);

  GList *list = gst_contours_contour_meta_get_nestings (gst_buffer_get_contours_contour_meta (buffer));
  assert_equals_int (g_list_length (list), 2);
  GstContoursNesting *boxed = g_boxed_copy (GST_TYPE_CONTOURS_NESTING, list->next->data);
  assert_equals_int (boxed->death, 65535);
  g_boxed_free (GST_TYPE_CONTOURS_NESTING, boxed);
  g_list_free_full (list, g_free);

  buffer = sample_send ("videoscale ! video/x-raw,width=16,height=12", buffer);
  check_values (gst_buffer_get_contours_contour_meta (buffer));
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Borders have no levels. */
GST_START_TEST (without)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta =
      sample_attach_contours (buffer, &gpu, CTR_CONTOUR_FEATURE_MOMENTS, CTR_COORDINATES_PIXELS, "follower");
  GstContoursNesting n;
  fail_if (gst_contours_contour_meta_has_nesting (meta));
  fail_if (gst_contours_contour_meta_get_nesting (meta, 0, &n));
  fail_unless (gst_contours_contour_meta_get_nestings (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_nesting_bytes (meta) == NULL);
  fail_unless (gst_contours_contour_meta_fetch (meta, NULL));
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* What lies on a GPU: how often each array was fetched; that of the nesting fails while BROKEN. */
typedef struct {
  gboolean broken;
  gint fetched[CTR_CONTOURS_NESTING + 1];
} Remote;

static bool
fetch (void *source, CtrContoursArray array, void *to, size_t size, CtrError *error)
{
  Remote *remote = source;
  remote->fetched[array]++;
  if (array == CTR_CONTOURS_NESTING && remote->broken)
    return ctr_fail (error, CTR_ERROR_CUDA, "the GPU is gone");
  memcpy (to,
      array == CTR_CONTOURS_TABLE    ? table
      : array == CTR_CONTOURS_POINTS ? (const void *) points
                                     : nesting,
      size);
  return true;
}

static bool
get_device (void *source, CtrDeviceContours *device)
{
  return false;
}

static void
destroy (void *source)
{
}

/* The nesting is fetched when it is asked for, and nothing else is then. */
GST_START_TEST (fetched_on_demand)
{
  static const CtrContoursSource ops = {.fetch = fetch, .get_device = get_device, .destroy = destroy};
  Remote remote = {.broken = TRUE};
  GstBuffer *buffer = attach (ctr_contours_new_remote (&info, &ops, &remote, NULL));
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);
  GstContoursNesting n;
  GError *error = NULL;

  fail_unless (gst_contours_contour_meta_has_nesting (meta));
  fail_if (gst_contours_contour_meta_get_nesting (meta, 0, &n));
  fail_unless (gst_contours_contour_meta_get_nestings (meta) == NULL);
  fail_if (gst_contours_contour_meta_fetch (meta, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ));
  fail_unless (strstr (error->message, "the GPU is gone") != NULL);
  g_clear_error (&error);

  remote = (Remote){0};
  check_values (meta);
  assert_equals_int (remote.fetched[CTR_CONTOURS_NESTING], 1);
  assert_equals_int (remote.fetched[CTR_CONTOURS_TABLE], 0);
  fail_unless (gst_contours_contour_meta_fetch (meta, NULL));
  assert_equals_int (remote.fetched[CTR_CONTOURS_NESTING], 1);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

static gchar *
export_text (const gchar *format, CtrContours *contours)
{
  gchar *folder = g_dir_make_tmp ("nesting-XXXXXX", NULL), *path = g_build_filename (folder, "out", NULL);
  gchar *line = g_strdup_printf ("contourexport format=%s location=%s", format, path), *text;

  gst_buffer_unref (sample_send (line, attach (contours)));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  g_unlink (path);
  g_rmdir (folder);
  g_free (line);
  g_free (path);
  g_free (folder);
  return text;
}

static void
check_text (const gchar *format, const gchar *expected)
{
  gchar *text = export_text (format, make_contours ());
  assert_equals_string (text, expected);
  g_free (text);
}

GST_START_TEST (exported)
{
  check_text ("ndjson",
      "{\"schema\":\"gst-cuda-contours/1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"source\":\"levels\","
      "\"resolution\":{\"width\":8,\"height\":6},\"threshold\":0,\"count\":2,\"coordinates\":\"corners\",\"contours\":["
      "{\"id\":0,\"hole\":false,\"parent\":null,\"level\":3,\"depth\":0,\"birth\":3,\"death\":7,"
      "\"area\":16,\"perimeter\":16,\"x\":1,\"y\":1,\"w\":4,\"h\":4,\"points\":[[1,1],[5,1],[5,5],[1,5]]},"
      "{\"id\":1,\"hole\":false,\"parent\":0,\"level\":7,\"depth\":4000000000,\"birth\":5,\"death\":65535,"
      "\"area\":4,\"perimeter\":8,\"x\":2,\"y\":2,\"w\":2,\"h\":2,\"points\":[[2,2],[4,2],[4,4],[2,4]]}]}\n");
  check_text ("csv",
      CSV_HEADER "0,0,0,levels,8,6,0,0,,16,1,1,4,4,,,,,,,,,,,0,0,,16,4,3,corners,1 1 5 1 5 5 1 5,0,,,,,,,,,,,,,,0,3,7\n"
                 "0,0,0,levels,8,6,0,0,,4,2,2,2,2,,,,,,,,,,,1,0,0,8,4,7,corners,2 2 4 2 4 4 2 4,0,,,,,,,,,,,,,,"
                 "4000000000,5,65535\n");
}
GST_END_TEST;

/* A hole whose outline was dropped is in an outer contour of a lower level: it is no hole of that one's area. */
GST_START_TEST (hole_of_dropped_outline)
{
  CtrContourArrays arrays;
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, NULL);
  memcpy (arrays.table, table, sizeof table);
  memcpy (arrays.points, points, sizeof points);
  memcpy (arrays.nesting, nesting, sizeof nesting);
  arrays.table[1].flags = CTR_CONTOUR_HOLE;
  arrays.table[1].area2 = -arrays.table[1].area2;
  arrays.points[5] = points[7];
  arrays.points[7] = points[5];
  gchar *text = export_text ("svg", contours);
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
