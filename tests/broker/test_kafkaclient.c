/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Kafka client against librdkafka's mock cluster: a simulation of brokers inside of this process. It accepts
 * connections and keeps records as brokers do, and answers with errors where it is told to. */
#include "gst/broker/kafkaclient.h"

#include "kafkatools.h"

#include <string.h>

#define PRODUCE 0 /* the ApiKey of ProduceRequest */
#define SECOND G_TIME_SPAN_SECOND

static rd_kafka_mock_cluster_t *cluster;

/* What the client reported. */
static GArray *acknowledged; /* of guint */
static guint refused;        /* records */
static KafkaFault last_fault;
static guint connections, outages, fatalities;
static GError *trouble; /* the first failure to connect */
static gboolean trouble_is_certain;

static void
setup (void)
{
  cluster = cluster_start ();
  acknowledged = g_array_new (FALSE, FALSE, sizeof (guint));
  refused = connections = outages = fatalities = 0;
}

static void
teardown (void)
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

static const KafkaCallbacks callbacks = {on_delivered, on_connected, on_disconnected, on_connect_failed, on_fatal};

static KafkaSettings
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

static KafkaClient *
make_client (const gchar *servers)
{
  GError *error = NULL;
  const KafkaSettings settings = settings_for (servers);
  KafkaClient *client = kafka_client_new (&settings, &callbacks, NULL, &error);
  fail_unless (client != NULL, "%s", error ? error->message : "no error");
  return client;
}

/* Works until *COUNT is at least WANTED; returns whether it is, within TIMEOUT. */
static gboolean
work_until (KafkaClient *client, const guint *count, guint wanted, gint64 timeout)
{
  const gint64 end = g_get_monotonic_time () + timeout;
  while (*count < wanted && g_get_monotonic_time () < end)
    kafka_client_work (client, 50 * G_TIME_SPAN_MILLISECOND);
  return *count >= wanted;
}

static KafkaClient *
make_connected (void)
{
  KafkaClient *client = make_client (rd_kafka_mock_cluster_bootstraps (cluster));
  fail_unless (work_until (client, &connections, 1, 10 * SECOND));
  return client;
}

static KafkaProduce
send_number (KafkaClient *client, guint number)
{
  gchar text[32];
  const KafkaHeader headers[] = {{"source", "line-1"}, {"frame", text}};
  g_snprintf (text, sizeof text, "%u", number);
  const KafkaRecord record = {
      TOPIC, "line-1", text, strlen (text), headers, G_N_ELEMENTS (headers), GUINT_TO_POINTER (number)};
  return kafka_client_produce (client, &record, NULL);
}

static void
send_numbers (KafkaClient *client, guint begin, guint end)
{
  for (guint i = begin; i < end; i++)
    fail_unless_equals_int (send_number (client, i), KAFKA_PRODUCED);
}

static void
assert_acknowledged (KafkaClient *client, guint count)
{
  fail_unless (work_until (client, &acknowledged->len, count, 30 * SECOND), "%u", acknowledged->len);
  kafka_client_work (client, 0);
  fail_unless_equals_int (acknowledged->len, count);
  fail_unless_equals_int (refused, 0);
  for (guint i = 0; i < count; i++)
    fail_unless_equals_int (g_array_index (acknowledged, guint, i), i);
}

/* librdkafka's threads end without waiting for a broker. */
static void
free_quickly (KafkaClient *client)
{
  const gint64 since = g_get_monotonic_time ();
  kafka_client_free (client);
  const gint64 took = g_get_monotonic_time () - since;
  fail_unless (took < SECOND, "%" G_GINT64_FORMAT " us", took);
}

