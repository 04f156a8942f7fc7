/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the output pictures of cudacanny, and with them the base class's output buffers: each shows the
 * core's edges, whatever the format, layout and size, and carries the frame's metadata. */
#include "components.h"
#include "cudacanny.h"
#include "parts.h"

GST_START_TEST (test_formats_all)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    TestFrame frame = {test_formats[i].video, 326, 242, .seed = i};
    CtrCannyParams params = default_params ();
    GstHarness *h;
    GstCaps *caps, *expected;
    guint n_edges;

    if (!format_runs (&test_formats[i]))
      continue;
    n_edges = count_edges (&frame, &params);
    fail_unless (n_edges > 500 && n_edges < 326 * 242 / 2, "%u edge pixels", n_edges);
    h = new_harness ("cudacanny");
    set_frame_caps (h, &frame);
    check_edges (h, &frame, &params, FALSE);
    gst_harness_set (h, "cudacanny", "mask", TRUE, NULL);
    check_edges (h, &frame, &params, TRUE);

    caps = gst_pad_get_current_caps (h->sinkpad);
    expected = frame_caps (&frame);
    fail_unless (gst_caps_is_equal (caps, expected));
    gst_caps_unref (caps);
    gst_caps_unref (expected);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static const GstVideoFormat some_formats[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRA};

/* The bytes in the frame's padding and before its first plane do not affect the result. */
GST_START_TEST (test_layouts)
{
  static const gint fills[] = {0x00, 0xff, -1};

  if (test_in_cuda_memory ())
    return; /* libgstcuda chooses the layout of CUDA memory */
  for (guint i = 0; i < G_N_ELEMENTS (some_formats); i++) {
    CtrCannyParams params = default_params ();
    TestFrame frame = {some_formats[i], 63, 33, .seed = 100 + i};
    GstHarness *h = new_harness ("cudacanny mask=true");

    set_frame_caps (h, &frame);
    for (frame.padding = 0; frame.padding <= 64; frame.padding += frame.padding < 8 ? 2 : 14)
      for (frame.offset = 0; frame.offset <= 64; frame.offset += 32)
        for (guint f = 0; f < G_N_ELEMENTS (fills); f++) {
          frame.fill = fills[f];
          check_edges (h, &frame, &params, TRUE);
        }
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static GstPadProbeReturn
answer_allocation (GstPad *pad, GstPadProbeInfo *info, gpointer pool)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, pool, 0, 2, 0);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return GST_PAD_PROBE_HANDLED;
}

static void
offer_pool (GstHarness *h, GstBufferPool *pool)
{
  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_allocation, pool, NULL);
}

/* The element uses downstream's pool, with its layout. */
GST_START_TEST (test_output_layouts)
{
  if (test_in_cuda_memory ())
    return; /* libgstcuda chooses the layout of CUDA memory */
  for (guint i = 0; i < G_N_ELEMENTS (some_formats); i++) {
    CtrCannyParams params = default_params ();
    TestFrame frame = {some_formats[i], 63, 33, .seed = 200 + i};
    GstHarness *h = new_harness ("cudacanny");
    GstBufferPool *pool = gst_video_buffer_pool_new ();
    GstStructure *config = gst_buffer_pool_get_config (pool);
    GstCaps *caps = frame_caps (&frame);
    GstVideoAlignment alignment;
    GstVideoInfo info;
    GstVideoMeta *meta;
    GstBuffer *buffer;

    gst_video_info_from_caps (&info, caps);
    gst_video_alignment_reset (&alignment);
    alignment.padding_left = 16;
    alignment.padding_right = 34;
    alignment.padding_top = 2;
    gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&info), 2, 0);
    gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_ALIGNMENT);
    gst_buffer_pool_config_set_video_alignment (config, &alignment);
    fail_unless (gst_buffer_pool_set_config (pool, config));
    offer_pool (h, pool);
    set_frame_caps (h, &frame);
    for (guint through = 0; through < 2; through++) {
      gst_harness_set (h, "cudacanny", "mask", through, NULL);
      fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
      buffer = gst_harness_pull (h);
      fail_unless (buffer->pool == pool);
      meta = gst_buffer_get_video_meta (buffer);
      fail_unless (meta->offset[0] > 0 && meta->stride[0] > GST_VIDEO_INFO_PLANE_STRIDE (&info, 0));
      assert_edges (buffer, &frame, &params, through);
      gst_buffer_unref (buffer);
    }
    gst_caps_unref (caps);
    gst_harness_teardown (h);
    gst_object_unref (pool);
  }
}

GST_END_TEST;

/* This pool returns no buffer, or an unusable one. */
typedef GstVideoBufferPool BadPool;
typedef GstVideoBufferPoolClass BadPoolClass;
static GType bad_pool_get_type (void);
G_DEFINE_TYPE (BadPool, bad_pool, GST_TYPE_VIDEO_BUFFER_POOL)

