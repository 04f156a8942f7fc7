/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, as tables on stdout and as rows of a CSV file with the columns of docs/benchmarks/protocol.md. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "tests/bench/pipeline/cases.h"
#include "tests/bench/pipeline/counts.h"

typedef struct {
  const gchar *path; /* NULL: no file */
  const gchar *date, *commit, *machine;
  const gchar *command;
} ReportOptions;

typedef struct _Report Report;

/* NULL, and a message on stderr, if the file cannot be written. */
Report *report_new (const ReportOptions *options);

/* One row of the file. */
void report_value (Report *report, const Case *c, const gchar *unit, gdouble value, const gchar *format, ...)
    G_GNUC_PRINTF (5, 6);

/* The times of one case. */
void report_times_header (void);
void report_times (Report *report, const Case *c, const RunResult *result);

/* Prints the lines a second of a case of strips. */
void report_lines (Report *report, const Case *c);

/* The frames a second of several GPUs beside those of one. */
void report_devices (Report *report, GPtrArray *cases);

/* The calls of one case, and the work of the GPU. */
void report_counts_header (void);
void report_counts (Report *report, const Case *c, const GArray *rows, guint64 frames);

/* Where the time of frames in system memory goes. */
void report_uploads (GPtrArray *cases);

/* The element's name: its launch line up to the first property. */
const gchar *report_element_name (const gchar *line, gchar name[40]);

/* Frees REPORT. FALSE, and a message on stderr, if the file is not complete. */
gboolean report_close (Report *report);

#endif
