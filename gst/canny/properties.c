/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/canny/properties.h"

#include <contours/canny.h>
#include <contours/subpixel.h>

GType
gst_cuda_canny_threshold_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_CANNY_ABSOLUTE, "Values of low-threshold and high-threshold", "absolute"},
      {CTR_CANNY_OTSU, "High: Otsu's threshold of each frame; low: half of it", "otsu"},
      {CTR_CANNY_MEDIAN, "0.67 (low) and 1.33 (high) times the median of each frame", "median"},
      {CTR_CANNY_RELATIVE, "Shares low-share and high-share of each frame's greatest gradient", "relative"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCannyThresholdMode", values));
  return type;
}

GType
gst_cuda_canny_depth_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {DEPTH_8_BIT, "The upper 8 significant bits of each sample", "8-bit"},
      {DEPTH_NATIVE, "All bits of each sample", "native"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCannyDepth", values));
  return type;
}

GType
gst_cuda_canny_output_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {OUTPUT_EDGES, "White edges on black", "edges"},
      {OUTPUT_MASK, "The frame's own pixels on edges, black elsewhere", "mask"},
      {OUTPUT_GRADIENT, "The gradient magnitude as grey levels", "gradient"},
      {OUTPUT_DIRECTION, "The direction of gradients above the low threshold, as four grey levels", "direction"},
      {OUTPUT_CANDIDATES, "The candidates before hysteresis: strong ones white, weak ones grey", "candidates"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCannyOutput", values));
  return type;
}

GType
gst_cuda_canny_subpixel_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_SUBPIXEL_NONE, "Points are pixels", "none"},
      {CTR_SUBPIXEL_EDGE, "Where the gradient of the smoothed frame is greatest", "edge"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaCannySubpixel", values));
  return type;
}
