/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing that may still be queued on the GPU when the base class pushes its frame. */
#include "gst/base/gstcontoursfilter-private.h"

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
  gst_clear_buffer (&priv->rendered);
  contours_filter_drop_copied (self);
  if (!pushed || !finished)
    contours_filter_post_error (self, &error);
  return pushed && finished;
}

/* Orders the users of BUFFER after the work on STREAM. *WAITS: the host has to wait for it. */
static gboolean
order_users (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, gboolean *waits, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstMemory *memory = contours_filter_first_memory (buffer);

  *waits = !priv->cuda_caps || gst_contours_gpu_stream_for (&priv->gpu, memory) != stream;
  if (*waits || contours_filter_is_ordered (self, stream))
    return TRUE;
  *waits = contours_filter_waits (self, buffer);
  return gst_contours_gpu_mark (&priv->gpu, memory, error) && (*waits || contours_filter_share (self, buffer, error));
}

gboolean
contours_filter_hand_over_drawing (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  gboolean waits, ok = order_users (self, buffer, stream, &waits, error);

  if (ok && !waits) {
    priv->is_drawing = TRUE;
    /* An element that renders must not hold the memory of its new frame: downstream could not write it. */
    if (!klass->render || contours_filter_is_ordered (self, stream))
      priv->drawn = gst_contours_gpu_keep (contours_filter_first_memory (buffer));
    return TRUE;
  }
  ok = klass->finish (self, ok ? error : NULL) && ok;
  contours_filter_drop_copied (self);
  return ok && contours_filter_share (self, buffer, error);
}

/* The frame that rendering reads may return to its pool, and be written there, after the rendering only. It is held while
 * the new frame goes downstream, so that nobody waits for it meanwhile. */
static GstFlowReturn
gst_contours_filter_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (parent);
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstFlowReturn ret = priv->chain (pad, parent, buffer);

  if (priv->rendered && !contours_filter_finish_drawing (self) && ret == GST_FLOW_OK)
    return GST_FLOW_ERROR;
  return ret;
}

void
contours_filter_hold_rendered (GstContoursFilter *self)
{
  GstPad *pad = GST_BASE_TRANSFORM_SINK_PAD (self);

  PRIVATE (self)->chain = GST_PAD_CHAINFUNC (pad);
  gst_pad_set_chain_function (pad, GST_DEBUG_FUNCPTR (gst_contours_filter_chain));
}
