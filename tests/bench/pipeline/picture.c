/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/picture.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/outlines.h"

#include <gst/app/gstappsink.h>
#include <gst/video/video.h>
#include <string.h>

typedef struct {
  guint width;
  guint height;
  guint8 *samples;
} Grey;

static guint
mixed (guint a, guint b)
{
  guint h = a * 0x9e3779b1u + b * 0x85ebca6bu;

  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

/* Random values on a grid of 32 pixels, bilinear between them: 0 to 255. */
static guint
texture (guint x, guint y)
{
  const guint gx = x / 32, gy = y / 32, fx = x % 32, fy = y % 32;
  const guint top = (mixed (gx, gy) & 255) * (32 - fx) + (mixed (gx + 1, gy) & 255) * fx;
  const guint bottom = (mixed (gx, gy + 1) & 255) * (32 - fx) + (mixed (gx + 1, gy + 1) & 255) * fx;

  return (top * (32 - fy) + bottom * fy) / (32 * 32);
}

/* Metal of about 180 on a ground of about 60: the lamp is off the middle, surfaces are uneven, the camera has noise. */
static void
light (guint8 *samples, guint width, guint height)
{
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      guint8 *sample = samples + (gsize) y * width + x;
      const gint lamp = 24 - (gint) (x * 16 / width) - (gint) (y * 16 / height);
      const gint rough = (gint) texture (x, y) / 8 - 16;
      const gint noise = (gint) (mixed (x + 7919, y) % 5) - 2;

      *sample = (*sample ? 180 : 60) + lamp + rough + noise;
    }
}

/* Twelve ellipses of different sizes, none near another. */
static void
parts_mask (guint width, guint height, guint8 *mask)
{
  const gint cell_width = MAX (width / 4, 1), cell_height = MAX (height / 3, 1);

  for (gint y = 0; y < (gint) height; y++)
    for (gint x = 0; x < (gint) width; x++) {
      const gint column = x / cell_width, row = y / cell_height;
      const guint shape = mixed (column, row + 31);
      const gint64 a = MAX (cell_width * (gint) (40 + shape % 30) / 200, 1);
      const gint64 b = MAX (cell_height * (gint) (40 + shape / 64 % 30) / 200, 1);
      const gint64 dx = x - (column * cell_width + cell_width / 2), dy = y - (row * cell_height + cell_height / 2);

      mask[(gsize) y * width + x] =
          column < 4 && row < 3 && dx * dx * b * b + dy * dy * a * a < a * a * b * b ? 255 : 0;
    }
}

static guint8 *
drawn (PictureKind kind, guint width, guint height)
{
  guint8 *samples = g_malloc ((gsize) width * height);

  if (kind == PICTURE_PARTS)
    parts_mask (width, height, samples);
  else
    bench_board_mask (width, height, samples);
  light (samples, width, height);
  return samples;
}

static gboolean
read_pgm (const gchar *file, Grey *grey)
{
  uint32_t channels;

  grey->samples = bench_read_image (file, &grey->width, &grey->height, &channels);
  if (grey->samples && channels == 1)
    return TRUE;
  if (grey->samples)
    g_printerr ("%s: the picture must be grey (P5)\n", file);
  return FALSE;
}

static void
take_sample (GstSample *sample, Grey *grey)
{
  GstVideoFrame frame;
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ))
    return;
  grey->width = info.width;
  grey->height = info.height;
  grey->samples = g_malloc ((gsize) grey->width * grey->height);
  for (guint y = 0; y < grey->height; y++)
    memcpy (grey->samples + (gsize) y * grey->width,
        (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, 0) + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
        grey->width);
  gst_video_frame_unmap (&frame);
}

static gboolean
decode (const gchar *file, const gchar *decoder, Grey *grey)
{
  gchar *line = g_strdup_printf (
      "filesrc name=file ! %s ! videoconvert ! video/x-raw,format=GRAY8 ! appsink name=sink sync=false", decoder);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  GstSample *sample = NULL;

  if (!error) {
    GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "file");
    GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");

    g_object_set (source, "location", file, NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    sample = gst_app_sink_pull_sample (GST_APP_SINK (sink));
    gst_object_unref (source);
    gst_object_unref (sink);
  }
  if (sample) {
    take_sample (sample, grey);
    gst_sample_unref (sample);
  }
  if (!grey->samples)
    g_printerr ("%s: the picture could not be decoded%s%s\n", file, error ? ": " : "", error ? error->message : "");
  if (pipeline) {
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
  g_clear_error (&error);
  g_free (line);
  return grey->samples != NULL;
}

/* Each sample comes from the nearest one of the picture. */
static guint8 *
scaled (const Grey *grey, guint width, guint height)
{
  guint8 *samples = g_malloc ((gsize) width * height);

  for (guint y = 0; y < height; y++) {
    const guint8 *row = grey->samples + (gsize) ((guint64) y * grey->height / height) * grey->width;

    for (guint x = 0; x < width; x++)
      samples[(gsize) y * width + x] = row[(guint64) x * grey->width / width];
  }
  return samples;
}

guint8 *
picture_new (const gchar *file, PictureKind kind, guint width, guint height)
{
  Grey grey = {0};
  guint8 *samples = NULL;
  gboolean read;

  if (!file)
    return drawn (kind, width, height);
  if (g_str_has_suffix (file, ".png"))
    read = decode (file, "pngdec", &grey);
  else if (g_str_has_suffix (file, ".jpg") || g_str_has_suffix (file, ".jpeg"))
    read = decode (file, "jpegdec", &grey);
  else
    read = read_pgm (file, &grey);
  if (read)
    samples = scaled (&grey, width, height);
  g_free (grey.samples);
  return samples;
}
