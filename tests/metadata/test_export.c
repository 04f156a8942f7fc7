/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: what it writes, when, and what happens where it cannot. */
#include <contours/contours.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/results/contourlist.h"
#include "exporting.h"

#define HEAD "{\"schema\":\"gst-cuda-contours/1\",\"frame\":"
#define PLAIN                                                                                                     \
  ",\"resolution\":{\"width\":8,\"height\":6},\"threshold\":128,\"connectivity\":8,\"count\":3,\"components\":["  \
  "{\"label\":1,\"area\":3,\"x\":1,\"y\":0,\"w\":2,\"h\":2,\"cx\":1.3333333333333333,\"cy\":0.3333333333333333}," \
  "{\"label\":2,\"area\":4,\"x\":6,\"y\":1,\"w\":2,\"h\":3,\"cx\":6.5,\"cy\":1.75},"                              \
  "{\"label\":3,\"area\":1,\"x\":0,\"y\":5,\"w\":1,\"h\":1,\"cx\":0,\"cy\":5}]}\n"
#define CSV_HEADER                                                                         \
  "frame,pts,timestamp,source,width,height,corrupted,interlaced,label,area,x,y,w,h,cx,cy," \
  "orientation,major_axis,minor_axis,eccentricity,min,max,mean,std,"                       \
  "id,hole,parent,perimeter,point_count,level,coordinates,points\n"
#define CSV_PLAIN(frame, pts)                                                                                       \
  frame "," pts "," pts ",finder,8,6,0,0,1,3,1,0,2,2,1.3333333333333333,0.3333333333333333,,,,,,,,,,,,,,,,\n" frame \
        "," pts "," pts ",finder,8,6,0,0,2,4,6,1,2,3,6.5,1.75,,,,,,,,,,,,,,,,\n" frame "," pts "," pts              \
        ",finder,8,6,0,0,3,1,0,5,1,1,0,5,,,,,,,,,,,,,,,,\n"

#define CONTOURS                                                                                                       \
  ",\"resolution\":{\"width\":8,\"height\":6},\"threshold\":77,\"count\":3,\"coordinates\":\"pixels\",\"contours\":["  \
  "{\"id\":0,\"hole\":false,\"parent\":null,\"area\":15,\"perimeter\":16,\"x\":1,\"y\":1,\"w\":6,\"h\":4,"             \
  "\"points\":[[1,1],[1,4],[6,4],[6,1]]},"                                                                             \
  "{\"id\":1,\"hole\":true,\"parent\":0,\"level\":5,\"area\":2,\"perimeter\":5.656854152679443,\"x\":2,\"y\":2,\"w\":" \
  "3,\"h\":3,"                                                                                                         \
  "\"points\":[[3,2],[4,3],[3,4],[2,3]]},"                                                                             \
  "{\"id\":2,\"hole\":false,\"parent\":null,\"area\":0,\"perimeter\":0,\"x\":7,\"y\":0,\"w\":1,\"h\":1,"               \
  "\"points\":[[7,0]]}]}\n"

