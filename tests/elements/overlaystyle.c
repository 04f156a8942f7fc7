/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the style of what cudacontouroverlay draws: sizes, colours, legend and labels. It runs once for
 * each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "overlay.h"

/* A cross is visible on its component's own colour, too. */
GST_START_TEST (test_centroid_on_fill)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 96, 64, .seed = 12};
  gchar *line = g_strdup_printf ("cudacca threshold=0 labels=true backend=%s ! "
                                 "cudacontouroverlay draw=fill+centroids fill-alpha=1 backend=%s",
      test_backend (), test_backend ());
  GstHarness *h = new_harness_of_line (line);
  GstBuffer *buffer;
  guint8 *bytes;
  guint edge = 0;

  set_frame_caps (h, &frame);
  buffer = pass (h, make_frame (&frame));
  bytes = plane_bytes (buffer, &frame, 0);
  for (gint i = 0; i < frame.width * frame.height; i++)
    edge += bytes[i] != bytes[0];
  /* The area is that of a cross of 13 pixels, 3 thick, less the cross of 11 pixels, 1 thick, inside it. */
  fail_unless_equals_int (edge, (2 * 13 * 3 - 9) - (2 * 11 - 1));
  g_free (bytes);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* Returns what the element with PROPERTIES draws into a frame of WIDTH x HEIGHT RGBA pixels behind cudacrackcontour
 * with LEVELS; free with g_free(). */
static guint8 *
draw_levels (gint width, gint height, const gchar *levels, const gchar *properties)
{
  TestFrame frame = {GST_VIDEO_FORMAT_RGBA, width, height, .seed = 6};
  gchar *line =
      g_strdup_printf ("cudacrackcontour backend=%s levels=%s min-area=200 ! cudacontouroverlay backend=%s %s",
          test_backend (), levels, test_backend (), properties);
  GstHarness *h = new_harness_of_line (line);
  GstBuffer *buffer;
  guint8 *bytes;

  set_frame_caps (h, &frame);
  buffer = make_frame (&frame);
  add_region (buffer, width / 4, height / 4, width / 2, height / 2);
  buffer = pass (h, buffer);
  bytes = plane_bytes (buffer, &frame, 0);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  g_free (line);
  return bytes;
}

/* White is the maximum of grey samples in their range. UndefinedBehaviorSanitizer checks the chroma, which they
 * lack. */
GST_START_TEST (test_grey_ranges)
{
  static const struct {
    GstVideoFormat format;
    GstVideoColorRange range;
    guint white;
  } cases[] = {{GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_COLOR_RANGE_0_255, 255},
      {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_COLOR_RANGE_16_235, 235},
      {GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_COLOR_RANGE_0_255, 65535},
      {GST_VIDEO_FORMAT_GRAY16_LE, GST_VIDEO_COLOR_RANGE_16_235, 235 << 8}};

  if (test_in_cuda_memory ())
    return; /* CUDA memory has no grey format */
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TestFrame frame = {cases[i].format, 64, 48, .seed = 3};
    const GstVideoColorimetry colorimetry = {.range = cases[i].range, .matrix = GST_VIDEO_COLOR_MATRIX_BT601};
    GstHarness *h = new_harness ("cudacontouroverlay color-by=fixed color=0xffffffff thickness=4");
    GstCaps *caps = frame_caps (&frame);
    GstBuffer *buffer = make_frame (&frame);
    guint8 *bytes;
    gchar *text = gst_video_colorimetry_to_string (&colorimetry);
    guint is;

    gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING, text, NULL);
    gst_harness_set_src_caps (h, caps);
    add_region (buffer, 16, 16, 32, 16);
    buffer = pass (h, buffer);
    bytes = plane_bytes (buffer, &frame, 0);
    if (cases[i].white > 255)
      is = ((const guint16 *) bytes)[16 * frame.width + 16];
    else
      is = bytes[16 * frame.width + 16];
    fail_unless (is == cases[i].white, "case %u: %u instead of %u", i, is, cases[i].white);
    g_free (bytes);
    g_free (text);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

