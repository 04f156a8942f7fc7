/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The geometry of the snake's polygons, decided alike by both backends: the pixels that an edge separates, whether
 * edges touch, moves, splits, removals of points, and the grid of the automatic start. For the host and for CUDA device
 * code. Internal.
 *
 * A polygon is a list of N points. Its edge i runs from point i to point i + 1, the last edge to the first point. */
#ifndef CTR_CORE_SNAKE_GEOMETRY_H
#define CTR_CORE_SNAKE_GEOMETRY_H

#include "core/snake/rule.h"

#include <contours/snake.h>

/* ---- Sums of a region ---- */

/* The column at which an edge passes row Y, from its upper end A to its lower one B. */
CTR_SNAKE_RULE int32_t
ctr_snake_column (CtrPoint a, CtrPoint b, int32_t y)
{
  const int64_t run = (int64_t) b.x - a.x, rise = (int64_t) b.y - a.y, product = (y - a.y) * run;
  /* Division rounds towards 0: up where the quotient is negative. */
  return (int32_t) (a.x + (product > 0 ? (product + rise - 1) / rise : product / rise));
}

/* A polygon's sums are those of its edges: over the rows that an edge passes, (c, S, Q) with c its column and S, Q the
 * sums of the samples left of c in that row and of their squares, positive where it runs down. */

/* ---- Polygons that do not touch themselves ---- */

CTR_SNAKE_RULE bool
ctr_snake_equal (CtrPoint a, CtrPoint b)
{
  return a.x == b.x && a.y == b.y;
}

/* > 0 where C is on the right of the way from A to B on the screen, 0 where it is on its line. */
CTR_SNAKE_RULE int64_t
ctr_snake_turn (CtrPoint a, CtrPoint b, CtrPoint c)
{
  return (int64_t) (b.x - a.x) * (c.y - a.y) - (int64_t) (b.y - a.y) * (c.x - a.x);
}

CTR_SNAKE_RULE bool
ctr_snake_ranges_part (int32_t a, int32_t b, int32_t c, int32_t d)
{
  return (a > b ? a : b) < (c < d ? c : d) || (c > d ? c : d) < (a < b ? a : b);
}

/* Do the segments AB and CD, of lengths above 0, have any point in common? */
CTR_SNAKE_CALLED_RULE bool
ctr_snake_touch (CtrPoint a, CtrPoint b, CtrPoint c, CtrPoint d)
{
  if (ctr_snake_ranges_part (a.x, b.x, c.x, d.x) || ctr_snake_ranges_part (a.y, b.y, c.y, d.y))
    return false;
  const int64_t abc = ctr_snake_turn (a, b, c), abd = ctr_snake_turn (a, b, d);
  if ((abc > 0 && abd > 0) || (abc < 0 && abd < 0))
    return false;
  const int64_t cda = ctr_snake_turn (c, d, a), cdb = ctr_snake_turn (c, d, b);
  return !((cda > 0 && cdb > 0) || (cda < 0 && cdb < 0));
}

/* Do the edges AB and BC have more than B in common? So it is, too, where one of them has no length. */
CTR_SNAKE_CALLED_RULE bool
ctr_snake_fold (CtrPoint a, CtrPoint b, CtrPoint c)
{
  const int64_t dot = (int64_t) (a.x - b.x) * (c.x - b.x) + (int64_t) (a.y - b.y) * (c.y - b.y);
  return ctr_snake_equal (a, b) || ctr_snake_equal (b, c) || (dot > 0 && ctr_snake_turn (a, b, c) == 0);
}

CTR_SNAKE_RULE uint32_t
ctr_snake_next (uint32_t count, uint32_t i)
{
  return i + 1 < count ? i + 1 : 0;
}

CTR_SNAKE_RULE uint32_t
ctr_snake_before (uint32_t count, uint32_t i)
{
  return i > 0 ? i - 1 : count - 1;
}

/* ---- Moves ---- */

enum { CTR_SNAKE_DIRECTIONS = 8 };

/* A window's corners, left < right, top < bottom. */
typedef struct {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} CtrSnakeWindow;

/* Where P comes to by STEP pixels in a direction, 0 .. 7 for E, SE, S, SW, W, NW, N, NE; diagonally, by as many in both
 * axes. The window's sides stop it in each axis; it may not move then. */
CTR_SNAKE_RULE CtrPoint
ctr_snake_moved (const CtrSnakeWindow *window, CtrPoint p, uint32_t direction, int32_t step)
{
  /* 1 more than the directions' x and y, two bits each. */
  const int32_t x = p.x + ((int32_t) (0x901a >> 2 * direction & 3) - 1) * step;
  const int32_t y = p.y + ((int32_t) (0x01a9 >> 2 * direction & 3) - 1) * step;
  CtrPoint to;
  to.x = (uint16_t) (x < window->left ? window->left : x > window->right ? window->right : x);
  to.y = (uint16_t) (y < window->top ? window->top : y > window->bottom ? window->bottom : y);
  return to;
}

/* Do the edges of point I, moved TO, touch edge F, which is not one of them? That the two may also fold where they
 * meet is ctr_snake_fold()'s. */
CTR_SNAKE_RULE bool
ctr_snake_move_touches (const CtrPoint *points, uint32_t count, uint32_t i, CtrPoint to, uint32_t f)
{
  const uint32_t before = ctr_snake_before (count, i), next = ctr_snake_next (count, i), g = ctr_snake_next (count, f);
  const CtrPoint a = points[before], b = points[next], c = points[f], d = points[g];
  return (g == before ? ctr_snake_fold (c, a, to) : ctr_snake_touch (a, to, c, d))
         || (f == next ? ctr_snake_fold (to, b, d) : ctr_snake_touch (to, b, c, d));
}

