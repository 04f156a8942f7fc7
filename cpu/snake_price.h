/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The criterion of many regions at once, on the host. Internal. */
#ifndef CTR_CPU_SNAKE_PRICE_H
#define CTR_CPU_SNAKE_PRICE_H

#include "core/snake_rules.h"

enum { CTR_SNAKE_GROUP = 8 };

/* Differences of CtrSnakeSums, one array a member. */
typedef struct {
  int64_t n[CTR_SNAKE_GROUP];
  int64_t s1[CTR_SNAKE_GROUP];
  uint64_t s2[CTR_SNAKE_GROUP];
} CtrSnakeGroup;

/* ctr_snake_criterion() of the targets in WINDOW that differ from one of the sums INSIDE by those in COUNT groups. */
void ctr_snake_price (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window, const CtrSnakeGroup *groups,
    uint32_t count, double *criteria);

#endif
