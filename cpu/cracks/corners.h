/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the contours of an image's levels turn, on the host. Internal.
 *
 * A vertex is where four pixels meet. At each level these are foreground or not; where they are so in an odd number, or
 * the two of a diagonal alone are, lines turn: a corner for each line that does, with one arm to the west or east and
 * one to the north or south. */
#ifndef CTR_CPU_CRACKS_CORNERS_H
#define CTR_CPU_CRACKS_CORNERS_H

#include "core/cracks/cracks.h"
#include "cpu/common/host_buffer.h"
#include "cpu/common/samples.h"

typedef struct {
  CtrPoint point;
  uint32_t link; /* CTR_CORNER_.., the rest is free and 0 */
} CtrCrackCorner;

/* Which vertical arm a corner has, and what else tells it apart. */
#define CTR_CORNER_SOUTH 0u
#define CTR_CORNER_NORTH (1u << 30)
#define CTR_CORNER_SOUTH_HOLE (2u << 30) /* only the pixel below, right is background: a hole may begin here */
/* Its vertex has another corner, the next one, with the north arm: that line ends before this one begins. */
#define CTR_CORNER_SOUTH_CROSSED (3u << 30)
#define CTR_CORNER_KIND (3u << 30)

/* The most corners of one level: they are counted beside their kind. And of all levels. */
#define CTR_LEVEL_CORNERS_MAX (1u << 30)
#define CTR_CRACK_CORNERS_MAX UINT32_MAX

typedef struct {
  CtrHostBuffer level_indices; /* uint16_t: those of two rows, 0 around */
  CtrHostBuffer vertices;      /* those with four level_indices where a line may turn, in raster order */
  CtrHostBuffer row_ends;      /* size_t: of each row of vertices, one after its last */
  CtrHostBuffer ends;          /* size_t: of each level_index from 0 on, one after its last corner; 0 has none */
  CtrHostBuffer corners;       /* CtrCrackCorner */
  uint64_t corner_count;
} CtrCrackCorners;

void ctr_crack_corners_release (CtrCrackCorners *corners);

/* Finds the corners of IMAGE: level_index by level_index, in each by y, then x, then with the western arm first. So in
 * each level_index they are pairs, an eastern arm and the western arm it meets. False when it is cancelled, there is no
 * memory or there are too many, as where there are more than the PLAN's max_points; corner_count is how many there are,
 * or 0 if they were not counted yet. */
bool ctr_crack_corners_find (
    CtrCrackCorners *corners, CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan);

#endif
