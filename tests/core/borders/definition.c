/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares borders with their definition, for every size, shape, format and rule. */
#include "tests/core/borders/reference.h"
#include "tests/core/borders/testing.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrBorders *borders; /* one follower for all images: they come in every order of size and format */
static Random rng = {1};

static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGR,
    CTR_FORMAT_RGBX, CTR_FORMAT_BGRX, CTR_FORMAT_XRGB, CTR_FORMAT_XBGR, CTR_FORMAT_YUYV, CTR_FORMAT_YVYU,
    CTR_FORMAT_UYVY, CTR_FORMAT_VYUY};
static const Layout plain = {.format = CTR_FORMAT_GRAY8};

/* Shows the mask at a random threshold and polarity, in every mode. Takes MASK. */
static void
check_mask (uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  const uint32_t threshold = 1 + random_below (&rng, 255);
  const bool invert = random_below (&rng, 2);
  Picture picture = picture_of_mask (&rng, mask, width, height, plain, threshold, invert);
  for (int mode = CTR_RETRIEVE_EXTERNAL; mode <= CTR_RETRIEVE_TREE; mode++) {
    CtrBordersParams params = borders_params_of (mode, 1 + random_below (&rng, 2), threshold, invert);
    if (random_below (&rng, 2))
      params = random_borders_params (&rng, threshold, invert);
    borders_params_set_mode (&params, mode);
    describe_borders (name, &picture.view, &params);
    check_borders (borders, &setup, &picture.view, &params);
  }
  picture_free (&picture);
  free (mask);
}

static void
check_noise (uint32_t width, uint32_t height, uint32_t density, uint32_t grain)
{
  char name[64];
  snprintf (name, sizeof name, "noise of %u %% in squares of %u,", density, grain);
  check_mask (noise_new (&rng, width, height, density, grain), width, height, name);
}

static void
check_shape (Shape shape, uint32_t width, uint32_t height)
{
  check_mask (shape_new (shape, width, height), width, height, shape_names[shape]);
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 4 : 1;
  for (uint32_t height = 1; height <= 17; height += step)
    for (uint32_t width = 1; width <= 17; width += step)
      for (int i = 0; i < 3; i++)
        check_noise (width, height, random_below (&rng, 101), 1);
}

static void
test_shapes (void)
{
  static const uint32_t sizes[][2] = {{9, 7}, {64, 64}, {65, 33}, {31, 129}, {128, 66}};
  for (size_t i = 0; i < LENGTH (sizes); i += setup.quick ? 2 : 1)
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++)
      check_shape (shape, sizes[i][0], sizes[i][1]);
}

static void
test_lines (void)
{
  static const uint32_t lengths[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4000};
  for (size_t i = 0; i < LENGTH (lengths); i += setup.quick ? 4 : 1)
    for (uint32_t density = 10; density <= 90; density += 40) {
      check_noise (lengths[i], 1, density, 1);
      check_noise (1, lengths[i], density, 1);
    }
  if (setup.quick)
    return;
  check_shape (SHAPE_ONES, CTR_MAX_SIDE, 3);
  check_shape (SHAPE_ONES, 3, CTR_MAX_SIDE);
  check_noise (CTR_MAX_SIDE, 3, 99, 256);
  check_noise (3, CTR_MAX_SIDE, 99, 256);
}

static void
test_noise (void)
{
  static const uint32_t grains[] = {1, 2, 3, 4, 8, 16};
  for (size_t i = 0; i < LENGTH (grains); i += setup.quick ? 3 : 1)
    for (uint32_t density = 0; density <= 100; density += setup.quick ? 25 : 10)
      check_noise (201, 133, density, grains[i]);
}

/* A comb whose teeth become longer and longer, so that the farthest tooth is the last one; a disc; a wedge with a rough edge. */
static uint8_t *
rising_comb_new (uint32_t width, uint32_t height)
{
  uint8_t *mask = calloc (width, height);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      mask[y * width + x] = y >= height - 2 || (x % 2 == 0 && y > height - 2 - (uint64_t) height * x / width);
  return mask;
}

