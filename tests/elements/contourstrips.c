/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests strip-mode of cudaborders and cudacrackcontour: frames that are strips of one picture. It compares
 * with the core's analysis of the whole picture. It runs once for each backend and memory (CTR_TEST_BACKEND,
 * CTR_TEST_MEMORY). */
#include "webs.h"

#include <gst/contours/gstcontours.h>

enum { LEVEL = 140 };

static const gchar *const elements[] = {
    "cudaborders strip-mode=true threshold=140 features=moments max-open-rows=",
    "cudacrackcontour strip-mode=true levels=140 features=moments max-open-rows=",
};

static gboolean
is_cracks (gint element)
{
  return element == 1;
}

static GstHarness *
strips_new (gint element, guint max_open_rows, GstBus *bus)
{
  gchar *line = g_strdup_printf ("%s%u post-messages=true", elements[element], max_open_rows);
  GstHarness *h = bus ? new_harness_with_bus (line, bus) : new_harness (line);

  g_free (line);
  return h;
}

static CtrContours *
analyse (gint element, const CtrImage *image)
{
  CtrContours *contours;

  if (is_cracks (element)) {
    CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, NULL);
    CtrCracksParams params;

    ctr_cracks_params_init (&params);
    params.minimum = params.maximum = LEVEL;
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
    contours = ctr_cracks_run (cracks, image, &params, NULL, NULL);
    ctr_cracks_free (cracks);
  } else {
    CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, NULL);
    CtrBordersParams params;

    ctr_borders_params_init (&params);
    params.foreground.threshold = LEVEL;
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
    contours = ctr_borders_run (borders, image, &params, NULL, NULL);
    ctr_borders_free (borders);
  }
  fail_unless (contours != NULL);
  return contours;
}

/* The contours of strips FIRST to before END as one picture; unref them. */
static CtrContours *
whole (gint element, guint first, guint end)
{
  guint8 *pixels;
  const CtrImage image = join_strips (first, end, &pixels);
  CtrContours *contours = analyse (element, &image);

  g_free (pixels);
  return contours;
}

/* A contour in rows of the web: its row, and its points as text. */
static gchar *
text_of (const GstContoursContour *c, const CtrPoint *points, guint64 origin_row)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "%05" G_GUINT64_FORMAT " %g %g %g %g %u %g %g %g", c->web_row, c->x, c->w, c->h,
      c->area, c->hole, c->perimeter, c->cx, c->cy);
  for (guint i = 0; i < c->count; i++)
    g_string_append_printf (text, " %u,%" G_GUINT64_FORMAT, points[i].x, points[i].y + origin_row);
  return g_string_free (text, FALSE);
}

static gint
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(gchar *const *) a, *(gchar *const *) b);
}

/* Takes the contours of BUFFER, a frame that begins with FIRST_ROW. */
static void
take (GPtrArray *reported, GstBuffer *buffer, guint64 first_row)
{
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);
  CtrContours *contours = gst_contours_contour_meta_peek_contours (meta);
  const CtrPoint *points = ctr_contours_map_points (contours, NULL);
  guint width, height;

  fail_unless (gst_contours_contour_meta_get_flags (meta) & GST_CONTOURS_RESULT_FLAG_STRIP);
  gst_contours_contour_meta_get_size (meta, &width, &height);
  fail_unless (width == WIDTH && height == HEIGHT);
  fail_unless_equals_uint64 (gst_contours_contour_meta_get_first_row (meta), first_row);
  for (guint i = 0; i < gst_contours_contour_meta_get_count (meta); i++) {
    GstContoursContour c;

    gst_contours_contour_meta_get_contour (meta, i, &c);
    /* In the frame, what began above it is negative. */
    fail_unless (c.y + (gdouble) first_row == (gdouble) c.web_row && !c.unfinished);
    c.cy += (gdouble) first_row;
    g_ptr_array_add (reported, text_of (&c, points + c.first, contours->origin_row));
  }
}

/* Are these all contours of the strips from FIRST to before END, whose first row is row 0? Clears REPORTED. */
static void
check_whole (gint element, GPtrArray *reported, guint first, guint end)
{
  CtrContours *contours = whole (element, first, end);
  GPtrArray *expected = g_ptr_array_new_with_free_func (g_free);
  GstBuffer *buffer = gst_buffer_new ();
  GstContoursContourMeta *meta = gst_buffer_add_contours_contour_meta (buffer, contours, "whole");

  for (guint i = 0; i < contours->count; i++) {
    GstContoursContour c;

    gst_contours_contour_meta_get_contour (meta, i, &c);
    g_ptr_array_add (expected, text_of (&c, ctr_contours_map_points (contours, NULL) + c.first, 0));
  }
  g_ptr_array_sort (expected, compare_texts);
  g_ptr_array_sort (reported, compare_texts);
  fail_unless_equals_int (reported->len, expected->len);
  for (guint i = 0; i < expected->len; i++)
    fail_unless_equals_string (g_ptr_array_index (reported, i), g_ptr_array_index (expected, i));
  g_ptr_array_set_size (reported, 0);
  g_ptr_array_unref (expected);
  gst_buffer_unref (buffer);
  ctr_contours_unref (contours);
}

