/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of frames that somebody else holds, too, for example after a tee: an element that draws draws on the copy. The
 * copies come from a pool, so that no memory is allocated for a frame. Pixels that will all be replaced are not copied. In CUDA memory the copy is queued on the stream
 * on which the drawing follows. */
#include "gst/base/gstcontoursfilter-private.h"
#include "gst/base/significantbits.h"

gboolean
contours_filter_needs_copy (GstContoursFilter *self, GstBuffer *buffer)
{
  if (PRIVATE (self)->cuda_caps && !gst_contours_gpu_is_memory (contours_filter_first_memory (buffer)))
    return FALSE; /* an error, when it is processed */
  if (!gst_buffer_is_all_memory_writable (buffer))
    return TRUE;
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++)
    if (GST_MEMORY_IS_READONLY (gst_buffer_peek_memory (buffer, i)))
      return TRUE;
  return FALSE;
}

void
contours_filter_drop_copied (GstContoursFilter *self)
{
  gst_clear_mini_object (&PRIVATE (self)->copied);
}

void
contours_filter_abandon_copy (GstContoursFilter *self, GstBuffer *copy)
{
  if (PRIVATE (self)->copied)
    gst_contours_gpu_finish_copy (&PRIVATE (self)->gpu, contours_filter_first_memory (copy));
  contours_filter_drop_copied (self);
}

void
contours_filter_drop_copies (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (priv->copies)
    gst_buffer_pool_set_active (priv->copies, FALSE);
  gst_clear_object (&priv->copies);
}

/* Without a maximum, any number of frames may wait downstream. */
GstBufferPool *
contours_filter_new_pool (GstContoursFilter *self, GstMemory *memory)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstCaps *caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  GstBufferPool *pool;
  GstStructure *config;

  if (priv->cuda_caps) {
    pool = gst_contours_gpu_new_pool (&priv->gpu, caps, memory);
  } else {
    pool = gst_video_buffer_pool_new ();
    config = gst_buffer_pool_get_config (pool);
    gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&priv->info), 0, 0);
    gst_buffer_pool_set_config (pool, config);
  }
  gst_caps_unref (caps);
  if (pool)
    gst_buffer_pool_set_active (pool, TRUE);
  return pool;
}

GstBuffer *
contours_filter_acquire (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstMemory *memory = contours_filter_first_memory (buffer);
  GstBuffer *copy = NULL;

  if (priv->copies && gst_buffer_pool_acquire_buffer (priv->copies, &copy, NULL) == GST_FLOW_OK
      && (!priv->cuda_caps || gst_contours_gpu_share_stream (memory, contours_filter_first_memory (copy))))
    return copy;
  gst_clear_buffer (&copy);
  contours_filter_drop_copies (self);
  priv->copies = contours_filter_new_pool (self, memory);
  if (priv->copies)
    gst_buffer_pool_acquire_buffer (priv->copies, &copy, NULL);
  return copy;
}

/* What describes the memory of the frame does not fit the copy, which has such metadata of its own. */
static gboolean
copy_meta (GstBuffer *buffer, GstMeta **meta, gpointer copy)
{
  const GstMetaInfo *info = (*meta)->info;
  GstMetaTransformCopy all = {.region = FALSE, .offset = 0, .size = -1};

  if (info->transform_func
      && !gst_meta_api_type_has_tag (info->api, g_quark_from_static_string (GST_META_TAG_MEMORY_STR))
      && !gst_meta_api_type_has_tag (info->api, g_quark_from_static_string (GST_META_TAG_MEMORY_REFERENCE_STR)))
    info->transform_func (copy, *meta, buffer, _gst_meta_transform_copy, &all);
  return TRUE;
}

static void
copy_metadata (GstBuffer *copy, GstBuffer *buffer)
{
  const GstVideoMeta *from = gst_buffer_get_video_meta (buffer);
  GstVideoMeta *to = gst_buffer_get_video_meta (copy);

  gst_buffer_copy_into (copy, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_foreach_meta (buffer, copy_meta, copy);
  if (from && to)
    to->flags = from->flags;
}

static gboolean
take_memories (GstContoursFilter *self, GstMemory *read, GstMemory *written, CtrError *error)
{
  GstContoursGpu *gpu = &PRIVATE (self)->gpu;

  return contours_filter_is_ordered (self, gst_contours_gpu_stream_for (gpu, read))
         || (gst_contours_gpu_begin_read (gpu, read, error) && gst_contours_gpu_begin_write (gpu, written, error));
}

/* Queues the copy in CUDA memory, and notes what it depends on. */
static gboolean
queue_copy (GstContoursFilter *self, const GstVideoFrame *from, GstVideoFrame *to, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstMemory *read = contours_filter_first_memory (from->buffer);
  gboolean ok;

  if (!gst_contours_gpu_push (&priv->gpu, error))
    return FALSE;
  contours_filter_drop_copied (self);
  ok = take_memories (self, read, contours_filter_first_memory (to->buffer), error)
       && gst_contours_gpu_copy_frame (&priv->gpu, from, to, error);
  gst_contours_gpu_pop (&priv->gpu);
  if (ok)
    priv->copied = gst_contours_gpu_keep (read);
  else /* a plane may be on its way */
    gst_contours_gpu_finish_copy (&priv->gpu, read);
  return ok;
}

static gboolean
copy_pixels (GstContoursFilter *self, GstBuffer *buffer, GstBuffer *copy)
{
  GstVideoFrame from, to;
  gboolean ok;
  CtrError error;

  if (!contours_filter_map_frame (self, &from, buffer, GST_MAP_READ))
    return FALSE;
  if (!contours_filter_map_frame (self, &to, copy, GST_MAP_WRITE)) {
    gst_video_frame_unmap (&from);
    return FALSE;
  }
  ok = contours_filter_check_planes (&from, &error);
  if (ok && PRIVATE (self)->cuda_caps)
    ok = queue_copy (self, &from, &to, &error);
  else if (ok)
    gst_video_frame_copy (&to, &from);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  if (!ok)
    contours_filter_post_error (self, &error);
  return ok;
}

/* The automatic number of significant bits depends on the pixels. */
static gboolean
needs_pixels (GstContoursFilter *self)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  return !klass->replaces_pixels || !klass->replaces_pixels (self)
         || significant_bits_of_format (PRIVATE (self)->info.finfo) == 0;
}

GstBuffer *
contours_filter_copy_frame (GstContoursFilter *self, GstBuffer *buffer)
{
  const CtrError error = {CTR_ERROR_OUT_OF_MEMORY, "no memory for a copy of a frame that others hold, too"};
  GstBuffer *copy = contours_filter_acquire (self, buffer);

  if (!copy) {
    contours_filter_post_error (self, &error);
    return NULL;
  }
  copy_metadata (copy, buffer);
  if (needs_pixels (self) && !copy_pixels (self, buffer, copy))
    gst_clear_buffer (&copy);
  return copy;
}
