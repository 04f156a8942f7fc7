/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/gpuorder.h"

#include <contours/event.h>

struct _GstContoursGpuStream {
  gpointer handle; /* CUstream */
  void (*free) (gpointer handle);
  GstObject *context;
  gint refs; /* atomic */
};

/* The end of the work that is queued on a memory. */
typedef struct _Mark {
  GstContoursGpuEvents *events;
  CtrEvent *event;
  gpointer stream;    /* of the work; NULL: the default stream */
  gboolean is_done;   /* There is no such work any more, and nothing is recorded. */
  gint refs;          /* atomic */
  gint is_shared;     /* atomic: everyone else is ordered after the event, and may have the memory */
  struct _Mark *next; /* of the unused marks */
} Mark;

struct _GstContoursGpuEvents {
  GstObject *context;
  GMutex lock;
  Mark *unused; /* under the lock */
  gint refs;    /* atomic; of the owner and of each mark in use */
};

/* Any thread may look at a mark while the one that writes the memory replaces it. Each lock serves many memories. */
static GMutex locks[16];

static GMutex *
lock_of (GstMemory *memory)
{
  return &locks[(GPOINTER_TO_SIZE (memory) >> 6) % G_N_ELEMENTS (locks)];
}

static GQuark
mark_quark (void)
{
  return g_quark_from_static_string ("GstContoursGpuMark");
}

GstContoursGpuStream *
gpu_stream_new (GstObject *context, gpointer handle, void (*free) (gpointer handle))
{
  GstContoursGpuStream *stream = g_new (GstContoursGpuStream, 1);

  *stream = (GstContoursGpuStream){handle, free, gst_object_ref (context), 1};
  return stream;
}

static GstContoursGpuStream *
stream_ref (GstContoursGpuStream *stream)
{
  g_atomic_int_inc (&stream->refs);
  return stream;
}

static void
stream_unref (GstContoursGpuStream *stream)
{
  if (!g_atomic_int_dec_and_test (&stream->refs))
    return;
  if (gst_contours_gpu_enter (stream->context, NULL)) { /* a lost context has lost its streams, too */
    stream->free (stream->handle);
    gst_contours_gpu_leave ();
  }
  gst_object_unref (stream->context);
  g_free (stream);
}

/* Takes the reference to STREAM. */
static void
use_stream (GstContoursGpu *gpu, GstContoursGpuStream *stream)
{
  GstContoursGpuStream *before;

  g_rec_mutex_lock (&gpu->lock);
  before = gpu->used;
  gpu->used = stream;
  gpu->stream = stream ? stream->handle : NULL;
  g_rec_mutex_unlock (&gpu->lock);
  if (before)
    stream_unref (before);
}

void
gpu_stream_clear (GstContoursGpu *gpu)
{
  use_stream (gpu, NULL);
  g_clear_pointer (&gpu->own, stream_unref);
}

void
gst_contours_gpu_use_stream_of (GstContoursGpu *gpu, GstContoursGpu *other)
{
  GstContoursGpuStream *wanted = NULL;

  if (other) {
    g_rec_mutex_lock (&other->lock);
    if (other->used && other->context == gpu->context)
      wanted = stream_ref (other->used);
    g_rec_mutex_unlock (&other->lock);
  }
  if (!wanted)
    wanted = stream_ref (gpu->own);
  if (wanted == gpu->used)
    stream_unref (wanted);
  else
    use_stream (gpu, wanted);
}

GstContoursGpuEvents *
gpu_events_new (GstObject *context)
{
  GstContoursGpuEvents *events = g_new0 (GstContoursGpuEvents, 1);

  events->context = gst_object_ref (context);
  g_mutex_init (&events->lock);
  events->refs = 1;
  return events;
}

