/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/gstcontoursfilter.h"

#include "gst/base/allocation.h"
#include "gst/base/framemessage.h"
#include "gst/base/gstcontoursgpu.h"
#include "gst/base/significantbits.h"

GST_DEBUG_CATEGORY_STATIC (gst_contours_filter_debug);
#define GST_CAT_DEFAULT gst_contours_filter_debug

typedef enum { BACKEND_AUTO, BACKEND_CUDA, BACKEND_CPU } GstContoursBackend;

typedef struct {
  /* Properties, under the object lock. */
  GstContoursBackend backend;
  gint device_id;

  GstContoursGpu gpu;
  gint in_use; /* CtrBackend while started, else -1; atomic: caps queries come from any thread */
  GstVideoInfo info;
  gboolean cuda_caps;   /* the negotiated frames are CUDA memory */
  gboolean told_fields; /* that they are interlaced */
  gboolean passes;      /* the frame goes on as it is: there is nothing to draw on it, or no picture in it */
  guint sample_bits;    /* that the frames of the stream have needed so far */
  GstMiniObject *drawn; /* what the drawing that is queued needs, NULL: none is; of the streaming thread */
  CtrCancel cancel;     /* requested while the pads are flushing: the work on a frame ends */
} GstContoursFilterPrivate;

#define PRIVATE(self) ((GstContoursFilterPrivate *) gst_contours_filter_get_instance_private (self))

enum { PROP_0, PROP_BACKEND, PROP_DEVICE_ID };

#define DEFAULT_BACKEND BACKEND_AUTO
#define DEFAULT_DEVICE_ID (-1)

/* The core reads 16-bit samples in native order. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#if GST_CHECK_VERSION(1, 25, 1)
#define GRAY_16 "GRAY16_LE, GRAY10_LE16, "
#else
#define GRAY_16 "GRAY16_LE, "
#endif
#define LUMA_16 "P010_10LE, P016_LE, "
#else
#define GRAY_16 ""
#define LUMA_16 ""
#endif

/* What libgstcuda, from 1.22 on, can hold in CUDA memory and the core can read; it knows no GRAY format. */
#define CUDA_FORMATS "NV12, NV21, I420, YV12, Y42B, Y444, " LUMA_16 "RGBA, BGRA, RGBx, BGRx, ARGB, ABGR, RGB, BGR"
#define SYSTEM_CAPS GST_VIDEO_CAPS_MAKE ("{ GRAY8, " GRAY_16 CUDA_FORMATS " }")
#ifdef HAVE_GST_CUDA
#define CAPS GST_VIDEO_CAPS_MAKE_WITH_FEATURES (GST_CONTOURS_CUDA_FEATURE, "{ " CUDA_FORMATS " }") "; " SYSTEM_CAPS
#else
#define CAPS SYSTEM_CAPS
#endif

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstContoursFilter, gst_contours_filter, GST_TYPE_BASE_TRANSFORM)

#define GST_TYPE_CONTOURS_BACKEND (gst_contours_backend_get_type ())
static GType
gst_contours_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {BACKEND_AUTO, "The GPU when there is a usable one, else the host", "auto"},
      {BACKEND_CUDA, "The GPU; an error without one", "cuda"},
      {BACKEND_CPU, "The host; takes frames in system memory only", "cpu"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstContoursBackend", values));
  return type;
}

GstObject *
gst_contours_filter_get_context (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  return g_atomic_int_get (&priv->in_use) == CTR_BACKEND_CUDA ? gst_object_ref (priv->gpu.context) : NULL;
}

GstContoursResultFlags
gst_contours_filter_get_frame_flags (GstContoursFilter *self, GstBuffer *buffer)
{
  return frame_message_get_flags (buffer, GST_VIDEO_INFO_INTERLACE_MODE (&PRIVATE (self)->info));
}

