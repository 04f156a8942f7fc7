/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Longer than 500 lines: more than a quarter of them document and install the properties. */
/**
 * SECTION:element-cudacca
 * @title: cudacca
 * @short_description: Labels and measures the connected components of each frame
 *
 * Thresholds the luma (or grey) samples of each frame and attaches the connected components of the foreground to the
 * buffer as a #GstContoursComponentMeta: area, bounding box and centroid, and optionally second moments, grey-level
 * statistics and the label image. The picture stays unchanged.
 *
 * Components, their order and their labels are identical to those of OpenCV's connectedComponentsWithStats() with
 * CCL_WU, on the GPU and on the CPU. With #GstCudaCca:mode eq there is no threshold: neighbours with equal samples belong
 * together, as in scikit-image's label(). With "segmentation" they are those of the masks of a neural network.
 *
 * With #GstForegroundFilter:post-messages the element posts an element message "cudacca" for each frame. Its `count` is
 * the number of components. It adds the field
 *
 * * #guint64 `total-area`: total area of all components, in pixels.
 *
 * With #GstCudaCca:strip-mode the frames are strips of one endless picture, as of a line-scan camera. The message then has
 * the fields
 *
 * * #guint64 `first-row`: the row of the endless picture that the frame begins with.
 * * #guint `unfinished`: components that were open for more than #GstCudaCca:max-open-rows rows.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudacca post-messages=true !
 * fakesink
 * ]| Prints the number of components of each frame. Without a GPU it runs on the CPU.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudacca.h"

#include "gst/base/framemessage.h"
#include "gst/base/selectlist.h"
#include "gst/base/stripmode.h"

#include <gst/contours/gstcontours.h>

GST_DEBUG_CATEGORY_STATIC (gst_cuda_cca_debug);
#define GST_CAT_DEFAULT gst_cuda_cca_debug

/* What belongs to a component. */
typedef enum { CCA_FOREGROUND, CCA_EQUAL, CCA_SEGMENTATION } CcaMode;

struct _GstCudaCca {
  GstForegroundFilter parent;

  /* Properties, under the object lock; "labels" and "background-row" are features in params.features. */
  CtrCcaParams params; /* except its mode */
  CcaMode mode;
  gchar *select; /* the text of its limits */
  StripMode strip_mode;

  /* One of these while started. */
  CtrCca *cca;
  CtrComponentStrips *strips;
  uint32_t web_features; /* of the strips so far */
  gboolean in_web;       /* There is a strip. */
  CcaMode current;       /* of the current frame */
};

enum {
  PROP_0,
  PROP_MODE,
  PROP_BACKGROUND,
  PROP_CONNECTIVITY,
  PROP_MIN_AREA,
  PROP_MAX_AREA,
  PROP_FEATURES,
  PROP_RING_WIDTH,
  PROP_SELECT,
  PROP_LABELS,
  PROP_BACKGROUND_ROW,
  PROP_STRIP_MODE,
  PROP_MAX_OPEN_ROWS,
  PROP_ATTACHMENT /* and the IDs after it */
};

#define OPTIONAL_ROWS                                                                                              \
  (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED | CTR_FEATURE_CONTRAST \
      | CTR_FEATURE_SKELETON)

G_DEFINE_TYPE (GstCudaCca, gst_cuda_cca, GST_TYPE_FOREGROUND_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudacca, "cudacca", GST_RANK_NONE, GST_TYPE_CUDA_CCA,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_cca_debug, "cudacca", 0, "cudacca element"))

#define GST_TYPE_CUDA_CCA_MODE (gst_cuda_cca_mode_get_type ())
static GType
gst_cuda_cca_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CCA_FOREGROUND, "Foreground: samples at or above the threshold", "foreground"},
      {CCA_EQUAL, "Samples equal to one another: objects of a label image or mask", "eq"},
      {CCA_SEGMENTATION, "Regions of the masks in GstAnalyticsSegmentationMtd", "segmentation"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCcaMode", values));
  return type;
}

