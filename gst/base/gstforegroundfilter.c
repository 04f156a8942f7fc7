/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/gstforegroundfilter.h"

#include "gst/base/colorrange.h"
#include "gst/base/excerpt.h"
#include "gst/base/frameregions.h"
#include "gst/base/propertyfields.h"
#include "gst/base/significantbits.h"

typedef struct {
  /* Properties, under the object lock. */
  CtrForeground foreground;
  gchar *color_range; /* the text of its ranges */
  gboolean post_messages;
  FrameRegionsSettings regions;

  FrameRegions frame_regions; /* of the streaming thread */
  gchar *problem;             /* of a property that was set, not yet posted; NULL: none. Under the object lock. */
} GstForegroundFilterPrivate;

#define PRIVATE(self) ((GstForegroundFilterPrivate *) gst_foreground_filter_get_instance_private (self))

enum {
  PROP_0,
  PROP_THRESHOLD_MODE,
  PROP_THRESHOLD,
  PROP_INVERT,
  PROP_POST_MESSAGES,
  PROP_UPPER_THRESHOLD,
  PROP_BLOCK_SIZE,
  PROP_OFFSET,
  PROP_CHANNEL,
  PROP_COLOR_RANGE,
  PROP_OPEN_SIZE,
  PROP_CLOSE_SIZE,
  PROP_SHAPE,
  PROP_FILL_HOLES,
  PROP_SPLIT_TOUCHING,
  PROP_CLEAR_BORDER,
  PROP_SIGNIFICANT_BITS,
  PROP_REGION_SOURCE, /* the first of three */
  PROP_REGION,
  PROP_MASK_LOCATION
};

#define MAX_THRESHOLD 65535
#define MAX_OFFSET 65535
#define SPLIT_STEPS 16 /* in a pixel */
#define MAX_SPLIT_TOUCHING (CTR_MAX_SPLIT_DEPTH / SPLIT_STEPS)

static const CtrForeground default_foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 128, .block_size = 51};

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstForegroundFilter, gst_foreground_filter, GST_TYPE_CONTOURS_FILTER)

#define GST_TYPE_FOREGROUND_FILTER_THRESHOLD_MODE (gst_foreground_filter_threshold_mode_get_type ())
static GType
gst_foreground_filter_threshold_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_THRESHOLD_FIXED, "Values of the properties threshold and upper-threshold", "fixed"},
      {CTR_THRESHOLD_OTSU, "Otsu's method on each frame's histogram", "otsu"},
      {CTR_THRESHOLD_TRIANGLE, "Triangle method on each frame's histogram", "triangle"},
      {CTR_THRESHOLD_ADAPTIVE_MEAN, "Mean of each pixel's neighbourhood, less offset", "adaptive-mean"},
      {CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, "Gaussian-weighted mean of each pixel's neighbourhood, less offset",
          "adaptive-gaussian"},
      {CTR_THRESHOLD_HYSTERESIS, "Samples at or above threshold that connect to one at or above upper-threshold",
          "hysteresis"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstForegroundFilterThresholdMode", values));
  return type;
}

#define GST_TYPE_FOREGROUND_FILTER_CHANNEL (gst_foreground_filter_channel_get_type ())
static GType
gst_foreground_filter_channel_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_CHANNEL_LUMA, "Luma, or grey", "luma"},
      {CTR_CHANNEL_RED, "Red (RGB formats)", "red"},
      {CTR_CHANNEL_GREEN, "Green (RGB formats)", "green"},
      {CTR_CHANNEL_BLUE, "Blue (RGB formats)", "blue"},
      {CTR_CHANNEL_HUE, "Hue in degrees / 2, 0 to 179 (RGB formats)", "hue"},
      {CTR_CHANNEL_SATURATION, "Saturation, 0 to 255 (RGB formats)", "saturation"},
      {CTR_CHANNEL_VALUE, "Value: the greatest of red, green and blue (RGB formats)", "value"},
      {CTR_CHANNEL_CB, "Blue difference; 128 is no colour (RGB and 8-bit YUV formats)", "cb"},
      {CTR_CHANNEL_CR, "Red difference; 128 is no colour (RGB and 8-bit YUV formats)", "cr"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstForegroundFilterChannel", values));
  return type;
}

#define GST_TYPE_FOREGROUND_FILTER_SHAPE (gst_foreground_filter_shape_get_type ())
static GType
gst_foreground_filter_shape_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_SHAPE_RECTANGLE, "Square", "rectangle"},
      {CTR_SHAPE_CROSS, "Cross, one pixel wide", "cross"},
      {CTR_SHAPE_ELLIPSE, "Disc", "ellipse"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstForegroundFilterShape", values));
  return type;
}

