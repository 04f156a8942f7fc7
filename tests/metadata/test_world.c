/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours and components in units of the world: metadata, transformations, exports. */
#include <contours/contours.h>
#include <stdlib.h>

#include "asserting.h"
#include "contourset.h"

#define WIDTH 48
#define HEIGHT 40

/* A ring with a notch, and some pixels. */
static guint8 pixels[WIDTH * HEIGHT];

static const CtrImage image = {
    .data = pixels, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};

static void
draw (void)
{
  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      const gint r2 = (x - 22) * (x - 22) + (y - 19) * (y - 19);
      pixels[y * WIDTH + x] =
          (r2 <= 15 * 15 && r2 >= 6 * 6 && !(x > 30 && abs (y - 19) < 3)) || (x * 7 + y * 5) % 61 == 0;
    }
}

static CtrContours *
find_borders (guint features, gboolean simple, gdouble epsilon)
{
  CtrBordersParams params;
  CtrError error;
  CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
  ctr_borders_params_init (&params);
  params.foreground.threshold = 1;
  params.mode = CTR_RETRIEVE_TREE;
  params.features = features;
  params.approximation = simple ? CTR_APPROXIMATION_SIMPLE : CTR_APPROXIMATION_NONE;
  params.epsilon = epsilon;
  CtrContours *contours = ctr_borders_run (borders, &image, &params, NULL, &error);
  fail_unless (contours != NULL, "%s", error.message);
  ctr_borders_free (borders);
  return contours;
}

static CtrContours *
find_cracks (void)
{
  CtrCracksParams params;
  CtrError error;
  CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, &error);
  ctr_cracks_params_init (&params);
  params.minimum = params.maximum = 1;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  CtrContours *contours = ctr_cracks_run (cracks, &image, &params, NULL, &error);
  fail_unless (contours != NULL, "%s", error.message);
  ctr_cracks_free (cracks);
  return contours;
}

#define ALL_SHAPES (CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_SHAPE_FEATURES)

static GstContoursCalibration *
calibrate (const CtrCalibration *model)
{
  GError *error = NULL;
  GstContoursCalibration *calibration = gst_contours_calibration_new (model, &error);
  fail_unless (calibration != NULL, "%s", error ? error->message : "");
  return calibration;
}

static const CtrCalibration by_scale = {.scale = 0.25, .unit = "mm"};
/* The same, by another way. */
static const CtrCalibration by_homography = {
    .has_homography = true, .homography = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 2}, .unit = "mm"};
static const CtrCalibration by_camera = {.has_camera = true,
    .fx = 70,
    .fy = 71,
    .cx = 24,
    .cy = 20,
    .distortion = {-0.2, 0.05, 0.001, 0.002},
    .has_homography = true,
    .homography = {0.2, 0.01, 3, -0.02, 0.22, 5, 0.001, 0.0005, 1},
    .unit = "mm"};

static GstContoursContourMeta *
attach (GstBuffer *buffer, CtrContours *contours, const CtrCalibration *model)
{
  GstContoursCalibration *calibration = calibrate (model);
  GstContoursContourMeta *meta = gst_buffer_add_contours_contour_meta (buffer, contours, "borders");
  gst_contours_contour_meta_set_calibration (meta, calibration);
  gst_contours_calibration_unref (calibration);
  return meta;
}

static void
assert_close (gdouble got, gdouble expected, const gchar *what)
{
  fail_unless (fabs (got - expected) < 1e-9 * MAX (1.0, fabs (expected)) || (isnan (got) && isnan (expected)),
      "%s: %.17g instead of %.17g", what, got, expected);
}

