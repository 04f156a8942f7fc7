/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudaborders
 * @title: cudaborders
 * @short_description: Finds the contours of each frame's foreground
 *
 * Thresholds the luma (or grey) samples of each frame, follows the borders of the foreground, and attaches them to the
 * buffer as a #GstContoursContourMeta: the ordered points of each outer border and each hole, their hierarchy, area,
 * perimeter and bounding box, and optionally moments. The picture stays unchanged.
 *
 * Contours, points, order and hierarchy are identical to those of OpenCV's findContours(), on the GPU and on the CPU.
 * With #GstCudaBorders:connectivity 4 the foreground is 4-connected, as for MATLAB's bwboundaries(). On the GPU the contours
 * stay in GPU memory until they are read.
 *
 * With #GstForegroundFilter:post-messages the element posts an element message "cudaborders" for each frame. Its
 * `count` is the number of contours. It adds the field
 *
 * * #guint64 `points`: total number of points of all contours.
 *
 * With #GstCudaBorders:strip-mode the frames are strips of one endless picture, as of a line-scan camera. The message then
 * has the fields
 *
 * * #guint64 `first-row`: the row of the endless picture that the frame begins with.
 * * #guint `unfinished`: contours that were open for more than #GstCudaBorders:max-open-rows rows.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudaborders post-messages=true
 * ! fakesink
 * ]| Prints the number of contours and points of each frame. Without a GPU it runs on the CPU.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudaborders.h"

#include "gst/base/framemessage.h"
#include "gst/base/selectlist.h"
#include "gst/base/stripmode.h"

#include <gst/contours/gstcontours.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_borders_debug);
#define GST_CAT_DEFAULT gst_cuda_borders_debug

struct _GstCudaBorders {
  GstForegroundFilter parent;

  CtrBordersParams params; /* properties, under the object lock */
  gchar *select;           /* the text of its limits */
  StripMode strip_mode;

  /* One of these while started. */
  CtrBorders *borders;
  CtrBorderStrips *strips;
};

enum {
  PROP_0,
  PROP_CONNECTIVITY,
  PROP_MODE,
  PROP_APPROXIMATION,
  PROP_EPSILON,
  PROP_MIN_AREA,
  PROP_MAX_AREA,
  PROP_MIN_LENGTH,
  PROP_MIN_WIDTH,
  PROP_MIN_HEIGHT,
  PROP_FEATURES,
  PROP_SUBPIXEL,
  PROP_SUBPIXEL_SIGMA,
  PROP_FERET_ANGLE,
  PROP_SELECT,
  PROP_STRIP_MODE,
  PROP_MAX_OPEN_ROWS,
  PROP_ATTACHMENT /* and the IDs after it */
};

/* Larger than any distance in a frame. */
#define MAX_EPSILON 1000000.0

G_DEFINE_TYPE (GstCudaBorders, gst_cuda_borders, GST_TYPE_FOREGROUND_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudaborders, "cudaborders", GST_RANK_NONE, GST_TYPE_CUDA_BORDERS,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_borders_debug, "cudaborders", 0, "cudaborders element"))

#define GST_TYPE_CUDA_BORDERS_CONNECTIVITY (gst_cuda_borders_connectivity_get_type ())
static GType
gst_cuda_borders_connectivity_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_CONNECTIVITY_4, "Pixels that share an edge", "4"},
      {CTR_CONNECTIVITY_8, "Pixels that share an edge or a corner", "8"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaBordersConnectivity", values));
  return type;
}

#define GST_TYPE_CUDA_BORDERS_MODE (gst_cuda_borders_mode_get_type ())
static GType
gst_cuda_borders_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_RETRIEVE_EXTERNAL, "Outermost contours only: RETR_EXTERNAL", "external"},
      {CTR_RETRIEVE_LIST, "All contours, without hierarchy: RETR_LIST", "list"},
      {CTR_RETRIEVE_CCOMP, "All contours, in two levels (outer borders and their holes): RETR_CCOMP", "ccomp"},
      {CTR_RETRIEVE_TREE, "All contours, with the full hierarchy: RETR_TREE", "tree"},
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
      {CTR_APPROXIMATION_NONE, "All border pixels: CHAIN_APPROX_NONE", "none"},
      {CTR_APPROXIMATION_SIMPLE, "End points of horizontal, vertical and diagonal segments: CHAIN_APPROX_SIMPLE",
          "simple"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaBordersApproximation", values));
  return type;
}

