/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of borders in the bits of an image. Internal.
 *
 * A pixel has passages: there a border passes it. The eight neighbours determine the next passage. A passage of 8-connected
 * foreground is a run of background among the eight neighbours that contains an east, north, west or south neighbour.
 * One of 4-connected foreground is what lies between two successive neighbours at the east, north, west and south that
 * are foreground, if it contains background: neighbours, or only the one at the corner. A passage with an east or west
 * neighbour in its background owns the edge between the two pixels. The first edge of a border in raster order is where a scan finds
 * it, and tells its kind: an outer border begins west of its first pixel, the border of a hole begins east of it.
 *
 * The rows of an image are divided into bands. Different threads may work on different bands. */
#ifndef CTR_CPU_BORDERS_LINES_H
#define CTR_CPU_BORDERS_LINES_H

#include "cpu/common/host_buffer.h"

#include <contours/contourlist.h>

#include <endian.h>

/* Owners that are no lines: of an edge that no line has been entered for, and the frame of the image. */
#define CTR_BORDER_FREE 0u
#define CTR_BORDER_FRAME UINT32_MAX

/* The bits of BITS, FREE and ASKED are in bytes: words are in little-endian order. */
typedef struct {
  uint32_t width, height;
  CtrConnectivity connectivity;
  bool numbered;       /* some edges have owners */
  bool counted;        /* edges are counted */
  size_t words;        /* per row, which ends with at least one background pixel */
  CtrHostBuffer bits;  /* uint64_t: one word, a row of background, the rows of the image, a row of background */
  CtrHostBuffer free;  /* uint64_t, by word of the image: the edges that no line has passed; valid if it has edges */
  CtrHostBuffer asked; /* uint64_t, if numbered: the edges that have owners, see owners.h */
  CtrHostBuffer ranks; /* uint32_t, if numbered, by word of the image: the place of the owner of its first such edge */
  CtrHostBuffer busy;  /* uint16_t: the words with edges, ascending; each row has room for all of its words */
  CtrHostBuffer busy_counts; /* uint16_t, by row */
  const uint16_t *steps;     /* the continuation of a passage, see lines.c; one of: */
  uint16_t steps_4[4 * 512], steps_8[4 * 512];
} CtrBorderLines;

/* The lines in the rows from TOP to before END. */
typedef struct {
  uint32_t top, end;
  uint32_t asked_count; /* of edges with owners */
  uint64_t edge_count;  /* if counted */
  bool limited;         /* following gives up, and fails, when no steps are left; only where no edges have owners */
  uint64_t steps_left;
  CtrHostBuffer owners; /* uint32_t, if numbered, by rank of an edge with an owner: its line, or CTR_BORDER_FREE */
  CtrHostBuffer points; /* CtrPoint, of the lines that were followed */
  uint64_t point_count;
} CtrBorderStrip;

/* 8-connected: direction 2 * SLOT is the first of east, north, west, south in the passage's run of background.
 * 4-connected: it is the neighbour from which the border comes, see lines.c. */
typedef struct {
  uint16_t x, y;
  uint32_t slot;
} CtrBorderPassage;

/* A part of a border inside a strip, from where it enters the strip to where it leaves it. */
typedef struct {
  CtrBorderPassage entry;
  CtrBorderPassage next;      /* the first one after the part, in the strip above or below */
  uint64_t first;             /* point of the strip */
  uint64_t count;             /* of points */
  uint64_t first_edge;        /* that it owns, as index of a bit of the image; UINT64_MAX: none */
  uint64_t first_edge_points; /* points before the passage that owns this edge */
} CtrBorderPart;

void ctr_border_lines_init (CtrBorderLines *lines);
void ctr_border_lines_release (CtrBorderLines *lines);
void ctr_border_strip_release (CtrBorderStrip *strip);
bool ctr_border_lines_give_back (CtrBorderLines *lines);
bool ctr_border_strip_give_back (CtrBorderStrip *strip);

/* For each image: ctr_border_lines_begin() makes room. For each strip: ctr_border_strip_begin(). Then, row by row, set
 * the bits of ctr_border_lines_row(), CTR_ROW_WORDS (width) words, and call ctr_border_strip_end_row(). Borders can be
 * followed when this is done for all strips. */
bool ctr_border_lines_begin (
    CtrBorderLines *lines, uint32_t width, uint32_t height, CtrConnectivity connectivity, bool numbered, bool counted);
void ctr_border_strip_begin (CtrBorderStrip *strip, uint32_t top, uint32_t end);
uint64_t *ctr_border_lines_row (const CtrBorderLines *lines, uint32_t y);
void ctr_border_strip_end_row (CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t y);

/* The words with edges of row Y, and their number. */
static inline uint32_t
ctr_border_lines_busy (const CtrBorderLines *lines, uint32_t y, const uint16_t **busy)
{
  *busy = (const uint16_t *) lines->busy.data + y * lines->words;
  return ((const uint16_t *) lines->busy_counts.data)[y];
}

static inline uint64_t
ctr_border_lines_free (const CtrBorderLines *lines, size_t word)
{
  return le64toh (((const uint64_t *) lines->free.data)[word]);
}

/* Calls FOUND for each passage of row Y at which a border comes from the row above, or with FROM_BELOW from the row
 * below: by x, then by slot. False if FOUND returned false. */
bool ctr_border_lines_find_entries (const CtrBorderLines *lines, uint32_t y, bool from_below,
    bool (*found) (void *context, CtrBorderPassage entry), void *context);

/* Appends the points of the border in the strip with the first pixel (X, Y): all of them, or the ends of its straight
 * segments only. Enters OWNER as the owner of its edges. False if there is no memory or the work is cancelled. */
bool ctr_border_strip_follow (CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t x, uint32_t y, bool hole,
    bool only_ends, uint32_t owner);

/* Does the same for the part of a border that begins at PART's entry. */
bool ctr_border_strip_follow_part (
    CtrBorderStrip *strip, const CtrBorderLines *lines, CtrBorderPart *part, bool only_ends, uint32_t owner);

#endif
