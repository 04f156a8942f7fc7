/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The criterion of core/snake/criterion.h, operation by operation, of several targets at once. Sums that no polygon can
 * have, because it would cross itself, may give a different value than there: such moves are never made. */
#include "cpu/snake/price.h"

#include "cpu/common/simd.h"

typedef double Reals __attribute__ ((vector_size (8 * CTR_SNAKE_PRICES)));
typedef uint64_t Words __attribute__ ((vector_size (8 * CTR_SNAKE_PRICES)));
typedef int64_t Mask __attribute__ ((vector_size (8 * CTR_SNAKE_PRICES)));

typedef struct {
  Words n, s1, s2;
} Sums;

ALWAYS_INLINE Reals
either (Mask condition, Reals yes, Reals no)
{
  return (Reals) ((condition & (Mask) yes) | (~condition & (Mask) no));
}

/* Converts integers below 2^52: as the fraction of 2^52. */
ALWAYS_INLINE Reals
small_to_reals (Words words)
{
  const uint64_t bits = 0x4330000000000000;
  return (Reals) (words | bits) - 0x1p52;
}

/* Converts any integers, rounding once. */
ALWAYS_INLINE Reals
to_reals (Words words)
{
  const uint64_t bits = 0x4530000000000000; /* 2^84, whose last fraction bit is 2^32 */
  return ((Reals) (words >> 32 | bits) - 0x1p84) + small_to_reals (words & 0xffffffff);
}

/* ctr_snake_log() */
ALWAYS_INLINE Reals
log_of (Reals x)
{
  const uint64_t least = 0x3fe6a09e00000000, bias = (uint64_t) 1024 << 52;
  const Words e = ((Words) x - least + bias) >> 52; /* plus 1024, so that it is not negative */
  const Reals exponent = small_to_reals (e) - 1024, m = (Reals) ((Words) x - (e << 52) + bias);
  const Reals f = m - 1, s = f / (m + 1), z = s * s, z2 = z * z, z4 = z2 * z2;
  const Reals p0 = z * (2. / 5) + 2. / 3, p1 = z * (2. / 9) + 2. / 7;
  const Reals p2 = z * (2. / 13) + 2. / 11, p3 = z * (2. / 17) + 2. / 15;
  const Reals low = z2 * p1 + p0, high = z2 * p3 + p2, p = z4 * (z4 * (2. / 19) + high) + low;
  const Reals rest = s * (z * p - f);
  return exponent * 0x1.62e42fee00000p-1 + (f + (rest + exponent * 0x1.a39ef35793c76p-33));
}

/* ctr_snake_cost() */
ALWAYS_INLINE Reals
cost_of (CtrSnakeModel model, const CtrSnakeCost *cost, const Sums *sums)
{
  const Reals none = {0}, n = small_to_reals (sums->n), s1 = small_to_reals (sums->s1), mean = s1 / n;
  switch (model) {
    case CTR_SNAKE_GAUSSIAN: {
      const Reals variance = to_reals (sums->s2) / n - mean * mean;
      return 0.5 * n * log_of (either (variance > CTR_SNAKE_LEAST, variance, none + CTR_SNAKE_LEAST));
    }
    case CTR_SNAKE_SPECKLE:
      return cost->looks * n * log_of (either (mean > CTR_SNAKE_LEAST, mean, none + CTR_SNAKE_LEAST));
    case CTR_SNAKE_POISSON:
      return either (s1 > 0, -(s1 * log_of (mean)), none);
    case CTR_SNAKE_BERNOULLI: {
      const Reals share = s1 / (n * cost->maximum), p = either (share < 1, share, none + 1), q = 1 - p;
      return -(n * (either (p > 0, p * log_of (p), none) + either (q > 0, q * log_of (q), none)));
    }
  }
  return none;
}

/* ctr_snake_criterion() */
ALWAYS_INLINE Reals
criterion_of (CtrSnakeModel model, const CtrSnakeCost *cost, const Sums *inside, CtrSnakeSums window)
{
  const Sums outside = {(uint64_t) window.n - inside->n, (uint64_t) window.s1 - inside->s1, window.s2 - inside->s2};
  /* Counts may be negative, and then give no valid number. */
  const Mask with = (small_to_reals (inside->n) >= 1) & (small_to_reals (outside.n) >= 1);
  const Reals none = {0};
  return either (with, cost_of (model, cost, inside) + cost_of (model, cost, &outside), none + HUGE_VAL);
}

ALWAYS_INLINE Words
load_words (const void *from)
{
  Words words;
  memcpy (&words, from, sizeof words);
  return words;
}

ALWAYS_INLINE void
price (CtrSnakeModel model, const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window, CtrSnakeLists lists,
    uint32_t count, double *criteria)
{
  for (uint32_t i = 0; i < count; i += CTR_SNAKE_PRICES) {
    const Sums sums = {(uint64_t) inside.n + load_words (lists.n + i), (uint64_t) inside.s1 + load_words (lists.s1 + i),
        inside.s2 + load_words (lists.s2 + i)};
    const Reals prices = criterion_of (model, cost, &sums, window);
    memcpy (criteria + i, &prices, sizeof prices);
  }
}

WIDEST void
ctr_snake_price (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window, CtrSnakeLists lists,
    uint32_t count, double *criteria)
{
  switch (cost->model) {
    case CTR_SNAKE_GAUSSIAN:
      price (CTR_SNAKE_GAUSSIAN, cost, inside, window, lists, count, criteria);
      break;
    case CTR_SNAKE_SPECKLE:
      price (CTR_SNAKE_SPECKLE, cost, inside, window, lists, count, criteria);
      break;
    case CTR_SNAKE_POISSON:
      price (CTR_SNAKE_POISSON, cost, inside, window, lists, count, criteria);
      break;
    case CTR_SNAKE_BERNOULLI:
      price (CTR_SNAKE_BERNOULLI, cost, inside, window, lists, count, criteria);
      break;
  }
}
