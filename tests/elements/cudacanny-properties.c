/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the bounds of cudacanny's properties, and changes of them during the stream. */
#include "cudacanny.h"
#include "parts.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <math.h>

/* Each property can change alone, and its change applies from the next frame on. */
GST_START_TEST (test_live_properties)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  CtrCannyParams params = default_params ();
  GstHarness *h = new_harness ("cudacanny");
  GstElement *canny = gst_harness_find_element (h, "cudacanny");
  guint n_edges = count_edges (&frame, &params);

#define CHECK_CHANGED()                                                                     \
  G_STMT_START                                                                              \
  {                                                                                         \
    fail_unless (count_edges (&frame, &params) != n_edges, "the test shows no difference"); \
    n_edges = count_edges (&frame, &params);                                                \
    check_edges (h, &frame, &params, FALSE);                                                \
  }                                                                                         \
  G_STMT_END

  set_frame_caps (h, &frame);
  check_edges (h, &frame, &params, FALSE);

  params.sigma = 1.25;
  g_object_set (canny, "sigma", 1.25, NULL);
  CHECK_CHANGED ();

  params.high_threshold = 400.5;
  g_object_set (canny, "high-threshold", 400.5, NULL);
  CHECK_CHANGED ();

  params.low_threshold = 222.25;
  g_object_set (canny, "low-threshold", 222.25, NULL);
  CHECK_CHANGED ();

  params.l2_gradient = true;
  g_object_set (canny, "l2-gradient", TRUE, NULL);
  CHECK_CHANGED ();

  params.aperture = 5;
  g_object_set (canny, "aperture", 5, NULL);
  CHECK_CHANGED ();

  params.aperture = 7;
  g_object_set (canny, "aperture", 7, NULL);
  CHECK_CHANGED ();

  params.threshold_mode = CTR_CANNY_OTSU;
  gst_util_set_object_arg (G_OBJECT (canny), "threshold-mode", "otsu");
  CHECK_CHANGED ();

  params.threshold_mode = CTR_CANNY_MEDIAN;
  gst_util_set_object_arg (G_OBJECT (canny), "threshold-mode", "median");
  CHECK_CHANGED ();

  params.threshold_mode = CTR_CANNY_RELATIVE;
  gst_util_set_object_arg (G_OBJECT (canny), "threshold-mode", "relative");
  CHECK_CHANGED ();

  params.high_share = 0.75;
  g_object_set (canny, "high-share", 0.75, NULL);
  CHECK_CHANGED ();

  params.low_share = 0.5;
  g_object_set (canny, "low-share", 0.5, NULL);
  CHECK_CHANGED ();

  g_object_set (canny, "mask", TRUE, NULL);
  check_edges (h, &frame, &params, TRUE);

  g_object_set (canny, "mask", FALSE, NULL);
  check_edges (h, &frame, &params, FALSE);

  gst_object_unref (canny);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Does the first plane of BUFFER, in GRAY8 or NV12, equal the mask? */
static gboolean
has_mask (GstBuffer *buffer, const TestFrame *frame, const guint8 *mask)
{
  gboolean same = TRUE;
  GstVideoInfo info;
  GstVideoFrame out;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&out, &info, buffer, GST_MAP_READ));
  for (gint row = 0; row < frame->height; row++)
    same &= memcmp ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&out, 0) + row * GST_VIDEO_FRAME_PLANE_STRIDE (&out, 0),
                mask + row * frame->width, frame->width)
            == 0;
  gst_video_frame_unmap (&out);
  return same;
}

/* While another thread keeps changing a property, each frame's result is that of one value. */
GST_START_TEST (test_live_properties_stress)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 12};
  CtrCannyParams params = default_params ();
  GstHarness *h = new_harness ("cudacanny");
  static const gdouble sigmas[] = {1, 2.5};
  guint8 *expected[2];
  GValue values[2] = {G_VALUE_INIT, G_VALUE_INIT};
  GstHarnessThread *threads[2];

  set_frame_caps (h, &frame);
  gst_harness_set (h, "cudacanny", "sigma", sigmas[0], NULL);
  for (guint i = 0; i < 2; i++) {
    params.sigma = sigmas[i];
    expected[i] = expected_edges (&frame, &params);
    g_value_init (&values[i], G_TYPE_DOUBLE);
    g_value_set_double (&values[i], sigmas[i]);
    threads[i] = gst_harness_stress_property_start_full (h, "sigma", &values[i], 100);
  }
  fail_unless (memcmp (expected[0], expected[1], frame.width * frame.height) != 0);
  for (guint n = 0; n < 500; n++) {
    GstBuffer *buffer;

    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    fail_unless (has_mask (buffer, &frame, expected[0]) || has_mask (buffer, &frame, expected[1]));
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < 2; i++) {
    gst_harness_stress_thread_stop (threads[i]);
    g_free (expected[i]);
    g_value_unset (&values[i]);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
count_warnings (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer user_data)
{
  if (level == GST_LEVEL_WARNING && g_str_equal (gst_debug_category_get_name (category), "cudacanny"))
    (*(guint *) user_data)++;
}

/* GLib refuses the value with a warning, from 2.84 on with a critical message, which must not fail this test. */
static void
set_refused (GstElement *element, const gchar *property, gdouble value)
{
  const GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);

  _gst_check_expecting_log = TRUE;
  _gst_check_raised_warning = _gst_check_raised_critical = FALSE;
  g_object_set (element, property, value, NULL);
  fail_unless (_gst_check_raised_warning || _gst_check_raised_critical, "%s takes %g", property, value);
  _gst_check_expecting_log = FALSE;
  g_log_set_always_fatal (fatal);
}

