/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstContoursContourMeta: values, lifetimes, copies, threads, fetching from the GPU. */
#include "core/results/contourlist.h"

#include <contours/borders.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "asserting.h"
#include "sample.h"

#define PIXELS CTR_COORDINATES_PIXELS
#define CORNERS CTR_COORDINATES_CORNERS
#define MOMENTS CTR_CONTOUR_FEATURE_MOMENTS

static void
assert_fetched (const SampleGpu *gpu, gint table, gint points, gint sums)
{
  assert_equals_int (gpu->fetched[CTR_CONTOURS_TABLE], table);
  assert_equals_int (gpu->fetched[CTR_CONTOURS_POINTS], points);
  assert_equals_int (gpu->fetched[CTR_CONTOURS_SUMS], sums);
}

GST_START_TEST (values)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta = sample_attach_contours (buffer, &gpu, MOMENTS, PIXELS, "finder");
  guint width, height;

  assert_equals_int (gst_contours_contour_meta_get_count (meta), 3);
  assert_equals_uint64 (gst_contours_contour_meta_get_point_count (meta), 9);
  assert_equals_int (gst_contours_contour_meta_get_threshold (meta), 77);
  assert_equals_int (gst_contours_contour_meta_get_coordinates (meta), GST_CONTOURS_CONTOUR_COORDINATES_PIXELS);
  assert_equals_int (gst_contours_contour_meta_get_features (meta), GST_CONTOURS_CONTOUR_FEATURE_MOMENTS);
  assert_equals_string (gst_contours_contour_meta_get_source (meta), "finder");
  gst_contours_contour_meta_get_size (meta, &width, &height);
  assert_equals_int (width, SAMPLE_WIDTH);
  assert_equals_int (height, SAMPLE_HEIGHT);
  gst_contours_contour_meta_get_reference_size (meta, &width, &height);
  assert_equals_int (width, SAMPLE_WIDTH);
  assert_equals_int (height, SAMPLE_HEIGHT);
  fail_unless (gst_contours_mapping_is_identity (gst_contours_contour_meta_get_mapping (meta)));

  GstContoursContour c;
  fail_unless (gst_contours_contour_meta_get_contour (meta, 0, &c));
  assert_equals_int (c.id, 0);
  assert_equals_int (c.count, 4);
  assert_equals_uint64 (c.first, 0);
  assert_equals_int (c.hole, FALSE);
  assert_equals_int (c.level, 0);
  assert_equals_int (c.parent, -1);
  assert_equals_int (c.next, 2);
  assert_equals_int (c.previous, -1);
  assert_equals_int (c.child, 1);
  assert_equals_float (c.area, 15.0);
  assert_equals_float (c.perimeter, 16.0);
  assert_equals_float (c.x, 1.0);
  assert_equals_float (c.y, 1.0);
  assert_equals_float (c.w, 6.0);
  assert_equals_float (c.h, 4.0);
  assert_equals_float (c.cx, 3.5);
  assert_equals_float (c.cy, 2.5);

  fail_unless (gst_contours_contour_meta_get_contour (meta, 1, &c));
  assert_equals_int (c.id, 1);
  assert_equals_uint64 (c.first, 4);
  fail_unless (c.hole == TRUE);
  assert_equals_int (c.level, 5);
  assert_equals_int (c.parent, 0);
  assert_equals_int (c.child, -1);
  assert_equals_float (c.area, 2.0);
  fail_unless (c.perimeter == 4.0 * (float) sqrt (2), "each segment is rounded to float");
  assert_equals_float (c.cx, 3.0);
  assert_equals_float (c.cy, 3.0);

  /* A point has no centroid. */
  fail_unless (gst_contours_contour_meta_get_contour (meta, 2, &c));
  assert_equals_int (c.count, 1);
  assert_equals_int (c.previous, 0);
  assert_equals_float (c.area, 0.0);
  assert_equals_float (c.perimeter, 0.0);
  assert_equals_float (c.w, 1.0);
  fail_unless (isnan (c.cx) && isnan (c.cy));

  fail_if (gst_contours_contour_meta_get_contour (meta, 3, &c));
  fail_if (gst_contours_contour_meta_get_contour (meta, G_MAXUINT, &c));
  fail_unless (gst_contours_contour_meta_get_points (meta, 3) == NULL);
  fail_unless (gst_contours_contour_meta_get_mapped_points (meta, 3) == NULL);

  GList *list = gst_contours_contour_meta_get_contours (meta);
  assert_equals_int (g_list_length (list), 3);
  guint i = 0;
  for (GList *l = list; l; l = l->next, i++) {
    gst_contours_contour_meta_get_contour (meta, i, &c);
    fail_unless (memcmp (l->data, &c, sizeof c) == 0);
  }
  g_list_free_full (list, g_free);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Contours that an analysis found: the sample's first two. */
