/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/layers.h"

#include "gst/base/detections.h"
#include "gst/overlay/boxes.h"
#include "gst/overlay/colours.h"
#include "gst/overlay/dimensions.h"
#include "gst/overlay/legend.h"
#include "gst/overlay/mapping.h"
#include "gst/overlay/marks.h"

#include <contours/cancel.h>
#include <gst/contours/gstcontours.h>
#include <math.h>

/* All contours nested deeper have the last colour. */
#define MAX_DEPTH 6

void
overlay_layers_init (OverlayLayers *self)
{
  self->layers = g_array_new (FALSE, FALSE, sizeof (CtrPaintLayer));
  self->rectangles = g_array_new (FALSE, FALSE, sizeof (CtrPaintRectangle));
  self->edges = g_array_new (FALSE, FALSE, sizeof (CtrPaintRectangle));
  self->marks = g_array_new (FALSE, FALSE, sizeof (CtrPaintRectangle));
  self->glyphs = g_array_new (FALSE, FALSE, sizeof (CtrPaintGlyph));
  self->line_points = g_array_new (FALSE, FALSE, sizeof (CtrPoint));
  self->line_counts = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->colours = g_ptr_array_new_with_free_func (g_free);
  self->contours = g_ptr_array_new_with_free_func ((GDestroyNotify) ctr_contours_unref);
  self->components = g_ptr_array_new_with_free_func ((GDestroyNotify) ctr_components_unref);
}

void
overlay_layers_clear (OverlayLayers *self)
{
  g_array_unref (self->layers);
  g_array_unref (self->rectangles);
  g_array_unref (self->edges);
  g_array_unref (self->marks);
  g_array_unref (self->glyphs);
  g_array_unref (self->line_points);
  g_array_unref (self->line_counts);
  g_ptr_array_unref (self->colours);
  g_ptr_array_unref (self->contours);
  g_ptr_array_unref (self->components);
}

/* Two pixels and 11 points suit 540 lines. Sizes grow with the square root of the frame size, because larger frames are
 * shown on larger screens, but not proportionally. */
static gdouble
scale_of_frame (const GstVideoInfo *info)
{
  return sqrt (MIN (GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info)) / 540.0);
}

guint
overlay_fitting_thickness (const GstVideoInfo *info)
{
  return (guint) CLAMP (lrint (2 * scale_of_frame (info)), 1, CTR_PAINT_MAX_THICKNESS);
}

/* Text is legible from 7 points on. */
guint
overlay_fitting_points (const GstVideoInfo *info)
{
  return (guint) MAX (lrint (11 * scale_of_frame (info)), 7);
}

/* Whether colours form a scale, which a legend can explain. */
static gboolean
has_scale (const OverlayStyle *style)
{
  return style->colour_by != CTR_COLOUR_FIXED && style->colour_by != CTR_COLOUR_ID;
}

gboolean
overlay_style_has_text (const OverlayStyle *style)
{
  return style->labels != 0 || style->dimensions != 0 || (style->legend && has_scale (style));
}

/* Pending results may turn out to have contours. */
static gboolean
may_have_contours (GstContoursContourMeta *meta)
{
  const CtrContours *contours = gst_contours_contour_meta_peek_pending_contours (meta);

  return !ctr_contours_is_complete (contours) || contours->count > 0;
}

static gboolean
may_have_components (GstContoursComponentMeta *meta)
{
  const CtrComponents *components = gst_contours_component_meta_peek_pending_components (meta);

  return !ctr_components_is_complete (components) || components->count > 0;
}