#define GST_TYPE_CUDA_BORDERS_SUBPIXEL (gst_cuda_borders_subpixel_get_type ())
static GType
gst_cuda_borders_subpixel_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_SUBPIXEL_NONE, "Points are pixels", "none"},
      {CTR_SUBPIXEL_THRESHOLD, "Where the interpolated sample crosses the threshold", "threshold"},
      {CTR_SUBPIXEL_EDGE, "Where the gradient of the smoothed frame is greatest", "edge"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaBordersSubpixel", values));
  return type;
}

static gboolean
gst_cuda_borders_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaBorders *self = GST_CUDA_BORDERS (filter);
  StripMode mode;

  GST_OBJECT_LOCK (self);
  mode = self->strip_mode;
  GST_OBJECT_UNLOCK (self);
  gst_contours_filter_set_strips (filter, &mode);
  if (mode.enabled)
    self->strips = ctr_border_strips_new (backend, mode.max_open_rows, error);
  else
    self->borders = ctr_borders_new (backend, error);
  return self->borders || self->strips;
}

static void
gst_cuda_borders_close (GstContoursFilter *filter)
{
  GstCudaBorders *self = GST_CUDA_BORDERS (filter);

  g_clear_pointer (&self->borders, ctr_borders_free);
  g_clear_pointer (&self->strips, ctr_border_strips_free);
}

static CtrContours *
find_contours_of_strip (GstCudaBorders *self, const CtrImage *image, const CtrBordersParams *params, GstBuffer *buffer,
    gpointer stream, CtrError *error)
{
  if (params->mode != CTR_RETRIEVE_LIST) {
    *error = (CtrError){CTR_ERROR_INVALID_ARGUMENT,
        "strip-mode=true needs mode=list, as the contour around a closed one may still be open"};
    return NULL;
  }
  if (params->subpixel != CTR_SUBPIXEL_NONE) {
    *error = (CtrError){CTR_ERROR_INVALID_ARGUMENT,
        "strip-mode=true needs subpixel=none, as the picture around a point may lie in other strips"};
    return NULL;
  }
  if (gst_contours_filter_misses_rows (GST_CONTOURS_FILTER (self), buffer))
    ctr_border_strips_cut (self->strips);
  return ctr_border_strips_submit (self->strips, image, params, stream, error);
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
  if (!gst_foreground_filter_get_foreground (GST_FOREGROUND_FILTER (filter), image, buffer, &params.foreground, error))
    return NULL;
  if (self->strips)
    return find_contours_of_strip (self, image, &params, buffer, stream, error);
  return ctr_borders_submit (self->borders, image, &params, stream, error);
}

static gboolean
gst_cuda_borders_settle (GstContoursFilter *filter, CtrError *error)
{
  GstCudaBorders *self = GST_CUDA_BORDERS (filter);

  return self->strips ? ctr_border_strips_settle (self->strips, error) : ctr_borders_settle (self->borders, error);
}

static gboolean
gst_cuda_borders_end_contours (GstContoursFilter *filter, CtrContours **contours, CtrError *error)
{
  return ctr_border_strips_finish (GST_CUDA_BORDERS (filter)->strips, contours, error);
}

static void
gst_cuda_borders_drop_web (GstContoursFilter *filter)
{
  ctr_border_strips_drop (GST_CUDA_BORDERS (filter)->strips);
}

static void
post_strip_message (GstContoursFilter *filter, GstBuffer *buffer, const CtrContours *contours)
{
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta_by_source (buffer, GST_OBJECT_NAME (filter));

  frame_message_post (filter, buffer, "cudaborders", "count", G_TYPE_UINT, contours->count, "threshold", G_TYPE_UINT,
      contours->threshold, "points", G_TYPE_UINT64, contours->point_count, "first-row", G_TYPE_UINT64,
      gst_contours_contour_meta_get_first_row (meta), "unfinished", G_TYPE_UINT, contours->unfinished, NULL);
}

