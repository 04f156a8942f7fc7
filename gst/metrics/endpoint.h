/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The HTTP endpoint that Prometheus scrapes, by prometheus-cpp, which has threads of its own. */
#ifndef GST_METRICS_ENDPOINT_H
#define GST_METRICS_ENDPOINT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct MetricsEndpoint MetricsEndpoint;

/* Serves http://ADDRESS:PORT/metrics (transfer full, free with metrics_endpoint_free()). On failure returns NULL and the
 * reason in PROBLEM (transfer full). */
MetricsEndpoint *metrics_endpoint_new (const gchar *address, guint port, gchar **problem);

/* Waits for requests that are being answered. ENDPOINT may be NULL. */
void metrics_endpoint_free (MetricsEndpoint *endpoint);

G_END_DECLS

#endif
