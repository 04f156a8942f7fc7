/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of a frame as areas: each outline with its holes. */
#ifndef GST_EXPORT_SHAPE_H
#define GST_EXPORT_SHAPE_H

#include "gst/export/outline.h"

G_BEGIN_DECLS

/* A contour as polygons. What they enclose, by the even-odd rule, are its pixels less its holes; but where the line
 * was simplified they are that line. */
typedef struct {
  GstContoursContour contour; /* a hole: one that has no outline around it, and is an area of its own */
  gboolean exact;             /* along the sides of pixels */
  GArray *rings;              /* OutlineRing: each that is no hole begins a polygon, its holes follow */
  GArray *points;             /* HalfPoint of the analysed image; export_shapes_map() says where that is in the frame */
  guint holes;                /* rings that are holes */
  gdouble area;               /* less the holes, in pixels of the frame */
} ExportShape;

typedef struct ExportShapes ExportShapes;

/* The contours of META, which have been fetched. CUT as outline_separate() has it. */
ExportShapes *export_shapes_new (GstContoursContourMeta *meta, gboolean cut);
void export_shapes_free (ExportShapes *shapes);

/* The next one in the contours' order, valid until the next call; NULL: no more. */
const ExportShape *export_shapes_next (ExportShapes *shapes);

/* Positions from the outer corner of the frame. */
void export_shapes_map (const ExportShapes *shapes, HalfPoint point, gdouble *x, gdouble *y);

/* Has the frame been mirrored since it was analysed? Lines then run the other way round. */
gboolean export_shapes_are_mirrored (const ExportShapes *shapes);

G_END_DECLS

#endif