/* The samples the core analyses of a video format in our caps: its first plane. */
static CtrFormat
image_format (GstVideoFormat video)
{
  switch (video) {
#if GST_CHECK_VERSION(1, 25, 1)
    case GST_VIDEO_FORMAT_GRAY10_LE16:
#endif
    case GST_VIDEO_FORMAT_GRAY16_LE:
    case GST_VIDEO_FORMAT_P010_10LE:
    case GST_VIDEO_FORMAT_P016_LE:
      return CTR_FORMAT_GRAY16;
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
    default: /* GRAY8 and the luma plane of NV12, NV21, I420, YV12, Y42B, Y444 */
      return CTR_FORMAT_GRAY8;
  }
}

/* One element error for a failure of the core or the GPU: what failed, and what to do. */
static void
post_error (GstContoursFilter *self, const CtrError *error)
{
  switch (error->status) {
    case CTR_ERROR_NO_CUDA:
      GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
          ("No CUDA device to analyse on: %s. Or analyse on the host: backend=cpu.", error->message), (NULL));
      break;
    case CTR_ERROR_OUT_OF_MEMORY:
      GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
          ("Not enough memory: %s. Use smaller frames, fewer elements, or another device (cuda-device-id, backend).",
              error->message),
          (NULL));
      break;
    case CTR_ERROR_CUDA:
      GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
          ("The GPU failed: %s. Restart the application; where it happens again, look into the kernel log.",
              error->message),
          (NULL));
      break;
    case CTR_ERROR_TOO_LARGE:
      GST_ELEMENT_ERROR (
          self, STREAM, FORMAT, ("The frame cannot be processed: %s. Crop or scale it first.", error->message), (NULL));
      break;
    default:
      GST_ELEMENT_ERROR (self, STREAM, FORMAT, ("The frame cannot be processed: %s.", error->message), (NULL));
      break;
  }
}

/* gst-launch-1.0 prints the debug part of an information only: the text stands in both. */
static void G_GNUC_PRINTF (2, 3) post_info (GstContoursFilter *self, const gchar *format, ...)
{
  gchar *text;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  GST_ELEMENT_INFO (self, RESOURCE, SETTINGS, ("%s", text), ("%s", text));
  g_free (text);
}

guint
gst_contours_filter_get_significant_bits (GstContoursFilter *self, const GstVideoFrame *frame, guint wanted)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  guint bits;

  if (!significant_bits_vary (GST_VIDEO_FRAME_FORMAT (frame)))
    return SIGNIFICANT_BITS_ALL;
  if (wanted > 0)
    return wanted;
  bits = significant_bits_find (frame, priv->sample_bits);
  if (bits != priv->sample_bits)
    post_info (
        self, "The samples need %u of their 16 bits so far. Set significant-bits where the camera has more.", bits);
  priv->sample_bits = bits;
  return bits;
}

/* Runs the subclass's open(), with its close() when it fails. */
static gboolean
open_backend (GstContoursFilter *self, CtrBackend backend, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  gboolean ok;

  if (backend == CTR_BACKEND_CUDA && !gst_contours_gpu_push (&priv->gpu, error))
    return FALSE;
  ok = klass->open (self, backend, error);
  if (!ok)
    klass->close (self);
  if (backend == CTR_BACKEND_CUDA)
    gst_contours_gpu_pop (&priv->gpu);
  if (ok)
    g_atomic_int_set (&priv->in_use, backend);
  return ok;
}

/* Waits for the drawing that may be queued. */
static gboolean
finish_drawing (GstContoursFilter *self)
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
  if (!pushed || !finished)
    post_error (self, &error);
  return pushed && finished;
}

/* Frees what the subclass holds; harmless when nothing is open. */
static void
close_backend (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gint backend = g_atomic_int_get (&priv->in_use);
  gboolean pushed;
  CtrError error;

  if (backend < 0)
    return;
  finish_drawing (self);
  /* A lost context cannot be made current: free host memory all the same. */
  pushed = backend == CTR_BACKEND_CUDA && gst_contours_gpu_push (&priv->gpu, &error);
  GST_CONTOURS_FILTER_GET_CLASS (self)->close (self);
  if (pushed)
    gst_contours_gpu_pop (&priv->gpu);
  g_atomic_int_set (&priv->in_use, -1);
}

