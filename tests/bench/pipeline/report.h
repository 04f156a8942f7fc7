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

/* The times of one case. */
void report_times_header (void);
void report_times (Report *report, const Case *c, const RunResult *result);

/* The calls of one case, and the work of the GPU; WORK may be NULL if it is unknown. */
void report_counts_header (void);
void report_counts (
    Report *report, const Case *c, const Counts *counts, guint64 frames, const GpuWork *work, guint64 work_frames);

/* Frees REPORT. FALSE, and a message on stderr, if the file is not complete. */
gboolean report_close (Report *report);

#endif
