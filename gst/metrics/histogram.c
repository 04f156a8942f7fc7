/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/metrics/histogram.h"

const guint64 metrics_bounds[METRICS_N_BOUNDS] = {10 * GST_USECOND, 25 * GST_USECOND, 50 * GST_USECOND,
    100 * GST_USECOND, 250 * GST_USECOND, 500 * GST_USECOND, GST_MSECOND, 2500 * GST_USECOND, 5 * GST_MSECOND,
    10 * GST_MSECOND, 25 * GST_MSECOND, 50 * GST_MSECOND, 100 * GST_MSECOND, 250 * GST_MSECOND, 500 * GST_MSECOND,
    GST_SECOND, 2500 * GST_MSECOND, 10 * GST_SECOND};

void
metrics_histogram_add (MetricsHistogram *histogram, guint64 duration)
{
  guint bucket = 0;

  while (bucket < METRICS_N_BOUNDS && duration > metrics_bounds[bucket])
    bucket++;
  __atomic_fetch_add (&histogram->buckets[bucket], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add (&histogram->sum, duration, __ATOMIC_RELAXED);
}

void
metrics_histogram_read (const MetricsHistogram *histogram, MetricsHistogram *copy)
{
  for (guint i = 0; i <= METRICS_N_BOUNDS; i++)
    copy->buckets[i] = __atomic_load_n (&histogram->buckets[i], __ATOMIC_RELAXED);
  copy->sum = __atomic_load_n (&histogram->sum, __ATOMIC_RELAXED);
}

gboolean
metrics_histogram_is_empty (const MetricsHistogram *histogram)
{
  for (guint i = 0; i <= METRICS_N_BOUNDS; i++)
    if (histogram->buckets[i] > 0)
      return FALSE;
  return TRUE;
}
