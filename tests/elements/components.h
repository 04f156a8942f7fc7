/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers compare the components that cudacca attaches with those of the core. */
#ifndef COMPONENTS_H
#define COMPONENTS_H

#include "frames.h"

/* Returns the components that the core's host backend finds in the frame; free with ctr_components_unref(). */
static inline CtrComponents *
expected_components (const TestFrame *frame, const CtrCcaParams *params)
{
  guint8 *pixels;
  CtrImage image = all_planes (frame, &pixels);
  CtrError error = {0};
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, &error);
  CtrComponents *components = ctr_cca_run (cca, &image, params, NULL, &error);

  fail_unless (components != NULL, "%s", error.message);
  ctr_cca_free (cca);
  g_free (pixels);
  return components;
}

static inline void
assert_same_components (const CtrComponents *a, const CtrComponents *b, const gchar *what)
{
  fail_unless (a->width == b->width && a->height == b->height, "%s: size", what);
  fail_unless (a->threshold == b->threshold, "%s: threshold %u, not %u", what, a->threshold, b->threshold);
  fail_unless (a->count == b->count, "%s: %u components, not %u", what, a->count, b->count);
  fail_unless (a->connectivity == b->connectivity, "%s: connectivity", what);
  fail_unless (a->features == b->features, "%s: features 0x%x, not 0x%x", what, a->features, b->features);
  if (a->features & CTR_FEATURE_BACKGROUND)
    fail_unless (memcmp (&a->background, &b->background, sizeof a->background) == 0, "%s: background", what);
  fail_unless (memcmp (a->table, b->table, a->count * sizeof *a->table) == 0, "%s: table", what);
  if (a->features & CTR_FEATURE_MOMENTS)
    fail_unless (memcmp (a->moments, b->moments, a->count * sizeof *a->moments) == 0, "%s: moments", what);
  if (a->features & CTR_FEATURE_GREY)
    fail_unless (memcmp (a->grey, b->grey, a->count * sizeof *a->grey) == 0, "%s: grey statistics", what);
  if (a->features & CTR_FEATURE_PERCENTILES)
    fail_unless (
        memcmp (a->percentiles, b->percentiles, a->count * sizeof *a->percentiles) == 0, "%s: percentiles", what);
  if (a->features & CTR_FEATURE_INSCRIBED)
    fail_unless (memcmp (a->inscribed, b->inscribed, a->count * sizeof *a->inscribed) == 0, "%s: inscribed", what);
  if (a->features & CTR_FEATURE_CONTRAST)
    fail_unless (memcmp (a->contrast, b->contrast, a->count * sizeof *a->contrast) == 0, "%s: contrast", what);
  if (a->features & CTR_FEATURE_SKELETON)
    fail_unless (memcmp (a->skeleton, b->skeleton, a->count * sizeof *a->skeleton) == 0, "%s: skeleton", what);
  if (a->features & CTR_FEATURE_LABELS)
    fail_unless (
        memcmp (ctr_components_map_labels ((CtrComponents *) a, NULL),
            ctr_components_map_labels ((CtrComponents *) b, NULL), (gsize) a->width * a->height * sizeof *a->labels)
            == 0,
        "%s: labels", what);
}

/* BUFFER must carry what the core finds in FRAME: by the element SOURCE, or as its only result (NULL). */
static inline void
assert_components (GstBuffer *buffer, const gchar *source, const TestFrame *frame, const CtrCcaParams *params)
{
  CtrComponents *expected = expected_components (frame, params);
  GstContoursComponentMeta *meta = source ? gst_buffer_get_contours_component_meta_by_source (buffer, source)
                                          : gst_buffer_get_contours_component_meta (buffer);
  gchar *what = describe_frame (frame);

  fail_unless (meta != NULL, "%s: no metadata", what);
  fail_unless (
      source || gst_buffer_get_n_meta (buffer, GST_CONTOURS_COMPONENT_META_API_TYPE) == 1, "%s: several results", what);
  assert_same_components (gst_contours_component_meta_peek_components (meta), expected, what);
  ctr_components_unref (expected);
  g_free (what);
}

/* Sends FRAME through H, which must return the picture unchanged, with the core's result attached. */
static inline void
check_components (GstHarness *h, const TestFrame *frame, const CtrCcaParams *params)
{
  GstBuffer *buffer = pass_frame (h, frame);

  assert_components (buffer, NULL, frame, params);
  gst_buffer_unref (buffer);
}

#endif
