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

/* Whether marks of the memory order the work of our elements on BUFFER: it has no stream, and is worked on in STREAM. */
static gboolean
has_marks (GstContoursFilter *self, GstBuffer *buffer, gpointer stream)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  return !contours_filter_is_ordered (self, stream)
         && gst_contours_gpu_stream_for (&priv->gpu, contours_filter_first_memory (buffer)) == stream;
}

/* Whether the host has to wait for the work on BUFFER in STREAM. */
static gboolean
has_to_wait (GstContoursFilter *self, GstBuffer *buffer, gpointer stream)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (!priv->cuda_caps || gst_contours_gpu_stream_for (&priv->gpu, contours_filter_first_memory (buffer)) != stream)
    return TRUE;
  return has_marks (self, buffer, stream) && contours_filter_waits (self, buffer);
}

static gboolean
wait_for_drawing (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  const gboolean finished = GST_CONTOURS_FILTER_GET_CLASS (self)->finish (self, error);

  contours_filter_drop_copied (self);
  return finished
         && (!has_marks (self, buffer, stream)
             || gst_contours_gpu_mark_done (&priv->gpu, contours_filter_first_memory (buffer), error));
}

gboolean
contours_filter_hand_over_drawing (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  GstMemory *memory = contours_filter_first_memory (buffer);

  if (has_to_wait (self, buffer, stream))
    return wait_for_drawing (self, buffer, stream, error);
  if (has_marks (self, buffer, stream)
      && !(gst_contours_gpu_mark (&priv->gpu, memory, error) && contours_filter_share (self, buffer, error))) {
    klass->finish (self, NULL);
    contours_filter_drop_copied (self);
    return FALSE;
  }
  priv->is_drawing = TRUE;
  /* An element that renders must not hold the memory of its new frame: downstream could not write it. */
  if (!klass->render || contours_filter_is_ordered (self, stream))
    priv->drawn = gst_contours_gpu_keep (memory);
  return TRUE;
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
