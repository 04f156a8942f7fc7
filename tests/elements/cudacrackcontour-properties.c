/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the bounds of cudacrackcontour's properties, changes of them during the stream, and invalid
 * levels. */
#include "contours.h"
#include "parts.h"

/* PARAMS must apply from this frame on, and its result must differ from that of BEFORE. */
static void
check_change (GstHarness *h, const TestFrame *frame, const CtrCracksParams *params, CtrCracksParams *before)
{
  CtrContours *old = expected_cracks (frame, before), *new = expected_cracks (frame, params);

  fail_if (old->count == new->count && old->point_count == new->point_count && old->features == new->features,
      "the change changes nothing");
  check_cracks (h, frame, params);
  ctr_contours_unref (old);
  ctr_contours_unref (new);
  *before = *params;
}

/* Each property can change alone, and its change applies from the next frame on. */
GST_START_TEST (test_live_properties)
{
  static const guint32 list[] = {3, 99, 100, 250};
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  CtrCracksParams params, before;
  GstHarness *h = new_harness ("cudacrackcontour");
  GstElement *cracks = gst_harness_find_element (h, "cudacrackcontour");

  ctr_cracks_params_init (&params);
  set_frame_caps (h, &frame);
  check_cracks (h, &frame, &params);
  before = params;

  params.minimum = 20;
  g_object_set (cracks, "min-level", 20, NULL);
  check_change (h, &frame, &params, &before);

  params.maximum = 200;
  g_object_set (cracks, "max-level", 200, NULL);
  check_change (h, &frame, &params, &before);

  params.step = 7;
  g_object_set (cracks, "step", 7, NULL);
  check_change (h, &frame, &params, &before);

  params.connectivity = CTR_CONNECTIVITY_4;
  gst_util_set_object_arg (G_OBJECT (cracks), "connectivity", "4");
  check_change (h, &frame, &params, &before);

  params.frame = CTR_IMAGE_BORDER_ZERO;
  gst_util_set_object_arg (G_OBJECT (cracks), "border", "zero");
  check_change (h, &frame, &params, &before);

  params.mode = CTR_LEVELS_EQUAL;
  gst_util_set_object_arg (G_OBJECT (cracks), "mode", "eq");
  check_change (h, &frame, &params, &before);

  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  gst_util_set_object_arg (G_OBJECT (cracks), "features", "moments");
  check_change (h, &frame, &params, &before);

  params.min_area = 3.5;
  g_object_set (cracks, "min-area", 3.5, NULL);
  check_change (h, &frame, &params, &before);

  params.mode = CTR_LEVELS_AT_LEAST;
  gst_util_set_object_arg (G_OBJECT (cracks), "mode", "ge");
  check_change (h, &frame, &params, &before);

  params.max_area = 400;
  g_object_set (cracks, "max-area", 400.0, NULL);
  check_change (h, &frame, &params, &before);

  params.min_length = 20;
  g_object_set (cracks, "min-length", 20.0, NULL);
  check_change (h, &frame, &params, &before);

  params.levels = list;
  params.level_count = G_N_ELEMENTS (list);
  g_object_set (cracks, "levels", "3, 99 100,250", NULL);
  check_change (h, &frame, &params, &before);

  params.levels = NULL;
  g_object_set (cracks, "levels", NULL, NULL);
  check_change (h, &frame, &params, &before);

  params.hierarchy = CTR_HIERARCHY_LEVELS;
  gst_util_set_object_arg (G_OBJECT (cracks), "hierarchy", "levels");
  check_change (h, &frame, &params, &before);

  params.min_persistence = 14;
  g_object_set (cracks, "min-persistence", 14, NULL);
  check_change (h, &frame, &params, &before);

  params.max_depth = 3;
  g_object_set (cracks, "max-depth", 3, NULL);
  check_change (h, &frame, &params, &before);

  params.min_persistence = 0;
  params.max_depth = CTR_CRACKS_ANY_DEPTH;
  g_object_set (cracks, "min-persistence", 0, "max-depth", -1, NULL);
  check_change (h, &frame, &params, &before);

  params.hierarchy = CTR_HIERARCHY_PER_LEVEL;
  gst_util_set_object_arg (G_OBJECT (cracks), "hierarchy", "per-level");
  check_change (h, &frame, &params, &before);

  params.connectivity = CTR_CONNECTIVITY_8;
  params.frame = CTR_IMAGE_BORDER_PAD;
  gst_util_set_object_arg (G_OBJECT (cracks), "connectivity", "8");
  gst_util_set_object_arg (G_OBJECT (cracks), "border", "pad");
  check_change (h, &frame, &params, &before);

  gst_object_unref (cracks);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Invalid levels yield frames without contours, and one warning. */
GST_START_TEST (test_wrong_levels)
{
  static const struct {
    const gchar *levels, *text;
  } lists[] = {{"9,3", "3 follows 9"}, {"7,7", "7 follows 7"}, {"0,5", "'0' is not an integer"},
      {"12,x", "'x' is not an integer"}, {"65536", "'65536' is not an integer"}, {"-1", "'-1' is not an integer"},
      {"1;2", "'1;2' is not an integer"}, {"4294967297", "'4294967297' is not an integer"},
      {"1.5", "'1.5' is not an integer"}};
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacrackcontour min-level=30 max-level=20 features=moments", bus);
  CtrCracksParams params;
  gchar *text;

  ctr_cracks_params_init (&params);
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  set_frame_caps (h, &frame);
  check_refused (h, bus, &frame, "min-level=30 is above max-level=20");
  check_refused (h, bus, &frame, NULL);
  gst_harness_set (h, "cudacrackcontour", "min-level", 40, NULL);
  check_refused (h, bus, &frame, "min-level=40 is above max-level=20");
  params.minimum = 40;
  params.maximum = 60;
  gst_harness_set (h, "cudacrackcontour", "max-level", 60, NULL);
  check_cracks (h, &frame, &params);

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    gst_harness_set (h, "cudacrackcontour", "levels", lists[i].levels, NULL);
    gst_harness_get (h, "cudacrackcontour", "levels", &text, NULL);
    fail_unless_equals_string (text, lists[i].levels);
    g_free (text);
    check_refused (h, bus, &frame, lists[i].text);
    check_refused (h, bus, &frame, NULL);
  }
  /* A list of nothing but separators is empty. */
  gst_harness_set (h, "cudacrackcontour", "levels", " , ", NULL);
  check_cracks (h, &frame, &params);
  fail_unless (pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Values that do not go with the hierarchy yield frames without contours, and one warning. */
GST_START_TEST (test_wrong_hierarchy)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  GstBus *bus = gst_bus_new ();
  GstHarness *h =
      new_harness_with_bus ("cudacrackcontour step=40 hierarchy=levels mode=eq min-persistence=40 max-depth=2", bus);
  CtrCracksParams params;

  ctr_cracks_params_init (&params);
  params.step = 40;
  set_frame_caps (h, &frame);
  check_refused (h, bus, &frame, "hierarchy=levels needs mode=ge");
  check_refused (h, bus, &frame, NULL);
  gst_util_set_object_arg (G_OBJECT (h->element), "hierarchy", "per-level");
  check_refused (h, bus, &frame, "min-persistence=40 needs hierarchy=levels");
  g_object_set (h->element, "min-persistence", 0, NULL);
  check_refused (h, bus, &frame, "max-depth=2 needs hierarchy=levels");
  check_refused (h, bus, &frame, NULL);
  gst_util_set_object_arg (G_OBJECT (h->element), "hierarchy", "levels");
  gst_util_set_object_arg (G_OBJECT (h->element), "mode", "ge");
  params.hierarchy = CTR_HIERARCHY_LEVELS;
  params.max_depth = 2;
  check_cracks (h, &frame, &params);
  fail_unless (pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The warning quotes the start of a long list of levels, and is valid UTF-8 even if the list is not. */
GST_START_TEST (test_long_wrong_levels)
{
  static const gchar *pieces[] = {"\xff", "\xc3\xa4", "\xe2\x82\xac", "x", "1,", "\xe2\x82", "\x80"};
  static const gchar *starts[] = {"", "a", "ab"};
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacrackcontour", bus);

  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (pieces) * G_N_ELEMENTS (starts); i++) {
    const gchar *piece = pieces[i / G_N_ELEMENTS (starts)];
    GString *levels = g_string_new (starts[i % G_N_ELEMENTS (starts)]);
    gboolean valid = g_utf8_validate (piece, -1, NULL);
    GstMessage *message;
    GError *warning = NULL;

    while (levels->len < 140000)
      g_string_append (levels, piece);
    gst_harness_set (h, "cudacrackcontour", "levels", levels->str, NULL);
    gst_buffer_unref (pass_frame (h, &frame));
    message = pop_message (bus, GST_MESSAGE_WARNING);
    gst_message_parse_warning (message, &warning, NULL);
    fail_unless (g_utf8_validate (warning->message, -1, NULL));
    fail_unless (strlen (warning->message) < 600, "%s", warning->message);
    fail_unless (strstr (warning->message, "...\" is invalid: ") != NULL, "%s", warning->message);
    fail_unless (strstr (warning->message, "\xef\xbf\xbd") == NULL || !valid, "%s", warning->message);
    g_error_free (warning);
    gst_message_unref (message);
    g_string_free (levels, TRUE);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* GObject rejects values outside the documented ranges. */
GST_START_TEST (test_property_bounds)
{
  GstElement *cracks = gst_element_factory_make ("cudacrackcontour", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (cracks);
  static const gchar *levels[] = {"min-level", "max-level", "step"},
                     *enums[] = {"mode", "connectivity", "border", "hierarchy"};
  static const gchar *limits[] = {"min-area", "max-area", "min-length"};

  for (guint i = 0; i < 3; i++) {
    GParamSpecUInt *level = G_PARAM_SPEC_UINT (g_object_class_find_property (klass, levels[i]));
    GParamSpecDouble *limit = G_PARAM_SPEC_DOUBLE (g_object_class_find_property (klass, limits[i]));

    fail_unless (level->minimum == 1 && level->maximum == 65535, "%s", levels[i]);
    fail_unless (limit->minimum == 0 && limit->maximum == G_MAXDOUBLE, "%s", limits[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (enums); i++) {
    GParamSpec *spec = g_object_class_find_property (klass, enums[i]);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, spec->value_type);
    g_value_set_enum (&value, 6);
    fail_unless (g_param_value_validate (spec, &value), "%s takes 6", enums[i]);
    g_value_unset (&value);
  }
  gst_object_unref (cracks);
}

GST_END_TEST;

void
add_cudacrackcontour_property_tests (TCase *tc)
{
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_wrong_levels);
  tcase_add_test (tc, test_wrong_hierarchy);
  tcase_add_test (tc, test_long_wrong_levels);
  tcase_add_test (tc, test_property_bounds);
}
