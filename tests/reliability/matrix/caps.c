/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps: every element with every format of GStreamer, in both memories, upstream and downstream. An element passes its caps
 * on, so a pair of caps links if they are equal and the element takes them, and otherwise ends as not negotiated, with
 * neither a crash nor a frame. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "tests/reliability/matrix/elements.h"

#include <gst/base/gstbasetransform.h>

static const gchar *const features[] = {"memory:SystemMemory", "memory:CUDAMemory"};

static GstCaps *
caps_of (GstVideoFormat format, guint memory)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (format),
      "width", G_TYPE_INT, 64, "height", G_TYPE_INT, 48, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);

  if (memory > 0)
    gst_caps_set_features_simple (caps, gst_caps_features_new_single (features[memory]));
  return caps;
}

static gboolean
is_in_cuda_memory (GstVideoFormat format)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    if (test_formats[i].video == format)
      return test_formats[i].in_cuda_memory;
  return FALSE;
}

/* In the memory of this run; in system memory where libgstcuda has no such format, for caps that no element takes then. */
static GstBuffer *
make_frame_of (GstVideoFormat format)
{
  const TestFrame frame = {format, 64, 48, .seed = 3};

  return is_in_cuda_memory (format) ? make_frame (&frame) : make_system_frame (&frame);
}

static gboolean
takes (const gchar *line, GstVideoFormat format, guint memory)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    if (test_formats[i].video == format)
      return !(is_packed_yuv (format) && matrix_draws (line))
             && (memory == 0 || (test_on_gpu () && is_in_cuda_memory (format)));
  return FALSE;
}

/* What one side can have if the other side has CAPS. */
static GstCaps *
transform (GstElement *element, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  return GST_BASE_TRANSFORM_GET_CLASS (element)->transform_caps (GST_BASE_TRANSFORM (element), direction, caps, filter);
}

/* Both directions give the same caps; a filter only narrows them; what may come out can go in. */
static void
check_symmetry (const gchar *line, GstElement *element, GstCaps *caps, gboolean taken)
{
  GstCaps *out = transform (element, GST_PAD_SINK, caps, NULL), *in = transform (element, GST_PAD_SRC, caps, NULL);
  GstCaps *back = transform (element, GST_PAD_SRC, out, NULL), *filtered, *any = gst_caps_new_any ();
  gchar *text = gst_caps_to_string (caps);

  fail_unless (gst_caps_is_equal (out, in), "%s: %s is not the same in both directions", line, text);
  fail_unless (gst_caps_is_equal (out, back), "%s: %s does not come back", line, text);
  if (taken)
    fail_unless (gst_caps_is_equal (out, caps), "%s: %s is not passed on", line, text);
  filtered = transform (element, GST_PAD_SINK, any, caps);
  fail_unless (gst_caps_is_subset (filtered, caps), "%s: a filter of %s gives more", line, text);
  gst_caps_unref (filtered);
  filtered = transform (element, GST_PAD_SINK, caps, out);
  fail_unless (gst_caps_is_equal (filtered, out), "%s: %s is not its own filter", line, text);
  gst_caps_unref (filtered);
  gst_caps_unref (any);
  gst_caps_unref (back);
  gst_caps_unref (in);
  gst_caps_unref (out);
  g_free (text);
}

GST_START_TEST (test_transform_caps)
{
  const gchar *line = matrix_lines[__i__];
  GstHarness *h = new_harness (line);

  for (GstVideoFormat f = GST_VIDEO_FORMAT_I420; gst_video_format_get_info (f) && f <= GST_VIDEO_FORMAT_RGBP; f++)
    for (guint memory = 0; memory < G_N_ELEMENTS (features); memory++) {
      GstCaps *caps = caps_of (f, memory);

      check_symmetry (line, h->element, caps, takes (line, f, memory));
      gst_caps_unref (caps);
    }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* An element that has IN upstream and OUT downstream, told by a frame. */
static GstFlowReturn
negotiate (const gchar *line, GstCaps *in, GstCaps *out, GstBuffer *buffer)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (line, bus);
  GstSegment segment;
  GstFlowReturn ret;
  guint n_frames;

  gst_harness_set_sink_caps (h, gst_caps_ref (out));
  fail_unless (gst_harness_push_event (h, gst_event_new_stream_start ("caps")));
  gst_harness_push_event (h, gst_event_new_caps (in)); /* which the element may refuse */
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  ret = gst_harness_push (h, buffer);
  n_frames = gst_harness_buffers_in_queue (h);
  fail_unless_equals_int (n_frames, ret == GST_FLOW_OK);
  fail_if (pop_message (bus, GST_MESSAGE_ERROR) != NULL, "%s: an error besides the flow", line);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
  return ret;
}

/* All formats that an element takes, up and down, and one that it does not. */
GST_START_TEST (test_links)
{
  const gchar *line = matrix_lines[__i__];
  const guint memory = test_in_cuda_memory ();

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    for (guint j = 0; j <= G_N_ELEMENTS (test_formats); j++) {
      const GstVideoFormat up = test_formats[i].video,
                           down = j < G_N_ELEMENTS (test_formats) ? test_formats[j].video : GST_VIDEO_FORMAT_v210;
      GstCaps *in = caps_of (up, memory), *out = caps_of (down, memory);
      const GstFlowReturn ret = negotiate (line, in, out, make_frame_of (up));

      fail_unless_equals_int (ret, up == down && takes (line, up, memory) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED);
      gst_caps_unref (in);
      gst_caps_unref (out);
    }
}

GST_END_TEST;

/* Frames in either memory whose consumer wants the other one, and caps of CUDA memory on the host backend. Frames in CUDA memory
 * can be made in its own run only. */
GST_START_TEST (test_memories)
{
  const gchar *line = matrix_lines[__i__];
  const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 3};

  for (guint up = 0; up < G_N_ELEMENTS (features); up++)
    for (guint down = 0; down < G_N_ELEMENTS (features); down++) {
      GstCaps *in = caps_of (frame.format, up), *out = caps_of (frame.format, down);
      const gboolean taken = up == down && takes (line, frame.format, up);

      if (up == 0 || !taken || test_in_cuda_memory ())
        fail_unless_equals_int (negotiate (line, in, out, up > 0 ? make_frame (&frame) : make_system_frame (&frame)),
            taken ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED);
      gst_caps_unref (in);
      gst_caps_unref (out);
    }
}

GST_END_TEST;

static Suite *
caps_suite (void)
{
  Suite *suite = suite_create ("caps");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 120);
  if (!test_in_cuda_memory ()) /* the run in system memory has the caps of both */
    tcase_add_loop_test (tc, test_transform_caps, 0, G_N_ELEMENTS (matrix_lines));
  tcase_add_loop_test (tc, test_links, 0, G_N_ELEMENTS (matrix_lines));
  tcase_add_loop_test (tc, test_memories, 0, G_N_ELEMENTS (matrix_lines));
  return suite;
}

GST_CHECK_MAIN (caps);
