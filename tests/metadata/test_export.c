/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: components as NDJSON and CSV, their numbers, times and flags. */
#include <contours/cracks.h>

#include "expected.h"
#include "exporting.h"

GST_START_TEST (ndjson)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);

  /* Each line is there as soon as its frame has passed. */
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN);

  /* Nobody analysed the frame; no time. */
  GstBuffer *bare = sample_buffer ();
  GST_BUFFER_PTS (bare) = GST_CLOCK_TIME_NONE;
  fail_unless_equals_int (gst_harness_push (h, bare), GST_FLOW_OK);

  /* Two analysers; a name with all that JSON escapes. */
  GstBuffer *two = sample_buffer ();
  GST_BUFFER_PTS (two) = 80;
  sample_attach (two, 0, "a\"b\\c\n\xc3\xa4");
  sample_attach (two, 0, NULL);
  fail_unless_equals_int (gst_harness_push (h, two), GST_FLOW_OK);

  /* Nothing found. */
  const guint8 black[6] = {0};
  GstBuffer *none = gst_buffer_new_memdup (black, sizeof black);
  CtrComponents *nothing = sample_analyse (black, 3, 2, SAMPLE_ALL);
  gst_buffer_add_contours_component_meta (none, nothing, "finder");
  ctr_components_unref (nothing);
  GST_BUFFER_PTS (none) = 120;
  GST_BUFFER_FLAG_SET (none, GST_BUFFER_FLAG_GAP);
  fail_unless_equals_int (gst_harness_push (h, none), GST_FLOW_OK);

  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  assert_file (path,                                                                       /* */
      HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN /* */
          HEAD "1,\"pts\":null,\"timestamp\":null,\"running_time\":null,\"source\":null,\"resolution\":{\"width\":8,"
           "\"height\":6},"
           "\"threshold\":null,\"connectivity\":null,\"count\":0,\"components\":[]}\n"                         /* */
      HEAD "2,\"pts\":80,\"timestamp\":80,\"running_time\":80,\"source\":\"a\\\"b\\\\c\\u000a\xc3\xa4\"" PLAIN /* */
          HEAD "2,\"pts\":80,\"timestamp\":80,\"running_time\":80,\"source\":null" PLAIN                       /* */
              HEAD "3,\"pts\":120,\"timestamp\":120,\"running_time\":120,\"source\":\"finder\",\"resolution\":{"
           "\"width\":3,\"height\":2},"
           "\"threshold\":128,\"connectivity\":8,\"count\":0,\"components\":[]}\n");
  assert_equals_int (gst_harness_buffers_received (h), 4);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* Contours that were too many are told from none in each format that can, beside what another analyser found. */
GST_START_TEST (limits)
{
  static const struct {
    const gchar *format, *tells;
  } cases[] = {
      {"ndjson", "\"threshold\":0,\"limit_exceeded\":true,\"needed\":20,\"count\":0,\"coordinates\":\"corners\","
                 "\"connectivity\":8,"
                 "\"contours\":[]}\n"},
      {"svg", "<g data-source=\"lines\" data-limit-exceeded=\"true\" "},
      {"geojson", "\"timestamp\":0,\"running_time\":0,\"limit_exceeded\":true,\"resolution\""},
      {"coco", "\"timestamp\":0,\"running_time\":0,\"limit_exceeded\":true}"},
      {"labelme", "\"timestamp\":0,\"running_time\":0,\"limit_exceeded\":true}"},
  };
  const guint8 checks[9] = {9, 0, 9, 0, 9, 0, 9, 0, 9};
  const CtrImage image = {.data = checks, .stride = 3, .width = 3, .height = 3, .format = CTR_FORMAT_GRAY8};
  GstBus *bus;
  gchar *path = in_folder ("out"), *text = NULL;
  GstElement *element = make_element (path, &bus);
  gst_util_set_object_arg (G_OBJECT (element), "format", cases[__i__].format);
  GstHarness *h = play (element);
  CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, NULL);
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.minimum = params.maximum = 9;
  params.max_points = 19;
  CtrContours *refused = ctr_cracks_run (cracks, &image, &params, NULL, NULL);

  GstBuffer *buffer = sample_buffer ();
  sample_attach (buffer, 0, "finder");
  gst_buffer_add_contours_contour_meta (buffer, refused, "lines");
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  const gchar *found = strstr (text, cases[__i__].tells), *word = __i__ == 1 ? "limit-exceeded" : "limit_exceeded";
  fail_unless (found != NULL, "%s", text);
  fail_unless (strstr (strstr (text, word) + 1, word) == NULL, "%s", text);
  g_free (text);
  ctr_contours_unref (refused);
  ctr_cracks_free (cracks);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* What is known of a frame is in each format, whether the buffer, the metadata or the caps tell it. */