#define GST_TYPE_CUDA_CCA_CONNECTIVITY (gst_cuda_cca_connectivity_get_type ())
static GType
gst_cuda_cca_connectivity_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_CONNECTIVITY_4, "Pixels that share an edge", "4"},
      {CTR_CONNECTIVITY_8, "Pixels that share an edge or a corner", "8"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCcaConnectivity", values));
  return type;
}

#define GST_TYPE_CUDA_CCA_FEATURES (gst_cuda_cca_features_get_type ())
static GType
gst_cuda_cca_features_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {CTR_FEATURE_MOMENTS, "Second moments: orientation, axes and eccentricity", "moments"},
      {CTR_FEATURE_GREY, "Minimum, maximum, mean and standard deviation of the samples", "grey"},
      {CTR_FEATURE_PERCENTILES, "Percentiles 5, 25, 50 (median), 75 and 95 of the samples", "percentiles"},
      {CTR_FEATURE_INSCRIBED, "Largest inscribed circle: radius and centre", "inscribed"},
      {CTR_FEATURE_CONTRAST, "Mean of the samples around the component, and contrast to it; with grey", "contrast"},
      {CTR_FEATURE_SKELETON, "Skeleton: its length, its number of pixels, and the mean width along it", "skeleton"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstCudaCcaFeatures", values));
  return type;
}

static gboolean
gst_cuda_cca_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaCca *self = GST_CUDA_CCA (filter);
  StripMode mode;

  GST_OBJECT_LOCK (self);
  mode = self->strip_mode;
  GST_OBJECT_UNLOCK (self);
  gst_contours_filter_set_strips (filter, &mode);
  self->in_web = FALSE;
  if (mode.enabled)
    return (self->strips = ctr_component_strips_new (backend, mode.max_open_rows, error)) != NULL;
  return (self->cca = ctr_cca_new (backend, error)) != NULL;
}

static void
gst_cuda_cca_close (GstContoursFilter *filter)
{
  g_clear_pointer (&GST_CUDA_CCA (filter)->cca, ctr_cca_free);
  g_clear_pointer (&GST_CUDA_CCA (filter)->strips, ctr_component_strips_free);
}

/* All components of a web have the same features: others take effect with the next one. */
static CtrComponents *
find_in_strip (
    GstCudaCca *self, const CtrImage *image, CtrCcaParams *params, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  CtrComponents *components;

  if (self->in_web)
    params->features = self->web_features;
  if (gst_contours_filter_misses_rows (GST_CONTOURS_FILTER (self), buffer))
    ctr_component_strips_cut (self->strips);
  components = ctr_component_strips_submit (self->strips, image, params, stream, error);
  self->in_web = components != NULL;
  self->web_features = params->features;
  return components;
}

static CtrComponents *
gst_cuda_cca_find_components (
    GstContoursFilter *filter, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstCudaCca *self = GST_CUDA_CCA (filter);
  CtrCcaParams params;

  GST_OBJECT_LOCK (self);
  params = self->params;
  GST_OBJECT_UNLOCK (self);
  if (!gst_foreground_filter_get_foreground (GST_FOREGROUND_FILTER (self), image, buffer, &params.foreground, error))
    return NULL;
  params.mode = self->current == CCA_FOREGROUND ? CTR_COMPONENTS_FOREGROUND : CTR_COMPONENTS_EQUAL;
  if (self->current == CCA_SEGMENTATION) {
    CtrCcaParams defaults;

    ctr_cca_params_init (&defaults);
    params.foreground = defaults.foreground;
    params.background = 0;
  }
  if (self->strips)
    return find_in_strip (self, image, &params, buffer, stream, error);
  return ctr_cca_submit (self->cca, image, &params, stream, error);
}

static CcaMode
get_mode (GstCudaCca *self)
{
  CcaMode mode;

  GST_OBJECT_LOCK (self);
  mode = self->mode;
  GST_OBJECT_UNLOCK (self);
  return mode;
}

/* Decides what belongs to components in the frame: the property may change between its masks. */
static gboolean
gst_cuda_cca_takes_masks (GstContoursFilter *filter)
{
  GstCudaCca *self = GST_CUDA_CCA (filter);

  self->current = get_mode (self);
  return self->current == CCA_SEGMENTATION;
}