gboolean
overlay_layers_wanted (GstBuffer *buffer, const OverlayStyle *style)
{
  const OverlayDraw of_contours = OVERLAY_DRAW_CONTOURS | OVERLAY_DRAW_CONTOUR_BOXES | OVERLAY_DRAW_CENTROIDS;
  const OverlayDraw of_components = OVERLAY_DRAW_FILL | OVERLAY_DRAW_COMPONENTS | OVERLAY_DRAW_CENTROIDS;
  const gboolean legend = style->legend && has_scale (style);
  gpointer state = NULL;
  GstContoursContourMeta *contours;
  GstContoursComponentMeta *components;

  if (style->background != OVERLAY_BACKGROUND_FRAME)
    return TRUE;
  while ((style->draw & of_contours || style->dimensions & ~OVERLAY_DIMENSION_REGIONS)
         && (contours = gst_buffer_iterate_contours_contour_meta (buffer, &state)))
    if (legend || may_have_contours (contours))
      return TRUE;
  state = NULL;
  while ((style->draw & of_components) && (components = gst_buffer_iterate_contours_component_meta (buffer, &state)))
    if (legend || may_have_components (components))
      return TRUE;
  if ((style->draw & OVERLAY_DRAW_DETECTIONS) && detections_may_exist (buffer))
    return TRUE;
  return ((style->draw & OVERLAY_DRAW_REGIONS) || (style->dimensions & OVERLAY_DIMENSION_REGIONS))
         && gst_buffer_get_video_region_of_interest_meta (buffer);
}

gboolean
overlay_check_cancelled (guint index, CtrError *error)
{
  if (index % 256 > 0 || !ctr_cancelled ())
    return TRUE;
  error->status = CTR_ERROR_CANCELLED;
  g_strlcpy (error->message, "the drawing was cancelled", sizeof error->message);
  return FALSE;
}

CtrPaintLayer *
overlay_frame_add_layer (const OverlayFrame *frame, CtrPaintKind kind)
{
  GArray *layers = frame->layers->layers;
  CtrPaintLayer layer;

  if (layers->len == CTR_PAINT_MAX_LAYERS) {
    frame->layers->left_out++;
    return NULL;
  }
  ctr_paint_layer_init (&layer, kind);
  layer.alpha = frame->style->alpha;
  layer.thickness = frame->style->thickness;
  g_array_append_val (layers, layer);
  return &g_array_index (layers, CtrPaintLayer, layers->len - 1);
}

/* 10-bit samples use the upper bits of 16. */
static guint
largest_sample (const GstVideoInfo *info)
{
  return GST_VIDEO_INFO_COMP_DEPTH (info, 0) > 8 ? 65535 : 255;
}

CtrColouring
overlay_frame_get_colouring (const OverlayFrame *frame, gboolean of_contours, guint width, guint height)
{
  CtrColouring c = {.by = frame->style->colour_by, .first = OVERLAY_COLOUR_FIXED, .count = 1, .range = 1};

  if (!of_contours && (c.by == CTR_COLOUR_LEVEL || c.by == CTR_COLOUR_DEPTH))
    c.by = CTR_COLOUR_ID;
  if (c.by == CTR_COLOUR_ID) {
    c.first = OVERLAY_COLOUR_IDS;
    c.count = OVERLAY_COLOUR_ID_COUNT;
  } else if (c.by != CTR_COLOUR_FIXED) {
    c.first = OVERLAY_COLOUR_SCALE;
    c.count = OVERLAY_COLOUR_SCALE_COUNT;
  }
  if (c.by == CTR_COLOUR_LEVEL)
    c.range = frame->style->max_level > 0 ? frame->style->max_level : largest_sample (frame->info);
  else if (c.by == CTR_COLOUR_DEPTH)
    c.range = MAX_DEPTH;
  else if (c.by == CTR_COLOUR_AREA)
    c.range = (guint64) width * height;
  return c;
}

static gboolean
has_labels (const OverlayFrame *frame)
{
  return frame->text && frame->style->labels;
}

static void
add_contour_layer (const OverlayFrame *frame, GstContoursContourMeta *meta, CtrPaintKind kind)
{
  const GstContoursMapping *mapping = gst_contours_contour_meta_get_mapping (meta);
  CtrContours *contours = gst_contours_contour_meta_peek_pending_contours (meta);
  CtrPaintMapping paint;
  CtrPaintLayer *layer;

  if (!overlay_mapping_to_paint (mapping, &paint)) {
    frame->layers->left_out++;
    return;
  }
  if (!may_have_contours (meta) || !(layer = overlay_frame_add_layer (frame, kind)))
    return;
  layer->contours = contours;
  g_ptr_array_add (frame->layers->contours, ctr_contours_ref (contours));
  layer->mapping = paint;
  layer->colouring = overlay_frame_get_colouring (frame, TRUE, contours->width, contours->height);
  layer->min_area2 = overlay_mapping_min_area2 (mapping, frame->style->min_area);
  layer->dashed_holes = frame->style->dashed_holes;
}