static gboolean
gst_contours_filter_start (GstBaseTransform *trans)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursBackend wanted;
  CtrBackend backend = CTR_BACKEND_CPU;
  gint device_id;
  CtrError error;

  GST_OBJECT_LOCK (self);
  wanted = priv->backend;
  device_id = priv->device_id;
  GST_OBJECT_UNLOCK (self);

  if (wanted != BACKEND_CPU) {
    if (gst_contours_gpu_open (&priv->gpu, GST_ELEMENT_CAST (self), device_id, &error)) {
      backend = CTR_BACKEND_CUDA;
    } else if (wanted == BACKEND_CUDA) {
      post_error (self, &error);
      return FALSE;
    }
  }
  if (wanted == BACKEND_AUTO) {
    if (backend == CTR_BACKEND_CUDA)
      post_info (self, "Analysing on CUDA device %d.", gst_contours_gpu_get_device_id (&priv->gpu));
    else
      post_info (self, "Analysing on the host: %s.", error.message);
  }

  if (!open_backend (self, backend, &error)) {
    gst_contours_gpu_close (&priv->gpu);
    post_error (self, &error);
    return FALSE;
  }
  return TRUE;
}

static gboolean
gst_contours_filter_stop (GstBaseTransform *trans)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);
  GstContoursFilterPrivate *priv = PRIVATE (self);

  close_backend (self);
  gst_contours_gpu_close (&priv->gpu);
  gst_video_info_init (&priv->info);
  priv->sample_bits = 0;
  return TRUE;
}

/* Does the element make new pictures? Else it works in place. */
static gboolean
renders (GstBaseTransform *trans)
{
  return GST_CONTOURS_FILTER_GET_CLASS (trans)->render != NULL;
}

static gboolean
is_cuda_caps (GstCaps *caps)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, 0), GST_CONTOURS_CUDA_FEATURE);
}

static gboolean
drop_cuda (GstCapsFeatures *features, GstStructure *structure, gpointer user_data)
{
  return !gst_caps_features_contains (features, GST_CONTOURS_CUDA_FEATURE);
}

/* The same caps on both sides; on the host backend none in CUDA memory. */
static GstCaps *
gst_contours_filter_transform_caps (GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));
  gint in_use = g_atomic_int_get (&priv->in_use);
  GstCaps *result = gst_caps_copy (caps);
  gboolean host;

  GST_OBJECT_LOCK (trans);
  host = in_use < 0 ? priv->backend == BACKEND_CPU : in_use == CTR_BACKEND_CPU;
  GST_OBJECT_UNLOCK (trans);
  if (host)
    gst_caps_filter_and_map_in_place (result, drop_cuda, NULL);
  if (filter) {
    GstCaps *intersection = gst_caps_intersect_full (filter, result, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (result);
    result = intersection;
  }
  return result;
}

/* Sizes are checked with each frame: an error here would be posted again with every buffer that follows. */
static gboolean
gst_contours_filter_set_caps (GstBaseTransform *trans, GstCaps *incaps, GstCaps *outcaps)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));

  priv->cuda_caps = is_cuda_caps (incaps);
  priv->told_fields = FALSE;
  if (priv->cuda_caps && g_atomic_int_get (&priv->in_use) != CTR_BACKEND_CUDA)
    return FALSE;
  return gst_video_info_from_caps (&priv->info, incaps);
}

/* An in-place element's frames go on downstream as they came, so what downstream takes (pools, metas such as
 * GstVideoMeta) is what we take: the parent class passes the query on. The exception are metas that crop or turn the
 * picture: frames are analysed whole. Frames that are only read may have any layout.
 * Frames in CUDA memory always carry a GstVideoMeta, and come best from a pool of the context we work in. */
