/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the regions of the elements that split frames into foreground and background. */
#include "foreground.h"
#include "parts.h"

#include <glib/gstdio.h>
#include <gst/video/gstvideometa.h>
#ifdef HAVE_PNG
#include <png.h>
#endif

static const TestFrame small = {GST_VIDEO_FORMAT_NV12, 90, 64, .seed = 31};

/* Checks a frame whose regions are those of the LIST, and of MASK. */
static void
check_regions (GstHarness *h, const TestFrame *frame, const CtrRegion *list, guint count, const CtrRegionMask *mask)
{
  CtrForeground foreground = default_foreground;
  CtrError error;

  foreground.regions = ctr_regions_new (list, count, mask, &error);
  fail_unless (foreground.regions != NULL, "%s", error.message);
  check_frame (h, frame, &foreground);
  ctr_regions_unref (foreground.regions);
}

/* Rectangles and polygons, in any writing, that change while frames run. */
GST_START_TEST (test_lists)
{
  static const CtrRegionPoint corners[] = {{10, 5}, {80, 5}, {30, 60}};
  const CtrRegion left = {.x = 1, .y = 3, .width = 40, .height = 50}, right = {.x = 41, .width = 49, .height = 64};
  const CtrRegion polygon = {.points = corners, .point_count = 3};
  const CtrRegion first[] = {left, right}, second[] = {polygon, left};
  GstHarness *h = new_subject (&default_foreground);
  gchar *text;

  set_frame_caps (h, &small);
  check_frame (h, &small, &default_foreground);
  gst_harness_set (h, subject (), "region", "1,3,40,50;41,0,49,64", NULL);
  check_regions (h, &small, first, 2, NULL);
  check_regions (h, &small, first, 2, NULL);
  gst_harness_set (h, subject (), "region", " Polygon: 10,5  80,5 30,60 ; 1, 3 ,40,50; ", NULL);
  check_regions (h, &small, second, 2, NULL);
  gst_harness_set (h, subject (), "region-source", 0, NULL);
  check_frame (h, &small, &default_foreground);
  gst_harness_set (h, subject (), "region-source", 1, NULL);
  check_regions (h, &small, second, 2, NULL);
  gst_harness_get (h, subject (), "region", &text, NULL);
  fail_unless_equals_string (text, " Polygon: 10,5  80,5 30,60 ; 1, 3 ,40,50; ");
  g_free (text);
  gst_harness_set (h, subject (), "region", NULL, NULL);
  check_frame (h, &small, &default_foreground);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A region of interest for each of the frame's metadata, clipped to it. */
GST_START_TEST (test_rois)
{
  static const guint rois[][4] = {{5, 6, 30, 20}, {80, 0, 100, 100}, {90, 0, 5, 5}, {0, 60, 3, 0}, {0, 0, 90, 64}};
  const CtrRegion clipped[] = {{.x = 5, .y = 6, .width = 30, .height = 20},
      {.x = 80, .y = 0, .width = 10, .height = 64}, {.width = 90, .height = 64}};
  GstHarness *h = new_subject (&default_foreground);
  CtrForeground foreground = default_foreground;

  set_frame_caps (h, &small);
  gst_harness_set (h, subject (), "region-source", 2, "region", "1,2,3,4", NULL);
  check_regions (h, &small, clipped, 0, NULL);
  for (guint n = 0; n < 3 && !subject_shows_foreground (); n++) {
    GstBuffer *buffer = make_frame (&small);

    for (guint i = 0; i < G_N_ELEMENTS (rois); i++)
      gst_buffer_add_video_region_of_interest_meta (buffer, "x", rois[i][0], rois[i][1], rois[i][2], rois[i][3]);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    foreground.regions = ctr_regions_new (clipped, 3, NULL, NULL);
    assert_result (buffer, NULL, &small, &foreground);
    ctr_regions_unref (foreground.regions);
    gst_buffer_unref (buffer);
    check_regions (h, &small, clipped, 0, NULL);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Invalid text is one warning, and changes nothing. */
GST_START_TEST (test_invalid_lists)
{
  static const struct {
    const gchar *text, *problem;
  } wrong[] = {
      {"1,2,3", "'1,2,3' is neither a rectangle"},
      {"1,2,3,4;5,6,7,x", "'5,6,7,x' is neither a rectangle"},
      {"1,2,-3,4", "is neither a rectangle"},
      {"1,2,3,70000", "is neither a rectangle"},
      {"polygon: 1,2 3,4", "is no polygon of three or more points"},
      {"polygon: 1,2 3,4 5", "is no polygon of three or more points"},
      {"1,2,0,4", "region 0 has no pixel"},
      {"1,2,3,4;polygon: 0,0 9,9 18,18", "region 1 has no pixel"},
      {"0,0,1,40000;0,0,1,40000", "more than 65535 rows together"},
  };
  const CtrRegion region = {.x = 2, .y = 3, .width = 44, .height = 55};
  GstHarness *h = new_subject (&default_foreground);
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  gst_harness_set (h, subject (), "region", "2,3,44,55", NULL);
  set_frame_caps (h, &small);
  check_regions (h, &small, &region, 1, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GstMessage *message;
    GError *error;

    gst_harness_set (h, subject (), "region", wrong[i].text, NULL);
    check_regions (h, &small, &region, 1, NULL);
    message = pop_message (bus, GST_MESSAGE_WARNING);
    fail_unless (message != NULL, "no warning of %s", wrong[i].text);
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, wrong[i].problem) && strstr (error->message, "It stays \"2,3,44,55\""), "%s",
        error->message);
    g_error_free (error);
    gst_message_unref (message);
    fail_unless (pop_message (bus, GST_MESSAGE_WARNING) == NULL, "more than one warning");
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* PROPERTY with VALUE ends the stream with one error, whose text has PROBLEM. */
static void
check_refusal (const gchar *property, const gchar *value, const gchar *problem)
{
  GstHarness *h = new_subject (&default_foreground);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  gst_element_set_bus (h->element, bus);
  gst_harness_set (h, subject (), property, value, NULL);
  set_frame_caps (h, &small);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&small)), GST_FLOW_ERROR);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "no error of %s=%s", property, value);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, problem), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL, "more than one error");
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_START_TEST (test_regions_outside)
{
  check_refusal ("region", "0,0,90,64;80,10,11,5", "region 1 reaches from (80, 10) to (91, 15)");
  check_refusal ("region", "polygon: 0,0 5,0 5,65", "region 0 reaches from (0, 0) to (5, 65)");
#ifdef HAVE_PNG
  check_refusal ("mask-location", "/nowhere/at/all.png", "the mask in '/nowhere/at/all.png' cannot be opened");
#else
  check_refusal ("mask-location", "/nowhere/at/all.png", "-Dpng=enabled");
#endif
}

