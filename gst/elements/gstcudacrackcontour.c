/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudacrackcontour
 * @title: cudacrackcontour
 * @short_description: Finds the contours of many levels in each frame
 *
 * Each level makes a binary image of the frame's luma (or grey) samples: its foreground are the samples of that level
 * or above, or those of exactly that level. The contours of all levels are found at once, as closed lines along the
 * sides of pixels, and attached to the buffer as one #GstContoursContourMeta: the level of each line, its corners in
 * order, what encloses it, area, perimeter, bounding box, and on request moments. The picture itself is left as it is.
 *
 * The points are corners between pixels, %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS: the area inside a line is exactly
 * the pixels it encloses. GPU and host give the same bytes. On the GPU they stay there until they are asked for.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12
 * ! cudacrackcontour levels=64,128,192 post-messages=true ! fakesink
 * ]| Prints, for each frame, how many contours and points its three levels have. Without a GPU they are found on the
 * host.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudacrackcontour.h"

#include "gst/base/frameresults.h"
#include "gst/base/shorttext.h"

#include <gst/contours/gstcontours.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_crack_contour_debug);
#define GST_CAT_DEFAULT gst_cuda_crack_contour_debug

struct _GstCudaCrackContour {
  GstContoursFilter parent;

  /* Properties, under the object lock. */
  CtrCracksParams params; /* but its list */
  gchar *levels_text;
  GArray *levels;    /* of guint32: what the text says; NULL: no list */
  gchar *list_error; /* what is wrong with the text, or NULL */
  gboolean post_messages;
  gboolean warned; /* of the levels as they are now */

  CtrCracks *cracks; /* while started */
  gboolean exceeded; /* by the last frame: max-points */
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
  PROP_POST_MESSAGES
};

#define MAX_LEVEL 65535

/* Above all samples: no pixel is its foreground. */
static const uint32_t no_level = G_MAXUINT32;

G_DEFINE_TYPE (GstCudaCrackContour, gst_cuda_crack_contour, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudacrackcontour, "cudacrackcontour", GST_RANK_NONE, GST_TYPE_CUDA_CRACK_CONTOUR,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_crack_contour_debug, "cudacrackcontour", 0, "contours of levels"))

#define GST_TYPE_CUDA_CRACK_CONTOUR_MODE (gst_cuda_crack_contour_mode_get_type ())
static GType
gst_cuda_crack_contour_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_LEVELS_AT_LEAST, "Samples of a level or above: nested contours, as on a map", "ge"},
      {CTR_LEVELS_EQUAL, "Samples of exactly a level: the objects of a label image or of masks", "eq"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCrackContourMode", values));
  return type;
}

#define GST_TYPE_CUDA_CRACK_CONTOUR_CONNECTIVITY (gst_cuda_crack_contour_connectivity_get_type ())
static GType
gst_cuda_crack_contour_connectivity_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_CONNECTIVITY_4, "Pixels that share an edge", "4"},
      {CTR_CONNECTIVITY_8, "Pixels that share an edge or a corner", "8"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCrackContourConnectivity", values));
  return type;
}

#define GST_TYPE_CUDA_CRACK_CONTOUR_BORDER (gst_cuda_crack_contour_border_get_type ())
static GType
gst_cuda_crack_contour_border_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_IMAGE_BORDER_PAD, "Background around the frame", "pad"},
      {CTR_IMAGE_BORDER_ZERO, "The first and last row and column are background, whatever they hold", "zero"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCrackContourBorder", values));
  return type;
}

/* The numbers in TEXT, between commas or spaces; NULL where there are none, or they are wrong, which *PROBLEM then
 * says. */
static GArray *
parse_levels (const gchar *text, gchar **problem)
{
  GArray *levels = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 before = 0;
  gchar **words = g_strsplit_set (text, ", \t\n", -1);

  *problem = NULL;
  for (gchar **word = words; *word && !*problem; word++) {
    guint64 number;
    guint32 level;

    if (!**word)
      continue;
    if (!g_ascii_string_to_unsigned (*word, 10, 1, MAX_LEVEL, &number, NULL)) {
      gchar *shown = short_text_new (*word);

      *problem = g_strdup_printf ("'%s' is no level: they are whole numbers from 1 to %d", shown, MAX_LEVEL);
      g_free (shown);
      break;
    }
    level = number;
    if (level <= before)
      *problem = g_strdup_printf ("%u comes after %u: each must be above the one before", level, before);
    before = level;
    g_array_append_val (levels, level);
  }
  g_strfreev (words);
  if (*problem || levels->len == 0)
    g_clear_pointer (&levels, g_array_unref);
  return levels;
}

