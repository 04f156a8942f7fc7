/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sample.h"

#include "core/results/contourlist.h"

#include <contours/contours.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>

static const guint8 picture[SAMPLE_WIDTH * SAMPLE_HEIGHT] = {
    0, 255, 255, 0, 0, 0, 0, 0,   /* */
    0, 255, 0, 0, 0, 9, 200, 210, /* */
    0, 0, 0, 0, 0, 0, 0, 220,     /* */
    0, 0, 0, 0, 0, 0, 230, 0,     /* 8-connected */
    0, 0, 0, 0, 0, 0, 0, 0,       /* */
    128, 0, 0, 0, 127, 0, 0, 0,   /* */
};

static GstPadProbeReturn
answer_latency (G_GNUC_UNUSED GstPad *pad, GstPadProbeInfo *info, G_GNUC_UNUSED gpointer user_data)
{
  if (GST_QUERY_TYPE (info->data) != GST_QUERY_LATENCY)
    return GST_PAD_PROBE_OK;
  gst_query_set_latency (info->data, FALSE, 0, GST_CLOCK_TIME_NONE);
  return GST_PAD_PROBE_HANDLED;
}

void
sample_play_file (GstHarness *h)
{
  gst_pad_add_probe (h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer_latency, NULL, NULL);
}

