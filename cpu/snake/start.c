/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The automatic start: the best of all rectangles of whole cells of a window. */
#include "cpu/snake/polygon.h"
#include "cpu/snake/price.h"

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

bool
ctr_snake_start (CtrSnakePolygon *polygon, CtrPoint points[4])
{
  const Grid grid = make_grid (&polygon->task->window);
  Band bands[CTR_SNAKE_CELLS + 1], band;
  double criteria[ROOM], best = HUGE_VAL;
  sum_bands (polygon, &grid, bands);
  for (int32_t top = 0; top < grid.rows; top++)
    for (int32_t bottom = top + 1; bottom <= grid.rows; bottom++) {
      subtract (&bands[bottom], &bands[top], &band);
      if (ctr_snake_polygon_poll (polygon, CTR_SNAKE_CELLS * CTR_SNAKE_CELLS))
        return false;
      for (int32_t left = 0; left < grid.columns; left++) {
        const int32_t first = left + 1, count = grid.columns - left;
        const CtrSnakeSums less = {-band.n[left], -band.s1[left], -band.s2[left]};
        ctr_snake_price (&polygon->plan->cost, less, polygon->window,
            (CtrSnakeLists){band.n + first, band.s1 + first, band.s2 + first},
            (uint32_t) (count + CTR_SNAKE_PRICES - 1) / CTR_SNAKE_PRICES * CTR_SNAKE_PRICES, criteria);
        /* The criterion of the whole window is infinite. */
        for (int32_t k = 0; k < count; k++)
          if (criteria[k] < best) {
            best = criteria[k];
            points[0] = (CtrPoint){grid.x[left], grid.y[top]};
            points[1] = (CtrPoint){grid.x[first + k], grid.y[top]};
            points[2] = (CtrPoint){grid.x[first + k], grid.y[bottom]};
            points[3] = (CtrPoint){grid.x[left], grid.y[bottom]};
          }
      }
    }
  return best < HUGE_VAL;
}
