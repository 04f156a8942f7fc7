/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/gstforegroundfilter.h"

#include "gst/base/propertyfields.h"

typedef struct {
  /* Properties, under the object lock. */
  CtrForeground foreground;
  gboolean post_messages;
} GstForegroundFilterPrivate;

#define PRIVATE(self) ((GstForegroundFilterPrivate *) gst_foreground_filter_get_instance_private (self))

enum { PROP_0, PROP_THRESHOLD_MODE, PROP_THRESHOLD, PROP_INVERT, PROP_POST_MESSAGES };

#define MAX_THRESHOLD 65535

static const CtrForeground default_foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 128};

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (GstForegroundFilter, gst_foreground_filter, GST_TYPE_CONTOURS_FILTER)

#define GST_TYPE_FOREGROUND_FILTER_THRESHOLD_MODE (gst_foreground_filter_threshold_mode_get_type ())
static GType
gst_foreground_filter_threshold_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_THRESHOLD_FIXED, "Value of the threshold property", "fixed"},
      {CTR_THRESHOLD_OTSU, "Otsu's method on each frame's histogram", "otsu"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstForegroundFilterThresholdMode", values));
  return type;
}

CtrForeground
gst_foreground_filter_get_foreground (GstForegroundFilter *self)
{
  CtrForeground foreground;

  GST_OBJECT_LOCK (self);
  foreground = PRIVATE (self)->foreground;
  GST_OBJECT_UNLOCK (self);
  return foreground;
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
gst_foreground_filter_needs_otsu (GstContoursFilter *filter)
{
  return gst_foreground_filter_get_foreground (GST_FOREGROUND_FILTER (filter)).mode == CTR_THRESHOLD_OTSU;
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_THRESHOLD_MODE, GstForegroundFilterPrivate, foreground.mode),
    PROPERTY_FIELD (PROP_THRESHOLD, GstForegroundFilterPrivate, foreground.threshold),
    PROPERTY_FIELD (PROP_INVERT, GstForegroundFilterPrivate, foreground.invert),
    PROPERTY_FIELD (PROP_POST_MESSAGES, GstForegroundFilterPrivate, post_messages),
    {0},
};

static void
gst_foreground_filter_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstForegroundFilterPrivate *priv = PRIVATE (GST_FOREGROUND_FILTER (object));

  GST_OBJECT_LOCK (object);
  if (!property_fields_set (fields, priv, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_foreground_filter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstForegroundFilterPrivate *priv = PRIVATE (GST_FOREGROUND_FILTER (object));

  GST_OBJECT_LOCK (object);
  if (!property_fields_get (fields, priv, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_foreground_filter_init (GstForegroundFilter *self)
{
  PRIVATE (self)->foreground = default_foreground;
}

static void
gst_foreground_filter_class_init (GstForegroundFilterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags controlled =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;

  object_class->set_property = gst_foreground_filter_set_property;
  object_class->get_property = gst_foreground_filter_get_property;
  GST_CONTOURS_FILTER_CLASS (klass)->needs_otsu = GST_DEBUG_FUNCPTR (gst_foreground_filter_needs_otsu);

  /**
   * GstForegroundFilter:threshold-mode:
   *
   * Threshold selection: #GstForegroundFilter:threshold, or Otsu's method on each frame's histogram.
   */
  g_object_class_install_property (object_class, PROP_THRESHOLD_MODE,
      g_param_spec_enum ("threshold-mode", "Threshold mode",
          "Threshold selection: fixed, or from each frame's histogram", GST_TYPE_FOREGROUND_FILTER_THRESHOLD_MODE,
          default_foreground.mode, controlled));

  /**
   * GstForegroundFilter:threshold:
   *
   * Foreground threshold, inclusive: samples at or above it are foreground. In sample units: 0 to 255 for 8-bit formats
   * and the luma of RGB, 0 to 65535 for GRAY16, P010 (whose 10-bit samples are in the upper bits) and P016.
   */
  g_object_class_install_property (object_class, PROP_THRESHOLD,
      g_param_spec_uint ("threshold", "Threshold",
          "Foreground threshold, inclusive, in sample units: 0 to 255 for 8-bit formats and RGB, 0 to 65535 for 16-bit "
          "formats (threshold-mode=fixed)",
          0, MAX_THRESHOLD, default_foreground.threshold, controlled));

  /**
   * GstForegroundFilter:invert:
   *
   * Inverts the foreground: pixels below the threshold are foreground, in either threshold mode. Use it for dark
   * objects.
   */
  g_object_class_install_property (object_class, PROP_INVERT,
      g_param_spec_boolean ("invert", "Invert", "Inverted foreground: samples below the threshold (dark objects)",
          default_foreground.invert, controlled));

  /**
   * GstForegroundFilter:post-messages:
   *
   * Posts an element message with the totals of each frame. Its name is that of the element, and its fields are
   *
   * * #GstClockTime `timestamp`, `stream-time`, `running-time`, `duration`: times of the frame in nanoseconds,
   *   #GST_CLOCK_TIME_NONE if unknown; stream and running time are unknown if the segment is not in time.
   * * #gboolean `corrupted`, `interlaced`: flags of the frame, see #GstContoursResultFlags.
   * * #guint `count`: number of components or contours.
   * * #guint `threshold`: threshold applied, in sample units; with Otsu's method, the threshold found.
   * * further fields that each element documents.
   */
  g_object_class_install_property (object_class, PROP_POST_MESSAGES,
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message with the totals of each frame: count, threshold and others", FALSE, controlled));

  gst_type_mark_as_plugin_api (GST_TYPE_FOREGROUND_FILTER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_FOREGROUND_FILTER_THRESHOLD_MODE, 0);
}
