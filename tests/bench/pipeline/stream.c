/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/stream.h"

#include "tests/bench/pipeline/counts.h"
#include "tests/bench/pipeline/reader.h"

#include <time.h>

G_STATIC_ASSERT (CALLERS >= CALLER_ELEMENTS + MAX_ELEMENTS);

gint64
stream_now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static GstFlowReturn
timed_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stage *stage = pad->chaindata;
  Stream *stream = stage->stream;
  RunResult *result = &stream->result;
  gint64 *entry = &result->last.entries[stage->index];
  guint caller = counts_set_caller (CALLER_ELEMENTS + stage->index);
  GstFlowReturn flow;

  *entry = stream_now ();
  if (stage->index > 0)
    histogram_add (&result->held[stage->index - 1], entry[0] - entry[-1]);
  flow = stage->chain (pad, parent, buffer);
  counts_set_caller (caller);
  stage->exit = stream_now ();
  /* The next chain function has ended already, if the element pushed the frame. */
  if (stage[1].exit > *entry)
    histogram_add (&result->after[stage->index], stage->exit - stage[1].exit);
  return flow;
}

static void
read_frame (Stream *stream, GstBuffer *buffer, gint64 arrival)
{
  FrameTimes *times = &stream->result.last;

  reader_read (buffer, stream->all->plan.read, &stream->result);
  times->read = stream_now ();
  histogram_add (&stream->result.latency, times->read - arrival);
  gst_buffer_unref (buffer);
}

static void
read_first (Stream *stream)
{
  const Waiting first = stream->waiting[stream->first_waiting];

  stream->first_waiting = (stream->first_waiting + 1) % MAX_QUEUED;
  stream->n_waiting--;
  read_frame (stream, first.buffer, first.arrival);
}

void
stream_read_rest (Stream *stream)
{
  const guint caller = counts_set_caller (CALLER_READER);

  while (stream->n_waiting > 0)
    read_first (stream);
  counts_set_caller (caller);
}

static GstFlowReturn
sink_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = pad->chaindata;
  const guint count = stream->all->element_count, queued = stream->all->plan.queued;
  FrameTimes *times = &stream->result.last;
  guint caller = counts_set_caller (CALLER_READER);

  times->entries[count] = stream_now ();
  histogram_add (&stream->result.held[count - 1], times->entries[count] - times->entries[count - 1]);
  if (queued == 0) {
    read_frame (stream, buffer, times->arrival);
  } else {
    if (stream->n_waiting == queued)
      read_first (stream);
    stream->waiting[(stream->first_waiting + stream->n_waiting++) % MAX_QUEUED] = (Waiting){buffer, times->arrival};
  }
  counts_set_caller (caller);
  stream->stages[count].exit = stream_now ();
  return GST_FLOW_OK;
}

static GstFlowReturn
holder_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = pad->chaindata;
  GstBuffer **place = &stream->held[stream->next_held++ % HELD_FRAMES];

  gst_clear_buffer (place);
  *place = buffer;
  return GST_FLOW_OK;
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* A pad without an element, as those of GstHarness. */
static GstPad *
new_pad (GstPadDirection direction, GstPadChainFunction chain, Stream *stream)
{
  GstPad *pad = gst_pad_new (NULL, direction);

  gst_object_ref_sink (pad);
  gst_pad_set_event_function (pad, take_event);
  if (chain)
    gst_pad_set_chain_function_full (pad, chain, stream, NULL);
  gst_pad_set_active (pad, TRUE);
  return pad;
}

static gboolean
link_pads (GstPad *source, GstElement *element, const gchar *name)
{
  GstPad *sink = gst_element_get_static_pad (element, name);
  gboolean ok = gst_pad_link (source, sink) == GST_PAD_LINK_OK;

  gst_object_unref (sink);
  return ok;
}

static gboolean
link_source (GstElement *element, GstPad *sink)
{
  GstPad *source = gst_element_get_static_pad (element, "src");
  gboolean ok = gst_pad_link (source, sink) == GST_PAD_LINK_OK;

  gst_object_unref (source);
  return ok;
}

static GstElement *
add_element (Stream *stream, const gchar *line)
{
  GError *error = NULL;
  const StreamKind *kind = &stream->all->kind;
  gchar *device = kind->devices > 1 ? g_strdup_printf (" cuda-device-id=%u", stream->device) : g_strdup ("");
  gchar *whole = g_strdup_printf ("%s backend=%s%s", line, kind->backend, device);
  GstElement *element = gst_parse_launch (whole, &error);

  if (error) {
    g_printerr ("%s: %s\n", whole, error->message);
    gst_clear_object (&element);
  } else {
    gst_bin_add (GST_BIN (stream->pipeline), element);
  }
  g_clear_error (&error);
  g_free (whole);
  g_free (device);
  return element;
}

static void
time_element (Stream *stream, GstElement *element, guint index)
{
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  Stage *stage = &stream->stages[index];

  *stage = (Stage){.stream = stream, .index = index, .chain = GST_PAD_CHAINFUNC (pad)};
  gst_pad_set_chain_function_full (pad, timed_chain, stage, NULL);
  gst_object_unref (pad);
}

