/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests that the same picture has the same result whether its samples have 8 bits or are the lower 10, 12,
 * 14 or 16 bits, or the upper 10, of 16. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "components.h"
#include "contours.h"

#define WIDTH 160
#define HEIGHT 120

/* SHIFT: of samples of 8 bits. */
typedef struct {
  GstVideoFormat format;
  guint bits, shift;
} Depth;

/* CUDA memory has no grey samples. */
static const Depth depths[] = {
    {GST_VIDEO_FORMAT_NV12, 8, 0},
    {GST_VIDEO_FORMAT_P010_10LE, 16, 8},
    {GST_VIDEO_FORMAT_P016_LE, 16, 8},
    {GST_VIDEO_FORMAT_I420_10LE, 10, 2},
    {GST_VIDEO_FORMAT_I422_12LE, 12, 4},
    {GST_VIDEO_FORMAT_GRAY16_LE, 10, 2},
    {GST_VIDEO_FORMAT_GRAY16_LE, 12, 4},
    {GST_VIDEO_FORMAT_GRAY16_LE, 14, 6},
    {GST_VIDEO_FORMAT_GRAY16_LE, 16, 8},
};

static guint
depth_count (void)
{
  return test_in_cuda_memory () ? 5 : G_N_ELEMENTS (depths);
}

/* Discs of different grey levels on dark ground, with noise. BINARY: of two levels, with many wrong pixels. Both have
 * samples of 0 and 255. UNEVEN: the light falls off to the left. */
static guint
sample_at (gint x, gint y, gboolean binary, gboolean uneven)
{
  const guint noise = hash (5, x, y, 0), level = 30 + (x / 40 + y / 40) * 20;
  const gint dx = x % 40 - 20, dy = y % 40 - 20;
  const gboolean inside = dx * dx + dy * dy < 150;

  if (binary)
    return ((x - 80) * (x - 80) + (y - 60) * (y - 60) < 1600) == (noise % 8 > 0) ? 255 : 0;
  if (x + y < 2)
    return x == y ? 255 : 0;
  return ((inside ? level + 60 : 10) + noise % 16 + noise / 16 % 16) * (uneven ? 4 + x * 60 / WIDTH : 64) / 64;
}

static GstBuffer *
make_depth (const Depth *depth, gboolean binary, gboolean uneven)
{
  const TestFrame frame = {depth->format, WIDTH, HEIGHT, .seed = 1};
  GstBuffer *buffer = make_frame (&frame);
  GstVideoFrame map;
  GstVideoInfo info;

  gst_video_info_set_format (&info, depth->format, WIDTH, HEIGHT);
  fail_unless (gst_video_frame_map (&map, &info, buffer, GST_MAP_WRITE));
  for (gint y = 0; y < HEIGHT; y++) {
    guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&map, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&map, 0);

    for (gint x = 0; x < WIDTH; x++) {
      const guint sample = sample_at (x, y, binary, uneven);

      if (depth->shift == 0)
        row[x] = sample;
      else
        GST_WRITE_UINT16_LE (row + 2 * x, binary && sample ? (1u << depth->bits) - 1 : sample << depth->shift);
    }
  }
  gst_video_frame_unmap (&map);
  return buffer;
}

/* The samples of the first plane. */
static guint16 *
samples_of_picture (GstBuffer *buffer, const Depth *depth)
{
  guint16 *samples = g_new (guint16, WIDTH * HEIGHT);
  GstVideoFrame map;
  GstVideoInfo info;

  gst_video_info_set_format (&info, depth->format, WIDTH, HEIGHT);
  fail_unless (gst_video_frame_map (&map, &info, buffer, GST_MAP_READ));
  for (gint y = 0; y < HEIGHT; y++) {
    const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&map, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&map, 0);

    for (gint x = 0; x < WIDTH; x++)
      samples[y * WIDTH + x] = depth->shift == 0 ? row[x] : GST_READ_UINT16_LE (row + 2 * x);
  }
  gst_video_frame_unmap (&map);
  return samples;
}

