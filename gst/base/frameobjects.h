/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of a result, as elements and applications that do not know this project see them: a box each. */
#ifndef GST_BASE_FRAMEOBJECTS_H
#define GST_BASE_FRAMEOBJECTS_H

#include <contours/types.h>
#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

/* A component, or an outer contour. */
typedef struct {
  guint id;                      /* label of the component; index of the contour + 1, as 0 stands for no object */
  guint parent;                  /* id of the nearest object around it, 0: none */
  guint label_id;                /* its class: the sample of a component of equal samples, otherwise 0 */
  guint x, y, width, height;     /* bounding box, in pixels of the analysed frame */
  gdouble area;                  /* in pixels */
  gdouble cx, cy;                /* centroid, NaN: unknown */
  gboolean has_rectangle;        /* The rectangle of least area is known. */
  gdouble left, top, wide, high; /* that rectangle, turned back by ANGLE around its centre; it encloses whole pixels */
  gdouble angle; /* of its sides of the length WIDE, radians clockwise on the screen, 0 <= angle < pi / 2 */
} FrameObject;

typedef struct {
  const gchar *type;   /* "component" or "contour" */
  guint width, height; /* of the analysed frame */
  guint found;         /* number of objects in the frame */
  GArray *list;        /* of FrameObject, in the order of their ids */
} FrameObjects;

/* Fill OBJECTS with those of the result of META, which is waited for: at most LIMIT, the largest ones; of two equal areas the one
 * with the smaller id comes first. Holes are no objects. On failure, or when the element is cancelled, they return FALSE and ERROR,
 * and there is nothing to clear. */
gboolean frame_objects_of_components (
    FrameObjects *objects, GstContoursComponentMeta *meta, guint limit, CtrError *error);
gboolean frame_objects_of_contours (FrameObjects *objects, GstContoursContourMeta *meta, guint limit, CtrError *error);

void frame_objects_clear (FrameObjects *objects);

G_END_DECLS

#endif
