/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of one element at one moment: its record, and what the element itself tells by its properties. */
#ifndef GST_METRICS_SAMPLE_H
#define GST_METRICS_SAMPLE_H

#include "gst/metrics/histogram.h"

G_BEGIN_DECLS

typedef struct {
  gchar *name;
  gdouble value;
} MetricsStat;

typedef struct {
  gchar *pipeline, *element, *factory;
  guint64 received, sent, late;
  MetricsHistogram processing, latency, gpu;
  gboolean has_level; /* whether the element is a queue, or another that tells its level */
  gdouble level_frames, level_bytes, level_seconds;
  GArray *stats; /* of MetricsStat: the numbers of the property "stats" */
} MetricsSample;

/* Samples of all elements (transfer full, of MetricsSample). Reads properties of elements that live, so it must not be
 * called by a streaming thread. */
GPtrArray *metrics_sample_all (void);

G_END_DECLS

#endif
