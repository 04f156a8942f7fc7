/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudabackground
 * @title: cudabackground
 * @short_description: Background removal and flat-field correction
 *
 * Compares each frame with a background, and replaces the frame's luma by the difference or the quotient. The background
 * is a running average, a median of frames, the first frame, or a picture in a file.
 *
 * The element corrects the luma of YUV formats and keeps their chroma. In RGB formats it writes the corrected BT.601 luma
 * to all three colours and keeps alpha. Formats with more than 8 bits are corrected with all their bits.
 *
 * The background begins with the first frame, and again after a flush, in a new stream, with frames of another size or
 * format, and after #GstCudaBackground::reset.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=100 ! video/x-raw,format=GRAY8 ! cudabackground mode=absdiff
 * model=median frames=15 interval=5 ! videoconvert ! autovideosink
 * ]| Shows what moves: the ball. Without a GPU it runs on the CPU.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudabackground.h"

#include "gst/background/pngfile.h"
#include "gst/base/propertyfields.h"
#include "gst/base/significantbits.h"

GST_DEBUG_CATEGORY_STATIC (gst_cuda_background_debug);
#define GST_CAT_DEFAULT gst_cuda_background_debug

struct _GstCudaBackground {
  GstContoursFilter parent;

  /* Under the object lock. */
  CtrBackgroundParams params; /* but for sample_mask */
  guint significant_bits;     /* 0: automatic */
  gchar *location;            /* NULL: none */
  gboolean unread;            /* The file at LOCATION has not been read for this backend. */
  gboolean renew;             /* The background begins again with the next frame. */

  CtrBackground *background;
  guint picture_bits;                       /* significant bits of the picture in the file */
  gboolean drawing; /* a frame is queued */ /* while started */
};

enum {
  PROP_0,
  PROP_MODE,
  PROP_MODEL,
  PROP_LEARNING_RATE,
  PROP_LEARNING,
  PROP_FRAMES,
  PROP_INTERVAL,
  PROP_OFFSET,
  PROP_LOCATION,
  PROP_SIGNIFICANT_BITS
};

enum { SIGNAL_RESET, LAST_SIGNAL };

static guint signals[LAST_SIGNAL];

G_DEFINE_TYPE (GstCudaBackground, gst_cuda_background, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudabackground, "cudabackground", GST_RANK_NONE, GST_TYPE_CUDA_BACKGROUND,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_background_debug, "cudabackground", 0, "cudabackground element"))

#define GST_TYPE_CUDA_BACKGROUND_MODE (gst_cuda_background_mode_get_type ())
static GType
gst_cuda_background_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_BACKGROUND_SUBTRACT, "Frame minus background, 0 where it is darker", "subtract"},
      {CTR_BACKGROUND_DIVIDE, "Frame divided by background, times the background's mean: flat field", "divide"},
      {CTR_BACKGROUND_ABSDIFF, "Absolute difference of frame and background", "absdiff"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaBackgroundMode", values));
  return type;
}

#define GST_TYPE_CUDA_BACKGROUND_MODEL (gst_cuda_background_model_get_type ())
static GType
gst_cuda_background_model_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_BACKGROUND_AVERAGE, "Running average of the frames, with learning-rate", "average"},
      {CTR_BACKGROUND_MEDIAN, "Median of the last frames, every interval-th one", "median"},
      {CTR_BACKGROUND_FIRST, "The first frame", "first"},
      {CTR_BACKGROUND_GIVEN, "The picture in the PNG file at location", "file"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaBackgroundModel", values));
  return type;
}

static void
renew_background (GstCudaBackground *self)
{
  GST_OBJECT_LOCK (self);
  self->renew = TRUE;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
gst_cuda_background_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaBackground *self = GST_CUDA_BACKGROUND (filter);

  GST_OBJECT_LOCK (self);
  self->unread = TRUE;
  self->renew = FALSE;
  GST_OBJECT_UNLOCK (self);
  self->background = ctr_background_new (backend, error);
  return self->background != NULL;
}

static void
gst_cuda_background_close (GstContoursFilter *filter)
{
  g_clear_pointer (&GST_CUDA_BACKGROUND (filter)->background, ctr_background_free);
}

