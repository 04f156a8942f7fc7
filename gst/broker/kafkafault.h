/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What librdkafka reports, as errors with full sentences: what happened, with the value, then what to do. */
#ifndef GST_BROKER_KAFKAFAULT_H
#define GST_BROKER_KAFKAFAULT_H

#include "gst/broker/kafkaclient.h"

#include <librdkafka/rdkafka.h>

G_BEGIN_DECLS

/* What the messages name. */
typedef struct {
  gchar *servers;
  gchar *topic;
  gchar *username; /* NULL: none */
  guint max_bytes;
} KafkaNames;

void kafka_names_init (KafkaNames *names, const KafkaSettings *settings);
void kafka_names_clear (KafkaNames *names);

/* The kind of CODE, of a record or a topic. */
KafkaFault kafka_fault_classify (rd_kafka_resp_err_t code);

/* The kind of CODE with REASON, of a connection: the host, TLS, the authentication, or that the broker is away. */
KafkaFault kafka_fault_classify_connection (rd_kafka_resp_err_t code, const gchar *reason);

/* REASON, a text of librdkafka or of a broker, without times, which differ from one attempt to the next; transfer full. */
gchar *kafka_fault_trim (const gchar *reason);

/* An error of GST_RESOURCE_ERROR for REASON; transfer full. NAMES may be NULL for KAFKA_FAULT_SETTINGS. */
GError *kafka_fault_to_error (KafkaFault fault, const KafkaNames *names, const gchar *reason);

G_END_DECLS

#endif
