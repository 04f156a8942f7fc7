/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourkafkasink with TLS: what a certificate that is refused becomes, whenever it is found. */
#include "kafkatools.h"

#include <dlfcn.h>

#define NO_TLS "Could not agree on TLS with the Kafka broker"

/* Of OpenSSL, whose headers the project does not need. */
#define SSL_ERROR_WANT_READ 2
int SSL_connect (void *ssl);

static gint patient;  /* atomic */
static gint changing; /* atomic: it is patient every other time */

static int
call_openssl (const gchar *name, void *ssl, int result)
{
  int (*call) (void *, int);
  *(void **) &call = dlsym (RTLD_NEXT, name);
  fail_unless (call != NULL, "%s", name);
  return call (ssl, result);
}

/* Takes the place of OpenSSL's. Where it is patient, the broker's answer comes before this returns, as it does where the thread is
 * not scheduled between writing and reading. */
int
SSL_connect (void *ssl)
{
  int result;
  if (g_atomic_int_get (&changing))
    g_atomic_int_set (&patient, !g_atomic_int_get (&patient));
  while ((result = call_openssl ("SSL_connect", ssl, 0)) < 0 && g_atomic_int_get (&patient)
         && call_openssl ("SSL_get_error", ssl, result) == SSL_ERROR_WANT_READ)
    g_usleep (5 * G_TIME_SPAN_MILLISECOND);
  return result;
}

/* Makes a certificate that signs itself. Returns the arguments for a broker that has it; transfer full. */
static gchar *
make_certificate (const gchar *certificate)
{
  gchar *key = broker_file ("key.pem");
  gint status = -1;
  gchar *line = g_strdup_printf (
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost "
      "-addext subjectAltName=IP:127.0.0.1 -keyout %s -out %s",
      key, certificate);
  gchar *output = NULL, *complaint = NULL;
  fail_unless (g_spawn_command_line_sync (line, &output, &complaint, &status, NULL) && status == 0, "%s", complaint);
  gchar *arguments = g_strdup_printf ("--topic " TOPIC " --cert %s --key %s", certificate, key);
  g_free (output);
  g_free (complaint);
  g_free (line);
  g_free (key);
  return arguments;
}

GST_START_TEST (test_tls)
{
  gchar *certificate = broker_file ("cert.pem");
  gchar *arguments = make_certificate (certificate);
  broker_start (arguments);
  GstHarness *h = play (broker_address (), "security-protocol", 1, "ca-file", certificate, NULL);
  push (h, 10);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  finish (h);
  assert_stored ("line-1", 0, 10);
  /* Nobody that the system trusts has signed the certificate. */
  assert_fails ("security-protocol=ssl", GST_RESOURCE_ERROR_OPEN_WRITE, NO_TLS);
  g_free (arguments);
  g_free (certificate);
}
GST_END_TEST;

/* The broker answers before the client waits for its answer. */
GST_START_TEST (test_quick_answer)
{
  gchar *certificate = broker_file ("cert.pem");
  gchar *arguments = make_certificate (certificate);
  broker_start (arguments);
  g_atomic_int_set (&patient, TRUE);
  assert_fails ("security-protocol=ssl", GST_RESOURCE_ERROR_OPEN_WRITE, NO_TLS);
  g_atomic_int_set (&patient, FALSE);
  g_free (arguments);
  g_free (certificate);
}
GST_END_TEST;

/* The element starts before the broker, whose certificate turns out to be from nobody that the system trusts. */
GST_START_TEST (test_late_broker)
{
  gchar *certificate = broker_file ("cert.pem");
  gchar *arguments = make_certificate (certificate);
  broker_start (arguments);
  broker_command ("down");
  GstHarness *h = play (broker_address (), "security-protocol", 1, NULL);
  assert_message (h, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not connect to the Kafka broker");
  broker_command ("up");
  assert_message (h, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, NO_TLS);
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  finish (h);
  g_free (arguments);
  g_free (certificate);
}
GST_END_TEST;

/* The broker asks for a certificate of the client. With TLS 1.3 it says so when the client has begun to send. */
GST_START_TEST (test_client_certificate)
{
  gchar *certificate = broker_file ("cert.pem"), *key = broker_file ("key.pem");
  gchar *arguments = make_certificate (certificate);
  gchar *asking = g_strdup_printf ("%s --ca %s", arguments, certificate);
  gchar *properties = g_strdup_printf ("security-protocol=ssl ca-file=%s", certificate);
  broker_start (asking);
  assert_fails (properties, GST_RESOURCE_ERROR_OPEN_WRITE, NO_TLS);
  GstHarness *h = play (broker_address (), "security-protocol", 1, "ca-file", certificate, "cert-file", certificate,
      "key-file", key, NULL);
  push (h, 10);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  finish (h);
  assert_stored ("line-1", 0, 10);
  g_free (properties);
  g_free (asking);
  g_free (arguments);
  g_free (key);
  g_free (certificate);
}
GST_END_TEST;

/* The broker comes back with a certificate that nobody trusts: one warning, in whatever words OpenSSL tells of it. */
GST_START_TEST (test_back_with_another_certificate)
{
  gchar *certificate = broker_file ("cert.pem");
  gchar *arguments = make_certificate (certificate);
  broker_start (arguments);
  GstHarness *h = play (broker_address (), "security-protocol", 1, "ca-file", certificate, NULL);
  wait_for_connection (h, TRUE);
  broker_command ("down");
  g_free (arguments);
  arguments = make_certificate (certificate);
  broker_command ("reload");
  g_atomic_int_set (&changing, TRUE);
  broker_command ("up");
  assert_message (h, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_WRITE, "is lost");
  assert_message (h, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_OPEN_WRITE, NO_TLS);
  g_usleep (4 * G_TIME_SPAN_SECOND); /* which is time for several attempts */
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  g_atomic_int_set (&changing, FALSE);
  finish (h);
  g_free (arguments);
  g_free (certificate);
}
GST_END_TEST;

static Suite *
kafka_tls_suite (void)
{
  Suite *suite = suite_create ("kafkatls");
  TCase *tcase = tcase_create ("general");
  tcase_add_checked_fixture (tcase, NULL, broker_stop);
  tcase_add_test (tcase, test_tls);
  tcase_add_test (tcase, test_quick_answer);
  tcase_add_test (tcase, test_late_broker);
  tcase_add_test (tcase, test_client_certificate);
  tcase_add_test (tcase, test_back_with_another_certificate);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (kafka_tls);
