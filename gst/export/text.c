/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/text.h"

#include "gst/export/numbertext.h"

#include <math.h>
#include <string.h>

/* Length from which text is flushed. A GString of a whole frame with millions of components would take gigabytes, and
 * GLib aborts if memory runs out. */
#define LONG_TEXT 65536

GstFlowReturn
export_text_flush (const ExportText *text)
{
  return text->out->len > LONG_TEXT ? text->flush (text->user_data) : GST_FLOW_OK;
}

void
export_append_uint (GString *out, const gchar *key, guint64 value)
{
  g_string_append (out, key);
  number_text_append_uint (out, value);
}

void
export_append_double (GString *out, const gchar *key, gdouble value)
{
  g_string_append (out, key);
  if (isfinite (value))
    number_text_append_double (out, value);
  else
    g_string_append (out, "null");
}

void
export_append_time (GString *out, const gchar *key, GstClockTime time)
{
  g_string_append (out, key);
  if (GST_CLOCK_TIME_IS_VALID (time))
    number_text_append_uint (out, time);
  else
    g_string_append (out, "null");
}

void
export_append_utc (GString *out, GstClockTime time)
{
  GDateTime *date = g_date_time_new_from_unix_utc ((gint64) (time / GST_SECOND));
  g_string_append_printf (out, "%04d-%02d-%02dT%02d:%02d:%02d.%06uZ", g_date_time_get_year (date),
      g_date_time_get_month (date), g_date_time_get_day_of_month (date), g_date_time_get_hour (date),
      g_date_time_get_minute (date), g_date_time_get_second (date), (guint) (time % GST_SECOND / GST_USECOND));
  g_date_time_unref (date);
}

void
export_append_json_string (GString *out, const gchar *text)
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

/* Quoted if necessary, with quotes doubled. */
void
export_append_csv_string (GString *out, const gchar *text)
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

void
export_append_xml_attribute (GString *out, const gchar *name, const gchar *text)
{
  gchar *valid = g_utf8_make_valid (text, -1);
  g_string_append_printf (out, " %s=\"", name);
  for (const gchar *p = valid; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    if (c == '<' || c == '&' || c == '"' || c == '\t' || c == '\n' || c == '\r')
      g_string_append_printf (out, "&#%u;", c);
    else if (c < 0x20 || c == 0xfffe || c == 0xffff) /* not valid in XML, even as references */
      g_string_append (out, "\uFFFD");
    else
      g_string_append_unichar (out, c);
  }
  g_string_append_c (out, '"');
  g_free (valid);
}
