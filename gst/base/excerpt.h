/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Excerpts of user input for messages. */
#ifndef GST_BASE_EXCERPT_H
#define GST_BASE_EXCERPT_H

#include <glib.h>

G_BEGIN_DECLS

/* The beginning of TEXT as valid UTF-8 (transfer full), followed by "..." if TEXT is longer. */
gchar *excerpt_new (const gchar *text);

G_END_DECLS

#endif
