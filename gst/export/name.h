/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbered file names: patterns such as "part-%05d.svg". */
#ifndef GST_EXPORT_NAME_H
#define GST_EXPORT_NAME_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gchar *before;     /* text before the placeholder */
  gchar *after;      /* text after it */
  gboolean numbered; /* the pattern has a placeholder */
  gboolean zeros;    /* pad with zeros, otherwise with spaces */
  guint width;       /* minimum number of digits */
} ExportName;

/* Parses PATTERN: text with at most one placeholder, % [0] [width] d (or i, u), and %% for the character %. Returns
 * FALSE and an error of GST_RESOURCE_ERROR for any other use of %. NAME must be cleared in either case. */
gboolean export_name_parse (ExportName *name, const gchar *pattern, GError **error);
void export_name_clear (ExportName *name);

/* The file name for NUMBER (transfer full). */
gchar *export_name_make (const ExportName *name, guint64 number);

G_END_DECLS

#endif