/* Reads COUNT records of the topic back, of any partition, and checks that their numbers ascend by one from 0. */
static void
assert_consumed (guint count)
{
  gchar text[256];
  rd_kafka_t *consumer = consumer_new ();
  guint found = 0;
  /* One poll longer than there are records: none may be left. */
  for (gint64 until = g_get_monotonic_time () + 20 * SECOND; g_get_monotonic_time () < until;) {
    rd_kafka_message_t *message = rd_kafka_consumer_poll (consumer, found < count ? 1000 : 300);
    if (!message && found >= count)
      break;
    if (message && !message->err) {
      const void *value;
      size_t size;
      rd_kafka_headers_t *headers;
      g_snprintf (text, sizeof text, "%u", found);
      fail_unless_equals_int (message->len, strlen (text));
      fail_unless (memcmp (message->payload, text, message->len) == 0, "%.*s at %u", (gint) message->len,
          (const gchar *) message->payload, found);
      fail_unless_equals_int (message->key_len, 6);
      fail_unless (memcmp (message->key, "line-1", 6) == 0);
      fail_unless_equals_int (rd_kafka_message_headers (message, &headers), RD_KAFKA_RESP_ERR_NO_ERROR);
      fail_unless_equals_int (rd_kafka_header_get_last (headers, "frame", &value, &size), RD_KAFKA_RESP_ERR_NO_ERROR);
      fail_unless (size == strlen (text) && memcmp (value, text, size) == 0);
      found++;
    }
    if (message)
      rd_kafka_message_destroy (message);
  }
  fail_unless_equals_int (found, count);
  consumer_free (consumer);
}

GST_START_TEST (test_delivers_in_order)
{
  KafkaClient *client = make_connected ();
  send_numbers (client, 0, 5000);
  assert_acknowledged (client, 5000);
  assert_consumed (5000);
  free_quickly (client);
}
GST_END_TEST;

/* The broker refuses batches for a passing reason, and closes connections instead of an answer. */
GST_START_TEST (test_repeats_after_errors)
{
  KafkaClient *client = make_connected ();
  rd_kafka_mock_push_request_errors (cluster, PRODUCE, 6, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
      RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR__TRANSPORT,
      RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS);
  send_numbers (client, 0, 2000);
  assert_acknowledged (client, 2000);
  assert_consumed (2000);
  free_quickly (client);
}
GST_END_TEST;

GST_START_TEST (test_outlives_an_outage)
{
  KafkaClient *client = make_connected ();
  send_numbers (client, 0, 100);
  assert_acknowledged (client, 100);
  rd_kafka_mock_broker_set_down (cluster, -1);
  send_numbers (client, 100, 200);
  fail_unless (work_until (client, &outages, 1, 10 * SECOND));
  fail_if (work_until (client, &acknowledged->len, 101, SECOND));
  fail_unless_equals_int (connections, 1);
  rd_kafka_mock_broker_set_up (cluster, -1);
  assert_acknowledged (client, 200);
  assert_consumed (200);
  fail_unless_equals_int (outages, 1);
  fail_unless_equals_int (connections, 2);
  free_quickly (client);
}
GST_END_TEST;

/* The client notices by itself that the broker is back, also while there is nothing to send. */
GST_START_TEST (test_reconnects_while_idle)
{
  KafkaClient *client = make_connected ();
  rd_kafka_mock_broker_set_down (cluster, -1);
  fail_unless (work_until (client, &outages, 1, 10 * SECOND));
  rd_kafka_mock_broker_set_up (cluster, -1);
  fail_unless (work_until (client, &connections, 2, 10 * SECOND));
  free_quickly (client);
}
GST_END_TEST;

/* A broker that takes connections and does not answer. */
GST_START_TEST (test_hanging_broker)
{
  KafkaClient *client = make_connected ();
  rd_kafka_mock_broker_set_rtt (cluster, -1, 20000);
  send_numbers (client, 0, 10);
  fail_if (work_until (client, &acknowledged->len, 1, SECOND / 2));
  free_quickly (client);
  fail_unless_equals_int (acknowledged->len + refused, 0);
}
GST_END_TEST;

static gpointer
wake_soon (gpointer client)
{
  g_usleep (100 * G_TIME_SPAN_MILLISECOND);
  kafka_client_wake (client);
  return NULL;
}

