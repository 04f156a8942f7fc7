/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/mqttclient.h"

#include "gst/broker/mqttaddress.h"

#include <errno.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <netdb.h>
#include <string.h>
#include <sys/eventfd.h>
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

#define ONLINE "online"
#define OFFLINE "offline"

/* A message that the library has, and its number for it. */
typedef struct {
  gint mid;
  BrokerMessage *message;
} Taken;

typedef enum { WAITING, CONNECTING, CONNECTED } State;

typedef struct {
  BrokerLink *link;
  MqttSettings settings;
  MqttAddress address;
  BrokerTopic *status_topic; /* NULL: none */
  struct mosquitto *mosq;

  State state;
  gint64 next_attempt; /* WAITING: when */
  gint64 deadline;     /* CONNECTING: until when */
  gint64 connected_at; /* CONNECTED: since when */
  gint64 next_misc;
  guint failures;      /* in a row */
  gboolean reached;    /* CONNECTING: The socket is connected. */
  gboolean ipv4_only;  /* The attempt is the second one, with addresses of IPv4 alone. */
  GError *first_error; /* of the first one then */
  gint refusal;        /* reason for which the broker refused the connection; 0: it did not */
  gint goodbye;        /* reason for which the connection was closed */
  GString *tls_error;  /* what TLS has last complained of */

  GPollFD polled[2]; /* of the library's socket, -1 while there is none, and of wake() */
  gint woken;        /* atomic: wake() has been called */

  GArray *taken; /* of Taken, in the order in which they were handed over */
  guint max_taken;
  BrokerMessage *sending; /* what the library is just taking */
  gint sending_mid;
  gint refused; /* last reason for which a message was refused that has been told; 0: none */
} Client;

static void set_error (Client *client, GError **error, GstResourceError code, const gchar *format, ...)
    G_GNUC_PRINTF (4, 5);

/* All errors begin with the address. */
static void
set_error (Client *client, GError **error, GstResourceError code, const gchar *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  gchar *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (
      error, GST_RESOURCE_ERROR, code, "MQTT broker at %s:%d: %s", client->address.host, client->address.port, text);
  g_free (text);
}

