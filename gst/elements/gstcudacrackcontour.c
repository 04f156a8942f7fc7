/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Longer than 500 lines: more than a quarter of them document and install the properties. */
/**
 * SECTION:element-cudacrackcontour
 * @title: cudacrackcontour
 * @short_description: Finds the contours of many grey levels in each frame
 *
 * Each level defines a binary image of the frame's luma (or grey) samples: its foreground is all samples at or above
 * the level, or all samples equal to it. The element finds the contours of all levels at once, as closed lines along
 * pixel edges (cracks), and attaches them to the buffer as one #GstContoursContourMeta: the level of each contour, its
 * ordered corners, its parent, area, perimeter and bounding box, and optionally moments. The picture stays unchanged.
 *
 * Points are pixel corners, %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS: the area of a contour is exactly the number of
 * pixels that it encloses. GPU and CPU give identical results. On the GPU the contours stay in GPU memory until they
 * are read.
 *
 * With #GstCudaCrackContour:trace "labels" the element outlines the components of cudacca, from their label image, with
 * "segmentation" the masks of a neural network.
 * With #GstCudaCrackContour:strip-mode the frames are strips of one endless picture, as from a line-scan camera.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12
 * ! cudacrackcontour levels=64,128,192 post-messages=true ! fakesink
 * ]| Prints the number of contours and points of three levels of each frame. Without a GPU it runs on the CPU.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudacrackcontour.h"

#include "gst/base/propertyfields.h"
#include "gst/cracks/labels.h"
#include "gst/cracks/levels.h"
#include "gst/cracks/settings.h"
#include "gst/cracks/tracer.h"

#include <gst/contours/gstcontours.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_crack_contour_debug);
#define GST_CAT_DEFAULT gst_cuda_crack_contour_debug

struct _GstCudaCrackContour {
  GstContoursFilter parent;

  /* Properties, under the object lock. */
  CtrCracksParams params; /* except its levels */
  CrackLevels levels;
  CrackTrace trace;
  gboolean post_messages;
  gboolean warned; /* about the current values */
  StripMode strip_mode;

  CrackTracer tracer;     /* while started */
  CrackTrace traced;      /* in the current frame */
  gboolean traced_labels; /* in the last frame */
};

enum {
  PROP_0,
  PROP_MODE,
  PROP_MIN_LEVEL,
  PROP_MAX_LEVEL,
  PROP_STEP,
  PROP_LEVELS,
  PROP_CONNECTIVITY,
  PROP_BORDER,
  PROP_MIN_AREA,
  PROP_MAX_AREA,
  PROP_MIN_LENGTH,
  PROP_MAX_POINTS,
  PROP_FEATURES,
  PROP_POST_MESSAGES,
  PROP_STRIP_MODE,
  PROP_MAX_OPEN_ROWS,
  PROP_HIERARCHY,
  PROP_MIN_PERSISTENCE,
  PROP_MAX_DEPTH,
  PROP_TRACE,
  PROP_ATTACHMENT /* and the IDs after it */
};

/* Above all samples, so that no pixel is foreground. */
static const uint32_t no_level = G_MAXUINT32;

G_DEFINE_TYPE (GstCudaCrackContour, gst_cuda_crack_contour, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudacrackcontour, "cudacrackcontour", GST_RANK_NONE, GST_TYPE_CUDA_CRACK_CONTOUR,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_crack_contour_debug, "cudacrackcontour", 0, "cudacrackcontour element"))

static gboolean
gst_cuda_crack_contour_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);
  StripMode mode;

  GST_OBJECT_LOCK (self);
  mode = self->strip_mode;
  GST_OBJECT_UNLOCK (self);
  return crack_tracer_open (&self->tracer, filter, backend, &mode, error);
}

static void
gst_cuda_crack_contour_close (GstContoursFilter *filter)
{
  crack_tracer_close (&GST_CUDA_CRACK_CONTOUR (filter)->tracer);
}

/* What a frame is traced with. */
typedef struct {
  CtrCracksParams params;
  GArray *levels;        /* a reference to their list; NULL: none */
  CtrComponents *labels; /* of the frame; NULL: its levels are traced */
  gchar *warning;        /* NULL: none, or it has been posted */
} Settings;

