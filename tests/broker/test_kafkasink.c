/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourkafkasink against the broker of kafkabroker.py: what arrives, what is lost, errors, flushes and stops. */
#include "kafkatools.h"

#include <stdio.h>
#include <string.h>

#define SECOND G_TIME_SPAN_SECOND
#define QUICKLY (100 * G_TIME_SPAN_MILLISECOND)

static void
end_stream (GstHarness *h)
{
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
}

GST_START_TEST (test_delivers)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), NULL, NULL);
  push (h, 100);
  end_stream (h);
  fail_unless_equals_uint64 (get_stat (h, "acknowledged"), 100);
  fail_unless_equals_uint64 (get_stat (h, "lost"), 0);
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  finish (h);
  assert_stored ("line-1", 0, 100);
}
GST_END_TEST;

/* The broker stored batches, and their acknowledgements were lost with the connection. */
GST_START_TEST (test_lost_acknowledgements)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), NULL, NULL);
  for (guint i = 0; i < 5; i++) {
    broker_command ("lose 1");
    push (h, 20);
    wait_for_stat (h, "acknowledged", 20 * (i + 1));
  }
  broker_command ("refuse 3");
  push (h, 20);
  end_stream (h);
  finish (h);
  assert_stored ("line-1", 0, 120);
  guint stored, repeated, lost;
  fail_unless_equals_int (sscanf (broker_command ("counts"), "%u %u %u", &stored, &repeated, &lost), 3);
  fail_unless_equals_int (lost, 5);
  fail_unless (repeated >= 5, "%u", repeated);
}
GST_END_TEST;

/* Without idempotence the broker cannot know that it has a batch already: this shows that the test above can fail. */
GST_START_TEST (test_lost_acknowledgement_without_idempotence)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), "idempotence", FALSE, NULL);
  wait_for_connection (h, TRUE);
  broker_command ("lose 1");
  push (h, 1);
  end_stream (h);
  finish (h);
  GArray *frames = broker_read ("line-1");
  fail_unless_equals_int (frames->len, 2);
  g_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_acks_and_compression)
{
  static const struct {
    const gchar *source;
    gint acks;
  } cases[] = {{"acks-all", -1}, {"acks-1", 1}, {"acks-0", 0}};
  broker_start (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = play (broker_address (), "source", cases[i].source, "acks", cases[i].acks, "idempotence",
        cases[i].acks < 0, "compression", 1, NULL);
    push (h, 30);
    end_stream (h);
    fail_unless_equals_uint64 (get_stat (h, "acknowledged"), 30);
    finish (h);
    /* With acks=0 nobody answers, so the broker may still be at it. */
    if (cases[i].acks == 0)
      g_usleep (SECOND / 2);
    assert_stored (cases[i].source, 0, 30);
  }
}
GST_END_TEST;

/* Each start counts frames from 0 and has an epoch of its own. */
GST_START_TEST (test_restart)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), NULL, NULL);
  push (h, 3);
  end_stream (h);
  finish (h);
  h = play (broker_address (), NULL, NULL);
  push (h, 2);
  end_stream (h);
  finish (h);
  GArray *frames = broker_read ("line-1");
  static const guint64 expected[] = {0, 1, 2, 0, 1};
  fail_unless_equals_int (frames->len, G_N_ELEMENTS (expected));
  fail_unless (memcmp (frames->data, expected, sizeof expected) == 0);
  g_array_unref (frames);
}
GST_END_TEST;

/* The queue keeps what fits while the broker is away; the rest is counted, and the frames that remain are the right ones. */
static void
check_leaky (const gchar *leaky, guint64 first)
{
  broker_start (NULL);
  GstHarness *h = play (
      broker_address (), "max-queue-messages", (guint64) 10, "leaky", g_str_equal (leaky, "upstream") ? 1 : 2, NULL);
  wait_for_connection (h, TRUE);
  broker_command ("down");
  wait_for_connection (h, FALSE);
  assert_message (h, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_WRITE, "The connection to the broker");
  push (h, 100);
  fail_unless_equals_uint64 (get_stat (h, "queued"), 10);
  fail_unless_equals_uint64 (get_stat (h, "lost"), 90);
  assert_message (h, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_WRITE, "lost");
  broker_command ("up");
  end_stream (h);
  fail_unless_equals_uint64 (get_stat (h, "acknowledged"), 10);
  fail_unless_equals_uint64 (get_stat (h, "lost"), 90);
  assert_no_message (h, GST_MESSAGE_ERROR);
  finish (h);
  assert_stored ("line-1", first, first + 10);
}

GST_START_TEST (test_leaky_upstream)
{
  check_leaky ("upstream", 0);
}
GST_END_TEST;

GST_START_TEST (test_leaky_downstream)
{
  check_leaky ("downstream", 90);
}
GST_END_TEST;

