/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the messages that cudasnake posts, and its limits. */
#include "discs.h"
#include "parts.h"

/* Sends the scene, and checks its result: NEEDED is 0 where it exceeds no limit. */
static void
check_limit (GstHarness *h, const guint8 *samples, guint64 needed, guint outlines)
{
  GstBuffer *buffer = pass_scene (h, samples);
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);

  fail_unless_equals_int (
      gst_contours_contour_meta_get_flags (meta), needed > 0 ? GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED : 0);
  fail_unless_equals_uint64 (gst_contours_contour_meta_get_needed (meta), needed);
  fail_unless_equals_int (gst_contours_contour_meta_get_count (meta), outlines);
  gst_buffer_unref (buffer);
}

/* Removes the messages of one frame from BUS: its element message must say OBJECTS and EXCEEDED, and its one warning
 * must contain WARNING (NULL: no warning). */
static void
check_posted (GstBus *bus, guint objects, gboolean exceeded, const gchar *warning)
{
  GstMessage *message;
  guint warnings = 0, totals = 0;

  while ((message = pop_message (bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
      const GstStructure *structure = gst_message_get_structure (message);
      gboolean said;
      guint number;

      fail_unless (gst_structure_get (
          structure, "objects", G_TYPE_UINT, &number, "limit-exceeded", G_TYPE_BOOLEAN, &said, NULL));
      fail_unless (number == objects && said == exceeded);
      totals++;
    } else {
      GError *error = NULL;

      gst_message_parse_warning (message, &error, NULL);
      fail_unless (warning != NULL && strstr (error->message, warning) != NULL, "%s", error->message);
      g_error_free (error);
      warnings++;
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int (totals, 1);
  fail_unless_equals_int (warnings, warning != NULL);
}

/* Frames that exceed max-objects or max-window-sides have no outlines, and the first of them in a row yields one
 * warning. */
GST_START_TEST (test_limits)
{
  static const Disc discs[] = {{50, 50, 20}, {140, 80, 30}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  gchar *line = g_strdup_printf ("cudacca threshold=128 backend=%s ! cudasnake objects=components min-area=200 "
                                 "margin=0 post-messages=true backend=%s",
      test_backend (), test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
  GstElement *snake = gst_harness_find_element (h, "cudasnake");
  GstBus *bus = gst_bus_new ();
  const guint sides = 2 * (40 + 60);

  memset (samples, 90, SCENE_WIDTH * SCENE_HEIGHT);
  for (guint i = 0; i < G_N_ELEMENTS (discs); i++)
    for (gint y = 0; y < SCENE_HEIGHT; y++)
      for (gint x = 0; x < SCENE_WIDTH; x++)
        if (is_inside (&discs[i], x, y))
          samples[y * SCENE_WIDTH + x] = 140 + hash (i, x, y, 0) % 32;
  gst_element_set_bus (snake, bus);
  gst_harness_play (h);
  set_frame_caps (h, &scene_frame);
  for (guint i = 0; i < 2; i++) {
    g_object_set (snake, "max-objects", 2, "max-window-sides", (guint64) sides, NULL);
    check_limit (h, samples, 0, 2);
    check_posted (bus, 2, FALSE, NULL);
    g_object_set (snake, "max-objects", 1, NULL);
    check_limit (h, samples, 2, 0);
    check_posted (bus, 2, TRUE, "has 2 objects, but max-objects is 1.");
    check_limit (h, samples, 2, 0);
    check_posted (bus, 2, TRUE, NULL);
    g_object_set (snake, "max-objects", 0, "max-window-sides", (guint64) sides - 1, NULL);
    check_limit (h, samples, sides, 0);
    check_posted (bus, 2, TRUE, "add up to 200 pixels, but max-window-sides is 199.");
    check_limit (h, samples, sides, 0);
    check_posted (bus, 2, TRUE, NULL);
  }
  gst_element_set_bus (snake, NULL);
  gst_object_unref (bus);
  gst_object_unref (snake);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

GST_START_TEST (test_messages)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 16};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake name=any window=10,10,100,100;500,500,9,9", bus);
  guint64 timestamp, running_time, points;
  GstContoursContourMeta *meta;
  GstMessage *message;
  GstBuffer *buffer;
  guint count, objects;

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
  fail_unless (message != NULL && gst_message_has_name (message, "cudasnake"));
  fail_unless (gst_structure_get (gst_message_get_structure (message), "timestamp", G_TYPE_UINT64, &timestamp,
      "running-time", G_TYPE_UINT64, &running_time, "objects", G_TYPE_UINT, &objects, "count", G_TYPE_UINT, &count,
      "points", G_TYPE_UINT64, &points, NULL));
  fail_unless_equals_uint64 (timestamp, 2 * GST_SECOND);
  fail_unless_equals_uint64 (running_time, 2 * GST_SECOND);
  fail_unless_equals_int (objects, 2);
  fail_unless (count == 1 && count == gst_contours_contour_meta_get_count (meta));
  fail_unless (points > 0 && points == gst_contours_contour_meta_get_point_count (meta));
  gst_message_unref (message);
  gst_buffer_unref (buffer);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_cudasnake_message_tests (TCase *tc)
{
  tcase_add_test (tc, test_limits);
  tcase_add_test (tc, test_messages);
}
