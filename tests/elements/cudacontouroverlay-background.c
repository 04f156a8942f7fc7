/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check pictures of shapes alone: cudacontouroverlay with another background than the frame. */
#include "overlay.h"
#include "parts.h"

/* A background and what GStreamer calls black and white in samples of 8 bits, luma and chroma. */
static const struct {
  const gchar *name;
  guint8 rgb, video, full;
  gboolean clear;
} backgrounds[] = {{"black", 0, 16, 0, FALSE}, {"white", 255, 235, 255, FALSE}, {"transparent", 0, 16, 0, TRUE}};

/* The sample of COMPONENT, in a format of DEPTH bits whose samples are in the upper or lower ones. */
static guint
expected_sample (const GstVideoInfo *info, guint background, guint component)
{
  const GstVideoFormatInfo *format = info->finfo;
  const guint depth = GST_VIDEO_FORMAT_INFO_DEPTH (format, component);
  guint value = backgrounds[background].rgb;

  if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA (format) && component == 3)
    return backgrounds[background].clear ? 0 : 255;
  if (GST_VIDEO_FORMAT_INFO_IS_YUV (format) && component > 0)
    return 128u << (depth - 8) << GST_VIDEO_FORMAT_INFO_SHIFT (format, component);
  if (info->colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235)
    return backgrounds[background].video << (depth - 8) << GST_VIDEO_FORMAT_INFO_SHIFT (format, 0);
  if (depth > 8 && value == 255)
    value = (1u << depth) - 1;
  return value << GST_VIDEO_FORMAT_INFO_SHIFT (format, 0);
}

/* Every sample of BUFFER, a frame like FRAME and INFO, must be the background's. */
static void
assert_background (GstBuffer *buffer, const TestFrame *frame, const GstVideoInfo *info, guint background)
{
  const guint size = GST_VIDEO_INFO_COMP_DEPTH (info, 0) > 8 ? 2 : 1;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    guint8 *bytes = plane_bytes (buffer, frame, p);
    const guint row = plane_row_bytes (info, p);
    gint components[GST_VIDEO_MAX_COMPONENTS];
    guint pixel;

    gst_video_format_info_component (info->finfo, p, components);
    pixel = GST_VIDEO_INFO_COMP_PSTRIDE (info, components[0]);
    for (guint at = 0; at < row * plane_rows (info, p); at += size) {
      const guint sample = size == 1 ? bytes[at] : GST_READ_UINT16_LE (bytes + at);
      guint expected = 255; /* of the byte that an RGBx pixel does not use */

      for (guint i = 0; i < GST_VIDEO_MAX_COMPONENTS && components[i] >= 0; i++)
        /* GStreamer 1.22 has a wrong offset for V of P010 and P016. */
        if ((size == 2 ? 2 * i : (guint) GST_VIDEO_INFO_COMP_POFFSET (info, components[i])) == at % row % pixel)
          expected = expected_sample (info, background, components[i]);
      fail_unless (sample == expected, "%s, %s: %u instead of %u at byte %u of plane %u",
          gst_video_format_to_string (frame->format), backgrounds[background].name, sample, expected, at, p);
    }
    g_free (bytes);
  }
}

/* Every format, in odd sizes, with padding, in both ranges, without metadata. Frames that only differ in colorimetry
 * follow each other; some are held. */
GST_START_TEST (test_all_formats)
{
  static const gchar *const colorimetries[] = {"2:4:5:1", "1:4:0:0", "1:3:5:1"}; /* GStreamer's notation */

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    for (guint b = 0; b < G_N_ELEMENTS (backgrounds); b++) {
      TestFrame frame = {test_formats[i].video, 63, test_in_cuda_memory () ? 46 : 45, .seed = i,
          .padding = test_in_cuda_memory () ? 0 : 8};
      gchar *line = g_strdup_printf ("cudacontouroverlay significant-bits=16 background=%s", backgrounds[b].name);
      GstVideoInfo info;
      GstHarness *h;

      gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
      if (format_runs (&test_formats[i]) && !is_packed_yuv (frame.format)
          && (!backgrounds[b].clear || GST_VIDEO_INFO_HAS_ALPHA (&info))) {
        h = new_harness (line);
        for (guint c = 0; c < 2 * G_N_ELEMENTS (colorimetries); c++) {
          GstCaps *caps = frame_caps (&frame);
          GstBuffer *in = make_frame (&frame), *out;

          gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, colorimetries[c / 2], NULL);
          gst_video_info_from_caps (&info, caps);
          gst_harness_set_src_caps (h, caps);
          out = pass (h, c % 2 ? gst_buffer_ref (in) : in);
          fail_unless ((out == in) == (c % 2 == 0));
          assert_background (out, &frame, &info, b);
          if (c % 2) {
            assert_untouched (in, &frame);
            gst_buffer_unref (in);
          }
          gst_buffer_unref (out);
        }
        gst_harness_teardown (h);
      }
      g_free (line);
    }
}

