/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random images, layouts, levels and parameters against the reference.
 *
 *   cracks-random BACKEND [SEED [IMAGES]]
 *
 * Image number i of a seed is the same in every run, whatever came before it: to repeat a failure, run with the seed it
 * names for one image. A long soak is a large IMAGES. */
#include "tests/core/cracks/reference.h"

#include <stdio.h>
#include <stdlib.h>

/* Mostly small, sometimes one of the sizes where words end. */
static uint32_t
random_side (Random *rng)
{
  static const uint32_t edges[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129};
  return random_below (rng, 4) ? 1 + random_below (rng, 30) : edges[random_below (rng, LENGTH (edges))];
}

/* Some of the levels that a sample may have, a few beyond them among those. */
static uint32_t
random_list (Random *rng, uint32_t *levels, uint32_t room, uint32_t largest)
{
  const uint32_t widest = 1 + 2 * (largest + 20) / room;
  uint32_t count = 0, level = 0;
  while (count < room && level < largest + 50)
    levels[count++] = level += 1 + random_below (rng, widest);
  return count;
}

/* Changes the samples of PICTURE to a few that are near levels, each square of GRAIN pixels to one of them. */
static void
flatten (Random *rng, Picture *picture, const uint32_t *levels, uint32_t count, uint32_t largest)
{
  const uint32_t grain = 1 + random_below (rng, 4), salt = random_below (rng, 1000);
  const size_t pixel = ctr_format_pixel_size (picture->view.format);
  for (uint32_t y = 0; y < picture->view.height; y++) {
    uint8_t *row = (uint8_t *) (uintptr_t) picture->view.data + y * picture->view.stride;
    for (uint32_t x = 0; x < picture->view.width; x++) {
      Random square = {((uint64_t) (y / grain) << 32 | x / grain) + salt * 7919};
      const uint32_t level = levels[random_below (&square, count)] - random_below (&square, 2);
      const uint32_t sample = random_below (&square, 4) == 0 ? 0 : level < largest ? level : largest;
      if (picture->view.format == CTR_FORMAT_GRAY16)
        ((uint16_t *) row)[x] = (uint16_t) sample;
      else
        for (size_t i = 0; i < pixel; i++)
          row[x * pixel + i] = (uint8_t) sample;
    }
  }
}

static void
check_one (CtrCracks *cracks, const Setup *setup, uint64_t seed)
{
  Random random = {seed}, *rng = &random;
  Layout layout = {.format = random_below (rng, 2) ? CTR_FORMAT_GRAY8 : random_below (rng, CTR_FORMAT_XBGR + 1),
      .offset = random_below (rng, 40),
      .padding = random_below (rng, 2) ? random_below (rng, 70) : 0};
  const bool wide = layout.format == CTR_FORMAT_GRAY16;
  if (wide) {
    layout.offset &= ~1u;
    layout.padding &= ~1u;
  }
  const uint32_t largest = wide ? 65535 : 255, width = random_side (rng), height = random_side (rng);
  CtrCracksParams params = random_cracks_params (rng);
  uint32_t levels[24];
  const uint32_t count = random_list (rng, levels, 1 + random_below (rng, LENGTH (levels)), largest);
  Picture picture = picture_random (rng, width, height, layout);
  if (random_below (rng, 5))
    flatten (rng, &picture, levels, count, largest);
  if (random_below (rng, 2)) {
    params.levels = levels;
    params.level_count = count;
  } else {
    params.minimum = 1 + random_below (rng, largest / 4);
    params.step = 1 + largest / 16 + random_below (rng, largest / 4);
    params.maximum = params.minimum + random_below (rng, largest + 20);
  }
  char name[64];
  snprintf (
      name, sizeof name, "seed %llu, offset %u, padding %u", (unsigned long long) seed, layout.offset, layout.padding);
  describe_cracks (name, &picture.view, &params);
  check_cracks (cracks, setup, &picture.view, &params);
  picture_free (&picture);
}

int
main (int argc, char **argv)
{
  const Setup setup = setup_open (argv[1], false);
  const uint64_t seed = argc > 2 ? strtoull (argv[2], NULL, 0) : 1;
  const uint64_t images = argc > 3 ? strtoull (argv[3], NULL, 0) : setup.quick ? 50 : 1000;
  CtrCracks *cracks = tracer_new (&setup);
  for (uint64_t i = 0; i < images; i++)
    check_one (cracks, &setup, seed + i);
  ctr_cracks_free (cracks);
  printf ("%llu images equal, seeds %llu to %llu\n", (unsigned long long) images, (unsigned long long) seed,
      (unsigned long long) (seed + images - 1));
  return 0;
}
