/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/mqttclient-private.h"

#include <errno.h>
#include <mqtt_protocol.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* An attempt to connect ends after this time without an answer. */
#define CONNECT_TIMEOUT (10 * G_TIME_SPAN_SECOND)

/* The first attempt after a failure comes after the first delay, each further one after twice the time, up to the longest.
 * A random quarter more or less keeps many clients of one broker from coming together. A connection that has lasted for the
 * steady time begins anew with the first delay. */
#define FIRST_DELAY (100 * G_TIME_SPAN_MILLISECOND)
#define LONGEST_DELAY (10 * G_TIME_SPAN_SECOND)
#define STEADY (5 * G_TIME_SPAN_SECOND)

/* How often the library looks whether it is time to ask the broker whether it is there. */
#define MISC_INTERVAL G_TIME_SPAN_SECOND

static void
schedule (MqttClient *client)
{
  gint64 delay = FIRST_DELAY;
  for (guint i = 0; i < client->failures && delay < LONGEST_DELAY; i++)
    delay *= 2;
  delay = (gint64) (MIN (delay, LONGEST_DELAY) * g_random_double_range (0.75, 1.25));
  client->failures++;
  client->next_attempt = g_get_monotonic_time () + delay;
}

/* What the library has forgotten waits again. It keeps messages of QoS 1 and 2, and sends them again by itself. */
static void
return_messages (MqttClient *client)
{
  if (client->settings.qos > 0)
    return;
  for (guint i = client->taken->len; i-- > 0;)
    broker_link_put_back (client->link, g_array_index (client->taken, MqttTaken, i).message);
  g_array_set_size (client->taken, 0);
}

static void begin_attempt (MqttClient *client);

/* The attempt has ended with RC, and NUMBER of errno, before the broker accepted it. */
static void
end_attempt (MqttClient *client, gint rc, gint number)
{
  const MqttFailure failure = mqtt_client_explain (client, rc, number);
  client->state = MQTT_WAITING;
  /* The library tries the first address of a family alone. */
  if (failure.absent && client->family + 1 < client->family_count) {
    g_error_free (failure.error);
    client->family++;
    begin_attempt (client);
    return;
  }
  client->family_count = 0;
  if (broker_link_connect_failed (client->link, failure.error, failure.fatal))
    schedule (client);
  else
    client->next_attempt = G_MAXINT64;
  g_error_free (failure.error);
}

/* Has the library use addresses of the family whose turn it is. This cannot be taken back, so it is done where there is a
 * choice, and then always. */
static void
choose_family (MqttClient *client)
{
  client->bound |= client->family_count > 1;
  if (client->bound)
    mosquitto_string_option (
        client->mosq, MOSQ_OPT_BIND_ADDRESS, client->families[client->family] == AF_INET6 ? "::" : "0.0.0.0");
}

static void
begin_attempt (MqttClient *client)
{
  gint failure, rc = MOSQ_ERR_EAI;
  client->refusal = client->goodbye = 0;
  g_string_truncate (client->tls_error, 0);
  client->state = MQTT_CONNECTING;
  client->reached = FALSE;
  if (client->family_count == 0) {
    client->family = 0;
    client->family_count = mqtt_address_look_up (&client->address, client->families, &failure);
  }
  const gint64 now = g_get_monotonic_time ();
  client->deadline = now + CONNECT_TIMEOUT;
  client->next_misc = now + MISC_INTERVAL;
  if (client->family_count > 0) {
    choose_family (client);
    rc = mosquitto_connect_bind_async (
        client->mosq, client->address.host, client->address.port, (gint) client->settings.keep_alive, NULL);
    failure = errno;
  }
  if (rc > 0)
    end_attempt (client, rc, failure);
}

/* The connection has ended with RC, and NUMBER of errno. */
static void
end_connection (MqttClient *client, gint rc, gint number)
{
  if (client->state == MQTT_CONNECTING) {
    end_attempt (client, rc, number);
    return;
  }
  client->state = MQTT_WAITING;
  return_messages (client);
  if (g_get_monotonic_time () - client->connected_at > STEADY)
    client->failures = 0;
  schedule (client);
  broker_link_disconnected (client->link, mqtt_client_describe (client, rc, number));
}

