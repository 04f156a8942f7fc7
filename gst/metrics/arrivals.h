/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the frames that are under way in a pipeline entered it, by time stamp. A tracer must not write to buffers, and
 * elements replace them; their time stamps remain. */
#ifndef GST_METRICS_ARRIVALS_H
#define GST_METRICS_ARRIVALS_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define METRICS_N_SETS 1024
#define METRICS_SET_SIZE 4

typedef struct {
  GstClockTime pts, time;
} MetricsArrival;

/* A time stamp belongs to one set. Zeroed memory is an empty table. */
typedef struct {
  MetricsArrival sets[METRICS_N_SETS][METRICS_SET_SIZE];
} MetricsArrivals;

/* Notes that the frame with the time stamp PTS enters at TIME. It takes the place of an earlier frame with this time stamp,
 * or of the oldest one of the set. Neither function waits; any thread may call them. */
void metrics_arrivals_note (MetricsArrivals *arrivals, GstClockTime pts, GstClockTime time);

/* The time at which the frame with the time stamp PTS entered, or GST_CLOCK_TIME_NONE if the table does not have it. */
GstClockTime metrics_arrivals_find (const MetricsArrivals *arrivals, GstClockTime pts);

G_END_DECLS

#endif
