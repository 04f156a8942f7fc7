/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The criterion of many regions at once, on the host. Internal. */
#ifndef CTR_CPU_SNAKE_PRICE_H
#define CTR_CPU_SNAKE_PRICE_H

#include "core/snake_rules.h"

/* CtrSnakeSums, one array a member. */
typedef struct {
  int64_t n[CTR_SNAKE_CELLS];
  int64_t s1[CTR_SNAKE_CELLS];
  uint64_t s2[CTR_SNAKE_CELLS];
} CtrSnakeColumns;

/* ctr_snake_criterion() of COUNT targets in WINDOW, each INSIDE and a difference from it. */
void ctr_snake_price (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window, const int64_t *n,
    const int64_t *s1, const uint64_t *s2, uint32_t count, double *criteria);

#endif
