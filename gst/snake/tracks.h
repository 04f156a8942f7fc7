/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tracking of objects from frame to frame: each search starts from the last outline. */
#ifndef GST_SNAKE_TRACKS_H
#define GST_SNAKE_TRACKS_H

#include "gst/snake/objects.h"

G_BEGIN_DECLS

typedef struct _SnakeTracks SnakeTracks;

typedef enum {
  SNAKE_TRACK_LOST,      /* the object is no longer found */
  SNAKE_TRACK_RESTARTED, /* its last outline did not lead to it, but a new search in its window did */
  SNAKE_TRACK_FOUND      /* the object was lost and is found again */
} SnakeTrackChange;

typedef struct {
  guint object;
  SnakeTrackChange change;
} SnakeTrackEvent;

SnakeTracks *snake_tracks_new (void);
void snake_tracks_free (SnakeTracks *tracks);

/* Removes all tracks. */
void snake_tracks_clear (SnakeTracks *tracks);

/* Sets the initial outline of those of TARGETS that were found in the last frame to the outline they had there, in a
 * frame of WIDTH x HEIGHT. A window of SELECTION follows its object. TARGETS refers to TRACKS until the next call of
 * any of these functions.
 *
 * Components have no identity. Each is the object whose outline its box overlaps most, else a new one, with the lowest
 * number that is free. TARGETS is put in the order of these numbers; those in between are targets outside the frame. It
 * also gets the objects that have no component in this frame. Objects that end here are added to EVENTS. */
void snake_tracks_start (
    SnakeTracks *tracks, const SnakeSelection *selection, GArray *targets, guint width, guint height, GArray *events);

/* Checks that the outlines of TARGETS resemble the tracked objects: an outline that has lost its target may find
 * another one, or separate the same two regions the other way round. If the inside resembles the earlier background
 * more than the earlier target, the object is changed for another search, and *AGAIN is set: first the search restarts
 * in the window; if that does not help and upstream does not say that it is there, it is not searched for. Returns FALSE and
 * ERROR if the result cannot be copied from the GPU. */
gboolean snake_tracks_check (SnakeTracks *tracks, const SnakeSelection *selection, GArray *targets,
    CtrContours *contours, gboolean *again, CtrError *error);

/* Updates the tracks with the outlines of TARGETS, and adds to EVENTS, of SnakeTrackEvent, what happened to tracked
 * objects. Returns FALSE and ERROR if the result cannot be copied from the GPU. */
gboolean snake_tracks_update (SnakeTracks *tracks, const SnakeSelection *selection, const GArray *targets,
    CtrContours *contours, GArray *events, CtrError *error);

G_END_DECLS

#endif
