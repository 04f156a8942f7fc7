/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the properties that only cudacca has; foreground.c tests what it shares with cudaborders. It runs
 * once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "components.h"

#define ALL_FEATURES                                                                                             \
  (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED \
      | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON)

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
  gst_util_set_object_arg (G_OBJECT (cca), "features", "grey+moments+percentiles+inscribed+contrast+skeleton");
  check_components (h, &frame, &params);

  params.ring_width = 5;
  g_object_set (cca, "ring-width", 5, NULL);
  check_components (h, &frame, &params);

  params.features = 0;
  gst_util_set_object_arg (G_OBJECT (cca), "features", "0");
  g_object_set (cca, "labels", FALSE, NULL);
  check_components (h, &frame, &params);

  params.features = CTR_FEATURE_BACKGROUND;
  g_object_set (cca, "background-row", TRUE, NULL);
  check_components (h, &frame, &params);

  params.mode = CTR_COMPONENTS_EQUAL;
  gst_util_set_object_arg (G_OBJECT (cca), "mode", "eq");
  check_components (h, &frame, &params);

  params.background = 100;
  g_object_set (cca, "background", 100, NULL);
  check_components (h, &frame, &params);

  params.background = CTR_CCA_NO_BACKGROUND;
  g_object_set (cca, "background", -1, NULL);
  check_components (h, &frame, &params);

  /* It has no threshold, whatever the mode of the threshold. */
  gst_util_set_object_arg (G_OBJECT (cca), "threshold-mode", "otsu");
  check_components (h, &frame, &params);

  gst_object_unref (cca);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The components of a label image of 16 bits, each with the sample of its pixels. */
GST_START_TEST (test_label_image)
{
  static const guint16 labels[4][6] = {
      {0, 300, 300, 0, 44, 44}, {0, 300, 0, 0, 44, 300}, {0, 0, 44, 44, 0, 300}, {7, 0, 0, 0, 0, 0}};
  static const struct {
    guint value, pixels;
  } expected[] = {{300, 3}, {44, 3}, {300, 2}, {44, 2}, {7, 1}};
  TestFrame frame = {GST_VIDEO_FORMAT_GRAY16_LE, 6, 4, .seed = 1};
  gchar *line = g_strdup_printf ("cudacca mode=eq connectivity=4 background-row=true backend=%s", test_backend ());
  GstHarness *h = new_harness_of_line (line);
  GstVideoInfo info;
  GstVideoFrame pixels;
  GstBuffer *buffer;
  GstContoursComponentMeta *meta;
  GstContoursComponent c;

  g_free (line);
  if (test_in_cuda_memory ()) { /* where this format cannot be */
    gst_harness_teardown (h);
    return;
  }
  set_frame_caps (h, &frame);
  gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  fail_unless (gst_video_frame_map (&pixels, &info, buffer, GST_MAP_WRITE));
  for (guint y = 0; y < 4; y++)
    memcpy ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&pixels, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&pixels, 0),
        labels[y], sizeof labels[y]);
  gst_video_frame_unmap (&pixels);
  buffer = gst_harness_push_and_pull (h, buffer);
  meta = gst_buffer_get_contours_component_meta (buffer);
  fail_unless (meta != NULL);
  fail_unless_equals_int (gst_contours_component_meta_get_features (meta),
      GST_CONTOURS_COMPONENT_FEATURE_VALUES | GST_CONTOURS_COMPONENT_FEATURE_BACKGROUND);
  fail_unless_equals_int (gst_contours_component_meta_get_count (meta), G_N_ELEMENTS (expected));
  fail_unless_equals_int (gst_contours_component_meta_get_threshold (meta), 0);
  for (guint i = 0; gst_contours_component_meta_get_component (meta, i, &c); i++) {
    fail_unless_equals_int (c.label, i + 1);
    fail_unless_equals_int (c.value, expected[i].value);
    fail_unless_equals_int (c.pixels, expected[i].pixels);
  }
  fail_unless (gst_contours_component_meta_get_background (meta, &c));
  fail_unless_equals_int (c.label, 0);
  fail_unless_equals_int (c.pixels, 13);
  gst_buffer_unref (buffer);
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
  tcase_add_test (tc, test_label_image);
  tcase_add_test (tc, test_property_bounds);
  return s;
}

GST_CHECK_MAIN (cudacca);
