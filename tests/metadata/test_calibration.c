/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibration files: what is read, what is refused and how, damaged files. tests/oracle/calibration-oracle.cc reads those of
 * cv::FileStorage. */
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asserting.h"
#include "exporting.h"

#include <gst/contours/gstcontours.h>

static const gchar yaml[] = "%YAML:1.0\n"
                            "---\n"
                            "image_width: 640\n"
                            "image_height: 480\n"
                            "unit: mm\n"
                            "camera_matrix: !!opencv-matrix\n"
                            "   rows: 3\n"
                            "   cols: 3\n"
                            "   dt: d\n"
                            "   data: [ 8.0e+02, 0., 320.5, 0., 8.1e+02, 240.25,\n"
                            "       0., 0., 1. ]\n"
                            "distortion_coefficients: !!opencv-matrix\n"
                            "   rows: 5\n"
                            "   cols: 1\n"
                            "   dt: d\n"
                            "   data: [ -2.5e-01, 1.25e-01, 1.0e-03, -5.0e-04, 0. ]\n"
                            "avg_reprojection_error: 1.5e-01\n"
                            "points: [ { x:1, y:2 }, { x:3, y:4 } ]\n"
                            "homography: !!opencv-matrix\n"
                            "   rows: 3\n"
                            "   cols: 3\n"
                            "   dt: d\n"
                            "   data: [ .125, 0., -10., 0., .125, -20., 0., 1.0e-04, 1. ]\n";

static const gchar json[] =
    "{\n    \"unit\": \"mm\",\n    \"image_width\": 640,\n    \"image_height\": 480,\n"
    "    \"camera_matrix\": {\n        \"type_id\": \"opencv-matrix\",\n        \"rows\": 3,\n        \"cols\": 3,\n"
    "        \"dt\": \"d\",\n        \"data\": [ 800.0, 0.0, 320.5, 0.0, 810.0, 240.25, 0.0, 0.0, 1.0 ]\n    },\n"
    "    \"distortion_coefficients\": {\"rows\": 1, \"cols\": 5, \"data\": [-0.25,0.125,0.001,-0.0005,0]},\n"
    "    \"homography\": [[0.125, 0, -10], [0, 0.125, -20], [0, 1e-4, 1]]\n}\n";

/* Takes over the message. */
static void
assert_contains (gchar *message, const gchar *part)
{
  fail_unless (strstr (message, part) != NULL, "'%s' is not in: %s", part, message);
}

static GstContoursCalibration *
parse (const gchar *text, gsize length, GError **error)
{
  GBytes *bytes = g_bytes_new (text, length);
  GstContoursCalibration *calibration = gst_contours_calibration_parse (bytes, "cal.yml", error);
  g_bytes_unref (bytes);
  return calibration;
}

#ifdef HAVE_YAML

static GstContoursCalibration *
parse_text (const gchar *text)
{
  GError *error = NULL;
  GstContoursCalibration *calibration = parse (text, strlen (text), &error);
  fail_unless (calibration != NULL, "%s: %s", text, error ? error->message : "");
  return calibration;
}

static CtrCalibration
model_of (const gchar *text)
{
  GstContoursCalibration *calibration = parse_text (text);
  const CtrCalibration model = *gst_contours_calibration_peek_model (calibration);
  gst_contours_calibration_unref (calibration);
  return model;
}

/* The same in YAML and in JSON. */
GST_START_TEST (same_in_both)
{
  const CtrCalibration expected = {
      .width = 640,
      .height = 480,
      .has_camera = true,
      .fx = 800,
      .fy = 810,
      .cx = 320.5,
      .cy = 240.25,
      .distortion = {-0.25, 0.125, 0.001, -0.0005},
      .has_homography = true,
      .homography = {0.125, 0, -10, 0, 0.125, -20, 0, 1e-4, 1},
      .unit = "mm",
  };
  const CtrCalibration of_yaml = model_of (yaml), of_json = model_of (json);
  fail_unless (memcmp (&of_yaml, &expected, sizeof expected) == 0);
  fail_unless (memcmp (&of_json, &expected, sizeof expected) == 0);
}
GST_END_TEST;

