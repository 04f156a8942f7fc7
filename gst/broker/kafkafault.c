/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/kafkafault.h"

#include <string.h>

void
kafka_names_init (KafkaNames *names, const KafkaSettings *settings)
{
  names->servers = g_strdup (settings->bootstrap_servers);
  names->topic = g_strdup (settings->topic);
  names->username = g_strdup (settings->username);
  names->max_bytes = settings->max_bytes;
}

void
kafka_names_clear (KafkaNames *names)
{
  g_clear_pointer (&names->servers, g_free);
  g_clear_pointer (&names->topic, g_free);
  g_clear_pointer (&names->username, g_free);
}

KafkaFault
kafka_fault_classify (rd_kafka_resp_err_t code)
{
  switch (code) {
    case RD_KAFKA_RESP_ERR__RESOLVE:
      return KAFKA_FAULT_HOST;
    case RD_KAFKA_RESP_ERR__SSL:
      return KAFKA_FAULT_TLS;
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
      return KAFKA_FAULT_AUTHENTICATION;
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
      return KAFKA_FAULT_AWAY;
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
      return KAFKA_FAULT_TOPIC;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
      return KAFKA_FAULT_SIZE;
    case RD_KAFKA_RESP_ERR__FATAL:
      return KAFKA_FAULT_FATAL;
    default:
      return KAFKA_FAULT_RECORD;
  }
}

/* Only OpenSSL's text tells TLS from the network: a handshake that fails in its first step, as it does when the broker answers at
 * once, and a certificate of the client that the broker refuses, have the code of a connection that broke. And a connection
 * that ended in the handshake has the code of TLS in librdkafka before 2.3, but may have ended with the broker. */
KafkaFault
kafka_fault_classify_connection (rd_kafka_resp_err_t code, const gchar *reason)
{
  if (strstr (reason, "SSL routines"))
    return strstr (reason, "unexpected eof") ? KAFKA_FAULT_AWAY : KAFKA_FAULT_TLS;
  const KafkaFault fault = kafka_fault_classify (code);
  const gboolean known = fault == KAFKA_FAULT_HOST || fault == KAFKA_FAULT_TLS || fault == KAFKA_FAULT_AUTHENTICATION;
  return known ? fault : KAFKA_FAULT_AWAY;
}

static GstResourceError
get_code (KafkaFault fault)
{
  switch (fault) {
    case KAFKA_FAULT_SETTINGS:
      return GST_RESOURCE_ERROR_SETTINGS;
    case KAFKA_FAULT_HOST:
      return GST_RESOURCE_ERROR_NOT_FOUND;
    case KAFKA_FAULT_TLS:
    case KAFKA_FAULT_AWAY:
    case KAFKA_FAULT_TOPIC:
      return GST_RESOURCE_ERROR_OPEN_WRITE;
    case KAFKA_FAULT_AUTHENTICATION:
      return GST_RESOURCE_ERROR_NOT_AUTHORIZED;
    case KAFKA_FAULT_SIZE:
    case KAFKA_FAULT_FATAL:
    case KAFKA_FAULT_RECORD:
      break;
  }
  return GST_RESOURCE_ERROR_WRITE;
}

static gchar *
describe (KafkaFault fault, const KafkaNames *names, const gchar *reason)
{
  switch (fault) {
    case KAFKA_FAULT_SETTINGS:
      return g_strdup_printf ("Could not start the Kafka client: %s. Correct that property.", reason);
    case KAFKA_FAULT_HOST:
      return g_strdup_printf (
          "Could not find the Kafka broker \"%s\": %s. Correct address or the name server.", names->servers, reason);
    case KAFKA_FAULT_TLS:
      return g_strdup_printf ("Could not agree on TLS with the Kafka broker \"%s\": %s. Check security-protocol, "
                              "ca-file, cert-file and key-file.",
          names->servers, reason);
    case KAFKA_FAULT_AUTHENTICATION:
      return g_strdup_printf (
          "The Kafka broker \"%s\" refused the user \"%s\": %s. Check username, password and sasl-mechanism.",
          names->servers, names->username ? names->username : "", reason);
    case KAFKA_FAULT_AWAY:
      return g_strdup_printf ("Could not connect to the Kafka broker \"%s\": %s. The element tries again. Start the "
                              "broker, or correct address and security-protocol.",
          names->servers, reason);
    case KAFKA_FAULT_TOPIC:
      return g_strdup_printf ("Could not write to the Kafka topic \"%s\": %s. Create the topic, let the broker create "
                              "topics, or give the user the right to write to it.",
          names->topic, reason);
    case KAFKA_FAULT_SIZE:
      return g_strdup_printf ("The record of a frame is too large for Kafka, whose limit here is %u bytes: %s. Raise "
                              "max-record-bytes and the broker's message.max.bytes, or write less about each frame.",
          names->max_bytes, reason);
    case KAFKA_FAULT_FATAL:
      return g_strdup_printf ("The Kafka producer stopped, since it can no longer promise each frame once and in "
                              "order: %s. Restart the element.",
          reason);
    case KAFKA_FAULT_RECORD:
      break;
  }
  return g_strdup_printf (
      "The Kafka topic \"%s\" did not take a record: %s. The broker's log tells more.", names->topic, reason);
}

gchar *
kafka_fault_trim (const gchar *reason)
{
  const gchar *times = strstr (reason, " (after ");
  return times ? g_strndup (reason, times - reason) : g_strdup (reason);
}

GError *
kafka_fault_to_error (KafkaFault fault, const KafkaNames *names, const gchar *reason)
{
  gchar *message = describe (fault, names, reason);
  GError *error = g_error_new_literal (GST_RESOURCE_ERROR, get_code (fault), message);
  g_free (message);
  return error;
}
