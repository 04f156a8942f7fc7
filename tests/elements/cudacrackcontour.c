/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the results and messages of cudacrackcontour; filter.c tests what it shares with other elements.
 * It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "contours.h"
#include "parts.h"

/* The element reads every format, with padded rows. The test uses four levels, because 16-bit noise has too many
 * contours at all levels. */
GST_START_TEST (test_formats_all)
{
  static const guint32 of_8_bits[] = {1, 60, 128, 255}, of_16_bits[] = {1, 15000, 32768, 65535};

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    TestFrame frame = {test_formats[i].video, 162, 122, .seed = i, .padding = test_in_cuda_memory () ? 0 : 8};
    gboolean wide = test_formats[i].samples == CTR_FORMAT_GRAY16;
    CtrCracksParams params;
    GstHarness *h;

    if (!format_runs (&test_formats[i]))
      continue;
    ctr_cracks_params_init (&params);
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
    params.levels = wide ? of_16_bits : of_8_bits;
    params.level_count = 4;
    h = new_harness (wide ? "cudacrackcontour features=moments levels=1,15000,32768,65535"
                          : "cudacrackcontour features=moments levels=1,60,128,255");
    set_frame_caps (h, &frame);
    check_cracks (h, &frame, &params);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* Makes a frame of the labels that ROWS shows. */
static GstBuffer *
make_labels (const TestFrame *frame, const gchar *const *rows)
{
  GstBuffer *buffer = make_frame (frame);
  GstVideoInfo info;
  GstVideoFrame map;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&map, &info, buffer, GST_MAP_WRITE));
  for (gint y = 0; y < frame->height; y++)
    for (gint x = 0; x < frame->width; x++)
      ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&map, 0))[y * GST_VIDEO_FRAME_PLANE_STRIDE (&map, 0) + x] =
          rows[y][x] == '.' ? 0 : rows[y][x] - '0';
  gst_video_frame_unmap (&map);
  return buffer;
}

typedef struct {
  guint level;
  gdouble area, perimeter;
  guint count;
  CtrPoint points[8];
} Line;

static void
assert_lines (GstBuffer *buffer, const gchar *source, const Line *lines, guint count)
{
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);

  fail_unless_equals_string (gst_contours_contour_meta_get_source (meta), source);
  fail_unless_equals_int (gst_contours_contour_meta_get_coordinates (meta), GST_CONTOURS_CONTOUR_COORDINATES_CORNERS);
  fail_unless_equals_int (gst_contours_contour_meta_get_count (meta), count);
  for (guint i = 0; i < count; i++) {
    GBytes *points = gst_contours_contour_meta_get_points (meta, i);
    GstContoursContour c;

    fail_unless (gst_contours_contour_meta_get_contour (meta, i, &c));
    fail_unless_equals_int (c.level, lines[i].level);
    fail_unless_equals_float (c.area, lines[i].area);
    fail_unless_equals_float (c.perimeter, lines[i].perimeter);
    fail_unless (!c.hole && c.parent == -1);
    fail_unless_equals_int (g_bytes_get_size (points), lines[i].count * sizeof (CtrPoint));
    fail_unless (memcmp (g_bytes_get_data (points, NULL), lines[i].points, g_bytes_get_size (points)) == 0, "%u", i);
    g_bytes_unref (points);
  }
}

