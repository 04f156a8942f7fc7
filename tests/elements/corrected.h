/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers check the frames of cudabackground. */
#ifndef CORRECTED_H
#define CORRECTED_H

#include "frames.h"

/* The bits of a corrected sample of FRAME. */
static inline guint32
corrected_mask (const TestFrame *frame)
{
  switch (frame->format) {
    case GST_VIDEO_FORMAT_P010_10LE:
      return 0xffc0;
    case GST_VIDEO_FORMAT_P012_LE:
      return 0xfff0;
    case GST_VIDEO_FORMAT_I420_10LE:
    case GST_VIDEO_FORMAT_I422_10LE:
    case GST_VIDEO_FORMAT_Y444_10LE:
      return 0x3ff;
    case GST_VIDEO_FORMAT_I420_12LE:
    case GST_VIDEO_FORMAT_I422_12LE:
    case GST_VIDEO_FORMAT_Y444_12LE:
      return 0xfff;
    default:
      return 0xffff;
  }
}

/* The first plane of BUFFER must be PIXELS, and the others those of FRAME. */
static inline void
assert_corrected (GstBuffer *buffer, const TestFrame *frame, const guint8 *pixels, gsize row_bytes)
{
  GstVideoInfo info;
  GstVideoFrame out;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&out, &info, buffer, GST_MAP_READ));
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (&info); plane++)
    for (guint row = 0; row < plane_rows (&info, plane); row++)
      for (guint column = 0; column < plane_row_bytes (&info, plane); column++) {
        const guint8 *data = GST_VIDEO_FRAME_PLANE_DATA (&out, plane);
        const guint8 found = data[(gsize) row * GST_VIDEO_FRAME_PLANE_STRIDE (&out, plane) + column];
        const guint8 wanted =
            plane == 0 ? pixels[row * row_bytes + column] : frame_byte (frame->seed, plane, column, row);

        if (found != wanted)
          ck_abort_msg ("%s %d x %d, seed %u: plane %u, column %u, row %u is %u, not %u",
              gst_video_format_to_string (frame->format), frame->width, frame->height, frame->seed, plane, column, row,
              found, wanted);
      }
  gst_video_frame_unmap (&out);
}

/* The first plane, in rows without padding, of FRAME divided by itself: it has no detail, and the mean of the frame. Free
 * with g_free(). */
static inline guint8 *
divided_by_itself (const TestFrame *frame, gsize *row_bytes)
{
  guint8 *pixels, *corrected;
  CtrImage image = first_plane (frame, &pixels);
  CtrBackground *core = ctr_background_new (CTR_BACKEND_CPU, NULL);
  CtrCorrectedPicture picture;
  CtrBackgroundParams params;
  CtrError error = {0};

  ctr_background_params_init (&params);
  params.mode = CTR_BACKGROUND_DIVIDE;
  params.sample_mask = corrected_mask (frame);
  corrected = g_malloc (image.stride * image.height);
  picture = (CtrCorrectedPicture){.data = corrected, .stride = image.stride};
  fail_unless (ctr_background_run (core, &image, &params, &picture, NULL, &error), "%s", error.message);
  ctr_background_free (core);
  g_free (pixels);
  *row_bytes = image.stride;
  return corrected;
}

#endif
