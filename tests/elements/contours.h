/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers compare the contours that cudaborders, cudacrackcontour and cudasnake attach with those of the core. */
#ifndef CONTOURS_H
#define CONTOURS_H

#include "frames.h"

/* Returns the contours that the core's host backend finds in the frame; free with ctr_contours_unref(). */
static inline CtrContours *
expected_contours (const TestFrame *frame, const CtrBordersParams *params)
{
  guint8 *pixels;
  CtrImage image = all_planes (frame, &pixels);
  CtrError error = {0};
  CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
  CtrContours *contours = ctr_borders_run (borders, &image, params, NULL, &error);

  fail_unless (contours != NULL, "%s", error.message);
  ctr_borders_free (borders);
  g_free (pixels);
  return contours;
}

/* Returns the crack contours that the core's host backend finds in the frame; free with ctr_contours_unref(). */
static inline CtrContours *
expected_cracks (const TestFrame *frame, const CtrCracksParams *params)
{
  guint8 *pixels;
  CtrImage image = all_planes (frame, &pixels);
  CtrError error = {0};
  CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, &error);
  CtrContours *contours = ctr_cracks_run (cracks, &image, params, NULL, &error);

  fail_unless (contours != NULL, "%s", error.message);
  ctr_cracks_free (cracks);
  g_free (pixels);
  return contours;
}

/* Returns the outlines of COUNT objects that the core's host backend finds in IMAGE; free with ctr_contours_unref(). */
static inline CtrContours *
outlines_in (const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects, guint count)
{
  CtrError error = {0};
  CtrSnake *snake = ctr_snake_new (CTR_BACKEND_CPU, &error);
  CtrContours *contours = ctr_snake_run (snake, image, params, objects, count, NULL, &error);

  fail_unless (contours != NULL, "%s", error.message);
  ctr_snake_free (snake);
  return contours;
}

static inline CtrContours *
expected_outlines (const TestFrame *frame, const CtrSnakeParams *params, const CtrSnakeObject *objects, guint count)
{
  guint8 *pixels;
  CtrImage image = all_planes (frame, &pixels);
  CtrContours *contours = outlines_in (&image, params, objects, count);

  g_free (pixels);
  return contours;
}

static inline void
assert_same_contours (CtrContours *a, CtrContours *b, const gchar *what)
{
  CtrError error = {0};
  const void *of_a, *of_b;

  fail_unless (a->width == b->width && a->height == b->height, "%s: size", what);
  fail_unless (a->threshold == b->threshold, "%s: threshold %u, not %u", what, a->threshold, b->threshold);
  fail_unless (a->count == b->count, "%s: %u contours, not %u", what, a->count, b->count);
  fail_unless (a->point_count == b->point_count, "%s: %" G_GUINT64_FORMAT " points, not %" G_GUINT64_FORMAT, what,
      a->point_count, b->point_count);
  fail_unless (a->coordinates == b->coordinates, "%s: coordinates", what);
  fail_unless (a->features == b->features, "%s: features 0x%x, not 0x%x", what, a->features, b->features);
  of_a = ctr_contours_map_table (a, &error);
  of_b = ctr_contours_map_table (b, &error);
  fail_unless (of_a && of_b, "%s: %s", what, error.message);
  fail_unless (memcmp (of_a, of_b, a->count * sizeof (CtrContour)) == 0, "%s: table", what);
  of_a = ctr_contours_map_points (a, &error);
  of_b = ctr_contours_map_points (b, &error);
  fail_unless (of_a && of_b, "%s: %s", what, error.message);
  fail_unless (memcmp (of_a, of_b, a->point_count * sizeof (CtrPoint)) == 0, "%s: points", what);
  if (a->features & CTR_CONTOUR_SHAPE_FEATURES)
    fail_unless (memcmp (ctr_contours_map_shapes (a, NULL), ctr_contours_map_shapes (b, NULL),
                     a->count * sizeof (CtrContourShape))
                     == 0,
        "%s: shapes", what);
  if (a->features & CTR_CONTOUR_FEATURE_FITS)
    fail_unless (
        memcmp (ctr_contours_map_fits (a, NULL), ctr_contours_map_fits (b, NULL), a->count * sizeof (CtrContourFits))
            == 0,
        "%s: fits", what);
  if (a->features & CTR_CONTOUR_FEATURE_REGIONS) {
    of_a = ctr_contours_map_regions (a, &error);
    of_b = ctr_contours_map_regions (b, &error);
    fail_unless (of_a && of_b, "%s: %s", what, error.message);
    fail_unless (memcmp (of_a, of_b, a->count * sizeof (CtrSnakeRegion)) == 0, "%s: regions", what);
  }
  if (a->features & CTR_CONTOUR_FEATURE_NESTING) {
    of_a = ctr_contours_map_nesting (a, &error);
    of_b = ctr_contours_map_nesting (b, &error);
    fail_unless (of_a && of_b, "%s: %s", what, error.message);
    fail_unless (memcmp (of_a, of_b, a->count * sizeof (CtrContourNesting)) == 0, "%s: nesting", what);
  }
  if (a->features & CTR_CONTOUR_FEATURE_SUBPIXEL) {
    of_a = ctr_contours_map_subpixel (a, &error);
    of_b = ctr_contours_map_subpixel (b, &error);
    fail_unless (of_a && of_b, "%s: %s", what, error.message);
    fail_unless (memcmp (of_a, of_b, a->point_count * sizeof (CtrSubpixelPoint)) == 0, "%s: subpixels", what);
  }
  if (!(a->features & CTR_CONTOUR_FEATURE_MOMENTS))
    return;
  of_a = ctr_contours_map_sums (a, &error);
  of_b = ctr_contours_map_sums (b, &error);
  fail_unless (of_a && of_b, "%s: %s", what, error.message);
  fail_unless (memcmp (of_a, of_b, a->count * sizeof (CtrContourSums)) == 0, "%s: sums", what);
}

