/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers draw noisy frames of discs for the tests of cudasnake, and check the outlines found in them. */
#ifndef DISCS_H
#define DISCS_H

#include "contours.h"

#include <math.h>

static const CtrSnakeObject whole = {.start = CTR_SNAKE_START_AUTO};

static inline CtrSnakeParams
default_params (void)
{
  CtrSnakeParams params;

  ctr_snake_params_init (&params);
  return params;
}

/* A disc whose centre is a corner of pixels. */
typedef struct {
  gint x, y, radius;
} Disc;

#define SCENE_WIDTH 200
#define SCENE_HEIGHT 140

static const TestFrame scene_frame = {.format = GST_VIDEO_FORMAT_NV12, .width = SCENE_WIDTH, .height = SCENE_HEIGHT};

static inline gboolean
is_inside (const Disc *disc, gint x, gint y)
{
  return hypot (x + 0.5 - disc->x, y + 0.5 - disc->y) < disc->radius;
}

/* Draws a background of 96 to 127 and discs CONTRAST brighter, with some samples of either in the other. */
static inline void
draw_contrast (guint8 *samples, const Disc *discs, guint count, guint seed, gint contrast)
{
  for (gint y = 0; y < SCENE_HEIGHT; y++)
    for (gint x = 0; x < SCENE_WIDTH; x++) {
      const guint noise = hash (seed, x, y, 0);
      gboolean inside = noise % 8 == 0;

      for (guint i = 0; i < count; i++)
        inside ^= is_inside (&discs[i], x, y);
      samples[y * SCENE_WIDTH + x] = 96 + (inside ? contrast : 0) + (noise >> 8) % 32;
    }
}

static inline void
draw_scene (guint8 *samples, const Disc *discs, guint count, guint seed)
{
  draw_contrast (samples, discs, count, seed, 32);
}

static inline CtrImage
view_scene (const guint8 *samples)
{
  return (CtrImage){samples, SCENE_WIDTH, SCENE_WIDTH, SCENE_HEIGHT, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
}

/* Returns a frame of these samples, in the memory of this run. */
static inline GstBuffer *
make_picture (const TestFrame *frame, const guint8 *samples)
{
  GstBuffer *buffer = make_frame (frame);
  GstVideoFrame map;
  GstVideoInfo info;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&map, &info, buffer, GST_MAP_WRITE));
  for (gint y = 0; y < frame->height; y++)
    memcpy ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&map, 0) + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&map, 0),
        samples + (gsize) y * frame->width, frame->width);
  gst_video_frame_unmap (&map);
  return buffer;
}

static inline GstBuffer *
pass_picture (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_pull (h);
}

static inline GstBuffer *
pass_scene (GstHarness *h, const guint8 *samples)
{
  return pass_picture (h, make_picture (&scene_frame, samples));
}

static inline void
assert_found (GstBuffer *buffer, const guint8 *samples, const CtrSnakeObject *objects, guint count, const gchar *what)
{
  CtrSnakeParams params = default_params ();
  CtrImage image = view_scene (samples);
  CtrContours *expected = outlines_in (&image, &params, objects, count);

  assert_same_contours (
      gst_contours_contour_meta_peek_contours (gst_buffer_get_contours_contour_meta (buffer)), expected, what);
  ctr_contours_unref (expected);
}

/* Outline INDEX must be that of DISC, within the tolerance that the noise requires. */
static inline void
assert_outlines_disc (GstBuffer *buffer, guint index, const Disc *disc)
{
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);
  const gdouble area = G_PI * disc->radius * disc->radius;
  GstContoursContour c;

  fail_unless (gst_contours_contour_meta_get_contour (meta, index, &c), "no outline %u", index);
  fail_unless (fabs (c.area - area) < 0.15 * area, "an area of %g, not %g", c.area, area);
  fail_unless (fabs (c.x + c.w / 2 - disc->x) < 6 && fabs (c.y + c.h / 2 - disc->y) < 6, "around %g, %g, not %d, %d",
      c.x + c.w / 2, c.y + c.h / 2, disc->x, disc->y);
}

/* Returns the object of a box with MARGIN around it. */
static inline CtrSnakeObject
object_around (gint x, gint y, gint w, gint h, gdouble margin, CtrSnakeStart start)
{
  const gint around = ceil (margin * (w + h) / 2);

  return (CtrSnakeObject){
      .window = {x - around, y - around, w + 2 * around, h + 2 * around}, .start = start, .rectangle = {x, y, w, h}};
}

#endif
