/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The corners of level contours. Internal.
 *
 * A vertex is where four pixels meet. At each level, a pixel is foreground or not. Contours turn at a vertex if an odd
 * number of its pixels are foreground, or exactly two on a diagonal. The vertex then has a corner for each contour that
 * turns there, with one arm to the west or east and one arm to the north or south. */
#ifndef CTR_CPU_CRACKS_CORNERS_H
#define CTR_CPU_CRACKS_CORNERS_H

#include "core/cracks/cracks.h"
#include "cpu/common/host_buffer.h"

typedef struct {
  CtrPoint point;
  uint32_t link; /* CTR_CORNER_*; the other bits are free, and 0 */
} CtrCrackCorner;

/* The kind of a corner: the direction of its vertical arm, and more. */
#define CTR_CORNER_SOUTH 0u
#define CTR_CORNER_NORTH (1u << 30)
#define CTR_CORNER_SOUTH_HOLE (2u << 30) /* only the lower right pixel is background: a hole may begin here */
/* The next corner belongs to the same vertex and has the north arm: its vertical line ends before this one begins. */
#define CTR_CORNER_SOUTH_CROSSED (3u << 30)
#define CTR_CORNER_KIND (3u << 30)

/* The maximum number of corners of a level, whose indices share a word with the kind, and of all levels. */
#define CTR_LEVEL_CORNERS_MAX (1u << 30)
#define CTR_CRACK_CORNERS_MAX UINT32_MAX

typedef struct {
  void *bands; /* of rows, which different threads work on */
  uint32_t band_count, band_room;
  CtrHostBuffer ends;    /* size_t, by level index: one after its last corner; 0 has none */
  CtrHostBuffer corners; /* CtrCrackCorner */
  uint64_t corner_count;
} CtrCrackCorners;

void ctr_crack_corners_release (CtrCrackCorners *corners);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_crack_corners_give_back (CtrCrackCorners *corners);

/* Finds the corners of IMAGE. They are ordered by level index, then y, then x, then the western arm first. So the
 * corners of a level form pairs of an eastern arm and the western arm that it meets. False if the work is cancelled,
 * there is no memory, or there are too many corners, as with more than the PLAN's max_points. corner_count is their
 * number, or 0 if they have not been counted yet. */
bool ctr_crack_corners_find (
    CtrCrackCorners *corners, const CtrImage *image, const CtrCracksPlan *plan, unsigned threads);

#endif
