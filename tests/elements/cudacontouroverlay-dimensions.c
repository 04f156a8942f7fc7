/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the dimension lines that cudacontouroverlay draws. */
#include "overlay.h"
#include "parts.h"

static const TestFrame canvas = {GST_VIDEO_FORMAT_RGBA, 240, 160, .seed = 2};

/* Whether pixel X, Y of BUFFER has the colour of the lines; the picture is black elsewhere, but for letters. */
static gboolean
is_drawn (GstBuffer *buffer, guint x, guint y)
{
  guint8 *bytes = plane_bytes (buffer, &canvas, 0);
  const guint8 *pixel = bytes + 4 * (y * canvas.width + x);
  const gboolean drawn = pixel[0] == 255 && pixel[1] == 0 && pixel[2] == 0;

  fail_unless (drawn || (pixel[0] == pixel[1] && pixel[1] == pixel[2]) || pixel[0] > 0);
  g_free (bytes);
  return drawn;
}

static guint
count_lines (GstBuffer *buffer)
{
  guint8 *bytes = plane_bytes (buffer, &canvas, 0);
  guint count = 0;

  for (gint i = 0; i < canvas.width * canvas.height; i++)
    count += bytes[4 * i] > 0;
  g_free (bytes);
  return count;
}

static GstHarness *
new_canvas (const gchar *dimensions)
{
  gchar *line = g_strdup_printf (
      "cudacontouroverlay draw=0 background=black color=0xff0000 thickness=1 dimensions=%s", dimensions);
  GstHarness *h = new_harness (line);

  set_frame_caps (h, &canvas);
  g_free (line);
  return h;
}

/* A frame with a region of 200 x 100 pixels at (20, 40) and one dimension. */
static GstBuffer *
with_dimension (gdouble x1, gdouble y1, gdouble x2, gdouble y2, gdouble offset)
{
  GstBuffer *buffer = make_frame (&canvas);

  gst_video_region_of_interest_meta_add_param (add_region (buffer, 20, 40, 200, 100),
      gst_structure_new ("dimension", "x1", G_TYPE_DOUBLE, x1, "y1", G_TYPE_DOUBLE, y1, "x2", G_TYPE_DOUBLE, x2, "y2",
          G_TYPE_DOUBLE, y2, "offset", G_TYPE_DOUBLE, offset, "label", G_TYPE_STRING, "9 mm", NULL));
  return buffer;
}

