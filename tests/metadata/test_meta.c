/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstContoursComponentMeta: its values, its life, and what elements make of it. */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "sample.h"

static void
assert_same_bytes (GBytes *bytes, gconstpointer data, gsize size)
{
  gsize got;
  gconstpointer view = g_bytes_get_data (bytes, &got);
  assert_equals_uint64 (got, size);
  fail_unless (memcmp (view, data, size) == 0);
  g_bytes_unref (bytes);
}

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
  fail_unless (c.min == 0 && c.max == 0);
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
         *labels = gst_contours_component_meta_get_labels_bytes (meta);
  CtrComponents *raw = ctr_components_ref ((CtrComponents *) gst_contours_component_meta_peek_components (meta));
  gst_buffer_unref (buffer);
  assert_same_bytes (table, raw->table, 3 * sizeof *raw->table);
  assert_same_bytes (moments, raw->moments, 3 * sizeof *raw->moments);
  assert_same_bytes (grey, raw->grey, 3 * sizeof *raw->grey);
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

/* Sends the sample through LAUNCH; transfer full. */
static GstBuffer *
send (const gchar *launch)
{
  GstBuffer *buffer = sample_buffer ();
  sample_attach (buffer, SAMPLE_ALL, "finder");
  return sample_send (launch, buffer);
}

static void
assert_near (gdouble got, gdouble expected)
{
  fail_unless (fabs (got - expected) < 1e-12 * MAX (1.0, fabs (expected)), "%.17g instead of %.17g", got, expected);
}

/* The components of META are the sample's, their frame scaled to WIDTH x HEIGHT, computed another way. */
static void
assert_scaled (GstContoursComponentMeta *meta, guint width, guint height)
{
  gdouble sx = (gdouble) width / SAMPLE_WIDTH, sy = (gdouble) height / SAMPLE_HEIGHT;
  const CtrComponents *raw = gst_contours_component_meta_peek_components (meta);
  guint got_width, got_height;
  gst_contours_component_meta_get_size (meta, &got_width, &got_height);
  assert_equals_int (got_width, width);
  assert_equals_int (got_height, height);
  gst_contours_component_meta_get_reference_size (meta, &got_width, &got_height);
  assert_equals_int (got_width, SAMPLE_WIDTH);
  assert_equals_int (got_height, SAMPLE_HEIGHT);
  assert_equals_int (gst_contours_component_meta_get_count (meta), 3);

  for (guint i = 0; i < 3; i++) {
    GstContoursComponent c;
    const CtrComponent *row = &raw->table[i];
    gst_contours_component_meta_get_component (meta, i, &c);
    assert_equals_int (c.pixels, row->area);
    assert_near (c.area, row->area * sx * sy);
    assert_near (c.x, row->left * sx);
    assert_near (c.y, row->top * sy);
    assert_near (c.w, row->width * sx);
    assert_near (c.h, row->height * sy);
    assert_near (c.first_x, (row->start_x + 0.5) * sx - 0.5);
    assert_near (c.first_y, (row->top + 0.5) * sy - 0.5);
    assert_equals_uint64 (c.sum_x, row->sum_x);

    /* Moments of the pixels, each moved on its own. */
    gdouble mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    guint n = 0;
    for (guint pass = 0; pass < 2; pass++)
      for (guint p = 0; p < SAMPLE_WIDTH * SAMPLE_HEIGHT; p++) {
        if (raw->labels[p] != i + 1)
          continue;
        gdouble x = (p % SAMPLE_WIDTH + 0.5) * sx - 0.5, y = (p / SAMPLE_WIDTH + 0.5) * sy - 0.5;
        if (pass == 0) {
          mx += x / row->area;
          my += y / row->area;
          n++;
        } else {
          xx += (x - mx) * (x - mx) / n;
          xy += (x - mx) * (y - my) / n;
          yy += (y - my) * (y - my) / n;
        }
      }
    assert_near (c.cx, mx);
    assert_near (c.cy, my);
    gdouble root = sqrt ((xx - yy) * (xx - yy) + 4 * xy * xy);
    assert_near (c.major_axis, 4 * sqrt ((xx + yy + root) / 2));
    assert_near (c.minor_axis, 4 * sqrt (fmax (0, (xx + yy - root) / 2)));
    if (root > 0) {
      /* The major axis is an eigenvector of the covariance. */
      gdouble ux = cos (c.orientation), uy = sin (c.orientation);
      assert_near (xx * ux + xy * uy, (xx + yy + root) / 2 * ux);
      assert_near (xy * ux + yy * uy, (xx + yy + root) / 2 * uy);
    }
    assert_near (c.mean, (gdouble) raw->grey[i].sum / row->area);
    assert_equals_int (c.max, raw->grey[i].max);
  }
}