/* BUFFER, made of FRAME, must carry EXPECTED (transfer full): by the element SOURCE, or as its only result (NULL). */
static inline void
assert_carries (GstBuffer *buffer, const gchar *source, const TestFrame *frame, CtrContours *expected)
{
  GstContoursContourMeta *meta = source ? gst_buffer_get_contours_contour_meta_by_source (buffer, source)
                                        : gst_buffer_get_contours_contour_meta (buffer);
  gchar *what = describe_frame (frame);

  fail_unless (meta != NULL, "%s: no metadata", what);
  fail_unless (
      source || gst_buffer_get_n_meta (buffer, GST_CONTOURS_CONTOUR_META_API_TYPE) == 1, "%s: several results", what);
  assert_same_contours (gst_contours_contour_meta_peek_contours (meta), expected, what);
  ctr_contours_unref (expected);
  g_free (what);
}

static inline void
assert_contours (GstBuffer *buffer, const gchar *source, const TestFrame *frame, const CtrBordersParams *params)
{
  assert_carries (buffer, source, frame, expected_contours (frame, params));
}

static inline void
assert_cracks (GstBuffer *buffer, const gchar *source, const TestFrame *frame, const CtrCracksParams *params)
{
  assert_carries (buffer, source, frame, expected_cracks (frame, params));
}

static inline void
assert_outlines (GstBuffer *buffer, const gchar *source, const TestFrame *frame, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, guint count)
{
  assert_carries (buffer, source, frame, expected_outlines (frame, params, objects, count));
}

/* Sends FRAME through H, which must return the picture unchanged, with the core's result attached. */
static inline void
check_contours (GstHarness *h, const TestFrame *frame, const CtrBordersParams *params)
{
  GstBuffer *buffer = pass_frame (h, frame);

  assert_contours (buffer, NULL, frame, params);
  gst_buffer_unref (buffer);
}

static inline void
check_cracks (GstHarness *h, const TestFrame *frame, const CtrCracksParams *params)
{
  GstBuffer *buffer = pass_frame (h, frame);

  assert_cracks (buffer, NULL, frame, params);
  gst_buffer_unref (buffer);
}

static inline void
check_outlines (
    GstHarness *h, const TestFrame *frame, const CtrSnakeParams *params, const CtrSnakeObject *objects, guint count)
{
  GstBuffer *buffer = pass_frame (h, frame);

  assert_outlines (buffer, NULL, frame, params, objects, count);
  gst_buffer_unref (buffer);
}

/* Sends a frame through H, which must come out without contours. Its one warning must contain TEXT (NULL: no
 * warning). */
static inline void
check_refused (GstHarness *h, GstBus *bus, const TestFrame *frame, const gchar *text)
{
  GstBuffer *buffer = pass_frame (h, frame);
  GstMessage *message = pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

  fail_unless_equals_int (gst_contours_contour_meta_get_count (gst_buffer_get_contours_contour_meta (buffer)), 0);
  gst_buffer_unref (buffer);
  if (text) {
    GError *error = NULL;

    fail_unless (message != NULL, "no warning of \"%s\"", text);
    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
    message = pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  }
  fail_unless (message == NULL, "a message too many");
}

#endif