static void
set_levels (GstCudaCrackContour *self, const gchar *text)
{
  g_free (self->levels_text);
  g_free (self->list_error);
  g_clear_pointer (&self->levels, g_array_unref);
  self->levels_text = g_strdup (text ? text : "");
  self->levels = parse_levels (self->levels_text, &self->list_error);
}

static gboolean
gst_cuda_crack_contour_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);

  self->exceeded = FALSE;
  self->cracks = ctr_cracks_new (backend, error);
  return self->cracks != NULL;
}

static void
gst_cuda_crack_contour_close (GstContoursFilter *filter)
{
  g_clear_pointer (&GST_CUDA_CRACK_CONTOUR (filter)->cracks, ctr_cracks_free);
}

/* What is wrong with the list, and what to do (transfer full). */
static gchar *
describe_wrong_list (GstCudaCrackContour *self)
{
  gchar *shown = short_text_new (self->levels_text);
  gchar *warning = g_strdup_printf (
      "No contours: levels=\"%s\" is no list of levels: %s. Set it to an ascending one such as 64,128,192, or to \"\" "
      "for the range from min-level to max-level.",
      shown, self->list_error);

  g_free (shown);
  return warning;
}

/* The parameters as they are now, with a reference to their list in *LEVELS (NULL: none). Levels that make no sense,
 * maybe on their way to others, are none; *WARNING then says once what to do. */
static CtrCracksParams
get_params (GstCudaCrackContour *self, GArray **levels, gchar **warning)
{
  CtrCracksParams params;
  gboolean wrong = TRUE;

  *warning = NULL;
  GST_OBJECT_LOCK (self);
  params = self->params;
  *levels = self->levels ? g_array_ref (self->levels) : NULL;
  if (self->list_error) {
    if (!self->warned)
      *warning = describe_wrong_list (self);
  } else if (!self->levels && params.minimum > params.maximum) {
    if (!self->warned)
      *warning = g_strdup_printf ("No contours: min-level %u is above max-level %u. Lower the one or raise the other.",
          params.minimum, params.maximum);
  } else {
    wrong = FALSE;
  }
  self->warned = wrong;
  GST_OBJECT_UNLOCK (self);

  if (wrong) {
    params.levels = &no_level;
    params.level_count = 1;
  } else if (*levels) {
    params.levels = (const uint32_t *) (*levels)->data;
    params.level_count = (*levels)->len;
  }
  return params;
}

/* Says once, of frames in a row that have more than MOST points, what to do. */
static void
warn_of_points (GstCudaCrackContour *self, const CtrContours *contours, guint64 most)
{
  gboolean before = self->exceeded;

  self->exceeded = contours->exceeded != CTR_LIMIT_NONE;
  if (self->exceeded && !before)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("No contours: the frame has %" G_GUINT64_FORMAT " points at all levels, and max-points is %" G_GUINT64_FORMAT
         ". Take fewer levels, such as by a larger step, or raise max-points if there is memory for them.",
            contours->needed, most),
        (NULL));
}

static gboolean
gst_cuda_crack_contour_analyze (
    GstContoursFilter *filter, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (filter);
  GArray *levels;
  gchar *warning;
  CtrCracksParams params = get_params (self, &levels, &warning);
  CtrContours *contours = ctr_cracks_run (self->cracks, image, &params, stream, error);
  gboolean post_messages;

  if (levels)
    g_array_unref (levels);
  if (warning)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", warning), (NULL));
  g_free (warning);
  if (!contours)
    return FALSE;

  warn_of_points (self, contours, params.max_points);
  GST_LOG_OBJECT (self, "%u contours of %" G_GUINT64_FORMAT " points", contours->count, contours->point_count);
  GST_OBJECT_LOCK (self);
  post_messages = self->post_messages;
  GST_OBJECT_UNLOCK (self);
  frame_results_attach_contours (filter, buffer, contours);
  if (post_messages)
    frame_results_post (filter, buffer, "cudacrackcontour", "count", G_TYPE_UINT, contours->count, "points",
        G_TYPE_UINT64, contours->point_count, "limit-exceeded", G_TYPE_BOOLEAN, contours->exceeded != CTR_LIMIT_NONE,
        NULL);
  ctr_contours_unref (contours);
  return TRUE;
}