/* Adds labels and crosses of single contours, whose table is copied from the GPU if it is there. */
static gboolean
add_contour_details (const OverlayFrame *frame, GstContoursContourMeta *meta, gboolean marks, CtrError *error)
{
  CtrContours *contours = gst_contours_contour_meta_peek_contours (meta);
  const GstContoursMapping *mapping = gst_contours_contour_meta_get_mapping (meta);
  const CtrColouring colours = overlay_frame_get_colouring (frame, TRUE, contours->width, contours->height);
  const guint64 min_area2 = overlay_mapping_min_area2 (mapping, frame->style->min_area);
  const CtrContour *table = ctr_contours_map_table (contours, error);

  if (!table || (marks && !ctr_contours_map_sums (contours, error)))
    return FALSE;
  for (guint i = 0; i < contours->count; i++) {
    const guint8 colour = ctr_colouring_pick_contour (&colours, table, i);
    const gdouble area = ctr_contour_area (&table[i], FALSE);
    GstContoursContour contour;
    gdouble x, y, width, height;

    if (!overlay_check_cancelled (i, error))
      return FALSE;
    if (2 * area < (gdouble) min_area2)
      continue;
    if (has_labels (frame)) {
      CtrPaintRectangle box;
      gchar label[64];

      gst_contours_mapping_map_box (
          mapping, table[i].left, table[i].top, table[i].width, table[i].height, &x, &y, &width, &height);
      box = overlay_marks_rectangle (x, y, width, height, 0, colour);
      overlay_marks_describe (
          frame, label, sizeof label, i, area * overlay_mapping_area_scale (mapping), table[i].level);
      overlay_marks_add_label (frame, &box, label);
    }
    if (marks && gst_contours_contour_meta_get_contour (meta, i, &contour) && !isnan (contour.cx))
      overlay_marks_add_cross (frame, contour.cx, contour.cy, contour.w, contour.h, colour);
  }
  return TRUE;
}

static gboolean
add_contours (const OverlayFrame *frame, GstContoursContourMeta *meta, CtrError *error)
{
  const OverlayDraw draw = frame->style->draw;
  gboolean has_moments = (gst_contours_contour_meta_get_features (meta) & GST_CONTOURS_CONTOUR_FEATURE_MOMENTS) != 0;
  gboolean marks = (draw & OVERLAY_DRAW_CENTROIDS) && has_moments;

  if ((draw & OVERLAY_DRAW_CENTROIDS) && !has_moments)
    frame->layers->without_centroids++;
  if (draw & OVERLAY_DRAW_CONTOURS)
    add_contour_layer (frame, meta, CTR_PAINT_LINES);
  if (draw & OVERLAY_DRAW_CONTOUR_BOXES)
    add_contour_layer (frame, meta, CTR_PAINT_BOXES);
  if (!(marks || (has_labels (frame) && (draw & (OVERLAY_DRAW_CONTOURS | OVERLAY_DRAW_CONTOUR_BOXES))))
      || gst_contours_contour_meta_get_count (meta) == 0)
    return TRUE;
  return add_contour_details (frame, meta, marks, error);
}

static guint64
component_value (const CtrColouring *colours, const CtrComponent *component, guint row)
{
  return colours->by == CTR_COLOUR_AREA ? 2 * (guint64) component->area : row;
}

