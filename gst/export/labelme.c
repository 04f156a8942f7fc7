/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LabelMe format: one JSON document for each frame, with polygons, rectangles for components, and lines for chains of edge pixels.
 *
 * LabelMe displays coordinates relative to the top left corner of the picture, but for masks it truncates them to
 * pixels and counts pixels on the line as inside. Outlines are therefore inset slightly, so that both are right.
 * LabelMe polygons have no holes: the line goes from the outline straight down to the hole, around it and back. */
#include "gst/export/format.h"
#include "gst/export/shape.h"

#include <string.h>

#define INSET 0.1 /* pixels */

typedef struct {
  gboolean has_shapes; /* of the frame */
} State;

static gpointer
start (void)
{
  return g_new0 (State, 1);
}

static void
begin_frame (gpointer state, GString *out, G_GNUC_UNUSED const ExportFrame *frame)
{
  ((State *) state)->has_shapes = FALSE;
  g_string_append (out, "{\"version\":\"5.0.1\",\"flags\":{},\"shapes\":[");
}

static void
append_position (GString *out, gboolean first, gdouble x, gdouble y)
{
  export_append_double (out, first ? "[" : ",[", x);
  export_append_double (out, ",", y);
  g_string_append_c (out, ']');
}

/* Begins a shape, up to its points. */
static void
begin_shape (State *state, GString *out, GstMeta *meta, guint value, gboolean hole, const gchar *type, guint group)
{
  g_string_append (out, state->has_shapes ? ",\n{\"label\":" : "\n{\"label\":");
  state->has_shapes = TRUE;
  export_append_json_class (out, meta, value, hole);
  g_string_append_printf (out, ",\"shape_type\":\"%s\",\"flags\":{}", type);
  export_append_uint (out, ",\"group_id\":", group);
  g_string_append (out, ",\"points\":[");
}

/* The end of a list of holes. */
#define NONE G_MAXUINT

/* An outline and its holes, to be joined into one line. Each hole is attached to a side of another ring. */
typedef struct {
  const ExportText *text;
  const ExportShapes *shapes;
  HalfPoint *points;
  OutlineRing *rings;
  guint count;    /* of the rings */
  guint *hole;    /* for each point, the first hole attached to the side to the next point */
  guint *sibling; /* for each ring, the next hole on the same side */
  guint *top;     /* for each ring, its topmost point, the leftmost of several */
  gboolean begun; /* a point has been written */
} Polygon;

/* The state of the walk along RING: DONE points are written, NEXT is the next hole of the current side, AROUND the hole
 * that the walk has just gone around. */
typedef struct {
  guint ring;
  guint done;
  guint next;
  guint around;
} Walk;

static guint
point_index (const Polygon *p, guint ring, guint i)
{
  const OutlineRing *r = &p->rings[ring];
  return r->first + (p->top[ring] + i) % r->count;
}

/* The normal to the right of the side that starts at point I of RING, one pixel long. */
static HalfPoint
right_of_side (const Polygon *p, guint ring, guint i)
{
  HalfPoint a = p->points[point_index (p, ring, i)], b = p->points[point_index (p, ring, i + 1)];
  return (HalfPoint){2 * ((b.y < a.y) - (b.y > a.y)), 2 * ((b.x > a.x) - (b.x < a.x))};
}

/* Appends a point, inset towards INWARDS. */
static void
append_point (Polygon *p, HalfPoint point, HalfPoint inwards)
{
  HalfPoint inside = {point.x + inwards.x, point.y + inwards.y};
  gdouble x, y, to_x, to_y;
  export_shapes_map (p->shapes, point, &x, &y);
  export_shapes_map (p->shapes, inside, &to_x, &to_y);
  x += INSET * ((to_x > x) - (to_x < x));
  y += INSET * ((to_y > y) - (to_y < y));
  export_append_double (p->text->out, p->begun ? ",[" : "[", x);
  export_append_double (p->text->out, ",", y);
  g_string_append_c (p->text->out, ']');
  p->begun = TRUE;
}

static void
append_corner (Polygon *p, guint ring, guint i)
{
  guint count = p->rings[ring].count;
  HalfPoint before = right_of_side (p, ring, i + count - 1), after = right_of_side (p, ring, i);
  append_point (p, p->points[point_index (p, ring, i)], (HalfPoint){before.x + after.x, before.y + after.y});
}

/* Append the ends of the bridge between the current side and hole RING. */
static void
append_side_end (Polygon *p, const Walk *walk, guint ring)
{
  HalfPoint side = p->points[point_index (p, walk->ring, walk->done - 1)];
  HalfPoint top = p->points[point_index (p, ring, 0)];
  append_point (p, (HalfPoint){top.x + 1, side.y}, (HalfPoint){0, 2});
}

static void
append_hole_end (Polygon *p, guint ring)
{
  HalfPoint top = p->points[point_index (p, ring, 0)];
  append_point (p, (HalfPoint){top.x + 1, top.y}, (HalfPoint){0, -2});
}

