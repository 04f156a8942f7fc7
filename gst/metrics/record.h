/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is counted and timed of one element. Streaming threads write it, the scraper reads it, without a lock. */
#ifndef GST_METRICS_RECORD_H
#define GST_METRICS_RECORD_H

#include "gst/metrics/arrivals.h"
#include "gst/metrics/histogram.h"

G_BEGIN_DECLS

/* The elements of a pipeline share the table of its frames. */
typedef struct {
  gchar *name;
  MetricsArrivals arrivals;
} MetricsPipeline;

typedef struct {
  MetricsPipeline *pipeline; /* of g_atomic_rc_box */
  gchar *element;            /* its name, after those of the bins that it is in, with slashes */
  gchar *factory;
  GWeakRef object; /* the element that had these names last */
  gboolean is_source, is_jitter_buffer, is_sink;
  /* Changed by atomic operations from here on. */
  gint timed_input; /* whether a buffer with a time stamp has come in */
  guint64 received, sent, late;
  MetricsHistogram processing, latency, gpu;
} MetricsRecord;

/* The record of the element that PAD belongs to (borrowed from the pad), or NULL if it belongs to a bin or to none. The
 * first call for a pad takes a lock for some microseconds, later calls do not wait. */
MetricsRecord *metrics_record_of_pad (GstPad *pad);

/* The record of ELEMENT (transfer full), which is made if there is none. */
MetricsRecord *metrics_record_of_element (GstElement *element);

/* All records of this process (transfer full). */
GPtrArray *metrics_record_list (void);

/* Empties the list. Records that pads still hold live on. */
void metrics_record_forget_all (void);

void metrics_record_unref (MetricsRecord *record);

G_END_DECLS

#endif
