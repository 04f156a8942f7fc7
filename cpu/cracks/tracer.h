/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What has been traced of an image, and the steps that both hierarchies need. Internal. */
#ifndef CTR_CPU_CRACKS_TRACER_H
#define CTR_CPU_CRACKS_TRACER_H

#include "core/results/contourlist.h"
#include "cpu/cracks/corners.h"

/* A contour of the level, numbered from 1 in the order of discovery. Number 0 is the border around the image, as a
 * hole. */
typedef struct {
  uint32_t parent : 31; /* before contours are dropped; a lower number */
  uint32_t hole : 1;
  int32_t row; /* of the level: of the contour or of its nearest ancestor that is kept; -1: none */
} Contour;

/* Traces levels, one after the other. The rows of a level are consecutive. */
typedef struct {
  CtrHostBuffer columns;  /* uint32_t, by column: the corner, later the contour, of its last vertical line */
  CtrHostBuffer lines;    /* uint64_t: the bits of columns that a vertical line passes */
  CtrHostBuffer owners;   /* uint32_t, by pair of corners of the level: its contour, or 0; see owners_of() */
  CtrHostBuffer contours; /* Contour, of the level */
  CtrHostBuffer rows;     /* CtrContour, with indices into the rows and the points of their levels */
  CtrHostBuffer sums;     /* CtrContourSums, by row */
  uint32_t row_count;
  uint64_t work;    /* operations on the level since the last poll */
  char padding[64]; /* Different threads write different tracers. */
} Tracer;

/* What has been found of a level. */
typedef struct {
  const Tracer *tracer;
  uint32_t tracer_row; /* the first row among the tracer's */
  uint32_t row_count;
  uint32_t first_row;     /* in the table */
  uint32_t first_contour; /* its number among the contours of all levels, with CTR_HIERARCHY_LEVELS */
  uint64_t point_count;
  uint64_t first_point; /* in the result */
} Level;

typedef struct {
  CtrCrackCorners corners;
  Tracer *tracers;
  uint32_t tracer_count, tracer_room;
  CtrHostBuffer levels; /* Level, by level index - 1 */
  CtrHostBuffer points; /* CtrPoint: of each level, from first_point_of() on */
  CtrHostBuffer owners; /* with CTR_HIERARCHY_LEVELS: those of the tracers, of all levels */
  CtrHostBuffer nodes;  /* with CTR_HIERARCHY_LEVELS: see nesting.c */
  CtrRoomPeriod period;
  CtrContours *result; /* until finish() takes it */
} State;

/* An image, for all threads. */
typedef struct {
  State *state;
  const CtrImage *image;
  const CtrCracksPlan *plan;  /* of the levels that are traced, */
  const CtrCracksPlan *asked; /* of the result */
  CtrContourArrays arrays;
  uint32_t next_level; /* atomic */
  bool failed;         /* atomic */
} Work;

/* Where the points of a level go. There is room for one more than it has. */
static inline uint64_t
first_point_of (const State *state, uint32_t level_index)
{
  return ((const size_t *) state->corners.ends.data)[level_index - 1] + level_index - 1;
}

/* The owners of the pairs of corners of a level, which the hierarchy over all levels keeps until all are traced. */
static inline uint32_t *
owners_of (const Work *work, const Tracer *tracer, uint32_t level_index)
{
  const size_t *ends = work->state->corners.ends.data;
  return work->plan->nested ? (uint32_t *) work->state->owners.data + ends[level_index - 1] / 2 : tracer->owners.data;
}

/* The column of the last vertical line before column X; false if there is none. */
static inline bool
find_line (const uint64_t *lines, uint32_t x, uint32_t *column)
{
  uint32_t word = x / 64;
  uint64_t bits = lines[word] & (((uint64_t) 1 << x % 64) - 1);
  while (bits == 0) {
    if (word == 0)
      return false;
    bits = lines[--word];
  }
  *column = 64 * word + 63 - (uint32_t) __builtin_clzll (bits);
  return true;
}

/* Updates the vertical line in the column of a corner, for the row of pixels below. */
static inline void
pass_corner (const CtrCrackCorner *corner, uint32_t contour, uint64_t *lines, uint32_t *columns)
{
  const uint32_t x = corner->point.x;
  lines[x / 64] ^= (uint64_t) 1 << x % 64;
  if ((corner->link & CTR_CORNER_KIND) != CTR_CORNER_NORTH)
    columns[x] = contour;
}

/* Is it within the limits on area and length? */
static inline bool
is_kept (const CtrContour *row, const CtrCracksPlan *plan)
{
  const uint64_t area2 = (uint64_t) (row->area2 < 0 ? -row->area2 : row->area2);
  return area2 >= plan->min_area2 && area2 <= plan->max_area2 && row->length >= plan->min_length;
}

/* Links a new row to its parent, or without a parent to the LAST such row. */
static inline void
join_family (CtrContour *rows, int32_t row, int32_t parent, int32_t *last)
{
  int32_t *child = parent < 0 ? last : &rows[parent].child;
  rows[row].parent = parent;
  rows[row].child = rows[row].previous = -1;
  rows[row].next = *child;
  if (*child >= 0)
    rows[*child].previous = row;
  *child = row;
}

/* CTR_HIERARCHY_LEVELS, after the levels have been traced. Each level has all of its contours, each with its parent in
 * the level. ctr_cracks_nest() finds the tree and what limits drop, and fills in the numbers of INFO;
 * ctr_cracks_write_nested() fills the arrays. False if the work is cancelled, there is no memory, or there are too many
 * contours. */
bool ctr_cracks_nest (Work *work, unsigned threads, CtrContours *info);
bool ctr_cracks_write_nested (Work *work, unsigned threads, uint32_t count);

#endif
