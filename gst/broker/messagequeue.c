/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/broker/messagequeue.h"

struct _BrokerQueue {
  guint64 max_messages, max_bytes;
  BrokerLeaky leaky;

  GMutex lock;
  GCond changed;
  GQueue waiting; /* oldest first */
  guint64 waiting_bytes;
  GQueue taken; /* under way, in the order in which they were taken; also those that are lost meanwhile */
  BrokerCounts counts;
  gboolean unlocked;
  gboolean closed;
};

BrokerQueue *
broker_queue_new (guint64 max_messages, guint64 max_bytes, BrokerLeaky leaky)
{
  BrokerQueue *queue = g_new0 (BrokerQueue, 1);
  queue->max_messages = max_messages > 0 ? max_messages : G_MAXUINT64;
  queue->max_bytes = max_bytes > 0 ? max_bytes : G_MAXUINT64;
  queue->leaky = leaky;
  g_mutex_init (&queue->lock);
  g_cond_init (&queue->changed);
  g_queue_init (&queue->waiting);
  g_queue_init (&queue->taken);
  return queue;
}

static void
free_message (BrokerMessage *message)
{
  g_bytes_unref (message->payload);
  g_free (message);
}

static BrokerMessage *
pop_message (GQueue *messages)
{
  GList *link = g_queue_pop_head_link (messages);
  return link ? link->data : NULL;
}

/* Called with the lock: the oldest message that waits, which then does not wait; NULL: none. */
static BrokerMessage *
pop_waiting (BrokerQueue *queue)
{
  BrokerMessage *message = pop_message (&queue->waiting);
  if (message)
    queue->waiting_bytes -= g_bytes_get_size (message->payload);
  return message;
}

void
broker_queue_free (BrokerQueue *queue)
{
  BrokerMessage *message;
  while ((message = pop_message (&queue->waiting)) || (message = pop_message (&queue->taken)))
    free_message (message);
  g_mutex_clear (&queue->lock);
  g_cond_clear (&queue->changed);
  g_free (queue);
}

/* MESSAGE is no longer queued. */
static void
uncount (BrokerQueue *queue, const BrokerMessage *message)
{
  queue->counts.queued--;
  queue->counts.queued_bytes -= g_bytes_get_size (message->payload);
  g_cond_broadcast (&queue->changed);
}

static void
lose (BrokerQueue *queue, BrokerMessage *message)
{
  uncount (queue, message);
  queue->counts.lost++;
  message->lost = TRUE;
}

/* Whether BYTES fit beside COUNT messages of TAKEN bytes. */
static gboolean
fits (const BrokerQueue *queue, guint64 bytes, guint64 count, guint64 taken)
{
  return count < queue->max_messages
         && (count == 0 || (taken <= queue->max_bytes && bytes <= queue->max_bytes - taken));
}

static gboolean
has_room (const BrokerQueue *queue, guint64 bytes)
{
  return fits (queue, bytes, queue->counts.queued, queue->counts.queued_bytes);
}

/* Whether there were room without all that waits, so that nothing is dropped in vain. */
static gboolean
may_have_room (const BrokerQueue *queue, guint64 bytes)
{
  return fits (
      queue, bytes, queue->counts.queued - queue->waiting.length, queue->counts.queued_bytes - queue->waiting_bytes);
}

/* Called with the lock. Makes room for BYTES or says why there is none. */
static BrokerWait
make_room (BrokerQueue *queue, guint64 bytes)
{
  BrokerMessage *oldest;
  while (!queue->closed && !has_room (queue, bytes)) {
    switch (queue->leaky) {
      case BROKER_LEAKY_NO:
        if (queue->unlocked)
          return BROKER_UNLOCKED;
        g_cond_wait (&queue->changed, &queue->lock);
        break;
      case BROKER_LEAKY_DOWNSTREAM:
        if (may_have_room (queue, bytes) && (oldest = pop_waiting (queue))) {
          lose (queue, oldest);
          free_message (oldest);
          break;
        }
        /* FALLTHROUGH */
      case BROKER_LEAKY_UPSTREAM:
        queue->counts.lost++;
        return BROKER_DROPPED;
    }
  }
  return queue->closed ? BROKER_CLOSED : BROKER_DONE;
}

