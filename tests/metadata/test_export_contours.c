/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: contours as NDJSON and CSV. */
#include "core/results/contourlist.h"
#include "expected.h"
#include "exporting.h"

#define CONTOURS                                                                                                       \
  ",\"resolution\":{\"width\":8,\"height\":6},\"threshold\":77,\"count\":3,\"coordinates\":\"pixels\",\"contours\":["  \
  "{\"id\":0,\"hole\":false,\"parent\":null,\"area\":15,\"perimeter\":16,\"x\":1,\"y\":1,\"w\":6,\"h\":4,"             \
  "\"points\":[[1,1],[1,4],[6,4],[6,1]]},"                                                                             \
  "{\"id\":1,\"hole\":true,\"parent\":0,\"level\":5,\"area\":2,\"perimeter\":5.656854152679443,\"x\":2,\"y\":2,\"w\":" \
  "3,\"h\":3,"                                                                                                         \
  "\"points\":[[3,2],[4,3],[3,4],[2,3]]},"                                                                             \
  "{\"id\":2,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter\":0,\"x\":7,\"y\":0,\"w\":1,\"h\":1,"               \
  "\"points\":[[7,0]]}]}\n"

/* A frame with components and contours has a line of each, in the order of their analysers. */
GST_START_TEST (contours)
{
  GstBus *bus;
  SampleGpu gpus[2];
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpus[0], 0, CTR_COORDINATES_PIXELS, "follower");
  sample_attach (buffer, 0, "finder");
  sample_attach_contours (buffer, &gpus[1], 0, CTR_COORDINATES_PIXELS, NULL);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);

  const CtrContours info = {.width = 3,
      .height = 2,
      .threshold = 9,
      .coordinates = CTR_COORDINATES_CORNERS,
      .connectivity = CTR_CONNECTIVITY_4};
  CtrContourArrays arrays;
  CtrContours *nothing = ctr_contours_alloc (&info, &arrays, NULL);
  GstBuffer *none = gst_buffer_new ();
  gst_buffer_add_contours_contour_meta (none, nothing, "follower");
  ctr_contours_unref (nothing);
  fail_unless_equals_int (gst_harness_push (h, none), GST_FLOW_OK);
  assert_file (path,                                                                         /* */
      HEAD "0,\"pts\":0,\"timestamp\":0,\"running_time\":0,\"source\":\"follower\"" CONTOURS /* */
          HEAD "0,\"pts\":0,\"timestamp\":0,\"running_time\":0,\"source\":\"finder\"" PLAIN  /* */
              HEAD "0,\"pts\":0,\"timestamp\":0,\"running_time\":0,\"source\":null" CONTOURS /* */
                  HEAD "1,\"pts\":null,\"timestamp\":null,\"running_time\":null,\"source\":\"follower\","
           "\"resolution\":{\"width\":3,\"height\":2},\"threshold\":9,\"count\":0,"
           "\"coordinates\":\"corners\",\"connectivity\":4,\"contours\":[]}\n");
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* Points go where pixels or corners of the frame went; what is undefined is null. */
GST_START_TEST (contours_scaled)
{
  static const gchar *const expected[] = {
      "\"resolution\":{\"width\":16,\"height\":3},\"threshold\":77,\"count\":3,\"coordinates\":\"pixels\",\"contours\":"
      "["
      "{\"id\":0,\"hole\":false,\"parent\":null,\"area\":15,\"perimeter\":23,\"x\":2,\"y\":0.5,\"w\":12,\"h\":2,"
      "\"cx\":7.5,\"cy\":1,\"points\":[[2.5,0.25],[2.5,1.75],[12.5,1.75],[12.5,0.25]]},",
      "\"resolution\":{\"width\":16,\"height\":3},\"threshold\":77,\"count\":3,\"coordinates\":\"corners\","
      "\"contours\":["
      "{\"id\":0,\"hole\":false,\"parent\":null,\"area\":15,\"perimeter\":23,\"x\":2,\"y\":0.5,\"w\":10,\"h\":1.5,"
      "\"cx\":7,\"cy\":1.25,\"points\":[[2,0.5],[2,2],[12,2],[12,0.5]]},",
  };
  static const gchar *const ends[] = {
      "\"cx\":null,\"cy\":null,\"points\":[[14.5,-0.25]]}]}\n", "\"cx\":null,\"cy\":null,\"points\":[[14,0]]}]}\n"};
  GstBus *bus;
  SampleGpu gpu;
  gchar *path = in_folder ("out.ndjson"), *text = NULL;
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (
      buffer, &gpu, CTR_CONTOUR_FEATURE_MOMENTS, __i__ ? CTR_COORDINATES_CORNERS : CTR_COORDINATES_PIXELS, "follower");
  buffer = sample_send ("videoscale ! video/x-raw,width=16,height=3", buffer);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless (strstr (text, expected[__i__]) != NULL, "%s", text);
  fail_unless (g_str_has_suffix (text, ends[__i__]), "%s", text);
  g_free (text);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (contours_csv)
{
  GstBus *bus;
  SampleGpu gpus[2];
  gchar *path = in_folder ("out.csv");
  GstElement *element = make_element (path, &bus);
  gst_util_set_object_arg (G_OBJECT (element), "format", "csv");
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpus[0], 0, CTR_COORDINATES_PIXELS, "a,b");
  sample_attach (buffer, 0, "finder");
  sample_attach_contours (buffer, &gpus[1], CTR_CONTOUR_FEATURE_MOMENTS, CTR_COORDINATES_CORNERS, NULL);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  assert_file (path, CSV_HEADER
      "0,0,0,\"a,b\",8,6,0,0,,15,1,1,6,4,,,,,,,,,,,0,0,,16,4,,pixels,1 1 1 4 6 4 6 1,0" EMPTY_REST CLOCK_0
      "0,0,0,\"a,b\",8,6,0,0,,2,2,2,3,3,,,,,,,,,,,1,1,0,5.656854152679443,4,5,pixels,3 2 4 3 3 4 2 3,0" EMPTY_REST
          CLOCK_0
      "0,0,0,\"a,b\",8,6,0,0,,0,7,0,1,1,,,,,,,,,,,2,0,,0,1,,pixels,7 0,0" EMPTY_REST CLOCK_0 CSV_PLAIN ("0",
          "0") "0,0,0,,8,6,0,0,,15,1,1,5,3,3.5,2.5,,,,,,,,,0,0,,16,4,,corners,1 1 1 4 6 4 6 1,0" EMPTY_REST CLOCK_0
               "0,0,0,,8,6,0,0,,2,2,2,2,2,3,3,,,,,,,,,1,1,0,5.656854152679443,4,5,corners,3 2 4 3 3 4 2 3,0" EMPTY_REST
                   CLOCK_0 "0,0,0,,8,6,0,0,,0,7,0,0,0,,,,,,,,,,,2,0,,0,1,,corners,7 0,0" EMPTY_REST CLOCK_0);
  gchar *text, **lines;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; i < 10; i++) {
    guint commas = i >= 1 && i <= 3 ? -1 : 0; /* one is in a quoted name */
    for (const gchar *c = lines[i]; *c; c++)
      commas += *c == ',';
    assert_equals_int (commas, 148);
  }
  g_strfreev (lines);
  g_free (text);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* Contours that cannot be fetched end the stream with one error; nothing of them is written. */