static gboolean
gst_contours_filter_propose_allocation (GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));
  gboolean answered =
      GST_BASE_TRANSFORM_CLASS (gst_contours_filter_parent_class)->propose_allocation (trans, decide_query, query);
  GstCaps *caps = NULL;

  allocation_drop_placement_metas (query);
  gst_query_parse_allocation (query, &caps, NULL);
  if (!caps || (!is_cuda_caps (caps) && !renders (trans)))
    return answered;
  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return !is_cuda_caps (caps) || gst_contours_gpu_provide_pool (&priv->gpu, query);
}

/* New pictures go into buffers of downstream's pool, else of one of our own. */
static gboolean
gst_contours_filter_decide_allocation (GstBaseTransform *trans, GstQuery *query)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));
  GstBufferPool *pool = NULL;
  GstStructure *config;
  GstCaps *caps = NULL;
  guint size = 0, min = 0, max = 0;

  gst_query_parse_allocation (query, &caps, NULL);
  if (is_cuda_caps (caps)) {
    /* Without a pool prepare_output_buffer() fails, and says so once. */
    if (!gst_contours_gpu_provide_pool (&priv->gpu, query))
      while (gst_query_get_n_allocation_pools (query) > 0)
        gst_query_remove_nth_allocation_pool (query, 0);
  } else {
    if (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
    else
      gst_query_add_allocation_pool (query, NULL, size, min, max);
    if (!pool)
      pool = gst_video_buffer_pool_new ();
    size = MAX (size, GST_VIDEO_INFO_SIZE (&priv->info));
    /* The pool may lay the frames out as downstream likes them best. */
    config = gst_buffer_pool_get_config (pool);
    gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
    gst_buffer_pool_config_set_params (config, caps, size, min, max);
    gst_buffer_pool_set_config (pool, config);
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
    gst_object_unref (pool);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_contours_filter_parent_class)->decide_allocation (trans, query);
}

/* A new picture has the size and the geometry of the old one: what describes these goes on, what describes the buffer's
 * memory does not. */
static gboolean
gst_contours_filter_transform_meta (GstBaseTransform *trans, GstBuffer *outbuf, GstMeta *meta, GstBuffer *inbuf)
{
  static const gchar *const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
      GST_META_TAG_VIDEO_ORIENTATION_STR, GST_META_TAG_VIDEO_COLORSPACE_STR, NULL};

  for (const gchar *const *tag = gst_meta_api_type_get_tags (meta->info->api); tag && *tag; tag++)
    if (!g_strv_contains (kept, *tag))
      return FALSE;
  return TRUE;
}

/* No frame need come after these. */
static gboolean
gst_contours_filter_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  /* The one comes while the streaming thread may be at work on a frame, the other when it no longer is. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    ctr_cancel_request (&PRIVATE (GST_CONTOURS_FILTER (trans))->cancel);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    ctr_cancel_reset (&PRIVATE (GST_CONTOURS_FILTER (trans))->cancel);
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    finish_drawing (GST_CONTOURS_FILTER (trans));
  else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    PRIVATE (GST_CONTOURS_FILTER (trans))->sample_bits = 0;
  return GST_BASE_TRANSFORM_CLASS (gst_contours_filter_parent_class)->sink_event (trans, event);
}

static gboolean
gst_contours_filter_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));

  /* Upstream wants back what it handed out. */
  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN)
    finish_drawing (GST_CONTOURS_FILTER (trans));
  if (gst_contours_gpu_handle_query (&priv->gpu, GST_ELEMENT_CAST (trans), query))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (gst_contours_filter_parent_class)->query (trans, direction, query);
}

