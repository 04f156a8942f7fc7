/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares contours of levels with results that were worked out by hand, and with counts that are known beforehand. */
#include "tests/core/cracks/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCracks *cracks; /* one tracer for all images: they come in every order of size and format */

/* The contours of a drawing: rows of equal length that end in '\n', digits are samples, a blank is 0. Transfer full. */
static CtrContours *
trace_drawing (const char *drawing, const CtrCracksParams *params)
{
  const uint32_t width = (uint32_t) (strchr (drawing, '\n') - drawing);
  const uint32_t height = (uint32_t) (strlen (drawing) / (width + 1));
  uint8_t *pixels = malloc ((size_t) width * height);
  for (uint32_t i = 0; i < width * height; i++)
    pixels[i] = drawing[i + i / width] == ' ' ? 0 : (uint8_t) (drawing[i + i / width] - '0');
  CtrImage image = {.data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrContours *contours = trace_cracks (cracks, &setup, &image, params);
  free (pixels);
  return contours;
}

static void
check_points (const Contours *all, uint32_t row, const CtrPoint *points, uint32_t count)
{
  CHECK (row < all->info.count && all->table[row].count == count);
  CHECK (memcmp (all->points + all->table[row].first, points, count * sizeof *points) == 0);
}

static void
check_family (const CtrContour *row, int next, int previous, int child, int parent)
{
  CHECK (row->next == next && row->previous == previous && row->child == child && row->parent == parent);
}

static void
test_points (void)
{
  static const char drawing[] = " 111  \n"
                                " 121 3\n"
                                " 111  \n";
  static const CtrPoint ring[] = {{1, 0}, {4, 0}, {4, 3}, {1, 3}}, middle[] = {{2, 1}, {3, 1}, {3, 2}, {2, 2}};
  static const CtrPoint hole[] = {{2, 1}, {2, 2}, {3, 2}, {3, 1}}, dot[] = {{5, 1}, {6, 1}, {6, 2}, {5, 2}};
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  describe ("a square with another level in it, and a dot, levels or above");
  CtrContours *contours = trace_drawing (drawing, &params);
  Contours all = contours_of (contours);
  const CtrContour *rows = all.table;
  CHECK (all.info.count == 5 && all.info.point_count == 20 && all.info.width == 6 && all.info.height == 3);
  CHECK (all.info.coordinates == CTR_COORDINATES_CORNERS && all.info.features == 0 && all.info.threshold == 0);
  check_points (&all, 0, ring, 4);
  check_points (&all, 1, dot, 4);
  check_points (&all, 2, middle, 4);
  check_points (&all, 3, dot, 4);
  check_points (&all, 4, dot, 4);
  static const uint32_t levels[] = {1, 1, 2, 2, 3};
  for (int i = 0; i < 5; i++)
    CHECK (rows[i].level == levels[i] && rows[i].flags == 0 && rows[i].first == 4u * i && rows[i].region == 0);
  check_family (rows, -1, 1, -1, -1);
  check_family (rows + 1, 0, -1, -1, -1);
  check_family (rows + 2, -1, 3, -1, -1);
  check_family (rows + 3, 2, -1, -1, -1);
  check_family (rows + 4, -1, -1, -1, -1);
  CHECK (rows[0].area2 == 18 && ctr_contour_area (rows, true) == 9 && ctr_contour_perimeter (rows) == 12);
  CHECK (rows[0].left == 1 && rows[0].top == 0 && rows[0].width == 3 && rows[0].height == 3);
  ctr_contours_unref (contours);

  describe ("a square with another level in it, and a dot, each level");
  params.mode = CTR_LEVELS_EQUAL;
  contours = trace_drawing (drawing, &params);
  all = contours_of (contours);
  rows = all.table;
  CHECK (all.info.count == 4);
  check_points (&all, 0, ring, 4);
  check_points (&all, 1, hole, 4);
  check_points (&all, 2, middle, 4);
  check_points (&all, 3, dot, 4);
  CHECK (rows[1].flags == CTR_CONTOUR_HOLE && rows[1].area2 == -2 && rows[1].level == 1 && rows[3].level == 3);
  check_family (rows, -1, -1, 1, -1);
  check_family (rows + 1, -1, -1, -1, 0);
  ctr_contours_unref (contours);
}

static void
test_connectivity (void)
{
  static const char rising[] = " 1\n"
                               "1 \n",
                    falling[] = "1 \n"
                                " 1\n";
  static const CtrPoint joined_rising[] = {{1, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};
  static const CtrPoint joined_falling[] = {{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}, {0, 1}};
  static const CtrPoint first[] = {{1, 0}, {2, 0}, {2, 1}, {1, 1}}, second[] = {{0, 1}, {1, 1}, {1, 2}, {0, 2}};
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  for (int mode = 0; mode <= 1; mode++) {
    describe ("two pixels that touch at a corner, mode %d", mode);
    params.mode = mode;
    params.connectivity = CTR_CONNECTIVITY_8;
    CtrContours *contours = trace_drawing (rising, &params);
    Contours all = contours_of (contours);
    CHECK (all.info.count == 1 && all.table->area2 == 4);
    check_points (&all, 0, joined_rising, 8);
    ctr_contours_unref (contours);
    contours = trace_drawing (falling, &params);
    all = contours_of (contours);
    CHECK (all.info.count == 1);
    check_points (&all, 0, joined_falling, 8);
    ctr_contours_unref (contours);
    params.connectivity = CTR_CONNECTIVITY_4;
    contours = trace_drawing (rising, &params);
    all = contours_of (contours);
    CHECK (all.info.count == 2);
    check_points (&all, 0, first, 4);
    check_points (&all, 1, second, 4);
    ctr_contours_unref (contours);
  }
}

static void
test_families (void)
{
  static const char drawing[] = "777777777 2\n"
                                "7       7  \n"
                                "7 22222 7 5\n"
                                "7 2   2 7 5\n"
                                "7 2 9 2 7  \n"
                                "7 2   2 7  \n"
                                "7 22222 7  \n"
                                "7       7  \n"
                                "777777777  \n";
  static const uint32_t levels[] = {2, 6, 9};
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  params.levels = levels;
  params.level_count = LENGTH (levels);
  describe ("nested rings");
  CtrContours *contours = trace_drawing (drawing, &params);
  const CtrContour *rows = contours_of (contours).table;
  CHECK (contours->count == 11);
  check_family (rows, -1, 1, 2, -1);     /* level 2: the outer ring */
  check_family (rows + 1, 0, 4, -1, -1); /* the pixel in the corner */
  check_family (rows + 2, -1, -1, 3, 0); /* the outer ring's hole */
  check_family (rows + 3, -1, -1, 5, 2); /* the inner ring */
  check_family (rows + 4, 1, -1, -1, -1);
  check_family (rows + 5, -1, -1, 6, 3);
  check_family (rows + 6, -1, -1, -1, 5);
  check_family (rows + 7, -1, -1, 8, -1); /* level 6: the outer ring */
  check_family (rows + 8, -1, -1, 9, 7);
  check_family (rows + 9, -1, -1, -1, 8);
  check_family (rows + 10, -1, -1, -1, -1); /* level 9 */
  CHECK (rows[6].level == 2 && rows[7].level == 6 && rows[10].level == 9);
  ctr_contours_unref (contours);

  describe ("nested rings without the inner one's outside, which is 25 large");
  params.level_count = 1;
  params.min_area = 1;
  params.max_area = 24.5;
  contours = trace_drawing (drawing, &params);
  rows = contours_of (contours).table;
  CHECK (contours->count == 4);
  check_family (rows, -1, 1, -1, -1);
  check_family (rows + 1, 0, 2, -1, -1);
  check_family (rows + 2, 1, -1, 3, -1); /* the hole in the inner ring: nothing around it is left */
  check_family (rows + 3, -1, -1, -1, 2);
  ctr_contours_unref (contours);
  params.max_area = 0;
  params.min_area = 10;
  contours = trace_drawing (drawing, &params);
  rows = contours_of (contours).table;
  CHECK (contours->count == 3);
  check_family (rows, -1, -1, 1, -1);
  check_family (rows + 1, -1, -1, 2, 0);
  check_family (rows + 2, -1, -1, -1, 1);
  ctr_contours_unref (contours);
}

/* A rectangle of 6 x 5 pixels: limits on the value itself, and right beside it. */
static void
test_limits (void)
{
  static const char drawing[] = "111111\n111111\n111111\n111111\n111111\n";
  static const double area = 30, length = 22;
  for (int i = 0; i < 12; i++) {
    CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    switch (i / 2) {
      case 0:
        params.min_area = i % 2 ? nextafter (area, 100) : area;
        break;
      case 1:
        params.max_area = i % 2 ? nextafter (area, 0) : area;
        break;
      case 2:
        params.min_length = i % 2 ? nextafter (length, 100) : length;
        break;
      case 3:
        params.max_area = i % 2 ? 1e-300 : 1e300;
        break;
      case 4:
        params.min_area = i % 2 ? 1e300 : 1e-300;
        break;
      default:
        params.min_length = i % 2 ? 1e300 : 1e-300;
    }
    describe ("limit %d on a rectangle", i);
    CtrContours *contours = trace_drawing (drawing, &params);
    CHECK (contours->count == (i % 2 ? 0 : 1));
    CHECK (contours->point_count == (i % 2 ? 0 : 4));
    (void) contours_of (contours);
    ctr_contours_unref (contours);
  }
}

/* The hole's line is 32 long, that of the ring around it 40, that of the comb in it 48. */
static void
test_short_hole (void)
{
  static const char drawing[] = "11111111111\n"
                                "1         1\n"
                                "1 1111111 1\n"
                                "1 1 1 1 1 1\n"
                                "1 1 1 1 1 1\n"
                                "1 1 1 1 1 1\n"
                                "1 1 1 1 1 1\n"
                                "1         1\n"
                                "11111111111\n";
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  params.min_length = 33;
  describe ("a ring and what is in it, the hole too short");
  CtrContours *contours = trace_drawing (drawing, &params);
  const CtrContour *rows = contours_of (contours).table;
  CHECK (contours->count == 2 && !rows[0].flags && !rows[1].flags);
  check_family (rows, -1, -1, 1, -1);
  check_family (rows + 1, -1, -1, -1, 0);
  ctr_contours_unref (contours);
}

static void
test_moments (void)
{
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_EQUAL, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  describe ("moments of a rectangle");
  CtrContours *contours = trace_drawing ("       \n 33333 \n 33333 \n 33333 \n", &params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == 1 && all.info.features == CTR_CONTOUR_FEATURE_MOMENTS);
  CHECK ((int64_t) all.sums->words[0][0] == all.table->area2 && all.sums->words[0][1] == 0);
  CtrContourMoments moments;
  ctr_contour_moments (all.sums, &moments);
  CHECK (moments.m[0] == 15 && moments.m[1] == 15 * 3.5 && moments.m[2] == 15 * 2.5);
  CHECK (fabs (moments.mu[0] - 15 * 25 / 12.0) < 1e-12 && fabs (moments.mu[1]) < 1e-12);
  ctr_contours_unref (contours);
}

/* As many contours as the levels of LIST or range have in a row of the samples 0 .. 9. */
static void
check_levels (const CtrCracksParams *params, const uint32_t *levels, uint32_t count)
{
  CtrContours *contours = trace_drawing ("0123456789\n", params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == count);
  for (uint32_t i = 0; i < count; i++)
    CHECK (all.table[i].level == levels[i] && all.table[i].left == levels[i] && all.table[i].parent == -1);
  ctr_contours_unref (contours);
}

static void
test_levels (void)
{
  static const uint32_t all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, thirds[] = {2, 5, 8}, beyond[] = {3, 9, 10, 300, 70000};
  static const uint32_t far[] = {256, UINT32_MAX};
  for (int mode = 0; mode <= 1; mode++) {
    CtrCracksParams params = cracks_params_of (mode, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    describe ("levels, mode %d", mode);
    check_levels (&params, all, 9);
    params.maximum = UINT32_MAX;
    check_levels (&params, all, 9);
    params.minimum = 2;
    params.step = 3;
    check_levels (&params, thirds, 3);
    params.maximum = 8;
    check_levels (&params, thirds, 3);
    params.maximum = 7;
    check_levels (&params, thirds, 2);
    params.minimum = params.maximum = 5;
    params.step = UINT32_MAX;
    check_levels (&params, thirds + 1, 1);
    params.minimum = 10;
    params.maximum = 20;
    check_levels (&params, NULL, 0);
    params.minimum = params.maximum = UINT32_MAX;
    check_levels (&params, NULL, 0);
    params.minimum = params.step = 0; /* not looked at: there is a list */
    params.levels = beyond;
    params.level_count = LENGTH (beyond);
    check_levels (&params, beyond, 2);
    params.levels = far;
    params.level_count = LENGTH (far);
    check_levels (&params, NULL, 0);
    params.levels = thirds;
    params.level_count = LENGTH (thirds);
    check_levels (&params, thirds, 3);
  }
}

/* The same levels for 8-bit samples and for 16-bit ones, and for the other mode: nothing stays of the image before. */
static void
test_changes (void)
{
  static const uint32_t levels[] = {3, 200};
  static const uint8_t narrow[4] = {2, 3, 200, 255};
  static const uint16_t wide[4] = {2, 200, 30000, 65535};
  const CtrImage images[] = {{.data = narrow, .stride = 4, .width = 4, .height = 1, .format = CTR_FORMAT_GRAY8},
      {.data = wide, .stride = 8, .width = 4, .height = 1, .format = CTR_FORMAT_GRAY16}};
  CtrCracks *own = tracer_new (&setup);
  for (int i = 0; i < 16; i++) {
    const CtrImage *image = images + i % 2;
    CtrCracksParams params = cracks_params_of (i / 2 % 2, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    params.levels = levels + i / 4 % 2;
    params.level_count = LENGTH (levels) - i / 4 % 2;
    describe_cracks ("an image after others", image, &params);
    check_cracks (own, &setup, image, &params);
  }
  ctr_cracks_free (own);
}

/* Stripes whose lines pass a tile of 32 x 32 more than 2^14 times, with a few corners among them. */
static void
test_many_passages (void)
{
  enum { SIDE = 96, LEVELS = 300 };
  uint16_t *pixels = malloc (SIDE * SIDE * sizeof *pixels);
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    pixels[i] = i % 2 ? 0 : LEVELS;
  pixels[48 * SIDE + 62] = LEVELS - 1;
  const CtrImage image = {
      .data = pixels, .stride = SIDE * sizeof *pixels, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY16};
  const CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  describe_cracks ("stripes", &image, &params);
  check_cracks (cracks, &setup, &image, &params);
  free (pixels);
}

static void
test_constant_images (void)
{
  for (uint32_t sample = 0; sample <= 255; sample += 85)
    for (int mode = 0; mode <= 1; mode++)
      for (int frame = 0; frame <= 1; frame++)
        for (uint32_t side = 1; side <= 4; side++) {
          describe ("a constant image of %u, %u pixels wide, mode %d, frame %d", sample, side, mode, frame);
          const uint8_t pixels[] = {sample, sample, sample, sample, sample, sample, sample, sample, sample, sample,
              sample, sample, sample, sample, sample, sample};
          const CtrImage image = {
              .data = pixels, .stride = side, .width = side, .height = side, .format = CTR_FORMAT_GRAY8};
          const CtrCracksParams params = cracks_params_of (mode, CTR_CONNECTIVITY_8, frame);
          CtrContours *contours = trace_cracks (cracks, &setup, &image, &params);
          const Contours all = contours_of (contours);
          const bool any = sample > 0 && (frame == CTR_IMAGE_BORDER_PAD || side > 2);
          CHECK (all.info.count == (!any ? 0 : mode == CTR_LEVELS_EQUAL ? 1 : sample));
          for (uint32_t i = 0; i < all.info.count; i++)
            CHECK (all.table[i].width == (frame == CTR_IMAGE_BORDER_PAD ? side : side - 2));
          ctr_contours_unref (contours);
        }
}

/* A label image: squares with a hole, each a label of its own. */
static void
test_labels (void)
{
  enum { ACROSS = 150, LABELS = ACROSS * 80, CELL = 5 };
  const uint32_t width = ACROSS * CELL, height = LABELS / ACROSS * CELL;
  uint16_t *pixels = calloc ((size_t) width * height, sizeof *pixels);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const bool hole = x % CELL == 2 && y % CELL == 2;
      pixels[y * width + x] = (uint16_t) (hole ? 0 : 1 + 5 * (y / CELL * ACROSS + x / CELL));
    }
  const CtrImage image = {
      .data = pixels, .stride = 2 * width, .width = width, .height = height, .format = CTR_FORMAT_GRAY16};
  const CtrCracksParams params = cracks_params_of (CTR_LEVELS_EQUAL, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  describe_cracks ("labels that touch", &image, &params);
  CtrContours *contours = trace_cracks (cracks, &setup, &image, &params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == 2 * LABELS && all.info.point_count == 8 * LABELS);
  for (uint32_t i = 0; i < LABELS; i++) {
    const CtrContour *square = all.table + 2 * i, *hole = square + 1;
    CHECK (square->level == 1 + 5 * i && hole->level == 1 + 5 * i);
    CHECK (square->left == i % ACROSS * CELL && square->top == i / ACROSS * CELL);
    CHECK (square->area2 == 2 * CELL * CELL && hole->area2 == -2);
    check_family (square, -1, -1, 2 * i + 1, -1);
    check_family (hole, -1, -1, -1, 2 * i);
  }
  ctr_contours_unref (contours);
  free (pixels);
}

/* The number of contours of one level. */
static uint32_t
count_contours (const uint8_t *pixels, uint32_t width, uint32_t height, CtrImageBorder frame)
{
  const CtrImage image = {
      .data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, frame);
  params.maximum = 1;
  CtrContours *contours = trace_cracks (cracks, &setup, &image, &params);
  const uint32_t count = contours->count;
  ctr_contours_unref (contours);
  return count;
}

/* The paper's Table 4: stripes of every thickness in an image of 2048 x 768 pixels, and chequerboards with a margin. */
static void
test_paper (void)
{
  enum { WIDTH = 2048, HEIGHT = 768 };
  static const uint32_t rows[] = {383, 192, 96, 48, 24, 12, 6, 3}, columns[] = {1023, 512, 256, 128, 64, 32, 16, 8};
  static const struct {
    uint32_t side, count;
  } boards[] = {{16, 2729}, {8, 11593}, {4, 47753}};
  uint8_t *pixels = malloc (WIDTH * HEIGHT);
  for (uint32_t i = 0; i < LENGTH (rows); i += setup.quick ? 4 : 1)
    for (int upright = 0; upright <= 1; upright++) {
      describe ("%s %u pixels thick", upright ? "columns" : "rows", 1 << i);
      for (uint32_t p = 0; p < WIDTH * HEIGHT; p++)
        pixels[p] = ((upright ? p % WIDTH : p / WIDTH) >> i) % 2;
      CHECK (count_contours (pixels, WIDTH, HEIGHT, CTR_IMAGE_BORDER_ZERO) == (upright ? columns : rows)[i]);
    }
  for (uint32_t i = 0; i < LENGTH (boards); i += setup.quick ? 2 : 1) {
    const uint32_t side = boards[i].side, across = WIDTH / side, down = HEIGHT / side;
    describe ("a chequerboard of squares %u pixels large", side);
    for (uint32_t p = 0; p < WIDTH * HEIGHT; p++) {
      const uint32_t x = p % WIDTH / side, y = p / WIDTH / side;
      pixels[p] = x > 0 && y > 0 && x < across - 1 && y < down - 1 && (x + y) % 2 == 0;
    }
    CHECK (count_contours (pixels, WIDTH, HEIGHT, CTR_IMAGE_BORDER_ZERO) == boards[i].count);
  }
  free (pixels);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"points", test_points},
      {"connectivity", test_connectivity},
      {"families", test_families},
      {"limits", test_limits},
      {"a short hole", test_short_hole},
      {"moments", test_moments},
      {"levels", test_levels},
      {"changes", test_changes},
      {"many passages", test_many_passages},
      {"constant images", test_constant_images},
      {"labels", test_labels},
      {"the paper", test_paper},
  };
  setup = setup_open (argv[1], false);
  cracks = tracer_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_cracks_free (cracks);
  return 0;
}
