/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SVG format: one picture for each frame. A contour and its holes are one path, filled by the even-odd rule; a chain of edge
 * pixels is a path that is not filled. */
#include "gst/export/format.h"
#include "gst/export/shape.h"
#include "gst/export/numbertext.h"

/* NAME includes the separators: ` name="`. */
static void
append_uint_attribute (GString *out, const gchar *name, guint64 value)
{
  export_append_uint (out, name, value);
  g_string_append_c (out, '"');
}

static void
append_double_attribute (GString *out, const gchar *name, gdouble value)
{
  export_append_double (out, name, value);
  g_string_append_c (out, '"');
}

static void
begin_frame (G_GNUC_UNUSED gpointer state, GString *out, const ExportFrame *frame)
{
  g_string_append (out, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
  if (frame->width > 0) {
    append_uint_attribute (out, " width=\"", frame->width);
    append_uint_attribute (out, " height=\"", frame->height);
    export_append_uint (out, " viewBox=\"0 0 ", frame->width);
    export_append_uint (out, " ", frame->height);
    g_string_append_c (out, '"');
  }
  g_string_append (out, " data-schema=\"" EXPORT_SCHEMA "\"");
  append_uint_attribute (out, " data-frame=\"", frame->index);
  if (GST_CLOCK_TIME_IS_VALID (frame->pts))
    append_uint_attribute (out, " data-pts=\"", frame->pts);
  if (GST_CLOCK_TIME_IS_VALID (frame->stream_time))
    append_uint_attribute (out, " data-timestamp=\"", frame->stream_time);
  if (frame->flags & GST_CONTOURS_RESULT_FLAG_CORRUPTED)
    g_string_append (out, " data-corrupted=\"true\"");
  if (frame->flags & GST_CONTOURS_RESULT_FLAG_INTERLACED)
    g_string_append (out, " data-interlaced=\"true\"");
  g_string_append (out, ">\n");
}

/* Appends a ring, or a line that is not CLOSED, as path commands: H and V for horizontal and vertical lines, else L. */
static GstFlowReturn
append_ring (const ExportText *text, const ExportShapes *shapes, const HalfPoint *points, guint count, gboolean closed)
{
  gdouble x, y, last_x = 0, last_y = 0;
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    export_shapes_map (shapes, points[i], &x, &y);
    if (i > 0 && y == last_y) {
      export_append_double (text->out, "H", x);
    } else if (i > 0 && x == last_x) {
      export_append_double (text->out, "V", y);
    } else {
      export_append_double (text->out, i > 0 ? "L" : "M", x);
      export_append_double (text->out, " ", y);
    }
    last_x = x;
    last_y = y;
    ret = export_text_flush (text);
  }
  if (closed)
    g_string_append_c (text->out, 'z');
  return ret;
}

/* The grey of a level in 8 bits; levels are 16-bit samples if any of them exceeds 255, and labels beyond that. */
static void
append_grey (GString *out, guint level, guint highest)
{
  guint grey = highest > 65535 ? (guint) ((guint64) level * 255 / highest) : highest > 255 ? level >> 8 : level;
  g_string_append (out, " fill=\"rgb(");
  number_text_append_uint (out, grey);
  export_append_uint (out, ",", grey);
  export_append_uint (out, ",", grey);
  g_string_append (out, ")\"");
}

static guint
highest_level (GstContoursContourMeta *meta)
{
  CtrContours *contours = gst_contours_contour_meta_peek_contours (meta);
  const CtrContour *table = ctr_contours_map_table (contours, NULL);
  guint highest = 0;
  for (guint i = 0; i < contours->count; i++)
    highest = MAX (highest, table[i].level);
  return highest;
}

static GstFlowReturn
append_contours (const ExportText *text, GstContoursContourMeta *meta)
{
  ExportShapes *shapes = export_shapes_new (meta, TRUE);
  const ExportShape *shape;
  guint highest = highest_level (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  while (ret == GST_FLOW_OK && (shape = export_shapes_next (shapes))) {
    g_string_append (text->out, "<path");
    append_uint_attribute (text->out, " data-id=\"", shape->contour.id);
    if (shape->contour.level > 0) {
      append_uint_attribute (text->out, " data-level=\"", shape->contour.level);
      append_grey (text->out, shape->contour.level, highest);
    }
    if (gst_contours_contour_meta_get_region_count (meta) > 0)
      append_uint_attribute (text->out, " data-region=\"", shape->contour.region_number);
    if (shape->contour.hole)
      g_string_append (text->out, " class=\"hole\"");
    g_string_append (text->out, " d=\"");
    for (guint r = 0; ret == GST_FLOW_OK && r < shape->rings->len; r++) {
      const OutlineRing *ring = &g_array_index (shape->rings, OutlineRing, r);
      /* A line of one point is a dot if it is closed. */
      ret = append_ring (text, shapes, &g_array_index (shape->points, HalfPoint, ring->first), ring->count,
          !shape->contour.open || ring->count == 1);
    }
    g_string_append (text->out, "\"/>\n");
  }
  export_shapes_free (shapes);
  return ret;
}

static GstFlowReturn
append_components (const ExportText *text, GstContoursComponentMeta *meta)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursComponent c;
  for (guint i = 0; ret == GST_FLOW_OK && gst_contours_component_meta_get_component (meta, i, &c); i++) {
    g_string_append (text->out, "<rect");
    append_uint_attribute (text->out, " data-label=\"", c.label);
    if (gst_contours_component_meta_get_region_count (meta) > 0)
      append_uint_attribute (text->out, " data-region=\"", c.region_number);
    append_double_attribute (text->out, " x=\"", c.x);
    append_double_attribute (text->out, " y=\"", c.y);
    append_double_attribute (text->out, " width=\"", c.w);
    append_double_attribute (text->out, " height=\"", c.h);
    g_string_append (text->out, "/>\n");
    ret = export_text_flush (text);
  }
  return ret;
}

static GstFlowReturn
write_group (
    G_GNUC_UNUSED gpointer state, const ExportText *text, G_GNUC_UNUSED const ExportFrame *frame, GstMeta *meta)
{
  const gchar *source = export_get_source (meta);
  gboolean contours = export_is_contours (meta);
  g_string_append (text->out, "<g");
  if (source)
    export_append_xml_attribute (text->out, "data-source", source);
  if (export_get_flags (meta) & GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED)
    g_string_append (text->out, " data-limit-exceeded=\"true\"");
  if (contours && gst_contours_contour_meta_has_edge_chains ((GstContoursContourMeta *) meta))
    g_string_append (text->out, " fill=\"none\" stroke=\"#000\" stroke-linecap=\"round\">\n");
  else
    g_string_append (text->out,
        contours ? " fill-rule=\"evenodd\" shape-rendering=\"crispEdges\">\n" : " fill=\"none\" stroke=\"#f00\">\n");
  GstFlowReturn ret = contours ? append_contours (text, (GstContoursContourMeta *) meta)
                               : append_components (text, (GstContoursComponentMeta *) meta);
  g_string_append (text->out, "</g>\n");
  return ret;
}

static void
end_frame (
    G_GNUC_UNUSED gpointer state, GString *out, G_GNUC_UNUSED const ExportFrame *frame, G_GNUC_UNUSED guint metas)
{
  g_string_append (out, "</svg>\n");
}

const ExportFormat export_svg = {
    .nick = "svg",
    .name = "SVG: one picture for each frame",
    .extent = EXPORT_FRAME,
    .begin_frame = begin_frame,
    .write = write_group,
    .end_frame = end_frame,
};
