/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the properties of cudacontouroverlay and what it draws; filter.c tests what it shares with other
 * elements. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "components.h"
#include "overlay.h"
#include "parts.h"

/* Empty metadata changes no pixel, unless the element draws a legend. */
GST_START_TEST (test_nothing_found)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 300, 60, .seed = 3};
  gchar *line =
      g_strdup_printf ("cudaborders backend=%s min-area=1000000 ! cudacontouroverlay color-by=area backend=%s",
          test_backend (), test_backend ());
  GstHarness *h = new_harness_of_line (line);
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

/* The element must draw the contours of FINDER exactly as the core's painter does. */
static void
check_painted (const gchar *finder, const gchar *properties, CtrPaintLayer layer, guint rgb)
{
  TestFrame frame = {GST_VIDEO_FORMAT_GRAY8, 97, 75, .seed = 9};
  gchar *line = g_strdup_printf ("%s backend=cpu ! cudacontouroverlay backend=%s color-by=fixed color=%u %s", finder,
      test_backend (), rgb, properties);
  GstHarness *h = new_harness_of_line (line);
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
    return; /* CUDA memory has no GRAY8, and the finder runs on the host */
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

/* Filled areas cover exactly the components' pixels. Without a label image, the element posts one warning. */
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
      CtrComponents *components =
          gst_contours_component_meta_peek_components (gst_buffer_get_contours_component_meta (buffer));
      const guint32 *label_image = labels ? ctr_components_map_labels (components, NULL) : NULL;

      bytes = plane_bytes (buffer, &frame, 0);
      for (guint i = 0; i < image.width * image.height; i++) {
        guint label = labels ? label_image[i] : 0;
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

/* Is X, Y in the outline, T pixels thick, of the box of a component of META that has AREA in the frame? */
static gboolean
is_outlined (GstContoursComponentMeta *meta, gint x, gint y, gint t, gdouble area)
{
  for (guint i = 0; i < gst_contours_component_meta_get_count (meta); i++) {
    GstContoursComponent c;
    gint left, top, right, bottom;

    gst_contours_component_meta_get_component (meta, i, &c);
    if (c.area < area)
      continue;
    left = (gint) floor (c.x + 0.5);
    top = (gint) floor (c.y + 0.5);
    right = MAX ((gint) floor (c.x + c.w + 0.5), left + 1);
    bottom = MAX ((gint) floor (c.y + c.h + 0.5), top + 1);
    if (x >= left && x < right && y >= top && y < bottom
        && (x < left + t || y < top + t || x >= right - t || y >= bottom - t))
      return TRUE;
  }
  return FALSE;
}

/* The element outlines the components' boxes, also in scaled frames. */
GST_START_TEST (test_component_boxes)
{
  static const TestFrame frames[] = {
      {GST_VIDEO_FORMAT_NV12, 96, 64, .seed = 12},
      {GST_VIDEO_FORMAT_NV12, 144, 48, .seed = 12},
      {GST_VIDEO_FORMAT_NV12, 32, 256, .seed = 12},
  };
  GstBuffer *analysed = make_frame (&frames[0]);
  GstHarness *h = gst_harness_new ("cudacontouroverlay");
  GstMeta *meta;
  CtrCcaParams params;
  CtrComponents *components;
  GstVideoInfo from;

  gst_util_set_object_arg (G_OBJECT (h->element), "backend", test_backend ());
  gst_util_set_object_arg (G_OBJECT (h->element), "draw", "components");
  gst_util_set_object_arg (G_OBJECT (h->element), "color-by", "fixed");
  g_object_set (h->element, "thickness", 2, "min-area", 4.5, "color", 0xffffffffu, "alpha", 1.0, NULL);
  ctr_cca_params_init (&params);
  components = expected_components (&frames[0], &params);
  meta = (GstMeta *) gst_buffer_add_contours_component_meta (analysed, components, "someone");
  gst_video_info_set_format (&from, frames[0].format, frames[0].width, frames[0].height);
  for (guint f = 0; f < G_N_ELEMENTS (frames); f++) {
    const TestFrame *frame = &frames[f];
    GstBuffer *buffer;
    GstVideoInfo to;
    GstVideoMetaTransform scale = {&from, &to};
    guint8 *bytes;

    set_frame_caps (h, frame);
    buffer = make_frame (frame);
    gst_video_info_set_format (&to, frame->format, frame->width, frame->height);
    /* The picture is as wide as before, so the scaler adds no borders. */
    to.par_n = frames[0].width * frame->height;
    to.par_d = frames[0].height * frame->width;
    fail_unless (
        meta->info->transform_func (buffer, meta, analysed, gst_video_meta_transform_scale_get_quark (), &scale));
    buffer = pass (h, buffer);
    bytes = plane_bytes (buffer, frame, 0);
    for (gint y = 0; y < frame->height; y++)
      for (gint x = 0; x < frame->width; x++) {
        const gboolean outlined = is_outlined (gst_buffer_get_contours_component_meta (buffer), x, y, 2, 4.5);
        fail_unless_equals_int (bytes[y * frame->width + x], outlined ? 235 : frame_byte (frame->seed, 0, x, y));
      }
    g_free (bytes);
    gst_buffer_unref (buffer);
  }
  ctr_components_unref (components);
  gst_buffer_unref (analysed);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The element draws a cross at each component's centroid. */
GST_START_TEST (test_centroids)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 96, 64, .seed = 12};
  gchar *line =
      g_strdup_printf ("cudacca min-area=30 backend=%s ! cudacontouroverlay backend=%s draw=centroids thickness=1",
          test_backend (), test_backend ());
  GstHarness *h = new_harness_of_line (line);
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

/* The change of each property applies from the next frame on, and changes the picture. */
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
  GstHarness *h = new_harness_of_line (line);
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

/* A label is drawn above its box, or inside it at the top of the frame. A build without Pango posts one error. */
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

/* The element draws all metadata of a buffer, whatever its source, up to a limit. Above the limit it posts one
 * warning. */
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
  for (guint again = 0; again < 2; again++) { /* and once after each start */
    GstMessage *message;

    restart (h, &frame);
    for (guint n = 0; n < 2; n++) {
      GstBuffer *buffer = make_frame (&frame);

      for (guint i = 0; i < 67; i++)
        gst_buffer_add_contours_contour_meta (buffer, contours, "someone");
      gst_buffer_unref (pass (h, buffer));
      message = pop_message (bus, GST_MESSAGE_WARNING);
      fail_unless ((message != NULL) == (n == 0));
      gst_clear_message (&message);
    }
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
  add_cudacontouroverlay_background_tests (tc);
  add_cudacontouroverlay_dimension_tests (tc);
  add_cudacontouroverlay_held_tests (tc);
  add_cudacontouroverlay_picture_tests (tc);
  tcase_add_test (tc, test_nothing_found);
  tcase_add_test (tc, test_contours);
  tcase_add_test (tc, test_fill);
  tcase_add_test (tc, test_component_boxes);
  tcase_add_test (tc, test_centroids);
  tcase_add_test (tc, test_live_properties);
  tcase_add_test (tc, test_labels);
  tcase_add_test (tc, test_many_metas);
  return s;
}

GST_CHECK_MAIN (overlay);