GST_END_TEST;

/* Whether pixel X, Y is on the outline of the region at 7, 5. */
static gboolean
is_on_line (gint x, gint y)
{
  return x >= 7 && y >= 5 && x < 37 && y < 26 && !(x >= 10 && y >= 8 && x < 34 && y < 23);
}

/* Shapes lie on the background; with half of their opacity, they mix with it, or keep their colour on nothing. The
 * background changes while frames pass. */
GST_START_TEST (test_shapes)
{
  /* Half of the red on black and on white; all of it on nothing. */
  static const guint8 pixels[][4] = {{128, 0, 0, 255}, {255, 127, 127, 255}, {255, 0, 0, 128}};
  TestFrame frame = {GST_VIDEO_FORMAT_RGBA, 64, 48, .seed = 2};
  GstHarness *h = new_harness ("cudacontouroverlay color-by=fixed color=0xff0000 thickness=3 alpha=0.5");
  GstElement *element = gst_harness_find_element (h, "cudacontouroverlay");

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 4 * G_N_ELEMENTS (backgrounds); i++) {
    const guint b = i % G_N_ELEMENTS (backgrounds);
    GstBuffer *in = make_frame (&frame), *out;
    guint8 *bytes;

    add_region (in, 7, 5, 30, 21);
    gst_util_set_object_arg (G_OBJECT (element), "background", backgrounds[b].name);
    out = pass (h, i % 2 ? gst_buffer_ref (in) : in);
    bytes = plane_bytes (out, &frame, 0);
    for (gint y = 0; y < frame.height; y++)
      for (gint x = 0; x < frame.width; x++) {
        const guint8 rgb = backgrounds[b].rgb, ground[4] = {rgb, rgb, rgb, backgrounds[b].clear ? 0 : 255};
        const guint8 *pixel = bytes + 4 * (y * frame.width + x);

        fail_unless (memcmp (pixel, is_on_line (x, y) ? pixels[b] : ground, 4) == 0, "%s, %d, %d: %u %u %u %u",
            backgrounds[b].name, x, y, pixel[0], pixel[1], pixel[2], pixel[3]);
      }
    g_free (bytes);
    gst_buffer_unref (out);
    if (i % 2)
      gst_buffer_unref (in);
    /* The frame itself is the background again: without metadata it passes. */
    gst_util_set_object_arg (G_OBJECT (element), "background", "frame");
    in = make_frame (&frame);
    out = pass (h, gst_buffer_ref (in));
    fail_unless (in == out);
    assert_untouched (out, &frame);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
  }
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Frames of 12 bits have white of 12 bits, also when somebody else holds them. */
GST_START_TEST (test_significant_bits)
{
  TestFrame frame = {GST_VIDEO_FORMAT_GRAY16_LE, 16, 4, .seed = 1};
  GstHarness *h;

  if (test_in_cuda_memory ())
    return; /* no grey there */
  h = new_harness ("cudacontouroverlay background=white");
  set_frame_caps (h, &frame);
  for (guint held = 0; held < 2; held++) {
    GstBuffer *in = make_frame (&frame), *out;
    GstMapInfo map;
    guint8 *bytes;

    fail_unless (gst_buffer_map (in, &map, GST_MAP_WRITE));
    for (gsize i = 0; i + 1 < map.size; i += 2)
      GST_WRITE_UINT16_LE (map.data + i, i % 4096);
    GST_WRITE_UINT16_LE (map.data, 4000);
    gst_buffer_unmap (in, &map);
    out = pass (h, held ? gst_buffer_ref (in) : in);
    bytes = plane_bytes (out, &frame, 0);
    for (gint i = 0; i < frame.width * frame.height; i++)
      fail_unless_equals_int (GST_READ_UINT16_LE (bytes + 2 * i), 4095);
    g_free (bytes);
    gst_buffer_unref (out);
    if (held)
      gst_buffer_unref (in);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A transparent background in a format without alpha is one error, which says what to do. */
GST_START_TEST (test_no_alpha)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 1};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacontouroverlay background=transparent", bus);

  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
  assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
}

GST_END_TEST;

void
add_cudacontouroverlay_background_tests (TCase *tc)
{
  tcase_add_test (tc, test_all_formats);
  tcase_add_test (tc, test_shapes);
  tcase_add_test (tc, test_significant_bits);
  tcase_add_test (tc, test_no_alpha);
}