/* Posts a warning of what was set wrongly: not in the function that sets it, which may run before there is a bus. */
static void
post_problem (GstForegroundFilter *self)
{
  gchar *problem;

  GST_OBJECT_LOCK (self);
  problem = g_steal_pointer (&PRIVATE (self)->problem);
  GST_OBJECT_UNLOCK (self);
  if (problem)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("%s", problem), (NULL));
  g_free (problem);
}

/* Sets FOREGROUND to the properties but for the regions. Returns whether there are any. */
static gboolean
take_properties (GstForegroundFilter *self, CtrForeground *foreground)
{
  gboolean has_regions;

  post_problem (self);
  GST_OBJECT_LOCK (self);
  *foreground = PRIVATE (self)->foreground;
  has_regions = frame_regions_are_set (&PRIVATE (self)->regions);
  GST_OBJECT_UNLOCK (self);
  foreground->significant_bits =
      gst_contours_filter_get_format_bits (GST_CONTOURS_FILTER (self), foreground->significant_bits);
  /* An application sets one after the other, while frames run. */
  if (foreground->mode == CTR_THRESHOLD_HYSTERESIS)
    foreground->upper_threshold = MAX (foreground->upper_threshold, foreground->threshold);
  return has_regions;
}

gboolean
gst_foreground_filter_get_foreground (
    GstForegroundFilter *self, const CtrImage *image, GstBuffer *buffer, CtrForeground *foreground, CtrError *error)
{
  GstForegroundFilterPrivate *priv = PRIVATE (self);

  take_properties (self, foreground);
  return frame_regions_find (
      &priv->frame_regions, GST_ELEMENT_CAST (self), &priv->regions, image, buffer, &foreground->regions, error);
}

gboolean
gst_foreground_filter_get_post_messages (GstForegroundFilter *self)
{
  gboolean post_messages;

  GST_OBJECT_LOCK (self);
  post_messages = PRIVATE (self)->post_messages;
  GST_OBJECT_UNLOCK (self);
  return post_messages;
}

static gboolean
gst_foreground_filter_needs_foreground (GstContoursFilter *filter, CtrForeground *foreground)
{
  /* What is made of regions is shared with nobody. */
  return !take_properties (GST_FOREGROUND_FILTER (filter), foreground);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_THRESHOLD_MODE, GstForegroundFilterPrivate, foreground.mode),
    PROPERTY_FIELD (PROP_THRESHOLD, GstForegroundFilterPrivate, foreground.threshold),
    PROPERTY_FIELD (PROP_INVERT, GstForegroundFilterPrivate, foreground.invert),
    PROPERTY_FIELD (PROP_POST_MESSAGES, GstForegroundFilterPrivate, post_messages),
    PROPERTY_FIELD (PROP_UPPER_THRESHOLD, GstForegroundFilterPrivate, foreground.upper_threshold),
    PROPERTY_FIELD (PROP_BLOCK_SIZE, GstForegroundFilterPrivate, foreground.block_size),
    PROPERTY_FIELD (PROP_OFFSET, GstForegroundFilterPrivate, foreground.offset),
    PROPERTY_FIELD (PROP_CHANNEL, GstForegroundFilterPrivate, foreground.channel),
    PROPERTY_FIELD (PROP_OPEN_SIZE, GstForegroundFilterPrivate, foreground.open_size),
    PROPERTY_FIELD (PROP_CLOSE_SIZE, GstForegroundFilterPrivate, foreground.close_size),
    PROPERTY_FIELD (PROP_SHAPE, GstForegroundFilterPrivate, foreground.shape),
    PROPERTY_FIELD (PROP_FILL_HOLES, GstForegroundFilterPrivate, foreground.fill_holes),
    PROPERTY_FIELD (PROP_CLEAR_BORDER, GstForegroundFilterPrivate, foreground.clear_border),
    PROPERTY_FIELD (PROP_SIGNIFICANT_BITS, GstForegroundFilterPrivate, foreground.significant_bits),
    {0},
};

static void
set_problem (GstForegroundFilterPrivate *priv, gchar *problem)
{
  g_free (problem ? priv->problem : NULL);
  priv->problem = problem ? problem : priv->problem;
}

void
gst_foreground_filter_add_problem (GstForegroundFilter *self, gchar *problem)
{
  set_problem (PRIVATE (self), problem);
}

