/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check how the base class negotiates caps, allocation and cropping, and how it refuses invalid frames. */
#include "filter.h"
#include "parts.h"

/* Negotiation, not an error, refuses unsupported formats. */
GST_START_TEST (test_other_formats_refused)
{
  GstHarness *h = new_harness (subject_line ());
  GstCaps *caps = gst_pad_peer_query_caps (h->srcpad, NULL);

  for (guint f = GST_VIDEO_FORMAT_ENCODED + 1; f <= GST_VIDEO_FORMAT_RGBP; f++) {
    const gchar *name = gst_video_format_to_string (f);
    GstCaps *one = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, name, "width", G_TYPE_INT, 64, "height",
        G_TYPE_INT, 64, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
    gboolean known = FALSE;

    for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
      known |= test_formats[i].video == f && (!subject_draws () || !is_packed_yuv (f));
    fail_unless (gst_caps_can_intersect (caps, one) == known, "%s", name);
    gst_caps_unref (one);
  }
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The host backend never accepts CUDA memory; the CUDA backend does, in every format that libgstcuda supports. */
GST_START_TEST (test_memory_caps)
{
  GstHarness *h = new_harness (subject_line ());
  GstCaps *caps = gst_pad_peer_query_caps (h->srcpad, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    GstCaps *one = gst_caps_new_simple (
        "video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (test_formats[i].video), NULL);

    if (subject_draws () && is_packed_yuv (test_formats[i].video)) {
      gst_caps_unref (one);
      continue;
    }
    fail_unless (gst_caps_can_intersect (caps, one));
    gst_caps_set_features_simple (one, gst_caps_features_new_single ("memory:CUDAMemory"));
    fail_unless (gst_caps_can_intersect (caps, one) == (test_on_gpu () && test_formats[i].in_cuda_memory));
    gst_caps_unref (one);
  }
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* After any error, a restart must recover the element. */
static void
assert_restarts (GstHarness *h)
{
  restart (h, &small);
  check_default (h, &small);
}

GST_START_TEST (test_too_large)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (subject_line (), bus);
  static const gint sizes[][2] = {{65536, 1}, {1, 65536}};

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    TestFrame frame = {.format = GST_VIDEO_FORMAT_RGBA, .width = sizes[i][0], .height = sizes[i][1]};

    set_frame_caps (h, &frame);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
    fail_unless (gst_harness_try_pull (h) == NULL);
    assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
    assert_restarts (h);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A buffer too small for its caps, or a video meta that points outside the buffer or has a negative stride, yields one
 * error and no output. */
GST_START_TEST (test_broken_frames)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (subject_line (), bus);
  static const struct {
    gsize size, offset;
    gint stride;
  } cases[] = {{100, 0, 0}, {64 * 48, 0, 65}, {64 * 48, 1, 64}, {64 * 48, 64 * 48, 64}, {64 * 48, 0, -64},
      {64 * 48, 0, 63}, {64 * 48, 0, G_MAXINT32}};

  if (test_in_cuda_memory ())
    goto done; /* libgstcuda chooses the layout of CUDA memory */
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1");
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, cases[i].size, NULL);
    gsize offsets[GST_VIDEO_MAX_PLANES] = {cases[i].offset};
    gint strides[GST_VIDEO_MAX_PLANES] = {cases[i].stride};

    add_something_to_draw (buffer);
    gst_harness_set_src_caps (h, caps);
    if (cases[i].stride)
      gst_buffer_add_video_meta_full (
          buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 64, 48, 1, offsets, strides);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
    fail_unless (gst_harness_try_pull (h) == NULL);
    assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
    assert_restarts (h);
  }
done:
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A video meta of another format, number of planes or a smaller size than the caps yields one error, without a critical
 * message of GStreamer, and no output. */
GST_START_TEST (test_contradicting_metas)
{
  static const struct {
    GstVideoFormat format;
    guint n_planes, width, height;
  } cases[] = {{GST_VIDEO_FORMAT_RGBA, 1, 64, 48}, {GST_VIDEO_FORMAT_GRAY8, 2, 64, 48},
      {GST_VIDEO_FORMAT_GRAY8, 0, 64, 48}, {GST_VIDEO_FORMAT_GRAY8, 1, 63, 48}, {GST_VIDEO_FORMAT_GRAY8, 1, 64, 47},
      {GST_VIDEO_FORMAT_GRAY8, 1, 0, 0}, {GST_VIDEO_FORMAT_UNKNOWN, 1, 64, 48}, {(GstVideoFormat) 9999, 1, 64, 48}};
  const TestFrame frame = {GST_VIDEO_FORMAT_GRAY8, 64, 48, .padding = 8};
  GstBus *bus;
  GstHarness *h;

  if (test_in_cuda_memory ())
    return; /* has no such format */
  bus = gst_bus_new ();
  h = new_harness_with_bus (subject_line (), bus);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *buffer = make_frame (&frame);
    GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

    set_frame_caps (h, &frame);
    meta->format = cases[i].format;
    meta->n_planes = cases[i].n_planes;
    meta->width = cases[i].width;
    meta->height = cases[i].height;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
    fail_unless (gst_harness_try_pull (h) == NULL);
    assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
    assert_restarts (h);
  }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A video meta may describe a larger frame: the caps' is its upper left part. */
GST_START_TEST (test_larger_meta)
{
  const TestFrame frame = {GST_VIDEO_FORMAT_GRAY8, 64, 48, .padding = 40};
  GstHarness *h;

  if (test_in_cuda_memory ())
    return; /* libgstcuda chooses the layout of CUDA memory */
  h = new_harness (subject_line ());
  set_frame_caps (h, &frame);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *buffer = make_frame (&frame);
    GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

    gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, 104 * 30, NULL));
    meta->width = 100;
    meta->height = 70;
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    meta = gst_buffer_get_video_meta (buffer);
    if (meta && !subject_renders ()) {
      meta->width = 64;
      meta->height = 48;
    }
    assert_default_result (buffer, &frame);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

