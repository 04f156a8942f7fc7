/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the elements that read detections: they do with them what they do with regions of interest. */
#include "attachment.h"
#include "discs.h"
#include "parts.h"

#ifdef HAVE_ANALYTICS

/* Boxes that touch and leave the frame, one of which is empty. */
static const gint boxes[][4] = {{108, 48, 64, 63}, {29, 31, 41, 39}, {150, 100, 80, 70}, {60, 60, 0, 5}};

static void
add_boxes (GstBuffer *buffer, gboolean detections)
{
  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++) {
    const gint *b = boxes[i];
    GstAnalyticsODMtd mtd;

    if (detections)
      fail_unless (gst_analytics_relation_meta_add_od_mtd (gst_buffer_add_analytics_relation_meta (buffer),
          g_quark_from_static_string ("disc"), b[0], b[1], b[2], b[3], 0.5, &mtd));
    else
      gst_buffer_add_video_region_of_interest_meta (buffer, "disc", b[0], b[1], b[2], b[3]);
  }
}

/* Passes a picture of discs with the boxes through the element in LINE. */
static GstBuffer *
pass_boxes (const gchar *line, const guint8 *samples, gboolean detections)
{
  GstHarness *h = new_harness (line);
  GstBuffer *buffer = make_picture (&scene_frame, samples);

  set_frame_caps (h, &scene_frame);
  add_boxes (buffer, detections);
  buffer = pass_picture (h, buffer);
  gst_harness_teardown (h);
  return buffer;
}

/* The pictures with detections are those with regions of interest, labels included. */
GST_START_TEST (test_drawing)
{
  static const gchar *const styles[] = {"thickness=3", "labels=index+area color-by=area min-area=2000"};
  static const Disc discs[] = {{50, 50, 20}, {140, 80, 30}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);

  draw_scene (samples, discs, 2, 3);
  for (guint i = 0; i < G_N_ELEMENTS (styles); i++) {
    guint8 *bytes[3];
    gsize size;

    for (guint k = 0; k < 3; k++) {
      static const gchar *const wanted[] = {"regions", "detections", "regions"};
      gchar *line = g_strdup_printf ("cudacontouroverlay %s draw=%s", styles[i], wanted[k]);
      GstBuffer *buffer = pass_boxes (line, samples, k > 0);

      bytes[k] = buffer_bytes (buffer, &size);
      gst_buffer_unref (buffer);
      g_free (line);
    }
    fail_unless (memcmp (bytes[0], bytes[1], size) == 0, "%s: the pictures differ", styles[i]);
    fail_unless (memcmp (bytes[0], bytes[2], size) != 0, "%s: there are detections without being asked for", styles[i]);
    for (guint k = 0; k < 3; k++)
      g_free (bytes[k]);
  }
}

GST_END_TEST;

/* The outlines around detections are those around regions of interest. */
GST_START_TEST (test_search)
{
  static const Disc discs[] = {{50, 50, 20}, {140, 80, 30}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstBuffer *of_regions, *of_detections;
  GstContoursContourMeta *expected, *found;

  draw_scene (samples, discs, 2, 3);
  of_regions = pass_boxes ("cudasnake objects=regions margin=0.3", samples, FALSE);
  of_detections = pass_boxes ("cudasnake objects=detections margin=0.3", samples, TRUE);
  expected = gst_buffer_get_contours_contour_meta (of_regions);
  found = gst_buffer_get_contours_contour_meta (of_detections);
  fail_unless (gst_contours_contour_meta_get_count (expected) >= 2);
  assert_same_contours (gst_contours_contour_meta_peek_contours (found),
      gst_contours_contour_meta_peek_contours (expected), "detections");
  gst_buffer_unref (of_regions);
  gst_buffer_unref (of_detections);
}

GST_END_TEST;

#if GST_CHECK_VERSION(1, 26, 0)
/* A turned detection is drawn as the box that encloses it. */
GST_START_TEST (test_turned)
{
  const gdouble right_angle = G_PI / 2, c = cos (0.6), s = sin (0.6);
  g_autofree guint8 *samples = g_malloc0 (SCENE_WIDTH * SCENE_HEIGHT);
  const struct {
    gdouble angle;
    gint x, y, width, height;
  } cases[] = {{0, 60, 50, 40, 20}, {right_angle, 70, 40, 20, 40}, {2 * right_angle, 60, 50, 40, 20},
      {0.6, floor (80 - 20 * c - 10 * s), floor (60 - 20 * s - 10 * c), 0, 0}};

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *turned = make_picture (&scene_frame, samples), *upright = make_picture (&scene_frame, samples);
    GstHarness *h = new_harness ("cudacontouroverlay draw=detections+regions thickness=1");
    gint width = cases[i].width, height = cases[i].height;
    guint8 *of_turned, *of_upright;
    GstAnalyticsODMtd mtd;
    gsize size;

    if (width == 0) {
      width = ceil (80 + 20 * c + 10 * s) - cases[i].x;
      height = ceil (60 + 20 * s + 10 * c) - cases[i].y;
    }
    set_frame_caps (h, &scene_frame);
    gst_analytics_relation_meta_add_oriented_od_mtd (
        gst_buffer_add_analytics_relation_meta (turned), 0, 60, 50, 40, 20, cases[i].angle, 1, &mtd);
    gst_buffer_add_video_region_of_interest_meta (upright, NULL, cases[i].x, cases[i].y, width, height);
    turned = pass_picture (h, turned);
    upright = pass_picture (h, upright);
    of_turned = buffer_bytes (turned, &size);
    of_upright = buffer_bytes (upright, &size);
    fail_unless (memcmp (of_turned, of_upright, size) == 0, "turned by %g", cases[i].angle);
    g_free (of_turned);
    g_free (of_upright);
    gst_buffer_unref (turned);
    gst_buffer_unref (upright);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;
#endif

#else

/* Two frames go through the element in LINE with one warning, which says TEXT. */
static void
check_warning (const gchar *line, const gchar *text)
{
  g_autofree guint8 *samples = g_malloc0 (SCENE_WIDTH * SCENE_HEIGHT);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (line, bus);
  GstMessage *message;
  GError *error;

  set_frame_caps (h, &scene_frame);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (pass_picture (h, make_picture (&scene_frame, samples)));
  message = pop_message (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL, "%s", line);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, text) && strstr (error->message, "a build with gstreamer-analytics-1.0"),
      "%s: %s", line, error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_WARNING) == NULL, "more than one warning");
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

/* A build that does not know detections says so. */
GST_START_TEST (test_unsupported)
{
  check_warning ("cudacontouroverlay draw=detections", "draw=detections needs");
  check_warning ("cudasnake objects=detections", "objects=detections needs");
}

GST_END_TEST;

#endif

void
add_attachment_reading_tests (TCase *tc)
{
#ifdef HAVE_ANALYTICS
  tcase_add_test (tc, test_drawing);
  tcase_add_test (tc, test_search);
#if GST_CHECK_VERSION(1, 26, 0)
  tcase_add_test (tc, test_turned);
#endif
#else
  tcase_add_test (tc, test_unsupported);
#endif
}
