/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/excerpt.h"

#include <string.h>

#define MAX_SHOWN 60 /* bytes */

gchar *
excerpt_new (const gchar *text)
{
  const gsize length = strlen (text);
  gsize shown = MIN (length, MAX_SHOWN);
  gchar *valid, *result;

  /* A UTF-8 character, which has at most three continuation bytes 10xxxxxx, is not cut. */
  for (guint i = 0; shown < length && i < 3 && (text[shown] & 0xc0) == 0x80; i++)
    shown--;
  valid = g_utf8_make_valid (text, shown);
  result = g_strconcat (valid, shown < length ? "..." : NULL, NULL);
  g_free (valid);
  return result;
}
