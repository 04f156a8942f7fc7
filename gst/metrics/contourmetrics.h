/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tracer "contourmetrics": counts and times the frames of each element, for Prometheus. */
#ifndef GST_METRICS_CONTOURMETRICS_H
#define GST_METRICS_CONTOURMETRICS_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define CONTOUR_TYPE_METRICS (contour_metrics_get_type ())
G_DECLARE_FINAL_TYPE (ContourMetrics, contour_metrics, CONTOUR, METRICS, GstTracer)

G_END_DECLS

#endif
