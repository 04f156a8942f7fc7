/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tests of the order of several elements share these helpers. */
#ifndef ORDER_H
#define ORDER_H

#include "overlay.h"

#include <gst/cuda/gstcudaloader.h>

static const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 0};
static const gchar edges_of[] = "cudacanny", borders_of[] = "cudacanny ! cudaborders",
                   drawn_of[] = "cudacanny ! cudaborders ! cudacontouroverlay",
                   regions_of[] = "cudacanny ! cudacontouroverlay draw=regions",
                   nothing_of[] = "cudacanny ! cudacontouroverlay draw=components";

/* The counters of the simulated GPU, NULL on a GPU. */
typedef struct {
  int (*queued) (void);
  int (*count) (void);
  int (*host_waits) (void);
  int (*leads) (void);
} FakeOrder;

extern FakeOrder fake_cuda;

/* The tests know whether memory without a stream is ordered by the default stream. */
static inline gboolean
default_stream_orders (void)
{
  return !GST_CHECK_VERSION (1, 24, 0);
}

/* LINE, with the backend that is wanted for each element of ours. */
static inline gchar *
line_for (const gchar *line, const gchar *backend)
{
  gchar **elements = g_strsplit (line, " ! ", -1), *joined;

  for (gchar **e = elements; *e; e++)
    if (g_str_has_prefix (*e, "cuda")) {
      gchar *plain = *e;

      *e = g_strdup_printf ("%s backend=%s", plain, backend);
      g_free (plain);
    }
  joined = g_strjoinv (" ! ", elements);
  g_strfreev (elements);
  return joined;
}

static inline GstHarness *
chain_of (const gchar *line)
{
  gchar *all = line_for (line, "cuda");
  GstHarness *h = new_harness_of_line (all);

  g_free (all);
  set_frame_caps (h, &frame);
  return h;
}

static inline TestFrame
frame_number (guint seed)
{
  TestFrame numbered = frame;

  numbered.seed = seed;
  return numbered;
}

/* There is something to draw, even without an analysis. */
static inline GstBuffer *
with_region (GstBuffer *buffer)
{
  add_region (buffer, 30, 20, 90, 70);
  return buffer;
}

static inline GstBuffer *
new_frame (guint seed)
{
  const TestFrame numbered = frame_number (seed);

  return with_region (make_frame (&numbered));
}

/* BUFFER must show what the host backend makes of frame SEED with the elements of LINE. */
static inline void
assert_shows (GstBuffer *buffer, const gchar *line, guint seed)
{
  const TestFrame numbered = frame_number (seed);
  gchar *all = line_for (line, "cpu");
  GstHarness *h = new_harness_of_line (all);
  GstCaps *caps = frame_caps (&numbered);
  GstBuffer *expected;
  GstVideoInfo info;

  gst_caps_set_features_simple (caps, NULL);
  gst_harness_set_src_caps (h, caps);
  expected = pass (h, with_region (make_system_frame (&numbered)));
  gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++) {
    guint8 *is = plane_bytes (buffer, &numbered, p), *should = plane_bytes (expected, &numbered, p);

    fail_unless (memcmp (is, should, plane_row_bytes (&info, p) * plane_rows (&info, p)) == 0,
        "plane %u of frame %u is not that of %s", p, seed, line);
    g_free (is);
    g_free (should);
  }
  gst_buffer_unref (expected);
  gst_harness_teardown (h);
  g_free (all);
}

/* Puts frame SEED into BUFFER. */
static inline void
refill (GstBuffer *buffer, guint seed)
{
  const TestFrame numbered = frame_number (seed);
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  GstVideoInfo info;
  GstMapInfo map;

  gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  fill_pixels (&numbered, &info, map.data, meta->offset, meta->stride);
  gst_buffer_unmap (buffer, &map);
}

static GstHarness *many[8];

static inline void
start_many (guint count)
{
  for (guint i = 0; i < count; i++)
    many[i] = chain_of (edges_of);
}

static inline void
stop_many (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (many); i++)
    g_clear_pointer (&many[i], gst_harness_teardown);
}

static inline void
end_stream (GstHarness *h)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ())); /* waits for queued work */
}

#endif