GST_START_TEST (contours_lost)
{
  GstBus *bus;
  SampleGpu gpu;
  gchar *path = in_folder ("out");
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "format", __i__, NULL);
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpu, 0, CTR_COORDINATES_PIXELS, "follower");
  gpu.broken = TRUE;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_READ, "the GPU has fallen off the bus");
  if (__i__ < 2)
    assert_file (path, "");
  else
    fail_if (g_file_test (path, G_FILE_TEST_EXISTS));
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* Codes instead of points, of the analysed frame, but not of contours that have none. */
GST_START_TEST (contours_codes)
{
#define ANALYSED ",\"analysed\":{\"width\":8,\"height\":6},\"contours\":["
  static const gchar *const expected[] = {
      "\"coordinates\":\"pixels\"" ANALYSED "{\"id\":0,\"hole\":false,\"parent\":null,\"area\":30,\"perimeter\":26,"
      "\"x\":2,\"y\":1,\"w\":12,\"h\":4,\"start\":[1,1],\"codes\":\"6660000022244444\"},",
      "\"h\":3,\"start\":[3,2],\"codes\":\"7531\"},",
      "\"w\":2,\"h\":1,\"start\":[7,0],\"codes\":\"\"}]}\n",
      "\"coordinates\":\"corners\",\"contours\":[{\"id\":0,",
      "\"points\":[[2,1],[2,4],[12,4],[12,1]]},",
  };
  GstBus *bus;
  SampleGpu gpus[2];
  gchar *path = in_folder ("out.ndjson"), *text = NULL;
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "codes", TRUE, NULL);
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpus[0], 0, CTR_COORDINATES_PIXELS, "follower");
  sample_attach_contours (buffer, &gpus[1], 0, CTR_COORDINATES_CORNERS, "polygons");
  buffer = sample_send ("videoscale ! video/x-raw,width=16,height=6,pixel-aspect-ratio=1/2", buffer);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  const gchar *rest = text;
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    rest = strstr (rest, expected[i]);
    fail_unless (rest != NULL, "%u: %s", i, text);
  }
  g_free (text);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (contours_codes_csv)
{
  GstBus *bus;
  SampleGpu gpus[2];
  gchar *path = in_folder ("out.csv");
  GstElement *element = make_element (path, &bus);
  gst_util_set_object_arg (G_OBJECT (element), "format", "csv");
  g_object_set (element, "codes", TRUE, NULL);
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpus[0], 0, CTR_COORDINATES_PIXELS, "a");
  sample_attach (buffer, 0, "b");
  sample_attach_contours (buffer, &gpus[1], 0, CTR_COORDINATES_CORNERS, "c");
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  gchar *text, **lines;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  assert_equals_int (g_strv_length (lines), 11);
  fail_unless (g_str_has_suffix (lines[0], ",analysed_width,analysed_height,start_x,start_y,codes"));
  fail_unless (strstr (lines[1], ",pixels,,0,") && g_str_has_suffix (lines[1], ",,0,,0,8,6,1,1,6660000022244444"), "%s",
      lines[1]);
  fail_unless (strstr (lines[2], ",pixels,,0,") && g_str_has_suffix (lines[2], ",,0,,0,8,6,3,2,7531"), "%s", lines[2]);
  fail_unless (strstr (lines[3], ",pixels,,0,") && g_str_has_suffix (lines[3], ",,0,,0,8,6,7,0,"), "%s", lines[3]);
  fail_unless (
      strstr (lines[7], ",corners,1 1 1 4 6 4 6 1,0,") && g_str_has_suffix (lines[7], ",,0,,0,,,,,"), "%s", lines[7]);
  guint columns = 0;
  for (guint i = 0; i < 10; i++) {
    guint commas = 0;
    for (const gchar *c = lines[i]; *c; c++)
      commas += *c == ',';
    columns = i == 0 ? commas : columns;
    fail_unless_equals_int (commas, columns);
  }
  g_strfreev (lines);
  g_free (text);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* Codes that cannot be fetched end the stream; nothing of them is written. */
GST_START_TEST (contours_codes_lost)
{
  GstBus *bus;
  SampleGpu gpu;
  gchar *path = in_folder ("out");
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "format", __i__, "codes", TRUE, NULL);
  GstHarness *h = play (element);
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpu, 0, CTR_COORDINATES_PIXELS, "follower");
  gpu.broken = TRUE;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_READ, "the GPU has fallen off the bus");
  assert_file (path, "");
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

static Suite *
export_contours_suite (void)
{
  Suite *suite = suite_create ("contourexport of contours");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_test (tcase, contours);
  tcase_add_loop_test (tcase, contours_scaled, 0, 2); /* pixels, corners */
  tcase_add_test (tcase, contours_csv);
  tcase_add_loop_test (tcase, contours_lost, 0, 6); /* the formats */
  tcase_add_test (tcase, contours_codes);
  tcase_add_test (tcase, contours_codes_csv);
  tcase_add_loop_test (tcase, contours_codes_lost, 0, 2); /* ndjson, csv */
  return suite;
}

GST_CHECK_MAIN (export_contours);
