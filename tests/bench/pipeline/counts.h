/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls to CUDA, and the work on the GPU, as CUPTI tells them. CUPTI slows the process down, so nothing is counted before
 * everything is timed. */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include <glib.h>

typedef enum {
  CALL_OTHER,
  CALL_LAUNCH, /* of one kernel */
  CALL_GRAPH_LAUNCH,
  CALL_GRAPH_CHANGE,  /* a graph instantiated or updated */
  CALL_WAIT,          /* for a stream, an event or the context */
  CALL_BLOCKING_COPY, /* a copy that waits */
  CALL_POLL,
  CALL_COPY,
  CALL_SET, /* of memory */
  CALL_ALLOCATION,
  CALL_FREE,
  CALL_KINDS
} CallKind;

typedef struct {
  guint64 calls[CALL_KINDS];
} Counts;

/* Times of the GPU in nanoseconds: sums of durations, whatever runs beside one another. */
typedef struct {
  guint64 kernels, uploads, downloads, device_copies, sets;
  guint64 kernel_ns, upload_ns, download_ns, device_copy_ns, set_ns;
  guint64 upload_bytes, download_bytes;
  guint64 dropped; /* records that CUPTI had no room for */
} GpuWork;

/* What one record of a timeline says. Times are nanoseconds of CLOCK_MONOTONIC. */
typedef struct {
  gint64 start, end;
  guint32 thread; /* of a call */
  guint32 stream; /* of work on the GPU */
  gboolean call;
  gchar what[120];
} TimelineRow;

/* Returns FALSE, and the reason, where CUPTI is missing. */
gboolean counts_open (const gchar **reason);

/* Name of a kind of call in tables, such as "kernel launches". */
const gchar *counts_name (CallKind kind);

/* The kind of call that has this name in CUPTI, such as cudaLaunchKernel_v7000 or cuMemAlloc_v2. */
CallKind counts_kind_of (const gchar *name);

/* Counts the calls of all threads from begin to end. */
gboolean counts_begin (void);
void counts_end (Counts *counts);

/* Records the work of the GPU from begin to end; with ROWS, a list of TimelineRow, the calls too. */
gboolean gpu_work_begin (gboolean calls);
gboolean gpu_work_end (GpuWork *work, GArray *rows);

#endif
