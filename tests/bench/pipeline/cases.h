/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is measured: chains of elements, sizes, memory, numbers of streams. */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "tests/bench/pipeline/gpuwork.h"
#include "tests/bench/pipeline/picture.h"
#include "tests/bench/pipeline/streams.h"

typedef struct {
  gchar *id;    /* for --cases and the table, such as cca-otsu/1080p/NV12/cuda/x16 */
  gchar *name;  /* for the CSV file */
  gchar *rival; /* id of the same case on one GPU; NULL unless there are several */
  StreamKind kind;
  PictureKind picture;
  guint streams;
  guint live;       /* frames a second of each stream; 0: as fast as they are taken */
  guint queued;     /* frames that wait behind the last element before they are read */
  guint flat_share; /* of the frames of --flat it takes one in so many */
  /* Once it is timed. */
  gdouble rate; /* frames a second; 0: not timed */
  gdouble latency_us;
  /* Once it is counted. */
  GpuWork work;
  guint64 work_frames; /* 0: unknown */
} Case;

typedef struct {
  gboolean cuda;          /* there is a GPU, and it is wanted */
  guint devices;          /* GPUs that some cases are spread over; 1: none */
  gboolean quick;         /* a few of the cases */
  gboolean system_memory; /* only those in system memory */
  gboolean strips;        /* instead: a line camera's strips */
  const gchar *pattern;   /* regular expression that an id has to match; NULL: all */
  GArray *streams;        /* of guint; NULL: 1, 4, 16, 64, on the host 1 and 4; on several GPUs so many on each */
  guint live;             /* the rate of all cases; 0: mostly as fast as they are taken */
} CaseOptions;

/* Returns an array of Case; NULL, and a message on stderr, if the pattern is none. */
GPtrArray *cases_new (const CaseOptions *options);

#endif
