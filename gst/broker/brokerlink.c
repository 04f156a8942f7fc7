/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Longer than 500 lines: all functions share the state of a link. */
#include "gst/broker/brokerlink.h"

#include <pthread.h>
#include <signal.h>

/* How long a link that stops still sends what is queued, and how long it is waited for after that. Both together stay below
 * 100 ms. */
#define LAST_SENDING (40 * G_TIME_SPAN_MILLISECOND)
#define LEAVING (40 * G_TIME_SPAN_MILLISECOND)

/* How long the start waits for the end of the first attempt to connect. */
#define FIRST_ATTEMPT (100 * G_TIME_SPAN_MILLISECOND)

/* Losses are posted at most so often. */
#define REPORT_INTERVAL G_TIME_SPAN_SECOND

/* The client reads and writes at least each time after so many messages. */
#define BURST 64

struct _BrokerLink {
  gint references;
  GstElement *element; /* The thread has a reference: it still posts when it is late. */
  const BrokerClientFunctions *functions;
  BrokerSettings settings;
  BrokerIdentity identity;
  BrokerTopic *topic;
  BrokerQueue *queue;
  GThread *thread;

  GMutex lock;
  GCond changed;
  gpointer client; /* NULL before it is opened and when it is closed */
  gboolean stopping;
  gboolean stopped;  /* Nobody waits for the thread any longer, which may still be late. */
  gboolean finished; /* The thread no longer uses the client. */
  gboolean settled;  /* It is known how the first attempt to connect has ended. */
  gboolean failed;
  gboolean connected;
  gboolean was_connected;
  gboolean lost_warned; /* since the last connection */
  guint64 connections;
  gchar *reason; /* of the last failure to connect that was posted */
  guint64 lost_reported;
  gint64 next_report;
};

static void
take_text (gchar **text)
{
  *text = *text && **text ? g_strdup (*text) : NULL;
}

void
broker_settings_copy (BrokerSettings *to, const BrokerSettings *from)
{
  *to = *from;
  take_text (&to->address);
  take_text (&to->topic);
  take_text (&to->source);
  take_text (&to->client_id);
  take_text (&to->username);
  take_text (&to->password);
  take_text (&to->ca_file);
  take_text (&to->cert_file);
  take_text (&to->key_file);
}

void
broker_settings_clear (BrokerSettings *settings)
{
  g_free (settings->address);
  g_free (settings->topic);
  g_free (settings->source);
  g_free (settings->client_id);
  g_free (settings->username);
  g_free (settings->password);
  g_free (settings->ca_file);
  g_free (settings->cert_file);
  g_free (settings->key_file);
  *settings = (BrokerSettings){0};
}

BrokerLink *
broker_link_ref (BrokerLink *link)
{
  g_atomic_int_inc (&link->references);
  return link;
}

void
broker_link_unref (BrokerLink *link)
{
  if (!g_atomic_int_dec_and_test (&link->references))
    return;
  broker_queue_free (link->queue);
  if (link->topic)
    broker_topic_free (link->topic);
  broker_settings_clear (&link->settings);
  g_free (link->identity.source);
  g_free (link->identity.epoch);
  g_free (link->identity.host);
  g_free (link->reason);
  g_mutex_clear (&link->lock);
  g_cond_clear (&link->changed);
  g_free (link);
}

const BrokerSettings *
broker_link_get_settings (BrokerLink *link)
{
  return &link->settings;
}

const BrokerIdentity *
broker_link_get_identity (BrokerLink *link)
{
  return &link->identity;
}

BrokerQueue *
broker_link_get_queue (BrokerLink *link)
{
  return link->queue;
}

static void
post_error (BrokerLink *link, GstMessageType type, const GError *error)
{
  gst_element_message_full (link->element, type, error->domain, error->code, g_strdup (error->message), NULL, __FILE__,
      GST_FUNCTION, __LINE__);
}

void
broker_link_warn (BrokerLink *link, const GError *error)
{
  post_error (link, GST_MESSAGE_WARNING, error);
}

/* Called with the lock: the first attempt to connect has ended. */
static void
settle (BrokerLink *link)
{
  link->settled = TRUE;
  g_cond_broadcast (&link->changed);
}

