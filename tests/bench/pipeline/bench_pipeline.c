/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench_pipeline [OPTIONS]: the elements in pipelines of prepared frames, as docs/benchmarks/protocol.md describes it.
 * Everything is timed first; then the calls to CUDA are counted, which slows them down. Exit status 1: a stream failed,
 * --flat found growth, or --calls and --timeline had no CUPTI. */
#include "tests/bench/pipeline/report.h"

#include "tests/bench/pipeline/calls.h"
#include "tests/bench/pipeline/cupti.h"
#include "tests/bench/pipeline/flat.h"
#include "tests/bench/pipeline/timeline.h"

#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTED_FRAMES = 64 };
static const gdouble UNTIMED_SECONDS = 1; /* at most, of warming up and of counting */

typedef struct {
  gchar *pattern, *streams, *read, *backend, *picture, *csv, *date, *commit, *machine;
  gdouble seconds;
  gint warmup, live, devices;
  gint64 flat;
  gboolean quick, list, timeline, calls, system_memory, strips, no_counts;
} Options;

typedef struct {
  Options options;
  ReadWhat read;
  gboolean cuda;
  guint devices;        /* with a context */
  GHashTable *pictures; /* by size and kind */
  Report *report;
} Bench;

static gboolean
parse_streams (const gchar *text, GArray **streams)
{
  gchar **parts = g_strsplit (text, ",", -1);
  gboolean ok = parts[0] != NULL;

  *streams = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; parts[i] && ok; i++) {
    guint64 number;

    ok = g_ascii_string_to_unsigned (parts[i], 10, 1, 1024, &number, NULL);
    if (ok) {
      guint count = number;

      g_array_append_val (*streams, count);
    }
  }
  g_strfreev (parts);
  if (!ok)
    g_printerr ("--streams: \"%s\" is no list of numbers from 1 to 1024\n", text);
  return ok;
}

static gboolean
parse_read (const gchar *text, ReadWhat *read)
{
  static const gchar *const names[] = {"nothing", "tables", "points"};

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (text, names[i]) == 0) {
      *read = (ReadWhat) i;
      return TRUE;
    }
  g_printerr ("--read: \"%s\" is not one of nothing, tables, points\n", text);
  return FALSE;
}

static const guint8 *
picture_for (Bench *bench, const Case *c)
{
  const FrameKind *frames = &c->kind.frames;
  gpointer key = GUINT_TO_POINTER (c->picture << 30 | frames->width << 15 | frames->height);
  guint8 *picture = g_hash_table_lookup (bench->pictures, key);

  if (!picture && (picture = picture_new (bench->options.picture, c->picture, frames->width, frames->height)))
    g_hash_table_insert (bench->pictures, key, picture);
  return picture;
}

/* Returns streams that have seen their frames: memory has grown, clocks are up. */
static Streams *
warm_streams (Bench *bench, const Case *c)
{
  const guint8 *picture = picture_for (bench, c);
  const RunPlan plan = {.frames = bench->options.warmup, .seconds = UNTIMED_SECONDS, .read = bench->read};
  Streams *streams = picture ? streams_new (&c->kind, c->streams, picture) : NULL;
  RunResult *result = g_new (RunResult, 1);

  if (streams && !streams_run (streams, &plan, result)) {
    streams_free (streams);
    streams = NULL;
  }
  g_free (result);
  return streams;
}

static gboolean
time_case (Bench *bench, Case *c)
{
  const RunPlan plan = {.seconds = bench->options.seconds, .live = c->live, .read = bench->read, .queued = c->queued};
  Streams *streams = warm_streams (bench, c);
  RunResult *result = g_new (RunResult, 1);
  gboolean ok = streams && streams_run (streams, &plan, result);

  if (ok) {
    c->rate = result->frames / result->seconds;
    c->latency_us = histogram_quantile (&result->latency, 0.5);
    report_times (bench->report, c, result);
    if (bench->options.strips)
      report_lines (bench->report, c);
  } else {
    printf ("%-44s FAILED\n", c->id);
  }
  if (streams)
    streams_free (streams);
  g_free (result);
  return ok;
}

static gboolean
time_cases (Bench *bench, GPtrArray *cases)
{
  gboolean ok = TRUE;

  report_times_header ();
  for (guint i = 0; i < cases->len; i++)
    ok &= time_case (bench, g_ptr_array_index (cases, i));
  report_devices (bench->report, cases);
  return ok;
}

/* Returns the calls of some frames of each stream, and the number of these frames; NULL on failure. */
static GArray *
count_calls (Bench *bench, Streams *streams, guint64 *frames)
{
  const RunPlan plan = {.frames = COUNTED_FRAMES, .seconds = UNTIMED_SECONDS, .read = bench->read};
  RunResult *result = g_new (RunResult, 1);
  GArray *rows = NULL;

  if (counts_begin ()) {
    gboolean ok = streams_run (streams, &plan, result);

    rows = counts_end ();
    *frames = result->frames;
    if (!ok)
      g_clear_pointer (&rows, g_array_unref);
  }
  g_free (result);
  return rows;
}

