/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The best of all rectangles of whole cells of a window. */
#include "cpu/snake_polygon.h"
#include "cpu/snake_price.h"

enum { GROUPS = CTR_SNAKE_CELLS / CTR_SNAKE_GROUP };

/* The sums left of each line between cells. */
typedef struct {
  CtrSnakeSums lines[CTR_SNAKE_CELLS + 1];
} Band;

/* Where the lines between cells lie. */
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

/* The bands from the window's top to each line. */
static void
sum_bands (const CtrSnakePolygon *polygon, const Grid *grid, Band *bands)
{
  bands[0] = (Band){0};
  for (int32_t row = 0; row < grid->rows; row++)
    for (int32_t k = 0; k <= grid->columns; k++) {
      const CtrPoint top = {grid->x[k], grid->y[row]}, bottom = {grid->x[k], grid->y[row + 1]};
      bands[row + 1].lines[k] =
          ctr_snake_sums_add (bands[row].lines[k], ctr_snake_table_edge (polygon->table, top, bottom));
    }
}

/* The rectangles between two bands from column LEFT on to each one right of it; 0 behind the last. */
static uint32_t
group_rectangles (const Grid *grid, const Band *top, const Band *bottom, int32_t left, CtrSnakeGroup *groups)
{
  const uint32_t count = (uint32_t) (grid->columns - left), room = (count + CTR_SNAKE_GROUP - 1) / CTR_SNAKE_GROUP;
  const CtrSnakeSums outer = ctr_snake_sums_sub (bottom->lines[left], top->lines[left]);
  groups[room - 1] = (CtrSnakeGroup){.n = {0}};
  for (uint32_t k = 0; k < count; k++) {
    CtrSnakeGroup *group = &groups[k / CTR_SNAKE_GROUP];
    const CtrSnakeSums *from = &top->lines[left + 1 + (int32_t) k], *to = &bottom->lines[left + 1 + (int32_t) k];
    group->n[k % CTR_SNAKE_GROUP] = to->n - from->n - outer.n;
    group->s1[k % CTR_SNAKE_GROUP] = to->s1 - from->s1 - outer.s1;
    group->s2[k % CTR_SNAKE_GROUP] = to->s2 - from->s2 - outer.s2;
  }
  return room;
}

bool
ctr_snake_start (const CtrSnakePolygon *polygon, CtrPoint points[4])
{
  const Grid grid = make_grid (&polygon->task->window);
  const CtrSnakeSums none = {0, 0, 0};
  Band bands[CTR_SNAKE_CELLS + 1];
  CtrSnakeGroup groups[GROUPS];
  double criteria[CTR_SNAKE_CELLS], best = HUGE_VAL;
  sum_bands (polygon, &grid, bands);
  for (int32_t top = 0; top < grid.rows; top++)
    for (int32_t bottom = top + 1; bottom <= grid.rows; bottom++)
      for (int32_t left = 0; left < grid.columns; left++) {
        const uint32_t count = group_rectangles (&grid, &bands[top], &bands[bottom], left, groups);
        ctr_snake_price (&polygon->plan->cost, none, polygon->window, groups, count, criteria);
        /* The whole window is infinite, and so is what is behind the last. */
        for (uint32_t k = 0; k < count * CTR_SNAKE_GROUP; k++)
          if (criteria[k] < best) {
            const uint16_t right = grid.x[left + 1 + (int32_t) k];
            best = criteria[k];
            points[0] = (CtrPoint){grid.x[left], grid.y[top]};
            points[1] = (CtrPoint){right, grid.y[top]};
            points[2] = (CtrPoint){right, grid.y[bottom]};
            points[3] = (CtrPoint){grid.x[left], grid.y[bottom]};
          }
      }
  return best < HUGE_VAL;
}
