/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls to CUDA, by function and by who makes them, as CUPTI tells them. CUPTI slows the process down, so nothing is
 * counted before everything is timed. */
#ifndef BENCH_COUNTS_H
#define BENCH_COUNTS_H

#include <glib.h>

typedef enum {
  CALL_LAUNCH, /* of one kernel */
  CALL_GRAPH_LAUNCH,
  CALL_GRAPH_CHANGE,  /* a graph instantiated or updated */
  CALL_RECORD,        /* of an event */
  CALL_STREAM_WAIT,   /* a stream is told to wait for an event */
  CALL_WAIT,          /* of the thread, for a stream, an event or the context */
  CALL_BLOCKING_COPY, /* a copy that waits */
  CALL_POLL,
  CALL_COPY,
  CALL_SET, /* of memory */
  CALL_ALLOCATION,
  CALL_FREE,
  CALL_CONTEXT, /* contexts and devices, made current or asked for */
  CALL_OTHER,
  CALL_KINDS
} CallKind;

/* Who makes a call. Element i of a pipeline is CALLER_ELEMENTS + i. */
enum {
  CALLER_OTHER, /* threads that said nothing */
  CALLER_BENCH, /* the benchmark itself: not counted */
  CALLER_SOURCE,
  CALLER_READER,
  CALLER_ELEMENTS,
  CALLERS = CALLER_ELEMENTS + 8
};

typedef struct {
  const gchar *name; /* CUPTI's, such as cudaLaunchKernel_v7000 */
  CallKind kind;
  guint64 calls[CALLERS];
} CallRow;

/* Name of a kind of call in tables, such as "kernel launches". */
const gchar *counts_name (CallKind kind);

/* The kind of call that has this name in CUPTI, such as cudaLaunchKernel_v7000 or cuMemAlloc_v2. */
CallKind counts_kind_of (const gchar *name);

/* Names the CALLER of this thread's calls from now on, and returns the one before. */
guint counts_set_caller (guint caller);

/* Counts the calls of all threads from begin to end. Needs cupti_open(). */
gboolean counts_begin (void);

/* Returns the functions that were called, a new array of CallRow, by kind and then by number of calls. */
GArray *counts_end (void);

guint64 counts_row_sum (const CallRow *row);

/* Adds the calls of ROW to those of SUM. */
void counts_add (CallRow *sum, const CallRow *row);

#endif