static void
publish_status (MqttClient *client, const gchar *status)
{
  /* The broker reads it before whatever follows in this connection, so it needs no acknowledgement; if the connection is lost
   * before, the last will says offline, and the next connection online. */
  if (client->status_topic)
    mosquitto_publish (client->mosq, NULL, broker_topic_expand (client->status_topic, 0), (int) strlen (status), status,
        0, client->settings.retain_status);
}

static void
on_connect (struct mosquitto *mosq, void *data, int reason, int flags, const mosquitto_property *properties)
{
  MqttClient *client = data;
  guint16 receive_maximum = MQTT_MAX_TAKEN;
  guint8 max_qos = 2;
  mosquitto_property_read_int16 (properties, MQTT_PROP_RECEIVE_MAXIMUM, &receive_maximum, false);
  mosquitto_property_read_byte (properties, MQTT_PROP_MAXIMUM_QOS, &max_qos, false);
  client->refusal = reason == 0 && client->settings.qos > max_qos ? MQTT_RC_QOS_NOT_SUPPORTED : reason;
  if (client->refusal)
    return;
  client->state = MQTT_CONNECTED;
  client->connected_at = g_get_monotonic_time ();
  client->max_taken = CLAMP (receive_maximum, 1, MQTT_MAX_TAKEN);
  client->family_count = 0;
  publish_status (client, MQTT_ONLINE);
  broker_link_connected (client->link);
}

static void
on_disconnect (struct mosquitto *mosq, void *data, int reason, const mosquitto_property *properties)
{
  ((MqttClient *) data)->goodbye = reason;
}

/* Keeps the first complaint of TLS, such as "OpenSSL Error[0]: error:…" or "Error: ….", without what frames it. */
static void
on_log (struct mosquitto *mosq, void *data, int level, const char *text)
{
  MqttClient *client = data;
  if (level != MOSQ_LOG_ERR || client->tls_error->len || !client->address.tls)
    return;
  const gchar *behind = strstr (text, "Error[") ? strstr (text, "]: ") : strstr (text, "Error: ");
  g_string_assign (client->tls_error, behind ? strchr (behind, ' ') + 1 : text);
  if (g_str_has_suffix (client->tls_error->str, "."))
    g_string_truncate (client->tls_error, client->tls_error->len - 1);
}

/* Says once for each reason why messages are refused. */
static void
warn_of_refusal (MqttClient *client, gint reason, const gchar *text, const BrokerMessage *message)
{
  GError *error = NULL;
  if (client->refused == reason)
    return;
  client->refused = reason;
  mqtt_client_set_error (client, &error, GST_RESOURCE_ERROR_WRITE,
      "the message of frame %" G_GUINT64_FORMAT " with %" G_GSIZE_FORMAT
      " bytes is refused: %s. It is lost, as are others that are refused so.",
      message->frame, g_bytes_get_size (message->payload), text);
  broker_link_warn (client->link, error);
  g_error_free (error);
}

/* The broker has MESSAGE, or refuses it. That it does not know the number means that it had the message before the
 * connection was lost. */
static void
settle (MqttClient *client, BrokerMessage *message, gint reason)
{
  if (reason < 0x80 || reason == MQTT_RC_PACKET_ID_NOT_FOUND) {
    broker_link_acknowledge (client->link, message);
    return;
  }
  warn_of_refusal (client, reason, mosquitto_reason_string (reason), message);
  broker_link_refuse (client->link, message);
}

static void
on_publish (struct mosquitto *mosq, void *data, int mid, int reason, const mosquitto_property *properties)
{
  MqttClient *client = data;
  if (client->sending && client->sending_mid == mid) {
    settle (client, g_steal_pointer (&client->sending), reason);
    return;
  }
  for (guint i = 0; i < client->taken->len; i++) {
    const MqttTaken taken = g_array_index (client->taken, MqttTaken, i);
    if (taken.mid == mid) {
      g_array_remove_index (client->taken, i);
      settle (client, taken.message, reason);
      return;
    }
  }
}

void
mqtt_client_set_callbacks (MqttClient *client)
{
  mosquitto_connect_v5_callback_set (client->mosq, on_connect);
  mosquitto_disconnect_v5_callback_set (client->mosq, on_disconnect);
  mosquitto_publish_v5_callback_set (client->mosq, on_publish);
  mosquitto_log_callback_set (client->mosq, on_log);
}

