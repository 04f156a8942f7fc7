/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/dimensions.h"

#include "gst/overlay/colours.h"
#include "gst/overlay/mapping.h"

#include <contours/shapes.h>
#include <math.h>

#define UNITS 65000.0 /* Coordinates of lines have 16 bits, for twice the longer side of the frame. */

/* Pixels of the frame; whole numbers are pixel centres. */
typedef struct {
  gdouble x, y;
} Point;

static Point
along (Point from, Point direction, gdouble length)
{
  return (Point){from.x + direction.x * length, from.y + direction.y * length};
}

static gdouble
longer_side (const OverlayFrame *frame)
{
  return MAX (GST_VIDEO_INFO_WIDTH (frame->info), GST_VIDEO_INFO_HEIGHT (frame->info));
}

/* Pixels of the frame in a unit of lines; the frame begins a half of its longer side behind their origin. */
static gdouble
unit_of (const OverlayFrame *frame)
{
  return 2 * longer_side (frame) / UNITS;
}

static gboolean
is_near (const OverlayFrame *frame, Point p)
{
  const gdouble side = longer_side (frame);

  return fabs (p.x - side / 2) < side * 0.99 && fabs (p.y - side / 2) < side * 0.99;
}

/* Adds a polygon of two or three points, all of which are near the frame. */
static void
add_polygon (const OverlayFrame *frame, const Point *points, guint32 count)
{
  const gdouble unit = unit_of (frame), origin = longer_side (frame) / 2;

  for (guint i = 0; i < count; i++) {
    const CtrPoint point = {.x = (guint16) CLAMP (lrint ((points[i].x + origin + 0.5) / unit - 0.5), 0, G_MAXUINT16),
        .y = (guint16) CLAMP (lrint ((points[i].y + origin + 0.5) / unit - 0.5), 0, G_MAXUINT16)};

    g_array_append_val (frame->layers->line_points, point);
  }
  g_array_append_val (frame->layers->line_counts, count);
}

static void
add_line (const OverlayFrame *frame, Point from, Point to)
{
  const Point points[2] = {from, to};

  add_polygon (frame, points, 2);
}

/* Adds a filled arrow head at TIP, which points to DIRECTION: the lines to its base leave no gap. */
static void
add_head (const OverlayFrame *frame, Point tip, Point direction, gdouble length)
{
  const Point across = {-direction.y, direction.x}, base = along (tip, direction, -length);
  const gint half = (gint) ceil (length / 4);

  for (gint i = -half; i <= half; i++)
    add_line (frame, tip, along (base, across, i));
}

static void
add_label (const OverlayFrame *frame, Point middle, const gchar *label)
{
  const gint width = overlay_text_get_width (frame->text, label), height = overlay_text_get_height (frame->text);
  const gint most_x = GST_VIDEO_INFO_WIDTH (frame->info) - width, most_y = GST_VIDEO_INFO_HEIGHT (frame->info) - height;
  const gint x = (gint) lrint (middle.x - width / 2.0), y = (gint) lrint (middle.y - height / 2.0);

  overlay_text_add (frame->text, frame->layers->glyphs, label, CLAMP (x, 0, MAX (most_x, 0)),
      CLAMP (y, 0, MAX (most_y, 0)), frame->layers->label_count++, OVERLAY_COLOUR_FIXED);
}

/* Adds the dimension of the points A and B, on a line OFFSET pixels beside them. */
static void
add_dimension (const OverlayFrame *frame, Point a, Point b, gdouble offset, const gchar *label)
{
  const gdouble length = hypot (b.x - a.x, b.y - a.y), t = frame->style->thickness, head = 5 * t + 3;
  const Point direction = {(b.x - a.x) / length, (b.y - a.y) / length}, back = {-direction.x, -direction.y};
  const Point beside = {-direction.y, direction.x};
  const Point from = along (a, beside, offset), to = along (b, beside, offset);
  const gdouble width = overlay_text_get_width (frame->text, label);
  /* Heads and label need room between the points; otherwise they are outside. */
  const gboolean roomy = length > 2 * head + fabs (direction.x) * width + fabs (direction.y) * 2 * head;
  const gdouble over = offset < 0 ? -2 * t : 2 * t;

  if (!(length > 0) || !isfinite (length) || !isfinite (offset) || !is_near (frame, a) || !is_near (frame, b)
      || !is_near (frame, along (from, direction, -3 * head)) || !is_near (frame, along (to, direction, 3 * head))) {
    frame->layers->left_out += length > 0;
    return;
  }
  if (offset != 0) {
    add_line (frame, a, along (from, beside, over));
    add_line (frame, b, along (to, beside, over));
  }
  if (roomy) {
    add_line (frame, from, to);
    add_head (frame, from, back, head);
    add_head (frame, to, direction, head);
    add_label (frame, along (from, direction, length / 2), label);
  } else {
    const gdouble half = fabs (direction.x) * width / 2 + fabs (direction.y) * head;

    add_line (frame, along (from, direction, -2.5 * head), along (to, direction, 2.5 * head));
    add_head (frame, from, direction, head);
    add_head (frame, to, back, head);
    add_label (frame, along (to, direction, 2.5 * head + half), label);
  }
}