GST_START_TEST (ndjson)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);

  /* Each line is there as soon as its frame has passed. */
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN);

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
  assert_file (path,                                                   /* */
      HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN /* */
          HEAD "1,\"pts\":null,\"timestamp\":null,\"source\":null,\"resolution\":{\"width\":8,\"height\":6},"
           "\"threshold\":null,\"connectivity\":null,\"count\":0,\"components\":[]}\n"     /* */
      HEAD "2,\"pts\":80,\"timestamp\":80,\"source\":\"a\\\"b\\\\c\\u000a\xc3\xa4\"" PLAIN /* */
          HEAD "2,\"pts\":80,\"timestamp\":80,\"source\":null" PLAIN                       /* */
              HEAD "3,\"pts\":120,\"timestamp\":120,\"source\":\"finder\",\"resolution\":{\"width\":3,\"height\":2},"
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
                 "\"contours\":[]}\n"},
      {"svg", "<g data-source=\"lines\" data-limit-exceeded=\"true\" "},
      {"geojson", "\"timestamp\":0,\"limit_exceeded\":true,\"resolution\""},
      {"coco", "\"timestamp\":0,\"limit_exceeded\":true}"},
      {"labelme", "\"timestamp\":0,\"limit_exceeded\":true}"},
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
      {"ndjson", "\"timestamp\":0,\"corrupted\":true,\"source\"", "\"timestamp\":0,\"interlaced\":true,\"source\""},
      {"csv", "0,0,0,finder,8,6,1,0,1,3,", "1,0,0,finder,8,6,0,1,1,3,"},
      {"svg", " data-corrupted=\"true\">", " data-interlaced=\"true\">"},
      {"geojson", "\"timestamp\":0,\"corrupted\":true,\"resolution\"",
          "\"timestamp\":0,\"interlaced\":true,\"resolution\""},
      {"coco", "\"timestamp\":0,\"corrupted\":true}", "\"timestamp\":0,\"interlaced\":true}"},
      {"labelme", "\"timestamp\":0,\"corrupted\":true}", "\"timestamp\":0,\"interlaced\":true}"},
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
                             "\"min\":255,\"max\":255,\"mean\":255,\"std\":0}")
                   != NULL,
      "%s", text);
  fail_unless (strstr (text, "\"orientation\":0,\"major_axis\":0,\"minor_axis\":0,\"eccentricity\":0,"
                             "\"min\":128,\"max\":128,\"mean\":128,\"std\":0}]}\n")
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
  CtrComponents *one = sample_analyse (&white, 1, 1, 0);
  gst_buffer_add_contours_component_meta (dot, one, "c\rd");
  ctr_components_unref (one);
  fail_unless_equals_int (gst_harness_push (h, dot), GST_FLOW_OK);
  assert_file (path,                                        /* */
      CSV_HEADER CSV_PLAIN ("0", "0") CSV_PLAIN ("2", "80") /* */
      "3,,,\"a,\"\"b\"\"\",8,6,0,0,1,3,1,0,2,2,1.3333333333333333,0.3333333333333333,,,,,255,255,255,0,,,,,,,,\n"
      "3,,,\"a,\"\"b\"\"\",8,6,0,0,2,4,6,1,2,3,6.5,1.75,,,,,200,230,215,11.180339887498949,,,,,,,,\n"
      "3,,,\"a,\"\"b\"\"\",8,6,0,0,3,1,0,5,1,1,0,5,,,,,128,128,128,0,,,,,,,,\n"
      "4,,,\"c\rd\",1,1,0,0,1,1,0,0,1,1,0,0,,,,,,,,,,,,,,,,\n");
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
  assert_file (path, HEAD "0,\"pts\":1040,\"timestamp\":5040,\"source\":\"finder\"" PLAIN);
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
  assert_file (path, HEAD "0,\"pts\":1040,\"timestamp\":null,\"source\":\"finder\"" PLAIN);
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
  gst_harness_set_src_caps_str (h, "video/x-raw(memory:CUDAMemory),format=NV12,width=640,height=480,framerate=25/1");
  GstBuffer *buffer = gst_buffer_new ();
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  assert_file (path,
      HEAD "0,\"pts\":null,\"timestamp\":null,\"source\":null,\"resolution\":{\"width\":640,\"height\":480},"
           "\"threshold\":null,\"connectivity\":null,\"count\":0,\"components\":[]}\n");
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (full_disk)
{
  GstBus *bus;
  if (access ("/dev/full", W_OK) != 0)
    return;
  GstElement *element = make_element ("/dev/full", &bus);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_ERROR);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "/dev/full");
  finish (h, element, bus);
}
GST_END_TEST;

/* A limit on the file size: its signal would end the process. */
GST_START_TEST (file_size_limit)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  struct rlimit before, limited;
  fail_unless (getrlimit (RLIMIT_FSIZE, &before) == 0);
  limited = before;
  limited.rlim_cur = 1000;
  fail_unless (setrlimit (RLIMIT_FSIZE, &limited) == 0);
  GstFlowReturn results[3];
  for (guint i = 0; i < 3; i++)
    results[i] = push (h, i * 40, 0);
  fail_unless (setrlimit (RLIMIT_FSIZE, &before) == 0);
  fail_unless_equals_int (results[0], GST_FLOW_OK);
  fail_unless_equals_int (results[1], GST_FLOW_OK);
  fail_unless_equals_int (results[2], GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, path);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (cannot_open)
{
  GstBus *bus;
  gchar *missing = in_folder ("missing/out.ndjson"), *pipe_path = in_folder ("pipe");
  GstElement *element = make_element (missing, &bus);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, missing);
  g_object_set (element, "location", folder, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, folder);
  g_object_set (element, "location", "", NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "\"\"");
  fail_unless (mkfifo (pipe_path, 0600) == 0);
  g_object_set (element, "location", pipe_path, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "has no reader");
  g_object_set (element, "fd", 1, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_SETTINGS, "Set only one of them");
  g_object_set (element, "location", NULL, "fd", 987654, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "987654");
  gint read_only = open ("/dev/null", O_RDONLY);
  g_object_set (element, "fd", read_only, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "descriptor");
  close (read_only);

  /* The same element works once it is set right. */
  gchar *path = in_folder ("out.ndjson");
  g_object_set (element, "location", path, "fd", -1, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  g_free (path);
  g_free (missing);
  g_free (pipe_path);
}
GST_END_TEST;

