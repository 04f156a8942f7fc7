/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outline of an automatic start, as core/snake/snake.h defines it. Internal. */
#ifndef CTR_CPU_SNAKE_OUTLINE_H
#define CTR_CPU_SNAKE_OUTLINE_H

#include "cpu/snake/polygon.h"

/* Blocks of a window with a frame of one block around them, row by row: WIDTH is that of a row. */
typedef struct {
  CtrSnakeGrid grid;
  uint32_t width;
  uint32_t size;
} CtrSnakeFrame;

/* Marks the blocks of the region in polygon->region, by the sums of the RECTANGLE. False: there is none, the task is
 * cancelled, or there is no memory, for which the task is cancelled. */
bool ctr_snake_find_region (CtrSnakePolygon *polygon, const CtrSnakeFrame *frame, CtrSnakeSums rectangle);

/* Makes the simplified corners of the region in polygon->region the points of POLYGON, with room for
 * CTR_SNAKE_CORNERS. Returns their number, 0 if they are no outline. */
uint32_t ctr_snake_simplify_region (CtrSnakePolygon *polygon, const CtrSnakeFrame *frame);

#endif
