/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pushes frames into elements, at the command of a test. Arguments: elements in the syntax of gst-launch-1.0 that follow
 * appsrc; the last one is called "sink". Commands, one a line on the standard input, answered by a line each:
 *   push COUNT RATE   begins to push frames from another thread, RATE a second; 0: as fast as they are taken
 *   wait              until all are pushed                           pushed COUNT FLOW
 *   eos SECONDS       ends the stream and waits for its end          eos SECONDS, or eos never
 *   flush             flushes the stream, which may be blocked       flushed SECONDS
 *   state NAME        changes the state                              state SUCCESS SECONDS
 *   stats             reads the property stats of sink               stats STRUCTURE
 *   resources         counts threads and descriptors                 resources THREADS DESCRIPTORS
 *   cpu               reads the process's time                       cpu SECONDS
 * Errors, warnings and element messages are printed at once, as "error: …", "warning: …" and "element: …". Frame i is of 32
 * by 32 pixels and has i % 7 + 1 bright pixels that do not touch. */
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define SIDE 32
#define CAPS "video/x-raw,format=GRAY8,width=32,height=32,framerate=0/1"

typedef struct {
  GstElement *pipeline;
  GstElement *source;
  GstElement *sink;
  GThread *thread;
  guint64 count;
  gdouble rate;
  guint64 next; /* frame */
  guint64 pushed;
  GstFlowReturn flow;
} Feeder;

static GstBuffer *
make_frame (guint64 index)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);
  GstMapInfo map;
  if (!gst_buffer_map (frame, &map, GST_MAP_WRITE))
    g_error ("A frame cannot be mapped.");
  memset (map.data, 0, map.size);
  for (guint i = 0; i <= index % 7; i++)
    map.data[4 * SIDE * i + 4] = 255;
  gst_buffer_unmap (frame, &map);
  GST_BUFFER_PTS (frame) = index * GST_MSECOND;
  return frame;
}

static gpointer
push_frames (gpointer data)
{
  Feeder *feeder = data;
  const gint64 begin = g_get_monotonic_time ();
  for (guint64 i = 0; i < feeder->count && feeder->flow == GST_FLOW_OK; i++) {
    if (feeder->rate > 0) {
      const gint64 due = begin + (gint64) (i * 1e6 / feeder->rate), now = g_get_monotonic_time ();
      if (due > now)
        g_usleep ((gulong) (due - now));
    }
    feeder->flow = gst_app_src_push_buffer (GST_APP_SRC (feeder->source), make_frame (feeder->next++));
    feeder->pushed += feeder->flow == GST_FLOW_OK;
  }
  return NULL;
}

static GstBusSyncReply
print_message (GstBus *bus, GstMessage *message, gpointer data)
{
  GError *error = NULL;
  const gboolean is_error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  if (is_error || GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    if (is_error)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    gchar *name = gst_object_get_name (GST_MESSAGE_SRC (message));
    printf ("%s: %s: %s\n", is_error ? "error" : "warning", name, error->message);
    g_free (name);
    g_error_free (error);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT) {
    gchar *text = gst_structure_to_string (gst_message_get_structure (message));
    printf ("element: %s\n", text);
    g_free (text);
  }
  return GST_BUS_PASS;
}

static void
join (Feeder *feeder)
{
  if (feeder->thread)
    g_thread_join (g_steal_pointer (&feeder->thread));
}

static void
wait_for_eos (Feeder *feeder, gdouble seconds)
{
  const gint64 begin = g_get_monotonic_time ();
  GstBus *bus = gst_element_get_bus (feeder->pipeline);
  gst_app_src_end_of_stream (GST_APP_SRC (feeder->source));
  GstMessage *message = gst_bus_timed_pop_filtered (bus, (GstClockTime) (seconds * GST_SECOND), GST_MESSAGE_EOS);
  if (message)
    printf ("eos %.3f\n", (g_get_monotonic_time () - begin) / 1e6);
  else
    printf ("eos never\n");
  g_clear_pointer (&message, gst_message_unref);
  gst_object_unref (bus);
}

static void
flush (Feeder *feeder)
{
  GstPad *pad = gst_element_get_static_pad (feeder->sink, "sink");
  const gint64 begin = g_get_monotonic_time ();
  gst_pad_send_event (pad, gst_event_new_flush_start ());
  GST_PAD_STREAM_LOCK (pad); /* The streaming thread has left the element. */
  GST_PAD_STREAM_UNLOCK (pad);
  printf ("flushed %.3f\n", (g_get_monotonic_time () - begin) / 1e6);
  gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE));
  gst_object_unref (pad);
}

