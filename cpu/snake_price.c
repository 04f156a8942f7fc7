/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/snake_price.h"

/* The model as a constant makes a loop without branches. */
static inline __attribute__ ((always_inline)) void
price (CtrSnakeModel model, const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window, const int64_t *n,
    const int64_t *s1, const uint64_t *s2, uint32_t count, double *criteria)
{
  const CtrSnakeCost one = {model, cost->looks, cost->maximum};
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeSums sums = {inside.n + n[i], inside.s1 + s1[i], inside.s2 + s2[i]};
    criteria[i] = ctr_snake_criterion (&one, sums, window);
  }
}

void
ctr_snake_price (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window, const int64_t *n,
    const int64_t *s1, const uint64_t *s2, uint32_t count, double *criteria)
{
  switch (cost->model) {
    case CTR_SNAKE_GAUSSIAN:
      price (CTR_SNAKE_GAUSSIAN, cost, inside, window, n, s1, s2, count, criteria);
      break;
    case CTR_SNAKE_SPECKLE:
      price (CTR_SNAKE_SPECKLE, cost, inside, window, n, s1, s2, count, criteria);
      break;
    case CTR_SNAKE_POISSON:
      price (CTR_SNAKE_POISSON, cost, inside, window, n, s1, s2, count, criteria);
      break;
    case CTR_SNAKE_BERNOULLI:
      price (CTR_SNAKE_BERNOULLI, cost, inside, window, n, s1, s2, count, criteria);
      break;
  }
}
