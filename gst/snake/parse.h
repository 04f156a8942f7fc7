/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Windows, rectangles and polygons as they are written in properties. */
#ifndef GST_SNAKE_PARSE_H
#define GST_SNAKE_PARSE_H

#include <contours/snake.h>
#include <glib.h>

G_BEGIN_DECLS

/* Rectangles "x,y,w,h", between semicolons, as an array of CtrSnakeRect (transfer full); of length 0 where TEXT has
 * nothing but spaces. NULL where it is something else, which *PROBLEM (transfer full) then says. */
GArray *snake_parse_rectangles (const gchar *text, gchar **problem);

/* Polygons "x,y x,y x,y ...", between semicolons, as an array of arrays of CtrPoint. The rest as above. */
GPtrArray *snake_parse_polygons (const gchar *text, gchar **problem);

G_END_DECLS

#endif