/* The pads are deactivated from PAUSED to READY, which waits for the streaming thread. */
static GstStateChangeReturn
gst_contours_filter_change_state (GstElement *element, GstStateChange transition)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (element));

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    ctr_cancel_reset (&priv->cancel);
  else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    ctr_cancel_request (&priv->cancel);
  return GST_ELEMENT_CLASS (gst_contours_filter_parent_class)->change_state (element, transition);
}

static void
gst_contours_filter_set_context (GstElement *element, GstContext *context)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (element));
  gint device_id;

  GST_OBJECT_LOCK (element);
  device_id = priv->device_id;
  GST_OBJECT_UNLOCK (element);
  gst_contours_gpu_set_context (&priv->gpu, element, context, device_id);
  GST_ELEMENT_CLASS (gst_contours_filter_parent_class)->set_context (element, context);
}

static GstMemory *
first_memory (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) > 0 ? gst_buffer_peek_memory (buffer, 0) : NULL;
}

/* Controlled properties take the value of the frame's time. */
static void
sync_properties (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstClockTime time = GST_BUFFER_PTS (buffer);

  if (trans->segment.format == GST_FORMAT_TIME)
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME, time);
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT_CAST (trans), time);
}

/* Work in the CUDA context of the frames: the one of the elements that made them. Here, because new pictures are
 * allocated between this and transform(). */
static void
gst_contours_filter_before_transform (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstMemory *memory = first_memory (buffer);
  gint device_id;
  gboolean finished;
  CtrError error;

  sync_properties (trans, buffer);
  if (g_atomic_int_get (&priv->in_use) < 0 || !priv->cuda_caps || !gst_contours_gpu_is_memory (memory)
      || !gst_contours_gpu_is_foreign (&priv->gpu, memory))
    return;
  GST_INFO_OBJECT (self, "moving to the CUDA context of the incoming frames");
  GST_OBJECT_LOCK (self);
  device_id = priv->device_id;
  GST_OBJECT_UNLOCK (self);
  finished = finish_drawing (self);
  close_backend (self);
  if (!finished)
    return;
  if (!gst_contours_gpu_adopt (&priv->gpu, memory, device_id, &error) || !open_backend (self, CTR_BACKEND_CUDA, &error))
    post_error (self, &error);
  else if (renders (trans))
    gst_base_transform_reconfigure_src (trans); /* for a pool of the new context */
}

/* Do the rows of FRAME's PLANE, of ROW bytes each, lie inside the mapped memory? Strides and offsets come from a
 * GstVideoMeta anyone may have written. */
static gboolean
check_plane (const GstVideoFrame *frame, guint plane, gsize row, guint rows, CtrError *error)
{
  const GstMapInfo *map = &frame->map[frame->meta ? plane : 0];
  gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane);
  gsize before = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, plane) - map->data, needed;

  error->status = CTR_ERROR_INVALID_ARGUMENT;
  if (stride <= 0 || (gsize) stride < row) {
    g_snprintf (error->message, sizeof error->message,
        "the stride of its plane %u is %d bytes, and a row has %" G_GSIZE_FORMAT, plane, stride, row);
    return FALSE;
  }
  needed = (gsize) stride * (rows - 1) + row;
  if (before > map->size || needed > map->size - before) {
    g_snprintf (error->message, sizeof error->message,
        "plane %u needs %" G_GSIZE_FORMAT " bytes, %u rows with a stride of %d, from byte %" G_GSIZE_FORMAT
        " on, and the buffer has %" G_GSIZE_FORMAT,
        plane, needed, rows, stride, before, map->size);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_planes (const GstVideoFrame *frame, CtrError *error)
{
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (frame); plane++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    gst_video_format_info_component (frame->info.finfo, plane, components);
    if (!check_plane (frame, plane,
            (gsize) GST_VIDEO_FRAME_COMP_WIDTH (frame, components[0])
                * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, components[0]),
            GST_VIDEO_FRAME_COMP_HEIGHT (frame, components[0]), error))
      return FALSE;
  }
  return TRUE;
}

