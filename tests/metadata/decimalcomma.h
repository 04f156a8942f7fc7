/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A locale in which printf() writes 0,5. */
#ifndef DECIMAL_COMMA_H
#define DECIMAL_COMMA_H

#include <glib.h>
#include <locale.h>

/* Sets a locale with a decimal comma: an installed one, or a new one in FOLDER. Returns FALSE if there is none. In
 * either case, stop_decimal_comma() must follow. */
static inline gboolean
use_decimal_comma (gchar **folder)
{
  const gchar *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "it_IT.UTF-8", "nl_NL.UTF-8"};
  *folder = g_dir_make_tmp ("locale-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (setlocale (LC_ALL, names[i]))
      return TRUE;
  gchar *target = g_build_filename (*folder, "de_DE.UTF-8", NULL);
  const gchar *const command[] = {"localedef", "-i", "de_DE", "-f", "UTF-8", target, NULL};
  g_spawn_sync (NULL, (gchar **) command, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
      NULL, NULL, NULL);
  g_free (target);
  g_setenv ("LOCPATH", *folder, TRUE);
  return setlocale (LC_ALL, "de_DE.UTF-8") != NULL;
}

static inline void
stop_decimal_comma (gchar *folder)
{
  const gchar *const remove[] = {"rm", "-r", folder, NULL};
  setlocale (LC_ALL, "C");
  g_spawn_sync (NULL, (gchar **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  g_free (folder);
}

#endif
