/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The convex hull by monotone chains (Andrew: "Another efficient algorithm for convex hulls in two dimensions") over the
 * leftmost and the rightmost point of each row. */
#include "core/results/hull.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/shapes.h"

#include <stdlib.h>
#include <string.h>

enum { NO_POINT = UINT32_MAX };

void
ctr_hull_work_free (CtrHullWork *work)
{
  free (work->rows);
  *work = (CtrHullWork){.rows = NULL};
}

/* Room for ROWS rows, and as many vertices as they may have. */
static bool
reserve (CtrHullWork *work, size_t rows)
{
  const size_t needed = 4 * rows;
  if (needed > work->room) {
    free (work->rows);
    work->room = 0;
    work->rows = ctr_alloc_array (needed, sizeof *work->rows);
    if (!work->rows)
      return false;
    work->room = needed;
  }
  work->hull = work->rows + 2 * rows;
  return true;
}

/* Makes point I one of the row's, LEFT and RIGHT of which are indices. */
static inline void
add_point (const CtrPoint *points, uint32_t i, uint32_t *left, uint32_t *right)
{
  if (*left == NO_POINT || points[i].x < points[*left].x)
    *left = i;
  if (*right == NO_POINT || points[i].x > points[*right].x)
    *right = i;
}

static bool
find_rows (CtrHullWork *work, const CtrPoint *points, uint32_t count, uint32_t *rows)
{
  uint32_t top = points[0].y, bottom = points[0].y;
  for (uint64_t i = 0, end = 0; i < count; i++) {
    if (i == end) {
      end = ctr_poll_end (i, count);
      if (i > 0 && ctr_cancelled ())
        return false;
    }
    top = points[i].y < top ? points[i].y : top;
    bottom = points[i].y > bottom ? points[i].y : bottom;
  }
  *rows = bottom - top + 1;
  if (!reserve (work, *rows))
    return false;
  uint32_t *left = work->rows, *right = left + *rows;
  memset (left, 0xff, 2 * *rows * sizeof *left);
  for (uint64_t i = 0, end = 0; i < count; i++) {
    if (i == end) {
      end = ctr_poll_end (i, count);
      if (i > 0 && ctr_cancelled ())
        return false;
    }
    add_point (points, (uint32_t) i, left + points[i].y - top, right + points[i].y - top);
  }
  return true;
}

/* Adds point P to the chain of COUNT vertices, at which a clockwise line turns. Returns their number. */
static inline uint32_t
chain_add (const CtrPoint *points, uint32_t *chain, uint32_t count, uint32_t p)
{
  while (count > 1 && ctr_shape_cross (points[chain[count - 2]], points[chain[count - 1]], points[p]) <= 0)
    count--;
  chain[count] = p;
  return count + 1;
}

bool
ctr_hull_find (CtrHullWork *work, const CtrPoint *points, uint32_t count)
{
  uint32_t rows;
  if (!find_rows (work, points, count, &rows))
    return false;
  const uint32_t *left = work->rows, *right = left + rows;
  uint32_t *hull = work->hull;
  work->right = 0;
  for (uint32_t y = 0; y < rows; y++)
    if (right[y] != NO_POINT)
      work->right = chain_add (points, hull, work->right, right[y]);
  hull += work->right;
  uint32_t up = 0;
  for (uint32_t y = rows; y-- > 0;)
    if (left[y] != NO_POINT)
      up = chain_add (points, hull, up, left[y]);
  /* Where a row at an end has one point only, both chains have it. */
  const uint32_t begin = left[rows - 1] == right[rows - 1] && up > 0, end = left[0] == right[0] && up > begin;
  memmove (hull, hull + begin, (up - begin) * sizeof *hull);
  work->count = work->right + up - begin - end;
  return true;
}

uint32_t
ctr_contour_hull (const CtrPoint *points, uint32_t count, uint32_t *to)
{
  CtrHullWork work = {.rows = NULL};
  uint32_t vertices = 0;
  if (ctr_hull_find (&work, points, count)) {
    vertices = work.count;
    memcpy (to, work.hull, vertices * sizeof *to);
  }
  ctr_hull_work_free (&work);
  return vertices;
}