/* What the library's error RC says, with NUMBER of errno. */
static const gchar *
describe (const Client *client, gint rc, gint number)
{
  switch (rc) {
    case MOSQ_ERR_ERRNO:
      return number == EPROTO && client->tls_error->len ? client->tls_error->str : g_strerror (number);
    case MOSQ_ERR_TLS:
      return client->tls_error->len ? client->tls_error->str : mosquitto_strerror (rc);
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

static void
schedule (Client *client)
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
return_messages (Client *client)
{
  if (client->settings.qos > 0)
    return;
  for (guint i = client->taken->len; i-- > 0;)
    broker_link_put_back (client->link, g_array_index (client->taken, Taken, i).message);
  g_array_set_size (client->taken, 0);
}

static void begin_attempt (Client *client);

/* The attempt has failed with ERROR, which is taken. FATAL: another one would fail as well. ABSENT: nobody answered. */
static void
attempt_failed (Client *client, GError *error, gboolean fatal, gboolean absent)
{
  client->state = WAITING;
  /* The library tries the first address of a name alone, which may be one of IPv6 that nobody listens at. */
  if (absent && !client->ipv4_only && !g_hostname_is_ip_address (client->address.host)) {
    client->first_error = error;
    client->ipv4_only = TRUE;
    begin_attempt (client);
    return;
  }
  if (absent && client->first_error) {
    g_error_free (error);
    error = g_steal_pointer (&client->first_error);
  }
  g_clear_error (&client->first_error);
  client->ipv4_only = FALSE;
  if (broker_link_connect_failed (client->link, error, fatal))
    schedule (client);
  else
    client->next_attempt = G_MAXINT64;
  g_error_free (error);
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
static void
explain_refusal (Client *client)
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
      set_error (client, &error, GST_RESOURCE_ERROR_NOT_AUTHORIZED,
          "the broker refuses the user \"%s\" (%s). Check username and password, and the certificate where it needs "
          "one.",
          broker_link_get_settings (client->link)->username ? broker_link_get_settings (client->link)->username : "",
          reason);
      break;
    case CONNACK_REFUSED_PROTOCOL_VERSION:
    case MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION:
      set_error (client, &error, GST_RESOURCE_ERROR_SETTINGS,
          "the broker does not speak this version of MQTT (%s). Set mqtt-version=%s.", reason,
          client->settings.version == MQTT_VERSION_5 ? "3.1.1" : "5");
      break;
    case MQTT_RC_RETAIN_NOT_SUPPORTED:
      set_error (client, &error, GST_RESOURCE_ERROR_SETTINGS,
          "the broker retains no messages (%s). Set retain-status=false.", reason);
      break;
    case MQTT_RC_QOS_NOT_SUPPORTED:
      set_error (client, &error, GST_RESOURCE_ERROR_SETTINGS,
          "the broker does not offer delivery-qos=%d (%s). Set a lower one.", client->settings.qos, reason);
      break;
    default:
      set_error (client, &error, GST_RESOURCE_ERROR_OPEN_WRITE, "the broker refuses the connection: %s", reason);
      break;
  }
  attempt_failed (client, error, !is_busy (refusal), FALSE);
}

/* The attempt ended with RC, and NUMBER of errno, before the broker accepted it. */
static void
explain_failure (Client *client, gint rc, gint number)
{
  GError *error = NULL;
  if (client->refusal) {
    explain_refusal (client);
    return;
  }
  if (rc == MOSQ_ERR_EAI) {
    set_error (client, &error, GST_RESOURCE_ERROR_NOT_FOUND, "the name of the host is unknown (%s). Check address.",
        gai_strerror (number));
    attempt_failed (client, error, TRUE, FALSE);
    return;
  }
  /* A broker that does not accept our certificate says so when we have accepted its own, and closes the connection. */
  if (rc == MOSQ_ERR_TLS || client->tls_error->len) {
    set_error (client, &error, GST_RESOURCE_ERROR_OPEN_WRITE,
        "TLS failed: %s. Check ca-file, cert-file and key-file, the name of the host in the broker's certificate, and "
        "whether the port is one for TLS.",
        describe (client, MOSQ_ERR_TLS, 0));
    attempt_failed (client, error, TRUE, FALSE);
    return;
  }
  if (rc == MOSQ_ERR_SUCCESS || rc == MOSQ_ERR_CONN_LOST)
    set_error (client, &error, GST_RESOURCE_ERROR_OPEN_WRITE,
        "the other end closed the connection before it answered. Check the port, and whether it is one for TLS "
        "(mqtts://). "
        "The element tries again.");
  else
    set_error (client, &error, GST_RESOURCE_ERROR_OPEN_WRITE,
        "no connection: %s. Check whether the broker runs there. The element tries again.",
        describe (client, rc, number));
  attempt_failed (client, error, FALSE, TRUE);
}

static void
begin_attempt (Client *client)
{
  const gint64 now = g_get_monotonic_time ();
  client->refusal = client->goodbye = 0;
  g_string_truncate (client->tls_error, 0);
  client->state = CONNECTING;
  client->reached = FALSE;
  client->deadline = now + CONNECT_TIMEOUT;
  client->next_misc = now + MISC_INTERVAL;
  mosquitto_string_option (client->mosq, MOSQ_OPT_BIND_ADDRESS, client->ipv4_only ? "0.0.0.0" : NULL);
  const gint rc = mosquitto_connect_bind_async (
      client->mosq, client->address.host, client->address.port, (gint) client->settings.keep_alive, NULL);
  const gint number = errno;
  if (rc > 0)
    explain_failure (client, rc, number);
}

/* The connection has ended with RC, and NUMBER of errno. */
static void
end_connection (Client *client, gint rc, gint number)
{
  if (client->state == CONNECTING) {
    explain_failure (client, rc, number);
    return;
  }
  client->state = WAITING;
  return_messages (client);
  if (g_get_monotonic_time () - client->connected_at > STEADY)
    client->failures = 0;
  schedule (client);
  broker_link_disconnected (client->link, describe (client, rc, number));
}

static void
publish_status (Client *client, const gchar *status)
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
  Client *client = data;
  guint16 receive_maximum = MQTT_MAX_TAKEN;
  guint8 max_qos = 2;
  mosquitto_property_read_int16 (properties, MQTT_PROP_RECEIVE_MAXIMUM, &receive_maximum, false);
  mosquitto_property_read_byte (properties, MQTT_PROP_MAXIMUM_QOS, &max_qos, false);
  client->refusal = reason == 0 && client->settings.qos > max_qos ? MQTT_RC_QOS_NOT_SUPPORTED : reason;
  if (client->refusal)
    return;
  client->state = CONNECTED;
  client->connected_at = g_get_monotonic_time ();
  client->max_taken = CLAMP (receive_maximum, 1, MQTT_MAX_TAKEN);
  client->ipv4_only = FALSE;
  g_clear_error (&client->first_error);
  publish_status (client, ONLINE);
  broker_link_connected (client->link);
}

