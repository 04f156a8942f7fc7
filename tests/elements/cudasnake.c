/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudasnake's own properties and results; filter.c has what it shares with others, cudasnaketrack.c objects that are
 * followed. Runs once for each backend and
 * memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "discs.h"

/* Every format, of odd sizes and with padded rows. */
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

static gboolean
same_outlines (CtrContours *a, CtrContours *b)
{
  return a->count == b->count && a->point_count == b->point_count
         && memcmp (ctr_contours_map_points (a, NULL), ctr_contours_map_points (b, NULL),
                a->point_count * sizeof (CtrPoint))
                == 0
         && memcmp (ctr_contours_map_regions (a, NULL), ctr_contours_map_regions (b, NULL),
                a->count * sizeof (CtrSnakeRegion))
                == 0;
}

/* What is asked for in a frame. */
typedef struct {
  CtrSnakeParams params;
  CtrSnakeObject objects[3];
  guint count;
} Request;

/* NEW must count from this frame on, and be told from what was asked for BEFORE by what comes out. */
static void
check_change (GstHarness *h, const TestFrame *frame, const Request *new, Request *before)
{
  CtrContours *a = expected_outlines (frame, &before->params, before->objects, before->count);
  CtrContours *b = expected_outlines (frame, &new->params, new->objects, new->count);

  fail_if (same_outlines (a, b), "the change changes nothing");
  check_outlines (h, frame, &new->params, new->objects, new->count);
  ctr_contours_unref (a);
  ctr_contours_unref (b);
  *before = *new;
}

