/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/streams.h"

#include "tests/bench/pipeline/reader.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

typedef struct _Stream Stream;

/* The chain function of an element's sink pad, wrapped. It takes the time at entry and exit: about 25 ns each. */
typedef struct {
  Stream *stream;
  guint index;
  GstPadChainFunction chain;
  gint64 exit;
} Stage;

struct _Stream {
  Streams *all;
  guint index;
  GstElement *pipeline;
  GstPad *source, *sink, *holder;
  GstBufferPool *ring;
  GstBuffer *held[HELD_FRAMES];
  guint next_held;
  Stage stages[MAX_ELEMENTS + 1]; /* the last one is the sink's: its exit only */
  guint64 pushed;                 /* frames since the stream began */
  RunResult result;
  GstFlowReturn flow;
  GThread *thread;
};

struct _Streams {
  StreamKind kind;
  guint count;
  guint element_count;
  RunPlan plan;
  gint ready;   /* threads that wait for the start */
  gint running; /* 0: not yet, 1: yes */
  gint64 start, end;
  Stream streams[];
};

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static void
sleep_until (gint64 time)
{
  const struct timespec until = {time / 1000000000, time % 1000000000};

  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    ;
}

static GstFlowReturn
timed_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stage *stage = pad->chaindata;
  Stream *stream = stage->stream;
  RunResult *result = &stream->result;
  gint64 *entry = &result->last.entries[stage->index];
  GstFlowReturn flow;

  *entry = now ();
  if (stage->index > 0)
    histogram_add (&result->held[stage->index - 1], entry[0] - entry[-1]);
  flow = stage->chain (pad, parent, buffer);
  stage->exit = now ();
  /* The next chain function has ended already, if the element pushed the frame. */
  if (stage[1].exit > *entry)
    histogram_add (&result->after[stage->index], stage->exit - stage[1].exit);
  return flow;
}

static GstFlowReturn
sink_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = pad->chaindata;
  const guint count = stream->all->element_count;
  FrameTimes *times = &stream->result.last;

  times->entries[count] = now ();
  histogram_add (&stream->result.held[count - 1], times->entries[count] - times->entries[count - 1]);
  reader_read (buffer, stream->all->plan.read, &stream->result);
  times->read = now ();
  histogram_add (&stream->result.latency, times->read - times->arrival);
  gst_buffer_unref (buffer);
  stream->stages[count].exit = now ();
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
  gchar *whole = g_strdup_printf ("%s backend=%s", line, stream->all->kind.backend);
  GstElement *element = gst_parse_launch (whole, &error);

  if (error) {
    g_printerr ("%s: %s\n", whole, error->message);
    gst_clear_object (&element);
  } else {
    gst_bin_add (GST_BIN (stream->pipeline), element);
  }
  g_clear_error (&error);
  g_free (whole);
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

static void
print_error (Stream *stream)
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

