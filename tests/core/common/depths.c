/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The same picture in 8 bits and in the lower 10, 12, 14 or 16 of 16 bits has the same mask, edges, level contours and
 * outlines, and the same background is removed. */
#include "tests/core/common/shapes.h"
#include "tests/core/common/testing.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 97, HEIGHT = 71, PIXELS = WIDTH * HEIGHT };

static Setup setup;
static Random rng = {83};
static uint8_t samples[PIXELS];
static uint16_t deep[PIXELS];
static const CtrImage image = {
    .data = samples, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
static const CtrImage deep_image = {
    .data = deep, .stride = 2 * WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY16};
static CtrError error;

/* A bright blob on dark ground, with noise, and from 0 to 255, so that the largest sample tells the bits. */
static void
draw (void)
{
  uint8_t *blobs = noise_new (&rng, WIDTH, HEIGHT, 40, 17);
  for (int i = 0; i < PIXELS; i++)
    samples[i] = (uint8_t) ((blobs[i] ? 150 : 30) + random_below (&rng, 40) + random_below (&rng, 40));
  samples[7] = 0;
  samples[PIXELS - 1] = 255;
  free (blobs);
}

/* Puts the picture into the lower BITS. BINARY: its greatest samples are the greatest of these bits. */
static void
deepen (uint32_t bits, bool binary)
{
  for (int i = 0; i < PIXELS; i++)
    deep[i] = (uint16_t) (binary && samples[i] == 255 ? (1u << bits) - 1 : (uint32_t) samples[i] << (bits - 8));
}

static void
require (bool ok)
{
  if (!ok)
    fail (__FILE__, __LINE__, error.message);
}

static void
run_mask (CtrMask *mask, const CtrImage *view, const CtrForeground *foreground, uint8_t *pixels, uint32_t *threshold)
{
  CtrEdgePicture picture;
  ctr_edge_picture_init_mask (&picture, pixels, WIDTH, CTR_MEMORY_HOST);
  require (ctr_mask_run (mask, view, foreground, &picture, setup.stream, &error));
  require (ctr_mask_get_threshold (mask, threshold, &error));
}

static void
check_masks (uint32_t bits)
{
  static const CtrForeground foregrounds[] = {{.mode = CTR_THRESHOLD_TRIANGLE},
      {.mode = CTR_THRESHOLD_TRIANGLE, .significant_bits = 1}, {.mode = CTR_THRESHOLD_OTSU},
      {.mode = CTR_THRESHOLD_FIXED, .threshold = 140, .upper_threshold = 200},
      {.mode = CTR_THRESHOLD_HYSTERESIS, .threshold = 110, .upper_threshold = 230}};
  static uint8_t pixels[PIXELS], deep_pixels[PIXELS];
  CtrMask *mask = ctr_mask_new (setup.backend, &error);
  require (mask != NULL);
  for (size_t i = 0; i < LENGTH (foregrounds); i++) {
    const uint32_t scale = 1u << (bits - 8);
    CtrForeground foreground = foregrounds[i];
    uint32_t threshold, deep_threshold;
    describe ("the mask of mode %d in %u bits", foreground.mode, bits);
    foreground.significant_bits = 0;
    run_mask (mask, &image, &foreground, pixels, &threshold);
    foreground.significant_bits = foregrounds[i].significant_bits ? bits : 0;
    foreground.threshold *= scale;
    foreground.upper_threshold = foreground.upper_threshold ? (foreground.upper_threshold + 1) * scale - 1 : 0;
    run_mask (mask, &deep_image, &foreground, deep_pixels, &deep_threshold);
    CHECK (memcmp (pixels, deep_pixels, PIXELS) == 0);
    CHECK (memchr (pixels, 0, PIXELS) && memchr (pixels, 255, PIXELS));
    /* Otsu's threshold follows the last sample below it. */
    CHECK (deep_threshold == (foreground.mode == CTR_THRESHOLD_OTSU ? (threshold - 1) * scale + 1 : threshold * scale));
  }
  ctr_mask_free (mask);
}

static void
check_edges (uint32_t bits)
{
  static const CtrCannyThresholdMode modes[] = {
      CTR_CANNY_ABSOLUTE, CTR_CANNY_OTSU, CTR_CANNY_MEDIAN, CTR_CANNY_RELATIVE};
  static uint8_t pixels[PIXELS], deep_pixels[PIXELS];
  CtrCanny *canny = ctr_canny_new (setup.backend, &error);
  CtrCannyParams params;
  require (canny != NULL);
  ctr_canny_params_init (&params);
  params.significant_bits = bits;
  for (size_t i = 0; i < LENGTH (modes); i++) {
    CtrEdgePicture picture;
    describe ("the edges of threshold mode %d in %u bits", modes[i], bits);
    params.threshold_mode = modes[i];
    ctr_edge_picture_init_mask (&picture, pixels, WIDTH, CTR_MEMORY_HOST);
    require (ctr_canny_run (canny, &image, &params, &picture, setup.stream, &error));
    ctr_edge_picture_init_mask (&picture, deep_pixels, WIDTH, CTR_MEMORY_HOST);
    require (ctr_canny_run (canny, &deep_image, &params, &picture, setup.stream, &error));
    CHECK (memcmp (pixels, deep_pixels, PIXELS) == 0 && memchr (pixels, 255, PIXELS));
  }
  ctr_canny_free (canny);
}

/* Same points, and levels that differ by the factor SCALE. */
static void
check_contours (CtrContours *contours, CtrContours *deep_contours, uint32_t scale)
{
  require (
      contours && deep_contours && ctr_contours_wait (contours, &error) && ctr_contours_wait (deep_contours, &error));
  CHECK (contours->count > 0 && contours->count == deep_contours->count);
  CHECK (contours->point_count == deep_contours->point_count);
  CHECK (memcmp (ctr_contours_map_points (contours, NULL), ctr_contours_map_points (deep_contours, NULL),
             contours->point_count * sizeof (CtrPoint))
         == 0);
  for (uint32_t i = 0; i < contours->count; i++)
    CHECK (ctr_contours_map_table (deep_contours, NULL)[i].level
           == ctr_contours_map_table (contours, NULL)[i].level * scale);
  ctr_contours_unref (contours);
  ctr_contours_unref (deep_contours);
}

static void
check_levels (uint32_t bits)
{
  const uint32_t levels[] = {40, 90, 120, 190}, scale = 1u << (bits - 8);
  uint32_t deep_levels[LENGTH (levels)];
  CtrCracks *cracks = ctr_cracks_new (setup.backend, &error);
  CtrCracksParams params;
  CtrContours *contours;
  require (cracks != NULL);
  describe ("level contours in %u bits", bits);
  for (size_t i = 0; i < LENGTH (levels); i++)
    deep_levels[i] = levels[i] * scale;
  ctr_cracks_params_init (&params);
  params.level_count = LENGTH (levels);
  params.levels = levels;
  contours = ctr_cracks_run (cracks, &image, &params, setup.stream, &error);
  params.levels = deep_levels;
  check_contours (contours, ctr_cracks_run (cracks, &deep_image, &params, setup.stream, &error), scale);
  ctr_cracks_free (cracks);
}

/* Of two values the greatest is the greatest sample, in any number of bits; one in ten is the other one. */
static void
check_outlines (uint32_t bits)
{
  CtrSnake *snake = ctr_snake_new (setup.backend, &error);
  const CtrSnakeObject whole = {.start = CTR_SNAKE_START_AUTO};
  CtrSnakeParams params;
  CtrContours *contours;
  require (snake != NULL);
  ctr_snake_params_init (&params);
  for (int i = 0; i < PIXELS; i++) {
    const int x = i % WIDTH - 40, y = i / WIDTH - 30;
    samples[i] = (x * x + y * y < 400) != (random_below (&rng, 10) == 0) ? 255 : 0;
  }
  deepen (bits, true);
  for (int model = CTR_SNAKE_GAUSSIAN; model <= CTR_SNAKE_BERNOULLI; model += CTR_SNAKE_BERNOULLI) {
    describe ("outlines of model %d in %u bits", model, bits);
    params.model = (CtrSnakeModel) model;
    params.significant_bits = 16;
    contours = ctr_snake_run (snake, &image, &params, &whole, 1, setup.stream, &error);
    params.significant_bits = bits;
    check_contours (contours, ctr_snake_run (snake, &deep_image, &params, &whole, 1, setup.stream, &error), 1);
  }
  ctr_snake_free (snake);
}

/* A dark place of the background brightens the frame there up to the greatest sample, and none has an infinite quotient. */
static void
check_background (uint32_t bits)
{
  static uint16_t background[PIXELS], corrected[PIXELS];
  CtrBackground *remover = ctr_background_new (setup.backend, &error);
  const CtrCorrectedPicture picture = {.data = corrected, .stride = 2 * WIDTH};
  const uint32_t most = (1u << bits) - 1;
  CtrImage given = deep_image;
  CtrBackgroundParams params;
  require (remover != NULL);
  describe ("a flat field in %u bits", bits);
  ctr_background_params_init (&params);
  params.mode = CTR_BACKGROUND_DIVIDE;
  params.model = CTR_BACKGROUND_GIVEN;
  params.sample_mask = most;
  for (int i = 0; i < PIXELS; i++)
    background[i] = i % 3 ? deep[i] : 0;
  given.data = background;
  require (ctr_background_set_picture (remover, &given, &error));
  require (ctr_background_run (remover, &deep_image, &params, &picture, setup.stream, &error));
  for (int i = 0; i < PIXELS; i += 3)
    CHECK (corrected[i] == (deep[i] > 0 ? most : 0));
  ctr_background_free (remover);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argc > 1 ? argv[1] : NULL, true);
  for (uint32_t bits = 10; bits <= 16; bits += 2) {
    draw ();
    deepen (bits, false);
    check_masks (bits);
    check_edges (bits);
    check_levels (bits);
    check_background (bits);
    check_outlines (bits);
  }
  return 0;
}
