/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File names with a number in them: "part-%05d.svg". */
#ifndef GST_EXPORT_NAME_H
#define GST_EXPORT_NAME_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gchar *before; /* the field */
  gchar *after;
  gboolean numbered; /* is there a field? */
  gboolean zeros;    /* fill it with zeros, else with blanks, */
  guint width;       /* to this width */
} ExportName;

/* Reads PATTERN: text with at most one field, % [0] [width] d (or i, u), and %% for the character. FALSE and an error
 * of GST_RESOURCE_ERROR for any other use of %. NAME is to be cleared, also then. */
gboolean export_name_parse (ExportName *name, const gchar *pattern, GError **error);
void export_name_clear (ExportName *name);

/* transfer full. */
gchar *export_name_make (const ExportName *name, guint64 number);

G_END_DECLS

#endif
