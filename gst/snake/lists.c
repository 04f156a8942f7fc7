/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the text of the list properties together with their parsed values. */
#include "gst/snake/lists.h"

#include "gst/base/excerpt.h"
#include "gst/snake/parse.h"

static const struct {
  const gchar *property, *form;
} descriptions[SNAKE_LIST_COUNT] = {{"window", "x,y,w,h"}, {"rectangle", "x,y,w,h"}, {"polygon", "x,y x,y x,y"}};

void
snake_lists_init (SnakeLists *lists)
{
  *lists = (SnakeLists){0};
  for (guint i = 0; i < SNAKE_LIST_COUNT; i++)
    snake_lists_set (lists, i, "");
}

void
snake_lists_clear (SnakeLists *lists)
{
  for (guint i = 0; i < SNAKE_LIST_COUNT; i++) {
    g_free (lists->texts[i]);
    g_free (lists->errors[i]);
  }
  g_clear_pointer (&lists->windows, g_array_unref);
  g_clear_pointer (&lists->rectangles, g_array_unref);
  g_clear_pointer (&lists->polygons, g_ptr_array_unref);
}

void
snake_lists_set (SnakeLists *lists, SnakeListKind kind, const gchar *text)
{
  gchar **problem = &lists->errors[kind];

  g_free (lists->texts[kind]);
  lists->texts[kind] = g_strdup (text ? text : "");
  g_clear_pointer (problem, g_free);
  if (kind == SNAKE_LIST_WINDOW) {
    g_clear_pointer (&lists->windows, g_array_unref);
    lists->windows = snake_parse_rectangles (lists->texts[kind], problem);
  } else if (kind == SNAKE_LIST_RECTANGLE) {
    g_clear_pointer (&lists->rectangles, g_array_unref);
    lists->rectangles = snake_parse_rectangles (lists->texts[kind], problem);
  } else {
    g_clear_pointer (&lists->polygons, g_ptr_array_unref);
    lists->polygons = snake_parse_polygons (lists->texts[kind], problem);
  }
}

/* Why the first invalid text is invalid, and what to do (transfer full); NULL if all are valid. */
static gchar *
find_problem (const SnakeLists *lists)
{
  for (guint i = 0; i < SNAKE_LIST_COUNT; i++)
    if (lists->errors[i]) {
      gchar *shown = excerpt_new (lists->texts[i]);
      gchar *problem =
          g_strdup_printf ("%s=\"%s\" is invalid: %s. Set entries of the form %s, separated by semicolons, "
                           "or \"\"",
              descriptions[i].property, shown, lists->errors[i], descriptions[i].form);

      g_free (shown);
      return problem;
    }
  return NULL;
}

gboolean
snake_lists_fill (const SnakeLists *lists, SnakeSelection *selection, gchar **problem)
{
  selection->windows = selection->rectangles = NULL;
  selection->polygons = NULL;
  *problem = find_problem (lists);
  if (*problem)
    return FALSE;
  selection->windows = g_array_ref (lists->windows);
  selection->rectangles = g_array_ref (lists->rectangles);
  selection->polygons = g_ptr_array_ref (lists->polygons);
  return TRUE;
}

void
snake_selection_clear (SnakeSelection *selection)
{
  g_clear_pointer (&selection->windows, g_array_unref);
  g_clear_pointer (&selection->rectangles, g_array_unref);
  g_clear_pointer (&selection->polygons, g_ptr_array_unref);
}
