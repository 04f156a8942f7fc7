/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A histogram of durations that many threads fill without a lock. */
#ifndef GST_METRICS_HISTOGRAM_H
#define GST_METRICS_HISTOGRAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define METRICS_N_BOUNDS 18

/* Upper bounds of the buckets in nanoseconds, inclusive and ascending. One more bucket takes what is longer. */
extern const guint64 metrics_bounds[METRICS_N_BOUNDS];

typedef struct {
  guint64 buckets[METRICS_N_BOUNDS + 1]; /* durations in each bucket alone */
  guint64 sum;                           /* nanoseconds */
} MetricsHistogram;

/* Adds a duration in nanoseconds. Any thread may call it. */
void metrics_histogram_add (MetricsHistogram *histogram, guint64 duration);

/* Copies HISTOGRAM while other threads add to it. The copy may lack durations that are being added, in its sum or in its
 * buckets. */
void metrics_histogram_read (const MetricsHistogram *histogram, MetricsHistogram *copy);

/* Whether nothing was added to the copy HISTOGRAM. */
gboolean metrics_histogram_is_empty (const MetricsHistogram *histogram);

G_END_DECLS

#endif
