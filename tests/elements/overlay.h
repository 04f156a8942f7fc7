/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers read the pictures of cudacontouroverlay. */
#ifndef OVERLAY_H
#define OVERLAY_H

#include "contours.h"

/* Returns the bytes of plane PLANE of BUFFER, a frame like FRAME, in rows without padding; free with g_free(). */
static inline guint8 *
plane_bytes (GstBuffer *buffer, const TestFrame *frame, guint plane)
{
  GstVideoFrame mapped;
  GstVideoInfo info;
  guint8 *bytes;
  guint row;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  row = plane_row_bytes (&info, plane);
  bytes = g_malloc (row * plane_rows (&info, plane));
  fail_unless (gst_video_frame_map (&mapped, &info, buffer, GST_MAP_READ));
  for (guint y = 0; y < plane_rows (&info, plane); y++)
    memcpy (bytes + y * row,
        (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&mapped, plane) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&mapped, plane),
        row);
  gst_video_frame_unmap (&mapped);
  return bytes;
}

/* Returns how many samples of the first plane, of a byte each, differ from FRAME's in the given rectangle. */
static inline guint
count_drawn (GstBuffer *buffer, const TestFrame *frame, gint left, gint top, gint width, gint height)
{
  guint8 *bytes = plane_bytes (buffer, frame, 0);
  guint count = 0;

  for (gint y = MAX (top, 0); y < MIN (top + height, frame->height); y++)
    for (gint x = MAX (left, 0); x < MIN (left + width, frame->width); x++)
      count += bytes[y * frame->width + x] != frame_byte (frame->seed, 0, x, y);
  g_free (bytes);
  return count;
}

static inline guint
count_all (GstBuffer *buffer, const TestFrame *frame)
{
  return count_drawn (buffer, frame, 0, 0, frame->width, frame->height);
}

static inline void
assert_same_picture (GstBuffer *a, GstBuffer *b, const TestFrame *frame)
{
  GstVideoInfo info;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    guint8 *of_a = plane_bytes (a, frame, p), *of_b = plane_bytes (b, frame, p);

    fail_unless (memcmp (of_a, of_b, plane_row_bytes (&info, p) * plane_rows (&info, p)) == 0,
        "%s: plane %u is another", gst_video_format_to_string (frame->format), p);
    g_free (of_a);
    g_free (of_b);
  }
}

/* BUFFER must have FRAME's own pixels. */
static inline void
assert_untouched (GstBuffer *buffer, const TestFrame *frame)
{
  GstBuffer *fresh = make_frame (frame);

  assert_same_picture (buffer, fresh, frame);
  gst_buffer_unref (fresh);
}

static inline GstBuffer *
pass (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  return gst_harness_pull (h);
}

static inline GstVideoRegionOfInterestMeta *
add_region (GstBuffer *buffer, guint x, guint y, guint width, guint height)
{
  return gst_buffer_add_video_region_of_interest_meta (buffer, "thing", x, y, width, height);
}

#endif
