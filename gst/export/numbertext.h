/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as JSON and CSV want them: with a point in every locale, and read back to the same double. */
#ifndef GST_EXPORT_NUMBERTEXT_H
#define GST_EXPORT_NUMBERTEXT_H

#include <glib.h>

G_BEGIN_DECLS

void number_text_append_uint (GString *out, guint64 value);

/* The fewest digits that strtod() turns into VALUE again, whole numbers without a point. VALUE must be finite. */
void number_text_append_double (GString *out, gdouble value);

G_END_DECLS

#endif
