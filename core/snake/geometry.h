/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Geometry of region snakes: the rows and columns of an edge, edges that touch, moves, splitting, pruning, and the grids
 * of the automatic start. For host and CUDA device code. Internal.
 *
 * A polygon is a list of N points. Edge i runs from point i to point i + 1, the last edge to the first point. */
#ifndef CTR_CORE_SNAKE_GEOMETRY_H
#define CTR_CORE_SNAKE_GEOMETRY_H

#include "core/snake/rule.h"

#include <contours/snake.h>

/* ---- Sums along an edge ---- */

/* The column at which the edge from its upper end A to its lower end B passes row Y. */
CTR_SNAKE_RULE int32_t
ctr_snake_column (CtrPoint a, CtrPoint b, int32_t y)
{
  const int64_t run = (int64_t) b.x - a.x, rise = (int64_t) b.y - a.y, product = (y - a.y) * run;
  /* Division rounds towards 0, so negative quotients are rounded up. */
  return (int32_t) (a.x + (product > 0 ? (product + rise - 1) / rise : product / rise));
}

/* The sums of a polygon are the sums over its edges. An edge adds (c, S, Q) for each row that it passes: its column c,
 * and the sums of the samples left of c in that row and of their squares. The sign is positive if the edge runs down.
 */

/* ---- Polygons that do not touch themselves ---- */

CTR_SNAKE_RULE bool
ctr_snake_equal (CtrPoint a, CtrPoint b)
{
  return a.x == b.x && a.y == b.y;
}

/* > 0 if C is on the right of the directed line from A to B on the screen, 0 if C is on the line. */
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

/* Do the segments AB and CD, of lengths > 0, have a point in common? */
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

/* Do the edges AB and BC have more than B in common, or is one of them of length 0? */
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

enum {
  CTR_SNAKE_DIRECTIONS = 8,
  CTR_SNAKE_OUTLINE_ITERATIONS = 4 /* from an outline, with a step greater than 1 */
};

/* A window in corner coordinates, left < right, top < bottom. */
typedef struct {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} CtrSnakeWindow;

/* P moved by STEP pixels in a direction, 0 .. 7 for E, SE, S, SW, W, NW, N, NE; diagonally by STEP on both axes. Each
 * coordinate is clamped to the window, so P may not move at all. */
CTR_SNAKE_RULE CtrPoint
ctr_snake_moved (const CtrSnakeWindow *window, CtrPoint p, uint32_t direction, int32_t step)
{
  /* The x and y of the directions plus 1, two bits each. */
  const int32_t x = p.x + ((int32_t) (0x901a >> 2 * direction & 3) - 1) * step;
  const int32_t y = p.y + ((int32_t) (0x01a9 >> 2 * direction & 3) - 1) * step;
  CtrPoint to;
  to.x = (uint16_t) (x < window->left ? window->left : x > window->right ? window->right : x);
  to.y = (uint16_t) (y < window->top ? window->top : y > window->bottom ? window->bottom : y);
  return to;
}

/* If point I moves TO, do its edges touch edge F, which is not one of them? Whether they fold at the point itself must
 * be tested with ctr_snake_fold(). */
CTR_SNAKE_RULE bool
ctr_snake_move_touches (const CtrPoint *points, uint32_t count, uint32_t i, CtrPoint to, uint32_t f)
{
  const uint32_t before = ctr_snake_before (count, i), next = ctr_snake_next (count, i), g = ctr_snake_next (count, f);
  const CtrPoint a = points[before], b = points[next], c = points[f], d = points[g];
  return (g == before ? ctr_snake_fold (c, a, to) : ctr_snake_touch (a, to, c, d))
         || (f == next ? ctr_snake_fold (to, b, d) : ctr_snake_touch (to, b, c, d));
}

/* Do the moves of two different points, I TO_I and J TO_J, conflict? They do if the points are neighbours, whose sums
 * depend on each other, or if their edges touch. */
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

/* Is the edge AB long enough to be split, and its middle different from its ends? */
CTR_SNAKE_RULE bool
ctr_snake_splits (CtrPoint a, CtrPoint b, uint32_t min_segment)
{
  const int64_t dx = b.x - a.x, dy = b.y - a.y, least = 2 * (int64_t) min_segment;
  const CtrPoint middle = ctr_snake_middle (a, b);
  return dx * dx + dy * dy > least * least && !ctr_snake_equal (middle, a) && !ctr_snake_equal (middle, b);
}