/* Reads the file at LOCATION, which is freed. */
static gboolean
read_background (GstCudaBackground *self, gchar *location, const CtrImage *image, CtrError *error)
{
  CtrImage picture;
  gboolean ok;

  if (!location) {
    error->status = CTR_ERROR_INVALID_ARGUMENT;
    g_strlcpy (error->message, "model=file has no file: set location to a grey PNG picture of the background",
        sizeof error->message);
    return FALSE;
  }
  ok = png_file_read (location, "background", image, &picture, error);
  g_free (location);
  if (!ok)
    return FALSE;
  if (picture.format == CTR_FORMAT_GRAY16)
    self->picture_bits = significant_bits_find (&picture, 0);
  ok = ctr_background_set_picture (self->background, &picture, error);
  g_free ((gpointer) picture.data);
  return ok;
}

/* Describes OUT, whose planes but the first are copies of those of IN. */
static void
describe_corrected (CtrCorrectedPicture *corrected, const GstVideoFrame *in, const GstVideoFrame *out, CtrMemory memory)
{
  *corrected = (CtrCorrectedPicture){
      .data = GST_VIDEO_FRAME_PLANE_DATA (out, 0),
      .stride = GST_VIDEO_FRAME_PLANE_STRIDE (out, 0),
      .memory = memory,
      .kept_count = GST_VIDEO_FRAME_N_PLANES (out) - 1,
  };
  for (guint i = 0; i < corrected->kept_count; i++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    gst_video_format_info_component (out->info.finfo, i + 1, components);
    corrected->kept[i] = (CtrKeptPlane){
        .data = GST_VIDEO_FRAME_PLANE_DATA (out, i + 1),
        .stride = GST_VIDEO_FRAME_PLANE_STRIDE (out, i + 1),
        .source = GST_VIDEO_FRAME_PLANE_DATA (in, i + 1),
        .source_stride = GST_VIDEO_FRAME_PLANE_STRIDE (in, i + 1),
        .row_size =
            (gsize) GST_VIDEO_FRAME_COMP_WIDTH (out, components[0]) * GST_VIDEO_FRAME_COMP_PSTRIDE (out, components[0]),
        .rows = GST_VIDEO_FRAME_COMP_HEIGHT (out, components[0]),
    };
  }
}

/* The bits of corrected samples. Where these may be greater than those of the frame, the largest one is that of the
 * significant bits. */
static guint32
get_sample_mask (GstCudaBackground *self, const GstVideoFormatInfo *format, const CtrImage *image,
    const CtrBackgroundParams *params, guint significant_bits)
{
  GstContoursFilter *filter = GST_CONTOURS_FILTER (self);
  guint bits;

  if (gst_contours_filter_get_format_bits (filter, 0) > 0)
    return ((1u << GST_VIDEO_FORMAT_INFO_DEPTH (format, 0)) - 1) << GST_VIDEO_FORMAT_INFO_SHIFT (format, 0);
  if (params->mode != CTR_BACKGROUND_DIVIDE && params->offset <= 0)
    return G_MAXUINT16;
  bits = gst_contours_filter_get_significant_bits (filter, image, significant_bits);
  if (significant_bits == 0 && params->model == CTR_BACKGROUND_GIVEN)
    bits = MAX (bits, self->picture_bits);
  return (1u << bits) - 1;
}

static gboolean
gst_cuda_background_render (GstContoursFilter *filter, const CtrImage *image, const GstVideoFrame *in,
    GstVideoFrame *out, gpointer stream, CtrError *error)
{
  GstCudaBackground *self = GST_CUDA_BACKGROUND (filter);
  CtrBackgroundParams params;
  CtrCorrectedPicture corrected;
  gboolean renew, unread;
  guint significant_bits;
  gchar *location = NULL;

  GST_OBJECT_LOCK (self);
  params = self->params;
  significant_bits = self->significant_bits;
  renew = self->renew;
  self->renew = FALSE;
  unread = self->unread && params.model == CTR_BACKGROUND_GIVEN;
  if (unread) {
    location = g_strdup (self->location);
    self->unread = FALSE;
  }
  GST_OBJECT_UNLOCK (self);

  if (renew)
    ctr_background_reset (self->background);
  if (unread && !read_background (self, location, image, error)) {
    GST_OBJECT_LOCK (self);
    self->unread = TRUE;
    GST_OBJECT_UNLOCK (self);
    return FALSE;
  }
  params.sample_mask = get_sample_mask (self, in->info.finfo, image, &params, significant_bits);
  describe_corrected (&corrected, in, out, image->memory);
  self->drawing = ctr_background_enqueue (self->background, image, &params, &corrected, stream, error);
  return self->drawing;
}

