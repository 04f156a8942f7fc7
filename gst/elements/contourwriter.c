/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contourwriter.h"

#include "numbertext.h"

#include <math.h>
#include <string.h>

/* Text is given away when it is longer than this. A GString of a whole frame with millions of components would take
 * gigabytes, and ends the process where they are not there. */
#define LONG_TEXT 65536

/* Where text goes. */
typedef struct {
  GString *out;
  ContourWriterFlush flush;
  gpointer user_data;
} Sink;

static GstFlowReturn
flush_long_text (const Sink *sink)
{
  return sink->out->len > LONG_TEXT ? sink->flush (sink->user_data) : GST_FLOW_OK;
}

static gboolean
is_contour_meta (const GstMeta *meta)
{
  return meta->info->api == GST_CONTOUR_META_API_TYPE;
}

gboolean
contour_writer_takes (const GstMeta *meta)
{
  return meta->info->api == GST_COMPONENT_META_API_TYPE || is_contour_meta (meta);
}

/* What both kinds of metadata have. */
static void
get_origin (GstMeta *meta, guint *width, guint *height, const gchar **source)
{
  if (is_contour_meta (meta)) {
    gst_contour_meta_get_size ((GstContourMeta *) meta, width, height);
    *source = gst_contour_meta_get_source ((GstContourMeta *) meta);
  } else {
    gst_component_meta_get_size ((GstComponentMeta *) meta, width, height);
    *source = gst_component_meta_get_source ((GstComponentMeta *) meta);
  }
}

static void
append_json_string (GString *out, const gchar *text)
{
  gchar *valid = g_utf8_make_valid (text, -1);
  g_string_append_c (out, '"');
  for (const gchar *c = valid; *c; c++) {
    if (*c == '"' || *c == '\\')
      g_string_append_c (out, '\\');
    if ((guchar) *c < 0x20)
      g_string_append_printf (out, "\\u%04x", *c);
    else
      g_string_append_c (out, *c);
  }
  g_string_append_c (out, '"');
  g_free (valid);
}

/* RFC 4180: in quotes where needed, quotes doubled. */
static void
append_csv_string (GString *out, const gchar *text)
{
  gchar *valid = g_utf8_make_valid (text, -1);
  gboolean quoted = valid[strcspn (valid, ",\"\r\n")] != '\0';
  if (quoted)
    g_string_append_c (out, '"');
  for (const gchar *c = valid; *c; c++) {
    if (*c == '"')
      g_string_append_c (out, '"');
    g_string_append_c (out, *c);
  }
  if (quoted)
    g_string_append_c (out, '"');
  g_free (valid);
}

static void
append_json_uint (GString *out, const gchar *key, guint64 value)
{
  g_string_append (out, key);
  number_text_append_uint (out, value);
}

static void
append_json_double (GString *out, const gchar *key, gdouble value)
{
  g_string_append (out, key);
  number_text_append_double (out, value);
}

static void
append_json_time (GString *out, const gchar *key, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    append_json_uint (out, key, time);
  else
    g_string_append_printf (out, "%snull", key);
}

static void
append_json_component (GString *out, const GstContoursComponent *c, GstComponentFeatures features)
{
  append_json_uint (out, "{\"label\":", c->label);
  append_json_double (out, ",\"area\":", c->area);
  append_json_double (out, ",\"x\":", c->x);
  append_json_double (out, ",\"y\":", c->y);
  append_json_double (out, ",\"w\":", c->w);
  append_json_double (out, ",\"h\":", c->h);
  append_json_double (out, ",\"cx\":", c->cx);
  append_json_double (out, ",\"cy\":", c->cy);
  if (features & GST_COMPONENT_FEATURE_MOMENTS) {
    append_json_double (out, ",\"orientation\":", c->orientation);
    append_json_double (out, ",\"major_axis\":", c->major_axis);
    append_json_double (out, ",\"minor_axis\":", c->minor_axis);
    append_json_double (out, ",\"eccentricity\":", c->eccentricity);
  }
  if (features & GST_COMPONENT_FEATURE_GREY) {
    append_json_uint (out, ",\"min\":", c->min);
    append_json_uint (out, ",\"max\":", c->max);
    append_json_double (out, ",\"mean\":", c->mean);
    append_json_double (out, ",\"std\":", c->std);
  }
  g_string_append_c (out, '}');
}

