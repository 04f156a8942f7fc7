/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudaborders
 * @title: cudaborders
 * @short_description: Follows the borders in each frame
 *
 * Splits each frame into foreground and background by a threshold on its luma (or grey) samples, and attaches the
 * foreground's borders to the buffer as a #GstContoursContourMeta: lists of points in order around each part and each
 * hole, which of them encloses which, area, perimeter, bounding box, and on request moments. The picture itself is left
 * as it is.
 *
 * The contours, their points, order and hierarchy are those of OpenCV's findContours(), on the GPU and on the host
 * alike. On the GPU they stay there until they are asked for.
 *
 * With #GstForegroundFilter:post-messages an element message named "cudaborders" goes to the bus for each frame. Its
 * `count` is that of the contours; it adds
 *
 * * #guint64 `points`: points of all contours together.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudaborders post-messages=true
 * ! fakesink
 * ]| Prints, for each frame, how many contours and points it has. Without a GPU they are found on the host.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudaborders.h"

#include "gst/base/framemessage.h"
#include "gst/base/propertyfields.h"

#include <gst/contours/gstcontours.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_borders_debug);
#define GST_CAT_DEFAULT gst_cuda_borders_debug

struct _GstCudaBorders {
  GstForegroundFilter parent;

  CtrBordersParams params; /* properties, under the object lock */

  CtrBorders *borders; /* while started */
};

enum {
  PROP_0,
  PROP_MODE,
  PROP_APPROXIMATION,
  PROP_EPSILON,
  PROP_MIN_AREA,
  PROP_MAX_AREA,
  PROP_MIN_LENGTH,
  PROP_MIN_WIDTH,
  PROP_MIN_HEIGHT,
  PROP_FEATURES
};

/* More than any distance. */
#define MAX_EPSILON 1000000.0

G_DEFINE_TYPE (GstCudaBorders, gst_cuda_borders, GST_TYPE_FOREGROUND_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudaborders, "cudaborders", GST_RANK_NONE, GST_TYPE_CUDA_BORDERS,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_borders_debug, "cudaborders", 0, "borders"))

#define GST_TYPE_CUDA_BORDERS_MODE (gst_cuda_borders_mode_get_type ())
static GType
gst_cuda_borders_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_RETRIEVE_EXTERNAL, "The outer borders that nothing encloses", "external"},
      {CTR_RETRIEVE_LIST, "All, without hierarchy", "list"},
      {CTR_RETRIEVE_CCOMP, "All, in two levels: outer borders, each with its holes", "ccomp"},
      {CTR_RETRIEVE_TREE, "All, fully nested", "tree"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaBordersMode", values));
  return type;
}

#define GST_TYPE_CUDA_BORDERS_APPROXIMATION (gst_cuda_borders_approximation_get_type ())
static GType
gst_cuda_borders_approximation_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_APPROXIMATION_NONE, "Every pixel of the border", "none"},
      {CTR_APPROXIMATION_SIMPLE, "The ends of its horizontal, vertical and diagonal segments", "simple"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaBordersApproximation", values));
  return type;
}

static gboolean
gst_cuda_borders_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaBorders *self = GST_CUDA_BORDERS (filter);

  self->borders = ctr_borders_new (backend, error);
  return self->borders != NULL;
}

static void
gst_cuda_borders_close (GstContoursFilter *filter)
{
  g_clear_pointer (&GST_CUDA_BORDERS (filter)->borders, ctr_borders_free);
}

static CtrContours *
gst_cuda_borders_find_contours (
    GstContoursFilter *filter, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstCudaBorders *self = GST_CUDA_BORDERS (filter);
  CtrBordersParams params;

  GST_OBJECT_LOCK (self);
  params = self->params;
  GST_OBJECT_UNLOCK (self);
  params.foreground = gst_foreground_filter_get_foreground (GST_FOREGROUND_FILTER (filter));
  return ctr_borders_run (self->borders, image, &params, stream, error);
}

static void
gst_cuda_borders_report_contours (GstContoursFilter *filter, GstBuffer *buffer, const CtrContours *contours)
{
  GST_LOG_OBJECT (filter, "%u contours of %" G_GUINT64_FORMAT " points at threshold %u", contours->count,
      contours->point_count, contours->threshold);
  if (gst_foreground_filter_get_post_messages (GST_FOREGROUND_FILTER (filter)))
    frame_message_post (filter, buffer, "cudaborders", "count", G_TYPE_UINT, contours->count, "threshold", G_TYPE_UINT,
        contours->threshold, "points", G_TYPE_UINT64, contours->point_count, NULL);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_MODE, GstCudaBorders, params.mode),
    PROPERTY_FIELD (PROP_APPROXIMATION, GstCudaBorders, params.approximation),
    PROPERTY_FIELD (PROP_EPSILON, GstCudaBorders, params.epsilon),
    PROPERTY_FIELD (PROP_MIN_AREA, GstCudaBorders, params.min_area),
    PROPERTY_FIELD (PROP_MAX_AREA, GstCudaBorders, params.max_area),
    PROPERTY_FIELD (PROP_MIN_LENGTH, GstCudaBorders, params.min_length),
    PROPERTY_FIELD (PROP_MIN_WIDTH, GstCudaBorders, params.min_width),
    PROPERTY_FIELD (PROP_MIN_HEIGHT, GstCudaBorders, params.min_height),
    PROPERTY_FIELD (PROP_FEATURES, GstCudaBorders, params.features),
    {0},
};

