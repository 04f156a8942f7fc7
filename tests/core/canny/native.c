/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the edges of 16-bit samples that are analysed as they are, and derived thresholds, with their definition. */
#include "tests/core/canny/reference.h"
#include "tests/core/canny/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCanny *canny; /* one detector for all images: they come in every order of size, depth and threshold mode */
static Random rng = {61};

/* An image of 16-bit samples; SAMPLES is filled in by the caller. */
typedef struct {
  uint16_t *samples;
  CtrImage view;
} Image16;

static Image16
image16_new (uint32_t width, uint32_t height)
{
  const uint32_t padding = random_below (&rng, 9);
  Image16 image = {.samples = calloc ((size_t) (width + padding) * height, sizeof (uint16_t))};
  image.view = (CtrImage){.data = image.samples,
      .stride = (width + padding) * sizeof (uint16_t),
      .width = width,
      .height = height,
      .format = CTR_FORMAT_GRAY16};
  return image;
}

static uint16_t *
at (const Image16 *image, uint32_t x, uint32_t y)
{
  return image->samples + (size_t) y * image->view.stride / sizeof (uint16_t) + x;
}

enum { NOISE, WEAK_NOISE, EXTREMES, BLOCKS, RAMP, KINDS };

static Image16
content (uint32_t kind, uint32_t width, uint32_t height)
{
  Image16 image = image16_new (width, height);
  const uint32_t base = random_below (&rng, 60000), size = 1 + random_below (&rng, 9);
  const uint32_t across = random_below (&rng, 3000), down = random_below (&rng, 3000);
  uint8_t *blocks = noise_new (&rng, width, height, 50, size);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const bool set = blocks[(size_t) y * width + x];
      *at (&image, x, y) = (uint16_t) (kind == NOISE        ? random_next (&rng)
                                       : kind == WEAK_NOISE ? base + random_below (&rng, 900)
                                       : kind == EXTREMES   ? (set ? 65535 : 0)
                                       : kind == BLOCKS     ? (set ? base + 200 + random_below (&rng, 3) : base)
                                                            : x * across + y * down);
    }
  free (blocks);
  return image;
}

static CtrCannyParams
random_native_params (void)
{
  CtrCannyParams params = random_canny_params (&rng);
  params.native_depth = true;
  return params;
}

static void
check_thresholds (const CtrImage *image, const CtrCannyParams *params)
{
  const ReferenceLimits limits = reference_canny_limits (image, params);
  const double divisor = params->aperture == 7 ? 16 : 1;
  CtrCannyThresholds thresholds;
  CHECK (ctr_canny_get_thresholds (canny, &thresholds, NULL));
  if (params->threshold_mode == CTR_CANNY_ABSOLUTE) {
    CHECK (thresholds.low == fmin (params->low_threshold, params->high_threshold));
    CHECK (thresholds.high == fmax (params->low_threshold, params->high_threshold));
    return;
  }
  const double low = thresholds.low / divisor, high = thresholds.high / divisor;
  const double greatest = thresholds.greatest / divisor;
  CHECK (floor (params->l2_gradient ? low * low : low) == (double) limits.low);
  CHECK (floor (params->l2_gradient ? high * high : high) == (double) limits.high);
  if (params->threshold_mode != CTR_CANNY_RELATIVE)
    CHECK (thresholds.greatest == 0);
  else if (params->l2_gradient)
    CHECK (rint (greatest * greatest) == (double) limits.greatest);
  else
    CHECK (greatest == (double) limits.greatest);
  /* As absolute thresholds they find the same edges. */
  CtrCannyParams absolute = *params;
  uint8_t *expected = reference_canny (image, params), *actual;
  absolute.threshold_mode = CTR_CANNY_ABSOLUTE;
  absolute.low_threshold = thresholds.low;
  absolute.high_threshold = thresholds.high;
  actual = detect (canny, &setup, image, &absolute);
  check_masks_equal (expected, actual, image->width, image->height);
  free (expected);
  free (actual);
}

static void
check_random (const char *name, uint32_t width, uint32_t height)
{
  Image16 image = content (random_below (&rng, KINDS), width, height);
  const CtrCannyParams params = random_native_params ();
  describe_canny (name, &image.view, &params);
  check_edges (canny, &setup, &image.view, &params);
  check_thresholds (&image.view, &params);
  free (image.samples);
}

static void
test_sizes (void)
{
  static const uint32_t lengths[] = {31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257, 1000, 65535};
  static const uint32_t sides[] = {23, 24, 25, 31, 33, 47, 49, 127, 129, 255, 256, 257, 300};
  for (uint32_t height = 1; height <= 17; height += setup.quick ? 5 : 1)
    for (uint32_t width = 1; width <= 17; width += setup.quick ? 5 : 1)
      check_random ("small", width, height);
  for (size_t i = 0; i < LENGTH (lengths); i += setup.quick ? 5 : 1)
    for (uint32_t rows = 1; rows <= (setup.quick ? 1 : 3); rows++) {
      check_random ("wide", lengths[i], rows);
      check_random ("high", rows, lengths[i]);
    }
  for (size_t i = 0; i < LENGTH (sides); i++)
    for (size_t k = 0; k < LENGTH (sides); k++)
      if (!setup.quick || (i * LENGTH (sides) + k) % 23 == 0)
        check_random ("sides", sides[i], sides[k]);
}

