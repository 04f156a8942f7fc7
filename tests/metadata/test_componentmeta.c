/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstContoursComponentMeta: values, lifetimes, copies, threads. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "asserting.h"
#include "sample.h"

/* A mirrored upright bar stays upright: the negative zeros of a mirror must not turn it to -pi/2, which is not in
 * range. */
GST_START_TEST (mirrored_bar)
{
  static const guint8 bar[5 * 7] = {[7 + 3] = 255, [14 + 3] = 255, [21 + 3] = 255};
  GstBuffer *buffer = gst_buffer_new ();
  CtrComponents *components = sample_analyse (bar, 7, 5, CTR_FEATURE_MOMENTS);
  GstContoursComponentMeta *meta = gst_buffer_add_contours_component_meta (buffer, components, NULL);
  /* As a mirror of GStreamer 1.28 leaves it. */
  GstContoursMapping *mapping = (GstContoursMapping *) gst_contours_component_meta_get_mapping (meta);
  mapping->xx = -1;
  mapping->xy = -0.0;
  mapping->x0 = 7;
  GstContoursComponent c;
  fail_unless (gst_contours_component_meta_get_component (meta, 0, &c));
  assert_equals_float (c.orientation, G_PI / 2);
  ctr_components_unref (components);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (values)
{
  GstBuffer *buffer = sample_buffer ();
  GstContoursComponentMeta *meta = sample_attach (buffer, SAMPLE_ALL, "finder");
  guint width, height;

  assert_equals_int (gst_contours_component_meta_get_count (meta), 3);
  assert_equals_int (gst_contours_component_meta_get_threshold (meta), 128);
  assert_equals_int (gst_contours_component_meta_get_connectivity (meta), 8);
  assert_equals_int (gst_contours_component_meta_get_features (meta), SAMPLE_ALL);
  assert_equals_string (gst_contours_component_meta_get_source (meta), "finder");
  gst_contours_component_meta_get_size (meta, &width, &height);
  assert_equals_int (width, SAMPLE_WIDTH);
  assert_equals_int (height, SAMPLE_HEIGHT);
  gst_contours_component_meta_get_reference_size (meta, &width, &height);
  assert_equals_int (width, SAMPLE_WIDTH);
  assert_equals_int (height, SAMPLE_HEIGHT);
  fail_unless (gst_contours_mapping_is_identity (gst_contours_component_meta_get_mapping (meta)));

  GstContoursComponent c;
  fail_unless (gst_contours_component_meta_get_component (meta, 1, &c));
  assert_equals_int (c.label, 2);
  assert_equals_int (c.pixels, 4);
  assert_equals_float (c.area, 4.0);
  assert_equals_float (c.x, 6.0);
  assert_equals_float (c.y, 1.0);
  assert_equals_float (c.w, 2.0);
  assert_equals_float (c.h, 3.0);
  assert_equals_float (c.cx, 6.5);
  assert_equals_float (c.cy, 1.75);
  assert_equals_float (c.first_x, 6.0);
  assert_equals_float (c.first_y, 1.0);
  assert_equals_uint64 (c.sum_x, 26);
  assert_equals_uint64 (c.sum_y, 7);
  assert_equals_int (c.min, 200);
  assert_equals_int (c.max, 230);
  assert_equals_float (c.mean, 215.0);
  assert_equals_float (c.std, sqrt (125.0));
  assert_equals_float (c.inscribed_radius, 1.0);
  assert_equals_float (c.inscribed_x, 6.0);
  assert_equals_float (c.inscribed_y, 1.0);
  assert_equals_float (c.ring_mean, 136.0 / 19);
  assert_equals_float (c.contrast, 215.0 - 136.0 / 19);
  assert_equals_float (c.skeleton_length, 2 * sqrt (2));
  assert_equals_float (c.skeleton_width, 2.0);
  assert_equals_int (c.skeleton_pixels, 3);
  const CtrComponents *raw = gst_contours_component_meta_peek_components (meta);
  CtrComponentShape shape;
  ctr_component_shape (&raw->table[1], &raw->moments[1], &shape);
  fail_unless (c.orientation == shape.orientation && c.major_axis == shape.major_axis);
  fail_unless (c.minor_axis == shape.minor_axis && c.eccentricity == shape.eccentricity);

  fail_unless (gst_contours_component_meta_get_component (meta, 2, &c));
  fail_if (gst_contours_component_meta_get_component (meta, 3, &c));
  fail_if (gst_contours_component_meta_get_component (meta, G_MAXUINT, &c));

  GList *list = gst_contours_component_meta_get_components (meta);
  assert_equals_int (g_list_length (list), 3);
  guint i = 0;
  for (GList *l = list; l; l = l->next, i++) {
    gst_contours_component_meta_get_component (meta, i, &c);
    fail_unless (memcmp (l->data, &c, sizeof c) == 0);
  }
  g_list_free_full (list, g_free);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (without_features)
{
  GstBuffer *buffer = sample_buffer ();
  GstContoursComponentMeta *meta = sample_attach (buffer, 0, NULL);
  GstContoursComponent c;
  fail_unless (gst_contours_component_meta_get_component (meta, 0, &c));
  fail_unless (isnan (c.orientation) && isnan (c.major_axis) && isnan (c.minor_axis) && isnan (c.eccentricity));
  fail_unless (isnan (c.mean) && isnan (c.std));
  fail_unless (c.min == 0 && c.max == 0 && c.median == 0 && c.p95 == 0);
  fail_unless (isnan (c.inscribed_radius) && isnan (c.inscribed_x) && isnan (c.inscribed_y));
  fail_unless (isnan (c.ring_mean) && isnan (c.contrast));
  fail_unless (isnan (c.skeleton_length) && isnan (c.skeleton_width) && c.skeleton_pixels == 0);
  fail_unless (gst_contours_component_meta_get_percentiles_bytes (meta) == NULL);
  fail_unless (gst_contours_component_meta_get_inscribed_bytes (meta) == NULL);
  fail_unless (gst_contours_component_meta_get_contrast_bytes (meta) == NULL);
  fail_unless (gst_contours_component_meta_get_skeleton_bytes (meta) == NULL);
  fail_unless (gst_contours_component_meta_get_moments_bytes (meta) == NULL);
  fail_unless (gst_contours_component_meta_get_grey_bytes (meta) == NULL);
  fail_unless (gst_contours_component_meta_get_labels_bytes (meta) == NULL);
  fail_unless (gst_contours_component_meta_get_source (meta) == NULL);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (bytes_outlive_the_buffer)
{
  GstBuffer *buffer = sample_buffer ();
  GstContoursComponentMeta *meta = sample_attach (buffer, SAMPLE_ALL, "finder");
  GBytes *table = gst_contours_component_meta_get_table_bytes (meta),
         *moments = gst_contours_component_meta_get_moments_bytes (meta);
  GBytes *grey = gst_contours_component_meta_get_grey_bytes (meta),
         *labels = gst_contours_component_meta_get_labels_bytes (meta),
         *percentiles = gst_contours_component_meta_get_percentiles_bytes (meta),
         *inscribed = gst_contours_component_meta_get_inscribed_bytes (meta),
         *contrast = gst_contours_component_meta_get_contrast_bytes (meta),
         *skeleton = gst_contours_component_meta_get_skeleton_bytes (meta);
  CtrComponents *raw = ctr_components_ref ((CtrComponents *) gst_contours_component_meta_peek_components (meta));
  gst_buffer_unref (buffer);
  assert_same_bytes (table, raw->table, 3 * sizeof *raw->table);
  assert_same_bytes (moments, raw->moments, 3 * sizeof *raw->moments);
  assert_same_bytes (grey, raw->grey, 3 * sizeof *raw->grey);
  assert_same_bytes (percentiles, raw->percentiles, 3 * sizeof *raw->percentiles);
  assert_same_bytes (inscribed, raw->inscribed, 3 * sizeof *raw->inscribed);
  assert_same_bytes (contrast, raw->contrast, 3 * sizeof *raw->contrast);
  assert_same_bytes (skeleton, raw->skeleton, 3 * sizeof *raw->skeleton);
  ctr_components_unref (raw);
  gsize size;
  const guint32 *label = g_bytes_get_data (labels, &size);
  assert_equals_int (size, SAMPLE_WIDTH * SAMPLE_HEIGHT * 4);
  assert_equals_int (label[1], 1);
  assert_equals_int (label[3 * SAMPLE_WIDTH + 6], 2);
  assert_equals_int (label[5 * SAMPLE_WIDTH], 3);
  assert_equals_int (label[0], 0);
  g_bytes_unref (labels);
}
GST_END_TEST;

GST_START_TEST (several_on_a_buffer)
{
  GstBuffer *buffer = sample_buffer ();
  fail_unless (gst_buffer_get_contours_component_meta (buffer) == NULL);
  fail_unless (gst_buffer_get_contours_component_metas (buffer) == NULL);
  GstContoursComponentMeta *first = sample_attach (buffer, 0, "first");
  GstContoursComponentMeta *second = sample_attach (buffer, SAMPLE_ALL, "second");
  gpointer state = NULL;
  fail_unless (gst_buffer_iterate_contours_component_meta (buffer, &state) == first);
  fail_unless (gst_buffer_iterate_contours_component_meta (buffer, &state) == second);
  fail_unless (gst_buffer_iterate_contours_component_meta (buffer, &state) == NULL);
  fail_unless (gst_buffer_get_contours_component_meta (buffer) == first);
  fail_unless (gst_buffer_get_contours_component_meta_by_source (buffer, "second") == second);
  fail_unless (gst_buffer_get_contours_component_meta_by_source (buffer, "third") == NULL);
  GList *list = gst_buffer_get_contours_component_metas (buffer);
  fail_unless (list->data == first && list->next->data == second && list->next->next == NULL);
  g_list_free (list);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (no_components)
{
  const guint8 black[6] = {0};
  GstBuffer *buffer = gst_buffer_new ();
  CtrComponents *components = sample_analyse (black, 3, 2, SAMPLE_ALL);
  GstContoursComponentMeta *meta = gst_buffer_add_contours_component_meta (buffer, components, "finder");
  ctr_components_unref (components);
  GstContoursComponent c;
  assert_equals_int (gst_contours_component_meta_get_count (meta), 0);
  fail_if (gst_contours_component_meta_get_component (meta, 0, &c));
  fail_unless (gst_contours_component_meta_get_components (meta) == NULL);
  GBytes *table = gst_contours_component_meta_get_table_bytes (meta);
  assert_equals_int (g_bytes_get_size (table), 0);
  g_bytes_unref (table);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* What the buffer says of its frame when the metadata is attached stays with the metadata. */
GST_START_TEST (flags)
{
  GstBuffer *buffer = sample_buffer (), *scaled;
  GstContoursComponentMeta *meta = sample_attach (buffer, 0, "clean");
  assert_equals_int (gst_contours_component_meta_get_flags (meta), GST_CONTOURS_RESULT_FLAG_NONE);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  meta = sample_attach (buffer, 0, "corrupted");
  assert_equals_int (gst_contours_component_meta_get_flags (meta), GST_CONTOURS_RESULT_FLAG_CORRUPTED);
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_CORRUPTED);
  GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  meta = sample_attach (buffer, 0, "interlaced");
  assert_equals_int (gst_contours_component_meta_get_flags (meta), GST_CONTOURS_RESULT_FLAG_INTERLACED);
  GST_BUFFER_FLAG_UNSET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  gst_contours_component_meta_add_flags (meta, GST_CONTOURS_RESULT_FLAG_CORRUPTED);

  scaled = sample_send ("videoscale ! video/x-raw,width=16,height=3", buffer);
  assert_equals_int (
      gst_contours_component_meta_get_flags (gst_buffer_get_contours_component_meta_by_source (scaled, "clean")), 0);
  assert_equals_int (
      gst_contours_component_meta_get_flags (gst_buffer_get_contours_component_meta_by_source (scaled, "corrupted")),
      GST_CONTOURS_RESULT_FLAG_CORRUPTED);
  assert_equals_int (
      gst_contours_component_meta_get_flags (gst_buffer_get_contours_component_meta_by_source (scaled, "interlaced")),
      GST_CONTOURS_RESULT_FLAG_CORRUPTED | GST_CONTOURS_RESULT_FLAG_INTERLACED);
  gst_buffer_unref (scaled);
}
GST_END_TEST;

/* Every kind of copy, and whether it keeps the metadata. */
GST_START_TEST (copies)
{
  GstBuffer *buffer = sample_buffer ();
  const CtrComponents *raw = gst_contours_component_meta_peek_components (sample_attach (buffer, SAMPLE_ALL, "finder"));

  GstBuffer *copies[] = {gst_buffer_copy (buffer), gst_buffer_copy_deep (buffer),
      gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 0, -1), gst_buffer_make_writable (gst_buffer_ref (buffer))};
  GstBuffer *part = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 8, 16);
  fail_unless (gst_buffer_get_contours_component_meta (part) == NULL);
  gst_buffer_unref (part);
  gst_buffer_unref (buffer);

  for (guint i = 0; i < G_N_ELEMENTS (copies); i++) {
    GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (copies[i]);
    fail_unless (meta != NULL);
    fail_unless (gst_contours_component_meta_peek_components (meta) == raw, "the result itself must be shared");
    assert_equals_string (gst_contours_component_meta_get_source (meta), "finder");
    fail_unless (gst_contours_mapping_is_identity (gst_contours_component_meta_get_mapping (meta)));
    gst_buffer_unref (copies[i]);
  }
}
GST_END_TEST;

static gpointer
copy_and_read (gpointer data)
{
  for (guint i = 0; i < 2000; i++) {
    GstBuffer *copy = gst_buffer_copy (data);
    GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (copy);
    GBytes *table = gst_contours_component_meta_get_table_bytes (meta);
    GstContoursComponent c;
    gboolean ok = gst_contours_component_meta_get_component (meta, 1, &c) && c.pixels == 4;
    gst_buffer_unref (copy);
    ok = ok && ((const CtrComponent *) g_bytes_get_data (table, NULL))[2].area == 1;
    g_bytes_unref (table);
    if (!ok)
      return NULL;
  }
  return data;
}

GST_START_TEST (threads)
{
  GstBuffer *buffer = sample_buffer ();
  sample_attach (buffer, SAMPLE_ALL, "finder");
  GThread *threads[8];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, copy_and_read, buffer);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (g_thread_join (threads[i]) == buffer);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

static Suite *
componentmeta_suite (void)
{
  Suite *suite = suite_create ("component metadata");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, values);
  tcase_add_test (tcase, mirrored_bar);
  tcase_add_test (tcase, without_features);
  tcase_add_test (tcase, bytes_outlive_the_buffer);
  tcase_add_test (tcase, several_on_a_buffer);
  tcase_add_test (tcase, no_components);
  tcase_add_test (tcase, flags);
  tcase_add_test (tcase, copies);
  tcase_add_test (tcase, threads);
  return suite;
}

GST_CHECK_MAIN (componentmeta);