static void
gst_cuda_borders_report_contours (GstContoursFilter *filter, GstBuffer *buffer, CtrContours *contours)
{
  if (!gst_foreground_filter_get_post_messages (GST_FOREGROUND_FILTER (filter)) || !ctr_contours_wait (contours, NULL))
    return;
  if (GST_CUDA_BORDERS (filter)->strips)
    post_strip_message (filter, buffer, contours);
  else
    frame_message_post (filter, buffer, "cudaborders", "count", G_TYPE_UINT, contours->count, "threshold", G_TYPE_UINT,
        contours->threshold, "points", G_TYPE_UINT64, contours->point_count, NULL);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_CONNECTIVITY, GstCudaBorders, params.connectivity),
    PROPERTY_FIELD (PROP_MODE, GstCudaBorders, params.mode),
    PROPERTY_FIELD (PROP_APPROXIMATION, GstCudaBorders, params.approximation),
    PROPERTY_FIELD (PROP_EPSILON, GstCudaBorders, params.epsilon),
    PROPERTY_FIELD (PROP_MIN_AREA, GstCudaBorders, params.min_area),
    PROPERTY_FIELD (PROP_MAX_AREA, GstCudaBorders, params.max_area),
    PROPERTY_FIELD (PROP_MIN_LENGTH, GstCudaBorders, params.min_length),
    PROPERTY_FIELD (PROP_MIN_WIDTH, GstCudaBorders, params.min_width),
    PROPERTY_FIELD (PROP_MIN_HEIGHT, GstCudaBorders, params.min_height),
    PROPERTY_FIELD (PROP_FEATURES, GstCudaBorders, params.features),
    PROPERTY_FIELD (PROP_SUBPIXEL, GstCudaBorders, params.subpixel),
    PROPERTY_FIELD (PROP_SUBPIXEL_SIGMA, GstCudaBorders, params.subpixel_sigma),
    PROPERTY_FIELD (PROP_FERET_ANGLE, GstCudaBorders, params.feret_angle),
    STRIP_MODE_FIELDS (PROP_STRIP_MODE, PROP_MAX_OPEN_ROWS, GstCudaBorders, strip_mode),
    {0},
};

