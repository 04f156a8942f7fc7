/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/kafkalink.h"

#include <string.h>

typedef struct {
  BrokerLink *link;
  KafkaClient *client;
  BrokerTopic *key; /* NULL: none */
  gboolean connected;
  gboolean warned; /* of a record that failed, since the last one that did not */
} KafkaLink;

static void
on_delivered (gpointer user, gpointer opaque, KafkaFault fault, const GError *error)
{
  KafkaLink *self = user;
  if (!error) {
    self->warned = FALSE;
    broker_link_acknowledge (self->link, opaque);
    return;
  }
  if (fault == KAFKA_FAULT_TOPIC || fault == KAFKA_FAULT_FATAL)
    broker_link_fail (self->link, error);
  else if (!self->warned)
    broker_link_warn (self->link, error);
  self->warned = TRUE;
  broker_link_refuse (self->link, opaque);
}

static void
on_connected (gpointer user)
{
  KafkaLink *self = user;
  self->connected = TRUE;
  broker_link_connected (self->link);
}

static void
on_disconnected (gpointer user, const gchar *reason)
{
  KafkaLink *self = user;
  self->connected = FALSE;
  broker_link_disconnected (self->link, reason);
}

static void
on_connect_failed (gpointer user, const GError *error, gboolean certain)
{
  KafkaLink *self = user;
  broker_link_connect_failed (self->link, error, certain);
}

static void
on_fatal (gpointer user, const GError *error)
{
  KafkaLink *self = user;
  broker_link_fail (self->link, error);
}

static const KafkaCallbacks callbacks = {on_delivered, on_connected, on_disconnected, on_connect_failed, on_fatal};

static gboolean
refuse (GError **error, const gchar *text)
{
  g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, text);
  return FALSE;
}

/* Finds settings that contradict each other, and those that the others make pointless: who set them expects them to work. */
static gboolean
check_settings (const BrokerSettings *settings, const KafkaOptions *options, GError **error)
{
  const gboolean sasl = options->security == KAFKA_SASL_PLAINTEXT || options->security == KAFKA_SASL_SSL;
  const gboolean tls = options->security == KAFKA_SSL || options->security == KAFKA_SASL_SSL;
  /* Messages name the address, so this one does not. */
  if (strchr (settings->address, '@'))
    return refuse (error, "The address has a user or a password. Take them out of it, and set username and password.");
  if (options->idempotence && options->acks != KAFKA_ACKS_ALL)
    return refuse (
        error, "idempotence=true needs acks=all, and acks has another value. Set acks=all or idempotence=false.");
  if (sasl && !(settings->username && settings->password))
    return refuse (error, "This security-protocol needs a user, and username or password is not set. Set both.");
  if (!sasl && (settings->username || settings->password))
    return refuse (error, "A username or password is set, which this security-protocol does not send. Set "
                          "security-protocol=sasl-ssl, or sasl-plaintext, which sends the password as it is.");
  if (!tls && (settings->ca_file || settings->cert_file || settings->key_file))
    return refuse (error, "A certificate or key is set, which this security-protocol does not use. Set "
                          "security-protocol=ssl or sasl-ssl.");
  if (!settings->cert_file != !settings->key_file)
    return refuse (error, "Of cert-file and key-file only one is set. Set both.");
  return TRUE;
}

/* The topic is one for all frames, so brokers can be asked for it before the first one. */
static gchar *
expand_topic (BrokerLink *link, GError **error)
{
  BrokerTopic *topic =
      broker_topic_new (broker_link_get_settings (link)->topic, "topic", broker_link_get_identity (link), error);
  if (!topic)
    return NULL;
  gchar *name = g_strdup (broker_topic_expand (topic, 0));
  if (g_strcmp0 (name, broker_topic_expand (topic, 1)) != 0) {
    refuse (error,
        "The topic differs from frame to frame, and Kafka is not made for a topic a frame. Take %{frame} out of "
        "topic; each record has it as a header.");
    g_clear_pointer (&name, g_free);
  }
  broker_topic_free (topic);
  return name;
}