static gchar *
describe_error (GstCudaCrackContour *self, const Settings *settings)
{
  if (self->traced != CRACK_TRACE_FRAME)
    return crack_settings_describe_label_error (
        &settings->params, self->traced == CRACK_TRACE_SEGMENTATION || settings->labels != NULL);
  return self->levels.error ? crack_levels_describe_error (&self->levels)
                            : crack_settings_describe_error (&settings->params, settings->levels != NULL);
}

/* The current settings. Values that do not go together, which may be one step of several changes, give no contours, as
 * does a frame without the labels that it should have. */
static gboolean
get_settings (GstCudaCrackContour *self, GstBuffer *buffer, Settings *settings, CtrError *failure)
{
  gboolean valid;
  gchar *error = NULL;

  *settings = (Settings){0};
  GST_OBJECT_LOCK (self);
  if ((valid = crack_tracer_check (&self->tracer, self->traced, failure))) {
    settings->params = self->params;
    settings->levels = self->levels.list ? g_array_ref (self->levels.list) : NULL;
    settings->labels = self->traced == CRACK_TRACE_LABELS ? crack_labels_find (buffer) : NULL;
    error = describe_error (self, settings);
    settings->warning = self->warned ? NULL : g_strdup (error);
    self->warned = error != NULL;
  }
  GST_OBJECT_UNLOCK (self);

  if (error) {
    settings->labels = NULL;
    settings->params.levels = &no_level;
    settings->params.level_count = 1;
    settings->params.hierarchy = CTR_HIERARCHY_PER_LEVEL;
    settings->params.min_persistence = 0;
    settings->params.max_depth = CTR_CRACKS_ANY_DEPTH;
  } else if (self->traced == CRACK_TRACE_SEGMENTATION) {
    settings->params.mode = CTR_LEVELS_EQUAL;
    settings->params.minimum = settings->params.step = 1;
    settings->params.maximum = CRACK_LEVELS_MAX;
  } else if (settings->levels) {
    settings->params.levels = (const uint32_t *) settings->levels->data;
    settings->params.level_count = settings->levels->len;
  }
  g_free (error);
  return valid;
}

static CtrContours *
gst_cuda_crack_contour_find_contours (
    GstContoursFilter *filter, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);
  Settings settings;
  CtrContours *contours;

  if (!get_settings (self, buffer, &settings, error))
    return NULL;
  self->traced_labels = settings.labels != NULL;
  contours =
      crack_tracer_submit (&self->tracer, filter, image, settings.labels, &settings.params, buffer, stream, error);
  if (settings.levels)
    g_array_unref (settings.levels);
  if (settings.warning)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", settings.warning), (NULL));
  g_free (settings.warning);
  return contours;
}

/* It has levels, but uploads and luma are shared. */
static gboolean
gst_cuda_crack_contour_needs_foreground (GstContoursFilter *filter, CtrForeground *foreground)
{
  return FALSE;
}

static gboolean
gst_cuda_crack_contour_needs_pixels (GstContoursFilter *filter)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);
  gboolean needs;

  GST_OBJECT_LOCK (self);
  needs = self->trace == CRACK_TRACE_FRAME;
  GST_OBJECT_UNLOCK (self);
  return needs;
}

/* Decides what is traced in the frame: the property may change between its masks. */
static gboolean
gst_cuda_crack_contour_takes_masks (GstContoursFilter *filter)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);

  GST_OBJECT_LOCK (self);
  self->traced = self->trace;
  GST_OBJECT_UNLOCK (self);
  return self->traced == CRACK_TRACE_SEGMENTATION;
}

static gboolean
gst_cuda_crack_contour_settle (GstContoursFilter *filter, CtrError *error)
{
  return crack_tracer_settle (&GST_CUDA_CRACK_CONTOUR (filter)->tracer, error);
}

static gboolean
gst_cuda_crack_contour_end_contours (GstContoursFilter *filter, CtrContours **contours, CtrError *error)
{
  return ctr_crack_strips_finish (GST_CUDA_CRACK_CONTOUR (filter)->tracer.strips, contours, error);
}

