/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests cudacrackcontour trace=segmentation and cudacca mode=segmentation: the masks of a frame are analysed in its
 * place. What they must find comes from the core, run on the CPU on the pixels of the mask. It runs once for each backend and memory
 * (CTR_TEST_BACKEND, CTR_TEST_MEMORY): in CUDA memory, the masks are there, too. */
#include "components.h"
#include "contours.h"

#if defined(HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)

#include <gst/analytics/analytics.h>

#define CRACKS "cudacrackcontour name=it trace=segmentation "
#define CCA "cudacca name=it mode=segmentation "

static const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};

/* The mask's pixels, and where it is in the frame. */
typedef struct {
  TestFrame pixels;
  gint x, y;
  guint width, height;
} TestMask;

static const TestMask masks[] = {
    {{GST_VIDEO_FORMAT_GRAY8, 160, 120, .seed = 1}, 0, 0, 160, 120},
    {{GST_VIDEO_FORMAT_GRAY8, 31, 17, .padding = 5, .offset = 3, .fill = 77, .seed = 2}, 40, 20, 93, 34},
    {{GST_VIDEO_FORMAT_GRAY16_LE, 40, 30, .seed = 3}, -8, 100, 20, 45},
    {{GST_VIDEO_FORMAT_GRAY8, 1, 1, .seed = 4}, 7, 9, 3, 1},
    {{GST_VIDEO_FORMAT_GRAY8, 20, 10, .padding = 12, .seed = 5}, 0, 0, 0, 0}, /* the whole frame */
};

#ifdef HAVE_GST_CUDA
/* GStreamer has no memory of such formats: the mask lies in that of a picture with as many bytes in a row. */
static GstBuffer *
make_cuda_mask (const TestFrame *mask)
{
  const gint pixel = mask->format == GST_VIDEO_FORMAT_GRAY8 ? 1 : 2, row = mask->width * pixel;
  const TestFrame carrier = {GST_VIDEO_FORMAT_RGB, (row + 2) / 3, mask->height, .seed = mask->seed};
  GstBuffer *buffer = make_cuda_frame (&carrier, test_cuda_context ());
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  meta->format = mask->format;
  meta->width = mask->width;
  return buffer;
}
#endif

static GstBuffer *
make_mask (const TestFrame *mask)
{
  GstBuffer *buffer;

#ifdef HAVE_GST_CUDA
  if (test_in_cuda_memory ())
    return make_cuda_mask (mask);
#endif
  buffer = make_system_frame (mask);
  if (!gst_buffer_get_video_meta (buffer))
    gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, mask->format, mask->width, mask->height);
  return buffer;
}

/* The value of the first pixel of MASK: a region that has a class. */
static guint
value_in (const TestMask *mask)
{
  const guint low = frame_byte (mask->pixels.seed, 0, 0, 0), high = frame_byte (mask->pixels.seed, 0, 1, 0);
  const guint value = mask->pixels.format == GST_VIDEO_FORMAT_GRAY8 ? low : low | high << 8;

  g_assert (value > 0);
  return value;
}

/* Adds COUNT of the masks, from FIRST on. The class of a region is "bolt" in all but the last: there it is that of a detection. */
static void
add_masks (GstBuffer *buffer, guint first, guint count)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_add_analytics_relation_meta (buffer);

  for (guint i = first; i < first + count; i++) {
    guint ids[] = {0, value_in (&masks[i])};
    gfloat levels[] = {-1, 0.5};
    GQuark names[] = {g_quark_from_static_string ("background"), g_quark_from_static_string ("bolt")};
    GstAnalyticsMtd mask, other;

    fail_unless (gst_analytics_relation_meta_add_segmentation_mtd (meta, make_mask (&masks[i].pixels),
        GST_SEGMENTATION_TYPE_INSTANCE, 2, ids, masks[i].x, masks[i].y, masks[i].width, masks[i].height, &mask));
    if (i + 1 < G_N_ELEMENTS (masks))
      fail_unless (gst_analytics_relation_meta_add_cls_mtd (meta, 2, levels, names, &other));
    else
      fail_unless (
          gst_analytics_relation_meta_add_od_mtd (meta, g_quark_from_static_string ("nut"), 1, 2, 3, 4, 0.5, &other));
    fail_unless (gst_analytics_relation_meta_set_relation (meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, mask.id, other.id));
  }
}

static GstBuffer *
make_masked (guint first, guint count)
{
  GstBuffer *buffer = make_frame (&frame);

  add_masks (buffer, first, count);
  return buffer;
}