static GstFlowReturn
append_json_components (const Sink *sink, GstComponentMeta *meta)
{
  GString *out = sink->out;
  guint count = gst_component_meta_get_count (meta);
  GstComponentFeatures features = gst_component_meta_get_features (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  append_json_uint (out, ",\"threshold\":", gst_component_meta_get_threshold (meta));
  append_json_uint (out, ",\"connectivity\":", gst_component_meta_get_connectivity (meta));
  append_json_uint (out, ",\"count\":", count);
  g_string_append (out, ",\"components\":[");
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GstContoursComponent component;
    gst_component_meta_get_component (meta, i, &component);
    if (i > 0)
      g_string_append_c (out, ',');
    append_json_component (out, &component, features);
    ret = flush_long_text (sink);
  }
  return ret;
}

/* Where it is defined, else null. */
static void
append_json_centroid (GString *out, const gchar *key, gdouble value)
{
  if (isnan (value))
    g_string_append_printf (out, "%snull", key);
  else
    append_json_double (out, key, value);
}

static void
append_json_side (GString *out, const gchar *key, guint64 count, gdouble mean, gdouble variance)
{
  g_string_append (out, key);
  append_json_uint (out, "{\"count\":", count);
  append_json_double (out, ",\"mean\":", mean);
  append_json_double (out, ",\"variance\":", variance);
  g_string_append_c (out, '}');
}

static void
append_json_region (GString *out, const GstContoursRegion *r)
{
  append_json_uint (out, ",\"object\":", r->object);
  g_string_append (out, r->converged ? ",\"converged\":true" : ",\"converged\":false");
  g_string_append (out, r->restarted ? ",\"restarted\":true" : ",\"restarted\":false");
  append_json_uint (out, ",\"iterations\":", r->iterations);
  append_json_double (out, ",\"criterion\":", r->criterion);
  append_json_double (out, ",\"gain\":", r->gain);
  append_json_side (out, ",\"inside\":", r->inside_count, r->inside_mean, r->inside_variance);
  append_json_side (out, ",\"outside\":", r->outside_count, r->outside_mean, r->outside_variance);
}

static GstFlowReturn
append_json_points (const Sink *sink, GstContourMeta *meta, const CtrPoint *points, guint count)
{
  const GstContoursMapping *mapping = gst_contour_meta_get_mapping (meta);
  gboolean corners = gst_contour_meta_get_coordinates (meta) == GST_CONTOUR_COORDINATES_CORNERS;
  GstFlowReturn ret = GST_FLOW_OK;
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    gdouble x, y;
    if (corners)
      gst_contours_mapping_map_corner (mapping, points[i].x, points[i].y, &x, &y);
    else
      gst_contours_mapping_map_point (mapping, points[i].x, points[i].y, &x, &y);
    append_json_double (sink->out, i > 0 ? ",[" : "[", x);
    append_json_double (sink->out, ",", y);
    g_string_append_c (sink->out, ']');
    ret = flush_long_text (sink);
  }
  return ret;
}

