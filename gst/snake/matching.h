/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of two sets of boxes belong together: the outlines of the last frame, and the components of this one. */
#ifndef GST_SNAKE_MATCHING_H
#define GST_SNAKE_MATCHING_H

#include <contours/snake.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gint partner;     /* index of the box in the other set, or -1 */
  gboolean touched; /* it overlaps boxes of the other set */
} SnakeMatch;

/* Pairs OLD with NEW boxes that overlap: those first whose intersection over union is the largest; of equal ones the
 * first old box, then the first new one. Each box has one partner at most. OLD_MATCHES and NEW_MATCHES have an element
 * for each box. */
void snake_match_boxes (const CtrSnakeRect *old, guint old_count, const CtrSnakeRect *new_boxes, guint new_count,
    SnakeMatch *old_matches, SnakeMatch *new_matches);

G_END_DECLS

#endif
