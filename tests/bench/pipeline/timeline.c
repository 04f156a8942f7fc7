/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/timeline.h"

#include "tests/bench/pipeline/cupti.h"
#include "tests/bench/pipeline/gpuwork.h"

#include <stdio.h>
#include <string.h>

enum { RATE = 100, FRAMES_BEFORE = 20 };

static gint
by_start (gconstpointer a, gconstpointer b)
{
  const TimelineRow *x = a, *y = b;

  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end); /* the outer one first */
}

static void
add_mark (GArray *rows, gint64 time, const gchar *what, const gchar *line)
{
  TimelineRow row = {.start = time, .end = time, .call = TRUE};

  g_snprintf (row.what, sizeof row.what, "%s%s", what, line);
  *strchrnul (row.what + strlen (what), ' ') = '\0';
  g_array_append_val (rows, row);
}

static void
add_marks (GArray *rows, const Case *c, const RunResult *result)
{
  const FrameTimes *times = &result->last;

  add_mark (rows, times->arrival, "frame arrives", "");
  for (guint i = 0; i < result->element_count; i++)
    add_mark (rows, times->entries[i], "frame enters ", c->kind.elements[i]);
  add_mark (rows, times->entries[result->element_count], "frame leaves the last element", "");
  add_mark (rows, times->read, "metadata read", "");
}

/* Contexts are pushed and popped around everything, and errors looked up. */
static gboolean
is_noise (const TimelineRow *row)
{
  return strstr (row->what, "CtxPush") || strstr (row->what, "CtxPop") || strstr (row->what, "CtxGet")
         || strstr (row->what, "GetLastError") || strstr (row->what, "PeekAtLastError")
         || strstr (row->what, "GetDevice");
}

static void
print_rows (GArray *rows, const FrameTimes *times)
{
  gint64 outer_end = 0;

  g_array_sort (rows, by_start);
  printf ("%10s %9s  %-8s %s\n", "t us", "us", "where", "what");
  for (guint i = 0; i < rows->len; i++) {
    const TimelineRow *row = &g_array_index (rows, TimelineRow, i);
    const gboolean nested = row->call && row->thread && row->end <= outer_end;
    gchar where[16] = "host";

    if (row->start < times->arrival - 1000 || row->start > times->arrival + G_USEC_PER_SEC * 1000 / RATE * 9 / 10
        || nested || (row->call && is_noise (row)))
      continue;
    if (row->call && row->thread)
      outer_end = MAX (outer_end, row->end);
    if (!row->call)
      g_snprintf (where, sizeof where, "stream %u", row->stream);
    printf ("%10.1f %9.1f  %-8s %s\n", (row->start - times->arrival) / 1e3, (row->end - row->start) / 1e3, where,
        row->what);
  }
}

gboolean
timeline_print (Streams *streams, const Case *c, ReadWhat read)
{
  const RunPlan plan = {.seconds = (gdouble) FRAMES_BEFORE / RATE, .live = RATE, .read = read};
  GArray *rows = g_array_new (FALSE, TRUE, sizeof (TimelineRow));
  RunResult *result = g_new (RunResult, 1);
  const gchar *reason;
  GpuWork work;
  gboolean ok = cupti_open (&reason);

  printf ("%s\n", c->id);
  if (!ok) {
    printf ("timeline: unknown (%s)\n", reason);
  } else {
    ok = gpu_work_begin (TRUE);
    if (ok) {
      ok = streams_run (streams, &plan, result);
      ok &= gpu_work_end (&work, rows);
    }
    if (ok) {
      add_marks (rows, c, result);
      print_rows (rows, &result->last);
    } else {
      puts ("timeline: unknown (CUPTI records no activity, or is of another version than its headers)");
    }
  }
  g_array_unref (rows);
  g_free (result);
  return ok;
}
