/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processing of one frame: mapping, checks, the call of the subclass, errors. */
#include "gst/base/formatname.h"
#include "gst/base/gstcontoursfilter-private.h"

static GstBaseTransformClass *parent_class;

/* The format of the first plane, which the core analyses. */
static CtrFormat
image_format (const GstVideoFormatInfo *info)
{
  switch (GST_VIDEO_FORMAT_INFO_FORMAT (info)) {
    case GST_VIDEO_FORMAT_RGB:
      return CTR_FORMAT_RGB;
    case GST_VIDEO_FORMAT_BGR:
      return CTR_FORMAT_BGR;
    case GST_VIDEO_FORMAT_RGBA:
    case GST_VIDEO_FORMAT_RGBx:
      return CTR_FORMAT_RGBX;
    case GST_VIDEO_FORMAT_BGRA:
    case GST_VIDEO_FORMAT_BGRx:
      return CTR_FORMAT_BGRX;
    case GST_VIDEO_FORMAT_ARGB:
      return CTR_FORMAT_XRGB;
    case GST_VIDEO_FORMAT_ABGR:
      return CTR_FORMAT_XBGR;
    case GST_VIDEO_FORMAT_YUY2:
      return CTR_FORMAT_YUYV;
    case GST_VIDEO_FORMAT_YVYU:
      return CTR_FORMAT_YVYU;
    case GST_VIDEO_FORMAT_UYVY:
      return CTR_FORMAT_UYVY;
    case GST_VIDEO_FORMAT_VYUY:
      return CTR_FORMAT_VYUY;
    default: /* grey samples, or a luma plane */
      return GST_VIDEO_FORMAT_INFO_DEPTH (info, 0) > 8 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  }
}

GstMemory *
contours_filter_first_memory (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : NULL;
}

/* Updates controlled properties to the time of the frame. */
static void
sync_properties (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstClockTime time = GST_BUFFER_PTS (buffer);

  if (trans->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME, time);
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT_CAST (trans), time);
}

/* Switches to the CUDA context of the incoming frames. */
static void
adopt_context (GstContoursFilter *self, GstMemory *memory)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gint device_id;
  gboolean finished;
  CtrError error;

  GST_INFO_OBJECT (self, "switching to the CUDA context of the incoming frames");
  GST_OBJECT_LOCK (self);
  device_id = priv->device_id;
  GST_OBJECT_UNLOCK (self);
  finished = contours_filter_finish_drawing (self);
  contours_filter_end_web (self);
  contours_filter_close_backend (self);
  if (!finished)
    return;
  if (!gst_contours_gpu_adopt (&priv->gpu, memory, device_id, &error)
      || !contours_filter_open_backend (self, CTR_BACKEND_CUDA, &error))
    contours_filter_post_error (self, &error);
  else if (contours_filter_renders (GST_BASE_TRANSFORM_CAST (self)))
    gst_base_transform_reconfigure_src (GST_BASE_TRANSFORM_CAST (self)); /* for a pool of the new context */
}

/* Adopts the CUDA context of the incoming frames, and chooses the stream. This is the place because rendered frames are
 * allocated, and frames copied, between here and transform(). */
static void
gst_contours_filter_before_transform (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstMemory *memory = contours_filter_first_memory (buffer);

  sync_properties (trans, buffer);
  if (g_atomic_int_get (&priv->in_use) < 0 || !priv->cuda_caps || !gst_contours_gpu_is_memory (memory))
    return;
  if (gst_contours_gpu_is_foreign (&priv->gpu, memory))
    adopt_context (self, memory);
  contours_filter_choose_stream (self);
}

/* Checks that the ROWS of PLANE, of ROW bytes each, lie inside the mapped memory: strides and offsets come from a
 * GstVideoMeta that any element may have written. */