static gboolean
gst_cuda_cca_needs_pixels (GstContoursFilter *filter)
{
  return get_mode (GST_CUDA_CCA (filter)) != CCA_SEGMENTATION;
}

static gboolean
gst_cuda_cca_needs_foreground (GstContoursFilter *filter, CtrForeground *foreground)
{
  return get_mode (GST_CUDA_CCA (filter)) == CCA_FOREGROUND
         && GST_CONTOURS_FILTER_CLASS (gst_cuda_cca_parent_class)->needs_foreground (filter, foreground);
}

static gboolean
gst_cuda_cca_settle (GstContoursFilter *filter, CtrError *error)
{
  GstCudaCca *self = GST_CUDA_CCA (filter);

  return self->strips ? ctr_component_strips_settle (self->strips, error) : ctr_cca_settle (self->cca, error);
}

static gboolean
gst_cuda_cca_end_components (GstContoursFilter *filter, CtrComponents **components, CtrError *error)
{
  GST_CUDA_CCA (filter)->in_web = FALSE;
  return ctr_component_strips_finish (GST_CUDA_CCA (filter)->strips, components, error);
}

static void
gst_cuda_cca_drop_web (GstContoursFilter *filter)
{
  GST_CUDA_CCA (filter)->in_web = FALSE;
  ctr_component_strips_drop (GST_CUDA_CCA (filter)->strips);
}

static void
post_strip_message (GstContoursFilter *filter, GstBuffer *buffer, const CtrComponents *components, guint64 total_area)
{
  GstContoursComponentMeta *meta = gst_buffer_get_contours_component_meta_by_source (buffer, GST_OBJECT_NAME (filter));

  frame_message_post (filter, buffer, "cudacca", "count", G_TYPE_UINT, components->count, "threshold", G_TYPE_UINT,
      components->threshold, "total-area", G_TYPE_UINT64, total_area, "first-row", G_TYPE_UINT64,
      gst_contours_component_meta_get_first_row (meta), "unfinished", G_TYPE_UINT, components->unfinished, NULL);
}

static void
gst_cuda_cca_report_components (GstContoursFilter *filter, GstBuffer *buffer, CtrComponents *components)
{
  guint64 total_area = 0;

  if (!gst_foreground_filter_get_post_messages (GST_FOREGROUND_FILTER (filter))
      || !ctr_components_wait (components, NULL))
    return;
  for (guint i = 0; i < components->count; i++)
    total_area += components->table[i].area;
  if (GST_CUDA_CCA (filter)->strips) {
    post_strip_message (filter, buffer, components, total_area);
    return;
  }
  frame_message_post (filter, buffer, "cudacca", "count", G_TYPE_UINT, components->count, "threshold", G_TYPE_UINT,
      components->threshold, "total-area", G_TYPE_UINT64, total_area, NULL);
}

static void
set_features (GstCudaCca *self, guint mask, guint features)
{
  self->params.features = (self->params.features & ~mask) | (features & mask);
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (PROP_MODE, GstCudaCca, mode),
    PROPERTY_FIELD (PROP_BACKGROUND, GstCudaCca, params.background),
    PROPERTY_FIELD (PROP_CONNECTIVITY, GstCudaCca, params.connectivity),
    PROPERTY_FIELD (PROP_MIN_AREA, GstCudaCca, params.min_area),
    PROPERTY_FIELD (PROP_MAX_AREA, GstCudaCca, params.max_area),
    PROPERTY_FIELD (PROP_RING_WIDTH, GstCudaCca, params.ring_width),
    STRIP_MODE_FIELDS (PROP_STRIP_MODE, PROP_MAX_OPEN_ROWS, GstCudaCca, strip_mode),
    {0},
};

