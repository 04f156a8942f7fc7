/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storm.h"

#include <string.h>

static const gchar *const ours[] = {"cudacca", "cudaborders", "cudacanny", "cudacrackcontour", "cudasnake",
    "cudabackground", "cudaforeground", "cudacontouroverlay", "contourexport", "contourextract"};
/* Those from the fourth on read pixels where the GstVideoMeta says that they are. Elements that are not safe themselves on all
 * of these frames, such as videoflip and videocrop, are not here. */
static const gchar *const others[] = {"queue", "tee", "identity", "videoscale ! video/x-raw,width=40,height=30",
    "videoscale add-borders=true ! video/x-raw,width=33", "videoconvert ! video/x-raw,format=GRAY8",
    "videoconvert ! video/x-raw,format=(string){NV12,RGBA,YUY2}"};
#define FIRST_READER 3

gboolean
storm_is_ours (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = factory ? GST_OBJECT_NAME (factory) : "";

  for (guint i = 0; i < G_N_ELEMENTS (ours); i++)
    if (g_str_equal (name, ours[i]))
      return TRUE;
  return FALSE;
}

static void
note_end (gpointer alive, GObject *element)
{
  g_atomic_int_add ((gint *) alive, -1);
}

static GstElement *
make_ours (Storm *storm, StormRandom *random, guint number)
{
  const gchar *factory = ours[storm_below (random, G_N_ELEMENTS (ours))];
  gchar *name = g_strdup_printf ("%s-%u", factory, number);
  GstElement *element = gst_element_factory_make (factory, name);

  if (!element)
    g_error ("There is no element \"%s\".", factory);
  g_free (name);
  storm->may_block |= g_str_equal (factory, "contourexport");
  if (g_str_equal (factory, "cudacrackcontour"))
    g_object_set (element, "max-points", (guint64) 200000, NULL);
  g_atomic_int_inc (&storm->alive);
  g_object_weak_ref (G_OBJECT (element), note_end, &storm->alive);
  for (guint n = storm_chance (random, 70) ? storm_below (random, 8) : 0; n > 0; n--)
    storm_set_property (random, element);
  if (storm_in_cuda_memory ())
    storm_prefer_gpu (random, element);
  return element;
}

static GstElement *
make_other (Storm *storm, StormRandom *random)
{
  const guint any = storm_below (random, G_N_ELEMENTS (others));
  const guint kind = storm_in_cuda_memory () ? any % FIRST_READER : any; /* which read no CUDA memory */
  GstElement *element = kind < FIRST_READER ? gst_element_factory_make (others[kind], NULL)
                                            : gst_parse_bin_from_description (others[kind], TRUE, NULL);

  if (!element)
    return gst_element_factory_make ("identity", NULL);
  storm->trusts_frames |= kind >= FIRST_READER;
  if (g_str_equal (others[kind], "queue"))
    g_object_set (element, "max-size-buffers", 1 + storm_below (random, 8), "max-size-time", (guint64) 0, "leaky",
        storm_below (random, 3), NULL);
  else if (g_str_equal (others[kind], "identity"))
    g_object_set (element, "drop-probability", storm_chance (random, 30) ? 0.2 : 0.0, "sleep-time",
        storm_below (random, 500), NULL);
  return element;
}

/* The pad that frames leave by: the first one that is asked for, of a tee. */
static GstPad *
frames_pad (GstElement *element)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");

  if (!pad)
    pad = gst_element_get_static_pad (element, "src_0");
  return pad ? pad : gst_element_request_pad_simple (element, "src_%u");
}

