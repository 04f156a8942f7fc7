/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects that are looked for in a frame: where they come from. */
#ifndef GST_SNAKE_OBJECTS_H
#define GST_SNAKE_OBJECTS_H

#include <contours/snake.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { SNAKE_OBJECTS_PROPERTIES, SNAKE_OBJECTS_REGIONS, SNAKE_OBJECTS_COMPONENTS } SnakeObjectsFrom;

/* How they are chosen. */
typedef struct {
  SnakeObjectsFrom from;
  CtrSnakeStart start;
  gdouble margin;   /* around boxes, see snake_objects_margin() */
  gdouble min_area; /* of components, pixels */
  /* Of properties: */
  GArray *windows;     /* of CtrSnakeRect */
  GArray *rectangles;  /* of CtrSnakeRect */
  GPtrArray *polygons; /* of GArray of CtrPoint */
} SnakeLayout;

/* One of them. */
typedef struct {
  guint64 key;      /* what the same one has in other frames */
  CtrSnakeRect box; /* what upstream has found of it; of properties: nothing */
  CtrSnakeObject object;
} SnakeTarget;

/* The pixels that MARGIN is around something of this size: so many times the mean of width and height. */
gint64 snake_objects_margin (gdouble margin, gint64 width, gint64 height);

/* The objects in the frame in BUFFER, *COUNT of them, as an array of SnakeTarget (transfer full) that refers to
 * LAYOUT's polygons. Where LAYOUT makes no sense there is none, and *PROBLEM (transfer full) says what to do; else it
 * is NULL. Where there are more than MOST (0: no limit), the array may be empty. */
GArray *snake_objects_find (const SnakeLayout *layout, GstBuffer *buffer, guint most, guint *count, gchar **problem);

G_END_DECLS

#endif