/* A view of FRAME's first plane. */
static gboolean
view_frame (const GstVideoFrame *frame, gboolean device, CtrImage *image, CtrError *error)
{
  *image = (CtrImage){
      .data = GST_VIDEO_FRAME_PLANE_DATA (frame, 0),
      .stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0),
      .width = GST_VIDEO_FRAME_WIDTH (frame),
      .height = GST_VIDEO_FRAME_HEIGHT (frame),
      .format = image_format (GST_VIDEO_FRAME_FORMAT (frame)),
      .memory = device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST,
  };
  return check_plane (frame, 0, image->width * ctr_format_pixel_size (image->format), image->height, error)
         && ctr_image_check (image, error);
}

/* What was drawn into BUFFER goes on: its readers come after the drawing by themselves, or it is waited for. */
static gboolean
hand_on (GstContoursFilter *self, GstBuffer *buffer, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  GstContoursGpuOrder order = GST_CONTOURS_GPU_ORDER_NONE;
  GstMiniObject *kept = NULL;
  gboolean ok;

  if (priv->cuda_caps)
    order = gst_contours_gpu_get_order (first_memory (buffer), &kept);
  ok = order != GST_CONTOURS_GPU_ORDER_DEFAULT_STREAM || klass->lead_default (self, error);
  if (ok && order != GST_CONTOURS_GPU_ORDER_NONE) {
    priv->drawn = kept;
    return TRUE;
  }
  ok = klass->finish (self, ok ? error : NULL) && ok;
  gst_clear_mini_object (&kept);
  return ok;
}

/* Lets the subclass do its work on the frame in IN, whose buffer is BUFFER; OUT: the new picture, or NULL. */
static gboolean
run (
    GstContoursFilter *self, GstVideoFrame *in, GstVideoFrame *out, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  CtrImage image;

  if (!view_frame (in, PRIVATE (self)->cuda_caps, &image, error))
    return FALSE;
  if (klass->draw)
    return check_planes (in, error) && klass->draw (self, &image, in, buffer, stream, error)
           && hand_on (self, buffer, error);
  if (!out)
    return klass->analyze (self, &image, buffer, stream, error);
  return check_planes (in, error) && check_planes (out, error) && klass->render (self, &image, in, out, stream, error);
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
    stream = gst_contours_gpu_stream_for (&priv->gpu, first_memory (buffer));
    if (out)
      gst_contours_gpu_wait_for (first_memory (out->buffer));
  }
  ok = run (self, in, out, buffer, stream, error);
  gst_contours_gpu_pop (&priv->gpu);
  return ok;
}

static gboolean
map_frame (GstContoursFilter *self, GstVideoFrame *frame, GstBuffer *buffer, GstMapFlags access)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  /* Without a reference of the frame's own the buffer stays writable, so metadata can be attached meanwhile. */
  GstMapFlags flags = access | GST_VIDEO_FRAME_MAP_FLAG_NO_REF | (priv->cuda_caps ? GST_CONTOURS_MAP_CUDA : 0);

  if (gst_video_frame_map (frame, &priv->info, buffer, flags))
    return TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The frame cannot be %s: its buffer does not hold the frame its caps describe.",
          access == GST_MAP_READ ? "read" : "written"),
      (NULL));
  return FALSE;
}

/* Says once that interlaced frames are analysed as they are. */
static void
tell_fields (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  if (priv->told_fields || GST_CONTOURS_FILTER_GET_CLASS (self)->draw
      || !(gst_contours_filter_get_frame_flags (self, buffer) & GST_CONTOURS_RESULT_FLAG_INTERLACED))
    return;
  priv->told_fields = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("The frames are interlaced, and both fields are analysed as one picture: the edges of what moves are combed. "
       "Put "
       "the element deinterlace before this one."),
      (NULL));
}