static void
record_work (Bench *bench, Case *c, Streams *streams)
{
  const RunPlan plan = {.frames = COUNTED_FRAMES, .seconds = UNTIMED_SECONDS, .read = bench->read};
  RunResult *result = g_new (RunResult, 1);
  gboolean ok = gpu_work_begin (FALSE);

  if (ok) {
    ok = streams_run (streams, &plan, result);
    ok &= gpu_work_end (&c->work, NULL);
  }
  c->work_frames = ok ? result->frames : 0;
  g_free (result);
}

static gboolean
count_case (Bench *bench, Case *c)
{
  Streams *streams = warm_streams (bench, c);
  guint64 frames = 0;
  GArray *rows = streams ? count_calls (bench, streams, &frames) : NULL;

  if (rows && bench->options.calls) {
    calls_report (bench->report, c, rows, frames);
  } else if (rows) {
    record_work (bench, c, streams);
    report_counts (bench->report, c, rows, frames);
  } else {
    printf ("%-44s unknown: CUPTI refused, or a stream failed\n", c->id);
  }
  if (streams)
    streams_free (streams);
  if (rows)
    g_array_unref (rows);
  return rows != NULL;
}

static gboolean
have_counts (void)
{
  const gchar *reason;

  if (cupti_open (&reason))
    return TRUE;
  printf ("calls to CUDA a frame: unknown (%s)\n", reason);
  return FALSE;
}

/* Calls a frame hardly depend on the number of streams, and not on the rate: they are counted for one stream. */
static void
count_cases (Bench *bench, GPtrArray *cases)
{
  if (!bench->cuda || bench->options.no_counts)
    return;
  putchar ('\n');
  if (!have_counts ())
    return;
  report_counts_header ();
  for (guint i = 0; i < cases->len; i++) {
    Case *c = g_ptr_array_index (cases, i);

    if (!c->live && c->streams == 1 && !count_case (bench, c))
      break;
  }
  report_uploads (cases);
}

static gboolean
list_cases (Bench *bench, GPtrArray *cases)
{
  for (guint i = 0; i < cases->len; i++)
    puts (((const Case *) g_ptr_array_index (cases, i))->id);
  return TRUE;
}

/* One case of --flat or --timeline. */
static gboolean
examine (Bench *bench, Case *c)
{
  Streams *streams;
  gboolean ok;

  c->kind.frames.changing = bench->options.flat > 0;
  streams = warm_streams (bench, c);
  ok = streams != NULL;
  if (ok && bench->options.flat > 0)
    ok = flat_run (streams, c, bench->options.flat, bench->read);
  else if (ok)
    ok = timeline_print (streams, c, bench->read);
  if (streams)
    streams_free (streams);
  return ok;
}

static gboolean
run_all (Bench *bench, GPtrArray *cases)
{
  const Options *options = &bench->options;
  gboolean ok = TRUE;

  if (options->list)
    return list_cases (bench, cases);
  if (options->flat > 0 || options->timeline) {
    if (options->flat > 0)
      flat_header ();
    for (guint i = 0; i < cases->len; i++)
      ok &= examine (bench, g_ptr_array_index (cases, i));
    return ok;
  }
  if (options->calls) {
    ok = have_counts ();
    for (guint i = 0; i < cases->len && ok; i++)
      ok = count_case (bench, g_ptr_array_index (cases, i));
    return ok;
  }
  ok = time_cases (bench, cases);
  count_cases (bench, cases);
  return ok;
}

static gboolean
open_devices (Bench *bench)
{
  const gint wanted = bench->options.devices;

  bench->devices = frames_open_devices (MAX (wanted, 0));
  if (wanted == 0 && bench->devices == 1)
    puts ("one GPU: there is nothing to spread streams over");
  if ((gint) bench->devices >= wanted)
    return TRUE;
  g_printerr ("--devices=%d: contexts could be created on %u\n", wanted, bench->devices);
  return FALSE;
}

/* The backend: cuda where there is a GPU. */
static gboolean
choose_backend (Bench *bench)
{
  const gchar *backend = bench->options.backend, *reason = "";

  bench->cuda = strcmp (backend, "cpu") != 0 && frames_have_cuda (&reason);
  if (strcmp (backend, "cuda") == 0 && !bench->cuda) {
    g_printerr ("--backend=cuda: %s\n", reason);
    return FALSE;
  }
  if (strcmp (backend, "auto") == 0 && !bench->cuda)
    printf ("host backend only: %s\n", reason);
  if (bench->cuda && !open_devices (bench))
    return FALSE;
  if (bench->options.warmup <= 0)
    bench->options.warmup = bench->cuda ? 4 * RING_FRAMES : 2;
  if (bench->options.seconds <= 0)
    bench->options.seconds = bench->options.quick ? 0.3 : 0.8;
  return TRUE;
}

