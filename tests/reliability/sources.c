/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources that are not perfect: frames without timestamps, live frames that come faster than they are shown, a camera that
 * drops out and comes back. */
#include "flatness.h"

#include <gst/video/video.h>

#define WIDTH 64
#define HEIGHT 48
#define FRAMES 5 /* of a source, before it drops out */

static const gchar *const elements[] = {"cudacca", "cudaborders", "cudacanny", "cudacrackcontour", "cudasnake",
    "cudabackground", "cudaforeground", "cudacontouroverlay", "contourexport location=/dev/null", "contourextract"};

static GstElement *
launch (const gchar *before, const gchar *element, const gchar *more, const gchar *behind)
{
  const gchar *backend = g_str_has_prefix (element, "contour") ? "" : "backend=cpu";
  gchar *line = g_strdup_printf ("%s %s %s name=subject %s ! %s", before, element, backend, more, behind);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline && !error, "%s: %s", line, error ? error->message : "");
  g_free (line);
  return pipeline;
}

static void
assert_eos (GstElement *pipeline, const gchar *element)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s: no end", element);
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* What comes to the sink. */
typedef struct {
  guint n;
  GstClockTime last;
} Arrived;

static GstPadProbeReturn
note_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Arrived *arrived = user_data;

  arrived->last = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  g_atomic_int_inc (&arrived->n); /* Whoever waits for N then looks at LAST. */
  return GST_PAD_PROBE_OK;
}

static void
watch_pad (GstElement *pipeline, const gchar *element, const gchar *name, Arrived *arrived)
{
  GstElement *owner = gst_bin_get_by_name (GST_BIN (pipeline), element);
  GstPad *pad = gst_element_get_static_pad (owner, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_arrival, arrived, NULL);
  gst_object_unref (pad);
  gst_object_unref (owner);
}

static GstBuffer *
new_frame (guint64 number, guint height, gboolean timed)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, WIDTH * height, NULL);

  gst_buffer_memset (frame, 0, 0, WIDTH * height);
  gst_buffer_memset (frame, number % 40 * WIDTH + 8, 255, 20);
  GST_BUFFER_PTS (frame) = timed ? number * 40 * GST_MSECOND : GST_CLOCK_TIME_NONE;
  return frame;
}

static GstElement *
new_source (guint height)
{
  GstElement *source = gst_element_factory_make ("appsrc", NULL);
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width", G_TYPE_INT, WIDTH,
      "height", G_TYPE_INT, height, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);

  g_object_set (source, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  gst_caps_unref (caps);
  return source;
}

static void
push (GstElement *source, GstBuffer *frame)
{
  GstFlowReturn ret;

  g_signal_emit_by_name (source, "push-buffer", frame, &ret);
  gst_buffer_unref (frame);
  fail_unless_equals_int (ret, GST_FLOW_OK);
}

static void
connect_source (GstElement *pipeline, GstElement *source)
{
  GstElement *subject = gst_bin_get_by_name (GST_BIN (pipeline), "subject");

  gst_bin_add (GST_BIN (pipeline), source);
  fail_unless (gst_element_link (source, subject));
  gst_object_unref (subject);
}

GST_START_TEST (test_without_timestamps)
{
  GstElement *pipeline = launch ("", elements[__i__], "", "fakesink name=sink sync=false");
  GstElement *source = new_source (HEIGHT);
  Arrived arrived = {0};
  GstFlowReturn ret;

  connect_source (pipeline, source);
  watch_pad (pipeline, "sink", "sink", &arrived);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 20; i++)
    push (source, new_frame (i, HEIGHT, FALSE));
  g_signal_emit_by_name (source, "end-of-stream", &ret);
  assert_eos (pipeline, elements[__i__]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (arrived.n, 20);
  gst_object_unref (pipeline);
}

GST_END_TEST;

typedef struct {
  GstElement *pipeline;
  guint64 next; /* frame */
  Arrived arrived;
} Camera;

/* The frames of a camera that drops out: the source goes, nothing comes for a while, and a new source begins a new stream of another
 * size, while the rest of the pipeline plays on. */
