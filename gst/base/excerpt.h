/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that a user gave, as messages show it. */
#ifndef GST_BASE_EXCERPT_H
#define GST_BASE_EXCERPT_H

#include <glib.h>

G_BEGIN_DECLS

/* The beginning of TEXT (transfer full), with "..." where it goes on: in UTF-8, whatever it is in. */
gchar *excerpt_new (const gchar *text);

G_END_DECLS

#endif