GST_START_TEST (flags)
{
  static const struct {
    const gchar *format, *corrupted, *interlaced;
  } cases[] = {
      {"ndjson", "\"timestamp\":0,\"running_time\":0,\"corrupted\":true,\"source\"",
          "\"timestamp\":0,\"running_time\":0,\"interlaced\":true,\"source\""},
      {"csv", "0,0,0,finder,8,6,1,0,1,3,", "1,0,0,finder,8,6,0,1,1,3,"},
      {"svg", " data-corrupted=\"true\">", " data-interlaced=\"true\">"},
      {"geojson", "\"timestamp\":0,\"running_time\":0,\"corrupted\":true,\"resolution\"",
          "\"timestamp\":0,\"running_time\":0,\"interlaced\":true,\"resolution\""},
      {"coco", "\"timestamp\":0,\"running_time\":0,\"corrupted\":true}",
          "\"timestamp\":0,\"running_time\":0,\"interlaced\":true}"},
      {"labelme", "\"timestamp\":0,\"running_time\":0,\"corrupted\":true}",
          "\"timestamp\":0,\"running_time\":0,\"interlaced\":true}"},
  };
  const gboolean per_frame = __i__ == 2 || __i__ == 3 || __i__ == 5;
  GstBus *bus;
  gchar *path = in_folder (per_frame ? "out-%d" : "out"), *text = NULL, *all = g_strdup ("");
  GstElement *element = make_element (path, &bus);
  gst_util_set_object_arg (G_OBJECT (element), "format", cases[__i__].format);
  GstHarness *h = play (element);

  GstBuffer *corrupted = sample_buffer ();
  GST_BUFFER_FLAG_SET (corrupted, GST_BUFFER_FLAG_CORRUPTED);
  sample_attach (corrupted, 0, "finder");
  /* An element in between may have reset it. */
  GST_BUFFER_FLAG_UNSET (corrupted, GST_BUFFER_FLAG_CORRUPTED);
  fail_unless_equals_int (gst_harness_push (h, corrupted), GST_FLOW_OK);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=8,height=6,interlace-mode=interleaved");
  GstBuffer *interlaced = sample_buffer ();
  sample_attach (interlaced, 0, "finder");
  fail_unless_equals_int (gst_harness_push (h, interlaced), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));

  for (guint i = 0; i < (per_frame ? 2 : 1); i++) {
    gchar *file = in_folder (!per_frame ? "out" : i ? "out-1" : "out-0"), *joined;
    fail_unless (g_file_get_contents (file, &text, NULL, NULL), "%s", file);
    joined = g_strconcat (all, text, NULL);
    g_free (all);
    g_free (text);
    g_free (file);
    all = joined;
  }
  fail_unless (strstr (all, cases[__i__].corrupted) != NULL, "%s", all);
  fail_unless (strstr (all, cases[__i__].interlaced) != NULL, "%s", all);
  g_free (all);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (features)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *text;
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, SAMPLE_ALL), GST_FLOW_OK);
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  /* The L: covariance 2/9, -1/9, 2/9. The last component is one pixel. */
  fail_unless (strstr (text, "\"orientation\":-0.7853981633974483,\"major_axis\":2.309401076758503,"
                             "\"minor_axis\":1.3333333333333333,\"eccentricity\":0.816496580927726,"
                             "\"min\":255,\"max\":255,\"mean\":255,\"std\":0,"
                             "\"p5\":255,\"p25\":255,\"median\":255,\"p75\":255,\"p95\":255,"
                             "\"inscribed_radius\":1,\"inscribed_x\":1,\"inscribed_y\":0,"
                             "\"ring_mean\":0,\"contrast\":255,"
                             "\"skeleton_length\":0,\"skeleton_width\":2,\"skeleton_pixels\":1}")
                   != NULL,
      "%s", text);
  fail_unless (strstr (text, "\"orientation\":0,\"major_axis\":0,\"minor_axis\":0,\"eccentricity\":0,"
                             "\"min\":128,\"max\":128,\"mean\":128,\"std\":0,"
                             "\"p5\":128,\"p25\":128,\"median\":128,\"p75\":128,\"p95\":128,"
                             "\"inscribed_radius\":1,\"inscribed_x\":0,\"inscribed_y\":5,"
                             "\"ring_mean\":0,\"contrast\":128,"
                             "\"skeleton_length\":0,\"skeleton_width\":2,\"skeleton_pixels\":1}]}\n")
                   != NULL,
      "%s", text);
  fail_unless (strstr (text, "nan") == NULL);
  g_free (text);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (csv)
{
  GstBus *bus;
  gchar *path = in_folder ("out.csv");
  GstElement *element = make_element (path, &bus);
  gst_util_set_object_arg (G_OBJECT (element), "format", "csv");
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (h, sample_buffer ()), GST_FLOW_OK);
  fail_unless_equals_int (push (h, 80, 0), GST_FLOW_OK);
  GstBuffer *named = sample_buffer ();
  sample_attach (named, CTR_FEATURE_GREY, "a,\"b\"");
  GST_BUFFER_PTS (named) = GST_CLOCK_TIME_NONE;
  fail_unless_equals_int (gst_harness_push (h, named), GST_FLOW_OK);
  const guint8 white = 255;
  GstBuffer *dot = gst_buffer_new ();
  CtrComponents *one =
      sample_analyse (&white, 1, 1, CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED | CTR_FEATURE_SKELETON);
  gst_buffer_add_contours_component_meta (dot, one, "c\rd");
  ctr_components_unref (one);
  fail_unless_equals_int (gst_harness_push (h, dot), GST_FLOW_OK);
  assert_file (path,                                        /* */
      CSV_HEADER CSV_PLAIN ("0", "0") CSV_PLAIN ("2", "80") /* */
      "3,,,\"a,\"\"b\"\"\",8,6,0,0,1,3,1,0,2,2,1.3333333333333333,0.3333333333333333,,,,,255,255,255,0,,,,,,,,,"
      "0" EMPTY_REST NO_CLOCK
      "3,,,\"a,\"\"b\"\"\",8,6,0,0,2,4,6,1,2,3,6.5,1.75,,,,,200,230,215,11.180339887498949,,,,,,,,,0" EMPTY_REST
          NO_CLOCK "3,,,\"a,\"\"b\"\"\",8,6,0,0,3,1,0,5,1,1,0,5,,,,,128,128,128,0,,,,,,,,,0" EMPTY_REST NO_CLOCK
      "4,,,\"c\rd\",1,1,0,0,1,1,0,0,1,1,0,0,,,,,,,,,,,,,,,,,0,,,,,,,,,,,,,,,,," NO_WORLD
      ",255,255,255,255,255,1,0,0,,,0,2,1," NO_CLOCK);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* Names that would break a line, or are no text. */