static uint8_t *
disc_new (uint32_t width, uint32_t height)
{
  uint8_t *mask = calloc (width, height);
  const int64_t side = width < height ? width : height;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++)
      mask[y * width + x] = (2 * x - side) * (2 * x - side) + (2 * y - side) * (2 * y - side) < side * side;
  return mask;
}

static uint8_t *
rough_wedge_new (uint32_t width, uint32_t height)
{
  uint8_t *mask = calloc (width, height);
  for (uint32_t x = 0; x < width; x++)
    for (uint32_t y = height - 1 - (uint32_t) ((uint64_t) (height - 4) * x / width) - random_below (&rng, 3);
         y < height; y++)
      mask[y * width + x] = 1;
  return mask;
}

/* Lines that are split many times, with many farthest points, and of many lengths. */
static void
test_simplified (void)
{
  static const double epsilons[] = {1e-200, 0.5, 1, 1.5, 4, 30, 1e9};
  static const uint32_t sizes[][2] = {{40, 23}, {170, 150}, {400, 61}, {400, 300}};
  for (size_t i = 0; i < (setup.quick ? 2 : LENGTH (sizes)); i++)
    for (size_t e = 0; e < LENGTH (epsilons); e++)
      for (int shape = 0; shape < 6; shape++) {
        const uint32_t width = sizes[i][0], height = sizes[i][1];
        uint8_t *mask = shape == 0   ? rising_comb_new (width, height)
                        : shape == 1 ? disc_new (width, height)
                        : shape == 2 ? rough_wedge_new (width, height)
                        : shape == 3 ? shape_new (SHAPE_SPIRAL, width, height)
                        : shape == 4 ? shape_new (SHAPE_ONES, width, height)
                                     : noise_new (&rng, width, height, 60, 2);
        Picture picture = picture_of_mask (&rng, mask, width, height, plain, 128, false);
        CtrBordersParams params =
            borders_params_of (e % 2 ? CTR_RETRIEVE_TREE : CTR_RETRIEVE_LIST, 1 + (e / 2 + shape) % 2, 128, false);
        params.epsilon = epsilons[e];
        if (random_below (&rng, 2))
          params.features = CTR_CONTOUR_FEATURE_MOMENTS;
        describe_borders ("simplified", &picture.view, &params);
        check_borders (borders, &setup, &picture.view, &params);
        picture_free (&picture);
        free (mask);
      }
}

/* Any stride, any alignment, garbage between the rows; the picture itself stays as it is. */
static void
test_layouts (void)
{
  for (uint32_t width = 1; width <= 140; width += setup.quick ? 37 : 3)
    for (size_t f = 0; f < LENGTH (formats); f++) {
      Layout layout = {.format = formats[f], .offset = random_below (&rng, 70), .padding = random_below (&rng, 80)};
      uint32_t threshold = 1 + random_below (&rng, 255);
      if (layout.format == CTR_FORMAT_GRAY16) {
        layout.offset &= ~1u;
        layout.padding &= ~1u;
        threshold = 1 + random_below (&rng, 65535);
      }
      const uint32_t height = 1 + random_below (&rng, 50);
      uint8_t *mask = noise_new (&rng, width, height, 50, 1);
      Picture picture = picture_of_mask (&rng, mask, width, height, layout, threshold, false);
      void *before = malloc (picture.bytes);
      memcpy (before, picture.memory, picture.bytes);
      const CtrBordersParams params = random_borders_params (&rng, threshold, false);
      describe_borders ("a layout", &picture.view, &params);
      check_borders (borders, &setup, &picture.view, &params);
      CHECK (memcmp (before, picture.memory, picture.bytes) == 0);
      free (before);
      free (mask);
      picture_free (&picture);
    }
}

