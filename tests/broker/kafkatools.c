/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kafkatools.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND G_TIME_SPAN_SECOND

static struct {
  GPid process;
  FILE *commands, *answers;
  gchar *folder;
  gchar *address;
  gchar answer[256];
} broker;

static void
read_answer (void)
{
  fail_unless (fgets (broker.answer, sizeof broker.answer, broker.answers) != NULL, "the broker does not answer");
  g_strchomp (broker.answer);
}

gchar *
broker_file (const gchar *name)
{
  if (!broker.folder)
    broker.folder = g_dir_make_tmp ("kafkabroker-XXXXXX", NULL);
  return g_build_filename (broker.folder, name, NULL);
}

void
broker_start (const gchar *arguments)
{
  GError *error = NULL;
  gint in, out, count;
  gchar **argv;
  gchar *log = broker_file ("records.json");
  gchar *line = g_strdup_printf (
      "/usr/bin/python3 %s --log %s %s", g_getenv ("CTR_KAFKA_BROKER"), log, arguments ? arguments : "--topic " TOPIC);
  fail_unless (g_shell_parse_argv (line, &count, &argv, NULL));
  fail_unless (g_spawn_async_with_pipes (
                   NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &broker.process, &in, &out, NULL, &error),
      "%s", error ? error->message : "");
  broker.commands = fdopen (in, "w");
  broker.answers = fdopen (out, "r");
  read_answer ();
  broker.address = g_strdup_printf ("127.0.0.1:%s", broker.answer);
  g_strfreev (argv);
  g_free (line);
  g_free (log);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (broker.folder, 0, NULL);
  for (const gchar *name; (name = g_dir_read_name (dir));) {
    gchar *path = broker_file (name);
    g_unlink (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (broker.folder);
  g_clear_pointer (&broker.folder, g_free);
}

/* The broker ends with its standard input, also when the test crashes. */
void
broker_stop (void)
{
  if (broker.process) {
    fclose (broker.commands);
    fclose (broker.answers);
    waitpid (broker.process, NULL, 0);
    g_spawn_close_pid (broker.process);
    broker.process = 0;
  }
  if (broker.folder)
    remove_folder ();
  g_clear_pointer (&broker.address, g_free);
}

const gchar *
broker_address (void)
{
  return broker.address;
}

const gchar *
broker_command (const gchar *command)
{
  fprintf (broker.commands, "%s\n", command);
  fflush (broker.commands);
  read_answer ();
  fail_if (g_str_has_prefix (broker.answer, "unknown"), "%s", broker.answer);
  return broker.answer;
}

/* What stands in LINE between BEFORE and the next character END; transfer full. */
static gchar *
between (const gchar *line, const gchar *before, gchar end)
{
  const gchar *at = strstr (line, before);
  fail_unless (at != NULL, "no %s in %s", before, line);
  at += strlen (before);
  const gchar *stop = strchr (at, end);
  fail_unless (stop != NULL, "no %c behind %s in %s", end, before, line);
  return g_strndup (at, stop - at);
}

static void
assert_same (gchar *found, gchar *wanted, const gchar *line)
{
  fail_unless (g_str_equal (found, wanted), "%s is not %s in %s", found, wanted, line);
  g_free (found);
  g_free (wanted);
}

static guint64
check_record (const gchar *line)
{
  gchar *frame = between (line, "\"frame\": \"", '"');
  const guint64 number = g_ascii_strtoull (frame, NULL, 10);
  assert_same (between (line, "\\\"frame\\\":", ','), frame, line);
  assert_same (between (line, "\\\"camera\\\":\\\"", '\\'), between (line, "\"camera\": \"", '"'), line);
  assert_same (between (line, "\\\"epoch\\\":\\\"", '\\'), between (line, "\"epoch\": \"", '"'), line);
  assert_same (between (line, "\"key\": \"", '"'), between (line, "\"camera\": \"", '"'), line);
  return number;
}

GArray *
broker_read (const gchar *camera)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (guint64));
  gchar *path = broker_file ("records.json"), *line = NULL, *partition = NULL;
  size_t room = 0;
  gchar *mine = g_strdup_printf ("\"camera\": \"%s\"", camera);
  FILE *file = fopen (path, "r");
  fail_unless (file != NULL);
  while (getline (&line, &room, file) >= 0) {
    if (!strstr (line, mine))
      continue;
    const guint64 number = check_record (line);
    g_array_append_val (frames, number);
    gchar *there = between (line, "\"partition\": ", ',');
    fail_unless (!partition || g_str_equal (partition, there), "more than one partition");
    g_free (partition);
    partition = there;
  }
  g_free (partition);
  fclose (file);
  free (line);
  g_free (path);
  g_free (mine);
  return frames;
}

void
assert_stored (const gchar *camera, guint64 begin, guint64 end)
{
  GArray *frames = broker_read (camera);
  for (guint i = 0; i < frames->len; i++)
    fail_unless (g_array_index (frames, guint64, i) == begin + i, "%s: frame %" G_GUINT64_FORMAT " is at %u", camera,
        g_array_index (frames, guint64, i), i);
  fail_unless_equals_uint64 (frames->len, end - begin);
  g_array_unref (frames);
}

static rd_kafka_t *holder; /* of the cluster */
static rd_kafka_mock_cluster_t *cluster;

