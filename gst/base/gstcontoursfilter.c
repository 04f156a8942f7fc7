/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/gstcontoursfilter-private.h"

#include "gst/base/eventflow.h"
#include "gst/base/framemessage.h"
#include "gst/base/significantbits.h"

GST_DEBUG_CATEGORY (gst_contours_filter_debug);

enum { PROP_0, PROP_BACKEND, PROP_DEVICE_ID, PROP_N_THREADS };

#define DEFAULT_BACKEND BACKEND_AUTO
#define DEFAULT_DEVICE_ID (-1)
#define DEFAULT_N_THREADS 1

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstContoursFilter, gst_contours_filter, GST_TYPE_BASE_TRANSFORM)

GstContoursFilterPrivate *
contours_filter_get_private (GstContoursFilter *self)
{
  return gst_contours_filter_get_instance_private (self);
}

#define GST_TYPE_CONTOURS_BACKEND (gst_contours_backend_get_type ())
static GType
gst_contours_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {BACKEND_AUTO, "GPU if a usable one is present, otherwise CPU", "auto"},
      {BACKEND_CUDA, "GPU; an error if none is usable", "cuda"},
      {BACKEND_CPU, "CPU; accepts frames in system memory only", "cpu"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstContoursBackend", values));
  return type;
}

GstContoursResultFlags
gst_contours_filter_get_frame_flags (GstContoursFilter *self, GstBuffer *buffer)
{
  return frame_message_get_flags (buffer, GST_VIDEO_INFO_INTERLACE_MODE (&PRIVATE (self)->info));
}

void
contours_filter_post_error (GstContoursFilter *self, const CtrError *error)
{
  switch (error->status) {
    case CTR_ERROR_NO_CUDA:
      GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
          ("No usable CUDA device: %s. Set backend=cpu to use the CPU.", error->message), (NULL));
      break;
    case CTR_ERROR_OUT_OF_MEMORY:
      GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
          ("Out of memory: %s. Use smaller frames, fewer elements or another device (cuda-device-id, backend).",
              error->message),
          (NULL));
      break;
    case CTR_ERROR_CUDA:
      GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
          ("The GPU failed: %s. Restart the application; if the error recurs, check the kernel log.", error->message),
          (NULL));
      break;
    case CTR_ERROR_TOO_LARGE:
      GST_ELEMENT_ERROR (self, STREAM, FORMAT,
          ("The frame cannot be processed: %s. Crop or scale it upstream.", error->message), (NULL));
      break;
    default:
      GST_ELEMENT_ERROR (self, STREAM, FORMAT, ("The frame cannot be processed: %s.", error->message), (NULL));
      break;
  }
}

/* gst-launch-1.0 prints only the debug part of an info message, so both parts have the text. */
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
gst_contours_filter_get_format_bits (GstContoursFilter *self, guint wanted)
{
  const guint bits = significant_bits_of_format (PRIVATE (self)->info.finfo);

  return bits > 0 ? bits : wanted;
}

guint
gst_contours_filter_get_significant_bits (GstContoursFilter *self, const CtrImage *image, guint wanted)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  guint bits = gst_contours_filter_get_format_bits (self, wanted);

  if (bits > 0)
    return bits;
  bits = significant_bits_find (image, priv->bits_so_far);
  if (bits != priv->bits_so_far)
    post_info (self, "The samples use %u of 16 bits so far. Set significant-bits if the camera uses more.", bits);
  priv->bits_so_far = bits;
  return bits;
}

gboolean
contours_filter_open_backend (GstContoursFilter *self, CtrBackend backend, CtrError *error)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursFilterClass *klass = GST_CONTOURS_FILTER_GET_CLASS (self);
  gboolean ok;

  if (backend == CTR_BACKEND_CUDA && !gst_contours_gpu_push (&priv->gpu, error))
    return FALSE;
  priv->exceeded = CTR_LIMIT_NONE;
  priv->attachment.exceeded = FALSE;
  ok = klass->open (self, backend, error);
  if (!ok)
    klass->close (self);
  if (backend == CTR_BACKEND_CUDA)
    gst_contours_gpu_pop (&priv->gpu);
  if (ok) {
    contours_filter_count_drawing (self, backend, 1);
    g_atomic_int_set (&priv->in_use, backend);
  }
  return ok;
}