static GstBuffer *
pass (GstHarness *h, GstBuffer *buffer)
{
  buffer = gst_harness_push_and_pull (h, buffer);
  fail_unless (buffer != NULL);
  return buffer;
}

/* The mapping must take the corners of MASK to those of its place in the frame. */
static void
assert_placed (const GstContoursMapping *mapping, const TestMask *mask)
{
  const gboolean whole = mask->width == 0;
  gdouble x, y;

  fail_unless_equals_int (mapping->width, frame.width);
  fail_unless_equals_int (mapping->height, frame.height);
  gst_contours_mapping_map_corner (mapping, 0, 0, &x, &y);
  fail_unless_equals_float (x, mask->x);
  fail_unless_equals_float (y, mask->y);
  gst_contours_mapping_map_corner (mapping, mask->pixels.width, mask->pixels.height, &x, &y);
  fail_unless (fabs (x - (mask->x + (whole ? frame.width : (gint) mask->width))) < 1e-9, "x %g", x);
  fail_unless (fabs (y - (mask->y + (whole ? frame.height : (gint) mask->height))) < 1e-9, "y %g", y);
}

static void
assert_class (const gchar *name, const TestMask *mask)
{
  fail_unless_equals_string (name, mask == &masks[G_N_ELEMENTS (masks) - 1] ? "nut" : "bolt");
}

static void
assert_traced (GstBuffer *buffer, guint first, guint count, const CtrCracksParams *params)
{
  GList *metas = gst_buffer_get_contours_contour_metas (buffer), *at = metas;

  fail_unless_equals_int (g_list_length (metas), count);
  for (guint i = first; i < first + count; i++, at = at->next) {
    GstContoursContourMeta *meta = at->data;
    CtrContours *expected = expected_cracks (&masks[i].pixels, params);

    assert_same_contours (gst_contours_contour_meta_peek_contours (meta), expected, "mask");
    assert_placed (gst_contours_contour_meta_get_mapping (meta), &masks[i]);
    assert_class (gst_contours_contour_meta_get_class_name (meta, value_in (&masks[i])), &masks[i]);
    fail_unless (gst_contours_contour_meta_get_class_name (meta, value_in (&masks[i]) + 1) == NULL);
    fail_unless_equals_string (gst_contours_contour_meta_get_source (meta), "it");
    ctr_contours_unref (expected);
  }
  g_list_free (metas);
}

static void
assert_masks (GstBuffer *buffer, guint first, guint count, const CtrCcaParams *params)
{
  GList *metas = gst_buffer_get_contours_component_metas (buffer), *at = metas;

  fail_unless_equals_int (g_list_length (metas), count);
  for (guint i = first; i < first + count; i++, at = at->next) {
    GstContoursComponentMeta *meta = at->data;
    CtrComponents *expected = expected_components (&masks[i].pixels, params);

    assert_same_components (gst_contours_component_meta_peek_components (meta), expected, "mask");
    assert_placed (gst_contours_component_meta_get_mapping (meta), &masks[i]);
    assert_class (gst_contours_component_meta_get_class_name (meta, value_in (&masks[i])), &masks[i]);
    ctr_components_unref (expected);
  }
  g_list_free (metas);
}

