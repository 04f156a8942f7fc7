/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudacontouroverlay
 * @title: cudacontouroverlay
 * @short_description: Draws contours, components and regions of interest onto the frames
 *
 * Draws the metadata of each frame onto the frame, in place: the contours of #GstContoursContourMeta, from any element,
 * the components of #GstContoursComponentMeta and the boxes of #GstVideoRegionOfInterestMeta and, with GStreamer 1.24 and
 * newer, GstAnalyticsODMtd. #GstCudaContourOverlay:draw selects what is drawn.
 *
 * The GPU draws onto frames in CUDA memory and reads contours that are in GPU memory, without a copy. The element
 * pushes the frame before the GPU has finished; the work of later elements is ordered after the drawing. The CPU draws
 * onto frames in system memory, whatever the backend. The pixels are identical. The cost is proportional to the number
 * of pixels drawn. A frame without anything to draw passes untouched. With #GstCudaContourOverlay:background black,
 * white or transparent, the picture consists of the drawing alone.
 *
 * The drawing order is areas, lines, boxes, centroids, labels. No pixel is painted twice, so a transparent line is not
 * darker where it crosses itself.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudaborders !
 * cudacontouroverlay thickness=3 labels=area ! videoconvert ! autovideosink
 * ]| Shows the ball with its contour and area.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudacontouroverlay.h"

#include "gst/base/detections.h"
#include "gst/base/propertyfields.h"
#include "gst/base/significantbits.h"
#include "gst/overlay/colours.h"
#include "gst/overlay/layers.h"
#include "gst/overlay/properties.h"

GST_DEBUG_CATEGORY_STATIC (gst_cuda_contour_overlay_debug);
#define GST_CAT_DEFAULT gst_cuda_contour_overlay_debug

struct _GstCudaContourOverlay {
  GstContoursFilter parent;

  /* Properties, under the object lock. */
  OverlayStyle style;
  gdouble alpha, fill_alpha;
  gchar *font;
  guint significant_bits; /* 0: automatic */

  OverlayBackground background; /* of the current frame: whether its pixels were copied depends on it */
  CtrPainter *painters[2];      /* by CtrBackend, while started; that of the CPU only if needed */
  CtrPainter *drawing;          /* the painter that has a frame queued, or NULL */
  OverlayLayers layers;
  CtrPaintColour colours[CTR_PAINT_COLOURS]; /* for frames of colours_format; NULL: not filled yet */
  const GstVideoFormatInfo *colours_format;
  GstVideoColorimetry colorimetry;
  guint colours_fixed;
  guint colours_bits;
  OverlayText *text; /* for text_font and text_points; NULL until needed */
  gchar *text_font;
  guint text_points;
  gboolean warned_labels, warned_moments, warned_left_out, warned_detections;
};

G_DEFINE_TYPE (GstCudaContourOverlay, gst_cuda_contour_overlay, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudacontouroverlay, "cudacontouroverlay", GST_RANK_NONE,
    GST_TYPE_CUDA_CONTOUR_OVERLAY,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_contour_overlay_debug, "cudacontouroverlay", 0, "cudacontouroverlay element"))

static gboolean
gst_cuda_contour_overlay_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);

  self->warned_labels = self->warned_moments = self->warned_left_out = self->warned_detections = FALSE;
  self->painters[backend] = ctr_painter_new (backend, error);
  return self->painters[backend] != NULL;
}

static void
gst_cuda_contour_overlay_close (GstContoursFilter *filter)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);

  for (guint i = 0; i < G_N_ELEMENTS (self->painters); i++)
    g_clear_pointer (&self->painters[i], ctr_painter_free);
  overlay_layers_reset (&self->layers);
}

/* gst-launch-1.0 prints only the debug part of a warning, so both parts have the text. */
static void
warn_once (GstCudaContourOverlay *self, guint count, gboolean *warned, const gchar *text)
{
  if (count == 0 || *warned)
    return;
  *warned = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED, ("%s", text), ("%s", text));
}

static gboolean
gst_cuda_contour_overlay_needs_drawing (GstContoursFilter *filter, GstBuffer *buffer)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);
  OverlayStyle style;

  GST_OBJECT_LOCK (self);
  style = self->style;
  GST_OBJECT_UNLOCK (self);
  self->background = style.background;
  warn_once (self, (style.draw & OVERLAY_DRAW_DETECTIONS) && !detections_are_supported (), &self->warned_detections,
      "Detections cannot be drawn: draw=detections needs " DETECTIONS_NEED ". Draw regions of interest instead.");
  return overlay_layers_wanted (buffer, &style);
}

static gboolean
gst_cuda_contour_overlay_replaces_pixels (GstContoursFilter *filter)
{
  return GST_CUDA_CONTOUR_OVERLAY (filter)->background != OVERLAY_BACKGROUND_FRAME;
}

