/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the MQTT client share: mqttsetup.c makes it from the settings, mqttclient.c connects, sends and receives,
 * mqttfailure.c puts what went wrong into words. */
#ifndef GST_BROKER_MQTTCLIENT_PRIVATE_H
#define GST_BROKER_MQTTCLIENT_PRIVATE_H

#include "gst/broker/mqttaddress.h"
#include "gst/broker/mqttclient.h"

#include <mosquitto.h>

G_BEGIN_DECLS

#define MQTT_ONLINE "online"
#define MQTT_OFFLINE "offline"

/* A message that the library has, and its number for it. */
typedef struct {
  gint mid;
  BrokerMessage *message;
} MqttTaken;

typedef enum { MQTT_WAITING, MQTT_CONNECTING, MQTT_CONNECTED } MqttState;

typedef struct {
  BrokerLink *link;
  MqttSettings settings;
  MqttAddress address;
  BrokerTopic *status_topic; /* NULL: none */
  struct mosquitto *mosq;

  MqttState state;
  gint64 next_attempt; /* MQTT_WAITING: when */
  gint64 deadline;     /* MQTT_CONNECTING: until when */
  gint64 connected_at; /* MQTT_CONNECTED: since when */
  gint64 next_misc;
  guint failures;   /* in a row */
  gboolean reached; /* MQTT_CONNECTING: The socket is connected. */
  gint families[2]; /* of the broker's addresses, in the order in which they are tried */
  guint family_count;
  guint family;       /* which of them is being tried */
  gboolean bound;     /* The library has been told which family to use. */
  gint refusal;       /* reason for which the broker refused the connection; 0: it did not */
  gint goodbye;       /* reason for which the connection was closed */
  GString *tls_error; /* what TLS has last complained of */

  GPollFD polled[2]; /* of the library's socket, -1 while there is none, and of wake() */
  gint woken;        /* atomic: wake() has been called */

  GArray *taken; /* of MqttTaken, in the order in which they were handed over */
  guint max_taken;
  BrokerMessage *sending; /* what the library is just taking */
  gint sending_mid;
  gint refused; /* last reason for which a message was refused that has been told; 0: none */
} MqttClient;

/* Sets the library's functions to call. */
void mqtt_client_set_callbacks (MqttClient *client);

void mqtt_client_free (MqttClient *client);

/* Sets an error of GST_RESOURCE_ERROR, which begins with the address of the broker. */
void mqtt_client_set_error (MqttClient *client, GError **error, GstResourceError code, const gchar *format, ...)
    G_GNUC_PRINTF (4, 5);

/* What the library's error RC says, with NUMBER of errno. */
const gchar *mqtt_client_describe (const MqttClient *client, gint rc, gint number);

/* What became of an attempt to connect that ended with RC, and NUMBER of errno, before the broker accepted it. */
typedef struct {
  GError *error;
  gboolean fatal;  /* Another attempt would fail as well. */
  gboolean absent; /* Nobody answered. */
} MqttFailure;

MqttFailure mqtt_client_explain (MqttClient *client, gint rc, gint number);

G_END_DECLS

#endif
