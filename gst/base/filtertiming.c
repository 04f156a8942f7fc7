/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of frames on the GPU, for those who connect to the signal "gpu-time". */
#include "gst/base/gstcontoursfilter-private.h"

static guint gpu_time;

void
contours_filter_install_timing (GstContoursFilterClass *klass)
{
  /**
   * GstContoursFilter::gpu-time:
   * @filter: the element
   * @nanoseconds: the time of one frame
   *
   * The time that the GPU took for a frame: see contours/gputime.h. It is measured only while somebody is connected, and
   * comes later than the frame, often with the next one. The CPU backend has none. The signal is emitted by the streaming
   * thread, or by the one that stops the element.
   */
  gpu_time = g_signal_new (
      "gpu-time", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT64);
}

CtrGpuClock *
contours_filter_get_clock (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (!g_signal_has_handler_pending (self, gpu_time, 0, FALSE))
    return NULL;
  if (!priv->clock)
    priv->clock = ctr_gpu_clock_new (NULL);
  return priv->clock;
}

void
contours_filter_report_times (GstContoursFilter *self)
{
  CtrGpuClock *clock = PRIVATE (self)->clock;
  guint64 nanoseconds;

  while (clock && ctr_gpu_clock_take (clock, &nanoseconds))
    g_signal_emit (self, gpu_time, 0, nanoseconds);
}
