/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* identities BACKEND [SEED [COUNT]]
 *
 * Checks the metamorphic identities of identities.h with every shape, with noise of all densities, and with random
 * pictures. With SEED, COUNT random pictures from that one on, as long as it takes. */
#include "tests/reliability/matrix/identities.h"

#include "tests/core/common/equality.h"

#include <stdlib.h>

static Identities identities;

/* Takes PIXELS. */
static void
check (uint8_t *pixels, uint32_t width, uint32_t height, Random *random)
{
  const Mask mask = {pixels, width, height};
  identities_check (&identities, &mask, random);
  for (unsigned symmetry = 1; symmetry < IDENTITIES_SYMMETRIES && !identities.setup.quick; symmetry++)
    identities_check_symmetry (&identities, &mask, symmetry);
  free (pixels);
}

static void
check_shapes (bool quick)
{
  static const uint32_t sizes[][2] = {{1, 1}, {9, 7}, {64, 64}, {65, 33}, {33, 129}, {150, 131}};
  Random random = {5};
  for (size_t i = 0; i < (quick ? 2 : LENGTH (sizes)); i++)
    for (Shape shape = 0; shape < SHAPE_COUNT; shape += quick ? 5 : 1) {
      describe ("identities of %s, %u x %u", shape_names[shape], sizes[i][0], sizes[i][1]);
      check (shape_new (shape, sizes[i][0], sizes[i][1]), sizes[i][0], sizes[i][1], &random);
    }
}

static void
check_noise (bool quick)
{
  Random random = {7};
  for (uint32_t density = 0; density <= 100; density += quick ? 50 : density < 5 || density >= 95 ? 1 : 10) {
    const uint32_t width = quick ? 35 : 140, height = quick ? 21 : 75;
    describe ("identities of noise of %u %%", density);
    check (noise_new (&random, width, height, density, 1), width, height, &random);
  }
}

static void
check_random (uint64_t seed, bool quick)
{
  Random random = {seed};
  const uint32_t width = 1 + random_below (&random, quick ? 40 : 200),
                 height = 1 + random_below (&random, quick ? 40 : 150);
  describe ("identities of random picture %llu", (unsigned long long) seed);
  repeat_with (
      "identities %s %llu 1", identities.setup.backend == CTR_BACKEND_CPU ? "cpu" : "cuda", (unsigned long long) seed);
  check (random_mask_new (&random, width, height), width, height, &random);
  uint8_t *grey = grey_new (&random, width / 2 + 1, height / 2 + 1);
  identities_check_levels (&identities, grey, width / 2 + 1, height / 2 + 1);
  free (grey);
}

int
main (int argc, char **argv)
{
  const Setup setup = setup_open (argv[1], false);
  const uint64_t seed = argc > 2 ? strtoull (argv[2], NULL, 0) : 1;
  const uint64_t count = argc > 3 ? strtoull (argv[3], NULL, 0) : setup.quick ? 3 : 60;
  identities_open (&identities, &setup);
  if (argc < 3) {
    check_shapes (setup.quick);
    check_noise (setup.quick);
  }
  for (uint64_t i = 0; i < count; i++)
    check_random (seed + i, setup.quick);
  identities_close (&identities);
  return 0;
}
