/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/metrics/arrivals.h"

/* Time stamps of a stream are multiples of the same duration; the product spreads them. */
static guint
set_of (GstClockTime pts)
{
  G_STATIC_ASSERT (METRICS_N_SETS == 1 << 10);
  return (pts * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15)) >> (64 - 10);
}

static MetricsArrival *
choose (MetricsArrival *set, GstClockTime pts)
{
  MetricsArrival *chosen = set;

  for (guint i = 0; i < METRICS_SET_SIZE; i++) {
    if (__atomic_load_n (&set[i].pts, __ATOMIC_SEQ_CST) == pts)
      return &set[i];
    if (__atomic_load_n (&set[i].time, __ATOMIC_SEQ_CST) < __atomic_load_n (&chosen->time, __ATOMIC_SEQ_CST))
      chosen = &set[i];
  }
  return chosen;
}

void
metrics_arrivals_note (MetricsArrivals *arrivals, GstClockTime pts, GstClockTime time)
{
  MetricsArrival *entry = choose (arrivals->sets[set_of (pts)], pts);

  /* An entry without a valid time stamp belongs to the thread that took it away: with two sources, one frame has no entry
   * rather than the time of the other. */
  if (__atomic_exchange_n (&entry->pts, GST_CLOCK_TIME_NONE, __ATOMIC_SEQ_CST) == GST_CLOCK_TIME_NONE)
    return;
  __atomic_store_n (&entry->time, time, __ATOMIC_SEQ_CST);
  __atomic_store_n (&entry->pts, pts, __ATOMIC_SEQ_CST);
}

GstClockTime
metrics_arrivals_find (const MetricsArrivals *arrivals, GstClockTime pts)
{
  const MetricsArrival *set = arrivals->sets[set_of (pts)];

  for (guint i = 0; i < METRICS_SET_SIZE; i++) {
    GstClockTime time;
    if (__atomic_load_n (&set[i].pts, __ATOMIC_SEQ_CST) != pts)
      continue;
    time = __atomic_load_n (&set[i].time, __ATOMIC_SEQ_CST);
    /* The same time stamp before and after: the time belongs to it. */
    if (time > 0 && __atomic_load_n (&set[i].pts, __ATOMIC_SEQ_CST) == pts)
      return time;
  }
  return GST_CLOCK_TIME_NONE;
}