/* Files of other programs, and by hand. */
GST_START_TEST (written_by_others)
{
  CtrCalibration model = model_of ("scale: 0.05\nunit: um\n");
  assert_near (model.scale, 0.05);
  fail_unless_equals_string (model.unit, "um");
  model = model_of ("{\"scale\":2}"); /* closed: no line break is missing */
  assert_near (model.scale, 2);
  fail_unless_equals_string (model.unit, "units");
  model = model_of ("\xef\xbb\xbf%YAML:1.0\r\n---\r\nscale: 3\r\nunit: \"\\xb5m\"\r\n...\r\n");
  fail_unless_equals_string (model.unit, "\xc2\xb5m");
  /* camera_info of ROS */
  model = model_of (
      "image_width: 4\nimage_height: 3\ncamera_name: narrow\n"
      "camera_matrix:\n  rows: 3\n  cols: 3\n  data: [500, 0, 2, 0, 500, 1.5, 0, 0, 1]\n"
      "distortion_model: plumb_bob\ndistortion_coefficients:\n  rows: 1\n  cols: 5\n  data: [.1, 0, 0, 0, 0]\n"
      "projection_matrix:\n  rows: 3\n  cols: 4\n  data: [500, 0, 2, 0, 0, 500, 1.5, 0, 0, 0, 1, 0]\n");
  assert_near (model.fx, 500);
  assert_near (model.distortion[0], 0.1);
  fail_unless_equals_string (model.unit, "");
  /* Blocks in place of flows, and what has no meaning here. */
  model = model_of ("x: &a [*b, {? [1] : 2}]\nhomography:\n- - 1\n  - 0\n  - 0\n- [0, 1, 0]\n- [0, 0, 1]\n");
  fail_unless (model.has_homography);
}
GST_END_TEST;

#define CAMERA "camera_matrix: [[500, 0, 2], [0, 500, 1], [0, 0, 1]]\n"
#define LENS "dist_coeffs: [0, 0, 0, 0]\n"

/* One message, which names the file and what to do. */
GST_START_TEST (refused)
{
  static const struct {
    const gchar *text, *problem;
  } wrong[] = {
      {"", "it is empty"},
      {" \n\t\n", "it is empty"},
      {"\x1f\x8b\x08", "gunzip"},
      {"<?xml version=\"1.0\"?>\n<opencv_storage/>\n", "it is XML"},
      {"[1, 2]\n", "it has no members"},
      {"just words\n", "it has no members"},
      {"# a comment\n", "it has no members"},
      {"a: b: c\n", "line 1: mapping values are not allowed"},
      {"\n\nx: [1\n", "damaged or neither YAML nor JSON"},
      {"scale: \x01\n", "control characters are not allowed"},
      {"scale: \xff\n", "UTF-8"},
      {"camera: 1\n", "neither camera_matrix, homography nor scale"},
      {CAMERA, "camera_matrix without distortion_coefficients"},
      {LENS, "distortion_coefficients without camera_matrix"},
      {CAMERA LENS "unit: mm\n", "the unit mm, but neither homography nor scale"},
      {CAMERA "dist_coeffs: [1, 2, 3]\n", "there are 3 distortion_coefficients"},
      {CAMERA "dist_coeffs: [1, .nan, 3, 4]\n", "'.nan', which is no finite number"},
      {CAMERA "dist_coeffs: [1, .Inf, 3, 4]\n", "'.Inf'"},
      {CAMERA "dist_coeffs: [1, 1e999, 3, 4]\n", "'1e999'"},
      {CAMERA "dist_coeffs: [1, 2, [3, [4]]]\n", "must be a single value"},
      {CAMERA "dist_coeffs: 5\n", "must be a list of numbers"},
      {CAMERA CAMERA LENS, "line 2: it has camera_matrix twice"},
      {"camera_matrix: [500, 1, 2, 0, 500, 1, 0, 0, 1]\n" LENS, "a skew of 1"},
      {"camera_matrix: [500, 0, 2, 0, 500, 1, 0, 0, 2]\n" LENS, "must be fx 0 cx"},
      {"camera_matrix: [500, 0, 2, 0, 500, 1, 0, 0]\n" LENS, "must be fx 0 cx"},
      {"camera_matrix: [-500, 0, 2, 0, 500, 1, 0, 0, 1]\n" LENS, "focal lengths are -500 and 500"},
      {"camera_matrix: {rows: 3, cols: 2, data: [500, 0, 2, 0, 500, 1, 0, 0, 1]}\n" LENS,
          "3 rows and 2 columns, but 9"},
      {"camera_matrix: {rows: 3, cols: 3}\n" LENS, "3 rows and 3 columns, but 0 numbers"},
      {"camera_matrix: {rows: 3, cols: x}\n" LENS, "'x', which is no finite number"},
      {"homography: [1, 0, 0, 0, 1, 0, 0, 0]\n", "has 8 numbers"},
      {"homography: [1, 2, 0, 2, 4, 0, 0, 0, 1]\n", "cannot be inverted"},
      {"homography: [0, 0, 0, 0, 0, 0, 0, 0, 0]\n", "cannot be inverted"},
      {"homography: [1, 0, 0, 0, 1, 0, 0, 0, 1]\nscale: 2\n", "both homography and scale"},
      {"scale: 0\n", "scale is 0"},
      {"scale: -1\n", "scale is -1"},
      {"scale: two\n", "'two', which is no finite number"},
      {"scale: [2]\n", "scale must be a single value"},
      {"scale: 2\nunit: \"\"\n", "unit must be a name"},
      {"scale: 2\nunit: a b\n", "unit must be a name"},
      {"scale: 2\nunit: \"m\\0m\"\n", "unit must be a single value"},
      {"scale: 2\nunit: millimillimetres\n", "unit must be a name of 1 to 15 bytes"},
      {"scale: 2\nimage_width: 5\n", "image_width or image_height, but not both"},
      {"scale: 2\nimage_width: 0\nimage_height: 4\n", "image_width is 0"},
      {"scale: 2\nimage_width: 5.5\nimage_height: 4\n", "image_width is 5.5"},
      {"scale: 2\nimage_width: 65536\nimage_height: 4\n", "image_width is 65536"},
      {"scale: 2\nfisheye_model: 1\n", "without a fisheye model"},
      {"scale: 2\ndistortion_model: equidistant\n", "without a fisheye model"},
      {"scale: 2\n---\nscale: 3\n", "a second document begins"},
      {"scale: 0.05", "may be cut off"},
      {"? [a]\n: b\nscale: 2\n", "a name must be a single value"},
      {"scale: &a 2\nhomography: *a\n", "must be a list of numbers"},
  };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GError *error = NULL;
    fail_unless (parse (wrong[i].text, strlen (wrong[i].text), &error) == NULL, "%s", wrong[i].text);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ));
    assert_contains (error->message, wrong[i].problem);
    assert_contains (error->message, "the calibration in 'cal.yml' cannot be used: ");
    fail_unless (strlen (error->message) < 240, "%s", error->message);
    g_error_free (error);
  }
}
GST_END_TEST;

