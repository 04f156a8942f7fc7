/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The automatic start: the best of all rectangles of whole cells of a window, or an outline of blocks. */
#include "cpu/snake/outline.h"
#include "cpu/snake/price.h"

#include <string.h>

/* The sums left of each vertical grid line over some rows, with room for a SIMD group beyond the last line. */
enum { ROOM = CTR_SNAKE_CELLS + 1 + CTR_SNAKE_PRICES };
typedef struct {
  int64_t n[ROOM];
  int64_t s1[ROOM];
  uint64_t s2[ROOM];
} Band;

/* The coordinates of the grid lines. */
typedef struct {
  int32_t columns;
  int32_t rows;
  uint16_t x[CTR_SNAKE_CELLS + 1];
  uint16_t y[CTR_SNAKE_CELLS + 1];
} Grid;

/* Numbers of grid lines. */
typedef struct {
  int32_t top, bottom, left, right;
} Lines;

static Grid
make_grid (const CtrSnakeWindow *window)
{
  const int32_t width = window->right - window->left, height = window->bottom - window->top;
  Grid grid = {.columns = ctr_snake_cells (width), .rows = ctr_snake_cells (height)};
  for (int32_t k = 0; k <= grid.columns; k++)
    grid.x[k] = (uint16_t) ctr_snake_cell_line (window->left, width, k);
  for (int32_t k = 0; k <= grid.rows; k++)
    grid.y[k] = (uint16_t) ctr_snake_cell_line (window->top, height, k);
  return grid;
}

/* Computes the bands from the top of the window to each horizontal grid line. */
static void
sum_bands (CtrSnakePolygon *polygon, const Grid *grid, Band *bands)
{
  bands[0] = (Band){.n = {0}};
  for (int32_t row = 0; row < grid->rows; row++) {
    bands[row + 1] = bands[row];
    for (int32_t k = 0; k <= grid->columns; k++) {
      const CtrPoint top = {grid->x[k], grid->y[row]}, bottom = {grid->x[k], grid->y[row + 1]};
      if (ctr_snake_polygon_poll (polygon, ctr_snake_polygon_rows (top, bottom)))
        return;
      const CtrSnakeSums sums = ctr_snake_table_edge (polygon->table, top, bottom);
      bands[row + 1].n[k] += sums.n;
      bands[row + 1].s1[k] += sums.s1;
      bands[row + 1].s2[k] += sums.s2;
    }
  }
}

/* The sums left of each coarse line between the lines TOP and BOTTOM. */
static void
subtract (const Grid *grid, const Band *top, const Band *bottom, Band *difference)
{
  for (int32_t k = 0; k <= ctr_snake_coarse_cells (grid->columns); k++) {
    const int32_t line = ctr_snake_coarse_line (grid->columns, k);
    difference->n[k] = bottom->n[line] - top->n[line];
    difference->s1[k] = bottom->s1[line] - top->s1[line];
    difference->s2[k] = bottom->s2[line] - top->s2[line];
  }
}

static CtrSnakeSums
band_sums (const Band *band, int32_t line)
{
  return (CtrSnakeSums){band->n[line], band->s1[line], band->s2[line]};
}

static CtrSnakeSums
sums_of (const Band *bands, Lines at)
{
  const Band *top = &bands[at.top], *bottom = &bands[at.bottom];
  return ctr_snake_sums_sub (ctr_snake_sums_sub (band_sums (bottom, at.right), band_sums (bottom, at.left)),
      ctr_snake_sums_sub (band_sums (top, at.right), band_sums (top, at.left)));
}