/* By a scale: the numbers in pixels times the scale. */
GST_START_TEST (scaled)
{
  for (guint kind = 0; kind < 3; kind++) {
    CtrContours *contours = kind == 2 ? find_cracks () : find_borders (ALL_SHAPES, kind, 0);
    GstBuffer *buffer = gst_buffer_new ();
    GstContoursContourMeta *meta = attach (buffer, contours, &by_scale);
    const gdouble s = by_scale.scale, shift = kind == 2 ? -0.5 : 0;
    fail_unless (contours->count > 5);
    for (guint i = 0; i < contours->count; i++) {
      GstContoursContour c;
      GstContoursShape shape;
      GstContoursWorldContour w;
      fail_unless (gst_contours_contour_meta_get_contour (meta, i, &c));
      fail_unless (gst_contours_contour_meta_get_shape (meta, i, &shape));
      fail_unless (gst_contours_contour_meta_get_world_contour (meta, i, &w));
      fail_unless_equals_float (w.area, c.area * s * s);
      fail_unless_equals_float (w.perimeter, c.perimeter * s);
      fail_unless_equals_float (w.x, (c.x + shift) * s);
      fail_unless_equals_float (w.h, (c.h - (kind < 2)) * s);
      if (c.area > 0)
        fail_unless_equals_float (w.cy, (c.cy + shift) * s);
      if (kind == 2)
        continue;
      fail_unless_equals_float (w.feret_max, shape.feret_max * s);
      fail_unless_equals_float (w.circle_radius, shape.circle_radius * s);
      fail_unless_equals_float (w.rectangle_width, shape.rectangle_width * s);
      fail_unless_equals_float (w.hull_area, shape.hull_area * s * s);
      fail_unless_equals_float (w.distance_mean, shape.distance_mean * s);
      fail_unless_equals_float (w.defect_depth, shape.defect_depth * s);
    }
    fail_if (gst_contours_contour_meta_get_world_contour (meta, contours->count, &(GstContoursWorldContour){0}));
    fail_unless (gst_contours_contour_meta_get_world_points (meta, contours->count) == NULL);
    gst_buffer_unref (buffer);
    ctr_contours_unref (contours);
  }
}
GST_END_TEST;

/* What is measured along the converted line is what is scaled, where a homography is a scale. */
GST_START_TEST (measured)
{
  for (guint kind = 0; kind < 3; kind++) {
    CtrContours *contours = kind == 2 ? find_cracks () : find_borders (ALL_SHAPES, kind, 0);
    GstBuffer *buffer = gst_buffer_new (), *other = gst_buffer_new ();
    GstContoursContourMeta *meta = attach (buffer, contours, &by_scale);
    GstContoursContourMeta *same = attach (other, contours, &by_homography);
    for (guint i = 0; i < contours->count; i++) {
      GstContoursWorldContour a, b;
      fail_unless (gst_contours_contour_meta_get_world_contour (meta, i, &a));
      fail_unless (gst_contours_contour_meta_get_world_contour (same, i, &b));
#define SAME(member) assert_close (b.member, a.member, #member)
      SAME (area);
      /* OpenCV's lengths are sums of single-precision ones. */
      fail_unless (fabs (a.perimeter - b.perimeter) < 1e-6 * a.perimeter + 1e-9);
      SAME (x);
      SAME (y);
      SAME (w);
      SAME (h);
      SAME (cx);
      SAME (cy);
      SAME (hull_area);
      fail_unless (kind == 2 || fabs (a.hull_perimeter - b.hull_perimeter) < 1e-5);
      SAME (defect_depth);
      SAME (defect_x);
      SAME (rectangle_width);
      SAME (rectangle_height);
      SAME (rectangle_angle);
      SAME (rectangle_x);
      SAME (rectangle_y);
      SAME (feret_max);
      SAME (feret_min);
      SAME (circle_radius);
      SAME (circle_x);
      SAME (circle_y);
      SAME (hole_area);
      if (kind < 2) { /* Distances of borders are in fixed point. */
        fail_unless (fabs (a.distance_mean - b.distance_mean) < 0.01);
        fail_unless (fabs (a.distance_max - b.distance_max) < 0.01);
      }
    }
    gst_buffer_unref (buffer);
    gst_buffer_unref (other);
    ctr_contours_unref (contours);
  }
}
GST_END_TEST;

