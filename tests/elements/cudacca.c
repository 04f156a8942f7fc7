/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the properties that only cudacca has; foreground.c tests what it shares with cudaborders. It runs
 * once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "components.h"

#define ALL_FEATURES (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS)

/* Each property can change alone, and its change applies from the next frame on. */
GST_START_TEST (test_live_properties)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  CtrCcaParams params;
  GstHarness *h = new_harness ("cudacca");
  GstElement *cca = gst_harness_find_element (h, "cudacca");

  ctr_cca_params_init (&params);
  set_frame_caps (h, &frame);
  check_components (h, &frame, &params);

  params.connectivity = CTR_CONNECTIVITY_4;
  gst_util_set_object_arg (G_OBJECT (cca), "connectivity", "4");
  check_components (h, &frame, &params);

  params.min_area = 12;
  g_object_set (cca, "min-area", 12, NULL);
  check_components (h, &frame, &params);

  params.max_area = 60;
  g_object_set (cca, "max-area", 60, NULL);
  check_components (h, &frame, &params);

  params.features = CTR_FEATURE_MOMENTS;
  gst_util_set_object_arg (G_OBJECT (cca), "features", "moments");
  check_components (h, &frame, &params);

  params.features = CTR_FEATURE_MOMENTS | CTR_FEATURE_LABELS;
  g_object_set (cca, "labels", TRUE, NULL);
  check_components (h, &frame, &params);

  params.features = ALL_FEATURES;
  gst_util_set_object_arg (G_OBJECT (cca), "features", "grey+moments");
  check_components (h, &frame, &params);

  params.features = 0;
  gst_util_set_object_arg (G_OBJECT (cca), "features", "0");
  g_object_set (cca, "labels", FALSE, NULL);
  check_components (h, &frame, &params);

  gst_object_unref (cca);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* GObject rejects values outside the documented ranges. */
GST_START_TEST (test_property_bounds)
{
  GstElement *cca = gst_element_factory_make ("cudacca", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (cca);
  static const struct {
    const gchar *name;
    guint64 maximum;
  } bounds[] = {{"threshold", 65535}, {"min-area", G_MAXUINT32}, {"max-area", G_MAXUINT32}};

  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++) {
    GParamSpecUInt *spec = G_PARAM_SPEC_UINT (g_object_class_find_property (klass, bounds[i].name));

    fail_unless_equals_int (spec->minimum, 0);
    fail_unless_equals_uint64 (spec->maximum, bounds[i].maximum);
  }
  fail_unless_equals_int (G_PARAM_SPEC_INT (g_object_class_find_property (klass, "cuda-device-id"))->minimum, -1);
  for (guint i = 0; i < 3; i++) {
    static const gchar *names[] = {"connectivity", "threshold-mode", "backend"};
    GParamSpec *spec = g_object_class_find_property (klass, names[i]);
    GValue value = G_VALUE_INIT;

    g_value_init (&value, spec->value_type);
    g_value_set_enum (&value, 6);
    fail_unless (g_param_value_validate (spec, &value), "%s takes 6", names[i]);
    g_value_unset (&value);
  }
  gst_object_unref (cca);
}

GST_END_TEST;

static Suite *
cudacca_suite (void)
{
  Suite *s = suite_create ("cudacca");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_property_bounds);
  return s;
}

GST_CHECK_MAIN (cudacca);