void
contours_filter_close_backend (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);
  gint backend = g_atomic_int_get (&priv->in_use);
  gboolean pushed;
  CtrError error;

  if (backend < 0)
    return;
  contours_filter_settle (self);
  contours_filter_finish_drawing (self);
  contours_filter_drop_copied (self);
  contours_filter_drop_copies (self);
  g_clear_pointer (&priv->input, ctr_input_free);
  /* A lost context cannot be made current, but host memory must be freed. */
  pushed = backend == CTR_BACKEND_CUDA && gst_contours_gpu_push (&priv->gpu, &error);
  GST_CONTOURS_FILTER_GET_CLASS (self)->close (self);
  if (pushed)
    gst_contours_gpu_pop (&priv->gpu);
  contours_filter_report_times (self);
  g_clear_pointer (&priv->clock, ctr_gpu_clock_free);
  contours_filter_count_drawing (self, backend, -1);
  g_atomic_int_set (&priv->in_use, -1);
}

gboolean
contours_filter_renders (GstBaseTransform *trans)
{
  return GST_CONTOURS_FILTER_GET_CLASS (trans)->render != NULL;
}

void
gst_contours_filter_install_attachment (GObjectClass *klass, guint first_id, gboolean limit)
{
  frame_calibration_install_property (klass, first_id);
  frame_attachment_install_property (klass, first_id + 1);
  if (limit)
    frame_attachment_install_limit (klass, first_id + 2);
}

gboolean
gst_contours_filter_set_attachment (GstContoursFilter *self, const GValue *value, GParamSpec *pspec)
{
  return frame_calibration_set_property (&PRIVATE (self)->calibration, value, pspec)
         || frame_attachment_set_property (&PRIVATE (self)->attachment, value, pspec);
}

gboolean
gst_contours_filter_get_attachment (GstContoursFilter *self, GValue *value, GParamSpec *pspec)
{
  return frame_calibration_get_property (&PRIVATE (self)->calibration, value, pspec)
         || frame_attachment_get_property (&PRIVATE (self)->attachment, value, pspec);
}

/* Opens *BACKEND. Where the user leaves the choice and this build cannot run on the GPU, it is the host's in its place; ERROR then
 * says why. */
static gboolean
open_chosen (GstContoursFilter *self, GstContoursBackend wanted, CtrBackend *backend, CtrError *error)
{
  CtrError other;

  if (contours_filter_open_backend (self, *backend, error))
    return TRUE;
  gst_contours_gpu_close (&PRIVATE (self)->gpu);
  if (wanted != BACKEND_AUTO || *backend == CTR_BACKEND_CPU || error->status != CTR_ERROR_NO_CUDA)
    return FALSE;
  *backend = CTR_BACKEND_CPU;
  if (contours_filter_open_backend (self, *backend, &other))
    return TRUE;
  *error = other;
  return FALSE;
}

static gboolean
gst_contours_filter_start (GstBaseTransform *trans)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);
  GstContoursFilterPrivate *priv = PRIVATE (self);
  GstContoursBackend wanted;
  CtrBackend backend = CTR_BACKEND_CPU;
  gboolean was_cuda;
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
      contours_filter_post_error (self, &error);
      return FALSE;
    }
  }
  if (wanted == BACKEND_AUTO && backend == CTR_BACKEND_CPU)
    post_info (self, "Using the CPU: %s.", error.message);
  was_cuda = backend == CTR_BACKEND_CUDA;
  if (!open_chosen (self, wanted, &backend, &error)) {
    contours_filter_post_error (self, &error);
    return FALSE;
  }
  if (wanted == BACKEND_AUTO && backend == CTR_BACKEND_CUDA)
    post_info (self, "Using CUDA device %d.", gst_contours_gpu_get_device_id (&priv->gpu));
  else if (wanted == BACKEND_AUTO && was_cuda)
    post_info (self, "Using the CPU: %s.", error.message);
  return TRUE;
}

static gboolean
gst_contours_filter_stop (GstBaseTransform *trans)
{
  GstContoursFilter *self = GST_CONTOURS_FILTER (trans);
  GstContoursFilterPrivate *priv = PRIVATE (self);

  /* A deactivated pad still lets queries in, and one that drains uses the backend. */
  GST_PAD_STREAM_LOCK (GST_BASE_TRANSFORM_SINK_PAD (trans));
  contours_filter_close_backend (self);
  gst_contours_gpu_close (&priv->gpu);
  gst_video_info_init (&priv->info);
  priv->bits_so_far = 0;
  GST_PAD_STREAM_UNLOCK (GST_BASE_TRANSFORM_SINK_PAD (trans));
  return TRUE;
}