/* The line, its heads, and, with an offset, the lines that lead to the points. */
GST_START_TEST (test_regions)
{
  GstHarness *h = new_canvas ("regions");
  GstBuffer *out = pass (h, with_dimension (0, 0.5, 0.9, 0.5, 0));

  fail_unless (is_drawn (out, 20, 90) && is_drawn (out, 60, 90) && is_drawn (out, 170, 90) && is_drawn (out, 200, 90));
  fail_unless (is_drawn (out, 27, 91) && is_drawn (out, 193, 89) && !is_drawn (out, 60, 91) && !is_drawn (out, 20, 91));
  fail_unless (!is_drawn (out, 19, 90) && !is_drawn (out, 201, 90));
  gst_buffer_unref (out);
  out = pass (h, with_dimension (0, 0.5, 0.9, 0.5, 0.1));
  fail_unless (
      is_drawn (out, 60, 110) && is_drawn (out, 20, 100) && is_drawn (out, 200, 92) && !is_drawn (out, 60, 90));
  fail_unless (is_drawn (out, 20, 112) && !is_drawn (out, 20, 114));
  gst_buffer_unref (out);
  out = pass (h, with_dimension (0.5, 0.1, 0.5, 0.9, -0.2));
  fail_unless (
      is_drawn (out, 160, 60) && is_drawn (out, 160, 120) && is_drawn (out, 140, 50) && !is_drawn (out, 118, 60));
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Too short for its heads: they are outside. */
GST_START_TEST (test_short)
{
  GstHarness *h = new_canvas ("regions");
  GstBuffer *out = pass (h, with_dimension (0.3, 0.5, 0.35, 0.5, 0));

  fail_unless (is_drawn (out, 70, 90) && is_drawn (out, 95, 90) && is_drawn (out, 75, 90) && is_drawn (out, 73, 91));
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* What cannot be drawn is left out: no point, no number, far away, other parameters. */
GST_START_TEST (test_nothing)
{
  static const gdouble ends[][5] = {{0.5, 0.5, 0.5, 0.5, 0}, {0.1, 0.5, NAN, 0.5, 0}, {0.1, 0.5, 0.9, 0.5, NAN},
      {0.1, 0.5, 0.9, 0.5, INFINITY}, {0.1, 0.5, 1e300, 0.5, 0}, {-50, 0.5, 50, 0.5, 0}, {0.1, 0.5, 0.9, 0.5, 1e6}};
  GstHarness *h = new_canvas ("regions");
  GstBuffer *buffer, *out;

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    out = pass (h, with_dimension (ends[i][0], ends[i][1], ends[i][2], ends[i][3], ends[i][4]));
    fail_unless (count_lines (out) == 0, "dimension %u", i);
    gst_buffer_unref (out);
  }
  buffer = make_frame (&canvas);
  gst_video_region_of_interest_meta_add_param (
      add_region (buffer, 20, 40, 200, 100), gst_structure_new ("dimension", "x1", G_TYPE_INT, 3, NULL));
  gst_video_region_of_interest_meta_add_param (
      add_region (buffer, 20, 40, 200, 100), gst_structure_new ("detection", "x1", G_TYPE_DOUBLE, 0.5, NULL));
  out = pass (h, buffer);
  fail_unless (count_lines (out) == 0);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame with a rectangle through the pixels (50, 60) and (150, 100), and a calibration. */
static GstBuffer *
with_rectangle (void)
{
  guint8 *pixels = g_malloc0 (240 * 160);
  const CtrImage image = {.data = pixels, .stride = 240, .width = 240, .height = 160, .format = CTR_FORMAT_GRAY8};
  const CtrCalibration model = {.scale = 0.5, .unit = "mm"};
  GstContoursCalibration *calibration = gst_contours_calibration_new (&model, NULL);
  GstBuffer *buffer = make_frame (&canvas);
  CtrBordersParams params;
  CtrContours *contours;
  CtrBorders *borders;

  for (guint y = 60; y <= 100; y++)
    memset (pixels + y * 240 + 50, 255, 101);
  ctr_borders_params_init (&params);
  params.features = CTR_CONTOUR_FEATURE_FERET | CTR_CONTOUR_FEATURE_CIRCLE | CTR_CONTOUR_FEATURE_RECTANGLE;
  borders = ctr_borders_new (CTR_BACKEND_CPU, NULL);
  contours = ctr_borders_run (borders, &image, &params, NULL, NULL);
  gst_contours_contour_meta_set_calibration (
      gst_buffer_add_contours_contour_meta (buffer, contours, "borders"), calibration);
  gst_contours_calibration_unref (calibration);
  ctr_contours_unref (contours);
  ctr_borders_free (borders);
  g_free (pixels);
  return buffer;
}

/* Each value of the property alone, while frames run. */
GST_START_TEST (test_shapes)
{
  /* On the line, and beside it. */
  static const struct {
    const gchar *name;
    guint on[2][2], off[2];
  } shapes[] = {
      {"feret-max", {{60, 64}, {140, 96}}, {60, 70}},
      {"feret-min", {{50, 60}, {50, 100}}, {100, 60}},
      {"circle", {{60, 80}, {140, 80}}, {60, 60}},
      {"rectangle", {{70, 116}, {166, 70}}, {70, 80}},
  };
  GstHarness *h = new_canvas ("0");
  guint kinds = 0;

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    GstBuffer *out;

    gst_util_set_object_arg (G_OBJECT (h->element), "dimensions", shapes[i].name);
    out = pass (h, with_rectangle ());
    if (g_str_equal (shapes[i].name, "feret-min"))
      kinds += count_lines (out) > 40;                  /* Which of the parallel sides it is from is not said here. */
    else if (g_str_equal (shapes[i].name, "feret-max")) /* nor which diagonal it is */
      kinds +=
          (is_drawn (out, 60, 64) && is_drawn (out, 140, 96)) != (is_drawn (out, 60, 96) && is_drawn (out, 140, 64));
    else
      kinds += is_drawn (out, shapes[i].on[0][0], shapes[i].on[0][1])
               && is_drawn (out, shapes[i].on[1][0], shapes[i].on[1][1])
               && !is_drawn (out, shapes[i].off[0], shapes[i].off[1]);
    fail_unless (kinds == i + 1, "%s", shapes[i].name);
    gst_buffer_unref (out);
  }
  gst_util_set_object_arg (G_OBJECT (h->element), "dimensions", "0");
  GstBuffer *out = pass (h, with_rectangle ());
  fail_unless_equals_int (count_lines (out), 0);
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (h->element), "dimensions", "circle");
  g_object_set (h->element, "min-area", 5000.0, NULL);
  out = pass (h, with_rectangle ());
  fail_unless_equals_int (count_lines (out), 0);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_cudacontouroverlay_dimension_tests (TCase *tc)
{
#ifdef HAVE_PANGO
  tcase_add_test (tc, test_regions);
  tcase_add_test (tc, test_short);
  tcase_add_test (tc, test_nothing);
  tcase_add_test (tc, test_shapes);
#endif
}