BrokerWait
broker_queue_push (BrokerQueue *queue, GBytes *payload, guint64 frame)
{
  const gsize bytes = g_bytes_get_size (payload);
  g_mutex_lock (&queue->lock);
  const BrokerWait result = make_room (queue, bytes);
  if (result == BROKER_DONE) {
    BrokerMessage *message = g_new0 (BrokerMessage, 1);
    message->payload = g_bytes_ref (payload);
    message->frame = frame;
    message->link.data = message;
    g_queue_push_tail_link (&queue->waiting, &message->link);
    queue->waiting_bytes += bytes;
    queue->counts.queued++;
    queue->counts.queued_bytes += bytes;
  }
  g_mutex_unlock (&queue->lock);
  return result;
}

BrokerWait
broker_queue_wait_empty (BrokerQueue *queue, gint64 timeout)
{
  const gint64 now = g_get_monotonic_time ();
  const gint64 end = timeout < G_MAXINT64 - now ? now + timeout : G_MAXINT64;
  gboolean in_time = TRUE;
  g_mutex_lock (&queue->lock);
  while (queue->counts.queued > 0 && in_time && !queue->unlocked && !queue->closed)
    in_time = g_cond_wait_until (&queue->changed, &queue->lock, end);
  const BrokerWait result = queue->counts.queued == 0 ? BROKER_DONE
                            : queue->closed           ? BROKER_CLOSED
                            : queue->unlocked         ? BROKER_UNLOCKED
                                                      : BROKER_TIMEOUT;
  g_mutex_unlock (&queue->lock);
  return result;
}

void
broker_queue_set_unlocked (BrokerQueue *queue, gboolean unlocked)
{
  g_mutex_lock (&queue->lock);
  queue->unlocked = unlocked;
  g_cond_broadcast (&queue->changed);
  g_mutex_unlock (&queue->lock);
}

void
broker_queue_close (BrokerQueue *queue)
{
  g_mutex_lock (&queue->lock);
  queue->closed = TRUE;
  g_cond_broadcast (&queue->changed);
  g_mutex_unlock (&queue->lock);
}

BrokerMessage *
broker_queue_take (BrokerQueue *queue, guint max_taken)
{
  g_mutex_lock (&queue->lock);
  BrokerMessage *message = queue->taken.length < max_taken ? pop_waiting (queue) : NULL;
  if (message) {
    queue->counts.sent += message->attempts++ == 0;
    g_queue_push_tail_link (&queue->taken, &message->link);
  }
  g_mutex_unlock (&queue->lock);
  return message;
}

void
broker_queue_acknowledge (BrokerQueue *queue, BrokerMessage *message)
{
  g_mutex_lock (&queue->lock);
  g_queue_unlink (&queue->taken, &message->link);
  if (!message->lost) {
    queue->counts.acknowledged++;
    uncount (queue, message);
  }
  g_mutex_unlock (&queue->lock);
  free_message (message);
}

void
broker_queue_refuse (BrokerQueue *queue, BrokerMessage *message)
{
  g_mutex_lock (&queue->lock);
  g_queue_unlink (&queue->taken, &message->link);
  if (!message->lost)
    lose (queue, message);
  g_mutex_unlock (&queue->lock);
  free_message (message);
}

/* Called with the lock, which it releases. */
static void
put_back (BrokerQueue *queue, BrokerMessage *message)
{
  g_queue_unlink (&queue->taken, &message->link);
  const gboolean lost = message->lost;
  if (!lost) {
    g_queue_push_head_link (&queue->waiting, &message->link);
    queue->waiting_bytes += g_bytes_get_size (message->payload);
  }
  g_mutex_unlock (&queue->lock);
  if (lost)
    free_message (message);
}

void
broker_queue_put_back (BrokerQueue *queue, BrokerMessage *message)
{
  g_mutex_lock (&queue->lock);
  put_back (queue, message);
}

void
broker_queue_untake (BrokerQueue *queue, BrokerMessage *message)
{
  g_mutex_lock (&queue->lock);
  queue->counts.sent -= --message->attempts == 0;
  put_back (queue, message);
}

guint64
broker_queue_give_up (BrokerQueue *queue)
{
  BrokerMessage *message;
  g_mutex_lock (&queue->lock);
  const guint64 before = queue->counts.lost;
  while ((message = pop_waiting (queue))) {
    lose (queue, message);
    free_message (message);
  }
  for (GList *link = queue->taken.head; link; link = link->next) {
    message = link->data;
    if (!message->lost)
      lose (queue, message);
  }
  const guint64 lost = queue->counts.lost - before;
  g_mutex_unlock (&queue->lock);
  return lost;
}

BrokerCounts
broker_queue_get_counts (BrokerQueue *queue)
{
  g_mutex_lock (&queue->lock);
  const BrokerCounts counts = queue->counts;
  g_mutex_unlock (&queue->lock);
  return counts;
}
