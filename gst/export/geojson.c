/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GeoJSON format: one FeatureCollection for each frame, in pixels from the top left corner, y down. A contour with its
 * holes is a polygon, or a MultiPolygon if its pixels touch only at corners. A chain of edge pixels is a LineString, or a Point. */
#include "gst/export/format.h"
#include "gst/export/shape.h"

typedef struct {
  gboolean has_features; /* of the frame */
} State;

static gpointer
start (void)
{
  return g_new0 (State, 1);
}

static void
begin_frame (gpointer state, GString *out, const ExportFrame *frame)
{
  ((State *) state)->has_features = FALSE;
  g_string_append (out, "{\"type\":\"FeatureCollection\",\"schema\":\"" EXPORT_SCHEMA "\",");
  export_append_json_frame (out, frame);
  export_append_json_limit (out, frame->flags);
  g_string_append_c (out, ',');
  export_append_json_resolution (out, frame->width, frame->height);
  g_string_append (out, ",\"features\":[");
}

static void
append_position (GString *out, const gchar *before, gdouble x, gdouble y)
{
  g_string_append (out, before);
  export_append_double (out, "[", x);
  export_append_double (out, ",", y);
  g_string_append_c (out, ']');
}

/* RFC 7946: exterior rings run counterclockwise (x towards y), holes clockwise; the last position is the first. */
static GstFlowReturn
append_ring (const ExportText *text, const ExportShapes *shapes, const HalfPoint *points, guint count)
{
  gboolean backwards = export_shapes_are_mirrored (shapes);
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint i = 0; ret == GST_FLOW_OK && i <= count; i++) {
    gdouble x, y;
    guint at = i % count;
    export_shapes_map (shapes, points[backwards ? count - 1 - at : at], &x, &y);
    append_position (text->out, i > 0 ? "," : "[", x, y);
    ret = export_text_flush (text);
  }
  g_string_append_c (text->out, ']');
  return ret;
}

/* A closed line ends with its first position. */
static GstFlowReturn
append_chain (const ExportText *text, const ExportShapes *shapes, const ExportShape *shape)
{
  const HalfPoint *points = (const HalfPoint *) shape->points->data;
  const guint count = shape->points->len;
  GstFlowReturn ret = GST_FLOW_OK;
  gdouble x, y;
  if (count == 1) {
    export_shapes_map (shapes, points[0], &x, &y);
    append_position (text->out, "{\"type\":\"Point\",\"coordinates\":", x, y);
    g_string_append_c (text->out, '}');
    return ret;
  }
  g_string_append (text->out, "{\"type\":\"LineString\",\"coordinates\":");
  for (guint i = 0; ret == GST_FLOW_OK && i < count + !shape->contour.open; i++) {
    export_shapes_map (shapes, points[i % count], &x, &y);
    append_position (text->out, i > 0 ? "," : "[", x, y);
    ret = export_text_flush (text);
  }
  g_string_append (text->out, "]}");
  return ret;
}

static GstFlowReturn
append_geometry (const ExportText *text, const ExportShapes *shapes, const ExportShape *shape)
{
  gboolean several = shape->rings->len - shape->holes > 1;
  GstFlowReturn ret = GST_FLOW_OK;
  g_string_append (
      text->out, several ? "{\"type\":\"MultiPolygon\",\"coordinates\":[" : "{\"type\":\"Polygon\",\"coordinates\":");
  for (guint r = 0; ret == GST_FLOW_OK && r < shape->rings->len; r++) {
    const OutlineRing *ring = &g_array_index (shape->rings, OutlineRing, r);
    g_string_append (text->out, ring->hole ? "," : r > 0 ? "],[" : "[");
    ret = append_ring (text, shapes, &g_array_index (shape->points, HalfPoint, ring->first), ring->count);
  }
  g_string_append (text->out, several ? "]]}" : "]}");
  return ret;
}

/* Begins a feature, up to the members that describe the object. */
static void
begin_feature (State *state, GString *out, GstMeta *meta, guint threshold)
{
  const gchar *source = export_get_source (meta);
  g_string_append (out, state->has_features ? ",\n{" : "\n{");
  state->has_features = TRUE;
  g_string_append (out, "\"type\":\"Feature\",\"properties\":{\"source\":");
  if (source)
    export_append_json_string (out, source);
  else
    g_string_append (out, "null");
  export_append_uint (out, ",\"threshold\":", threshold);
  g_string_append_c (out, ',');
}

static GstFlowReturn
append_contours (State *state, const ExportText *text, GstContoursContourMeta *meta)
{
  ExportShapes *shapes = export_shapes_new (meta, TRUE);
  const ExportShape *shape;
  guint threshold = gst_contours_contour_meta_get_threshold (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  while (ret == GST_FLOW_OK && (shape = export_shapes_next (shapes))) {
    begin_feature (state, text->out, (GstMeta *) meta, threshold);
    export_append_json_contour (text->out, meta, &shape->contour);
    g_string_append (text->out, "},\"geometry\":");
    ret = shape->chain ? append_chain (text, shapes, shape) : append_geometry (text, shapes, shape);
    g_string_append_c (text->out, '}');
  }
  export_shapes_free (shapes);
  return ret;
}

static GstFlowReturn
append_components (State *state, const ExportText *text, GstContoursComponentMeta *meta)
{
  GString *out = text->out;
  GstContoursComponentFeatures features = gst_contours_component_meta_get_features (meta);
  guint threshold = gst_contours_component_meta_get_threshold (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursComponent c;
  for (guint i = 0; ret == GST_FLOW_OK && gst_contours_component_meta_get_component (meta, i, &c); i++) {
    begin_feature (state, out, (GstMeta *) meta, threshold);
    export_append_json_component (out, meta, &c, features);
    g_string_append (out, "},\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[");
    append_position (out, "[", c.x, c.y);
    append_position (out, ",", c.x + c.w, c.y);
    append_position (out, ",", c.x + c.w, c.y + c.h);
    append_position (out, ",", c.x, c.y + c.h);
    append_position (out, ",", c.x, c.y);
    g_string_append (out, "]]}}");
    ret = export_text_flush (text);
  }
  return ret;
}

static GstFlowReturn
write_features (gpointer state, const ExportText *text, G_GNUC_UNUSED const ExportFrame *frame, GstMeta *meta)
{
  return export_is_contours (meta) ? append_contours (state, text, (GstContoursContourMeta *) meta)
                                   : append_components (state, text, (GstContoursComponentMeta *) meta);
}

static void
end_frame (
    G_GNUC_UNUSED gpointer state, GString *out, G_GNUC_UNUSED const ExportFrame *frame, G_GNUC_UNUSED guint metas)
{
  g_string_append (out, "\n]}\n");
}

const ExportFormat export_geojson = {
    .nick = "geojson",
    .name = "GeoJSON: one FeatureCollection for each frame",
    .extent = EXPORT_FRAME,
    .start = start,
    .stop = g_free,
    .begin_frame = begin_frame,
    .write = write_features,
    .end_frame = end_frame,
};
