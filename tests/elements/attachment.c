/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests results as standard metadata: regions of interest and detections, of each analyser. What they must be
 * comes from the tables of the core, run on the CPU. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "attachment.h"
#include "discs.h"
#include "parts.h"

/* Borders at all depths, with moments, in a frame that has nested ones. */
static const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};

static CtrBordersParams
borders_params (void)
{
  CtrBordersParams params;

  ctr_borders_params_init (&params);
  params.mode = CTR_RETRIEVE_TREE;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  return params;
}

static CtrCracksParams
cracks_params (void)
{
  CtrCracksParams params;

  ctr_cracks_params_init (&params);
  params.minimum = params.step = 100;
  params.maximum = 200;
  return params;
}

#define BORDERS "cudaborders mode=tree features=moments "
#define CRACKS "cudacrackcontour min-level=100 step=100 max-level=200 "

/* The objects that must come of FRAME, from the element in LINE. */
static Objects
expect_objects (const gchar *line)
{
  CtrCcaParams cca;

  if (g_str_has_prefix (line, "cudaborders")) {
    const CtrBordersParams params = borders_params ();

    return objects_of_contours (expected_contours (&frame, &params));
  }
  if (g_str_has_prefix (line, "cudacrackcontour")) {
    const CtrCracksParams params = cracks_params ();

    return objects_of_contours (expected_cracks (&frame, &params));
  }
  ctr_cca_params_init (&cca);
  return objects_of_components (expected_components (&frame, &cca));
}

static const gchar *const lines[] = {"cudacca", BORDERS, CRACKS};

/* Each component and each outer contour is a region of interest, and the native metadata is there only if it is wanted. */
GST_START_TEST (test_regions)
{
  gchar *line = g_strdup_printf ("%s attach-as=native+roi max-objects=4096", lines[__i__]);
  Objects objects = expect_objects (line);
  GstHarness *h = new_harness (line);
  guint parents = 0;

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 4; i++) {
    const gboolean native = i == 0 || i == 3, roi = i < 2;
    GstBuffer *buffer;

    gst_util_set_object_arg (G_OBJECT (h->element), "attach-as",
        native && roi ? "native+roi"
        : roi         ? "roi"
        : native      ? "native"
                      : "");
    buffer = pass_frame (h, &frame);
    assert_regions (buffer, &objects, &frame, roi ? objects.list->len : 0);
    fail_unless_equals_int (has_native (buffer), native);
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < objects.list->len; i++)
    parents += g_array_index (objects.list, Object, i).parent > 0;
  fail_unless (
      objects.list->len > 20 && (parents > 0) == (__i__ > 0), "%u objects, %u parents", objects.list->len, parents);
  objects_clear (&objects);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* With mode=eq the class of a component is its sample. */
