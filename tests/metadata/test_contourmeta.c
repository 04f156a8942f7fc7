/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstContoursContourMeta: its values, its life, what elements make of it, and when it is fetched. */
#include "core/results/contourlist.h"

#include <contours/contours.h>
#include <gst/check/gstcheck.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "sample.h"

#define PIXELS CTR_COORDINATES_PIXELS
#define CORNERS CTR_COORDINATES_CORNERS
#define MOMENTS CTR_CONTOUR_FEATURE_MOMENTS

static void
assert_near (gdouble got, gdouble expected)
{
  fail_unless (fabs (got - expected) < 1e-12 * MAX (1.0, fabs (expected)), "%.17g instead of %.17g", got, expected);
}

static void
assert_same_bytes (GBytes *bytes, gconstpointer data, gsize size)
{
  gsize got;
  gconstpointer view = g_bytes_get_data (bytes, &got);
  assert_equals_uint64 (got, size);
  fail_unless (size == 0 || memcmp (view, data, size) == 0);
  g_bytes_unref (bytes);
}

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
  const CtrImage image = {samples, SAMPLE_WIDTH, SAMPLE_WIDTH, SAMPLE_HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST};
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

/* META has the sample's contours as MAPPING leaves them, computed another way: as those of the mapped points. */
static void
assert_mapped (GstContoursContourMeta *meta, const GstContoursMapping *mapping)
{
  gboolean corners = gst_contours_contour_meta_get_coordinates (meta) == GST_CONTOURS_CONTOUR_COORDINATES_CORNERS;
  gdouble half = corners ? 0 : 0.5;
  const CtrContour *rows = ctr_contours_map_table (gst_contours_contour_meta_peek_contours (meta), NULL);
  for (guint i = 0; i < SAMPLE_CONTOURS; i++) {
    GstContoursContour c;
    const guint n = rows[i].count;
    gdouble x[4], y[4], left = G_MAXDOUBLE, right = -G_MAXDOUBLE, top = G_MAXDOUBLE, bottom = -G_MAXDOUBLE;
    GBytes *bytes = gst_contours_contour_meta_get_mapped_points (meta, i);
    const gfloat *got = g_bytes_get_data (bytes, NULL);
    assert_equals_uint64 (g_bytes_get_size (bytes), n * 2 * sizeof *got);
    for (guint p = 0; p < n; p++) {
      gdouble px = sample_points[rows[i].first + p].x, py = sample_points[rows[i].first + p].y;
      x[p] = mapping->xx * (px + half) + mapping->xy * (py + half) + mapping->x0 - half;
      y[p] = mapping->yx * (px + half) + mapping->yy * (py + half) + mapping->y0 - half;
      assert_equals_float (got[2 * p], (gfloat) x[p]);
      assert_equals_float (got[2 * p + 1], (gfloat) y[p]);
      /* The box of pixels is that of their outer corners. */
      for (gdouble dx = 0; dx <= (corners ? 0 : 1); dx++)
        for (gdouble dy = 0; dy <= (corners ? 0 : 1); dy++) {
          gdouble cx = mapping->xx * (px + dx) + mapping->xy * (py + dy) + mapping->x0;
          gdouble cy = mapping->yx * (px + dx) + mapping->yy * (py + dy) + mapping->y0;
          left = MIN (left, cx);
          right = MAX (right, cx);
          top = MIN (top, cy);
          bottom = MAX (bottom, cy);
        }
    }
    g_bytes_unref (bytes);

    gdouble area2 = 0, length = 0, sum_x = 0, sum_y = 0;
    for (guint p = 0; p < n; p++) {
      guint q = (p + 1) % n;
      gdouble cross = x[p] * y[q] - x[q] * y[p];
      area2 += cross;
      sum_x += cross * (x[p] + x[q]);
      sum_y += cross * (y[p] + y[q]);
      length += hypot (x[q] - x[p], y[q] - y[p]);
    }
    fail_unless (gst_contours_contour_meta_get_contour (meta, i, &c));
    assert_near (c.area, fabs (area2) / 2);
    /* Segments that are not measured anew are rounded to float. */
    fail_unless (fabs (c.perimeter - length) <= 6e-8 * length, "%.17g instead of %.17g", c.perimeter, length);
    assert_near (c.x, left);
    assert_near (c.y, top);
    assert_near (c.w, right - left);
    assert_near (c.h, bottom - top);
    if (n > 1) {
      assert_near (c.cx, sum_x / 3 / area2);
      assert_near (c.cy, sum_y / 3 / area2);
    }
    assert_equals_int (c.parent, rows[i].parent);
    assert_equals_int (c.count, n);
  }
}

