/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output text that is flushed in pieces, and its JSON and XML syntax. */
#ifndef GST_EXPORT_TEXT_H
#define GST_EXPORT_TEXT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Writes the text out and empties it. Any result except GST_FLOW_OK ends the writing. */
typedef GstFlowReturn (*ExportFlush) (gpointer user_data);

typedef struct {
  GString *out; /* text that is not written out yet */
  ExportFlush flush;
  gpointer user_data;
} ExportText;

/* Flushes the text if it is long: a frame can have millions of components. */
GstFlowReturn export_text_flush (const ExportText *text);

/* KEY is the text before the value. */
void export_append_uint (GString *out, const gchar *key, guint64 value);
void export_append_double (GString *out, const gchar *key, gdouble value);   /* null if undefined or infinite */
void export_append_time (GString *out, const gchar *key, GstClockTime time); /* null if invalid */

/* Appends a valid TIME since 1970 as RFC 3339 has it, in UTC and microseconds: 2030-01-31T23:59:59.123456Z. */
void export_append_utc (GString *out, GstClockTime time);

/* Appends TEXT as a quoted JSON string in valid UTF-8. */
void export_append_json_string (GString *out, const gchar *text);

/* Appends TEXT as a field of CSV (RFC 4180) in valid UTF-8. */
void export_append_csv_string (GString *out, const gchar *text);

/* Appends ` NAME="TEXT"` as valid XML. */
void export_append_xml_attribute (GString *out, const gchar *name, const gchar *text);

G_END_DECLS

#endif
