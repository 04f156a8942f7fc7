/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cracks/settings.h"

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

gchar *
crack_settings_describe_error (const CtrCracksParams *params, gboolean has_list)
{
  if (!has_list && params->minimum > params->maximum)
    return g_strdup_printf ("No contours: min-level=%u is above max-level=%u. Lower min-level or raise max-level.",
        params->minimum, params->maximum);
  if (params->hierarchy == CTR_HIERARCHY_LEVELS && params->mode == CTR_LEVELS_EQUAL)
    return g_strdup ("No contours: hierarchy=levels needs mode=ge, since with mode=eq levels lie side by side. Set "
                     "mode=ge or hierarchy=per-level.");
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