GST_START_TEST (test_wake)
{
  KafkaClient *client = make_connected ();
  kafka_client_work (client, 0);
  for (gint early = 0; early < 2; early++) {
    const gint64 since = g_get_monotonic_time ();
    GThread *thread = early ? NULL : g_thread_new ("wake", wake_soon, client);
    if (early)
      kafka_client_wake (client);
    kafka_client_work (client, 30 * SECOND);
    fail_unless (g_get_monotonic_time () - since < 5 * SECOND);
    if (thread)
      g_thread_join (thread);
  }
  free_quickly (client);
}
GST_END_TEST;

/* Works until connecting has failed, and checks how. */
static void
assert_connect_fails (KafkaClient *client, gboolean certain, gint code, const gchar *text)
{
  for (gint64 end = g_get_monotonic_time () + 20 * SECOND; !trouble && g_get_monotonic_time () < end;)
    kafka_client_work (client, 50 * G_TIME_SPAN_MILLISECOND);
  fail_unless (g_error_matches (trouble, GST_RESOURCE_ERROR, code), "%s", trouble ? trouble->message : "no error");
  fail_unless (strstr (trouble->message, text) != NULL, "%s", trouble->message);
  fail_unless (strstr (trouble->message, "(after") == NULL, "%s", trouble->message);
  fail_unless_equals_int (trouble_is_certain, certain);
  fail_unless_equals_int (connections, 0);
}

GST_START_TEST (test_unknown_host)
{
  KafkaClient *client = make_client ("kafka.invalid:9092");
  assert_connect_fails (
      client, TRUE, GST_RESOURCE_ERROR_NOT_FOUND, "Could not find the Kafka broker \"kafka.invalid:9092\"");
  kafka_client_free (client);
}
GST_END_TEST;

/* One of several names is enough. */
GST_START_TEST (test_one_unknown_host)
{
  gchar *servers = g_strdup_printf ("kafka.invalid:9092,%s", rd_kafka_mock_cluster_bootstraps (cluster));
  KafkaClient *client = make_client (servers);
  fail_unless (work_until (client, &connections, 1, 20 * SECOND));
  fail_unless (trouble == NULL, "%s", trouble ? trouble->message : "");
  kafka_client_free (client);
  g_free (servers);
}
GST_END_TEST;

GST_START_TEST (test_nobody_listens)
{
  KafkaClient *client = make_client ("127.0.0.1:1");
  assert_connect_fails (
      client, FALSE, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not connect to the Kafka broker \"127.0.0.1:1\"");
  kafka_client_free (client);
}
GST_END_TEST;

