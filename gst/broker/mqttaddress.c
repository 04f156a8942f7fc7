/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/mqttaddress.h"

#include <gst/gst.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#define PLAIN "mqtt://"
#define SECURE "mqtts://"
#define PLAIN_PORT 1883
#define SECURE_PORT 8883

/* Reads host and port of TEXT, whose scheme has been read. */
static gboolean
parse_host (const gchar *text, MqttAddress *address)
{
  const gchar *end = *text == '[' ? strchr (text, ']') : text + strcspn (text, ":");
  const gchar *host = text + (*text == '[');
  guint64 port;
  if (!end || end == host)
    return FALSE;
  const gchar *rest = end + (*text == '[');
  if (*rest == ':') {
    if (!g_ascii_string_to_unsigned (rest + 1, 10, 1, 65535, &port, NULL))
      return FALSE;
    address->port = (gint) port;
  } else if (*rest) {
    return FALSE;
  }
  address->host = g_strndup (host, (gsize) (end - host));
  return TRUE;
}

gboolean
mqtt_address_parse (const gchar *text, gboolean tls_files, MqttAddress *address, GError **error)
{
  const gboolean plain = g_str_has_prefix (text, PLAIN), secure = g_str_has_prefix (text, SECURE);
  const gchar *secret = strrchr (text, '@'); /* behind a user and a password, which no message may tell */
  const gchar *shown = secret ? secret : text;
  const gchar *host = text + (plain ? strlen (PLAIN) : secure ? strlen (SECURE) : 0);
  if (plain && tls_files) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "address=\"%s%s\" is without TLS, so certificates have no meaning. Write " SECURE
        ", or unset ca-file, cert-file and "
        "key-file.",
        secret ? "…" : "", shown);
    return FALSE;
  }
  address->tls = secure || tls_files;
  address->port = address->tls ? SECURE_PORT : PLAIN_PORT;
  if (!strpbrk (host, "/@?# ") && parse_host (host, address))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "address=\"%s%s\" is no address of an MQTT broker. Write host:port, " PLAIN "host:port or " SECURE
      "host:port; user and password have properties of their own.",
      secret ? "…" : "", shown);
  return FALSE;
}

guint
mqtt_address_look_up (const MqttAddress *address, gint families[2], gint *failure)
{
  const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *all;
  guint count = 0;
  *failure = getaddrinfo (address->host, NULL, &hints, &all);
  if (*failure)
    return 0;
  for (const struct addrinfo *one = all; one; one = one->ai_next)
    if ((one->ai_family == AF_INET || one->ai_family == AF_INET6) && count < 2
        && (count == 0 || families[0] != one->ai_family))
      families[count++] = one->ai_family;
  freeaddrinfo (all);
  if (count == 0)
    *failure = EAI_NONAME;
  return count;
}
