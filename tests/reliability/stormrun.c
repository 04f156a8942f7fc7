/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLACK 3             /* steps that a thread may be ahead of the others */
#define PATIENCE (8 * 1000) /* for the others, us */
#define SHORTEST_TEXT 20    /* of an error */
#define WAIT_FOR_END 400    /* ms, behind the last step */
#define WAIT_FOR_FREE 3000  /* ms */
#define DEFAULT_DEADLINE 60 /* of one storm, seconds */

StormRandom
storm_random (guint32 seed, guint purpose, guint index)
{
  return (StormRandom){((guint64) seed << 32) ^ ((guint64) purpose << 24) ^ (index * 0x9e3779b97f4a7c15u)};
}

guint64
storm_next (StormRandom *random)
{
  guint64 value = random->state += 0x9e3779b97f4a7c15u;

  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

guint
storm_below (StormRandom *random, guint n)
{
  return storm_next (random) % n;
}

gboolean
storm_chance (StormRandom *random, guint percent)
{
  return storm_below (random, 100) < percent;
}

gint64
storm_between (StormRandom *random, gint64 from, gint64 to)
{
  const guint64 span = (guint64) to - (guint64) from;

  switch (storm_below (random, 8)) {
    case 0:
      return from;
    case 1:
      return to;
    case 2:
    case 3:
    case 4:
      return from + (gint64) (storm_next (random) % (MIN (span, 300) + 1));
    default:
      return span == G_MAXUINT64 ? (gint64) storm_next (random) : from + (gint64) (storm_next (random) % (span + 1));
  }
}

void
storm_plan (Storm *storm, guint32 seed)
{
  StormRandom random = storm_random (seed, STORM_FOR_PLAN, 0);

  memset (storm, 0, sizeof *storm);
  storm->seed = seed;
  storm->n_elements = 1 + storm_below (&random, 6);
  storm->n_steps = 20 + storm_below (&random, STORM_MAX_STEPS - 20);
  for (guint i = 0; i < STORM_MAX_STEPS; i++)
    storm->kept.steps[i] = TRUE;
  for (guint i = 0; i < STORM_MAX_ELEMENTS; i++)
    storm->kept.elements[i] = TRUE;
}

StormRole
storm_role (const Storm *storm, guint step)
{
  StormRandom random = storm_random (storm->seed, STORM_FOR_STEPS, step + STORM_MAX_STEPS);
  const guint share = storm_below (&random, 100);

  return share < 55 ? STORM_FRAMES : share < 87 ? STORM_PROPERTIES : STORM_CONTROL;
}

void
storm_pace (Storm *storm, StormRole role, guint step)
{
  const gint64 end = g_get_monotonic_time () + PATIENCE;

  g_mutex_lock (&storm->lock);
  storm->at[role] = step;
  g_cond_broadcast (&storm->moved);
  for (guint other = 0; other < STORM_N_ROLES; other++)
    while (storm->at[other] < step && step - storm->at[other] > SLACK && step != G_MAXUINT)
      if (!g_cond_wait_until (&storm->moved, &storm->lock, end))
        break;
  g_mutex_unlock (&storm->lock);
}

/* What the elements say. */
typedef struct {
  GMutex lock;
  GHashTable *errors; /* by the name of an element of ours: how many */
  guint primary;      /* errors that are no consequences of others */
  guint restarts;     /* after which there may be another error */
  gboolean ended;
  gboolean complained;
} Listener;

static void G_GNUC_PRINTF (3, 4) complain (Listener *listener, const Storm *storm, const gchar *format, ...)
{
  gchar *text;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("storm --seed %u: %s\n", storm->seed, text);
  g_free (text);
  listener->complained = TRUE;
}

static void
hear_error (Listener *listener, const Storm *storm, GstMessage *message)
{
  GstElement *element = GST_ELEMENT (GST_MESSAGE_SRC (message));
  const gchar *name = GST_OBJECT_NAME (element);
  GError *error;
  gchar *debug;
  guint n;

  gst_message_parse_error (message, &error, &debug);
  if (debug && strstr (debug, "streaming stopped, reason error")) {
    /* GStreamer makes an error of an event that a flush or refused caps have stopped. In a stream without either, an element
     * has failed and has said why before. */
    if (listener->primary == 0 && listener->restarts == 1 && !g_atomic_int_get (&storm->caps_refused)
        && !storm->trusts_frames)
      complain (listener, storm, "no element has explained the error: %s", debug);
  } else {
    listener->primary++;
    if (storm_is_ours (element)) {
      n = GPOINTER_TO_UINT (g_hash_table_lookup (listener->errors, name)) + 1;
      g_hash_table_insert (listener->errors, g_strdup (name), GUINT_TO_POINTER (n));
      if (n > listener->restarts + 1)
        complain (
            listener, storm, "%s: %u errors after %u restarts: %.400s", name, n, listener->restarts, error->message);
      if (strlen (error->message) < SHORTEST_TEXT || !g_utf8_validate (error->message, -1, NULL))
        complain (listener, storm, "%s: not one clear text: %.400s", name, error->message);
    }
  }
  g_error_free (error);
  g_free (debug);
}

typedef struct {
  Storm *storm;
  Listener *listener;
} Hearing;

/* In the thread that posts the message. */
static GstBusSyncReply
hear (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Hearing *hearing = user_data;

  g_mutex_lock (&hearing->listener->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    hear_error (hearing->listener, hearing->storm, message);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR || GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    hearing->listener->ended = TRUE;
  g_mutex_unlock (&hearing->listener->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
note_restart (Listener *listener)
{
  g_mutex_lock (&listener->lock);
  listener->restarts++;
  listener->ended = FALSE;
  g_mutex_unlock (&listener->lock);
}

static void
set_state (Storm *storm, Listener *listener, GstState state)
{
  note_restart (listener);
  g_mutex_lock (&storm->changing);
  gst_element_set_state (storm->pipeline, state);
  g_mutex_unlock (&storm->changing);
}

/* Whether the streaming thread waits neither for the pipeline to play nor for a reader: what waits for it comes to an end. */
static gboolean
is_streaming (Storm *storm)
{
  GstState state;

  return !storm->may_block && gst_element_get_state (storm->pipeline, &state, NULL, 0) == GST_STATE_CHANGE_SUCCESS
         && state == GST_STATE_PLAYING;
}

static void
seek (Storm *storm, Listener *listener, StormRandom *random)
{
  static const gdouble rates[] = {1, 1, 1, 0.5, 2};
  const gdouble rate = rates[storm_below (random, G_N_ELEMENTS (rates))];
  GstSeekFlags flags = GST_SEEK_FLAG_NONE;

  /* Without a flush, a seek waits for the streaming thread. */
  if (storm_chance (random, 70) || !is_streaming (storm))
    flags |= GST_SEEK_FLAG_FLUSH;
  if (storm_chance (random, 30))
    flags |= GST_SEEK_FLAG_SEGMENT;
  note_restart (listener);
  gst_element_seek (storm->pipeline, rate, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
      storm_below (random, 100) * GST_MSECOND, storm_chance (random, 50) ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET,
      (100 + storm_below (random, 100)) * GST_MSECOND);
}

/* A flush from the middle of the chain on, which stops the source. */
static void
flush_part (Storm *storm, Listener *listener, StormRandom *random)
{
  GstElement *element = storm_get_element (storm, storm_below (random, storm->n_elements));
  GstPad *pad = element ? gst_element_get_static_pad (element, "src") : NULL;

  if (pad) {
    note_restart (listener);
    gst_pad_push_event (pad, gst_event_new_flush_start ());
    g_usleep (storm_below (random, 2000));
    gst_pad_push_event (pad, gst_event_new_flush_stop (storm_chance (random, 50)));
    gst_object_unref (pad);
  }
  gst_clear_object (&element);
  if (storm_chance (random, 80))
    seek (storm, listener, random);
}

static void
ask (Storm *storm, StormRandom *random)
{
  GstQuery *query = storm_chance (random, 50) ? gst_query_new_latency () : gst_query_new_position (GST_FORMAT_TIME);
  GstElement *element = storm_get_element (storm, storm_below (random, storm->n_elements));

  gst_element_query (element ? element : storm->pipeline, query);
  gst_query_unref (query);
  gst_clear_object (&element);
}

static void
send_upstream (Storm *storm, StormRandom *random)
{
  GstPad *pad = gst_element_get_static_pad (storm->sink, "sink");
  GstEvent *event = storm_chance (random, 50)
                        ? gst_event_new_reconfigure ()
                        : gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, storm_below (random, 100) / 10.0,
                            storm_below (random, 100) * GST_MSECOND, storm_below (random, 100) * GST_MSECOND);

  gst_pad_push_event (pad, event);
  gst_object_unref (pad);
}

static void
take_control_step (Storm *storm, Listener *listener, StormRandom *random, guint step)
{
  static const GstState states[] = {
      GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PLAYING};

  switch (storm_below (random, 14)) {
    case 0:
    case 1:
    case 2:
      set_state (storm, listener, states[storm_below (random, G_N_ELEMENTS (states))]);
      if (storm_chance (random, 40))
        gst_element_get_state (storm->pipeline, NULL, NULL, 10 * GST_MSECOND);
      break;
    case 3:
      flush_part (storm, listener, random);
      break;
    case 4:
    case 5:
      seek (storm, listener, random);
      break;
    case 6:
    case 7:
      storm_insert (storm, random, step);
      note_restart (listener);
      break;
    case 8:
      storm_remove (storm, random);
      break;
    case 9:
      if (is_streaming (storm))
        gst_element_send_event (storm->pipeline, gst_event_new_eos ());
      else
        g_atomic_int_set (&storm->end_wanted, TRUE);
      break;
    case 10:
      ask (storm, random);
      break;
    case 11:
      send_upstream (storm, random);
      break;
    case 12: /* as after an error */
      set_state (storm, listener, storm_chance (random, 50) ? GST_STATE_NULL : GST_STATE_READY);
      set_state (storm, listener, GST_STATE_PLAYING);
      break;
    default:
      g_usleep (storm_below (random, 5000));
      break;
  }
}

static gpointer
write_properties (gpointer user_data)
{
  Storm *storm = user_data;

  for (guint step = 0; step < storm->n_steps; step++) {
    StormRandom random = storm_random (storm->seed, STORM_FOR_STEPS, step);
    guint number = storm_below (&random, storm->n_elements);
    GstElement *element;

    if (!storm->kept.steps[step] || storm_role (storm, step) != STORM_PROPERTIES)
      continue;
    storm_pace (storm, STORM_PROPERTIES, step);
    /* Sometimes it is an element that was inserted at an earlier step. */
    if (storm_chance (&random, 20) && step > 0)
      number = STORM_MAX_ELEMENTS + storm_below (&random, step);
    element = storm_get_element (storm, number);
    for (guint n = 1 + storm_below (&random, 3); n > 0 && element && storm_is_ours (element); n--)
      storm_set_property (&random, element);
    gst_clear_object (&element);
  }
  storm_pace (storm, STORM_PROPERTIES, G_MAXUINT);
  return NULL;
}

static void
take_control (Storm *storm, Listener *listener)
{
  gboolean ended = FALSE;

  set_state (storm, listener, GST_STATE_PLAYING);
  for (guint step = 0; step < storm->n_steps; step++) {
    StormRandom random = storm_random (storm->seed, STORM_FOR_STEPS, step);

    if (!storm->kept.steps[step] || storm_role (storm, step) != STORM_CONTROL)
      continue;
    storm_pace (storm, STORM_CONTROL, step);
    take_control_step (storm, listener, &random, step);
    g_mutex_lock (&listener->lock);
    ended = listener->ended;
    g_mutex_unlock (&listener->lock);
    /* An application goes on after an error, or after the end. */
    if (ended && storm_chance (&random, 70)) {
      set_state (storm, listener, GST_STATE_READY);
      set_state (storm, listener, GST_STATE_PLAYING);
    }
  }
  storm_pace (storm, STORM_CONTROL, G_MAXUINT);
  set_state (storm, listener, GST_STATE_PLAYING);
  for (guint i = 0; i < WAIT_FOR_END / 2 && !ended; i++) {
    g_usleep (2000);
    g_mutex_lock (&listener->lock);
    ended = listener->ended;
    g_mutex_unlock (&listener->lock);
  }
  set_state (storm, listener, GST_STATE_NULL);
}

typedef struct {
  Storm *storm;
  GMutex lock;
  GCond cond;
  gboolean done;
} Watchdog;

/* A storm that hangs ends the process. With STORM_HOLD in the environment it is left as it is, for a debugger. */
static gpointer
watch (gpointer user_data)
{
  Watchdog *watchdog = user_data;
  const gchar *wanted = g_getenv ("STORM_DEADLINE");
  const guint seconds = wanted ? atoi (wanted) : DEFAULT_DEADLINE;
  const gint64 end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;

  g_mutex_lock (&watchdog->lock);
  while (!watchdog->done)
    if (!g_cond_wait_until (&watchdog->cond, &watchdog->lock, end)) {
      const guint *at = watchdog->storm->at;

      g_printerr ("storm --seed %u: no end after %u s, at steps %d (frames), %d (properties) and %d (control)\n",
          watchdog->storm->seed, seconds, (gint) at[0], (gint) at[1], (gint) at[2]);
      if (g_getenv ("STORM_HOLD"))
        pause ();
      _exit (STORM_HUNG);
    }
  g_mutex_unlock (&watchdog->lock);
  return NULL;
}

gint
storm_run (Storm *storm)
{
  Watchdog watchdog = {.storm = storm};
  Listener listener = {.errors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL)};
  Hearing hearing = {storm, &listener};
  GThread *watching, *writing;
  GstBus *bus;

  watching = g_thread_new ("watchdog", watch, &watchdog);
  storm_build (storm);
  bus = gst_element_get_bus (storm->pipeline);
  gst_bus_set_sync_handler (bus, hear, &hearing, NULL);
  writing = g_thread_new ("properties", write_properties, storm);
  take_control (storm, &listener);
  g_thread_join (writing);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
  gst_object_unref (storm->pipeline);
  /* A thread of the bin that goes on with a change of state may have the last reference for a moment. */
  for (guint i = 0; i < WAIT_FOR_FREE && g_atomic_int_get (&storm->alive) != 0; i++)
    g_usleep (1000);
  if (g_atomic_int_get (&storm->alive) != 0)
    complain (&listener, storm, "%d elements were not finalized", g_atomic_int_get (&storm->alive));

  g_mutex_lock (&watchdog.lock);
  watchdog.done = TRUE;
  g_cond_signal (&watchdog.cond);
  g_mutex_unlock (&watchdog.lock);
  g_thread_join (watching);
  g_ptr_array_unref (storm->chain);
  g_hash_table_unref (listener.errors);
  return listener.complained ? STORM_FOUND : STORM_PASSED;
}