static gboolean
check_plane (const GstVideoFrame *frame, guint plane, gsize row, guint rows, CtrError *error)
{
  const GstMapInfo *map = &frame->map[frame->meta ? plane : 0];
  gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane);
  gsize before = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, plane) - map->data, needed;

  error->status = CTR_ERROR_INVALID_ARGUMENT;
  if (stride <= 0 || (gsize) stride < row) {
    g_snprintf (error->message, sizeof error->message,
        "plane %u has a stride of %d bytes, less than a row of %" G_GSIZE_FORMAT, plane, stride, row);
    return FALSE;
  }
  needed = (gsize) stride * (rows - 1) + row;
  if (before > map->size || needed > map->size - before) {
    g_snprintf (error->message, sizeof error->message,
        "plane %u needs %" G_GSIZE_FORMAT " bytes (%u rows, stride %d) from offset %" G_GSIZE_FORMAT
        ", but the buffer has %" G_GSIZE_FORMAT,
        plane, needed, rows, stride, before, map->size);
    return FALSE;
  }
  return TRUE;
}

gboolean
contours_filter_check_planes (const GstVideoFrame *frame, CtrError *error)
{
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (frame); plane++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gsize row;

    gst_video_format_info_component (frame->info.finfo, plane, components);
    row = plane == 0 ? ctr_format_row_size (image_format (frame->info.finfo), GST_VIDEO_FRAME_WIDTH (frame))
                     : (gsize) GST_VIDEO_FRAME_COMP_WIDTH (frame, components[0])
                           * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, components[0]);
    if (!check_plane (frame, plane, row, GST_VIDEO_FRAME_COMP_HEIGHT (frame, components[0]), error))
      return FALSE;
  }
  return TRUE;
}

/* Adds the chroma of FRAME to the view of its luma plane, if all of it lies in the buffer. Only a foreground that needs it
 * reads it, and then an error says that it is missing. */
static void
view_chroma (const GstVideoFrame *frame, CtrImage *image)
{
  const GstVideoFormatInfo *format = frame->info.finfo;
  CtrError ignored;

  if (!GST_VIDEO_FORMAT_INFO_IS_YUV (format) || image->format != CTR_FORMAT_GRAY8
      || GST_VIDEO_FRAME_COMP_STRIDE (frame, 1) != GST_VIDEO_FRAME_COMP_STRIDE (frame, 2)
      || !contours_filter_check_planes (frame, &ignored))
    return;
  image->chroma = (CtrChroma){
      .cb = GST_VIDEO_FRAME_COMP_DATA (frame, GST_VIDEO_COMP_U),
      .cr = GST_VIDEO_FRAME_COMP_DATA (frame, GST_VIDEO_COMP_V),
      .stride = GST_VIDEO_FRAME_COMP_STRIDE (frame, GST_VIDEO_COMP_U),
      .step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, GST_VIDEO_COMP_U),
      .shift_x = GST_VIDEO_FORMAT_INFO_W_SUB (format, GST_VIDEO_COMP_U),
      .shift_y = GST_VIDEO_FORMAT_INFO_H_SUB (format, GST_VIDEO_COMP_U),
  };
}

gboolean
contours_filter_view_frame (const GstVideoFrame *frame, gboolean device, CtrImage *image, CtrError *error)
{
  *image = (CtrImage){
      .data = GST_VIDEO_FRAME_PLANE_DATA (frame, 0),
      .stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0),
      .width = GST_VIDEO_FRAME_WIDTH (frame),
      .height = GST_VIDEO_FRAME_HEIGHT (frame),
      .format = image_format (frame->info.finfo),
      .memory = device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST,
  };
  view_chroma (frame, image);
  return check_plane (frame, 0, ctr_format_row_size (image->format, image->width), image->height, error)
         && ctr_image_check (image, error);
}

/* The frame in BUFFER must not be written before it has been read. Where the default stream waits for that, everyone else
 * comes later, and only the memory must not be freed. */
static void
hold_input (GstContoursFilter *self, GstBuffer *buffer, GstBuffer *outbuf)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (gst_contours_gpu_has_owner (buffer) || gst_contours_gpu_is_private (contours_filter_first_memory (outbuf)))
    priv->rendered = gst_buffer_ref (buffer);
  else
    priv->drawn = gst_contours_gpu_keep (contours_filter_first_memory (buffer));
}