static void
on_disconnect (struct mosquitto *mosq, void *data, int reason, const mosquitto_property *properties)
{
  ((Client *) data)->goodbye = reason;
}

static void
on_log (struct mosquitto *mosq, void *data, int level, const char *text)
{
  Client *client = data;
  if (level == MOSQ_LOG_ERR && !client->tls_error->len)
    g_string_assign (client->tls_error, text);
}

/* Says once for each reason why messages are refused. */
static void
warn_of_refusal (Client *client, gint reason, const gchar *text, const BrokerMessage *message)
{
  GError *error = NULL;
  if (client->refused == reason)
    return;
  client->refused = reason;
  set_error (client, &error, GST_RESOURCE_ERROR_WRITE,
      "the message of frame %" G_GUINT64_FORMAT " with %" G_GSIZE_FORMAT
      " bytes is refused: %s. It is lost, as are others that are refused so.",
      message->frame, g_bytes_get_size (message->payload), text);
  broker_link_warn (client->link, error);
  g_error_free (error);
}

/* The broker has MESSAGE, or refuses it. That it does not know the number means that it had the message before the
 * connection was lost. */
static void
settle (Client *client, BrokerMessage *message, gint reason)
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
  Client *client = data;
  if (client->sending && client->sending_mid == mid) {
    settle (client, g_steal_pointer (&client->sending), reason);
    return;
  }
  for (guint i = 0; i < client->taken->len; i++) {
    const Taken taken = g_array_index (client->taken, Taken, i);
    if (taken.mid == mid) {
      g_array_remove_index (client->taken, i);
      settle (client, taken.message, reason);
      return;
    }
  }
}

/* Whether MQTT 5 carries the identity of FRAME beside the message. */
static mosquitto_property *
make_properties (Client *client, guint64 frame)
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
  Client *client = data;
  if (client->state != CONNECTED || client->taken->len >= client->max_taken)
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
  const Taken taken = {client->sending_mid, message};
  g_array_append_val (client->taken, taken);
  return BROKER_SENT;
}

/* Whether the socket is asked for room to write. The library would always have it so while TLS is being set up, which waits
 * for the other side. */
static gboolean
wants_to_write (const Client *client)
{
  return client->state == CONNECTING && client->address.tls ? !client->reached : mosquitto_want_write (client->mosq);
}

/* Waits for the socket, for wake(), or until END. */
static void
wait_for_network (Client *client, gint64 end)
{
  GPollFD *socket = &client->polled[0], *wake = &client->polled[1];
  const gint64 left = MAX (0, end - g_get_monotonic_time ());
  socket->fd = mosquitto_socket (client->mosq);
  socket->events = wants_to_write (client) ? G_IO_IN | G_IO_OUT : G_IO_IN;
  socket->revents = wake->revents = 0;
  g_poll (client->polled, G_N_ELEMENTS (client->polled), (gint) MIN (left / 1000 + 1, G_MAXINT));
  if (wake->revents) {
    guint64 count;
    g_atomic_int_set (&client->woken, FALSE);
    if (read (wake->fd, &count, sizeof count) < 0)
      GST_WARNING ("The wake-up of the broker's thread cannot be read: %s", g_strerror (errno));
  }
}

