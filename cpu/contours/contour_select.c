/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows that stay move up in their arrays. What was inside a dropped contour belongs to the next remaining one around it, whose
 * new row is known by then: a parent comes before its children. */
#include "cpu/contours/contour_select.h"

#include "core/common/memory.h"
#include "core/common/poll.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const CtrSelectPlan *plan;
  CtrContourArrays arrays;
  uint32_t count;     /* of rows, before */
  int32_t *remaining; /* by old row: its new row, or that of the next remaining contour around it, or -1 */
  uint32_t rows;      /* that stay so far */
  uint64_t points;
} Selection;

/* This and the function below return false if the work is cancelled. */
static bool
move_rows (Selection *s)
{
  const CtrContourArrays *a = &s->arrays;
  uint64_t operations = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    CtrContour row = a->table[i];
    const int32_t parent = row.parent < 0 ? -1 : s->remaining[row.parent];
    s->remaining[i] = parent;
    if (ctr_poll (&operations, 64 + row.count / 16))
      return false;
    if (!ctr_select_keeps_contour (s->plan, &row, a->shapes ? a->shapes + i : NULL, a->sums ? a->sums + i : NULL,
            a->fits ? a->fits + i : NULL))
      continue;
    memmove (a->points + s->points, a->points + row.first, row.count * sizeof *a->points);
    if (a->shapes)
      a->shapes[s->rows] = a->shapes[i];
    if (a->sums)
      a->sums[s->rows] = a->sums[i];
    if (a->fits)
      a->fits[s->rows] = a->fits[i];
    row.first = s->points;
    row.parent = parent;
    a->table[s->rows] = row;
    s->remaining[i] = (int32_t) s->rows++;
    s->points += row.count;
  }
  return true;
}

/* From the last row to the first, the first child of a parent so far is the next sibling of the row. */
static bool
link_rows (const Selection *s)
{
  CtrContour *table = s->arrays.table;
  uint64_t operations = 0;
  int32_t top = -1;
  for (uint32_t i = s->rows; i-- > 0;) {
    CtrContour *row = table + i;
    int32_t *first = row->parent < 0 ? &top : &table[row->parent].child;
    if (ctr_poll (&operations, 4))
      return false;
    row->next = *first;
    if (row->next >= 0)
      table[row->next].previous = (int32_t) i;
    *first = (int32_t) i;
  }
  return true;
}

bool
ctr_contours_select (CtrContours *contours, const CtrSelectPlan *plan)
{
  Selection s = {.plan = plan,
      .arrays = {.table = (CtrContour *) ctr_contours_map_table (contours, NULL),
          .points = (CtrPoint *) ctr_contours_map_points (contours, NULL),
          .sums = (CtrContourSums *) ctr_contours_map_sums (contours, NULL),
          .shapes = (CtrContourShape *) ctr_contours_map_shapes (contours, NULL),
          .fits = (CtrContourFits *) ctr_contours_map_fits (contours, NULL)},
      .count = contours->count};
  s.remaining = ctr_alloc_array (s.count ? s.count : 1, sizeof *s.remaining);
  bool ok = s.remaining && move_rows (&s);
  for (uint32_t i = 0; ok && i < s.rows; i++)
    s.arrays.table[i].next = s.arrays.table[i].previous = s.arrays.table[i].child = -1;
  ok = ok && link_rows (&s);
  free (s.remaining);
  contours->count = s.rows;
  contours->point_count = s.points;
  return ok;
}
