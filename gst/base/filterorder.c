/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Order of the work of several elements on one frame, in CUDA memory that has no stream. */
#include "gst/base/gstcontoursfilter-private.h"

#include <contours/event.h>

#define MOST_LEADING 2 /* elements of the process: an edge detector and an overlay */

static gint drawing_filters; /* started elements of the process that draw or render; atomic */

void
contours_filter_count_drawing (GstContoursFilter *self, CtrBackend backend, gint change)
{
  if (backend == CTR_BACKEND_CUDA && GST_CONTOURS_FILTER_GET_CLASS (self)->finish)
    g_atomic_int_add (&drawing_filters, change);
}

/* With many elements, a stream that waits for another one holds up others. */
static gboolean
may_wait_on_gpu (void)
{
  return g_atomic_int_get (&drawing_filters) <= (gint) ctr_event_queue_count ();
}

/* Our element whose frames SELF gets first (transfer full), or NULL. */
static GstContoursFilter *
find_feeder (GstContoursFilter *self)
{
  GstPad *peer = gst_pad_get_peer (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstObject *parent = peer ? gst_object_get_parent (GST_OBJECT_CAST (peer)) : NULL;

  if (parent && !GST_IS_CONTOURS_FILTER (parent))
    gst_clear_object (&parent);
  gst_clear_object (&peer);
  return (GstContoursFilter *) parent;
}

/* Elements in one stream need not wait for one another, but the work of several on a frame does not overlap. */
void
contours_filter_choose_stream (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilter *feeder = may_wait_on_gpu () ? NULL : find_feeder (self);

  if (g_atomic_int_get (&priv->in_use) == CTR_BACKEND_CUDA && priv->cuda_caps)
    gst_contours_gpu_use_stream_of (&priv->gpu, feeder ? &PRIVATE (feeder)->gpu : NULL);
  gst_clear_object (&feeder);
}

gboolean
contours_filter_is_ordered (GstContoursFilter *self, gpointer stream)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  return !priv->cuda_caps || stream != priv->gpu.stream;
}

gboolean
contours_filter_take_frames (
    GstContoursFilter *self, GstBuffer *buffer, GstBuffer *outbuf, gpointer stream, CtrError *error)
{
  GstContoursGpu *gpu = &PRIVATE (self)->gpu;
  GstMemory *memory = contours_filter_first_memory (buffer);

  if (contours_filter_is_ordered (self, stream))
    return TRUE;
  if (GST_CONTOURS_FILTER_GET_CLASS (self)->draw) /* a copy has been taken when it was made */
    return PRIVATE (self)->copied || gst_contours_gpu_begin_write (gpu, memory, error);
  return gst_contours_gpu_begin_read (gpu, memory, error)
         && (!outbuf || gst_contours_gpu_begin_write (gpu, contours_filter_first_memory (outbuf), error));
}

static gboolean
has_probes (GstPad *pad)
{
  gboolean has;

  GST_OBJECT_LOCK (pad);
  has = pad->num_probes > 0;
  GST_OBJECT_UNLOCK (pad);
  return has;
}

/* Whether one of our elements gets the frames that SELF pushes before anyone else can look at them. */
static gboolean
feeds_ours (GstContoursFilter *self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD (self), *peer = gst_pad_get_peer (pad);
  GstObject *parent = peer ? gst_object_get_parent (GST_OBJECT_CAST (peer)) : NULL;
  gboolean ours = parent && GST_IS_CONTOURS_FILTER (parent) && !has_probes (pad) && !has_probes (peer);

  gst_clear_object (&parent);
  gst_clear_object (&peer);
  return ours;
}

/* A frame that is dropped on its way to one of ours returns to its pool. Whoever takes it from there must be ordered by
 * its mark, too. */
static gboolean
stays_private (GstContoursFilter *self, GstBuffer *buffer)
{
  return gst_contours_gpu_has_owner (buffer) && feeds_ours (self);
}

/* The default stream makes every stream of the context wait that synchronises with it. With one stream of frames that
 * costs nothing, but with several, waiting for the drawing on the host is faster. */
static gboolean
leads_default (void)
{
  return gst_contours_gpu_has_default_order () && g_atomic_int_get (&drawing_filters) <= MOST_LEADING;
}

gboolean
contours_filter_waits (GstContoursFilter *self, GstBuffer *buffer)
{
  return !leads_default () && !stays_private (self, buffer);
}

gboolean
contours_filter_share (GstContoursFilter *self, GstBuffer *buffer, CtrError *error)
{
  GstMemory *memory = contours_filter_first_memory (buffer);

  if (!gst_contours_gpu_is_private (memory) || stays_private (self, buffer))
    return TRUE;
  return gst_contours_gpu_share (memory, leads_default (), error);
}