/* The text or the frames of PAD, which is taken over, end in a queue and a sink of their own. */
static void
add_side_branch (Storm *storm, GstPad *pad)
{
  GstElement *queue = gst_element_factory_make ("queue", NULL), *sink = gst_element_factory_make ("fakesink", NULL);
  GstPad *in;

  g_object_set (sink, "async", FALSE, "sync", FALSE, NULL);
  gst_bin_add_many (GST_BIN (storm->pipeline), queue, sink, NULL);
  gst_element_link (queue, sink);
  in = gst_element_get_static_pad (queue, "sink");
  gst_pad_link_full (pad, in, GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref (in);
  gst_object_unref (pad);
}

static void
link_frames (GstElement *from, GstElement *to)
{
  GstPad *out = frames_pad (from), *in = gst_element_get_static_pad (to, "sink");

  gst_pad_link_full (out, in, GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref (out);
  gst_object_unref (in);
}

/* Frames that leave the chain are kept for a while, copied, and looked at. */
static GstPadProbeReturn
hold_frames (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer **held = user_data, *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gpointer state = NULL;
  guint n = 0;

  while (gst_buffer_iterate_meta (buffer, &state))
    n++;
  if (n & 1)
    gst_buffer_unref (gst_buffer_copy_deep (buffer));
  gst_buffer_replace (held, buffer);
  return GST_PAD_PROBE_OK;
}

static void
free_held (gpointer user_data)
{
  GstBuffer **held = user_data;

  gst_buffer_replace (held, NULL);
  g_free (held);
}

static void
add_sink (Storm *storm, StormRandom *random)
{
  GstPad *pad;

  storm->sink = gst_element_factory_make ("fakesink", "sink");
  g_object_set (storm->sink, "sync", FALSE, "async", storm_chance (random, 70), "enable-last-sample",
      storm_chance (random, 50), NULL);
  gst_bin_add (GST_BIN (storm->pipeline), storm->sink);
  if (storm_chance (random, 50)) {
    pad = gst_element_get_static_pad (storm->sink, "sink");
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, hold_frames, g_new0 (GstBuffer *, 1), free_held);
    gst_object_unref (pad);
  }
}

void
storm_build (Storm *storm)
{
  StormRandom plan = storm_random (storm->seed, STORM_FOR_PLAN, 2);
  GstElement *before;

  storm->pipeline = gst_pipeline_new (NULL);
  storm->chain = g_ptr_array_new ();
  before = storm->source = storm_source_new (storm);
  gst_bin_add (GST_BIN (storm->pipeline), before);
  for (guint i = 0; i < storm->n_elements; i++) {
    StormRandom random = storm_random (storm->seed, STORM_FOR_ELEMENTS, i);
    GstElement *element;

    if (!storm->kept.elements[i])
      continue;
    element = storm_chance (&random, 75) ? make_ours (storm, &random, i) : make_other (storm, &random);
    storm->elements[i] = element;
    g_ptr_array_add (storm->chain, element);
    gst_bin_add (GST_BIN (storm->pipeline), element);
    link_frames (before, element);
    before = element;
    if (g_str_has_prefix (GST_OBJECT_NAME (element), "tee")) {
      gst_object_unref (frames_pad (element));
      add_side_branch (storm, gst_element_request_pad_simple (element, "src_%u"));
    } else if (g_str_has_prefix (GST_OBJECT_NAME (element), "contourextract") && storm_chance (&random, 70)) {
      add_side_branch (storm, gst_element_get_static_pad (element, "json_src"));
    }
  }
  add_sink (storm, &plan);
  link_frames (before, storm->sink);
}

GstElement *
storm_get_element (Storm *storm, guint number)
{
  GstElement *element;

  g_mutex_lock (&storm->lock);
  element = storm->elements[number] ? gst_object_ref (storm->elements[number]) : NULL;
  g_mutex_unlock (&storm->lock);
  return element;
}

/* What is done at a pad when nothing is on its way through it. */
typedef struct {
  Storm *storm;
  GstElement *element; /* to be inserted, or NULL */
  guint number;
} Change;

static void
free_change (gpointer user_data)
{
  Change *change = user_data;

  gst_clear_object (&change->element);
  g_free (change);
}

static void
forget (Storm *storm, GstElement *element)
{
  for (guint i = 0; i < G_N_ELEMENTS (storm->elements); i++)
    if (storm->elements[i] == element)
      storm->elements[i] = NULL;
  g_ptr_array_remove (storm->chain, element);
}

static void
remove_behind (Storm *storm, GstPad *pad, GstPad *peer)
{
  GstElement *element = gst_pad_get_parent_element (peer);
  GstPad *out, *next;

  if (!element || !storm_is_ours (element)) {
    gst_clear_object (&element);
    return;
  }
  g_mutex_lock (&storm->lock);
  forget (storm, element);
  g_mutex_unlock (&storm->lock);
  out = gst_element_get_static_pad (element, "src");
  next = gst_pad_get_peer (out);
  gst_pad_unlink (pad, peer);
  gst_pad_unlink (out, next);
  /* The pipeline may be on its way to PLAYING. */
  gst_element_set_locked_state (element, TRUE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (storm->pipeline), element);
  gst_pad_link_full (pad, next, GST_PAD_LINK_CHECK_NOTHING);
  gst_object_unref (next);
  gst_object_unref (out);
  gst_object_unref (element);
}

static void
insert_behind (Change *change, GstPad *pad, GstPad *peer)
{
  Storm *storm = change->storm;
  GstElement *element = g_steal_pointer (&change->element);
  GstPad *in = gst_element_get_static_pad (element, "sink"), *out = gst_element_get_static_pad (element, "src");

  gst_pad_unlink (pad, peer);
  gst_bin_add (GST_BIN (storm->pipeline), element);
  gst_pad_link_full (pad, in, GST_PAD_LINK_CHECK_NOTHING);
  gst_pad_link_full (out, peer, GST_PAD_LINK_CHECK_NOTHING);
  gst_element_sync_state_with_parent (element);
  g_mutex_lock (&storm->lock);
  storm->elements[change->number] = element;
  g_ptr_array_add (storm->chain, element);
  g_mutex_unlock (&storm->lock);
  gst_object_unref (in);
  gst_object_unref (out);
  gst_object_unref (element);
}

static GstPadProbeReturn
change_at (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Change *change = user_data;
  GstPad *peer;

  /* The state of the pipeline must not change meanwhile, and who changes it may be waiting for this thread. */
  if (!g_mutex_trylock (&change->storm->changing))
    return GST_PAD_PROBE_REMOVE;
  /* A pad through which a serialized query goes, such as that for an allocation, counts as idle. While the pipeline is
   * paused, the query waits in a queue, and an element before that cannot be stopped. */
  if (GST_STATE_TARGET (change->storm->pipeline) == GST_STATE_PAUSED) {
    g_mutex_unlock (&change->storm->changing);
    return GST_PAD_PROBE_REMOVE;
  }
  peer = gst_pad_get_peer (pad);
  if (peer) {
    if (change->element)
      insert_behind (change, pad, peer);
    else
      remove_behind (change->storm, pad, peer);
    gst_object_unref (peer);
  }
  g_mutex_unlock (&change->storm->changing);
  return GST_PAD_PROBE_REMOVE;
}

/* At the pad of the source or of an element of the chain. */
static void
change_somewhere (Storm *storm, StormRandom *random, GstElement *element, guint number)
{
  Change *change = g_new (Change, 1);
  GstElement *before;
  GstPad *pad;
  guint place;

  *change = (Change){storm, element, number};
  g_mutex_lock (&storm->lock);
  place = storm_below (random, storm->chain->len + 1);
  before = gst_object_ref (place == storm->chain->len ? storm->source : storm->chain->pdata[place]);
  g_mutex_unlock (&storm->lock);
  pad = frames_pad (before);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_IDLE, change_at, change, free_change);
  gst_object_unref (pad);
  gst_object_unref (before);
}

void
storm_insert (Storm *storm, StormRandom *random, guint step)
{
  const guint number = STORM_MAX_ELEMENTS + step;
  GstElement *element = make_ours (storm, random, number);

  change_somewhere (storm, random, gst_object_ref_sink (element), number);
}

void
storm_remove (Storm *storm, StormRandom *random)
{
  change_somewhere (storm, random, NULL, 0);
}
