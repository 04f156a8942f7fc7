/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search for the outlines of one frame's objects, with or without tracking. */
#ifndef GST_SNAKE_SEARCH_H
#define GST_SNAKE_SEARCH_H

#include "gst/snake/tracks.h"

G_BEGIN_DECLS

typedef struct {
  CtrSnake *snake;
  SnakeTracks *tracks; /* NULL: no object starts from its outline in the last frame */
  const SnakeSelection *selection;
  const CtrSnakeParams *params;
  const CtrImage *image;
  GstBuffer *buffer; /* of IMAGE; its metadata may describe objects */
  gpointer stream;
} SnakeSearch;

/* Outlines the objects that the selection describes (transfer full): *COUNT of them were searched for. Adds to EVENTS,
 * of SnakeTrackEvent, what happened to tracked objects. *PROBLEM (transfer full) says why objects of the selection are
 * invalid, NULL if none is; these have no outline. Returns NULL and ERROR on failure. */
CtrContours *snake_search_run (
    const SnakeSearch *search, guint *count, GArray *events, gchar **problem, CtrError *error);

G_END_DECLS

#endif
