/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/kafkasettings.h"

static const gchar *
acks_to_string (KafkaAcks acks)
{
  switch (acks) {
    case KAFKA_ACKS_LEADER:
      return "1";
    case KAFKA_ACKS_NONE:
      return "0";
    case KAFKA_ACKS_ALL:
      break;
  }
  return "all";
}

rd_kafka_conf_t *
kafka_settings_to_conf (const KafkaSettings *settings, GError **error)
{
  gchar max_bytes[16];
  g_snprintf (max_bytes, sizeof max_bytes, "%u", settings->max_bytes);
  const struct {
    const gchar *name, *value;
  } options[] = {
      {"bootstrap.servers", settings->bootstrap_servers},
      {"client.id", settings->client_id},
      {"acks", acks_to_string (settings->acks)},
      {"enable.idempotence", settings->idempotence ? "true" : "false"},
      /* Without idempotence, requests that overtake each other while they are repeated would change the order. */
      {"max.in.flight.requests.per.connection", settings->idempotence ? "5" : "1"},
      {"compression.codec", settings->compression},
      {"security.protocol", settings->security_protocol},
      {"ssl.ca.location", settings->ca_file},
      {"ssl.certificate.location", settings->cert_file},
      {"ssl.key.location", settings->key_file},
      {"sasl.mechanisms", settings->sasl_mechanism},
      {"sasl.username", settings->username},
      {"sasl.password", settings->password},
      {"message.max.bytes", max_bytes},
      /* The owner limits the number of records, which are kept for as long as the broker is away. */
      {"queue.buffering.max.messages", "0"},
      {"message.timeout.ms", "0"},
      {"reconnect.backoff.max.ms", "1000"},
      {"socket.keepalive.enable", "true"},
      /* The partition that producers in Java choose for a key. */
      {"partitioner", "murmur2_random"},
  };
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  for (guint i = 0; i < G_N_ELEMENTS (options); i++) {
    gchar reason[512];
    if (!options[i].value
        || rd_kafka_conf_set (conf, options[i].name, options[i].value, reason, sizeof reason) == RD_KAFKA_CONF_OK)
      continue;
    g_propagate_error (error, kafka_fault_to_error (KAFKA_FAULT_SETTINGS, NULL, reason));
    rd_kafka_conf_destroy (conf);
    return NULL;
  }
  return conf;
}
