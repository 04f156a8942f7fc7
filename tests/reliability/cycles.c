/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every element of the plugin goes through its states many times with frames on their way, meets the end of the stream in
 * every state, is stopped while its stream begins, and outlives sources that stop and come back: memory, descriptors and
 * threads stay as they are, every frame arrives, and nobody posts an error. tests/elements/states.c has the states of elements alone, once each. */
#include "flatness.h"

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

#define WIDTH 64
#define HEIGHT 48
#define SOURCE "squaresrc"

static const gchar *const elements[] = {"cudacca", "cudaborders", "cudacanny", "cudacrackcontour", "cudasnake",
    "cudabackground", "cudaforeground", "cudacontouroverlay", "contourexport location=/dev/null", "contourextract"};

/* A source of grey frames, each with a square. It has its caps without a capsfilter: if that is stopped while the stream begins,
 * GStreamer 1.22 makes an error of it. */
typedef struct {
  GstPushSrc parent;
  guint64 next; /* frame */
} SquareSource;

typedef struct {
  GstPushSrcClass parent_class;
} SquareSourceClass;

static GstStaticPadTemplate grey_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-raw, format = GRAY8, width = 64, height = 48, framerate = 30/1"));

static GType square_source_get_type (void);
G_DEFINE_TYPE (SquareSource, square_source, GST_TYPE_PUSH_SRC)

static GstFlowReturn
square_source_fill (GstPushSrc *push, GstBuffer *buffer)
{
  SquareSource *self = (SquareSource *) push;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, 20, map.size);
  for (guint y = 0; y < 20; y++)
    memset (map.data + (10 + y) * WIDTH + 10 + self->next % 20, 220, 20);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (self->next++, GST_SECOND, 30);
  return GST_FLOW_OK;
}

static void
square_source_class_init (SquareSourceClass *klass)
{
  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &grey_template);
  gst_element_class_set_static_metadata (
      GST_ELEMENT_CLASS (klass), "Squares", "Source/Video", "A square", "The gst-cuda-contours authors");
  GST_PUSH_SRC_CLASS (klass)->fill = square_source_fill;
}

static void
square_source_init (SquareSource *self)
{
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
  gst_base_src_set_blocksize (GST_BASE_SRC (self), WIDTH * HEIGHT);
}

static guint
cycles (void)
{
  const gchar *wanted = g_getenv ("CTR_TEST_CYCLES");

  return wanted ? (guint) atoi (wanted) : g_getenv ("CTR_TEST_QUICK") ? WARM + 50 : 1000;
}

/* Every element of the plugin is in the list but the sinks for brokers, which tests/broker/ has. */
GST_START_TEST (test_list)
{
  GList *features = gst_registry_get_feature_list_by_plugin (gst_registry_get (), "cudacontours");
  guint n = 0;

  for (GList *f = features; f; f = f->next)
    n += GST_IS_ELEMENT_FACTORY (f->data) && !g_str_has_suffix (GST_OBJECT_NAME (f->data), "sink");
  gst_plugin_feature_list_free (features);
  fail_unless_equals_int (n, G_N_ELEMENTS (elements));
}

GST_END_TEST;

static const gchar *
backend_of (const gchar *element)
{
  return g_str_has_prefix (element, "contour") ? "" : "backend=cpu";
}

static GstElement *
launch (const gchar *element, const gchar *before, const gchar *behind)
{
  gchar *line = g_strdup_printf ("%s ! %s %s name=subject ! %s", before, element, backend_of (element), behind);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline && !error, "%s: %s", line, error ? error->message : "");
  g_free (line);
  return pipeline;
}

/* No element may post an error. Messages are taken from the bus, or they would pile up. */
static void
drain_bus (GstElement *pipeline, const gchar *element)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      GError *error;
      gchar *debug;

      gst_message_parse_error (message, &error, &debug);
      ck_abort_msg ("%s: %s (%s)", element, error->message, debug);
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
}

typedef struct {
  GstElement *pipeline;
  const gchar *element;
  GstState low, high;
} Cycle;

/* One half of the cycles waits until a frame has arrived, the other one does not. */
static void
run_cycle (gpointer data, guint number)
{
  const Cycle *cycle = data;

  fail_unless (gst_element_set_state (cycle->pipeline, cycle->high) != GST_STATE_CHANGE_FAILURE, "%s", cycle->element);
  if (number % 2)
    fail_unless (gst_element_get_state (cycle->pipeline, NULL, NULL, 20 * GST_SECOND) == GST_STATE_CHANGE_SUCCESS,
        "%s does not reach %s", cycle->element, gst_element_state_get_name (cycle->high));
  fail_unless (gst_element_set_state (cycle->pipeline, cycle->low) == GST_STATE_CHANGE_SUCCESS, "%s", cycle->element);
  drain_bus (cycle->pipeline, cycle->element);
}

static void
check_cycles (const gchar *element, GstState low, GstState high)
{
  Cycle cycle = {launch (element, SOURCE, "fakesink sync=false"), element, low, high};

  assert_flat (run_cycle, &cycle, cycles (), element);
  gst_element_set_state (cycle.pipeline, GST_STATE_NULL);
  gst_object_unref (cycle.pipeline);
}

GST_START_TEST (test_null_playing)
{
  check_cycles (elements[__i__], GST_STATE_NULL, GST_STATE_PLAYING);
}

GST_END_TEST;

GST_START_TEST (test_ready_paused)
{
  check_cycles (elements[__i__], GST_STATE_READY, GST_STATE_PAUSED);
}

GST_END_TEST;

/* What comes to an element while a stream begins. */
typedef struct {
  const gchar *name;
  GstPadProbeType probe;
  guint type; /* of the event or query */
} Moment;

