/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests how cudasnake tracks objects from frame to frame. It runs once for each backend and memory
 * (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "discs.h"
#include "parts.h"

/* Returns the outline in BUFFER as an object's start. */
static CtrSnakeObject
follow_outline (GstBuffer *buffer, guint index, CtrSnakeRect window)
{
  CtrContours *contours = gst_contours_contour_meta_peek_contours (gst_buffer_get_contours_contour_meta (buffer));
  const CtrContour *row = &ctr_contours_map_table (contours, NULL)[index];

  return (CtrSnakeObject){.window = window,
      .start = CTR_SNAKE_START_POLYGON,
      .points = ctr_contours_map_points (contours, NULL) + row->first,
      .point_count = row->count,
      .first_step = 8,
      .retry = true};
}

/* Returns WINDOW, moved so that its centre is that of the outline in BUFFER. */
static CtrSnakeRect
window_around (GstBuffer *buffer, CtrSnakeRect window)
{
  GstContoursContour c;

  gst_contours_contour_meta_get_contour (gst_buffer_get_contours_contour_meta (buffer), 0, &c);
  window.x = CLAMP ((gint) c.x + (gint) c.w / 2 - window.width / 2, 0, SCENE_WIDTH - window.width);
  window.y = CLAMP ((gint) c.y + (gint) c.h / 2 - window.height / 2, 0, SCENE_HEIGHT - window.height);
  return window;
}

/* Removes the next "cudasnake-track" message from BUS, which must have these values. */
static void
assert_event (GstBus *bus, guint object, const gchar *change)
{
  GstMessage *message = pop_message (bus, GST_MESSAGE_ELEMENT);
  const GstStructure *structure;
  guint number;

  fail_unless (message != NULL && gst_message_has_name (message, "cudasnake-track"), "no message: %s", change);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_get (structure, "object", G_TYPE_UINT, &number, NULL) && number == object);
  fail_unless_equals_string (gst_structure_get_string (structure, "change"), change);
  fail_unless (gst_structure_has_field (structure, "timestamp"));
  gst_message_unref (message);
}