GST_START_TEST (analysed)
{
  guint8 samples[SAMPLE_WIDTH * SAMPLE_HEIGHT] = {0};
  for (guint y = 1; y <= 4; y++)
    for (guint x = 1; x <= 6; x++)
      samples[y * SAMPLE_WIDTH + x] = x == 3 && y == 3 ? 0 : 255;
  const CtrImage image = {samples, SAMPLE_WIDTH, SAMPLE_WIDTH, SAMPLE_HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
  CtrBordersParams params;
  CtrError error;
  ctr_borders_params_init (&params);
  params.mode = CTR_RETRIEVE_TREE;
  params.features = MOMENTS;
  CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
  CtrContours *contours = ctr_borders_run (borders, &image, &params, NULL, &error);
  fail_unless (contours != NULL, "%s", error.message);
  ctr_borders_free (borders);
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *found = gst_buffer_add_contours_contour_meta (buffer, contours, "borders");
  GstContoursContourMeta *expected = sample_attach_contours (buffer, &gpu, MOMENTS, PIXELS, "sample");
  ctr_contours_unref (contours);

  assert_equals_int (gst_contours_contour_meta_get_count (found), 2);
  assert_equals_uint64 (gst_contours_contour_meta_get_point_count (found), 8);
  assert_equals_int (gst_contours_contour_meta_get_threshold (found), 128);
  assert_equals_int (gst_contours_contour_meta_get_connectivity (found), params.connectivity);
  for (guint i = 0; i < 2; i++) {
    GstContoursContour a, b;
    fail_unless (gst_contours_contour_meta_get_contour (found, i, &a)
                 && gst_contours_contour_meta_get_contour (expected, i, &b));
    fail_unless (a.count == b.count && a.hole == b.hole && a.parent == b.parent && a.child == b.child);
    fail_unless (a.area == b.area && a.perimeter == b.perimeter && a.cx == b.cx && a.cy == b.cy);
    fail_unless (a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h);
  }
  assert_same_bytes (gst_contours_contour_meta_get_points (found, 0), sample_points, 4 * sizeof *sample_points);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (corners_without_features)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta = sample_attach_contours (buffer, &gpu, 0, CORNERS, NULL);
  assert_equals_int (gst_contours_contour_meta_get_coordinates (meta), GST_CONTOURS_CONTOUR_COORDINATES_CORNERS);
  assert_equals_int (gst_contours_contour_meta_get_features (meta), 0);
  fail_unless (gst_contours_contour_meta_get_source (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_moments_bytes (meta) == NULL);
  GstContoursContour c;
  fail_unless (gst_contours_contour_meta_get_contour (meta, 0, &c));
  assert_equals_float (c.w, 5.0);
  assert_equals_float (c.h, 3.0);
  fail_unless (isnan (c.cx) && isnan (c.cy));
  assert_fetched (&gpu, 1, 0, 0);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (bytes_outlive_the_buffer)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta = sample_attach_contours (buffer, &gpu, MOMENTS, PIXELS, "finder");
  CtrContours *raw = ctr_contours_ref (gst_contours_contour_meta_peek_contours (meta));
  GBytes *table = gst_contours_contour_meta_get_table_bytes (meta),
         *points = gst_contours_contour_meta_get_points_bytes (meta);
  GBytes *hole = gst_contours_contour_meta_get_points (meta, 1),
         *mapped = gst_contours_contour_meta_get_mapped_points (meta, 1);
  GBytes *moments = gst_contours_contour_meta_get_moments_bytes (meta);
  fail_unless (g_bytes_get_data (points, NULL) == ctr_contours_map_points (raw, NULL), "no copy");
  fail_unless (g_bytes_get_data (hole, NULL) == ctr_contours_map_points (raw, NULL) + 4, "no copy");
  fail_unless (g_bytes_get_data (table, NULL) == ctr_contours_map_table (raw, NULL), "no copy");

  CtrContourMoments expected[3];
  for (guint i = 0; i < 3; i++)
    ctr_contour_moments (&ctr_contours_map_sums (raw, NULL)[i], &expected[i]);
  assert_equals_float (expected[0].m[0], 15.0);
  gst_buffer_unref (buffer);
  ctr_contours_unref (raw);
  assert_equals_int (gpu.destroyed, 0);

  const CtrContour *rows = g_bytes_get_data (table, NULL);
  assert_equals_uint64 (g_bytes_get_size (table), 3 * 64);
  assert_equals_int (rows[1].parent, 0);
  g_bytes_unref (table);
  const gfloat hole_mapped[] = {3, 2, 4, 3, 3, 4, 2, 3};
  assert_same_bytes (mapped, hole_mapped, sizeof hole_mapped);
  assert_same_bytes (moments, expected, sizeof expected);
  assert_same_bytes (hole, sample_points + 4, 4 * 4);
  assert_equals_int (gpu.destroyed, 0);
  assert_same_bytes (points, sample_points, sizeof sample_points);
  assert_equals_int (gpu.destroyed, 1);
}
GST_END_TEST;

GST_START_TEST (several_on_a_buffer)
{
  SampleGpu gpus[2];
  GstBuffer *buffer = sample_buffer ();
  fail_unless (gst_buffer_get_contours_contour_meta (buffer) == NULL);
  fail_unless (gst_buffer_get_contours_contour_metas (buffer) == NULL);
  GstContoursContourMeta *first = sample_attach_contours (buffer, &gpus[0], 0, PIXELS, "first");
  GstContoursComponentMeta *components = sample_attach (buffer, 0, "second");
  GstContoursContourMeta *second = sample_attach_contours (buffer, &gpus[1], 0, CORNERS, "second");
  gpointer state = NULL;
  fail_unless (gst_buffer_iterate_contours_contour_meta (buffer, &state) == first);
  fail_unless (gst_buffer_iterate_contours_contour_meta (buffer, &state) == second);
  fail_unless (gst_buffer_iterate_contours_contour_meta (buffer, &state) == NULL);
  fail_unless (gst_buffer_get_contours_contour_meta (buffer) == first);
  fail_unless (gst_buffer_get_contours_contour_meta_by_source (buffer, "second") == second);
  fail_unless (gst_buffer_get_contours_contour_meta_by_source (buffer, "third") == NULL);
  fail_unless (gst_buffer_get_contours_component_meta (buffer) == components);
  fail_unless (gst_buffer_get_contours_component_meta_by_source (buffer, "first") == NULL);
  GList *list = gst_buffer_get_contours_contour_metas (buffer);
  fail_unless (list->data == first && list->next->data == second && list->next->next == NULL);
  g_list_free (list);
  gst_buffer_unref (buffer);
  assert_equals_int (gpus[0].destroyed, 1);
  assert_equals_int (gpus[1].destroyed, 1);
}
GST_END_TEST;

GST_START_TEST (no_contours)
{
  const CtrContours info = {.width = 3, .height = 2, .features = MOMENTS};
  CtrContourArrays arrays;
  CtrError error;
  CtrContours *contours = ctr_contours_alloc (&info, &arrays, &error);
  GstBuffer *buffer = gst_buffer_new ();
  GstContoursContourMeta *meta = gst_buffer_add_contours_contour_meta (buffer, contours, "finder");
  ctr_contours_unref (contours);
  GstContoursContour c;
  assert_equals_int (gst_contours_contour_meta_get_count (meta), 0);
  fail_unless (gst_contours_contour_meta_fetch (meta, NULL));
  fail_if (gst_contours_contour_meta_get_contour (meta, 0, &c));
  fail_unless (gst_contours_contour_meta_get_contours (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_points (meta, 0) == NULL);
  assert_same_bytes (gst_contours_contour_meta_get_table_bytes (meta), NULL, 0);
  assert_same_bytes (gst_contours_contour_meta_get_points_bytes (meta), NULL, 0);
  assert_same_bytes (gst_contours_contour_meta_get_moments_bytes (meta), NULL, 0);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Every kind of copy, and whether it keeps the metadata. */
GST_START_TEST (copies)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  CtrContours *raw =
      gst_contours_contour_meta_peek_contours (sample_attach_contours (buffer, &gpu, 0, PIXELS, "finder"));

  GstBuffer *copies[] = {gst_buffer_copy (buffer), gst_buffer_copy_deep (buffer),
      gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 0, -1), gst_buffer_make_writable (gst_buffer_ref (buffer))};
  GstBuffer *part = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 8, 16);
  fail_unless (gst_buffer_get_contours_contour_meta (part) == NULL);
  gst_buffer_unref (part);
  gst_buffer_unref (buffer);

  for (guint i = 0; i < G_N_ELEMENTS (copies); i++) {
    GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (copies[i]);
    fail_unless (meta != NULL);
    fail_unless (gst_contours_contour_meta_peek_contours (meta) == raw, "the result itself must be shared");
    assert_equals_string (gst_contours_contour_meta_get_source (meta), "finder");
    fail_unless (gst_contours_mapping_is_identity (gst_contours_contour_meta_get_mapping (meta)));
    assert_equals_int (gpu.destroyed, 0);
    gst_buffer_unref (copies[i]);
  }
  assert_equals_int (gpu.destroyed, 1);
}
GST_END_TEST;

/* What an array is not needed for does not fetch it, and nothing fetches it twice. */
GST_START_TEST (fetched_on_demand)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpu, MOMENTS, PIXELS, "finder");
  GstBuffer *scaled = sample_send ("videoscale ! video/x-raw,width=16,height=12 ! queue", gst_buffer_copy (buffer));
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (scaled);
  fail_unless (meta != NULL);
  gst_contours_contour_meta_get_count (meta);
  gst_contours_contour_meta_get_point_count (meta);
  gst_contours_contour_meta_get_threshold (meta);
  gst_contours_contour_meta_get_coordinates (meta);
  assert_equals_int (gst_contours_contour_meta_get_connectivity (meta), 0); /* The sample has none. */
  gst_contours_contour_meta_get_features (meta);
  assert_fetched (&gpu, 0, 0, 0);

  GstContoursContour c;
  fail_unless (gst_contours_contour_meta_get_contour (meta, 0, &c));
  assert_fetched (&gpu, 1, 0, 1);
  /* The other buffer has the same result. */
  GstContoursContourMeta *other = gst_buffer_get_contours_contour_meta (buffer);
  g_list_free_full (gst_contours_contour_meta_get_contours (other), g_free);
  g_bytes_unref (gst_contours_contour_meta_get_table_bytes (other));
  g_bytes_unref (gst_contours_contour_meta_get_moments_bytes (other));
  assert_fetched (&gpu, 1, 0, 1);
  g_bytes_unref (gst_contours_contour_meta_get_points (other, 2));
  assert_fetched (&gpu, 1, 1, 1);
  g_bytes_unref (gst_contours_contour_meta_get_points_bytes (meta));
  g_bytes_unref (gst_contours_contour_meta_get_mapped_points (meta, 1));
  fail_unless (gst_contours_contour_meta_fetch (meta, NULL));
  assert_fetched (&gpu, 1, 1, 1);
  gst_buffer_unref (buffer);
  gst_buffer_unref (scaled);
  assert_equals_int (gpu.destroyed, 1);
}
GST_END_TEST;