/* A file that was cut off anywhere is refused, or says the same: it never measures anything else. */
GST_START_TEST (truncated)
{
  const gchar *const texts[] = {yaml, json};
  for (guint t = 0; t < G_N_ELEMENTS (texts); t++) {
    const CtrCalibration whole = model_of (texts[t]);
    guint refusals = 0;
    for (gsize length = 0; length < strlen (texts[t]); length++) {
      GError *error = NULL;
      GstContoursCalibration *calibration = parse (texts[t], length, &error);
      if (calibration) {
        fail_unless (
            memcmp (gst_contours_calibration_peek_model (calibration), &whole, sizeof whole) == 0, "%zu bytes", length);
        gst_contours_calibration_unref (calibration);
      } else {
        fail_unless (error != NULL);
        g_error_free (error);
        refusals++;
      }
    }
    fail_unless (refusals > strlen (texts[t]) - 3, "%u of %zu", refusals, strlen (texts[t]));
  }
}
GST_END_TEST;

/* Bytes are changed, removed, inserted and moved: no crash, and what is read can be used. */
GST_START_TEST (mutated)
{
  static const gchar pieces[][8] = {"[", "]", "{", "}", ":", ": ", ",", "\n", "- ", "&a ", "*a", "!!", "\"", "'", "|\n",
      "%", "#", "?", "1e400", "-", "\xff", "\x1f\x8b", "..."};
  const guint rounds = g_getenv ("CTR_TEST_QUICK") ? 3000 : 40000;
  GRand *rand = g_rand_new_with_seed (7);
  guint accepted = 0;
  for (guint i = 0; i < rounds; i++) {
    GString *text = g_string_new (i % 2 ? yaml : json);
    for (guint n = g_rand_int_range (rand, 1, 5); n > 0 && text->len > 0; n--) {
      const gsize at = (gsize) g_rand_int_range (rand, 0, (gint32) text->len);
      const gsize more = (gsize) g_rand_int_range (rand, 1, 40);
      switch (g_rand_int_range (rand, 0, 4)) {
        case 0:
          text->str[at] = (gchar) g_rand_int_range (rand, 0, 256);
          break;
        case 1:
          g_string_erase (text, (gssize) at, (gssize) MIN (more, text->len - at));
          break;
        case 2:
          g_string_insert (text, (gssize) at, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
          break;
        default: {
          gchar *copy = g_strndup (text->str + at, MIN (more, text->len - at));
          g_string_insert (text, g_rand_int_range (rand, 0, (gint32) text->len), copy);
          g_free (copy);
        }
      }
    }
    GError *error = NULL;
    GstContoursCalibration *calibration = parse (text->str, text->len, &error);
    fail_unless ((calibration == NULL) == (error != NULL));
    if (calibration) {
      gdouble x, y;
      fail_unless (ctr_calibration_check (gst_contours_calibration_peek_model (calibration), NULL));
      gst_contours_calibration_map_point (calibration, 3, 4, &x, &y);
      gst_contours_calibration_unref (calibration);
      accepted++;
    } else {
      fail_unless (g_utf8_validate (error->message, -1, NULL) && strlen (error->message) < 400, "%s", error->message);
      g_error_free (error);
    }
    g_string_free (text, TRUE);
  }
  fail_unless (accepted > 0 && accepted < rounds / 2, "%u of %u", accepted, rounds);
  g_rand_free (rand);
}
GST_END_TEST;

/* Deep nesting, many members, aliases of aliases: bounded work. */
GST_START_TEST (excessive)
{
  GString *text = g_string_new ("a: ");
  GError *error = NULL;
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (text, '[');
  fail_unless (parse (text->str, text->len, &error) == NULL);
  assert_contains (error->message, "nested more than 32 deep");
  g_clear_error (&error);
  g_string_assign (text, "a0: &a0 [x, x]\n");
  for (guint i = 1; i < 5000; i++)
    g_string_append_printf (text, "a%u: &a%u [*a%u, *a%u, *a%u]\n", i, i, i - 1, i - 1, i - 1);
  g_string_append (text, "scale: 2\n");
  gst_contours_calibration_unref (parse_text (text->str));
  g_string_assign (text, "dist_coeffs: [");
  for (guint i = 0; i < 100000; i++)
    g_string_append (text, "0,");
  fail_unless (parse (text->str, text->len, &error) == NULL);
  assert_contains (error->message, "more than 64 numbers");
  g_clear_error (&error);
  g_string_free (text, TRUE);
}
GST_END_TEST;

#endif

static void
refuse_file (const gchar *path, const gchar *problem)
{
  const gint64 since = g_get_monotonic_time ();
  GError *error = NULL;
  fail_unless (gst_contours_calibration_load (path, &error) == NULL);
  assert_contains (error->message, problem);
  assert_quick (since);
  g_error_free (error);
}

GST_START_TEST (files)
{
  gchar *path = in_folder ("cal.yml");
  refuse_file (path, "No such file or directory: name a file");
  refuse_file (folder, "it is a folder");
  refuse_file ("/dev/zero", "not a regular file");
  fail_unless (mkfifo (path, 0600) == 0);
  refuse_file (path, "not a regular file");
  g_unlink (path);
  write_text (path, yaml, sizeof yaml - 1);
  fail_unless (truncate (path, (off_t) 1 << 40) == 0); /* has a hole */
  refuse_file (path, "more than 8 MiB");
#ifdef HAVE_YAML
  write_text (path, yaml, sizeof yaml - 1);
  GError *error = NULL;
  GstContoursCalibration *calibration = gst_contours_calibration_load (path, &error);
  guint width, height;
  fail_unless (calibration != NULL, "%s", error ? error->message : "");
  fail_unless_equals_string (gst_contours_calibration_get_unit (calibration), "mm");
  gst_contours_calibration_get_size (calibration, &width, &height);
  fail_unless_equals_int (width, 640);
  fail_unless_equals_int (height, 480);
  fail_unless (isnan (gst_contours_calibration_get_scale (calibration)));
  gst_contours_calibration_unref (calibration);
  write_text (path, "", 0);
  refuse_file (path, "it is empty");
#else
  write_text (path, json, sizeof json - 1);
  refuse_file (path, "-Dyaml=enabled");
  fail_unless (parse (yaml, sizeof yaml - 1, NULL) == NULL);
#endif
  g_free (path);
}
GST_END_TEST;

static Suite *
calibration_suite (void)
{
  Suite *suite = suite_create ("calibration");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
#ifdef HAVE_YAML
  tcase_add_test (tcase, same_in_both);
  tcase_add_test (tcase, written_by_others);
  tcase_add_test (tcase, refused);
  tcase_add_test (tcase, truncated);
  tcase_add_test (tcase, mutated);
  tcase_add_test (tcase, excessive);
#endif
  tcase_add_test (tcase, files);
  return suite;
}

GST_CHECK_MAIN (calibration)
