/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two cameras send their frames to one topic while the broker fails: each frame arrives once and in order. 2 x 2000 frames,
 * or 2 x 50,000 with CTR_TEST_FULL=1.
 *
 * The broker of kafkabroker.py loses acknowledgements, refuses batches and goes away. librdkafka's mock cluster does the
 * same, but stores a batch again that comes again, since it does not look at the sequence numbers: where it goes away,
 * only what cannot be repetition is checked. */
#include "kafkatools.h"

#include <stdio.h>
#include <string.h>

#define SECOND G_TIME_SPAN_SECOND
#define PRODUCE 0 /* the ApiKey of ProduceRequest */
#define FAULTS 10 /* in the course of a stream */
#define CAMERAS 2
#define MOST_AHEAD 3000 /* frames, of which the queue has 300 */

static const gchar *const names[CAMERAS] = {"line-1", "line-2"};

static guint64
frames_each (void)
{
  return g_getenv ("CTR_TEST_FULL") ? 50000 : 2000;
}

/* What the consumer of the mock cluster found. The cluster drops what is old, so the consumer reads along, and the cameras wait
 * for it. */
static rd_kafka_mock_cluster_t *cluster; /* NULL: the broker is another one */
static _Atomic guint64 next_frame[CAMERAS];
static guint64 repetitions;
static gint done;

static GstPadProbeReturn
wait_for_consumer (GstPad *pad, GstPadProbeInfo *info, gpointer camera)
{
  const guint64 frame = GST_BUFFER_OFFSET (GST_PAD_PROBE_INFO_BUFFER (info));
  while (frame > next_frame[GPOINTER_TO_UINT (camera)] + MOST_AHEAD)
    g_usleep (1000);
  return GST_PAD_PROBE_OK;
}

/* Both cameras, in one pipeline. */
typedef struct {
  GstElement *pipeline;
  GstElement *sinks[CAMERAS];
} Cameras;

static Cameras
start_cameras (const gchar *address)
{
  Cameras cameras;
  GError *error = NULL;
  GString *line = g_string_new (NULL);
  for (guint i = 0; i < CAMERAS; i++)
    g_string_append_printf (line,
        "videotestsrc pattern=ball num-buffers=%" G_GUINT64_FORMAT
        " ! video/x-raw,format=GRAY8,width=64,height=48 ! cudacca backend=cpu ! contourkafkasink name=sink%u "
        "address=%s "
        "topic=" TOPIC " source=%s max-queue-messages=300 drain-timeout=60000000000 ",
        frames_each (), i, address, names[i]);
  cameras.pipeline = gst_parse_launch (line->str, &error);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  for (guint i = 0; i < CAMERAS; i++) {
    gchar *name = g_strdup_printf ("sink%u", i);
    cameras.sinks[i] = gst_bin_get_by_name (GST_BIN (cameras.pipeline), name);
    g_free (name);
    if (cluster) {
      GstPad *pad = gst_element_get_static_pad (cameras.sinks[i], "sink");
      gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, wait_for_consumer, GUINT_TO_POINTER (i), NULL);
      gst_object_unref (pad);
    }
  }
  g_string_free (line, TRUE);
  gst_element_set_state (cameras.pipeline, GST_STATE_PLAYING);
  return cameras;
}

static guint64
count (const Cameras *cameras, const gchar *name)
{
  guint64 sum = 0;
  for (guint i = 0; i < CAMERAS; i++) {
    GstStructure *stats;
    guint64 value;
    g_object_get (cameras->sinks[i], "stats", &stats, NULL);
    fail_unless (gst_structure_get_uint64 (stats, name, &value));
    sum += value;
    gst_structure_free (stats);
  }
  return sum;
}