static void
gst_cuda_borders_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  if (!property_fields_set (fields, object, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_cuda_borders_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  if (!property_fields_get (fields, object, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_cuda_borders_init (GstCudaBorders *self)
{
  ctr_borders_params_init (&self->params);
}

static void
gst_cuda_borders_class_init (GstCudaBordersClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controlled = live | GST_PARAM_CONTROLLABLE;
  CtrBordersParams defaults;

  ctr_borders_params_init (&defaults);
  object_class->set_property = gst_cuda_borders_set_property;
  object_class->get_property = gst_cuda_borders_get_property;

  /**
   * GstCudaBorders:mode:
   *
   * Which borders, and what the hierarchy says of them; OpenCV's RETR_EXTERNAL, RETR_LIST, RETR_CCOMP, RETR_TREE.
   */
  g_object_class_install_property (object_class, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "Which borders, and what the hierarchy says: OpenCV's RETR_...",
          GST_TYPE_CUDA_BORDERS_MODE, defaults.mode, controlled));

  /**
   * GstCudaBorders:approximation:
   *
   * Which of a border's pixels become its points; OpenCV's CHAIN_APPROX_NONE and CHAIN_APPROX_SIMPLE. The line through
   * them is the same.
   */
  g_object_class_install_property (object_class, PROP_APPROXIMATION,
      g_param_spec_enum ("approximation", "Approximation",
          "Which of a border's pixels are its points: OpenCV's CHAIN_APPROX_...", GST_TYPE_CUDA_BORDERS_APPROXIMATION,
          defaults.approximation, controlled));

  /**
   * GstCudaBorders:epsilon:
   *
   * Above 0: the points become what approxPolyDP() of OpenCV 4.13 and newer makes of them, with this as its epsilon:
   * the largest distance of a dropped point to the segment that replaces it. Area, length, box, moments and the limits
   * are still those of the border.
   */
  g_object_class_install_property (object_class, PROP_EPSILON,
      g_param_spec_double ("epsilon", "Epsilon",
          "Largest distance of a dropped point to the segment that replaces it, in pixels, as approxPolyDP() of OpenCV "
          "4.13 and newer (0 = nothing is dropped)",
          0, MAX_EPSILON, defaults.epsilon, controlled));

  /**
   * GstCudaBorders:min-area:
   *
   * Contours of less area, of OpenCV's contourArea(), are left out. What is inside one belongs to the next one around
   * it that remains. The line goes through the centres of the border's pixels: a rectangle of w x h pixels has an area
   * of (w - 1) (h - 1), a hole of as many (w + 1) (h + 1) - 2.
   */
  g_object_class_install_property (object_class, PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area",
          "Leave out contours of less area, in square pixels: OpenCV's contourArea()", 0, G_MAXDOUBLE,
          defaults.min_area, controlled));

  /**
   * GstCudaBorders:max-area:
   *
   * Contours of more area are left out.
   */
  g_object_class_install_property (object_class, PROP_MAX_AREA,
      g_param_spec_double ("max-area", "Maximum area",
          "Leave out contours of more area, in square pixels (0 = no limit)", 0, G_MAXDOUBLE, defaults.max_area,
          controlled));

  /**
   * GstCudaBorders:min-length:
   *
   * Contours of a shorter line, of OpenCV's arcLength(), are left out.
   */
  g_object_class_install_property (object_class, PROP_MIN_LENGTH,
      g_param_spec_double ("min-length", "Minimum length",
          "Leave out contours of a shorter line, in pixels: OpenCV's arcLength()", 0, G_MAXDOUBLE, defaults.min_length,
          controlled));

  /**
   * GstCudaBorders:min-width:
   *
   * Contours of a narrower bounding box are left out.
   */
  g_object_class_install_property (object_class, PROP_MIN_WIDTH,
      g_param_spec_uint ("min-width", "Minimum width", "Leave out contours of a narrower bounding box, in pixels", 0,
          CTR_MAX_SIDE, defaults.min_width, controlled));

  /**
   * GstCudaBorders:min-height:
   *
   * Contours of a lower bounding box are left out.
   */
  g_object_class_install_property (object_class, PROP_MIN_HEIGHT,
      g_param_spec_uint ("min-height", "Minimum height", "Leave out contours of a lower bounding box, in pixels", 0,
          CTR_MAX_SIDE, defaults.min_height, controlled));

  /**
   * GstCudaBorders:features:
   *
   * What to measure of each contour beyond area, perimeter and bounding box.
   */
  g_object_class_install_property (object_class, PROP_FEATURES,
      g_param_spec_flags ("features", "Features", "What to measure besides area, perimeter and bounding box",
          GST_TYPE_CONTOURS_CONTOUR_FEATURES, defaults.features, live));

  gst_element_class_set_static_metadata (element_class, "CUDA borders", "Filter/Analyzer/Video/Hardware",
      "Follows the borders in each frame, on the GPU or the host, and attaches them as metadata",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_borders_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_borders_close);
  filter_class->find_contours = GST_DEBUG_FUNCPTR (gst_cuda_borders_find_contours);
  filter_class->report_contours = GST_DEBUG_FUNCPTR (gst_cuda_borders_report_contours);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BORDERS_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BORDERS_APPROXIMATION, 0);
}
