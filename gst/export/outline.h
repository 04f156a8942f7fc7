/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts contours to outlines along pixel edges, which enclose exactly the contour's pixels. */
#ifndef GST_EXPORT_OUTLINE_H
#define GST_EXPORT_OUTLINE_H

#include "gst/export/crackindex.h"

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

/* A closed line of consecutive points, with its inside on the right: outlines run clockwise on the screen, holes
 * counterclockwise. */
typedef struct {
  guint first;
  guint count;
  gboolean hole;
} OutlineRing;

/* Appends the outline of contour ROW to POINTS. A border in pixel centres becomes the line along the outer edges of
 * these pixels. Returns whether the outline runs along pixel edges; a simplified contour does not and keeps its points.
 * Appends nothing if the contour encloses no area. */
gboolean outline_append (GArray *points, const CtrContour *row, const CtrPoint *line, CtrCoordinates coordinates);

/* Twice the area inside COUNT points, in pixels; positive if they run clockwise on the screen. */
gdouble outline_area2 (const HalfPoint *points, guint count);

/* The index of the topmost point, the leftmost of several. */
guint outline_top_left (const HalfPoint *points, guint count);

/* Rearranges the outline and holes of one contour, RINGS of POINTS along pixel edges, so that pixels that touch only at
 * a corner are separated: where lines meet at a corner, each stays with its pixel. With CUT, no ring touches itself
 * either; a loop that it encloses becomes a hole. Afterwards each outer ring is followed by its holes. */
void outline_separate (GArray *points, GArray *rings, gboolean cut);

G_END_DECLS

#endif