/* Makes self->text match FONT (transfer full) in POINTS, which is the size if FONT has none. */
static gboolean
prepare_text (GstCudaContourOverlay *self, gchar *font, guint points, CtrError *error)
{
  if (g_strcmp0 (font, self->text_font) != 0 || points != self->text_points) {
    g_clear_pointer (&self->text, overlay_text_free);
    g_free (self->text_font);
    self->text_font = font;
    self->text_points = points;
  } else {
    g_free (font);
  }
  if (!self->text)
    self->text = overlay_text_new (self->text_font, points, error);
  return self->text != NULL;
}

static void
warn (GstCudaContourOverlay *self)
{
  warn_once (self, self->layers.without_labels, &self->warned_labels,
      "Components cannot be filled without a label image. Set labels=true on cudacca.");
  warn_once (self, self->layers.without_centroids, &self->warned_moments,
      "Centroids of contours cannot be drawn without moments. Set features=moments on the element that finds the "
      "contours.");
  warn_once (self, self->layers.left_out, &self->warned_left_out,
      "Some metadata is not drawn: a frame has too many metas, or they are too far outside it. Draw less (property "
      "draw).");
}

/* The colour table for frames like INFO whose 16-bit samples have BITS significant bits. COLOUR is the fixed colour. */
static const CtrPaintColour *
get_colours (GstCudaContourOverlay *self, const GstVideoInfo *info, guint bits, guint colour)
{
  if (self->colours_format != info->finfo || self->colours_fixed != colour || self->colours_bits != bits
      || !gst_video_colorimetry_is_equal (&self->colorimetry, &info->colorimetry)) {
    overlay_colours_fill (self->colours, info, bits, colour);
    self->colours_format = info->finfo;
    self->colorimetry = info->colorimetry;
    self->colours_fixed = colour;
    self->colours_bits = bits;
  }
  return self->colours;
}

static gboolean
gst_cuda_contour_overlay_draw (GstContoursFilter *filter, const CtrImage *image, GstVideoFrame *frame,
    GstBuffer *buffer, gpointer stream, CtrError *error)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);
  const CtrBackend backend = image->memory == CTR_MEMORY_DEVICE ? CTR_BACKEND_CUDA : CTR_BACKEND_CPU;
  const CtrPaintColour *colours;
  CtrPaintPicture picture;
  OverlayStyle style;
  gchar *font = NULL;
  gboolean has_text;
  guint bits;

  GST_OBJECT_LOCK (self);
  style = self->style;
  style.alpha = (guint8) (self->alpha * 255 + 0.5);
  style.fill_alpha = (guint8) (self->fill_alpha * 255 + 0.5);
  bits = self->significant_bits;
  has_text = overlay_style_has_text (&style);
  if (has_text)
    font = g_strdup (self->font ? self->font : OVERLAY_DEFAULT_FONT);
  GST_OBJECT_UNLOCK (self);

  if (style.thickness == 0)
    style.thickness = overlay_fitting_thickness (&frame->info);
  if (has_text && !prepare_text (self, font, overlay_fitting_points (&frame->info), error))
    return FALSE;
  if (!self->painters[backend] && !(self->painters[backend] = ctr_painter_new (backend, error)))
    return FALSE;
  if (!overlay_layers_build (&self->layers, buffer, &frame->info, &style, has_text ? self->text : NULL, error))
    return FALSE;
  if (!gst_contours_filter_follow_readers (
          filter, buffer, stream, self->layers.contours, self->layers.components, error))
    return FALSE;
  warn (self);
  bits = gst_contours_filter_get_significant_bits (filter, image, bits);
  colours = get_colours (self, &frame->info, bits, style.colour);
  overlay_picture_init (&picture, frame, image->memory);
  if (!overlay_picture_set_background (&picture, &frame->info, self->background, colours, error))
    return FALSE;
  /* Even without a layer: readers must come after the copy of the frame, which may be queued on the stream. */
  if (!ctr_painter_enqueue (self->painters[backend], &picture, (const CtrPaintLayer *) self->layers.layers->data,
          self->layers.layers->len, colours, stream, error))
    return FALSE;
  self->drawing = self->painters[backend];
  return TRUE;
}

static gboolean
gst_cuda_contour_overlay_finish (GstContoursFilter *filter, CtrError *error)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);
  gboolean ok = !self->drawing || ctr_painter_finish (self->drawing, error);

  self->drawing = NULL;
  overlay_layers_reset (&self->layers);
  return ok;
}