static void
gst_cuda_cca_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaCca *self = GST_CUDA_CCA (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_FEATURES:
      set_features (self, OPTIONAL_ROWS, g_value_get_flags (value));
      break;
    case PROP_SELECT:
      gst_foreground_filter_add_problem (GST_FOREGROUND_FILTER (self),
          select_set (g_value_get_string (value), ctr_component_number_name, &self->params.select, &self->select));
      break;
    case PROP_LABELS:
      set_features (self, CTR_FEATURE_LABELS, g_value_get_boolean (value) ? CTR_FEATURE_LABELS : 0);
      break;
    case PROP_BACKGROUND_ROW:
      set_features (self, CTR_FEATURE_BACKGROUND, g_value_get_boolean (value) ? CTR_FEATURE_BACKGROUND : 0);
      break;
    default:
      if (!property_fields_set (fields, self, id, value)
          && !gst_contours_filter_set_attachment (GST_CONTOURS_FILTER (object), value, pspec))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_cca_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaCca *self = GST_CUDA_CCA (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_FEATURES:
      g_value_set_flags (value, self->params.features & OPTIONAL_ROWS);
      break;
    case PROP_SELECT:
      g_value_set_string (value, self->select);
      break;
    case PROP_LABELS:
      g_value_set_boolean (value, (self->params.features & CTR_FEATURE_LABELS) != 0);
      break;
    case PROP_BACKGROUND_ROW:
      g_value_set_boolean (value, (self->params.features & CTR_FEATURE_BACKGROUND) != 0);
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
gst_cuda_cca_finalize (GObject *object)
{
  g_free (GST_CUDA_CCA (object)->select);
  G_OBJECT_CLASS (gst_cuda_cca_parent_class)->finalize (object);
}

static void
gst_cuda_cca_init (GstCudaCca *self)
{
  self->select = g_strdup ("");
  ctr_cca_params_init (&self->params);
  self->strip_mode = (StripMode) STRIP_MODE_DEFAULT;
}

static void
gst_cuda_cca_class_init (GstCudaCcaClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);
  const GParamFlags live = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controlled = live | GST_PARAM_CONTROLLABLE;
  CtrCcaParams defaults;

  ctr_cca_params_init (&defaults);
  object_class->set_property = gst_cuda_cca_set_property;
  object_class->get_property = gst_cuda_cca_get_property;
  object_class->finalize = gst_cuda_cca_finalize;

  /**
   * GstCudaCca:mode:
   *
   * What belongs to a component: foreground pixels, or pixels with equal samples. With eq the properties of the threshold
   * have no effect.
   *
   * With segmentation it is pixels with equal values, except 0, in the masks that an element upstream, such as the decoder of a
   * neural network, has attached as GstAnalyticsSegmentationMtd, of GStreamer 1.26 and newer. The value of a component is its
   * region's id. Each mask has metadata of its own, whose mapping places it in the frame. Threshold, regions and
   * #GstCudaCca:background have no effect, and grey values are those of the mask.
   */
  g_object_class_install_property (object_class, PROP_MODE,
      g_param_spec_enum ("mode", "Mode", "What belongs to a component: foreground, or pixels with equal samples",
          GST_TYPE_CUDA_CCA_MODE, CCA_FOREGROUND, controlled));

  /**
   * GstCudaCca:background:
   *
   * Sample of the pixels that belong to no component with #GstCudaCca:mode eq. -1: none, every pixel is in a component.
   */
  g_object_class_install_property (object_class, PROP_BACKGROUND,
      g_param_spec_int ("background", "Background", "Sample of the background (mode=eq; -1 = no background)",
          CTR_CCA_NO_BACKGROUND, G_MAXUINT16, defaults.background, controlled));

  /**
   * GstCudaCca:connectivity:
   *
   * Connectivity of a component's pixels: 4 (shared edge) or 8 (shared edge or corner).
   */
  g_object_class_install_property (object_class, PROP_CONNECTIVITY,
      g_param_spec_enum ("connectivity", "Connectivity", "Connectivity of a component's pixels: 4 or 8 neighbours",
          GST_TYPE_CUDA_CCA_CONNECTIVITY, defaults.connectivity, controlled));

  /**
   * GstCudaCca:min-area:
   *
   * Minimum component area in pixels; smaller components are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MIN_AREA,
      g_param_spec_uint ("min-area", "Minimum area", "Minimum component area in pixels (0 = no limit)", 0, G_MAXUINT32,
          defaults.min_area, controlled));

  /**
   * GstCudaCca:max-area:
   *
   * Maximum component area in pixels; larger components are dropped. 0: no limit.
   */
  g_object_class_install_property (object_class, PROP_MAX_AREA,
      g_param_spec_uint ("max-area", "Maximum area", "Maximum component area in pixels (0 = no limit)", 0, G_MAXUINT32,
          defaults.max_area, controlled));

  /**
   * GstCudaCca:features:
   *
   * Optional measurements of each component, in addition to area, bounding box and centroid.
   */
  g_object_class_install_property (object_class, PROP_FEATURES,
      g_param_spec_flags ("features", "Features",
          "Optional measurements, in addition to area, bounding box and centroid", GST_TYPE_CUDA_CCA_FEATURES,
          defaults.features & OPTIONAL_ROWS, live));

  /**
   * GstCudaCca:ring-width:
   *
   * With `features=contrast`: how far pixels of a component's ring may be away from it, in pixels.
   */
  g_object_class_install_property (object_class, PROP_RING_WIDTH,
      g_param_spec_uint ("ring-width", "Ring width",
          "With features=contrast: width of the ring around components in pixels", 1, CTR_CCA_MOST_RING_WIDTH,
          defaults.ring_width, controlled));

  /**
   * GstCudaCca:select:
   *
   * Limits on the numbers of a component: items name:minimum:maximum between commas, such as "area:200:5000, eccentricity:0.8:".
   * One end may be empty; both belong to the range. A component outside one of them is dropped as by #GstCudaCca:min-area. A
   * number that is not defined is within no limits. Names are area, x, y, width, height, cx, cy, major-axis, minor-axis,
   * eccentricity, min, max, mean, std, value, p5, p25, median, p75, p95, inscribed-radius,
   * inscribed-x, inscribed-y, ring-mean, contrast, skeleton-length, skeleton-width and skeleton-pixels. The features that they need are computed, too.
   */
  g_object_class_install_property (object_class, PROP_SELECT, select_property_new (live));

  /**
   * GstCudaCca:labels:
   *
   * Attaches the label image: each pixel holds the label of its component, 0 for background.
   */
  g_object_class_install_property (object_class, PROP_LABELS,
      g_param_spec_boolean ("labels", "Labels", "Attach the label image, 4 bytes for each pixel",
          (defaults.features & CTR_FEATURE_LABELS) != 0, controlled));

  /**
   * GstCudaCca:background-row:
   *
   * Measures the pixels that are in no component, too: row 0 of OpenCV's connectedComponentsWithStats().
   */
  g_object_class_install_property (object_class, PROP_BACKGROUND_ROW,
      g_param_spec_boolean ("background-row", "Background row", "Measure the background, too",
          (defaults.features & CTR_FEATURE_BACKGROUND) != 0, controlled));

  strip_mode_install_properties (object_class, PROP_STRIP_MODE, PROP_MAX_OPEN_ROWS);
  gst_contours_filter_install_attachment (object_class, PROP_ATTACHMENT, TRUE);

  gst_element_class_set_static_metadata (element_class, "CUDA connected components", "Filter/Analyzer/Video/Hardware",
      "Labels and measures connected components on the GPU or CPU and attaches them as metadata",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_cca_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_cca_close);
  filter_class->find_components = GST_DEBUG_FUNCPTR (gst_cuda_cca_find_components);
  filter_class->needs_foreground = GST_DEBUG_FUNCPTR (gst_cuda_cca_needs_foreground);
  filter_class->needs_pixels = GST_DEBUG_FUNCPTR (gst_cuda_cca_needs_pixels);
  filter_class->takes_masks = GST_DEBUG_FUNCPTR (gst_cuda_cca_takes_masks);
  filter_class->settle = GST_DEBUG_FUNCPTR (gst_cuda_cca_settle);
  filter_class->end_components = GST_DEBUG_FUNCPTR (gst_cuda_cca_end_components);
  filter_class->drop_web = GST_DEBUG_FUNCPTR (gst_cuda_cca_drop_web);
  filter_class->report_components = GST_DEBUG_FUNCPTR (gst_cuda_cca_report_components);

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CCA_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CCA_CONNECTIVITY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CCA_FEATURES, 0);
}
