/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the CPU backend's criterion of many regions at once with that of one region, bit for bit. The test is built
 * from the backend's source. */
#include "cpu/snake/price.h"
#include "tests/core/common/testing.h"

#include <stdlib.h>

enum { COUNT = 6 * CTR_SNAKE_PRICES };

static Random rng = {5};

static uint64_t
random_up_to (uint64_t most)
{
  return most == UINT64_MAX ? random_next (&rng) : random_next (&rng) % (most + 1);
}

/* Of COUNT samples from LOWEST to HIGHEST, as could be. */
static CtrSnakeSums
random_sums (int64_t count, uint64_t lowest, uint64_t highest)
{
  const uint64_t n = (uint64_t) count, s1 = n * lowest + random_up_to (n * (highest - lowest));
  /* The squares' sum is least where all samples are equal, most where they are at the ends. */
  const uint64_t least = n ? (uint64_t) ((unsigned __int128) s1 * s1 / n) : 0;
  const uint64_t most = s1 * highest - (n * highest - s1) * lowest;
  return (CtrSnakeSums){count, (int64_t) s1, least + (most > least ? random_up_to (most - least) : 0)};
}

static void
test_window (CtrSnakeModel model, uint64_t maximum, int64_t most_pixels)
{
  const double limit = random_below (&rng, 4) ? maximum : (maximum + 1) / 2; /* samples may be greater */
  const CtrSnakeCost cost = {model, 1 + random_below (&rng, 16) / 4.0, limit};
  const uint64_t highest = random_up_to (maximum), lowest = random_up_to (highest);
  const int64_t inside_pixels = (int64_t) random_up_to ((uint64_t) most_pixels);
  const CtrSnakeSums inside = random_sums (inside_pixels, lowest, highest);
  const CtrSnakeSums outside = random_sums (most_pixels - inside_pixels, 0, highest);
  const CtrSnakeSums window = ctr_snake_sums_add (inside, outside), none = {0, 0, 0};
  int64_t n[COUNT], s1[COUNT];
  uint64_t s2[COUNT];
  double criteria[COUNT];
  for (int i = 0; i < COUNT; i++) {
    /* Some of the inside goes out, or some of the outside comes in; the first is nothing, the second everything. */
    const bool out = i % 2;
    const CtrSnakeSums whole = out ? inside : outside;
    const int64_t pixels = (int64_t) random_up_to ((uint64_t) whole.n);
    CtrSnakeSums part = i < 4 ? whole : none;
    if (i >= 4 && whole.n > 0)
      part = (CtrSnakeSums){pixels, (int64_t) ((unsigned __int128) whole.s1 * (uint64_t) pixels / (uint64_t) whole.n),
          (uint64_t) ((unsigned __int128) whole.s2 * (uint64_t) pixels / (uint64_t) whole.n)};
    const CtrSnakeSums gain = out ? ctr_snake_sums_sub (none, part) : part;
    n[i] = gain.n;
    s1[i] = gain.s1;
    s2[i] = gain.s2;
  }
  ctr_snake_price (&cost, inside, window, (CtrSnakeLists){n, s1, s2}, COUNT, criteria);
  for (int i = 0; i < COUNT; i++) {
    const CtrSnakeSums sums = {inside.n + n[i], inside.s1 + s1[i], inside.s2 + s2[i]};
    describe ("model %d, samples to %llu, %lld of %lld pixels, sums %lld %llu of %lld %llu", (int) model,
        (unsigned long long) maximum, (long long) sums.n, (long long) window.n, (long long) sums.s1,
        (unsigned long long) sums.s2, (long long) window.s1, (unsigned long long) window.s2);
    CHECK (criteria[i] == ctr_snake_criterion (&cost, sums, window));
  }
}

int
main (void)
{
  const int64_t pixels[] = {1, 2, 5, 100, 65536, 15000000, (int64_t) 65535 * 65535};
  const int rounds = getenv ("CTR_TEST_QUICK") ? 20 : 1000;
  for (CtrSnakeModel model = CTR_SNAKE_GAUSSIAN; model <= CTR_SNAKE_BERNOULLI; model++)
    for (size_t i = 0; i < LENGTH (pixels); i++)
      for (int k = 0; k < rounds; k++)
        test_window (model, k % 3 == 0 ? 65535 : k % 3 == 1 ? 255 : 1, pixels[i]);
  return 0;
}