/* What an element has found: components, contours, or which pixels are not black. */
static GByteArray *
result_of (GstBuffer *buffer, const Depth *depth)
{
  GstContoursComponentMeta *components = gst_buffer_get_contours_component_meta (buffer);
  GstContoursContourMeta *contours = gst_buffer_get_contours_contour_meta (buffer);
  GByteArray *result = g_byte_array_new ();

  if (components) {
    CtrComponents *found = gst_contours_component_meta_peek_components (components);

    fail_unless (ctr_components_wait (found, NULL));
    g_byte_array_append (result, (const guint8 *) found->table, found->count * sizeof *found->table);
  } else if (contours) {
    CtrContours *found = gst_contours_contour_meta_peek_contours (contours);

    fail_unless (ctr_contours_wait (found, NULL));
    g_byte_array_append (
        result, (const guint8 *) ctr_contours_map_points (found, NULL), found->point_count * sizeof (CtrPoint));
  } else {
    guint16 *samples = samples_of_picture (buffer, depth);

    for (guint i = 0; i < WIDTH * HEIGHT; i++)
      g_byte_array_append (result, (const guint8 *) (samples[i] ? "\1" : "\0"), 1);
    g_free (samples);
  }
  return result;
}

static GstHarness *
new_depth_harness (const gchar *line, const Depth *depth)
{
  const TestFrame frame = {depth->format, WIDTH, HEIGHT, .seed = 1};
  GstHarness *h = new_harness (line);

  set_frame_caps (h, &frame);
  return h;
}