static gboolean
gst_cuda_background_finish (GstContoursFilter *filter, CtrError *error)
{
  GstCudaBackground *self = GST_CUDA_BACKGROUND (filter);
  const gboolean drawing = self->drawing;

  self->drawing = FALSE;
  return !drawing || ctr_background_finish (self->background, error);
}

static gboolean
gst_cuda_background_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP || GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START)
    renew_background (GST_CUDA_BACKGROUND (trans));
  return GST_BASE_TRANSFORM_CLASS (gst_cuda_background_parent_class)->sink_event (trans, event);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_MODE, GstCudaBackground, params.mode),
    PROPERTY_FIELD (PROP_MODEL, GstCudaBackground, params.model),
    PROPERTY_FIELD (PROP_LEARNING_RATE, GstCudaBackground, params.learning_rate),
    PROPERTY_FIELD (PROP_LEARNING, GstCudaBackground, params.learning),
    PROPERTY_FIELD (PROP_FRAMES, GstCudaBackground, params.frames),
    PROPERTY_FIELD (PROP_INTERVAL, GstCudaBackground, params.interval),
    PROPERTY_FIELD (PROP_OFFSET, GstCudaBackground, params.offset),
    PROPERTY_FIELD (PROP_SIGNIFICANT_BITS, GstCudaBackground, significant_bits),
    {0},
};

