/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/kafkaclient.h"

#include "gst/broker/kafkafault.h"
#include "gst/broker/kafkasettings.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (kafka_client_debug);
#define GST_CAT_DEFAULT kafka_client_debug

/* A new topic or leader takes brokers a moment, in which they answer that they do not know it. */
#define TOPIC_GRACE (5 * G_TIME_SPAN_SECOND)
/* One question to a broker. A client that ends while it waits for the answer is freed that much later. */
#define QUESTION_MS 2000
#define QUESTION_PAUSE (100 * G_TIME_SPAN_MILLISECOND)
/* After an answer that was reported, which another one may follow when somebody changes the topic or its rights. */
#define REFUSAL_PAUSE G_TIME_SPAN_SECOND

#define CERTAIN_SHIFT 16

struct KafkaClient {
  KafkaNames names;
  const KafkaCallbacks *callbacks;
  gpointer user;
  rd_kafka_t *producer;
  rd_kafka_topic_t *topic;
  rd_kafka_queue_t *events;

  /* Of the owner's thread. */
  gboolean connected;
  KafkaFault trouble; /* of the latest error of a connection */
  gchar *reason;      /* of that error, or NULL */
  /* Since the client was last connected: */
  GHashTable *troubles;        /* how the latest attempt at each broker ended: its name to a KafkaFault */
  guint told;                  /* the troubles that were reported, as bits */
  gboolean down;               /* All brokers have been away at once. */
  rd_kafka_resp_err_t refusal; /* of the topic, that was reported last */

  /* Asks brokers for the topic, which only works by waiting. */
  GThread *asker;
  GMutex lock;
  GCond changed; /* of all below */
  gboolean asking;
  guint question; /* An answer to an earlier one is of before an outage. */
  gint64 since;   /* when the question was first answered; 0: not yet */
  gboolean answered;
  rd_kafka_resp_err_t answer;
  gboolean closing;
};

/* From any thread of librdkafka. */
static void
log_line (const rd_kafka_t *producer, int level, const char *facility, const char *text)
{
  if (level <= 3)
    GST_WARNING ("%s: %s", facility, text);
  else if (level <= 6)
    GST_INFO ("%s: %s", facility, text);
  else
    GST_DEBUG ("%s: %s", facility, text);
}

/* Whether CODE, of a topic, is to be told: not where it may pass by itself. */
static gboolean
is_answer (rd_kafka_resp_err_t code, gint64 asked_since)
{
  const gboolean passing =
      code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || (code && kafka_fault_classify (code) != KAFKA_FAULT_TOPIC);
  return !passing || g_get_monotonic_time () - asked_since >= TOPIC_GRACE;
}

/* Asks a broker for the topic, which one that may creates. Returns FALSE if no broker answered. */
static gboolean
ask_once (KafkaClient *self, rd_kafka_resp_err_t *answer)
{
  const struct rd_kafka_metadata *metadata;
  if (rd_kafka_metadata (self->producer, 0, self->topic, &metadata, QUESTION_MS))
    return FALSE;
  *answer = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  if (metadata->topic_cnt == 1) {
    *answer = metadata->topics[0].err;
    if (!*answer && metadata->topics[0].partition_cnt == 0)
      *answer = RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
  }
  rd_kafka_metadata_destroy (metadata);
  return TRUE;
}

/* Called with the lock, which it releases while it asks. Returns after how many microseconds to ask again. */
static gint64
ask_with_lock (KafkaClient *self)
{
  const guint question = self->question;
  rd_kafka_resp_err_t answer;
  g_mutex_unlock (&self->lock);
  const gboolean heard = ask_once (self, &answer);
  g_mutex_lock (&self->lock);
  if (question != self->question)
    return 0;
  if (heard && !self->since)
    self->since = g_get_monotonic_time ();
  if (!heard || !is_answer (answer, self->since))
    return QUESTION_PAUSE;
  self->asking = answer != RD_KAFKA_RESP_ERR_NO_ERROR;
  self->answered = TRUE;
  self->answer = answer;
  rd_kafka_queue_yield (self->events);
  return REFUSAL_PAUSE;
}

