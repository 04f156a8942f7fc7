/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/name.h"

#include "gst/base/excerpt.h"
#include "gst/export/numbertext.h"

#define MAX_WIDTH 20 /* digits of the largest number */

/* Parses the placeholder at *P, after its %, and advances *P past it. */
static gboolean
parse_field (ExportName *name, const gchar **p)
{
  if (name->numbered)
    return FALSE;
  name->numbered = TRUE;
  if (**p == '0') {
    name->zeros = TRUE;
    (*p)++;
  }
  while (g_ascii_isdigit (**p)) {
    name->width = 10 * name->width + (guint) (**p - '0');
    if (name->width > MAX_WIDTH)
      return FALSE;
    (*p)++;
  }
  gchar conversion = **p;
  (*p)++;
  return conversion == 'd' || conversion == 'i' || conversion == 'u';
}

gboolean
export_name_parse (ExportName *name, const gchar *pattern, GError **error)
{
  GString *before = g_string_new (NULL), *after = g_string_new (NULL);
  gboolean ok = TRUE;
  *name = (ExportName){0};
  for (const gchar *p = pattern; ok && *p;) {
    GString *text = name->numbered ? after : before;
    gchar c = *p++;
    if (c != '%') {
      g_string_append_c (text, c);
    } else if (*p == '%') {
      g_string_append_c (text, '%');
      p++;
    } else {
      ok = parse_field (name, &p);
    }
  }
  name->before = g_string_free (before, FALSE);
  name->after = g_string_free (after, FALSE);
  if (!ok) {
    gchar *shown = excerpt_new (pattern);
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "location=\"%s\" is not a valid pattern. Use at most one placeholder such as %%05d, with up to %d digits, and "
        "write %%%% for the character %%.",
        shown, MAX_WIDTH);
    g_free (shown);
  }
  return ok;
}

void
export_name_clear (ExportName *name)
{
  g_clear_pointer (&name->before, g_free);
  g_clear_pointer (&name->after, g_free);
}

gchar *
export_name_make (const ExportName *name, guint64 number)
{
  GString *text = g_string_new (name->before);
  if (name->numbered) {
    GString *digits = g_string_new (NULL);
    number_text_append_uint (digits, number);
    for (gsize n = digits->len; n < name->width; n++)
      g_string_append_c (text, name->zeros ? '0' : ' ');
    g_string_append (text, digits->str);
    g_string_free (digits, TRUE);
  }
  g_string_append (text, name->after);
  return g_string_free (text, FALSE);
}
