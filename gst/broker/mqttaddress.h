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

G_END_DECLS

#endif