static void
set_state (Feeder *feeder, const gchar *name)
{
  static const struct {
    const gchar *name;
    GstState state;
  } states[] = {{"null", GST_STATE_NULL}, {"ready", GST_STATE_READY}, {"paused", GST_STATE_PAUSED},
      {"playing", GST_STATE_PLAYING}};
  for (guint i = 0; i < G_N_ELEMENTS (states); i++) {
    if (strcmp (states[i].name, name) != 0)
      continue;
    const gint64 begin = g_get_monotonic_time ();
    const GstStateChangeReturn ret = gst_element_set_state (feeder->pipeline, states[i].state);
    printf ("state %s %.3f\n", gst_element_state_change_return_get_name (ret), (g_get_monotonic_time () - begin) / 1e6);
    if (states[i].state <= GST_STATE_READY) {
      join (feeder);
      feeder->flow = GST_FLOW_OK;
      feeder->next = feeder->pushed = 0;
    }
    return;
  }
  g_error ("no state %s", name);
}

static guint
count_entries (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint count = 0;
  while (g_dir_read_name (dir))
    count++;
  g_dir_close (dir);
  return count;
}

static void
print_cpu (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  printf ("cpu %.3f\n",
      usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}

static void
obey (Feeder *feeder, gchar **words)
{
  const gchar *command = words[0], *first = words[0] ? words[1] : NULL;
  if (!g_strcmp0 (command, "push") && first && words[2]) {
    join (feeder);
    feeder->count = g_ascii_strtoull (first, NULL, 10);
    feeder->rate = g_ascii_strtod (words[2], NULL);
    feeder->thread = g_thread_new ("feeder", push_frames, feeder);
  } else if (!g_strcmp0 (command, "wait")) {
    join (feeder);
    printf ("pushed %" G_GUINT64_FORMAT " %s\n", feeder->pushed, gst_flow_get_name (feeder->flow));
  } else if (!g_strcmp0 (command, "eos") && first) {
    wait_for_eos (feeder, g_ascii_strtod (first, NULL));
  } else if (!g_strcmp0 (command, "flush")) {
    flush (feeder);
  } else if (!g_strcmp0 (command, "state") && first) {
    set_state (feeder, first);
  } else if (!g_strcmp0 (command, "stats")) {
    GstStructure *stats;
    g_object_get (feeder->sink, "stats", &stats, NULL);
    gchar *text = gst_structure_to_string (stats);
    printf ("stats %s\n", text);
    g_free (text);
    gst_structure_free (stats);
  } else if (!g_strcmp0 (command, "resources")) {
    printf ("resources %u %u\n", count_entries ("/proc/self/task"), count_entries ("/proc/self/fd"));
  } else if (!g_strcmp0 (command, "cpu")) {
    print_cpu ();
  } else {
    g_error ("no command %s", command);
  }
}

int
main (int argc, char **argv)
{
  Feeder feeder = {0};
  gchar line[256];
  GError *error = NULL;
  gst_init (&argc, &argv);
  setvbuf (stdout, NULL, _IOLBF, 0);
  gchar *elements = g_strjoinv (" ", argv + 1);
  gchar *text = g_strdup_printf (
      "appsrc name=source format=time block=true max-buffers=2 max-bytes=0 caps=\"" CAPS "\" ! %s", elements);
  feeder.pipeline = gst_parse_launch (text, &error);
  if (error)
    g_error ("%s: %s", text, error->message);
  feeder.source = gst_bin_get_by_name (GST_BIN (feeder.pipeline), "source");
  feeder.sink = gst_bin_get_by_name (GST_BIN (feeder.pipeline), "sink");
  GstBus *bus = gst_element_get_bus (feeder.pipeline);
  gst_bus_set_sync_handler (bus, print_message, NULL, NULL);
  while (fgets (line, sizeof line, stdin)) {
    gchar **words = g_strsplit (g_strchomp (line), " ", 3);
    obey (&feeder, words);
    g_strfreev (words);
  }
  gst_element_set_state (feeder.pipeline, GST_STATE_NULL);
  join (&feeder);
  gst_object_unref (bus);
  gst_object_unref (feeder.source);
  gst_object_unref (feeder.sink);
  gst_object_unref (feeder.pipeline);
  g_free (elements);
  g_free (text);
  gst_deinit ();
  return 0;
}
