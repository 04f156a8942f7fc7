/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the properties, results and messages of cudasnake; cudasnaketrack.c tests tracking, and filter.c
 * what it shares with other elements. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "discs.h"
#include "parts.h"

/* The element reads every format, with padded rows. */
GST_START_TEST (test_formats_all)
{
  CtrSnakeParams params = default_params ();

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    TestFrame frame = {test_formats[i].video, 162, 122, .seed = i, .padding = test_in_cuda_memory () ? 0 : 8};
    GstHarness *h;

    if (!format_runs (&test_formats[i]))
      continue;
    h = new_harness ("cudasnake");
    set_frame_caps (h, &frame);
    check_outlines (h, &frame, &params, &whole, 1);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* An application reads of each outline the statistics of the samples on either side. */
GST_START_TEST (test_regions_of_outline)
{
  static const Disc disc = {120, 60, 30};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstHarness *h = new_harness ("cudasnake name=snake window=70,10,100,110");
  gdouble sum[2] = {0}, sum2[2] = {0};
  guint64 count[2] = {0};
  GstContoursRegion region;
  GstContoursContour c;
  GstContoursContourMeta *meta;
  GstBuffer *buffer;
  GBytes *points;
  GList *list;

  draw_scene (samples, &disc, 1, 1);
  set_frame_caps (h, &scene_frame);
  buffer = pass_scene (h, samples);
  assert_outlines_disc (buffer, 0, &disc);
  meta = gst_buffer_get_contours_contour_meta (buffer);
  fail_unless_equals_string (gst_contours_contour_meta_get_source (meta), "snake");
  fail_unless_equals_int (gst_contours_contour_meta_get_coordinates (meta), GST_CONTOURS_CONTOUR_COORDINATES_CORNERS);
  fail_unless_equals_int (gst_contours_contour_meta_get_features (meta), 0);
  fail_unless (gst_contours_contour_meta_has_regions (meta) && gst_contours_contour_meta_fetch (meta, NULL));
  fail_unless (
      gst_contours_contour_meta_get_region (meta, 0, &region) && gst_contours_contour_meta_get_contour (meta, 0, &c));
  fail_if (gst_contours_contour_meta_get_region (meta, 1, &region));

  /* A pixel is inside where, of the sides that cross its row at or left of its column, more run up than down. */
  points = gst_contours_contour_meta_get_points (meta, 0);
  for (gint y = 10; y < 120; y++)
    for (gint x = 70; x < 170; x++) {
      const CtrPoint *p = g_bytes_get_data (points, NULL);
      gint up = 0;

      for (guint i = 0; i < c.count; i++) {
        const CtrPoint a = p[i], b = p[(i + 1) % c.count], *high = a.y < b.y ? &a : &b, *low = a.y < b.y ? &b : &a;

        if (high->y <= y && y < low->y
            && high->x + ceil ((gdouble) (y - high->y) * (low->x - high->x) / (low->y - high->y)) <= x)
          up += a.y > b.y ? 1 : -1;
      }
      fail_unless (up == 0 || up == 1);
      count[up]++;
      sum[up] += samples[y * SCENE_WIDTH + x];
      sum2[up] += samples[y * SCENE_WIDTH + x] * samples[y * SCENE_WIDTH + x];
    }
  g_bytes_unref (points);
  fail_unless_equals_int (region.object, 0);
  fail_unless (region.converged && !region.restarted && region.iterations > 0 && region.gain > 0);
  fail_unless_equals_uint64 (region.inside_count, count[1]);
  fail_unless_equals_uint64 (region.outside_count, count[0]);
  fail_unless_equals_float (region.inside_mean, sum[1] / count[1]);
  fail_unless_equals_float (region.outside_mean, sum[0] / count[0]);
  fail_unless (fabs (region.inside_variance - (sum2[1] / count[1] - pow (sum[1] / count[1], 2))) < 1e-6);
  fail_unless (fabs (region.outside_variance - (sum2[0] / count[0] - pow (sum[0] / count[0], 2))) < 1e-6);
  fail_unless (
      fabs (region.criterion - (count[1] * log (region.inside_variance) + count[0] * log (region.outside_variance)) / 2)
      < 1e-6 * fabs (region.criterion));
  list = gst_contours_contour_meta_get_regions (meta);
  fail_unless (g_list_length (list) == 1 && memcmp (list->data, &region, sizeof region) == 0);
  g_list_free_full (list, g_free);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame or window without a target yields no outline and no message. */
GST_START_TEST (test_nothing_there)
{
  static const struct {
    gint width, height;
    gboolean constant;
    const gchar *window;
  } cases[] = {{2, 2, TRUE, ""}, {64, 48, TRUE, ""}, {64, 48, TRUE, "60,40,1,1"}, {64, 48, FALSE, "64,0,10,10"},
      {64, 48, FALSE, "-20,0,20,10"}, {64, 48, FALSE, "0,-65535,64,65535"}, {64, 48, FALSE, "5,5,1,1"},
      {64, 48, FALSE, "63,47,500,500"}};
  GstBus *bus = gst_bus_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TestFrame frame = {.format = GST_VIDEO_FORMAT_NV12, .width = cases[i].width, .height = cases[i].height, .seed = 5};
    g_autofree guint8 *samples = g_malloc (frame.width * frame.height);
    GstHarness *h = new_harness_with_bus ("cudasnake track=true", bus);
    GstBuffer *buffer;

    g_object_set (h->element, "window", cases[i].window, NULL);
    for (gint k = 0; k < frame.width * frame.height; k++)
      samples[k] = cases[i].constant ? 77 : hash (1, k, 0, 0);
    set_frame_caps (h, &frame);
    for (guint again = 0; again < 2; again++) {
      buffer = pass_picture (h, make_picture (&frame, samples));
      fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
      gst_buffer_unref (buffer);
    }
    fail_unless (pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT) == NULL);
    gst_element_set_bus (h->element, NULL);
    gst_harness_teardown (h);
  }
  gst_object_unref (bus);
}

