/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudacanny, and through it the base class's way to make new pictures: they show the core's edges, whatever the format,
 * layout and size, and carry what came with the frame. Runs once for each backend and memory (CTR_TEST_BACKEND,
 * CTR_TEST_MEMORY). */
#include "components.h"
#include "edges.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <math.h>

static CtrCannyParams
default_params (void)
{
  CtrCannyParams params;

  ctr_canny_params_init (&params);
  return params;
}

static guint
count_edges (const TestFrame *frame, const CtrCannyParams *params)
{
  guint8 *mask = expected_edges (frame, params);
  guint count = 0;

  for (gint i = 0; i < frame->width * frame->height; i++)
    count += mask[i] != 0;
  g_free (mask);
  return count;
}

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
    fail_unless (n_edges > 1000 && n_edges < 326 * 242 / 2, "%u edge pixels", n_edges);
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

/* What padding and offset of the frame hold never matters. */
GST_START_TEST (test_layouts)
{
  static const gint fills[] = {0x00, 0xff, -1};

  if (test_in_cuda_memory ())
    return; /* libgstcuda lays these out itself */
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

/* Downstream's pool is used, with the layout it has. */
GST_START_TEST (test_output_layouts)
{
  if (test_in_cuda_memory ())
    return; /* libgstcuda lays these out itself */
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

/* A pool whose buffers cannot be used. */
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

/* One error that says what is missing; nothing is written where it must not be. */
GST_START_TEST (test_bad_pool)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 1};

  if (test_in_cuda_memory ())
    return; /* only libgstcuda's own pools are taken there */
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

/* In CUDA memory only formats whose odd sizes libgstcuda 1.22 lays out rightly. */
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

/* One element through changing sizes and formats gives what a fresh one gives. */
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

/* A change counts from the next frame on, each property by itself. */
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

  g_object_set (canny, "mask", TRUE, NULL);
  check_edges (h, &frame, &params, TRUE);

  g_object_set (canny, "mask", FALSE, NULL);
  check_edges (h, &frame, &params, FALSE);

  gst_object_unref (canny);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Is BUFFER, in GRAY8 or NV12, the mask? */
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

/* Properties are changed from another thread all the time: each frame has one value or the other, wholly. */
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

/* GLib refuses the value: with a warning, from 2.84 on with a critical message, which is no failure here. */
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

/* Values that cannot be used are refused, or set to the nearest that can, with a warning. */
GST_START_TEST (test_property_bounds)
{
  GstElement *canny = gst_element_factory_make ("cudacanny", NULL);
  GObjectClass *klass = G_OBJECT_GET_CLASS (canny);
  static const struct {
    const gchar *name;
    gdouble maximum, value;
  } numbers[] = {{"sigma", CTR_CANNY_MAX_SIGMA, 2}, {"low-threshold", 1000000, 50}, {"high-threshold", 1000000, 150}};
  static const gchar *enums[] = {"threshold-mode", "backend"};
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

/* Properties follow a controller, at each frame's time. */
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

/* A meta that describes what a new picture need not share. */
static void
add_other_meta (GstBuffer *buffer)
{
  static const gchar *tags[] = {GST_META_TAG_VIDEO_STR, "test-pixels", NULL};

  if (!gst_meta_get_info ("test-other"))
    gst_meta_register_custom ("test-other", tags, NULL, NULL, NULL);
  gst_buffer_add_custom_meta (buffer, "test-other");
}

/* Time stamps, flags and metadata about the picture go on with the new one. */
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

/* The pool gives the same few buffers again and again. */
GST_START_TEST (test_buffers_reused)
{
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
    fail_unless (memory[i] == memory[0]);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The edges' components, found in the picture of the edges. */
GST_START_TEST (test_components_of_edges)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 16};
  gchar *line = g_strdup_printf ("cudacanny backend=%s ! cudacca backend=%s", test_backend (), test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
  CtrCannyParams params = default_params ();
  guint8 *mask = expected_edges (&frame, &params);
  CtrImage image = {mask, frame.width, frame.width, frame.height, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST};
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  CtrComponents *expected;
  CtrCcaParams cca_params;
  GstBuffer *buffer;

  ctr_cca_params_init (&cca_params);
  expected = ctr_cca_run (cca, &image, &cca_params, NULL, NULL);
  fail_unless (expected->count > 10);
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  assert_edges_are (buffer, &frame, mask, FALSE);
  assert_same_components (gst_contours_component_meta_peek_components (gst_buffer_get_contours_component_meta (buffer)),
      expected, "of edges");
  gst_buffer_unref (buffer);
  ctr_components_unref (expected);
  ctr_cca_free (cca);
  g_free (mask);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* Without blur it is GStreamer's own Canny element, edgedetect, where this machine has it. */
GST_START_TEST (test_edgedetect)
{
  TestFrame frame = {GST_VIDEO_FORMAT_RGB, 320, 240, .seed = 17};
  GstHarness *theirs = gst_harness_new ("edgedetect"), *ours = new_harness ("cudacanny sigma=0");
  static const gint thresholds[][2] = {{50, 150}, {0, 400}, {300, 100}, {1000, 1000}};

  set_frame_caps (theirs, &frame);
  set_frame_caps (ours, &frame);
  for (gint aperture = 3; aperture <= 7; aperture += 2)
    for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++)
      for (guint mask = 0; mask < 2; mask++) {
        GstBuffer *their_buffer, *our_buffer;
        gsize their_size, our_size;
        guint8 *their_bytes, *our_bytes;

        gst_harness_set (theirs, "edgedetect", "aperture", aperture, "mask", mask, "threshold1", thresholds[i][0],
            "threshold2", thresholds[i][1], NULL);
        gst_harness_set (ours, "cudacanny", "aperture", aperture, "mask", mask, "low-threshold",
            (gdouble) thresholds[i][0], "high-threshold", (gdouble) thresholds[i][1], NULL);
        frame.seed++;
        their_buffer = gst_harness_push_and_pull (theirs, make_frame (&frame));
        our_buffer = gst_harness_push_and_pull (ours, make_frame (&frame));
        their_bytes = buffer_bytes (their_buffer, &their_size);
        our_bytes = buffer_bytes (our_buffer, &our_size);
        fail_unless (our_size == their_size && memcmp (our_bytes, their_bytes, our_size) == 0,
            "aperture %d, thresholds %d and %d, mask %u", aperture, thresholds[i][0], thresholds[i][1], mask);
        g_free (their_bytes);
        g_free (our_bytes);
        gst_buffer_unref (their_buffer);
        gst_buffer_unref (our_buffer);
      }
  gst_harness_teardown (theirs);
  gst_harness_teardown (ours);
}

GST_END_TEST;

/* A square of 400 in a ground of 3000, as a camera of 12 bits delivers it. SHIFT: the same in the upper bits. */
static GstBuffer *
make_square (guint side, guint shift)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, side * side * 2, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side; x++) {
      const gboolean inside = x >= side / 4 && x < side * 3 / 4 && y >= side / 4 && y < side * 3 / 4;

      GST_WRITE_UINT16_LE (map.data + (y * side + x) * 2, (inside ? 400 : 3000) << shift);
    }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Was one posted? */
static gboolean
take_info (GstBus *bus)
{
  GstMessage *message = pop_message (bus, GST_MESSAGE_INFO);

  if (message)
    gst_message_unref (message);
  return message != NULL;
}

static guint8 *
edges_of_square (GstHarness *h, guint side, guint shift)
{
  GstBuffer *out;
  guint8 *bytes;
  gsize size;

  fail_unless_equals_int (gst_harness_push (h, make_square (side, shift)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  bytes = buffer_bytes (out, &size);
  gst_buffer_unref (out);
  return bytes;
}

/* Samples in the lower bits have the edges that they have in the upper ones: found out, and set. */
GST_START_TEST (test_significant_bits)
{
  const guint side = 64, bytes = side * side * 2;
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacanny", bus);
  guint8 *wanted, *found;
  guint edges = 0;

  if (test_in_cuda_memory ())
    goto done; /* there is no GRAY16_LE in it */
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY16_LE,width=64,height=64,framerate=25/1");
  /* 12 bits so far. */
  found = edges_of_square (h, side, 0);
  fail_unless (take_info (bus));
  /* Then 16: those frames say it. */
  wanted = edges_of_square (h, side, 4);
  fail_unless (take_info (bus));
  for (guint i = 0; i < bytes; i++)
    edges += wanted[i] != 0;
  fail_unless (edges > 2 * 4 * side / 4, "%u", edges);
  fail_unless (memcmp (found, wanted, bytes) == 0);
  g_free (found);
  /* Never fewer again in this stream: 2600 / 256 is no edge. */
  found = edges_of_square (h, side, 0);
  for (guint i = 0; i < bytes; i++)
    fail_unless_equals_int (found[i], 0);
  g_free (found);
  fail_if (take_info (bus));
  /* Set. */
  g_object_set (h->element, "significant-bits", 12, NULL);
  found = edges_of_square (h, side, 0);
  fail_unless (memcmp (found, wanted, bytes) == 0);
  g_free (found);
  /* A new stream begins anew. */
  g_object_set (h->element, "significant-bits", 0, NULL);
  fail_unless (gst_harness_push_event (h, gst_event_new_stream_start ("other")));
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY16_LE,width=64,height=64,framerate=25/1");
  found = edges_of_square (h, side, 0);
  fail_unless (memcmp (found, wanted, bytes) == 0);
  g_free (found);
  g_free (wanted);
done:
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
cudacanny_suite (void)
{
  Suite *s = suite_create ("cudacanny");
  GstElementFactory *edgedetect = gst_element_factory_find ("edgedetect");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_formats_all);
  tcase_add_test (tc, test_layouts);
  tcase_add_test (tc, test_output_layouts);
  tcase_add_test (tc, test_bad_pool);
  tcase_add_test (tc, test_sizes);
  tcase_add_test (tc, test_small_sizes_all);
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_live_properties_stress);
  tcase_add_test (tc, test_property_bounds);
  tcase_add_test (tc, test_controlled);
  tcase_add_test (tc, test_buffer_described);
  tcase_add_test (tc, test_buffers_reused);
  tcase_add_test (tc, test_components_of_edges);
  tcase_add_test (tc, test_significant_bits);
  if (edgedetect && !test_in_cuda_memory ())
    tcase_add_test (tc, test_edgedetect);
  g_clear_object (&edgedetect);
  return s;
}

GST_CHECK_MAIN (cudacanny);