/* Works on the frame in BUFFER; OUTBUF: for the new picture, or NULL. */
static GstFlowReturn
process (GstContoursFilter *self, GstBuffer *buffer, GstBuffer *outbuf)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  const CtrCancel *before;
  GstVideoFrame in, out;
  CtrError error;
  gboolean ok;

  if (g_atomic_int_get (&priv->in_use) < 0)
    return GST_FLOW_ERROR; /* the move to another context failed, and was posted */
  if (priv->cuda_caps && !gst_contours_gpu_is_memory (first_memory (buffer))) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("The caps promise CUDA memory and the frame lies elsewhere. The element before this one is at fault."),
        (NULL));
    return GST_FLOW_ERROR;
  }
  tell_fields (self, buffer);
  /* Where nothing is drawn a write map would copy shared memory for nothing. */
  if (!map_frame (self, &in, buffer, GST_CONTOURS_FILTER_GET_CLASS (self)->draw ? GST_MAP_READWRITE : GST_MAP_READ))
    return GST_FLOW_ERROR;
  if (outbuf && !map_frame (self, &out, outbuf, GST_MAP_WRITE)) {
    gst_video_frame_unmap (&in);
    return GST_FLOW_ERROR;
  }
  before = ctr_cancel_set_current (&priv->cancel);
  ok = run_in_context (self, &in, outbuf ? &out : NULL, buffer, &error);
  ctr_cancel_set_current (before);
  if (outbuf)
    gst_video_frame_unmap (&out);
  gst_video_frame_unmap (&in);
  if (ok)
    return GST_FLOW_OK;
  if (error.status == CTR_ERROR_CANCELLED)
    return GST_FLOW_FLUSHING;
  post_error (self, &error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
gst_contours_filter_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  if (PRIVATE (GST_CONTOURS_FILTER (trans))->passes)
    return GST_FLOW_OK;
  return process (GST_CONTOURS_FILTER (trans), buffer, NULL);
}

static GstFlowReturn
gst_contours_filter_transform (GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer *outbuf)
{
  if (PRIVATE (GST_CONTOURS_FILTER (trans))->passes)
    return GST_FLOW_OK;
  return process (GST_CONTOURS_FILTER (trans), inbuf, outbuf);
}

/* A buffer that stands for a frame that is missing. */
static gboolean
is_gap (GstBuffer *buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) && gst_buffer_get_size (buffer) == 0;
}

/* Does BUFFER go on as it is? Decided once: what is not made writable then must not be written, whatever a property
 * says later. */
static gboolean
passes (GstContoursFilter *self, GstBuffer *buffer)
{
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);

  if (is_gap (buffer))
    return TRUE;
  return klass->draw && g_atomic_int_get (&PRIVATE (self)->in_use) >= 0 && !klass->draws (self, buffer);
}

/* The parent class says when a pool cannot start, but not when one that runs has no more room. */
static GstFlowReturn
gst_contours_filter_prepare_output_buffer (GstBaseTransform *trans, GstBuffer *inbuf, GstBuffer **outbuf)
{
  const CtrError error = {CTR_ERROR_OUT_OF_MEMORY, "no buffer could be allocated for the new picture"};
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));
  GstBufferPool *pool;
  GstFlowReturn ret = GST_FLOW_ERROR;

  if (!finish_drawing (GST_CONTOURS_FILTER (trans)))
    return GST_FLOW_ERROR;
  priv->passes = passes (GST_CONTOURS_FILTER (trans), inbuf);
  if (priv->passes) {
    *outbuf = inbuf;
    return GST_FLOW_OK;
  }
  pool = gst_base_transform_get_buffer_pool (trans);
  if (pool || !renders (trans))
    ret = GST_BASE_TRANSFORM_CLASS (gst_contours_filter_parent_class)->prepare_output_buffer (trans, inbuf, outbuf);
  if (ret == GST_FLOW_ERROR && (!pool || gst_buffer_pool_is_active (pool)))
    post_error (GST_CONTOURS_FILTER (trans), &error);
  gst_clear_object (&pool);
  return ret;
}

