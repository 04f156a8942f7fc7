/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudaforeground
 * @title: cudaforeground
 * @short_description: Foreground mask
 *
 * Replaces each frame by the mask of its foreground: white foreground on black, in the format of the input. The foreground
 * is what cudacca and cudaborders with the same properties find components and contours in.
 *
 * Its steps are a channel, a threshold or ranges of colours, inversion, opening, closing, the filling of holes, and the
 * removal of what touches the border. Each is identical to OpenCV's, or scikit-image's, on the GPU and on the CPU.
 *
 * Metadata that describes the picture is kept.
 *
 * With #GstForegroundFilter:post-messages the element posts an element message "cudaforeground" for each frame, and waits
 * for the frame to do so.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc pattern=smpte num-buffers=50 ! video/x-raw,format=RGB
 * ! cudaforeground color-range="hue=50-70,saturation=100-255" close-size=5 ! videoconvert ! autovideosink
 * ]| Shows where the picture is green. Without a GPU it runs on the CPU.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudaforeground.h"

#include "gst/base/framemessage.h"
#include "gst/canny/edgeplane.h"

GST_DEBUG_CATEGORY_STATIC (gst_cuda_foreground_debug);
#define GST_CAT_DEFAULT gst_cuda_foreground_debug

struct _GstCudaForeground {
  GstForegroundFilter parent;

  CtrMask *mask;    /* while started */
  gboolean drawing; /* a frame is queued */
};

G_DEFINE_TYPE (GstCudaForeground, gst_cuda_foreground, GST_TYPE_FOREGROUND_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudaforeground, "cudaforeground", GST_RANK_NONE, GST_TYPE_CUDA_FOREGROUND,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_foreground_debug, "cudaforeground", 0, "cudaforeground element"))

static gboolean
gst_cuda_foreground_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaForeground *self = GST_CUDA_FOREGROUND (filter);

  self->mask = ctr_mask_new (backend, error);
  return self->mask != NULL;
}

static void
gst_cuda_foreground_close (GstContoursFilter *filter)
{
  g_clear_pointer (&GST_CUDA_FOREGROUND (filter)->mask, ctr_mask_free);
}

/* Waits for the threshold of the frame that is queued, and posts it. */
static gboolean
report_threshold (GstCudaForeground *self, GstBuffer *buffer, CtrError *error)
{
  guint32 threshold;

  self->drawing = FALSE;
  if (!ctr_mask_finish (self->mask, error) || !ctr_mask_get_threshold (self->mask, &threshold, error))
    return FALSE;
  frame_message_post (GST_CONTOURS_FILTER (self), buffer, "cudaforeground", "threshold", G_TYPE_UINT, threshold, NULL);
  return TRUE;
}

static gboolean
gst_cuda_foreground_render (GstContoursFilter *filter, const CtrImage *image, const GstVideoFrame *in,
    GstVideoFrame *out, gpointer stream, CtrError *error)
{
  GstCudaForeground *self = GST_CUDA_FOREGROUND (filter);
  CtrForeground foreground;
  CtrEdgePicture picture = {.plane_count = GST_VIDEO_FRAME_N_PLANES (out), .memory = image->memory};

  if (!gst_foreground_filter_get_foreground (GST_FOREGROUND_FILTER (self), image, in->buffer, &foreground, error))
    return FALSE;
  for (guint i = 0; i < picture.plane_count; i++)
    edge_plane_describe (&picture.planes[i], out, NULL, i);
  self->drawing = ctr_mask_enqueue (self->mask, image, &foreground, &picture, stream, error);
  return self->drawing
         && (!gst_foreground_filter_get_post_messages (GST_FOREGROUND_FILTER (self))
             || report_threshold (self, out->buffer, error));
}

static gboolean
gst_cuda_foreground_finish (GstContoursFilter *filter, CtrError *error)
{
  GstCudaForeground *self = GST_CUDA_FOREGROUND (filter);
  const gboolean drawing = self->drawing;

  self->drawing = FALSE;
  return !drawing || ctr_mask_finish (self->mask, error);
}

static void
gst_cuda_foreground_init (GstCudaForeground *self)
{
}

static void
gst_cuda_foreground_class_init (GstCudaForegroundClass *klass)
{
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);

  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "CUDA foreground mask",
      "Filter/Effect/Video/Hardware", "Replaces each frame by the mask of its foreground, made on the GPU or CPU",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_foreground_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_foreground_close);
  filter_class->finish = GST_DEBUG_FUNCPTR (gst_cuda_foreground_finish);
  filter_class->render = GST_DEBUG_FUNCPTR (gst_cuda_foreground_render);
  gst_contours_filter_class_limit_packed_yuv (filter_class, TRUE);
}
