/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the properties and results that only cudaborders has; foreground.c tests what it shares with
 * cudacca. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "components.h"
#include "contours.h"

static gboolean
same_contours (CtrContours *a, CtrContours *b)
{
  return a->count == b->count && a->point_count == b->point_count && a->features == b->features
         && memcmp (ctr_contours_map_table (a, NULL), ctr_contours_map_table (b, NULL), a->count * sizeof (CtrContour))
                == 0
         && (!(a->features & CTR_CONTOUR_FEATURE_SUBPIXEL)
             || memcmp (ctr_contours_map_subpixel (a, NULL), ctr_contours_map_subpixel (b, NULL),
                    a->point_count * sizeof (CtrSubpixelPoint))
                    == 0);
}

/* PARAMS must apply from this frame on, and its result must differ from that of BEFORE. */
static void
check_change (GstHarness *h, const TestFrame *frame, const CtrBordersParams *params, CtrBordersParams *before)
{
  CtrContours *old = expected_contours (frame, before), *new = expected_contours (frame, params);

  fail_if (same_contours (old, new), "the change changes nothing");
  check_contours (h, frame, params);
  ctr_contours_unref (old);
  ctr_contours_unref (new);
  *before = *params;
}

/* Each property can change alone, and its change applies from the next frame on. */
GST_START_TEST (test_live_properties)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  CtrBordersParams params, before;
  GstHarness *h = new_harness ("cudaborders");
  GstElement *borders = gst_harness_find_element (h, "cudaborders");

  ctr_borders_params_init (&params);
  set_frame_caps (h, &frame);
  check_contours (h, &frame, &params);
  before = params;

  params.mode = CTR_RETRIEVE_EXTERNAL;
  gst_util_set_object_arg (G_OBJECT (borders), "mode", "external");
  check_change (h, &frame, &params, &before);

  params.mode = CTR_RETRIEVE_CCOMP;
  gst_util_set_object_arg (G_OBJECT (borders), "mode", "ccomp");
  check_change (h, &frame, &params, &before);

  params.mode = CTR_RETRIEVE_TREE;
  gst_util_set_object_arg (G_OBJECT (borders), "mode", "tree");
  check_change (h, &frame, &params, &before);

  params.approximation = CTR_APPROXIMATION_NONE;
  gst_util_set_object_arg (G_OBJECT (borders), "approximation", "none");
  check_change (h, &frame, &params, &before);

  params.connectivity = CTR_CONNECTIVITY_4;
  gst_util_set_object_arg (G_OBJECT (borders), "connectivity", "4");
  check_change (h, &frame, &params, &before);

  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  gst_util_set_object_arg (G_OBJECT (borders), "features", "moments");
  check_change (h, &frame, &params, &before);

  params.min_area = 3.5;
  g_object_set (borders, "min-area", 3.5, NULL);
  check_change (h, &frame, &params, &before);

  params.max_area = 400;
  g_object_set (borders, "max-area", 400.0, NULL);
  check_change (h, &frame, &params, &before);

  params.min_length = 12.5;
  g_object_set (borders, "min-length", 12.5, NULL);
  check_change (h, &frame, &params, &before);

  params.min_width = 7;
  g_object_set (borders, "min-width", 7, NULL);
  check_change (h, &frame, &params, &before);

  params.min_height = 8;
  g_object_set (borders, "min-height", 8, NULL);
  check_change (h, &frame, &params, &before);

  params.epsilon = 1.5;
  g_object_set (borders, "epsilon", 1.5, NULL);
  check_change (h, &frame, &params, &before);

  params.connectivity = CTR_CONNECTIVITY_8;
  gst_util_set_object_arg (G_OBJECT (borders), "connectivity", "8");
  check_change (h, &frame, &params, &before);

  params.mode = CTR_RETRIEVE_LIST;
  gst_util_set_object_arg (G_OBJECT (borders), "mode", "list");
  check_change (h, &frame, &params, &before);

  params.approximation = CTR_APPROXIMATION_SIMPLE;
  params.epsilon = 0;
  gst_util_set_object_arg (G_OBJECT (borders), "approximation", "simple");
  g_object_set (borders, "epsilon", 0.0, NULL);
  check_change (h, &frame, &params, &before);

  params.features = 0;
  gst_util_set_object_arg (G_OBJECT (borders), "features", "0");
  check_change (h, &frame, &params, &before);

  params.subpixel = CTR_SUBPIXEL_THRESHOLD;
  gst_util_set_object_arg (G_OBJECT (borders), "subpixel", "threshold");
  check_change (h, &frame, &params, &before);

  params.subpixel = CTR_SUBPIXEL_EDGE;
  gst_util_set_object_arg (G_OBJECT (borders), "subpixel", "edge");
  check_change (h, &frame, &params, &before);

  params.subpixel_sigma = 2.5;
  g_object_set (borders, "subpixel-sigma", 2.5, NULL);
  check_change (h, &frame, &params, &before);

  params.epsilon = 2;
  g_object_set (borders, "epsilon", 2.0, NULL);
  check_change (h, &frame, &params, &before);

  params.foreground.channel = CTR_CHANNEL_CR;
  gst_util_set_object_arg (G_OBJECT (borders), "channel", "cr");
  check_change (h, &frame, &params, &before);

  params.subpixel = CTR_SUBPIXEL_NONE;
  gst_util_set_object_arg (G_OBJECT (borders), "subpixel", "none");
  check_change (h, &frame, &params, &before);
  /* The table does not show these. */
  params.features = CTR_CONTOUR_FEATURE_FERET | CTR_CONTOUR_FEATURE_FITS;
  gst_util_set_object_arg (G_OBJECT (borders), "features", "feret+fits");
  check_change (h, &frame, &params, &before);
  params.feret_angle = 30.5;
  g_object_set (borders, "feret-angle", 30.5, NULL);
  check_contours (h, &frame, &params);

  gst_object_unref (borders);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Limits that no contour meets yield frames without contours. */