typedef enum { NO_BUFFER, SMALL_BUFFER, META_BEYOND, META_NARROW, N_FAULTS } Fault;
static Fault fault;

static GstFlowReturn
bad_pool_acquire_buffer (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  gsize offsets[GST_VIDEO_MAX_PLANES] = {0, 64 * 48};
  gint strides[GST_VIDEO_MAX_PLANES] = {64, fault == META_NARROW ? 63 : 64};

  if (fault == NO_BUFFER)
    return GST_FLOW_ERROR;
  *buffer = gst_buffer_new_allocate (NULL, 64 * (48 + (fault == META_NARROW ? 24 : 23)), NULL);
  if (fault > SMALL_BUFFER)
    gst_buffer_add_video_meta_full (
        *buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, 64, 48, 2, offsets, strides);
  return GST_FLOW_OK;
}

static void
bad_pool_class_init (BadPoolClass *klass)
{
  GST_BUFFER_POOL_CLASS (klass)->acquire_buffer = bad_pool_acquire_buffer;
}

static void
bad_pool_init (BadPool *pool)
{
}

/* An unusable buffer yields one error, and no write outside the buffer. */
GST_START_TEST (test_bad_pool)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 1};

  if (test_in_cuda_memory ())
    return; /* the element accepts only libgstcuda's pools there */
  for (fault = NO_BUFFER; fault < N_FAULTS; fault++) {
    GstBus *bus = gst_bus_new ();
    GstHarness *h = new_harness_with_bus ("cudacanny", bus);
    GstBufferPool *pool = g_object_new (bad_pool_get_type (), NULL);

    gst_object_ref_sink (pool);
    offer_pool (h, pool);
    set_frame_caps (h, &frame);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
    if (fault == NO_BUFFER)
      assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
    else
      assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
    gst_element_set_bus (h->element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (pool);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

static const gint odd_sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 3}, {1, 31}, {33, 1}, {1, 257}, {255, 1}, {1000, 1},
    {1, 1000}, {16383, 1}, {1, 16383}, {17, 9}, {127, 129}, {321, 243}};

/* In CUDA memory, the test leaves out the formats whose odd sizes libgstcuda 1.22 lays out wrongly. */
GST_START_TEST (test_sizes)
{
  static const GstVideoFormat cuda_formats[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444,
      GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_RGBA};
  const GstVideoFormat *formats = test_in_cuda_memory () ? cuda_formats : some_formats;
  const guint n_formats = test_in_cuda_memory () ? G_N_ELEMENTS (cuda_formats) : G_N_ELEMENTS (some_formats);

  for (guint i = 0; i < n_formats; i++)
    for (guint s = 0; s < G_N_ELEMENTS (odd_sizes); s++) {
      CtrCannyParams params = default_params ();
      TestFrame frame = {formats[i], odd_sizes[s][0], odd_sizes[s][1], .seed = s};
      GstHarness *h = new_harness ("cudacanny sigma=0.8");

      params.sigma = 0.8;
      set_frame_caps (h, &frame);
      check_edges (h, &frame, &params, FALSE);
      gst_harness_set (h, "cudacanny", "mask", TRUE, NULL);
      check_edges (h, &frame, &params, TRUE);
      gst_harness_teardown (h);
    }
}

GST_END_TEST;

