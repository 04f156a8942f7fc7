/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property levels of cudacrackcontour: its text and the levels that it lists. */
#ifndef GST_CRACKS_LEVELS_H
#define GST_CRACKS_LEVELS_H

#include <glib.h>

G_BEGIN_DECLS

#define CRACK_LEVELS_MAX 65535

typedef struct {
  gchar *text;
  GArray *list; /* of guint32, ascending; NULL if the text is empty or invalid */
  gchar *error; /* why the text is invalid, or NULL */
} CrackLevels;

/* Parses TEXT; NULL counts as "". LEVELS starts as zeros. */
void crack_levels_set (CrackLevels *levels, const gchar *text);
void crack_levels_clear (CrackLevels *levels);

/* The warning about an invalid text (transfer full). */
gchar *crack_levels_describe_error (const CrackLevels *levels);

G_END_DECLS

#endif
