/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages on their way to a broker: each waits, then is under way until the broker has acknowledged it. The queue has a
 * limit, counts every message, and does not forget one before it is acknowledged, refused or counted as lost. All functions
 * may be called from any thread. */
#ifndef GST_BROKER_MESSAGEQUEUE_H
#define GST_BROKER_MESSAGEQUEUE_H

#include <glib.h>

G_BEGIN_DECLS

/* What happens to messages beyond the limit. */
typedef enum {
  BROKER_LEAKY_NO,        /* The pipeline waits. */
  BROKER_LEAKY_UPSTREAM,  /* The new message is dropped. */
  BROKER_LEAKY_DOWNSTREAM /* The oldest ones that are not under way are dropped, or the new one if that is too little. */
} BrokerLeaky;

/* Belongs to the queue. Whoever took it may read it until it says what became of it. */
typedef struct {
  GBytes *payload;
  guint64 frame;

  /* Of the queue. */
  GList link;
  guint attempts; /* how often it was under way */
  gboolean lost;  /* It is counted as lost and only remains until its taker gives it back. */
} BrokerMessage;

/* Every message is acknowledged, queued or lost. */
typedef struct {
  guint64 sent; /* under way at least once */
  guint64 acknowledged;
  guint64 queued; /* waiting or under way */
  guint64 queued_bytes;
  guint64 lost;
} BrokerCounts;

typedef enum {
  BROKER_DONE,     /* The message is in the queue; the queue is empty. */
  BROKER_DROPPED,  /* A message was lost instead of waiting for room. */
  BROKER_UNLOCKED, /* broker_queue_set_unlocked() ended the waiting. */
  BROKER_TIMEOUT,
  BROKER_CLOSED /* broker_queue_close() ended the waiting. */
} BrokerWait;

typedef struct _BrokerQueue BrokerQueue;

/* MAX_MESSAGES and MAX_BYTES limit what waits and what is under way; a limit of 0 is none. A message of more than MAX_BYTES
 * fits into an empty queue. */
BrokerQueue *broker_queue_new (guint64 max_messages, guint64 max_bytes, BrokerLeaky leaky);
void broker_queue_free (BrokerQueue *queue);

/* Adds PAYLOAD, which the caller keeps too. With BROKER_LEAKY_NO this waits for room. */
BrokerWait broker_queue_push (BrokerQueue *queue, GBytes *payload, guint64 frame);

/* Waits until nothing is queued, or for TIMEOUT microseconds. */
BrokerWait broker_queue_wait_empty (BrokerQueue *queue, gint64 timeout);

/* While UNLOCKED, push() and wait_empty() do not wait. */
void broker_queue_set_unlocked (BrokerQueue *queue, gboolean unlocked);

/* From now on nothing is added, and nobody waits. */
void broker_queue_close (BrokerQueue *queue);

/* Takes the oldest waiting message, unless MAX_TAKEN are under way. It is under way until one of the next three functions
 * is called with it. NULL: none. */
BrokerMessage *broker_queue_take (BrokerQueue *queue, guint max_taken);

void broker_queue_acknowledge (BrokerQueue *queue, BrokerMessage *message);
void broker_queue_refuse (BrokerQueue *queue, BrokerMessage *message);   /* It is lost. */
void broker_queue_put_back (BrokerQueue *queue, BrokerMessage *message); /* It waits again, before all that wait. */

/* As put_back(), of a message that was taken for nothing: it does not count as sent. */
void broker_queue_untake (BrokerQueue *queue, BrokerMessage *message);

/* Counts all that is queued as lost. Messages under way stay valid for their taker. Returns how many were lost. */
guint64 broker_queue_give_up (BrokerQueue *queue);

BrokerCounts broker_queue_get_counts (BrokerQueue *queue);

G_END_DECLS

#endif
