/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GstContoursContourMeta: its way through other elements, which scale, crop, turn or drop. */
#include "core/results/contourlist.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <math.h>

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
contourmeta_scaled_suite (void)
{
  Suite *suite = suite_create ("contour metadata through elements");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, scaled, 0, 2); /* pixels, corners */
  tcase_add_test (tcase, mapped);
  tcase_add_test (tcase, kept_or_dropped);
  return suite;
}

GST_CHECK_MAIN (contourmeta_scaled);
