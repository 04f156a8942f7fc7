/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NDJSON format: one line for each meta of a frame. */
#include "gst/export/format.h"

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
  g_string_append (out, ",\"components\":[");
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GstContoursComponent component;
    export_get_web_component (meta, i, &component);
    g_string_append (out, i > 0 ? ",{" : "{");
    export_append_json_component (out, &component, features);
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
append_contours (const ExportText *text, GstContoursContourMeta *meta)
{
  GString *out = text->out;
  guint count = gst_contours_contour_meta_get_count (meta);
  const CtrPoint *points = ctr_contours_map_points (gst_contours_contour_meta_peek_contours (meta), NULL);
  GstFlowReturn ret = GST_FLOW_OK;
  export_append_uint (out, ",\"threshold\":", gst_contours_contour_meta_get_threshold (meta));
  export_append_json_limit (out, gst_contours_contour_meta_get_flags (meta));
  if (gst_contours_contour_meta_get_flags (meta) & GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED)
    export_append_uint (out, ",\"needed\":", gst_contours_contour_meta_get_needed (meta));
  export_append_uint (out, ",\"count\":", count);
  g_string_append_printf (out, ",\"coordinates\":\"%s\",\"contours\":[", export_get_coordinates (meta));
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GstContoursContour c;
    export_get_web_contour (meta, i, &c);
    g_string_append (out, i > 0 ? ",{" : "{");
    export_append_json_contour (out, meta, &c);
    g_string_append (out, ",\"points\":[");
    ret = append_points (text, meta, points + c.first, c.count);
    if (ret == GST_FLOW_OK)
      g_string_append_c (out, ']');
    if (ret == GST_FLOW_OK && gst_contours_contour_meta_has_history (meta))
      ret = append_history (text, meta, i);
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
write_line (G_GNUC_UNUSED gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta)
{
  guint width, height;
  export_get_size (meta, &width, &height);
  append_head (text->out, frame, width, height, export_get_source (meta));
  if (export_get_flags (meta) & GST_CONTOURS_RESULT_FLAG_STRIP)
    append_first_row (text->out, meta);
  GstFlowReturn ret = export_is_contours (meta) ? append_contours (text, (GstContoursContourMeta *) meta)
                                                : append_components (text, (GstContoursComponentMeta *) meta);
  if (ret == GST_FLOW_OK)
    g_string_append (text->out, "]}\n");
  return ret;
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