static gpointer
copy_and_read (gpointer data)
{
  for (guint i = 0; i < 2000; i++) {
    GstBuffer *copy = gst_buffer_copy (data);
    GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (copy);
    GBytes *points = gst_contours_contour_meta_get_points (meta, 1);
    GstContoursContour c;
    gboolean ok = gst_contours_contour_meta_get_contour (meta, 0, &c) && c.area == 15 && c.cx == 3.5;
    gst_buffer_unref (copy);
    ok = ok && ((const CtrPoint *) g_bytes_get_data (points, NULL))[1].x == 4;
    g_bytes_unref (points);
    if (!ok)
      return NULL;
  }
  return data;
}

GST_START_TEST (threads)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  sample_attach_contours (buffer, &gpu, MOMENTS, PIXELS, "finder");
  GThread *threads[8];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, copy_and_read, buffer);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (g_thread_join (threads[i]) == buffer);
  assert_fetched (&gpu, 1, 1, 1);
  gst_buffer_unref (buffer);
  assert_equals_int (gpu.destroyed, 1);
}
GST_END_TEST;

static void
count_warnings (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer warnings)
{
  if (level == GST_LEVEL_WARNING && strstr (gst_debug_message_get (message), "fallen off the bus"))
    ++*(guint *) warnings;
}

