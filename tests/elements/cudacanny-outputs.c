/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check cudacanny's other outputs, samples of 16 bits that are analysed as they are, and the thresholds that
 * it reports. */
#include "cudacanny.h"
#include "parts.h"

#include <math.h>

/* The values of 16 bits that the core's host backend finds in the frame; free with g_free(). */
static guint16 *
expected_values (const TestFrame *frame, const CtrCannyParams *params)
{
  const gsize stride = (gsize) frame->width * sizeof (guint16);
  guint16 *values = g_malloc (stride * frame->height);
  guint8 *pixels;
  CtrImage image = first_plane (frame, &pixels);
  CtrEdgePicture picture = {
      .planes = {{.data = values, .stride = stride, .pixel_size = 2, .sample_size = 2, .edge = {0xff, 0xff}}},
      .plane_count = 1,
  };
  CtrCannyParams in_format = *params;
  CtrError error = {0};
  CtrCanny *canny = ctr_canny_new (CTR_BACKEND_CPU, &error);

  in_format.significant_bits = format_bits (frame->format);
  fail_unless (ctr_canny_run (canny, &image, &in_format, &picture, NULL, &error), "%s", error.message);
  ctr_canny_free (canny);
  g_free (pixels);
  return values;
}

/* What byte I of a pixel of PLANE shows for VALUE, in a format whose samples have SAMPLE bytes. */
static guint8
shown_byte (const EdgePlane *plane, guint sample, guint i, guint16 value)
{
  const guint8 byte = sample == 2 && i % 2 == 0 ? value & 0xff : value >> 8;

  /* Bits of the sample, or a constant. */
  return plane->edge[i] == plane->background[i] ? plane->edge[i] : byte & plane->edge[i];
}

static void
assert_shows (GstBuffer *buffer, const TestFrame *frame, const guint16 *values)
{
  const EdgeFormat *format = edge_format (frame->format);
  GstVideoInfo info;
  GstVideoFrame out;
  guint sample;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  sample = GST_VIDEO_INFO_COMP_DEPTH (&info, 0) > 8 ? 2 : 1;
  fail_unless (gst_video_frame_map (&out, &info, buffer, GST_MAP_READ));
  for (guint p = 0; p < format->n_planes; p++) {
    const EdgePlane *plane = &format->planes[p];
    const gint x_step = 1 << plane->x_shift, y_step = 1 << plane->y_shift;

    for (gint row = 0; row < (frame->height + y_step - 1) / y_step; row++)
      for (gint column = 0; column < (frame->width + x_step - 1) / x_step; column++)
        for (guint i = 0; i < plane->pixel_size; i++) {
          /* Planes that are subsampled have one value. */
          const guint8 wanted =
              shown_byte (plane, sample, i, values[(gsize) row * y_step * frame->width + column * x_step]);
          const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (&out, p);
          const guint8 found =
              data[(gsize) row * GST_VIDEO_FRAME_PLANE_STRIDE (&out, p) + column * plane->pixel_size + i];

          if (found != wanted)
            ck_abort_msg ("%s: plane %u, column %d, row %d, byte %u is %u, not %u",
                gst_video_format_to_string (frame->format), p, column, row, i, found, wanted);
        }
  }
  gst_video_frame_unmap (&out);
}