static void
test_parameters (void)
{
  static const double sigmas[] = {0, 0.05, 0.1, 0.13, 0.5, 1, 2, 5, 20};
  for (size_t i = 0; i < LENGTH (sigmas); i++)
    for (uint32_t aperture = 3; aperture <= 7; aperture += 2)
      for (int l2 = 0; l2 <= 1; l2++)
        for (int mode = CTR_CANNY_ABSOLUTE; mode <= CTR_CANNY_RELATIVE; mode++) {
          CtrCannyParams params = random_native_params ();
          params.sigma = sigmas[i];
          params.aperture = aperture;
          params.l2_gradient = l2;
          params.threshold_mode = (CtrCannyThresholdMode) mode;
          Image16 image = content (random_below (&rng, KINDS), 83, 61);
          describe_canny ("parameters", &image.view, &params);
          if (!setup.quick || (i + aperture / 2 + 3 * (size_t) l2 + (size_t) mode) % 11 == 0) {
            check_edges (canny, &setup, &image.view, &params);
            check_thresholds (&image.view, &params);
          }
          free (image.samples);
        }
}

/* Shares of the greatest magnitude in 8 bits: where the threshold equals a magnitude, it is not exceeded. */
static void
test_shares (void)
{
  static const double shares[][2] = {{0.2, 0.4}, {0.4, 0.2}, {0, 0}, {0, 1}, {1, 1}, {0.5, 0.5}, {1. / 3, 2. / 3}};
  for (size_t i = 0; i < LENGTH (shares); i++)
    for (uint32_t aperture = 3; aperture <= 7; aperture += 2)
      for (int l2 = 0; l2 <= 1; l2++)
        for (int k = 0; k < (setup.quick ? 1 : 6); k++) {
          const uint32_t width = 1 + random_below (&rng, 300), height = 1 + random_below (&rng, 60);
          uint8_t *grey = k ? grey_new (&rng, width, height) : calloc ((size_t) width * height, 1);
          const CtrImage image = {
              .data = grey, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
          CtrCannyParams params;
          ctr_canny_params_init (&params);
          params.sigma = k % 3;
          params.aperture = aperture;
          params.l2_gradient = l2;
          params.threshold_mode = CTR_CANNY_RELATIVE;
          params.low_share = shares[i][0];
          params.high_share = shares[i][1];
          describe_canny ("shares", &image, &params);
          if (!setup.quick || (i + aperture / 2 + (size_t) l2) % 5 == 0) {
            check_edges (canny, &setup, &image, &params);
            check_thresholds (&image, &params);
          }
          free (grey);
        }
}

/* A step from 800 to 1000, of which the upper 8 bits show nothing. */
static void
test_small_step (void)
{
  enum { SIDE = 40 };
  Image16 image = image16_new (SIDE, SIDE);
  for (uint32_t y = 0; y < SIDE; y++)
    for (uint32_t x = 0; x < SIDE; x++)
      *at (&image, x, y) = x < SIDE / 2 ? 800 : 1000;
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  describe_canny ("a small step in 8 bits", &image.view, &params);
  CHECK (check_edges (canny, &setup, &image.view, &params) == 0);
  params.native_depth = true;
  describe_canny ("a small step", &image.view, &params);
  CHECK (check_edges (canny, &setup, &image.view, &params) == SIDE);
  params.threshold_mode = CTR_CANNY_RELATIVE;
  describe_canny ("a small step, shares", &image.view, &params);
  CHECK (check_edges (canny, &setup, &image.view, &params) == SIDE);
  check_thresholds (&image.view, &params);
  free (image.samples);
}

/* The threshold mode changes from image to image and nothing else does: nothing of the image before remains. */
static void
test_changes (void)
{
  Image16 images[2] = {content (WEAK_NOISE, 200, 60), content (EXTREMES, 200, 60)};
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = 1;
  for (int i = 0; i < (setup.quick ? 8 : 64); i++) {
    const CtrImage *image = &images[random_below (&rng, 2)].view;
    params.threshold_mode = (CtrCannyThresholdMode) random_below (&rng, 4);
    params.native_depth = random_below (&rng, 2);
    describe_canny ("changes", image, &params);
    check_edges (canny, &setup, image, &params);
    check_thresholds (image, &params);
  }
  free (images[0].samples);
  free (images[1].samples);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  canny = detector_new (&setup);
  test_small_step ();
  test_sizes ();
  test_parameters ();
  test_shares ();
  test_changes ();
  ctr_canny_free (canny);
  return 0;
}
