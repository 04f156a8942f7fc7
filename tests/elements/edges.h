/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers check the pictures of cudacanny and cudaforeground: the core's mask, in every format, by a table that is independent of
 * the element's own. */
#ifndef EDGES_H
#define EDGES_H

#include "frames.h"

typedef struct {
  guint pixel_size, x_shift, y_shift;
  guint8 edge[4], background[4];
} EdgePlane;

typedef struct {
  GstVideoFormat video;
  guint n_planes;
  EdgePlane planes[3];
} EdgeFormat;

/* clang-format off */
#define WHITE_8 {1, 0, 0, {0xff}, {0}}
#define NEUTRAL_8(x_shift, y_shift) {1, x_shift, y_shift, {0x80}, {0x80}}
#define NEUTRAL_8_8 {2, 1, 1, {0x80, 0x80}, {0x80, 0x80}}
#define NEUTRAL_PAIR(x_shift) {2, x_shift, 0, {0x80, 0x80}, {0x80, 0x80}}
#define WHITE_16(low, high) {2, 0, 0, {low, high}, {0}}
#define NEUTRAL_16(x_shift, y_shift, high) {2, x_shift, y_shift, {0, high}, {0, high}}
#define NEUTRAL_16_16 {4, 1, 1, {0, 0x80, 0, 0x80}, {0, 0x80, 0, 0x80}}
#define PACKED(size, b0, b1, b2, b3) {size, 0, 0, {0xff, 0xff, 0xff, 0xff}, {b0, b1, b2, b3}}

