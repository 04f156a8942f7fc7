/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text of any length in pieces, and what JSON and XML want of it. */
#ifndef GST_EXPORT_TEXT_H
#define GST_EXPORT_TEXT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Empties the text: a frame can have millions of components. Anything but GST_FLOW_OK ends the writing. */
typedef GstFlowReturn (*ExportFlush) (gpointer user_data);

typedef struct {
  GString *out; /* what is not given away yet */
  ExportFlush flush;
  gpointer user_data;
} ExportText;

/* Gives the text away where it has grown long. */
GstFlowReturn export_text_flush (const ExportText *text);

/* KEY is text that goes before. */
void export_append_uint (GString *out, const gchar *key, guint64 value);
void export_append_double (GString *out, const gchar *key, gdouble value);
void export_append_time (GString *out, const gchar *key, GstClockTime time); /* or null */

/* In quotes, valid UTF-8 whatever TEXT is. */
void export_append_json_string (GString *out, const gchar *text);

/* ` NAME="TEXT"`, valid XML whatever TEXT is. */
void export_append_xml_attribute (GString *out, const gchar *name, const gchar *text);

G_END_DECLS

#endif