static gboolean
hand_over_rendered (GstContoursFilter *self, GstBuffer *buffer, GstBuffer *outbuf, gpointer stream, CtrError *error)
{
  const gboolean ordered = contours_filter_is_ordered (self, stream);

  if (!ordered)
    gst_contours_gpu_add_owner (outbuf);
  if (!contours_filter_hand_over_drawing (self, outbuf, stream, error))
    return FALSE;
  if (!ordered && PRIVATE (self)->is_drawing)
    hold_input (self, buffer, outbuf);
  return TRUE;
}

/* Calls the subclass for the frame IN, whose buffer is BUFFER. OUT is the frame to render, NULL for in-place elements.
 */
static gboolean
run (
    GstContoursFilter *self, GstVideoFrame *in, GstVideoFrame *out, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  CtrImage image;

  if (!contours_filter_view_frame (in, PRIVATE (self)->cuda_caps, &image, error))
    return FALSE;
  if (klass->draw) {
    return contours_filter_check_planes (in, error) && klass->draw (self, &image, in, buffer, stream, error)
           && contours_filter_hand_over_drawing (self, buffer, stream, error);
  }
  if (!out)
    return contours_filter_analyze (self, &image, buffer, stream, error) && contours_filter_share (self, buffer, error);
  return contours_filter_check_planes (in, error) && contours_filter_check_planes (out, error)
         && klass->render (self, &image, in, out, stream, error)
         && hand_over_rendered (self, buffer, out->buffer, stream, error);
}

/* Whether work on both frames is ordered by the same CUDA stream, or by none. Otherwise a rendered frame would have to be
 * complete before it is pushed. */
static gboolean
share_order (GstContoursFilter *self, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstMemory *in = contours_filter_first_memory (inbuf), *out = contours_filter_first_memory (outbuf);

  return !PRIVATE (self)->cuda_caps || !gst_contours_gpu_is_memory (in) || !gst_contours_gpu_is_memory (out)
         || gst_contours_gpu_share_stream (in, out);
}

static gboolean
run_in_context (GstContoursFilter *self, GstVideoFrame *in, GstVideoFrame *out, GstBuffer *buffer, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gpointer stream = priv->gpu.stream;
  gboolean ok;

  if (g_atomic_int_get (&priv->in_use) == CTR_BACKEND_CPU)
    return run (self, in, out, buffer, NULL, error);
  if (!gst_contours_gpu_push (&priv->gpu, error))
    return FALSE;
  if (priv->cuda_caps) {
    stream = gst_contours_gpu_stream_for (&priv->gpu, contours_filter_first_memory (buffer));
    if (out && !share_order (self, buffer, out->buffer))
      gst_contours_gpu_wait_for (contours_filter_first_memory (out->buffer));
  }
  ok = contours_filter_take_frames (self, buffer, out ? out->buffer : NULL, stream, error)
       && run (self, in, out, buffer, stream, error);
  gst_contours_gpu_pop (&priv->gpu);
  return ok;
}

/* Whether the caps and the GstVideoMeta of BUFFER, if it has one, agree on its planes. The meta may describe a larger frame,
 * of which the caps' is the upper left part. */
static gboolean
check_meta (GstContoursFilter *self, GstBuffer *buffer)
{
  const GstVideoInfo *info = &PRIVATE (self)->info;
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  if (!meta
      || (meta->format == GST_VIDEO_INFO_FORMAT (info) && meta->n_planes == GST_VIDEO_INFO_N_PLANES (info)
          && meta->width >= (guint) GST_VIDEO_INFO_WIDTH (info)
          && meta->height >= (guint) GST_VIDEO_INFO_HEIGHT (info)))
    return TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The frame cannot be processed: its GstVideoMeta says %s of %u × %u in %u planes, its caps %s of %d × %d in %u. "
       "Check the element upstream.",
          gst_contours_format_name (meta->format), meta->width, meta->height, meta->n_planes,
          gst_contours_format_name (GST_VIDEO_INFO_FORMAT (info)), GST_VIDEO_INFO_WIDTH (info),
          GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info)),
      (NULL));
  return FALSE;
}