/* Whether MQTT 5 carries the identity of FRAME beside the message. */
static mosquitto_property *
make_properties (MqttClient *client, guint64 frame)
{
  const BrokerIdentity *identity = broker_link_get_identity (client->link);
  const gboolean text = broker_link_get_settings (client->link)->format == BROKER_FORMAT_JSON;
  mosquitto_property *properties = NULL;
  gchar number[24];
  g_snprintf (number, sizeof number, "%" G_GUINT64_FORMAT, frame);
  mosquitto_property_add_byte (&properties, MQTT_PROP_PAYLOAD_FORMAT_INDICATOR, text);
  mosquitto_property_add_string (
      &properties, MQTT_PROP_CONTENT_TYPE, text ? "application/x-ndjson" : "application/octet-stream");
  mosquitto_property_add_string_pair (&properties, MQTT_PROP_USER_PROPERTY, "camera", identity->source);
  mosquitto_property_add_string_pair (&properties, MQTT_PROP_USER_PROPERTY, "epoch", identity->epoch);
  mosquitto_property_add_string_pair (&properties, MQTT_PROP_USER_PROPERTY, "frame", number);
  return properties;
}

/* Whether the library has not taken a message because of RC. With other errors it has; the connection is at fault. */
static gboolean
is_refusal (gint rc)
{
  return rc == MOSQ_ERR_NOMEM || rc == MOSQ_ERR_INVAL || rc == MOSQ_ERR_NOT_SUPPORTED || rc == MOSQ_ERR_PROTOCOL
         || rc == MOSQ_ERR_PAYLOAD_SIZE || rc == MOSQ_ERR_MALFORMED_UTF8 || rc == MOSQ_ERR_QOS_NOT_SUPPORTED
         || rc == MOSQ_ERR_OVERSIZE_PACKET;
}

BrokerSend
mqtt_client_send (gpointer data, BrokerMessage *message, const gchar *topic)
{
  MqttClient *client = data;
  if (client->state != MQTT_CONNECTED || client->taken->len >= client->max_taken)
    return BROKER_LATER;
  gsize size;
  gconstpointer payload = g_bytes_get_data (message->payload, &size);
  mosquitto_property *properties =
      client->settings.version == MQTT_VERSION_5 ? make_properties (client, message->frame) : NULL;
  client->sending = message;
  gint rc = MOSQ_ERR_PAYLOAD_SIZE;
  if (size <= G_MAXINT)
    rc = mosquitto_publish_v5 (
        client->mosq, &client->sending_mid, topic, (gint) size, payload, client->settings.qos, false, properties);
  mosquitto_property_free_all (&properties);
  message = g_steal_pointer (&client->sending);
  if (!message)
    return BROKER_SENT;
  if (is_refusal (rc)) {
    warn_of_refusal (client, -rc, mosquitto_strerror (rc), message);
    return BROKER_REFUSED;
  }
  const MqttTaken taken = {client->sending_mid, message};
  g_array_append_val (client->taken, taken);
  return BROKER_SENT;
}

/* Whether the socket is asked for room to write. The library would always have it so while TLS is being set up, which waits
 * for the other side. */
static gboolean
wants_to_write (const MqttClient *client)
{
  return client->state == MQTT_CONNECTING && client->address.tls ? !client->reached
                                                                 : mosquitto_want_write (client->mosq);
}

/* Waits for the socket, for wake(), or until END. */
static void
wait_for_network (MqttClient *client, gint64 end)
{
  GPollFD *socket = &client->polled[0], *wake = &client->polled[1];
  const gint64 left = MAX (0, end - g_get_monotonic_time ());
  /* The library closes the socket of an attempt that has ended when the next one begins. */
  socket->fd = client->state == MQTT_WAITING ? -1 : mosquitto_socket (client->mosq);
  socket->events = wants_to_write (client) ? G_IO_IN | G_IO_OUT : G_IO_IN;
  socket->revents = wake->revents = 0;
  g_poll (client->polled, G_N_ELEMENTS (client->polled), (gint) MIN (left / 1000 + 1, G_MAXINT));
  if (wake->revents) {
    guint64 count;
    if (read (wake->fd, &count, sizeof count) < 0)
      GST_WARNING ("The wake-up of the broker's thread cannot be read: %s", g_strerror (errno));
    /* Only now, or a wake-up in between would be read without having been seen. */
    g_atomic_int_set (&client->woken, FALSE);
  }
}