static GstFlowReturn
append_json_contours (const Sink *sink, GstContourMeta *meta)
{
  GString *out = sink->out;
  guint count = gst_contour_meta_get_count (meta);
  gboolean moments = gst_contour_meta_get_features (meta) & GST_CONTOUR_FEATURE_MOMENTS;
  gboolean corners = gst_contour_meta_get_coordinates (meta) == GST_CONTOUR_COORDINATES_CORNERS;
  const CtrPoint *points = ctr_contours_map_points (gst_contour_meta_peek_contours (meta), NULL);
  GstFlowReturn ret = GST_FLOW_OK;
  append_json_uint (out, ",\"threshold\":", gst_contour_meta_get_threshold (meta));
  append_json_uint (out, ",\"count\":", count);
  g_string_append_printf (out, ",\"coordinates\":\"%s\",\"contours\":[", corners ? "corners" : "pixels");
  for (guint i = 0; ret == GST_FLOW_OK && i < count; i++) {
    GstContoursContour c;
    GstContoursRegion region;
    gst_contour_meta_get_contour (meta, i, &c);
    append_json_uint (out, i > 0 ? ",{\"id\":" : "{\"id\":", c.id);
    g_string_append (out, c.hole ? ",\"hole\":true" : ",\"hole\":false");
    if (c.parent >= 0)
      append_json_uint (out, ",\"parent\":", c.parent);
    else
      g_string_append (out, ",\"parent\":null");
    if (c.level > 0)
      append_json_uint (out, ",\"level\":", c.level);
    append_json_double (out, ",\"area\":", c.area);
    append_json_double (out, ",\"perimeter\":", c.perimeter);
    append_json_double (out, ",\"x\":", c.x);
    append_json_double (out, ",\"y\":", c.y);
    append_json_double (out, ",\"w\":", c.w);
    append_json_double (out, ",\"h\":", c.h);
    if (moments) {
      append_json_centroid (out, ",\"cx\":", c.cx);
      append_json_centroid (out, ",\"cy\":", c.cy);
    }
    if (gst_contour_meta_get_region (meta, i, &region))
      append_json_region (out, &region);
    g_string_append (out, ",\"points\":[");
    ret = append_json_points (sink, meta, points + c.first, c.count);
    if (ret == GST_FLOW_OK)
      g_string_append (out, "]}");
  }
  return ret;
}

GstFlowReturn
contour_writer_append_json (
    GString *out, const ContourWriterFrame *frame, GstMeta *meta, ContourWriterFlush flush, gpointer user_data)
{
  const Sink sink = {out, flush, user_data};
  guint width = frame->width, height = frame->height;
  const gchar *source = NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  if (meta)
    get_origin (meta, &width, &height, &source);

  g_string_append (out, "{\"schema\":\"" CONTOUR_WRITER_SCHEMA "\"");
  append_json_uint (out, ",\"frame\":", frame->index);
  append_json_time (out, ",\"pts\":", frame->pts);
  append_json_time (out, ",\"timestamp\":", frame->stream_time);
  g_string_append (out, ",\"source\":");
  if (source)
    append_json_string (out, source);
  else
    g_string_append (out, "null");
  if (width > 0) {
    append_json_uint (out, ",\"resolution\":{\"width\":", width);
    append_json_uint (out, ",\"height\":", height);
    g_string_append_c (out, '}');
  } else {
    g_string_append (out, ",\"resolution\":null");
  }

  if (!meta)
    g_string_append (out, ",\"threshold\":null,\"connectivity\":null,\"count\":0,\"components\":[");
  else if (is_contour_meta (meta))
    ret = append_json_contours (&sink, (GstContourMeta *) meta);
  else
    ret = append_json_components (&sink, (GstComponentMeta *) meta);
  if (ret == GST_FLOW_OK)
    g_string_append (out, "]}\n");
  return ret;
}

void
contour_writer_append_csv_header (GString *out)
{
  g_string_append (out, "frame,pts,timestamp,source,width,height,label,area,x,y,w,h,cx,cy,"
                        "orientation,major_axis,minor_axis,eccentricity,min,max,mean,std,"
                        "id,hole,parent,perimeter,point_count,level\n");
}

static void
append_csv_uint (GString *out, guint64 value)
{
  number_text_append_uint (out, value);
  g_string_append_c (out, ',');
}

static void
append_csv_double (GString *out, gdouble value)
{
  number_text_append_double (out, value);
  g_string_append_c (out, ',');
}

static void
append_csv_time (GString *out, GstClockTime time)
{
  if (GST_CLOCK_TIME_IS_VALID (time))
    number_text_append_uint (out, time);
  g_string_append_c (out, ',');
}