GST_START_TEST (scaled)
{
  const struct {
    const gchar *launch;
    guint width, height;
    gboolean measured; /* the perimeters are */
  } cases[] = {
      {"videoscale ! video/x-raw,width=16,height=12,pixel-aspect-ratio=1/1", 16, 12, FALSE},
      {"videoscale ! video/x-raw,width=4,height=3,pixel-aspect-ratio=1/1", 4, 3, FALSE},
      {"videoscale ! video/x-raw,width=16,height=3", 16, 3, TRUE},
      {"videoscale ! video/x-raw,width=5", 5, 6, TRUE},
      {"videoscale ! video/x-raw,width=13,height=7,pixel-aspect-ratio=[1/100,100/1] ! videoscale ! "
       "video/x-raw,width=11,height=31",
          11, 31, TRUE},
  };
  const CtrCoordinates coordinates = __i__ ? CORNERS : PIXELS;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    SampleGpu gpu;
    guint width, height;
    GstBuffer *buffer = sample_buffer ();
    sample_attach_contours (buffer, &gpu, MOMENTS, coordinates, "finder");
    GstBuffer *out = sample_send (cases[i].launch, buffer);
    GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (out);
    fail_unless (meta != NULL, "%s lost it", cases[i].launch);
    gst_contours_contour_meta_get_size (meta, &width, &height);
    assert_equals_int (width, cases[i].width);
    assert_equals_int (height, cases[i].height);
    gst_contours_contour_meta_get_reference_size (meta, &width, &height);
    assert_equals_int (width, SAMPLE_WIDTH);
    assert_equals_int (height, SAMPLE_HEIGHT);
    assert_equals_string (gst_contours_contour_meta_get_source (meta), "finder");

    g_list_free_full (gst_contours_contour_meta_get_contours (meta), g_free);
    assert_fetched (&gpu, 1, cases[i].measured, 1);
    const GstContoursMapping expected = {
        .xx = (gdouble) cases[i].width / SAMPLE_WIDTH, .yy = (gdouble) cases[i].height / SAMPLE_HEIGHT};
    assert_mapped (meta, &expected);
    gst_buffer_unref (out);
    assert_equals_int (gpu.destroyed, 1);
  }
}
GST_END_TEST;

/* Mirrored, turned, cropped, as GStreamer 1.28 leaves the mapping. */
GST_START_TEST (mapped)
{
  static const GstContoursMapping mappings[] = {
      {8, 6, 8, 6, -1, 0, 8, 0, 1, 0},
      {8, 6, 6, 8, 0, -1, 6, 1, 0, 0},
      {8, 6, 7, 4, 1, 0, -1, 0, 1, -2},
      {8, 6, 12, 16, 0, -2, 12, 2, 0, 0},
      {8, 6, 12, 8, 0, -2, 12, 1, 0, 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS (mappings); i++)
    for (guint corners = 0; corners < 2; corners++) {
      SampleGpu gpu;
      GstBuffer *buffer = gst_buffer_new ();
      GstContoursContourMeta *meta = sample_attach_contours (buffer, &gpu, MOMENTS, corners ? CORNERS : PIXELS, NULL);
      *(GstContoursMapping *) gst_contours_contour_meta_get_mapping (meta) = mappings[i];
      g_list_free_full (gst_contours_contour_meta_get_contours (meta), g_free);
      assert_fetched (&gpu, 1, i == 4, 1);
      assert_mapped (meta, &mappings[i]);
      gst_buffer_unref (buffer);
    }
}
GST_END_TEST;

/* Elements that leave the geometry alone keep the metadata as it is; what cannot be followed drops it. */
GST_START_TEST (kept_or_dropped)
{
  const struct {
    const gchar *launch;
    gboolean kept; /* before GStreamer 1.28 */
    gdouble x, y;  /* of the rectangle, where it is followed */
  } cases[] = {
      {"queue", TRUE, 1, 1},
      {"tee", TRUE, 1, 1},
      {"videoconvert ! video/x-raw,format=RGB", TRUE, 1, 1},
      {"videoscale ! video/x-raw,width=11,height=2 ! videoscale ! " SAMPLE_CAPS, TRUE, 1, 1},
      {"videocrop left=1 top=2", FALSE, 0, -1},
      {"videoflip video-direction=horiz", FALSE, 1, 1},
      {"videoflip video-direction=90r", FALSE, 1, 1},
  };
  guint major, minor, micro, nano;
  gst_version (&major, &minor, &micro, &nano);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    SampleGpu gpu;
    GstBuffer *buffer = sample_buffer ();
    sample_attach_contours (buffer, &gpu, 0, PIXELS, "finder");
    GstBuffer *out = sample_send (cases[i].launch, buffer);
    GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (out);
    if (cases[i].kept || (GST_CHECK_VERSION (1, 28, 0) && minor >= 28)) {
      GstContoursContour c;
      fail_unless (meta != NULL, "%s lost it", cases[i].launch);
      fail_unless (gst_contours_contour_meta_get_contour (meta, 0, &c));
      assert_near (c.x, cases[i].x);
      assert_near (c.y, cases[i].y);
      if (cases[i].kept)
        fail_unless (gst_contours_mapping_is_identity (gst_contours_contour_meta_get_mapping (meta)));
    } else {
      fail_unless (meta == NULL, "%s kept it, with the old positions", cases[i].launch);
    }
    gst_buffer_unref (out);
  }
}
GST_END_TEST;

static Suite *
contourmeta_suite (void)
{
  Suite *suite = suite_create ("contourmeta");
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
  tcase_add_loop_test (tcase, scaled, 0, 2); /* pixels, corners */
  tcase_add_test (tcase, mapped);
  tcase_add_test (tcase, kept_or_dropped);
  return suite;
}

GST_CHECK_MAIN (contourmeta);