static gboolean
parse (Options *options, int *argc, char ***argv)
{
  const GOptionEntry entries[] = {
      {"cases", 0, 0, G_OPTION_ARG_STRING, &options->pattern, "only cases whose id matches", "REGEX"},
      {"list", 0, 0, G_OPTION_ARG_NONE, &options->list, "print the ids", NULL},
      {"streams", 0, 0, G_OPTION_ARG_STRING, &options->streams, "numbers of streams (1,4,16,64)", "LIST"},
      {"devices", 0, 0, G_OPTION_ARG_INT, &options->devices, "GPUs to spread streams over (1); 0: all", "N"},
      {"live", 0, 0, G_OPTION_ARG_INT, &options->live, "every source delivers so many frames a second", "RATE"},
      {"read", 0, 0, G_OPTION_ARG_STRING, &options->read, "nothing, tables (default) or points", "WHAT"},
      {"backend", 0, 0, G_OPTION_ARG_STRING, &options->backend, "auto, cuda or cpu", "NAME"},
      {"system-memory", 0, 0, G_OPTION_ARG_NONE, &options->system_memory, "only frames in system memory", NULL},
      {"strips", 0, 0, G_OPTION_ARG_NONE, &options->strips, "strips of a line camera, in lines a second", NULL},
      {"picture", 0, 0, G_OPTION_ARG_FILENAME, &options->picture, "PGM, PNG or JPEG instead of a board", "FILE"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &options->seconds, "of each case (0.8, quick 0.3)", "S"},
      {"warmup", 0, 0, G_OPTION_ARG_INT, &options->warmup, "frames of each stream before (32, on the host 2)", "N"},
      {"quick", 0, 0, G_OPTION_ARG_NONE, &options->quick, "some of the cases", NULL},
      {"no-counts", 0, 0, G_OPTION_ARG_NONE, &options->no_counts, "do not count the calls to CUDA", NULL},
      {"timeline", 0, 0, G_OPTION_ARG_NONE, &options->timeline, "the calls and kernels of one frame", NULL},
      {"calls", 0, 0, G_OPTION_ARG_NONE, &options->calls, "the calls to CUDA, by element and function", NULL},
      {"flat", 0, 0, G_OPTION_ARG_INT64, &options->flat, "memory, descriptors and threads must not grow", "FRAMES"},
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &options->csv, "write every value", "FILE"},
      {"date", 0, 0, G_OPTION_ARG_STRING, &options->date, "for the CSV file (today)", "DAY"},
      {"commit", 0, 0, G_OPTION_ARG_STRING, &options->commit, "for the CSV file", "ID"},
      {"machine", 0, 0, G_OPTION_ARG_STRING, &options->machine, "for the CSV file", "NAME"},
      {NULL},
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, argc, argv, &error);
  if (!ok) {
    g_printerr ("%s\n", error->message);
    g_error_free (error);
  }
  g_option_context_free (context);
  return ok;
}

static gchar *
today (void)
{
  GDateTime *time = g_date_time_new_now_local ();
  gchar *day = g_date_time_format (time, "%Y-%m-%d");

  g_date_time_unref (time);
  return day;
}

/* What was not given. */
static void
complete (Options *options)
{
  options->read = options->read ? options->read : g_strdup ("tables");
  options->backend = options->backend ? options->backend : g_strdup ("auto");
  options->date = options->date ? options->date : today ();
  options->commit = options->commit ? options->commit : g_strdup ("unknown");
  options->machine = options->machine ? options->machine : g_strdup (g_get_host_name ());
}

static void
free_options (Options *options)
{
  gchar *const texts[] = {options->pattern, options->streams, options->read, options->backend, options->picture,
      options->csv, options->date, options->commit, options->machine};

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
}

static gboolean
run (Bench *bench, const gchar *command)
{
  const Options *options = &bench->options;
  const ReportOptions report = {options->csv, options->date, options->commit, options->machine, command};
  const gchar *pattern = options->pattern    ? options->pattern
                         : options->flat > 0 ? flat_cases
                         : options->calls    ? calls_cases
                                             : NULL;
  CaseOptions wanted = {.cuda = bench->cuda,
      .devices = bench->cuda ? bench->devices : 1,
      .quick = options->quick,
      .system_memory = options->system_memory,
      .strips = options->strips,
      .pattern = pattern,
      .live = MAX (options->live, 0)};
  GPtrArray *cases = NULL;
  gboolean ok = (!options->streams || parse_streams (options->streams, &wanted.streams))
                && (cases = cases_new (&wanted)) && (bench->report = report_new (&report));

  if (ok && cases->len == 0)
    g_printerr ("no case matches; --list names them\n");
  ok = ok && cases->len > 0 && run_all (bench, cases);
  if (bench->report)
    ok &= report_close (bench->report);
  if (cases)
    g_ptr_array_unref (cases);
  if (wanted.streams)
    g_array_unref (wanted.streams);
  return ok;
}

int
main (int argc, char **argv)
{
  Bench bench = {.options = {.devices = 1}};
  Options *options = &bench.options;
  gchar *command = g_strjoinv (" ", argv);
  gboolean ok;

  bench.pictures = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  ok = parse (options, &argc, &argv);
  complete (options);
  ok = ok && parse_read (options->read, &bench.read) && choose_backend (&bench) && run (&bench, command);
  g_hash_table_unref (bench.pictures);
  frames_deinit ();
  free_options (options);
  g_free (command);
  gst_deinit ();
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
