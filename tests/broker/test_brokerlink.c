/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue of a broker sink and its link, with a client that does what the test says: what is lost and counted, and what a client
 * that is late may still do. */
#include "gst/broker/brokerlink.h"

#include <gst/check/gstcheck.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#define SECOND G_TIME_SPAN_SECOND

static BrokerLink *opened;  /* the link of the client */
static gint takes;          /* atomic: it sends messages, which are acknowledged at once */
static gint hangs;          /* atomic: work() does not return */
static gint working;        /* atomic: work() is being called */
static gint closed;         /* atomic: close() has been called */
static gint broken;         /* what work() writes to, a pipe that nobody reads any longer; -1: nothing */
static gint refused;        /* atomic: it could not write there */
static GCond woken_changed; /* of woken */
static GMutex lock;
static gboolean woken;

static gpointer
client_open (GstElement *element, BrokerLink *link, GError **error)
{
  return opened = link;
}

static BrokerSend
client_send (gpointer client, BrokerMessage *message, const gchar *topic)
{
  if (!g_atomic_int_get (&takes))
    return BROKER_LATER;
  broker_link_acknowledge (opened, message);
  return BROKER_SENT;
}

static void
client_work (gpointer client, gint64 timeout)
{
  const gint64 end = g_get_monotonic_time () + timeout;
  g_atomic_int_set (&working, TRUE);
  if (broken >= 0 && write (broken, "", 1) < 0 && errno == EPIPE)
    g_atomic_int_set (&refused, TRUE);
  g_mutex_lock (&lock);
  while (!woken && g_cond_wait_until (&woken_changed, &lock, end))
    ;
  woken = FALSE;
  g_mutex_unlock (&lock);
  if (!g_atomic_int_get (&hangs))
    return;
  while (g_atomic_int_get (&hangs))
    g_usleep (G_TIME_SPAN_MILLISECOND);
  broker_link_connected (opened);
}

static void
client_wake (gpointer client)
{
  g_mutex_lock (&lock);
  woken = TRUE;
  g_cond_signal (&woken_changed);
  g_mutex_unlock (&lock);
}

static void
client_close (gpointer client, gint64 deadline)
{
  g_atomic_int_set (&closed, TRUE);
}

static const BrokerClientFunctions functions = {client_open, client_send, client_work, client_wake, client_close, 100};

static GstElement *element;
static GstBus *bus;

static void
setup (void)
{
  element = gst_element_factory_make ("fakesink", NULL);
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  takes = hangs = working = closed = woken = refused = FALSE;
  broken = -1;
}

static void
teardown (void)
{
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

static BrokerLink *
start (guint64 max_messages, BrokerLeaky leaky)
{
  GError *error = NULL;
  const BrokerSettings settings = {
      .address = (gchar *) "broker", .topic = (gchar *) "topic", .max_queue_messages = max_messages, .leaky = leaky};
  const BrokerIdentity identity = {
      .source = g_strdup ("source"), .epoch = g_strdup ("epoch"), .host = g_strdup ("host"), .format = "json"};
  BrokerLink *link = broker_link_start (element, &functions, &settings, identity, &error);
  fail_unless (link != NULL, "%s", error ? error->message : "");
  return link;
}

static void
push (BrokerLink *link, guint64 frame)
{
  GBytes *payload = g_bytes_new_static ("{}", 2);
  broker_link_push (link, payload, frame);
  g_bytes_unref (payload);
}

static void
wait_for (const gint *flag)
{
  for (gint64 end = g_get_monotonic_time () + 20 * SECOND; !g_atomic_int_get (flag);) {
    fail_unless (g_get_monotonic_time () < end);
    g_usleep (G_TIME_SPAN_MILLISECOND);
  }
}

/* The sum of the losses that element messages have told so far. */
static guint64
count_told (void)
{
  guint64 sum = 0;
  for (GstMessage *message; (message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)); gst_message_unref (message)) {
    guint64 count;
    const GstStructure *structure = gst_message_get_structure (message);
    if (gst_structure_has_name (structure, "contour-broker-lost")
        && gst_structure_get_uint64 (structure, "count", &count))
      sum += count;
  }
  return sum;
}