static void
gst_cuda_crack_contour_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_MODE:
      self->params.mode = g_value_get_enum (value);
      break;
    case PROP_MIN_LEVEL:
      self->params.minimum = g_value_get_uint (value);
      self->warned = FALSE;
      break;
    case PROP_MAX_LEVEL:
      self->params.maximum = g_value_get_uint (value);
      self->warned = FALSE;
      break;
    case PROP_STEP:
      self->params.step = g_value_get_uint (value);
      break;
    case PROP_LEVELS:
      set_levels (self, g_value_get_string (value));
      self->warned = FALSE;
      break;
    case PROP_CONNECTIVITY:
      self->params.connectivity = g_value_get_enum (value);
      break;
    case PROP_BORDER:
      self->params.frame = g_value_get_enum (value);
      break;
    case PROP_MIN_AREA:
      self->params.min_area = g_value_get_double (value);
      break;
    case PROP_MAX_AREA:
      self->params.max_area = g_value_get_double (value);
      break;
    case PROP_MIN_LENGTH:
      self->params.min_length = g_value_get_double (value);
      break;
    case PROP_MAX_POINTS:
      self->params.max_points = g_value_get_uint64 (value);
      break;
    case PROP_FEATURES:
      self->params.features = g_value_get_flags (value);
      break;
    case PROP_POST_MESSAGES:
      self->post_messages = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_crack_contour_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_MODE:
      g_value_set_enum (value, self->params.mode);
      break;
    case PROP_MIN_LEVEL:
      g_value_set_uint (value, self->params.minimum);
      break;
    case PROP_MAX_LEVEL:
      g_value_set_uint (value, self->params.maximum);
      break;
    case PROP_STEP:
      g_value_set_uint (value, self->params.step);
      break;
    case PROP_LEVELS:
      g_value_set_string (value, self->levels_text);
      break;
    case PROP_CONNECTIVITY:
      g_value_set_enum (value, self->params.connectivity);
      break;
    case PROP_BORDER:
      g_value_set_enum (value, self->params.frame);
      break;
    case PROP_MIN_AREA:
      g_value_set_double (value, self->params.min_area);
      break;
    case PROP_MAX_AREA:
      g_value_set_double (value, self->params.max_area);
      break;
    case PROP_MIN_LENGTH:
      g_value_set_double (value, self->params.min_length);
      break;
    case PROP_MAX_POINTS:
      g_value_set_uint64 (value, self->params.max_points);
      break;
    case PROP_FEATURES:
      g_value_set_flags (value, self->params.features);
      break;
    case PROP_POST_MESSAGES:
      g_value_set_boolean (value, self->post_messages);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_crack_contour_finalize (GObject *object)
{
  GstCudaCrackContour *self = GST_CUDA_CRACK_CONTOUR (object);

  g_free (self->levels_text);
  g_free (self->list_error);
  g_clear_pointer (&self->levels, g_array_unref);
  G_OBJECT_CLASS (gst_cuda_crack_contour_parent_class)->finalize (object);
}

