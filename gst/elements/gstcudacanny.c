/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudacanny
 * @title: cudacanny
 * @short_description: Canny edge detector
 *
 * Replaces each frame by its edges, found with the Canny detector (Gaussian blur, Sobel gradient, non-maximum
 * suppression, hysteresis). The output has the format of the input: white edges on black. With #GstCudaCanny:mask the
 * frame's own pixels replace white.
 *
 * The edges are identical to those of OpenCV's GaussianBlur() followed by Canny(), pixel for pixel, on the GPU and on
 * the CPU. The element analyses the luma of YUV formats, the BT.601 luma of RGB formats, and the upper 8 bits of
 * samples that have more; #GstCudaCanny:significant-bits says which these are in GRAY16_LE.
 *
 * Metadata that describes the picture is kept.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudacanny sigma=1 ! videoconvert
 * ! autovideosink
 * ]| Shows the outline of the ball. Without a GPU it runs on the CPU.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudacanny.h"

#include "gst/base/propertyfields.h"
#include "gst/base/significantbits.h"

#include <contours/canny.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_canny_debug);
#define GST_CAT_DEFAULT gst_cuda_canny_debug

struct _GstCudaCanny {
  GstContoursFilter parent;

  /* Properties, under the object lock. */
  CtrCannyParams params;
  gboolean mask;
  guint significant_bits; /* 0: automatic */

  CtrCanny *canny;
  gboolean drawing; /* a frame is queued */ /* while started */
};

enum {
  PROP_0,
  PROP_SIGMA,
  PROP_THRESHOLD_MODE,
  PROP_LOW_THRESHOLD,
  PROP_HIGH_THRESHOLD,
  PROP_APERTURE,
  PROP_L2_GRADIENT,
  PROP_MASK,
  PROP_SIGNIFICANT_BITS
};

/* Larger than any gradient. */
#define MAX_THRESHOLD 1000000.0
#define MIN_APERTURE 3
#define MAX_APERTURE 7
#define DEFAULT_MASK FALSE

G_DEFINE_TYPE (GstCudaCanny, gst_cuda_canny, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudacanny, "cudacanny", GST_RANK_NONE, GST_TYPE_CUDA_CANNY,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_canny_debug, "cudacanny", 0, "cudacanny element"))

#define GST_TYPE_CUDA_CANNY_THRESHOLD_MODE (gst_cuda_canny_threshold_mode_get_type ())
static GType
gst_cuda_canny_threshold_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_CANNY_ABSOLUTE, "Values of low-threshold and high-threshold", "absolute"},
      {CTR_CANNY_OTSU, "High: Otsu's threshold of each frame; low: half of it", "otsu"},
      {CTR_CANNY_MEDIAN, "0.67 (low) and 1.33 (high) times the median of each frame", "median"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCannyThresholdMode", values));
  return type;
}

static gboolean
gst_cuda_canny_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaCanny *self = GST_CUDA_CANNY (filter);

  self->canny = ctr_canny_new (backend, error);
  return self->canny != NULL;
}

static void
gst_cuda_canny_close (GstContoursFilter *filter)
{
  g_clear_pointer (&GST_CUDA_CANNY (filter)->canny, ctr_canny_free);
}

/* Samples of more than 8 bits have two bytes, little endian in all formats of the caps. */
static void
put_sample (guint8 *bytes, guint sample, guint depth)
{
  bytes[0] = sample;
  if (depth > 8)
    bytes[1] = sample >> 8;
}

