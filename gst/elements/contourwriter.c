/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contourwriter.h"

#include "numbertext.h"

#include <string.h>

/* Text is given away when it is longer than this. A GString of a whole frame with millions of components would take
 * gigabytes, and ends the process where they are not there. */
#define LONG_TEXT 65536

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
  if (!text[strcspn (text, ",\"\r\n")]) {
    g_string_append (out, text);
    return;
  }
  g_string_append_c (out, '"');
  for (const gchar *c = text; *c; c++) {
    if (*c == '"')
      g_string_append_c (out, '"');
    g_string_append_c (out, *c);
  }
  g_string_append_c (out, '"');
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

GstFlowReturn
contour_writer_append_json (
    GString *out, const ContourWriterFrame *frame, GstComponentMeta *meta, ContourWriterFlush flush, gpointer user_data)
{
  guint width = frame->width, height = frame->height;
  const gchar *source = NULL;
  if (meta) {
    gst_component_meta_get_size (meta, &width, &height);
    source = gst_component_meta_get_source (meta);
  }

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

  if (!meta) {
    g_string_append (out, ",\"threshold\":null,\"connectivity\":null,\"count\":0,\"components\":[]}\n");
    return GST_FLOW_OK;
  }
  guint count = gst_component_meta_get_count (meta);
  GstComponentFeatures features = gst_component_meta_get_features (meta);
  append_json_uint (out, ",\"threshold\":", gst_component_meta_get_threshold (meta));
  append_json_uint (out, ",\"connectivity\":", gst_component_meta_get_connectivity (meta));
  append_json_uint (out, ",\"count\":", count);
  g_string_append (out, ",\"components\":[");
  for (guint i = 0; i < count; i++) {
    GstContoursComponent component;
    gst_component_meta_get_component (meta, i, &component);
    if (i > 0)
      g_string_append_c (out, ',');
    append_json_component (out, &component, features);
    GstFlowReturn ret = out->len > LONG_TEXT ? flush (user_data) : GST_FLOW_OK;
    if (ret != GST_FLOW_OK)
      return ret;
  }
  g_string_append (out, "]}\n");
  return GST_FLOW_OK;
}

void
contour_writer_append_csv_header (GString *out)
{
  g_string_append (out, "frame,pts,timestamp,source,width,height,label,area,x,y,w,h,cx,cy,"
                        "orientation,major_axis,minor_axis,eccentricity,min,max,mean,std\n");
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

GstFlowReturn
contour_writer_append_csv (
    GString *out, const ContourWriterFrame *frame, GstComponentMeta *meta, ContourWriterFlush flush, gpointer user_data)
{
  if (!meta)
    return GST_FLOW_OK;
  guint width, height;
  gst_component_meta_get_size (meta, &width, &height);
  const gchar *source = gst_component_meta_get_source (meta);
  gchar *name = g_utf8_make_valid (source ? source : "", -1);
  GstComponentFeatures features = gst_component_meta_get_features (meta);
  GstFlowReturn ret = GST_FLOW_OK;

  GstContoursComponent c;
  for (guint i = 0; gst_component_meta_get_component (meta, i, &c); i++) {
    append_csv_uint (out, frame->index);
    append_csv_time (out, frame->pts);
    append_csv_time (out, frame->stream_time);
    append_csv_string (out, name);
    g_string_append_c (out, ',');
    append_csv_uint (out, width);
    append_csv_uint (out, height);
    append_csv_uint (out, c.label);
    append_csv_double (out, c.area);
    append_csv_double (out, c.x);
    append_csv_double (out, c.y);
    append_csv_double (out, c.w);
    append_csv_double (out, c.h);
    append_csv_double (out, c.cx);
    append_csv_double (out, c.cy);
    if (features & GST_COMPONENT_FEATURE_MOMENTS) {
      append_csv_double (out, c.orientation);
      append_csv_double (out, c.major_axis);
      append_csv_double (out, c.minor_axis);
      append_csv_double (out, c.eccentricity);
    } else {
      g_string_append (out, ",,,,");
    }
    if (features & GST_COMPONENT_FEATURE_GREY) {
      append_csv_uint (out, c.min);
      append_csv_uint (out, c.max);
      append_csv_double (out, c.mean);
      number_text_append_double (out, c.std);
    } else {
      g_string_append (out, ",,,");
    }
    g_string_append (out, "\n");
    if (out->len > LONG_TEXT && (ret = flush (user_data)) != GST_FLOW_OK)
      break;
  }
  g_free (name);
  return ret;
}
