/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudacanny
 * @title: cudacanny
 * @short_description: Canny edge detector
 *
 * Replaces each frame by its edges, found with the Canny detector (Gaussian blur, Sobel gradient, non-maximum
 * suppression, hysteresis). The output has the format of the input: white edges on black.
 *
 * The edges are identical to those of OpenCV's GaussianBlur() followed by Canny(), pixel for pixel, on the GPU and on
 * the CPU. The element analyses the luma of YUV formats, the BT.601 luma of RGB formats, and of samples that have more
 * than 8 bits the upper 8, or with #GstCudaCanny:depth all bits. #GstCudaCanny:significant-bits says which the upper 8
 * are in GRAY16_LE.
 *
 * With #GstCudaCanny:contours the edges are also attached as metadata: ordered chains of points, with
 * #GstCudaCanny:subpixel to fractions of a pixel.
 *
 * #GstCudaCanny:output selects other pictures for the choice of thresholds: gradient, direction, candidates.
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

#include "gst/base/framemessage.h"
#include "gst/base/propertyfields.h"
#include "gst/base/significantbits.h"
#include "gst/canny/edgecontours.h"
#include "gst/canny/edgeplane.h"
#include "gst/canny/properties.h"

GST_DEBUG_CATEGORY_STATIC (gst_cuda_canny_debug);
#define GST_CAT_DEFAULT gst_cuda_canny_debug

struct _GstCudaCanny {
  GstContoursFilter parent;

  /* Properties, under the object lock. */
  CtrCannyParams params; /* but for depth and output */
  gint depth, output;
  guint significant_bits; /* 0: automatic */
  gboolean post_messages, attach_thresholds;
  gboolean contours;
  CtrEdgeChainsParams chains_params;

  CtrCanny *canny;
  EdgeContours edge_contours;
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
  PROP_SIGNIFICANT_BITS,
  PROP_LOW_SHARE,
  PROP_HIGH_SHARE,
  PROP_DEPTH,
  PROP_OUTPUT,
  PROP_POST_MESSAGES,
  PROP_ATTACH_THRESHOLDS,
  PROP_CONTOURS,
  PROP_MIN_LENGTH,
  PROP_SUBPIXEL,
  PROP_SUBPIXEL_SIGMA
};

static const EdgeContoursProperties edge_contours_ids = {
    PROP_CONTOURS, PROP_MIN_LENGTH, PROP_SUBPIXEL, PROP_SUBPIXEL_SIGMA};

/* The custom metadata that has the thresholds of a frame. */
#define THRESHOLDS_META "GstCudaCannyThresholds"

/* Larger than any gradient. */
#define MAX_THRESHOLD 100000000.0
#define MIN_APERTURE 3
#define MAX_APERTURE 7

G_DEFINE_TYPE (GstCudaCanny, gst_cuda_canny, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudacanny, "cudacanny", GST_RANK_NONE, GST_TYPE_CUDA_CANNY,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_canny_debug, "cudacanny", 0, "cudacanny element"))

static gboolean
gst_cuda_canny_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaCanny *self = GST_CUDA_CANNY (filter);

  self->canny = ctr_canny_new (backend, error);
  self->edge_contours.backend = backend;
  return self->canny != NULL;
}

static void
gst_cuda_canny_close (GstContoursFilter *filter)
{
  GstCudaCanny *self = GST_CUDA_CANNY (filter);

  g_clear_pointer (&self->canny, ctr_canny_free);
  g_clear_pointer (&self->edge_contours.chains, ctr_edge_chains_free);
}

/* The core's output for the property's value. */
static CtrCannyOutput
core_output (gint output)
{
  switch (output) {
    case OUTPUT_GRADIENT:
      return CTR_CANNY_GRADIENT;
    case OUTPUT_DIRECTION:
      return CTR_CANNY_DIRECTION;
    case OUTPUT_CANDIDATES:
      return CTR_CANNY_CANDIDATES;
    default:
      return CTR_CANNY_EDGES;
  }
}

/* Whether the number of significant bits matters: where samples are analysed in 8 bits, or thresholds follow from their
 * upper 8 bits. */