static void
gst_cuda_crack_contour_drop_web (GstContoursFilter *filter)
{
  ctr_crack_strips_drop (GST_CUDA_CRACK_CONTOUR (filter)->tracer.strips);
}

static void
gst_cuda_crack_contour_warn_of_limit (GstContoursFilter *filter, const CtrContours *contours)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);
  guint64 max_points;

  GST_OBJECT_LOCK (self);
  max_points = self->params.max_points;
  GST_OBJECT_UNLOCK (self);
  GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
      ("No contours: the frame has %" G_GUINT64_FORMAT " points at all levels, but max-points is %" G_GUINT64_FORMAT
       ". Use fewer levels (a larger step, for example), or raise max-points if there is enough memory.",
          contours->needed, max_points),
      (NULL));
}

static void
gst_cuda_crack_contour_report_contours (GstContoursFilter *filter, GstBuffer *buffer, CtrContours *contours)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);
  gboolean post_messages;

  if (self->traced_labels)
    crack_labels_place (buffer, GST_OBJECT_NAME (self));
  GST_OBJECT_LOCK (self);
  post_messages = self->post_messages;
  GST_OBJECT_UNLOCK (self);
  if (post_messages && ctr_contours_wait (contours, NULL))
    crack_tracer_post_message (&self->tracer, filter, buffer, contours);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_MODE, GstCudaCrackContour, params.mode),
    PROPERTY_FIELD (PROP_MIN_LEVEL, GstCudaCrackContour, params.minimum),
    PROPERTY_FIELD (PROP_MAX_LEVEL, GstCudaCrackContour, params.maximum),
    PROPERTY_FIELD (PROP_STEP, GstCudaCrackContour, params.step),
    PROPERTY_FIELD (PROP_CONNECTIVITY, GstCudaCrackContour, params.connectivity),
    PROPERTY_FIELD (PROP_BORDER, GstCudaCrackContour, params.frame),
    PROPERTY_FIELD (PROP_MIN_AREA, GstCudaCrackContour, params.min_area),
    PROPERTY_FIELD (PROP_MAX_AREA, GstCudaCrackContour, params.max_area),
    PROPERTY_FIELD (PROP_MIN_LENGTH, GstCudaCrackContour, params.min_length),
    PROPERTY_FIELD (PROP_MAX_POINTS, GstCudaCrackContour, params.max_points),
    PROPERTY_FIELD (PROP_FEATURES, GstCudaCrackContour, params.features),
    PROPERTY_FIELD (PROP_POST_MESSAGES, GstCudaCrackContour, post_messages),
    STRIP_MODE_FIELDS (PROP_STRIP_MODE, PROP_MAX_OPEN_ROWS, GstCudaCrackContour, strip_mode),
    PROPERTY_FIELD (PROP_HIERARCHY, GstCudaCrackContour, params.hierarchy),
    PROPERTY_FIELD (PROP_MIN_PERSISTENCE, GstCudaCrackContour, params.min_persistence),
    PROPERTY_FIELD (PROP_MAX_DEPTH, GstCudaCrackContour, params.max_depth),
    PROPERTY_FIELD (PROP_TRACE, GstCudaCrackContour, trace),
    {0},
};

static void
gst_cuda_crack_contour_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LEVELS:
      crack_levels_set (&self->levels, g_value_get_string (value));
      break;
    default:
      if (!property_fields_set (fields, self, id, value)
          && !gst_contours_filter_set_attachment (GST_CONTOURS_FILTER (object), value, pspec))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  if (id == PROP_LEVELS || id == PROP_MIN_LEVEL || id == PROP_MAX_LEVEL || id == PROP_MODE || id == PROP_HIERARCHY
      || id == PROP_MIN_PERSISTENCE || id == PROP_MAX_DEPTH || id == PROP_TRACE)
    self->warned = FALSE;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_crack_contour_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LEVELS:
      g_value_set_string (value, self->levels.text);
      break;
    default:
      if (!property_fields_get (fields, self, id, value)
          && !gst_contours_filter_get_attachment (GST_CONTOURS_FILTER (object), value, pspec))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_crack_contour_finalize (GObject *object)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (object);

  crack_levels_clear (&self->levels);
  G_OBJECT_CLASS (gst_cuda_crack_contour_parent_class)->finalize (object);
}