static void
free_events (GstContoursGpuEvents *events)
{
  const gboolean entered = gst_contours_gpu_enter (events->context, NULL);

  while (events->unused) {
    Mark *mark = events->unused;

    events->unused = mark->next;
    if (entered) /* a lost context has lost its events, too */
      ctr_event_free (mark->event);
    g_free (mark);
  }
  if (entered)
    gst_contours_gpu_leave ();
  gst_object_unref (events->context);
  g_mutex_clear (&events->lock);
  g_free (events);
}

void
gpu_events_unref (GstContoursGpuEvents *events)
{
  if (g_atomic_int_dec_and_test (&events->refs))
    free_events (events);
}

static void
mark_unref (gpointer data)
{
  Mark *mark = data;
  GstContoursGpuEvents *events = mark->events;

  if (!g_atomic_int_dec_and_test (&mark->refs))
    return;
  g_mutex_lock (&events->lock);
  mark->next = events->unused;
  events->unused = mark;
  g_mutex_unlock (&events->lock);
  gpu_events_unref (events);
}

static Mark *
take_unused (GstContoursGpuEvents *events)
{
  Mark *mark;

  g_mutex_lock (&events->lock);
  mark = events->unused;
  if (mark)
    events->unused = mark->next;
  g_mutex_unlock (&events->lock);
  return mark;
}

/* A new mark for work on STREAM, with one reference. Its event is not recorded yet. */
static Mark *
new_mark (GstContoursGpuEvents *events, gpointer stream, CtrError *error)
{
  Mark *mark = take_unused (events);

  if (!mark) {
    CtrEvent *event = ctr_event_new (error);

    if (!event)
      return NULL;
    mark = g_new0 (Mark, 1);
    mark->event = event;
  }
  g_atomic_int_inc (&events->refs);
  mark->events = events;
  mark->stream = stream;
  mark->refs = 1;
  mark->is_shared = mark->is_done = FALSE;
  return mark;
}

/* A new mark behind the work on STREAM. */
static Mark *
record (GstContoursGpuEvents *events, gpointer stream, CtrError *error)
{
  Mark *mark = new_mark (events, stream, error);

  if (!mark)
    return NULL;
  mark->is_done = !stream && ctr_event_is_default_stream_idle ();
  if (mark->is_done || ctr_event_record (mark->event, stream, error))
    return mark;
  mark_unref (mark);
  return NULL;
}

/* The mark of MEMORY, with a new reference, or NULL. */
static Mark *
get_mark (GstMemory *memory)
{
  Mark *mark;

  g_mutex_lock (lock_of (memory));
  mark = gst_mini_object_get_qdata (GST_MINI_OBJECT_CAST (memory), mark_quark ());
  if (mark)
    g_atomic_int_inc (&mark->refs);
  g_mutex_unlock (lock_of (memory));
  return mark;
}

static void
clear_mark (Mark *mark)
{
  if (mark)
    mark_unref (mark);
}

/* Takes the reference to MARK. */
static void
set_mark (GstMemory *memory, Mark *mark)
{
  g_mutex_lock (lock_of (memory));
  gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (memory), mark_quark (), mark, mark_unref);
  g_mutex_unlock (lock_of (memory));
}

static gboolean
follow (GstContoursGpu *gpu, const Mark *mark, CtrError *error)
{
  return mark->is_done || mark->stream == gpu->stream || ctr_event_lead (mark->event, gpu->stream, error);
}

/* Makes the stream of GPU wait for the default stream, and so for all elements that are not ours. */
static Mark *
follow_default (GstContoursGpu *gpu, CtrError *error)
{
  Mark *mark = record (gpu->events, NULL, error);

  if (mark && !follow (gpu, mark, error))
    g_clear_pointer (&mark, mark_unref);
  if (mark)
    g_atomic_int_set (&mark->is_shared, TRUE);
  return mark;
}

/* All elements of GStreamer wait for their work before they push a frame. The exception is GStreamer 1.22's copy of a
 * memory, which is queued on the default stream. A copy is in memory that is new, and so has no mark. */
