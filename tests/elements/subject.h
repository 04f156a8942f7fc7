/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of what all elements over the base class have in common run once for each of them: CTR_TEST_ELEMENT names it.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "edges.h"

static inline const gchar *
subject (void)
{
  const gchar *element = g_getenv ("CTR_TEST_ELEMENT");

  return element ? element : "cudacca";
}

/* Does it make new pictures? Else it attaches metadata to the frames that come. */
static inline gboolean
subject_renders (void)
{
  return g_str_equal (subject (), "cudacanny");
}

/* A property that may change at any time, for any number. */
static inline void
set_live_property (GstElement *element, guint value)
{
  if (subject_renders ())
    g_object_set (element, "low-threshold", (gdouble) value, NULL);
  else
    g_object_set (element, "threshold", value, NULL);
}

/* BUFFER must be what the element makes of FRAME, with default properties. */
static inline void
assert_default_result (GstBuffer *buffer, const TestFrame *frame)
{
  CtrCannyParams canny;
  CtrCcaParams cca;

  ctr_canny_params_init (&canny);
  ctr_cca_params_init (&cca);
  if (subject_renders ())
    assert_edges (buffer, frame, &canny, FALSE);
  else
    assert_frame_result (buffer, frame, &cca);
}

/* Sends FRAME through H, an element with default properties. */
static inline void
check_default (GstHarness *h, const TestFrame *frame)
{
  CtrCannyParams canny;
  CtrCcaParams cca;

  ctr_canny_params_init (&canny);
  ctr_cca_params_init (&cca);
  if (subject_renders ())
    check_edges (h, frame, &canny, FALSE);
  else
    check_frame (h, frame, &cca);
}

#endif