static KafkaClient *
make_client (KafkaLink *self, const KafkaOptions *options, GError **error)
{
  static const gchar *const compressions[] = {"none", "gzip", "snappy", "lz4", "zstd"};
  static const gchar *const protocols[] = {"plaintext", "ssl", "sasl_plaintext", "sasl_ssl"};
  static const gchar *const mechanisms[] = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"};
  const BrokerSettings *base = broker_link_get_settings (self->link);
  gchar *topic = expand_topic (self->link, error);
  if (!topic)
    return NULL;
  const KafkaSettings settings = {
      .bootstrap_servers = base->address,
      .topic = topic,
      .client_id = base->client_id,
      .acks = options->acks,
      .idempotence = options->idempotence,
      .compression = compressions[options->compression],
      .security_protocol = protocols[options->security],
      .ca_file = base->ca_file,
      .cert_file = base->cert_file,
      .key_file = base->key_file,
      .sasl_mechanism = base->username ? mechanisms[options->mechanism] : NULL,
      .username = base->username,
      .password = base->password,
      .max_bytes = options->max_record_bytes,
  };
  KafkaClient *client = kafka_client_new (&settings, &callbacks, self, error);
  g_free (topic);
  return client;
}

gpointer
kafka_link_open (BrokerLink *link, const KafkaOptions *options, GError **error)
{
  if (!check_settings (broker_link_get_settings (link), options, error))
    return NULL;
  KafkaLink *self = g_new0 (KafkaLink, 1);
  self->link = link;
  const gboolean keyed = options->key && *options->key;
  if (keyed)
    self->key = broker_topic_new (options->key, "key", broker_link_get_identity (link), error);
  if (!keyed || self->key)
    self->client = make_client (self, options, error);
  if (self->client)
    return self;
  if (self->key)
    broker_topic_free (self->key);
  g_free (self);
  return NULL;
}

/* Before the first connection and while the broker is away, messages stay in the queue of the element, which drops the
 * oldest one if it is to. */
BrokerSend
kafka_link_send (gpointer client, BrokerMessage *message, const gchar *topic)
{
  KafkaLink *self = client;
  if (!self->connected)
    return BROKER_LATER;
  const BrokerIdentity *identity = broker_link_get_identity (self->link);
  gchar frame[24];
  g_snprintf (frame, sizeof frame, "%" G_GUINT64_FORMAT, message->frame);
  const KafkaHeader headers[] = {
      {"camera", identity->source}, {"epoch", identity->epoch}, {"frame", frame}, {"format", identity->format}};
  gsize size;
  gconstpointer payload = g_bytes_get_data (message->payload, &size);
  const KafkaRecord record = {
      .topic = topic,
      .key = self->key ? broker_topic_expand (self->key, message->frame) : NULL,
      .payload = payload,
      .size = size,
      .headers = headers,
      .n_headers = G_N_ELEMENTS (headers),
      .opaque = message,
  };
  GError *error = NULL;
  switch (kafka_client_produce (self->client, &record, &error)) {
    case KAFKA_PRODUCED:
      return BROKER_SENT;
    case KAFKA_FULL:
      return BROKER_LATER;
    case KAFKA_REFUSED:
      break;
  }
  broker_link_warn (self->link, error);
  g_error_free (error);
  return BROKER_REFUSED;
}

void
kafka_link_work (gpointer client, gint64 timeout)
{
  kafka_client_work (((KafkaLink *) client)->client, timeout);
}

void
kafka_link_wake (gpointer client)
{
  kafka_client_wake (((KafkaLink *) client)->client);
}

void
kafka_link_close (gpointer client, gint64 deadline)
{
  KafkaLink *self = client;
  kafka_client_free (self->client);
  if (self->key)
    broker_topic_free (self->key);
  g_free (self);
}
