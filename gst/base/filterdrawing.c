/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing that may still be queued on the GPU when the base class pushes its frame. */
#include "gst/base/gstcontoursfilter-private.h"

#define MOST_LEADING 2 /* elements of the process: an edge detector and an overlay */

static gint drawing_filters; /* started elements of the process that draw or render; atomic */

gboolean
contours_filter_finish_drawing (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gboolean pushed, finished;
  CtrError error;

  if (!priv->is_drawing)
    return TRUE;
  priv->is_drawing = FALSE;
  pushed = gst_contours_gpu_push (&priv->gpu, &error);
  finished = GST_CONTOURS_FILTER_GET_CLASS (self)->finish (self, pushed ? &error : NULL);
  if (pushed)
    gst_contours_gpu_pop (&priv->gpu);
  gst_clear_mini_object (&priv->drawn);
  contours_filter_drop_copied (self);
  if (!pushed || !finished)
    contours_filter_post_error (self, &error);
  return pushed && finished;
}

/* How readers of BUFFER are ordered after the work on STREAM. The default stream makes every stream of the context wait
 * that synchronises with it. With one stream of frames that costs nothing, but with several, waiting for the drawing on
 * the host is faster. */
static GstContoursGpuOrder
get_order (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, GstMiniObject **kept)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstMemory *memory = contours_filter_first_memory (buffer);
  GstContoursGpuOrder order;

  if (!priv->cuda_caps)
    return GST_CONTOURS_GPU_ORDER_NONE;
  order = gst_contours_gpu_get_order (memory, kept);
  if ((order == GST_CONTOURS_GPU_ORDER_OWN_STREAM && gst_contours_gpu_stream_for (&priv->gpu, memory) != stream)
      || (order == GST_CONTOURS_GPU_ORDER_DEFAULT_STREAM && g_atomic_int_get (&drawing_filters) > MOST_LEADING)) {
    gst_clear_mini_object (kept);
    return GST_CONTOURS_GPU_ORDER_NONE;
  }
  return order;
}

gboolean
contours_filter_hand_over_drawing (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  GstMiniObject *kept = NULL;
  GstContoursGpuOrder order = get_order (self, buffer, stream, &kept);
  gboolean ok = order != GST_CONTOURS_GPU_ORDER_DEFAULT_STREAM || klass->lead_default (self, error);

  if (ok && order != GST_CONTOURS_GPU_ORDER_NONE) {
    /* An element that renders must not hold the memory of its new frame: downstream could not write it. */
    if (klass->render && order == GST_CONTOURS_GPU_ORDER_DEFAULT_STREAM)
      gst_clear_mini_object (&kept);
    priv->is_drawing = TRUE;
    priv->drawn = kept;
    return TRUE;
  }
  ok = klass->finish (self, ok ? error : NULL) && ok;
  gst_clear_mini_object (&kept);
  contours_filter_drop_copied (self);
  return ok;
}

void
contours_filter_count_drawing (GstContoursFilter *self, CtrBackend backend, gint change)
{
  if (backend == CTR_BACKEND_CUDA && GST_CONTOURS_FILTER_GET_CLASS (self)->finish)
    g_atomic_int_add (&drawing_filters, change);
}
