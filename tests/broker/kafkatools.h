/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of contourkafkasink and its client: the broker of kafkabroker.py in a process of its own, librdkafka's mock
 * cluster, an element under test, and what it reported. */
#ifndef KAFKATOOLS_H
#define KAFKATOOLS_H

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#define TOPIC "parts"

/* Part of each password; no message may tell it. */
#define SECRET "secret"

/* Starts the broker with ARGUMENTS, which may be NULL, for the topic and with its records in a file; stop ends it. One at a
 * time. */
void broker_start (const gchar *arguments);
void broker_stop (void);

/* Its address, "127.0.0.1:port". */
const gchar *broker_address (void);

/* Has it obey a command of kafkabroker.py. Returns its answer, which the next command overwrites. */
const gchar *broker_command (const gchar *command);

/* A file in the broker's folder, which broker_stop() removes, also before the broker is started; transfer full. */
gchar *broker_file (const gchar *name);

/* The numbers of the frames of CAMERA in the order in which the broker stored them; an array of guint64, transfer full. Checks
 * that key, headers and the first line of each record agree, and that all are in one partition. */
GArray *broker_read (const gchar *camera);

/* The broker stored the frames BEGIN to END - 1 of CAMERA, each once and in order. */
void assert_stored (const gchar *camera, guint64 begin, guint64 end);

/* Starts librdkafka's mock cluster of one broker with the topic, of two partitions; stop ends it. One at a time. */
rd_kafka_mock_cluster_t *cluster_start (void);
void cluster_stop (void);

/* A consumer of all that the mock cluster has of the topic, from the beginning; consumer_free() ends it. */
rd_kafka_t *consumer_new (void);
void consumer_free (rd_kafka_t *consumer);

/* An element for the topic at ADDRESS, and the properties that follow, in a harness for small frames; finish() ends both. */
GstHarness *play (const gchar *address, const gchar *first_property, ...) G_GNUC_NULL_TERMINATED;
void finish (GstHarness *h);

/* Pushes COUNT frames without metadata; each has to be taken. */
void push (GstHarness *h, guint count);

/* The value of the element's statistics, and waiting until it is VALUE. */
guint64 get_stat (GstHarness *h, const gchar *name);
void wait_for_stat (GstHarness *h, const gchar *name, guint64 value);
void wait_for_connection (GstHarness *h, gboolean connected);

/* Waits for a message of TYPE and checks its code and that its text contains TEXT. */
void assert_message (GstHarness *h, GstMessageType type, gint code, const gchar *text);
/* No message of TYPES was posted so far. */
void assert_no_message (GstHarness *h, GstMessageType types);

/* A pipeline with the element and PROPERTIES, for the broker unless these have an address, posts one error: when it starts or
 * later. */
void assert_fails (const gchar *properties, gint code, const gchar *text);

#endif
