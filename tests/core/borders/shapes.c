/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of contours: known ones, one feature after the other, contours of many rows and points, wrong arguments. That all
 * shapes are those of the definition, borders-definition tests with all others. */
#include "tests/core/borders/testing.h"
#include "tests/core/common/gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrBorders *borders, *on_host;
static Random rng = {11};

#define ALL CTR_CONTOUR_SHAPE_FEATURES
#define ALL_WITH_SUMS (ALL | CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_FITS)

static CtrBordersParams
params_with (uint32_t features)
{
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 1, false);
  params.features = features;
  return params;
}

static CtrImage
image_of (const uint8_t *mask, uint32_t width, uint32_t height)
{
  return (CtrImage){.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

/* The contours of MASK; both backends give the same bytes. Transfer full. */
static CtrContours *
follow (const uint8_t *mask, uint32_t width, uint32_t height, const CtrBordersParams *params)
{
  const CtrImage image = image_of (mask, width, height);
  const Setup host = {.backend = CTR_BACKEND_CPU};
  CtrContours *contours = follow_borders (borders, &setup, &image, params);
  CtrContours *expected = follow_borders (on_host, &host, &image, params);
  const CtrContourShape *a = ctr_contours_map_shapes (contours, NULL), *b = ctr_contours_map_shapes (expected, NULL);
  CHECK (contours->count == expected->count && a && b);
  CHECK (memcmp (a, b, contours->count * sizeof *a) == 0);
  const CtrContourSums *sums = ctr_contours_map_sums (contours, NULL);
  if (params->features & CTR_CONTOUR_FEATURE_MOMENTS)
    CHECK (sums && memcmp (sums, ctr_contours_map_sums (expected, NULL), contours->count * sizeof *sums) == 0);
  const CtrContourFits *fits = ctr_contours_map_fits (contours, NULL);
  if (params->features & CTR_CONTOUR_FEATURE_FITS)
    CHECK (fits && memcmp (fits, ctr_contours_map_fits (expected, NULL), contours->count * sizeof *fits) == 0);
  ctr_contours_unref (expected);
  return contours;
}

/* The shape of the first contour of ROWS, in which # is foreground. */
static CtrContourShapeValues
values_of (const char *const *rows, size_t height)
{
  const size_t width = strlen (rows[0]);
  uint8_t *mask = malloc (width * height);
  CtrContourShapeValues values;
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++)
      mask[y * width + x] = rows[y][x] == '#';
  const CtrBordersParams params = params_with (ALL_WITH_SUMS);
  CtrContours *contours = follow (mask, (uint32_t) width, (uint32_t) height, &params);
  ctr_contour_shape_values (contours, ctr_contours_map_table (contours, NULL), ctr_contours_map_shapes (contours, NULL),
      ctr_contours_map_sums (contours, NULL), ctr_contours_map_fits (contours, NULL), &values);
  ctr_contours_unref (contours);
  free (mask);
  return values;
}

#define VALUES(...) values_of ((const char *const[]){__VA_ARGS__}, LENGTH (((const char *const[]){__VA_ARGS__})))

static bool
is_near (double a, double b)
{
  return fabs (a - b) < 1e-4;
}

static void
test_points (void)
{
  describe ("a single pixel");
  const CtrContourShapeValues v = VALUES ("...", ".#.", "...");
  CHECK (v.hull_area == 0 && v.hull_perimeter == 0 && isnan (v.solidity) && isnan (v.circularity));
  CHECK (v.defect_depth == 0 && isnan (v.defect_x) && isnan (v.defect_y));
  CHECK (v.rectangle_x == 1 && v.rectangle_y == 1 && v.rectangle_width == 0 && v.rectangle_height == 0);
  CHECK (v.rectangle_angle == 0 && isnan (v.rectangularity));
  CHECK (v.feret_max == 0 && v.feret_min == 0 && isnan (v.feret_max_angle) && isnan (v.feret_min_angle));
  CHECK (v.circle_x == 1 && v.circle_y == 1 && v.circle_radius == 0);
  CHECK (v.distance_mean == 0 && v.distance_deviation == 0 && v.distance_max == 0);
  CHECK (isnan (v.roundness) && isnan (v.radial_circularity));
  CHECK (v.holes == 0 && v.hole_area == 0 && v.euler_number == 1 && !v.touches_frame);
  CHECK (isnan (v.major) && isnan (v.minor) && isnan (v.hu[0]) && isnan (v.hu[6]));
}

static void
test_lines (void)
{
  describe ("a diagonal line");
  const CtrContourShapeValues v = VALUES ("#...", ".#..", "..#.", "...#");
  CHECK (v.hull_area == 0 && is_near (v.hull_perimeter, 6 * sqrt (2)) && isnan (v.solidity) && v.circularity == 0);
  CHECK (v.defect_depth == 0 && v.touches_frame);
  CHECK (is_near (v.rectangle_x, 1.5) && is_near (v.rectangle_y, 1.5) && is_near (v.rectangle_angle, 45));
  CHECK (is_near (v.rectangle_width, 3 * sqrt (2)) && is_near (v.rectangle_height, 0));
  CHECK (is_near (v.feret_max, 3 * sqrt (2)) && is_near (v.feret_max_angle, 45));
  CHECK (v.feret_min == 0 && is_near (v.feret_min_angle, 135));
  CHECK (is_near (v.circle_x, 1.5) && is_near (v.circle_y, 1.5) && is_near (v.circle_radius, 1.5 * sqrt (2)));
  /* The line comes to the ends once, to the pixels between twice. */
  CHECK (is_near (v.distance_mean, (2 * 1.5 + 4 * 0.5) / 6 * sqrt (2)) && is_near (v.distance_max, 1.5 * sqrt (2)));
  CHECK (v.radial_circularity == 0);
  describe ("other lines");
  CHECK (is_near (VALUES ("....", "##..").feret_max_angle, 0) && is_near (VALUES ("#", "#", "#").feret_max_angle, 90));
  const CtrContourShapeValues down = VALUES ("..#", ".#.", "#..");
  CHECK (is_near (down.feret_max_angle, 135) && is_near (down.feret_min_angle, 45));
  CHECK (
      is_near (down.rectangle_angle, 45) && down.rectangle_width == 0 && is_near (down.rectangle_height, 2 * sqrt (2)));
}

static void
test_areas (void)
{
  describe ("a frame");
  CtrContourShapeValues v = VALUES (".......", ".#####.", ".#...#.", ".#...#.", ".#####.", ".......");
  CHECK (v.hull_area == 12 && is_near (v.hull_perimeter, 14) && v.solidity == 1 && v.defect_depth == 0);
  CHECK (v.rectangle_width == 4 && v.rectangle_height == 3 && v.rectangle_angle == 0 && v.rectangularity == 1);
  CHECK (is_near (v.rectangle_x, 3) && is_near (v.rectangle_y, 2.5));
  CHECK (v.feret_max == 5 && v.feret_min == 3 && v.feret_min_angle == 90 && v.circle_radius == 2.5);
  CHECK (v.circle_x == 3 && v.circle_y == 2.5 && is_near (v.distance_max, 2.5));
  CHECK (is_near (v.radial_circularity, 12 / (3.14159265 * 2.5 * 2.5)));
  CHECK (is_near (v.circularity, 4 * 3.14159265 * 12 / (14 * 14)));
  CHECK (v.holes == 1 && v.euler_number == 0 && v.hole_area == 4 * 3 - 2); /* A hole's border cuts the corners. */
  CHECK (is_near (v.major, 4 / sqrt (3)) && is_near (v.minor, 3 / sqrt (3)) && is_near (v.anisometry, 4.0 / 3));
  CHECK (is_near (v.bulkiness, 3.14159265 / 3) && is_near (v.structure_factor, 4.0 / 3 * 3.14159265 / 3 - 1));
  CHECK (is_near (v.hu[0], (16.0 / 12 + 9.0 / 12) / 12));
  describe ("a cup");
  v = VALUES ("#...#", "#...#", "#...#", "#####");
  CHECK (v.hull_area == 12 && v.defect_depth == 3 && v.defect_y == 3 && v.touches_frame);
  describe ("a triangle");
  v = VALUES ("#....", "##...", "###..", "####.", "#####");
  CHECK (is_near (v.circle_radius, 2 * sqrt (2)) && is_near (v.feret_min, 2 * sqrt (2)) && v.hull_area == 8);
  CHECK (is_near (v.feret_min_angle, 135) && is_near (v.rectangularity, 0.5));
}

/* What other features are asked for changes nothing; a simplified contour has the shape of the whole one. */
static void
test_features (void)
{
  static const size_t ends[][3] = {
      {CTR_CONTOUR_FEATURE_HULL, offsetof (CtrContourShape, hull_count), offsetof (CtrContourShape, distance_sum)},
      {CTR_CONTOUR_FEATURE_DEFECT, offsetof (CtrContourShape, defect), offsetof (CtrContourShape, rectangle)},
      {CTR_CONTOUR_FEATURE_RECTANGLE, offsetof (CtrContourShape, rectangle), offsetof (CtrContourShape, diameter)},
      {CTR_CONTOUR_FEATURE_FERET, offsetof (CtrContourShape, diameter), offsetof (CtrContourShape, circle)},
      {CTR_CONTOUR_FEATURE_CIRCLE, offsetof (CtrContourShape, circle), offsetof (CtrContourShape, feret_extent)},
      {CTR_CONTOUR_FEATURE_DISTANCES, offsetof (CtrContourShape, distance_sum), offsetof (CtrContourShape, defect)},
      {CTR_CONTOUR_FEATURE_HOLES, 0, offsetof (CtrContourShape, hull_count)}};
  enum { WIDTH = 90, HEIGHT = 80 };
  uint8_t *mask = noise_new (&rng, WIDTH, HEIGHT, 60, 5);
  const CtrBordersParams all_params = params_with (ALL);
  CtrContours *all = follow (mask, WIDTH, HEIGHT, &all_params);
  const CtrContourShape *whole = ctr_contours_map_shapes (all, NULL);
  for (size_t i = 0; i < LENGTH (ends); i++) {
    describe ("feature 0x%zx alone", ends[i][0]);
    const CtrBordersParams params = params_with ((uint32_t) ends[i][0]);
    CtrContours *one = follow (mask, WIDTH, HEIGHT, &params);
    const CtrContourShape *shapes = ctr_contours_map_shapes (one, NULL);
    for (uint32_t k = 0; k < all->count; k++) {
      CtrContourShape expected;
      memset (&expected, 0, sizeof expected);
      memcpy ((char *) &expected + ends[i][1], (const char *) (whole + k) + ends[i][1], ends[i][2] - ends[i][1]);
      if (ends[i][0] == CTR_CONTOUR_FEATURE_FERET)
        expected.feret_extent = whole[k].feret_extent;
      CHECK (memcmp (&expected, shapes + k, sizeof expected) == 0);
    }
    ctr_contours_unref (one);
  }
  describe ("simplified contours");
  CtrBordersParams simplified = all_params;
  simplified.epsilon = 3;
  CtrContours *few = follow (mask, WIDTH, HEIGHT, &simplified);
  CHECK (few->point_count < all->point_count);
  CHECK (memcmp (ctr_contours_map_shapes (few, NULL), whole, all->count * sizeof *whole) == 0);
  ctr_contours_unref (few);
  ctr_contours_unref (all);
  free (mask);
}

static void
test_fits (void)
{
  describe ("a pixel and lines");
  CtrContourShapeValues v = VALUES ("...", ".#.", "...");
  CHECK (v.line_x == 1 && v.line_y == 1 && v.line_deviation == 0 && isnan (v.line_angle) && isnan (v.compactness));
  CHECK (isnan (v.fit_circle_x) && isnan (v.fit_circle_radius) && isnan (v.ellipse_x) && isnan (v.ellipse_angle));
  CHECK (v.feret_extent == 0);
  v = VALUES ("#....", ".#...", "..#..", "...#.", "....#");
  CHECK (v.line_x == 2 && v.line_y == 2 && v.line_deviation == 0 && is_near (v.line_angle, 45));
  CHECK (isnan (v.fit_circle_radius) && isnan (v.ellipse_major) && v.feret_extent == 4);
  CHECK (VALUES ("....", "####").line_angle == 0 && is_near (VALUES ("..#", ".#.", "#..").line_angle, 135));
  CHECK (is_near (VALUES ("#", "#", "#").line_angle, 90));
  describe ("four pixels on a circle, on many ellipses");
  v = VALUES (".....", "..#..", ".###.", "..#..", ".....");
  CHECK (is_near (v.fit_circle_x, 2) && is_near (v.fit_circle_y, 2) && is_near (v.fit_circle_radius, 1));
  CHECK (is_near (v.fit_circle_deviation, 0) && isnan (v.ellipse_major) && isnan (v.line_angle));
  describe ("a rectangle");
  v = VALUES ("#######", "#######", "#######", "#######");
  CHECK (is_near (v.line_x, 3) && is_near (v.line_y, 1.5) && v.line_angle == 0 && is_near (v.ellipse_angle, 0));
  CHECK (is_near (v.ellipse_x, 3) && is_near (v.ellipse_y, 1.5) && is_near (v.fit_circle_x, 3));
  CHECK (v.ellipse_major > 3 && v.ellipse_major < 4 && v.ellipse_minor > 1.5 && v.ellipse_minor < 2.3);
  CHECK (is_near (v.compactness, 18 * 18 / (4 * acos (-1) * 18)) && is_near (v.compactness * v.circularity, 1));
}

/* An ellipse with a slanted cut, which nearly fills the picture. */
static uint8_t *
ellipse_new (uint32_t width, uint32_t height)
{
  uint8_t *mask = calloc (width, height);
  const double rx = width / 2.0, ry = height / 2.0;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const double u = (x + 0.5 - rx) / rx, v = (y + 0.5 - ry) / ry;
      mask[(size_t) y * width + x] = u * u + v * v < 1 && fabs (u - v) > 0.1;
    }
  return mask;
}