gboolean
overlay_dimensions_has (const GstVideoRegionOfInterestMeta *region)
{
  return gst_video_region_of_interest_meta_get_param ((GstVideoRegionOfInterestMeta *) region, OVERLAY_DIMENSION)
         != NULL;
}

void
overlay_dimensions_add_region (const OverlayFrame *frame, const GstVideoRegionOfInterestMeta *region)
{
  for (GList *item = region->params; item; item = item->next) {
    const GstStructure *line = item->data;
    gdouble x1, y1, x2, y2, offset = 0;
    const gchar *label = gst_structure_get_string (line, "label");

    if (!gst_structure_has_name (line, OVERLAY_DIMENSION) || !gst_structure_get_double (line, "x1", &x1)
        || !gst_structure_get_double (line, "y1", &y1) || !gst_structure_get_double (line, "x2", &x2)
        || !gst_structure_get_double (line, "y2", &y2))
      continue;
    gst_structure_get_double (line, "offset", &offset);
    add_dimension (frame, (Point){region->x + x1 * region->w, region->y + y1 * region->h},
        (Point){region->x + x2 * region->w, region->y + y2 * region->h}, offset * region->w, label ? label : "");
  }
}

/* Writes VALUE with four digits, or more before the point. */
static void
describe (gchar *label, gsize size, const gchar *before, gdouble value, const gchar *unit)
{
  const gint digits = value > 0 ? (gint) floor (log10 (value)) + 1 : 1;
  gchar number[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  g_snprintf (format, sizeof format, "%%.%df", CLAMP (4 - digits, 0, 9));
  g_snprintf (label, size, "%s%s %s", before, g_ascii_formatd (number, sizeof number, format, value), unit);
}

/* What the dimensions of a contour come from. */
typedef struct {
  const OverlayFrame *frame;
  const GstContoursMapping *mapping;
  const CtrContourShape *raw;
  const GstContoursShape *shape;        /* in pixels of the frame */
  const GstContoursWorldContour *world; /* NULL: values are in pixels */
  const gchar *unit;
} Source;

static Point
map_point (const Source *source, gdouble x, gdouble y)
{
  Point p;

  gst_contours_mapping_map_point (source->mapping, x, y, &p.x, &p.y);
  return p;
}

/* The value is in units if they are known. */
static void
add_valued (const Source *source, Point a, Point b, gdouble offset, const gchar *before, gdouble pixels, gdouble units)
{
  const gdouble value = source->world ? units : pixels;
  gchar label[64];

  if (!isfinite (value))
    return;
  describe (label, sizeof label, before, value, source->unit);
  add_dimension (source->frame, a, b, offset, label);
}

#define UNITS_OF(member) (source->world ? source->world->member : NAN)

static void
add_ferets (const Source *source, OverlayDimensions wanted)
{
  const CtrPoint *d = source->raw->diameter, *b = source->raw->breadth;
  const gdouble dx = (gdouble) b[1].x - b[0].x, dy = (gdouble) b[1].y - b[0].y, side2 = dx * dx + dy * dy;

  if (wanted & OVERLAY_DIMENSION_FERET_MAX)
    add_valued (source, map_point (source, d[0].x, d[0].y), map_point (source, d[1].x, d[1].y), 0, "",
        source->shape->feret_max, UNITS_OF (feret_max));
  if ((wanted & OVERLAY_DIMENSION_FERET_MIN) && side2 > 0) {
    /* From the side of the hull to the vertex opposite to it. */
    const gdouble share = ((b[2].x - b[0].x) * dx + (b[2].y - b[0].y) * dy) / side2;

    add_valued (source, map_point (source, b[0].x + share * dx, b[0].y + share * dy),
        map_point (source, b[2].x, b[2].y), 0, "", source->shape->feret_min, UNITS_OF (feret_min));
  }
}

static void
add_circle (const Source *source)
{
  const GstContoursShape *s = source->shape;

  add_valued (source, (Point){s->circle_x - s->circle_radius, s->circle_y},
      (Point){s->circle_x + s->circle_radius, s->circle_y}, 0, "d ", 2 * s->circle_radius,
      2 * UNITS_OF (circle_radius));
}

/* Its width below it, its height on its right. */
static void
add_rectangle (const Source *source)
{
  const GstContoursShape *s = source->shape;
  const gdouble angle = s->rectangle_angle * (G_PI / 180), gap = 8 * source->frame->style->thickness + 8;
  const Point u = {cos (angle), sin (angle)}, v = {-u.y, u.x}, centre = {s->rectangle_x, s->rectangle_y};
  const Point right = along (centre, u, s->rectangle_width / 2), left = along (centre, u, -s->rectangle_width / 2);

  add_valued (source, along (left, v, s->rectangle_height / 2), along (right, v, s->rectangle_height / 2), gap, "",
      s->rectangle_width, UNITS_OF (rectangle_width));
  add_valued (source, along (right, v, -s->rectangle_height / 2), along (right, v, s->rectangle_height / 2), -gap, "",
      s->rectangle_height, UNITS_OF (rectangle_height));
}

gboolean
overlay_dimensions_add_contours (const OverlayFrame *frame, GstContoursContourMeta *meta, CtrError *error)
{
  const OverlayDimensions wanted = frame->style->dimensions;
  GstContoursCalibration *calibration = gst_contours_contour_meta_get_calibration (meta);
  CtrContours *contours = gst_contours_contour_meta_peek_contours (meta);
  const CtrContourShape *raw;

  if (!(contours->features & CTR_CONTOUR_SHAPE_FEATURES) || contours->count == 0)
    return TRUE;
  if (!(raw = ctr_contours_map_shapes (contours, error)))
    return FALSE;
  for (guint i = 0; i < contours->count; i++) {
    GstContoursContour contour;
    GstContoursShape shape;
    GstContoursWorldContour world;
    Source source = {.frame = frame,
        .mapping = gst_contours_contour_meta_get_mapping (meta),
        .raw = &raw[i],
        .shape = &shape,
        .unit = calibration ? gst_contours_calibration_get_unit (calibration) : "px"};

    if (!overlay_check_cancelled (i, error))
      return FALSE;
    if (!gst_contours_contour_meta_get_contour (meta, i, &contour) || contour.area < frame->style->min_area
        || !gst_contours_contour_meta_get_shape (meta, i, &shape))
      continue;
    if (calibration && gst_contours_contour_meta_get_world_contour (meta, i, &world))
      source.world = &world;
    if (contours->features & CTR_CONTOUR_FEATURE_FERET)
      add_ferets (&source, wanted);
    if ((wanted & OVERLAY_DIMENSION_CIRCLE) && contours->features & CTR_CONTOUR_FEATURE_CIRCLE)
      add_circle (&source);
    if ((wanted & OVERLAY_DIMENSION_RECTANGLE) && contours->features & CTR_CONTOUR_FEATURE_RECTANGLE)
      add_rectangle (&source);
  }
  return TRUE;
}

gboolean
overlay_dimensions_finish (const OverlayFrame *frame, CtrError *error)
{
  OverlayLayers *layers = frame->layers;
  const gdouble unit = unit_of (frame), origin = -longer_side (frame) / 2;
  const GstContoursMapping mapping = {.xx = unit, .yy = unit, .x0 = origin, .y0 = origin};
  CtrContours *lines;
  CtrPaintLayer *layer;

  if (layers->line_counts->len == 0)
    return TRUE;
  lines = ctr_contours_new_polygons ((const CtrPoint *) (gpointer) layers->line_points->data,
      (const guint32 *) (gpointer) layers->line_counts->data, layers->line_counts->len, CTR_COORDINATES_PIXELS,
      CTR_MAX_SIDE, CTR_MAX_SIDE, error);
  if (!lines)
    return FALSE;
  g_ptr_array_add (layers->contours, lines);
  if (!(layer = overlay_frame_add_layer (frame, CTR_PAINT_LINES)))
    return TRUE;
  layer->contours = lines;
  layer->colouring = (CtrColouring){.by = CTR_COLOUR_FIXED, .first = OVERLAY_COLOUR_FIXED, .count = 1, .range = 1};
  return overlay_mapping_to_paint (&mapping, &layer->mapping);
}
