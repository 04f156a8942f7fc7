/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of a frame as areas: each outer contour with its holes. */
#ifndef GST_EXPORT_SHAPE_H
#define GST_EXPORT_SHAPE_H

#include "gst/export/outline.h"

G_BEGIN_DECLS

/* A contour as polygons. By the even-odd rule they enclose its pixels without its holes. A simplified contour is the
 * simplified line instead. */
typedef struct {
  GstContoursContour contour; /* may be a hole: one without an outer contour, which is an area of its own */
  gboolean exact;             /* the rings run along pixel edges */
  GArray *rings;              /* OutlineRing: each outer ring begins a polygon and is followed by its holes */
  GArray *points;             /* HalfPoint in the analysed image; export_shapes_map() maps it to the frame */
  guint holes;                /* number of rings that are holes */
  gdouble area;               /* without the holes, in pixels of the frame */
  gboolean chain; /* The only ring is a chain of edge pixels, through their centres: a line without an inside. */
} ExportShape;

typedef struct ExportShapes ExportShapes;

/* Iterates over the contours of META, which have been fetched. CUT as for outline_separate(). */
ExportShapes *export_shapes_new (GstContoursContourMeta *meta, gboolean cut);
void export_shapes_free (ExportShapes *shapes);

/* The next shape in the order of the contours, valid until the next call; NULL at the end. */
const ExportShape *export_shapes_next (ExportShapes *shapes);

/* Maps POINT to a position relative to the frame's top left corner. */
void export_shapes_map (const ExportShapes *shapes, HalfPoint point, gdouble *x, gdouble *y);

/* Whether the frame was mirrored after the analysis. Lines then run in the opposite direction. */
gboolean export_shapes_are_mirrored (const ExportShapes *shapes);

G_END_DECLS

#endif
