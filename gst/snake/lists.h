/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list properties of cudasnake, window, rectangle and polygon: their text and parsed values. */
#ifndef GST_SNAKE_LISTS_H
#define GST_SNAKE_LISTS_H

#include "gst/snake/objects.h"

G_BEGIN_DECLS

typedef enum { SNAKE_LIST_WINDOW, SNAKE_LIST_RECTANGLE, SNAKE_LIST_POLYGON, SNAKE_LIST_COUNT } SnakeListKind;

typedef struct {
  gchar *texts[SNAKE_LIST_COUNT];
  gchar *errors[SNAKE_LIST_COUNT]; /* why the text is invalid, or NULL; its list is then NULL */
  GArray *windows;                 /* of CtrSnakeRect */
  GArray *rectangles;              /* of CtrSnakeRect */
  GPtrArray *polygons;             /* of GArray of CtrPoint */
} SnakeLists;

/* All lists are empty. */
void snake_lists_init (SnakeLists *lists);
void snake_lists_clear (SnakeLists *lists);

/* Parses TEXT; NULL counts as "". */
void snake_lists_set (SnakeLists *lists, SnakeListKind kind, const gchar *text);

/* Adds references to the lists to SELECTION, for snake_selection_clear(). Returns FALSE if a text is invalid: *PROBLEM
 * (transfer full) then says why and what to do, and SELECTION has no lists. */
gboolean snake_lists_fill (const SnakeLists *lists, SnakeSelection *selection, gchar **problem);

void snake_selection_clear (SnakeSelection *selection);

G_END_DECLS

#endif