/* Fetching fails: every getter says so, none ends the process. */
GST_START_TEST (failing_fetch)
{
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta = sample_attach_contours (buffer, &gpu, MOMENTS, PIXELS, "finder");
  GstContoursContour c;
  GError *error = NULL;
  guint warnings = 0;
  gpu.broken = TRUE;
  gst_debug_set_active (TRUE);
  gst_debug_set_default_threshold (GST_LEVEL_WARNING);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (count_warnings, &warnings, NULL);

  fail_if (gst_contours_contour_meta_get_contour (meta, 0, &c));
  fail_unless (gst_contours_contour_meta_get_contours (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_points (meta, 0) == NULL);
  fail_unless (gst_contours_contour_meta_get_mapped_points (meta, 0) == NULL);
  fail_unless (gst_contours_contour_meta_get_points_bytes (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_table_bytes (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_moments_bytes (meta) == NULL);
  assert_equals_int (warnings, 7);
  gst_debug_remove_log_function (count_warnings);

  fail_if (gst_contours_contour_meta_fetch (meta, NULL));
  fail_if (gst_contours_contour_meta_fetch (meta, &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ));
  fail_unless (strstr (error->message, "the GPU has fallen off the bus") != NULL, "%s", error->message);
  g_error_free (error);
  assert_equals_int (gst_contours_contour_meta_get_count (meta), 3);
  gst_buffer_unref (buffer);
  assert_equals_int (gpu.destroyed, 1);
}
GST_END_TEST;

/* Asserts that BYTES are these, and frees them. */
static void
assert_takes_bytes (GBytes *bytes, const void *expected, gsize size)
{
  fail_unless (bytes != NULL);
  assert_equals_uint64 (g_bytes_get_size (bytes), size);
  fail_unless (size == 0 || memcmp (g_bytes_get_data (bytes, NULL), expected, size) == 0);
  g_bytes_unref (bytes);
}

GST_START_TEST (codes)
{
  static const guint8 around[] = {6, 6, 6, 0, 0, 0, 0, 0, 2, 2, 2, 4, 4, 4, 4, 4}, tip[] = {7, 5, 3, 1};
  /* 3 bits a step: 16, 4 and 0 steps. */
  static const guint8 packed[] = {0xb6, 0x01, 0x00, 0x92, 0x48, 0x92, 0xef, 0x02};
  static const CtrContourChain chains[] = {{0, 16, {1, 1}}, {6, 4, {3, 2}}, {8, 0, {7, 0}}};
  SampleGpu gpu;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta = sample_attach_contours (buffer, &gpu, 0, PIXELS, "finder");

  fail_unless (gst_contours_contour_meta_has_codes (meta));
  assert_equals_int (gst_contours_contour_meta_get_code_bits (meta), 3);
  assert_fetched (&gpu, 0, 0, 0);
  fail_unless (gst_contours_contour_meta_fetch_codes (meta, NULL));
  assert_takes_bytes (gst_contours_contour_meta_get_codes (meta, 0), around, sizeof around);
  assert_takes_bytes (gst_contours_contour_meta_get_codes (meta, 1), tip, sizeof tip);
  assert_takes_bytes (gst_contours_contour_meta_get_codes (meta, 2), NULL, 0);
  fail_unless (gst_contours_contour_meta_get_codes (meta, 3) == NULL);
  for (guint i = 0; i < 3; i++)
    assert_takes_bytes (gst_contours_contour_meta_get_decoded_points (meta, i, FALSE), sample_points + 4 * i,
        (i < 2 ? 4 : 1) * sizeof *sample_points);
  GBytes *all = gst_contours_contour_meta_get_decoded_points (meta, 0, TRUE);
  const CtrPoint *points = g_bytes_get_data (all, NULL);
  assert_equals_uint64 (g_bytes_get_size (all), 16 * sizeof *points);
  fail_unless (points[1].x == 1 && points[1].y == 2 && points[15].x == 2 && points[15].y == 1);
  g_bytes_unref (all);
  fail_unless (gst_contours_contour_meta_get_decoded_points (meta, 3, TRUE) == NULL);
  GBytes *bytes = gst_contours_contour_meta_get_codes_bytes (meta);
  gst_buffer_unref (buffer);
  assert_takes_bytes (bytes, packed, sizeof packed);

  buffer = sample_buffer ();
  meta = sample_attach_contours (buffer, &gpu, 0, PIXELS, "finder");
  assert_takes_bytes (gst_contours_contour_meta_get_chains_bytes (meta), chains, sizeof chains);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* Contours without codes say so, and so does a GPU that fails. */
GST_START_TEST (no_codes)
{
  SampleGpu gpu;
  GError *error = NULL;
  GstBuffer *buffer = sample_buffer ();
  GstContoursContourMeta *meta = sample_attach_contours (buffer, &gpu, 0, __i__ ? PIXELS : CORNERS, "finder");
  gpu.broken = TRUE;
  fail_unless (gst_contours_contour_meta_has_codes (meta) == __i__);
  assert_equals_int (gst_contours_contour_meta_get_code_bits (meta), 3 * __i__);
  fail_unless (gst_contours_contour_meta_get_codes (meta, 0) == NULL);
  fail_unless (gst_contours_contour_meta_get_decoded_points (meta, 0, FALSE) == NULL);
  fail_unless (gst_contours_contour_meta_get_codes_bytes (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_chains_bytes (meta) == NULL);
  fail_if (gst_contours_contour_meta_fetch_codes (meta, NULL));
  fail_if (gst_contours_contour_meta_fetch_codes (meta, &error));
  fail_unless (
      g_error_matches (error, GST_RESOURCE_ERROR, __i__ ? GST_RESOURCE_ERROR_READ : GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (
      strstr (error->message, __i__ ? "the GPU has fallen off the bus" : "epsilon") != NULL, "%s", error->message);
  g_error_free (error);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

static Suite *
contourmeta_suite (void)
{
  Suite *suite = suite_create ("contour metadata");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, values);
  tcase_add_test (tcase, analysed);
  tcase_add_test (tcase, corners_without_features);
  tcase_add_test (tcase, bytes_outlive_the_buffer);
  tcase_add_test (tcase, several_on_a_buffer);
  tcase_add_test (tcase, no_contours);
  tcase_add_test (tcase, copies);
  tcase_add_test (tcase, fetched_on_demand);
  tcase_add_test (tcase, threads);
  tcase_add_test (tcase, failing_fetch);
  tcase_add_test (tcase, codes);
  tcase_add_loop_test (tcase, no_codes, 0, 2); /* polygons, a GPU that fails */
  return suite;
}

GST_CHECK_MAIN (contourmeta);
