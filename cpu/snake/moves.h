/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Possible changes of a polygon. Internal. */
#ifndef CTR_CPU_SNAKE_MOVES_H
#define CTR_CPU_SNAKE_MOVES_H

#include "core/snake/geometry.h"

/* The changes of the polygon's sums by the moves of a point, by direction. */
typedef struct {
  int64_t n[CTR_SNAKE_DIRECTIONS];
  int64_t s1[CTR_SNAKE_DIRECTIONS];
  uint64_t s2[CTR_SNAKE_DIRECTIONS];
} CtrSnakeGains;

/* A move or removal of a point, or the middle of an edge. */
typedef struct {
  uint32_t index;     /* of the point or the edge */
  CtrPoint to;        /* destination of a move; the middle */
  uint32_t direction; /* of a move */
  double value;       /* criterion or description length of the polygon with this change; lower is better */
  bool dropped;
} CtrSnakeChange;

/* Is A better than another change B? Of equal values, the lower index is better. */
static inline bool
ctr_snake_better (const CtrSnakeChange *a, const CtrSnakeChange *b)
{
  return a->value < b->value || (a->value == b->value && a->index < b->index);
}

#endif