GST_START_TEST (csv_names)
{
  static const gchar *const names[] = {"a\rb", "a\nb", "a\xff"}, *const fields[] = {"\"a\rb\"", "\"a\nb\"", "a\uFFFD"};
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstBus *bus;
    gchar *path = in_folder ("out.csv"), *text = NULL;
    GstElement *element = make_element (path, &bus);
    gst_util_set_object_arg (G_OBJECT (element), "format", "csv");
    GstHarness *h = play (element);
    GstBuffer *buffer = sample_buffer ();
    sample_attach (buffer, 0, names[i]);
    GST_BUFFER_PTS (buffer) = 0;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    fail_unless (g_file_get_contents (path, &text, NULL, NULL));
    gchar *row = g_strdup_printf (CSV_HEADER "0,0,0,%s,8,6,0,0,1,", fields[i]);
    fail_unless (g_str_has_prefix (text, row), "%s", text);
    g_free (row);
    g_free (text);
    finish (h, element, bus);
    g_free (path);
  }
}
GST_END_TEST;

GST_START_TEST (csv_without_frames)
{
  GstBus *bus;
  gchar *path = in_folder ("out.csv");
  GstElement *element = make_element (path, &bus);
  gst_util_set_object_arg (G_OBJECT (element), "format", "csv");
  GstHarness *h = play (element);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  assert_file (path, CSV_HEADER);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* Stream time, not running time and not the timestamp. */
GST_START_TEST (stream_time)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 1000;
  segment.time = 5000;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (push (h, 1040, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":1040,\"timestamp\":5040,\"running_time\":40,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* A segment in bytes, which an appsrc has by default, tells no stream time. */
GST_START_TEST (segment_in_bytes)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  GstSegment segment;
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (push (h, 1040, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":1040,\"timestamp\":null,\"running_time\":null,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* The very same buffer goes on, even one that may not be written. */
GST_START_TEST (frames_pass_untouched)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  GstBuffer *buffer = gst_buffer_ref (sample_buffer ());
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  GstBuffer *out = gst_harness_pull (h);
  fail_unless (out == buffer);
  gst_buffer_unref (out);
  gst_buffer_unref (buffer);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (gpu_memory_caps)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  sample_play_file (h);
  gst_harness_set_src_caps_str (h, "video/x-raw(memory:CUDAMemory),format=NV12,width=640,height=480,framerate=25/1");
  GstBuffer *buffer = gst_buffer_new ();
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":null,\"timestamp\":null,\"running_time\":null,\"source\":null,\"resolution\":{"
                          "\"width\":640,\"height\":480},"
                          "\"threshold\":null,\"connectivity\":null,\"count\":0,\"components\":[]}\n");
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

static Suite *
export_suite (void)
{
  Suite *suite = suite_create ("contourexport");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_test (tcase, ndjson);
  tcase_add_loop_test (tcase, flags, 0, 6);
  tcase_add_loop_test (tcase, limits, 0, 5);
  tcase_add_test (tcase, features);
  tcase_add_test (tcase, csv);
  tcase_add_test (tcase, csv_names);
  tcase_add_test (tcase, csv_without_frames);
  tcase_add_test (tcase, stream_time);
  tcase_add_test (tcase, segment_in_bytes);
  tcase_add_test (tcase, frames_pass_untouched);
  tcase_add_test (tcase, gpu_memory_caps);
  return suite;
}

GST_CHECK_MAIN (export);
