/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NDJSON format: one line for each meta of a frame. */
#include "gst/export/format.h"
#include "gst/export/worldnumbers.h"

/* Appends the pixels that are in no component. Without any there is no centroid. */
static void
append_background (GString *out, GstContoursComponentMeta *meta, GstContoursComponentFeatures features)
{
  GstContoursComponent background;
  if (!gst_contours_component_meta_get_background (meta, &background))
    return;
  g_string_append (out, ",\"background\":");
  if (background.pixels == 0) {
    g_string_append (out, "null");
    return;
  }
  g_string_append_c (out, '{');
  export_append_json_component (out, meta, &background, features & GST_CONTOURS_COMPONENT_FEATURE_VALUES);
  g_string_append_c (out, '}');
}

static GstFlowReturn
append_components (const ExportText *text, GstContoursComponentMeta *meta)
{
  GString *out = text->out;
  guint count = gst_contours_component_meta_get_count (meta);
  GstContoursComponentFeatures features = gst_contours_component_meta_get_features (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  export_append_uint (out, ",\"threshold\":", gst_contours_component_meta_get_threshold (meta));
  export_append_uint (out, ",\"connectivity\":", gst_contours_component_meta_get_connectivity (meta));
  export_append_uint (out, ",\"count\":", count);
  append_background (out, meta, features);
  g_string_append (out, ",\"components\":[");
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GstContoursComponent component;
    export_get_web_component (meta, i, &component);
    g_string_append (out, i > 0 ? ",{" : "{");
    export_append_json_component (out, meta, &component, features);
    g_string_append_c (out, '}');
    ret = export_text_flush (text);
  }
  return ret;
}

static GstFlowReturn
append_points (const ExportText *text, GstContoursContourMeta *meta, const CtrPoint *points, guint count)
{
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    gdouble x, y;
    export_map_point (meta, &points[i], &x, &y);
    export_append_double (text->out, i > 0 ? ",[" : "[", x);
    export_append_double (text->out, ",", y);
    g_string_append_c (text->out, ']');
    ret = export_text_flush (text);
  }
  return ret;
}

/* Where the lines of contours come from. */
typedef struct {
  const CtrPoint *points; /* NULL: */
  CtrContourCodes codes;
} Lines;

static Lines
map_lines (GstContoursContourMeta *meta, gboolean codes)
{
  Lines lines = {.points = NULL};
  if (!codes || !export_map_codes (meta, &lines.codes))
    lines.points = ctr_contours_map_points (gst_contours_contour_meta_peek_contours (meta), NULL);
  return lines;
}

/* The frame that codes refer to. */
static void
append_analysed (GString *out, GstContoursContourMeta *meta)
{
  guint width, height;
  gst_contours_contour_meta_get_reference_size (meta, &width, &height);
  export_append_uint (out, ",\"analysed\":{\"width\":", width);
  export_append_uint (out, ",\"height\":", height);
  g_string_append_c (out, '}');
}

/* The polygons that led to contour INDEX. */
static GstFlowReturn
append_history (const ExportText *text, GstContoursContourMeta *meta, guint index)
{
  static const gchar *const kinds[] = {"started", "moved", "split", "pruned"};
  const guint count = gst_contours_contour_meta_get_state_count (meta, index);
  GString *out = text->out;
  GstFlowReturn ret = GST_FLOW_OK;
  g_string_append (out, ",\"history\":[");
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GBytes *points = gst_contours_contour_meta_get_state_points (meta, index, i);
    GstContoursState state;
    gst_contours_contour_meta_get_state (meta, index, i, &state);
    g_string_append_printf (out, "%s{\"kind\":\"%s\"", i > 0 ? "," : "", kinds[state.kind]);
    export_append_uint (out, ",\"iteration\":", state.iteration);
    export_append_uint (out, ",\"step\":", state.step);
    export_append_double (out, ",\"criterion\":", state.criterion);
    export_append_uint (out, ",\"inside_count\":", state.inside_count);
    g_string_append (out, ",\"points\":[");
    ret = append_points (text, meta, g_bytes_get_data (points, NULL), state.count);
    if (ret == GST_FLOW_OK)
      g_string_append (out, "]}");
    g_bytes_unref (points);
  }
  if (ret == GST_FLOW_OK)
    g_string_append_c (out, ']');
  return ret;
}

static GstFlowReturn
append_line (const ExportText *text, GstContoursContourMeta *meta, const Lines *lines, const GstContoursContour *c)
{
  GString *out = text->out;
  GstFlowReturn ret;
  if (lines->points) {
    g_string_append (out, ",\"points\":[");
    ret = append_points (text, meta, lines->points + c->first, c->count);
    g_string_append (out, ret == GST_FLOW_OK ? "]" : "");
    return ret;
  }
  const CtrPoint start = lines->codes.chains[c->id].first;
  export_append_uint (out, ",\"start\":[", start.x);
  export_append_uint (out, ",", start.y);
  g_string_append (out, "],\"codes\":\"");
  ret = export_append_codes (text, &lines->codes, c->id);
  g_string_append (out, ret == GST_FLOW_OK ? "\"" : "");
  return ret;
}

