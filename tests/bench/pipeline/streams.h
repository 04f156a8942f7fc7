/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams of prepared frames through elements: each stream has a pipeline, a ring of frames and a thread of its own. The
 * thread pushes frames into the first element's pad, and what arrives behind the last one is read on the host. */
#ifndef BENCH_STREAMS_H
#define BENCH_STREAMS_H

#include "tests/bench/pipeline/frames.h"
#include "tests/bench/pipeline/histogram.h"

enum { MAX_ELEMENTS = 8, HELD_FRAMES = 3, MAX_QUEUED = 4 };

/* What happens to a frame behind the last element. */
typedef enum {
  READ_NOTHING, /* it is freed */
  READ_TABLES,  /* all numbers of contours and components, and the components' table */
  READ_POINTS   /* the same, and the contours' table and points */
} ReadWhat;

typedef struct {
  const gchar *const *elements; /* launch lines without a backend, ended by NULL */
  const gchar *backend;
  guint devices; /* GPUs: stream i takes number i modulo DEVICES, and its context and frames are there */
  gboolean held; /* a tee before the first element; its other branch holds the last HELD_FRAMES frames */
  FrameKind frames;
} StreamKind;

typedef struct {
  gdouble seconds; /* 0: no limit */
  guint64 frames;  /* of each stream; 0: no limit */
  guint live;      /* frames a second that each source delivers; 0: as fast as they are taken */
  ReadWhat read;
  guint queued; /* so many frames, MAX_QUEUED at most, wait behind the last element before they are read */
} RunPlan;

/* When a frame was where, in nanoseconds of CLOCK_MONOTONIC. */
typedef struct {
  gint64 arrival;
  gint64 entries[MAX_ELEMENTS + 1]; /* in the elements, and behind the last one */
  gint64 read;
} FrameTimes;

typedef struct {
  guint64 frames;      /* that went through, in all */
  guint64 lost;        /* live: frames that were not delivered because their source was late by more than one period */
  guint64 unfilled;    /* frames that a pool allocated anew while they were timed; their picture is undefined */
  gdouble seconds;     /* wall time until all work was finished, on the GPU too */
  gdouble cpu_seconds; /* of the process, user and system */
  Histogram latency;   /* from the push into the first element until everything was read */
  guint element_count;
  Histogram held[MAX_ELEMENTS];  /* from an element's chain function to the next one's */
  Histogram after[MAX_ELEMENTS]; /* from there back to the end of its chain function */
  /* What the last frame of the first stream had. */
  guint contours, components;
  guint64 points;
  FrameTimes last; /* and when it was where */
} RunResult;

typedef struct _Streams Streams;

/* Returns COUNT streams that are ready to run; NULL, and a message on stderr, on failure. */
Streams *streams_new (const StreamKind *kind, guint count, const guint8 *picture);

/* Runs all streams at once. FALSE, and a message on stderr, if a stream failed. */
gboolean streams_run (Streams *streams, const RunPlan *plan, RunResult *result);

void streams_free (Streams *streams);

#endif
