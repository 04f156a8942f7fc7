/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the property calibration-location of the analysers. It runs once for each backend and memory
 * (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "frames.h"

#include <glib/gstdio.h>
#include <gst/contours/gstcontours.h>

static const TestFrame small = {GST_VIDEO_FORMAT_NV12, 90, 64, .seed = 5};

static const gchar *const analysers[] = {
    "cudacca features=moments", "cudaborders features=moments+feret", "cudacrackcontour levels=90,130", "cudasnake"};

static gchar *folder;

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("calibration-XXXXXX", NULL);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
}

/* Writes a file and returns its path (transfer full). */
static gchar *
write_file (const gchar *name, const gchar *text)
{
  gchar *path = g_build_filename (folder, name, NULL);

  fail_unless (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* What a frame's metadata says. */
typedef struct {
  gchar *unit;   /* NULL: no calibration */
  gdouble ratio; /* of the first object's area in units to that in pixels */
} World;

static World
analyse (GstHarness *h)
{
  GstContoursCalibration *calibration;
  GstContoursComponentMeta *components;
  GstContoursContourMeta *contours;
  World world = {NULL, 0};
  GstBuffer *buffer;

  fail_unless_equals_int (gst_harness_push (h, make_frame (&small)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  components = gst_buffer_get_contours_component_meta (buffer);
  contours = gst_buffer_get_contours_contour_meta (buffer);
  calibration = components ? gst_contours_component_meta_get_calibration (components)
                           : gst_contours_contour_meta_get_calibration (contours);
  if (calibration)
    world.unit = g_strdup (gst_contours_calibration_get_unit (calibration));
  if (components) {
    GstContoursComponent c;
    GstContoursWorldComponent w;

    fail_unless (gst_contours_component_meta_get_component (components, 0, &c));
    fail_unless_equals_int (gst_contours_component_meta_get_world_component (components, 0, &w), calibration != NULL);
    world.ratio = calibration ? w.area / c.area : 0;
  } else {
    GstContoursContour c;
    GstContoursWorldContour w;
    guint i = 0;

    while (gst_contours_contour_meta_get_contour (contours, i, &c) && c.area == 0)
      i++;
    fail_unless_equals_int (gst_contours_contour_meta_get_world_contour (contours, i, &w), calibration != NULL);
    world.ratio = calibration ? w.area / c.area : 0;
  }
  gst_buffer_unref (buffer);
  return world;
}

static void
check (GstHarness *h, const gchar *unit, gdouble ratio)
{
  World world = analyse (h);

  fail_unless_equals_string (world.unit, unit);
  fail_unless (fabs (world.ratio - ratio) < 1e-9, "%g instead of %g", world.ratio, ratio);
  g_free (world.unit);
}

static GstHarness *
new_analyser (guint i, GstBus *bus)
{
  GstHarness *h = new_harness_with_bus (analysers[i], bus);

  if (g_str_has_prefix (analysers[i], "cudasnake"))
    g_object_set (h->element, "window", "10,10,60,40", NULL);
  set_frame_caps (h, &small);
  return h;
}

/* The property changes alone, while frames run, and is there again after a restart. */
GST_START_TEST (test_live)
{
  GstHarness *h = new_analyser (__i__, NULL);
  gchar *scaled = write_file ("a.yml", "%YAML:1.0\n---\nscale: 0.5\nunit: mm\nimage_width: 90\nimage_height: 64\n");
  gchar *planar = write_file ("b.json", "{\"homography\": [[2, 0, 5], [0, 3, 6], [0, 0, 1]], \"unit\": \"um\"}"), *text;

  check (h, NULL, 0);
  g_object_set (h->element, "calibration-location", scaled, NULL);
  check (h, "mm", 0.25);
  check (h, "mm", 0.25);
  g_object_set (h->element, "calibration-location", planar, NULL);
  check (h, "um", 6);
  g_object_get (h->element, "calibration-location", &text, NULL);
  fail_unless_equals_string (text, planar);
  g_free (text);
  /* A file that is written again is read when the property is set again. */
  g_free (write_file ("b.json", "{\"scale\": 3, \"unit\": \"in\"}"));
  check (h, "um", 6);
  g_object_set (h->element, "calibration-location", planar, NULL);
  check (h, "in", 9);
  restart (h, &small);
  check (h, "in", 9);
  g_object_set (h->element, "calibration-location", "", NULL);
  check (h, NULL, 0);
  g_object_set (h->element, "calibration-location", scaled, NULL);
  check (h, "mm", 0.25);
  g_object_set (h->element, "calibration-location", NULL, NULL);
  check (h, NULL, 0);
  g_free (scaled);
  g_free (planar);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* One error ends the stream; its text has PROBLEM and the name of the file. */
static void
check_refusal (guint i, const gchar *options, const gchar *path, const gchar *problem)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_analyser (i, bus);
  gchar *name = g_path_get_basename (path);
  GstMessage *message;
  GError *error;

  if (options)
    gst_util_set_object_arg (G_OBJECT (h->element), options, "true");
  if (options)
    restart (h, &small);
  g_object_set (h->element, "calibration-location", path, NULL);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&small)), GST_FLOW_ERROR);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "no error of %s", path);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, problem) && strstr (error->message, name), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL, "more than one error");
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
  g_free (name);
}