/* Reads and writes what there is. */
static gint
exchange (Client *client)
{
  const gint64 now = g_get_monotonic_time ();
  const GIOCondition events = client->polled[0].revents;
  const gboolean reached = (events & G_IO_OUT) && !client->reached;
  gint rc = MOSQ_ERR_SUCCESS;
  errno = 0;
  client->reached |= reached;
  /* Reading goes on with TLS, writing does not. */
  if (reached || (events & (G_IO_IN | G_IO_ERR | G_IO_HUP)))
    rc = mosquitto_loop_read (client->mosq, 1);
  if (rc == MOSQ_ERR_SUCCESS && mosquitto_socket (client->mosq) >= 0 && mosquitto_want_write (client->mosq))
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
  Client *client = data;
  const gint64 now = g_get_monotonic_time ();
  if (client->state == WAITING && now >= client->next_attempt)
    begin_attempt (client);
  gint64 end = now + timeout;
  if (client->state == WAITING)
    end = MIN (end, client->next_attempt);
  else
    end = MIN (end, client->state == CONNECTING ? MIN (client->deadline, client->next_misc) : client->next_misc);
  wait_for_network (client, end);
  if (client->state == WAITING)
    return;
  const gint rc = exchange (client);
  const gint number = errno;
  if (rc != MOSQ_ERR_SUCCESS || mosquitto_socket (client->mosq) < 0)
    end_connection (client, rc, number);
  else if (client->state == CONNECTING && g_get_monotonic_time () >= client->deadline)
    end_connection (client, MOSQ_ERR_ERRNO, ETIMEDOUT);
}

void
mqtt_client_wake (gpointer data)
{
  Client *client = data;
  const guint64 one = 1;
  if (g_atomic_int_compare_and_exchange (&client->woken, FALSE, TRUE)
      && write (client->polled[1].fd, &one, sizeof one) < 0)
    GST_WARNING ("The broker's thread cannot be woken: %s", g_strerror (errno));
}

static void
free_client (Client *client)
{
  if (client->mosq)
    mosquitto_destroy (client->mosq);
  if (client->status_topic)
    broker_topic_free (client->status_topic);
  g_array_unref (client->taken);
  g_string_free (client->tls_error, TRUE);
  g_clear_error (&client->first_error);
  if (client->polled[1].fd >= 0)
    close (client->polled[1].fd);
  g_free (client->address.host);
  g_free (client->settings.status_topic);
  g_free (client);
}

void
mqtt_client_close (gpointer data, gint64 deadline)
{
  Client *client = data;
  if (client->state == CONNECTED) {
    publish_status (client, OFFLINE);
    mosquitto_disconnect (client->mosq);
    while (mosquitto_socket (client->mosq) >= 0 && g_get_monotonic_time () < deadline) {
      wait_for_network (client, deadline);
      if (exchange (client) != MOSQ_ERR_SUCCESS)
        break;
    }
  }
  free_client (client);
}