/* Both lists of points of a line say the same of the world: the pixels between are converted, too. */
GST_START_TEST (between_points)
{
  CtrContours *all = find_borders (ALL_SHAPES, FALSE, 0), *simple = find_borders (ALL_SHAPES, TRUE, 0);
  GstBuffer *buffer = gst_buffer_new (), *other = gst_buffer_new ();
  GstContoursContourMeta *a = attach (buffer, all, &by_camera), *b = attach (other, simple, &by_camera);
  GList *list = gst_contours_contour_meta_get_world_contours (a);
  fail_unless (simple->point_count < all->point_count);
  fail_unless_equals_int (g_list_length (list), all->count);
  for (guint i = 0; i < all->count; i++) {
    const GstContoursWorldContour *first = g_list_nth_data (list, i);
    GstContoursWorldContour second;
    fail_unless (gst_contours_contour_meta_get_world_contour (b, i, &second));
    assert_close (second.area, first->area, "area");
    assert_close (second.perimeter, first->perimeter, "perimeter");
    assert_close (second.circle_radius, first->circle_radius, "radius");
    assert_close (second.feret_min, first->feret_min, "breadth");
    assert_close (second.hole_area, first->hole_area, "holes");
  }
  g_list_free_full (list, g_free);
  gst_buffer_unref (buffer);
  gst_buffer_unref (other);
  ctr_contours_unref (all);
  ctr_contours_unref (simple);
}
GST_END_TEST;

/* Copies and scaled frames convert the pixels of the camera. */
GST_START_TEST (transformed)
{
  CtrContours *contours = find_borders (ALL_SHAPES, TRUE, 0.8);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SAMPLE_WIDTH * SAMPLE_HEIGHT, NULL);
  /* The sample's frame is smaller; only its metadata is of interest, which says that it was scaled already. */
  GstContoursMapping mapping = {.reference_width = WIDTH,
      .reference_height = HEIGHT,
      .width = SAMPLE_WIDTH,
      .height = SAMPLE_HEIGHT,
      .xx = (gdouble) SAMPLE_WIDTH / WIDTH,
      .yy = (gdouble) SAMPLE_HEIGHT / HEIGHT};
  GstContoursContourMeta *meta = attach (buffer, contours, &by_camera);
  GBytes *points = gst_contours_contour_meta_get_world_points (meta, 0);
  GstContoursWorldContour before, after;
  fail_unless (gst_contours_contour_meta_get_world_contour (meta, 0, &before));
  gst_contours_contour_meta_set_mapping (meta, &mapping);
  buffer = sample_send ("videoscale add-borders=false ! video/x-raw,width=16,height=12", buffer);
  meta = gst_buffer_get_contours_contour_meta (buffer);
  fail_unless (meta != NULL);
  fail_unless (gst_contours_contour_meta_get_world_contour (meta, 0, &after));
  fail_unless (memcmp (&before, &after, sizeof before) == 0);
  fail_unless_equals_string (
      gst_contours_calibration_get_unit (gst_contours_contour_meta_get_calibration (meta)), "mm");
  assert_same_bytes (
      gst_contours_contour_meta_get_world_points (meta, 0), g_bytes_get_data (points, NULL), g_bytes_get_size (points));
  GstContoursCalibration *kept = gst_contours_calibration_ref (gst_contours_contour_meta_get_calibration (meta));
  gst_contours_contour_meta_set_calibration (meta, kept); /* its own */
  gst_buffer_unref (buffer);
  gst_contours_calibration_unref (kept);
  g_bytes_unref (points);
  ctr_contours_unref (contours);
}
GST_END_TEST;