/* Whether the socket says, in errno, why no connection came about: with TLS the library would hide the reason. Only what was
 * connected can be reset. Without a reason the library has taken it from the socket. */
static gboolean
is_unreachable (MqttClient *client)
{
  gint number = 0;
  socklen_t size = sizeof number;
  if (getsockopt (mosquitto_socket (client->mosq), SOL_SOCKET, SO_ERROR, &number, &size) < 0)
    return TRUE;
  errno = number;
  client->reached = number == ECONNRESET || number == EPIPE;
  return number && !client->reached;
}

/* Reads and writes what there is. */
static gint
exchange (MqttClient *client)
{
  const gint64 now = g_get_monotonic_time ();
  const GIOCondition events = client->polled[0].revents;
  const gboolean failed = (events & (G_IO_ERR | G_IO_HUP)) != 0;
  if (failed && client->state == MQTT_CONNECTING && !client->reached && is_unreachable (client))
    return MOSQ_ERR_ERRNO;
  const gboolean reached = (events & G_IO_OUT) && !failed && !client->reached;
  gint rc = MOSQ_ERR_SUCCESS;
  errno = 0;
  client->reached |= reached;
  /* Reading goes on with TLS, writing does not. */
  if (reached || failed || (events & G_IO_IN))
    rc = mosquitto_loop_read (client->mosq, 1);
  /* While TLS is being set up, the library takes no notice of a connection that is reset. */
  if (rc == MOSQ_ERR_SUCCESS && client->state == MQTT_CONNECTING && failed)
    rc = MOSQ_ERR_CONN_LOST;
  if (rc == MOSQ_ERR_SUCCESS && mosquitto_socket (client->mosq) >= 0
      && (client->reached || client->state == MQTT_CONNECTED) && mosquitto_want_write (client->mosq))
    rc = mosquitto_loop_write (client->mosq, 1);
  if (rc == MOSQ_ERR_SUCCESS && now >= client->next_misc && mosquitto_socket (client->mosq) >= 0) {
    rc = mosquitto_loop_misc (client->mosq);
    client->next_misc = now + MISC_INTERVAL;
  }
  return rc;
}

void
mqtt_client_work (gpointer data, gint64 timeout)
{
  MqttClient *client = data;
  const gint64 now = g_get_monotonic_time ();
  if (client->state == MQTT_WAITING && now >= client->next_attempt)
    begin_attempt (client);
  gint64 end = now + timeout;
  if (client->state == MQTT_WAITING)
    end = MIN (end, client->next_attempt);
  else
    end = MIN (end, client->state == MQTT_CONNECTING ? MIN (client->deadline, client->next_misc) : client->next_misc);
  wait_for_network (client, end);
  if (client->state == MQTT_WAITING)
    return;
  const gint rc = exchange (client);
  const gint number = errno;
  if (rc == MOSQ_ERR_SUCCESS && client->refusal)
    mosquitto_disconnect (client->mosq); /* It is accepted, and of no use: see on_connect(). */
  if (rc != MOSQ_ERR_SUCCESS || client->refusal || mosquitto_socket (client->mosq) < 0)
    end_connection (client, rc, number);
  else if (client->state == MQTT_CONNECTING && g_get_monotonic_time () >= client->deadline)
    end_connection (client, MOSQ_ERR_ERRNO, ETIMEDOUT);
}

void
mqtt_client_wake (gpointer data)
{
  MqttClient *client = data;
  const guint64 one = 1;
  if (g_atomic_int_compare_and_exchange (&client->woken, FALSE, TRUE)
      && write (client->polled[1].fd, &one, sizeof one) < 0)
    GST_WARNING ("The broker's thread cannot be woken: %s", g_strerror (errno));
}

void
mqtt_client_close (gpointer data, gint64 deadline)
{
  MqttClient *client = data;
  if (client->state == MQTT_CONNECTED) {
    publish_status (client, MQTT_OFFLINE);
    mosquitto_disconnect (client->mosq);
    while (mosquitto_socket (client->mosq) >= 0 && g_get_monotonic_time () < deadline) {
      wait_for_network (client, deadline);
      if (exchange (client) != MOSQ_ERR_SUCCESS)
        break;
    }
  }
  mqtt_client_free (client);
}
