/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the Kafka client connects: what keeps it from a broker or the topic, what passes, and what it reports meanwhile. */
#include "clienttools.h"

#include <string.h>

#define SECOND G_TIME_SPAN_SECOND

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
kafka_connect_suite (void)
{
  Suite *suite = suite_create ("kafkaconnect");
  TCase *tcase = tcase_create ("general");
  tcase_add_checked_fixture (tcase, client_setup, client_teardown);
  tcase_add_test (tcase, test_unknown_host);
  tcase_add_test (tcase, test_one_unknown_host);
  tcase_add_test (tcase, test_nobody_listens);
  tcase_add_test (tcase, test_forbidden_topic);
  tcase_add_test (tcase, test_unknown_topic);
  tcase_add_test (tcase, test_topic_appears);
  tcase_add_test (tcase, test_wrong_settings);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (kafka_connect);
