/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of queued drawings share these helpers. */
#ifndef QUEUED_H
#define QUEUED_H

#include "overlay.h"

/* The controls of the simulated GPU; all are NULL if the test runs on a GPU. */
typedef struct {
  int (*queued) (void);
  int (*count) (void);
  void (*fail_later) (CtrStatus status);
} FakeCuda;

extern FakeCuda fake_cuda;

static inline void
note_release (void *released)
{
  *(gboolean *) released = TRUE;
}

/* Attaches contours of FRAME to BUFFER, which holds their only reference. *RELEASED, unless NULL, becomes TRUE when
 * they are freed. */
static inline GstBuffer *
with_contours (GstBuffer *buffer, const TestFrame *frame, gboolean *released)
{
  CtrBordersParams params;
  CtrContours *contours;

  ctr_borders_params_init (&params);
  contours = expected_contours (frame, &params);
  fail_unless (contours->count > 20);
  if (released) {
    *released = FALSE;
    ctr_contours_set_owner (contours, released, note_release);
  }
  gst_buffer_add_contours_contour_meta (buffer, contours, "test");
  ctr_contours_unref (contours);
  return buffer;
}

static inline void
drop_contours (GstBuffer *buffer)
{
  fail_unless (gst_buffer_remove_meta (buffer, (GstMeta *) gst_buffer_get_contours_contour_meta (buffer)));
}

/* Returns what ELEMENT_LINE makes of FRAME and its contours on the host. */
static inline GstBuffer *
expected_frame (const gchar *element_line, const TestFrame *frame)
{
  gchar *line = g_strdup_printf ("%s backend=cpu", element_line);
  GstHarness *h = gst_harness_new_parse (line);
  GstCaps *caps = frame_caps (frame);
  GstBuffer *buffer;

  gst_caps_set_features_simple (caps, NULL);
  gst_harness_set_src_caps (h, caps);
  buffer = pass (h, with_contours (make_system_frame (frame), frame, NULL));
  gst_harness_teardown (h);
  g_free (line);
  return buffer;
}

/* BUFFER, a frame like FRAME that the host reads, must equal what the host backend draws. */
static inline void
assert_drawn (GstBuffer *buffer, const gchar *element_line, const TestFrame *frame)
{
  GstBuffer *expected = expected_frame (element_line, frame);
  GstVideoFrame a, b;
  GstVideoInfo info;
  guint drawn = 0;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&a, &info, buffer, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&b, &info, expected, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++)
    for (guint y = 0; y < plane_rows (&info, p); y++) {
      const guint8 *is = GST_VIDEO_FRAME_PLANE_DATA (&a, p), *should = GST_VIDEO_FRAME_PLANE_DATA (&b, p);
      const guint size = plane_row_bytes (&info, p);

      is += y * GST_VIDEO_FRAME_PLANE_STRIDE (&a, p);
      should += y * GST_VIDEO_FRAME_PLANE_STRIDE (&b, p);
      fail_unless (memcmp (is, should, size) == 0, "row %u of plane %u is another", y, p);
      for (guint x = 0; x < size; x++)
        drawn += should[x] != frame_byte (frame->seed, p, x, y);
    }
  fail_unless (drawn > 1000);
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
  gst_buffer_unref (expected);
}

/* Is a frame pushed before its drawing has ended? From GStreamer 1.24 on, readers do not wait for memory without a
 * stream. */
static inline gboolean
goes_on_undrawn (void)
{
#if GST_CHECK_VERSION(1, 24, 0)
  return test_with_streams ();
#else
  return TRUE;
#endif
}

/* If frames are pushed undrawn, one drawing must be queued, with its inputs alive. The drawing may have ended if the
 * frame is GONE, because freeing memory waits for its stream. */
static inline void
assert_queued (const gboolean *released, gboolean gone)
{
  const gboolean waited_for = gone && test_with_streams ();

  if (!fake_cuda.queued)
    return;
  fail_unless_equals_int (fake_cuda.queued (), goes_on_undrawn () && !waited_for);
  fail_if (goes_on_undrawn () && *released);
}

#endif
