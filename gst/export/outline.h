/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of contours as outlines of pixels: what they enclose is exactly the contour's pixels. */
#ifndef GST_EXPORT_OUTLINE_H
#define GST_EXPORT_OUTLINE_H

#include "gst/export/crackindex.h"

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

/* A closed line of consecutive points; what it goes around is on its right: positive outlines run clockwise on the
 * screen, holes anticlockwise. */
typedef struct {
  guint first;
  guint count;
  gboolean hole;
} OutlineRing;

/* Appends the outline of contour ROW to POINTS. A border of pixel centres becomes the line along the outer sides of
 * these pixels. Returns whether it is a line along the sides of pixels: one that was simplified is not, and goes
 * through the centres as it is. Appends nothing where there is no area to go around. */
gboolean outline_append (GArray *points, const CtrContour *row, const CtrPoint *line, CtrCoordinates coordinates);

/* Twice the area inside COUNT points, positive where they run clockwise on the screen, in pixels. */
gdouble outline_area2 (const HalfPoint *points, guint count);

/* The highest point, of these the leftmost: its index. */
guint outline_top_left (const HalfPoint *points, guint count);

/* Rearranges the outline and holes of one contour, RINGS of POINTS along the sides of pixels, so that pixels that hang
 * together by a corner only come apart: where lines meet in a corner, each stays with its pixel. CUT: so that no ring
 * touches itself either; what it goes around there is a hole. Afterwards each ring that is no hole is followed by its
 * holes. */
void outline_separate (GArray *points, GArray *rings, gboolean cut);

G_END_DECLS

#endif