/* Do the halves of edge E through MIDDLE touch another edge F? */
CTR_SNAKE_RULE bool
ctr_snake_split_touches (const CtrPoint *points, uint32_t count, uint32_t e, CtrPoint middle, uint32_t f)
{
  const uint32_t h = ctr_snake_next (count, e), g = ctr_snake_next (count, f);
  const CtrPoint a = points[e], b = points[h], c = points[f], d = points[g];
  return (g == e ? ctr_snake_fold (c, a, middle) : ctr_snake_touch (a, middle, c, d))
         || (f == h ? ctr_snake_fold (middle, b, d) : ctr_snake_touch (middle, b, c, d));
}

/* Do the halves of edge E touch the halves of edge F? */
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

/* Does the edge that replaces point I touch edge F, which does not end at the point? The polygon has more than 3
 * points.
 */
CTR_SNAKE_RULE bool
ctr_snake_removal_touches (const CtrPoint *points, uint32_t count, uint32_t i, uint32_t f)
{
  const uint32_t before = ctr_snake_before (count, i), next = ctr_snake_next (count, i), g = ctr_snake_next (count, f);
  const CtrPoint a = points[before], b = points[next], c = points[f], d = points[g];
  if (g == before)
    return ctr_snake_fold (c, a, b);
  return f == next ? ctr_snake_fold (a, b, d) : ctr_snake_touch (a, b, c, d);
}

/* Do the removals of two different points, I and J, conflict? They do if the points are neighbours or their new edges
 * touch. */
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

enum { CTR_SNAKE_CELLS = 32, CTR_SNAKE_COARSE_CELLS = 16 };

/* The number of cells along a SIDE of the window, and the line between cells K - 1 and K. */
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

/* The number of coarse cells along CELLS cells, two of which make one if there are many, and the number of the line
 * between coarse cells K - 1 and K. */
CTR_SNAKE_RULE int32_t
ctr_snake_coarse_cells (int32_t cells)
{
  return cells <= CTR_SNAKE_COARSE_CELLS ? cells : (cells + 1) / 2;
}

CTR_SNAKE_RULE int32_t
ctr_snake_coarse_line (int32_t cells, int32_t k)
{
  return cells <= CTR_SNAKE_COARSE_CELLS ? k : 2 * k < cells ? 2 * k : cells;
}

/* How far side SIDE of a rectangle (0 .. 3: top, bottom, left, right) is moved by refinement I of
 * CTR_SNAKE_REFINEMENTS: by -1, 0 or 1 lines. */
enum { CTR_SNAKE_REFINEMENTS = 81 };
CTR_SNAKE_RULE int32_t
ctr_snake_refinement (int32_t i, int32_t side)
{
  const int32_t unit = side == 0 ? 27 : side == 1 ? 9 : side == 2 ? 3 : 1;
  return i / unit % 3 - 1;
}

enum {
  CTR_SNAKE_BLOCKS = 384,   /* along a side of the window, at most */
  CTR_SNAKE_CORNERS = 2048, /* of an outline of blocks, at most */
  CTR_SNAKE_LEVELS = 256    /* of the simplification of an outline, at most */
};

/* The square blocks of a window, from its upper left corner on. The last ones of rows and columns may be cut off. */
typedef struct {
  int32_t side; /* of a block, in pixels */
  int32_t columns;
  int32_t rows;
} CtrSnakeGrid;

CTR_SNAKE_RULE CtrSnakeGrid
ctr_snake_grid (const CtrSnakeWindow *window)
{
  const int32_t width = window->right - window->left, height = window->bottom - window->top;
  const int32_t longer = width > height ? width : height;
  CtrSnakeGrid grid;
  grid.side = longer <= 256 ? 4 : 8;
  while (longer > grid.side * CTR_SNAKE_BLOCKS)
    grid.side *= 2;
  grid.columns = (width + grid.side - 1) / grid.side;
  grid.rows = (height + grid.side - 1) / grid.side;
  return grid;
}

/* The upper left corner of the block in COLUMN and ROW, or the end of the window behind the last one. */
CTR_SNAKE_RULE CtrPoint
ctr_snake_grid_point (const CtrSnakeWindow *window, const CtrSnakeGrid *grid, int32_t column, int32_t row)
{
  const int32_t x = window->left + column * grid->side, y = window->top + row * grid->side;
  CtrPoint point;
  point.x = (uint16_t) (x < window->right ? x : window->right);
  point.y = (uint16_t) (y < window->bottom ? y : window->bottom);
  return point;
}

#endif