static const EdgeFormat edge_formats[] = {
    {GST_VIDEO_FORMAT_GRAY8, 1, {WHITE_8}},
    {GST_VIDEO_FORMAT_GRAY16_LE, 1, {{2, 0, 0, {0xff, 0xff}, {0}}}},
    {GST_VIDEO_FORMAT_NV12, 2, {WHITE_8, NEUTRAL_8_8}},
    {GST_VIDEO_FORMAT_NV21, 2, {WHITE_8, NEUTRAL_8_8}},
    {GST_VIDEO_FORMAT_I420, 3, {WHITE_8, NEUTRAL_8 (1, 1), NEUTRAL_8 (1, 1)}},
    {GST_VIDEO_FORMAT_YV12, 3, {WHITE_8, NEUTRAL_8 (1, 1), NEUTRAL_8 (1, 1)}},
    {GST_VIDEO_FORMAT_Y42B, 3, {WHITE_8, NEUTRAL_8 (1, 0), NEUTRAL_8 (1, 0)}},
    {GST_VIDEO_FORMAT_Y444, 3, {WHITE_8, NEUTRAL_8 (0, 0), NEUTRAL_8 (0, 0)}},
    {GST_VIDEO_FORMAT_P010_10LE, 2, {{2, 0, 0, {0xc0, 0xff}, {0}}, NEUTRAL_16_16}},
    {GST_VIDEO_FORMAT_P016_LE, 2, {{2, 0, 0, {0xff, 0xff}, {0}}, NEUTRAL_16_16}},
    {GST_VIDEO_FORMAT_NV16, 2, {WHITE_8, NEUTRAL_PAIR (1)}},
    {GST_VIDEO_FORMAT_NV61, 2, {WHITE_8, NEUTRAL_PAIR (1)}},
    {GST_VIDEO_FORMAT_NV24, 2, {WHITE_8, NEUTRAL_PAIR (0)}},
    {GST_VIDEO_FORMAT_Y41B, 3, {WHITE_8, NEUTRAL_8 (2, 0), NEUTRAL_8 (2, 0)}},
    {GST_VIDEO_FORMAT_I420_10LE, 3, {WHITE_16 (0xff, 3), NEUTRAL_16 (1, 1, 2), NEUTRAL_16 (1, 1, 2)}},
    {GST_VIDEO_FORMAT_I422_10LE, 3, {WHITE_16 (0xff, 3), NEUTRAL_16 (1, 0, 2), NEUTRAL_16 (1, 0, 2)}},
    {GST_VIDEO_FORMAT_I422_12LE, 3, {WHITE_16 (0xff, 0xf), NEUTRAL_16 (1, 0, 8), NEUTRAL_16 (1, 0, 8)}},
    {GST_VIDEO_FORMAT_Y444_16LE, 3, {WHITE_16 (0xff, 0xff), NEUTRAL_16 (0, 0, 0x80), NEUTRAL_16 (0, 0, 0x80)}},
    {GST_VIDEO_FORMAT_P012_LE, 2, {WHITE_16 (0xf0, 0xff), NEUTRAL_16_16}},
    {GST_VIDEO_FORMAT_I420_12LE, 3, {WHITE_16 (0xff, 0xf), NEUTRAL_16 (1, 1, 8), NEUTRAL_16 (1, 1, 8)}},
    {GST_VIDEO_FORMAT_Y444_10LE, 3, {WHITE_16 (0xff, 3), NEUTRAL_16 (0, 0, 2), NEUTRAL_16 (0, 0, 2)}},
    {GST_VIDEO_FORMAT_Y444_12LE, 3, {WHITE_16 (0xff, 0xf), NEUTRAL_16 (0, 0, 8), NEUTRAL_16 (0, 0, 8)}},
    {GST_VIDEO_FORMAT_YUY2, 1, {{2, 0, 0, {0xff, 0x80}, {0, 0x80}}}},
    {GST_VIDEO_FORMAT_YVYU, 1, {{2, 0, 0, {0xff, 0x80}, {0, 0x80}}}},
    {GST_VIDEO_FORMAT_UYVY, 1, {{2, 0, 0, {0x80, 0xff}, {0x80, 0}}}},
    {GST_VIDEO_FORMAT_VYUY, 1, {{2, 0, 0, {0x80, 0xff}, {0x80, 0}}}},
    {GST_VIDEO_FORMAT_RGBA, 1, {PACKED (4, 0, 0, 0, 0xff)}},
    {GST_VIDEO_FORMAT_BGRA, 1, {PACKED (4, 0, 0, 0, 0xff)}},
    {GST_VIDEO_FORMAT_RGBx, 1, {PACKED (4, 0, 0, 0, 0xff)}},
    {GST_VIDEO_FORMAT_BGRx, 1, {PACKED (4, 0, 0, 0, 0xff)}},
    {GST_VIDEO_FORMAT_ARGB, 1, {PACKED (4, 0xff, 0, 0, 0)}},
    {GST_VIDEO_FORMAT_ABGR, 1, {PACKED (4, 0xff, 0, 0, 0)}},
    {GST_VIDEO_FORMAT_RGB, 1, {PACKED (3, 0, 0, 0, 0)}},
    {GST_VIDEO_FORMAT_BGR, 1, {PACKED (3, 0, 0, 0, 0)}},
};
/* clang-format on */

static inline const EdgeFormat *
edge_format (GstVideoFormat video)
{
  for (guint i = 0; i < G_N_ELEMENTS (edge_formats); i++)
    if (edge_formats[i].video == video)
      return &edge_formats[i];
  g_assert_not_reached ();
}

/* Returns the edges that the core's host backend finds in the frame, as one byte a pixel, 0 or 255, in rows without
 * padding; free with g_free(). */
static inline guint8 *
expected_edges (const TestFrame *frame, const CtrCannyParams *params)
{
  guint8 *mask = g_malloc ((gsize) frame->width * frame->height), *pixels;
  CtrImage image = first_plane (frame, &pixels);
  CtrEdgePicture picture;
  CtrCannyParams in_format = *params;
  CtrError error = {0};
  CtrCanny *canny = ctr_canny_new (CTR_BACKEND_CPU, &error);

  in_format.significant_bits = format_bits (frame->format);
  ctr_edge_picture_init_mask (&picture, mask, frame->width, CTR_MEMORY_HOST);
  fail_unless (ctr_canny_run (canny, &image, &in_format, &picture, NULL, &error), "%s", error.message);
  ctr_canny_free (canny);
  g_free (pixels);
  return mask;
}

