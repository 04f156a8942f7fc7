/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/selectlist.h"

#include "gst/base/excerpt.h"

#include <math.h>

static gchar *
list_names (SelectNames names)
{
  GString *list = g_string_new (names (0));

  for (uint32_t number = 1; names (number); number++)
    g_string_append_printf (list, names (number + 1) ? ", %s" : " or %s", names (number));
  return g_string_free (list, FALSE);
}

/* Parses a limit; an empty one is NONE. */
static gboolean
parse_limit (const gchar *text, gdouble none, gdouble *limit)
{
  gchar *end;

  *limit = none;
  if (!*text)
    return TRUE;
  *limit = g_ascii_strtod (text, &end);
  return !*end && isfinite (*limit);
}

/* Finds the number that NAME stands for. */
static gboolean
find_number (const gchar *name, SelectNames names, uint32_t *number)
{
  for (*number = 0; names (*number); ++*number)
    if (g_ascii_strcasecmp (names (*number), name) == 0)
      return TRUE;
  return FALSE;
}

/* Adds PARTS: name, least and greatest number. Returns what is wrong (transfer full), or NULL. */
static gchar *
add_limits (gchar **parts, SelectNames names, CtrSelect *select)
{
  CtrLimits limits = {0};
  gchar *known, *problem;

  for (gchar **part = parts; *part; part++)
    g_strstrip (*part);
  if (!find_number (parts[0], names, &limits.feature)) {
    known = list_names (names);
    problem = g_strdup_printf ("names no number: %s", known);
    g_free (known);
    return problem;
  }
  if (g_strv_length (parts) != 3 || (!*parts[1] && !*parts[2]))
    return g_strdup ("is not name:minimum:maximum, of which one may be empty");
  if (!parse_limit (parts[1], -INFINITY, &limits.min) || !parse_limit (parts[2], INFINITY, &limits.max))
    return g_strdup ("has a limit that is no number, such as 0.8");
  if (limits.min > limits.max)
    return g_strdup ("has a minimum above the maximum");
  for (uint32_t i = 0; i < select->count; i++)
    if (select->limits[i].feature == limits.feature)
      return g_strdup ("is a second limit on its number");
  if (select->count == CTR_SELECT_MAX)
    return g_strdup_printf ("is one too many: there can be %d", CTR_SELECT_MAX);
  select->limits[select->count++] = limits;
  return NULL;
}

gboolean
select_parse (const gchar *text, SelectNames names, CtrSelect *select, gchar **problem)
{
  CtrSelect limits = {0};
  gchar **items = g_strsplit (text, ",", -1);

  *problem = NULL;
  for (gchar **item = items; *item && !*problem; item++) {
    gchar *shown = excerpt_new (g_strstrip (*item)), **parts = g_strsplit (*item, ":", -1), *wrong = NULL;

    if (**item)
      wrong = add_limits (parts, names, &limits);
    if (wrong)
      *problem = g_strdup_printf ("'%s' %s", shown, wrong);
    g_free (wrong);
    g_free (shown);
    g_strfreev (parts);
  }
  g_strfreev (items);
  if (!*problem)
    *select = limits;
  return !*problem;
}

gchar *
select_set (const gchar *text, SelectNames names, CtrSelect *select, gchar **kept)
{
  gchar *problem, *shown, *message;

  text = text ? text : "";
  if (select_parse (text, names, select, &problem)) {
    g_free (*kept);
    *kept = g_strdup (text);
    return NULL;
  }
  shown = excerpt_new (text);
  message = g_strdup_printf ("select=\"%s\" is invalid: %s. It stays \"%s\". Set a list such as "
                             "\"area:200:5000, width::120\", or \"\" for no limits.",
      shown, problem, *kept);
  g_free (shown);
  g_free (problem);
  return message;
}

GParamSpec *
select_property_new (GParamFlags flags)
{
  return g_param_spec_string ("select", "Select",
      "Limits on numbers, name:minimum:maximum, such as area:200:5000, width::120; what is outside one of them is "
      "dropped "
      "(empty = no limits)",
      "", flags);
}
