/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What lies above a place: the horizontal lines over the columns of an image, to look up the lowest one above. */
#ifndef GST_EXPORT_CRACKINDEX_H
#define GST_EXPORT_CRACKINDEX_H

#include <glib.h>

G_BEGIN_DECLS

/* In half pixels from the outer corner of the image: corners between pixels are even, pixel centres odd. */
typedef struct {
  gint32 x;
  gint32 y;
} HalfPoint;

typedef struct CrackIndex CrackIndex;

CrackIndex *crack_index_new (void);
void crack_index_free (CrackIndex *index);

/* Adds the line from A to B to each column whose middle it crosses. Lines of different LEVEL know nothing of each
 * other. OWNER is for the caller. */
void crack_index_add (CrackIndex *index, guint level, HalfPoint a, HalfPoint b, guint32 owner);

/* Once, after the last line and before the first question. */
void crack_index_sort (CrackIndex *index);

/* The lowest line of LEVEL above Y, half pixels, in the middle of COLUMN, pixels: whose it is, and whether it runs to
 * the right. FALSE: there is none. */
gboolean crack_index_find_above (
    const CrackIndex *index, guint level, gint column, gint y, guint32 *owner, gboolean *to_the_right);

G_END_DECLS

#endif
