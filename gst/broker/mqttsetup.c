/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/mqttclient-private.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

void
mqtt_client_free (MqttClient *client)
{
  if (client->mosq)
    mosquitto_destroy (client->mosq);
  if (client->status_topic)
    broker_topic_free (client->status_topic);
  g_array_unref (client->taken);
  g_string_free (client->tls_error, TRUE);
  if (client->polled[1].fd >= 0)
    close (client->polled[1].fd);
  g_free (client->address.host);
  g_free (client->settings.status_topic);
  g_free (client);
}

/* The library would say that a file is invalid, but not which one and why. */
static gboolean
check_file (MqttClient *client, const gchar *property, const gchar *path, GError **error)
{
  GError *reason = NULL;
  gchar *contents;
  if (!path)
    return TRUE;
  if (g_file_get_contents (path, &contents, NULL, &reason)) {
    g_free (contents);
    return TRUE;
  }
  mqtt_client_set_error (
      client, error, GST_RESOURCE_ERROR_SETTINGS, "%s cannot be read: %s.", property, reason->message);
  g_error_free (reason);
  return FALSE;
}

/* Nobody is there to be asked for the password of a key. */
static int
refuse_password (char *text, int size, int writing, void *data)
{
  return 0;
}

static gboolean
set_tls (MqttClient *client, const BrokerSettings *settings, GError **error)
{
  if (!client->address.tls)
    return TRUE;
  if (!check_file (client, "ca-file", settings->ca_file, error)
      || !check_file (client, "cert-file", settings->cert_file, error)
      || !check_file (client, "key-file", settings->key_file, error))
    return FALSE;
  if (!settings->cert_file != !settings->key_file || (settings->cert_file && !settings->ca_file)) {
    mqtt_client_set_error (client, error, GST_RESOURCE_ERROR_SETTINGS,
        "a client's certificate needs cert-file, key-file and ca-file. Set all three of them.");
    return FALSE;
  }
  /* libmosquitto 2.0 forgets at the second connection that it should take the authorities of the system, so they are named to it. */
  const gchar *file = settings->ca_file ? settings->ca_file : g_getenv ("SSL_CERT_FILE");
  const gchar *folder = settings->ca_file ? NULL : g_getenv ("SSL_CERT_DIR");
  if (!file && !folder)
    folder = "/etc/ssl/certs";
  const gint rc =
      mosquitto_tls_set (client->mosq, file, folder, settings->cert_file, settings->key_file, refuse_password);
  if (rc != MOSQ_ERR_SUCCESS)
    mqtt_client_set_error (
        client, error, GST_RESOURCE_ERROR_SETTINGS, "TLS cannot be set up: %s", mosquitto_strerror (rc));
  return rc == MOSQ_ERR_SUCCESS;
}

static gboolean
check_topic (MqttClient *client, const gchar *property, const gchar *topic, GError **error)
{
  if (mosquitto_pub_topic_check (topic) == MOSQ_ERR_SUCCESS && *topic)
    return TRUE;
  mqtt_client_set_error (client, error, GST_RESOURCE_ERROR_SETTINGS,
      "%s becomes \"%s\", which is no topic to publish on. It must not be empty, have + or #, or be longer than 65535 "
      "bytes.",
      property, topic);
  return FALSE;
}

static gboolean
set_topics (MqttClient *client, const BrokerSettings *settings, GError **error)
{
  const BrokerIdentity *identity = broker_link_get_identity (client->link);
  BrokerTopic *topic = broker_topic_new (settings->topic, "topic", identity, error);
  if (!topic)
    return FALSE;
  const gboolean valid = check_topic (client, "topic", broker_topic_expand (topic, 0), error);
  broker_topic_free (topic);
  if (!valid || !client->settings.status_topic)
    return valid;
  client->status_topic = broker_topic_new (client->settings.status_topic, "status-topic", identity, error);
  if (!client->status_topic)
    return FALSE;
  const gchar *status = broker_topic_expand (client->status_topic, 0);
  if (!check_topic (client, "status-topic", status, error))
    return FALSE;
  mosquitto_will_set (
      client->mosq, status, (int) strlen (MQTT_OFFLINE), MQTT_OFFLINE, 0, client->settings.retain_status);
  return TRUE;
}

static gboolean
set_user (MqttClient *client, const BrokerSettings *settings, GError **error)
{
  if (settings->password && !settings->username) {
    mqtt_client_set_error (client, error, GST_RESOURCE_ERROR_SETTINGS, "a password is set, but no user. Set username.");
    return FALSE;
  }
  const gint rc = mosquitto_username_pw_set (client->mosq, settings->username, settings->password);
  if (rc != MOSQ_ERR_SUCCESS)
    mqtt_client_set_error (
        client, error, GST_RESOURCE_ERROR_SETTINGS, "username cannot be used: %s", mosquitto_strerror (rc));
  return rc == MOSQ_ERR_SUCCESS;
}

static gboolean
make_library_client (MqttClient *client, const BrokerSettings *settings, GError **error)
{
  static gsize initialised = 0;
  if (g_once_init_enter (&initialised)) {
    mosquitto_lib_init ();
    g_once_init_leave (&initialised, 1);
  }
  client->mosq = mosquitto_new (settings->client_id, true, client);
  if (!client->mosq) {
    mqtt_client_set_error (client, error, GST_RESOURCE_ERROR_SETTINGS, "no client \"%s\": %s",
        settings->client_id ? settings->client_id : "", g_strerror (errno));
    return FALSE;
  }
  mosquitto_int_option (client->mosq, MOSQ_OPT_PROTOCOL_VERSION, client->settings.version);
  mosquitto_int_option (client->mosq, MOSQ_OPT_SEND_MAXIMUM, MQTT_MAX_TAKEN);
  mosquitto_int_option (client->mosq, MOSQ_OPT_TCP_NODELAY, 1);
  mqtt_client_set_callbacks (client);
  return TRUE;
}

gpointer
mqtt_client_open (BrokerLink *link, const MqttSettings *settings, GError **error)
{
  const BrokerSettings *common = broker_link_get_settings (link);
  MqttClient *client = g_new0 (MqttClient, 1);
  client->link = link;
  client->settings = *settings;
  client->settings.status_topic = g_strdup (settings->status_topic);
  client->tls_error = g_string_new (NULL);
  client->taken = g_array_new (FALSE, FALSE, sizeof (MqttTaken));
  client->max_taken = MQTT_MAX_TAKEN;
  client->polled[0].fd = -1;
  client->polled[1] = (GPollFD){.fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK), .events = G_IO_IN};
  if (client->polled[1].fd < 0)
    mqtt_client_set_error (client, error, GST_RESOURCE_ERROR_FAILED, "no event: %s", g_strerror (errno));
  else if (mqtt_address_parse (
               common->address, common->ca_file || common->cert_file || common->key_file, &client->address, error)
           && make_library_client (client, common, error) && set_user (client, common, error)
           && set_tls (client, common, error) && set_topics (client, common, error))
    return client;
  mqtt_client_free (client);
  return NULL;
}
