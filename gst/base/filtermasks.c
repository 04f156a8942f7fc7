/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Analysis of the masks that a frame carries, in place of the frame: each has a result of its own, in the pixels of the mask,
 * which the mapping of the metadata places in the frame. */
#include "gst/base/gstcontoursfilter-private.h"

#include <contours/input.h>

static gboolean
refuse (CtrError *error, const gchar *problem)
{
  error->status = CTR_ERROR_INVALID_ARGUMENT;
  g_strlcpy (error->message, problem, sizeof error->message);
  return FALSE;
}

static gboolean
check_settings (GstContoursFilter *self, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (!frame_masks_are_supported ())
    return refuse (error, "masks need " FRAME_MASKS_NEED);
  if (priv->strips.enabled)
    return refuse (error, "strip-mode=true cannot analyse masks, as each belongs to one frame");
  if (priv->calibration.current)
    return refuse (error, "calibration-location cannot be used with masks, as it is one of the frame's pixels");
  return TRUE;
}

/* Warns once where no element upstream can have made masks. A frame in which nothing was found has none. */
static void
check_metadata (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (priv->warned_masks || frame_masks_may_exist (buffer))
    return;
  priv->warned_masks = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("No masks: the frame has no GstAnalyticsRelationMeta. Put an element that segments before this one, and none "
       "between them that drops its metadata."),
      (NULL));
}

/* Whether the GPU can read the pixels of MASK where they are. */
static gboolean
is_on_device (GstContoursFilter *self, const FrameMask *mask)
{
  GstMemory *memory = contours_filter_first_memory (mask->buffer);

  return g_atomic_int_get (&PRIVATE (self)->in_use) == CTR_BACKEND_CUDA && gst_buffer_n_memory (mask->buffer) == 1
         && gst_contours_gpu_is_memory (memory) && !gst_contours_gpu_is_foreign (&PRIVATE (self)->gpu, memory);
}

/* Waits for the last result: nothing else keeps the GPU's memory of a mask as it is while the analysis reads it. */
static gboolean
settle (GstContoursFilter *self, CtrError *error)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  return !klass->settle || klass->settle (self, error);
}

static gboolean
analyze_mask (GstContoursFilter *self, FrameMask *mask, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  const gboolean device = is_on_device (self, mask);
  GstVideoFrame frame;
  CtrImage image;
  gboolean ok;

  if (device)
    stream = gst_contours_gpu_stream_for (&PRIVATE (self)->gpu, contours_filter_first_memory (mask->buffer));
  if (!gst_video_frame_map (&frame, &mask->info, mask->buffer, GST_MAP_READ | (device ? GST_CONTOURS_MAP_CUDA : 0)))
    return refuse (
        error, "a mask of the frame cannot be mapped for reading: its buffer does not match its GstVideoMeta");
  ok = contours_filter_view_frame (&frame, device, &image, error)
       && contours_filter_find (self, &image, mask, buffer, stream, error) && (!device || settle (self, error));
  gst_video_frame_unmap (&frame);
  return ok;
}

gboolean
contours_filter_analyze_masks (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  const GstVideoInfo *info = &PRIVATE (self)->info;
  CtrInput *input;
  GArray *masks;
  gboolean ok = TRUE;

  if (!check_settings (self, error))
    return FALSE;
  check_metadata (self, buffer);
  masks = frame_masks_find (buffer, GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), error);
  if (!masks)
    return FALSE;
  /* What is shared is of the frame. */
  input = ctr_input_set_current (NULL);
  for (guint i = 0; ok && i < masks->len; i++)
    ok = analyze_mask (self, &g_array_index (masks, FrameMask, i), buffer, stream, error);
  ctr_input_set_current (input);
  g_array_unref (masks);
  return ok;
}