static GByteArray *
run (const gchar *line, const Depth *depth, gboolean binary)
{
  GstHarness *h = new_depth_harness (line, depth);
  GstBuffer *out;
  GByteArray *result;

  fail_unless_equals_int (gst_harness_push (h, make_depth (depth, binary, FALSE)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  result = result_of (out, depth);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  return result;
}

/* LINE has the threshold or levels of 8 bits for %u, or none. */
typedef struct {
  const gchar *element, *line;
  guint level;
  gboolean binary, has_bits;
} Case;

static const Case cases[] = {
    {"cudacanny", "cudacanny", 0, FALSE, TRUE},
    {"cudacanny", "cudacanny threshold-mode=otsu sigma=1", 0, FALSE, TRUE},
    {"cudacanny", "cudacanny threshold-mode=otsu depth=native sigma=0", 0, FALSE, TRUE},
    {"cudaforeground", "cudaforeground threshold-mode=triangle", 0, FALSE, TRUE},
    {"cudaforeground", "cudaforeground threshold-mode=otsu", 0, FALSE, FALSE},
    {"cudaforeground", "cudaforeground threshold=%u", 90, FALSE, FALSE},
    {"cudacca", "cudacca threshold-mode=triangle", 0, FALSE, TRUE},
    {"cudacca", "cudacca threshold-mode=otsu", 0, FALSE, FALSE},
    {"cudaborders", "cudaborders threshold-mode=triangle open-size=3", 0, FALSE, TRUE},
    {"cudacrackcontour", "cudacrackcontour levels=%u", 90, FALSE, FALSE},
    {"cudasnake", "cudasnake", 0, FALSE, FALSE},
    {"cudasnake", "cudasnake model=bernoulli", 0, TRUE, TRUE},
};

static void
check_case (const Case *test, const Depth *depth, guint significant_bits, const GByteArray *expected)
{
  gchar *line = test->level ? g_strdup_printf (test->line, test->level << depth->shift) : g_strdup (test->line);
  gchar *full = significant_bits ? g_strdup_printf ("%s significant-bits=%u", line, significant_bits) : g_strdup (line);
  GByteArray *found = run (full, depth, test->binary);

  fail_unless (found->len == expected->len && memcmp (found->data, expected->data, found->len) == 0,
      "%s: %s with %u bits differs", full, gst_video_format_to_string (depth->format), depth->bits);
  g_byte_array_unref (found);
  g_free (full);
  g_free (line);
}

static gint
compare_bytes (gconstpointer a, gconstpointer b)
{
  return *(const guint8 *) a - *(const guint8 *) b;
}

GST_START_TEST (test_results)
{
  const Case *test = &cases[__i__];
  gchar *line = g_strdup_printf (test->line, test->level);
  GByteArray *expected = run (line, &depths[0], test->binary), *sorted = g_byte_array_new ();

  g_free (line);
  for (guint i = 1; i < depth_count (); i++) {
    check_case (test, &depths[i], 0, expected);
    if (test->has_bits && depths[i].format == GST_VIDEO_FORMAT_GRAY16_LE)
      check_case (test, &depths[i], depths[i].bits, expected);
    else if (test->has_bits) /* The caps tell. */
      check_case (test, &depths[i], 9, expected);
  }
  /* Something was found. */
  g_byte_array_append (sorted, expected->data, expected->len);
  qsort (sorted->data, sorted->len, 1, compare_bytes);
  fail_unless (sorted->len > 20 && sorted->data[0] < sorted->data[sorted->len - 1], "%s finds nothing", test->element);
  g_byte_array_unref (sorted);
  g_byte_array_unref (expected);
}

GST_END_TEST;

/* A frame corrected by one in uneven light. */
static guint16 *
correct (const gchar *line, const Depth *depth)
{
  GstHarness *h = new_depth_harness (line, depth);
  GstBuffer *out;
  guint16 *samples;

  fail_unless_equals_int (gst_harness_push (h, make_depth (depth, FALSE, TRUE)), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (h));
  fail_unless_equals_int (gst_harness_push (h, make_depth (depth, FALSE, FALSE)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  samples = samples_of_picture (out, depth);
  gst_buffer_unref (out);
  gst_harness_teardown (h);
  return samples;
}

/* TOP: the greatest corrected sample in 8 bits, which some pixels must reach. */
static void
check_corrected (const gchar *mode, gint offset, guint top, const Depth *depth, guint significant_bits)
{
  gchar *line = g_strdup_printf ("cudabackground model=first mode=%s offset=%d", mode, offset);
  gchar *deep_line = g_strdup_printf ("cudabackground model=first mode=%s offset=%d significant-bits=%u", mode,
      offset * (1 << depth->shift), significant_bits);
  guint16 *expected = correct (line, &depths[0]), *found = correct (deep_line, depth);
  guint limited = 0;

  for (guint i = 0; i < WIDTH * HEIGHT; i++) {
    const gint difference = (found[i] >> depth->shift) - expected[i];

    fail_unless (found[i] < 1u << depth->bits, "%s: %u", deep_line, found[i]);
    /* The mean is an integer in one, and a multiple of 1/256 in the other. */
    fail_unless (ABS (difference) <= 2, "%s: pixel %u is %u instead of %u", deep_line, i, found[i], expected[i]);
    limited += expected[i] == top;
  }
  fail_unless (limited > 100 && limited < WIDTH * HEIGHT, "%s: %u", line, limited);
  g_free (expected);
  g_free (found);
  g_free (line);
  g_free (deep_line);
}

GST_START_TEST (test_background)
{
  for (guint i = 1; i < depth_count (); i++)
    for (guint set = 0; set < 2; set++) {
      const guint bits = set ? depths[i].bits : 0;

      check_corrected ("divide", 190, 255, &depths[i], bits);
      check_corrected ("divide", 0, 255, &depths[i], bits);
      check_corrected ("divide", -50, 205, &depths[i], bits);
      check_corrected ("absdiff", 230, 255, &depths[i], bits);
      check_corrected ("subtract", -20, 0, &depths[i], bits);
    }
}

GST_END_TEST;

static Suite *
depths_suite (void)
{
  Suite *s = suite_create ("depths");
  TCase *tc = tcase_create ("general");

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_results, 0, G_N_ELEMENTS (cases));
  tcase_add_test (tc, test_background);
  return s;
}

GST_CHECK_MAIN (depths);