static void
gst_contours_filter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (object));

  GST_OBJECT_LOCK (object);
  switch (id) {
    case PROP_BACKEND:
      priv->backend = g_value_get_enum (value);
      break;
    case PROP_DEVICE_ID:
      priv->device_id = g_value_get_int (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (object);
}

static void
gst_contours_filter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (object));

  GST_OBJECT_LOCK (object);
  switch (id) {
    case PROP_BACKEND:
      g_value_set_enum (value, priv->backend);
      break;
    case PROP_DEVICE_ID:
      g_value_set_int (value, priv->device_id);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (object);
}

static void
gst_contours_filter_constructed (GObject *object)
{
  G_OBJECT_CLASS (gst_contours_filter_parent_class)->constructed (object);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (object), !renders (GST_BASE_TRANSFORM (object)));
}

static void
gst_contours_filter_finalize (GObject *object)
{
  gst_contours_gpu_clear (&PRIVATE (GST_CONTOURS_FILTER (object))->gpu);
  G_OBJECT_CLASS (gst_contours_filter_parent_class)->finalize (object);
}

static void
gst_contours_filter_init (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  priv->backend = DEFAULT_BACKEND;
  priv->device_id = DEFAULT_DEVICE_ID;
  priv->in_use = -1;
  gst_contours_gpu_init (&priv->gpu);
  gst_video_info_init (&priv->info);
}

static void
gst_contours_filter_class_init (GstContoursFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_contours_filter_debug, "contoursfilter", 0, "base class of the contour elements");

  object_class->set_property = gst_contours_filter_set_property;
  object_class->get_property = gst_contours_filter_get_property;
  object_class->constructed = gst_contours_filter_constructed;
  object_class->finalize = gst_contours_filter_finalize;

  /**
   * GstContoursFilter:backend:
   *
   * Where frames are analysed; both backends give identical results. The choice of "auto" is told in an info message.
   * With "cuda", frames in system memory are uploaded. "cpu" takes no frames in CUDA memory.
   */
  g_object_class_install_property (object_class, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend", "Where frames are worked on: results are identical",
          GST_TYPE_CONTOURS_BACKEND, DEFAULT_BACKEND,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));

  /**
   * GstContoursFilter:cuda-device-id:
   *
   * The CUDA device to analyse on. Frames that already lie on a GPU are analysed there.
   */
  g_object_class_install_property (object_class, PROP_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "CUDA device ID", "CUDA device to work on (-1 = any)", -1, G_MAXINT,
          DEFAULT_DEVICE_ID, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  element_class->change_state = GST_DEBUG_FUNCPTR (gst_contours_filter_change_state);
  element_class->set_context = GST_DEBUG_FUNCPTR (gst_contours_filter_set_context);

  trans_class->start = GST_DEBUG_FUNCPTR (gst_contours_filter_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_contours_filter_stop);
  trans_class->transform_caps = GST_DEBUG_FUNCPTR (gst_contours_filter_transform_caps);
  trans_class->set_caps = GST_DEBUG_FUNCPTR (gst_contours_filter_set_caps);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR (gst_contours_filter_propose_allocation);
  trans_class->decide_allocation = GST_DEBUG_FUNCPTR (gst_contours_filter_decide_allocation);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_contours_filter_sink_event);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_contours_filter_query);
  trans_class->before_transform = GST_DEBUG_FUNCPTR (gst_contours_filter_before_transform);
  trans_class->prepare_output_buffer = GST_DEBUG_FUNCPTR (gst_contours_filter_prepare_output_buffer);
  trans_class->transform_ip = GST_DEBUG_FUNCPTR (gst_contours_filter_transform_ip);
  trans_class->transform = GST_DEBUG_FUNCPTR (gst_contours_filter_transform);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR (gst_contours_filter_transform_meta);

  gst_type_mark_as_plugin_api (GST_TYPE_CONTOURS_FILTER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOURS_BACKEND, 0);
}