static gboolean
add_fill (const OverlayFrame *frame, GstContoursComponentMeta *meta, CtrError *error)
{
  CtrComponents *components = gst_contours_component_meta_peek_components (meta);
  const GstContoursMapping *mapping = gst_contours_component_meta_get_mapping (meta);
  const CtrColouring colours = overlay_frame_get_colouring (frame, FALSE, components->width, components->height);
  const guint32 min_area = overlay_mapping_min_pixels (mapping, frame->style->min_area);
  CtrPaintMapping paint;
  CtrPaintLayer *layer;
  guint16 *of_labels;

  if (!(components->features & CTR_FEATURE_LABELS)) {
    frame->layers->without_labels++;
    return TRUE;
  }
  if (!overlay_mapping_to_paint (mapping, &paint)) {
    frame->layers->left_out++;
    return TRUE;
  }
  if (components->count == 0 || !(layer = overlay_frame_add_layer (frame, CTR_PAINT_AREAS)))
    return TRUE;
  of_labels = g_new (guint16, components->count);
  g_ptr_array_add (frame->layers->colours, of_labels);
  for (guint i = 0; i < components->count; i++) {
    const CtrComponent *c = &components->table[i];
    if (!overlay_check_cancelled (i, error))
      return FALSE;
    of_labels[i] = CTR_PAINT_NO_COLOUR;
    if (c->area >= min_area)
      of_labels[i] = ctr_colouring_pick (&colours, component_value (&colours, c, i));
  }
  layer->alpha = frame->style->fill_alpha;
  layer->mapping = paint;
  layer->components = components;
  g_ptr_array_add (frame->layers->components, ctr_components_ref (layer->components));
  layer->label_width = components->width;
  layer->label_height = components->height;
  layer->label_colours = of_labels;
  layer->label_count = components->count;
  return TRUE;
}

static void
add_component_boxes (const OverlayFrame *frame, GstContoursComponentMeta *meta)
{
  CtrComponents *components = gst_contours_component_meta_peek_pending_components (meta);
  const GstContoursMapping *mapping = gst_contours_component_meta_get_mapping (meta);
  CtrPaintMapping paint;
  CtrPaintLayer *layer;

  if (!overlay_mapping_to_paint (mapping, &paint)) {
    frame->layers->left_out++;
    return;
  }
  if (!may_have_components (meta) || !(layer = overlay_frame_add_layer (frame, CTR_PAINT_COMPONENT_BOXES)))
    return;
  layer->components = components;
  g_ptr_array_add (frame->layers->components, ctr_components_ref (components));
  layer->mapping = paint;
  layer->colouring = overlay_frame_get_colouring (frame, FALSE, components->width, components->height);
  layer->min_area = overlay_mapping_min_pixels (mapping, frame->style->min_area);
}

/* Adds labels and crosses of single components. */
static gboolean
add_component_details (const OverlayFrame *frame, GstContoursComponentMeta *meta, CtrError *error)
{
  const CtrComponents *components = gst_contours_component_meta_peek_components (meta);
  const GstContoursMapping *mapping = gst_contours_component_meta_get_mapping (meta);
  const CtrColouring colours = overlay_frame_get_colouring (frame, FALSE, components->width, components->height);
  const guint32 min_area = overlay_mapping_min_pixels (mapping, frame->style->min_area);

  for (guint i = 0; i < components->count; i++) {
    const CtrComponent *c = &components->table[i];
    const guint8 colour = ctr_colouring_pick (&colours, component_value (&colours, c, i));
    gdouble x, y, width, height;

    if (!overlay_check_cancelled (i, error))
      return FALSE;
    if (c->area < min_area)
      continue;
    gst_contours_mapping_map_box (mapping, c->left, c->top, c->width, c->height, &x, &y, &width, &height);
    if (has_labels (frame)) {
      const CtrPaintRectangle box = overlay_marks_rectangle (x, y, width, height, 0, colour);
      gchar label[64];

      overlay_marks_describe (frame, label, sizeof label, i + 1, c->area * overlay_mapping_area_scale (mapping), 0);
      overlay_marks_add_label (frame, &box, label);
    }
    if (frame->style->draw & OVERLAY_DRAW_CENTROIDS) {
      gdouble cx, cy;

      ctr_component_centroid (c, &cx, &cy);
      gst_contours_mapping_map_point (mapping, cx, cy, &x, &y);
      overlay_marks_add_cross (frame, x, y, width, height, colour);
    }
  }
  return TRUE;
}

