/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each thread keeps a stack of the chain functions that it is in. The time of an element is that of its chain function,
 * less that of the chain functions below. */
#include "gst/metrics/contourmetrics.h"

#include "gst/metrics/endpoint.h"
#include "gst/metrics/record.h"

#define DEFAULT_ADDRESS "127.0.0.1"
#define DEFAULT_PORT 9464

struct _ContourMetrics {
  GstTracer parent;
  MetricsEndpoint *endpoint;
};

G_DEFINE_FINAL_TYPE (ContourMetrics, contour_metrics, GST_TYPE_TRACER)

typedef struct {
  GstPad *pad;
  MetricsRecord *record; /* of the pad, which lives as long as the call; NULL: of no element */
  GstClockTime started;
  guint64 below;   /* nanoseconds in chain functions below */
  guint n_frames;  /* of the list or the buffer */
  gboolean opened; /* whether the frames of a list come one by one, as calls of their own */
} Call;

static void
free_calls (gpointer calls)
{
  g_array_unref (calls);
}

static GPrivate thread_calls = G_PRIVATE_INIT (free_calls);

static GArray *
get_calls (void)
{
  GArray *calls = g_private_get (&thread_calls);

  if (G_UNLIKELY (!calls)) {
    calls = g_array_sized_new (FALSE, FALSE, sizeof (Call), 32);
    g_private_set (&thread_calls, calls);
  }
  return calls;
}

static void
count (guint64 *counter, guint64 n)
{
  __atomic_fetch_add (counter, n, __ATOMIC_RELAXED);
}

/* Frames begin where they get their time stamps: at sources, at demuxers and parsers of untimed bytes, and at the jitter
 * buffer, which makes time stamps anew. */
static gboolean
begins_frames (const MetricsRecord *record)
{
  return record->is_source || record->is_jitter_buffer || !g_atomic_int_get (&record->timed_input);
}

static void
note_sent (MetricsRecord *record, GstClockTime now, GstBuffer *buffer)
{
  count (&record->sent, 1);
  if (GST_BUFFER_PTS_IS_VALID (buffer) && begins_frames (record))
    metrics_arrivals_note (&record->pipeline->arrivals, GST_BUFFER_PTS (buffer), now);
}

static void
note_received (MetricsRecord *record, GstClockTime now, GstBuffer *buffer)
{
  GstClockTime start;

  count (&record->received, 1);
  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return;
  if (G_UNLIKELY (!g_atomic_int_get (&record->timed_input)))
    g_atomic_int_set (&record->timed_input, TRUE);
  start = metrics_arrivals_find (&record->pipeline->arrivals, GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (start) && now >= start)
    metrics_histogram_add (&record->latency, now - start);
}

static void
before_push (GObject *self, GstClockTime now, GstPad *pad, GstBuffer *buffer)
{
  MetricsRecord *record = metrics_record_of_pad (pad);

  if (record)
    note_sent (record, now, buffer);
}

static void
before_push_list (GObject *self, GstClockTime now, GstPad *pad, GstBufferList *list)
{
  MetricsRecord *record = metrics_record_of_pad (pad);

  for (guint i = 0; record && i < gst_buffer_list_length (list); i++)
    note_sent (record, now, gst_buffer_list_get (list, i));
}

static void
begin_call (GArray *calls, GstClockTime now, GstPad *pad, MetricsRecord *record, guint n_frames)
{
  Call call = {pad, record, now, 0, n_frames, FALSE};

  g_array_append_val (calls, call);
}

static void
before_chain (GObject *self, GstClockTime now, GstPad *pad, GstBuffer *buffer)
{
  MetricsRecord *record = metrics_record_of_pad (pad);
  GArray *calls = get_calls ();

  /* A pad that takes no lists is given the frames of a list one by one. */
  if (calls->len > 0 && g_array_index (calls, Call, calls->len - 1).pad == pad)
    g_array_index (calls, Call, calls->len - 1).opened = TRUE;
  if (record)
    note_received (record, now, buffer);
  begin_call (calls, now, pad, record, 1);
}

static void
before_chain_list (GObject *self, GstClockTime now, GstPad *pad, GstBufferList *list)
{
  begin_call (get_calls (), now, pad, metrics_record_of_pad (pad), gst_buffer_list_length (list));
}

/* After a buffer and after a list. */
static void
after_chain (GObject *self, GstClockTime now, GstPad *pad, GstFlowReturn result)
{
  GArray *calls = get_calls ();
  guint64 whole;
  Call call;

  if (calls->len == 0)
    return; /* the tracer came after the frame */
  call = g_array_index (calls, Call, calls->len - 1);
  g_array_set_size (calls, calls->len - 1);
  whole = now - call.started;
  if (calls->len > 0)
    g_array_index (calls, Call, calls->len - 1).below += whole;
  if (call.record && !call.opened)
    metrics_histogram_add (&call.record->processing, whole - call.below);
}

