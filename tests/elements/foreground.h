/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the elements that split frames into foreground and background share these helpers. */
#ifndef FOREGROUND_H
#define FOREGROUND_H

#include "subject.h"

static const CtrForeground default_foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 128, .block_size = 51};

/* The property color-range for the ranges of FOREGROUND; free with g_free(). */
static inline gchar *
color_range_of (const CtrForeground *foreground)
{
  static const gchar *names[CTR_CHANNELS] = {"luma", "red", "green", "blue", "hue", "saturation", "value", "cb", "cr"};
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < CTR_CHANNELS; i++)
    if (foreground->ranges >> i & 1)
      g_string_append_printf (
          text, "%s%s=%u-%u", text->len ? "," : "", names[i], foreground->lower[i], foreground->upper[i]);
  return g_string_free (text, FALSE);
}

static inline void
set_foreground (GstElement *element, const CtrForeground *foreground)
{
  gchar *range = color_range_of (foreground);

  g_object_set (element, "threshold-mode", foreground->mode, "threshold", foreground->threshold, "invert",
      foreground->invert, "upper-threshold", foreground->upper_threshold, "block-size",
      MAX (foreground->block_size, CTR_MIN_BLOCK_SIZE), "offset", foreground->offset, "channel", foreground->channel,
      "color-range", range, "open-size", foreground->open_size, "close-size", foreground->close_size, "shape",
      foreground->shape, "fill-holes", foreground->fill_holes, "split-touching", foreground->split_touching / 16.,
      "clear-border", foreground->clear_border, NULL);
  g_free (range);
}

/* Returns a launch line of the element with FOREGROUND and all features. */
static inline gchar *
full_line (const CtrForeground *foreground)
{
  return g_strdup_printf ("%s threshold-mode=%s threshold=%u invert=%d %s", subject (),
      foreground->mode == CTR_THRESHOLD_OTSU ? "otsu" : "fixed", foreground->threshold, foreground->invert,
      subject_shows_foreground ()  ? ""
      : subject_follows_borders () ? "mode=tree features=moments"
                                   : "features=moments+grey labels=true");
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
  if (subject_shows_foreground ()) {
    guint8 *mask = expected_mask (frame, foreground);

    assert_edges_are (buffer, frame, mask, FALSE);
    g_free (mask);
  } else if (subject_follows_borders ())
    assert_contours (buffer, source, frame, &borders);
  else
    assert_components (buffer, source, frame, &cca);
}

static inline void
check_frame (GstHarness *h, const TestFrame *frame, const CtrForeground *foreground)
{
  GstBuffer *buffer;

  if (subject_shows_foreground ()) {
    guint8 *mask = expected_mask (frame, foreground);

    check_edges_are (h, frame, mask, FALSE);
    g_free (mask);
    return;
  }
  buffer = pass_frame (h, frame);
  assert_result (buffer, NULL, frame, foreground);
  gst_buffer_unref (buffer);
}

/* BUS must have one warning, which has both texts. */
static inline void
assert_warning (GstBus *bus, const gchar *what, const gchar *advice)
{
  GstMessage *message = pop_message (bus, GST_MESSAGE_WARNING);
  GError *error = NULL;

  fail_unless (message != NULL, "no warning was posted: %s", what);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, what) && strstr (error->message, advice), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR) == NULL, "more than one");
}

#endif