/* The best rectangle of whole coarse cells. Returns its criterion, infinite if there is none. */
static double
find_coarse (CtrSnakePolygon *polygon, const Grid *grid, const Band *bands, Lines *best)
{
  const int32_t rows = ctr_snake_coarse_cells (grid->rows), columns = ctr_snake_coarse_cells (grid->columns);
  Band band = {.n = {0}};
  double criteria[ROOM], least = HUGE_VAL;
  for (int32_t top = 0; top < rows; top++)
    for (int32_t bottom = top + 1; bottom <= rows; bottom++) {
      const Lines at = {
          .top = ctr_snake_coarse_line (grid->rows, top), .bottom = ctr_snake_coarse_line (grid->rows, bottom)};
      subtract (grid, &bands[at.top], &bands[at.bottom], &band);
      if (ctr_snake_polygon_poll (polygon, CTR_SNAKE_COARSE_CELLS * CTR_SNAKE_COARSE_CELLS))
        return HUGE_VAL;
      for (int32_t left = 0; left < columns; left++) {
        const int32_t first = left + 1, count = columns - left;
        const CtrSnakeSums less = {-band.n[left], -band.s1[left], -band.s2[left]};
        ctr_snake_price (&polygon->plan->cost, less, polygon->window,
            (CtrSnakeLists){band.n + first, band.s1 + first, band.s2 + first},
            (uint32_t) (count + CTR_SNAKE_PRICES - 1) / CTR_SNAKE_PRICES * CTR_SNAKE_PRICES, criteria);
        /* The criterion of the whole window is infinite. */
        for (int32_t k = 0; k < count; k++)
          if (criteria[k] < least) {
            least = criteria[k];
            *best = (Lines){at.top, at.bottom, ctr_snake_coarse_line (grid->columns, left),
                ctr_snake_coarse_line (grid->columns, first + k)};
          }
      }
    }
  return least;
}

/* The best rectangle whose sides are at most a line away from AT. */
static Lines
refine (const CtrSnakePolygon *polygon, const Grid *grid, const Band *bands, Lines at)
{
  Lines best = at;
  double least = HUGE_VAL;
  for (int32_t i = 0; i < CTR_SNAKE_REFINEMENTS; i++) {
    const Lines near = {at.top + ctr_snake_refinement (i, 0), at.bottom + ctr_snake_refinement (i, 1),
        at.left + ctr_snake_refinement (i, 2), at.right + ctr_snake_refinement (i, 3)};
    if (near.top < 0 || near.top >= near.bottom || near.bottom > grid->rows || near.left < 0 || near.left >= near.right
        || near.right > grid->columns)
      continue;
    const double criterion = ctr_snake_criterion (&polygon->plan->cost, sums_of (bands, near), polygon->window);
    if (criterion < least) {
      least = criterion;
      best = near;
    }
  }
  return best;
}

typedef struct {
  CtrPoint points[4];
  CtrSnakeSums inside;
} Rectangle;

/* False if there is none, or the task is cancelled. */
static bool
find_rectangle (CtrSnakePolygon *polygon, Rectangle *rectangle)
{
  const Grid grid = make_grid (&polygon->task->window);
  Band bands[CTR_SNAKE_CELLS + 1];
  Lines at;
  sum_bands (polygon, &grid, bands);
  if (!(find_coarse (polygon, &grid, bands, &at) < HUGE_VAL) || polygon->cancelled)
    return false;
  at = refine (polygon, &grid, bands, at);
  const uint16_t left = grid.x[at.left], right = grid.x[at.right], top = grid.y[at.top], bottom = grid.y[at.bottom];
  *rectangle = (Rectangle){
      .points = {{left, top}, {right, top}, {right, bottom}, {left, bottom}}, .inside = sums_of (bands, at)};
  return true;
}

/* Makes the outline the polygon, and lowers *STEP to what suits it. False if there is none. */
static bool
take_outline (CtrSnakePolygon *polygon, const Rectangle *rectangle, uint32_t *step)
{
  const CtrSnakeGrid grid = ctr_snake_grid (&polygon->task->window);
  const uint32_t width = (uint32_t) grid.columns + 2;
  const CtrSnakeFrame frame = {.grid = grid, .width = width, .size = width * ((uint32_t) grid.rows + 2)};
  if (!ctr_snake_find_region (polygon, &frame, rectangle->inside))
    return false;
  polygon->count = ctr_snake_simplify_region (polygon, &frame);
  if (polygon->count == 0)
    return false;
  *step = *step < (uint32_t) grid.side ? *step : (uint32_t) grid.side;
  polygon->from_outline = true;
  return true;
}

bool
ctr_snake_start (CtrSnakePolygon *polygon, uint32_t *step)
{
  Rectangle rectangle;
  if (!ctr_snake_polygon_reserve (polygon, CTR_SNAKE_CORNERS)) {
    polygon->cancelled = true;
    return false;
  }
  if (!find_rectangle (polygon, &rectangle))
    return false;
  if (!take_outline (polygon, &rectangle, step)) {
    memcpy (polygon->points.data, rectangle.points, sizeof rectangle.points);
    polygon->count = 4;
  }
  ctr_snake_polygon_sum (polygon);
  return !polygon->cancelled;
}
