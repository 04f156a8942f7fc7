/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The region of blocks that an automatic start outlines: steps 1 to 3 of core/snake/snake.h. */
#include "cpu/snake/outline.h"

#include <string.h>

enum { REESTIMATES = 2, MAJORITY = 5 };

/* The sums of each block, without a frame. False if the task is cancelled. */
static bool
sum_blocks (CtrSnakePolygon *polygon, const CtrSnakeGrid *grid, CtrSnakeSums *blocks)
{
  const CtrSnakeWindow *window = &polygon->task->window;
  for (int32_t row = 0; row < grid->rows; row++) {
    CtrSnakeSums left = {0, 0, 0};
    for (int32_t column = 0; column <= grid->columns; column++) {
      const CtrPoint top = ctr_snake_grid_point (window, grid, column, row);
      const CtrPoint bottom = ctr_snake_grid_point (window, grid, column, row + 1);
      if (ctr_snake_polygon_poll (polygon, ctr_snake_polygon_rows (top, bottom)))
        return false;
      const CtrSnakeSums right = ctr_snake_table_edge (polygon->table, top, bottom);
      if (column > 0)
        *blocks++ = ctr_snake_sums_sub (right, left);
      left = right;
    }
  }
  return true;
}

/* Step 1. False: none or all pixels were inside before the last judgement, with *CONTRAST. */
static bool
judge_blocks (const CtrSnakePolygon *polygon, const CtrSnakeFrame *frame, CtrSnakeSums inside, uint8_t *is_inside,
    CtrSnakeLikelihood *contrast)
{
  const CtrSnakeSums *blocks = polygon->blocks.data;
  for (int round = 0; round <= REESTIMATES; round++) {
    if (inside.n == 0 || inside.n == polygon->window.n)
      return false;
    *contrast = ctr_snake_contrast (&polygon->plan->cost, inside, polygon->window);
    inside = (CtrSnakeSums){0, 0, 0};
    for (int32_t row = 0; row < frame->grid.rows; row++)
      for (int32_t column = 0; column < frame->grid.columns; column++) {
        const CtrSnakeSums sums = blocks[row * frame->grid.columns + column];
        const bool in = ctr_snake_evidence (contrast, sums) < 0;
        is_inside[(uint32_t) (row + 1) * frame->width + (uint32_t) column + 1] = in;
        if (in)
          inside = ctr_snake_sums_add (inside, sums);
      }
  }
  return true;
}

/* Step 2. The frame of TO stays outside. */
static void
take_majority (const CtrSnakeFrame *frame, const uint8_t *from, uint8_t *to)
{
  const uint32_t w = frame->width;
  for (int32_t row = 0; row < frame->grid.rows; row++)
    for (int32_t column = 0; column < frame->grid.columns; column++) {
      const uint32_t i = (uint32_t) (row + 1) * w + (uint32_t) column + 1;
      const uint8_t *over = from + i - w, *here = from + i, *under = from + i + w;
      to[i] = over[-1] + over[0] + over[1] + here[-1] + here[0] + here[1] + under[-1] + under[0] + under[1] >= MAJORITY;
    }
}

/* Marks with MARK the blocks that are connected to block FIRST by blocks of its value. STACK has room for all blocks.
 * Returns their number. */
static uint32_t
flood (const CtrSnakeFrame *frame, uint8_t *blocks, uint32_t first, uint8_t mark, uint32_t *stack)
{
  const uint8_t value = blocks[first];
  uint32_t count = 1, depth = 1;
  stack[0] = first;
  blocks[first] = mark;
  while (depth > 0) {
    const uint32_t i = stack[--depth], column = i % frame->width, row = i / frame->width;
    const bool exists[4] = {column > 0, column + 1 < frame->width, row > 0, row + 1 < frame->size / frame->width};
    const uint32_t near[4] = {i - 1, i + 1, i - frame->width, i + frame->width};
    for (int k = 0; k < 4; k++)
      if (exists[k] && blocks[near[k]] == value) {
        blocks[near[k]] = mark;
        stack[depth++] = near[k];
        count++;
      }
  }
  return count;
}

/* Step 3. False if there is no block inside. */
static bool
take_largest (const CtrSnakeFrame *frame, uint8_t *blocks, uint32_t *stack)
{
  enum { OUTSIDE, INSIDE, SEEN, LARGEST, BEYOND };
  uint32_t most = 0, largest = 0;
  for (uint32_t i = 0; i < frame->size; i++)
    if (blocks[i] == INSIDE) {
      const uint32_t count = flood (frame, blocks, i, SEEN, stack);
      if (count > most) {
        most = count;
        largest = i;
      }
    }
  if (most == 0)
    return false;
  flood (frame, blocks, largest, LARGEST, stack);
  for (uint32_t i = 0; i < frame->size; i++)
    blocks[i] = blocks[i] == LARGEST ? INSIDE : OUTSIDE;
  flood (frame, blocks, 0, BEYOND, stack);
  for (uint32_t i = 0; i < frame->size; i++)
    blocks[i] = blocks[i] != BEYOND;
  return true;
}

static CtrSnakeSums
region_sums (const CtrSnakeFrame *frame, const uint8_t *region, const CtrSnakeSums *blocks)
{
  CtrSnakeSums sums = {0, 0, 0};
  for (int32_t row = 0; row < frame->grid.rows; row++)
    for (int32_t column = 0; column < frame->grid.columns; column++, blocks++)
      if (region[(uint32_t) (row + 1) * frame->width + (uint32_t) column + 1])
        sums = ctr_snake_sums_add (sums, *blocks);
  return sums;
}

bool
ctr_snake_find_region (CtrSnakePolygon *polygon, const CtrSnakeFrame *frame, CtrSnakeSums rectangle)
{
  CtrSnakeLikelihood contrast;
  const uint32_t count = (uint32_t) frame->grid.columns * (uint32_t) frame->grid.rows;
  if (!ctr_host_buffer_reserve (&polygon->blocks, count, sizeof (CtrSnakeSums))
      || !ctr_host_buffer_reserve (&polygon->judged, frame->size, 1)
      || !ctr_host_buffer_reserve (&polygon->region, frame->size, 1)
      || !ctr_host_buffer_reserve (&polygon->stack, frame->size, sizeof (uint32_t))) {
    polygon->cancelled = true;
    return false;
  }
  memset (polygon->judged.data, 0, frame->size);
  memset (polygon->region.data, 0, frame->size);
  if (!sum_blocks (polygon, &frame->grid, polygon->blocks.data)
      || !judge_blocks (polygon, frame, rectangle, polygon->judged.data, &contrast)
      || ctr_snake_polygon_poll (polygon, 8 * (uint64_t) frame->size))
    return false;
  take_majority (frame, polygon->judged.data, polygon->region.data);
  if (!take_largest (frame, polygon->region.data, polygon->stack.data))
    return false;
  const CtrSnakeSums region = region_sums (frame, polygon->region.data, polygon->blocks.data);
  return ctr_snake_evidence (&contrast, region) < ctr_snake_evidence (&contrast, rectangle);
}
