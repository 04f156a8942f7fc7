/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A build without libgstcuda has this file instead of gstcontoursgpu.c. */
#include "gst/base/gpuorder.h"

void
gst_contours_gpu_init (GstContoursGpu *gpu)
{
  *gpu = (GstContoursGpu){0};
}

void
gst_contours_gpu_clear (GstContoursGpu *gpu)
{
}

gboolean
gst_contours_gpu_open (GstContoursGpu *gpu, GstElement *element, gint device_id, CtrError *error)
{
  error->status = CTR_ERROR_NO_CUDA;
  g_snprintf (error->message, sizeof error->message,
      "this build has no CUDA support; install the CUDA toolkit and gstreamer-cuda-1.0, then rebuild");
  return FALSE;
}

void
gst_contours_gpu_close (GstContoursGpu *gpu)
{
}

void
gst_contours_gpu_use_stream_of (GstContoursGpu *gpu, GstContoursGpu *other)
{
}

gboolean
gst_contours_gpu_push (GstContoursGpu *gpu, CtrError *error)
{
  return TRUE;
}

void
gst_contours_gpu_pop (GstContoursGpu *gpu)
{
}

gint
gst_contours_gpu_get_device_id (GstContoursGpu *gpu)
{
  return -1;
}

gboolean
gst_contours_gpu_is_memory (GstMemory *memory)
{
  return FALSE;
}

gboolean
gst_contours_gpu_will_upload (GstMemory *memory)
{
  return FALSE;
}

gboolean
gst_contours_gpu_is_foreign (GstContoursGpu *gpu, GstMemory *memory)
{
  return FALSE;
}

gboolean
gst_contours_gpu_adopt (GstContoursGpu *gpu, GstMemory *memory, gint device_id, CtrError *error)
{
  return TRUE;
}

gpointer
gst_contours_gpu_stream_for (GstContoursGpu *gpu, GstMemory *memory)
{
  return NULL;
}

gboolean
gst_contours_gpu_has_default_order (void)
{
  return FALSE;
}

GstMiniObject *
gst_contours_gpu_keep (GstMemory *memory)
{
  return NULL;
}

void
gst_contours_gpu_wait_for (GstMemory *memory)
{
}

void
gst_contours_gpu_set_context (GstContoursGpu *gpu, GstElement *element, GstContext *context, gint device_id)
{
}

gboolean
gst_contours_gpu_handle_query (GstContoursGpu *gpu, GstElement *element, GstQuery *query)
{
  return FALSE;
}

GstBufferPool *
gst_contours_gpu_new_pool (GstContoursGpu *gpu, GstCaps *caps, GstMemory *memory)
{
  return NULL;
}

gboolean
gst_contours_gpu_share_stream (GstMemory *a, GstMemory *b)
{
  return TRUE;
}

gboolean
gst_contours_gpu_copy_frame (GstContoursGpu *gpu, const GstVideoFrame *from, GstVideoFrame *to, CtrError *error)
{
  return TRUE;
}

void
gst_contours_gpu_finish_copy (GstContoursGpu *gpu, GstMemory *memory)
{
}

gpointer
gst_contours_gpu_alloc_host (GstObject *context, gsize size)
{
  return NULL;
}

void
gst_contours_gpu_free_host (GstObject *context, gpointer memory)
{
}

gboolean
gst_contours_gpu_provide_pool (GstContoursGpu *gpu, GstQuery *query)
{
  return TRUE;
}

gboolean
gst_contours_gpu_begin_read (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  return TRUE;
}

gboolean
gst_contours_gpu_begin_write (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  return TRUE;
}

gboolean
gst_contours_gpu_mark (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  return TRUE;
}

gboolean
gst_contours_gpu_mark_done (GstContoursGpu *gpu, GstMemory *memory, CtrError *error)
{
  return TRUE;
}

gboolean
gst_contours_gpu_share (GstMemory *memory, gboolean by_default_stream, CtrError *error)
{
  return TRUE;
}

gboolean
gst_contours_gpu_is_private (GstMemory *memory)
{
  return FALSE;
}

void
gst_contours_gpu_add_owner (GstBuffer *buffer)
{
}

gboolean
gst_contours_gpu_has_owner (GstBuffer *buffer)
{
  return FALSE;
}