static gpointer
ask (gpointer user)
{
  KafkaClient *self = user;
  g_mutex_lock (&self->lock);
  while (!self->closing) {
    if (!self->asking) {
      g_cond_wait (&self->changed, &self->lock);
      continue;
    }
    const gint64 pause = ask_with_lock (self);
    if (pause > 0 && self->asking && !self->closing)
      g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + pause);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

static void
start_asking (KafkaClient *self)
{
  g_mutex_lock (&self->lock);
  self->asking = TRUE;
  self->question++;
  self->since = 0;
  self->answered = FALSE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
set_connected (KafkaClient *self)
{
  if (self->connected)
    return;
  self->connected = TRUE;
  self->down = FALSE;
  self->told = 0;
  self->refusal = RD_KAFKA_RESP_ERR_NO_ERROR;
  self->trouble = KAFKA_FAULT_AWAY;
  g_hash_table_remove_all (self->troubles);
  g_clear_pointer (&self->reason, g_free);
  self->callbacks->connected (self->user);
}

static void
take_answer (KafkaClient *self)
{
  g_mutex_lock (&self->lock);
  const gboolean answered = self->answered;
  const rd_kafka_resp_err_t answer = self->answer;
  self->answered = FALSE;
  g_mutex_unlock (&self->lock);
  if (!answered)
    return;
  if (!answer) {
    set_connected (self);
    return;
  }
  if (self->connected || self->refusal == answer)
    return;
  self->refusal = answer;
  GError *error = kafka_fault_to_error (KAFKA_FAULT_TOPIC, &self->names, rd_kafka_err2str (answer));
  self->callbacks->connect_failed (self->user, error, kafka_fault_classify (answer) == KAFKA_FAULT_TOPIC);
  g_error_free (error);
}

/* Whether settings alone keep the client from each broker that it has tried. librdkafka reports an error once while it stays the
 * same, so what a broker last failed with holds until it fails in another way. */
static gboolean
is_certain (KafkaClient *self)
{
  GHashTableIter iterator;
  gpointer fault;
  if (self->trouble == KAFKA_FAULT_AUTHENTICATION) /* One broker of a cluster knows as well as all whom to let in. */
    return TRUE;
  g_hash_table_iter_init (&iterator, self->troubles);
  while (g_hash_table_iter_next (&iterator, NULL, &fault))
    if (GPOINTER_TO_INT (fault) == KAFKA_FAULT_AWAY)
      return FALSE;
  return self->trouble != KAFKA_FAULT_AWAY;
}

/* Reports each kind of trouble once, and once more where it has become certain. */
static void
report_trouble (KafkaClient *self)
{
  const gboolean certain = is_certain (self);
  const guint kind = 1u << (self->trouble + (certain ? CERTAIN_SHIFT : 0));
  if (self->told & kind)
    return;
  self->told |= kind;
  GError *error =
      kafka_fault_to_error (self->trouble, &self->names, self->reason ? self->reason : "it does not answer");
  self->callbacks->connect_failed (self->user, error, certain);
  g_error_free (error);
}

static void
note_all_down (KafkaClient *self)
{
  self->down = TRUE;
  if (self->connected) {
    self->connected = FALSE;
    self->told |= 1u << KAFKA_FAULT_AWAY;
    self->callbacks->disconnected (self->user, self->reason ? self->reason : "no broker answers");
    start_asking (self);
  } else
    report_trouble (self);
}

/* REASON begins with the name of the broker. That all are away is told once, though they may fail in other ways later. */
static void
note_trouble (KafkaClient *self, rd_kafka_resp_err_t code, const char *reason)
{
  const gchar *end = strstr (reason, ": ");
  self->trouble = kafka_fault_classify_connection (code, reason);
  g_free (self->reason);
  self->reason = kafka_fault_trim (reason);
  if (end)
    g_hash_table_insert (self->troubles, g_strndup (reason, end - reason), GINT_TO_POINTER (self->trouble));
  if (self->down || self->trouble == KAFKA_FAULT_AUTHENTICATION)
    report_trouble (self);
}

static void
report_fatal (KafkaClient *self)
{
  gchar reason[512];
  if (rd_kafka_fatal_error (self->producer, reason, sizeof reason) == RD_KAFKA_RESP_ERR_NO_ERROR)
    return;
  GError *error = kafka_fault_to_error (KAFKA_FAULT_FATAL, &self->names, reason);
  self->callbacks->fatal (self->user, error);
  g_error_free (error);
}

static void
on_error (rd_kafka_t *producer, int code, const char *reason, void *user)
{
  KafkaClient *self = user;
  GST_INFO ("%s: %s", rd_kafka_err2name (code), reason);
  if (code == RD_KAFKA_RESP_ERR__FATAL)
    report_fatal (self);
  else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
    note_all_down (self);
  else
    note_trouble (self, code, reason);
}

static void
on_delivery (rd_kafka_t *producer, const rd_kafka_message_t *message, void *user)
{
  KafkaClient *self = user;
  const KafkaFault fault = kafka_fault_classify (message->err);
  GError *error = NULL;
  if (message->err)
    error = kafka_fault_to_error (fault, &self->names, rd_kafka_err2str (message->err));
  else
    set_connected (self);
  self->callbacks->delivered (self->user, message->_private, fault, error);
  g_clear_error (&error);
}

static void
init_debug (void)
{
  static gsize once = 0;
  if (g_once_init_enter (&once)) {
    GST_DEBUG_CATEGORY_INIT (kafka_client_debug, "kafkaclient", 0, "Kafka producer");
    g_once_init_leave (&once, 1);
  }
}

/* Frees what there is of a client without threads. */
static void
free_parts (KafkaClient *self)
{
  if (self->topic)
    rd_kafka_topic_destroy (self->topic);
  if (self->events)
    rd_kafka_queue_destroy (self->events);
  if (self->producer)
    rd_kafka_destroy (self->producer);
  kafka_names_clear (&self->names);
  g_free (self->reason);
  g_hash_table_unref (self->troubles);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

static gboolean
open_producer (KafkaClient *self, const KafkaSettings *settings, GError **error)
{
  gchar reason[512];
  rd_kafka_conf_t *conf = kafka_settings_to_conf (settings, error);
  if (!conf)
    return FALSE;
  rd_kafka_conf_set_opaque (conf, self);
  rd_kafka_conf_set_log_cb (conf, log_line);
  rd_kafka_conf_set_error_cb (conf, on_error);
  rd_kafka_conf_set_dr_msg_cb (conf, on_delivery);
  self->producer = rd_kafka_new (RD_KAFKA_PRODUCER, conf, reason, sizeof reason);
  if (!self->producer) {
    rd_kafka_conf_destroy (conf);
    g_propagate_error (error, kafka_fault_to_error (KAFKA_FAULT_SETTINGS, &self->names, reason));
    return FALSE;
  }
  self->events = rd_kafka_queue_get_main (self->producer);
  self->topic = rd_kafka_topic_new (self->producer, settings->topic, NULL);
  if (!self->topic)
    g_propagate_error (
        error, kafka_fault_to_error (KAFKA_FAULT_TOPIC, &self->names, rd_kafka_err2str (rd_kafka_last_error ())));
  return self->topic != NULL;
}

KafkaClient *
kafka_client_new (const KafkaSettings *settings, const KafkaCallbacks *callbacks, gpointer user, GError **error)
{
  init_debug ();
  KafkaClient *self = g_new0 (KafkaClient, 1);
  self->callbacks = callbacks;
  self->user = user;
  self->trouble = KAFKA_FAULT_AWAY;
  self->troubles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->asking = TRUE;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  kafka_names_init (&self->names, settings);
  if (open_producer (self, settings, error))
    self->asker = g_thread_try_new ("kafka-asker", ask, self, error);
  if (self->asker)
    return self;
  free_parts (self);
  return NULL;
}

static rd_kafka_resp_err_t
hand_over (KafkaClient *self, const KafkaRecord *record)
{
  rd_kafka_headers_t *headers = rd_kafka_headers_new (record->n_headers);
  for (guint i = 0; i < record->n_headers; i++)
    rd_kafka_header_add (headers, record->headers[i].name, -1, record->headers[i].value, -1);
  const rd_kafka_resp_err_t code = rd_kafka_producev (self->producer, RD_KAFKA_V_TOPIC (record->topic),
      RD_KAFKA_V_KEY (record->key, record->key ? strlen (record->key) : 0),
      RD_KAFKA_V_VALUE ((void *) record->payload, record->size), RD_KAFKA_V_MSGFLAGS (RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_HEADERS (headers), RD_KAFKA_V_OPAQUE (record->opaque), RD_KAFKA_V_END);
  if (code)
    rd_kafka_headers_destroy (headers);
  return code;
}

KafkaProduce
kafka_client_produce (KafkaClient *self, const KafkaRecord *record, GError **error)
{
  const rd_kafka_resp_err_t code = hand_over (self, record);
  if (!code)
    return KAFKA_PRODUCED;
  /* A fatal error is reported once, by its callback. */
  if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL || code == RD_KAFKA_RESP_ERR__FATAL)
    return KAFKA_FULL;
  g_propagate_error (error, kafka_fault_to_error (kafka_fault_classify (code), &self->names, rd_kafka_err2str (code)));
  return KAFKA_REFUSED;
}

void
kafka_client_work (KafkaClient *self, gint64 timeout)
{
  take_answer (self);
  rd_kafka_queue_poll_callback (self->events, (int) MIN ((timeout + 999) / 1000, G_MAXINT));
  take_answer (self);
}

void
kafka_client_wake (KafkaClient *self)
{
  rd_kafka_queue_yield (self->events);
}

void
kafka_client_free (KafkaClient *self)
{
  g_mutex_lock (&self->lock);
  self->closing = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  rd_kafka_purge (self->producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
  g_thread_join (self->asker);
  free_parts (self);
}
