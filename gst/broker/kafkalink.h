/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The client of a broker sink for Kafka, as brokerlink.h asks for it, over kafkaclient.h. */
#ifndef GST_BROKER_KAFKALINK_H
#define GST_BROKER_KAFKALINK_H

#include "gst/broker/brokerlink.h"
#include "gst/broker/kafkaclient.h"

G_BEGIN_DECLS

/* Records that may be unacknowledged at once. librdkafka sends five batches at a time, and a batch collects for 5 ms. */
#define KAFKA_MAX_TAKEN 2000

typedef enum {
  KAFKA_COMPRESSION_NONE,
  KAFKA_COMPRESSION_GZIP,
  KAFKA_COMPRESSION_SNAPPY,
  KAFKA_COMPRESSION_LZ4,
  KAFKA_COMPRESSION_ZSTD
} KafkaCompression;

typedef enum { KAFKA_PLAINTEXT, KAFKA_SSL, KAFKA_SASL_PLAINTEXT, KAFKA_SASL_SSL } KafkaSecurity;

typedef enum { KAFKA_SASL_PLAIN, KAFKA_SASL_SCRAM_SHA_256, KAFKA_SASL_SCRAM_SHA_512 } KafkaMechanism;

typedef struct {
  gchar *key; /* with fields; NULL or empty: none */
  KafkaAcks acks;
  gboolean idempotence;
  KafkaCompression compression;
  KafkaSecurity security;
  KafkaMechanism mechanism;
  guint max_record_bytes;
} KafkaOptions;

/* Makes a client for LINK. Does not wait for the network. What it needs of OPTIONS is copied. Returns NULL with an error of
 * GST_RESOURCE_ERROR. */
gpointer kafka_link_open (BrokerLink *link, const KafkaOptions *options, GError **error);

/* The other functions of BrokerClientFunctions. */
BrokerSend kafka_link_send (gpointer client, BrokerMessage *message, const gchar *topic);
void kafka_link_work (gpointer client, gint64 timeout);
void kafka_link_wake (gpointer client);
void kafka_link_close (gpointer client, gint64 deadline);

G_END_DECLS

#endif