rd_kafka_mock_cluster_t *
cluster_start (void)
{
  gchar text[256];
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  rd_kafka_conf_set (conf, "log_level", "3", text, sizeof text);
  holder = rd_kafka_new (RD_KAFKA_PRODUCER, conf, text, sizeof text);
  fail_unless (holder != NULL, "%s", text);
  cluster = rd_kafka_mock_cluster_new (holder, 1);
  rd_kafka_mock_topic_create (cluster, TOPIC, 2, 1);
  return cluster;
}

void
cluster_stop (void)
{
  rd_kafka_mock_cluster_destroy (cluster);
  rd_kafka_destroy (holder);
}

rd_kafka_t *
consumer_new (void)
{
  gchar text[256];
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  rd_kafka_conf_set (conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps (cluster), text, sizeof text);
  rd_kafka_conf_set (conf, "group.id", "test", text, sizeof text);
  rd_kafka_conf_set (conf, "log_level", "0", text, sizeof text);
  rd_kafka_conf_set (conf, "reconnect.backoff.max.ms", "200", text, sizeof text);
  rd_kafka_t *consumer = rd_kafka_new (RD_KAFKA_CONSUMER, conf, text, sizeof text);
  fail_unless (consumer != NULL, "%s", text);
  rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new (2);
  for (gint i = 0; i < 2; i++)
    rd_kafka_topic_partition_list_add (partitions, TOPIC, i)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_poll_set_consumer (consumer);
  rd_kafka_assign (consumer, partitions);
  rd_kafka_topic_partition_list_destroy (partitions);
  return consumer;
}

void
consumer_free (rd_kafka_t *consumer)
{
  rd_kafka_consumer_close (consumer);
  rd_kafka_destroy (consumer);
}

GstHarness *
play (const gchar *address, const gchar *first_property, ...)
{
  va_list properties;
  GstElement *element = gst_element_factory_make ("contourkafkasink", NULL);
  fail_unless (element != NULL);
  GstBus *bus = gst_bus_new ();
  g_object_set (element, "address", address, "topic", TOPIC, "source", "line-1", NULL);
  va_start (properties, first_property);
  g_object_set_valist (G_OBJECT (element), first_property, properties);
  va_end (properties);
  gst_element_set_bus (element, bus);
  gst_object_unref (bus);
  GstHarness *h = gst_harness_new_with_element (element, "sink", NULL);
  gst_object_unref (element);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1");
  return h;
}

void
finish (GstHarness *h)
{
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

void
push (GstHarness *h, guint count)
{
  for (guint i = 0; i < count; i++)
    fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, 256, NULL)), GST_FLOW_OK);
}

guint64
get_stat (GstHarness *h, const gchar *name)
{
  GstStructure *stats;
  guint64 value = 0;
  gboolean truth;
  g_object_get (h->element, "stats", &stats, NULL);
  if (gst_structure_get_boolean (stats, name, &truth))
    value = truth;
  else
    fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s", name);
  gst_structure_free (stats);
  return value;
}

void
wait_for_stat (GstHarness *h, const gchar *name, guint64 value)
{
  for (gint64 end = g_get_monotonic_time () + 30 * SECOND; get_stat (h, name) != value;) {
    fail_unless (g_get_monotonic_time () < end, "%s is %" G_GUINT64_FORMAT ", not %" G_GUINT64_FORMAT, name,
        get_stat (h, name), value);
    g_usleep (5 * G_TIME_SPAN_MILLISECOND);
  }
}

void
wait_for_connection (GstHarness *h, gboolean connected)
{
  wait_for_stat (h, "connected", connected);
}

static GError *
parse (GstMessage *message)
{
  GError *error = NULL;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  return error;
}

void
assert_message (GstHarness *h, GstMessageType type, gint code, const gchar *text)
{
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, type);
  fail_unless (message != NULL, "no message with \"%s\"", text);
  GError *error = parse (message);
  fail_unless (error->domain == GST_RESOURCE_ERROR);
  fail_if (strstr (error->message, SECRET) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, text) != NULL, "\"%s\" lacks \"%s\"", error->message, text);
  fail_unless_equals_int (error->code, code);
  g_error_free (error);
  gst_message_unref (message);
  gst_object_unref (bus);
}

void
assert_no_message (GstHarness *h, GstMessageType types)
{
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message = gst_bus_pop_filtered (bus, types);
  fail_unless (message == NULL, "%s", message ? parse (message)->message : "");
  gst_object_unref (bus);
}

void
assert_fails (const gchar *properties, gint code, const gchar *text)
{
  GError *error = NULL;
  gchar *address = broker_address () ? g_strdup_printf ("address=%s", broker_address ()) : g_strdup ("");
  gchar *line = g_strdup_printf (
      "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=16,height=16 ! contourkafkasink %s topic=" TOPIC
      " %s",
      address, properties);
  GstElement *pipeline = gst_parse_launch (line, &error);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "no error of %s", line);
  gst_message_parse_error (message, &error, NULL);
  fail_if (strstr (error->message, SECRET) != NULL, "%s", error->message);
  fail_unless (strstr (error->message, text) != NULL, "%s: %s", line, error->message);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, code), "%s: %d", error->message, error->code);
  g_clear_error (&error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  /* It is the only one of the element, whatever it tried meanwhile; the source may find that it stopped. */
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    fail_if (g_str_has_prefix (GST_MESSAGE_SRC_NAME (message), "contourkafkasink"));
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  g_free (address);
  g_free (line);
}