static void
assert_no_event (GstBus *bus)
{
  fail_unless (pop_message (bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
}

/* While a target crosses the frame, each frame starts from the previous outline, and the window moves along. */
GST_START_TEST (test_track)
{
  static const CtrSnakeRect home = {10, 20, 80, 90};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  CtrSnakeObject object = {.window = home};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake track=true window=10,20,80,90", bus);
  GstBuffer *before = NULL, *buffer;

  set_frame_caps (h, &scene_frame);
  for (gint i = 0; i < 24; i++) {
    const Disc disc = {50 + 5 * i, 60 + i, 22};

    draw_scene (samples, &disc, 1, i);
    if (before)
      object = follow_outline (before, 0, window_around (before, home));
    buffer = pass_scene (h, samples);
    assert_found (buffer, samples, &object, 1, "followed");
    assert_outlines_disc (buffer, 0, &disc);
    if (before)
      gst_buffer_unref (before);
    before = buffer;
  }
  assert_no_event (bus);
  gst_buffer_unref (before);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A target that vanishes is reported as lost, once, and searched for at its first position until it reappears. A target
 * that jumps is found again without its previous outline, even where that outline would have led to target and
 * background exchanged. */
GST_START_TEST (test_lost)
{
  static const CtrSnakeRect home = {20, 20, 100, 100};
  static const Disc first = {60, 60, 22}, moved = {75, 70, 22}, last = {60, 80, 24};
  static const Disc jumps[] = {{94, 46, 16}, {60, 80, 24}, {86, 44, 8}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  CtrSnakeObject object = {.window = home};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake track=true window=20,20,100,100", bus);
  GstContoursRegion region;
  GstBuffer *buffer;

  set_frame_caps (h, &scene_frame);
  draw_scene (samples, &first, 1, 1);
  gst_buffer_unref (pass_scene (h, samples));
  draw_scene (samples, &moved, 1, 2);
  gst_buffer_unref (pass_scene (h, samples));
  assert_no_event (bus);

  /* The target vanishes, then another one appears, once at the position where the first was seen last. */
  for (guint i = 0; i < 4; i++) {
    if (i < 2)
      memset (samples, 100, SCENE_WIDTH * SCENE_HEIGHT);
    else
      draw_contrast (samples, i == 2 ? &first : &moved, 1, i, -32);
    buffer = pass_scene (h, samples);
    fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
    gst_buffer_unref (buffer);
    if (i == 0)
      assert_event (bus, 0, "lost");
    assert_no_event (bus);
  }

  draw_scene (samples, &last, 1, 3);
  buffer = pass_scene (h, samples);
  assert_event (bus, 0, "found");
  assert_no_event (bus);
  assert_found (buffer, samples, &object, 1, "found again");
  assert_outlines_disc (buffer, 0, &last);
  gst_buffer_unref (buffer);

  for (guint i = 0; i < G_N_ELEMENTS (jumps); i++) {
    draw_scene (samples, &jumps[i], 1, 4);
    buffer = pass_scene (h, samples);
    assert_event (bus, 0, "restarted");
    assert_no_event (bus);
    fail_unless (gst_contours_contour_meta_get_region (gst_buffer_get_contours_contour_meta (buffer), 0, &region)
                 && region.restarted);
    assert_outlines_disc (buffer, 0, &jumps[i]);
    gst_buffer_unref (buffer);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A flash changes the appearance of a target, which stays the same target during it and after it. */
GST_START_TEST (test_flash)
{
  static const Disc disc = {90, 70, 25};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake track=true window=40,20,100,100", bus);

  set_frame_caps (h, &scene_frame);
  for (guint i = 0; i < 9; i++) {
    GstBuffer *buffer;

    draw_scene (samples, &disc, 1, i);
    for (guint k = 0; i >= 3 && i < 6 && k < SCENE_WIDTH * SCENE_HEIGHT; k++)
      samples[k] += 60;
    buffer = pass_scene (h, samples);
    assert_outlines_disc (buffer, 0, &disc);
    gst_buffer_unref (buffer);
  }
  assert_no_event (bus);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A seek, a discontinuity, another frame size, or other objects end the tracking. */
GST_START_TEST (test_forgotten)
{
  static const Disc disc = {100, 70, 30};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  const TestFrame other = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 4};
  CtrSnakeParams params = default_params ();
  CtrSnakeObject object = {.window = {40, 10, 120, 120}};
  GstHarness *h = new_harness ("cudasnake track=true window=40,10,120,120");
  GstSegment segment;
  GstBuffer *buffer;

  draw_scene (samples, &disc, 1, 1);
  for (guint i = 0; i < 7; i++) {
    set_frame_caps (h, &scene_frame);
    buffer = make_picture (&scene_frame, samples);
    if (i == 6)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    buffer = pass_picture (h, buffer);
    assert_found (buffer, samples, &object, 1, "forgotten");
    gst_buffer_unref (buffer);
    switch (i) {
      case 0:
        fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
        fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
        gst_segment_init (&segment, GST_FORMAT_TIME);
        fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
        break;
      case 1:
        set_frame_caps (h, &other);
        check_outlines (h, &other, &params, &object, 1);
        break;
      case 2:
        restart (h, &scene_frame);
        break;
      case 3:
        object.window = (CtrSnakeRect){30, 0, 140, 140};
        g_object_set (h->element, "window", "30,0,140,140", NULL);
        break;
      case 5:
        break; /* the next frame reports it */
      default:
        g_object_set (h->element, "track", FALSE, NULL);
        g_object_set (h->element, "track", TRUE, NULL);
        break;
    }
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Another height alone, or another width alone, is another frame size: no target of it can be lost. */
GST_START_TEST (test_other_sides)
{
  static const Disc disc = {60, 60, 22};
  static const TestFrame others[] = {{GST_VIDEO_FORMAT_NV12, SCENE_WIDTH, SCENE_HEIGHT - 2, .seed = 4},
      {GST_VIDEO_FORMAT_NV12, SCENE_WIDTH - 2, SCENE_HEIGHT, .seed = 4}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake window=20,20,100,100 track=true", bus);

  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    draw_scene (samples, &disc, 1, 1);
    set_frame_caps (h, &scene_frame);
    gst_buffer_unref (pass_scene (h, samples));
    memset (samples, 100, SCENE_WIDTH * SCENE_HEIGHT);
    set_frame_caps (h, &others[i]);
    gst_buffer_unref (pass_picture (h, make_picture (&others[i], samples)));
    assert_no_event (bus);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame that exceeds a limit is not searched, and loses no target. */
GST_START_TEST (test_limit)
{
  static const Disc disc = {60, 60, 22};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake window=20,20,100,100 track=true", bus);
  CtrSnakeObject object = {.window = {20, 20, 100, 100}};
  GstBuffer *before, *buffer;

  draw_scene (samples, &disc, 1, 1);
  set_frame_caps (h, &scene_frame);
  before = pass_scene (h, samples);
  assert_found (before, samples, &object, 1, "before");
  g_object_set (h->element, "max-window-sides", (guint64) 199, NULL);
  buffer = pass_scene (h, samples);
  fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
  gst_buffer_unref (buffer);
  gst_message_unref (pop_message (bus, GST_MESSAGE_WARNING));
  assert_no_event (bus);
  g_object_set (h->element, "max-window-sides", (guint64) 200, NULL);
  buffer = pass_scene (h, samples);
  object = follow_outline (before, 0, window_around (before, object.window));
  assert_found (buffer, samples, &object, 1, "after");
  assert_no_event (bus);
  gst_buffer_unref (before);
  gst_buffer_unref (buffer);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Regions of interest are identified by their ids, where these differ, and their outlines move with them. */
GST_START_TEST (test_regions_of_interest)
{
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake objects=regions track=true", bus);
  GstBuffer *before = NULL, *buffer;
  CtrSnakeObject objects[2];
  CtrPoint points[2][200];

  set_frame_caps (h, &scene_frame);
  for (gint i = 0; i < 6; i++) {
    /* The order of the regions alternates from frame to frame. */
    const Disc discs[] = {{50 + 12 * i, 40, 20}, {150 - 9 * i, 100, 22}};

    draw_scene (samples, discs, 2, i);
    buffer = make_picture (&scene_frame, samples);
    for (guint k = 0; k < 2; k++) {
      const guint which = (i + k) % 2;
      const Disc *disc = &discs[which];
      const gint x = disc->x - disc->radius, y = disc->y - disc->radius, size = 2 * disc->radius;

      gst_buffer_add_video_region_of_interest_meta (buffer, "disc", x, y, size, size)->id = 70 + which;
      objects[k] = object_around (x, y, size, size, 0.25, CTR_SNAKE_START_AUTO);
      if (before) {
        objects[k] = follow_outline (before, 1 - k, objects[k].window);
        fail_unless (objects[k].point_count <= G_N_ELEMENTS (points[k]));
        for (guint p = 0; p < objects[k].point_count; p++)
          points[k][p] = (CtrPoint){objects[k].points[p].x + (which ? -9 : 12), objects[k].points[p].y};
        objects[k].points = points[k];
      }
    }
    buffer = pass_picture (h, buffer);
    assert_found (buffer, samples, objects, 2, "followed by id");
    assert_outlines_disc (buffer, 0, &discs[i % 2]);
    assert_outlines_disc (buffer, 1, &discs[1 - i % 2]);
    if (before)
      gst_buffer_unref (before);
    before = buffer;
  }
  /* A region that upstream no longer attaches is not a target any more, and not lost. */
  gst_buffer_unref (before);
  buffer = pass_scene (h, samples);
  gst_buffer_unref (buffer);
  assert_no_event (bus);
  /* When it is attached again, it is a new one. */
  buffer = make_picture (&scene_frame, samples);
  for (guint k = 0; k < 2; k++) {
    const gint x = k ? 75 : 90, y = k ? 70 : 10, size = k ? 60 : 55;

    gst_buffer_add_video_region_of_interest_meta (buffer, "disc", x, y, size, size)->id = 71 - k;
    objects[k] = object_around (x, y, size, size, 0.25, CTR_SNAKE_START_AUTO);
  }
  buffer = pass_picture (h, buffer);
  assert_found (buffer, samples, objects, 2, "attached again");
  gst_buffer_unref (buffer);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
cudasnaketrack_suite (void)
{
  Suite *s = suite_create ("cudasnaketrack");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_track);
  tcase_add_test (tc, test_lost);
  tcase_add_test (tc, test_flash);
  tcase_add_test (tc, test_forgotten);
  tcase_add_test (tc, test_other_sides);
  tcase_add_test (tc, test_limit);
  tcase_add_test (tc, test_regions_of_interest);
  add_cudasnaketrack_component_tests (tc);
  return s;
}

GST_CHECK_MAIN (cudasnaketrack);
