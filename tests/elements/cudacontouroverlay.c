/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudacontouroverlay's own properties and pictures; filter.c has what it shares with others. Runs once for each backend
 * and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "components.h"
#include "overlay.h"

/* A frame of FORMAT, all of the colour 0xRRGGBB, by GStreamer's own conversion. */
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

/* Is a pixel of a plane, or any under a subsampled one's, within the box? */
static gboolean
is_in_box (gint x, gint y, gint x_shift, gint y_shift)
{
  for (gint v = y << y_shift; v < (y + 1) << y_shift; v++)
    for (gint u = x << x_shift; u < (x + 1) << x_shift; u++)
      if (u >= 7 && v >= 5 && u < 37 && v < 26 && !(u >= 10 && v >= 8 && u < 34 && v < 23))
        return TRUE;
  return FALSE;
}

/* Within a step of 8 bits: those are what GStreamer's own conversion works with. */
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

/* A box in every format and colour: the colour is what GStreamer makes of it, and everything else stays. */
GST_START_TEST (test_formats_all)
{
  static const guint colours[] = {0xff0000, 0x00ff00, 0x0000ff, 0xe69f00, 0xffffff, 0x000000};

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    for (guint c = 0; c < G_N_ELEMENTS (colours); c++) {
      /* GStreamer 1.22 spoils I420 of an odd height on its way into CUDA memory. */
      TestFrame frame = {test_formats[i].video, 63, test_in_cuda_memory () ? 46 : 45, .seed = i,
          .padding = test_in_cuda_memory () ? 0 : 8};
      GstCaps *caps = frame_caps (&frame);
      gchar *line = g_strdup_printf ("cudacontouroverlay color-by=fixed color=%u thickness=3", colours[c]);
      GstBuffer *buffer, *expected;
      GstVideoInfo info;
      GstHarness *h;

      gst_video_info_from_caps (&info, caps);
      gst_caps_unref (caps);
      if (format_runs (&test_formats[i])) {
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

/* Without anything to draw even a shared frame is passed on as it is; with, only the one that goes on is changed. */
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

/* Metadata of nothing is nothing to draw, unless there is a legend to show. */
GST_START_TEST (test_nothing_found)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 300, 60, .seed = 3};
  gchar *line =
      g_strdup_printf ("cudaborders backend=%s min-area=1000000 ! cudacontouroverlay color-by=area backend=%s",
          test_backend (), test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
  GstElement *element = gst_harness_find_element (h, "cudacontouroverlay");
  GstBuffer *buffer;

  set_frame_caps (h, &frame);
  buffer = pass (h, make_frame (&frame));
  fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
  fail_unless_equals_int (count_all (buffer, &frame), 0);
  gst_buffer_unref (buffer);
#ifdef HAVE_PANGO
  g_object_set (element, "legend", TRUE, "font-desc", "Sans 11", NULL);
  buffer = pass (h, make_frame (&frame));
  fail_unless (count_drawn (buffer, &frame, 0, 20, 200, 40) > 1500);
  fail_unless_equals_int (count_drawn (buffer, &frame, 0, 0, 300, 20), 0);
  gst_buffer_unref (buffer);
  gst_util_set_object_arg (G_OBJECT (element), "color-by", "id");
  buffer = pass (h, make_frame (&frame));
  fail_unless_equals_int (count_all (buffer, &frame), 0);
  gst_buffer_unref (buffer);
#endif
  gst_object_unref (element);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* Regions from anywhere: what is outside of the frame is cut off, and nothing else happens. */
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

/* What the core paints of contours that cudaborders or cudacrackcontour found: byte for byte. */
static void
check_painted (const gchar *finder, const gchar *properties, CtrPaintLayer layer, guint rgb)
{
  TestFrame frame = {GST_VIDEO_FORMAT_GRAY8, 97, 75, .seed = 9};
  gchar *line = g_strdup_printf ("%s backend=cpu ! cudacontouroverlay backend=%s color-by=fixed color=%u %s", finder,
      test_backend (), rgb, properties);
  GstHarness *h = gst_harness_new_parse (line);
  guint8 *pixels, *is;
  CtrImage image = first_plane (&frame, &pixels);
  CtrPaintPicture picture = {.plane_count = 1,
      .planes = {{.data = pixels, .stride = frame.width, .samples = 1}},
      .width = frame.width,
      .height = frame.height,
      .sample_size = 1,
      .sample_mask = 255};
  CtrPaintColour colours[CTR_PAINT_COLOURS] = {{.shape = {rgb & 255}}};
  CtrPainter *painter = ctr_painter_new (CTR_BACKEND_CPU, NULL);
  GstBuffer *buffer = make_system_frame (&frame);

  fail_unless_equals_int (image.width, frame.width);
  gst_harness_set_src_caps (
      h, gst_caps_from_string ("video/x-raw,format=GRAY8,width=97,height=75,framerate=25/1,colorimetry=1:1:0:0"));
  buffer = pass (h, buffer);
  layer.contours = gst_contours_contour_meta_peek_contours (gst_buffer_get_contours_contour_meta (buffer));
  fail_unless (layer.contours->count > 20);
  fail_unless (ctr_painter_run (painter, &picture, &layer, 1, colours, NULL, NULL));
  is = plane_bytes (buffer, &frame, 0);
  for (gint i = 0; i < frame.width * frame.height; i++)
    fail_unless (
        is[i] == pixels[i], "%s: %u instead of %u at %d, %d", line, is[i], pixels[i], i % frame.width, i / frame.width);
  g_free (is);
  g_free (pixels);
  gst_buffer_unref (buffer);
  ctr_painter_free (painter);
  gst_harness_teardown (h);
  g_free (line);
}

GST_START_TEST (test_contours)
{
  CtrPaintLayer layer;

  if (test_in_cuda_memory ())
    return; /* there is no GRAY8, and the finder is on the host */
  ctr_paint_layer_init (&layer, CTR_PAINT_LINES);
  layer.thickness = 2;
  layer.dashed_holes = true;
  check_painted ("cudaborders", "thickness=2", layer, 0x777777);
  check_painted ("cudacrackcontour levels=128", "thickness=2", layer, 0x777777);
  layer.thickness = 5;
  layer.alpha = 128;
  layer.dashed_holes = false;
  layer.min_area2 = 15;
  check_painted ("cudaborders", "thickness=5 alpha=0.5 holes=solid min-area=7.5", layer, 0x303030);
  ctr_paint_layer_init (&layer, CTR_PAINT_BOXES);
  check_painted ("cudaborders", "draw=contour-boxes thickness=1", layer, 0xffffff);
}

GST_END_TEST;

/* Filled areas cover the components' pixels, no others; without a label image there is one warning that says so. */
GST_START_TEST (test_fill)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 96, 64, .seed = 12};
  GstBus *bus = gst_bus_new ();
  guint8 *pixels, *bytes;
  CtrImage image = first_plane (&frame, &pixels);

  for (gint labels = 0; labels < 2; labels++) {
    gchar *line = g_strdup_printf ("cudacca labels=%s ! cudacontouroverlay draw=fill fill-alpha=1 color-by=fixed "
                                   "color=0 min-area=4 backend=%s",
        labels ? "true" : "false", test_backend ());
    GstElement *bin = gst_parse_bin_from_description (line, TRUE, NULL);
    GstHarness *h;

    gst_element_set_bus (bin, bus);
    h = gst_harness_new_with_element (bin, "sink", "src");
    set_frame_caps (h, &frame);
    for (guint n = 0; n < 2; n++) {
      GstBuffer *buffer = pass (h, make_frame (&frame));
      const CtrComponents *components =
          gst_contours_component_meta_peek_components (gst_buffer_get_contours_component_meta (buffer));

      bytes = plane_bytes (buffer, &frame, 0);
      for (guint i = 0; i < image.width * image.height; i++) {
        guint label = labels ? components->labels[i] : 0;
        gboolean filled = label > 0 && components->table[label - 1].area >= 4;
        fail_unless_equals_int (bytes[i], filled ? 16 : pixels[i]);
      }
      g_free (bytes);
      gst_buffer_unref (buffer);
    }
    for (gint warnings = 0; warnings <= !labels; warnings++) {
      GstMessage *message = pop_message (bus, GST_MESSAGE_WARNING);

      fail_unless ((message != NULL) == (!labels && warnings == 0));
      if (message) {
        GError *error = NULL;

        gst_message_parse_warning (message, &error, NULL);
        fail_unless (strstr (error->message, "labels=true") != NULL);
        g_error_free (error);
        gst_message_unref (message);
      }
    }
    gst_element_set_bus (bin, NULL);
    gst_harness_teardown (h);
    gst_object_unref (bin);
    g_free (line);
  }
  gst_object_unref (bus);
  g_free (pixels);
}

GST_END_TEST;

/* Centroids are crosses where the components' pixels have their middle. */
GST_START_TEST (test_centroids)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 96, 64, .seed = 12};
  gchar *line =
      g_strdup_printf ("cudacca min-area=30 backend=%s ! cudacontouroverlay backend=%s draw=centroids thickness=1",
          test_backend (), test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
  GstBuffer *buffer;
  GstContoursComponentMeta *meta;

  set_frame_caps (h, &frame);
  buffer = pass (h, make_frame (&frame));
  meta = gst_buffer_get_contours_component_meta (buffer);
  fail_unless (gst_contours_component_meta_get_count (meta) > 2);
  for (guint i = 0; i < gst_contours_component_meta_get_count (meta); i++) {
    GstContoursComponent c;

    gst_contours_component_meta_get_component (meta, i, &c);
    fail_unless (count_drawn (buffer, &frame, floor (c.cx + 0.5) - 1, floor (c.cy + 0.5), 3, 1) >= 2);
  }
  fail_unless (count_all (buffer, &frame) <= 69 * gst_contours_component_meta_get_count (meta));
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* Each property counts from the next frame on, and none leaves the picture as it was. */
GST_START_TEST (test_live_properties)
{
  static const gchar *const changes[][2] = {
      {"thickness", "2"},
      {"color-by", "area"},
      {"color-by", "depth"},
      {"color-by", "level"},
      {"max-level", "150"},
      {"color-by", "fixed"},
      {"color", "0xff00ff00"},
      {"alpha", "0.3"},
      {"holes", "solid"},
      {"min-area", "20"},
      {"draw", "contours+contour-boxes"},
      {"draw", "contour-boxes"},
      {"draw", "centroids"},
#ifdef HAVE_PANGO
      {"draw", "contours"},
      {"labels", "index"},
      {"labels", "index+area"},
      {"labels", "level"},
      {"font-desc", "Sans Bold 20"},
#endif
  };
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 11};
  gchar *line = g_strdup_printf (
      "cudacrackcontour backend=%s features=moments levels=1,40,128,200 ! cudacontouroverlay backend=%s",
      test_backend (), test_backend ());
  GstHarness *h = gst_harness_new_parse (line);
  GstElement *element = gst_harness_find_element (h, "cudacontouroverlay");
  guint8 *before, *after;
  GstBuffer *buffer;
  gsize size;

  set_frame_caps (h, &frame);
  buffer = pass (h, make_frame (&frame));
  before = buffer_bytes (buffer, &size);
  gst_buffer_unref (buffer);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    gst_util_set_object_arg (G_OBJECT (element), changes[i][0], changes[i][1]);
    buffer = pass (h, make_frame (&frame));
    after = buffer_bytes (buffer, &size);
    gst_buffer_unref (buffer);
    fail_if (memcmp (before, after, size) == 0, "%s=%s changes nothing", changes[i][0], changes[i][1]);
    g_free (before);
    before = after;
  }
  g_free (before);
  gst_object_unref (element);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* A label stands above its box, or in it at the upper end of the frame; without text in this build there is one error
 * that says so. */
