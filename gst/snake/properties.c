/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Installs the properties of cudasnake and registers their types. */
#include "gst/snake/properties.h"

#include "gst/base/significantbits.h"
#include "gst/snake/objects.h"

#define MIN_LOOKS 0.01
#define MAX_LOOKS 1e6
#define MAX_PIXELS 65535
#define MAX_MARGIN 100

#define GST_TYPE_CUDA_SNAKE_MODEL (gst_cuda_snake_model_get_type ())
static GType
gst_cuda_snake_model_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_SNAKE_GAUSSIAN, "Gaussian: mean and variance of each region", "gaussian"},
      {CTR_SNAKE_SPECKLE, "Gamma: intensity of coherent imaging, such as radar and ultrasound", "speckle"},
      {CTR_SNAKE_POISSON, "Poisson: photon counts in low light", "poisson"},
      {CTR_SNAKE_BERNOULLI, "Bernoulli: two values, as in masks", "bernoulli"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaSnakeModel", values));
  return type;
}

#define GST_TYPE_CUDA_SNAKE_OBJECTS (gst_cuda_snake_objects_get_type ())
static GType
gst_cuda_snake_objects_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {SNAKE_OBJECTS_PROPERTIES, "Objects given by window, rectangle and polygon", "properties"},
      {SNAKE_OBJECTS_REGIONS, "Regions of interest (GstVideoRegionOfInterestMeta) of the frame", "regions"},
      {SNAKE_OBJECTS_COMPONENTS, "Components that cudacca attached to the frame", "components"},
      {SNAKE_OBJECTS_DETECTIONS, "Detections (GstAnalyticsODMtd) of the frame, of GStreamer 1.24 and newer",
          "detections"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaSnakeObjects", values));
  return type;
}

#define GST_TYPE_CUDA_SNAKE_START (gst_cuda_snake_start_get_type ())
static GType
gst_cuda_snake_start_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_SNAKE_START_AUTO,
          "Outline of those blocks of the window that differ, or the best rectangle on a coarse grid", "auto"},
      {CTR_SNAKE_START_RECTANGLE, "Rectangle property, or box of the region of interest or component", "rectangle"},
      {CTR_SNAKE_START_POLYGON, "Polygon property", "polygon"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaSnakeStart", values));
  return type;
}