/* More rows and points than a warp takes, and more rows than shared memory has room for, several at once. */
static void
test_large (void)
{
  static const uint32_t sizes[][2] = {
      {64, 64}, {65, 65}, {66, 63}, {300, 66}, {30, 1024}, {30, 1025}, {40, 2500}, {900, 7}};
  for (size_t i = 0; i < LENGTH (sizes); i++)
    for (int approximation = 1; approximation <= 2; approximation++) {
      const uint32_t width = sizes[i][0], height = sizes[i][1];
      describe ("an ellipse of %u x %u pixels, approximation %d", width, height, approximation);
      uint8_t *mask = ellipse_new (width, height);
      CtrBordersParams params = params_with (ALL);
      params.approximation = approximation;
      ctr_contours_unref (follow (mask, width, height, &params));
      const CtrImage image = image_of (mask, width, height);
      if (setup.backend == CTR_BACKEND_CPU)
        check_borders (borders, &setup, &image, &params);
      free (mask);
    }
  describe ("many points in one contour");
  uint8_t *spiral = shape_new (SHAPE_SPIRAL, 130, 1100);
  CtrBordersParams params = params_with (ALL_WITH_SUMS);
  ctr_contours_unref (follow (spiral, 130, 1100, &params));
  params.approximation = CTR_APPROXIMATION_NONE;
  ctr_contours_unref (follow (spiral, 130, 1100, &params));
  free (spiral);
}