GST_START_TEST (test_small_sizes_all)
{
  CtrCannyParams params = default_params ();
  TestFrame frame = {.format = test_in_cuda_memory () ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_I420};
  GstHarness *h = new_harness ("cudacanny sigma=0 mask=true");

  params.sigma = 0;
  for (frame.width = 1; frame.width <= 17; frame.width++)
    for (frame.height = 1; frame.height <= 17; frame.height++) {
      set_frame_caps (h, &frame);
      check_edges (h, &frame, &params, TRUE);
      frame.seed++;
    }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* After a change of size or format, an element gives the result of a new element. */
GST_START_TEST (test_renegotiation)
{
  static const TestFrame frames[] = {
      {GST_VIDEO_FORMAT_NV12, 640, 480, .seed = 1},
      {GST_VIDEO_FORMAT_RGBA, 1, 1, .seed = 2},
      {GST_VIDEO_FORMAT_NV12, 1280, 722, .seed = 3},
      {GST_VIDEO_FORMAT_RGB, 33, 17, .seed = 4},
      {GST_VIDEO_FORMAT_P010_10LE, 640, 480, .seed = 5},
      {GST_VIDEO_FORMAT_Y444, 640, 480, .seed = 6},
      {GST_VIDEO_FORMAT_NV12, 638, 480, .seed = 7},
  };
  CtrCannyParams params = default_params ();
  GstHarness *h = new_harness ("cudacanny");

  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
      TestFrame frame = frames[i];

      set_frame_caps (h, &frame);
      for (guint n = 0; n < 2; n++) {
        frame.seed = frames[i].seed + 10 * n;
        check_edges (h, &frame, &params, FALSE);
      }
    }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Adds a meta whose tags do not apply to a new picture. */
static void
add_other_meta (GstBuffer *buffer)
{
  static const gchar *tags[] = {GST_META_TAG_VIDEO_STR, "test-pixels", NULL};

  if (!gst_meta_get_info ("test-other"))
    gst_meta_register_custom ("test-other", tags, NULL, NULL, NULL);
  gst_buffer_add_custom_meta (buffer, "test-other");
}

/* The new picture carries the frame's timestamps, flags and metadata. */
GST_START_TEST (test_buffer_described)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 14};
  CtrCannyParams params = default_params ();
  CtrCcaParams cca_params;
  GstHarness *h = new_harness ("cudacanny");
  GstBuffer *in = make_frame (&frame), *in_parent = gst_buffer_new (), *out;
  GstVideoRegionOfInterestMeta *region;
  CtrComponents *components;
  GstVideoCropMeta *crop;
  GstCaps *clock = gst_caps_new_empty_simple ("timestamp/x-ntp");

  set_frame_caps (h, &frame);
  GST_BUFFER_PTS (in) = 3 * GST_SECOND;
  GST_BUFFER_DTS (in) = 2 * GST_SECOND;
  GST_BUFFER_DURATION (in) = GST_SECOND;
  GST_BUFFER_OFFSET (in) = 75;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_MARKER);
  gst_buffer_add_video_region_of_interest_meta (in, "part", 1, 2, 3, 4);
  crop = gst_buffer_add_video_crop_meta (in);
  crop->x = 5;
  add_other_meta (in);
  gst_buffer_add_parent_buffer_meta (in, in_parent);
  gst_buffer_add_reference_timestamp_meta (in, clock, 123, GST_CLOCK_TIME_NONE);
  gst_caps_unref (clock);
  ctr_cca_params_init (&cca_params);
  components = expected_components (&frame, &cca_params);
  gst_buffer_add_contours_component_meta (in, components, "before");

  gst_harness_push (h, in);
  out = gst_harness_pull (h);
  fail_unless (out->pool != NULL, "not from a pool");
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 3 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (out), 2 * GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), GST_SECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (out), 75);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_MARKER));
  region = gst_buffer_get_video_region_of_interest_meta_id (out, 0);
  fail_unless (region && region->x == 1 && region->y == 2 && region->w == 3 && region->h == 4);
  crop = gst_buffer_get_video_crop_meta (out);
  fail_unless (crop && crop->x == 5);
  fail_unless (gst_buffer_get_reference_timestamp_meta (out, NULL) != NULL);
  fail_unless (gst_buffer_get_contours_component_meta_by_source (out, "before") != NULL);
  assert_same_components (gst_contours_component_meta_peek_components (gst_buffer_get_contours_component_meta (out)),
      components, "carried");
  fail_unless (gst_buffer_get_custom_meta (out, "test-other") == NULL);
  fail_unless (gst_buffer_get_parent_buffer_meta (out) == NULL);
  fail_unless (gst_buffer_get_n_meta (out, GST_VIDEO_META_API_TYPE) <= 1);
  assert_edges (out, &frame, &params, FALSE);
  gst_buffer_unref (out);
  gst_buffer_unref (in_parent);
  ctr_components_unref (components);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The pool reuses its buffers; in CUDA memory not at once: a frame need not wait for what is drawn on the frame before. */
GST_START_TEST (test_buffers_reused)
{
  const guint turn = test_in_cuda_memory () ? 3 : 1;
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 15};
  CtrCannyParams params = default_params ();
  GstHarness *h = new_harness ("cudacanny");
  GstMemory *memory[8];

  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++) {
    GstBuffer *buffer;

    frame.seed++;
    gst_harness_push (h, make_frame (&frame));
    buffer = gst_harness_pull (h);
    assert_edges (buffer, &frame, &params, FALSE);
    memory[i] = gst_buffer_peek_memory (buffer, 0);
    fail_unless ((memory[i] == memory[0]) == (i % turn == 0) && memory[i] == memory[i % turn]);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_cudacanny_picture_tests (TCase *tc)
{
  tcase_add_test (tc, test_formats_all);
  tcase_add_test (tc, test_layouts);
  tcase_add_test (tc, test_output_layouts);
  tcase_add_test (tc, test_bad_pool);
  tcase_add_test (tc, test_sizes);
  tcase_add_test (tc, test_small_sizes_all);
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_buffer_described);
  tcase_add_test (tc, test_buffers_reused);
}
