/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/report.h"

#include <stdio.h>
#include <string.h>

struct _Report {
  ReportOptions options;
  FILE *file;
};

static void
write_field (FILE *file, const gchar *text, gchar after)
{
  if (!strpbrk (text, ",\"\n")) {
    fprintf (file, "%s%c", text, after);
    return;
  }
  fputc ('"', file);
  for (; *text; text++) {
    if (*text == '"')
      fputc ('"', file);
    fputc (*text, file);
  }
  fprintf (file, "\"%c", after);
}

Report *
report_new (const ReportOptions *options)
{
  Report *report = g_new0 (Report, 1);

  report->options = *options;
  if (!options->path)
    return report;
  report->file = fopen (options->path, "w");
  if (!report->file) {
    perror (options->path);
    g_free (report);
    return NULL;
  }
  fputs ("date,commit,machine,command,benchmark,case,implementation,metric,unit,value\n", report->file);
  return report;
}

static void G_GNUC_PRINTF (5, 6)
    write_value (Report *report, const Case *c, const gchar *unit, gdouble value, const gchar *format, ...)
{
  const ReportOptions *options = &report->options;
  gchar number[G_ASCII_DTOSTR_BUF_SIZE], *metric;
  va_list args;

  if (!report->file)
    return;
  va_start (args, format);
  metric = g_strdup_vprintf (format, args);
  va_end (args);
  write_field (report->file, options->date, ',');
  write_field (report->file, options->commit, ',');
  write_field (report->file, options->machine, ',');
  write_field (report->file, options->command, ',');
  write_field (report->file, "pipeline", ',');
  write_field (report->file, c->name, ',');
  write_field (report->file, strcmp (c->kind.backend, "cuda") == 0 ? "ours, CUDA" : "ours, host backend", ',');
  write_field (report->file, metric, ',');
  write_field (report->file, unit, ',');
  g_ascii_formatd (number, sizeof number, "%.6g", value);
  write_field (report->file, number, '\n');
  fflush (report->file);
  g_free (metric);
}

/* The element's name: its launch line up to the first property. */
static const gchar *
element_name (const gchar *line, gchar name[40])
{
  g_strlcpy (name, line, MIN (strcspn (line, " ") + 1, 40));
  return name;
}

void
report_times_header (void)
{
  printf ("%-44s %9s %8s %6s %9s %9s %6s %8s  %s\n", "case", "frames/s", "CPU us", "cores", "latency", "99th p.",
      "lost", "found", "held in the streaming thread, us: median / 99th percentile");
}

void
report_times (Report *report, const Case *c, const RunResult *result)
{
  const gdouble frames = MAX (result->frames, 1);
  const gdouble cpu = result->cpu_seconds / frames * 1e6, cores = result->cpu_seconds / result->seconds;
  const gdouble lost = 100.0 * result->lost / MAX (result->frames + result->lost, 1);
  const gdouble rate = result->frames / result->seconds;
  const gdouble median = histogram_quantile (&result->latency, 0.5), high = histogram_quantile (&result->latency, 0.99);
  gchar name[40];

  printf ("%-44s %9.0f %8.1f %6.2f %9.1f %9.1f %5.1f%% %8u ", c->id, rate, cpu, cores, median, high, lost,
      result->contours + result->components);
  write_value (report, c, "frames/s", rate, "frames a second, all streams");
  write_value (report, c, "us", cpu, "CPU time a frame");
  write_value (report, c, "count", cores, "CPU cores used");
  write_value (report, c, "us", median, "latency, arrival to metadata on the host, median");
  write_value (report, c, "us", high, "latency, arrival to metadata on the host, 99th percentile");
  if (c->live)
    write_value (report, c, "%", lost, "frames lost");
  for (guint i = 0; i < result->element_count; i++) {
    const gchar *element = element_name (c->kind.elements[i], name);

    printf (" %s %.1f / %.1f", element, histogram_quantile (&result->held[i], 0.5),
        histogram_quantile (&result->held[i], 0.99));
    write_value (report, c, "us", histogram_quantile (&result->held[i], 0.5),
        "held in the streaming thread, %s, median", element);
    write_value (report, c, "us", histogram_quantile (&result->held[i], 0.99),
        "held in the streaming thread, %s, 99th percentile", element);
    write_value (report, c, "us", histogram_quantile (&result->after[i], 0.5),
        "in the streaming thread after the push, %s, median", element);
  }
  write_value (report, c, "count", result->contours, "contours of the last frame");
  write_value (report, c, "count", result->points, "points of the last frame");
  write_value (report, c, "count", result->components, "components of the last frame");
  if (result->unfilled) {
    printf (" [%" G_GUINT64_FORMAT " frames allocated anew]", result->unfilled);
    write_value (report, c, "count", result->unfilled, "frames allocated anew");
  }
  putchar ('\n');
  fflush (stdout);
}

void
report_counts_header (void)
{
  printf ("%-44s", "calls and GPU time a frame");
  for (guint kind = CALL_LAUNCH; kind < CALL_KINDS; kind++)
    printf (" %s |", counts_name (kind));
  puts (" GPU us: kernels | uploads | downloads | copies | sets");
}

static void
report_work (Report *report, const Case *c, const GpuWork *work, gdouble frames)
{
  const struct {
    const gchar *name;
    guint64 ns;
  } times[] = {{"kernels", work->kernel_ns}, {"uploads", work->upload_ns}, {"downloads", work->download_ns},
      {"copies on the device", work->device_copy_ns}, {"sets of memory", work->set_ns}};

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    printf (" %.1f", times[i].ns / frames / 1e3);
    write_value (report, c, "us", times[i].ns / frames / 1e3, "GPU time a frame, %s", times[i].name);
  }
  write_value (report, c, "count", work->kernels / frames, "kernels a frame");
  write_value (report, c, "count", work->upload_bytes / frames, "bytes uploaded a frame");
  write_value (report, c, "count", work->download_bytes / frames, "bytes downloaded a frame");
}

void
report_counts (
    Report *report, const Case *c, const Counts *counts, guint64 frames, const GpuWork *work, guint64 work_frames)
{
  printf ("%-44s", c->id);
  for (guint kind = CALL_LAUNCH; kind < CALL_KINDS; kind++) {
    const gdouble calls = (gdouble) counts->calls[kind] / MAX (frames, 1);

    printf (" %*.2f  ", (int) strlen (counts_name (kind)), calls);
    write_value (report, c, "count", calls, "%s a frame", counts_name (kind));
  }
  if (work && work_frames)
    report_work (report, c, work, work_frames);
  else
    printf (" unknown");
  putchar ('\n');
  fflush (stdout);
}

gboolean
report_close (Report *report)
{
  gboolean ok = TRUE;

  if (report->file && fclose (report->file) != 0) {
    perror (report->options.path);
    ok = FALSE;
  }
  g_free (report);
  return ok;
}