/* The broker is away at the end of the stream: it comes back in time, or not. */
GST_START_TEST (test_drain_timeout)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), "drain-timeout", GST_SECOND / 2, NULL);
  push (h, 10);
  wait_for_stat (h, "acknowledged", 10);
  broker_command ("down");
  push (h, 5);
  const gint64 since = g_get_monotonic_time ();
  end_stream (h);
  const gint64 took = g_get_monotonic_time () - since;
  fail_unless (took >= SECOND / 2 && took < 5 * SECOND, "%" G_GINT64_FORMAT " us", took);
  fail_unless_equals_uint64 (get_stat (h, "lost"), 5);
  finish (h);
  assert_stored ("line-1", 0, 10);
}
GST_END_TEST;

static gpointer
bring_up (gpointer unused)
{
  g_usleep (SECOND);
  broker_command ("up");
  return NULL;
}

GST_START_TEST (test_drain_waits)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), NULL, NULL);
  push (h, 10);
  wait_for_stat (h, "acknowledged", 10);
  broker_command ("down");
  push (h, 5);
  GThread *thread = g_thread_new ("up", bring_up, NULL);
  end_stream (h);
  g_thread_join (thread);
  fail_unless_equals_uint64 (get_stat (h, "acknowledged"), 15);
  fail_unless_equals_uint64 (get_stat (h, "lost"), 0);
  finish (h);
  assert_stored ("line-1", 0, 15);
}
GST_END_TEST;

/* The element starts before the broker. */
GST_START_TEST (test_late_broker)
{
  broker_start (NULL);
  broker_command ("down");
  GstHarness *h = play (broker_address (), NULL, NULL);
  assert_message (h, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not connect to the Kafka broker");
  push (h, 10);
  broker_command ("up");
  end_stream (h);
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  finish (h);
  assert_stored ("line-1", 0, 10);
}
GST_END_TEST;

static gpointer
push_one (gpointer h)
{
  return GINT_TO_POINTER (gst_harness_push (h, gst_buffer_new_allocate (NULL, 256, NULL)));
}

/* The broker hangs, the queue is full, and a frame waits for room: a thread that pushes. */
static GThread *
hang (GstHarness *h)
{
  wait_for_connection (h, TRUE);
  broker_command ("hang");
  push (h, 10);
  GThread *thread = g_thread_new ("push", push_one, h);
  g_usleep (SECOND / 5);
  return thread;
}

/* How long the element takes to stop. */
static gint64
stop_hanging (void)
{
  GstHarness *h = play (broker_address (), "max-queue-messages", (guint64) 10, NULL);
  GThread *thread = hang (h);
  const gint64 since = g_get_monotonic_time ();
  gst_element_set_state (h->element, GST_STATE_NULL);
  const gint64 took = g_get_monotonic_time () - since;
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_FLUSHING);
  fail_unless_equals_uint64 (get_stat (h, "lost"), 10);
  broker_command ("resume");
  finish (h);
  return took;
}

/* How long a flush takes to free the frame that waits. */
static gint64
flush_hanging (void)
{
  GstSegment segment;
  GstHarness *h = play (broker_address (), "max-queue-messages", (guint64) 10, NULL);
  GThread *thread = hang (h);
  const gint64 since = g_get_monotonic_time ();
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless_equals_int (GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_FLUSHING);
  const gint64 took = g_get_monotonic_time () - since;
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  broker_command ("resume");
  push (h, 5);
  end_stream (h);
  /* The frame that waited is gone with the flush, those in the queue are not. */
  fail_unless_equals_uint64 (get_stat (h, "acknowledged"), 15);
  finish (h);
  return took;
}

/* The machine may do something else meanwhile, so one of several attempts counts. */
static void
assert_quick (gint64 (*attempt) (void))
{
  gint64 least = G_MAXINT64;
  broker_start (NULL);
  for (guint i = 0; i < 5 && least >= QUICKLY; i++) {
    const gint64 took = attempt ();
    least = MIN (least, took);
  }
  fail_unless (least < QUICKLY, "%" G_GINT64_FORMAT " us", least);
}

GST_START_TEST (test_stop_while_broker_hangs)
{
  assert_quick (stop_hanging);
}
GST_END_TEST;

GST_START_TEST (test_flush_while_broker_hangs)
{
  assert_quick (flush_hanging);
}
GST_END_TEST;

GST_START_TEST (test_unknown_host)
{
  assert_fails ("address=kafka.invalid:9092", GST_RESOURCE_ERROR_NOT_FOUND,
      "Could not find the Kafka broker \"kafka.invalid:9092\"");
}
GST_END_TEST;

GST_START_TEST (test_password)
{
  broker_start ("--topic " TOPIC " --user eye --password " SECRET);
  GstHarness *h = play (broker_address (), "security-protocol", 2, "username", "eye", "password", SECRET, NULL);
  push (h, 10);
  end_stream (h);
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  finish (h);
  assert_stored ("line-1", 0, 10);
  assert_fails ("security-protocol=sasl-plaintext username=eye password=no-" SECRET, GST_RESOURCE_ERROR_NOT_AUTHORIZED,
      "refused the user \"eye\"");
}
GST_END_TEST;