static void
set_block_size (GstForegroundFilterPrivate *priv, guint size)
{
  priv->foreground.block_size = size | 1;
  if (size % 2 == 0)
    set_problem (priv, g_strdup_printf ("block-size=%u is even: %u is used. Set an odd number from %d to %d.", size,
                           size | 1, CTR_MIN_BLOCK_SIZE, CTR_MAX_BLOCK_SIZE));
}

/* In steps of the core; nothing but 0 is 0. */
static void
set_split_touching (GstForegroundFilterPrivate *priv, gdouble pixels)
{
  const guint steps = (guint) (pixels * SPLIT_STEPS + 0.5);

  priv->foreground.split_touching = pixels > 0 ? MAX (steps, 1) : 0;
}

/* Invalid text leaves the ranges as they are. */
static void
set_color_range (GstForegroundFilterPrivate *priv, const gchar *text)
{
  gchar *problem, *shown;

  text = text ? text : "";
  if (color_range_parse (text, &priv->foreground, &problem)) {
    g_free (priv->color_range);
    priv->color_range = g_strdup (text);
    return;
  }
  shown = excerpt_new (text);
  set_problem (priv, g_strdup_printf ("color-range=\"%s\" is invalid: %s. It stays \"%s\". Set a list such as "
                                      "\"hue=100-130,saturation=80-255\", or \"\" for none.",
                         shown, problem, priv->color_range));
  g_free (shown);
  g_free (problem);
}

