/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check that cudasnake follows components, which have no identity of their own, from frame to frame. */
#include "discs.h"
#include "parts.h"

static const gchar line[] = "cudasnake objects=components min-area=50 track=true";

/* Attaches the components of DISCS; where JOINED, a bar makes the first two of them one. */
static void
attach_components (GstBuffer *buffer, const Disc *discs, guint count, gboolean joined)
{
  g_autofree guint8 *mask = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  const CtrImage image = view_scene (mask);
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  CtrCcaParams params;
  CtrComponents *components;

  for (gint y = 0; y < SCENE_HEIGHT; y++)
    for (gint x = 0; x < SCENE_WIDTH; x++) {
      gboolean inside =
          joined && y == discs[0].y && x >= MIN (discs[0].x, discs[1].x) && x < MAX (discs[0].x, discs[1].x);

      for (guint i = 0; i < count; i++)
        inside |= is_inside (&discs[i], x, y);
      mask[y * SCENE_WIDTH + x] = inside ? 255 : 0;
    }
  ctr_cca_params_init (&params);
  components = ctr_cca_run (cca, &image, &params, NULL, NULL);
  fail_unless (components != NULL);
  gst_buffer_add_contours_component_meta (buffer, components, "finder");
  ctr_components_unref (components);
  ctr_cca_free (cca);
}

typedef struct {
  GstBus *bus;
  GstHarness *h;
  guint8 *samples;
  guint seed;
} Scene;

static Scene
scene_new (const gchar *options)
{
  g_autofree gchar *text = g_strdup_printf ("%s %s", line, options);
  Scene scene = {.bus = gst_bus_new (), .samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT)};

  scene.h = new_harness_with_bus (text, scene.bus);
  set_frame_caps (scene.h, &scene_frame);
  return scene;
}

static void
scene_free (Scene *scene)
{
  fail_unless (pop_message (scene->bus, GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (scene->h->element, NULL);
  gst_harness_teardown (scene->h);
  gst_object_unref (scene->bus);
  g_free (scene->samples);
}

/* Passes a frame of DISCS, of which the first FOUND have components. */
static GstBuffer *
pass_discs (Scene *scene, const Disc *discs, guint count, guint found, gboolean joined)
{
  GstBuffer *buffer;

  draw_scene (scene->samples, discs, count, scene->seed++);
  buffer = make_picture (&scene_frame, scene->samples);
  attach_components (buffer, discs, found, joined);
  return pass_picture (scene->h, buffer);
}

/* Outline INDEX of BUFFER must be that of DISC, and of object NUMBER. */
static void
assert_object (GstBuffer *buffer, guint index, guint number, const Disc *disc)
{
  GstContoursRegion region;

  assert_outlines_disc (buffer, index, disc);
  fail_unless (gst_contours_contour_meta_get_region (gst_buffer_get_contours_contour_meta (buffer), index, &region));
  fail_unless (region.object == number, "object %u, not %u", region.object, number);
}

static void
assert_count (GstBuffer *buffer, guint count)
{
  fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), count);
}

static void
assert_lost (Scene *scene, guint object)
{
  GstMessage *message = pop_message (scene->bus, GST_MESSAGE_ELEMENT);
  guint number;

  fail_unless (message && gst_message_has_name (message, "cudasnake-track"), "object %u is not lost", object);
  fail_unless (gst_structure_get (gst_message_get_structure (message), "object", G_TYPE_UINT, &number, NULL));
  fail_unless_equals_int (number, object);
  fail_unless_equals_string (gst_structure_get_string (gst_message_get_structure (message), "change"), "lost");
  gst_message_unref (message);
}

static guint
total_iterations (GstBuffer *buffer)
{
  GstContoursRegion region;
  guint total = 0;

  for (guint i = 0; gst_contours_contour_meta_get_region (gst_buffer_get_contours_contour_meta (buffer), i, &region);
       i++)
    total += region.iterations;
  return total;
}

/* Two discs pass each other, so that the order of their components changes: each keeps its number, and begins where it
 * was. */
GST_START_TEST (test_crossing)
{
  Scene scene = scene_new ("");
  guint first = 0, later = 0;

  for (gint i = 0; i < 11; i++) {
    const Disc discs[] = {{50, 40 + 6 * i, 20}, {140, 100 - 6 * i, 23}};
    GstBuffer *buffer = pass_discs (&scene, discs, 2, 2, FALSE);

    assert_count (buffer, 2);
    assert_object (buffer, 0, 0, &discs[0]);
    assert_object (buffer, 1, 1, &discs[1]);
    if (i == 0)
      first = total_iterations (buffer);
    else
      later += total_iterations (buffer);
    gst_buffer_unref (buffer);
  }
  fail_unless (later < 10 * first, "%u iterations at first, %u in ten frames", first, later);
  scene_free (&scene);
}

GST_END_TEST;

