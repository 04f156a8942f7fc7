/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/snake/parse.h"

#include <string.h>

#include "gst/base/excerpt.h"

/* Windows and rectangles may extend beyond the frame. */
#define MAX_POSITION CTR_MAX_SIDE

/* An excerpt of TEXT, followed by the message. */
static gchar *G_GNUC_PRINTF (2, 3) describe (const gchar *text, const gchar *format, ...)
{
  gchar *shown = excerpt_new (text), *rest, *message;
  va_list args;

  va_start (args, format);
  rest = g_strdup_vprintf (format, args);
  va_end (args);
  message = g_strdup_printf ("'%s' %s", shown, rest);
  g_free (shown);
  g_free (rest);
  return message;
}

static gboolean
is_blank (const gchar *text)
{
  return text[strspn (text, " \t\n")] == '\0';
}

/* The non-empty words of TEXT between SEPARATORS and white space (transfer full). */
static GPtrArray *
split_words (const gchar *text, const gchar *separators)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  gchar *delimiters = g_strconcat (separators, " \t\n", NULL);

  while (*(text += strspn (text, delimiters))) {
    gsize length = strcspn (text, delimiters);

    g_ptr_array_add (words, g_strndup (text, length));
    text += length;
  }
  g_free (delimiters);
  return words;
}

/* Parses WORD as an integer from MINIMUM to MAXIMUM. If it is invalid, *PROBLEM says so and calls it WHAT. */
static gboolean
parse_number (const gchar *word, const gchar *what, gint minimum, gint maximum, gint32 *number, gchar **problem)
{
  gint64 value;

  if (!g_ascii_string_to_signed (word, 10, minimum, maximum, &value, NULL)) {
    *problem = describe (word, "is not a valid %s (an integer from %d to %d)", what, minimum, maximum);
    return FALSE;
  }
  *number = value;
  return TRUE;
}

static gboolean
parse_rectangle (const gchar *text, CtrSnakeRect *rect, gchar **problem)
{
  GPtrArray *words = split_words (text, ",");
  gboolean ok = words->len == 4;

  if (ok)
    ok = parse_number (words->pdata[0], "x", -MAX_POSITION, MAX_POSITION, &rect->x, problem)
         && parse_number (words->pdata[1], "y", -MAX_POSITION, MAX_POSITION, &rect->y, problem)
         && parse_number (words->pdata[2], "width", 1, MAX_POSITION, &rect->width, problem)
         && parse_number (words->pdata[3], "height", 1, MAX_POSITION, &rect->height, problem);
  else
    *problem = describe (text, "does not have the form x,y,w,h");
  g_ptr_array_unref (words);
  return ok;
}

GArray *
snake_parse_rectangles (const gchar *text, gchar **problem)
{
  GArray *rects = g_array_new (FALSE, FALSE, sizeof (CtrSnakeRect));
  gchar **parts = g_strsplit (text, ";", -1);

  *problem = NULL;
  for (gchar **part = parts; !is_blank (text) && *part && !*problem; part++) {
    CtrSnakeRect rect;

    if (parse_rectangle (*part, &rect, problem))
      g_array_append_val (rects, rect);
  }
  g_strfreev (parts);
  if (*problem)
    g_clear_pointer (&rects, g_array_unref);
  return rects;
}

static gboolean
parse_point (const gchar *word, CtrPoint *point, gchar **problem)
{
  gchar **numbers = g_strsplit (word, ",", -1);
  gboolean ok = g_strv_length (numbers) == 2;
  gint32 x, y;

  if (ok)
    ok = parse_number (numbers[0], "x", 0, CTR_MAX_SIDE, &x, problem)
         && parse_number (numbers[1], "y", 0, CTR_MAX_SIDE, &y, problem);
  else
    *problem = describe (word, "is not a point x,y");
  if (ok)
    *point = (CtrPoint){x, y};
  g_strfreev (numbers);
  return ok;
}

static GArray *
parse_polygon (const gchar *text, gchar **problem)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (CtrPoint));
  GPtrArray *words = split_words (text, "");

  if (words->len < 3 || words->len > CTR_SNAKE_MAX_POINTS)
    *problem = describe (text, "has %u points x,y, but a polygon has 3 to %d", words->len, CTR_SNAKE_MAX_POINTS);
  for (guint i = 0; !*problem && i < words->len; i++) {
    CtrPoint point;

    if (parse_point (words->pdata[i], &point, problem))
      g_array_append_val (points, point);
  }
  g_ptr_array_unref (words);
  if (*problem)
    g_clear_pointer (&points, g_array_unref);
  return points;
}

GPtrArray *
snake_parse_polygons (const gchar *text, gchar **problem)
{
  GPtrArray *polygons = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  gchar **parts = g_strsplit (text, ";", -1);

  *problem = NULL;
  for (gchar **part = parts; !is_blank (text) && *part && !*problem; part++) {
    GArray *points = parse_polygon (*part, problem);

    if (points)
      g_ptr_array_add (polygons, points);
  }
  g_strfreev (parts);
  if (*problem)
    g_clear_pointer (&polygons, g_ptr_array_unref);
  return polygons;
}
