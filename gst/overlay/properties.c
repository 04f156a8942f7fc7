/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/properties.h"

#include "gst/base/significantbits.h"

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_DRAW (gst_cuda_contour_overlay_draw_get_type ())
static GType
gst_cuda_contour_overlay_draw_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {OVERLAY_DRAW_FILL, "Areas of components that come with a label image", "fill"},
      {OVERLAY_DRAW_CONTOURS, "Contours", "contours"},
      {OVERLAY_DRAW_CONTOUR_BOXES, "Bounding boxes of contours", "contour-boxes"},
      {OVERLAY_DRAW_COMPONENTS, "Bounding boxes of components", "components"},
      {OVERLAY_DRAW_REGIONS, "Regions of interest", "regions"},
      {OVERLAY_DRAW_CENTROIDS, "Centroids of components, and of contours that come with moments", "centroids"},
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
      {OVERLAY_LABEL_INDEX, "Number of the contour, label of the component", "index"},
      {OVERLAY_LABEL_AREA, "Area in pixels of the frame", "area"},
      {OVERLAY_LABEL_LEVEL, "Level of the contour", "level"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstCudaContourOverlayLabels", values));
  return type;
}

#define GST_TYPE_CUDA_CONTOUR_OVERLAY_COLOUR_BY (gst_cuda_contour_overlay_colour_by_get_type ())
static GType
gst_cuda_contour_overlay_colour_by_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {CTR_COLOUR_FIXED, "The color property for all", "fixed"},
      {CTR_COLOUR_ID, "Seven colours in turn", "id"},
      {CTR_COLOUR_LEVEL, "Scale of levels, dark blue to yellow", "level"},
      {CTR_COLOUR_DEPTH, "Scale of nesting, dark blue (outermost) to yellow (six deep and more)", "depth"},
      {CTR_COLOUR_AREA, "Logarithmic scale of areas, dark blue (a pixel) to yellow (the frame)", "area"},
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
      {OVERLAY_HOLES_SOLID, "Solid lines, as around outsides", "solid"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstCudaContourOverlayHoles", values));
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
   * What is drawn. Areas are filled where components come with a label image (labels=true on cudacca); contours
   * have centroids where they come with moments (features=moments).
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_DRAW,
      g_param_spec_flags (
          "draw", "Draw", "What is drawn", GST_TYPE_CUDA_CONTOUR_OVERLAY_DRAW, OVERLAY_DEFAULT_DRAW, controlled));

  /**
   * GstCudaContourOverlay:color-by:
   *
   * What colours mean. Components and regions of interest, which have neither levels nor nesting, go by their numbers
   * where those are asked for.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_COLOUR_BY,
      g_param_spec_enum ("color-by", "Colour by", "What colours mean", GST_TYPE_CUDA_CONTOUR_OVERLAY_COLOUR_BY,
          OVERLAY_DEFAULT_COLOUR_BY, controlled));

  /**
   * GstCudaContourOverlay:color:
   *
   * The one colour of color-by=fixed, 0xAARRGGBB as in other elements; of its alpha the alpha property takes the place.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_COLOUR,
      g_param_spec_uint ("color", "Colour", "Colour of all with color-by=fixed, 0xAARRGGBB; AA is ignored", 0,
          G_MAXUINT32, OVERLAY_DEFAULT_COLOUR, controlled));

  /**
   * GstCudaContourOverlay:max-level:
   *
   * Where the scale of color-by=level ends, in sample units: this level and those above it are yellow. Depth maps often
   * use a small part of what their format can hold: a camera that counts millimetres sees no farther than some 10000 of
   * 65535. 0: the format's largest sample, 255 or 65535.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_MAX_LEVEL,
      g_param_spec_uint ("max-level", "Maximum level",
          "Level that ends the scale of color-by=level, in sample units (0 = the largest of the format)", 0, 65535,
          OVERLAY_DEFAULT_MAX_LEVEL, controlled));

  /**
   * GstCudaContourOverlay:thickness:
   *
   * Of lines. Contours of pixels (cudaborders) are drawn along the pixels' centres. Contours of corners
   * (cudacrackcontour) with an even thickness lie between the pixels, half on either side; with an odd one they cover
   * the region's own outermost pixels. Boxes are drawn inside their edges. 0 fits the frame: 1 pixel in one of 240
   * lines, 2 of 540, 3 of 1080, 4 of 2160.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_THICKNESS,
      g_param_spec_uint ("thickness", "Thickness", "Thickness of lines in pixels (0 = fits the frame)", 0,
          CTR_PAINT_MAX_THICKNESS, OVERLAY_DEFAULT_THICKNESS, controlled));

  /**
   * GstCudaContourOverlay:alpha:
   *
   * Of everything but filled areas.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_ALPHA,
      g_param_spec_double (
          "alpha", "Alpha", "Opacity of lines, boxes, marks and labels", 0, 1, OVERLAY_DEFAULT_ALPHA, controlled));

  /**
   * GstCudaContourOverlay:fill-alpha:
   *
   * Of filled areas.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_FILL_ALPHA,
      g_param_spec_double (
          "fill-alpha", "Fill alpha", "Opacity of filled areas", 0, 1, OVERLAY_DEFAULT_FILL_ALPHA, controlled));

  /**
   * GstCudaContourOverlay:min-area:
   *
   * What is smaller is not drawn.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_MIN_AREA,
      g_param_spec_double ("min-area", "Minimum area", "Smaller things are not drawn, in pixels of the frame", 0,
          G_MAXDOUBLE, OVERLAY_DEFAULT_MIN_AREA, controlled));

  /**
   * GstCudaContourOverlay:holes:
   *
   * How contours around holes are drawn.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_HOLES,
      g_param_spec_enum ("holes", "Holes", "How contours around holes are drawn", GST_TYPE_CUDA_CONTOUR_OVERLAY_HOLES,
          OVERLAY_DEFAULT_HOLES, controlled));

  /**
   * GstCudaContourOverlay:labels:
   *
   * What is written beside each thing drawn; regions of interest also get the name of their type. For labels of
   * contours their table is fetched from the GPU.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_LABELS,
      g_param_spec_flags ("labels", "Labels", "What is written beside each thing that is drawn",
          GST_TYPE_CUDA_CONTOUR_OVERLAY_LABELS, 0, controlled));

  /**
   * GstCudaContourOverlay:legend:
   *
   * What the colours stand for, in the lower left corner of the frames that are drawn on; with color-by=level, depth
   * and area. Areas are in pixels.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_LEGEND,
      g_param_spec_boolean ("legend", "Legend", "What the colours of a scale stand for, in the corner",
          OVERLAY_DEFAULT_LEGEND, controlled));

  /**
   * GstCudaContourOverlay:font-desc:
   *
   * Pango font description of labels and legend, as the element textoverlay takes it, such as "Sans Bold 14". Without a
   * size it fits the frame: 11 points in one of 540 lines, 16 of 1080.
   */
  g_object_class_install_property (object_class, OVERLAY_PROP_FONT,
      g_param_spec_string ("font-desc", "Font description",
          "Pango font description of labels and legend; without a size it fits the frame", OVERLAY_DEFAULT_FONT,
          changeable));

  /**
   * GstCudaContourOverlay:significant-bits:
   *
   * How many lower bits of its GRAY16_LE samples the source uses: cameras of 10, 12 and 14 bits use that many. Colours
   * are as bright as white is in these bits. 0 finds out from the frames that are drawn on, as
   * #GstCudaCanny:significant-bits does.
   */
  g_object_class_install_property (
      object_class, OVERLAY_PROP_SIGNIFICANT_BITS, significant_bits_property_new (controlled));

  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_DRAW, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_LABELS, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_COLOUR_BY, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_CUDA_CONTOUR_OVERLAY_HOLES, 0);
}
