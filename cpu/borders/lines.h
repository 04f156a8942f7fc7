/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The borders in the bits of an image, found and followed. Internal.
 *
 * A pixel has a passage for each run of background among its eight neighbours that contains an east, north, west or
 * south neighbour: there a border passes it. A passage with an east or west neighbour owns the edge between the two
 * pixels. The first edge of a border in raster order is where a scan finds it, and tells its kind: an outer border
 * begins west of its first pixel, the border of a hole begins east of it. */
#ifndef CTR_CPU_BORDERS_LINES_H
#define CTR_CPU_BORDERS_LINES_H

#include "cpu/common/host_buffer.h"

#include <contours/contourlist.h>

typedef struct {
  uint64_t edges;    /* bit x: pixel x differs from the previous one */
  uint64_t bit_rank; /* number of edges in the image before this word */
} CtrEdgeWord;

typedef struct {
  uint32_t width, height;
  size_t words;              /* per row, which ends with at least one background pixel */
  CtrHostBuffer bits;        /* uint64_t: one word, a row of background, the rows of the image, a row of background */
  CtrHostBuffer edges;       /* CtrEdgeWord, by word of the image; valid if it has edges */
  CtrHostBuffer busy;        /* uint16_t: the words with edges, ascending; each row has room for all of its words */
  CtrHostBuffer busy_counts; /* uint16_t, by row */
  uint64_t edge_count;
  CtrHostBuffer borders; /* uint32_t, by edge in raster order: the border that owns it, or 0 */
  CtrHostBuffer points;  /* CtrPoint, of the borders that were followed */
  uint64_t point_count;
  uint16_t steps[4 * 512]; /* the continuation of a passage, see lines.c */
} CtrBorderLines;

void ctr_border_lines_init (CtrBorderLines *lines);
void ctr_border_lines_release (CtrBorderLines *lines);

/* For each image: ctr_border_lines_begin() makes room. Then, row by row, set the bits of ctr_border_lines_row(),
 * CTR_ROW_WORDS (width) words, and call ctr_border_lines_end_row(). Finally call ctr_border_lines_end(). False if there
 * is no memory, or if the work is cancelled. */
bool ctr_border_lines_begin (CtrBorderLines *lines, uint32_t width, uint32_t height);
uint64_t *ctr_border_lines_row (CtrBorderLines *lines, uint32_t y);
void ctr_border_lines_end_row (CtrBorderLines *lines, uint32_t y);
bool ctr_border_lines_end (CtrBorderLines *lines);

/* Appends the points of the border with the first pixel (X, Y): all of them, or the ends of its straight segments only.
 * Enters BORDER as the owner of its edges. False if there is no memory or the work is cancelled. */
bool ctr_border_lines_follow (
    CtrBorderLines *lines, uint32_t x, uint32_t y, bool hole, bool only_ends, uint32_t border);

#endif
