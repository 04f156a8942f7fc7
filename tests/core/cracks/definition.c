/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares contours of levels with their definition, for every size, shape, format and rule. */
#include "tests/core/cracks/reference.h"
#include "tests/core/cracks/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCracks *cracks; /* one tracer for all images: they come in every order of size and format */
static Random rng = {1};

static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGR,
    CTR_FORMAT_RGBX, CTR_FORMAT_BGRX, CTR_FORMAT_XRGB, CTR_FORMAT_XBGR, CTR_FORMAT_YUYV, CTR_FORMAT_YVYU,
    CTR_FORMAT_UYVY, CTR_FORMAT_VYUY};

/* Levels that are in use, spread at random over the samples of the format. */
static uint32_t
random_levels (uint32_t *levels, uint32_t room, uint32_t largest)
{
  uint32_t count = 0, level = 1 + random_below (&rng, 3);
  for (; count < room && level <= largest; level += 1 + random_below (&rng, 2 * largest / room))
    levels[count++] = level;
  return count;
}

/* Samples that are 0 or one of the levels, or right below one, in squares of GRAIN pixels. */
static Picture
picture_of_levels (
    uint32_t width, uint32_t height, Layout layout, const uint32_t *levels, uint32_t count, uint32_t grain)
{
  Picture picture = picture_random (&rng, width, height, layout);
  uint16_t *row_of_squares = malloc (width * sizeof *row_of_squares);
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = (uint8_t *) (uintptr_t) picture.view.data + y * picture.view.stride;
    for (uint32_t x = 0; x < width; x++) {
      if (y % grain == 0)
        row_of_squares[x] = (uint16_t) (x % grain                ? row_of_squares[x - 1]
                                        : random_below (&rng, 4) ? levels[random_below (&rng, count)] - (x / grain) % 2
                                                                 : 0);
      if (layout.format == CTR_FORMAT_GRAY16)
        ((uint16_t *) row)[x] = row_of_squares[x];
      else
        memset (
            row + x * ctr_format_pixel_size (layout.format), row_of_squares[x], ctr_format_pixel_size (layout.format));
    }
  }
  free (row_of_squares);
  return picture;
}

/* Noise of a few levels, with random parameters. */
static void
check_noise (uint32_t width, uint32_t height, Layout layout, uint32_t grain)
{
  uint32_t levels[12];
  const uint32_t count =
      random_levels (levels, 1 + random_below (&rng, 12), layout.format == CTR_FORMAT_GRAY16 ? 65535 : 255);
  Picture picture = picture_of_levels (width, height, layout, levels, count, grain);
  CtrCracksParams params = random_cracks_params (&rng);
  params.levels = levels;
  params.level_count = count;
  describe_cracks ("noise of levels", &picture.view, &params);
  check_cracks (cracks, &setup, &picture.view, &params);
  picture_free (&picture);
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 4 : 1;
  for (uint32_t height = 1; height <= 17; height += step)
    for (uint32_t width = 1; width <= 17; width += step)
      for (int i = 0; i < 4; i++)
        check_noise (width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 1 + random_below (&rng, 3));
}

static void
test_noise (void)
{
  static const uint32_t grains[] = {1, 2, 3, 8};
  for (size_t i = 0; i < LENGTH (grains); i++)
    for (int n = 0; n < (setup.quick ? 2 : 12); n++)
      check_noise (101, 67, (Layout){.format = n % 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8}, grains[i]);
}

static void
test_shapes (void)
{
  static const uint32_t sizes[][2] = {{9, 7}, {64, 64}, {65, 33}, {31, 129}, {128, 66}};
  for (size_t i = 0; i < LENGTH (sizes); i += setup.quick ? 2 : 1)
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++) {
      const uint32_t width = sizes[i][0], height = sizes[i][1], threshold = 1 + random_below (&rng, 255);
      uint8_t *mask = shape_new (shape, width, height);
      Picture picture =
          picture_of_mask (&rng, mask, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, threshold, false);
      for (int joined = 0; joined <= 1; joined++)
        for (int frame = 0; frame <= 1; frame++) {
          CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, 4 + 4 * joined, frame);
          params.minimum = params.maximum = threshold;
          describe_cracks (shape_names[shape], &picture.view, &params);
          check_cracks (cracks, &setup, &picture.view, &params);
        }
      picture_free (&picture);
      free (mask);
    }
}