/* May the moves of the points I TO_I and J TO_J, two different ones, not be made together: neighbours, whose sums
 * depend on one another, or their edges touch? */
CTR_SNAKE_RULE bool
ctr_snake_moves_touch (const CtrPoint *points, uint32_t count, uint32_t i, CtrPoint to_i, uint32_t j, CtrPoint to_j)
{
  const uint32_t before_i = ctr_snake_before (count, i), next_i = ctr_snake_next (count, i);
  const uint32_t before_j = ctr_snake_before (count, j), next_j = ctr_snake_next (count, j);
  const CtrPoint a = points[before_i], b = points[next_i], c = points[before_j], d = points[next_j];
  if (next_i == j || next_j == i)
    return true;
  return ctr_snake_touch (a, to_i, c, to_j) || ctr_snake_touch (to_i, b, to_j, d)
         || (next_j == before_i ? ctr_snake_fold (to_j, a, to_i) : ctr_snake_touch (a, to_i, to_j, d))
         || (next_i == before_j ? ctr_snake_fold (to_i, b, to_j) : ctr_snake_touch (to_i, b, c, to_j));
}

/* ---- Splitting ---- */

CTR_SNAKE_RULE CtrPoint
ctr_snake_middle (CtrPoint a, CtrPoint b)
{
  CtrPoint middle;
  middle.x = (uint16_t) ((a.x + b.x) / 2);
  middle.y = (uint16_t) ((a.y + b.y) / 2);
  return middle;
}

/* Is the edge AB long enough, and its middle none of its ends? */
CTR_SNAKE_RULE bool
ctr_snake_splits (CtrPoint a, CtrPoint b, uint32_t min_segment)
{
  const int64_t dx = b.x - a.x, dy = b.y - a.y, least = 2 * (int64_t) min_segment;
  const CtrPoint middle = ctr_snake_middle (a, b);
  return dx * dx + dy * dy > least * least && !ctr_snake_equal (middle, a) && !ctr_snake_equal (middle, b);
}

/* Do the halves of edge E, by way of MIDDLE, touch edge F, another one? */
CTR_SNAKE_RULE bool
ctr_snake_split_touches (const CtrPoint *points, uint32_t count, uint32_t e, CtrPoint middle, uint32_t f)
{
  const uint32_t h = ctr_snake_next (count, e), g = ctr_snake_next (count, f);
  const CtrPoint a = points[e], b = points[h], c = points[f], d = points[g];
  return (g == e ? ctr_snake_fold (c, a, middle) : ctr_snake_touch (a, middle, c, d))
         || (f == h ? ctr_snake_fold (middle, b, d) : ctr_snake_touch (middle, b, c, d));
}

/* Do they touch the halves of edge F? */
CTR_SNAKE_RULE bool
ctr_snake_two_splits_touch (
    const CtrPoint *points, uint32_t count, uint32_t e, CtrPoint middle_e, uint32_t f, CtrPoint middle_f)
{
  const uint32_t h = ctr_snake_next (count, e), g = ctr_snake_next (count, f);
  const CtrPoint a = points[e], b = points[h], c = points[f], d = points[g];
  return ctr_snake_touch (a, middle_e, c, middle_f) || ctr_snake_touch (middle_e, b, middle_f, d)
         || (g == e ? ctr_snake_fold (middle_f, a, middle_e) : ctr_snake_touch (a, middle_e, middle_f, d))
         || (f == h ? ctr_snake_fold (middle_e, b, middle_f) : ctr_snake_touch (middle_e, b, c, middle_f));
}

/* ---- Pruning ---- */

/* Does the edge that replaces point I touch edge F, which is not one of the point's? There are more than 3 points. */
CTR_SNAKE_RULE bool
ctr_snake_removal_touches (const CtrPoint *points, uint32_t count, uint32_t i, uint32_t f)
{
  const uint32_t before = ctr_snake_before (count, i), next = ctr_snake_next (count, i), g = ctr_snake_next (count, f);
  const CtrPoint a = points[before], b = points[next], c = points[f], d = points[g];
  if (g == before)
    return ctr_snake_fold (c, a, b);
  return f == next ? ctr_snake_fold (a, b, d) : ctr_snake_touch (a, b, c, d);
}

/* May the points I and J, two different ones, not be removed together: neighbours, or their new edges touch? */
CTR_SNAKE_RULE bool
ctr_snake_two_removals_touch (const CtrPoint *points, uint32_t count, uint32_t i, uint32_t j)
{
  const uint32_t before_i = ctr_snake_before (count, i), next_i = ctr_snake_next (count, i);
  const uint32_t before_j = ctr_snake_before (count, j), next_j = ctr_snake_next (count, j);
  const CtrPoint a = points[before_i], b = points[next_i], c = points[before_j], d = points[next_j];
  if (next_i == j || next_j == i)
    return true;
  if (next_i == before_j)
    return ctr_snake_fold (a, b, d);
  return next_j == before_i ? ctr_snake_fold (c, d, b) : ctr_snake_touch (a, b, c, d);
}

/* ---- Automatic start ---- */

enum { CTR_SNAKE_CELLS = 32 };

/* Cells along a side, and where cell K begins, or the one before it ends. */
CTR_SNAKE_RULE int32_t
ctr_snake_cells (int32_t side)
{
  return side < CTR_SNAKE_CELLS ? side : CTR_SNAKE_CELLS;
}

CTR_SNAKE_RULE int32_t
ctr_snake_cell_line (int32_t begin, int32_t side, int32_t k)
{
  return begin + k * side / ctr_snake_cells (side);
}

#endif