static void
check_output (GstHarness *h, const TestFrame *frame, const CtrCannyParams *params)
{
  guint16 *values = expected_values (frame, params);
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (h, make_frame (frame)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  assert_shows (out, frame, values);
  gst_buffer_unref (out);
  g_free (values);
}

/* Every output in every format, of samples in 8 bits and as they are. Only the output changes from frame to frame. */
GST_START_TEST (test_outputs_all)
{
  static const gchar *outputs[] = {"gradient", "direction", "candidates"};

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    TestFrame frame = {test_formats[i].video, 130, 74, .seed = i};
    CtrCannyParams params = default_params ();
    GstHarness *h;

    if (!format_runs (&test_formats[i]))
      continue;
    h = new_harness ("cudacanny sigma=1");
    set_frame_caps (h, &frame);
    params.sigma = 1;
    for (guint native = 0; native < 2; native++)
      for (guint o = 0; o < G_N_ELEMENTS (outputs); o++) {
        GstElement *canny = gst_harness_find_element (h, "cudacanny");

        gst_util_set_object_arg (G_OBJECT (canny), "output", outputs[o]);
        gst_util_set_object_arg (G_OBJECT (canny), "depth", native ? "native" : "8-bit");
        gst_object_unref (canny);
        params.native_depth = native;
        params.output = CTR_CANNY_GRADIENT + o;
        check_output (h, &frame, &params);
      }
    gst_harness_set (h, "cudacanny", "output", 0, NULL);
    params.output = CTR_CANNY_EDGES;
    check_edges (h, &frame, &params, FALSE);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* The property mask is another name of an output. */
GST_START_TEST (test_mask_is_output)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 31};
  CtrCannyParams params = default_params ();
  GstHarness *h = new_harness ("cudacanny output=mask");
  GstElement *canny = gst_harness_find_element (h, "cudacanny");
  gboolean mask;
  gint output;

  set_frame_caps (h, &frame);
  g_object_get (canny, "mask", &mask, NULL);
  fail_unless (mask);
  check_edges (h, &frame, &params, TRUE);
  g_object_set (canny, "mask", FALSE, NULL);
  g_object_get (canny, "output", &output, NULL);
  fail_unless_equals_int (output, 0);
  check_edges (h, &frame, &params, FALSE);
  g_object_set (canny, "output", 2, "mask", FALSE, NULL);
  g_object_get (canny, "output", &output, NULL);
  fail_unless_equals_int (output, 2); /* FALSE ends nothing but the mask */
  g_object_set (canny, "mask", TRUE, NULL);
  g_object_get (canny, "output", &output, NULL);
  fail_unless_equals_int (output, 1);
  gst_object_unref (canny);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A step from 800 to 1000 in GRAY16_LE is an edge with depth=native, and with shares of the greatest gradient. */
GST_START_TEST (test_small_step)
{
  enum { SIDE = 64 };
  static const gchar *settings[] = {
      "depth=8-bit significant-bits=16", "depth=native", "depth=native threshold-mode=relative"};

  if (test_in_cuda_memory ())
    return; /* CUDA memory has no GRAY16_LE */
  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    gchar *line = g_strdup_printf ("cudacanny %s", settings[i]);
    GstHarness *h = new_harness (line);
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIDE * SIDE * 2, NULL);
    GstMapInfo map;
    guint edges = 0;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (guint k = 0; k < SIDE * SIDE; k++)
      GST_WRITE_UINT16_LE (map.data + 2 * k, k % SIDE < SIDE / 2 ? 800 : 1000);
    gst_buffer_unmap (buffer, &map);
    gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY16_LE,width=64,height=64,framerate=25/1");
    buffer = gst_harness_push_and_pull (h, buffer);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (guint k = 0; k < SIDE * SIDE; k++) {
      const guint16 sample = GST_READ_UINT16_LE (map.data + 2 * k);

      fail_unless (sample == 0 || sample == 65535);
      edges += sample != 0;
    }
    gst_buffer_unmap (buffer, &map);
    fail_unless_equals_int (edges, i == 0 ? 0 : SIDE);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    g_free (line);
  }
}

GST_END_TEST;

/* The thresholds of FRAME by the core's host backend. */
static CtrCannyThresholds
expected_thresholds (const TestFrame *frame, const CtrCannyParams *params)
{
  guint8 *mask = g_malloc ((gsize) frame->width * frame->height), *pixels;
  CtrImage image = first_plane (frame, &pixels);
  CtrCannyThresholds thresholds;
  CtrEdgePicture picture;
  CtrCanny *canny = ctr_canny_new (CTR_BACKEND_CPU, NULL);

  ctr_edge_picture_init_mask (&picture, mask, frame->width, CTR_MEMORY_HOST);
  fail_unless (ctr_canny_run (canny, &image, params, &picture, NULL, NULL)
               && ctr_canny_get_thresholds (canny, &thresholds, NULL));
  ctr_canny_free (canny);
  g_free (pixels);
  g_free (mask);
  return thresholds;
}