/* Where the edge is beside each point of contour INDEX: null where that is not known. */
static GstFlowReturn
append_subpixels (const ExportText *text, GstContoursContourMeta *meta, guint index)
{
  GString *out = text->out;
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursSubpixel s;
  g_string_append (out, ",\"subpixels\":[");
  for (guint i = 0; ret == GST_FLOW_OK && gst_contours_contour_meta_get_subpixel (meta, index, i, &s); i++) {
    g_string_append (out, i > 0 ? "," : "");
    if (s.flags == GST_CONTOURS_SUBPIXEL_FLAG_NONE) {
      export_append_double (out, "[", s.x);
      export_append_double (out, ",", s.y);
      export_append_double (out, ",", export_get_normal_angle (&s));
      export_append_double (out, ",", s.strength);
      g_string_append_c (out, ']');
    } else {
      g_string_append (out, "null");
    }
    ret = export_text_flush (text);
  }
  g_string_append (out, ret == GST_FLOW_OK ? "]" : "");
  return ret;
}

static GstFlowReturn
append_contours (const ExportText *text, GstContoursContourMeta *meta, gboolean codes)
{
  GString *out = text->out;
  guint count = gst_contours_contour_meta_get_count (meta);
  const Lines lines = map_lines (meta, codes);
  GstFlowReturn ret = GST_FLOW_OK;
  export_append_uint (out, ",\"threshold\":", gst_contours_contour_meta_get_threshold (meta));
  export_append_json_limit (out, gst_contours_contour_meta_get_flags (meta));
  if (gst_contours_contour_meta_get_flags (meta) & GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED)
    export_append_uint (out, ",\"needed\":", gst_contours_contour_meta_get_needed (meta));
  export_append_uint (out, ",\"count\":", count);
  g_string_append_printf (out, ",\"coordinates\":\"%s\"", export_get_coordinates (meta));
  const guint connectivity = gst_contours_contour_meta_get_connectivity (meta);
  if (connectivity)
    export_append_uint (out, ",\"connectivity\":", connectivity);
  if (!lines.points)
    append_analysed (out, meta);
  g_string_append (out, ",\"contours\":[");
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GstContoursContour c;
    export_get_web_contour (meta, i, &c);
    g_string_append (out, i > 0 ? ",{" : "{");
    export_append_json_contour (out, meta, &c);
    ret = append_line (text, meta, &lines, &c);
    if (ret == GST_FLOW_OK && lines.points)
      ret = export_append_json_world_points (text, meta, i);
    if (ret == GST_FLOW_OK && gst_contours_contour_meta_has_history (meta))
      ret = append_history (text, meta, i);
    if (ret == GST_FLOW_OK && gst_contours_contour_meta_has_subpixel (meta))
      ret = append_subpixels (text, meta, i);
    if (ret == GST_FLOW_OK)
      g_string_append_c (out, '}');
  }
  return ret;
}

/* Writes the members that lines of all kinds of metadata have. */
static void
append_head (GString *out, const ExportFrame *frame, guint width, guint height, const gchar *source)
{
  g_string_append (out, "{\"schema\":\"" EXPORT_SCHEMA "\",");
  if (frame->identity)
    g_string_append (out, frame->identity);
  export_append_json_frame (out, frame);
  g_string_append (out, ",\"source\":");
  if (source)
    export_append_json_string (out, source);
  else
    g_string_append (out, "null");
  g_string_append_c (out, ',');
  export_append_json_resolution (out, width, height);
}

static void
append_first_row (GString *out, GstMeta *meta)
{
  export_append_uint (out, ",\"first_row\":",
      export_is_contours (meta) ? gst_contours_contour_meta_get_first_row ((GstContoursContourMeta *) meta)
                                : gst_contours_component_meta_get_first_row ((GstContoursComponentMeta *) meta));
}

static GstFlowReturn
write_meta (const ExportText *text, const ExportFrame *frame, GstMeta *meta, gboolean codes)
{
  guint width, height;
  export_get_size (meta, &width, &height);
  append_head (text->out, frame, width, height, export_get_source (meta));
  if (export_get_flags (meta) & GST_CONTOURS_RESULT_FLAG_STRIP)
    append_first_row (text->out, meta);
  GstFlowReturn ret = export_is_contours (meta) ? append_contours (text, (GstContoursContourMeta *) meta, codes)
                                                : append_components (text, (GstContoursComponentMeta *) meta);
  if (ret == GST_FLOW_OK)
    g_string_append (text->out, "]}\n");
  return ret;
}

static GstFlowReturn
write_line (G_GNUC_UNUSED gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta)
{
  return write_meta (text, frame, meta, FALSE);
}

static GstFlowReturn
write_line_of_codes (G_GNUC_UNUSED gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta)
{
  return write_meta (text, frame, meta, TRUE);
}

/* A frame without metadata has a line as well. */
static void
end_frame (G_GNUC_UNUSED gpointer state, GString *out, const ExportFrame *frame, guint metas)
{
  if (metas > 0)
    return;
  append_head (out, frame, frame->width, frame->height, NULL);
  g_string_append (out, ",\"threshold\":null,\"connectivity\":null,\"count\":0,\"components\":[]}\n");
}

const ExportFormat export_ndjson = {
    .nick = "ndjson",
    .name = "NDJSON: one JSON line for each frame and analyser",
    .extent = EXPORT_LINES,
    .write = write_line,
    .end_frame = end_frame,
};

const ExportFormat export_ndjson_codes = {
    .nick = "ndjson",
    .name = "NDJSON with codes",
    .extent = EXPORT_LINES,
    .codes = TRUE,
    .write = write_line_of_codes,
    .end_frame = end_frame,
};