static const Moment moments[] = {
    {"stream-start", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_EVENT_STREAM_START},
    {"caps", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_EVENT_CAPS},
    {"allocation", GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, GST_QUERY_ALLOCATION},
    {"segment", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_EVENT_SEGMENT},
    {"buffer", GST_PAD_PROBE_TYPE_BUFFER, 0},
};

typedef struct {
  const Moment *moment;
  GstPad *src; /* of the element */
} Cut;

/* As GStreamer does on the way to READY before it comes to the sink pads. */
static GstPadProbeReturn
cut (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  const Cut *cut = user_data;

  if ((GST_IS_EVENT (info->data) && GST_EVENT_TYPE (info->data) != cut->moment->type)
      || (GST_IS_QUERY (info->data) && GST_QUERY_TYPE (info->data) != cut->moment->type))
    return GST_PAD_PROBE_OK;
  gst_pad_set_active (cut->src, FALSE);
  return GST_PAD_PROBE_REMOVE;
}

static gboolean
is_paused (GstPad *pad)
{
  gboolean paused;

  GST_OBJECT_LOCK (pad);
  paused = GST_PAD_TASK (pad) && gst_task_get_state (GST_PAD_TASK (pad)) == GST_TASK_PAUSED;
  GST_OBJECT_UNLOCK (pad);
  return paused;
}

/* The source stops without a word. */
GST_START_TEST (test_stopped_at_the_beginning)
{
  const gchar *element = elements[__i__ / G_N_ELEMENTS (moments)];
  Cut at = {.moment = &moments[__i__ % G_N_ELEMENTS (moments)]};
  GstElement *pipeline = launch (element, SOURCE, "fakesink sync=false");
  GstElement *subject = gst_bin_get_by_name (GST_BIN (pipeline), "subject");
  GstPad *sink = gst_element_get_static_pad (subject, "sink"), *source = gst_pad_get_peer (sink);
  gchar *what = g_strdup_printf ("%s at %s", element, at.moment->name);

  at.src = gst_element_get_static_pad (subject, "src");
  gst_pad_add_probe (sink, at.moment->probe, cut, &at, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 20000 && !is_paused (source); i++)
    g_usleep (1000);
  fail_unless (is_paused (source), "%s: the source goes on", what);
  fail_unless (!gst_pad_is_active (at.src), "%s: it did not come", what);
  /* This waits for the source's thread, and leaves the messages on the bus. */
  gst_element_set_state (pipeline, GST_STATE_READY);
  drain_bus (pipeline, what);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_free (what);
  gst_object_unref (source);
  gst_object_unref (sink);
  gst_object_unref (at.src);
  gst_object_unref (subject);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static gpointer
end_stream (gpointer pad)
{
  gst_pad_send_event (pad, gst_event_new_eos ());
  return NULL;
}

static void
assert_end (GstElement *pipeline, const gchar *element)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s: no end", element);
  gst_message_unref (message);
  gst_object_unref (bus);
}

/* In READY and NULL nobody takes the event. In PAUSED it waits behind a flush, which lets go of the frame in the sink, until
 * the pipeline plays; in PLAYING the stream ends at once. Afterwards the element streams again. */
GST_START_TEST (test_eos_in_every_state)
{
  static const GstState states[] = {GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING,
      GST_STATE_NULL, GST_STATE_READY, GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_PLAYING};
  GstElement *pipeline = launch (elements[__i__], SOURCE, "fakesink sync=false");
  GstElement *subject = gst_bin_get_by_name (GST_BIN (pipeline), "subject");
  GstPad *pad = gst_element_get_static_pad (subject, "sink");
  GThread *sender = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
    gst_element_set_state (pipeline, states[i]);
    if (!sender)
      fail_unless (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND) != GST_STATE_CHANGE_FAILURE);
    if (states[i] <= GST_STATE_READY) {
      fail_unless (!gst_pad_send_event (pad, gst_event_new_eos ()));
    } else if (states[i] == GST_STATE_PAUSED) {
      /* Not in the other thread: a pipeline that is told to play while its sink is flushed may miss that the sink is paused. */
      fail_unless (gst_pad_send_event (pad, gst_event_new_flush_start ()));
      fail_unless (gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE)));
      sender = g_thread_new ("end", end_stream, pad);
    } else {
      if (!sender)
        fail_unless (gst_element_send_event (pipeline, gst_event_new_eos ()));
      assert_end (pipeline, elements[__i__]);
      g_clear_pointer (&sender, g_thread_join);
    }
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (subject);
  gst_object_unref (pipeline);
}

GST_END_TEST;

static Suite *
cycles_suite (void)
{
  Suite *s = suite_create ("cycles");
  TCase *tc = tcase_create ("general");

  /* A sink that stops just when the segment comes refuses it. The element before it then refuses it as well, and may get a frame
   * before it stops itself. Elements of GStreamer do the same. */
  gst_check_add_log_filter ("GStreamer", G_LOG_LEVEL_WARNING,
      g_regex_new ("Got data flow before segment event", 0, 0, NULL), NULL, NULL, NULL);
  gst_element_register (NULL, SOURCE, GST_RANK_NONE, square_source_get_type ());
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 0);
  tcase_add_test (tc, test_list);
  tcase_add_loop_test (tc, test_stopped_at_the_beginning, 0, G_N_ELEMENTS (elements) * G_N_ELEMENTS (moments));
  tcase_add_loop_test (tc, test_null_playing, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_ready_paused, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_eos_in_every_state, 0, G_N_ELEMENTS (elements));
  return s;
}

GST_CHECK_MAIN (cycles);
