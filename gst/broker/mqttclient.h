/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client of an MQTT broker over libmosquitto, as brokerlink.h asks for it. One thread works with the library, by its loop
 * functions for applications that have a loop of their own, so nothing in it runs at the same time. */
#ifndef GST_BROKER_MQTTCLIENT_H
#define GST_BROKER_MQTTCLIENT_H

#include "gst/broker/brokerlink.h"

G_BEGIN_DECLS

/* Messages that may be unacknowledged at once. The broker may allow fewer. */
#define MQTT_MAX_TAKEN 64

typedef enum { MQTT_VERSION_311 = 4, MQTT_VERSION_5 = 5 } MqttVersion; /* as MQTT itself numbers them */

typedef struct {
  gint qos; /* 0, 1 or 2 */
  MqttVersion version;
  guint keep_alive;    /* seconds */
  gchar *status_topic; /* with fields; NULL: none */
  gboolean retain_status;
} MqttSettings;

/* Makes a client for LINK, which has not connected yet. Does not wait for the network. SETTINGS are copied. Returns NULL with
 * an error of GST_RESOURCE_ERROR. */
gpointer mqtt_client_open (BrokerLink *link, const MqttSettings *settings, GError **error);

/* The other functions of BrokerClientFunctions. */
BrokerSend mqtt_client_send (gpointer client, BrokerMessage *message, const gchar *topic);
void mqtt_client_work (gpointer client, gint64 timeout);
void mqtt_client_wake (gpointer client);
void mqtt_client_close (gpointer client, gint64 deadline);

G_END_DECLS

#endif