GstBuffer *
sample_buffer (void)
{
  GstBuffer *buffer = gst_buffer_new_memdup (picture, sizeof picture);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

CtrComponents *
sample_analyse (const guint8 *samples, guint width, guint height, guint features)
{
  const CtrImage image = {samples, width, width, height, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
  CtrCcaParams params;
  CtrError error;
  ctr_cca_params_init (&params);
  params.features = features;
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, &error);
  CtrComponents *components = cca ? ctr_cca_run (cca, &image, &params, NULL, &error) : NULL;
  if (!components)
    g_error ("%s", error.message);
  ctr_cca_free (cca);
  return components;
}

GstContoursComponentMeta *
sample_attach (GstBuffer *buffer, guint features, const gchar *source)
{
  CtrComponents *components = sample_analyse (picture, SAMPLE_WIDTH, SAMPLE_HEIGHT, features);
  GstContoursComponentMeta *meta = gst_buffer_add_contours_component_meta (buffer, components, source);
  ctr_components_unref (components);
  return meta;
}

GstBuffer *
sample_dots (guint width, guint height)
{
  guint8 *samples = g_malloc0 ((gsize) width * height);
  for (guint y = 0; y < height; y += 2)
    for (guint x = 0; x < width; x += 2)
      samples[(gsize) y * width + x] = 255;
  GstBuffer *buffer = gst_buffer_new_wrapped (samples, (gsize) width * height);
  CtrComponents *components = sample_analyse (samples, width, height, 0);
  gst_buffer_add_contours_component_meta (buffer, components, "dots");
  ctr_components_unref (components);
  return buffer;
}

GstBuffer *
sample_send (const gchar *launch, GstBuffer *buffer)
{
  /* The parser takes no caps at the end. */
  gchar *description = g_strconcat (launch, " ! identity", NULL);
  GstHarness *h = gst_harness_new_parse (description);
  sample_play_file (h);
  g_free (description);
  gst_harness_set_src_caps_str (h, SAMPLE_CAPS);
  GstBuffer *out = gst_harness_push_and_pull (h, buffer);
  fail_unless (out != NULL);
  gst_harness_teardown (h);
  return out;
}

const CtrPoint sample_points[SAMPLE_POINTS] = {
    {1, 1},
    {1, 4},
    {6, 4},
    {6, 1}, /* */
    {3, 2},
    {4, 3},
    {3, 4},
    {2, 3}, /* */
    {7, 0},
};

#define DIAGONAL 11863283 /* the square root of 2 as float, in CTR_LENGTH_UNIT */

static const CtrContour sample_table[SAMPLE_CONTOURS] = {
    {0, -30, 16 << 23, 4, 2, -1, 1, -1, 0, 0, 1, 1, 6, 4, 0},
    {4, 4, 4 * DIAGONAL, 4, -1, -1, -1, 0, CTR_CONTOUR_HOLE, 5, 2, 2, 3, 3, 0},
    {8, 0, 0, 1, -1, 0, -1, -1, 0, 0, 7, 0, 1, 1, 0},
};

static CtrContour
sample_row (guint index, CtrCoordinates coordinates)
{
  CtrContour row = sample_table[index];
  if (coordinates == CTR_COORDINATES_CORNERS) {
    row.width--;
    row.height--;
  }
  return row;
}

/* The sums that cv::moments() adds up. */
static void
sum_up (const CtrContour *row, CtrContourSums *sums)
{
  gint64 totals[10] = {0};
  for (guint i = 0; i < row->count; i++) {
    const CtrPoint *from = &sample_points[row->first + i], *to = &sample_points[row->first + (i + 1) % row->count];
    gint64 x0 = from->x, y0 = from->y, x1 = to->x, y1 = to->y, c = x0 * y1 - x1 * y0;
    const gint64 terms[10] = {
        1,
        x0 + x1,
        y0 + y1,
        x0 * (x0 + x1) + x1 * x1,
        x0 * (y0 + y0 + y1) + x1 * (y0 + y1 + y1),
        y0 * (y0 + y1) + y1 * y1,
        (x0 + x1) * (x0 * x0 + x1 * x1),
        x0 * x0 * (3 * y0 + y1) + 2 * x0 * x1 * (y0 + y1) + x1 * x1 * (y0 + 3 * y1),
        y0 * y0 * (3 * x0 + x1) + 2 * y0 * y1 * (x0 + x1) + y1 * y1 * (x0 + 3 * x1),
        (y0 + y1) * (y0 * y0 + y1 * y1),
    };
    for (guint t = 0; t < 10; t++)
      totals[t] += terms[t] * c;
  }
  for (guint t = 0; t < 10; t++) {
    sums->words[t][0] = totals[t];
    sums->words[t][1] = totals[t] < 0 ? G_MAXUINT64 : 0;
  }
}

static bool
fetch (void *user_data, CtrContoursArray array, void *to, size_t size, CtrError *error)
{
  SampleGpu *gpu = user_data;
  g_atomic_int_inc (&gpu->fetched[array]);
  if (gpu->broken) {
    *error = (CtrError){CTR_ERROR_CUDA, "the GPU has fallen off the bus"};
    return false;
  }
  for (guint i = 0; i < SAMPLE_CONTOURS; i++) {
    CtrContour row = sample_row (i, gpu->coordinates);
    if (array == CTR_CONTOURS_TABLE)
      ((CtrContour *) to)[i] = row;
    else if (array == CTR_CONTOURS_SUMS)
      sum_up (&row, &((CtrContourSums *) to)[i]);
  }
  if (array == CTR_CONTOURS_POINTS)
    memcpy (to, sample_points, sizeof sample_points);
  return true;
}

static void
destroy (void *user_data)
{
  ((SampleGpu *) user_data)->destroyed++;
}

CtrContours *
sample_contours (SampleGpu *gpu, guint features, CtrCoordinates coordinates)
{
  static const CtrContoursSource ops = {.fetch = fetch, .destroy = destroy};
  const CtrContours info = {
      .width = SAMPLE_WIDTH,
      .height = SAMPLE_HEIGHT,
      .count = SAMPLE_CONTOURS,
      .threshold = 77,
      .point_count = SAMPLE_POINTS,
      .coordinates = coordinates,
      .features = features,
      .vertices = coordinates == CTR_COORDINATES_PIXELS ? CTR_VERTICES_TURNS : CTR_VERTICES_ANY, /* some are diagonal */
  };
  CtrError error;
  *gpu = (SampleGpu){.coordinates = coordinates};
  CtrContours *contours = ctr_contours_new_remote (&info, &ops, gpu, &error);
  if (!contours)
    g_error ("%s", error.message);
  return contours;
}

GstContoursContourMeta *
sample_attach_contours (
    GstBuffer *buffer, SampleGpu *gpu, guint features, CtrCoordinates coordinates, const gchar *source)
{
  CtrContours *contours = sample_contours (gpu, features, coordinates);
  GstContoursContourMeta *meta = gst_buffer_add_contours_contour_meta (buffer, contours, source);
  ctr_contours_unref (contours);
  return meta;
}
