/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property color-range: ranges of channels as text. */
#ifndef GST_BASE_COLORRANGE_H
#define GST_BASE_COLORRANGE_H

#include <contours/foreground.h>
#include <glib.h>

G_BEGIN_DECLS

/* Sets the ranges of FOREGROUND to those in TEXT: items such as hue=100-130 or value=255 between commas or spaces. Returns
 * FALSE and sets *PROBLEM (transfer full), which says what is wrong, if TEXT is invalid; FOREGROUND stays as it is then. */
gboolean color_range_parse (const gchar *text, CtrForeground *foreground, gchar **problem);

G_END_DECLS

#endif