static void
gst_foreground_filter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstForegroundFilterPrivate *priv = PRIVATE (GST_FOREGROUND_FILTER (object));

  GST_OBJECT_LOCK (object);
  if (id == PROP_BLOCK_SIZE)
    set_block_size (priv, g_value_get_uint (value));
  else if (id == PROP_SPLIT_TOUCHING)
    set_split_touching (priv, g_value_get_double (value));
  else if (id == PROP_COLOR_RANGE)
    set_color_range (priv, g_value_get_string (value));
  else if (id == PROP_SIGNIFICANT_BITS)
    priv->foreground.significant_bits = significant_bits_clamp (GST_ELEMENT_CAST (object), g_value_get_uint (value));
  else if (id >= PROP_REGION_SOURCE)
    set_problem (priv, frame_regions_set_property (&priv->regions, id - PROP_REGION_SOURCE, value));
  else if (!property_fields_set (fields, priv, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_foreground_filter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstForegroundFilterPrivate *priv = PRIVATE (GST_FOREGROUND_FILTER (object));

  GST_OBJECT_LOCK (object);
  if (id == PROP_COLOR_RANGE)
    g_value_set_string (value, priv->color_range);
  else if (id == PROP_SPLIT_TOUCHING)
    g_value_set_double (value, (gdouble) priv->foreground.split_touching / SPLIT_STEPS);
  else if (id >= PROP_REGION_SOURCE)
    frame_regions_get_property (&priv->regions, id - PROP_REGION_SOURCE, value);
  else if (!property_fields_get (fields, priv, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_foreground_filter_finalize (GObject *object)
{
  GstForegroundFilterPrivate *priv = PRIVATE (GST_FOREGROUND_FILTER (object));

  g_free (priv->color_range);
  g_free (priv->problem);
  frame_regions_clear (&priv->frame_regions, &priv->regions);
  G_OBJECT_CLASS (gst_foreground_filter_parent_class)->finalize (object);
}

static void
gst_foreground_filter_init (GstForegroundFilter *self)
{
  PRIVATE (self)->foreground = default_foreground;
  PRIVATE (self)->color_range = g_strdup ("");
  frame_regions_init (&PRIVATE (self)->frame_regions, &PRIVATE (self)->regions);
}

static void
gst_foreground_filter_class_init (GstForegroundFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags controlled =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;

  object_class->set_property = gst_foreground_filter_set_property;
  object_class->get_property = gst_foreground_filter_get_property;
  object_class->finalize = gst_foreground_filter_finalize;
  GST_CONTOURS_FILTER_CLASS (klass)->needs_foreground = GST_DEBUG_FUNCPTR (gst_foreground_filter_needs_foreground);

  /**
   * GstForegroundFilter:threshold-mode:
   *
   * Threshold selection: #GstForegroundFilter:threshold, a method that finds it in each frame's histogram, or the mean of
   * each pixel's neighbourhood.
   */
  g_object_class_install_property (object_class, PROP_THRESHOLD_MODE,
      g_param_spec_enum ("threshold-mode", "Threshold mode",
          "Threshold selection: fixed, or from each frame's histogram, or from each pixel's neighbourhood",
          GST_TYPE_FOREGROUND_FILTER_THRESHOLD_MODE, default_foreground.mode, controlled));

  /**
   * GstForegroundFilter:threshold:
   *
   * Foreground threshold, inclusive: samples at or above it are foreground. In sample units: 0 to 255 for 8-bit formats
   * and the luma of RGB, 0 to 65535 for GRAY16, P010 (whose 10-bit samples are in the upper bits) and P016.
   */
  g_object_class_install_property (object_class, PROP_THRESHOLD,
      g_param_spec_uint ("threshold", "Threshold",
          "Foreground threshold, inclusive, in sample units: 0 to 255 for 8-bit formats and RGB, 0 to 65535 for 16-bit "
          "formats (threshold-mode=fixed, hysteresis)",
          0, MAX_THRESHOLD, default_foreground.threshold, controlled));

  /**
   * GstForegroundFilter:upper-threshold:
   *
   * With #GstForegroundFilter:threshold-mode "fixed": samples above it are background; 0: none are. With "hysteresis": the
   * threshold of strong samples, inclusive; values below #GstForegroundFilter:threshold count as that. In sample units.
   */
  g_object_class_install_property (object_class, PROP_UPPER_THRESHOLD,
      g_param_spec_uint ("upper-threshold", "Upper threshold",
          "Samples above it are background, 0 = none (threshold-mode=fixed); threshold of strong samples "
          "(threshold-mode=hysteresis)",
          0, MAX_THRESHOLD, default_foreground.upper_threshold, controlled));

  /**
   * GstForegroundFilter:block-size:
   *
   * Side of the neighbourhood of the adaptive threshold modes, in pixels, odd. It should be larger than the objects.
   */
  g_object_class_install_property (object_class, PROP_BLOCK_SIZE,
      g_param_spec_uint ("block-size", "Block size",
          "Side of the neighbourhood in pixels, odd (threshold-mode=adaptive-mean, adaptive-gaussian)",
          CTR_MIN_BLOCK_SIZE, CTR_MAX_BLOCK_SIZE, default_foreground.block_size, controlled));

  /**
   * GstForegroundFilter:offset:
   *
   * Subtracted from the mean of the neighbourhood, in sample units. Negative values keep noise of even areas out of the
   * foreground, with #GstForegroundFilter:invert positive ones.
   */
  g_object_class_install_property (object_class, PROP_OFFSET,
      g_param_spec_int ("offset", "Offset",
          "Subtracted from the mean, in sample units (threshold-mode=adaptive-mean, adaptive-gaussian)", -MAX_OFFSET,
          MAX_OFFSET, default_foreground.offset, controlled));

  /**
   * GstForegroundFilter:channel:
   *
   * Channel whose samples are compared with the threshold. All but luma have 8 bits. Cb and Cr of YUV formats are taken as
   * they are: each sample counts for all pixels that it covers.
   */
  g_object_class_install_property (object_class, PROP_CHANNEL,
      g_param_spec_enum ("channel", "Channel", "Channel whose samples are compared with the threshold",
          GST_TYPE_FOREGROUND_FILTER_CHANNEL, default_foreground.channel, controlled));

  /**
   * GstForegroundFilter:color-range:
   *
   * Ranges of channels, inclusive, such as "hue=100-130,saturation=80-255": foreground are the pixels whose samples are in
   * all ranges, and the threshold properties have no effect. A range whose first number is larger goes through 0, as
   * "hue=170-10" does. "": none.
   */
  g_object_class_install_property (object_class, PROP_COLOR_RANGE,
      g_param_spec_string ("color-range", "Color range",
          "Ranges of channels in place of a threshold, such as hue=100-130,saturation=80-255 (empty = none)", "",
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));

  /**
   * GstForegroundFilter:invert:
   *
   * Inverts the foreground: the other pixels are foreground, in each threshold mode. Use it for dark objects.
   */
  g_object_class_install_property (object_class, PROP_INVERT,
      g_param_spec_boolean ("invert", "Invert", "Inverted foreground: samples below the threshold (dark objects)",
          default_foreground.invert, controlled));

  /**
   * GstForegroundFilter:open-size:
   *
   * Side of the structuring element of an opening, in pixels: foreground in which it finds no room is removed. 0 and 1: no
   * opening.
   */
  g_object_class_install_property (object_class, PROP_OPEN_SIZE,
      g_param_spec_uint ("open-size", "Open size",
          "Side of the structuring element of an opening, in pixels: removes smaller foreground (0 = no opening)", 0,
          CTR_MAX_SHAPE_SIZE, default_foreground.open_size, controlled));

  /**
   * GstForegroundFilter:close-size:
   *
   * Side of the structuring element of a closing, in pixels, after the opening: background in which it finds no room becomes
   * foreground. 0 and 1: no closing.
   */
  g_object_class_install_property (object_class, PROP_CLOSE_SIZE,
      g_param_spec_uint ("close-size", "Close size",
          "Side of the structuring element of a closing, in pixels: fills smaller gaps (0 = no closing)", 0,
          CTR_MAX_SHAPE_SIZE, default_foreground.close_size, controlled));

  /**
   * GstForegroundFilter:shape:
   *
   * Shape of both structuring elements, as OpenCV's getStructuringElement() makes it.
   */
  g_object_class_install_property (object_class, PROP_SHAPE,
      g_param_spec_enum ("shape", "Shape", "Shape of the structuring elements (open-size, close-size)",
          GST_TYPE_FOREGROUND_FILTER_SHAPE, default_foreground.shape, controlled));

  /**
   * GstForegroundFilter:fill-holes:
   *
   * Fills holes: background that foreground surrounds becomes foreground. After opening and closing.
   */
  g_object_class_install_property (object_class, PROP_FILL_HOLES,
      g_param_spec_boolean ("fill-holes", "Fill holes", "Fill holes: background that foreground surrounds",
          default_foreground.fill_holes, controlled));

  /**
   * GstForegroundFilter:split-touching:
   *
   * Splits parts of the foreground that touch. It is the depth, in pixels, by which the distance to the background has to fall
   * from the middle of a part to where it touches another: half the part's width, less half that of the neck. Noisy edges and
   * parts that are not round take a greater one. It is rounded to 1/16 pixel. 0: parts are not split. 2 splits discs from a
   * radius of about 5 pixels on; a good value for larger ones is a tenth of their radius, but 1.5 at least.
   */
  g_object_class_install_property (object_class, PROP_SPLIT_TOUCHING,
      g_param_spec_double ("split-touching", "Split touching",
          "Split parts where the neck between them is narrower than both by twice as many pixels, such as 2 (0 = no "
          "splitting)",
          0, MAX_SPLIT_TOUCHING, default_foreground.split_touching, controlled));

  /**
   * GstForegroundFilter:clear-border:
   *
   * Removes the parts of the foreground that touch the frame's border, as the last step.
   */
  g_object_class_install_property (object_class, PROP_CLEAR_BORDER,
      g_param_spec_boolean ("clear-border", "Clear border", "Remove foreground that touches the frame's border",
          default_foreground.clear_border, controlled));

  frame_regions_install_properties (object_class, PROP_REGION_SOURCE);

  /**
   * GstForegroundFilter:significant-bits:
   *
   * With #GstForegroundFilter:threshold-mode "triangle": significant bits of GRAY16_LE samples, counted from the lowest.
   * The histogram is that of the upper 8 of them. 0: 10, 12, 14 or 16, from the largest sample of each frame.
   */
  g_object_class_install_property (object_class, PROP_SIGNIFICANT_BITS, significant_bits_property_new (controlled));

  /**
   * GstForegroundFilter:post-messages:
   *
   * Posts an element message with the totals of each frame. Its name is that of the element, and its fields are
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: times of the frame in nanoseconds,
   *   #GST_CLOCK_TIME_NONE if unknown; stream and running time are unknown if the segment is not in time.
   * * #gboolean `corrupted`, `interlaced`: flags of the frame, see #GstContoursResultFlags.
   * * #guint `count`: number of components or contours; not of cudaforeground.
   * * #guint `threshold`: threshold applied, in sample units; with the methods "otsu" and "triangle", the threshold found; 0 if
   *   there is none: neighbourhoods, ranges.
   * * further fields that each element documents.
   */
  g_object_class_install_property (object_class, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with the totals of each frame: count, threshold and others", FALSE, controlled));

  gst_type_mark_as_plugin_api (GST_TYPE_FOREGROUND_FILTER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_FOREGROUND_FILTER_CHANNEL, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_FOREGROUND_FILTER_REGION_SOURCE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_FOREGROUND_FILTER_SHAPE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_FOREGROUND_FILTER_THRESHOLD_MODE, 0);
}
