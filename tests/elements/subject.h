/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of what several elements have in common run once for each element, which CTR_TEST_ELEMENT names. These
 * helpers depend on it. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "components.h"
#include "contours.h"
#include "corrected.h"
#include "edges.h"

#include <math.h>

static inline const gchar *
subject (void)
{
  const gchar *element = g_getenv ("CTR_TEST_ELEMENT");

  return element ? element : "cudacca";
}

/* Does the element correct pictures by their background? */
static inline gboolean
subject_corrects (void)
{
  return g_str_equal (subject (), "cudabackground");
}

/* The launch line of the element, whose frames do not depend on each other: where each is the whole background, it is
 * divided by itself. */
static inline const gchar *
subject_line (void)
{
  return subject_corrects () ? "cudabackground mode=divide learning-rate=1" : subject ();
}

/* Does the element make new pictures, of the foreground? */
static inline gboolean
subject_shows_foreground (void)
{
  return g_str_equal (subject (), "cudaforeground");
}

/* Does the element make new pictures? */
static inline gboolean
subject_renders (void)
{
  return g_str_equal (subject (), "cudacanny") || subject_shows_foreground () || subject_corrects ();
}

static inline gboolean
subject_follows_borders (void)
{
  return g_str_equal (subject (), "cudaborders");
}

static inline gboolean
subject_has_levels (void)
{
  return g_str_equal (subject (), "cudacrackcontour");
}

/* Does the element draw into the frames? */
static inline gboolean
subject_draws (void)
{
  return g_str_equal (subject (), "cudacontouroverlay");
}

/* The first plane of BUFFER must be FRAME's with the box of its region, in one colour and the default thickness. */
static inline void
assert_box (GstBuffer *buffer, const TestFrame *frame)
{
  const gint left = test_region.x, top = test_region.y, right = left + test_region.w, bottom = top + test_region.h;
  const gint t = MAX (lrint (2 * sqrt (MIN (frame->width, frame->height) / 540.0)), 1);
  const guint8 *first = NULL;
  GstVideoFrame out;
  GstVideoInfo info;
  guint pixel;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&out, &info, buffer, GST_MAP_READ));
  pixel = GST_VIDEO_FRAME_COMP_PSTRIDE (&out, 0);
  for (gint y = 0; y < frame->height; y++)
    for (gint x = 0; x < frame->width; x++) {
      const guint8 *at = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&out, 0) + y * GST_VIDEO_FRAME_PLANE_STRIDE (&out, 0);
      gboolean inside = x >= left && y >= top && x < right && y < bottom;
      gboolean hollow = x >= left + t && y >= top + t && x < right - t && y < bottom - t;

      at += x * pixel;
      if (inside && !hollow) {
        first = first ? first : at;
        fail_unless (memcmp (at, first, pixel) == 0, "the box is of more than one colour at %d, %d", x, y);
        continue;
      }
      for (guint i = 0; i < pixel; i++)
        fail_unless_equals_int (at[i], frame_byte (frame->seed, 0, x * pixel + i, y));
    }
  fail_unless (first != NULL);
  gst_video_frame_unmap (&out);
}

static inline gboolean
subject_outlines_targets (void)
{
  return g_str_equal (subject (), "cudasnake");
}

/* Sets a property that may change during the stream to a value that depends on VALUE. */
static inline void
set_live_property (GstElement *element, guint value)
{
  if (subject_corrects ())
    g_object_set (element, "offset", (gint) value, NULL);
  else if (subject_renders () && !subject_shows_foreground ())
    g_object_set (element, "low-threshold", (gdouble) value, NULL);
  else if (subject_draws ())
    g_object_set (element, "thickness", 1 + value % 64, NULL);
  else if (subject_has_levels ())
    g_object_set (element, "min-level", value + 1, NULL);
  else if (subject_outlines_targets ())
    g_object_set (element, "max-iterations", value + 1, NULL);
  else
    g_object_set (element, "threshold", value, NULL);
}

/* BUFFER must be the picture that the element of subject_line() makes of FRAME. */
static inline void
assert_default_picture (GstBuffer *buffer, const TestFrame *frame)
{
  const CtrForeground foreground = {.threshold = 128};
  CtrCannyParams canny;
  gsize row_bytes = 0;
  guint8 *picture;

  ctr_canny_params_init (&canny);
  picture = subject_corrects ()           ? divided_by_itself (frame, &row_bytes)
            : subject_shows_foreground () ? expected_mask (frame, &foreground)
                                          : expected_edges (frame, &canny);
  if (subject_corrects ())
    assert_corrected (buffer, frame, picture, row_bytes);
  else
    assert_edges_are (buffer, frame, picture, FALSE);
  g_free (picture);
}

/* BUFFER must be what the element of subject_line() makes of FRAME. */
static inline void
assert_default_result (GstBuffer *buffer, const TestFrame *frame)
{
  CtrBordersParams borders;
  CtrCcaParams cca;
  CtrCracksParams cracks;
  CtrSnakeParams snake;
  CtrSnakeObject whole = {.start = CTR_SNAKE_START_AUTO};

  ctr_borders_params_init (&borders);
  ctr_cca_params_init (&cca);
  ctr_cracks_params_init (&cracks);
  ctr_snake_params_init (&snake);
  if (subject_renders ())
    assert_default_picture (buffer, frame);
  else if (subject_draws ())
    assert_box (buffer, frame);
  else if (subject_follows_borders ())
    assert_contours (buffer, NULL, frame, &borders);
  else if (subject_has_levels ())
    assert_cracks (buffer, NULL, frame, &cracks);
  else if (subject_outlines_targets ())
    assert_outlines (buffer, NULL, frame, &snake, &whole, 1);
  else
    assert_components (buffer, NULL, frame, &cca);
}

/* Sends FRAME through H, an element of subject_line(), and checks its result. */
static inline void
check_default (GstHarness *h, const TestFrame *frame)
{
  GstBuffer *buffer;

  if (subject_renders ()) {
    buffer = render_frame (h, frame);
  } else if (subject_draws ()) {
    fail_unless_equals_int (gst_harness_push (h, make_frame (frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
  } else {
    buffer = pass_frame (h, frame);
  }
  assert_default_result (buffer, frame);
  gst_buffer_unref (buffer);
}

#endif
