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

void
report_value (Report *report, const Case *c, const gchar *unit, gdouble value, const gchar *format, ...)
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

const gchar *
report_element_name (const gchar *line, gchar name[40])
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
  report_value (report, c, "frames/s", rate, "frames a second, all streams");
  report_value (report, c, "us", cpu, "CPU time a frame");
  report_value (report, c, "count", cores, "CPU cores used");
  report_value (report, c, "us", median, "latency, arrival to metadata on the host, median");
  report_value (report, c, "us", high, "latency, arrival to metadata on the host, 99th percentile");
  if (c->live)
    report_value (report, c, "%", lost, "frames lost");
  for (guint i = 0; i < result->element_count; i++) {
    const gchar *element = report_element_name (c->kind.elements[i], name);

    printf (" %s %.1f / %.1f", element, histogram_quantile (&result->held[i], 0.5),
        histogram_quantile (&result->held[i], 0.99));
    report_value (report, c, "us", histogram_quantile (&result->held[i], 0.5),
        "held in the streaming thread, %s, median", element);
    report_value (report, c, "us", histogram_quantile (&result->held[i], 0.99),
        "held in the streaming thread, %s, 99th percentile", element);
    report_value (report, c, "us", histogram_quantile (&result->after[i], 0.5),
        "in the streaming thread after the push, %s, median", element);
  }
  report_value (report, c, "count", result->contours, "contours of the last frame");
  report_value (report, c, "count", result->points, "points of the last frame");
  report_value (report, c, "count", result->components, "components of the last frame");
  if (result->unfilled) {
    printf (" [%" G_GUINT64_FORMAT " frames allocated anew]", result->unfilled);
    report_value (report, c, "count", result->unfilled, "frames allocated anew");
  }
  putchar ('\n');
  fflush (stdout);
}

void
report_lines (Report *report, const Case *c)
{
  const gdouble lines = c->rate * c->kind.frames.height;

  printf ("%-44s %9.0f lines/s of %u pixels\n", "", lines, c->kind.frames.width);
  report_value (report, c, "lines/s", lines, "lines a second");
}

static const Case *
find_case (GPtrArray *cases, const gchar *id)
{
  for (guint i = 0; i < cases->len; i++) {
    const Case *c = g_ptr_array_index (cases, i);

    if (strcmp (c->id, id) == 0)
      return c;
  }
  return NULL;
}

void
report_devices (Report *report, GPtrArray *cases)
{
  gboolean header = FALSE;

  for (guint i = 0; i < cases->len; i++) {
    const Case *c = g_ptr_array_index (cases, i), *rival = c->rival ? find_case (cases, c->rival) : NULL;

    if (!rival || rival->rate <= 0 || c->rate <= 0)
      continue;
    if (!header)
      printf ("\n%-44s %14s %14s %8s\n", "several GPUs", "one, frames/s", "all, frames/s", "ratio");
    header = TRUE;
    printf ("%-44s %14.0f %14.0f %8.2f\n", c->id, rival->rate, c->rate, c->rate / rival->rate);
    report_value (
        report, c, "ratio", c->rate / rival->rate, "frames a second, to those of one GPU with its share of streams");
  }
}

enum { GPU_TIMES = 5 };

/* Nanoseconds of WORK by the names in tables. */
static const gchar *
gpu_time (const GpuWork *work, guint index, guint64 *ns)
{
  static const gchar *const names[GPU_TIMES] = {
      "kernels", "uploads", "downloads", "copies on the device", "sets of memory"};
  const guint64 times[GPU_TIMES] = {
      work->kernel_ns, work->upload_ns, work->download_ns, work->device_copy_ns, work->set_ns};

  *ns = times[index];
  return names[index];
}

void
report_counts_header (void)
{
  const GpuWork none = {0};
  guint64 ns;

  printf ("%-44s", "calls a frame, and GPU time in us");
  for (guint kind = 0; kind < CALL_KINDS; kind++)
    printf (" | %s", counts_name (kind));
  printf (" || ");
  for (guint i = 0; i < GPU_TIMES; i++)
    printf ("%s%s", i > 0 ? " | " : "", gpu_time (&none, i, &ns));
  putchar ('\n');
}

static void
report_work (Report *report, const Case *c)
{
  const GpuWork *work = &c->work;
  const gdouble frames = c->work_frames;

  for (guint i = 0; i < GPU_TIMES; i++) {
    guint64 ns;
    const gchar *name = gpu_time (work, i, &ns);

    printf (" %*.1f%s", (int) strlen (name), ns / frames / 1e3, i + 1 < GPU_TIMES ? "  " : "");
    report_value (report, c, "us", ns / frames / 1e3, "GPU time a frame, %s", name);
  }
  report_value (report, c, "count", work->kernels / frames, "kernels a frame");
  report_value (report, c, "count", work->upload_bytes / frames, "bytes uploaded a frame");
  report_value (report, c, "count", work->download_bytes / frames, "bytes downloaded a frame");
}

void
report_counts (Report *report, const Case *c, const GArray *rows, guint64 frames)
{
  guint64 sums[CALL_KINDS] = {0};

  for (guint i = 0; i < rows->len; i++) {
    const CallRow *row = &g_array_index (rows, CallRow, i);

    sums[row->kind] += counts_row_sum (row);
  }
  printf ("%-44s", c->id);
  for (guint kind = 0; kind < CALL_KINDS; kind++) {
    const gdouble calls = (gdouble) sums[kind] / MAX (frames, 1);

    printf (" %*.2f ", (int) strlen (counts_name (kind)) + 1, calls);
    report_value (report, c, "count", calls, "%s a frame", counts_name (kind));
  }
  printf ("  ");
  if (c->work_frames > 0)
    report_work (report, c);
  else
    printf (" unknown");
  putchar ('\n');
  fflush (stdout);
}

static void
print_upload (const Case *c)
{
  const GpuWork *work = &c->work;
  const gdouble frames = c->work_frames, upload = work->upload_ns / 1e3 / frames, bytes = work->upload_bytes / frames;

  printf ("%-44s %11.1f %9.1f %8.2f %8.1f %9.1f %11.1f\n", c->id, c->latency_us, upload, bytes / 1e6,
      upload > 0 ? bytes / upload / 1e3 : 0, work->kernel_ns / 1e3 / frames, work->download_ns / 1e3 / frames);
}

void
report_uploads (GPtrArray *cases)
{
  gboolean header = FALSE;

  for (guint i = 0; i < cases->len; i++) {
    const Case *c = g_ptr_array_index (cases, i);

    if (c->kind.frames.memory == FRAMES_CUDA || c->work_frames == 0)
      continue;
    if (!header)
      printf ("\n%-44s %11s %9s %8s %8s %9s %11s\n", "system memory, us a frame", "end to end", "upload", "MB", "GB/s",
          "kernels", "download");
    header = TRUE;
    print_upload (c);
  }
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