/* What was dropped right before the element stops is told, also where nothing is queued any longer. */
GST_START_TEST (test_last_losses_are_told)
{
  guint64 told = 0;
  BrokerLink *link = start (1, BROKER_LEAKY_UPSTREAM);
  push (link, 0);
  push (link, 1);
  for (gint64 end = g_get_monotonic_time () + 20 * SECOND; told == 0 && g_get_monotonic_time () < end;) {
    client_wake (link);
    told = count_told ();
  }
  push (link, 2);
  g_atomic_int_set (&takes, TRUE);
  client_wake (link);
  fail_unless_equals_int (broker_queue_wait_empty (broker_link_get_queue (link), 20 * SECOND), BROKER_DONE);
  broker_link_stop (link);
  fail_unless_equals_uint64 (broker_queue_get_counts (broker_link_get_queue (link)).lost, 2);
  fail_unless_equals_uint64 (told + count_told (), 2);
  broker_link_unref (link);
}
GST_END_TEST;

/* The client hangs while the element stops, and finds later that it is connected: the element is not. */
GST_START_TEST (test_late_connection)
{
  gboolean connected = TRUE;
  BrokerLink *link = start (10, BROKER_LEAKY_NO);
  g_atomic_int_set (&hangs, TRUE);
  wait_for (&working);
  const gint64 since = g_get_monotonic_time ();
  broker_link_stop (link);
  fail_unless (g_get_monotonic_time () - since < SECOND);
  g_atomic_int_set (&hangs, FALSE);
  wait_for (&closed);
  GstStructure *stats = broker_link_get_stats (link);
  fail_unless (gst_structure_get_boolean (stats, "connected", &connected));
  fail_if (connected);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  fail_unless (message == NULL, "%" GST_PTR_FORMAT, message);
  gst_structure_free (stats);
  broker_link_unref (link);
}
GST_END_TEST;

/* A client library that writes to a connection which the broker has closed does not end the process. */
GST_START_TEST (test_broken_connection)
{
  gint ends[2];
  fail_unless (pipe (ends) == 0);
  close (ends[0]);
  signal (SIGPIPE, SIG_DFL);
  broken = ends[1];
  BrokerLink *link = start (10, BROKER_LEAKY_NO);
  wait_for (&refused);
  broker_link_stop (link);
  broker_link_unref (link);
  close (ends[1]);
}
GST_END_TEST;

static void
push_size (BrokerQueue *queue, gsize size, BrokerWait result)
{
  GBytes *payload = g_bytes_new_take (g_malloc0 (size), size);
  fail_unless_equals_int (broker_queue_push (queue, payload, 0), result);
  g_bytes_unref (payload);
}

/* Where a message does not fit even if all that wait were dropped, these stay. */
GST_START_TEST (test_nothing_is_dropped_in_vain)
{
  BrokerQueue *queue = broker_queue_new (0, 100, BROKER_LEAKY_DOWNSTREAM);
  push_size (queue, 60, BROKER_DONE);
  BrokerMessage *taken = broker_queue_take (queue, 10);
  push_size (queue, 10, BROKER_DONE);
  push_size (queue, 10, BROKER_DONE);
  push_size (queue, 50, BROKER_DROPPED);
  fail_unless_equals_uint64 (broker_queue_get_counts (queue).lost, 1);
  fail_unless_equals_uint64 (broker_queue_get_counts (queue).queued, 3);
  push_size (queue, 35, BROKER_DONE); /* Those that wait make room. */
  fail_unless_equals_uint64 (broker_queue_get_counts (queue).lost, 3);
  broker_queue_acknowledge (queue, taken);
  push_size (queue, 150, BROKER_DONE); /* fits into an empty queue */
  fail_unless_equals_uint64 (broker_queue_get_counts (queue).lost, 4);
  fail_unless_equals_uint64 (broker_queue_get_counts (queue).queued_bytes, 150);
  broker_queue_free (queue);
}
GST_END_TEST;

static Suite *
broker_link_suite (void)
{
  Suite *suite = suite_create ("brokerlink");
  TCase *tcase = tcase_create ("general");
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_last_losses_are_told);
  tcase_add_test (tcase, test_late_connection);
  tcase_add_test (tcase, test_broken_connection);
  tcase_add_test (tcase, test_nothing_is_dropped_in_vain);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (broker_link);