GST_START_TEST (test_forbidden_topic)
{
  rd_kafka_mock_topic_set_error (cluster, TOPIC, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  KafkaClient *client = make_client (rd_kafka_mock_cluster_bootstraps (cluster));
  assert_connect_fails (
      client, TRUE, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not write to the Kafka topic \"" TOPIC "\"");
  free_quickly (client);
}
GST_END_TEST;

/* A topic that the broker does not know and does not create: it has some seconds to do so. */
GST_START_TEST (test_unknown_topic)
{
  rd_kafka_mock_topic_set_error (cluster, TOPIC, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  KafkaClient *client = make_client (rd_kafka_mock_cluster_bootstraps (cluster));
  const gint64 since = g_get_monotonic_time ();
  assert_connect_fails (
      client, TRUE, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not write to the Kafka topic \"" TOPIC "\"");
  fail_unless (g_get_monotonic_time () - since > 4 * SECOND);
  free_quickly (client);
}
GST_END_TEST;

GST_START_TEST (test_topic_appears)
{
  rd_kafka_mock_topic_set_error (cluster, TOPIC, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  KafkaClient *client = make_client (rd_kafka_mock_cluster_bootstraps (cluster));
  fail_if (work_until (client, &connections, 1, SECOND));
  rd_kafka_mock_topic_set_error (cluster, TOPIC, RD_KAFKA_RESP_ERR_NO_ERROR);
  fail_unless (work_until (client, &connections, 1, 10 * SECOND));
  fail_unless (trouble == NULL);
  free_quickly (client);
}
GST_END_TEST;

/* The right to write ends while records are on their way. */
GST_START_TEST (test_refused_records)
{
  KafkaClient *client = make_connected ();
  rd_kafka_mock_push_request_errors (cluster, PRODUCE, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  send_numbers (client, 0, 1);
  fail_unless (work_until (client, &refused, 1, 10 * SECOND));
  fail_unless_equals_int (last_fault, KAFKA_FAULT_TOPIC);
  free_quickly (client);
}
GST_END_TEST;

GST_START_TEST (test_too_large)
{
  GError *error = NULL;
  KafkaSettings settings = settings_for (rd_kafka_mock_cluster_bootstraps (cluster));
  settings.max_bytes = 1000;
  KafkaClient *client = kafka_client_new (&settings, &callbacks, NULL, &error);
  fail_unless (client != NULL);
  gchar *payload = g_malloc0 (2000);
  const KafkaRecord record = {TOPIC, "line-1", payload, 2000, NULL, 0, NULL};
  fail_unless_equals_int (kafka_client_produce (client, &record, &error), KAFKA_REFUSED);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE));
  fail_unless (strstr (error->message, "1000 bytes") != NULL, "%s", error->message);
  g_error_free (error);
  g_free (payload);
  kafka_client_free (client);
}
GST_END_TEST;

/* A gap in the sequence numbers, which an idempotent producer cannot repair. */
GST_START_TEST (test_fatal)
{
  KafkaClient *client = make_connected ();
  send_numbers (client, 0, 1);
  assert_acknowledged (client, 1);
  rd_kafka_mock_push_request_errors (cluster, PRODUCE, 1, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER);
  send_numbers (client, 1, 2);
  fail_unless (work_until (client, &fatalities, 1, 10 * SECOND));
  fail_unless_equals_int (send_number (client, 2), KAFKA_FULL);
  free_quickly (client);
}
GST_END_TEST;

GST_START_TEST (test_wrong_settings)
{
  GError *error = NULL;
  KafkaSettings settings = settings_for ("127.0.0.1:1");
  settings.security_protocol = "ssl";
  settings.ca_file = "/nowhere/ca.pem";
  fail_unless (kafka_client_new (&settings, &callbacks, NULL, &error) == NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  fail_unless (strstr (error->message, "ssl.ca.location") != NULL, "%s", error->message);
  g_clear_error (&error);

  settings = settings_for ("127.0.0.1:1");
  settings.acks = KAFKA_ACKS_LEADER;
  fail_unless (kafka_client_new (&settings, &callbacks, NULL, &error) == NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS));
  g_clear_error (&error);

  settings = settings_for ("127.0.0.1:1");
  settings.compression = "rar";
  fail_unless (kafka_client_new (&settings, &callbacks, NULL, &error) == NULL);
  fail_unless (strstr (error->message, "compression.codec") != NULL, "%s", error->message);
  g_clear_error (&error);
}
GST_END_TEST;

static Suite *
kafka_client_suite (void)
{
  Suite *suite = suite_create ("kafkaclient");
  TCase *tcase = tcase_create ("general");
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_delivers_in_order);
  tcase_add_test (tcase, test_repeats_after_errors);
  tcase_add_test (tcase, test_outlives_an_outage);
  tcase_add_test (tcase, test_reconnects_while_idle);
  tcase_add_test (tcase, test_hanging_broker);
  tcase_add_test (tcase, test_wake);
  tcase_add_test (tcase, test_unknown_host);
  tcase_add_test (tcase, test_one_unknown_host);
  tcase_add_test (tcase, test_nobody_listens);
  tcase_add_test (tcase, test_forbidden_topic);
  tcase_add_test (tcase, test_unknown_topic);
  tcase_add_test (tcase, test_topic_appears);
  tcase_add_test (tcase, test_refused_records);
  tcase_add_test (tcase, test_too_large);
  tcase_add_test (tcase, test_fatal);
  tcase_add_test (tcase, test_wrong_settings);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (kafka_client);