/* The searches are those that start from the outlines of the frame before, moved as far as the components. */
GST_START_TEST (test_starts)
{
  static const Disc before[] = {{50, 40, 20}, {140, 90, 23}}, after[] = {{57, 44, 20}, {132, 93, 23}};
  Scene scene = scene_new ("");
  GstBuffer *first = pass_discs (&scene, before, 2, 2, FALSE), *buffer = pass_discs (&scene, after, 2, 2, FALSE);
  CtrContours *outlines = gst_contours_contour_meta_peek_contours (gst_buffer_get_contours_contour_meta (first));
  const CtrContour *table = ctr_contours_map_table (outlines, NULL);
  const CtrPoint *points = ctr_contours_map_points (outlines, NULL);
  CtrPoint moved[2][200];
  CtrSnakeObject objects[2];

  for (guint i = 0; i < 2; i++) {
    const gint radius = after[i].radius;

    objects[i] =
        object_around (after[i].x - radius, after[i].y - radius, 2 * radius, 2 * radius, 0.25, CTR_SNAKE_START_POLYGON);
    fail_unless (table[i].count <= G_N_ELEMENTS (moved[i]));
    for (guint k = 0; k < table[i].count; k++)
      moved[i][k] = (CtrPoint){points[table[i].first + k].x + (after[i].x - before[i].x),
          points[table[i].first + k].y + (after[i].y - before[i].y)};
    objects[i].points = moved[i];
    objects[i].point_count = table[i].count;
    objects[i].first_step = 8;
    objects[i].retry = true;
  }
  assert_found (buffer, scene.samples, objects, 2, "moved with their components");
  gst_buffer_unref (first);
  gst_buffer_unref (buffer);
  scene_free (&scene);
}

GST_END_TEST;

/* An object without a component goes on alone, while it is found. */
GST_START_TEST (test_alone)
{
  Scene scene = scene_new ("");

  for (gint i = 0; i < 8; i++) {
    const Disc discs[] = {{50 + 3 * i, 40, 20}, {140 - 3 * i, 95, 23}};
    const gboolean gone = i == 7;
    GstBuffer *buffer = pass_discs (&scene, discs, gone ? 1 : 2, i > 0 && i != 4 ? 1 : 2, FALSE);

    assert_count (buffer, gone ? 1 : 2);
    assert_object (buffer, 0, 0, &discs[0]);
    if (!gone)
      assert_object (buffer, 1, 1, &discs[1]);
    gst_buffer_unref (buffer);
  }
  assert_lost (&scene, 1);
  scene_free (&scene);
}

GST_END_TEST;

/* A new object gets the lowest number that is free, but not in the frame in which it becomes free. */
GST_START_TEST (test_numbers)
{
  static const Disc left = {35, 40, 20}, right = {160, 40, 17}, below = {90, 105, 21}, other = {35, 105, 18};
  Scene scene = scene_new ("");
  GstBuffer *buffer;

  gst_buffer_unref (pass_discs (&scene, (Disc[]){left, right}, 2, 2, FALSE));
  buffer = pass_discs (&scene, (Disc[]){right, below}, 2, 2, FALSE); /* the left one vanishes */
  assert_lost (&scene, 0);
  assert_count (buffer, 2);
  assert_object (buffer, 0, 1, &right);
  assert_object (buffer, 1, 2, &below);
  gst_buffer_unref (buffer);
  buffer = pass_discs (&scene, (Disc[]){right, below, other}, 3, 3, FALSE);
  assert_count (buffer, 3);
  assert_object (buffer, 0, 0, &other);
  assert_object (buffer, 1, 1, &right);
  assert_object (buffer, 2, 2, &below);
  gst_buffer_unref (buffer);
  scene_free (&scene);
}

GST_END_TEST;

/* Of two objects in one component the one goes on that is more like it; the other one ends, and is a new object when it
 * has a component again. */
GST_START_TEST (test_merged)
{
  static const Disc discs[] = {{70, 70, 28}, {118, 70, 14}};
  Scene scene = scene_new ("margin=0.1");
  GstBuffer *buffer;
  GstContoursRegion region;

  gst_buffer_unref (pass_discs (&scene, discs, 2, 2, FALSE));
  buffer = pass_discs (&scene, discs, 2, 2, TRUE);
  assert_lost (&scene, 1);
  assert_count (buffer, 1);
  fail_unless (gst_contours_contour_meta_get_region (gst_buffer_get_contours_contour_meta (buffer), 0, &region)
               && region.object == 0);
  gst_buffer_unref (buffer);
  buffer = pass_discs (&scene, discs, 2, 2, FALSE);
  assert_count (buffer, 2);
  assert_object (buffer, 1, 1, &discs[1]);
  gst_buffer_unref (buffer);
  scene_free (&scene);
}

GST_END_TEST;

/* A frame of too many components leaves the objects as they are. */
GST_START_TEST (test_too_many)
{
  static const Disc discs[] = {{35, 40, 20}, {160, 40, 17}, {90, 105, 21}};
  Scene scene = scene_new ("max-objects=2");
  GstBuffer *buffer;

  gst_buffer_unref (pass_discs (&scene, discs, 2, 2, FALSE));
  buffer = pass_discs (&scene, discs, 3, 3, FALSE);
  assert_count (buffer, 0);
  gst_buffer_unref (buffer);
  gst_message_unref (pop_message (scene.bus, GST_MESSAGE_WARNING));
  buffer = pass_discs (&scene, discs, 2, 2, FALSE);
  assert_count (buffer, 2);
  assert_object (buffer, 0, 0, &discs[0]);
  assert_object (buffer, 1, 1, &discs[1]);
  fail_unless (total_iterations (buffer) > 0);
  gst_buffer_unref (buffer);
  scene_free (&scene);
}

GST_END_TEST;

void
add_cudasnaketrack_component_tests (TCase *tc)
{
  tcase_add_test (tc, test_crossing);
  tcase_add_test (tc, test_starts);
  tcase_add_test (tc, test_alone);
  tcase_add_test (tc, test_numbers);
  tcase_add_test (tc, test_merged);
  tcase_add_test (tc, test_too_many);
}
