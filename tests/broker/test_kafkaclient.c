/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Kafka client against librdkafka's mock cluster: a simulation of brokers inside of this process. It accepts
 * connections and keeps records as brokers do, and answers with errors where it is told to. */
#include "clienttools.h"

#include <string.h>

#define PRODUCE 0 /* the ApiKey of ProduceRequest */
#define SECOND G_TIME_SPAN_SECOND

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

static Suite *
kafka_client_suite (void)
{
  Suite *suite = suite_create ("kafkaclient");
  TCase *tcase = tcase_create ("general");
  tcase_add_checked_fixture (tcase, client_setup, client_teardown);
  tcase_add_test (tcase, test_delivers_in_order);
  tcase_add_test (tcase, test_repeats_after_errors);
  tcase_add_test (tcase, test_outlives_an_outage);
  tcase_add_test (tcase, test_reconnects_while_idle);
  tcase_add_test (tcase, test_hanging_broker);
  tcase_add_test (tcase, test_wake);
  tcase_add_test (tcase, test_refused_records);
  tcase_add_test (tcase, test_too_large);
  tcase_add_test (tcase, test_fatal);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (kafka_client);
