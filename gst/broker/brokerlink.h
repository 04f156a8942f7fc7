/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One start of a broker sink: its queue, the thread that alone works with the client library, and what it reports. The
 * thread holds all that it uses, so an element that stops need not wait for a library that hangs. */
#ifndef GST_BROKER_BROKERLINK_H
#define GST_BROKER_BROKERLINK_H

#include "gst/broker/messagequeue.h"
#include "gst/broker/topic.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { BROKER_FORMAT_JSON, BROKER_FORMAT_BINARY } BrokerFormat;

/* The properties of GstContourBrokerSink as they were when the element started. Empty texts are NULL. */
typedef struct {
  gchar *address; /* never NULL in a link */
  gchar *topic;   /* never NULL in a link */
  gchar *source;
  gchar *client_id;
  gchar *username;
  gchar *password;
  gchar *ca_file;
  gchar *cert_file;
  gchar *key_file;
  BrokerFormat format;
  gboolean codes;
  gboolean json_identity;
  guint64 max_queue_messages;
  guint64 max_queue_bytes;
  BrokerLeaky leaky;
  guint64 drain_timeout;
} BrokerSettings;

typedef struct _BrokerLink BrokerLink;

/* What became of a message that a client was asked to send. */
typedef enum {
  BROKER_SENT, /* handed over: the client will call broker_link_acknowledge(), broker_link_refuse() or broker_link_put_back() */
  BROKER_LATER,  /* The client cannot take it now: it is asked again after work(). */
  BROKER_REFUSED /* It can never be sent: it is lost. The client has called broker_link_warn(). */
} BrokerSend;

/* What a client library has to do; the table is that of the class, see GstContourBrokerSinkClass. */
typedef struct {
  gpointer (*open) (GstElement *element, BrokerLink *link, GError **error);
  BrokerSend (*send) (gpointer client, BrokerMessage *message, const gchar *topic);
  void (*work) (gpointer client, gint64 timeout);
  void (*wake) (gpointer client);
  void (*close) (gpointer client, gint64 deadline);
  guint max_taken; /* messages that may be under way at once; the others wait in the queue */
} BrokerClientFunctions;

/* For clients: what they were opened with. It stays as it is as long as the link. */
const BrokerSettings *broker_link_get_settings (BrokerLink *link);
const BrokerIdentity *broker_link_get_identity (BrokerLink *link);

/* For clients, in any thread: what became of a message for which send() returned BROKER_SENT, also while send() has not
 * returned yet. The message must not be used afterwards. Several that are put back go the last one first. */
void broker_link_acknowledge (BrokerLink *link, BrokerMessage *message);
void broker_link_refuse (BrokerLink *link, BrokerMessage *message);
void broker_link_put_back (BrokerLink *link, BrokerMessage *message);

/* For clients, in any thread: the state of the connection. REASON is a sentence without its full stop. Each change is
 * one element message, with a warning or an info message. */
void broker_link_connected (BrokerLink *link);
void broker_link_disconnected (BrokerLink *link, const gchar *reason);

/* For clients, in any thread: an attempt to connect has failed with ERROR, whose message is full sentences. With FATAL and
 * before the first connection this ends the stream with one element error, and returns FALSE. Otherwise the client tries
 * again, and the element warns once for each reason until there is a connection. */
gboolean broker_link_connect_failed (BrokerLink *link, const GError *error, gboolean fatal);

/* For clients, in any thread: ends the stream with ERROR, unless one has ended it before. */
void broker_link_fail (BrokerLink *link, const GError *error);

/* For clients, in any thread: warns of ERROR. */
void broker_link_warn (BrokerLink *link, const GError *error);

/* For the base class. The new link belongs to the caller and runs until broker_link_stop(). SETTINGS are copied, IDENTITY is
 * taken. */
BrokerLink *broker_link_start (GstElement *element, const BrokerClientFunctions *functions,
    const BrokerSettings *settings, BrokerIdentity identity, GError **error);

/* Ends the link in less than 100 ms, and counts what is queued then as lost. */
void broker_link_stop (BrokerLink *link);

BrokerLink *broker_link_ref (BrokerLink *link);
void broker_link_unref (BrokerLink *link);

BrokerQueue *broker_link_get_queue (BrokerLink *link);

/* Adds a message to the queue and wakes the thread. */
BrokerWait broker_link_push (BrokerLink *link, GBytes *payload, guint64 frame);

/* Waits up to 100 ms for the end of the first attempt to connect. Returns FALSE if an error has ended the stream: most wrong
 * settings let the state change fail. */
gboolean broker_link_has_started (BrokerLink *link);

/* Counts all that is queued as lost, and posts that with a warning, REASON. */
void broker_link_give_up (BrokerLink *link, const gchar *reason);

/* Posts what was lost since this was last posted. */
void broker_link_report_lost (BrokerLink *link);

/* The structure of the property "stats". Without a LINK, before the first start, all numbers are 0. */
GstStructure *broker_link_get_stats (BrokerLink *link);

void broker_settings_copy (BrokerSettings *to, const BrokerSettings *from);
void broker_settings_clear (BrokerSettings *settings);

G_END_DECLS

#endif