/* Describes plane INDEX of OUT: opaque white edges on black; SOURCE, unless it is NULL, replaces white. */
static void
describe_plane (CtrEdgePlane *plane, const GstVideoFrame *out, const GstVideoFrame *source, guint index)
{
  const GstVideoFormatInfo *format = out->info.finfo;
  gint components[GST_VIDEO_MAX_COMPONENTS];

  gst_video_format_info_component (format, index, components);
  *plane = (CtrEdgePlane){
      .data = GST_VIDEO_FRAME_PLANE_DATA (out, index),
      .stride = GST_VIDEO_FRAME_PLANE_STRIDE (out, index),
      .source = source ? GST_VIDEO_FRAME_PLANE_DATA (source, index) : NULL,
      .source_stride = source ? GST_VIDEO_FRAME_PLANE_STRIDE (source, index) : 0,
      .pixel_size = GST_VIDEO_FORMAT_INFO_PSTRIDE (format, components[0]),
      .x_shift = GST_VIDEO_FORMAT_INFO_W_SUB (format, components[0]),
      .y_shift = GST_VIDEO_FORMAT_INFO_H_SUB (format, components[0]),
  };
  /* Bytes that belong to no component are padding. */
  memset (plane->edge, 0xff, sizeof plane->edge);
  memset (plane->background, 0xff, sizeof plane->background);
  for (guint i = 0; i < GST_VIDEO_MAX_COMPONENTS && components[i] >= 0; i++) {
    const guint c = components[i], depth = GST_VIDEO_FORMAT_INFO_DEPTH (format, c);
    const guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (format, c);
    const guint full = ((1u << depth) - 1) << shift, middle = 1u << (depth - 1 + shift);

    if (GST_VIDEO_FORMAT_INFO_IS_YUV (format) && (c == GST_VIDEO_COMP_U || c == GST_VIDEO_COMP_V)) {
      /* U and V have the same value, so their order does not matter. GStreamer 1.22 has a wrong offset for V of P010
       * and P016. */
      const guint at = i * (depth > 8 ? 2 : 1);
      put_sample (plane->edge + at, middle, depth);
      put_sample (plane->background + at, middle, depth);
    } else {
      const guint at = GST_VIDEO_FORMAT_INFO_POFFSET (format, c);
      put_sample (plane->edge + at, full, depth);
      put_sample (plane->background + at, c == GST_VIDEO_COMP_A ? full : 0, depth);
    }
  }
}

static gboolean
gst_cuda_canny_render (GstContoursFilter *filter, const CtrImage *image, const GstVideoFrame *in, GstVideoFrame *out,
    gpointer stream, CtrError *error)
{
  GstCudaCanny *self = GST_CUDA_CANNY (filter);
  CtrEdgePicture picture = {.plane_count = GST_VIDEO_FRAME_N_PLANES (out), .memory = image->memory};
  CtrCannyParams params;
  guint significant_bits;
  gboolean mask;

  GST_OBJECT_LOCK (self);
  params = self->params;
  mask = self->mask;
  significant_bits = self->significant_bits;
  GST_OBJECT_UNLOCK (self);
  params.significant_bits = gst_contours_filter_get_significant_bits (filter, in, significant_bits);

  for (guint i = 0; i < picture.plane_count; i++)
    describe_plane (&picture.planes[i], out, mask ? in : NULL, i);
  self->drawing = ctr_canny_enqueue (self->canny, image, &params, &picture, stream, error);
  return self->drawing;
}

static gboolean
gst_cuda_canny_finish (GstContoursFilter *filter, CtrError *error)
{
  GstCudaCanny *self = GST_CUDA_CANNY (filter);
  const gboolean drawing = self->drawing;

  self->drawing = FALSE;
  return !drawing || ctr_canny_finish (self->canny, error);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_SIGMA, GstCudaCanny, params.sigma),
    PROPERTY_FIELD (PROP_THRESHOLD_MODE, GstCudaCanny, params.threshold_mode),
    PROPERTY_FIELD (PROP_LOW_THRESHOLD, GstCudaCanny, params.low_threshold),
    PROPERTY_FIELD (PROP_HIGH_THRESHOLD, GstCudaCanny, params.high_threshold),
    PROPERTY_FIELD (PROP_APERTURE, GstCudaCanny, params.aperture),
    PROPERTY_FIELD (PROP_L2_GRADIENT, GstCudaCanny, params.l2_gradient),
    PROPERTY_FIELD (PROP_MASK, GstCudaCanny, mask),
    PROPERTY_FIELD (PROP_SIGNIFICANT_BITS, GstCudaCanny, significant_bits),
    {0},
};