gboolean
gst_contours_gpu_begin_read (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  Mark *mark = get_mark (memory);
  gboolean ok = TRUE;

  if (mark) {
    ok = follow (gpu, mark, error);
    mark_unref (mark);
    return ok;
  }
  mark = follow_default (gpu, error);
  if (!mark)
    return FALSE;
  set_mark (memory, mark);
  return TRUE;
}

/* The same copy may still read the memory, even though whoever made it has released the memory. */
gboolean
gst_contours_gpu_begin_write (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  Mark *mark = get_mark (memory);
  gboolean ok = !mark || follow (gpu, mark, error);

  if (ok && (!mark || g_atomic_int_get (&mark->is_shared))) {
    clear_mark (mark);
    mark = follow_default (gpu, error);
    ok = mark != NULL;
  }
  clear_mark (mark);
  return ok;
}

gboolean
gst_contours_gpu_mark (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  Mark *mark = record (gpu->events, gpu->stream, error);

  if (!mark)
    return FALSE;
  set_mark (memory, mark);
  return TRUE;
}

gboolean
gst_contours_gpu_mark_done (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  Mark *mark = new_mark (gpu->events, gpu->stream, error);

  if (!mark)
    return FALSE;
  mark->is_done = mark->is_shared = TRUE;
  set_mark (memory, mark);
  return TRUE;
}

gboolean
gst_contours_gpu_share (GstMemory *memory, gboolean by_default_stream, CtrError *error)
{
  Mark *mark = get_mark (memory);
  gboolean ok = TRUE;

  if (mark && !g_atomic_int_get (&mark->is_shared) && (ok = gst_contours_gpu_enter (mark->events->context, error))) {
    if (!mark->is_done)
      ok = by_default_stream ? ctr_event_lead (mark->event, NULL, error) : ctr_event_wait (mark->event, error);
    gst_contours_gpu_leave ();
    if (ok)
      g_atomic_int_set (&mark->is_shared, TRUE);
  }
  clear_mark (mark);
  return ok;
}

gboolean
gst_contours_gpu_is_private (GstMemory *memory)
{
  Mark *mark = gst_contours_gpu_is_memory (memory) ? get_mark (memory) : NULL;
  const gboolean is_private = mark && !g_atomic_int_get (&mark->is_shared);

  clear_mark (mark);
  return is_private;
}

static gboolean
owner_meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  return TRUE;
}

/* The buffer returns to its pool. Its memory is written again after everyone else's work that is queued by now, not by
 * then: that would be the work on later frames, too. */
static void
owner_meta_free (GstMeta *meta, GstBuffer *buffer)
{
  GstMemory *memory = gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : NULL;
  Mark *mark = memory ? get_mark (memory) : NULL, *released;
  CtrError error;

  /* Memory that others hold does not return to the pool, and stays shared. */
  if (mark && g_atomic_int_get (&mark->is_shared) && gst_memory_is_writable (memory)
      && gst_contours_gpu_enter (mark->events->context, NULL)) {
    released = record (mark->events, NULL, &error);
    if (released)
      set_mark (memory, released);
    gst_contours_gpu_leave ();
  }
  clear_mark (mark);
}

/* A copy of the buffer does not get this: it is not from the pool. */
static const GstMetaInfo *
owner_meta_info (void)
{
  static const gchar *tags[] = {GST_META_TAG_MEMORY_STR, NULL};
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter (&info)) {
    const GType api = gst_meta_api_type_register ("GstContoursOwnerMetaAPI", tags);

    g_once_init_leave (&info,
        gst_meta_register (api, "GstContoursOwnerMeta", sizeof (GstMeta), owner_meta_init, owner_meta_free, NULL));
  }
  return info;
}

void
gst_contours_gpu_add_owner (GstBuffer *buffer)
{
  gst_buffer_add_meta (buffer, owner_meta_info (), NULL);
}

gboolean
gst_contours_gpu_has_owner (GstBuffer *buffer)
{
  return gst_buffer_get_meta (buffer, owner_meta_info ()->api) != NULL;
}
