/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random images, layouts and parameters against the reference.
 *
 *   borders-random BACKEND [SEED [IMAGES]]
 *
 * Image number i of a seed is the same in every run, whatever came before it: to repeat a failure, run with the seed it
 * names for one image. A long soak is a large IMAGES. */
#include "tests/core/borders/reference.h"

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
  static const uint32_t edges[] = {1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193};
  return random_below (rng, 3) ? 1 + random_below (rng, 50) : pick (rng, edges, LENGTH (edges));
}

/* Rings six pixels wide, every second one toothed outside, with noise: borders in borders whose lengths do not get less
 * towards the middle. */
static uint8_t *
toothed_rings_new (Random *rng, uint32_t width, uint32_t height)
{
  uint8_t *mask = malloc ((size_t) width * height);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t across = x < width - 1 - x ? x : width - 1 - x, down = y < height - 1 - y ? y : height - 1 - y;
      const uint32_t depth = across < down ? across : down, along = across < down ? y : x, ring = depth / 6;
      const bool gap = ring % 4 == 2 && depth % 6 < 4 && along % 2;
      mask[y * width + x] = (ring % 2 == 0 && !gap) ^ (random_below (rng, 200) == 0);
    }
  return mask;
}

static void
check_one (CtrBorders *borders, const Setup *setup, uint64_t seed)
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
  CtrBordersParams params = random_borders_params (rng, threshold, invert);

  Picture picture;
  const uint32_t kind = random_below (rng, 8);
  if (kind == 0) {
    picture = picture_random (rng, width, height, layout);
    params.foreground.mode = random_below (rng, 2) ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
  } else {
    uint8_t *mask;
    if (kind == 1) {
      mask = shape_new ((Shape) random_below (rng, SHAPE_COUNT), width, height);
    } else if (kind == 2) {
      mask = toothed_rings_new (rng, width, height);
      params.min_length = random_below (rng, 4 * width);
    } else {
      mask = noise_new (rng, width, height, random_below (rng, 101), pick (rng, grains, LENGTH (grains)));
    }
    picture = picture_of_mask (rng, mask, width, height, layout, threshold, invert);
    free (mask);
  }
  char name[64];
  snprintf (
      name, sizeof name, "seed %llu, offset %u, padding %u", (unsigned long long) seed, layout.offset, layout.padding);
  describe_borders (name, &picture.view, &params);
  check_borders (borders, setup, &picture.view, &params);
  picture_free (&picture);
}

int
main (int argc, char **argv)
{
  const Setup setup = setup_open (argv[1], false);
  const uint64_t seed = argc > 2 ? strtoull (argv[2], NULL, 0) : 1;
  const uint64_t images = argc > 3 ? strtoull (argv[3], NULL, 0) : setup.quick ? 50 : 1000;
  CtrBorders *borders = follower_new (&setup);
  for (uint64_t i = 0; i < images; i++)
    check_one (borders, &setup, seed + i);
  ctr_borders_free (borders);
  printf ("%llu images equal, seeds %llu to %llu\n", (unsigned long long) images, (unsigned long long) seed,
      (unsigned long long) (seed + images - 1));
  return 0;
}