void
broker_link_fail (BrokerLink *link, const GError *error)
{
  g_mutex_lock (&link->lock);
  const gboolean first = !link->failed && !link->stopping;
  link->failed = TRUE;
  g_mutex_unlock (&link->lock);
  if (first)
    post_error (link, GST_MESSAGE_ERROR, error);
  broker_queue_close (link->queue);
  g_mutex_lock (&link->lock);
  settle (link);
  g_mutex_unlock (&link->lock);
}

gboolean
broker_link_has_started (BrokerLink *link)
{
  const gint64 deadline = g_get_monotonic_time () + FIRST_ATTEMPT;
  g_mutex_lock (&link->lock);
  while (!link->settled && g_cond_wait_until (&link->changed, &link->lock, deadline))
    ;
  const gboolean failed = link->failed;
  g_mutex_unlock (&link->lock);
  return !failed;
}

gboolean
broker_link_connect_failed (BrokerLink *link, const GError *error, gboolean fatal)
{
  g_mutex_lock (&link->lock);
  const gboolean ends = fatal && !link->was_connected;
  const gboolean known = link->stopping || g_strcmp0 (link->reason, error->message) == 0;
  if (!known) {
    g_free (link->reason);
    link->reason = g_strdup (error->message);
  }
  if (!ends)
    settle (link);
  g_mutex_unlock (&link->lock);
  if (ends)
    broker_link_fail (link, error);
  else if (!known)
    post_error (link, GST_MESSAGE_WARNING, error);
  return !ends;
}

static guint64
get_reconnects (const BrokerLink *link)
{
  return link->connections > 0 ? link->connections - 1 : 0;
}

/* Takes the structure. */
static void
post_structure (BrokerLink *link, GstStructure *structure)
{
  gst_element_post_message (link->element, gst_message_new_element (GST_OBJECT (link->element), structure));
}

static void
post_connection (BrokerLink *link, gboolean connected, const gchar *reason, guint64 reconnects)
{
  post_structure (link, gst_structure_new ("contour-broker-connection", "connected", G_TYPE_BOOLEAN, connected,
                            "reason", G_TYPE_STRING, reason, "reconnects", G_TYPE_UINT64, reconnects, "queued",
                            G_TYPE_UINT64, broker_queue_get_counts (link->queue).queued, NULL));
}

void
broker_link_connected (BrokerLink *link)
{
  g_mutex_lock (&link->lock);
  const gboolean changed = !link->connected && !link->stopped;
  link->connections += changed;
  link->connected = link->connected || changed;
  link->was_connected = TRUE;
  link->lost_warned = FALSE;
  g_clear_pointer (&link->reason, g_free);
  settle (link);
  const guint64 reconnects = get_reconnects (link);
  g_mutex_unlock (&link->lock);
  if (!changed)
    return;
  post_connection (link, TRUE, NULL, reconnects);
  if (reconnects > 0)
    GST_ELEMENT_INFO (link->element, RESOURCE, OPEN_WRITE,
        ("The connection to the broker at %s is back. %" G_GUINT64_FORMAT " messages are queued.",
            link->settings.address, broker_queue_get_counts (link->queue).queued),
        (NULL));
}

void
broker_link_disconnected (BrokerLink *link, const gchar *reason)
{
  g_mutex_lock (&link->lock);
  const gboolean changed = link->connected && !link->stopping;
  link->connected = FALSE;
  const guint64 reconnects = get_reconnects (link);
  g_mutex_unlock (&link->lock);
  if (!changed)
    return;
  post_connection (link, FALSE, reason, reconnects);
  GST_ELEMENT_WARNING (link->element, RESOURCE, WRITE,
      ("The connection to the broker at %s is lost: %s. The element connects again; until then up to %" G_GUINT64_FORMAT
       " messages are queued.",
          link->settings.address, reason, link->settings.max_queue_messages),
      (NULL));
}