static void
gst_cuda_crack_contour_init (GstCudaCrackContour *self)
{
  self->strip_mode = (StripMode) STRIP_MODE_DEFAULT;
  ctr_cracks_params_init (&self->params);
  crack_levels_set (&self->levels, "");
}

static void
gst_cuda_crack_contour_class_init (GstCudaCrackContourClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controlled = live | GST_PARAM_CONTROLLABLE;
  CtrCracksParams defaults;

  ctr_cracks_params_init (&defaults);
  object_class->finalize = gst_cuda_crack_contour_finalize;
  object_class->set_property = gst_cuda_crack_contour_set_property;
  object_class->get_property = gst_cuda_crack_contour_get_property;

  /**
   * GstCudaCrackContour:mode:
   *
   * Foreground of a level: samples at or above the level, or samples equal to it.
   */
  g_object_class_install_property (object_class, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "Foreground of a level: samples at or above it, or equal to it",
          GST_TYPE_CUDA_CRACK_CONTOUR_MODE, defaults.mode, controlled));

  /**
   * GstCudaCrackContour:min-level:
   *
   * First level, in sample units: 1 to 255 for 8-bit formats and the luma of RGB, 1 to 65535 for GRAY16, P010 (whose 10-bit
   * samples are in the upper bits) and P016. A value above #GstCudaCrackContour:max-level gives no contours and a warning.
   */
  g_object_class_install_property (object_class, PROP_MIN_LEVEL,
      g_param_spec_uint ("min-level", "Minimum level",
          "First level, in sample units: up to 255 for 8-bit formats and RGB, up to 65535 for 16-bit formats", 1,
          CRACK_LEVELS_MAX, defaults.minimum, controlled));

  /**
   * GstCudaCrackContour:max-level:
   *
   * Largest level of the range, in sample units.
   */
  g_object_class_install_property (object_class, PROP_MAX_LEVEL,
      g_param_spec_uint ("max-level", "Maximum level",
          "Largest level, in sample units: up to 255 for 8-bit formats and RGB, up to 65535 for 16-bit formats", 1,
          CRACK_LEVELS_MAX, defaults.maximum, controlled));

  /**
   * GstCudaCrackContour:step:
   *
   * Distance between levels, in sample units. The range starts at #GstCudaCrackContour:min-level.
   */
  g_object_class_install_property (object_class, PROP_STEP,
      g_param_spec_uint (
          "step", "Step", "Distance between levels, in sample units", 1, CRACK_LEVELS_MAX, defaults.step, controlled));

  /**
   * GstCudaCrackContour:levels:
   *
   * List of levels that replaces the range: ascending numbers from 1 to 65535, separated by commas or spaces, such as
   * "64,128,192". An invalid list gives no contours and a warning. Empty: the range of min-level and max-level.
   */
  g_object_class_install_property (object_class, PROP_LEVELS,
      g_param_spec_string ("levels", "Levels",
          "List of levels that replaces the range: ascending, comma-separated numbers, such as 64,128,192 (empty = the "
          "range)",
          "", live));

  /**
   * GstCudaCrackContour:connectivity:
   *
   * Connectivity of foreground pixels. Pixels that touch only at a corner share a contour with 8, but not with 4.
   */
  g_object_class_install_property (object_class, PROP_CONNECTIVITY,
      g_param_spec_enum ("connectivity", "Connectivity", "Connectivity of foreground pixels: 4 or 8 neighbours",
          GST_TYPE_CUDA_CRACK_CONTOUR_CONNECTIVITY, defaults.connectivity, controlled));

  /**
   * GstCudaCrackContour:border:
   *
   * Border handling: what counts as background at the edge of the frame. Contours close along the edge of the frame
   * with "pad", one pixel inside it with "zero".
   */
  g_object_class_install_property (object_class, PROP_BORDER,
      g_param_spec_enum ("border", "Border", "Border handling: what counts as background at the edge of the frame",
          GST_TYPE_CUDA_CRACK_CONTOUR_BORDER, defaults.frame, controlled));

  /**
   * GstCudaCrackContour:min-area:
   *
   * Minimum contour area in square pixels; smaller contours are dropped. The contours inside a dropped one become children of the
   * next one around it in the #GstCudaCrackContour:hierarchy. A rectangle of w x h pixels has the area w h. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area", "Minimum contour area in square pixels (0 = no limit)", 0,
          G_MAXDOUBLE, defaults.min_area, controlled));

  /**
   * GstCudaCrackContour:max-area:
   *
   * Maximum contour area in square pixels; larger contours are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MAX_AREA,
      g_param_spec_double ("max-area", "Maximum area", "Maximum contour area in square pixels (0 = no limit)", 0,
          G_MAXDOUBLE, defaults.max_area, controlled));

  /**
   * GstCudaCrackContour:min-length:
   *
   * Minimum contour length in pixels; shorter contours are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MIN_LENGTH,
      g_param_spec_double ("min-length", "Minimum length", "Minimum contour length in pixels (0 = no limit)", 0,
          G_MAXDOUBLE, defaults.min_length, controlled));

  /**
   * GstCudaCrackContour:max-points:
   *
   * Maximum number of points of a frame, at all levels, including those of dropped contours. It bounds the cost of a frame: a
   * point takes up to 35 bytes and 100 ns on the CPU, 160 to 220 bytes on the GPU. A frame with more points gets no contours; its
   * metadata has %GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED, and the first such frame posts a warning. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MAX_POINTS,
      g_param_spec_uint64 ("max-points", "Maximum points",
          "Maximum number of points of a frame at all levels; a frame with more gets no contours (0 = no limit)", 0,
          G_MAXUINT64, defaults.max_points, controlled));

  /**
   * GstCudaCrackContour:features:
   *
   * Optional measurements of each contour, in addition to area, perimeter and bounding box.
   */
  g_object_class_install_property (object_class, PROP_FEATURES,
      g_param_spec_flags ("features", "Features",
          "Optional measurements, in addition to area, perimeter and bounding box",
          GST_TYPE_CUDA_CRACK_CONTOUR_FEATURES, defaults.features, live));

  /**
   * GstCudaCrackContour:post-messages:
   *
   * Posts an element message "cudacrackcontour" with the totals of each frame. Its fields are
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: times of the frame in nanoseconds,
   *   #GST_CLOCK_TIME_NONE if unknown; stream and running time are unknown if the segment is not in time.
   * * #gboolean `corrupted`, `interlaced`: flags of the frame, see #GstContoursResultFlags.
   * * #guint `count`: number of contours at all levels.
   * * #guint64 `points`: total number of points of all contours.
   * * #gboolean `limit-exceeded`: the frame has more points than #GstCudaCrackContour:max-points; `count` is 0.
   */
  g_object_class_install_property (object_class, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with the totals of each frame: count and points", FALSE, controlled));

  strip_mode_install_properties (object_class, PROP_STRIP_MODE, PROP_MAX_OPEN_ROWS);

  crack_settings_install_tree (object_class, PROP_HIERARCHY, PROP_MIN_PERSISTENCE, PROP_MAX_DEPTH, controlled);
  crack_settings_install_trace (object_class, PROP_TRACE, controlled);
  gst_contours_filter_install_attachment (object_class, PROP_ATTACHMENT, TRUE);

  gst_element_class_set_static_metadata (element_class, "CUDA crack contours", "Filter/Analyzer/Video/Hardware",
      "Finds the contours of many grey levels on the GPU or CPU and attaches them as metadata",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_close);
  filter_class->find_contours = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_find_contours);
  filter_class->needs_foreground = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_needs_foreground);
  filter_class->needs_pixels = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_needs_pixels);
  filter_class->takes_masks = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_takes_masks);
  filter_class->settle = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_settle);
  filter_class->warn_of_limit = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_warn_of_limit);
  filter_class->end_contours = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_end_contours);
  filter_class->drop_web = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_drop_web);
  filter_class->report_contours = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_report_contours);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_CONNECTIVITY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_BORDER, 0);
}