gboolean
contours_filter_map_frame (GstContoursFilter *self, GstVideoFrame *frame, GstBuffer *buffer, GstMapFlags access)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  /* NO_REF keeps the buffer writable, so that metadata can be attached while it is mapped. */
  GstMapFlags flags = access | GST_VIDEO_FRAME_MAP_FLAG_NO_REF | (priv->cuda_caps ? GST_CONTOURS_MAP_CUDA : 0);

  if (!check_meta (self, buffer))
    return FALSE;
  if (gst_contours_gpu_will_upload (contours_filter_first_memory (buffer)))
    contours_filter_wait_for_readers (buffer);
  if (gst_video_frame_map (frame, &priv->info, buffer, flags)) {
    /* Mapping takes the size from the meta. */
    frame->info.width = GST_VIDEO_INFO_WIDTH (&priv->info);
    frame->info.height = GST_VIDEO_INFO_HEIGHT (&priv->info);
    return TRUE;
  }
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The frame cannot be mapped for %s: its buffer does not match its caps. Check the element upstream.",
          access == GST_MAP_READ ? "reading" : "writing"),
      (NULL));
  return FALSE;
}

/* Warns once if frames are interlaced: they are analysed as they are. */
static void
warn_of_interlacing (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (priv->warned_interlaced || GST_CONTOURS_FILTER_GET_CLASS (self)->draw
      || !(gst_contours_filter_get_frame_flags (self, buffer) & GST_CONTOURS_RESULT_FLAG_INTERLACED))
    return;
  priv->warned_interlaced = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The frames are interlaced, and both fields are analysed as one picture: moving edges show combing. Put "
       "deinterlace before this element."),
      (NULL));
}

/* Processes the frame in BUFFER. OUTBUF takes the rendered frame; it is NULL for in-place elements. */
static GstFlowReturn
process (GstContoursFilter *self, GstBuffer *buffer, GstBuffer *outbuf)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  const CtrCancel *before;
  GstVideoFrame in, out;
  guint threads;
  CtrError error;
  gboolean ok;

  if (g_atomic_int_get (&priv->in_use) < 0)
    return GST_FLOW_ERROR; /* the switch to another context failed and posted an error */
  if (priv->cuda_caps && !gst_contours_gpu_is_memory (contours_filter_first_memory (buffer))) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("The caps say CUDA memory, but the frame is not in CUDA memory. Check the element upstream."), (NULL));
    return GST_FLOW_ERROR;
  }
  warn_of_interlacing (self, buffer);
  /* Only drawing needs a write map, for which prepare_output_buffer() has copied shared memory. */
  if (!contours_filter_map_frame (
          self, &in, buffer, GST_CONTOURS_FILTER_GET_CLASS (self)->draw ? GST_MAP_READWRITE : GST_MAP_READ)) {
    contours_filter_abandon_copy (self, buffer);
    return GST_FLOW_ERROR;
  }
  if (outbuf && !contours_filter_map_frame (self, &out, outbuf, GST_MAP_WRITE)) {
    gst_video_frame_unmap (&in);
    return GST_FLOW_ERROR;
  }
  GST_OBJECT_LOCK (self);
  threads = priv->n_threads;
  GST_OBJECT_UNLOCK (self);
  before = ctr_cancel_set_current (&priv->cancel);
  threads = ctr_threads_set_current (threads);
  ctr_input_set_current (contours_filter_get_input (self, buffer));
  ctr_gpu_clock_set_current (contours_filter_get_clock (self));
  ok = run_in_context (self, &in, outbuf ? &out : NULL, buffer, &error);
  ctr_gpu_clock_set_current (NULL);
  ctr_input_set_current (NULL);
  ctr_threads_set_current (threads);
  ctr_cancel_set_current (before);
  if (outbuf)
    gst_video_frame_unmap (&out);
  gst_video_frame_unmap (&in);
  contours_filter_report_times (self);
  if (ok)
    return GST_FLOW_OK;
  contours_filter_abandon_copy (self, buffer);
  if (error.status == CTR_ERROR_CANCELLED)
    return GST_FLOW_FLUSHING;
  contours_filter_post_error (self, &error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
pass_on (GstContoursFilter *self, GstBuffer *buffer)
{
  CtrError error;

  if (contours_filter_share (self, buffer, &error))
    return GST_FLOW_OK;
  contours_filter_post_error (self, &error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
gst_contours_filter_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);

  return PRIVATE (self)->passes ? pass_on (self, buffer) : process (self, buffer, NULL);
}

static GstFlowReturn
gst_contours_filter_transform (GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);

  return PRIVATE (self)->passes ? pass_on (self, inbuf) : process (self, inbuf, outbuf);
}

