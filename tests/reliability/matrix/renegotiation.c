/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream whose caps change every ten frames, in size and in format: each frame has the result and the picture that it
 * has as the first one of a new element. The last frame before a change is read after it, when work on it may still be queued.
 * It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "tests/reliability/matrix/elements.h"

#define FRAMES 10

typedef struct {
  gint width, height;
  GstVideoFormat format;
} Step;

/* Libgstcuda 1.22 has no grey memory, and lays out odd heights of I420 wrongly. In between only one attribute changes. */
static const Step steps[] = {
    {640, 480, GST_VIDEO_FORMAT_NV12},
    {1, 1, GST_VIDEO_FORMAT_NV12},
    {4096, 2176, GST_VIDEO_FORMAT_NV12},
    {33, 17, GST_VIDEO_FORMAT_RGBA},
    {33, 17, GST_VIDEO_FORMAT_P010_10LE},
    {150, 120, GST_VIDEO_FORMAT_P010_10LE},
    {150, 117, GST_VIDEO_FORMAT_P010_10LE},
    {150, 117, GST_VIDEO_FORMAT_NV12},
    {150, 120, GST_VIDEO_FORMAT_NV12},
    {149, 120, GST_VIDEO_FORMAT_NV12},
    {149, 120, GST_VIDEO_FORMAT_BGRx},
    {149, 120, GST_VIDEO_FORMAT_RGB},
    {33, 17, GST_VIDEO_FORMAT_Y444},
    {1, 1, GST_VIDEO_FORMAT_P016_LE},
};

static GstHarness *
new_stream (const gchar *line, const Step *step, GstVideoInfo *info)
{
  const TestFrame frame = {step->format, step->width, step->height, .seed = 0};
  GstHarness *h = new_harness (line);

  set_frame_caps (h, &frame);
  gst_video_info_set_format (info, step->format, step->width, step->height);
  return h;
}

static gboolean
is_large (const Step *step)
{
  return step->width > 1000;
}

/* A large frame of large squares: noise would take the elements, and the making of it, too long. */
static GstBuffer *
make_calm_frame (const Step *step, guint seed, const GstVideoInfo *info)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  const gsize row_bytes = GST_VIDEO_INFO_PLANE_STRIDE (info, 0);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < (guint) step->height; y++)
    if (y % 61 > 0)
      memcpy (map.data + y * row_bytes, map.data + (y - 1) * row_bytes, row_bytes);
    else
      for (gsize x = 0; x < row_bytes; x++)
        map.data[y * row_bytes + x] = hash (seed, x / 97, y / 61, 0) >> 8;
  memset (map.data + step->height * row_bytes, 128, map.size - step->height * row_bytes);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* The frame that H makes of that of STEP with this SEED. */
static GstBuffer *
pass (GstHarness *h, const Step *step, guint seed, const GstVideoInfo *info)
{
  const TestFrame frame = {step->format, step->width, step->height, .seed = seed};
  GstBuffer *buffer =
      is_large (step) && !test_in_cuda_memory () ? make_calm_frame (step, seed, info) : make_frame (&frame);

  if (!gst_buffer_get_meta (buffer, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))
    gst_buffer_add_video_region_of_interest_meta (buffer, "test", 0, 0, (step->width + 1) / 2, (step->height + 1) / 2);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_pull (h);
}

/* Compares FOUND (transfer full), frame NUMBER of STEP, with that of a new element. */
static void
check_frame (GstBuffer *found, const gchar *line, const Step *step, guint number, guint seed)
{
  GstVideoInfo info;
  GstHarness *fresh = new_stream (line, step, &info);
  GstBuffer *expected = pass (fresh, step, seed, &info);
  GByteArray *found_bytes = matrix_take (found, &info), *expected_bytes = matrix_take (expected, &info);

  fail_unless (found_bytes->len == expected_bytes->len
                   && memcmp (found_bytes->data, expected_bytes->data, found_bytes->len) == 0,
      "%s: frame %u of %s %d x %d is not as in a new element", line, number, gst_video_format_to_string (step->format),
      step->width, step->height);
  g_byte_array_unref (found_bytes);
  g_byte_array_unref (expected_bytes);
  gst_buffer_unref (found);
  gst_buffer_unref (expected);
  gst_harness_teardown (fresh);
}

static guint
count_frames (const Step *step)
{
  return is_large (step) ? 1 : FRAMES;
}

static guint
seed_of (guint step, guint number)
{
  return 100 * step + number;
}

/* Passes the frames of step S, and reads LAST, the last one of the step before, behind the first of them. Returns the last. */
static GstBuffer *
check_step (GstHarness *h, const gchar *line, guint s, GstBuffer *last)
{
  const Step *step = &steps[s];
  const guint count = count_frames (step);
  GstVideoInfo info;

  gst_video_info_set_format (&info, step->format, step->width, step->height);
  for (guint i = 0; i < count; i++) {
    GstBuffer *buffer = pass (h, step, seed_of (s, i), &info);

    if (i == 0 && last)
      check_frame (g_steal_pointer (&last), line, step - 1, count_frames (step - 1) - 1,
          seed_of (s - 1, count_frames (step - 1) - 1));
    if (i + 1 == count)
      last = buffer;
    else if (i == 0)
      check_frame (buffer, line, step, i, seed_of (s, i));
    else
      gst_buffer_unref (buffer);
  }
  return last;
}

GST_START_TEST (test_every_ten_frames)
{
  const gchar *line = matrix_lines[__i__];
  GstVideoInfo info;
  GstHarness *h = new_stream (line, &steps[0], &info);
  GstBuffer *last = NULL;

  for (guint s = 0; s < G_N_ELEMENTS (steps); s++) {
    const TestFrame frame = {steps[s].format, steps[s].width, steps[s].height, .seed = 0};

    set_frame_caps (h, &frame);
    last = check_step (h, line, s, last);
  }
  gst_buffer_unref (last);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
renegotiation_suite (void)
{
  Suite *suite = suite_create ("renegotiation");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_every_ten_frames, 0, G_N_ELEMENTS (matrix_lines));
  return suite;
}

GST_CHECK_MAIN (renegotiation);