/* An application reads the expected contours, written by hand, of a label map, in both modes. */
GST_START_TEST (test_label_map)
{
  static const gchar *const rows[] = {"......", ".1122.", ".1122.", ".3333.", "......", "......"};
  static const Line equal[] = {{1, 4, 8, 4, {{1, 1}, {3, 1}, {3, 3}, {1, 3}}},
      {2, 4, 8, 4, {{3, 1}, {5, 1}, {5, 3}, {3, 3}}}, {3, 4, 10, 4, {{1, 3}, {5, 3}, {5, 4}, {1, 4}}}};
  static const Line at_least[] = {{1, 12, 14, 4, {{1, 1}, {5, 1}, {5, 4}, {1, 4}}},
      {2, 8, 14, 6, {{3, 1}, {5, 1}, {5, 4}, {1, 4}, {1, 3}, {3, 3}}}, {3, 4, 10, 4, {{1, 3}, {5, 3}, {5, 4}, {1, 4}}}};
  TestFrame frame = {.format = GST_VIDEO_FORMAT_NV12, .width = 6, .height = 6};
  GstHarness *h = new_harness ("cudacrackcontour mode=eq name=map");
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_labels (&frame, rows)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  assert_lines (buffer, "map", equal, G_N_ELEMENTS (equal));
  gst_buffer_unref (buffer);

  gst_util_set_object_arg (G_OBJECT (h->element), "mode", "ge");
  fail_unless_equals_int (gst_harness_push (h, make_labels (&frame, rows)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  assert_lines (buffer, "map", at_least, G_N_ELEMENTS (at_least));
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The results are right after a change of size or format during the stream. */
GST_START_TEST (test_renegotiation)
{
  TestFrame frames[] = {{GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 1}, {GST_VIDEO_FORMAT_RGB, 34, 18, .seed = 2},
      {GST_VIDEO_FORMAT_P010_10LE, 162, 90, .seed = 3}, {GST_VIDEO_FORMAT_I420, 320, 240, .seed = 4}};
  static const guint32 levels[] = {40, 128, 250};
  GstHarness *h = new_harness ("cudacrackcontour levels=40,128,250");
  CtrCracksParams params;

  ctr_cracks_params_init (&params);
  params.levels = levels;
  params.level_count = G_N_ELEMENTS (levels);
  for (guint i = 0; i < 3 * G_N_ELEMENTS (frames); i++) {
    set_frame_caps (h, &frames[i % G_N_ELEMENTS (frames)]);
    check_cracks (h, &frames[i % G_N_ELEMENTS (frames)], &params);
  }
  restart (h, &frames[0]);
  check_cracks (h, &frames[0], &params);
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_messages)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 16};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacrackcontour name=any step=50", bus);
  guint64 timestamp, running_time, points;
  GstContoursContourMeta *meta;
  GstMessage *message;
  GstBuffer *buffer;
  guint count;

  set_frame_caps (h, &frame);
  gst_buffer_unref (pass_frame (h, &frame));
  fail_unless (pop_message (bus, GST_MESSAGE_ELEMENT) == NULL, "posted without being asked");

  g_object_set (h->element, "post-messages", TRUE, NULL);
  buffer = make_frame (&frame);
  GST_BUFFER_PTS (buffer) = 2 * GST_SECOND;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  meta = gst_buffer_get_contours_contour_meta (buffer);
  message = pop_message (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL && gst_message_has_name (message, "cudacrackcontour"));
  fail_unless (
      gst_structure_get (gst_message_get_structure (message), "timestamp", G_TYPE_UINT64, &timestamp, "running-time",
          G_TYPE_UINT64, &running_time, "count", G_TYPE_UINT, &count, "points", G_TYPE_UINT64, &points, NULL));
  fail_unless_equals_uint64 (timestamp, 2 * GST_SECOND);
  fail_unless_equals_uint64 (running_time, 2 * GST_SECOND);
  fail_unless (count > 0 && count == gst_contours_contour_meta_get_count (meta));
  fail_unless (points > 0 && points == gst_contours_contour_meta_get_point_count (meta));
  gst_message_unref (message);
  gst_buffer_unref (buffer);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Sends FRAME, whose contours have POINTS points: the result must say that this exceeds the limit. */
static void
check_too_many (GstHarness *h, const TestFrame *frame, guint64 points)
{
  GstBuffer *buffer = pass_frame (h, frame);
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);

  fail_unless_equals_int (gst_contours_contour_meta_get_flags (meta), GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED);
  fail_unless_equals_uint64 (gst_contours_contour_meta_get_needed (meta), points);
  fail_unless_equals_int (gst_contours_contour_meta_get_count (meta), 0);
  gst_buffer_unref (buffer);
}

/* Removes the messages of one frame from BUS: EXCEEDED is what its element message must say. Returns the number of
 * warnings about max-points. */
static guint
take_messages (GstBus *bus, gboolean exceeded)
{
  GstMessage *message;
  guint warnings = 0, totals = 0;

  while ((message = pop_message (bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
      gboolean said;

      fail_unless (gst_structure_get_boolean (gst_message_get_structure (message), "limit-exceeded", &said));
      fail_unless_equals_int (said, exceeded);
      totals++;
    } else {
      GError *error = NULL;

      gst_message_parse_warning (message, &error, NULL);
      fail_unless (strstr (error->message, "max-points is ") != NULL, "%s", error->message);
      g_error_free (error);
      warnings++;
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int (totals, 1);
  return warnings;
}

/* max-points is inclusive. A frame that exceeds it has no contours, and the first such frame in a row yields one
 * warning. */
GST_START_TEST (test_most_points)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 19};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacrackcontour step=16 min-area=3 post-messages=true", bus);
  CtrCracksParams params;
  CtrContours *all;
  guint64 points;

  ctr_cracks_params_init (&params);
  params.step = 16;
  all = expected_cracks (&frame, &params);
  points = all->point_count;
  ctr_contours_unref (all);
  params.min_area = 3;
  set_frame_caps (h, &frame);
  for (guint i = 0; i < 2; i++) {
    g_object_set (h->element, "max-points", points, NULL);
    check_cracks (h, &frame, &params);
    fail_unless_equals_int (take_messages (bus, FALSE), 0);
    g_object_set (h->element, "max-points", points - 1, NULL);
    for (guint k = 0; k < 3; k++) {
      check_too_many (h, &frame, points);
      fail_unless_equals_int (take_messages (bus, TRUE), k == 0);
    }
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A result stays readable after the element and the buffer are freed. */
GST_START_TEST (test_result_kept)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 18};
  GstHarness *h = new_harness ("cudacrackcontour step=16 features=moments");
  CtrContours *kept[3], *expected;
  CtrCracksParams params;
  GstBuffer *buffer;

  ctr_cracks_params_init (&params);
  params.step = 16;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++) {
    frame.seed = 18 + i;
    buffer = pass_frame (h, &frame);
    kept[i] =
        ctr_contours_ref (gst_contours_contour_meta_peek_contours (gst_buffer_get_contours_contour_meta (buffer)));
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++) {
    frame.seed = 18 + i;
    expected = expected_cracks (&frame, &params);
    assert_same_contours (kept[i], expected, "kept");
    ctr_contours_unref (expected);
    ctr_contours_unref (kept[i]);
  }
}

GST_END_TEST;

static Suite *
cudacrackcontour_suite (void)
{
  Suite *s = suite_create ("cudacrackcontour");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_formats_all);
  add_cudacrackcontour_property_tests (tc);
  add_cudacrackcontour_label_tests (tc);
  tcase_add_test (tc, test_label_map);
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_messages);
  tcase_add_test (tc, test_most_points);
  tcase_add_test (tc, test_result_kept);
  return s;
}

GST_CHECK_MAIN (cudacrackcontour);