/* Elements that leave the geometry alone keep the metadata as it is. */
GST_START_TEST (kept)
{
  const gchar *const elements[] = {
      "queue", "identity", "capsfilter", "tee", "videoconvert ! video/x-raw,format=RGB", "videoconvert"};
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    GstBuffer *out = send (elements[i]);
    GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (out);
    fail_unless (meta != NULL, "%s lost it", elements[i]);
    fail_unless (gst_contours_mapping_is_identity (gst_contours_component_meta_get_mapping (meta)));
    assert_scaled (meta, SAMPLE_WIDTH, SAMPLE_HEIGHT);
    gst_buffer_unref (out);
  }
}
GST_END_TEST;

GST_START_TEST (both_branches_of_a_tee)
{
  GstHarness *h = gst_harness_new_parse ("tee name=t ! queue ! fakesink name=other sync=false t. ! queue ! identity");
  gst_harness_set_src_caps_str (h, SAMPLE_CAPS);
  GstBuffer *buffer = sample_buffer ();
  sample_attach (buffer, SAMPLE_ALL, "finder");
  GstBuffer *out = gst_harness_push_and_pull (h, buffer);
  GstElement *other = gst_bin_get_by_name (GST_BIN (h->element), "other");
  GstSample *sample = NULL;
  for (guint i = 0; i < 500 && !sample; i++) {
    g_object_get (other, "last-sample", &sample, NULL);
    if (!sample)
      g_usleep (10000);
  }
  fail_unless (sample != NULL);
  assert_scaled (gst_buffer_get_contours_component_meta (out), SAMPLE_WIDTH, SAMPLE_HEIGHT);
  assert_scaled (gst_buffer_get_contours_component_meta (gst_sample_get_buffer (sample)), SAMPLE_WIDTH, SAMPLE_HEIGHT);
  gst_sample_unref (sample);
  gst_buffer_unref (out);
  gst_object_unref (other);
  gst_harness_teardown (h);
}
GST_END_TEST;

GST_START_TEST (scaled)
{
  const struct {
    const gchar *launch;
    guint width, height;
  } cases[] = {
      {"videoscale ! video/x-raw,width=16,height=12,pixel-aspect-ratio=1/1", 16, 12},
      {"videoscale ! video/x-raw,width=4,height=3,pixel-aspect-ratio=1/1", 4, 3},
      /* The pixel aspect ratio follows: no borders. */
      {"videoscale ! video/x-raw,width=16,height=3", 16, 3},
      {"videoscale ! video/x-raw,width=5", 5, 6},
      {"videoscale ! video/x-raw,width=13,height=7,pixel-aspect-ratio=[1/100,100/1] ! videoscale ! "
       "video/x-raw,width=11,height=31",
          11, 31},
      {"videoscale ! video/x-raw,width=16,height=12 ! videoconvert ! video/x-raw,format=NV12", 16, 12},
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *out = send (cases[i].launch);
    GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (out);
    fail_unless (meta != NULL, "%s lost it", cases[i].launch);
    assert_scaled (meta, cases[i].width, cases[i].height);
    gst_buffer_unref (out);
  }
}
GST_END_TEST;

GST_START_TEST (scaled_back_is_exact)
{
  GstBuffer *out = send ("videoscale ! video/x-raw,width=11,height=2 ! videoscale ! video/x-raw,width=15,height=7 ! "
                         "videoscale ! " SAMPLE_CAPS);
  GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (out);
  fail_unless (gst_contours_mapping_is_identity (gst_contours_component_meta_get_mapping (meta)));
  gst_buffer_unref (out);
}
GST_END_TEST;