static gboolean
needs_significant_bits (const CtrCannyParams *params)
{
  return !params->native_depth || params->threshold_mode == CTR_CANNY_OTSU
         || params->threshold_mode == CTR_CANNY_MEDIAN;
}

/* Waits for the frame that is queued. */
static gboolean
wait_for_picture (GstCudaCanny *self, CtrError *error)
{
  const gboolean drawing = self->drawing;

  self->drawing = FALSE;
  return !drawing || ctr_canny_finish (self->canny, error);
}

/* Links the edges of the frame that is queued, and attaches the chains to BUFFER. The GPU links while the CPU paints a picture in
 * host memory. */
static gboolean
report_contours (GstCudaCanny *self, GstBuffer *buffer, const CtrImage *image, const CtrEdgeChainsParams *params,
    gpointer stream, CtrError *error)
{
  EdgeContours *edges = &self->edge_contours;
  CtrContours *contours = NULL;

  if (edge_contours_enqueue (edges, self->canny, image, params, stream, error)
      && (image->memory == CTR_MEMORY_DEVICE || wait_for_picture (self, error)))
    contours = ctr_edge_chains_finish (edges->chains, error);
  if (!contours) {
    wait_for_picture (self, NULL);
    return FALSE;
  }
  gst_contours_filter_attach_contours (GST_CONTOURS_FILTER (self), buffer, contours, stream);
  ctr_contours_unref (contours);
  return TRUE;
}

/* Waits for the thresholds of the frame that is queued, posts them (POST) and attaches them to BUFFER (ATTACH). */
static gboolean
report_thresholds (GstCudaCanny *self, GstBuffer *buffer, gboolean post, gboolean attach, CtrError *error)
{
  CtrCannyThresholds thresholds;

  if (!wait_for_picture (self, error) || !ctr_canny_get_thresholds (self->canny, &thresholds, error))
    return FALSE;
  if (post)
    frame_message_post (GST_CONTOURS_FILTER (self), buffer, "cudacanny", "low-threshold", G_TYPE_DOUBLE, thresholds.low,
        "high-threshold", G_TYPE_DOUBLE, thresholds.high, "greatest-gradient", G_TYPE_DOUBLE, thresholds.greatest,
        NULL);
  if (attach) {
    GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, THRESHOLDS_META);

    if (!meta)
      meta = gst_buffer_add_custom_meta (buffer, THRESHOLDS_META);
    gst_structure_set (gst_custom_meta_get_structure (meta), "low-threshold", G_TYPE_DOUBLE, thresholds.low,
        "high-threshold", G_TYPE_DOUBLE, thresholds.high, "greatest-gradient", G_TYPE_DOUBLE, thresholds.greatest,
        NULL);
  }
  return TRUE;
}

static gboolean
gst_cuda_canny_render (GstContoursFilter *filter, const CtrImage *image, const GstVideoFrame *in, GstVideoFrame *out,
    gpointer stream, CtrError *error)
{
  GstCudaCanny *self = GST_CUDA_CANNY (filter);
  CtrEdgePicture picture = {.plane_count = GST_VIDEO_FRAME_N_PLANES (out), .memory = image->memory};
  CtrCannyParams params;
  CtrEdgeChainsParams chains_params;
  guint significant_bits;
  gboolean mask, post, attach, contours;

  GST_OBJECT_LOCK (self);
  params = self->params;
  params.native_depth = self->depth == DEPTH_NATIVE;
  params.output = core_output (self->output);
  mask = self->output == OUTPUT_MASK;
  significant_bits = self->significant_bits;
  post = self->post_messages;
  attach = self->attach_thresholds;
  contours = self->contours;
  chains_params = self->chains_params;
  GST_OBJECT_UNLOCK (self);
  if (needs_significant_bits (&params))
    params.significant_bits = gst_contours_filter_get_significant_bits (filter, image, significant_bits);

  for (guint i = 0; i < picture.plane_count; i++)
    edge_plane_describe (&picture.planes[i], out, mask ? in : NULL, i);
  if (contours && !edge_contours_prepare (&self->edge_contours, image, params.output, &picture, error))
    return FALSE;
  self->drawing = ctr_canny_enqueue (self->canny, image, &params, &picture, stream, error);
  return self->drawing && (!contours || report_contours (self, out->buffer, image, &chains_params, stream, error))
         && (!(post || attach) || report_thresholds (self, out->buffer, post, attach, error));
}