static gboolean
takes_video_meta (GstHarness *h, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  gboolean takes;

  takes =
      gst_pad_peer_query (h->srcpad, query) && gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_unref (query);
  return takes;
}

/* If the element passes frames on in system memory, it proposes GstVideoMeta only if downstream accepts it; otherwise
 * it always does. */
GST_START_TEST (test_allocation)
{
  GstHarness *h = new_harness (subject_line ());
  GstCaps *caps = frame_caps (&small);

  set_frame_caps (h, &small);
  fail_unless (takes_video_meta (h, caps) == (test_in_cuda_memory () || subject_renders ()));
  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);
  fail_unless (takes_video_meta (h, caps));
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The element analyses the whole frame, so it does not pass on a sink's proposal to crop or rotate frames by
 * metadata. */
GST_START_TEST (test_no_placement_metas)
{
  GstHarness *h = new_harness (subject_line ());
  GstCaps *caps = frame_caps (&small);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_CROP_META_API_TYPE, NULL);
  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_AFFINE_TRANSFORMATION_META_API_TYPE, NULL);
  set_frame_caps (h, &small);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_if (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL));
  fail_if (gst_query_find_allocation_meta (query, GST_VIDEO_AFFINE_TRANSFORMATION_META_API_TYPE, NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}

GST_END_TEST;

static void
check_cropped (GstElement *identity, GstBuffer *buffer, gpointer user_data)
{
  GstPad *pad = gst_element_get_static_pad (identity, "sink");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;
  guint width, height;

  gst_video_info_from_caps (&info, caps);
  fail_unless_equals_int (info.width, 340);
  fail_unless_equals_int (info.height, 280);
  fail_unless (gst_buffer_get_video_crop_meta (buffer) == NULL);
  if (!subject_renders () && !subject_draws ()) {
    if (gst_buffer_get_contours_contour_meta (buffer))
      gst_contours_contour_meta_get_size (gst_buffer_get_contours_contour_meta (buffer), &width, &height);
    else
      gst_contours_component_meta_get_size (gst_buffer_get_contours_component_meta (buffer), &width, &height);
    fail_unless_equals_int (width, 340);
    fail_unless_equals_int (height, 280);
  }
  gst_caps_unref (caps);
  gst_object_unref (pad);
  g_atomic_int_inc ((gint *) user_data);
}

/* The result is that of the cropped frame, even if the sink could crop by metadata. */
GST_START_TEST (test_cropping_sink)
{
  GstElementFactory *factory = gst_element_factory_find ("fakevideosink");
  gchar *line =
      g_strdup_printf ("videotestsrc num-buffers=3 pattern=ball ! video/x-raw,format=GRAY8,width=640,height=480"
                       " ! videocrop left=300 top=200 ! %s backend=%s ! identity name=out ! %s sync=false",
          subject_line (), test_backend (), factory ? "fakevideosink" : "fakesink");
  GstElement *pipeline = gst_parse_launch (line, NULL), *out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  gint n_frames = 0;

  g_signal_connect (out, "handoff", G_CALLBACK (check_cropped), &n_frames);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  fail_unless_equals_int (n_frames, 3);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (out);
  gst_object_unref (pipeline);
  gst_clear_object (&factory);
  g_free (line);
}

GST_END_TEST;

void
add_filter_negotiation_tests (TCase *tc)
{
  tcase_add_test (tc, test_other_formats_refused);
  tcase_add_test (tc, test_memory_caps);
  tcase_add_test (tc, test_too_large);
  tcase_add_test (tc, test_broken_frames);
  tcase_add_test (tc, test_contradicting_metas);
  tcase_add_test (tc, test_larger_meta);
  tcase_add_test (tc, test_allocation);
  tcase_add_test (tc, test_no_placement_metas);
  tcase_add_test (tc, test_cropping_sink);
}
