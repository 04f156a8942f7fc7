/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names with fields, such as a topic "line/%{source}/%{format}". */
#ifndef GST_BROKER_TOPIC_H
#define GST_BROKER_TOPIC_H

#include <glib.h>

G_BEGIN_DECLS

/* What the messages of one start have in common. */
typedef struct {
  gchar *source; /* name of the camera */
  gchar *epoch;  /* of the start of the element, in UTC: 20300131T235959.123456Z */
  gchar *host;   /* name of this computer */
  const gchar *format;
} BrokerIdentity;

typedef struct _BrokerTopic BrokerTopic;

/* Reads TEXT, whose fields are %{source}, %{epoch}, %{host}, %{format} and %{frame}; %% stands for %. PROPERTY is its name
 * in the error, which is of GST_RESOURCE_ERROR. */
BrokerTopic *broker_topic_new (
    const gchar *text, const gchar *property, const BrokerIdentity *identity, GError **error);
void broker_topic_free (BrokerTopic *topic);

/* The name for FRAME, which the topic keeps until the next call. One thread at a time uses a topic. */
const gchar *broker_topic_expand (BrokerTopic *topic, guint64 frame);

G_END_DECLS

#endif