GST_END_TEST;

/* The element takes the smallest frames, and targets that the frame's edge cuts off. */
GST_START_TEST (test_small_and_at_the_end)
{
  static const Disc discs[] = {{0, 70, 40}, {200, 140, 50}, {100, 0, 45}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  CtrSnakeParams params = default_params ();
  GstHarness *h = new_harness ("cudasnake");

  for (gint size = 0; size < 36; size++) {
    TestFrame frame = {GST_VIDEO_FORMAT_RGB, size % 6 + 1, size / 6 + 1, .seed = size};

    set_frame_caps (h, &frame);
    check_outlines (h, &frame, &params, &whole, 1);
  }
  set_frame_caps (h, &scene_frame);
  for (guint i = 0; i < G_N_ELEMENTS (discs); i++) {
    GstBuffer *buffer;
    GstContoursContour c;

    draw_scene (samples, &discs[i], 1, i);
    buffer = pass_scene (h, samples);
    assert_found (buffer, samples, &whole, 1, "at the end");
    fail_unless (gst_contours_contour_meta_get_contour (gst_buffer_get_contours_contour_meta (buffer), 0, &c));
    fail_unless (c.x == 0 || c.y == 0 || c.x + c.w == SCENE_WIDTH, "the outline does not reach the end");
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Each region of interest of the frame is an object, in their order, whatever its values. */
GST_START_TEST (test_regions_of_interest)
{
  static const Disc discs[] = {{50, 50, 20}, {140, 80, 30}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstHarness *h = new_harness ("cudasnake objects=regions margin=0.3");
  CtrSnakeObject objects[3];
  GstBuffer *buffer;

  draw_scene (samples, discs, 2, 3);
  set_frame_caps (h, &scene_frame);
  buffer = pass_scene (h, samples);
  fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
  gst_buffer_unref (buffer);

  for (guint start = CTR_SNAKE_START_AUTO; start <= CTR_SNAKE_START_RECTANGLE; start++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "start", start == CTR_SNAKE_START_AUTO ? "auto" : "rectangle");
    buffer = make_picture (&scene_frame, samples);
    gst_buffer_add_video_region_of_interest_meta (buffer, "disc", 108, 48, 64, 63);
    gst_buffer_add_video_region_of_interest_meta (buffer, "off the frame", G_MAXUINT, G_MAXUINT, G_MAXUINT, 0);
    gst_buffer_add_video_region_of_interest_meta (buffer, "disc", 29, 31, 41, 39);
    objects[0] = object_around (108, 48, 64, 63, 0.3, start);
    objects[1] = object_around (5000, 5000, 1, 1, 0.3, start);
    objects[2] = object_around (29, 31, 41, 39, 0.3, start);
    buffer = pass_picture (h, buffer);
    assert_found (buffer, samples, objects, 3, "regions of interest");
    fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 2);
    assert_outlines_disc (buffer, 0, &discs[1]);
    assert_outlines_disc (buffer, 1, &discs[0]);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* With history=true outlines have the polygons that the core found on the way, and none otherwise. */
GST_START_TEST (test_history)
{
  static const Disc disc = {90, 70, 30};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstHarness *h = new_harness ("cudasnake");
  GstElement *element = gst_harness_find_element (h, "cudasnake");

  set_frame_caps (h, &scene_frame);
  draw_scene (samples, &disc, 1, 5);
  for (guint i = 0; i < 3; i++) {
    const gboolean wanted = i == 1;
    CtrSnakeParams params = default_params ();
    CtrImage image = view_scene (samples);
    CtrSnakeHistory history, expected;
    GstContoursContourMeta *meta;
    CtrContours *contours;
    GstBuffer *buffer;

    params.history = wanted;
    g_object_set (element, "history", wanted, NULL);
    buffer = pass_scene (h, samples);
    meta = gst_buffer_get_contours_contour_meta (buffer);
    contours = outlines_in (&image, &params, &whole, 1);
    assert_same_contours (gst_contours_contour_meta_peek_contours (meta), contours, "with or without history");
    fail_unless (gst_contours_contour_meta_has_history (meta) == wanted);
    ctr_contours_get_history (gst_contours_contour_meta_peek_contours (meta), &history);
    fail_unless (ctr_contours_get_history (contours, &expected) == wanted);
    fail_unless_equals_int (history.state_count, expected.state_count);
    fail_unless_equals_int (history.point_count, expected.point_count);
    fail_unless ((history.state_count > 10) == wanted);
    if (wanted) {
      fail_unless (memcmp (history.states, expected.states, history.state_count * sizeof *history.states) == 0);
      fail_unless (memcmp (history.points, expected.points, history.point_count * sizeof *history.points) == 0);
      fail_unless_equals_int (gst_contours_contour_meta_get_state_count (meta, 0), history.state_count);
    }
    ctr_contours_unref (contours);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Each large enough component that an upstream cudacca has found is an object. */
GST_START_TEST (test_components)
{
  static const Disc discs[] = {{50, 50, 20}, {140, 80, 30}, {20, 125, 4}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  gchar *line = g_strdup_printf ("cudacca threshold=128 min-area=10 backend=%s ! cudasnake objects=components "
                                 "min-area=200 margin=0.5",
      test_backend ());
  GstHarness *h = new_harness_of_line (line);
  GstElement *snake = gst_harness_find_element (h, "cudasnake");
  CtrSnakeObject objects[8];
  GstContoursComponentMeta *components;
  GstContoursComponent c;
  GstBuffer *buffer;
  guint count = 0;

  gst_util_set_object_arg (G_OBJECT (snake), "backend", test_backend ());
  memset (samples, 90, SCENE_WIDTH * SCENE_HEIGHT);
  for (guint i = 0; i < G_N_ELEMENTS (discs); i++)
    for (gint y = 0; y < SCENE_HEIGHT; y++)
      for (gint x = 0; x < SCENE_WIDTH; x++)
        if (is_inside (&discs[i], x, y))
          samples[y * SCENE_WIDTH + x] = 140 + hash (i, x, y, 0) % 32;
  gst_harness_play (h);
  set_frame_caps (h, &scene_frame);
  buffer = pass_scene (h, samples);
  components = gst_buffer_get_contours_component_meta (buffer);
  fail_unless_equals_int (gst_contours_component_meta_get_count (components), 3);
  for (guint i = 0; gst_contours_component_meta_get_component (components, i, &c); i++)
    if (c.area >= 200)
      objects[count++] = object_around (c.x, c.y, c.w, c.h, 0.5, CTR_SNAKE_START_AUTO);
  fail_unless_equals_int (count, 2);
  assert_found (buffer, samples, objects, count, "components");
  assert_outlines_disc (buffer, 0, &discs[0]);
  assert_outlines_disc (buffer, 1, &discs[1]);
  gst_buffer_unref (buffer);
  gst_object_unref (snake);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* The results are right after a change of size or format during the stream. */
GST_START_TEST (test_renegotiation)
{
  TestFrame frames[] = {{GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 1}, {GST_VIDEO_FORMAT_RGB, 34, 18, .seed = 2},
      {GST_VIDEO_FORMAT_P010_10LE, 162, 90, .seed = 3}, {GST_VIDEO_FORMAT_I420, 320, 240, .seed = 4}};
  const CtrSnakeObject objects[] = {{.window = {20, 5, 90, 70}}, {.window = {100, 60, 300, 300}}};
  CtrSnakeParams params = default_params ();
  GstHarness *h = new_harness ("cudasnake window=20,5,90,70;100,60,300,300");

  for (guint i = 0; i < 3 * G_N_ELEMENTS (frames); i++) {
    set_frame_caps (h, &frames[i % G_N_ELEMENTS (frames)]);
    check_outlines (h, &frames[i % G_N_ELEMENTS (frames)], &params, objects, 2);
  }
  restart (h, &frames[0]);
  check_outlines (h, &frames[0], &params, objects, 2);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A result stays readable after the element and the buffer are freed. */
GST_START_TEST (test_result_kept)
{
  TestFrame frame = {.format = GST_VIDEO_FORMAT_NV12, .width = 160, .height = 120};
  CtrSnakeParams params = default_params ();
  GstHarness *h = new_harness ("cudasnake");
  CtrContours *kept[3], *expected;
  GstBuffer *buffer;

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
    expected = expected_outlines (&frame, &params, &whole, 1);
    assert_same_contours (kept[i], expected, "kept");
    ctr_contours_unref (expected);
    ctr_contours_unref (kept[i]);
  }
}

GST_END_TEST;

static Suite *
cudasnake_suite (void)
{
  Suite *s = suite_create ("cudasnake");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_formats_all);
  add_cudasnake_property_tests (tc);
  tcase_add_test (tc, test_regions_of_outline);
  tcase_add_test (tc, test_nothing_there);
  tcase_add_test (tc, test_small_and_at_the_end);
  tcase_add_test (tc, test_regions_of_interest);
  tcase_add_test (tc, test_components);
  tcase_add_test (tc, test_history);
  add_cudasnake_message_tests (tc);
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_result_kept);
  return s;
}

GST_CHECK_MAIN (cudasnake);
