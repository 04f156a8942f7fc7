/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers for the windows, rectangles and polygons in properties. */
#ifndef GST_SNAKE_PARSE_H
#define GST_SNAKE_PARSE_H

#include <contours/snake.h>
#include <glib.h>

G_BEGIN_DECLS

/* Parses rectangles "x,y,w,h", separated by semicolons, into an array of CtrSnakeRect (transfer full), which is empty
 * if TEXT is blank. If TEXT is invalid, returns NULL, and *PROBLEM (transfer full) says why. */
GArray *snake_parse_rectangles (const gchar *text, gchar **problem);

/* Parses polygons "x,y x,y x,y ...", separated by semicolons, into an array of arrays of CtrPoint, likewise. */
GPtrArray *snake_parse_polygons (const gchar *text, gchar **problem);

G_END_DECLS

#endif
