/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the contours that the CPU backend finds with several threads with those of one thread: every byte, in all
 * modes. It is linked with a core that divides even the smallest image. */
#include "tests/core/borders/testing.h"
#include "tests/core/cracks/testing.h"

#include <stdio.h>
#include <stdlib.h>

static const unsigned numbers[] = {2, 3, 7, 16};
static uint32_t turn; /* small images take one number each */
static Setup setup;
static CtrBorders *borders;
static CtrCracks *cracks;

static CtrContours *
borders_of (const CtrImage *image, const void *params, unsigned threads)
{
  ctr_threads_set_current (threads);
  return follow_borders (borders, &setup, image, params);
}

static CtrContours *
levels_of (const CtrImage *image, const void *params, unsigned threads)
{
  ctr_threads_set_current (threads);
  return trace_cracks (cracks, &setup, image, params);
}

static void
compare (CtrContours *(*find) (const CtrImage *image, const void *params, unsigned threads), const CtrImage *image,
    const void *params)
{
  CtrContours *one = find (image, params, 1);
  const Contours expected = contours_of (one);
  const bool small = image->width * image->height < 1000;
  for (size_t i = small ? turn++ % LENGTH (numbers) : 0; i < LENGTH (numbers); i += small ? LENGTH (numbers) : 1) {
    CtrContours *other = find (image, params, numbers[i]);
    const Contours actual = contours_of (other);
    check_contours_equal (&expected, &actual);
    ctr_contours_unref (other);
  }
  ctr_contours_unref (one);
}

/* All modes and approximations, with and without limits. Takes MASK. */
static void
compare_borders (Random *rng, uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  const uint32_t threshold = 1 + random_below (rng, 255);
  Picture picture = picture_of_mask (rng, mask, width, height, random_layout (rng), threshold, false);
  for (int mode = CTR_RETRIEVE_EXTERNAL; mode <= CTR_RETRIEVE_TREE; mode++)
    for (int i = 0; i < 4; i++) {
      CtrBordersParams params = random_borders_params (rng, threshold, false);
      const CtrBordersParams plain = borders_params_of (mode, 1 + i % 2, threshold, false);
      borders_params_set_mode (&params, mode);
      params.approximation = 1 + i % 2;
      describe_borders (name, &picture.view, i < 2 ? &plain : &params);
      compare (borders_of, &picture.view, i < 2 ? &plain : &params);
    }
  picture_free (&picture);
  free (mask);
}

/* Takes GREY. */
static void
compare_levels (Random *rng, uint8_t *grey, uint32_t width, uint32_t height, const char *name)
{
  Picture picture = picture_of_grey (rng, grey, width, height, random_layout (rng));
  for (int i = 0; i < 3; i++) {
    uint32_t levels[20];
    CtrCracksParams params = random_cracks_params (rng);
    const uint32_t count = random_below (rng, 1 + LENGTH (levels)), most = 254 / LENGTH (levels);
    for (uint32_t k = 0, level = 0; k < count; k++)
      levels[k] = level += 1 + random_below (rng, most);
    if (i == 0)
      params = cracks_params_of (random_below (rng, 2), CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    if (i == 2 && count > 0) {
      params.levels = levels;
      params.level_count = count;
    }
    describe_cracks (name, &picture.view, &params);
    compare (levels_of, &picture.view, &params);
  }
  picture_free (&picture);
  free (grey);
}

static void
compare_size (Random *rng, uint32_t width, uint32_t height)
{
  char name[64];
  const bool small = width * height < 1000;
  for (Shape shape = small ? turn % 3 : 0; shape < SHAPE_COUNT; shape += small ? 3 : 1)
    compare_borders (rng, shape_new (shape, width, height), width, height, shape_names[shape]);
  for (uint32_t density = 5; density < 100; density += small ? 40 : 15) {
    snprintf (name, sizeof name, "noise of %u %%", density);
    compare_borders (rng, noise_new (rng, width, height, density, 1 + random_below (rng, 3)), width, height, name);
  }
  for (int i = 0; i < (small ? 2 : 6); i++)
    compare_levels (rng, grey_new (rng, width, height), width, height, "grey levels");
}

int
main (void)
{
  static const uint32_t sizes[][2] = {
      {1, 100}, {100, 1}, {2, 65}, {65, 2}, {3, 33}, {63, 64}, {65, 127}, {129, 31}, {200, 150}, {331, 47}};
  Random random = {5}, *rng = &random;
  setup = setup_open ("cpu", false);
  borders = follower_new (&setup);
  cracks = tracer_new (&setup);
  const uint32_t step = setup.quick ? 5 : 1;
  for (uint32_t i = 0; i < 17 * 17; i += 2 * step)
    compare_size (rng, 1 + i % 17, 1 + i / 17);
  for (uint32_t i = 0; i < LENGTH (sizes); i += step)
    compare_size (rng, sizes[i][0], sizes[i][1]);
  ctr_borders_free (borders);
  ctr_cracks_free (cracks);
  return 0;
}