static gboolean
add_components (const OverlayFrame *frame, GstContoursComponentMeta *meta, CtrError *error)
{
  if (frame->style->draw & OVERLAY_DRAW_COMPONENTS)
    add_component_boxes (frame, meta);
  return !(has_labels (frame) || (frame->style->draw & OVERLAY_DRAW_CENTROIDS))
         || add_component_details (frame, meta, error);
}

static void
add_rectangles (const OverlayFrame *frame, GArray *rectangles)
{
  CtrPaintLayer *layer = rectangles->len > 0 ? overlay_frame_add_layer (frame, CTR_PAINT_RECTANGLES) : NULL;

  if (layer) {
    layer->rectangles = (const CtrPaintRectangle *) rectangles->data;
    layer->rectangle_count = rectangles->len;
  }
}

static void
add_text (const OverlayFrame *frame)
{
  CtrPaintLayer *layer = frame->layers->glyphs->len > 0 ? overlay_frame_add_layer (frame, CTR_PAINT_TEXT) : NULL;

  if (layer) {
    layer->atlas = overlay_text_get_atlas (frame->text);
    layer->glyphs = (const CtrPaintGlyph *) frame->layers->glyphs->data;
    layer->glyph_count = frame->layers->glyphs->len;
  }
}

void
overlay_layers_reset (OverlayLayers *self)
{
  g_array_set_size (self->layers, 0);
  g_array_set_size (self->rectangles, 0);
  g_array_set_size (self->edges, 0);
  g_array_set_size (self->marks, 0);
  g_array_set_size (self->glyphs, 0);
  g_array_set_size (self->line_points, 0);
  g_array_set_size (self->line_counts, 0);
  g_ptr_array_set_size (self->colours, 0);
  g_ptr_array_set_size (self->contours, 0);
  g_ptr_array_set_size (self->components, 0);
  self->label_count = 0;
  self->without_labels = self->without_centroids = self->left_out = 0;
}

/* Adds layers from bottom to top: areas, lines, boxes, crosses, dimensions, text. */
gboolean
overlay_layers_build (OverlayLayers *self, GstBuffer *buffer, const GstVideoInfo *info, const OverlayStyle *style,
    OverlayText *text, CtrError *error)
{
  const OverlayFrame frame = {self, info, style, text};
  GstContoursComponentMeta *components;
  GstContoursContourMeta *contours;
  gpointer state = NULL;

  overlay_layers_reset (self);
  while (
      (style->draw & OVERLAY_DRAW_FILL) && (components = gst_buffer_iterate_contours_component_meta (buffer, &state)))
    if (!add_fill (&frame, components, error))
      return FALSE;
  state = NULL;
  while ((contours = gst_buffer_iterate_contours_contour_meta (buffer, &state)))
    if (!add_contours (&frame, contours, error)
        || (style->dimensions & ~OVERLAY_DIMENSION_REGIONS
            && !overlay_dimensions_add_contours (&frame, contours, error)))
      return FALSE;
  state = NULL;
  while ((style->draw & (OVERLAY_DRAW_COMPONENTS | OVERLAY_DRAW_CENTROIDS | OVERLAY_DRAW_FILL))
         && (components = gst_buffer_iterate_contours_component_meta (buffer, &state)))
    if (!add_components (&frame, components, error))
      return FALSE;
  overlay_boxes_add (&frame, buffer);
  add_rectangles (&frame, self->rectangles);
  add_rectangles (&frame, self->edges);
  add_rectangles (&frame, self->marks);
  if (!overlay_dimensions_finish (&frame, error))
    return FALSE;
  if (text && style->legend) {
    const CtrColouring scale =
        overlay_frame_get_colouring (&frame, TRUE, GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info));
    overlay_legend_add (text, self->glyphs, &scale, scale.range < largest_sample (info), info);
  }
  add_text (&frame);
  return TRUE;
}