/* The library would say that a file is invalid, but not which one and why. */
static gboolean
check_file (Client *client, const gchar *property, const gchar *path, GError **error)
{
  GError *reason = NULL;
  gchar *contents;
  if (!path)
    return TRUE;
  if (g_file_get_contents (path, &contents, NULL, &reason)) {
    g_free (contents);
    return TRUE;
  }
  set_error (client, error, GST_RESOURCE_ERROR_SETTINGS, "%s cannot be read: %s.", property, reason->message);
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
set_tls (Client *client, const BrokerSettings *settings, GError **error)
{
  if (!client->address.tls)
    return TRUE;
  if (!check_file (client, "ca-file", settings->ca_file, error)
      || !check_file (client, "cert-file", settings->cert_file, error)
      || !check_file (client, "key-file", settings->key_file, error))
    return FALSE;
  if (!settings->cert_file != !settings->key_file || (settings->cert_file && !settings->ca_file)) {
    set_error (client, error, GST_RESOURCE_ERROR_SETTINGS,
        "a client's certificate needs cert-file, key-file and ca-file. Set all three of them.");
    return FALSE;
  }
  const gint rc = settings->ca_file ? mosquitto_tls_set (
                      client->mosq, settings->ca_file, NULL, settings->cert_file, settings->key_file, refuse_password)
                                    : mosquitto_int_option (client->mosq, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  if (rc != MOSQ_ERR_SUCCESS)
    set_error (client, error, GST_RESOURCE_ERROR_SETTINGS, "TLS cannot be set up: %s", mosquitto_strerror (rc));
  return rc == MOSQ_ERR_SUCCESS;
}

static gboolean
check_topic (Client *client, const gchar *property, const gchar *topic, GError **error)
{
  if (mosquitto_pub_topic_check (topic) == MOSQ_ERR_SUCCESS && *topic)
    return TRUE;
  set_error (client, error, GST_RESOURCE_ERROR_SETTINGS,
      "%s becomes \"%s\", which is no topic to publish on. It must not be empty, have + or #, or be longer than 65535 "
      "bytes.",
      property, topic);
  return FALSE;
}

static gboolean
set_topics (Client *client, const BrokerSettings *settings, GError **error)
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
  mosquitto_will_set (client->mosq, status, (int) strlen (OFFLINE), OFFLINE, 0, client->settings.retain_status);
  return TRUE;
}

static gboolean
set_user (Client *client, const BrokerSettings *settings, GError **error)
{
  if (settings->password && !settings->username) {
    set_error (client, error, GST_RESOURCE_ERROR_SETTINGS, "a password is set, but no user. Set username.");
    return FALSE;
  }
  const gint rc = mosquitto_username_pw_set (client->mosq, settings->username, settings->password);
  if (rc != MOSQ_ERR_SUCCESS)
    set_error (client, error, GST_RESOURCE_ERROR_SETTINGS, "username cannot be used: %s", mosquitto_strerror (rc));
  return rc == MOSQ_ERR_SUCCESS;
}

static gboolean
make_library_client (Client *client, const BrokerSettings *settings, GError **error)
{
  static gsize initialised = 0;
  if (g_once_init_enter (&initialised)) {
    mosquitto_lib_init ();
    g_once_init_leave (&initialised, 1);
  }
  client->mosq = mosquitto_new (settings->client_id, true, client);
  if (!client->mosq) {
    set_error (client, error, GST_RESOURCE_ERROR_SETTINGS, "no client \"%s\": %s",
        settings->client_id ? settings->client_id : "", g_strerror (errno));
    return FALSE;
  }
  mosquitto_int_option (client->mosq, MOSQ_OPT_PROTOCOL_VERSION, client->settings.version);
  mosquitto_int_option (client->mosq, MOSQ_OPT_SEND_MAXIMUM, MQTT_MAX_TAKEN);
  mosquitto_int_option (client->mosq, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_connect_v5_callback_set (client->mosq, on_connect);
  mosquitto_disconnect_v5_callback_set (client->mosq, on_disconnect);
  mosquitto_publish_v5_callback_set (client->mosq, on_publish);
  mosquitto_log_callback_set (client->mosq, on_log);
  return TRUE;
}

gpointer
mqtt_client_open (BrokerLink *link, const MqttSettings *settings, GError **error)
{
  const BrokerSettings *common = broker_link_get_settings (link);
  Client *client = g_new0 (Client, 1);
  client->link = link;
  client->settings = *settings;
  client->settings.status_topic = g_strdup (settings->status_topic);
  client->tls_error = g_string_new (NULL);
  client->taken = g_array_new (FALSE, FALSE, sizeof (Taken));
  client->max_taken = MQTT_MAX_TAKEN;
  client->polled[0].fd = -1;
  client->polled[1] = (GPollFD){.fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK), .events = G_IO_IN};
  if (client->polled[1].fd < 0)
    set_error (client, error, GST_RESOURCE_ERROR_FAILED, "no event: %s", g_strerror (errno));
  else if (mqtt_address_parse (
               common->address, common->ca_file || common->cert_file || common->key_file, &client->address, error)
           && make_library_client (client, common, error) && set_user (client, common, error)
           && set_tls (client, common, error) && set_topics (client, common, error))
    return client;
  free_client (client);
  return NULL;
}
