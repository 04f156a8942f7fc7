/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check cudacrackcontour trace=labels behind cudacca: results, scaled frames, what cannot be traced. */
#include "components.h"
#include "contours.h"
#include "parts.h"

#include <gst/contours/gstcontours.h>

/* What the core's host backend finds in the label image of FRAME; free with ctr_contours_unref(). */
static CtrContours *
expected_outlines_of (const TestFrame *frame, const CtrCcaParams *of_components, const CtrCracksParams *params)
{
  CtrComponents *components = expected_components (frame, of_components);
  CtrError error = {0};
  CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, &error);
  CtrContours *contours = ctr_cracks_run_labels (cracks, components, params, NULL, &error);

  fail_unless (contours != NULL, "%s", error.message);
  ctr_cracks_free (cracks);
  ctr_components_unref (components);
  return contours;
}

/* cudacca, called cca, with the properties OF_CCA, and cudacrackcontour trace=labels, called cracks. BUS may be NULL. */
static GstHarness *
new_chain (const gchar *of_cca, const gchar *of_cracks, GstBus *bus)
{
  gchar *line =
      g_strdup_printf ("cudacca name=cca backend=%s %s ! cudacrackcontour name=cracks trace=labels backend=%s %s",
          test_backend (), of_cca, test_backend (), of_cracks);
  GstElement *bin = gst_parse_bin_from_description (line, TRUE, NULL);
  GstHarness *h;

  gst_element_set_bus (bin, bus);
  h = gst_harness_new_with_element (bin, "sink", "src");
  gst_object_unref (bin);
  g_free (line);
  return h;
}

/* BUFFER's contours must be those of the label image, one outer contour with the box and area of each component at least. */
static void
assert_outlines_of (
    GstBuffer *buffer, const TestFrame *frame, const CtrCcaParams *of_components, const CtrCracksParams *params)
{
  GstContoursComponentMeta *components = gst_buffer_get_contours_component_meta (buffer);
  CtrContours *contours = gst_contours_contour_meta_peek_contours (gst_buffer_get_contours_contour_meta (buffer));
  const CtrContour *table = ctr_contours_map_table (contours, NULL);
  GstContoursComponent component;
  gint64 *areas = g_new0 (gint64, gst_contours_component_meta_get_count (components) + 1);

  for (guint i = 0; i < contours->count; i++)
    areas[table[i].level] += table[i].area2;
  for (guint i = 0; gst_contours_component_meta_get_component (components, i, &component); i++)
    fail_unless_equals_int64 (areas[component.label], 2 * (gint64) component.pixels);
  g_free (areas);
  assert_carries (buffer, NULL, frame, expected_outlines_of (frame, of_components, params));
}

/* Both modes of cudacca, with frames that follow one another before anyone reads their results. */
GST_START_TEST (test_labels)
{
  static const gchar *const modes[] = {"labels=true mode=eq background=-1 connectivity=4", "labels=true threshold=100"};
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 162, 122, .seed = 3};
  GstBuffer *buffers[4];
  CtrCracksParams params;

  ctr_cracks_params_init (&params);
  for (guint m = 0; m < G_N_ELEMENTS (modes); m++) {
    GstHarness *h = new_chain (modes[m], "", NULL);
    CtrCcaParams of_components;

    ctr_cca_params_init (&of_components);
    of_components.features = CTR_FEATURE_LABELS;
    of_components.foreground.threshold = m == 0 ? of_components.foreground.threshold : 100;
    of_components.mode = m == 0 ? CTR_COMPONENTS_EQUAL : CTR_COMPONENTS_FOREGROUND;
    of_components.background = m == 0 ? -1 : of_components.background;
    of_components.connectivity = m == 0 ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
    set_frame_caps (h, &frame);
    for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
      frame.seed = 10 * m + i;
      buffers[i] = pass_frame (h, &frame);
    }
    for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
      frame.seed = 10 * m + i;
      assert_outlines_of (buffers[i], &frame, &of_components, &params);
      gst_buffer_unref (buffers[i]);
    }
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* Sends a frame through H, whose one warning must contain TEXT (NULL: none). Returns the number of its contours. */
static guint
pass_with_warning (GstHarness *h, GstBus *bus, const TestFrame *frame, const gchar *text)
{
  GstBuffer *buffer = pass_frame (h, frame);
  const guint count = gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer));
  GstMessage *message = pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

  gst_buffer_unref (buffer);
  fail_unless ((message != NULL) == (text != NULL), "%s", text ? text : "a warning too many");
  if (message) {
    GError *error = NULL;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  return count;
}