/* Where positions go is unknown, or known only to newer GStreamer. */
GST_START_TEST (dropped_or_followed)
{
  const struct {
    const gchar *launch;
    /* The L's box where it is followed. */
    gdouble x, y, w, h;
  } cases[] = {
      {"videocrop left=1 top=2", 0, -2, 2, 2},
      {"videoflip video-direction=horiz", 5, 0, 2, 2},
      {"videoflip video-direction=vert", 1, 4, 2, 2},
      {"videoflip video-direction=90r", 4, 1, 2, 2},
      {"videoflip video-direction=90l", 0, 5, 2, 2},
      {"videoscale ! video/x-raw,width=16,height=6,pixel-aspect-ratio=1/1", 5, 0, 2, 2},
  };
  guint major, minor, micro, nano;
  gst_version (&major, &minor, &micro, &nano);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *out = send (cases[i].launch);
    GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta (out);
    if (GST_CHECK_VERSION (1, 28, 0) && minor >= 28) {
      GstContoursComponent c;
      fail_unless (meta != NULL, "%s lost it", cases[i].launch);
      gst_contours_component_meta_get_component (meta, 0, &c);
      assert_near (c.x, cases[i].x);
      assert_near (c.y, cases[i].y);
      assert_near (c.w, cases[i].w);
      assert_near (c.h, cases[i].h);
    } else {
      fail_unless (meta == NULL, "%s kept it, with the old positions", cases[i].launch);
    }
    gst_buffer_unref (out);
  }
}
GST_END_TEST;

/* A transformation of another frame size than the metadata's cannot be followed. */
GST_START_TEST (foreign_transformation)
{
  GstVideoInfo in, out;
  gst_video_info_set_format (&in, GST_VIDEO_FORMAT_GRAY8, 10, 6);
  gst_video_info_set_format (&out, GST_VIDEO_FORMAT_GRAY8, 20, 12);
  GstVideoMetaTransform scale = {&in, &out};
  GstBuffer *buffer = sample_buffer (), *dest = gst_buffer_new ();
  GstMeta *meta = (GstMeta *) sample_attach (buffer, 0, "finder");
  const GstMetaInfo *info = gst_contours_component_meta_get_info ();
  fail_if (info->transform_func (dest, meta, buffer, gst_video_meta_transform_scale_get_quark (), &scale));
  fail_if (info->transform_func (dest, meta, buffer, g_quark_from_static_string ("some-other-transformation"), NULL));
  fail_unless (gst_buffer_get_contours_component_meta (dest) == NULL);

  gst_video_info_set_format (&in, GST_VIDEO_FORMAT_GRAY8, SAMPLE_WIDTH, SAMPLE_HEIGHT);
  gst_video_info_set_format (&out, GST_VIDEO_FORMAT_GRAY8, 2 * SAMPLE_WIDTH, 2 * SAMPLE_HEIGHT);
  fail_unless (info->transform_func (dest, meta, buffer, gst_video_meta_transform_scale_get_quark (), &scale));
  assert_equals_int (gst_contours_component_meta_get_count (gst_buffer_get_contours_component_meta (dest)), 3);
  gst_buffer_unref (buffer);
  gst_buffer_unref (dest);
}
GST_END_TEST;

/* Mirrored and turned by a quarter, as GStreamer 1.28 reports it. */
GST_START_TEST (mapping)
{
  const GstContoursMapping mirrored = {8, 6, 8, 6, -1, 0, 8, 0, 1, 0}, turned = {8, 6, 6, 8, 0, -1, 6, 1, 0, 0};
  gdouble x, y, w, h;
  gst_contours_mapping_map_point (&mirrored, 0, 2, &x, &y);
  assert_equals_float (x, 7.0);
  assert_equals_float (y, 2.0);
  gst_contours_mapping_map_box (&mirrored, 1, 0, 2, 3, &x, &y, &w, &h);
  assert_equals_float (x, 5.0);
  assert_equals_float (y, 0.0);
  assert_equals_float (w, 2.0);
  assert_equals_float (h, 3.0);
  gst_contours_mapping_map_point (&turned, 1, 0, &x, &y);
  assert_equals_float (x, 5.0);
  assert_equals_float (y, 1.0);
  gst_contours_mapping_map_box (&turned, 1, 0, 2, 3, &x, &y, &w, &h);
  assert_equals_float (x, 3.0);
  assert_equals_float (y, 1.0);
  assert_equals_float (w, 3.0);
  assert_equals_float (h, 2.0);
  fail_if (gst_contours_mapping_is_identity (&mirrored));
}
GST_END_TEST;

static Suite *
meta_suite (void)
{
  Suite *suite = suite_create ("componentmeta");
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
  tcase_add_test (tcase, kept);
  tcase_add_test (tcase, both_branches_of_a_tee);
  tcase_add_test (tcase, scaled);
  tcase_add_test (tcase, scaled_back_is_exact);
  tcase_add_test (tcase, dropped_or_followed);
  tcase_add_test (tcase, foreign_transformation);
  tcase_add_test (tcase, mapping);
  return suite;
}

GST_CHECK_MAIN (meta);