GST_START_TEST (file_descriptor)
{
  GstBus *bus;
  gint ends[2];
  fail_unless (pipe (ends) == 0);
  GstElement *element = make_element (NULL, &bus);
  g_object_set (element, "fd", ends[1], NULL);
  GstHarness *h = play (element);
  const gchar *expected = HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN;
  gchar got[1000];
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  gssize size = read (ends[0], got, sizeof got - 1);
  fail_unless (size > 0);
  got[size] = '\0';
  assert_equals_string (got, expected);
  finish (h, element, bus);
  fail_unless (fcntl (ends[1], F_GETFD) >= 0, "it closed a descriptor that is not its own");
  close (ends[0]);
  close (ends[1]);
}
GST_END_TEST;

GST_START_TEST (named_pipe)
{
  GstBus *bus;
  gchar *path = in_folder ("pipe"), got[1000];
  fail_unless (mkfifo (path, 0600) == 0);
  gint reader = open (path, O_RDONLY | O_NONBLOCK);
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  gssize size = read (reader, got, sizeof got - 1);
  fail_unless (size > 0);
  got[size] = '\0';
  assert_equals_string (got, HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  assert_equals_int (read (reader, got, sizeof got), 0); /* closed */
  close (reader);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (reader_goes_away)
{
  GstBus *bus;
  gint ends[2];
  /* Deadly, whatever the surroundings have made of it. */
  struct sigaction deadly = {.sa_handler = SIG_DFL}, before;
  fail_unless (sigaction (SIGPIPE, &deadly, &before) == 0);
  fail_unless (pipe (ends) == 0);
  GstElement *element = make_element (NULL, &bus);
  g_object_set (element, "fd", ends[1], NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  close (ends[0]);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_WRITE, "reader");
  finish (h, element, bus);
  sigset_t pending;
  sigpending (&pending);
  fail_if (sigismember (&pending, SIGPIPE));
  sigaction (SIGPIPE, &before, NULL);
  close (ends[1]);
}
GST_END_TEST;

static gpointer
read_all (gpointer data)
{
  GString *text = g_string_new (NULL);
  gchar block[1000];
  gssize size;
  while ((size = read (GPOINTER_TO_INT (data), block, sizeof block)) > 0) {
    g_string_append_len (text, block, size);
    if (text->len % 7 == 0)
      g_usleep (100);
  }
  return text;
}

/* Lines larger than a pipe holds, a reader slower than the writer, a descriptor that never waits: nothing is lost. */
GST_START_TEST (slow_reader)
{
  GstBus *bus;
  gint ends[2];
  gchar *path = in_folder ("out.ndjson"), *expected;
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, sample_dots (64, 64)), GST_FLOW_OK);
  finish (h, element, bus);
  fail_unless (g_file_get_contents (path, &expected, NULL, NULL));
  fail_unless (strlen (expected) > 150000);

  fail_unless (pipe (ends) == 0);
  fail_unless (fcntl (ends[1], F_SETFL, O_NONBLOCK) == 0);
  GThread *reader = g_thread_new (NULL, read_all, GINT_TO_POINTER (ends[0]));
  element = make_element (NULL, &bus);
  g_object_set (element, "fd", ends[1], NULL);
  h = play (element);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, sample_dots (64, 64)), GST_FLOW_OK);
  finish (h, element, bus);
  close (ends[1]);
  GString *got = g_thread_join (reader);
  close (ends[0]);
  fail_unless (strcmp (got->str, expected) == 0);
  g_string_free (got, TRUE);
  g_free (expected);
  g_free (path);
}
GST_END_TEST;

/* A reader that does not read must not keep the pipeline from stopping, in the middle of a line longer than the pipe.
 */
