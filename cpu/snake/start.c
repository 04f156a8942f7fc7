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

static void
subtract (const Band *a, const Band *b, Band *difference)
{
  for (int32_t k = 0; k < ROOM; k++) {
    difference->n[k] = a->n[k] - b->n[k];
    difference->s1[k] = a->s1[k] - b->s1[k];
    difference->s2[k] = a->s2[k] - b->s2[k];
  }
}

typedef struct {
  CtrPoint points[4];
  CtrSnakeSums inside;
  double criterion; /* infinite if there is none */
} Rectangle;

static void
find_rectangle (CtrSnakePolygon *polygon, Rectangle *best)
{
  const Grid grid = make_grid (&polygon->task->window);
  Band bands[CTR_SNAKE_CELLS + 1], band;
  double criteria[ROOM];
  best->criterion = HUGE_VAL;
  sum_bands (polygon, &grid, bands);
  for (int32_t top = 0; top < grid.rows; top++)
    for (int32_t bottom = top + 1; bottom <= grid.rows; bottom++) {
      subtract (&bands[bottom], &bands[top], &band);
      if (ctr_snake_polygon_poll (polygon, CTR_SNAKE_CELLS * CTR_SNAKE_CELLS))
        return;
      for (int32_t left = 0; left < grid.columns; left++) {
        const int32_t first = left + 1, count = grid.columns - left;
        const CtrSnakeSums less = {-band.n[left], -band.s1[left], -band.s2[left]};
        ctr_snake_price (&polygon->plan->cost, less, polygon->window,
            (CtrSnakeLists){band.n + first, band.s1 + first, band.s2 + first},
            (uint32_t) (count + CTR_SNAKE_PRICES - 1) / CTR_SNAKE_PRICES * CTR_SNAKE_PRICES, criteria);
        /* The criterion of the whole window is infinite. */
        for (int32_t k = 0; k < count; k++)
          if (criteria[k] < best->criterion) {
            const int32_t right = first + k;
            *best = (Rectangle){
                .points = {{grid.x[left], grid.y[top]}, {grid.x[right], grid.y[top]}, {grid.x[right], grid.y[bottom]},
                    {grid.x[left], grid.y[bottom]}},
                .inside = ctr_snake_sums_add (less, (CtrSnakeSums){band.n[right], band.s1[right], band.s2[right]}),
                .criterion = criteria[k],
            };
          }
      }
    }
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
  find_rectangle (polygon, &rectangle);
  if (polygon->cancelled || !(rectangle.criterion < HUGE_VAL))
    return false;
  if (!take_outline (polygon, &rectangle, step)) {
    memcpy (polygon->points.data, rectangle.points, sizeof rectangle.points);
    polygon->count = 4;
  }
  ctr_snake_polygon_sum (polygon);
  return !polygon->cancelled;
}