GST_START_TEST (test_empty_range)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  GstHarness *h = new_harness ("cudaborders mode=tree features=moments min-area=30 max-area=20");
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 3; i++) {
    buffer = pass_frame (h, &frame);
    fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
    gst_buffer_unref (buffer);
    gst_harness_set (
        h, "cudaborders", "min-area", i ? 0.0 : G_MAXDOUBLE, "max-area", 0.0, "min-width", i ? CTR_MAX_SIDE : 0, NULL);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* GObject rejects values outside the documented ranges. */
GST_START_TEST (test_property_bounds)
{
  GstElement *borders = gst_element_factory_make ("cudaborders", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (borders);
  static const gchar *sizes[] = {"min-width", "min-height"}, *enums[] = {"mode", "approximation", "threshold-mode"};
  static const struct {
    const gchar *name;
    gdouble maximum;
  } bounds[] = {{"epsilon", 1e6}, {"min-area", G_MAXDOUBLE}, {"max-area", G_MAXDOUBLE}, {"min-length", G_MAXDOUBLE}};

  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++) {
    GParamSpecDouble *spec = G_PARAM_SPEC_DOUBLE (g_object_class_find_property (klass, bounds[i].name));

    fail_unless (spec->minimum == 0 && spec->maximum == bounds[i].maximum, "%s", bounds[i].name);
  }
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GParamSpecUInt *spec = G_PARAM_SPEC_UINT (g_object_class_find_property (klass, sizes[i]));

    fail_unless (spec->minimum == 0 && spec->maximum == CTR_MAX_SIDE, "%s", sizes[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (enums); i++) {
    GParamSpec *spec = g_object_class_find_property (klass, enums[i]);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, spec->value_type);
    g_value_set_enum (&value, 6);
    fail_unless (g_param_value_validate (spec, &value), "%s takes 6", enums[i]);
    g_value_unset (&value);
  }
  gst_object_unref (borders);
}

GST_END_TEST;

/* An application reads the expected values, written by hand, of a square ring around a pixel. */
GST_START_TEST (test_nested)
{
  static const gchar *rows[] = {"........", ".#####..", ".#...#..", ".#.#.#..", ".#...#..", ".#####..", "........"};
  static const CtrPoint ring[] = {{1, 1}, {1, 5}, {5, 5}, {5, 1}};
  static const CtrPoint hole[] = {{1, 2}, {2, 1}, {4, 1}, {5, 2}, {5, 4}, {4, 5}, {2, 5}, {1, 4}};
  static const CtrPoint dot[] = {{3, 3}};
  static const struct {
    const CtrPoint *points;
    guint count;
    gboolean hole;
    gint parent, child;
    gdouble area, perimeter, x, y, w;
  } expected[] = {{ring, 4, FALSE, -1, 1, 16, 16, 1, 1, 5}, {hole, 8, TRUE, 0, 2, 14, 8 + 4 * G_SQRT2, 1, 1, 5},
      {dot, 1, FALSE, 1, -1, 0, 0, 3, 3, 1}};
  GstHarness *h = new_harness ("cudaborders mode=tree features=moments");
  TestFrame frame = {.format = GST_VIDEO_FORMAT_NV12, .width = 8, .height = 7};
  GstBuffer *buffer;
  GstContoursContourMeta *meta;
  GstVideoInfo info;
  GstVideoFrame map;

  set_frame_caps (h, &frame);
  buffer = make_frame (&frame);
  gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
  fail_unless (gst_video_frame_map (&map, &info, buffer, GST_MAP_WRITE));
  for (gint y = 0; y < frame.height; y++)
    for (gint x = 0; x < frame.width; x++)
      ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&map, 0))[y * GST_VIDEO_FRAME_PLANE_STRIDE (&map, 0) + x] =
          rows[y][x] == '#' ? 200 : 20;
  gst_video_frame_unmap (&map);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  meta = gst_buffer_get_contours_contour_meta (buffer);
  fail_unless (meta != NULL);
  fail_unless_equals_string (gst_contours_contour_meta_get_source (meta), GST_OBJECT_NAME (h->element));
  fail_unless_equals_int (gst_contours_contour_meta_get_count (meta), 3);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstContoursContour c;
    GBytes *points = gst_contours_contour_meta_get_points (meta, i);

    fail_unless (gst_contours_contour_meta_get_contour (meta, i, &c));
    fail_unless_equals_int (c.hole, expected[i].hole);
    fail_unless_equals_int (c.parent, expected[i].parent);
    fail_unless_equals_int (c.child, expected[i].child);
    fail_unless (c.next == -1 && c.previous == -1);
    fail_unless_equals_float (c.area, expected[i].area);
    fail_unless (ABS (c.perimeter - expected[i].perimeter) < 1e-6, "%u: perimeter %g", i, c.perimeter);
    fail_unless (c.x == expected[i].x && c.y == expected[i].y && c.w == expected[i].w && c.h == c.w);
    fail_unless (i < 2 ? c.cx == 3 && c.cy == 3 : c.cx != c.cx, "%u: centroid %g %g", i, c.cx, c.cy);
    fail_unless_equals_int (g_bytes_get_size (points), expected[i].count * sizeof (CtrPoint));
    fail_unless (memcmp (g_bytes_get_data (points, NULL), expected[i].points, g_bytes_get_size (points)) == 0);
    g_bytes_unref (points);
  }
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame can carry components and contours at once. */
GST_START_TEST (test_with_components)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 15};
  gchar *line = g_strdup_printf ("cudacca backend=%s ! cudaborders backend=%s", test_backend (), test_backend ());
  GstHarness *h = new_harness_of_line (line);
  CtrBordersParams borders;
  CtrCcaParams cca;
  GstBuffer *buffer;

  ctr_borders_params_init (&borders);
  ctr_cca_params_init (&cca);
  set_frame_caps (h, &frame);
  buffer = pass_frame (h, &frame);
  assert_components (buffer, NULL, &frame, &cca);
  assert_contours (buffer, NULL, &frame, &borders);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* A result stays readable after the element and the buffer are freed. */