void
broker_link_report_lost (BrokerLink *link)
{
  const guint64 total = broker_queue_get_counts (link->queue).lost;
  g_mutex_lock (&link->lock);
  const guint64 count = total - MIN (total, link->lost_reported);
  const gboolean warns = count > 0 && !link->lost_warned;
  if (count > 0) {
    link->lost_reported = total;
    link->lost_warned = TRUE;
    link->next_report = g_get_monotonic_time () + REPORT_INTERVAL;
  }
  g_mutex_unlock (&link->lock);
  if (count == 0)
    return;
  post_structure (link,
      gst_structure_new ("contour-broker-lost", "count", G_TYPE_UINT64, count, "total", G_TYPE_UINT64, total, NULL));
  if (warns)
    GST_ELEMENT_WARNING (link->element, RESOURCE, WRITE,
        ("%" G_GUINT64_FORMAT
         " messages for the broker at %s are lost. Element messages count those that follow. A larger "
         "max-queue-messages or max-queue-bytes bridges longer interruptions.",
            count, link->settings.address),
        (NULL));
}

void
broker_link_give_up (BrokerLink *link, const gchar *reason)
{
  const guint64 lost = broker_queue_give_up (link->queue);
  if (lost == 0)
    return;
  g_mutex_lock (&link->lock);
  link->lost_warned = TRUE; /* by what follows */
  g_mutex_unlock (&link->lock);
  GST_ELEMENT_WARNING (link->element, RESOURCE, WRITE,
      ("%" G_GUINT64_FORMAT " messages for the broker at %s are lost: %s", lost, link->settings.address, reason),
      (NULL));
  broker_link_report_lost (link);
}

void
broker_link_acknowledge (BrokerLink *link, BrokerMessage *message)
{
  broker_queue_acknowledge (link->queue, message);
}

void
broker_link_refuse (BrokerLink *link, BrokerMessage *message)
{
  broker_queue_refuse (link->queue, message);
}

void
broker_link_put_back (BrokerLink *link, BrokerMessage *message)
{
  broker_queue_put_back (link->queue, message);
}

GstStructure *
broker_link_get_stats (BrokerLink *link)
{
  BrokerCounts counts = {0};
  guint64 reconnects = 0;
  gboolean connected = FALSE;
  if (link) {
    counts = broker_queue_get_counts (link->queue);
    g_mutex_lock (&link->lock);
    reconnects = get_reconnects (link);
    connected = link->connected;
    g_mutex_unlock (&link->lock);
  }
  return gst_structure_new ("contour-broker-stats", "sent", G_TYPE_UINT64, counts.sent, "acknowledged", G_TYPE_UINT64,
      counts.acknowledged, "queued", G_TYPE_UINT64, counts.queued, "queued-bytes", G_TYPE_UINT64, counts.queued_bytes,
      "lost", G_TYPE_UINT64, counts.lost, "reconnects", G_TYPE_UINT64, reconnects, "connected", G_TYPE_BOOLEAN,
      connected, NULL);
}

BrokerWait
broker_link_push (BrokerLink *link, GBytes *payload, guint64 frame)
{
  const BrokerWait result = broker_queue_push (link->queue, payload, frame);
  if (result == BROKER_DONE) {
    g_mutex_lock (&link->lock);
    if (link->client)
      link->functions->wake (link->client);
    g_mutex_unlock (&link->lock);
  }
  return result;
}

/* Hands waiting messages to the client until it has enough, but not so many that it does not get to read. Returns whether
 * more may be waiting that it would take. */
static gboolean
send_waiting (BrokerLink *link)
{
  for (guint i = 0; i < BURST; i++) {
    BrokerMessage *message = broker_queue_take (link->queue, link->functions->max_taken);
    if (!message)
      return FALSE;
    switch (link->functions->send (link->client, message, broker_topic_expand (link->topic, message->frame))) {
      case BROKER_SENT:
        break;
      case BROKER_LATER:
        broker_queue_untake (link->queue, message);
        return FALSE;
      case BROKER_REFUSED:
        broker_queue_refuse (link->queue, message);
        break;
    }
  }
  return TRUE;
}

static gboolean
is_stopping (BrokerLink *link)
{
  g_mutex_lock (&link->lock);
  const gboolean stopping = link->stopping;
  g_mutex_unlock (&link->lock);
  return stopping;
}