static void
gst_cuda_crack_contour_init (GstCudaCrackContour *self)
{
  ctr_cracks_params_init (&self->params);
  set_levels (self, "");
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
   * Which samples are a level's foreground: those of the level or above, or those of exactly the level.
   */
  g_object_class_install_property (object_class, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "Which samples are a level's foreground", GST_TYPE_CUDA_CRACK_CONTOUR_MODE,
          defaults.mode, controlled));

  /**
   * GstCudaCrackContour:min-level:
   *
   * The first level. In sample units: 1 to 255 for 8-bit formats and the luma of RGB, 1 to 65535 for GRAY16, P010 and
   * P016, whose 10-bit samples lie in the upper bits. Above #GstCudaCrackContour:max-level: no contours, and a warning.
   */
  g_object_class_install_property (object_class, PROP_MIN_LEVEL,
      g_param_spec_uint ("min-level", "Minimum level",
          "First level, in sample units: up to 255 for 8-bit formats and RGB, up to 65535 for 16-bit formats", 1,
          MAX_LEVEL, defaults.minimum, controlled));

  /**
   * GstCudaCrackContour:max-level:
   *
   * No level is above this.
   */
  g_object_class_install_property (object_class, PROP_MAX_LEVEL,
      g_param_spec_uint ("max-level", "Maximum level", "No level is above this, in sample units", 1, MAX_LEVEL,
          defaults.maximum, controlled));

  /**
   * GstCudaCrackContour:step:
   *
   * From one level to the next: #GstCudaCrackContour:min-level, that and one step, two steps and so on.
   */
  g_object_class_install_property (object_class, PROP_STEP,
      g_param_spec_uint ("step", "Step", "From one level of the range to the next, in sample units", 1, MAX_LEVEL,
          defaults.step, controlled));

  /**
   * GstCudaCrackContour:levels:
   *
   * The levels one by one, in place of the range: ascending numbers from 1 to 65535 between commas or spaces, such as
   * "64,128,192". Anything else gives no contours, and a warning. Empty: the range.
   */
  g_object_class_install_property (object_class, PROP_LEVELS,
      g_param_spec_string ("levels", "Levels",
          "The levels one by one in place of the range: ascending numbers between commas, such as 64,128,192 (empty = "
          "the range)",
          "", live));

  /**
   * GstCudaCrackContour:connectivity:
   *
   * Which foreground pixels belong together. Where two touch at a corner only, 8 joins them in one contour, 4 parts
   * them.
   */
  g_object_class_install_property (object_class, PROP_CONNECTIVITY,
      g_param_spec_enum ("connectivity", "Connectivity", "Which neighbours in the foreground one contour encloses",
          GST_TYPE_CUDA_CRACK_CONTOUR_CONNECTIVITY, defaults.connectivity, controlled));

  /**
   * GstCudaCrackContour:border:
   *
   * What the lines run along at the ends of the frame.
   */
  g_object_class_install_property (object_class, PROP_BORDER,
      g_param_spec_enum ("border", "Border", "What the lines run along at the ends of the frame",
          GST_TYPE_CUDA_CRACK_CONTOUR_BORDER, defaults.frame, controlled));

  /**
   * GstCudaCrackContour:min-area:
   *
   * Contours of less area are left out. What is inside one belongs to the next one of its level around it that remains.
   * The line goes along the sides of pixels: w x h pixels have an area of w h.
   */
  g_object_class_install_property (object_class, PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area", "Leave out contours of less area, in square pixels", 0,
          G_MAXDOUBLE, defaults.min_area, controlled));

  /**
   * GstCudaCrackContour:max-area:
   *
   * Contours of more area are left out.
   */
  g_object_class_install_property (object_class, PROP_MAX_AREA,
      g_param_spec_double ("max-area", "Maximum area",
          "Leave out contours of more area, in square pixels (0 = no limit)", 0, G_MAXDOUBLE, defaults.max_area,
          controlled));

  /**
   * GstCudaCrackContour:min-length:
   *
   * Contours of a shorter line are left out.
   */
  g_object_class_install_property (object_class, PROP_MIN_LENGTH,
      g_param_spec_double ("min-length", "Minimum length", "Leave out contours of a shorter line, in pixels", 0,
          G_MAXDOUBLE, defaults.min_length, controlled));

  /**
   * GstCudaCrackContour:max-points:
   *
   * What one frame may cost: the points of all levels together, those of contours that are left out among them. A frame
   * with more has no contours, its metadata has %GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED and the number, and a warning
   * comes once for frames in a row. A point takes up to 35 bytes and 100 ns on the host, 160 to 220 bytes on the GPU.
   */
  g_object_class_install_property (object_class, PROP_MAX_POINTS,
      g_param_spec_uint64 ("max-points", "Maximum points",
          "Most points of all levels of a frame, which has no contours if it has more (0 = no limit)", 0, G_MAXUINT64,
          defaults.max_points, controlled));

  /**
   * GstCudaCrackContour:features:
   *
   * What to measure of each contour beyond area, perimeter and bounding box.
   */
  g_object_class_install_property (object_class, PROP_FEATURES,
      g_param_spec_flags ("features", "Features", "What to measure besides area, perimeter and bounding box",
          GST_TYPE_CONTOURS_CONTOUR_FEATURES, defaults.features, live));

  /**
   * GstCudaCrackContour:post-messages:
   *
   * Post an element message "cudacrackcontour" with the totals of each frame. It has the fields
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: of the frame, nanoseconds;
   *   #GST_CLOCK_TIME_NONE where unknown, the middle two also in streams whose segment is not in time.
   * * #gboolean `corrupted`, `interlaced`: what is known of the frame, see #GstContoursResultFlags.
   * * #guint `count`: contours of all levels.
   * * #guint64 `points`: points of all contours together.
   * * #gboolean `limit-exceeded`: the frame has more points than #GstCudaCrackContour:max-points, so `count` is 0.
   */
  g_object_class_install_property (object_class, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with count and points for each frame", FALSE, controlled));

  gst_element_class_set_static_metadata (element_class, "CUDA crack contours", "Filter/Analyzer/Video/Hardware",
      "Finds the contours of many levels in each frame, on the GPU or the host, and attaches them as metadata",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_close);
  filter_class->analyze = GST_DEBUG_FUNCPTR (gst_cuda_crack_contour_analyze);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_CONNECTIVITY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_BORDER, 0);
}
