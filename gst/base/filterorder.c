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

/* Elements in one stream need not wait for one another, but the work of several on a frame does not overlap. */
void
contours_filter_choose_stream (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilter *feeder = NULL;

  if (g_atomic_int_get (&priv->in_use) != CTR_BACKEND_CUDA || !priv->cuda_caps)
    return; /* Without a backend, which another context may have refused, the element may have no stream of its own. */
  if (!may_wait_on_gpu ())
    feeder = contours_filter_find_linked (GST_BASE_TRANSFORM_SINK_PAD (self), NULL);
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

/* Whether one of our elements gets the frames that SELF pushes before anyone else can look at them. */
static gboolean
feeds_ours (GstContoursFilter *self)
{
  ContoursLink link;
  GstContoursFilter *next = contours_filter_find_linked (GST_BASE_TRANSFORM_SRC_PAD (self), &link);
  const gboolean ours = next && !link.is_probed;

  gst_clear_object (&next);
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