/* Frames with different masks follow one another, and their results are read later. */
GST_START_TEST (test_cracks)
{
  GstHarness *h = new_harness (CRACKS "connectivity=4 min-level=200 mode=ge features=moments");
  GstBuffer *buffers[G_N_ELEMENTS (masks) + 1];
  CtrCracksParams params;

  ctr_cracks_params_init (&params);
  params.mode = CTR_LEVELS_EQUAL;
  params.connectivity = CTR_CONNECTIVITY_4;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    buffers[i] = pass (h, make_masked (i, G_N_ELEMENTS (masks) - i));
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    assert_traced (buffers[i], i, G_N_ELEMENTS (masks) - i, &params);
    gst_buffer_unref (buffers[i]);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

GST_START_TEST (test_components)
{
  GstHarness *h =
      new_harness (CCA "connectivity=4 background=9 threshold=100 invert=true features=moments labels=true");
  GstBuffer *buffers[G_N_ELEMENTS (masks) + 1];
  CtrCcaParams params;

  ctr_cca_params_init (&params);
  params.mode = CTR_COMPONENTS_EQUAL;
  params.background = 0;
  params.connectivity = CTR_CONNECTIVITY_4;
  params.features = CTR_FEATURE_MOMENTS | CTR_FEATURE_LABELS;
  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    buffers[i] = pass (h, make_masked (i, G_N_ELEMENTS (masks) - i));
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    assert_masks (buffers[i], i, G_N_ELEMENTS (masks) - i, &params);
    gst_buffer_unref (buffers[i]);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The property changes between frames, and labels outline what cudacca has found in a mask, at its place. */
GST_START_TEST (test_change)
{
  GstElement *bin = gst_parse_bin_from_description ("cudacca name=cca mode=segmentation labels=true"
                                                    " ! cudacrackcontour name=it trace=labels",
      TRUE, NULL);
  GstElement *cca = gst_bin_get_by_name (GST_BIN (bin), "cca"), *it = gst_bin_get_by_name (GST_BIN (bin), "it");
  GstHarness *h;
  GstBuffer *buffer;
  CtrCracksParams params;
  CtrCcaParams of_frame;

  gst_util_set_object_arg (G_OBJECT (cca), "backend", test_backend ());
  gst_util_set_object_arg (G_OBJECT (it), "backend", test_backend ());
  h = gst_harness_new_with_element (bin, "sink", "src");
  set_frame_caps (h, &frame);
  buffer = pass (h, make_masked (1, 1));
  assert_placed (gst_contours_contour_meta_get_mapping (gst_buffer_get_contours_contour_meta (buffer)), &masks[1]);
  fail_unless (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer))
               >= gst_contours_component_meta_get_count (gst_buffer_get_contours_component_meta (buffer)));
  gst_buffer_unref (buffer);

  gst_util_set_object_arg (G_OBJECT (cca), "mode", "foreground");
  g_object_set (cca, "labels", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (it), "trace", "frame");
  gst_util_set_object_arg (G_OBJECT (it), "levels", "128");
  buffer = pass (h, make_masked (0, 2));
  ctr_cca_params_init (&of_frame);
  assert_components (buffer, NULL, &frame, &of_frame);
  ctr_cracks_params_init (&params);
  params.minimum = params.maximum = 128;
  assert_carries (buffer, NULL, &frame, expected_cracks (&frame, &params));
  gst_buffer_unref (buffer);
  gst_object_unref (cca);
  gst_object_unref (it);
  gst_object_unref (bin);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Objects are attached at their place in the frame, with the class as their type, and ids of their own. */
GST_START_TEST (test_attachment)
{
  GstHarness *h = new_harness (__i__ == 0 ? CCA "attach-as=native+roi" : CRACKS "attach-as=native+roi");
  const GstVideoRegionOfInterestMeta *roi;
  gpointer state = NULL;
  guint count = 0, classes = 0, components = 0, at = 1;
  GHashTable *ids = g_hash_table_new (NULL, NULL);
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  g_object_set (h->element, "max-objects", 4096, NULL);
  buffer = pass (h, make_masked (1, 3));
  while ((
      roi = (gpointer) gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    fail_unless (g_hash_table_add (ids, GUINT_TO_POINTER (roi->id)), "the id %d twice", roi->id);
    fail_unless (roi->x + roi->w <= (guint) frame.width && roi->y + roi->h <= (guint) frame.height);
    fail_unless (roi->parent_id == 0 || g_hash_table_contains (ids, GINT_TO_POINTER (roi->parent_id)));
    classes += roi->roi_type == g_quark_from_static_string ("bolt");
    count++;
  }
  state = NULL;
  for (GstContoursComponentMeta *meta; (meta = gst_buffer_iterate_contours_component_meta (buffer, &state)); at++)
    for (guint i = 0; i < gst_contours_component_meta_get_count (meta); i++) {
      GstContoursComponent c;

      gst_contours_component_meta_get_component (meta, i, &c);
      components += c.value == value_in (&masks[at]);
    }
  fail_unless (__i__ == 1 || classes == components, "%u bolts, not %u", classes, components);
  fail_unless (count > 100 && classes > 0, "%u objects, %u bolts", count, classes);
  gst_buffer_unref (buffer);

  g_object_set (h->element, "max-objects", count - 1, NULL);
  buffer = pass (h, make_masked (1, 3));
  fail_unless_equals_int (gst_buffer_get_n_meta (buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), count - 1);
  gst_buffer_unref (buffer);
  g_hash_table_unref (ids);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A mask with one block of the class, placed between pixels of the frame: the box encloses it, the centroid is exact. */
GST_START_TEST (test_place)
{
  static const guint8 pixels[4 * 4] = {0, 0, 0, 0, 0, 7, 7, 0, 0, 7, 7, 0, 0, 0, 0, 0};
  GstHarness *h = new_harness (CCA "attach-as=native+roi");
  guint ids[] = {7};
  GstAnalyticsMtd mtd;
  GstBuffer *buffer, *mask;
  const GstVideoRegionOfInterestMeta *roi;
  GstContoursComponent c;
  gpointer state = NULL;

  if (test_in_cuda_memory ()) {
    gst_harness_teardown (h);
    return;
  }
  set_frame_caps (h, &frame);
  buffer = make_frame (&frame);
  mask = gst_buffer_new_memdup (pixels, sizeof pixels);
  gst_buffer_add_video_meta (mask, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4, 4);
  gst_analytics_relation_meta_add_segmentation_mtd (gst_buffer_add_analytics_relation_meta (buffer), mask,
      GST_SEGMENTATION_TYPE_SEMANTIC, 1, ids, 10, 20, 10, 6, &mtd);
  buffer = pass (h, buffer);
  fail_unless (gst_contours_component_meta_get_component (gst_buffer_get_contours_component_meta (buffer), 0, &c));
  fail_unless (c.x == 12.5 && c.y == 21.5 && c.w == 5 && c.h == 3 && c.area == 15 && c.value == 7);
  fail_unless (c.cx == 14.5 && c.cy == 22.5, "%g %g", c.cx, c.cy);
  roi = (gpointer) gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  fail_unless (
      roi->x == 12 && roi->y == 21 && roi->w == 6 && roi->h == 4, "%u %u %u %u", roi->x, roi->y, roi->w, roi->h);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A frame without masks has no result; one warning tells of frames that no element can have given masks. */
GST_START_TEST (test_none)
{
  GstHarness *h = new_harness (__i__ == 0 ? CCA : CRACKS);
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  set_frame_caps (h, &frame);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = pass (h, i == 0 ? make_masked (0, 0) : make_frame (&frame));
    GstMessage *message = pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

    fail_unless_equals_int (gst_buffer_get_n_meta (buffer, GST_CONTOURS_CONTOUR_META_API_TYPE), 0);
    fail_unless_equals_int (gst_buffer_get_n_meta (buffer, GST_CONTOURS_COMPONENT_META_API_TYPE), 0);
    fail_unless_equals_int (message != NULL, i == 1);
    g_clear_pointer (&message, gst_message_unref);
    gst_buffer_unref (buffer);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A mask that cannot be read is an error, with what is wrong. */
GST_START_TEST (test_errors)
{
  static const struct {
    GstVideoFormat format;
    gsize bytes;
    const gchar *line, *text;
  } cases[] = {
      {GST_VIDEO_FORMAT_GRAY16_BE, 200, CCA, "GRAY16_BE"},
      {GST_VIDEO_FORMAT_GRAY8, 99, CRACKS, "the buffer has 99"},
      {GST_VIDEO_FORMAT_GRAY8, 100, CRACKS "strip-mode=true", "strip-mode=true cannot analyse masks"},
      {GST_VIDEO_FORMAT_GRAY8, 100, CCA "strip-mode=true", "strip-mode=true cannot analyse masks"},
  };
  GstHarness *h = new_harness (cases[__i__].line);
  GstBuffer *buffer = make_frame (&frame), *mask = gst_buffer_new_allocate (NULL, cases[__i__].bytes, NULL);
  GstBus *bus = gst_bus_new ();
  guint ids[] = {7};
  GstAnalyticsMtd mtd;
  GstMessage *message;
  GError *error = NULL;

  gst_buffer_memset (mask, 0, 7, -1);
  gst_buffer_add_video_meta (mask, GST_VIDEO_FRAME_FLAG_NONE, cases[__i__].format, 10, 10);
  gst_analytics_relation_meta_add_segmentation_mtd (gst_buffer_add_analytics_relation_meta (buffer), mask,
      GST_SEGMENTATION_TYPE_SEMANTIC, 1, ids, 0, 0, 10, 10, &mtd);
  gst_element_set_bus (h->element, bus);
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, cases[__i__].text) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
segmentation_suite (void)
{
  Suite *suite = suite_create ("segmentation");
  TCase *tc = tcase_create (test_backend ());

  skip_without_gpu ();
  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_cracks);
  tcase_add_test (tc, test_components);
  tcase_add_test (tc, test_change);
  tcase_add_loop_test (tc, test_attachment, 0, 2);
  tcase_add_test (tc, test_place);
  tcase_add_loop_test (tc, test_none, 0, 2);
  tcase_add_loop_test (tc, test_errors, 0, 4);
  return suite;
}

GST_CHECK_MAIN (segmentation)

#else

int
main (void)
{
  g_print ("skipped: built without gstreamer-analytics-1.0 of GStreamer 1.26\n");
  return 77;
}

#endif
