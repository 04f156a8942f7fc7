/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the bounds of cudasnake's properties, changes of them during the stream, and invalid objects. */
#include "discs.h"
#include "parts.h"

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

/* The parameters and objects of a frame. */
typedef struct {
  CtrSnakeParams params;
  CtrSnakeObject objects[3];
  guint count;
} Request;

/* NEW must apply from this frame on, and its result must differ from that of BEFORE. */
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

/* Each property can change alone, and its change applies from the next frame on. */
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

  /* One window applies to all rectangles. */
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

#define EIGHT_LETTERS "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"

/* Invalid objects yield frames without outlines, and one warning. */
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

/* GObject rejects values outside the documented ranges. */
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

void
add_cudasnake_property_tests (TCase *tc)
{
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_wrong_objects);
  tcase_add_test (tc, test_property_bounds);
}