static void
assert_thresholds (const GstStructure *structure, const CtrCannyThresholds *expected)
{
  CtrCannyThresholds found;

  fail_unless (gst_structure_get (structure, "low-threshold", G_TYPE_DOUBLE, &found.low, "high-threshold",
      G_TYPE_DOUBLE, &found.high, "greatest-gradient", G_TYPE_DOUBLE, &found.greatest, NULL));
  fail_unless (found.low == expected->low && found.high == expected->high && found.greatest == expected->greatest,
      "%g, %g of %g, not %g, %g of %g", found.low, found.high, found.greatest, expected->low, expected->high,
      expected->greatest);
}

/* Each frame's thresholds are in its message and in its metadata, which copies of the frame keep. */
GST_START_TEST (test_reports)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacanny threshold-mode=relative low-share=0.3 high-share=0.6", bus);
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 41};
  CtrCannyParams params = default_params ();
  GstMessage *message;

  params.low_share = 0.3;
  params.high_share = 0.6;
  set_frame_caps (h, &frame);
  for (guint mode = CTR_CANNY_ABSOLUTE; mode <= CTR_CANNY_RELATIVE; mode++)
    for (guint reports = 0; reports < 4; reports++) {
      GstBuffer *in, *out, *copy;
      CtrCannyThresholds expected;
      GstCustomMeta *meta;

      frame.seed++;
      params.threshold_mode = mode;
      expected = expected_thresholds (&frame, &params);
      gst_harness_set (h, "cudacanny", "threshold-mode", mode, "post-messages", reports & 1, "attach-thresholds",
          reports >> 1, NULL);
      in = make_frame (&frame);
      GST_BUFFER_PTS (in) = frame.seed * GST_MSECOND;
      fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_OK);
      out = gst_harness_pull (h);
      assert_edges (out, &frame, &params, FALSE);
      message = pop_message (bus, GST_MESSAGE_ELEMENT);
      fail_unless_equals_int (message != NULL, reports & 1);
      if (message) {
        const GstStructure *structure = gst_message_get_structure (message);
        guint64 time = 0;

        fail_unless (gst_structure_has_name (structure, "cudacanny"));
        fail_unless (gst_structure_get_uint64 (structure, "timestamp", &time) && time == frame.seed * GST_MSECOND);
        assert_thresholds (structure, &expected);
        gst_message_unref (message);
      }
      fail_unless (!pop_message (bus, GST_MESSAGE_ELEMENT));
      copy = gst_buffer_copy (out);
      meta = gst_buffer_get_custom_meta (copy, "GstCudaCannyThresholds");
      fail_unless_equals_int (meta != NULL, reports >> 1);
      if (meta)
        assert_thresholds (gst_custom_meta_get_structure (meta), &expected);
      gst_buffer_unref (copy);
      gst_buffer_unref (out);
      /* The reported thresholds find the same edges. */
      if (mode == CTR_CANNY_RELATIVE) {
        CtrCannyParams absolute = params;

        fail_unless (expected.greatest > 0 && fabs (expected.low - 0.3 * expected.greatest) < 1);
        absolute.threshold_mode = CTR_CANNY_ABSOLUTE;
        absolute.low_threshold = expected.low;
        absolute.high_threshold = expected.high;
        gst_harness_set (h, "cudacanny", "threshold-mode", CTR_CANNY_ABSOLUTE, "low-threshold", expected.low,
            "high-threshold", expected.high, "post-messages", FALSE, "attach-thresholds", FALSE, NULL);
        check_edges (h, &frame, &params, FALSE);
        check_edges (h, &frame, &absolute, FALSE);
      }
    }
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_cudacanny_output_tests (TCase *tc)
{
  tcase_add_test (tc, test_outputs_all);
  tcase_add_test (tc, test_mask_is_output);
  tcase_add_test (tc, test_small_step);
  tcase_add_test (tc, test_reports);
}