#ifdef HAVE_PANGO
/* A result without a level has no level in its label. */
GST_START_TEST (test_labels_of_nothing)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 200, 100, .seed = 2};
  guint8 *drawn[2];
  gsize size;

  for (guint i = 0; i < 2; i++) {
    gchar *line = g_strdup_printf ("cudaborders backend=%s min-area=100 ! cudacontouroverlay backend=%s labels=%s",
        test_backend (), test_backend (), i == 0 ? "0" : "level");
    GstHarness *h = new_harness_of_line (line);
    GstBuffer *buffer;

    set_frame_caps (h, &frame);
    buffer = pass (h, make_frame (&frame));
    fail_unless (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)) > 0);
    drawn[i] = buffer_bytes (buffer, &size);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    g_free (line);
  }
  fail_unless (memcmp (drawn[0], drawn[1], size) == 0);
  g_free (drawn[0]);
  g_free (drawn[1]);
}

GST_END_TEST;

/* Which rows of a frame have pixels of a label: a bit for each, where no outline is. The box of the label begins at row TOP. */
static guint64
find_label_rows (gint top)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 64, .seed = 2};
  GstHarness *h = new_harness ("cudacontouroverlay draw=regions labels=area thickness=1 font-desc=Sans,8");
  GstBuffer *buffer = make_frame (&frame);
  guint64 rows = 0;

  set_frame_caps (h, &frame);
  add_region (buffer, 10, top, 140, 100);
  buffer = pass (h, buffer);
  for (gint y = 0; y < frame.height; y++)
    if (y != top && count_drawn (buffer, &frame, 12, y, 16, 1) > 0)
      rows |= G_GUINT64_CONSTANT (1) << y;
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  return rows;
}

/* A label is above its box where it has room there, and in the box, at its top, where a single row is missing. */
GST_START_TEST (test_label_above)
{
  const gint low = 40;
  const guint64 above = find_label_rows (low);
  gint height = 0;

  while (height < low && above >> (low - 1 - height) & 1)
    height++;
  fail_unless (height > 4 && height < low - 1, "%d rows", height);
  fail_unless_equals_uint64 (above, ((G_GUINT64_CONSTANT (1) << height) - 1) << (low - height));
  fail_unless_equals_uint64 (find_label_rows (height + 1), ((G_GUINT64_CONSTANT (1) << height) - 1) << 1);
  fail_unless_equals_uint64 (find_label_rows (height), (G_GUINT64_CONSTANT (1) << height) - 1);
  fail_unless_equals_uint64 (find_label_rows (height - 1), ((G_GUINT64_CONSTANT (1) << (height - 1)) - 1) << height);
}

GST_END_TEST;

/* What is too small to be drawn has neither label nor cross. */
GST_START_TEST (test_no_labels_of_small)
{
  static const gchar *const lines[] = {"cudaborders features=moments", "cudacca"};
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 200, 100, .seed = 2};

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    for (guint large = 0; large < 2; large++) {
      gchar *line = g_strdup_printf (
          "%s backend=%s ! cudacontouroverlay backend=%s labels=index+area draw=%s min-area=%u", lines[i],
          test_backend (), test_backend (), i == 0 ? "contours+centroids" : "components+centroids", large ? 20000 : 0);
      GstHarness *h = new_harness_of_line (line);
      GstBuffer *buffer = make_frame (&frame);
      gsize size;
      guint8 *before = buffer_bytes (buffer, &size), *after;

      set_frame_caps (h, &frame);
      buffer = pass (h, buffer);
      after = buffer_bytes (buffer, &size);
      fail_unless ((memcmp (before, after, size) == 0) == (large == 1), "%s", line);
      g_free (before);
      g_free (after);
      gst_buffer_unref (buffer);
      gst_harness_teardown (h);
      g_free (line);
    }
}

GST_END_TEST;
#endif

static gboolean
draws_the_same (gint width, gint height, const gchar *levels, const gchar *a, const gchar *b)
{
  guint8 *of_a = draw_levels (width, height, levels, a), *of_b = draw_levels (width, height, levels, b);
  gboolean same = memcmp (of_a, of_b, (gsize) width * height * 4) == 0;

  g_free (of_a);
  g_free (of_b);
  return same;
}