static void
gst_cuda_canny_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaCanny *self = GST_CUDA_CANNY (object);
  gint wanted;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_APERTURE:
      wanted = g_value_get_int (value);
      self->params.aperture = (wanted - 1) | 1;
      if (wanted % 2 == 0)
        GST_WARNING_OBJECT (
            self, "aperture=%d is not supported: using %u; set it to 3, 5 or 7", wanted, self->params.aperture);
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
gst_cuda_canny_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  if (!property_fields_get (fields, object, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_cuda_canny_init (GstCudaCanny *self)
{
  ctr_canny_params_init (&self->params);
  self->mask = DEFAULT_MASK;
}

static void
gst_cuda_canny_class_init (GstCudaCannyClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);
  const GParamFlags controlled =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
  CtrCannyParams defaults;

  ctr_canny_params_init (&defaults);
  object_class->set_property = gst_cuda_canny_set_property;
  object_class->get_property = gst_cuda_canny_get_property;

  /**
   * GstCudaCanny:sigma:
   *
   * Standard deviation of the Gaussian blur before the gradient, in pixels. It suppresses detail and noise of that
   * size. 0: no blur, as in the element edgedetect.
   */
  g_object_class_install_property (object_class, PROP_SIGMA,
      g_param_spec_double ("sigma", "Sigma", "Standard deviation of the Gaussian blur, in pixels (0 = no blur)", 0,
          CTR_CANNY_MAX_SIGMA, defaults.sigma, controlled));

  /**
   * GstCudaCanny:threshold-mode:
   *
   * Selection of the two thresholds: properties, or derived from each frame's histogram.
   */
  g_object_class_install_property (object_class, PROP_THRESHOLD_MODE,
      g_param_spec_enum ("threshold-mode", "Threshold mode",
          "Threshold selection: fixed, or derived from each frame's histogram", GST_TYPE_CUDA_CANNY_THRESHOLD_MODE,
          defaults.threshold_mode, controlled));

  /**
   * GstCudaCanny:low-threshold:
   *
   * Low hysteresis threshold of the gradient magnitude: an edge continues through pixels above it. It equals threshold1
   * of the element edgedetect and of OpenCV's Canny(). If it is above #GstCudaCanny:high-threshold, the two are
   * swapped.
   */
  g_object_class_install_property (object_class, PROP_LOW_THRESHOLD,
      g_param_spec_double ("low-threshold", "Low threshold",
          "Low hysteresis threshold: edges continue above it; edgedetect's threshold1 (threshold-mode=absolute)", 0,
          MAX_THRESHOLD, defaults.low_threshold, controlled));

  /**
   * GstCudaCanny:high-threshold:
   *
   * High hysteresis threshold of the gradient magnitude: an edge has at least one pixel above it. It equals threshold2
   * of the element edgedetect and of OpenCV's Canny().
   */
  g_object_class_install_property (object_class, PROP_HIGH_THRESHOLD,
      g_param_spec_double ("high-threshold", "High threshold",
          "High hysteresis threshold: edges start above it; edgedetect's threshold2 (threshold-mode=absolute)", 0,
          MAX_THRESHOLD, defaults.high_threshold, controlled));

  /**
   * GstCudaCanny:aperture:
   *
   * Aperture of the Sobel operator in pixels: 3, 5 or 7; even numbers are rounded down. Gradients with aperture 5 are
   * 12 times, with aperture 7 160 times as large as with 3, so absolute thresholds must be scaled.
   */
  g_object_class_install_property (object_class, PROP_APERTURE,
      g_param_spec_int ("aperture", "Aperture", "Aperture of the Sobel operator in pixels: 3, 5 or 7", MIN_APERTURE,
          MAX_APERTURE, defaults.aperture, controlled));

  /**
   * GstCudaCanny:l2-gradient:
   *
   * Uses the L2 norm of the gradient, sqrt (dx² + dy²), instead of the L1 norm |dx| + |dy|.
   */
  g_object_class_install_property (object_class, PROP_L2_GRADIENT,
      g_param_spec_boolean ("l2-gradient", "L2 gradient",
          "L2 norm of the gradient, sqrt (dx^2 + dy^2), instead of the L1 norm |dx| + |dy|", defaults.l2_gradient,
          controlled));

  /**
   * GstCudaCanny:mask:
   *
   * Masks the frame with its edges: edge pixels keep the frame's colour, all others are black. The element edgedetect
   * does so by default.
   */
  g_object_class_install_property (object_class, PROP_MASK,
      g_param_spec_boolean (
          "mask", "Mask", "Mask the frame with its edges instead of drawing them white", DEFAULT_MASK, controlled));

  /**
   * GstCudaCanny:significant-bits:
   *
   * Significant bits of GRAY16_LE samples, counted from the lowest: cameras with 10, 12 or 14 bits use that many. The
   * upper 8 of these are analysed; larger samples are clamped. 0: automatic; the largest sample since the start of the
   * stream selects 10, 12, 14 or 16, never fewer than before, and an info message tells each change. Setting the number
   * saves a pass over each frame and makes the edges independent of earlier frames. Other formats are not affected.
   */
  g_object_class_install_property (object_class, PROP_SIGNIFICANT_BITS, significant_bits_property_new (controlled));

  gst_element_class_set_static_metadata (element_class, "CUDA Canny edges", "Filter/Effect/Video/Hardware",
      "Replaces each frame by its Canny edges, found on the GPU or CPU", "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_canny_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_canny_close);
  filter_class->finish = GST_DEBUG_FUNCPTR (gst_cuda_canny_finish);
  filter_class->render = GST_DEBUG_FUNCPTR (gst_cuda_canny_render);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CANNY_THRESHOLD_MODE, 0);
}