static void
push (GstHarness *h, GPtrArray *reported, guint i, guint64 first_row)
{
  const TestFrame frame = strip (i);
  GstBuffer *buffer = pass_frame (h, &frame);

  take (reported, buffer, first_row);
  gst_buffer_unref (buffer);
}

static void
take_end (GstHarness *h, GPtrArray *reported, guint64 first_row)
{
  GstBuffer *buffer = pull_end (h);

  take (reported, buffer, first_row);
  gst_buffer_unref (buffer);
}

/* Two webs: ended by new caps, and by the end of the stream. */
GST_START_TEST (test_webs)
{
  GstHarness *h = strips_new (__i__, 16384, NULL);
  GPtrArray *reported = g_ptr_array_new_with_free_func (g_free);
  const TestFrame frame = strip (0);

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 4; i++)
    push (h, reported, i, i * HEIGHT);
  change_caps (h);
  take_end (h, reported, 4 * HEIGHT);
  check_whole (__i__, reported, 0, 4);

  push (h, reported, 4, 0);
  push (h, reported, 5, HEIGHT);
  gst_harness_push_event (h, gst_event_new_eos ());
  take_end (h, reported, 2 * HEIGHT);
  check_whole (__i__, reported, 4, 6);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  g_ptr_array_unref (reported);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A flush drops what is open; where a frame is missing nothing goes on. */
GST_START_TEST (test_flush_and_gap)
{
  GstHarness *h = strips_new (__i__, 16384, NULL);
  GPtrArray *reported = g_ptr_array_new_with_free_func (g_free);
  const TestFrame frame = strip (0);
  GstBuffer *buffer;
  CtrContours *first, *second;
  guint both;

  set_frame_caps (h, &frame);
  push (h, reported, 0, 0);
  g_ptr_array_set_size (reported, 0);
  flush (h);
  push (h, reported, 1, 0);
  push (h, reported, 2, HEIGHT);
  buffer = make_frame (&frame);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (h, buffer);
  buffer = gst_harness_pull (h);
  take (reported, buffer, 2 * HEIGHT);
  gst_buffer_unref (buffer);
  gst_harness_push_event (h, gst_event_new_eos ());
  take_end (h, reported, 3 * HEIGHT);
  first = whole (__i__, 1, 3);
  second = whole (__i__, 0, 1);
  both = first->count + second->count;
  fail_unless_equals_int (reported->len, both);
  ctr_contours_unref (first);
  ctr_contours_unref (second);
  g_ptr_array_unref (reported);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Contours that stay open for too long: flags, one warning, counts in the messages. */
GST_START_TEST (test_bound)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = strips_new (__i__, 30, bus);
  const TestFrame frame = strip (0);
  Told told = {0};
  guint flagged = 0;

  gst_util_set_object_arg (G_OBJECT (h->element), is_cracks (__i__) ? "levels" : "threshold", "1");
  set_frame_caps (h, &frame);
  for (guint i = 0; i < STRIPS; i++) {
    GstBuffer *buffer = pass_frame (h, &frame);
    GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);

    for (guint k = 0; k < gst_contours_contour_meta_get_count (meta); k++) {
      GstContoursContour c;

      gst_contours_contour_meta_get_contour (meta, k, &c);
      flagged += c.unfinished;
      fail_unless (!c.unfinished || (c.area == 0 && c.h <= 30 + HEIGHT + 1));
    }
    gst_buffer_unref (buffer);
    take_messages (&told, bus, i * HEIGHT, "max-open-rows=30", "contours");
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (told.unfinished > 0);
  fail_unless_equals_int (told.unfinished, flagged);
  fail_unless_equals_int (told.warnings, 1);
  gst_harness_teardown (h);
  drop_bus (bus);
}

GST_END_TEST;

GST_START_TEST (test_refused)
{
  check_no_strip ("cudaborders strip-mode=true mode=tree", "mode=list");
  check_no_strip ("cudacrackcontour strip-mode=true border=zero", "border=pad");
  check_no_strip ("cudacrackcontour strip-mode=true hierarchy=levels", "hierarchy=per-level");
  check_no_strip ("cudaborders strip-mode=true max-open-rows=65500", "65535 rows");
}

GST_END_TEST;

static Suite *
contourstrips_suite (void)
{
  Suite *s = suite_create ("contourstrips");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_loop_test (tc, test_webs, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_flush_and_gap, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_bound, 0, G_N_ELEMENTS (elements));
  tcase_add_test (tc, test_refused);
  return s;
}

GST_CHECK_MAIN (contourstrips);