static void
gst_cuda_borders_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaBorders *self = GST_CUDA_BORDERS (object);

  GST_OBJECT_LOCK (object);
  if (id == PROP_SELECT)
    gst_foreground_filter_add_problem (GST_FOREGROUND_FILTER (self),
        select_set (g_value_get_string (value), ctr_contour_number_name, &self->params.select, &self->select));
  else if (!property_fields_set (fields, object, id, value)
           && !gst_contours_filter_set_attachment (GST_CONTOURS_FILTER (object), value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_cuda_borders_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  if (id == PROP_SELECT)
    g_value_set_string (value, GST_CUDA_BORDERS (object)->select);
  else if (!property_fields_get (fields, object, id, value)
           && !gst_contours_filter_get_attachment (GST_CONTOURS_FILTER (object), value, pspec))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_cuda_borders_finalize (GObject *object)
{
  g_free (GST_CUDA_BORDERS (object)->select);
  G_OBJECT_CLASS (gst_cuda_borders_parent_class)->finalize (object);
}

static void
gst_cuda_borders_init (GstCudaBorders *self)
{
  self->select = g_strdup ("");
  ctr_borders_params_init (&self->params);
  self->strip_mode = (StripMode) STRIP_MODE_DEFAULT;
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
  object_class->finalize = gst_cuda_borders_finalize;

  /**
   * GstCudaBorders:connectivity:
   *
   * Connectivity of foreground pixels: 4 (shared edge) or 8 (shared edge or corner). Background pixels then are 8- or
   * 4-connected. With 8 the contours are those of OpenCV's findContours(). With 4 contours go from edge neighbour to edge
   * neighbour, as those of MATLAB's bwboundaries (BW, 4).
   */
  g_object_class_install_property (object_class, PROP_CONNECTIVITY,
      g_param_spec_enum ("connectivity", "Connectivity", "Connectivity of foreground pixels: 4 or 8 neighbours",
          GST_TYPE_CUDA_BORDERS_CONNECTIVITY, defaults.connectivity, controlled));

  /**
   * GstCudaBorders:mode:
   *
   * Retrieval mode: which contours are found, and their hierarchy. The modes are OpenCV's RETR_EXTERNAL, RETR_LIST,
   * RETR_CCOMP and RETR_TREE.
   */
  g_object_class_install_property (object_class, PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Retrieval mode: which contours are found, and their hierarchy, as OpenCV's RETR_...",
          GST_TYPE_CUDA_BORDERS_MODE, defaults.mode, controlled));

  /**
   * GstCudaBorders:approximation:
   *
   * Which border pixels become contour points: OpenCV's CHAIN_APPROX_NONE and CHAIN_APPROX_SIMPLE. Both describe the
   * same line.
   */
  g_object_class_install_property (object_class, PROP_APPROXIMATION,
      g_param_spec_enum ("approximation", "Approximation",
          "Contour approximation: which border pixels become points, as OpenCV's CHAIN_APPROX_...",
          GST_TYPE_CUDA_BORDERS_APPROXIMATION, defaults.approximation, controlled));

  /**
   * GstCudaBorders:epsilon:
   *
   * Epsilon of the polygon approximation, in pixels: the largest distance of a dropped point from the segment that
   * replaces it. The result is identical to that of approxPolyDP() in OpenCV 4.13 and newer. Area, length, bounding
   * box, moments and the limits still refer to the border itself. 0: no approximation.
   */
  g_object_class_install_property (object_class, PROP_EPSILON,
      g_param_spec_double ("epsilon", "Epsilon",
          "Epsilon of the polygon approximation in pixels, as in OpenCV's approxPolyDP(), 4.13 and newer (0 = no "
          "approximation)",
          0, MAX_EPSILON, defaults.epsilon, controlled));

  /**
   * GstCudaBorders:min-area:
   *
   * Minimum contour area in square pixels, as computed by OpenCV's contourArea(); smaller contours are dropped. The
   * contours inside a dropped one become children of the next remaining contour around it. A contour runs through the
   * centres of border pixels: a rectangle of w x h pixels has the area (w - 1) (h - 1), a hole of that size
   * (w + 1) (h + 1) - 2. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area",
          "Minimum contour area in square pixels, as OpenCV's contourArea() (0 = no limit)", 0, G_MAXDOUBLE,
          defaults.min_area, controlled));

  /**
   * GstCudaBorders:max-area:
   *
   * Maximum contour area in square pixels; larger contours are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MAX_AREA,
      g_param_spec_double ("max-area", "Maximum area", "Maximum contour area in square pixels (0 = no limit)", 0,
          G_MAXDOUBLE, defaults.max_area, controlled));

  /**
   * GstCudaBorders:min-length:
   *
   * Minimum contour length in pixels, as computed by OpenCV's arcLength(); shorter contours are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MIN_LENGTH,
      g_param_spec_double ("min-length", "Minimum length",
          "Minimum contour length in pixels, as OpenCV's arcLength() (0 = no limit)", 0, G_MAXDOUBLE,
          defaults.min_length, controlled));

  /**
   * GstCudaBorders:min-width:
   *
   * Minimum bounding box width in pixels; contours whose bounding box is narrower are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MIN_WIDTH,
      g_param_spec_uint ("min-width", "Minimum width", "Minimum bounding box width in pixels (0 = no limit)", 0,
          CTR_MAX_SIDE, defaults.min_width, controlled));

  /**
   * GstCudaBorders:min-height:
   *
   * Minimum bounding box height in pixels; contours whose bounding box is shorter are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MIN_HEIGHT,
      g_param_spec_uint ("min-height", "Minimum height", "Minimum bounding box height in pixels (0 = no limit)", 0,
          CTR_MAX_SIDE, defaults.min_height, controlled));

  /**
   * GstCudaBorders:features:
   *
   * Optional measurements of each contour, in addition to area, perimeter and bounding box.
   */
  g_object_class_install_property (object_class, PROP_FEATURES,
      g_param_spec_flags ("features", "Features",
          "Optional measurements, in addition to area, perimeter and bounding box", GST_TYPE_CONTOURS_CONTOUR_FEATURES,
          defaults.features, live));

  /**
   * GstCudaBorders:subpixel:
   *
   * Where the edge is beside each point, to a fraction of a pixel: where the sample, interpolated linearly, crosses the threshold,
   * or where the gradient of the frame is greatest, smoothed by #GstCudaBorders:subpixel-sigma. The points themselves stay as
   * they are. gst_contours_contour_meta_get_subpixel() has the result. Points without an edge near are flagged.
   */
  g_object_class_install_property (object_class, PROP_SUBPIXEL,
      g_param_spec_enum ("subpixel", "Subpixel",
          "Finds the edge beside each point to a fraction of a pixel: at the threshold, or where the gradient is "
          "greatest",
          GST_TYPE_CUDA_BORDERS_SUBPIXEL, defaults.subpixel, controlled));

  /**
   * GstCudaBorders:subpixel-sigma:
   *
   * Standard deviation in pixels of the Gaussian that smooths the frame for #GstCudaBorders:subpixel `edge`. The larger, the
   * less noise moves the edge, and the farther edges must be apart.
   */
  g_object_class_install_property (object_class, PROP_SUBPIXEL_SIGMA,
      g_param_spec_double ("subpixel-sigma", "Subpixel sigma",
          "Standard deviation of the Gaussian that smooths the frame for subpixel=edge, in pixels",
          CTR_SUBPIXEL_MIN_SIGMA, CTR_SUBPIXEL_MAX_SIGMA, defaults.subpixel_sigma, controlled));

  /**
   * GstCudaBorders:feret-angle:
   *
   * Direction of the number feret_extent of the feature feret, in degrees clockwise on the screen from the x axis.
   */
  g_object_class_install_property (object_class, PROP_FERET_ANGLE,
      g_param_spec_double ("feret-angle", "Feret angle",
          "Direction of feret_extent in degrees, clockwise on the screen from the x axis (features=feret)", -360, 360,
          defaults.feret_angle, controlled));

  /**
   * GstCudaBorders:select:
   *
   * Limits on the numbers of a contour: items name:minimum:maximum between commas, such as "area:200:5000, circularity:0.8:". One
   * end may be empty; both belong to the range. A number that is not defined is within no limits. Names are those of the metadata's
   * fields with hyphens, but for angles. The features that they need are computed, too.
   */
  g_object_class_install_property (object_class, PROP_SELECT, select_property_new (live));

  strip_mode_install_properties (object_class, PROP_STRIP_MODE, PROP_MAX_OPEN_ROWS);
  gst_contours_filter_install_attachment (object_class, PROP_ATTACHMENT, TRUE);

  gst_element_class_set_static_metadata (element_class, "CUDA borders", "Filter/Analyzer/Video/Hardware",
      "Finds contours, as OpenCV's findContours, on the GPU or CPU and attaches them as metadata",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_borders_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_borders_close);
  filter_class->find_contours = GST_DEBUG_FUNCPTR (gst_cuda_borders_find_contours);
  filter_class->settle = GST_DEBUG_FUNCPTR (gst_cuda_borders_settle);
  filter_class->end_contours = GST_DEBUG_FUNCPTR (gst_cuda_borders_end_contours);
  filter_class->drop_web = GST_DEBUG_FUNCPTR (gst_cuda_borders_drop_web);
  filter_class->report_contours = GST_DEBUG_FUNCPTR (gst_cuda_borders_report_contours);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BORDERS_CONNECTIVITY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BORDERS_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BORDERS_APPROXIMATION, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_BORDERS_SUBPIXEL, 0);
}