static void
drop_out (gpointer data, guint number)
{
  Camera *camera = data;
  const guint height = HEIGHT + number % 2 * 16;
  GstElement *source = new_source (height);
  const guint before = g_atomic_int_get (&camera->arrived.n);
  GstBus *bus = gst_element_get_bus (camera->pipeline);

  connect_source (camera->pipeline, source);
  gst_element_sync_state_with_parent (source);
  for (guint i = 0; i < FRAMES; i++)
    push (source, new_frame (camera->next++, height, TRUE));
  for (guint i = 0; i < 20000 && (guint) g_atomic_int_get (&camera->arrived.n) < before + FRAMES; i++)
    g_usleep (1000);
  fail_unless_equals_int (camera->arrived.n, before + FRAMES);
  fail_unless_equals_uint64 (camera->arrived.last, (camera->next - 1) * 40 * GST_MSECOND);
  gst_element_set_locked_state (source, TRUE);
  gst_element_set_state (source, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (camera->pipeline), source);
  gst_bus_set_flushing (bus, TRUE);
  gst_bus_set_flushing (bus, FALSE);
  gst_object_unref (bus);
}

GST_START_TEST (test_drop_out)
{
  const gchar *wanted = g_getenv ("CTR_TEST_CYCLES"), *element = elements[__i__];
  Camera camera = {launch ("", element, "", "fakesink name=sink sync=false"), 0, {0}};

  watch_pad (camera.pipeline, "sink", "sink", &camera.arrived);
  gst_element_set_state (camera.pipeline, GST_STATE_PLAYING);
  assert_flat (drop_out, &camera, wanted ? (guint) atoi (wanted) : g_getenv ("CTR_TEST_QUICK") ? 80 : 400, element);
  gst_element_set_state (camera.pipeline, GST_STATE_NULL);
  gst_object_unref (camera.pipeline);
}

GST_END_TEST;

/* The frames that an element has dropped, as its last QoS message says. */
static GstBusSyncReply
note_dropped (GstBus *bus, GstMessage *message, gpointer user_data)
{
  guint64 *dropped = user_data, n;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_QOS || g_strcmp0 (GST_MESSAGE_SRC_NAME (message), "subject") != 0)
    return GST_BUS_PASS;
  gst_message_parse_qos_stats (message, NULL, NULL, &n);
  *dropped = n;
  return GST_BUS_PASS;
}

static void
slow_down (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer user_data)
{
  g_usleep (8000);
}

/* A live source has 200 frames a second, the sink shows 125 at most. Frames are dropped, by the sink or, with qos=true, by the
 * element, and each one is counted. */
GST_START_TEST (test_slow_sink)
{
  const gboolean can_drop = !g_str_has_prefix (elements[__i__], "contourextract");
  GstElement *pipeline = launch (
      "videotestsrc is-live=true num-buffers=100 ! video/x-raw,format=GRAY8,width=64,height=48,framerate=200/1 !",
      elements[__i__], can_drop ? "qos=true" : "",
      "fakesink name=sink sync=true qos=true max-lateness=1000000 signal-handoffs=true");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstQuery *query = gst_query_new_latency ();
  Arrived in = {0};
  guint64 dropped = 0, dropped_by_sink = 0, shown = 0;
  GstStructure *stats;
  gboolean live = FALSE;
  GstClockTime least = 0;

  g_signal_connect (sink, "handoff", G_CALLBACK (slow_down), NULL);
  gst_bus_set_sync_handler (bus, note_dropped, &dropped, NULL);
  watch_pad (pipeline, "subject", "sink", &in);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND) != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_query (pipeline, query));
  gst_query_parse_latency (query, &live, &least, NULL);
  fail_unless (live && least >= 5 * GST_MSECOND);
  assert_eos (pipeline, elements[__i__]);
  g_object_get (sink, "stats", &stats, NULL);
  fail_unless (
      gst_structure_get (stats, "rendered", G_TYPE_UINT64, &shown, "dropped", G_TYPE_UINT64, &dropped_by_sink, NULL));
  fail_unless (dropped + dropped_by_sink > 0, "nothing was dropped");
  fail_unless_equals_uint64 (shown + dropped + dropped_by_sink, in.n);
  gst_structure_free (stats);
  gst_query_unref (query);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static Suite *
sources_suite (void)
{
  Suite *s = suite_create ("sources");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 0);
  tcase_add_loop_test (tc, test_without_timestamps, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_drop_out, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_slow_sink, 0, G_N_ELEMENTS (elements));
  return s;
}

GST_CHECK_MAIN (sources);
