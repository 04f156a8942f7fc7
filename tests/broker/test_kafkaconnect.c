/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the Kafka client connects: what keeps it from a broker or the topic, what passes, and what it reports meanwhile. */
#include "clienttools.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#define SECOND G_TIME_SPAN_SECOND

static void
wait_for_trouble (KafkaClient *client)
{
  for (gint64 end = g_get_monotonic_time () + 20 * SECOND; !trouble && g_get_monotonic_time () < end;)
    kafka_client_work (client, 50 * G_TIME_SPAN_MILLISECOND);
  fail_unless (trouble != NULL);
}

/* Works until connecting has failed, and checks how. */
static void
assert_connect_fails (KafkaClient *client, gboolean certain, gint code, const gchar *text)
{
  wait_for_trouble (client);
  fail_unless (g_error_matches (trouble, GST_RESOURCE_ERROR, code), "%s", trouble->message);
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

#define METADATA 3 /* the number of this request */

/* The cluster answers with an error of the topic from the beginning. Kafka then says nothing of partitions, the mock cluster does.
 * librdkafka 2.4 to 2.8 crash where the client has not heard of these partitions and is told their epochs, which only answers of
 * version 9 and later tell. */
static void
start_with_error (rd_kafka_resp_err_t code)
{
  rd_kafka_mock_set_apiversion (cluster, METADATA, 0, 2);
  rd_kafka_mock_topic_set_error (cluster, TOPIC, code);
}

GST_START_TEST (test_forbidden_topic)
{
  start_with_error (RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
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

/* A topic without a leader, for longer than an election takes. */
GST_START_TEST (test_no_leader)
{
  start_with_error (RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE);
  KafkaClient *client = make_client (rd_kafka_mock_cluster_bootstraps (cluster));
  assert_connect_fails (
      client, FALSE, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not write to the Kafka topic \"" TOPIC "\"");
  rd_kafka_mock_topic_set_error (cluster, TOPIC, RD_KAFKA_RESP_ERR_NO_ERROR);
  fail_unless (work_until (client, &connections, 1, 10 * SECOND));
  free_quickly (client);
}
GST_END_TEST;

/* The right to write is gone when the broker is back, and is given again. */
GST_START_TEST (test_right_comes_back)
{
  KafkaClient *client = make_connected ();
  rd_kafka_mock_topic_set_error (cluster, TOPIC, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  rd_kafka_mock_broker_set_down (cluster, -1);
  fail_unless (work_until (client, &outages, 1, 10 * SECOND));
  rd_kafka_mock_broker_set_up (cluster, -1);
  wait_for_trouble (client);
  fail_unless (strstr (trouble->message, "Could not write to the Kafka topic") != NULL, "%s", trouble->message);
  fail_unless_equals_int (connections, 1);
  rd_kafka_mock_topic_set_error (cluster, TOPIC, RD_KAFKA_RESP_ERR_NO_ERROR);
  fail_unless (work_until (client, &connections, 2, 10 * SECOND));
  free_quickly (client);
}
GST_END_TEST;

static gint hold, held; /* atomic */

/* Takes the place of librdkafka's. While told to hold, it keeps what a broker has answered, as it does where the thread is not
 * scheduled. */
rd_kafka_resp_err_t
rd_kafka_metadata (
    rd_kafka_t *client, int all, rd_kafka_topic_t *topic, const struct rd_kafka_metadata **metadata, int timeout)
{
  rd_kafka_resp_err_t (*real) (rd_kafka_t *, int, rd_kafka_topic_t *, const struct rd_kafka_metadata **, int);
  *(void **) &real = dlsym (RTLD_NEXT, "rd_kafka_metadata");
  const rd_kafka_resp_err_t code = real (client, all, topic, metadata, timeout);
  g_atomic_int_set (&held, !code && g_atomic_int_get (&hold));
  while (!code && g_atomic_int_get (&hold))
    g_usleep (5 * G_TIME_SPAN_MILLISECOND);
  return code;
}

/* A broker's answer of before an outage does not end the outage. */
GST_START_TEST (test_late_answer)
{
  KafkaClient *client = make_connected ();
  const KafkaRecord record = {TOPIC, "line-1", "0", 1, NULL, 0, NULL};
  rd_kafka_mock_broker_set_down (cluster, -1);
  fail_unless (work_until (client, &outages, 1, 10 * SECOND));
  g_atomic_int_set (&hold, TRUE);
  rd_kafka_mock_broker_set_up (cluster, -1);
  while (!g_atomic_int_get (&held))
    kafka_client_work (client, 5 * G_TIME_SPAN_MILLISECOND);
  fail_unless_equals_int (kafka_client_produce (client, &record, NULL), KAFKA_PRODUCED);
  fail_unless (work_until (client, &connections, 2, 10 * SECOND)); /* since the record is acknowledged */
  rd_kafka_mock_broker_set_down (cluster, -1);
  fail_unless (work_until (client, &outages, 2, 10 * SECOND));
  g_atomic_int_set (&hold, FALSE);
  fail_if (work_until (client, &connections, 3, SECOND));
  rd_kafka_mock_broker_set_up (cluster, -1);
  fail_unless (work_until (client, &connections, 3, 10 * SECOND));
  free_quickly (client);
}
GST_END_TEST;

/* Answers each connection as a web server does, until the socket is shut down. */
static gpointer
serve_web (gpointer listener)
{
  static const gchar answer[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
  gchar request[1024];
  for (gint peer; (peer = accept (GPOINTER_TO_INT (listener), NULL, NULL)) >= 0; close (peer))
    if (read (peer, request, sizeof request) > 0 && write (peer, answer, strlen (answer)) > 0)
      while (read (peer, request, sizeof request) > 0)
        ;
  return NULL;
}

/* Something else listens there. It may be replaced by a broker, so the client goes on trying. */
GST_START_TEST (test_no_broker)
{
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  const gint listener = socket (AF_INET, SOCK_STREAM, 0);
  fail_unless (bind (listener, (struct sockaddr *) &address, size) == 0 && listen (listener, 5) == 0);
  fail_unless (getsockname (listener, (struct sockaddr *) &address, &size) == 0);
  GThread *thread = g_thread_new ("web", serve_web, GINT_TO_POINTER (listener));
  gchar *servers = g_strdup_printf ("127.0.0.1:%d", ntohs (address.sin_port));
  KafkaClient *client = make_client (servers);
  assert_connect_fails (client, FALSE, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not connect to the Kafka broker");
  kafka_client_free (client);
  shutdown (listener, SHUT_RDWR);
  g_thread_join (thread);
  close (listener);
  g_free (servers);
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
  tcase_add_test (tcase, test_no_leader);
  tcase_add_test (tcase, test_right_comes_back);
  tcase_add_test (tcase, test_late_answer);
  tcase_add_test (tcase, test_no_broker);
  tcase_add_test (tcase, test_wrong_settings);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (kafka_connect);
