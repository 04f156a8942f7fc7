/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/snake/properties.h"

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
      {CTR_SNAKE_GAUSSIAN, "A mean and a variance for each region: either may tell them apart", "gaussian"},
      {CTR_SNAKE_SPECKLE, "Intensity of coherent imaging: radar, ultrasound", "speckle"},
      {CTR_SNAKE_POISSON, "Counts of photons: little light", "poisson"},
      {CTR_SNAKE_BERNOULLI, "Two values: masks", "bernoulli"},
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
      {SNAKE_OBJECTS_PROPERTIES, "Those that window, rectangle and polygon describe", "properties"},
      {SNAKE_OBJECTS_REGIONS, "One for each GstVideoRegionOfInterestMeta of the frame", "regions"},
      {SNAKE_OBJECTS_COMPONENTS, "One for each component that a cudacca has attached to the frame", "components"},
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
      {CTR_SNAKE_START_AUTO, "The best of all rectangles in a coarse grid over the window", "auto"},
      {CTR_SNAKE_START_RECTANGLE, "The property rectangle; the box of the region of interest or component",
          "rectangle"},
      {CTR_SNAKE_START_POLYGON, "The property polygon", "polygon"},
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
   * How the samples of a region are spread: what makes two regions differ.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MODEL,
      g_param_spec_enum ("model", "Model", "How the samples of a region are spread", GST_TYPE_CUDA_SNAKE_MODEL,
          defaults.model, controlled));

  /**
   * GstCudaSnake:looks:
   *
   * With the model speckle: the order of the gamma distribution, the number of independent looks that were averaged. It
   * weighs the samples against the length of the outline: pruning, and what is found at all.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_LOOKS,
      g_param_spec_double ("looks", "Looks", "Looks that speckle was averaged over (model=speckle)", MIN_LOOKS,
          MAX_LOOKS, defaults.looks, controlled));

  /**
   * GstCudaSnake:min-segment:
   *
   * Sides of the polygon longer than two of these are split while the steps become smaller: the size of the detail that
   * is followed. 0: the power of two at or below 1/240 of the window's longer side, at least 4.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MIN_SEGMENT,
      g_param_spec_uint ("min-segment", "Minimum segment",
          "Sides longer than two of these are split, in pixels (0 = by the size of the window)", 0, MAX_PIXELS,
          defaults.min_segment, controlled));

  /**
   * GstCudaSnake:max-step:
   *
   * By how much points move at first. 0: the power of two at or below 1/32 of the window's longer side.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_STEP,
      g_param_spec_uint ("max-step", "Maximum step",
          "By how much points move at first, in pixels (0 = by the size of the window)", 0, MAX_PIXELS,
          defaults.max_step, controlled));

  /**
   * GstCudaSnake:prune:
   *
   * Remove points that cost more than they explain, by the length of the description of window and outline together
   * (MDL).
   */
  g_object_class_install_property (object_class, SNAKE_PROP_PRUNE,
      g_param_spec_boolean (
          "prune", "Prune", "Remove points that do not shorten the description (MDL)", defaults.prune, controlled));

  /**
   * GstCudaSnake:max-iterations:
   *
   * Steps after which the search for an object ends in any case. An outline that was cut short is not `converged`.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_ITERATIONS,
      g_param_spec_uint ("max-iterations", "Maximum iterations", "Most steps of the search for an object", 1, G_MAXUINT,
          defaults.max_iterations, controlled));

  /**
   * GstCudaSnake:max-objects:
   *
   * What one frame may cost: the objects that are looked for. A frame with more has no outlines, its metadata has
   * %GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED and the number, and a warning comes once for frames in a row. An object
   * takes 0.6 MB on the GPU.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_OBJECTS,
      g_param_spec_uint ("max-objects", "Maximum objects",
          "Most objects of a frame, which has no outlines if it has more (0 = no limit)", 0, G_MAXUINT,
          defaults.max_objects, controlled));

  /**
   * GstCudaSnake:max-window-sides:
   *
   * What one frame may cost: the widths and heights of all windows, their parts inside the frame, added up. The time of
   * a search follows the sides of its window, not its area: about 20 µs a pixel of these on the host. Above it is as
   * with #GstCudaSnake:max-objects.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MAX_WINDOW_SIDES,
      g_param_spec_uint64 ("max-window-sides", "Maximum window sides",
          "Most pixels that the widths and heights of all windows of a frame may be together, which has no outlines if "
          "they are more (0 = no limit)",
          0, G_MAXUINT64, defaults.max_window_sides, controlled));

  /**
   * GstCudaSnake:objects:
   *
   * Which objects are looked for in a frame. Those in #GstVideoRegionOfInterestMeta and components have a window that
   * is their box and #GstCudaSnake:margin around it.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_OBJECTS,
      g_param_spec_enum ("objects", "Objects", "Which objects are looked for", GST_TYPE_CUDA_SNAKE_OBJECTS,
          SNAKE_OBJECTS_PROPERTIES, live));

  /**
   * GstCudaSnake:window:
   *
   * Where the target and its background are: "x,y,w,h" in pixels of the frame, several between semicolons. A window may
   * reach over the ends of the frame; one that is off the frame has no outline. Empty: the whole frame. What is no list
   * of windows gives no outlines, and a warning.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_WINDOW,
      g_param_spec_string ("window", "Window",
          "Where a target and its background are: x,y,w,h, several between semicolons (empty = the whole frame)", "",
          live));

  /**
   * GstCudaSnake:margin:
   *
   * What is left as background around the boxes of regions of interest and components: so many times the mean of their
   * width and height, on each side.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MARGIN,
      g_param_spec_double ("margin", "Margin",
          "Background around boxes, in means of their width and height (objects=regions, components)", 0, MAX_MARGIN,
          SNAKE_DEFAULT_MARGIN, controlled));

  /**
   * GstCudaSnake:min-area:
   *
   * Components of fewer pixels are not looked at.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area",
          "Leave out components of less area, in pixels (objects=components)", 0, G_MAXDOUBLE, SNAKE_DEFAULT_MIN_AREA,
          controlled));

  /**
   * GstCudaSnake:start:
   *
   * What the search begins from.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_START,
      g_param_spec_enum (
          "start", "Start", "What the search begins from", GST_TYPE_CUDA_SNAKE_START, CTR_SNAKE_START_AUTO, live));

  /**
   * GstCudaSnake:rectangle:
   *
   * What start=rectangle begins from: "x,y,w,h" in pixels of the frame, several between semicolons: as
   * many as there are objects. There may be one window for all of them, or as many.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_RECTANGLE,
      g_param_spec_string ("rectangle", "Rectangle",
          "Rectangle to begin from: x,y,w,h, several between semicolons (start=rectangle)", "", live));

  /**
   * GstCudaSnake:polygon:
   *
   * What start=polygon begins from: "x,y x,y x,y ...", corners between pixels, several between
   * semicolons: as many as there are objects. There may be one window for all of them, or as many. It stays in its
   * window and does not touch itself.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_POLYGON,
      g_param_spec_string ("polygon", "Polygon",
          "Polygon to begin from: x,y x,y x,y ..., several between semicolons (start=polygon)", "", live));

  /**
   * GstCudaSnake:track:
   *
   * Begin from the outline in the last frame. A window of #GstCudaSnake:window goes with its object and keeps its size:
   * the outline is in its middle, but for the ends of the frame. Where the outline does not lead to the target, this is
   * looked for in the same window again; where it is not found there, in the next frames as at first. Regions of
   * interest are the same ones by their ids where these differ, else by order; components are not followed.
   *
   * When an object that is followed is lost, or found again, an element message "cudasnake-track" is posted. It has the
   * fields
   *
   * * `timestamp`, `stream-time`, `running-time`, `duration`, `corrupted`, `interlaced`: of the frame, as in
   *   #GstCudaSnake:post-messages.
   * * #guint `object`: its number.
   * * #gchararray `change`: `lost`; `restarted`: its last outline did not lead to it, it was found in its window all
   *   the same; `found`: it had been lost.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_TRACK,
      g_param_spec_boolean ("track", "Track", "Begin from the outline in the last frame", FALSE, live));

  /**
   * GstCudaSnake:post-messages:
   *
   * Post an element message "cudasnake" with the totals of each frame. It has the fields
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: of the frame, nanoseconds;
   *   #GST_CLOCK_TIME_NONE where unknown, the middle two also in streams whose segment is not in time.
   * * #gboolean `corrupted`, `interlaced`: what is known of the frame, see #GstContoursResultFlags.
   * * #guint `objects`: that were looked for.
   * * #guint `count`: of these, that were found: outlines.
   * * #guint64 `points`: points of all outlines together.
   * * #gboolean `limit-exceeded`: the frame exceeds #GstCudaSnake:max-objects or #GstCudaSnake:max-window-sides, so
   *   `count` is 0.
   */
  g_object_class_install_property (object_class, SNAKE_PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with objects, count and points for each frame", FALSE, controlled));

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_MODEL, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_OBJECTS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_SNAKE_START, 0);
}
