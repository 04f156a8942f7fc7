/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the list of levels and describes its errors. */
#include "gst/cracks/levels.h"

#include "gst/base/excerpt.h"

/* The numbers in TEXT, separated by commas or spaces. NULL if there are none, or if TEXT is invalid: *PROBLEM then says
 * why. */
static GArray *
parse_levels (const gchar *text, gchar **problem)
{
  GArray *levels = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 before = 0;
  gchar **words = g_strsplit_set (text, ", \t\n", -1);

  *problem = NULL;
  for (gchar **word = words; *word && !*problem; word++) {
    guint64 number;
    guint32 level;

    if (!**word)
      continue;
    if (!g_ascii_string_to_unsigned (*word, 10, 1, CRACK_LEVELS_MAX, &number, NULL)) {
      gchar *shown = excerpt_new (*word);

      *problem = g_strdup_printf ("'%s' is not an integer from 1 to %d", shown, CRACK_LEVELS_MAX);
      g_free (shown);
      break;
    }
    level = number;
    if (level <= before)
      *problem = g_strdup_printf ("%u follows %u, but levels must ascend", level, before);
    before = level;
    g_array_append_val (levels, level);
  }
  g_strfreev (words);
  if (*problem || levels->len == 0)
    g_clear_pointer (&levels, g_array_unref);
  return levels;
}

void
crack_levels_set (CrackLevels *levels, const gchar *text)
{
  crack_levels_clear (levels);
  levels->text = g_strdup (text ? text : "");
  levels->list = parse_levels (levels->text, &levels->error);
}

void
crack_levels_clear (CrackLevels *levels)
{
  g_clear_pointer (&levels->text, g_free);
  g_clear_pointer (&levels->error, g_free);
  g_clear_pointer (&levels->list, g_array_unref);
}

gchar *
crack_levels_describe_error (const CrackLevels *levels)
{
  gchar *shown = excerpt_new (levels->text);
  gchar *warning = g_strdup_printf (
      "No contours: levels=\"%s\" is invalid: %s. Set an ascending list such as 64,128,192, or \"\" for the range from "
      "min-level to max-level.",
      shown, levels->error);

  g_free (shown);
  return warning;
}