GST_START_TEST (test_result_kept)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 18};
  GstHarness *h = new_harness ("cudaborders mode=tree features=moments");
  CtrBordersParams params;
  CtrContours *kept[3], *expected;
  GstBuffer *buffer;

  ctr_borders_params_init (&params);
  params.mode = CTR_RETRIEVE_TREE;
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
    expected = expected_contours (&frame, &params);
    assert_same_contours (kept[i], expected, "kept");
    ctr_contours_unref (expected);
    ctr_contours_unref (kept[i]);
  }
}

GST_END_TEST;

/* All formats, each with what it has of channels. */
GST_START_TEST (test_subpixel_formats)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_Y444,
      GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE};
  CtrBordersParams params;

  ctr_borders_params_init (&params);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    TestFrame frame = {formats[i], 101, 67, .seed = 20 + i};
    const gboolean rgb = formats[i] == GST_VIDEO_FORMAT_RGB;
    GstHarness *h;

    if (test_in_cuda_memory () && i > 4)
      continue;
    h = new_harness ("cudaborders subpixel=edge threshold-mode=otsu subpixel-sigma=1.5");
    params.foreground.mode = CTR_THRESHOLD_OTSU;
    params.foreground.channel = rgb ? CTR_CHANNEL_SATURATION : CTR_CHANNEL_LUMA;
    params.subpixel = CTR_SUBPIXEL_EDGE;
    params.subpixel_sigma = 1.5;
    gst_harness_set (h, "cudaborders", "channel", params.foreground.channel, NULL);
    set_frame_caps (h, &frame);
    for (guint k = 0; k < 3; k++)
      check_contours (h, &frame, &params);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* What is not defined is an error that says so. */
GST_START_TEST (test_subpixel_errors)
{
  static const gchar *const cases[][2] = {
      {"cudaborders subpixel=threshold threshold-mode=adaptive-mean", "subpixel threshold needs one threshold"},
      {"cudaborders subpixel=threshold color-range=luma=10-20", "ranges of channels"},
      {"cudaborders subpixel=edge strip-mode=true", "strip-mode=true needs subpixel=none"}};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 3};
    GstHarness *h = new_harness (cases[i][0]);
    GstBus *bus = gst_bus_new ();
    GstMessage *message;
    GError *error = NULL;
    gchar *debug = NULL;

    gst_element_set_bus (h->element, bus);
    set_frame_caps (h, &frame);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "%s", cases[i][0]);
    gst_message_parse_error (message, &error, &debug);
    fail_unless (strstr (error->message, cases[i][1]) || strstr (debug, cases[i][1]), "%s: %s, %s", cases[i][0],
        error->message, debug);
    g_error_free (error);
    g_free (debug);
    gst_message_unref (message);
    gst_element_set_bus (h->element, NULL);
    gst_object_unref (bus);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static Suite *
cudaborders_suite (void)
{
  Suite *s = suite_create ("cudaborders");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_empty_range);
  tcase_add_test (tc, test_property_bounds);
  tcase_add_test (tc, test_nested);
  tcase_add_test (tc, test_with_components);
  tcase_add_test (tc, test_result_kept);
  tcase_add_test (tc, test_subpixel_formats);
  tcase_add_test (tc, test_subpixel_errors);
  return s;
}

GST_CHECK_MAIN (cudaborders);
