/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One stream: its pipeline, its pads and its frames. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include "tests/bench/pipeline/streams.h"

typedef struct _Stream Stream;

/* The chain function of an element's sink pad, wrapped. It takes the time at entry and exit: about 25 ns each. */
typedef struct {
  Stream *stream;
  guint index;
  GstPadChainFunction chain;
  gint64 exit;
} Stage;

/* A frame behind the last element. */
typedef struct {
  GstBuffer *buffer;
  gint64 arrival;
} Waiting;

struct _Stream {
  Streams *all;
  guint index;
  guint device;
  GstElement *pipeline;
  GstPad *source, *sink, *holder;
  GstBufferPool *ring;
  GstBuffer *held[HELD_FRAMES];
  guint next_held;
  Stage stages[MAX_ELEMENTS + 1]; /* the last one is the sink's: its exit only */
  guint64 pushed;                 /* frames since the stream began */
  Waiting waiting[MAX_QUEUED];    /* frames that are read later; a ring */
  guint first_waiting, n_waiting;
  RunResult result;
  GstFlowReturn flow;
  GThread *thread;
};

struct _Streams {
  StreamKind kind;
  guint count;
  guint element_count;
  RunPlan plan;
  gint ready;   /* threads that wait for the start */
  gint running; /* 0: not yet, 1: yes */
  gint64 start, end;
  Stream streams[];
};

/* Nanoseconds of CLOCK_MONOTONIC. */
gint64 stream_now (void);

/* Builds the pipeline of stream INDEX of ALL and fills its frames. FALSE, and a message on stderr, on failure; it has to be
 * ended even so. */
gboolean stream_begin (Stream *stream, Streams *all, guint index, const guint8 *picture);
void stream_end (Stream *stream);

/* Pushes one frame of the ring, PERIOD nanoseconds after the last one. */
void stream_push (Stream *stream, gint64 period);

/* Reads the frames that still wait behind the last element. */
void stream_read_rest (Stream *stream);

/* Says on stderr why the stream failed. */
void stream_print_error (Stream *stream);

#endif
