/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the elements that split frames into foreground and background share these helpers. */
#ifndef FOREGROUND_H
#define FOREGROUND_H

#include "subject.h"

static const CtrForeground default_foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 128};

/* Returns a launch line of the element with FOREGROUND and all features. */
static inline gchar *
full_line (const CtrForeground *foreground)
{
  return g_strdup_printf ("%s threshold-mode=%s threshold=%u invert=%d %s", subject (),
      foreground->mode == CTR_THRESHOLD_OTSU ? "otsu" : "fixed", foreground->threshold, foreground->invert,
      subject_follows_borders () ? "mode=tree features=moments" : "features=moments+grey labels=true");
}

static inline GstHarness *
new_subject (const CtrForeground *foreground)
{
  gchar *line = full_line (foreground);
  GstHarness *h = new_harness (line);

  g_free (line);
  return h;
}

/* BUFFER must carry what the core finds: by the element SOURCE, or as its only result (NULL). */
static inline void
assert_result (GstBuffer *buffer, const gchar *source, const TestFrame *frame, const CtrForeground *foreground)
{
  CtrBordersParams borders;
  CtrCcaParams cca;

  ctr_borders_params_init (&borders);
  borders.foreground = *foreground;
  borders.mode = CTR_RETRIEVE_TREE;
  borders.features = CTR_CONTOUR_FEATURE_MOMENTS;
  ctr_cca_params_init (&cca);
  cca.foreground = *foreground;
  cca.features = CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS;
  if (subject_follows_borders ())
    assert_contours (buffer, source, frame, &borders);
  else
    assert_components (buffer, source, frame, &cca);
}

static inline void
check_frame (GstHarness *h, const TestFrame *frame, const CtrForeground *foreground)
{
  GstBuffer *buffer = pass_frame (h, frame);

  assert_result (buffer, NULL, frame, foreground);
  gst_buffer_unref (buffer);
}

#endif