static const PropertyField fields[] = {
    PROPERTY_FIELD (OVERLAY_PROP_BACKGROUND, GstCudaContourOverlay, style.background),
    PROPERTY_FIELD (OVERLAY_PROP_DRAW, GstCudaContourOverlay, style.draw),
    PROPERTY_FIELD (OVERLAY_PROP_COLOUR_BY, GstCudaContourOverlay, style.colour_by),
    PROPERTY_FIELD (OVERLAY_PROP_COLOUR, GstCudaContourOverlay, style.colour),
    PROPERTY_FIELD (OVERLAY_PROP_MAX_LEVEL, GstCudaContourOverlay, style.max_level),
    PROPERTY_FIELD (OVERLAY_PROP_THICKNESS, GstCudaContourOverlay, style.thickness),
    PROPERTY_FIELD (OVERLAY_PROP_ALPHA, GstCudaContourOverlay, alpha),
    PROPERTY_FIELD (OVERLAY_PROP_FILL_ALPHA, GstCudaContourOverlay, fill_alpha),
    PROPERTY_FIELD (OVERLAY_PROP_MIN_AREA, GstCudaContourOverlay, style.min_area),
    PROPERTY_FIELD (OVERLAY_PROP_DIMENSIONS, GstCudaContourOverlay, style.dimensions),
    PROPERTY_FIELD (OVERLAY_PROP_LABELS, GstCudaContourOverlay, style.labels),
    PROPERTY_FIELD (OVERLAY_PROP_LEGEND, GstCudaContourOverlay, style.legend),
    PROPERTY_FIELD (OVERLAY_PROP_SIGNIFICANT_BITS, GstCudaContourOverlay, significant_bits),
    {0},
};

static void
gst_cuda_contour_overlay_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case OVERLAY_PROP_HOLES:
      self->style.dashed_holes = g_value_get_enum (value) == OVERLAY_HOLES_DASHED;
      break;
    case OVERLAY_PROP_FONT:
      g_free (self->font);
      self->font = g_value_dup_string (value);
      break;
    case OVERLAY_PROP_SIGNIFICANT_BITS:
      self->significant_bits = significant_bits_clamp (GST_ELEMENT_CAST (self), g_value_get_uint (value));
      break;
    default:
      if (!property_fields_set (fields, self, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_contour_overlay_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case OVERLAY_PROP_HOLES:
      g_value_set_enum (value, self->style.dashed_holes ? OVERLAY_HOLES_DASHED : OVERLAY_HOLES_SOLID);
      break;
    case OVERLAY_PROP_FONT:
      g_value_set_string (value, self->font);
      break;
    default:
      if (!property_fields_get (fields, self, id, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_contour_overlay_finalize (GObject *object)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (object);

  overlay_layers_clear (&self->layers);
  g_clear_pointer (&self->text, overlay_text_free);
  g_free (self->text_font);
  g_free (self->font);
  G_OBJECT_CLASS (gst_cuda_contour_overlay_parent_class)->finalize (object);
}

static void
gst_cuda_contour_overlay_init (GstCudaContourOverlay *self)
{
  self->style = (OverlayStyle){
      .background = OVERLAY_DEFAULT_BACKGROUND,
      .draw = OVERLAY_DEFAULT_DRAW,
      .colour_by = OVERLAY_DEFAULT_COLOUR_BY,
      .colour = OVERLAY_DEFAULT_COLOUR,
      .max_level = OVERLAY_DEFAULT_MAX_LEVEL,
      .thickness = OVERLAY_DEFAULT_THICKNESS,
      .min_area = OVERLAY_DEFAULT_MIN_AREA,
      .dashed_holes = OVERLAY_DEFAULT_HOLES == OVERLAY_HOLES_DASHED,
  };
  self->alpha = OVERLAY_DEFAULT_ALPHA;
  self->fill_alpha = OVERLAY_DEFAULT_FILL_ALPHA;
  self->font = g_strdup (OVERLAY_DEFAULT_FONT);
  overlay_layers_init (&self->layers);
}

static void
gst_cuda_contour_overlay_class_init (GstCudaContourOverlayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstContoursFilterClass *filter_class = GST_CONTOURS_FILTER_CLASS (klass);

  object_class->set_property = gst_cuda_contour_overlay_set_property;
  object_class->get_property = gst_cuda_contour_overlay_get_property;
  object_class->finalize = gst_cuda_contour_overlay_finalize;
  overlay_properties_install (object_class);

  gst_element_class_set_static_metadata (element_class, "CUDA contour overlay", "Filter/Effect/Video/Hardware",
      "Draws contours, components and regions of interest onto the frames, on the GPU or CPU",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_close);
  filter_class->draw = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_draw);
  gst_contours_filter_class_limit_packed_yuv (filter_class, FALSE);
  filter_class->finish = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_finish);
  filter_class->needs_drawing = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_needs_drawing);
  filter_class->replaces_pixels = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_replaces_pixels);
}
