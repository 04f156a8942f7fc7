/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Installs the properties of cudacontouroverlay and registers their types. */
#include "gst/overlay/properties.h"

#include "gst/base/significantbits.h"

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_DRAW (gst_cuda_contour_overlay_draw_get_type ())
static GType
gst_cuda_contour_overlay_draw_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {OVERLAY_DRAW_FILL, "Filled areas of components, from their label image", "fill"},
      {OVERLAY_DRAW_CONTOURS, "Contours", "contours"},
      {OVERLAY_DRAW_CONTOUR_BOXES, "Bounding boxes of contours", "contour-boxes"},
      {OVERLAY_DRAW_COMPONENTS, "Bounding boxes of components", "components"},
      {OVERLAY_DRAW_REGIONS, "Regions of interest", "regions"},
      {OVERLAY_DRAW_CENTROIDS, "Centroids of components, and of contours with moments", "centroids"},
      {OVERLAY_DRAW_DETECTIONS, "Detections (GstAnalyticsODMtd), of GStreamer 1.24 and newer", "detections"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstCudaContourOverlayDraw", values));
  return type;
}

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_LABELS (gst_cuda_contour_overlay_labels_get_type ())
static GType
gst_cuda_contour_overlay_labels_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {OVERLAY_LABEL_INDEX, "Index of the contour, label of the component", "index"},
      {OVERLAY_LABEL_AREA, "Area, in pixels of the frame", "area"},
      {OVERLAY_LABEL_LEVEL, "Level of the contour", "level"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstCudaContourOverlayLabels", values));
  return type;
}

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_DIMENSIONS (gst_cuda_contour_overlay_dimensions_get_type ())
static GType
gst_cuda_contour_overlay_dimensions_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {OVERLAY_DIMENSION_FERET_MAX, "Greatest diameter of contours (features=feret)", "feret-max"},
      {OVERLAY_DIMENSION_FERET_MIN, "Least diameter of contours (features=feret)", "feret-min"},
      {OVERLAY_DIMENSION_CIRCLE, "Diameter of the smallest circle around contours (features=circle)", "circle"},
      {OVERLAY_DIMENSION_RECTANGLE, "Sides of the least rectangle around contours (features=rectangle)", "rectangle"},
      {OVERLAY_DIMENSION_REGIONS, "Dimensions that regions of interest have as parameters", "regions"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstCudaContourOverlayDimensions", values));
  return type;
}

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_COLOUR_BY (gst_cuda_contour_overlay_colour_by_get_type ())
static GType
gst_cuda_contour_overlay_colour_by_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_COLOUR_FIXED, "One colour: the color property", "fixed"},
      {CTR_COLOUR_ID, "Index of the object: seven colours in turn", "id"},
      {CTR_COLOUR_LEVEL, "Level of the contour: scale from dark blue to yellow", "level"},
      {CTR_COLOUR_DEPTH, "Nesting depth: scale from dark blue (outermost) to yellow (6 and deeper)", "depth"},
      {CTR_COLOUR_AREA, "Area: logarithmic scale from dark blue (one pixel) to yellow (the whole frame)", "area"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaContourOverlayColourBy", values));
  return type;
}

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_HOLES (gst_cuda_contour_overlay_holes_get_type ())
static GType
gst_cuda_contour_overlay_holes_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {OVERLAY_HOLES_DASHED, "Dashed lines", "dashed"},
      {OVERLAY_HOLES_SOLID, "Solid lines, as for outer contours", "solid"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaContourOverlayHoles", values));
  return type;
}

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_BACKGROUND (gst_cuda_contour_overlay_background_get_type ())
static GType
gst_cuda_contour_overlay_background_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {OVERLAY_BACKGROUND_FRAME, "The frame itself", "frame"},
      {OVERLAY_BACKGROUND_BLACK, "Black", "black"},
      {OVERLAY_BACKGROUND_WHITE, "White", "white"},
      {OVERLAY_BACKGROUND_TRANSPARENT, "Nothing: the format needs alpha (RGBA, BGRA, ARGB, ABGR)", "transparent"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaContourOverlayBackground", values));
  return type;
}