/* A horizon through the picture: what is behind it is undefined, and the lines that reach there. */
GST_START_TEST (horizon)
{
  const CtrCalibration model = {.width = WIDTH,
      .height = HEIGHT,
      .has_homography = true,
      .homography = {1, 0, 0, 0, 1, 0, 0, 0.1, -1},
      .unit = "m"};
  CtrContours *contours = find_borders (ALL_SHAPES, FALSE, 0);
  GstBuffer *buffer = gst_buffer_new ();
  GstContoursContourMeta *meta = attach (buffer, contours, &model);
  guint undefined = 0;
  for (guint i = 0; i < contours->count; i++) {
    GBytes *points = gst_contours_contour_meta_get_world_points (meta, i);
    const gdouble *p = g_bytes_get_data (points, NULL);
    gboolean all = TRUE;
    GstContoursContour c;
    GstContoursWorldContour w;
    fail_unless (gst_contours_contour_meta_get_contour (meta, i, &c));
    fail_unless_equals_int (g_bytes_get_size (points), c.count * 2 * sizeof *p);
    fail_unless (gst_contours_contour_meta_get_world_contour (meta, i, &w));
    for (guint n = 0; n < c.count; n++) {
      fail_unless (isnan (p[2 * n]) == isnan (p[2 * n + 1]));
      all = all && !isnan (p[2 * n]);
    }
    fail_unless (all == (c.y > 10), "contour %u from %g", i, c.y);
    fail_unless (isnan (w.area) == !all && isnan (w.feret_max) == !all && isnan (w.defect_depth) == !all);
    undefined += !all;
    g_bytes_unref (points);
  }
  fail_unless (undefined > 0 && undefined < contours->count);
  gst_buffer_unref (buffer);
  ctr_contours_unref (contours);
}
GST_END_TEST;

GST_START_TEST (components)
{
  const CtrCalibration *const models[] = {&by_scale, &by_homography, &by_camera};
  for (guint k = 0; k < G_N_ELEMENTS (models); k++) {
    CtrComponents *found = sample_analyse (pixels, WIDTH, HEIGHT, CTR_FEATURE_MOMENTS);
    ctr_components_unref (found);
    guint8 bright[WIDTH * HEIGHT];
    for (guint i = 0; i < sizeof bright; i++)
      bright[i] = pixels[i] ? 255 : 0;
    found = sample_analyse (bright, WIDTH, HEIGHT, CTR_FEATURE_MOMENTS);
    GstBuffer *buffer = gst_buffer_new ();
    GstContoursComponentMeta *meta = gst_buffer_add_contours_component_meta (buffer, found, "cca");
    GstContoursCalibration *calibration = calibrate (models[k]);
    GstContoursWorldComponent w;
    fail_if (gst_contours_component_meta_get_world_component (meta, 0, &w));
    fail_unless (gst_contours_component_meta_get_calibration (meta) == NULL);
    fail_unless (gst_contours_component_meta_get_world_components (meta) == NULL);
    gst_contours_component_meta_set_calibration (meta, calibration);
    GList *list = gst_contours_component_meta_get_world_components (meta);
    fail_unless_equals_int (g_list_length (list), found->count);
    for (guint i = 0; i < found->count; i++) {
      GstContoursComponent c;
      gdouble x, y;
      fail_unless (gst_contours_component_meta_get_component (meta, i, &c));
      fail_unless (gst_contours_component_meta_get_world_component (meta, i, &w));
      fail_unless (memcmp (&w, g_list_nth_data (list, i), sizeof w) == 0);
      fail_unless (gst_contours_calibration_map_point (calibration, c.cx, c.cy, &x, &y));
      fail_unless_equals_float (w.cx, x);
      fail_unless_equals_float (w.cy, y);
      if (k < 2) {
        assert_close (w.area, c.area / 16, "area");
        assert_close (w.major_axis, c.major_axis / 4, "axis");
        assert_close (w.orientation, c.orientation, "orientation");
      } else if (c.w < 4) {
        /* The area of a pixel at the centroid. */
        gdouble corners[8];
        CtrWorldShape pixel;
        for (guint n = 0; n < 4; n++)
          fail_unless (gst_contours_calibration_map_point (calibration, c.cx + (n == 1 || n == 2) - 0.5,
              c.cy + (n > 1) - 0.5, &corners[2 * n], &corners[2 * n + 1]));
        fail_unless (ctr_world_shape_measure (corners, 4, true, 0, &pixel, NULL));
        fail_unless (fabs (w.area - c.area * pixel.area) < 1e-3 * w.area);
      }
    }
    g_list_free_full (list, g_free);
    gst_contours_calibration_unref (calibration);
    gst_buffer_unref (buffer);
    ctr_components_unref (found);
  }
}
GST_END_TEST;