/* Without a label image there is one warning, until there is one, or the property changes. Levels have no effect. */
GST_START_TEST (test_labels_warnings)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 5};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_chain ("", "min-level=9 max-level=3 levels=4,2", bus);
  GstElement *cracks = gst_bin_get_by_name (GST_BIN (h->element), "cracks");
  GstElement *cca = gst_bin_get_by_name (GST_BIN (h->element), "cca");

  set_frame_caps (h, &frame);
  fail_unless_equals_int (pass_with_warning (h, bus, &frame, "Put cudacca labels=true before this element"), 0);
  fail_unless_equals_int (pass_with_warning (h, bus, &frame, NULL), 0);
  g_object_set (cca, "labels", TRUE, NULL);
  fail_unless (pass_with_warning (h, bus, &frame, NULL) > 0);
  gst_util_set_object_arg (G_OBJECT (cracks), "hierarchy", "levels");
  fail_unless_equals_int (pass_with_warning (h, bus, &frame, "hierarchy=levels needs trace=frame"), 0);
  gst_util_set_object_arg (G_OBJECT (cracks), "hierarchy", "per-level");
  g_object_set (cracks, "min-persistence", 3, NULL);
  fail_unless_equals_int (pass_with_warning (h, bus, &frame, "min-persistence=3 needs hierarchy=levels"), 0);
  g_object_set (cracks, "min-persistence", 0, NULL);
  gst_util_set_object_arg (G_OBJECT (cracks), "trace", "frame");
  fail_unless_equals_int (pass_with_warning (h, bus, &frame, "levels=\"4,2\" is invalid"), 0);
  gst_object_unref (cracks);
  gst_object_unref (cca);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Components of strips have no label image: an error says so. */
GST_START_TEST (test_labels_of_strips)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 6};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacrackcontour trace=labels strip-mode=true", bus);
  GError *error = NULL;
  GstMessage *message;

  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "strip-mode=true needs trace=frame") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Of a frame that was scaled after the components were found, the contours are where the components are. */
GST_START_TEST (test_labels_of_scaled_frames)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 7}, doubled = {GST_VIDEO_FORMAT_NV12, 128, 96, .seed = 7};
  GstHarness *first = new_harness ("cudacca labels=true threshold=100");
  GstHarness *second = new_harness ("cudacrackcontour trace=labels");
  GstVideoMetaTransform scaling;
  GstVideoInfo from, to;
  GstBuffer *analysed, *scaled;
  GstContoursComponentMeta *components;
  GstContoursContourMeta *contours;
  GstContoursComponent component;
  GstContoursContour contour;
  gpointer state = NULL;
  guint width, height;
  GstMeta *meta;

  set_frame_caps (first, &frame);
  set_frame_caps (second, &doubled);
  analysed = pass_frame (first, &frame);
  scaled = make_frame (&doubled);
  gst_video_info_set_format (&from, frame.format, frame.width, frame.height);
  gst_video_info_set_format (&to, doubled.format, doubled.width, doubled.height);
  scaling = (GstVideoMetaTransform){&from, &to};
  meta = gst_buffer_iterate_meta_filtered (analysed, &state, GST_CONTOURS_COMPONENT_META_API_TYPE);
  fail_unless (
      meta->info->transform_func (scaled, meta, analysed, gst_video_meta_transform_scale_get_quark (), &scaling));
  fail_unless_equals_int (gst_harness_push (second, scaled), GST_FLOW_OK);
  scaled = gst_harness_pull (second);
  components = gst_buffer_get_contours_component_meta (scaled);
  contours = gst_buffer_get_contours_contour_meta (scaled);
  gst_contours_contour_meta_get_reference_size (contours, &width, &height);
  fail_unless (width == 64 && height == 48);
  fail_unless (gst_contours_component_meta_get_component (components, 0, &component));
  fail_unless (gst_contours_contour_meta_get_contour (contours, 0, &contour));
  fail_unless_equals_int (contour.level, 1);
  fail_unless (contour.x == component.x && contour.y == component.y && contour.w == component.w
               && contour.h == component.h && fmod (contour.w, 2) == 0);
  gst_buffer_unref (scaled);
  gst_buffer_unref (analysed);
  gst_harness_teardown (first);
  gst_harness_teardown (second);
}

GST_END_TEST;

void
add_cudacrackcontour_label_tests (TCase *tc)
{
  tcase_add_test (tc, test_labels);
  tcase_add_test (tc, test_labels_warnings);
  tcase_add_test (tc, test_labels_of_strips);
  tcase_add_test (tc, test_labels_of_scaled_frames);
}