static GstFlowReturn
append_line (Polygon *p)
{
  GArray *stack = g_array_new (FALSE, FALSE, sizeof (Walk));
  GstFlowReturn ret = GST_FLOW_OK;
  Walk start = {0, 0, NONE, NONE};
  g_array_append_val (stack, start);
  while (ret == GST_FLOW_OK && stack->len > 0) {
    Walk *walk = &g_array_index (stack, Walk, stack->len - 1);
    if (walk->around != NONE) {
      append_hole_end (p, walk->around);
      append_side_end (p, walk, walk->around);
      walk->next = p->sibling[walk->around];
      walk->around = NONE;
    } else if (walk->next != NONE) {
      Walk hole = {walk->next, 0, NONE, NONE};
      append_side_end (p, walk, walk->next);
      append_hole_end (p, walk->next);
      walk->around = walk->next;
      g_array_append_val (stack, hole);
    } else if (walk->done < p->rings[walk->ring].count) {
      append_corner (p, walk->ring, walk->done);
      walk->next = p->hole[point_index (p, walk->ring, walk->done)];
      walk->done++;
    } else {
      g_array_set_size (stack, stack->len - 1);
    }
    ret = export_text_flush (p->text);
  }
  g_array_free (stack, TRUE);
  return ret;
}

static gint
compare_tops (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Polygon *p = user_data;
  gint first = p->points[point_index (p, *(const guint *) a, 0)].x,
       second = p->points[point_index (p, *(const guint *) b, 0)].x;
  return (first < second) - (first > second);
}

/* Attaches each hole to the side above it. Sides with the shape below run to the right, so the holes of a side are
 * ordered by ascending x. */
static void
attach_holes (Polygon *p)
{
  if (p->count == 1)
    return;
  CrackIndex *index = crack_index_new ();
  guint *order = g_new (guint, p->count);
  for (guint r = 0; r < p->count; r++) {
    order[r] = r;
    for (guint i = 0; i < p->rings[r].count; i++) {
      guint a = point_index (p, r, i), b = point_index (p, r, i + 1);
      crack_index_add (index, 0, p->points[a], p->points[b], a);
    }
  }
  crack_index_sort (index);
  g_qsort_with_data (order, (gint) p->count, sizeof *order, compare_tops, p);
  for (guint k = 0; k < p->count; k++) {
    guint r = order[k];
    HalfPoint top = p->points[point_index (p, r, 0)];
    guint32 side;
    gboolean to_the_right;
    if (p->rings[r].hole && crack_index_find_above (index, 0, top.x / 2, top.y, &side, &to_the_right)) {
      p->sibling[r] = p->hole[side];
      p->hole[side] = r;
    }
  }
  g_free (order);
  crack_index_free (index);
}

/* Appends the first COUNT rings of RINGS, an outline and its holes, as one polygon. */
static GstFlowReturn
append_polygon (
    const ExportText *text, const ExportShapes *shapes, const ExportShape *shape, const OutlineRing *rings, guint count)
{
  guint total = 0;
  for (guint r = 0; r < count; r++)
    total += rings[r].count;
  Polygon p = {
      .text = text,
      .shapes = shapes,
      .points = g_new (HalfPoint, total),
      .rings = g_memdup2 (rings, count * sizeof *rings),
      .count = count,
      .hole = g_new (guint, total),
      .sibling = g_new (guint, count),
      .top = g_new (guint, count),
  };
  total = 0;
  for (guint r = 0; r < count; r++) {
    const HalfPoint *points = &g_array_index (shape->points, HalfPoint, rings[r].first);
    p.rings[r].first = total;
    p.sibling[r] = NONE;
    p.top[r] = outline_top_left (points, rings[r].count);
    for (guint i = 0; i < rings[r].count; i++) {
      p.hole[total] = NONE;
      p.points[total++] = points[i];
    }
  }
  attach_holes (&p);
  GstFlowReturn ret = append_line (&p);
  g_free (p.points);
  g_free (p.rings);
  g_free (p.hole);
  g_free (p.sibling);
  g_free (p.top);
  return ret;
}

/* Appends a simplified outline and its holes as they are, joined at their first points. */
static GstFlowReturn
append_simplified (const ExportText *text, const ExportShapes *shapes, const ExportShape *shape)
{
  GstFlowReturn ret = GST_FLOW_OK;
  HalfPoint first = g_array_index (shape->points, HalfPoint, 0);
  gdouble x, y;
  for (guint r = 0; r < shape->rings->len; r++) {
    const OutlineRing *ring = &g_array_index (shape->rings, OutlineRing, r);
    for (guint i = 0; ret == GST_FLOW_OK && i < ring->count + (shape->holes > 0); i++) {
      HalfPoint point = g_array_index (shape->points, HalfPoint, ring->first + i % ring->count);
      export_shapes_map (shapes, point, &x, &y);
      append_position (text->out, r == 0 && i == 0, x, y);
      ret = export_text_flush (text);
    }
    if (r > 0) {
      export_shapes_map (shapes, first, &x, &y);
      append_position (text->out, FALSE, x, y);
    }
  }
  return ret;
}

