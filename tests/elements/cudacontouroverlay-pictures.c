/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check that cudacontouroverlay draws into frames of every format, into shared and scaled frames, and clips
 * regions to the frame. */
#include "overlay.h"
#include "parts.h"

/* Returns a frame like INFO of the one colour RGB (0xRRGGBB), converted by GStreamer. */
static GstBuffer *
solid (const GstVideoInfo *info, guint rgb)
{
  GstVideoInfo from;
  GstVideoFrame in, out;
  GstVideoConverter *converter;
  GstBuffer *rgba, *buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);

  gst_video_info_set_format (&from, GST_VIDEO_FORMAT_RGBA, info->width, info->height);
  from.fps_n = info->fps_n;
  from.fps_d = info->fps_d;
  rgba = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&from), NULL);
  converter = gst_video_converter_new (&from, info, NULL);
  fail_unless (gst_video_frame_map (&in, &from, rgba, GST_MAP_WRITE));
  fail_unless (gst_video_frame_map (&out, (GstVideoInfo *) info, buffer, GST_MAP_WRITE));
  for (gint y = 0; y < info->height; y++)
    for (gint x = 0; x < info->width; x++) {
      guint8 *pixel =
          (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&in, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&in, 0) + 4 * x;

      pixel[0] = rgb >> 16;
      pixel[1] = rgb >> 8;
      pixel[2] = rgb;
      pixel[3] = 255;
    }
  gst_video_converter_frame (converter, &in, &out);
  gst_video_frame_unmap (&in);
  gst_video_frame_unmap (&out);
  gst_video_converter_free (converter);
  gst_buffer_unref (rgba);
  return buffer;
}

/* Does the pixel of a plane, or any pixel that a subsampled one covers, lie on the box? */
static gboolean
is_in_box (gint x, gint y, gint x_shift, gint y_shift)
{
  for (gint v = y << y_shift; v < (y + 1) << y_shift; v++)
    for (gint u = x << x_shift; u < (x + 1) << x_shift; u++)
      if (u >= 7 && v >= 5 && u < 37 && v < 26 && !(u >= 10 && v >= 8 && u < 34 && v < 23))
        return TRUE;
  return FALSE;
}

/* The tolerance is one 8-bit step, because GStreamer converts with 8 bits. */
static gboolean
is_near (const guint8 *a, const guint8 *b, guint size)
{
  gint x = a[0], y = b[0];

  if (size == 2) {
    x = GST_READ_UINT16_LE (a);
    y = GST_READ_UINT16_LE (b);
  }
  return ABS (x - y) <= (size == 1 ? 1 : 257);
}

/* In every format, a box has the colour that GStreamer converts it to, and all other pixels keep their value. */
GST_START_TEST (test_formats_all)
{
  static const guint colours[] = {0xff0000, 0x00ff00, 0x0000ff, 0xe69f00, 0xffffff, 0x000000};

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    for (guint c = 0; c < G_N_ELEMENTS (colours); c++) {
      /* GStreamer 1.22 corrupts I420 frames of odd height when it uploads them to CUDA memory. */
      TestFrame frame = {test_formats[i].video, 63, test_in_cuda_memory () ? 46 : 45, .seed = i,
          .padding = test_in_cuda_memory () ? 0 : 8};
      GstCaps *caps = frame_caps (&frame);
      gchar *line = g_strdup_printf ("cudacontouroverlay color-by=fixed color=%u thickness=3", colours[c]);
      GstBuffer *buffer, *expected;
      GstVideoInfo info;
      GstHarness *h;

      gst_video_info_from_caps (&info, caps);
      gst_caps_unref (caps);
      if (format_runs (&test_formats[i]) && !is_packed_yuv (frame.format)) {
        h = new_harness (line);
        set_frame_caps (h, &frame);
        buffer = make_frame (&frame);
        add_region (buffer, 7, 5, 30, 21);
        buffer = pass (h, buffer);
        expected = solid (&info, colours[c]);
        for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
          guint8 *is = plane_bytes (buffer, &frame, p), *painted = plane_bytes (expected, &frame, p);
          gint components[GST_VIDEO_MAX_COMPONENTS];
          guint size = GST_VIDEO_INFO_COMP_DEPTH (&info, 0) > 8 ? 2 : 1, row = plane_row_bytes (&info, p);
          guint pixel;

          gst_video_format_info_component (info.finfo, p, components);
          pixel = GST_VIDEO_INFO_COMP_PSTRIDE (&info, components[0]);
          for (guint y = 0; y < plane_rows (&info, p); y++)
            for (guint at = 0; at < row; at += size) {
              gboolean drawn = is_in_box (at / pixel, y, GST_VIDEO_FORMAT_INFO_W_SUB (info.finfo, components[0]),
                  GST_VIDEO_FORMAT_INFO_H_SUB (info.finfo, components[0]));
              gboolean is_padding = pixel == 4 && size == 1 && at % 4 == 3 && !GST_VIDEO_INFO_HAS_ALPHA (&info);

              if (drawn && !is_padding)
                fail_unless (is_near (is + y * row + at, painted + y * row + at, size),
                    "%s, 0x%06x, plane %u: %u, %u instead of %u, %u at byte %u of row %u",
                    gst_video_format_to_string (frame.format), colours[c], p, is[y * row + at],
                    is[y * row + at + size - 1], painted[y * row + at], painted[y * row + at + size - 1], at, y);
              else
                for (guint k = 0; k < size; k++)
                  fail_unless_equals_int (is[y * row + at + k], frame_byte (frame.seed, p, at + k, y));
            }
          g_free (is);
          g_free (painted);
        }
        gst_buffer_unref (expected);
        gst_buffer_unref (buffer);
        gst_harness_teardown (h);
      }
      g_free (line);
    }
}