static void
gst_cuda_background_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaBackground *self = GST_CUDA_BACKGROUND (object);
  guint wanted;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_FRAMES:
      wanted = g_value_get_uint (value);
      self->params.frames = (wanted - 1) | 1;
      if (wanted % 2 == 0)
        GST_WARNING_OBJECT (self, "frames=%u is even: using %u; set it to an odd number", wanted, self->params.frames);
      break;
    case PROP_LOCATION:
      g_free (self->location);
      self->location = g_value_dup_string (value);
      self->unread = TRUE;
      break;
    case PROP_SIGNIFICANT_BITS:
      self->significant_bits = significant_bits_clamp (GST_ELEMENT_CAST (self), g_value_get_uint (value));
      break;
    default:
      if (!property_fields_set (fields, self, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_background_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaBackground *self = GST_CUDA_BACKGROUND (object);

  GST_OBJECT_LOCK (self);
  if (id == PROP_LOCATION)
    g_value_set_string (value, self->location);
  else if (!property_fields_get (fields, self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_background_finalize (GObject *object)
{
  g_free (GST_CUDA_BACKGROUND (object)->location);
  G_OBJECT_CLASS (gst_cuda_background_parent_class)->finalize (object);
}

static void
gst_cuda_background_init (GstCudaBackground *self)
{
  ctr_background_params_init (&self->params);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controlled = live | GST_PARAM_CONTROLLABLE;
  CtrBackgroundParams defaults;

  ctr_background_params_init (&defaults);

  /**
   * GstCudaBackground:mode:
   *
   * How a frame is corrected by the background.
   */
  g_object_class_install_property (object_class, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "How a frame is corrected by the background", GST_TYPE_CUDA_BACKGROUND_MODE,
          defaults.mode, controlled));

  /**
   * GstCudaBackground:model:
   *
   * Where the background comes from. It begins again when this changes.
   */
  g_object_class_install_property (object_class, PROP_MODEL,
      g_param_spec_enum ("model", "Model", "Where the background comes from", GST_TYPE_CUDA_BACKGROUND_MODEL,
          defaults.model, controlled));

  /**
   * GstCudaBackground:learning-rate:
   *
   * Share of each frame in the running average. A change of the light is learned in about 1 / learning-rate frames.
   */
  g_object_class_install_property (object_class, PROP_LEARNING_RATE,
      g_param_spec_double ("learning-rate", "Learning rate",
          "Share of each frame in the running average (model=average); 0 keeps the average", 0, 1,
          defaults.learning_rate, controlled));

  /**
   * GstCudaBackground:learning:
   *
   * Whether frames change the background. If not, it stays as it is; the first frame begins it all the same.
   */
  g_object_class_install_property (object_class, PROP_LEARNING,
      g_param_spec_boolean ("learning", "Learning", "Whether frames change the background (model=average, median)",
          defaults.learning, controlled));

  /**
   * GstCudaBackground:frames:
   *
   * Number of frames that the median is of. Even numbers are rounded down. The background begins again when it changes.
   */
  g_object_class_install_property (object_class, PROP_FRAMES,
      g_param_spec_uint ("frames", "Frames", "Number of frames that the median is of, odd (model=median)",
          CTR_BACKGROUND_MIN_FRAMES, CTR_BACKGROUND_MAX_FRAMES, defaults.frames, controlled));

  /**
   * GstCudaBackground:interval:
   *
   * Every interval-th frame is one of those that the median is of. The median stays in between.
   */
  g_object_class_install_property (object_class, PROP_INTERVAL,
      g_param_spec_uint ("interval", "Interval", "Frames from one that the median learns to the next (model=median)", 1,
          CTR_BACKGROUND_MAX_INTERVAL, defaults.interval, controlled));

  /**
   * GstCudaBackground:offset:
   *
   * A number that is added to each corrected sample before it is limited to the format's range. With
   * #GstCudaBackground:mode "subtract" and half of that range, what is darker than the background is kept, too.
   */
  g_object_class_install_property (object_class, PROP_OFFSET,
      g_param_spec_int ("offset", "Offset", "Number that is added to each corrected sample, in sample units",
          -CTR_BACKGROUND_MAX_OFFSET, CTR_BACKGROUND_MAX_OFFSET, defaults.offset, controlled));

  /**
   * GstCudaBackground:significant-bits:
   *
   * Significant bits of GRAY16_LE samples, counted from the lowest: the largest of these is that of corrected samples.
   * Details: #GstCudaCanny:significant-bits.
   */
  g_object_class_install_property (object_class, PROP_SIGNIFICANT_BITS, significant_bits_property_new (controlled));

  /**
   * GstCudaBackground:location:
   *
   * Path of a PNG file with the background, for #GstCudaBackground:model "file": grey, of the frames' size, with as many
   * bits as their samples (8 or 16). The file is read when the first frame needs it, and again when this is set.
   */
  g_object_class_install_property (object_class, PROP_LOCATION,
      g_param_spec_string (
          "location", "Location", "Path of a grey PNG file with the background (model=file)", NULL, live));
}

static void
gst_cuda_background_class_init (GstCudaBackgroundClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);

  object_class->set_property = gst_cuda_background_set_property;
  object_class->get_property = gst_cuda_background_get_property;
  object_class->finalize = gst_cuda_background_finalize;
  install_properties (object_class);

  /**
   * GstCudaBackground::reset:
   * @background: the element
   *
   * An action signal: the background begins again with the next frame.
   */
  signals[SIGNAL_RESET] = g_signal_new_class_handler ("reset", G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (renew_background), NULL, NULL, NULL, G_TYPE_NONE, 0);

  gst_element_class_set_static_metadata (element_class, "CUDA background removal", "Filter/Effect/Video/Hardware",
      "Removes a background or uneven light from frames, on the GPU or CPU", "The gst-cuda-contours authors");

  GST_BASE_TRANSFORM_CLASS (klass)->sink_event = GST_DEBUG_FUNCPTR (gst_cuda_background_sink_event);
  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_background_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_background_close);
  filter_class->finish = GST_DEBUG_FUNCPTR (gst_cuda_background_finish);
  filter_class->render = GST_DEBUG_FUNCPTR (gst_cuda_background_render);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BACKGROUND_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BACKGROUND_MODEL, 0);
}