static gboolean
gst_contours_filter_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  /* FLUSH_START may come while the streaming thread processes a frame, FLUSH_STOP does not. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    ctr_cancel_request (&PRIVATE (GST_CONTOURS_FILTER (trans))->cancel);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    ctr_cancel_reset (&PRIVATE (GST_CONTOURS_FILTER (trans))->cancel);
  /* After these no frame may follow that would finish the work on the last one. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS || GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    contours_filter_settle (GST_CONTOURS_FILTER (trans));
    contours_filter_finish_drawing (GST_CONTOURS_FILTER (trans));
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    PRIVATE (GST_CONTOURS_FILTER (trans))->bits_so_far = 0;
  contours_filter_handle_strip_event (GST_CONTOURS_FILTER (trans), event);
  return GST_BASE_TRANSFORM_CLASS (gst_contours_filter_parent_class)->sink_event (trans, event);
}

static gboolean
gst_contours_filter_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  GstContoursFilterPrivate *priv = PRIVATE (GST_CONTOURS_FILTER (trans));

  /* Upstream wants its buffers back. */
  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN) {
    contours_filter_settle (GST_CONTOURS_FILTER (trans));
    contours_filter_finish_drawing (GST_CONTOURS_FILTER (trans));
  }
  if (gst_contours_gpu_handle_query (&priv->gpu, GST_ELEMENT_CAST (trans), query))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (gst_contours_filter_parent_class)->query (trans, direction, query);
}

/* From PAUSED to READY the pads are deactivated, which waits for the streaming thread: the work on its frame is
 * cancelled first. */
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
    case PROP_N_THREADS:
      priv->n_threads = g_value_get_uint (value);
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
    case PROP_N_THREADS:
      g_value_set_uint (value, priv->n_threads);
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
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (object), !contours_filter_renders (GST_BASE_TRANSFORM (object)));
  if (contours_filter_renders (GST_BASE_TRANSFORM (object)))
    contours_filter_hold_rendered (GST_CONTOURS_FILTER (object));
  contours_filter_init_sharing (GST_CONTOURS_FILTER (object));
  event_flow_install (GST_BASE_TRANSFORM_SINK_PAD (object));
}

static void
gst_contours_filter_finalize (GObject *object)
{
  gst_contours_gpu_clear (&PRIVATE (GST_CONTOURS_FILTER (object))->gpu);
  frame_calibration_clear (&PRIVATE (GST_CONTOURS_FILTER (object))->calibration);
  G_OBJECT_CLASS (gst_contours_filter_parent_class)->finalize (object);
}

static void
gst_contours_filter_init (GstContoursFilter *self)
{
  GstContoursFilterPrivate *priv = PRIVATE (self);

  priv->backend = DEFAULT_BACKEND;
  priv->device_id = DEFAULT_DEVICE_ID;
  priv->n_threads = DEFAULT_N_THREADS;
  priv->in_use = -1;
  gst_contours_gpu_init (&priv->gpu);
  gst_video_info_init (&priv->info);
  frame_attachment_init (&priv->attachment);
  g_queue_init (&priv->unwarned);
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
   * Where frames are processed: on the GPU or on the CPU, with identical results. The choice of "auto" is posted as an
   * info message. With "cuda", frames in system memory are uploaded. "cpu" accepts no frames in CUDA memory.
   */
  g_object_class_install_property (object_class, PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend", "Where frames are processed; all backends give identical results",
          GST_TYPE_CONTOURS_BACKEND, DEFAULT_BACKEND,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));

  /**
   * GstContoursFilter:cuda-device-id:
   *
   * CUDA device to use. Frames in CUDA memory are processed on the GPU that they are on. -1: any device.
   */
  g_object_class_install_property (object_class, PROP_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "CUDA device ID", "CUDA device to use (-1 = any)", -1, G_MAXINT,
          DEFAULT_DEVICE_ID, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));

  /**
   * GstContoursFilter:n-threads:
   *
   * Number of threads that share the work on a frame on the CPU, the streaming thread included. 0: as many as there are
   * logical cores. All elements of a process share the other threads. With one thread, as many streams as cores keep a
   * machine busy; more threads make the frames of fewer streams faster.
   */
  g_object_class_install_property (object_class, PROP_N_THREADS,
      g_param_spec_uint ("n-threads", "Threads", "Threads that share the work on a frame on the CPU (0 = all cores)", 0,
          G_MAXUINT, DEFAULT_N_THREADS, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_contours_filter_change_state);
  element_class->set_context = GST_DEBUG_FUNCPTR (gst_contours_filter_set_context);

  trans_class->start = GST_DEBUG_FUNCPTR (gst_contours_filter_start);
  trans_class->stop = GST_DEBUG_FUNCPTR (gst_contours_filter_stop);
  trans_class->sink_event = GST_DEBUG_FUNCPTR (gst_contours_filter_sink_event);
  trans_class->query = GST_DEBUG_FUNCPTR (gst_contours_filter_query);
  contours_filter_class_init_negotiation (klass);
  contours_filter_class_init_processing (klass);
  contours_filter_install_timing (klass);

  gst_type_mark_as_plugin_api (GST_TYPE_CONTOURS_FILTER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOURS_BACKEND, 0);
}