/* The columns that are the same in every row of a frame and metadata. */
static void
append_csv_frame (GString *out, const ContourWriterFrame *frame, GstMeta *meta)
{
  guint width, height;
  const gchar *source;
  get_origin (meta, &width, &height, &source);
  append_csv_uint (out, frame->index);
  append_csv_time (out, frame->pts);
  append_csv_time (out, frame->stream_time);
  append_csv_string (out, source ? source : "");
  g_string_append_c (out, ',');
  append_csv_uint (out, width);
  append_csv_uint (out, height);
}

static void
append_csv_component (GString *out, const GstContoursComponent *c, GstComponentFeatures features)
{
  append_csv_uint (out, c->label);
  append_csv_double (out, c->area);
  append_csv_double (out, c->x);
  append_csv_double (out, c->y);
  append_csv_double (out, c->w);
  append_csv_double (out, c->h);
  append_csv_double (out, c->cx);
  append_csv_double (out, c->cy);
  if (features & GST_COMPONENT_FEATURE_MOMENTS) {
    append_csv_double (out, c->orientation);
    append_csv_double (out, c->major_axis);
    append_csv_double (out, c->minor_axis);
    append_csv_double (out, c->eccentricity);
  } else {
    g_string_append (out, ",,,,");
  }
  if (features & GST_COMPONENT_FEATURE_GREY) {
    append_csv_uint (out, c->min);
    append_csv_uint (out, c->max);
    append_csv_double (out, c->mean);
    append_csv_double (out, c->std);
  } else {
    g_string_append (out, ",,,,");
  }
  g_string_append (out, ",,,,,\n");
}

static void
append_csv_contour (GString *out, const GstContoursContour *c)
{
  g_string_append_c (out, ',');
  append_csv_double (out, c->area);
  append_csv_double (out, c->x);
  append_csv_double (out, c->y);
  append_csv_double (out, c->w);
  append_csv_double (out, c->h);
  if (isnan (c->cx)) {
    g_string_append (out, ",,");
  } else {
    append_csv_double (out, c->cx);
    append_csv_double (out, c->cy);
  }
  g_string_append (out, ",,,,,,,,");
  append_csv_uint (out, c->id);
  g_string_append (out, c->hole ? "1," : "0,");
  if (c->parent >= 0)
    number_text_append_uint (out, c->parent);
  g_string_append_c (out, ',');
  append_csv_double (out, c->perimeter);
  append_csv_uint (out, c->count);
  if (c->level > 0)
    number_text_append_uint (out, c->level);
  g_string_append_c (out, '\n');
}

static GstFlowReturn
append_csv_components (const Sink *sink, const GString *start, GstComponentMeta *meta)
{
  GstComponentFeatures features = gst_component_meta_get_features (meta);
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursComponent c;
  for (guint i = 0; ret == GST_FLOW_OK && gst_component_meta_get_component (meta, i, &c); i++) {
    g_string_append_len (sink->out, start->str, start->len);
    append_csv_component (sink->out, &c, features);
    ret = flush_long_text (sink);
  }
  return ret;
}

static GstFlowReturn
append_csv_contours (const Sink *sink, const GString *start, GstContourMeta *meta)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstContoursContour c;
  for (guint i = 0; ret == GST_FLOW_OK && gst_contour_meta_get_contour (meta, i, &c); i++) {
    g_string_append_len (sink->out, start->str, start->len);
    append_csv_contour (sink->out, &c);
    ret = flush_long_text (sink);
  }
  return ret;
}

GstFlowReturn
contour_writer_append_csv (
    GString *out, const ContourWriterFrame *frame, GstMeta *meta, ContourWriterFlush flush, gpointer user_data)
{
  if (!meta)
    return GST_FLOW_OK;
  const Sink sink = {out, flush, user_data};
  GString *start = g_string_new (NULL);
  append_csv_frame (start, frame, meta);
  GstFlowReturn ret = is_contour_meta (meta) ? append_csv_contours (&sink, start, (GstContourMeta *) meta)
                                             : append_csv_components (&sink, start, (GstComponentMeta *) meta);
  g_string_free (start, TRUE);
  return ret;
}