GST_START_TEST (test_classes)
{
  const TestFrame labels = {GST_VIDEO_FORMAT_GRAY8, 24, 16, .seed = 3};
  CtrCcaParams params;
  Objects objects;
  GstBuffer *buffer;
  GstHarness *h;

  if (test_in_cuda_memory ())
    return;
  h = new_harness ("cudacca mode=eq attach-as=roi");
  ctr_cca_params_init (&params);
  params.mode = CTR_COMPONENTS_EQUAL;
  objects = objects_of_components (expected_components (&labels, &params));
  set_frame_caps (h, &labels);
  buffer = pass_frame (h, &labels);
  fail_unless (g_array_index (objects.list, Object, 0).label_id > 0);
  assert_regions (buffer, &objects, &labels, objects.list->len);
  gst_buffer_unref (buffer);
  objects_clear (&objects);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Where there are more than max-objects, the largest stay, in their order; one warning tells of the first such frame. */
GST_START_TEST (test_limit)
{
  gchar *line = g_strdup_printf ("%s attach-as=native+roi max-objects=7", lines[__i__]);
  Objects objects = expect_objects (line);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (line, bus);

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 4; i++) {
    const guint limit = i == 2 ? 4096 : 7;
    GstBuffer *buffer;
    GstMessage *message;

    g_object_set (h->element, "max-objects", limit, NULL);
    buffer = pass_frame (h, &frame);
    assert_regions (buffer, &objects, &frame, MIN (limit, objects.list->len));
    gst_buffer_unref (buffer);
    message = pop_message (bus, GST_MESSAGE_WARNING);
    fail_unless_equals_int (message != NULL, i == 0 || i == 3);
    if (message) {
      gchar *text =
          g_strdup_printf ("%u of the frame's %u objects are not attached", objects.list->len - 7, objects.list->len);
      GError *error;

      gst_message_parse_warning (message, &error, NULL);
      fail_unless (strstr (error->message, text) && strstr (error->message, "raise max-objects"), "%s", error->message);
      g_error_free (error);
      g_free (text);
      gst_message_unref (message);
    }
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  objects_clear (&objects);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* Of many equal areas the first ones stay, whatever the limit. */
GST_START_TEST (test_equal_areas)
{
  static const guint limits[] = {1, 2, 3, 5, 17, 100, 400, 900};
  g_autofree guint8 *samples = g_malloc0 (SCENE_WIDTH * SCENE_HEIGHT);
  const CtrImage image = view_scene (samples);
  GstHarness *h = new_harness ("cudacca attach-as=roi");
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  CtrCcaParams params;
  Objects objects;

  for (guint y = 0; y < SCENE_HEIGHT; y += 4)
    for (guint x = 0; x < SCENE_WIDTH; x += 8)
      memset (samples + y * SCENE_WIDTH + x, 255, 1 + hash (5, x, y, 0) % 4);
  ctr_cca_params_init (&params);
  objects = objects_of_components (ctr_cca_run (cca, &image, &params, NULL, NULL));
  fail_unless_equals_int (objects.list->len, SCENE_WIDTH / 8 * (SCENE_HEIGHT / 4));
  set_frame_caps (h, &scene_frame);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    GstBuffer *buffer;

    g_object_set (h->element, "max-objects", limits[i], NULL);
    buffer = pass_picture (h, make_picture (&scene_frame, samples));
    assert_regions (buffer, &objects, &scene_frame, MIN (limits[i], objects.list->len));
    gst_buffer_unref (buffer);
  }
  ctr_cca_free (cca);
  objects_clear (&objects);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* An empty frame has no objects. */
GST_START_TEST (test_empty)
{
  gchar *line = g_strdup_printf ("%s min-area=100000 attach-as=roi%s", lines[__i__], HAVE_ANALYTICS_PLUS);
  GstHarness *h = new_harness (line);
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  buffer = pass_frame (h, &frame);
  fail_unless (gst_buffer_get_video_region_of_interest_meta (buffer) == NULL && !has_native (buffer));
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* Halves the boxes of OBJECTS as GStreamer does: since 1.28 it rounds both edges, unless the box ends where the frame does. */
static void
halve (GArray *objects)
{
  for (guint i = 0; i < objects->len; i++) {
    Object *object = &g_array_index (objects, Object, i);
    const guint right = (object->x + object->width + 1) / 2, bottom = (object->y + object->height + 1) / 2;

    if (GST_CHECK_VERSION (1, 27, 0) && right < (guint) frame.width / 2 && bottom < (guint) frame.height / 2) {
      object->x = (object->x + 1) / 2;
      object->y = (object->y + 1) / 2;
      object->width = right - object->x;
      object->height = bottom - object->y;
    } else {
      object->x /= 2;
      object->y /= 2;
      object->width /= 2;
      object->height /= 2;
    }
  }
}

/* Scaling a frame scales the boxes by GStreamer's rule; cropping drops them before GStreamer 1.28. */
GST_START_TEST (test_transforms)
{
  gchar *line =
      g_strdup_printf ("%s attach-as=roi backend=%s ! videoscale ! capsfilter caps=video/x-raw,width=80,height=60",
          lines[__i__], test_backend ());
  Objects objects = expect_objects (line);
  GstBuffer *buffer;
  GstHarness *h;

  if (!test_in_cuda_memory ()) {
    h = new_harness_of_line (line);
    set_frame_caps (h, &frame);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    halve (objects.list);
    assert_boxes (buffer, &objects);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
#if !GST_CHECK_VERSION(1, 27, 0)
    g_free (line);
    line = g_strdup_printf ("%s attach-as=roi backend=%s ! videocrop left=10", lines[__i__], test_backend ());
    h = new_harness_of_line (line);
    set_frame_caps (h, &frame);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    fail_unless (gst_buffer_get_video_region_of_interest_meta (buffer) == NULL);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
#endif
  }
  objects_clear (&objects);
  g_free (line);
}

GST_END_TEST;

/* Outlines of cudasnake are contours; its own max-objects is that of what it searches for. */
GST_START_TEST (test_outlines)
{
  GstHarness *h = new_harness ("cudasnake attach-as=native+roi max-objects=3");
  GstContoursContourMeta *meta;
  GstBuffer *buffer;
  Objects objects;

  set_frame_caps (h, &frame);
  buffer = pass_frame (h, &frame);
  meta = gst_buffer_get_contours_contour_meta (buffer);
  fail_unless (gst_contours_contour_meta_get_count (meta) > 0);
  objects = objects_of_contours (ctr_contours_ref (gst_contours_contour_meta_peek_contours (meta)));
  assert_regions (buffer, &objects, &frame, objects.list->len);
  objects_clear (&objects);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* LINE ends the stream with one error that says TEXT. */
static void
check_refusal (const gchar *line, const gchar *text)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (line, bus);
  GstMessage *message;
  GError *error;

  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s", line);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, text) != NULL, "%s: %s", line, error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL, "more than one error");
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_START_TEST (test_refusals)
{
  check_refusal ("cudacca strip-mode=true attach-as=native+roi", "strip-mode=true needs attach-as=native");
  check_refusal ("cudaborders mode=list strip-mode=true attach-as=roi", "strip-mode=true needs attach-as=native");
  check_refusal ("cudacrackcontour strip-mode=true attach-as=roi", "strip-mode=true needs attach-as=native");
#ifndef HAVE_ANALYTICS
  check_refusal ("cudacca attach-as=analytics", "attach-as=analytics needs a build with gstreamer-analytics-1.0");
  check_refusal ("cudasnake attach-as=native+analytics", "Set attach-as=roi");
#endif
}

GST_END_TEST;

#ifdef HAVE_ANALYTICS
/* Each component and outer contour is a detection, after those that the frame has, and says which one contains it. */
GST_START_TEST (test_detections)
{
  gchar *line = g_strdup_printf ("%s attach-as=analytics max-objects=4096", lines[__i__]);
  Objects objects = expect_objects (line);
  GstHarness *h = new_harness (line);

  set_frame_caps (h, &frame);
  for (guint before = 0; before < 4; before++) {
    const guint limit = before < 2 ? 4096 : before == 2 ? 7 : 16;
    GstBuffer *buffer = make_frame (&frame);

    g_object_set (h->element, "max-objects", limit, NULL);
    add_detections (buffer, before);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    fail_unless (gst_buffer_get_video_region_of_interest_meta (buffer) == NULL && !has_native (buffer));
    assert_detections (buffer, &objects, before, MIN (limit, objects.list->len));
    gst_buffer_unref (buffer);
  }
  objects_clear (&objects);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

#if GST_CHECK_VERSION(1, 26, 0)
/* A mask of another element stays, with its pixels, when many detections come beside it. */
GST_START_TEST (test_masks_stay)
{
  GstHarness *h = new_harness ("cudacca attach-as=analytics");
  GstBuffer *buffer = make_frame (&frame), *mask = gst_buffer_new_allocate (NULL, 16, NULL), *found;
  guint regions[] = {0, 7}, width, height;
  GstAnalyticsSegmentationMtd mtd;
  gint x, y;

  gst_buffer_memset (mask, 0, 7, 16);
  gst_buffer_add_video_meta (mask, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4, 4);
  fail_unless (gst_analytics_relation_meta_add_segmentation_mtd (gst_buffer_add_analytics_relation_meta (buffer),
      gst_buffer_ref (mask), GST_SEGMENTATION_TYPE_SEMANTIC, 2, regions, 1, 2, 30, 40, &mtd));
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  fail_unless (gst_analytics_relation_get_length (gst_buffer_get_analytics_relation_meta (buffer)) > 20);
  fail_unless (
      gst_analytics_relation_meta_get_segmentation_mtd (gst_buffer_get_analytics_relation_meta (buffer), 0, &mtd));
  found = gst_analytics_segmentation_mtd_get_mask (&mtd, &x, &y, &width, &height);
  fail_unless (found == mask && x == 1 && y == 2 && width == 30 && height == 40);
  fail_unless_equals_int (gst_analytics_segmentation_mtd_get_region_id (&mtd, 1), 7);
  gst_buffer_unref (found);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  ASSERT_MINI_OBJECT_REFCOUNT (mask, "mask", 1);
  gst_buffer_unref (mask);
}

GST_END_TEST;

/* With features=rectangle detections are turned: the turned box, with its middle on that of the rectangle, is as large. */
GST_START_TEST (test_turned_detections)
{
  GstHarness *h = new_harness ("cudaborders features=rectangle attach-as=native+analytics max-objects=4096");
  guint turned = 0;
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  buffer = pass_frame (h, &frame);
  turned = assert_turned (buffer);
  fail_unless (turned > 5, "%u turned detections", turned);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;
#endif
#endif

static Suite *
attachment_suite (void)
{
  Suite *s = suite_create ("attachment");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_regions, 0, G_N_ELEMENTS (lines));
  tcase_add_test (tc, test_classes);
  tcase_add_loop_test (tc, test_limit, 0, G_N_ELEMENTS (lines));
  tcase_add_test (tc, test_equal_areas);
  tcase_add_loop_test (tc, test_empty, 0, G_N_ELEMENTS (lines));
  tcase_add_loop_test (tc, test_transforms, 0, G_N_ELEMENTS (lines));
  tcase_add_test (tc, test_outlines);
  tcase_add_test (tc, test_refusals);
#ifdef HAVE_ANALYTICS
  tcase_add_loop_test (tc, test_detections, 0, G_N_ELEMENTS (lines));
#if GST_CHECK_VERSION(1, 26, 0)
  tcase_add_test (tc, test_masks_stay);
  tcase_add_test (tc, test_turned_detections);
#endif
#endif
  add_attachment_reading_tests (tc);
  return s;
}

GST_CHECK_MAIN (attachment);