static gboolean
add_tee (Stream *stream, GstElement **first)
{
  GstElement *tee = gst_element_factory_make ("tee", NULL);

  if (!tee) {
    g_printerr ("the element tee of GStreamer's core is missing\n");
    return FALSE;
  }
  gst_bin_add (GST_BIN (stream->pipeline), tee);
  stream->holder = new_pad (GST_PAD_SINK, holder_chain, stream);
  for (guint i = 0; i < 2; i++) {
    GstPad *branch = gst_element_request_pad_simple (tee, "src_%u");
    gboolean ok =
        i == 0 ? gst_pad_link (branch, stream->holder) == GST_PAD_LINK_OK : link_pads (branch, *first, "sink");

    gst_object_unref (branch);
    if (!ok)
      return FALSE;
  }
  *first = tee;
  return TRUE;
}

static gboolean
build (Stream *stream)
{
  const StreamKind *kind = &stream->all->kind;
  GstElement *first = NULL, *last = NULL;

  stream->pipeline = gst_pipeline_new (NULL);
  stream->source = new_pad (GST_PAD_SRC, NULL, stream);
  stream->sink = new_pad (GST_PAD_SINK, sink_chain, stream);
  for (guint i = 0; kind->elements[i]; i++) {
    GstElement *element = add_element (stream, kind->elements[i]);

    if (!element || (last && !gst_element_link (last, element)))
      return FALSE;
    time_element (stream, element, i);
    first = first ? first : element;
    last = element;
  }
  if (kind->held && !add_tee (stream, &first))
    return FALSE;
  return link_pads (stream->source, first, "sink") && link_source (last, stream->sink);
}

void
stream_print_error (Stream *stream)
{
  GstBus *bus = gst_element_get_bus (stream->pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("stream %u: %s\n", stream->index, error->message);
    g_error_free (error);
    gst_message_unref (message);
  } else {
    g_printerr ("stream %u: %s\n", stream->index, gst_flow_get_name (stream->flow));
  }
  gst_object_unref (bus);
}

/* The pool that the first element offers for CAPS; NULL, and a message on stderr, if it offers none. */
static GstBufferPool *
ask_for_pool (Stream *stream, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool = NULL;

  if (gst_pad_peer_query (stream->source, query) && gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  gst_query_unref (query);
  if (!pool)
    g_printerr ("stream %u: the elements offer no pool\n", stream->index);
  return pool;
}

static gboolean
make_ring (Stream *stream, GstCaps *caps, const guint8 *picture)
{
  const FrameKind *frames = &stream->all->kind.frames;
  const gboolean offered = frames->memory == FRAMES_OFFERED;
  GstBufferPool *pool = offered ? ask_for_pool (stream, caps) : NULL;

  if (pool || !offered)
    stream->ring = frames_ring (frames, stream->device, pool, picture);
  gst_clear_object (&pool);
  return stream->ring != NULL;
}

static gboolean
play (Stream *stream, GstCaps *caps)
{
  GstSegment segment;

  frames_share_context (stream->pipeline, stream->device);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  if (gst_element_set_state (stream->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE
      && gst_pad_push_event (stream->source, gst_event_new_stream_start ("bench"))
      && gst_pad_push_event (stream->source, gst_event_new_caps (caps))
      && gst_pad_push_event (stream->source, gst_event_new_segment (&segment)))
    return TRUE;
  stream->flow = GST_FLOW_NOT_NEGOTIATED;
  stream_print_error (stream);
  return FALSE;
}

gboolean
stream_begin (Stream *stream, Streams *all, guint index, const guint8 *picture)
{
  GstCaps *caps = frames_caps (&all->kind.frames);
  gboolean ok;

  stream->all = all;
  stream->index = index;
  stream->device = index % MAX (all->kind.devices, 1);
  ok = build (stream) && play (stream, caps) && make_ring (stream, caps, picture);
  gst_caps_unref (caps);
  return ok;
}

void
stream_end (Stream *stream)
{
  stream_read_rest (stream);
  if (stream->pipeline)
    gst_element_set_state (stream->pipeline, GST_STATE_NULL);
  for (guint i = 0; i < HELD_FRAMES; i++)
    gst_clear_buffer (&stream->held[i]);
  if (stream->ring)
    gst_buffer_pool_set_active (stream->ring, FALSE);
  gst_clear_object (&stream->ring);
  gst_clear_object (&stream->pipeline);
  gst_clear_object (&stream->source);
  gst_clear_object (&stream->sink);
  gst_clear_object (&stream->holder);
}

void
stream_push (Stream *stream, gint64 period)
{
  GstBuffer *buffer = NULL;

  stream->flow = gst_buffer_pool_acquire_buffer (stream->ring, &buffer, NULL);
  if (stream->flow != GST_FLOW_OK)
    return;
  if (!frames_is_filled (buffer))
    stream->result.unfilled++;
  GST_BUFFER_PTS (buffer) = stream->pushed++ * period;
  GST_BUFFER_DURATION (buffer) = period;
  stream->result.last.arrival = stream_now ();
  stream->flow = gst_pad_push (stream->source, buffer);
  stream->result.frames++;
}
