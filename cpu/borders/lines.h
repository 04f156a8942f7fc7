/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The borders in an image's bits, found and followed, on the host. Internal.
 *
 * A border passes a pixel once for each run of its background neighbours that contains one to the east, north, west or
 * south: a node. Where it does so beside its east or west, it owns the edge between the two pixels; the first of the
 * edges it owns, in raster order, is where a scan finds it, and tells what it is: an outer border begins west of its
 * first pixel, a hole's east of it. */
#ifndef CTR_CPU_BORDERS_LINES_H
#define CTR_CPU_BORDERS_LINES_H

#include "cpu/common/host_buffer.h"

#include <contours/contourlist.h>

typedef struct {
  uint64_t edges;    /* bit x: pixel x is unlike the one before it */
  uint64_t bit_rank; /* edges before these in the image */
} CtrEdgeWord;

typedef struct {
  uint32_t width, height;
  size_t words;        /* of a row, with at least one background pixel behind it */
  CtrHostBuffer bits;  /* uint64_t: a word, a row of background, the image's rows, a row of background */
  CtrHostBuffer edges; /* CtrEdgeWord of the image's rows, set where there are any */
  CtrHostBuffer busy;  /* uint16_t: in each row, as much room as it has words; which words have edges, ascending */
  CtrHostBuffer busy_counts; /* uint16_t: of each row */
  uint64_t edge_count;
  CtrHostBuffer borders; /* uint32_t: of each edge in raster order, the border that owns it, or 0 */
  CtrHostBuffer points;  /* CtrPoint of the borders followed */
  uint64_t point_count;
  uint16_t steps[4 * 512]; /* what a node leads to, see border_lines.c */
} CtrBorderLines;

void ctr_border_lines_init (CtrBorderLines *lines);
void ctr_border_lines_release (CtrBorderLines *lines);

/* Makes room for an image; false when there is no memory, the last one also when it is cancelled. Then, row by row, the
 * bits in ctr_border_lines_row() are set, CTR_ROW_WORDS (width) of them, and ctr_border_lines_end_row() called; last
 * ctr_border_lines_end(). */
bool ctr_border_lines_begin (CtrBorderLines *lines, uint32_t width, uint32_t height);
uint64_t *ctr_border_lines_row (CtrBorderLines *lines, uint32_t y);
void ctr_border_lines_end_row (CtrBorderLines *lines, uint32_t y);
bool ctr_border_lines_end (CtrBorderLines *lines);

/* Appends the points of a border, all of them or the ends of its straight parts only, and enters BORDER at its edges.
 * (X, Y) is its first pixel. False when there is no memory or it is cancelled. */
bool ctr_border_lines_follow (
    CtrBorderLines *lines, uint32_t x, uint32_t y, bool hole, bool only_ends, uint32_t border);

#endif