static gboolean
begin (Stream *stream, const guint8 *picture)
{
  GstCaps *caps = frames_caps (&stream->all->kind.frames);
  GstSegment segment;
  gboolean ok;

  frames_share_context (stream->pipeline);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  ok = gst_element_set_state (stream->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE
       && gst_pad_push_event (stream->source, gst_event_new_stream_start ("bench"))
       && gst_pad_push_event (stream->source, gst_event_new_caps (caps))
       && gst_pad_push_event (stream->source, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  if (!ok) {
    stream->flow = GST_FLOW_NOT_NEGOTIATED;
    print_error (stream);
    return FALSE;
  }
  stream->ring = frames_ring (&stream->all->kind.frames, picture);
  return stream->ring != NULL;
}

Streams *
streams_new (const StreamKind *kind, guint count, const guint8 *picture)
{
  Streams *streams = g_malloc0 (sizeof *streams + count * sizeof *streams->streams);
  gboolean ok = TRUE;

  streams->kind = *kind;
  streams->count = count;
  while (kind->elements[streams->element_count])
    streams->element_count++;
  g_assert (streams->element_count > 0 && streams->element_count <= MAX_ELEMENTS);
  for (guint i = 0; i < count && ok; i++) {
    Stream *stream = &streams->streams[i];

    stream->all = streams;
    stream->index = i;
    ok = build (stream) && begin (stream, picture);
  }
  if (ok)
    return streams;
  streams_free (streams);
  return NULL;
}

static void
free_stream (Stream *stream)
{
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
streams_free (Streams *streams)
{
  for (guint i = 0; i < streams->count; i++)
    free_stream (&streams->streams[i]);
  g_free (streams);
}

static void
push_frame (Stream *stream, gint64 period)
{
  GstBuffer *buffer = NULL;

  stream->flow = gst_buffer_pool_acquire_buffer (stream->ring, &buffer, NULL);
  if (stream->flow != GST_FLOW_OK)
    return;
  if (!frames_is_filled (buffer))
    stream->result.unfilled++;
  GST_BUFFER_PTS (buffer) = stream->pushed++ * period;
  GST_BUFFER_DURATION (buffer) = period;
  stream->result.last.arrival = now ();
  stream->flow = gst_pad_push (stream->source, buffer);
  stream->result.frames++;
}

/* As a camera whose driver holds one frame: what nobody has taken when the next frame is there is lost. The streams' frames come
 * one after another, evenly over a period. */
static void
run_live (Stream *stream, gint64 start, gint64 end)
{
  const gint64 period = 1000000000 / stream->all->plan.live;
  gint64 due = start + period * stream->index / stream->all->count;

  prctl (PR_SET_TIMERSLACK, 1000UL);
  while (due < end && stream->flow == GST_FLOW_OK) {
    sleep_until (due);
    push_frame (stream, period);
    due += period;
    for (gint64 late = now () - period; due < late && due < end; due += period)
      stream->result.lost++;
  }
  sleep_until (end);
}

static gpointer
run_thread (gpointer data)
{
  Stream *stream = data;
  Streams *all = stream->all;
  const RunPlan *plan = &all->plan;

  g_atomic_int_inc (&all->ready);
  while (!g_atomic_int_get (&all->running))
    g_usleep (50);
  if (plan->live) {
    run_live (stream, all->start, all->end);
    return NULL;
  }
  while (stream->flow == GST_FLOW_OK && now () < all->end && (!plan->frames || stream->result.frames < plan->frames))
    push_frame (stream, 1000000000 / 30);
  return NULL;
}

static gdouble
cpu_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void
merge (RunResult *result, const RunResult *other)
{
  result->frames += other->frames;
  result->lost += other->lost;
  result->unfilled += other->unfilled;
  histogram_merge (&result->latency, &other->latency);
  for (guint i = 0; i < result->element_count; i++) {
    histogram_merge (&result->held[i], &other->held[i]);
    histogram_merge (&result->after[i], &other->after[i]);
  }
}

/* Starts all threads and lets them go together, so that no thread's start is timed. */
static void
start_threads (Streams *streams)
{
  for (guint i = 0; i < streams->count; i++) {
    Stream *stream = &streams->streams[i];

    memset (&stream->result, 0, sizeof stream->result);
    stream->flow = GST_FLOW_OK;
    stream->thread = g_thread_new ("stream", run_thread, stream);
  }
  while (g_atomic_int_get (&streams->ready) < (gint) streams->count)
    g_usleep (50);
}

static gboolean
join_threads (Streams *streams, RunResult *result)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < streams->count; i++)
    g_thread_join (streams->streams[i].thread);
  frames_wait_for_gpu ();
  result->seconds = (now () - streams->start) / 1e9;
  for (guint i = 0; i < streams->count; i++) {
    Stream *stream = &streams->streams[i];

    merge (result, &stream->result);
    if (stream->flow != GST_FLOW_OK) {
      print_error (stream);
      ok = FALSE;
    }
  }
  return ok;
}

gboolean
streams_run (Streams *streams, const RunPlan *plan, RunResult *result)
{
  gdouble cpu;
  gboolean ok;

  memset (result, 0, sizeof *result);
  result->element_count = streams->element_count;
  streams->plan = *plan;
  streams->ready = 0;
  g_atomic_int_set (&streams->running, 0);
  start_threads (streams);
  cpu = cpu_seconds ();
  streams->start = now ();
  streams->end = plan->seconds > 0 ? streams->start + (gint64) (plan->seconds * 1e9) : G_MAXINT64;
  g_atomic_int_set (&streams->running, 1);
  ok = join_threads (streams, result);
  result->cpu_seconds = cpu_seconds () - cpu;
  result->contours = streams->streams[0].result.contours;
  result->components = streams->streams[0].result.components;
  result->points = streams->streams[0].result.points;
  result->last = streams->streams[0].result.last;
  return ok;
}