/* What contourexport writes, beside pixels. */
GST_START_TEST (exported)
{
  static const gchar *const formats[] = {"ndjson", "geojson", "coco", "labelme"};
  CtrContours *contours = find_borders (CTR_CONTOUR_FEATURE_FERET, TRUE, 0);
  guint count = contours->count;
  for (guint i = 0; i <= G_N_ELEMENTS (formats); i++) {
    GstBuffer *buffer = gst_buffer_new ();
    gchar *options = g_strdup_printf ("format=%s", i < G_N_ELEMENTS (formats) ? formats[i] : "csv"), *text;
    guint worlds = 0;
    GST_BUFFER_PTS (buffer) = 0;
    attach (buffer, contours, &by_scale);
    text = export_text (options, buffer);
    for (const gchar *at = text; (at = strstr (at, "\"world\":{\"unit\":\"mm\",\"area\":")); at++)
      worlds++;
    if (i < G_N_ELEMENTS (formats)) {
      /* In areas, holes are parts of other contours. */
      fail_unless (i == 0 ? worlds == count : worlds > count / 2, "%u of %s", worlds, formats[i]);
      fail_unless (strstr (text, "\"feret_max\":") && !strstr (text, "\"circle_radius\":"), "%s", text);
      fail_unless ((strstr (text, "\"world_points\":[[") != NULL) == (i == 0));
    } else {
      gchar **lines = g_strsplit (text, "\n", -1);
      gchar **names = g_strsplit (lines[0], ",", -1);
      fail_unless_equals_string (names[g_strv_length (names) - 18], "world_points");
      for (guint row = 1; row <= count; row++) {
        gchar **values = g_strsplit (lines[row], ",", -1);
        GstContoursWorldContour w;
        GstBuffer *again = gst_buffer_new ();
        fail_unless (gst_contours_contour_meta_get_world_contour (attach (again, contours, &by_scale), row - 1, &w));
        fail_unless_equals_int (g_strv_length (values), g_strv_length (names));
        for (guint n = 0; names[n]; n++) {
          if (g_str_equal (names[n], "unit"))
            fail_unless_equals_string (values[n], "mm");
          if (g_str_equal (names[n], "world_perimeter"))
            fail_unless_equals_float (g_ascii_strtod (values[n], NULL), w.perimeter);
          if (g_str_equal (names[n], "world_feret_max"))
            fail_unless_equals_float (g_ascii_strtod (values[n], NULL), w.feret_max);
          if (g_str_equal (names[n], "world_hull_area"))
            fail_unless_equals_string (values[n], "");
        }
        g_strfreev (values);
        gst_buffer_unref (again);
      }
      g_strfreev (names);
      g_strfreev (lines);
    }
    g_free (text);
    g_free (options);
  }
  ctr_contours_unref (contours);
}
GST_END_TEST;

static Suite *
world_suite (void)
{
  Suite *suite = suite_create ("world");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_add_unchecked_fixture (tcase, draw, NULL);
  tcase_add_test (tcase, scaled);
  tcase_add_test (tcase, measured);
  tcase_add_test (tcase, between_points);
  tcase_add_test (tcase, transformed);
  tcase_add_test (tcase, horizon);
  tcase_add_test (tcase, components);
  tcase_add_test (tcase, exported);
  return suite;
}

GST_CHECK_MAIN (world)