static inline gboolean
edge_under (const guint8 *mask, const TestFrame *frame, const EdgePlane *plane, gint column, gint row)
{
  const gint x_step = 1 << plane->x_shift, y_step = 1 << plane->y_shift;

  for (gint y = row * y_step; y < MIN ((row + 1) * y_step, frame->height); y++)
    for (gint x = column * x_step; x < MIN ((column + 1) * x_step, frame->width); x++)
      if (mask[(gsize) y * frame->width + x])
        return TRUE;
  return FALSE;
}

/* BUFFER must show the edges MASK of FRAME in white, or (THROUGH) in FRAME's own colours. */
static inline void
assert_edges_are (GstBuffer *buffer, const TestFrame *frame, const guint8 *mask, gboolean through)
{
  const EdgeFormat *format = edge_format (frame->format);
  GstVideoInfo info;
  GstVideoFrame out;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&out, &info, buffer, GST_MAP_READ));
  fail_unless_equals_int (GST_VIDEO_FRAME_N_PLANES (&out), format->n_planes);
  for (guint p = 0; p < format->n_planes; p++) {
    const EdgePlane *plane = &format->planes[p];
    const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (&out, p);

    for (gint row = 0; row < (frame->height + (1 << plane->y_shift) - 1) >> plane->y_shift; row++)
      for (gint column = 0; column < (frame->width + (1 << plane->x_shift) - 1) >> plane->x_shift; column++) {
        const gboolean edge = edge_under (mask, frame, plane, column, row);

        for (guint i = 0; i < plane->pixel_size; i++) {
          const gsize at = column * plane->pixel_size + i;
          const guint8 found = data[(gsize) row * GST_VIDEO_FRAME_PLANE_STRIDE (&out, p) + at];
          const guint8 wanted = !edge     ? plane->background[i]
                                : through ? frame_byte (frame->seed, p, at, row)
                                          : plane->edge[i];

          if (found != wanted)
            ck_abort_msg ("%s %d x %d, padding %d: plane %u, column %d, row %d, byte %u is %u, not %u",
                gst_video_format_to_string (frame->format), frame->width, frame->height, frame->padding, p, column, row,
                i, found, wanted);
        }
      }
  }
  gst_video_frame_unmap (&out);
}

static inline void
assert_edges (GstBuffer *buffer, const TestFrame *frame, const CtrCannyParams *params, gboolean through)
{
  guint8 *mask = expected_edges (frame, params);

  assert_edges_are (buffer, frame, mask, through);
  g_free (mask);
}

/* Sends FRAME through H: a new buffer must come back, with the edges MASK. */
static inline void
check_edges_are (GstHarness *h, const TestFrame *frame, const guint8 *mask, gboolean through)
{
  GstBuffer *out = render_frame (h, frame);

  assert_edges_are (out, frame, mask, through);
  gst_buffer_unref (out);
}

static inline void
check_edges (GstHarness *h, const TestFrame *frame, const CtrCannyParams *params, gboolean through)
{
  guint8 *mask = expected_edges (frame, params);

  check_edges_are (h, frame, mask, through);
  g_free (mask);
}

/* Returns the foreground that the core's host backend finds in the frame, as expected_edges() does. */
static inline guint8 *
expected_mask (const TestFrame *frame, const CtrForeground *foreground)
{
  guint8 *mask = g_malloc ((gsize) frame->width * frame->height), *pixels;
  CtrImage image = all_planes (frame, &pixels);
  CtrEdgePicture picture;
  CtrError error = {0};
  CtrMask *maker = ctr_mask_new (CTR_BACKEND_CPU, &error);

  ctr_edge_picture_init_mask (&picture, mask, frame->width, CTR_MEMORY_HOST);
  fail_unless (ctr_mask_run (maker, &image, foreground, &picture, NULL, &error), "%s", error.message);
  ctr_mask_free (maker);
  g_free (pixels);
  return mask;
}

#endif