/* An invalid value is refused, or replaced by the nearest valid one with a warning. */
GST_START_TEST (test_property_bounds)
{
  GstElement *canny = gst_element_factory_make ("cudacanny", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (canny);
  static const struct {
    const gchar *name;
    gdouble maximum, value;
  } numbers[] = {{"sigma", CTR_CANNY_MAX_SIGMA, 2}, {"low-threshold", 100000000, 50},
      {"high-threshold", 100000000, 150}, {"low-share", 1, 0.2}, {"high-share", 1, 0.4}};
  static const gchar *enums[] = {"threshold-mode", "backend", "depth", "output"};
  guint n_warnings = 0;
  gint aperture;

  gst_debug_set_threshold_for_name ("cudacanny", GST_LEVEL_WARNING);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (count_warnings, &n_warnings, NULL);
  for (gint wanted = 3; wanted <= 7; wanted++) {
    n_warnings = 0;
    g_object_set (canny, "aperture", wanted, NULL);
    g_object_get (canny, "aperture", &aperture, NULL);
    fail_unless_equals_int (aperture, wanted % 2 ? wanted : wanted - 1);
    fail_unless_equals_int (n_warnings, wanted % 2 ? 0 : 1);
  }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    GParamSpecDouble *spec = G_PARAM_SPEC_DOUBLE (g_object_class_find_property (klass, numbers[i].name));
    gdouble value;

    fail_unless_equals_float (spec->minimum, 0);
    fail_unless_equals_float (spec->maximum, numbers[i].maximum);
    set_refused (canny, numbers[i].name, NAN);
    set_refused (canny, numbers[i].name, -0.5);
    g_object_get (canny, numbers[i].name, &value, NULL);
    fail_unless_equals_float (value, numbers[i].value);
  }
  for (guint i = 0; i < G_N_ELEMENTS (enums); i++) {
    GParamSpec *spec = g_object_class_find_property (klass, enums[i]);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, spec->value_type);
    g_value_set_enum (&value, 6);
    fail_unless (g_param_value_validate (spec, &value), "%s takes 6", enums[i]);
    g_value_unset (&value);
  }
  gst_debug_remove_log_function (count_warnings);
  gst_object_unref (canny);
}

GST_END_TEST;

/* A controlled property has its value at each frame's time. */
GST_START_TEST (test_controlled)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 13};
  CtrCannyParams params = default_params ();
  GstHarness *h = new_harness ("cudacanny");
  GstElement *canny = gst_harness_find_element (h, "cudacanny");
  GstControlSource *source = gst_interpolation_control_source_new ();

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_LINEAR, NULL);
  fail_unless (gst_object_add_control_binding (
      GST_OBJECT (canny), gst_direct_control_binding_new_absolute (GST_OBJECT (canny), "sigma", source)));
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 0, 0.5);
  gst_timed_value_control_source_set (GST_TIMED_VALUE_CONTROL_SOURCE (source), 10 * GST_SECOND, 3);
  set_frame_caps (h, &frame);
  for (guint second = 0; second <= 10; second += 5) {
    GstBuffer *buffer = make_frame (&frame);

    GST_BUFFER_PTS (buffer) = second * GST_SECOND;
    params.sigma = 0.5 + 0.25 * second;
    gst_harness_push (h, buffer);
    buffer = gst_harness_pull (h);
    assert_edges (buffer, &frame, &params, FALSE);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (source);
  gst_object_unref (canny);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_cudacanny_property_tests (TCase *tc)
{
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_live_properties_stress);
  tcase_add_test (tc, test_property_bounds);
  tcase_add_test (tc, test_controlled);
}