/* Contours of all sizes in one image: of a few pixels, of some dozens, of hundreds, and wide ones of few rows. */
static void
test_many (void)
{
  enum { WIDTH = 1400, HEIGHT = 420 };
  static const uint32_t grains[] = {1, 2, 3, 7, 20};
  for (size_t g = 0; g < LENGTH (grains); g += setup.quick ? 3 : 1)
    for (uint32_t density = setup.quick ? 50 : 20; density <= (setup.quick ? 50 : 80); density += 30) {
      describe ("noise of %u pixels, %u %%", grains[g], density);
      uint8_t *mask = noise_new (&rng, WIDTH, HEIGHT, density, grains[g]);
      for (uint32_t y = 0; setup.quick && y < HEIGHT; y++)
        memset (mask + (size_t) y * WIDTH + 320, 0, WIDTH - 320);
      for (uint32_t side = 200, top = 0; top < 400; top += side) {
        uint8_t *part = ellipse_new (side, side);
        for (uint32_t y = 0; y < side; y++)
          memcpy (mask + (size_t) (top + y) * WIDTH + 100, part + (size_t) y * side, side);
        free (part);
      }
      for (uint32_t y = 400; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
          mask[(size_t) y * WIDTH + x] = y == 402 || y == 403 || (y > 405 && y < 418 && x % 1100 > 20);
      CtrBordersParams params = params_with (ALL_WITH_SUMS);
      ctr_contours_unref (follow (mask, WIDTH, HEIGHT, &params));
      params.approximation = CTR_APPROXIMATION_NONE;
      ctr_contours_unref (follow (mask, WIDTH, HEIGHT, &params));
      const CtrImage image = image_of (mask, WIDTH, HEIGHT);
      if (setup.backend == CTR_BACKEND_CPU && g % 2)
        check_borders (borders, &setup, &image, &params);
      free (mask);
    }
}

static void
check_refused (CtrBordersParams params, const char *word)
{
  const uint8_t mask[4] = {1, 0, 0, 1};
  const CtrImage image = image_of (mask, 2, 2);
  CtrError error;
  describe ("features 0x%x in mode %d", params.features, params.mode);
  CHECK (!ctr_borders_run (borders, &image, &params, setup.stream, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, word));
}

static void
test_arguments (void)
{
  CtrBordersParams params = params_with (CTR_CONTOUR_FEATURE_HOLES);
  params.mode = CTR_RETRIEVE_LIST;
  check_refused (params, "the mode is list");
  params.mode = CTR_RETRIEVE_EXTERNAL;
  check_refused (params, "the mode is external");
  params.features = CTR_CONTOUR_FEATURE_FITS << 1;
  check_refused (params, "unknown features");
  params.features = 0;
  params.feret_angle = NAN;
  check_refused (params, "the Feret angle is");
  params.feret_angle = 0;

  const uint8_t mask[4] = {1, 0, 0, 1};
  const CtrImage image = image_of (mask, 2, 2);
  CtrError error;
  CtrBorderStrips *strips = ctr_border_strips_new (setup.backend, 16, &error);
  CHECK (strips);
  params.mode = CTR_RETRIEVE_LIST;
  params.features = CTR_CONTOUR_FEATURE_HULL;
  describe ("strips");
  CHECK (!ctr_border_strips_submit (strips, &image, &params, setup.stream, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "strips"));
  ctr_border_strips_free (strips);
}

/* The hull as indices: of equal points, the first one. */
static void
test_hull (void)
{
  static const CtrPoint points[] = {{2, 2}, {0, 0}, {4, 0}, {2, 0}, {4, 0}, {4, 4}, {2, 4}, {0, 4}, {0, 2}};
  static const uint32_t expected[] = {2, 5, 7, 1};
  uint32_t hull[LENGTH (points)];
  describe ("a hull");
  CHECK (ctr_contour_hull (points, LENGTH (points), hull) == LENGTH (expected));
  CHECK (memcmp (hull, expected, sizeof expected) == 0);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"points", test_points}, {"lines", test_lines}, {"areas", test_areas},
      {"features", test_features}, {"large contours", test_large}, {"many contours", test_many},
      {"arguments", test_arguments}, {"fits", test_fits}, {"hull", test_hull}};
  const Setup host = {.backend = CTR_BACKEND_CPU};
  setup = setup_open (argv[1], false);
  borders = follower_new (&setup);
  on_host = follower_new (&host);
  run_tests (tests, LENGTH (tests));
  ctr_borders_free (borders);
  ctr_borders_free (on_host);
  return 0;
}
