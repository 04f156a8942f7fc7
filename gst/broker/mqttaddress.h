/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address of an MQTT broker. */
#ifndef GST_BROKER_MQTTADDRESS_H
#define GST_BROKER_MQTTADDRESS_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gchar *host; /* a name, or an address without brackets */
  gint port;
  gboolean tls;
} MqttAddress;

/* Reads TEXT: host, host:port, [address]:port, each also behind mqtt:// or mqtts://. With TLS_FILES, certificates are set, so
 * an address without a scheme means TLS. Returns FALSE with an error of GST_RESOURCE_ERROR. */
gboolean mqtt_address_parse (const gchar *text, gboolean tls_files, MqttAddress *address, GError **error);

/* Looks up the host of ADDRESS, which may wait for a name server. FAMILIES becomes those of its addresses (AF_INET6, AF_INET)
 * in the order in which the system prefers them. Returns how many these are: 1 or 2, or 0 with FAILURE for
 * gai_strerror(). */
guint mqtt_address_look_up (const MqttAddress *address, gint families[2], gint *failure);

G_END_DECLS

#endif
