/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects followed from frame to frame: each starts from its last outline. */
#ifndef GST_SNAKE_TRACKS_H
#define GST_SNAKE_TRACKS_H

#include "gst/snake/objects.h"

G_BEGIN_DECLS

typedef struct _SnakeTracks SnakeTracks;

typedef enum {
  SNAKE_TRACK_LOST,      /* it was followed, and is not found any more */
  SNAKE_TRACK_RESTARTED, /* its last outline did not lead to it; it was found in its window all the same */
  SNAKE_TRACK_FOUND      /* it was lost, and is found again */
} SnakeTrackChange;

typedef struct {
  guint object;
  SnakeTrackChange change;
} SnakeTrackEvent;

SnakeTracks *snake_tracks_new (void);
void snake_tracks_free (SnakeTracks *tracks);

/* Forgets all of them. */
void snake_tracks_clear (SnakeTracks *tracks);

/* Lets those of TARGETS that were found in the last frame start from where they were then, in a frame of WIDTH x
 * HEIGHT. A window of LAYOUT goes with its object. TARGETS refers to TRACKS until the next call of any of these. */
void snake_tracks_start (SnakeTracks *tracks, const SnakeLayout *layout, GArray *targets, guint width, guint height);

/* Does what was found of TARGETS look like what was followed? A line without its target finds another one, or parts the
 * same two regions the other way round. Where the inside resembles the background before more than the target, the
 * object is changed: it is looked for anew in its window, and if that is of no use, as long as nobody else says that it
 * is there, not at all. *AGAIN is then set. FALSE and error where the result cannot be fetched. */
gboolean snake_tracks_check (SnakeTracks *tracks, const SnakeLayout *layout, GArray *targets, CtrContours *contours,
    gboolean *again, CtrError *error);

/* Remembers what was found of TARGETS; adds to EVENTS, of SnakeTrackEvent, what happened to those that were followed.
 * FALSE and error where the result cannot be fetched. */
gboolean snake_tracks_update (
    SnakeTracks *tracks, const GArray *targets, CtrContours *contours, GArray *events, CtrError *error);

G_END_DECLS

#endif