GST_END_TEST;

#ifdef HAVE_PNG

static void
write_png (const gchar *path, guint width, guint height, const guint8 *pixels)
{
  png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = PNG_FORMAT_GRAY};

  fail_unless (png_image_write_to_file (&image, path, 0, pixels, 0, NULL), "%s", image.message);
}

/* A picture, alone and with rectangles. */
GST_START_TEST (test_masks)
{
  const CtrRegion list[] = {{.x = 20, .y = 10, .width = 60, .height = 40}, {.x = 3, .width = 50, .height = 64}};
  gchar *folder = g_dir_make_tmp ("regions-XXXXXX", NULL), *path = g_build_filename (folder, "mask.png", NULL);
  guint8 *pixels = g_malloc0 (90 * 64);
  const CtrRegionMask mask = {pixels, 90, 90, 64};
  GstHarness *h = new_subject (&default_foreground);

  for (guint y = 7; y < 50; y++)
    for (guint x = 11 + y / 2; x < 88 - y / 3; x++)
      pixels[y * 90 + x] = x % 7 ? 1 + x : 0;
  write_png (path, 90, 64, pixels);
  set_frame_caps (h, &small);
  gst_harness_set (h, subject (), "mask-location", path, NULL);
  check_regions (h, &small, NULL, 0, &mask);
  check_regions (h, &small, NULL, 0, &mask);
  gst_harness_set (h, subject (), "region", "20,10,60,40;3,0,50,64", NULL);
  check_regions (h, &small, list, 2, &mask);
  gst_harness_set (h, subject (), "mask-location", "", NULL);
  check_regions (h, &small, list, 2, NULL);
  gst_harness_teardown (h);
  write_png (path, 64, 90, pixels);
  check_refusal ("mask-location", path, "has 64 x 90 pixels, but the frames have 90 x 64");
  memset (pixels, 0, 90 * 64);
  write_png (path, 90, 64, pixels);
  check_refusal ("mask-location", path, "region 0 has no pixel");
  fail_unless (g_unlink (path) == 0 && g_rmdir (folder) == 0);
  g_free (pixels);
  g_free (path);
  g_free (folder);
}

GST_END_TEST;

#endif

/* While another thread keeps changing the list, each frame's result is that of one of both. */
GST_START_TEST (test_live_regions_stress)
{
  const CtrRegion list[] = {{.x = 3, .y = 3, .width = 20, .height = 30}, {.x = 10, .width = 80, .height = 64}};
  GstHarness *h = new_subject (&default_foreground);
  GValue values[2] = {G_VALUE_INIT, G_VALUE_INIT};
  GstHarnessThread *threads[2];
  gboolean seen[2] = {FALSE};

  if (subject_shows_foreground ()) {
    gst_harness_teardown (h);
    return;
  }
  set_frame_caps (h, &small);
  gst_harness_set (h, subject (), "region", "3,3,20,30", NULL);
  for (guint i = 0; i < 2; i++) {
    g_value_init (&values[i], G_TYPE_STRING);
    g_value_set_static_string (&values[i], i ? "3,3,20,30;10,0,80,64" : "3,3,20,30");
    threads[i] = gst_harness_stress_property_start_full (h, "region", &values[i], 100);
  }
  for (guint n = 0; n < 300; n++) {
    CtrForeground foreground = default_foreground;
    GstBuffer *buffer;
    guint count;

    fail_unless_equals_int (gst_harness_push (h, make_frame (&small)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    count = subject_follows_borders ()
                ? gst_contours_contour_meta_get_region_count (gst_buffer_get_contours_contour_meta (buffer))
                : gst_contours_component_meta_get_region_count (gst_buffer_get_contours_component_meta (buffer));
    fail_unless (count == 1 || count == 2);
    seen[count - 1] = TRUE;
    foreground.regions = ctr_regions_new (list, count, NULL, NULL);
    assert_result (buffer, NULL, &small, &foreground);
    ctr_regions_unref (foreground.regions);
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < 2; i++) {
    gst_harness_stress_thread_stop (threads[i]);
    g_value_unset (&values[i]);
  }
  fail_unless (seen[0] && seen[1]);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_foreground_region_tests (TCase *tc)
{
  tcase_add_test (tc, test_lists);
  tcase_add_test (tc, test_rois);
  tcase_add_test (tc, test_invalid_lists);
  tcase_add_test (tc, test_regions_outside);
#ifdef HAVE_PNG
  tcase_add_test (tc, test_masks);
#endif
  tcase_add_test (tc, test_live_regions_stress);
}