/* Random samples of every format, thresholds at and beyond the ends of their range, and Otsu's. */
static void
test_thresholds (void)
{
  static const uint32_t thresholds[] = {0, 1, 127, 128, 255, 256, 32768, 65535, 65536, UINT32_MAX};
  for (size_t f = 0; f < LENGTH (formats); f++)
    for (size_t t = 0; t < LENGTH (thresholds); t += setup.quick ? 3 : 1) {
      Picture picture = picture_random (&rng, 75, 39, (Layout){.format = formats[f]});
      for (int invert = 0; invert <= 1; invert++) {
        CtrBordersParams params = random_borders_params (&rng, thresholds[t], invert);
        params.foreground.mode = t % 2 ? CTR_THRESHOLD_OTSU : CTR_THRESHOLD_FIXED;
        describe_borders (t % 2 ? "Otsu" : "a threshold", &picture.view, &params);
        check_borders (borders, &setup, &picture.view, &params);
      }
      picture_free (&picture);
    }
}

/* The parent of a blob is a wall far to the west, and that of a hole starts there: the search for it ends in every word, the first one
 * included. */
static void
check_far_neighbour (uint32_t width, uint32_t wall, uint32_t blob, bool filled)
{
  const uint32_t height = 7;
  uint8_t *mask = calloc (width, height);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = wall; x < width; x++)
      mask[y * width + x] = filled || y == 0 || y == height - 1 || x == wall || x == width - 1;
  mask[3 * width + blob] = !filled;
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 1, false);
  describe ("a wall at %u around a %s at %u of %u", wall, filled ? "hole" : "blob", blob, width);
  check_borders (borders, &setup, &image, &params);
  free (mask);
}

static void
test_far_neighbours (void)
{
  for (uint32_t wall = 0; wall < 70; wall += setup.quick ? 33 : 3)
    for (uint32_t blob = wall + 2; blob < 198; blob += setup.quick ? 31 : 5)
      check_far_neighbour (200, wall, blob, blob % 2);
  for (uint32_t wall = 0; wall < 70; wall += 33)
    for (uint32_t blob = wall + 225; blob < 2300; blob += setup.quick ? 799 : 31)
      for (int filled = 0; filled <= 1; filled++)
        check_far_neighbour (2400, wall, blob, filled);
}

/* A follower that has seen little meets a picture with very many borders, also where few of them are kept. */
static void
test_growth (void)
{
  static const Shape shapes[] = {SHAPE_CHEQUERBOARD, SHAPE_DOTS, SHAPE_ARCHES};
  const uint32_t width = setup.quick ? 96 : 160, height = setup.quick ? 70 : 130;
  for (size_t i = 0; i < LENGTH (shapes); i++)
    for (int k = 0; k < 4; k++) {
      const bool limited = k % 2;
      uint8_t *mask = shape_new (shapes[i], width, height);
      const CtrImage image = {
          .data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
      CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_NONE, 1, false);
      params.connectivity = k < 2 ? CTR_CONNECTIVITY_8 : CTR_CONNECTIVITY_4;
      params.min_area = limited ? 100 : 0;
      describe_borders (shape_names[shapes[i]], &image, &params);
      CtrBorders *fresh = follower_new (&setup);
      check_borders (fresh, &setup, &image, &params);
      check_borders (fresh, &setup, &image, &params);
      ctr_borders_free (fresh);
      free (mask);
    }
}

/* Lines from the top of the picture to its bottom, which cross its tiles on the GPU 2304, 4608 and 9216 times: each by itself, and all of
 * them as one long line. There are dots between them. */
