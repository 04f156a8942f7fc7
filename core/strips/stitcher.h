/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Joins the contours of a web that is analysed in windows of rows, one below the other. Internal.
 *
 * A window is analysed as an image, surrounded by background. Its contours are right where all that they depend on lies
 * in the window: at the vertices of some of its rows, the owned ones. The windows own all rows of the web in turn, each
 * once. Contours whose vertices are all owned are closed. Others are cut at the steps between owned and other rows, and
 * the pieces in owned rows are joined across the seams: there the steps of the windows above and below are the same.
 *
 *                       vertices   owned by the window of the pixel rows [a, b)
 *   borders             pixels     [a + 1, b - 1): a pixel's step depends on the eight pixels around it
 *   level contours      corners    [a + 1, b): a corner's step depends on the four pixels around it
 *
 * The first window of a web owns its first row, too, and the last window its last one: outside there is background. */
#ifndef CTR_CORE_STRIPS_STITCHER_H
#define CTR_CORE_STRIPS_STITCHER_H

#include "core/strips/chains.h"

#include <contours/borders.h>

/* What the contours are. */
typedef struct {
  CtrCoordinates coordinates;
  CtrApproximation approximation; /* of borders; level contours: SIMPLE */
} CtrLineKind;

/* A contour that was joined, or open for too long. */
typedef struct {
  CtrContour row;   /* first: of the points below; y of points and row counts from TOP */
  uint64_t top;     /* web row */
  uint64_t key;     /* its place among those of its level */
  uint32_t ordinal; /* distinguishes equal keys */
} CtrJoined;

typedef struct {
  CtrLineKind kind;
  CtrChains chains;
  uint64_t seam;        /* the rows above are owned by the windows before */
  CtrHostBuffer joined; /* CtrJoined, since the last ctr_stitcher_take() */
  CtrHostBuffer points; /* CtrPoint of these */
  CtrHostBuffer line;   /* CtrWebPoint: the chain at hand */
  uint32_t joined_count;
  uint64_t point_count;
  CtrRoomPeriod period; /* of calls of ctr_stitcher_take() */
} CtrStitcher;

/* A window's contours, of rows that count from 0, and its rows as web rows. */
typedef struct {
  const CtrContour *table;
  const CtrPoint *points;
  uint32_t count;
  uint64_t row;         /* web row of y = 0 */
  uint64_t first_owned; /* the stitcher's seam */
  uint64_t end_owned;
} CtrWindow;

/* Is the contour ROW within the owned rows of WINDOW? */
static inline bool
ctr_window_owns (const CtrWindow *window, CtrCoordinates coordinates, const CtrContour *row)
{
  const uint64_t top = window->row + row->top;
  const uint64_t bottom = top + row->height - (coordinates == CTR_COORDINATES_PIXELS);
  return top >= window->first_owned && bottom < window->end_owned;
}

/* Begins a web. STITCHER is zeroed before its first web. */
void ctr_stitcher_begin (CtrStitcher *stitcher, const CtrLineKind *kind);
void ctr_stitcher_release (CtrStitcher *stitcher);

/* Takes the contours of WINDOW that are not within its owned rows, and with ALL also the others. Joined are those that
 * are closed then. False if there is no memory or the work is cancelled. */
bool ctr_stitcher_add (CtrStitcher *stitcher, const CtrWindow *window, bool all);

/* Gives up what is open and began above row TOP. */
bool ctr_stitcher_give_up (CtrStitcher *stitcher, uint64_t top);

/* Puts the joined contours in order. */
void ctr_stitcher_sort (CtrStitcher *stitcher);

/* Forgets the joined contours. At the end of a period (core/common/room.h) memory is given back that was not needed. */
void ctr_stitcher_take (CtrStitcher *stitcher);

/* The place of a contour with this first point among those of its level: ascending for level contours, descending for
 * borders. */
static inline uint64_t
ctr_start_key (CtrCoordinates coordinates, uint64_t row, uint32_t x, bool hole)
{
  return row << 20 | (x + (coordinates == CTR_COORDINATES_PIXELS && hole));
}

/* closing.c: the chain becomes a contour, and ends. */
bool ctr_stitcher_close (CtrStitcher *stitcher, uint32_t chain, bool open);

/* The key of a closed contour of SIMPLE points, of which the first one may come after its start. False if there is no
 * memory. */
bool ctr_stitcher_find_key (CtrStitcher *stitcher, const CtrPoint *points, uint32_t count, uint64_t row, uint64_t *key);

#endif
