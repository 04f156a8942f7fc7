/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/streams.h"

#include "tests/bench/pipeline/counts.h"
#include "tests/bench/pipeline/stream.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static void
sleep_until (gint64 time)
{
  const struct timespec until = {time / 1000000000, time % 1000000000};

  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    ;
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
  for (guint i = 0; i < count && ok; i++)
    ok = stream_begin (&streams->streams[i], streams, i, picture);
  if (ok)
    return streams;
  streams_free (streams);
  return NULL;
}

void
streams_free (Streams *streams)
{
  for (guint i = 0; i < streams->count; i++)
    stream_end (&streams->streams[i]);
  g_free (streams);
}

/* As a camera whose driver holds one frame: what nobody has taken when the next frame is there is lost. The streams'
 * frames come one after another, evenly over a period. */
static void
run_live (Stream *stream, gint64 start, gint64 end)
{
  const gint64 period = 1000000000 / stream->all->plan.live;
  gint64 due = start + period * stream->index / stream->all->count;

  prctl (PR_SET_TIMERSLACK, 1000UL);
  while (due < end && stream->flow == GST_FLOW_OK) {
    sleep_until (due);
    stream_push (stream, period);
    due += period;
    for (gint64 late = stream_now () - period; due < late && due < end; due += period)
      stream->result.lost++;
  }
  sleep_until (end);
}

static void
run_fast (Stream *stream)
{
  const Streams *all = stream->all;
  const guint64 frames = all->plan.frames ? all->plan.frames : G_MAXUINT64;

  while (stream->flow == GST_FLOW_OK && stream_now () < all->end && stream->result.frames < frames)
    stream_push (stream, 1000000000 / 30);
}

static gpointer
run_thread (gpointer data)
{
  Stream *stream = data;
  Streams *all = stream->all;

  counts_set_caller (CALLER_SOURCE);
  g_atomic_int_inc (&all->ready);
  while (!g_atomic_int_get (&all->running))
    g_usleep (50);
  if (all->plan.live)
    run_live (stream, all->start, all->end);
  else
    run_fast (stream);
  stream_read_rest (stream);
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
  guint caller;

  for (guint i = 0; i < streams->count; i++)
    g_thread_join (streams->streams[i].thread);
  caller = counts_set_caller (CALLER_BENCH);
  frames_wait_for_gpu ();
  counts_set_caller (caller);
  result->seconds = (stream_now () - streams->start) / 1e9;
  for (guint i = 0; i < streams->count; i++) {
    Stream *stream = &streams->streams[i];

    merge (result, &stream->result);
    if (stream->flow != GST_FLOW_OK) {
      stream_print_error (stream);
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
  streams->start = stream_now ();
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