void
snake_properties_install (GObjectClass *object_class)
{
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controlled = live | GST_PARAM_CONTROLLABLE;
  CtrSnakeParams defaults;

  ctr_snake_params_init (&defaults);

  /**
   * GstCudaSnake:model:
   *
   * Probability distribution of the samples in a region. The regions differ in its parameters.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MODEL,
      g_param_spec_enum ("model", "Model", "Probability distribution of the samples in a region",
          GST_TYPE_CUDA_SNAKE_MODEL, defaults.model, controlled));

  /**
   * GstCudaSnake:looks:
   *
   * Order of the gamma distribution with model=speckle: the number of independent looks that were averaged. It weighs
   * the samples against the description length of the outline, so it affects pruning and detection.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_LOOKS,
      g_param_spec_double ("looks", "Looks", "Number of looks that were averaged (model=speckle)", MIN_LOOKS, MAX_LOOKS,
          defaults.looks, controlled));

  /**
   * GstCudaSnake:min-segment:
   *
   * Minimum segment length in pixels: polygon sides longer than twice this are split as the steps become smaller. It is
   * the size of the finest detail. 0: the largest power of two up to 1/240 of the window's longer side, at least 4.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MIN_SEGMENT,
      g_param_spec_uint ("min-segment", "Minimum segment",
          "Minimum segment length in pixels; sides longer than twice this are split (0 = depends on the window size)",
          0, MAX_PIXELS, defaults.min_segment, controlled));

  /**
   * GstCudaSnake:max-step:
   *
   * Initial step size of the points, in pixels. 0: the largest power of two up to 1/32 of the window's longer side.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_STEP,
      g_param_spec_uint ("max-step", "Maximum step",
          "Initial step size of the points, in pixels (0 = depends on the window size)", 0, MAX_PIXELS,
          defaults.max_step, controlled));

  /**
   * GstCudaSnake:prune:
   *
   * Removes points that do not reduce the total description length of window and outline (minimum description length,
   * MDL).
   */
  g_object_class_install_property (object_class, SNAKE_PROP_PRUNE,
      g_param_spec_boolean ("prune", "Prune", "Remove points that do not reduce the description length (MDL)",
          defaults.prune, controlled));

  /**
   * GstCudaSnake:max-iterations:
   *
   * Maximum number of iterations for an object. An outline that reaches it is not `converged`.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_ITERATIONS,
      g_param_spec_uint ("max-iterations", "Maximum iterations", "Maximum number of iterations for an object", 1,
          G_MAXUINT, defaults.max_iterations, controlled));

  /**
   * GstCudaSnake:max-objects:
   *
   * Maximum number of objects of a frame. It bounds the cost of a frame: an object takes 0.6 MB on the GPU. A frame
   * with more objects gets no outlines; its metadata has %GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED and the number, and
   * the first of consecutive frames posts a warning. 0: no limit.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_OBJECTS,
      g_param_spec_uint ("max-objects", "Maximum objects",
          "Maximum number of objects of a frame; a frame with more gets no outlines (0 = no limit)", 0, G_MAXUINT,
          defaults.max_objects, controlled));

  /**
   * GstCudaSnake:max-window-sides:
   *
   * Maximum sum of the widths and heights of all windows of a frame, in pixels, clipped to the frame. It bounds the
   * cost of a frame: the search time is proportional to the sides of the window, not to its area, about 20 µs per pixel
   * on the CPU. A frame above the limit is handled as for #GstCudaSnake:max-objects. 0: no limit.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_WINDOW_SIDES,
      g_param_spec_uint64 ("max-window-sides", "Maximum window sides",
          "Maximum sum of the widths and heights of all windows, in pixels; a frame with more gets no outlines (0 = no "
          "limit)",
          0, G_MAXUINT64, defaults.max_window_sides, controlled));

  /**
   * GstCudaSnake:objects:
   *
   * Source of the objects to outline. The window of a region of interest or component is its box with
   * #GstCudaSnake:margin around it.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_OBJECTS,
      g_param_spec_enum ("objects", "Objects", "Source of the objects to outline", GST_TYPE_CUDA_SNAKE_OBJECTS,
          SNAKE_OBJECTS_PROPERTIES, live));

  /**
   * GstCudaSnake:window:
   *
   * Windows that contain a target and its background: "x,y,w,h" in pixels of the frame, separated by semicolons. A
   * window may extend beyond the frame; one that lies outside it yields no outline. An invalid value yields no outlines
   * and one warning. Empty: the whole frame.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_WINDOW,
      g_param_spec_string ("window", "Window",
          "Windows that contain a target and its background: x,y,w,h, separated by semicolons (empty = whole frame)",
          "", live));

  /**
   * GstCudaSnake:margin:
   *
   * Padding around the box of each region of interest or component, on each side, as a fraction of (w + h)/2.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MARGIN,
      g_param_spec_double ("margin", "Margin",
          "Padding around each box, as a fraction of (w + h)/2 (objects=regions, components, detections)", 0,
          MAX_MARGIN, SNAKE_DEFAULT_MARGIN, controlled));

  /**
   * GstCudaSnake:min-area:
   *
   * Minimum area of components in pixels; smaller components are ignored. 0: no limit.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area",
          "Minimum area of components in pixels (0 = no limit; objects=components)", 0, G_MAXDOUBLE,
          SNAKE_DEFAULT_MIN_AREA, controlled));

  /**
   * GstCudaSnake:start:
   *
   * Initial outline of the search.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_START,
      g_param_spec_enum (
          "start", "Start", "Initial outline of the search", GST_TYPE_CUDA_SNAKE_START, CTR_SNAKE_START_AUTO, live));

  /**
   * GstCudaSnake:rectangle:
   *
   * Initial rectangles for start=rectangle: "x,y,w,h" in pixels of the frame, separated by semicolons, one for each
   * object. #GstCudaSnake:window lists one window for all of them or one for each.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_RECTANGLE,
      g_param_spec_string ("rectangle", "Rectangle",
          "Initial rectangles: x,y,w,h, separated by semicolons (start=rectangle)", "", live));

  /**
   * GstCudaSnake:polygon:
   *
   * Initial polygons for start=polygon: "x,y x,y x,y ..." in pixel corners, separated by semicolons, one for each
   * object. #GstCudaSnake:window lists one window for all of them or one for each. A polygon must lie inside its window
   * and must not touch itself.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_POLYGON,
      g_param_spec_string ("polygon", "Polygon",
          "Initial polygons: x,y x,y x,y ..., separated by semicolons (start=polygon)", "", live));

  /**
   * GstCudaSnake:significant-bits:
   *
   * With #GstCudaSnake:model "bernoulli": significant bits of GRAY16_LE samples, counted from the lowest. They tell the
   * largest sample, which counts as 1. Details: #GstCudaCanny:significant-bits.
   */
  g_object_class_install_property (
      object_class, SNAKE_PROP_SIGNIFICANT_BITS, significant_bits_property_new (controlled));

  /**
   * GstCudaSnake:track:
   *
   * Tracks objects: each search starts from the outline in the last frame. A window of #GstCudaSnake:window follows its
   * object and keeps its size; the outline stays in its centre, except near the edges of the frame. If the outline does
   * not lead to the target, the target is searched for again in the same window; if that fails, the next frames start
   * from the initial outline. Regions of interest are matched by their ids if these are distinct, otherwise by order, as detections
   * are.
   * Components are not tracked.
   *
   * An element message "cudasnake-track" is posted when a tracked object is lost or found again. Its fields are
   *
   * * `timestamp`, `stream-time`, `running-time`, `duration`, `corrupted`, `interlaced`: of the frame, as in
   *   #GstCudaSnake:post-messages.
   * * #guint `object`: index of the object.
   * * #gchararray `change`: `lost`: the object is no longer found; `restarted`: the last outline did not lead to it,
   * but a new search in its window did; `found`: it was lost and is found again.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_TRACK,
      g_param_spec_boolean (
          "track", "Track", "Track objects: start each search from the outline in the last frame", FALSE, live));

  /**
   * GstCudaSnake:post-messages:
   *
   * Posts an element message "cudasnake" with the totals of each frame. Its fields are
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: times of the frame in nanoseconds,
   *   #GST_CLOCK_TIME_NONE if unknown; stream and running time are unknown if the segment is not in time.
   * * #gboolean `corrupted`, `interlaced`: flags of the frame, see #GstContoursResultFlags.
   * * #guint `objects`: number of objects that were searched for.
   * * #guint `count`: number of objects that were found, each with an outline.
   * * #guint64 `points`: total number of points of all outlines.
   * * #gboolean `limit-exceeded`: the frame exceeds #GstCudaSnake:max-objects or #GstCudaSnake:max-window-sides;
   * `count` is 0.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with the totals of each frame: objects, count and points", FALSE, controlled));

  /**
   * GstCudaSnake:history:
   *
   * Attaches the polygons that led to each outline, from its start on: one for each iteration that changed it. See
   * gst_contours_contour_meta_get_state(). They are for looking at a search, and take memory and time: 4 bytes for each
   * point of each polygon.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_HISTORY,
      g_param_spec_boolean ("history", "History", "Attach the polygon of every iteration of the search to the outlines",
          FALSE, controlled));

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_MODEL, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_OBJECTS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_START, 0);
}
