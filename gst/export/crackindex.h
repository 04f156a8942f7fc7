/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An index of the horizontal lines above each column of an image, for finding the nearest line above a point. */
#ifndef GST_EXPORT_CRACKINDEX_H
#define GST_EXPORT_CRACKINDEX_H

#include <glib.h>

G_BEGIN_DECLS

/* A position in half pixels from the image's top left corner: pixel corners are even, pixel centres odd. */
typedef struct {
  gint32 x;
  gint32 y;
} HalfPoint;

typedef struct CrackIndex CrackIndex;

CrackIndex *crack_index_new (void);
void crack_index_free (CrackIndex *index);

/* Adds the line from A to B to each column whose centre it crosses. Lines of different LEVEL are independent. OWNER is
 * a value for the caller. */
void crack_index_add (CrackIndex *index, guint level, HalfPoint a, HalfPoint b, guint32 owner);

/* Sorts the index. Call it once, after the last line and before the first lookup. */
void crack_index_sort (CrackIndex *index);

/* Finds the nearest line of LEVEL above Y, in half pixels, at the centre of COLUMN, in pixels: its *OWNER, and whether
 * it runs to the right. Returns FALSE if there is none. */
gboolean crack_index_find_above (
    const CrackIndex *index, guint level, gint column, gint y, guint32 *owner, gboolean *to_the_right);

G_END_DECLS

#endif