static void
test_crossings (void)
{
  const uint32_t height = 640;
  for (uint32_t width = 512; width <= 2048; width *= setup.quick ? 4 : 2)
    for (int joined = 0; joined <= 1; joined++) {
      uint8_t *mask = calloc (width, height);
      for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
          mask[y * width + x] = x % 4 == 0 || (x % 16 == 2 && y % 64 == 30);
      for (uint32_t x = 0; joined && x < width; x++)
        mask[x + (x % 8 < 4 ? 0 : (height - 1) * width)] = 1;
      const CtrImage image = {
          .data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
      CtrBordersParams params = random_borders_params (&rng, 1, false);
      if (width > 1024) /* Nearly a million points on one line take too long. */
        params.epsilon = 0;
      describe_borders (joined ? "one long line" : "many lines", &image, &params);
      check_borders (borders, &setup, &image, &params);
      free (mask);
    }
}

/* Rings in rings, with 139 contours around the innermost one, beside 1225 dots. */
static void
test_depth (void)
{
  const uint32_t side = 280, width = side + 72;
  uint8_t *mask = calloc (width, side);
  for (uint32_t y = 0; y < side; y++)
    for (uint32_t x = 0; x < side; x++) {
      const uint32_t left = x < side / 2 ? x : side - 1 - x, top = y < side / 2 ? y : side - 1 - y;
      mask[y * width + x] = (left < top ? left : top) % 2 == 0;
    }
  for (uint32_t y = 0; y < 70; y += 2)
    for (uint32_t x = side + 2; x < width; x += 2)
      mask[y * width + x] = 1;
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = side, .format = CTR_FORMAT_GRAY8};
  CtrBorders *fresh = follower_new (&setup);
  for (int i = 0; i < 4; i++) {
    CtrBordersParams params =
        borders_params_of (i == 2 ? CTR_RETRIEVE_CCOMP : CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 1, false);
    params.min_area = i == 3 ? 1000 : 0;
    describe_borders ("rings in rings", &image, &params);
    check_borders (fresh, &setup, &image, &params);
  }
  ctr_borders_free (fresh);
  free (mask);
}

/* More contours than a CTA follows to their parents at once. Most of them have no parent, and the others many different ones. */
static void
test_families (void)
{
  static const CtrRetrieval modes[] = {CTR_RETRIEVE_EXTERNAL, CTR_RETRIEVE_CCOMP, CTR_RETRIEVE_TREE};
  const uint32_t width = 420, height = 260;
  uint8_t *mask = noise_new (&rng, width, height, 50, 1);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrBorders *fresh = follower_new (&setup);
  for (size_t i = 0; i < 2 * LENGTH (modes); i++) {
    CtrBordersParams params = borders_params_of (modes[i / 2], CTR_APPROXIMATION_SIMPLE, 1, false);
    params.connectivity = i % 2 ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
    params.min_area = i % 2 ? 2 : 0;
    describe_borders ("many families", &image, &params);
    check_borders (fresh, &setup, &image, &params);
  }
  ctr_borders_free (fresh);
  free (mask);
}

/* The same picture gives the same bytes, however its parts are scheduled: one with few borders, one with many. */
static void
test_repetition (void)
{
  const bool few = setup.quick || setup.backend == CTR_BACKEND_CPU; /* which follows one border after the other */
  const uint32_t width = setup.quick ? 100 : 500, height = setup.quick ? 90 : 400, turns = few ? 20 : 1000;
  for (uint32_t grain = 1; grain <= 16; grain += 15) {
    uint8_t *mask = noise_new (&rng, width, height, 50, grain);
    const CtrImage image = {
        .data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
    CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 1, false);
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
    describe_borders ("again and again", &image, &params);
    CtrContours *first = follow_borders (borders, &setup, &image, &params);
    const Contours expected = contours_of (first);
    CHECK (expected.info.count > 1);
    for (uint32_t i = 1; i < turns; i++) {
      CtrContours *again = follow_borders (borders, &setup, &image, &params);
      const Contours actual = contours_of (again);
      check_contours_equal (&expected, &actual);
      ctr_contours_unref (again);
    }
    ctr_contours_unref (first);
    free (mask);
  }
}

static void
check_result (const Contours *expected, CtrContours *contours)
{
  CHECK (contours);
  const Contours actual = contours_of (contours);
  check_contours_equal (expected, &actual);
  ctr_contours_unref (contours);
}

