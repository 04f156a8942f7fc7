/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The criterion of many targets at once, by SIMD. Internal. */
#ifndef CTR_CPU_SNAKE_PRICE_H
#define CTR_CPU_SNAKE_PRICE_H

#include "core/snake/criterion.h"

/* Sums or differences of sums, as one array per member. */
typedef struct {
  const int64_t *n;
  const int64_t *s1;
  const uint64_t *s2;
} CtrSnakeLists;

/* Computes ctr_snake_criterion() of COUNT targets in WINDOW, with the sums INSIDE plus those in LISTS. COUNT is a
 * multiple of CTR_SNAKE_PRICES. */
enum { CTR_SNAKE_PRICES = 4 };
void ctr_snake_price (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window, CtrSnakeLists lists,
    uint32_t count, double *criteria);

#endif
