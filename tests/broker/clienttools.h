/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of the Kafka client against librdkafka's mock cluster: a client, and what it reported. */
#ifndef CLIENTTOOLS_H
#define CLIENTTOOLS_H

#include "gst/broker/kafkaclient.h"
#include "kafkatools.h"

/* Of the test that runs; client_setup() starts the cluster and clears what follows. */
extern rd_kafka_mock_cluster_t *cluster;
extern GArray *acknowledged; /* of guint */
extern guint refused;        /* records */
extern KafkaFault last_fault;
extern guint connections, outages, fatalities;
extern GError *trouble; /* the first failure to connect */
extern gboolean trouble_is_certain;

void client_setup (void);
void client_teardown (void);

extern const KafkaCallbacks callbacks;
KafkaSettings settings_for (const gchar *servers);

KafkaClient *make_client (const gchar *servers);

/* One that is connected with the cluster. */
KafkaClient *make_connected (void);

/* librdkafka's threads end without waiting for a broker. */
void free_quickly (KafkaClient *client);

/* Works until *COUNT is at least WANTED; returns whether it is, within TIMEOUT. */
gboolean work_until (KafkaClient *client, const guint *count, guint wanted, gint64 timeout);

#endif
