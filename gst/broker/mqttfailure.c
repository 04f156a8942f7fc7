/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/mqttclient-private.h"

#include <errno.h>
#include <mqtt_protocol.h>
#include <netdb.h>

void
mqtt_client_set_error (MqttClient *client, GError **error, GstResourceError code, const gchar *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  gchar *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (
      error, GST_RESOURCE_ERROR, code, "MQTT broker at %s:%d: %s", client->address.host, client->address.port, text);
  g_free (text);
}

const gchar *
mqtt_client_describe (const MqttClient *client, gint rc, gint number)
{
  switch (rc) {
    case MOSQ_ERR_ERRNO:
      return number == EPROTO && client->tls_error->len ? client->tls_error->str : g_strerror (number);
    case MOSQ_ERR_TLS:
      return client->tls_error->len ? client->tls_error->str : "the broker closed the connection without a reason";
    case MOSQ_ERR_SUCCESS:
      return client->goodbye ? mosquitto_reason_string (client->goodbye) : "the broker closed it";
    case MOSQ_ERR_CONN_LOST:
      return "the broker closed it";
    case MOSQ_ERR_KEEPALIVE:
      return "the broker does not answer any longer";
    default:
      return mosquitto_strerror (rc);
  }
}

static gboolean
is_busy (gint refusal)
{
  return refusal == CONNACK_REFUSED_SERVER_UNAVAILABLE || refusal == MQTT_RC_SERVER_UNAVAILABLE
         || refusal == MQTT_RC_SERVER_BUSY || refusal == MQTT_RC_SERVER_SHUTTING_DOWN
         || refusal == MQTT_RC_QUOTA_EXCEEDED || refusal == MQTT_RC_CONNECTION_RATE_EXCEEDED
         || refusal == MQTT_RC_UNSPECIFIED || refusal == MQTT_RC_IMPLEMENTATION_SPECIFIC;
}

/* The broker has answered that it does not want this client. */
static GError *
explain_refusal (MqttClient *client)
{
  const gint refusal = client->refusal;
  const gchar *reason = refusal < 0x80 ? mosquitto_connack_string (refusal) : mosquitto_reason_string (refusal);
  GError *error = NULL;
  switch (refusal) {
    case CONNACK_REFUSED_BAD_USERNAME_PASSWORD:
    case CONNACK_REFUSED_NOT_AUTHORIZED:
    case MQTT_RC_BAD_USERNAME_OR_PASSWORD:
    case MQTT_RC_NOT_AUTHORIZED:
    case MQTT_RC_BANNED:
      mqtt_client_set_error (client, &error, GST_RESOURCE_ERROR_NOT_AUTHORIZED,
          "the broker refuses the user \"%s\" (%s). Check username and password, and the certificate where it needs "
          "one.",
          broker_link_get_settings (client->link)->username ? broker_link_get_settings (client->link)->username : "",
          reason);
      break;
    case CONNACK_REFUSED_PROTOCOL_VERSION:
    case MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION:
      mqtt_client_set_error (client, &error, GST_RESOURCE_ERROR_SETTINGS,
          "the broker does not speak this version of MQTT (%s). Set mqtt-version=%s.", reason,
          client->settings.version == MQTT_VERSION_5 ? "3.1.1" : "5");
      break;
    case MQTT_RC_RETAIN_NOT_SUPPORTED:
      mqtt_client_set_error (client, &error, GST_RESOURCE_ERROR_SETTINGS,
          "the broker retains no messages (%s). Set retain-status=false.", reason);
      break;
    case MQTT_RC_QOS_NOT_SUPPORTED:
      mqtt_client_set_error (client, &error, GST_RESOURCE_ERROR_SETTINGS,
          "the broker does not offer delivery-qos=%d (%s). Set a lower one.", client->settings.qos, reason);
      break;
    default:
      mqtt_client_set_error (
          client, &error, GST_RESOURCE_ERROR_OPEN_WRITE, "the broker refuses the connection: %s", reason);
      break;
  }
  return error;
}

/* Newer versions of the library say MOSQ_ERR_TLS, without a complaint of TLS, also of a connection that is refused. A broker
 * that does not accept our certificate says so when we have accepted its own, and closes the connection. What we send at that
 * time resets it, and what the broker has said is gone. */
static gboolean
is_tls_failure (const MqttClient *client, gint rc, gint number)
{
  if (client->tls_error->len > 0 || (rc == MOSQ_ERR_ERRNO && number == EPROTO))
    return TRUE;
  return client->address.tls && client->reached
         && (rc == MOSQ_ERR_SUCCESS || rc == MOSQ_ERR_CONN_LOST || rc == MOSQ_ERR_TLS
             || (rc == MOSQ_ERR_ERRNO && (number == EPIPE || number == ECONNRESET)));
}

/* The attempt ended with RC, and NUMBER of errno, before the broker accepted it. */
MqttFailure
mqtt_client_explain (MqttClient *client, gint rc, gint number)
{
  MqttFailure failure = {0};
  if (client->refusal) {
    failure.error = explain_refusal (client);
    failure.fatal = !is_busy (client->refusal);
    return failure;
  }
  if (rc == MOSQ_ERR_EAI) {
    mqtt_client_set_error (client, &failure.error, GST_RESOURCE_ERROR_NOT_FOUND,
        "the name of the host is unknown (%s). Check address.", gai_strerror (number));
    failure.fatal = TRUE;
    return failure;
  }
  if (is_tls_failure (client, rc, number)) {
    mqtt_client_set_error (client, &failure.error, GST_RESOURCE_ERROR_OPEN_WRITE,
        "TLS failed: %s. Check ca-file, cert-file and key-file, the name of the host in the broker's certificate, and "
        "whether the port is one for TLS.",
        mqtt_client_describe (client, MOSQ_ERR_TLS, 0));
    failure.fatal = TRUE;
    return failure;
  }
  if (rc == MOSQ_ERR_SUCCESS || rc == MOSQ_ERR_CONN_LOST || rc == MOSQ_ERR_TLS)
    mqtt_client_set_error (client, &failure.error, GST_RESOURCE_ERROR_OPEN_WRITE,
        "the other end refused the connection, or closed it before it answered. Check whether the broker runs there, "
        "and whether the port is one for TLS (mqtts://). The element tries again.");
  else
    mqtt_client_set_error (client, &failure.error, GST_RESOURCE_ERROR_OPEN_WRITE,
        "no connection: %s. Check whether the broker runs there. The element tries again.",
        mqtt_client_describe (client, rc, number));
  failure.absent = TRUE;
  return failure;
}