/* The default sizes of lines and letters fit the frame. */
GST_START_TEST (test_fitting_sizes)
{
  static const struct {
    gint width, height;
    const gchar *thickness, *text;
  } sizes[] = {
      {160, 120, "thickness=1", "draw=regions labels=area font-desc=Sans,7"},
      {960, 540, "thickness=2", "draw=regions labels=area font-desc=Sans,11"},
      {1080, 1920, "thickness=3", "draw=regions labels=area font-desc=Sans,16"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const gint width = sizes[i].width, height = sizes[i].height;

    fail_unless (draws_the_same (width, height, "128", "", sizes[i].thickness), "%d x %d", width, height);
    fail_if (draws_the_same (width, height, "128", "", "thickness=4"));
#ifdef HAVE_PANGO
    fail_unless (
        draws_the_same (width, height, "128", "draw=regions labels=area", sizes[i].text), "%d x %d", width, height);
    fail_if (
        draws_the_same (width, height, "128", "draw=regions labels=area", "draw=regions labels=area font-desc=Sans,9"));
#endif
  }
}

GST_END_TEST;

/* The scale of levels ends at max-level. */
GST_START_TEST (test_max_level)
{
  const gchar *yellow = "draw=contours color-by=fixed color=0xfffde725";

  fail_unless (draws_the_same (96, 64, "100", "draw=contours color-by=level max-level=100", yellow));
  fail_unless (draws_the_same (96, 64, "100", "draw=contours color-by=level max-level=60", yellow));
  fail_unless (draws_the_same (96, 64, "255", "draw=contours color-by=level", yellow));
  fail_if (draws_the_same (96, 64, "100", "draw=contours color-by=level max-level=101", yellow));
  fail_if (draws_the_same (96, 64, "100", "draw=contours color-by=level", yellow));
#ifdef HAVE_PANGO
  /* The legend marks its last entry as "or more" where larger values are possible. */
  fail_unless (draws_the_same (320, 64, "100", "draw=contours color-by=level legend=true",
      "draw=contours color-by=level legend=true max-level=255"));
  fail_if (draws_the_same (320, 64, "100", "draw=contours color-by=level legend=true",
      "draw=contours color-by=level legend=true max-level=254"));
#endif
}

GST_END_TEST;

#ifdef HAVE_PANGO
/* The legend shows its last colour in narrow frames, too. */
GST_START_TEST (test_narrow_legend)
{
  for (gint width = 90; width <= 400; width += 62) {
    guint8 *bytes = draw_levels (width, 80, "1", "draw=contours color-by=level legend=true");
    guint last = 0;

    for (gint i = 0; i < width * 80; i++)
      last += bytes[4 * i] == 0xfd && bytes[4 * i + 1] == 0xe7 && bytes[4 * i + 2] == 0x25;
    fail_unless (last > 50, "%d pixels wide: %u of the last plate", width, last);
    g_free (bytes);
  }
}

GST_END_TEST;
#endif

/* White is the maximum value of the samples. */
GST_START_TEST (test_significant_bits)
{
  static const guint greatest[] = {700, 3000, 60000}, white[] = {1023, 4095, 65535};
  TestFrame frame = {GST_VIDEO_FORMAT_GRAY16_LE, 32, 24, .seed = 1};

  for (guint i = 0; i < 6; i++) {
    GstHarness *h = new_harness ("cudacontouroverlay color=0xffffff color-by=fixed");
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, frame.width * frame.height * 2, NULL);
    GstMapInfo map;
    guint most = 0;

    if (test_in_cuda_memory ()) {
      gst_buffer_unref (buffer);
      gst_harness_teardown (h);
      break; /* CUDA memory has no GRAY16_LE */
    }
    /* The element first detects the significant bits, then the property sets them. */
    if (i >= 3)
      g_object_set (h->element, "significant-bits", 8 + 4 * (i - 3), NULL);
    set_frame_caps (h, &frame);
    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    for (gsize k = 0; k < map.size; k += 2)
      GST_WRITE_UINT16_LE (map.data + k, i < 3 ? greatest[i] : 0);
    gst_buffer_unmap (buffer, &map);
    add_region (buffer, 4, 4, 20, 16);
    buffer = pass (h, buffer);
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (gsize k = 0; k < map.size; k += 2)
      most = MAX (most, GST_READ_UINT16_LE (map.data + k));
    gst_buffer_unmap (buffer, &map);
    fail_unless_equals_int (most, i < 3 ? white[i] : (1u << (8 + 4 * (i - 3))) - 1);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

static Suite *
style_suite (void)
{
  Suite *s = suite_create ("overlaystyle");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_centroid_on_fill);
  tcase_add_test (tc, test_fitting_sizes);
  tcase_add_test (tc, test_max_level);
  tcase_add_test (tc, test_significant_bits);
  tcase_add_test (tc, test_grey_ranges);
#ifdef HAVE_PANGO
  tcase_add_test (tc, test_narrow_legend);
  tcase_add_test (tc, test_labels_of_nothing);
  tcase_add_test (tc, test_label_above);
  tcase_add_test (tc, test_no_labels_of_small);
#endif
  return s;
}

GST_CHECK_MAIN (style);