/* An empty gap buffer stands for a missing frame. Any other has no rows of the picture that strips make up, such as the one
 * that ends the web of an element upstream. */
static gboolean
is_gap (GstContoursFilter *self, GstBuffer *buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP)
         && (gst_buffer_get_size (buffer) == 0 || PRIVATE (self)->strips.enabled);
}

static gboolean
draws (GstContoursFilter *self)
{
  return GST_CONTOURS_FILTER_GET_CLASS (self)->draw && g_atomic_int_get (&PRIVATE (self)->in_use) >= 0;
}

/* Whether BUFFER passes untouched. This is decided once: a buffer that was not made writable must not be written, even
 * if a property changes later. */
static gboolean
passes (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  if (is_gap (self, buffer))
    return TRUE;
  return draws (self) && !klass->needs_drawing (self, buffer);
}

/* A frame to render, in memory that has the CUDA stream of INBUF. The negotiated pool may not know that stream. */
static GstBuffer *
new_frame (GstContoursFilter *self, GstBuffer *inbuf)
{
  GstBuffer *outbuf = contours_filter_acquire (self, inbuf);

  if (outbuf)
    GST_BASE_TRANSFORM_GET_CLASS (self)->copy_metadata (GST_BASE_TRANSFORM_CAST (self), inbuf, outbuf);
  return outbuf;
}

/* The parent class posts an error if a pool cannot start, but not if an active pool cannot allocate. */
static GstFlowReturn
gst_contours_filter_prepare_output_buffer (GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer **outbuf)
{
  const CtrError error = {CTR_ERROR_OUT_OF_MEMORY, "no buffer for the output frame"};
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstBufferPool *pool;
  GstFlowReturn ret = GST_FLOW_ERROR;

  if (!contours_filter_finish_drawing (self))
    return GST_FLOW_ERROR;
  priv->passes = passes (self, inbuf);
  if (priv->passes) {
    *outbuf = inbuf;
    return GST_FLOW_OK;
  }
  if (draws (self) && contours_filter_needs_copy (self, inbuf)) {
    *outbuf = contours_filter_copy_frame (self, inbuf);
    return *outbuf ? GST_FLOW_OK : GST_FLOW_ERROR;
  }
  if (priv->copies && contours_filter_renders (trans) && (*outbuf = new_frame (self, inbuf)))
    return GST_FLOW_OK;
  pool = gst_base_transform_get_buffer_pool (trans);
  if (pool || !contours_filter_renders (trans))
    ret = parent_class->prepare_output_buffer (trans, inbuf, outbuf);
  if (ret == GST_FLOW_OK && pool)
    contours_filter_fill_pool (self, pool);
  if (ret == GST_FLOW_OK && contours_filter_renders (trans) && !share_order (self, inbuf, *outbuf)) {
    gst_clear_buffer (outbuf);
    *outbuf = new_frame (self, inbuf);
    ret = *outbuf ? GST_FLOW_OK : GST_FLOW_ERROR;
  }
  if (ret == GST_FLOW_ERROR && (!pool || gst_buffer_pool_is_active (pool)))
    contours_filter_post_error (self, &error);
  gst_clear_object (&pool);
  return ret;
}

void
contours_filter_class_init_processing (GstContoursFilterClass *klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  parent_class = g_type_class_peek_parent (klass);
  trans_class->before_transform = GST_DEBUG_FUNCPTR (gst_contours_filter_before_transform);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (gst_contours_filter_prepare_output_buffer);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (gst_contours_filter_transform_ip);
  trans_class->transform = GST_DEBUG_FUNCPTR (gst_contours_filter_transform);
}
