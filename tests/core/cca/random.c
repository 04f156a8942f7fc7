/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random images, layouts and parameters against the reference.
 *
 *   cca-random BACKEND [SEED [IMAGES]]
 *
 * Image number i of a seed is the same in every run, whatever came before it: to repeat a failure, run with the seed it
 * names for one image. A long soak is a large IMAGES. */
#include "tests/core/cca/reference.h"
#include "tests/core/common/testing.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t
pick (Random *rng, const uint32_t *values, size_t count)
{
  return values[random_below (rng, (uint32_t) count)];
}

/* Mostly small, sometimes one of the sizes where words and tiles end. */
static uint32_t
random_side (Random *rng)
{
  static const uint32_t edges[] = {1, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 512, 513};
  return random_below (rng, 3) ? 1 + random_below (rng, 100) : pick (rng, edges, LENGTH (edges));
}

static void
check_one (CtrCca *cca, const Setup *setup, uint64_t seed)
{
  Random random = {seed}, *rng = &random;
  static const uint32_t grains[] = {1, 1, 1, 2, 3, 5, 9, 17};
  Layout layout = {.format = (CtrFormat) random_below (rng, CTR_FORMAT_XBGR + 1),
      .offset = random_below (rng, 40),
      .padding = random_below (rng, 2) ? random_below (rng, 70) : 0};
  const bool wide = layout.format == CTR_FORMAT_GRAY16;
  if (wide) {
    layout.offset &= ~1u;
    layout.padding &= ~1u;
  }
  const uint32_t width = random_side (rng), height = random_side (rng);
  const uint32_t threshold = 1 + random_below (rng, wide ? 65535 : 255);
  const bool invert = random_below (rng, 2);
  CtrCcaParams params = params_of (random_below (rng, 2) ? 4 : 8, threshold, invert, random_below (rng, 8));
  params.min_area = random_below (rng, 4) ? 0 : random_below (rng, 12);
  params.max_area = random_below (rng, 4) ? 0 : random_below (rng, 40);

  Picture picture;
  const uint32_t kind = random_below (rng, 8);
  if (kind == 0) {
    picture = picture_random (rng, width, height, layout);
    params.foreground.mode = random_below (rng, 2) ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
  } else {
    uint8_t *mask = kind == 1
                        ? shape_new ((Shape) random_below (rng, SHAPE_COUNT), width, height)
                        : noise_new (rng, width, height, random_below (rng, 101), pick (rng, grains, LENGTH (grains)));
    picture = picture_of_mask (rng, mask, width, height, layout, threshold, invert);
    free (mask);
  }
  describe ("seed %llu: format %d, %u x %u, offset %u, padding %u, %d-connected, features %u",
      (unsigned long long) seed, layout.format, width, height, layout.offset, layout.padding, params.connectivity,
      params.features);
  check_image (cca, setup, &picture.view, &params);
  picture_free (&picture);
}

int
main (int argc, char **argv)
{
  const Setup setup = setup_open (argv[1], false);
  const uint64_t seed = argc > 2 ? strtoull (argv[2], NULL, 0) : 1;
  const uint64_t images = argc > 3 ? strtoull (argv[3], NULL, 0) : setup.quick ? 50 : 1000;
  CtrCca *cca = analyser_new (&setup);
  for (uint64_t i = 0; i < images; i++)
    check_one (cca, &setup, seed + i);
  ctr_cca_free (cca);
  printf ("%llu images equal, seeds %llu to %llu\n", (unsigned long long) images, (unsigned long long) seed,
      (unsigned long long) (seed + images - 1));
  return 0;
}
