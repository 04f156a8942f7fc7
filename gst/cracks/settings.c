/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cracks/settings.h"

#include "gst/cracks/levels.h"

#include <gst/gst.h>

GType
gst_cuda_crack_contour_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_LEVELS_AT_LEAST, "Samples at or above a level: nested contours, as on a map", "ge"},
      {CTR_LEVELS_EQUAL, "Samples equal to a level: objects of a label image or mask", "eq"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCrackContourMode", values));
  return type;
}

GType
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

GType
gst_cuda_crack_contour_border_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_IMAGE_BORDER_PAD, "Everything outside the frame is background", "pad"},
      {CTR_IMAGE_BORDER_ZERO, "The outermost rows and columns of the frame are background, too", "zero"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCrackContourBorder", values));
  return type;
}

/* Of the features of GstContoursContourFeatures, those that this element has. */
GType
gst_cuda_crack_contour_features_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {CTR_CONTOUR_FEATURE_MOMENTS, "Moments: centroids", "moments"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    const GType features = g_flags_register_static ("GstCudaCrackContourFeatures", values);
    gst_type_mark_as_plugin_api (features, 0);
    g_once_init_leave (&type, features);
  }
  return type;
}

GType
gst_cuda_crack_contour_hierarchy_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_HIERARCHY_PER_LEVEL, "Contours of each level in one another", "per-level"},
      {CTR_HIERARCHY_LEVELS, "Contours of all levels in one another: a tree, with depth and persistence", "levels"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCrackContourHierarchy", values));
  return type;
}

GType
gst_cuda_crack_contour_trace_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CRACK_TRACE_FRAME, "The levels of the frame's samples", "frame"},
      {CRACK_TRACE_LABELS, "The labels of the label image that cudacca has attached", "labels"},
      {CRACK_TRACE_SEGMENTATION, "The regions of the masks in GstAnalyticsSegmentationMtd", "segmentation"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCrackContourTrace", values));
  return type;
}

void
crack_settings_install_trace (GObjectClass *object_class, guint id, GParamFlags flags)
{
  /**
   * GstCudaCrackContour:trace:
   *
   * What is traced: the levels of the frame's samples, the labels of the label image that cudacca with labels=true has
   * attached to the frame, or the regions of its masks. With "labels" the level of a contour is the label of its component, and
   * #GstCudaCrackContour:mode and the levels have no effect. Label 0, the background, has no contours. The labels are
   * read on the GPU, where cudacca has left them. Frames without a label image get no contours and a warning.
   *
   * With "segmentation" the masks are those that an element upstream, such as the decoder of a neural network, has attached as
   * GstAnalyticsSegmentationMtd, of GStreamer 1.26 and newer. The level of a contour is the value of its region's pixels, the
   * region's id. Pixels of value 0 are background. Each mask has metadata of its own, whose mapping places it in the frame.
   * #GstCudaCrackContour:mode and the levels have no effect.
   */
  g_object_class_install_property (object_class, id,
      g_param_spec_enum ("trace", "Trace",
          "What is traced: levels of the frame's samples, labels of its label image, or regions of its masks",
          GST_TYPE_CUDA_CRACK_CONTOUR_TRACE, CRACK_TRACE_FRAME, flags));
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_TRACE, 0);
}

void
crack_settings_install_tree (
    GObjectClass *object_class, guint hierarchy, guint min_persistence, guint max_depth, GParamFlags flags)
{
  CtrCracksParams defaults;

  ctr_cracks_params_init (&defaults);

  /**
   * GstCudaCrackContour:hierarchy:
   *
   * Which contours are nested in one another: those of each level, or those of all levels as one tree, where the parent
   * of a contour is the smallest contour of its own or the next lower level around it. With "levels", which needs "ge"
   * as #GstCudaCrackContour:mode, the metadata has the depth of each contour and the birth and death of its branch.
   */
  g_object_class_install_property (object_class, hierarchy,
      g_param_spec_enum ("hierarchy", "Hierarchy", "Which contours are nested in one another: those of a level, or all",
          GST_TYPE_CUDA_CRACK_CONTOUR_HIERARCHY, defaults.hierarchy, flags));

  /**
   * GstCudaCrackContour:min-persistence:
   *
   * Minimum persistence of a branch in sample units, with #GstCudaCrackContour:hierarchy "levels": contours of branches
   * with a smaller difference between their highest and lowest level are dropped. What was inside a dropped contour
   * becomes a child of the next remaining one around it. 0: no limit.
   */
  g_object_class_install_property (object_class, min_persistence,
      g_param_spec_uint ("min-persistence", "Minimum persistence",
          "With hierarchy=levels: minimum difference between the highest and lowest level of a contour's branch (0 = "
          "no "
          "limit)",
          0, CRACK_LEVELS_MAX, defaults.min_persistence, flags));

  /**
   * GstCudaCrackContour:max-depth:
   *
   * Maximum depth in the tree of all levels, with #GstCudaCrackContour:hierarchy "levels": contours with more contours
   * around them are dropped. -1: no limit.
   */
  g_object_class_install_property (object_class, max_depth,
      g_param_spec_int ("max-depth", "Maximum depth",
          "With hierarchy=levels: maximum number of contours around a contour in the tree (-1 = no limit)", -1,
          G_MAXINT, (gint) defaults.max_depth, flags));
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CRACK_CONTOUR_HIERARCHY, 0);
}

/* Of values that need the hierarchy over all levels. */
static gchar *
describe_hierarchy_error (const CtrCracksParams *params)
{
  if (params->hierarchy == CTR_HIERARCHY_LEVELS)
    return NULL;
  if (params->min_persistence > 0)
    return g_strdup_printf ("No contours: min-persistence=%u needs hierarchy=levels. Set hierarchy=levels or "
                            "min-persistence=0.",
        params->min_persistence);
  if (params->max_depth != CTR_CRACKS_ANY_DEPTH)
    return g_strdup_printf (
        "No contours: max-depth=%u needs hierarchy=levels. Set hierarchy=levels or max-depth=-1.", params->max_depth);
  return NULL;
}

gchar *
crack_settings_describe_error (const CtrCracksParams *params, gboolean has_list)
{
  if (!has_list && params->minimum > params->maximum)
    return g_strdup_printf ("No contours: min-level=%u is above max-level=%u. Lower min-level or raise max-level.",
        params->minimum, params->maximum);
  if (params->hierarchy == CTR_HIERARCHY_LEVELS && params->mode == CTR_LEVELS_EQUAL)
    return g_strdup ("No contours: hierarchy=levels needs mode=ge, since with mode=eq levels lie side by side. Set "
                     "mode=ge or hierarchy=per-level.");
  return describe_hierarchy_error (params);
}

gchar *
crack_settings_describe_label_error (const CtrCracksParams *params, gboolean has_labels)
{
  if (!has_labels)
    return g_strdup ("No contours: trace=labels needs a label image, and the frame has none. Put cudacca labels=true "
                     "before this element, or set trace=frame.");
  if (params->hierarchy == CTR_HIERARCHY_LEVELS)
    return g_strdup ("No contours: hierarchy=levels needs trace=frame, since labels and regions lie side by side. "
                     "Set trace=frame or hierarchy=per-level.");
  return describe_hierarchy_error (params);
}