static void
test_lifetimes (void)
{
  const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 128, false);
  Picture a = picture_random (&rng, 90, 60, plain), b = picture_random (&rng, 40, 110, plain);
  Contours expected_a = reference_borders (&a.view, &params), expected_b = reference_borders (&b.view, &params);
  CtrBorders *one = follower_new (&setup), *two = follower_new (&setup);
  describe ("two followers at work at once");
  CHECK (ctr_borders_enqueue (one, &a.view, &params, setup.stream, NULL));
  CHECK (ctr_borders_enqueue (two, &b.view, &params, setup.stream, NULL));
  CtrContours *result_b = ctr_borders_finish (two, NULL), *result_a = ctr_borders_finish (one, NULL);
  describe ("a second image queued before the first one's result was taken");
  CHECK (ctr_borders_enqueue (one, &a.view, &params, setup.stream, NULL));
  CHECK (ctr_borders_enqueue (one, &b.view, &params, setup.stream, NULL));
  check_result (&expected_b, ctr_borders_finish (one, NULL));
  describe ("no stream given");
  check_result (&expected_a, ctr_borders_run (two, &a.view, &params, NULL, NULL));
  describe ("a result that was not looked at");
  ctr_contours_unref (ctr_borders_run (two, &a.view, &params, setup.stream, NULL));
  describe ("a follower freed with an image queued");
  CHECK (ctr_borders_enqueue (two, &a.view, &params, setup.stream, NULL));
  ctr_borders_free (one);
  ctr_borders_free (two);
  describe ("results after their followers");
  CHECK (ctr_contours_ref (result_a) == result_a);
  ctr_contours_unref (result_a);
  check_result (&expected_a, result_a);
  check_result (&expected_b, result_b);
  reference_contours_free (&expected_a);
  reference_contours_free (&expected_b);
  picture_free (&a);
  picture_free (&b);
}

/* CUDA: images in device memory, at any pitch and offset, and the result where it lies there. */
static void
test_device_images (void)
{
  if (setup.backend == CTR_BACKEND_CPU)
    return;
  for (uint32_t width = 1; width <= 200; width += setup.quick ? 61 : 13)
    for (size_t f = 0; f < LENGTH (formats); f++) {
      Layout layout = {.format = formats[f], .offset = random_below (&rng, 40), .padding = random_below (&rng, 300)};
      if (layout.format == CTR_FORMAT_GRAY16) {
        layout.offset &= ~1u;
        layout.padding &= ~1u;
      }
      Picture picture = picture_random (&rng, width, 1 + random_below (&rng, 70), layout);
      CtrBordersParams params =
          random_borders_params (&rng, layout.format == CTR_FORMAT_GRAY16 ? 33000 : 120, f % 2 != 0);
      params.foreground.mode = width % 3 ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
      describe_borders ("device image", &picture.view, &params);
      Contours expected = reference_borders (&picture.view, &params);
      uint8_t *memory = gpu_alloc (picture.bytes);
      gpu_upload (memory, picture.memory, picture.bytes);
      CtrImage image = picture.view;
      image.data = memory + layout.offset;
      image.memory = CTR_MEMORY_DEVICE;
      CtrContours *contours = follow_borders (borders, &setup, &image, &params);
      CtrDeviceContours device;
      CHECK (contours->count == expected.info.count && contours->point_count == expected.info.point_count);
      CHECK (ctr_contours_get_device (contours, &device));
      CtrContour *table = malloc ((expected.info.count + 1) * sizeof *table);
      CtrPoint *points = malloc ((expected.info.point_count + 1) * sizeof *points);
      gpu_download (table, device.table, expected.info.count * sizeof *table);
      gpu_download (points, device.points, expected.info.point_count * sizeof *points);
      CHECK (memcmp (table, expected.table, expected.info.count * sizeof *table) == 0);
      CHECK (memcmp (points, expected.points, expected.info.point_count * sizeof *points) == 0);
      CHECK (!device.sums == !expected.sums);
      free (table);
      free (points);
      check_result (&expected, contours);
      gpu_free (memory);
      reference_contours_free (&expected);
      picture_free (&picture);
    }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"small sizes", test_small_sizes},
      {"shapes", test_shapes},
      {"lines", test_lines},
      {"noise", test_noise},
      {"simplified", test_simplified},
      {"layouts", test_layouts},
      {"thresholds", test_thresholds},
      {"far neighbours", test_far_neighbours},
      {"growth", test_growth},
      {"crossings", test_crossings},
      {"depth", test_depth},
      {"families", test_families},
      {"repetition", test_repetition},
      {"lifetimes", test_lifetimes},
      {"device images", test_device_images},
  };
  setup = setup_open (argv[1], false);
  borders = follower_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_borders_free (borders);
  return 0;
}