/* A change counts from the next frame on, each property by itself. */
GST_START_TEST (test_live_properties)
{
  static const CtrPoint triangle[] = {{20, 20}, {90, 25}, {40, 60}};
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  Request now = {default_params (), {whole}, 1}, before;
  GstHarness *h = new_harness ("cudasnake");
  GObject *snake = G_OBJECT (h->element);

  set_frame_caps (h, &frame);
  check_outlines (h, &frame, &now.params, now.objects, now.count);
  before = now;

  now.params.prune = false;
  g_object_set (snake, "prune", FALSE, NULL);
  check_change (h, &frame, &now, &before);

  now.params.min_segment = 9;
  g_object_set (snake, "min-segment", 9, NULL);
  check_change (h, &frame, &now, &before);

  now.params.max_step = 17;
  g_object_set (snake, "max-step", 17, NULL);
  check_change (h, &frame, &now, &before);

  now.params.max_iterations = 3;
  g_object_set (snake, "max-iterations", 3, NULL);
  check_change (h, &frame, &now, &before);

  now.params.model = CTR_SNAKE_SPECKLE;
  gst_util_set_object_arg (snake, "model", "speckle");
  check_change (h, &frame, &now, &before);

  now.params.looks = 2.5;
  g_object_set (snake, "looks", 2.5, NULL);
  check_change (h, &frame, &now, &before);

  now.params.model = CTR_SNAKE_POISSON;
  gst_util_set_object_arg (snake, "model", "poisson");
  check_change (h, &frame, &now, &before);

  now.params.model = CTR_SNAKE_BERNOULLI;
  gst_util_set_object_arg (snake, "model", "bernoulli");
  check_change (h, &frame, &now, &before);

  now.params.model = CTR_SNAKE_GAUSSIAN;
  now.objects[0].window = (CtrSnakeRect){10, 20, 100, 90};
  gst_util_set_object_arg (snake, "model", "gaussian");
  g_object_set (snake, "window", " 10,20, 100 90 ", NULL);
  check_change (h, &frame, &now, &before);

  now.objects[1].window = (CtrSnakeRect){-30, 60, 110, 100};
  now.objects[2].window = (CtrSnakeRect){90, -5, 65535, 50};
  now.count = 3;
  g_object_set (snake, "window", "10,20,100,90;-30,60,110,100; 90,-5,65535,50", NULL);
  check_change (h, &frame, &now, &before);

  for (guint i = 0; i < 3; i++) {
    now.objects[i].start = CTR_SNAKE_START_RECTANGLE;
    now.objects[i].rectangle = (CtrSnakeRect){15 + 40 * i, 30, 30, 20 + 10 * i};
  }
  gst_util_set_object_arg (snake, "start", "rectangle");
  g_object_set (snake, "rectangle", "15,30,30,20;55,30,30,30;95,30,30,40", NULL);
  check_change (h, &frame, &now, &before);

  /* One window for all. */
  for (guint i = 0; i < 3; i++)
    now.objects[i].window = (CtrSnakeRect){5, 5, 140, 110};
  g_object_set (snake, "window", "5,5,140,110", NULL);
  check_change (h, &frame, &now, &before);

  now.count = 1;
  now.objects[0].start = CTR_SNAKE_START_POLYGON;
  now.objects[0].points = triangle;
  now.objects[0].point_count = G_N_ELEMENTS (triangle);
  gst_util_set_object_arg (snake, "start", "polygon");
  g_object_set (snake, "polygon", "20,20 90,25  40,60", NULL);
  check_change (h, &frame, &now, &before);

  now.objects[0].window = (CtrSnakeRect){0};
  g_object_set (snake, "window", NULL, NULL);
  check_change (h, &frame, &now, &before);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Sends a frame through H that must come out without outlines; TEXT must be in its one warning (NULL: none). */
static void
check_refused (GstHarness *h, GstBus *bus, const TestFrame *frame, const gchar *text)
{
  GstBuffer *buffer = pass_frame (h, frame);
  GstMessage *message = pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

  fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
  gst_buffer_unref (buffer);
  if (text) {
    GError *error = NULL;

    fail_unless (message != NULL, "no warning of \"%s\"", text);
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
    message = pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  }
  fail_unless (message == NULL, "a message too many");
}

#define EIGHT_LETTERS "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"

/* Objects that make no sense, on their way to others or for good, give frames without outlines, and a warning. */
GST_START_TEST (test_wrong_objects)
{
  static const struct {
    const gchar *objects, *start, *window, *rectangle, *polygon, *text;
  } cases[] = {
      {"properties", "auto", "1,2,3", "", "", "'1,2,3' does not have the form x,y,w,h"},
      {"properties", "auto", "1,2,3,4,5", "", "", "'1,2,3,4,5' does not have the form"},
      {"properties", "auto", "1,2,3,4;", "", "", "'' does not have the form"},
      {"properties", "auto", "1,2,0,4", "", "", "'0' is not a valid width"},
      {"properties", "auto", "1,2,4,-4", "", "", "'-4' is not a valid height"},
      {"properties", "auto", "1.5,2,4,4", "", "", "'1.5' is not a valid x"},
      {"properties", "auto", "1,99999999999,4,4", "", "", "'99999999999' is not a valid y"},
      {"properties", "auto", "1,2,65536,4", "", "", "'65536' is not a valid width"},
      {"properties", "auto", "all", "", "", "window=\"all\" is invalid"},
      {"properties", "auto", "1,2,3,\xc3\xa4", "", "", "'\xc3\xa4' is not a valid height"},
      {"properties", "auto", "1,2,3,\xff", "", "", "'\xef\xbf\xbd' is not a valid height"},
      {"properties", "auto", "1" EIGHT_LETTERS EIGHT_LETTERS EIGHT_LETTERS EIGHT_LETTERS, "", "",
          EIGHT_LETTERS "...' does not have the form"},
      {"properties", "auto", "", "1,2,3,x", "", "rectangle=\"1,2,3,x\" is invalid: 'x' is not a valid height"},
      {"properties", "auto", "", "", "1,2 3,4", "has 2 points x,y, but a polygon has 3 to 16384"},
      {"properties", "auto", "", "", "1,2 3,4 5", "'5' is not a point x,y"},
      {"properties", "auto", "", "", "1,2 3,4 5,6,7", "'5,6,7' is not a point x,y"},
      {"properties", "auto", "", "", "1,2 3,4 -5,6", "'-5' is not a valid x"},
      {"properties", "auto", "", "", "1,2 3,4 5,65536", "'65536' is not a valid y"},
      {"properties", "rectangle", "", "", "", "start=rectangle needs the property rectangle"},
      {"properties", "polygon", "", "1,2,3,4", "", "start=polygon needs the property polygon"},
      {"properties", "rectangle", "0,0,9,9;9,9,9,9", "1,2,3,4", "",
          "rectangle and window have different numbers of entries (1 and 2)"},
      {"properties", "rectangle", "0,0,9,9;9,9,9,9", "1,2,3,4;1,1,1,1;2,2,2,2", "",
          "rectangle and window have different numbers of entries (3 and 2)"},
      {"properties", "polygon", "0,0,20,20", "", "1,1 21,1 9,9", "point 1 of its polygon, (21, 1), is outside"},
      {"properties", "polygon", "", "", "1,1 9,9 9,1 1,9", "its polygon touches itself"},
      {"properties", "polygon", "", "", "1,1 9,9 5,5", "its polygon touches itself"},
      {"regions", "polygon", "", "", "1,1 9,9 9,1", "start=polygon requires objects=properties"},
      {"components", "auto", "", "", "", "Put cudacca before this element"},
  };
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudasnake", bus);
  CtrSnakeParams params = default_params ();

  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gst_util_set_object_arg (G_OBJECT (h->element), "objects", cases[i].objects);
    gst_util_set_object_arg (G_OBJECT (h->element), "start", cases[i].start);
    g_object_set (h->element, "window", cases[i].window, "rectangle", cases[i].rectangle, "polygon", cases[i].polygon,
        "track", i % 2, NULL);
    check_refused (h, bus, &frame, cases[i].text);
    check_refused (h, bus, &frame, NULL);
  }
  gst_util_set_object_arg (G_OBJECT (h->element), "objects", "properties");
  g_object_set (h->element, "window", " ", "track", FALSE, NULL);
  check_outlines (h, &frame, &params, &whole, 1);
  fail_unless (pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Values outside the documented ranges cannot be set. */
GST_START_TEST (test_property_bounds)
{
  static const struct {
    const gchar *name;
    gdouble least, most;
  } numbers[] = {{"looks", 0.01, 1e6}, {"margin", 0, 100}, {"min-area", 0, G_MAXDOUBLE}};
  static const struct {
    const gchar *name;
    guint least, most;
  } wholes[] = {{"min-segment", 0, 65535}, {"max-step", 0, 65535}, {"max-iterations", 1, G_MAXUINT}};
  static const gchar *enums[] = {"model", "objects", "start"};
  GstElement *snake = gst_element_factory_make ("cudasnake", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (snake);

  for (guint i = 0; i < 3; i++) {
    GParamSpecDouble *number = G_PARAM_SPEC_DOUBLE (g_object_class_find_property (klass, numbers[i].name));
    GParamSpecUInt *integer = G_PARAM_SPEC_UINT (g_object_class_find_property (klass, wholes[i].name));
    GParamSpec *spec = g_object_class_find_property (klass, enums[i]);
    GValue value = G_VALUE_INIT;

    fail_unless (number->minimum == numbers[i].least && number->maximum == numbers[i].most, "%s", numbers[i].name);
    fail_unless (integer->minimum == wholes[i].least && integer->maximum == wholes[i].most, "%s", wholes[i].name);
    g_value_init (&value, spec->value_type);
    g_value_set_enum (&value, 6);
    fail_unless (g_param_value_validate (spec, &value), "%s takes 6", enums[i]);
    g_value_unset (&value);
  }
  gst_object_unref (snake);
}

GST_END_TEST;

/* What an application reads of an outline: the sums of the samples on either side of it. */
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

  /* A pixel is inside where, of the sides that pass its row at its column or before, more run up than down. */
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

/* Nothing to be found: no outline, no message, no wait. */
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

/* The smallest frames, and targets that reach over the ends of the frame. */
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

/* One object for each region of interest of the frame, in their order, whatever they say. */
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

/* One object for each component that a cudacca before this element has found, if it is large enough. */
GST_START_TEST (test_components)
{
  static const Disc discs[] = {{50, 50, 20}, {140, 80, 30}, {20, 125, 4}};
  g_autofree guint8 *samples = g_malloc (SCENE_WIDTH * SCENE_HEIGHT);
  gchar *line = g_strdup_printf ("cudacca threshold=128 min-area=10 backend=%s ! cudasnake objects=components "
                                 "min-area=200 margin=0.5",
      test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
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

/* Passes the scene, and checks what became of it. */
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

/* Takes what a frame has posted: its totals, and WARNING in the one warning (NULL: none). */
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

/* Frames with more objects, or longer windows, than there may be have no outlines, and one warning tells of them. */
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

/* Size and format change in the middle of the stream. */
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

/* What was found stays readable when the element, and the buffer it was found in, are gone. */
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
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_wrong_objects);
  tcase_add_test (tc, test_property_bounds);
  tcase_add_test (tc, test_regions_of_outline);
  tcase_add_test (tc, test_nothing_there);
  tcase_add_test (tc, test_small_and_at_the_end);
  tcase_add_test (tc, test_regions_of_interest);
  tcase_add_test (tc, test_components);
  tcase_add_test (tc, test_limits);
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_messages);
  tcase_add_test (tc, test_result_kept);
  return s;
}

GST_CHECK_MAIN (cudasnake);