GST_START_TEST (test_topic)
{
  broker_start ("--auto-create");
  GstHarness *h = play (broker_address (), NULL, NULL);
  push (h, 10);
  end_stream (h);
  assert_no_message (h, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  finish (h);
  assert_stored ("line-1", 0, 10);
  broker_stop ();

  broker_start ("--topic other");
  assert_fails ("", GST_RESOURCE_ERROR_OPEN_WRITE, "Could not write to the Kafka topic \"" TOPIC "\"");
}
GST_END_TEST;

GST_START_TEST (test_right_to_write_ends)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), NULL, NULL);
  push (h, 10);
  wait_for_stat (h, "acknowledged", 10);
  broker_command ("forbid");
  push (h, 1);
  assert_message (
      h, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "Could not write to the Kafka topic \"" TOPIC "\"");
  /* The queue closes right behind the message. */
  GstFlowReturn ret = GST_FLOW_OK;
  for (gint64 end = g_get_monotonic_time () + 10 * SECOND; ret == GST_FLOW_OK && g_get_monotonic_time () < end;)
    ret = gst_harness_push (h, gst_buffer_new_allocate (NULL, 256, NULL));
  fail_unless_equals_int (ret, GST_FLOW_ERROR);
  assert_no_message (h, GST_MESSAGE_ERROR);
  finish (h);
  assert_stored ("line-1", 0, 10);
}
GST_END_TEST;

/* A frame that is too large is lost, with a warning, and the others go on. */
GST_START_TEST (test_too_large)
{
  broker_start (NULL);
  GstHarness *h = play (broker_address (), "max-record-bytes", 1000, NULL);
  gst_harness_set_src_caps_str (h, "application/x-json");
  for (guint i = 0; i < 3; i++) {
    gchar *padding = g_strnfill (i == 1 ? 2000 : 10, ' ');
    gchar *text = g_strdup_printf ("{\"schema\":\"gst-cuda-contours/1\",\"frame\":%u,%s\"pts\":null}\n", i, padding);
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_wrapped (text, strlen (text))), GST_FLOW_OK);
    g_free (padding);
  }
  end_stream (h);
  assert_message (
      h, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_WRITE, "too large for Kafka, whose limit here is 1000 bytes");
  fail_unless_equals_uint64 (get_stat (h, "acknowledged"), 2);
  fail_unless_equals_uint64 (get_stat (h, "lost"), 1);
  finish (h);
  GArray *frames = broker_read ("line-1");
  fail_unless_equals_int (frames->len, 2);
  fail_unless_equals_uint64 (g_array_index (frames, guint64, 0), 0);
  fail_unless_equals_uint64 (g_array_index (frames, guint64, 1), 2);
  g_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_settings)
{
  static const struct {
    const gchar *properties, *text;
  } cases[] = {
      {"address=eye:" SECRET "@127.0.0.1:9092", "The address has a user or a password"},
      {"acks=1", "idempotence=true needs acks=all"},
      {"username=eye password=x", "security-protocol does not send"},
      {"security-protocol=sasl-plaintext username=eye", "username or password is not set"},
      {"ca-file=/tmp/ca.pem", "security-protocol does not use"},
      {"security-protocol=ssl cert-file=/tmp/cert.pem", "only one is set"},
      {"security-protocol=ssl ca-file=/nowhere/ca.pem", "ssl.ca.location"},
      {"topic=part-%{frame}", "differs from frame to frame"},
      {"key=%{camera}", "key"},
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *properties = g_strdup_printf ("address=127.0.0.1:1 %s", cases[i].properties);
    assert_fails (properties, GST_RESOURCE_ERROR_SETTINGS, cases[i].text);
    g_free (properties);
  }
}
GST_END_TEST;

static Suite *
kafka_sink_suite (void)
{
  Suite *suite = suite_create ("kafkasink");
  TCase *tcase = tcase_create ("general");
  tcase_add_checked_fixture (tcase, NULL, broker_stop);
  tcase_add_test (tcase, test_delivers);
  tcase_add_test (tcase, test_lost_acknowledgements);
  tcase_add_test (tcase, test_lost_acknowledgement_without_idempotence);
  tcase_add_test (tcase, test_acks_and_compression);
  tcase_add_test (tcase, test_restart);
  tcase_add_test (tcase, test_leaky_upstream);
  tcase_add_test (tcase, test_leaky_downstream);
  tcase_add_test (tcase, test_drain_timeout);
  tcase_add_test (tcase, test_drain_waits);
  tcase_add_test (tcase, test_late_broker);
  tcase_add_test (tcase, test_stop_while_broker_hangs);
  tcase_add_test (tcase, test_flush_while_broker_hangs);
  tcase_add_test (tcase, test_unknown_host);
  tcase_add_test (tcase, test_password);
  tcase_add_test (tcase, test_topic);
  tcase_add_test (tcase, test_right_to_write_ends);
  tcase_add_test (tcase, test_too_large);
  tcase_add_test (tcase, test_settings);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (kafka_sink);
