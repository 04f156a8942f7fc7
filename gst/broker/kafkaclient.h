/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A producer of Kafka records over librdkafka: connects, keeps records until they are acknowledged, and reports.
 *
 * librdkafka's threads send and receive. One thread of the owner calls all functions here but kafka_client_wake(), and
 * makes the callbacks in kafka_client_work(); none of them waits for a broker, but for kafka_client_free(). */
#ifndef GST_BROKER_KAFKACLIENT_H
#define GST_BROKER_KAFKACLIENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct KafkaClient KafkaClient;

typedef enum {
  KAFKA_FAULT_SETTINGS,       /* a setting that librdkafka refuses, or a file that it cannot read */
  KAFKA_FAULT_HOST,           /* none of the host names is known */
  KAFKA_FAULT_TLS,            /* a certificate that one side does not trust, or a broker without TLS */
  KAFKA_FAULT_AUTHENTICATION, /* wrong user, password or mechanism */
  KAFKA_FAULT_AWAY,           /* no broker answers */
  KAFKA_FAULT_TOPIC,          /* the topic does not exist and may not be created, or may not be written */
  KAFKA_FAULT_SIZE,           /* a record larger than the broker or librdkafka takes */
  KAFKA_FAULT_FATAL,          /* the producer cannot go on without breaking its promise of once and in order */
  KAFKA_FAULT_RECORD,         /* a record failed for another reason */
} KafkaFault;

typedef enum { KAFKA_ACKS_ALL = -1, KAFKA_ACKS_NONE = 0, KAFKA_ACKS_LEADER = 1 } KafkaAcks; /* as Kafka numbers them */

/* Strings may be NULL, which leaves the matter to librdkafka, but for the first two. */
typedef struct {
  const gchar *bootstrap_servers; /* "host:port,host:port" */
  const gchar *topic;             /* which a broker is asked for when the client connects */
  const gchar *client_id;
  KafkaAcks acks;
  gboolean idempotence; /* needs KAFKA_ACKS_ALL */
  const gchar *compression;
  const gchar *security_protocol; /* "plaintext", "ssl", "sasl_plaintext", "sasl_ssl" */
  const gchar *ca_file;
  const gchar *cert_file;
  const gchar *key_file;
  const gchar *sasl_mechanism;
  const gchar *username;
  const gchar *password;
  guint max_bytes; /* of one record with its headers */
} KafkaSettings;

/* Errors are of GST_RESOURCE_ERROR, and their messages are full sentences. */
typedef struct {
  /* What became of the record that kafka_client_produce() took with OPAQUE: ERROR is NULL once the broker has
   * acknowledged it as often as acks wants. Records of one key are acknowledged in their order. */
  void (*delivered) (gpointer user, gpointer opaque, KafkaFault fault, const GError *error);
  /* A broker has told that the topic can be written, for the first time or again. */
  void (*connected) (gpointer user);
  /* All brokers are away, for REASON, a sentence without its full stop. The client keeps its records. */
  void (*disconnected) (gpointer user, const gchar *reason);
  /* Connecting failed, or, with CERTAIN, will go on failing until a setting or the broker is changed. The client tries
   * again. */
  void (*connect_failed) (gpointer user, const GError *error, gboolean certain);
  /* KAFKA_FAULT_FATAL: every further record fails. */
  void (*fatal) (gpointer user, const GError *error);
} KafkaCallbacks;

typedef struct {
  const gchar *name;
  const gchar *value; /* UTF-8 */
} KafkaHeader;

typedef struct {
  const gchar *topic;
  const gchar *key; /* NULL: none; records without a key go to any partition */
  gconstpointer payload;
  gsize size;
  const KafkaHeader *headers;
  guint n_headers;
  gpointer opaque;
} KafkaRecord;

typedef enum {
  KAFKA_PRODUCED, /* The client has a copy and will report what became of it. */
  KAFKA_FULL,     /* librdkafka cannot take it now: try again after kafka_client_work(). */
  KAFKA_REFUSED   /* It can never be sent; see the error. */
} KafkaProduce;

/* Starts a client, which connects by itself. Returns NULL and an error if the settings do not work. Copies what it needs
 * of SETTINGS; CALLBACKS stay with the caller. */
KafkaClient *kafka_client_new (
    const KafkaSettings *settings, const KafkaCallbacks *callbacks, gpointer user, GError **error);

KafkaProduce kafka_client_produce (KafkaClient *self, const KafkaRecord *record, GError **error);

/* Makes the callbacks that are due, and waits for one for TIMEOUT microseconds at most. */
void kafka_client_work (KafkaClient *self, gint64 timeout);

/* Ends kafka_client_work(), or the next one. From any thread. */
void kafka_client_wake (KafkaClient *self);

/* Drops the records that are not acknowledged, without a callback, and closes the connections. It waits for librdkafka's
 * threads: usually a few milliseconds, but seconds where a name server hangs. */
void kafka_client_free (KafkaClient *self);

G_END_DECLS

#endif
