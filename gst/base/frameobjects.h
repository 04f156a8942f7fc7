/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects of a result, as elements and applications that do not know this project see them: a box each. */
#ifndef GST_BASE_FRAMEOBJECTS_H
#define GST_BASE_FRAMEOBJECTS_H

#include <contours/types.h>
#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

/* A component, or an outer contour. */
typedef struct {
  guint id;                /* label of the component; index of the contour + 1, as 0 stands for no object */
  guint parent;            /* id of the nearest object around it, 0: none */
  guint label_id;          /* its class: the sample of a component of equal samples, the value of a mask; otherwise 0 */
  const gchar *class_name; /* of a mask with classes, otherwise NULL; valid as long as the metadata */
  guint x, y, width, height;     /* bounding box, in pixels of the frame; that of a mask enclosed by whole ones */
  gdouble area;                  /* in pixels */
  gdouble cx, cy;                /* centroid, NaN: unknown */
  gboolean has_rectangle;        /* The rectangle of least area is known. */
  gdouble left, top, wide, high; /* that rectangle, turned back by ANGLE around its centre; it encloses whole pixels */
  gdouble angle; /* of its sides of the length WIDE, radians clockwise on the screen, 0 <= angle < pi / 2 */
} FrameObject;

typedef struct {
  const gchar *type;   /* "component" or "contour" */
  guint width, height; /* of the frame */
  guint found;         /* number of objects in the frame or mask */
  GArray *list;        /* of FrameObject, in the order of their ids */
} FrameObjects;

/* Fill OBJECTS with those of the result of META, which is waited for: at most LIMIT, which may be 0, the largest ones; of two equal areas the one
 * with the smaller id comes first. Holes are no objects. On failure, or when the element is cancelled, they return FALSE and ERROR,
 * and there is nothing to clear. */
gboolean frame_objects_of_components (
    FrameObjects *objects, GstContoursComponentMeta *meta, guint limit, CtrError *error);
gboolean frame_objects_of_contours (FrameObjects *objects, GstContoursContourMeta *meta, guint limit, CtrError *error);

/* The type of a region of interest or detection: the class of OBJECT, otherwise that of all OBJECTS. */
GQuark frame_object_type (const FrameObjects *objects, const FrameObject *object);

void frame_objects_clear (FrameObjects *objects);

G_END_DECLS

#endif