GST_END_TEST;

/* A shared frame without results is passed on as it is. With results, the element draws into a copy. */
GST_START_TEST (test_shared_frames)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 3};
  GstHarness *h = new_harness ("cudacontouroverlay");
  GstElement *element = gst_harness_find_element (h, "cudacontouroverlay");
  GstBuffer *in, *out;

  set_frame_caps (h, &frame);
  in = make_frame (&frame);
  out = pass (h, gst_buffer_ref (in));
  fail_unless (in == out);
  gst_buffer_unref (out);

  add_region (gst_buffer_make_writable (in), 4, 4, 20, 20);
  out = pass (h, gst_buffer_ref (in));
  fail_unless (in != out);
  fail_unless_equals_int (count_all (in, &frame), 0);
  fail_unless (count_all (out, &frame) > 50);
  gst_buffer_unref (out);

  gst_util_set_object_arg (G_OBJECT (element), "draw", "contours+components");
  out = pass (h, gst_buffer_ref (in));
  fail_unless (in == out);
  gst_buffer_unref (out);
  gst_buffer_unref (in);
  gst_object_unref (element);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Regions are clipped to the frame, whatever their values. */
GST_START_TEST (test_wild_regions)
{
  static const struct {
    guint region[4];
    gboolean drawn;
  } cases[] = {
      {{0, 0, 0, 0}, FALSE},
      {{5, 5, 0, 7}, FALSE},
      {{63, 47, 1, 1}, TRUE},
      {{64, 0, 5, 5}, FALSE},
      {{0, 48, 5, 5}, FALSE},
      {{60, 40, G_MAXUINT, G_MAXUINT}, TRUE},
      {{1u << 31, 1u << 31, 1u << 31, 1u << 31}, FALSE},
      {{G_MAXUINT, G_MAXUINT, G_MAXUINT, G_MAXUINT}, FALSE},
      {{0, 0, 1u << 31, 1u << 31}, TRUE},
  };
  TestFrame frame = {GST_VIDEO_FORMAT_I420, 64, 48, .seed = 5};
  GstHarness *h = new_harness ("cudacontouroverlay labels=index+area");

#ifndef HAVE_PANGO
  gst_util_set_object_arg (G_OBJECT (h->element), "labels", "");
#endif
  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *buffer = make_frame (&frame);

    add_region (buffer, cases[i].region[0], cases[i].region[1], cases[i].region[2], cases[i].region[3]);
    buffer = pass (h, buffer);
    fail_unless ((count_all (buffer, &frame) > 0) == cases[i].drawn, "case %u", i);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* In a frame that was scaled after the analysis, the results are drawn at their scaled positions. */
GST_START_TEST (test_scaled)
{
  TestFrame frame = {GST_VIDEO_FORMAT_I420, 80, 60, .seed = 4}, scaled = {GST_VIDEO_FORMAT_I420, 160, 120, .seed = 4};
  GstHarness *h;
  GstBuffer *buffer, *plain;
  guint8 *drawn, *before;
  guint count = 0;

  if (test_in_cuda_memory ())
    return; /* not every GStreamer has a scaler for CUDA memory */
  h = gst_harness_new_parse ("cudacca backend=cpu min-area=40 ! videoscale method=nearest-neighbour ! "
                             "video/x-raw,width=160,height=120 ! "
                             "cudacontouroverlay backend=cpu thickness=1 alpha=1 color-by=fixed color=0xff000000");
  set_frame_caps (h, &frame);
  buffer = pass (h, make_frame (&frame));
  drawn = plane_bytes (buffer, &scaled, 0);
  plain = make_frame (&frame);
  before = plane_bytes (plain, &frame, 0);
  for (gint y = 0; y < scaled.height; y++)
    for (gint x = 0; x < scaled.width; x++) {
      GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (buffer);
      gboolean on_box = FALSE;

      for (guint i = 0; i < gst_contours_component_meta_get_count (meta); i++) {
        GstContoursComponent c;

        gst_contours_component_meta_get_component (meta, i, &c);
        on_box |= x >= c.x && y >= c.y && x < c.x + c.w && y < c.y + c.h
                  && (x == c.x || y == c.y || x == c.x + c.w - 1 || y == c.y + c.h - 1);
      }
      count += on_box;
      fail_unless_equals_int (drawn[y * scaled.width + x], on_box ? 16 : before[y / 2 * frame.width + x / 2]);
    }
  fail_unless (count > 100);
  g_free (before);
  g_free (drawn);
  gst_buffer_unref (plain);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_cudacontouroverlay_picture_tests (TCase *tc)
{
  tcase_add_test (tc, test_formats_all);
  tcase_add_test (tc, test_shared_frames);
  tcase_add_test (tc, test_wild_regions);
  tcase_add_test (tc, test_scaled);
}