/* A list that an element takes as a whole has one time of processing, and its frames have no latency. */
static void
after_chain_list (GObject *self, GstClockTime now, GstPad *pad, GstFlowReturn result)
{
  GArray *calls = get_calls ();
  const Call *call = calls->len > 0 ? &g_array_index (calls, Call, calls->len - 1) : NULL;

  if (call && call->record && !call->opened)
    count (&call->record->received, call->n_frames);
  after_chain (self, now, pad, result);
}

/* Filters and decoders post one message for each frame that they drop because it is late. */
static void
before_message (GObject *self, GstClockTime now, GstElement *element, GstMessage *message)
{
  MetricsRecord *record;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_QOS || GST_MESSAGE_SRC (message) != GST_OBJECT_CAST (element))
    return; /* bins forward the messages of their elements */
  record = metrics_record_of_element (element);
  count (&record->late, 1);
  metrics_record_unref (record);
}

/* Reads ADDRESS (transfer full) and PORT from the text in the parentheses of GST_TRACERS. */
static gboolean
read_params (const gchar *params, gchar **address, gint *port)
{
  gchar *text = g_strconcat ("contourmetrics,", params, NULL);
  GstStructure *structure =
      params ? gst_structure_from_string (text, NULL) : gst_structure_new_empty ("contourmetrics");
  gboolean ok = structure != NULL;

  *address = NULL;
  *port = DEFAULT_PORT;
  if (ok && gst_structure_has_field (structure, "port"))
    ok = gst_structure_get_int (structure, "port", port) && *port >= 1 && *port <= 65535;
  if (ok && gst_structure_has_field (structure, "address"))
    ok = (*address = g_strdup (gst_structure_get_string (structure, "address"))) != NULL;
  for (gint i = 0; ok && i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    ok = g_str_equal (name, "port") || g_str_equal (name, "address");
  }
  if (ok && !*address)
    *address = g_strdup (DEFAULT_ADDRESS);
  if (structure)
    gst_structure_free (structure);
  g_free (text);
  return ok;
}

static void
open_endpoint (ContourMetrics *self, const gchar *params)
{
  gchar *address, *problem = NULL, *text = NULL;
  gint port;

  if (!read_params (params, &address, &port))
    text = g_strdup_printf ("\"%s\" is not understood, so there are no metrics. Write "
                            "GST_TRACERS=\"contourmetrics(address=127.0.0.1,port=9464)\".",
        params);
  else if (!(self->endpoint = metrics_endpoint_new (address, port, &problem)))
    text = g_strdup_printf ("Port %d of %s cannot be opened (%s), so there are no metrics. Choose another port, or "
                            "an address of this computer: GST_TRACERS=\"contourmetrics(address=127.0.0.1,port=%d)\".",
        port, address, problem, port < 65535 ? port + 1 : DEFAULT_PORT);
  if (text) /* on the standard error output: a tracer has no bus, and starts before the application does */
    g_printerr ("contourmetrics: %s\n", text);
  g_free (text);
  g_free (problem);
  g_free (address);
}

static void
register_hooks (GstTracer *tracer)
{
  gst_tracing_register_hook (tracer, "pad-push-pre", G_CALLBACK (before_push));
  gst_tracing_register_hook (tracer, "pad-push-list-pre", G_CALLBACK (before_push_list));
  gst_tracing_register_hook (tracer, "pad-chain-pre", G_CALLBACK (before_chain));
  gst_tracing_register_hook (tracer, "pad-chain-post", G_CALLBACK (after_chain));
  gst_tracing_register_hook (tracer, "pad-chain-list-pre", G_CALLBACK (before_chain_list));
  gst_tracing_register_hook (tracer, "pad-chain-list-post", G_CALLBACK (after_chain_list));
  gst_tracing_register_hook (tracer, "element-post-message-pre", G_CALLBACK (before_message));
}

/* Without an endpoint nothing is counted. */
static void
contour_metrics_constructed (GObject *object)
{
  ContourMetrics *self = CONTOUR_METRICS (object);
  gchar *params;

  G_OBJECT_CLASS (contour_metrics_parent_class)->constructed (object);
  g_object_get (object, "params", &params, NULL);
  open_endpoint (self, params);
  if (self->endpoint)
    register_hooks (GST_TRACER (object));
  g_free (params);
}

static void
contour_metrics_finalize (GObject *object)
{
  metrics_endpoint_free (CONTOUR_METRICS (object)->endpoint);
  metrics_record_forget_all ();
  G_OBJECT_CLASS (contour_metrics_parent_class)->finalize (object);
}

static void
contour_metrics_class_init (ContourMetricsClass *klass)
{
  G_OBJECT_CLASS (klass)->constructed = contour_metrics_constructed;
  G_OBJECT_CLASS (klass)->finalize = contour_metrics_finalize;
}

static void
contour_metrics_init (ContourMetrics *self)
{
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  return gst_tracer_register (plugin, "contourmetrics", CONTOUR_TYPE_METRICS);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, contourmetrics,
    "Frames, times and queues of elements, served to Prometheus", plugin_init, PACKAGE_VERSION, "LGPL",
    "gst-cuda-contours", PACKAGE_ORIGIN)