static gboolean
gst_cuda_canny_finish (GstContoursFilter *filter, CtrError *error)
{
  return wait_for_picture (GST_CUDA_CANNY (filter), error);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_SIGMA, GstCudaCanny, params.sigma),
    PROPERTY_FIELD (PROP_THRESHOLD_MODE, GstCudaCanny, params.threshold_mode),
    PROPERTY_FIELD (PROP_LOW_THRESHOLD, GstCudaCanny, params.low_threshold),
    PROPERTY_FIELD (PROP_HIGH_THRESHOLD, GstCudaCanny, params.high_threshold),
    PROPERTY_FIELD (PROP_APERTURE, GstCudaCanny, params.aperture),
    PROPERTY_FIELD (PROP_L2_GRADIENT, GstCudaCanny, params.l2_gradient),
    PROPERTY_FIELD (PROP_SIGNIFICANT_BITS, GstCudaCanny, significant_bits),
    PROPERTY_FIELD (PROP_LOW_SHARE, GstCudaCanny, params.low_share),
    PROPERTY_FIELD (PROP_HIGH_SHARE, GstCudaCanny, params.high_share),
    PROPERTY_FIELD (PROP_DEPTH, GstCudaCanny, depth),
    PROPERTY_FIELD (PROP_OUTPUT, GstCudaCanny, output),
    PROPERTY_FIELD (PROP_POST_MESSAGES, GstCudaCanny, post_messages),
    PROPERTY_FIELD (PROP_ATTACH_THRESHOLDS, GstCudaCanny, attach_thresholds),
    PROPERTY_FIELD (PROP_CONTOURS, GstCudaCanny, contours),
    PROPERTY_FIELD (PROP_MIN_LENGTH, GstCudaCanny, chains_params.min_length),
    PROPERTY_FIELD (PROP_SUBPIXEL, GstCudaCanny, chains_params.subpixel),
    PROPERTY_FIELD (PROP_SUBPIXEL_SIGMA, GstCudaCanny, chains_params.subpixel_sigma),
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
    case PROP_MASK:
      if (g_value_get_boolean (value))
        self->output = OUTPUT_MASK;
      else if (self->output == OUTPUT_MASK)
        self->output = OUTPUT_EDGES;
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
  if (id == PROP_MASK)
    g_value_set_boolean (value, GST_CUDA_CANNY (object)->output == OUTPUT_MASK);
  else if (!property_fields_get (fields, object, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_cuda_canny_init (GstCudaCanny *self)
{
  ctr_canny_params_init (&self->params);
  ctr_edge_chains_params_init (&self->chains_params);
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
   * Selection of the two thresholds: properties, derived from each frame's histogram, or shares of its greatest gradient.
   */
  g_object_class_install_property (object_class, PROP_THRESHOLD_MODE,
      g_param_spec_enum ("threshold-mode", "Threshold mode", "Threshold selection: fixed, or derived from each frame",
          GST_TYPE_CUDA_CANNY_THRESHOLD_MODE, defaults.threshold_mode, controlled));

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
   * does so by default. It is another name of #GstCudaCanny:output "mask", and FALSE sets that back to "edges".
   */
  g_object_class_install_property (object_class, PROP_MASK,
      g_param_spec_boolean ("mask", "Mask",
          "Mask the frame with its edges instead of drawing them white, as output=mask", FALSE, controlled));

  /**
   * GstCudaCanny:significant-bits:
   *
   * Significant bits of GRAY16_LE samples, counted from the lowest: cameras with 10, 12 or 14 bits use that many. The
   * upper 8 of these are analysed; larger samples are clamped. 0: automatic; the largest sample since the start of the
   * stream selects 10, 12, 14 or 16, never fewer than before, and an info message tells each change. Setting the number
   * saves a pass over each frame and makes the edges independent of earlier frames. Other formats are not affected. With
   * #GstCudaCanny:depth "native" only the automatic threshold modes use it.
   */
  g_object_class_install_property (object_class, PROP_SIGNIFICANT_BITS, significant_bits_property_new (controlled));

  /**
   * GstCudaCanny:low-share:
   *
   * Low hysteresis threshold as a share of the frame's greatest gradient magnitude, with #GstCudaCanny:threshold-mode
   * "relative". If it is above #GstCudaCanny:high-share, the two are swapped.
   */
  g_object_class_install_property (object_class, PROP_LOW_SHARE,
      g_param_spec_double ("low-share", "Low share",
          "Low hysteresis threshold as a share of the frame's greatest gradient (threshold-mode=relative)", 0, 1,
          defaults.low_share, controlled));

  /**
   * GstCudaCanny:high-share:
   *
   * High hysteresis threshold as a share of the frame's greatest gradient magnitude, with #GstCudaCanny:threshold-mode
   * "relative".
   */
  g_object_class_install_property (object_class, PROP_HIGH_SHARE,
      g_param_spec_double ("high-share", "High share",
          "High hysteresis threshold as a share of the frame's greatest gradient (threshold-mode=relative)", 0, 1,
          defaults.high_share, controlled));

  /**
   * GstCudaCanny:depth:
   *
   * Bits of the samples of GRAY16_LE, P010_10LE and P016_LE that are analysed: the upper 8, or all. With all, absolute
   * thresholds have the unit of samples up to 65535. Other formats are not affected.
   */
  g_object_class_install_property (object_class, PROP_DEPTH,
      g_param_spec_enum ("depth", "Depth",
          "Bits that are analysed of 16-bit samples; with native, absolute thresholds count to 65535 as samples do",
          GST_TYPE_CUDA_CANNY_DEPTH, DEPTH_8_BIT, controlled));

  /**
   * GstCudaCanny:output:
   *
   * What the frame shows. Others than "edges" and "mask" are for the choice of parameters.
   */
  g_object_class_install_property (object_class, PROP_OUTPUT,
      g_param_spec_enum ("output", "Output", "What the frame shows: edges, or a step on the way to them",
          GST_TYPE_CUDA_CANNY_OUTPUT, OUTPUT_EDGES, controlled));

  /**
   * GstCudaCanny:post-messages:
   *
   * Posts an element message "cudacanny" for each frame, and waits for the frame to do so. Its fields are
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration` and #gboolean `corrupted`, `interlaced`: as in
   *   the messages of the analysers.
   * * #gdouble `low-threshold`, `high-threshold`: the thresholds that were applied, in the units of the properties.
   * * #gdouble `greatest-gradient`: the frame's greatest gradient magnitude, with #GstCudaCanny:threshold-mode "relative";
   *   otherwise 0.
   */
  g_object_class_install_property (object_class, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with the thresholds of each frame", FALSE, controlled));

  /**
   * GstCudaCanny:attach-thresholds:
   *
   * Attaches the last three fields of the message to each frame, as the #GstCustomMeta "GstCudaCannyThresholds", and waits
   * for the frame to do so.
   */
  g_object_class_install_property (object_class, PROP_ATTACH_THRESHOLDS,
      g_param_spec_boolean ("attach-thresholds", "Attach thresholds",
          "Attach the thresholds of each frame to it, as custom metadata GstCudaCannyThresholds", FALSE, controlled));

  edge_contours_install_properties (object_class, &edge_contours_ids);

  gst_element_class_set_static_metadata (element_class, "CUDA Canny edges", "Filter/Effect/Video/Hardware",
      "Replaces each frame by its Canny edges, found on the GPU or CPU", "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_canny_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_canny_close);
  filter_class->finish = GST_DEBUG_FUNCPTR (gst_cuda_canny_finish);
  filter_class->render = GST_DEBUG_FUNCPTR (gst_cuda_canny_render);
  gst_contours_filter_class_limit_packed_yuv (filter_class, TRUE);

  if (!gst_meta_get_info (THRESHOLDS_META)) {
    static const gchar *no_tags[] = {NULL};

    gst_meta_register_custom (THRESHOLDS_META, no_tags, NULL, NULL, NULL);
  }
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CANNY_DEPTH, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CANNY_OUTPUT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CANNY_SUBPIXEL, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CANNY_THRESHOLD_MODE, 0);
}
