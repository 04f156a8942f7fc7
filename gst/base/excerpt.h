/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text that a user gave, as messages show it. */
#ifndef __SHORT_TEXT_H__
#define __SHORT_TEXT_H__

#include <glib.h>

G_BEGIN_DECLS

/* The beginning of TEXT (transfer full), with "..." where it goes on: in UTF-8, whatever it is in. */
gchar *short_text_new (const gchar *text);

G_END_DECLS

#endif /* __SHORT_TEXT_H__ */