void
overlay_properties_install (GObjectClass *object_class)
{
  const GParamFlags changeable = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const GParamFlags controlled = changeable | GST_PARAM_CONTROLLABLE;

  /**
   * GstCudaContourOverlay:draw:
   *
   * Metadata to draw. Filled areas need a label image (labels=true on cudacca), centroids of contours need moments
   * (features=moments).
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_DRAW,
      g_param_spec_flags (
          "draw", "Draw", "Metadata to draw", GST_TYPE_CUDA_CONTOUR_OVERLAY_DRAW, OVERLAY_DEFAULT_DRAW, controlled));

  /**
   * GstCudaContourOverlay:color-by:
   *
   * Meaning of the colours. Components and regions of interest have neither level nor depth; with these two values they
   * are coloured by index.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_COLOUR_BY,
      g_param_spec_enum ("color-by", "Colour by", "Meaning of the colours", GST_TYPE_CUDA_CONTOUR_OVERLAY_COLOUR_BY,
          OVERLAY_DEFAULT_COLOUR_BY, controlled));

  /**
   * GstCudaContourOverlay:color:
   *
   * Colour of everything with color-by=fixed, as 0xAARRGGBB like in other elements. AA is ignored; see
   * #GstCudaContourOverlay:alpha.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_COLOUR,
      g_param_spec_uint ("color", "Colour", "Colour of everything with color-by=fixed, as 0xAARRGGBB; AA is ignored", 0,
          G_MAXUINT32, OVERLAY_DEFAULT_COLOUR, controlled));

  /**
   * GstCudaContourOverlay:max-level:
   *
   * Upper end of the scale of color-by=level, in sample units: this level and all above it are yellow. Set it for depth
   * maps, which often use only a part of the format's range: 10 m in millimetres are 10000 of 65535. 0: the largest
   * sample of the format, 255 or 65535.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_MAX_LEVEL,
      g_param_spec_uint ("max-level", "Maximum level",
          "Upper end of the scale of color-by=level, in sample units (0 = largest sample of the format)", 0, 65535,
          OVERLAY_DEFAULT_MAX_LEVEL, controlled));

  /**
   * GstCudaContourOverlay:thickness:
   *
   * Line thickness in pixels. Contours in pixel coordinates (cudaborders) are drawn along the pixel centres. Contours
   * in corner coordinates (cudacrackcontour) are centred on the pixel edges with an even thickness; with an odd one
   * they cover the outermost pixels of the region. Boxes are drawn inside their edges. 0: depends on the frame height,
   * 1 pixel for 240 lines, 2 for 540, 3 for 1080, 4 for 2160.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_THICKNESS,
      g_param_spec_uint ("thickness", "Thickness", "Line thickness in pixels (0 = depends on the frame size)", 0,
          CTR_PAINT_MAX_THICKNESS, OVERLAY_DEFAULT_THICKNESS, controlled));

  /**
   * GstCudaContourOverlay:alpha:
   *
   * Opacity of lines, boxes, centroids and labels, from 0 (invisible) to 1 (opaque).
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_ALPHA,
      g_param_spec_double (
          "alpha", "Alpha", "Opacity of lines, boxes, centroids and labels", 0, 1, OVERLAY_DEFAULT_ALPHA, controlled));

  /**
   * GstCudaContourOverlay:fill-alpha:
   *
   * Opacity of filled areas, from 0 (invisible) to 1 (opaque).
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_FILL_ALPHA,
      g_param_spec_double (
          "fill-alpha", "Fill alpha", "Opacity of filled areas", 0, 1, OVERLAY_DEFAULT_FILL_ALPHA, controlled));

  /**
   * GstCudaContourOverlay:min-area:
   *
   * Minimum area of what is drawn, in pixels of the frame. 0: no limit.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area",
          "Minimum area of what is drawn, in pixels of the frame (0 = no limit)", 0, G_MAXDOUBLE,
          OVERLAY_DEFAULT_MIN_AREA, controlled));

  /**
   * GstCudaContourOverlay:holes:
   *
   * Line style of holes.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_HOLES,
      g_param_spec_enum ("holes", "Holes", "Line style of holes", GST_TYPE_CUDA_CONTOUR_OVERLAY_HOLES,
          OVERLAY_DEFAULT_HOLES, controlled));

  /**
   * GstCudaContourOverlay:labels:
   *
   * Text of the labels. Regions of interest also show their type. Labels of contours copy the contour table from the
   * GPU, which takes time.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_LABELS,
      g_param_spec_flags (
          "labels", "Labels", "Text of the labels", GST_TYPE_CUDA_CONTOUR_OVERLAY_LABELS, 0, controlled));

  /**
   * GstCudaContourOverlay:legend:
   *
   * Shows a legend of the colour scale in the lower left corner, with color-by=level, depth and area. Areas are in
   * pixels.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_LEGEND,
      g_param_spec_boolean ("legend", "Legend",
          "Legend of the colour scale, in the lower left corner (color-by=level, depth, area)", OVERLAY_DEFAULT_LEGEND,
          controlled));

  /**
   * GstCudaContourOverlay:font-desc:
   *
   * Pango font description of labels and legend, such as "Sans Bold 14", as in the element textoverlay. Without a size
   * in it, the size depends on the frame height: 11 points for 540 lines, 16 for 1080.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_FONT,
      g_param_spec_string ("font-desc", "Font description",
          "Pango font description of labels and legend; the default size depends on the frame size",
          OVERLAY_DEFAULT_FONT, changeable));

  /**
   * GstCudaContourOverlay:significant-bits:
   *
   * Significant bits of GRAY16_LE samples, counted from the lowest: cameras with 10, 12 or 14 bits use that many. They
   * define white, and so the brightness of all colours. 0: automatic, from the frames that are drawn on, as for
   * #GstCudaCanny:significant-bits.
   */
  g_object_class_install_property (
      object_class, OVERLAY_PROP_SIGNIFICANT_BITS, significant_bits_property_new (controlled));

  /**
   * GstCudaContourOverlay:background:
   *
   * What the shapes are drawn on. With black, white and transparent the frame's own pixels are not seen: the picture
   * consists of the shapes alone. This holds for all frames, also for those without metadata. Black and white are those
   * of the frame's colorimetry. With transparent, lines that are not opaque keep their colour and have their alpha.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_BACKGROUND,
      g_param_spec_enum ("background", "Background", "What the shapes are drawn on",
          GST_TYPE_CUDA_CONTOUR_OVERLAY_BACKGROUND, OVERLAY_DEFAULT_BACKGROUND, controlled));

  /**
   * GstCudaContourOverlay:dimensions:
   *
   * Dimension lines with arrow heads and values, in #GstCudaContourOverlay:color. Values of contours are in units of their
   * calibration, or in pixels of the frame.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_DIMENSIONS,
      g_param_spec_flags ("dimensions", "Dimensions", "Dimension lines with arrow heads and values",
          GST_TYPE_CUDA_CONTOUR_OVERLAY_DIMENSIONS, 0, controlled));

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_BACKGROUND, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_DIMENSIONS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_DRAW, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_LABELS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_COLOUR_BY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_HOLES, 0);
}
