/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formatting of numbers for JSON and CSV: locale-independent, and exact when read back. */
#ifndef GST_EXPORT_NUMBERTEXT_H
#define GST_EXPORT_NUMBERTEXT_H

#include <glib.h>

G_BEGIN_DECLS

void number_text_append_uint (GString *out, guint64 value);

/* Appends the shortest decimal that strtod() converts back to VALUE; integers have no decimal point. VALUE must be
 * finite. */
void number_text_append_double (GString *out, gdouble value);

G_END_DECLS

#endif
