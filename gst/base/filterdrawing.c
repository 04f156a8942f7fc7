/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing that may still be queued on the GPU when the base class pushes its frame. */
#include "gst/base/gstcontoursfilter-private.h"

gboolean
contours_filter_finish_drawing (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gboolean pushed, finished;
  CtrError error;

  if (!priv->drawn)
    return TRUE;
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

gboolean
contours_filter_hand_over_drawing (GstContoursFilter *self, GstBuffer *buffer, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  GstContoursGpuOrder order = GST_CONTOURS_GPU_ORDER_NONE;
  GstMiniObject *kept = NULL;
  gboolean ok;

  if (priv->cuda_caps)
    order = gst_contours_gpu_get_order (contours_filter_first_memory (buffer), &kept);
  ok = order != GST_CONTOURS_GPU_ORDER_DEFAULT_STREAM || klass->lead_default (self, error);
  if (ok && order != GST_CONTOURS_GPU_ORDER_NONE) {
    priv->drawn = kept;
    return TRUE;
  }
  ok = klass->finish (self, ok ? error : NULL) && ok;
  gst_clear_mini_object (&kept);
  contours_filter_drop_copied (self);
  return ok;
}
