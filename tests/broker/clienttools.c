/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clienttools.h"

#define SECOND G_TIME_SPAN_SECOND

rd_kafka_mock_cluster_t *cluster;
GArray *acknowledged;
guint refused;
KafkaFault last_fault;
guint connections, outages, fatalities;
GError *trouble;
gboolean trouble_is_certain;

void
client_setup (void)
{
  cluster = cluster_start ();
  acknowledged = g_array_new (FALSE, FALSE, sizeof (guint));
  refused = connections = outages = fatalities = 0;
}

void
client_teardown (void)
{
  cluster_stop ();
  g_array_unref (acknowledged);
  g_clear_error (&trouble);
}

static void
on_delivered (gpointer user, gpointer opaque, KafkaFault fault, const GError *error)
{
  const guint number = GPOINTER_TO_UINT (opaque);
  if (error) {
    refused++;
    last_fault = fault;
  } else
    g_array_append_val (acknowledged, number);
}

static void
on_connected (gpointer user)
{
  connections++;
}

static void
on_disconnected (gpointer user, const gchar *reason)
{
  fail_unless (*reason != 0);
  outages++;
}

static void
on_connect_failed (gpointer user, const GError *error, gboolean certain)
{
  if (trouble)
    return;
  trouble = g_error_copy (error);
  trouble_is_certain = certain;
}

static void
on_fatal (gpointer user, const GError *error)
{
  fail_unless (strstr (error->message, "The Kafka producer stopped") != NULL, "%s", error->message);
  fatalities++;
}

const KafkaCallbacks callbacks = {on_delivered, on_connected, on_disconnected, on_connect_failed, on_fatal};

KafkaSettings
settings_for (const gchar *servers)
{
  return (KafkaSettings){
      .bootstrap_servers = servers,
      .topic = TOPIC,
      .acks = KAFKA_ACKS_ALL,
      .idempotence = TRUE,
      .max_bytes = 1000000,
  };
}

KafkaClient *
make_client (const gchar *servers)
{
  GError *error = NULL;
  const KafkaSettings settings = settings_for (servers);
  KafkaClient *client = kafka_client_new (&settings, &callbacks, NULL, &error);
  fail_unless (client != NULL, "%s", error ? error->message : "no error");
  return client;
}

gboolean
work_until (KafkaClient *client, const guint *count, guint wanted, gint64 timeout)
{
  const gint64 end = g_get_monotonic_time () + timeout;
  while (*count < wanted && g_get_monotonic_time () < end)
    kafka_client_work (client, 50 * G_TIME_SPAN_MILLISECOND);
  return *count >= wanted;
}

KafkaClient *
make_connected (void)
{
  KafkaClient *client = make_client (rd_kafka_mock_cluster_bootstraps (cluster));
  fail_unless (work_until (client, &connections, 1, 10 * SECOND));
  return client;
}

/* The client must not wait for a question to a broker, which may take two seconds. librdkafka itself may take one second to end its
 * threads, as version 2.8 often does. */
void
free_quickly (KafkaClient *client)
{
  const gint64 since = g_get_monotonic_time ();
  kafka_client_free (client);
  const gint64 took = g_get_monotonic_time () - since;
  fail_unless (took < 3 * SECOND / 2, "%" G_GINT64_FORMAT " us", took);
}