GST_START_TEST (test_labels)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 200, 100, .seed = 2};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacontouroverlay labels=area font-desc=Sans,11", bus);
  GstBuffer *buffer = make_frame (&frame);

  set_frame_caps (h, &frame);
  add_region (buffer, 10, 50, 100, 40);
#ifdef HAVE_PANGO
  buffer = pass (h, buffer);
  fail_unless (count_drawn (buffer, &frame, 10, 36, 50, 14) > 500);
  fail_unless_equals_int (count_drawn (buffer, &frame, 0, 0, 200, 20), 0);
  gst_buffer_unref (buffer);
  buffer = make_frame (&frame);
  add_region (buffer, 150, 2, 50, 90);
  buffer = pass (h, buffer);
  fail_unless (count_drawn (buffer, &frame, 152, 4, 40, 8) > 250);
  gst_buffer_unref (buffer);
#else
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
#endif
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* In a frame scaled after the analysis, things are where they are now. */
GST_START_TEST (test_scaled)
{
  TestFrame frame = {GST_VIDEO_FORMAT_I420, 80, 60, .seed = 4}, scaled = {GST_VIDEO_FORMAT_I420, 160, 120, .seed = 4};
  GstHarness *h;
  GstBuffer *buffer, *plain;
  guint8 *drawn, *before;
  guint count = 0;

  if (test_in_cuda_memory ())
    return; /* there is no scaler for it that may be counted on */
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

/* All metadata of a buffer is drawn, whoever it is from; where it is more than can be, one warning says so. */
GST_START_TEST (test_many_metas)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 96, 64, .seed = 12};
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacontouroverlay thickness=1", bus);
  CtrBordersParams params;
  CtrContours *contours;
  guint before = 0;

  ctr_borders_params_init (&params);
  contours = expected_contours (&frame, &params);
  set_frame_caps (h, &frame);
  for (guint metas = 1; metas <= 100; metas += 33) {
    GstBuffer *buffer = make_frame (&frame);
    GstMessage *message;
    guint drawn;

    for (guint i = 0; i < metas; i++)
      gst_buffer_add_contours_contour_meta (buffer, contours, "someone");
    add_region (buffer, 10, 10, 60, 40);
    buffer = pass (h, buffer);
    drawn = count_all (buffer, &frame);
    fail_unless (drawn > 500 && (metas == 1 || metas >= 64 || drawn == before));
    before = drawn;
    message = pop_message (bus, GST_MESSAGE_WARNING);
    fail_unless ((message != NULL) == (metas == 67)); /* once */
    gst_clear_message (&message);
    gst_buffer_unref (buffer);
  }
  ctr_contours_unref (contours);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
overlay_suite (void)
{
  Suite *s = suite_create ("cudacontouroverlay");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_formats_all);
  tcase_add_test (tc, test_shared_frames);
  tcase_add_test (tc, test_nothing_found);
  tcase_add_test (tc, test_wild_regions);
  tcase_add_test (tc, test_contours);
  tcase_add_test (tc, test_fill);
  tcase_add_test (tc, test_centroids);
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_labels);
  tcase_add_test (tc, test_scaled);
  tcase_add_test (tc, test_many_metas);
  return s;
}

GST_CHECK_MAIN (overlay);
