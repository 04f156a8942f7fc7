/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property select of analysers: limits on numbers as text. */
#ifndef GST_BASE_SELECTLIST_H
#define GST_BASE_SELECTLIST_H

#include <contours/select.h>
#include <glib-object.h>

G_BEGIN_DECLS

/* ctr_contour_number_name() or ctr_component_number_name(). */
typedef const char *(*SelectNames) (uint32_t number);

/* The limits in TEXT: items such as "area:200:5000" and "feret-max::120" between commas. Returns FALSE, sets *PROBLEM (transfer
 * full), which says what is wrong, and leaves SELECT if TEXT is invalid. Numbers have a decimal point in every locale. */
gboolean select_parse (const gchar *text, SelectNames names, CtrSelect *select, gchar **problem);

/* The property of an element: its text is what was set, *KEPT. Returns the warning (transfer full) about text that is invalid and
 * changes nothing; otherwise NULL. */
gchar *select_set (const gchar *text, SelectNames names, CtrSelect *select, gchar **kept);

GParamSpec *select_property_new (GParamFlags flags);

G_END_DECLS

#endif
