/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-cudacontouroverlay
 * @title: cudacontouroverlay
 * @short_description: Draws what other elements found into the frames
 *
 * Draws the metadata a frame carries into its picture, in place: contours of #GstContoursContourMeta (those of
 * cudaborders and of cudacrackcontour alike), components of #GstContoursComponentMeta, and boxes of any
 * #GstVideoRegionOfInterestMeta. #GstCudaContourOverlay:draw selects what; the rest of the properties how.
 *
 * A frame in CUDA memory is drawn on where it is, by the GPU, and contours that lie on the GPU are read there: nothing
 * is copied, and the frame goes on before the GPU is done; elements after it read what was drawn. A frame in system
 * memory is drawn on by the host, whatever the backend. The pixels are the same. The cost is that of the pixels drawn.
 * A frame without anything to draw passes untouched.
 *
 * Where shapes overlap, areas lie at the bottom, then lines, boxes, centroids and labels; no pixel is painted twice, so
 * a transparent line is not darker where it crosses itself.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 videotestsrc pattern=ball num-buffers=50 ! video/x-raw,format=NV12 ! cudaborders !
 * cudacontouroverlay thickness=3 labels=area ! videoconvert ! autovideosink
 * ]| Shows the ball with its outline and its area.
 *
 * Since: 0.1
 */
#include "gst/elements/gstcudacontouroverlay.h"

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

  CtrPainter *painters[2]; /* by CtrBackend, while started; the host's where it is needed */
  CtrPainter *drawing;     /* the one with a frame queued, or NULL */
  OverlayLayers layers;
  CtrPaintColour colours[CTR_PAINT_COLOURS]; /* for frames of colours_format, NULL: for none yet */
  const GstVideoFormatInfo *colours_format;
  GstVideoColorimetry colorimetry;
  guint colours_fixed;
  guint colours_bits;
  OverlayText *text; /* of text_font and text_points; NULL until it is needed */
  gchar *text_font;
  guint text_points;
  gboolean told_fill, told_centroids, told_left_out; /* once each */
};

G_DEFINE_TYPE (GstCudaContourOverlay, gst_cuda_contour_overlay, GST_TYPE_CONTOURS_FILTER)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (cudacontouroverlay, "cudacontouroverlay", GST_RANK_NONE,
    GST_TYPE_CUDA_CONTOUR_OVERLAY,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_contour_overlay_debug, "cudacontouroverlay", 0, "drawing of contours"))

static gboolean
gst_cuda_contour_overlay_open (GstContoursFilter *filter, CtrBackend backend, CtrError *error)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);

  self->told_fill = self->told_centroids = self->told_left_out = FALSE;
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

static gboolean
gst_cuda_contour_overlay_draws (GstContoursFilter *filter, GstBuffer *buffer)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);
  OverlayStyle style;

  GST_OBJECT_LOCK (self);
  style = self->style;
  GST_OBJECT_UNLOCK (self);
  return overlay_layers_wanted (buffer, &style);
}

/* Letters of FONT, which is taken; of POINTS where it has no size. */
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

/* gst-launch-1.0 prints the debug part of a warning only: the text stands in both. */
static void
tell_once (GstCudaContourOverlay *self, guint count, gboolean *told, const gchar *text)
{
  if (count == 0 || *told)
    return;
  *told = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED, ("%s", text), ("%s", text));
}

static void
tell (GstCudaContourOverlay *self)
{
  tell_once (self, self->layers.without_labels, &self->told_fill,
      "Areas cannot be filled without a label image: set labels=true on cudacca.");
  tell_once (self, self->layers.without_centroids, &self->told_centroids,
      "Centroids of contours cannot be drawn without moments: set features=moments on the element that finds them.");
  tell_once (self, self->layers.left_out, &self->told_left_out,
      "Some metadata is not drawn: there is more of it than a frame can show, or it lies too far from the frame.");
}

/* The colours for frames like INFO whose 16-bit samples use BITS, with COLOUR as the fixed one. */
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
  tell (self);
  if (self->layers.layers->len == 0)
    return TRUE;
  bits = gst_contours_filter_get_significant_bits (filter, frame, bits);
  overlay_picture_init (&picture, frame, image->memory);
  if (!ctr_painter_enqueue (self->painters[backend], &picture, (const CtrPaintLayer *) self->layers.layers->data,
          self->layers.layers->len, get_colours (self, &frame->info, bits, style.colour), stream, error))
    return FALSE;
  self->drawing = self->painters[backend];
  return TRUE;
}

static gboolean
gst_cuda_contour_overlay_lead_default (GstContoursFilter *filter, CtrError *error)
{
  GstCudaContourOverlay *self = GST_CUDA_CONTOUR_OVERLAY (filter);

  return !self->drawing || ctr_painter_lead_default (self->drawing, error);
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
    PROPERTY_FIELD (OVERLAY_PROP_DRAW, GstCudaContourOverlay, style.draw),
    PROPERTY_FIELD (OVERLAY_PROP_COLOUR_BY, GstCudaContourOverlay, style.colour_by),
    PROPERTY_FIELD (OVERLAY_PROP_COLOUR, GstCudaContourOverlay, style.colour),
    PROPERTY_FIELD (OVERLAY_PROP_MAX_LEVEL, GstCudaContourOverlay, style.max_level),
    PROPERTY_FIELD (OVERLAY_PROP_THICKNESS, GstCudaContourOverlay, style.thickness),
    PROPERTY_FIELD (OVERLAY_PROP_ALPHA, GstCudaContourOverlay, alpha),
    PROPERTY_FIELD (OVERLAY_PROP_FILL_ALPHA, GstCudaContourOverlay, fill_alpha),
    PROPERTY_FIELD (OVERLAY_PROP_MIN_AREA, GstCudaContourOverlay, style.min_area),
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
      "Draws contours, components and regions of interest into the frames, on the GPU or the host",
      "The gst-cuda-contours authors");

  filter_class->open = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_open);
  filter_class->close = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_close);
  filter_class->draw = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_draw);
  filter_class->lead_default = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_lead_default);
  filter_class->finish = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_finish);
  filter_class->draws = GST_DEBUG_FUNCPTR (gst_cuda_contour_overlay_draws);
}