/* A closed line ends with its first position. */
static GstFlowReturn
append_chain (const ExportText *text, const ExportShapes *shapes, const ExportShape *shape)
{
  const guint count = shape->points->len;
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint i = 0; ret == GST_FLOW_OK && i < count + !shape->contour.open; i++) {
    gdouble x, y;
    export_shapes_map (shapes, g_array_index (shape->points, HalfPoint, i % count), &x, &y);
    append_position (text->out, i == 0, x, y);
    ret = export_text_flush (text);
  }
  return ret;
}

static void
end_shape (GString *out)
{
  g_string_append (out, "}}");
}

static const gchar *
type_of (const ExportShape *shape)
{
  if (!shape->chain)
    return "polygon";
  return shape->points->len == 1 ? "point" : "linestrip";
}

static GstFlowReturn
append_contours (State *state, const ExportText *text, GstContoursContourMeta *meta)
{
  ExportShapes *shapes = export_shapes_new (meta, FALSE);
  const ExportShape *shape;
  GstFlowReturn ret = GST_FLOW_OK;
  while (ret == GST_FLOW_OK && (shape = export_shapes_next (shapes))) {
    guint end;
    for (guint r = 0; ret == GST_FLOW_OK && r < shape->rings->len; r = end) {
      const OutlineRing *rings = (const OutlineRing *) shape->rings->data;
      for (end = r + 1; end < shape->rings->len && (!shape->exact || rings[end].hole); end++)
        ;
      begin_shape (state, text->out, (GstMeta *) meta, shape->contour.level, shape->contour.hole, type_of (shape),
          shape->contour.id);
      ret = shape->chain   ? append_chain (text, shapes, shape)
            : shape->exact ? append_polygon (text, shapes, shape, rings + r, end - r)
                           : append_simplified (text, shapes, shape);
      g_string_append (text->out, "],\"attributes\":{");
      export_append_json_contour (text->out, meta, &shape->contour);
      end_shape (text->out);
    }
  }
  export_shapes_free (shapes);
  return ret;
}

static GstFlowReturn
append_components (State *state, const ExportText *text, GstContoursComponentMeta *meta)
{
  GString *out = text->out;
  GstContoursComponentFeatures features = gst_contours_component_meta_get_features (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursComponent c;
  for (guint i = 0; ret == GST_FLOW_OK && gst_contours_component_meta_get_component (meta, i, &c); i++) {
    begin_shape (state, out, (GstMeta *) meta, c.value, FALSE, "rectangle", c.label);
    append_position (out, TRUE, c.x + INSET, c.y + INSET);
    append_position (out, FALSE, c.x + c.w - INSET, c.y + c.h - INSET);
    g_string_append (out, "],\"attributes\":{");
    export_append_json_component (out, meta, &c, features);
    end_shape (out);
    ret = export_text_flush (text);
  }
  return ret;
}

static GstFlowReturn
write_shapes (gpointer state, const ExportText *text, G_GNUC_UNUSED const ExportFrame *frame, GstMeta *meta)
{
  return export_is_contours (meta) ? append_contours (state, text, (GstContoursContourMeta *) meta)
                                   : append_components (state, text, (GstContoursComponentMeta *) meta);
}

/* The picture that LabelMe shows has the name of the document and is in the same folder. */
static void
append_image_path (GString *out, const ExportFrame *frame)
{
  gchar *name = frame->path ? g_path_get_basename (frame->path) : g_strdup ("frame.json");
  gchar *suffix = strrchr (name, '.');
  GString *path = g_string_new_len (name, suffix && suffix != name ? suffix - name : (gssize) strlen (name));
  g_string_append (path, ".png");
  export_append_json_string (out, path->str);
  g_string_free (path, TRUE);
  g_free (name);
}

static void
end_frame (G_GNUC_UNUSED gpointer state, GString *out, const ExportFrame *frame, G_GNUC_UNUSED guint metas)
{
  g_string_append (out, "\n],\"imagePath\":");
  append_image_path (out, frame);
  export_append_uint (out, ",\"imageData\":null,\"imageHeight\":", frame->height);
  export_append_uint (out, ",\"imageWidth\":", frame->width);
  g_string_append (out, ",\"schema\":\"" EXPORT_SCHEMA "\",");
  export_append_json_frame (out, frame);
  export_append_json_limit (out, frame->flags);
  g_string_append (out, "}\n");
}

const ExportFormat export_labelme = {
    .nick = "labelme",
    .name = "LabelMe: one document for each frame",
    .extent = EXPORT_FRAME,
    .start = start,
    .stop = g_free,
    .begin_frame = begin_frame,
    .write = write_shapes,
    .end_frame = end_frame,
};