/* Plays to the end of the stream, with a fault, CAUSE, each time that another part of the frames has arrived. */
static void
run (const gchar *address, void (*cause) (guint number))
{
  Cameras cameras = start_cameras (address);
  GstBus *bus = gst_element_get_bus (cameras.pipeline);
  GstMessage *message = NULL;
  for (guint fault = 0; !message;) {
    message = gst_bus_timed_pop_filtered (bus, 2 * GST_MSECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    if (fault < FAULTS && count (&cameras, "acknowledged") >= CAMERAS * frames_each () * fault / FAULTS)
      cause (fault++);
    /* On a busy machine the last ones may come too late. */
    fail_unless (!message || fault >= FAULTS / 2, "%u faults", fault);
  }
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  fail_unless_equals_uint64 (count (&cameras, "acknowledged"), CAMERAS * frames_each ());
  fail_unless_equals_uint64 (count (&cameras, "lost"), 0);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (cameras.pipeline, GST_STATE_NULL);
  for (guint i = 0; i < CAMERAS; i++)
    gst_object_unref (cameras.sinks[i]);
  gst_object_unref (cameras.pipeline);
}

static void
disturb_broker (guint number)
{
  switch (number % 3) {
    case 0:
      broker_command ("lose 1");
      break;
    case 1:
      broker_command ("refuse 2");
      break;
    case 2:
      broker_command ("down");
      g_usleep (SECOND / 5);
      broker_command ("up");
      break;
  }
}

GST_START_TEST (test_once_and_in_order)
{
  guint stored, repeated, lost;
  broker_start (NULL);
  run (broker_address (), disturb_broker);
  for (guint i = 0; i < CAMERAS; i++)
    assert_stored (names[i], 0, frames_each ());
  fail_unless_equals_int (sscanf (broker_command ("counts"), "%u %u %u", &stored, &repeated, &lost), 3);
  /* Batches did come twice, so that the above was a test. A connection may also be lost with a batch that was refused. */
  fail_unless (lost > 0 && repeated > 0, "%u lost, %u repeated", lost, repeated);
}
GST_END_TEST;

static void
take_record (const rd_kafka_message_t *message)
{
  rd_kafka_headers_t *headers;
  const void *value;
  size_t size;
  guint camera = 0;
  fail_unless_equals_int (rd_kafka_message_headers (message, &headers), RD_KAFKA_RESP_ERR_NO_ERROR);
  fail_unless_equals_int (rd_kafka_header_get_last (headers, "frame", &value, &size), RD_KAFKA_RESP_ERR_NO_ERROR);
  const guint64 frame = g_ascii_strtoull (value, NULL, 10);
  while (camera < CAMERAS
         && !(strlen (names[camera]) == message->key_len && !memcmp (names[camera], message->key, message->key_len)))
    camera++;
  fail_unless (camera < CAMERAS);
  fail_unless (frame <= next_frame[camera], "%s: frame %" G_GUINT64_FORMAT " instead of %" G_GUINT64_FORMAT,
      names[camera], frame, next_frame[camera]);
  if (frame == next_frame[camera])
    next_frame[camera]++;
  else
    repetitions++;
}

static gpointer
consume (gpointer unused)
{
  rd_kafka_t *consumer = consumer_new ();
  /* After the end of the streams, time without a record is the end: little where all have come, for then only repetitions
   * could follow. */
  for (gint64 last = g_get_monotonic_time ();;) {
    const gboolean complete = next_frame[0] == frames_each () && next_frame[1] == frames_each ();
    rd_kafka_message_t *message = rd_kafka_consumer_poll (consumer, 200);
    const gint64 now = g_get_monotonic_time ();
    if (message || !g_atomic_int_get (&done))
      last = now;
    else if (now - last > (complete ? SECOND / 2 : 15 * SECOND))
      break;
    if (!message)
      continue;
    if (!message->err)
      take_record (message);
    rd_kafka_message_destroy (message);
  }
  consumer_free (consumer);
  return NULL;
}

static void
run_on_mock (void (*cause) (guint number))
{
  cluster = cluster_start ();
  for (guint i = 0; i < CAMERAS; i++)
    next_frame[i] = 0;
  repetitions = 0;
  g_atomic_int_set (&done, FALSE);
  GThread *thread = g_thread_new ("consume", consume, NULL);
  run (rd_kafka_mock_cluster_bootstraps (cluster), cause);
  g_atomic_int_set (&done, TRUE);
  g_thread_join (thread);
  cluster_stop ();
  cluster = NULL;
  for (guint i = 0; i < CAMERAS; i++)
    fail_unless_equals_uint64 (next_frame[i], frames_each ());
}

/* The cluster answers with errors before it stores anything, or closes the connection instead. */
static void
push_error (guint number)
{
  static const rd_kafka_resp_err_t errors[] = {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR__TRANSPORT,
      RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS};
  rd_kafka_mock_push_request_errors (cluster, PRODUCE, 1, errors[number % G_N_ELEMENTS (errors)]);
}

GST_START_TEST (test_mock_errors)
{
  run_on_mock (push_error);
  fail_unless_equals_uint64 (repetitions, 0);
}
GST_END_TEST;

static void
restart (guint number)
{
  rd_kafka_mock_broker_set_down (cluster, -1);
  g_usleep (SECOND / 10);
  rd_kafka_mock_broker_set_up (cluster, -1);
}

GST_START_TEST (test_mock_outages)
{
  run_on_mock (restart);
}
GST_END_TEST;

static Suite *
kafka_order_suite (void)
{
  Suite *suite = suite_create ("kafkaorder");
  TCase *tcase = tcase_create ("general");
  tcase_set_timeout (tcase, g_getenv ("CTR_TEST_FULL") ? 600 : 60);
  tcase_add_checked_fixture (tcase, NULL, broker_stop);
  tcase_add_test (tcase, test_once_and_in_order);
  tcase_add_test (tcase, test_mock_errors);
  tcase_add_test (tcase, test_mock_outages);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (kafka_order);