/* Whether a link that stops still has something to do before DEADLINE. */
static gboolean
goes_on (BrokerLink *link, gint64 deadline)
{
  g_mutex_lock (&link->lock);
  const gboolean able = link->connected && !link->failed;
  g_mutex_unlock (&link->lock);
  return able && g_get_monotonic_time () < deadline && broker_queue_get_counts (link->queue).queued > 0;
}

/* Posts losses when their time has come. Returns after how many microseconds it wants to be called again. */
static gint64
report (BrokerLink *link)
{
  const gint64 now = g_get_monotonic_time ();
  g_mutex_lock (&link->lock);
  const gint64 left = link->next_report - now;
  g_mutex_unlock (&link->lock);
  if (left > 0)
    return left;
  broker_link_report_lost (link);
  return REPORT_INTERVAL;
}

/* Keeps what the client library writes to a broken connection from ending the process: libmosquitto 2.0.21 has OpenSSL write,
 * and no longer ignores SIGPIPE. The kernel sends that to the writing thread. */
static void
block_broken_pipes (void)
{
  sigset_t signals;
  sigemptyset (&signals);
  sigaddset (&signals, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &signals, NULL);
}

static gpointer
run (gpointer data)
{
  BrokerLink *link = data;
  gint64 deadline = G_MAXINT64;
  block_broken_pipes ();
  for (;;) {
    if (deadline == G_MAXINT64 && is_stopping (link))
      deadline = g_get_monotonic_time () + LAST_SENDING;
    if (deadline != G_MAXINT64 && !goes_on (link, deadline))
      break;
    const gboolean more = send_waiting (link);
    gint64 timeout = report (link);
    if (more)
      timeout = 0;
    if (deadline != G_MAXINT64)
      timeout = CLAMP (deadline - g_get_monotonic_time (), 0, timeout);
    link->functions->work (link->client, timeout);
  }
  g_mutex_lock (&link->lock);
  gpointer client = link->client;
  link->client = NULL;
  g_mutex_unlock (&link->lock);
  link->functions->close (client, g_get_monotonic_time () + LEAVING);
  g_mutex_lock (&link->lock);
  link->finished = TRUE;
  g_cond_broadcast (&link->changed);
  g_mutex_unlock (&link->lock);
  GstElement *element = link->element;
  broker_link_unref (link);
  gst_object_unref (element);
  return NULL;
}

BrokerLink *
broker_link_start (GstElement *element, const BrokerClientFunctions *functions, const BrokerSettings *settings,
    BrokerIdentity identity, GError **error)
{
  BrokerLink *link = g_new0 (BrokerLink, 1);
  link->references = 1;
  link->element = element;
  link->functions = functions;
  link->identity = identity;
  broker_settings_copy (&link->settings, settings);
  link->queue = broker_queue_new (settings->max_queue_messages, settings->max_queue_bytes, settings->leaky);
  g_mutex_init (&link->lock);
  g_cond_init (&link->changed);

  link->topic = broker_topic_new (link->settings.topic, "topic", &link->identity, error);
  link->client = link->topic ? functions->open (element, link, error) : NULL;
  if (link->client) {
    gst_object_ref (element);
    link->thread = g_thread_try_new ("broker", run, broker_link_ref (link), error);
    if (link->thread)
      return link;
    gst_object_unref (element);
    broker_link_unref (link);
    functions->close (link->client, 0);
  }
  broker_link_unref (link);
  return NULL;
}

void
broker_link_stop (BrokerLink *link)
{
  const gint64 deadline = g_get_monotonic_time () + LAST_SENDING + LEAVING;
  broker_queue_close (link->queue);
  g_mutex_lock (&link->lock);
  link->stopping = TRUE;
  if (link->client)
    link->functions->wake (link->client);
  while (!link->finished && g_cond_wait_until (&link->changed, &link->lock, deadline))
    ;
  const gboolean finished = link->finished;
  const gboolean failed = link->failed;
  link->connected = FALSE;
  link->stopped = TRUE;
  g_mutex_unlock (&link->lock);
  if (finished)
    g_thread_join (link->thread);
  else
    g_thread_unref (link->thread);
  if (failed) { /* One error has said enough. */
    broker_queue_give_up (link->queue);
    return;
  }
  broker_link_give_up (link, "the element stopped before they were acknowledged. End the stream before it stops.");
  broker_link_report_lost (link);
}