GST_START_TEST (stop_while_waiting)
{
  gint ends[2];
  fail_unless (pipe (ends) == 0);
  gchar *launch = g_strdup_printf ("videotestsrc pattern=snow ! video/x-raw,format=GRAY8,width=320,height=240 ! "
                                   "cudacca backend=cpu ! contourexport fd=%d ! fakesink",
      ends[1]);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* Until the pipe is full: no room for a page. */
  GstPollFD fd = GST_POLL_FD_INIT;
  GstPoll *room = gst_poll_new (FALSE);
  fd.fd = ends[1];
  gst_poll_add_fd (room, &fd);
  gst_poll_fd_ctl_write (room, &fd, TRUE);
  for (guint i = 0; i < 1000 && gst_poll_wait (room, 0) > 0; i++)
    g_usleep (10000);
  fail_unless_equals_int (gst_poll_wait (room, 0), 0);
  gst_poll_free (room);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (pipeline);
  close (ends[0]);
  close (ends[1]);
  g_free (launch);
}
GST_END_TEST;

GST_START_TEST (standard_output)
{
  GstBus *bus;
  gchar *path = in_folder ("stdout");
  fflush (stdout);
  gint saved = dup (1), file = open (path, O_WRONLY | O_CREAT, 0600);
  fail_unless (dup2 (file, 1) == 1);
  GstElement *element = make_element (NULL, &bus);
  GstHarness *h = play (element);
  GstFlowReturn ret = push (h, 40, 0);
  finish (h, element, bus);
  gboolean open_still = fcntl (1, F_GETFD) >= 0;
  dup2 (saved, 1);
  close (saved);
  close (file);
  fail_unless_equals_int (ret, GST_FLOW_OK);
  fail_unless (open_still);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (properties_while_running)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *got;
  gint fd, format;
  gboolean append;
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  g_object_set (element, "location", "elsewhere", NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "location");
  g_object_set (element, "fd", 1, NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "fd");
  g_object_set (element, "format", 1, NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "format");
  g_object_set (element, "append", TRUE, NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "append");
  g_object_get (element, "location", &got, "fd", &fd, "format", &format, "append", &append, NULL);
  assert_equals_string (got, path);
  assert_equals_int (fd, -1);
  assert_equals_int (format, 0);
  assert_equals_int (append, FALSE);
  g_free (got);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* A harness leaves the element's source pad linked. */
static void
unlink_src (GstElement *element)
{
  GstPad *pad = gst_element_get_static_pad (element, "src"), *peer = gst_pad_get_peer (pad);
  if (peer) {
    gst_pad_unlink (pad, peer);
    gst_object_unref (peer);
  }
  gst_object_unref (pad);
}

/* Runs twice; APPEND and FORMAT as given. */
static void
run_twice (const gchar *path, gboolean append, const gchar *format)
{
  GstBus *bus;
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "append", append, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "format", format);
  for (guint run = 0; run < 2; run++) {
    GstHarness *h = play (element);
    fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
    fail_unless_equals_int (push (h, 80, 0), GST_FLOW_OK);
    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    gst_harness_teardown (h);
    gst_element_set_state (element, GST_STATE_NULL);
    unlink_src (element);
  }
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

#define RUN                                                             \
  HEAD "0,\"pts\":40,\"timestamp\":40,\"source\":\"finder\"" PLAIN HEAD \
       "1,\"pts\":80,\"timestamp\":80,\"source\":\"finder\"" PLAIN
#define CSV_RUN CSV_PLAIN ("0", "40") CSV_PLAIN ("1", "80")

GST_START_TEST (restart)
{
  gchar *path = in_folder ("out");
  run_twice (path, FALSE, "ndjson");
  assert_file (path, RUN);
  run_twice (path, TRUE, "ndjson");
  assert_file (path, RUN RUN RUN);
  run_twice (path, FALSE, "csv");
  assert_file (path, CSV_HEADER CSV_RUN);
  run_twice (path, TRUE, "csv");
  assert_file (path, CSV_HEADER CSV_RUN CSV_RUN CSV_RUN);
  g_unlink (path);
  run_twice (path, TRUE, "csv");
  assert_file (path, CSV_HEADER CSV_RUN CSV_RUN);
  g_free (path);
}
GST_END_TEST;

static guint
open_descriptors (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

/* Starting and stopping leaves no descriptor behind, failed starts neither. */
GST_START_TEST (many_restarts)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *missing = in_folder ("missing/out.ndjson");
  const gchar *const locations[] = {path, "/dev/null", missing};
  guint before = 0;
  for (guint i = 0; i < 300; i++) {
    if (i == 3) /* once everything has been opened that stays open */
      before = open_descriptors ();
    GstElement *element = make_element (locations[i % 3], &bus);
    gst_element_set_state (element, GST_STATE_PAUSED);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
  assert_equals_int (open_descriptors (), before);
  g_free (path);
  g_free (missing);
}
GST_END_TEST;

static glong
peak_memory_kib (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

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
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=2048,height=684,framerate=25/1");
  GstBuffer *buffer = sample_dots (width, height);

  glong before = peak_memory_kib ();
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  glong grown = peak_memory_kib () - before;
  fail_unless (grown < 8192, "%ld KiB more", grown);
  finish (h, element, bus);

  gchar *text, *end;
  if (csv)
    end = g_strdup_printf (",%u,1,2046,682,1,1,2046,682,,,,,,,,,,,,,,,,\n", count);
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

  const CtrContours info = {.width = 3, .height = 2, .threshold = 9, .coordinates = CTR_COORDINATES_CORNERS};
  CtrContourArrays arrays;
  CtrContours *nothing = ctr_contours_alloc (&info, &arrays, NULL);
  GstBuffer *none = gst_buffer_new ();
  gst_buffer_add_contours_contour_meta (none, nothing, "follower");
  ctr_contours_unref (nothing);
  fail_unless_equals_int (gst_harness_push (h, none), GST_FLOW_OK);
  assert_file (path,                                                      /* */
      HEAD "0,\"pts\":0,\"timestamp\":0,\"source\":\"follower\"" CONTOURS /* */
          HEAD "0,\"pts\":0,\"timestamp\":0,\"source\":\"finder\"" PLAIN  /* */
              HEAD "0,\"pts\":0,\"timestamp\":0,\"source\":null" CONTOURS /* */
                  HEAD "1,\"pts\":null,\"timestamp\":null,\"source\":\"follower\","
           "\"resolution\":{\"width\":3,\"height\":2},\"threshold\":9,\"count\":0,"
           "\"coordinates\":\"corners\",\"contours\":[]}\n");
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
  assert_file (path,
      CSV_HEADER "0,0,0,\"a,b\",8,6,0,0,,15,1,1,6,4,,,,,,,,,,,0,0,,16,4,,pixels,1 1 1 4 6 4 6 1\n"
                 "0,0,0,\"a,b\",8,6,0,0,,2,2,2,3,3,,,,,,,,,,,1,1,0,5.656854152679443,4,5,pixels,3 2 4 3 3 4 2 3\n"
                 "0,0,0,\"a,b\",8,6,0,0,,0,7,0,1,1,,,,,,,,,,,2,0,,0,1,,pixels,7 0\n" CSV_PLAIN ("0",
                     "0") "0,0,0,,8,6,0,0,,15,1,1,5,3,3.5,2.5,,,,,,,,,0,0,,16,4,,corners,1 1 1 4 6 4 6 1\n"
                          "0,0,0,,8,6,0,0,,2,2,2,2,2,3,3,,,,,,,,,1,1,0,5.656854152679443,4,5,corners,3 2 4 3 3 4 2 3\n"
                          "0,0,0,,8,6,0,0,,0,7,0,0,0,,,,,,,,,,,2,0,,0,1,,corners,7 0\n");
  gchar *text, **lines;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; i < 10; i++) {
    guint commas = i >= 1 && i <= 3 ? -1 : 0; /* one is in a quoted name */
    for (const gchar *c = lines[i]; *c; c++)
      commas += *c == ',';
    assert_equals_int (commas, 31);
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
  tcase_add_test (tcase, full_disk);
  tcase_add_test (tcase, file_size_limit);
  tcase_add_test (tcase, cannot_open);
  tcase_add_test (tcase, file_descriptor);
  tcase_add_test (tcase, named_pipe);
  tcase_add_test (tcase, reader_goes_away);
  tcase_add_test (tcase, slow_reader);
  tcase_add_test (tcase, stop_while_waiting);
  tcase_add_test (tcase, standard_output);
  tcase_add_test (tcase, properties_while_running);
  tcase_add_test (tcase, restart);
  tcase_add_test (tcase, many_restarts);
  tcase_add_loop_test (tcase, many_components, 0, 2); /* ndjson, csv */
  tcase_add_test (tcase, contours);
  tcase_add_loop_test (tcase, contours_scaled, 0, 2); /* pixels, corners */
  tcase_add_test (tcase, contours_csv);
  tcase_add_loop_test (tcase, contours_lost, 0, 6); /* the formats */
  tcase_add_test (tcase, many_points);
  return suite;
}

GST_CHECK_MAIN (export);
