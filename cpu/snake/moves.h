/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What could be done to a point or an edge of a snake's polygon. Internal. */
#ifndef CTR_CPU_SNAKE_MOVES_H
#define CTR_CPU_SNAKE_MOVES_H

#include "core/snake/geometry.h"

/* What the sums of the polygon gain by a point's moves, by direction. */
typedef struct {
  int64_t n[CTR_SNAKE_DIRECTIONS];
  int64_t s1[CTR_SNAKE_DIRECTIONS];
  uint64_t s2[CTR_SNAKE_DIRECTIONS];
} CtrSnakeGains;

/* A move or a removal of a point, or an edge's middle. */
typedef struct {
  uint32_t index;     /* of the point or the edge */
  CtrPoint to;        /* where the point moves; the middle */
  uint32_t direction; /* of a move */
  double value;       /* of the polygon: criterion or description length; the lower, the better */
  bool dropped;
} CtrSnakeChange;

/* Is A better than B, another one? Indices tell those of equal values apart. */
static inline bool
ctr_snake_better (const CtrSnakeChange *a, const CtrSnakeChange *b)
{
  return a->value < b->value || (a->value == b->value && a->index < b->index);
}

#endif