static void
test_lines (void)
{
  static const uint32_t lengths[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000};
  for (size_t i = 0; i < LENGTH (lengths); i += setup.quick ? 4 : 1) {
    check_noise (lengths[i], 1, (Layout){.format = CTR_FORMAT_GRAY8}, 1);
    check_noise (1, lengths[i], (Layout){.format = CTR_FORMAT_GRAY16}, 1);
  }
  if (setup.quick)
    return;
  /* Corners at 65535, the largest coordinate. */
  uint8_t *pixels = malloc (CTR_MAX_SIDE * 3);
  memset (pixels, 1, CTR_MAX_SIDE * 3);
  for (int upright = 0; upright <= 1; upright++) {
    const uint32_t width = upright ? 3 : CTR_MAX_SIDE, height = upright ? CTR_MAX_SIDE : 3;
    const CtrImage image = {
        .data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
    CtrCracksParams params = cracks_params_of (CTR_LEVELS_EQUAL, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
    describe_cracks ("the longest lines", &image, &params);
    CtrContours *contours = trace_cracks (cracks, &setup, &image, &params);
    const Contours all = contours_of (contours);
    CHECK (all.info.count == 1 && all.table->count == 4 && all.table->area2 == 2ll * CTR_MAX_SIDE * 3);
    CHECK (all.table->width == width && all.table->height == height);
    CHECK (all.points[2].x == width && all.points[2].y == height);
    ctr_contours_unref (contours);
    params.frame = CTR_IMAGE_BORDER_ZERO;
    check_cracks (cracks, &setup, &image, &params);
  }
  free (pixels);
}

/* Any stride, any alignment, garbage between the rows; the picture itself stays as it is. */
static void
test_layouts (void)
{
  for (uint32_t width = 1; width <= 90; width += setup.quick ? 37 : 4)
    for (size_t f = 0; f < LENGTH (formats); f++) {
      Layout layout = {.format = formats[f], .offset = random_below (&rng, 70), .padding = random_below (&rng, 80)};
      if (layout.format == CTR_FORMAT_GRAY16) {
        layout.offset &= ~1u;
        layout.padding &= ~1u;
      }
      Picture picture = picture_random (&rng, width, 1 + random_below (&rng, 20), layout);
      void *before = malloc (picture.bytes);
      memcpy (before, picture.memory, picture.bytes);
      CtrCracksParams params = random_cracks_params (&rng);
      params.step = layout.format == CTR_FORMAT_GRAY16 ? 5000 : 20;
      describe_cracks ("a layout", &picture.view, &params);
      check_cracks (cracks, &setup, &picture.view, &params);
      CHECK (memcmp (before, picture.memory, picture.bytes) == 0);
      free (before);
      picture_free (&picture);
    }
}

/* Full 16-bit noise at all 65535 levels: the levels one by one, ends of the range included. */
static void
test_all_levels (void)
{
  uint16_t pixels[12];
  for (int i = 0; i < 12; i++)
    pixels[i] = (uint16_t) random_next (&rng);
  pixels[4] = 65535;
  pixels[9] = 1;
  const CtrImage image = {.data = pixels, .stride = 8, .width = 4, .height = 3, .format = CTR_FORMAT_GRAY16};
  for (int mode = 0; mode <= 1; mode++) {
    const CtrCracksParams params = cracks_params_of (mode, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    describe_cracks ("all levels", &image, &params);
    check_cracks (cracks, &setup, &image, &params);
  }
}

/* Traces IMAGE, of POINTS points in all, with a limit of one point less: it is refused. */
static void
check_refused (const CtrImage *image, CtrCracksParams params, uint64_t points)
{
  params.max_points = points - 1;
  CtrContours *contours = trace_cracks (cracks, &setup, image, &params);
  const Contours refused = contours_of (contours);
  describe_cracks ("one point too many", image, &params);
  CHECK (refused.info.exceeded == CTR_LIMIT_POINTS && refused.info.needed == points);
  CHECK (refused.info.count == 0 && refused.info.point_count == 0 && refused.table && refused.points);
  CHECK (refused.info.width == image->width && refused.info.height == image->height);
  const uint32_t nesting = params.hierarchy == CTR_HIERARCHY_LEVELS ? CTR_CONTOUR_FEATURE_NESTING : 0;
  CHECK (refused.info.coordinates == CTR_COORDINATES_CORNERS && refused.info.features == (params.features | nesting));
  CHECK (!refused.sums == !(params.features & CTR_CONTOUR_FEATURE_MOMENTS));
  ctr_contours_unref (contours);
}

/* Noise in one square of a constant image: a GPU's tile there has far more corners than the average one. */
static void
test_dense_squares (void)
{
  enum { WIDTH = 400, HEIGHT = 200, SIDE = 40 };
  static const uint32_t steps[] = {3, 12, 40};
  CtrCracks *own = tracer_new (&setup);
  uint8_t *pixels = malloc (WIDTH * HEIGHT);
  const CtrImage image = {
      .data = pixels, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  for (uint32_t i = 0; i < (setup.quick ? 3 : 30); i++) {
    CtrCracksParams params = random_cracks_params (&rng);
    const uint32_t left = random_below (&rng, WIDTH - SIDE), top = random_below (&rng, HEIGHT - SIDE);
    params.step = steps[i % LENGTH (steps)];
    memset (pixels, i % 2 ? 100 : 0, WIDTH * HEIGHT);
    for (uint32_t p = 0; p < SIDE * SIDE; p++)
      pixels[(top + p / SIDE) * WIDTH + left + p % SIDE] = (uint8_t) random_below (&rng, 256);
    describe_cracks ("a dense square", &image, &params);
    check_cracks (own, &setup, &image, &params);
  }
  free (pixels);
  ctr_cracks_free (own);
}

/* Few corners, whose lines are long and pass together, with a step and with a crossing in them: a GPU's tiles have far more
 * passages than corners. */
static void
test_long_lines (void)
{
  enum { WIDTH = 260, HEIGHT = 150 };
  CtrCracks *own = tracer_new (&setup);
  uint8_t *pixels = malloc (WIDTH * HEIGHT);
  const CtrImage image = {
      .data = pixels, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  for (int i = 0; i < (setup.quick ? 2 : 12); i++) {
    CtrCracksParams params = random_cracks_params (&rng);
    const uint32_t column = 1 + random_below (&rng, WIDTH - 2), row = 1 + random_below (&rng, HEIGHT - 2);
    for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
      const bool right = p % WIDTH >= column, below = p / WIDTH >= row;
      pixels[p] = i % 2 ? (right != below ? 250 : 20) : right ? (below ? 255 : 200) : 0;
    }
    describe_cracks ("long lines", &image, &params);
    check_cracks (own, &setup, &image, &params);
  }
  free (pixels);
  ctr_cracks_free (own);
}

/* Exactly as many points as there may be, and one more. Contours that are dropped count. */
static void
test_most_points (void)
{
  for (int i = 0; i < (setup.quick ? 2 : 60); i++) {
    Picture picture = picture_random (&rng, 2 + random_below (&rng, 70), 2 + random_below (&rng, 70),
        (Layout){.format = i % 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8});
    CtrCracksParams params = random_cracks_params (&rng), all;
    params.step = i % 2 ? 4000 : 1 + random_below (&rng, 30);
    all = cracks_params_of (params.mode, params.connectivity, params.frame);
    all.step = params.step;
    CtrContours *contours = trace_cracks (cracks, &setup, &picture.view, &all);
    const uint64_t points = contours->point_count;
    ctr_contours_unref (contours);
    if (points > 1) { /* a limit of 0 is none */
      check_refused (&picture.view, params, points);
      params.max_points = points;
      check_cracks (cracks, &setup, &picture.view, &params);
      check_refused (&picture.view, params, points);
      params.max_points = 0;
      check_cracks (cracks, &setup, &picture.view, &params);
    }
    picture_free (&picture);
  }
}

/* From small to large and back, from few contours to many, and results that outlive the tracer. */
static void
test_growth (void)
{
  CtrCracks *own = tracer_new (&setup);
  CtrContours *kept[6];
  Contours expected[6];
  Picture pictures[6];
  static const uint32_t sides[] = {3, 90, 5, 140, 1, 60};
  for (int i = 0; i < 6; i++) {
    pictures[i] = picture_random (&rng, sides[i], sides[i], (Layout){.format = CTR_FORMAT_GRAY8});
    CtrCracksParams params = random_cracks_params (&rng);
    params.step = 16;
    describe_cracks ("growth", &pictures[i].view, &params);
    kept[i] = trace_cracks (own, &setup, &pictures[i].view, &params);
    expected[i] = reference_cracks (&pictures[i].view, &params);
  }
  ctr_cracks_free (own);
  for (int i = 0; i < 6; i++) {
    const Contours actual = contours_of (kept[i]);
    check_contours_equal (&expected[i], &actual);
    ctr_contours_unref (kept[i]);
    reference_contours_free (&expected[i]);
    picture_free (&pictures[i]);
  }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"small sizes", test_small_sizes},
      {"noise", test_noise},
      {"shapes", test_shapes},
      {"lines", test_lines},
      {"layouts", test_layouts},
      {"all levels", test_all_levels},
      {"dense squares", test_dense_squares},
      {"long lines", test_long_lines},
      {"most points", test_most_points},
      {"growth", test_growth},
  };
  setup = setup_open (argv[1], false);
  cracks = tracer_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_cracks_free (cracks);
  return 0;
}
