/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects that are searched for in a frame, from properties or from its metadata.
 *
 * How the files of this folder work together: cudasnake reads its properties (properties.h) into a SnakeSelection, with
 * the lists of lists.h, which parse.h parses. search.h asks this file for the objects of a frame, lets tracks.h start
 * them from their outlines in the last frame, and calls the core (contours/snake.h). */
#ifndef GST_SNAKE_OBJECTS_H
#define GST_SNAKE_OBJECTS_H

#include <contours/snake.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  SNAKE_OBJECTS_PROPERTIES,
  SNAKE_OBJECTS_REGIONS,
  SNAKE_OBJECTS_COMPONENTS,
  SNAKE_OBJECTS_DETECTIONS
} SnakeObjectSource;

/* The selection of the objects. */
typedef struct {
  SnakeObjectSource source;
  CtrSnakeStart start;
  gdouble margin;   /* around boxes, as a fraction of (width + height) / 2 */
  gdouble min_area; /* of components, in pixels */
  /* Of SNAKE_OBJECTS_PROPERTIES: */
  GArray *windows;     /* of CtrSnakeRect */
  GArray *rectangles;  /* of CtrSnakeRect */
  GPtrArray *polygons; /* of GArray of CtrPoint */
} SnakeSelection;

#define SNAKE_NO_TARGET G_MAXUINT64 /* the key of a target that only keeps a place in the list */

typedef struct {
  guint64 key;      /* identifies the object across frames */
  CtrSnakeRect box; /* region of interest, component or detection; empty for SNAKE_OBJECTS_PROPERTIES */
  gboolean alone;   /* a tracked object without a component in this frame */
  CtrSnakeObject object;
} SnakeTarget;

/* A target for a BOX, in a window that is the box with the selection's margin around it. */
SnakeTarget snake_objects_around (const SnakeSelection *selection, guint64 key, const CtrSnakeRect *box);

/* MARGIN in pixels, for a box of this size. */
gint64 snake_objects_margin (gdouble margin, gint64 width, gint64 height);

/* The *COUNT objects of the frame in BUFFER as an array of SnakeTarget (transfer full), which refers to SELECTION's
 * polygons. If SELECTION is invalid there are none, and *PROBLEM (transfer full) says why and what to do; otherwise
 * *PROBLEM is NULL. The array may be empty if there are more than MAX_COUNT (0: no limit). */
GArray *snake_objects_find (
    const SnakeSelection *selection, GstBuffer *buffer, guint max_count, guint *count, gchar **problem);

G_END_DECLS

#endif