GST_START_TEST (test_refused)
{
  gchar *missing = g_build_filename (folder, "no.yml", NULL), *damaged = write_file ("damaged.yml", "scale: [1\n");
  gchar *large = write_file ("large.yml", "scale: 2\nimage_width: 91\nimage_height: 64\n");
  gchar *plane = write_file ("plane.yml", "homography: [1, 0, 0, 0, 1, 0, 0, 0, 1]\n");

  check_refusal (__i__, NULL, missing, "No such file or directory");
  check_refusal (__i__, NULL, folder, "it is a folder");
  check_refusal (__i__, NULL, damaged, "cannot be used: line 1");
  check_refusal (__i__, NULL, large, "pictures with 91 x 64 pixels, but the frames have 90 x 64");
  if (!g_str_has_prefix (analysers[__i__], "cudasnake") && !strstr (analysers[__i__], "feret"))
    check_refusal (__i__, "strip-mode", plane, "strips of an endless picture need a scale alone");
  g_free (missing);
  g_free (damaged);
  g_free (large);
  g_free (plane);
}

GST_END_TEST;

/* Strips of a web: positions are those in the web; a scale holds for strips of any height. */
GST_START_TEST (test_strips)
{
  const TestFrame strip = {GST_VIDEO_FORMAT_NV12, 90, 20, .seed = 9};
  GstHarness *h = new_harness ("cudacca strip-mode=true max-open-rows=5 threshold=200");
  gchar *path = write_file ("s.yml", "scale: 0.5\nunit: mm\nimage_width: 90\nimage_height: 1\n");
  guint compared = 0;

  g_object_set (h->element, "calibration-location", path, NULL);
  set_frame_caps (h, &strip);
  for (guint n = 0; n < 3; n++) {
    GstContoursComponentMeta *meta;
    GstContoursComponent c;
    GstContoursWorldComponent w;
    GstBuffer *buffer;

    fail_unless_equals_int (gst_harness_push (h, make_frame (&strip)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    meta = gst_buffer_get_contours_component_meta (buffer);
    for (guint i = 0; gst_contours_component_meta_get_component (meta, i, &c); i++) {
      fail_unless (gst_contours_component_meta_get_world_component (meta, i, &w));
      fail_unless (fabs (w.cy - 0.5 * (gst_contours_component_meta_get_first_row (meta) + c.cy)) < 1e-9);
      compared += n > 0;
    }
    gst_buffer_unref (buffer);
  }
  fail_unless (compared > 0);
  g_free (path);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
calibration_suite (void)
{
  Suite *suite = suite_create ("calibration");
  TCase *tc = tcase_create ("calibration");

  skip_without_gpu ();
  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, make_folder, remove_folder);
  tcase_set_timeout (tc, 60);
  tcase_add_loop_test (tc, test_live, 0, G_N_ELEMENTS (analysers));
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (analysers));
  tcase_add_test (tc, test_strips);
  return suite;
}

GST_CHECK_MAIN (calibration);
