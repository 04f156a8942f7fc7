/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* borders-subpixel BACKEND
 *
 * Subpixels: known points, the definition in floating point, wrong arguments. */
#include "tests/core/borders/reference_subpixel.h"
#include "tests/core/borders/subpixel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrBorders *borders;
static Random rng = {29};

/* The only subpixel of the contours at pixel (X, Y), or the VISIT-th one. */
static CtrSubpixelPoint
at_pixel (CtrContours *contours, uint32_t x, uint32_t y, uint32_t visit)
{
  const CtrPoint *points = ctr_contours_map_points (contours, NULL);
  const CtrSubpixelPoint *subpixels = subpixels_of (contours);
  for (uint64_t i = 0; i < contours->point_count; i++)
    if (points[i].x == x && points[i].y == y && visit-- == 0)
      return subpixels[i];
  fail (__FILE__, __LINE__, "there is no such point");
}

static bool
is_point (CtrSubpixelPoint p, int32_t x, int32_t y, uint32_t strength, uint32_t normal, uint32_t flags)
{
  return p.x == x && p.y == y && p.strength == strength && p.normal == normal && p.flags == flags;
}

enum { EAST = 0, SOUTH = 1 << 14, WEST = 2 << 14, NORTH = 3 << 14 };

static void
test_levels (void)
{
  /* 100 lies between 99.5, the level, and what is darker. */
  static const uint8_t block[] = {
      20, 20, 20, 20, 20,    //
      20, 100, 180, 180, 60, //
      20, 100, 180, 180, 60, //
      20, 100, 180, 180, 60, //
      20, 20, 20, 20, 20,    //
  };
  describe ("a block at a level");
  CtrBordersParams params = params_with (CTR_SUBPIXEL_THRESHOLD, 0, 100);
  CtrImage image = grey_image (block, 5, 5);
  CtrContours *contours = follow_borders (borders, &setup, &image, &params);
  CHECK (contours->count == 1 && contours->point_count == 8);
  /* (100 - 99.5) / (100 - 20), (180 - 99.5) / (180 - 60) and (180 - 99.5) / (180 - 20) of the way. */
  CHECK (is_point (at_pixel (contours, 1, 2, 0), 256 - 2, 512, 80 * 256, WEST, 0));
  CHECK (is_point (at_pixel (contours, 3, 2, 0), 768 + 172, 512, 120 * 256, EAST, 0));
  CtrSubpixelPoint p = at_pixel (contours, 2, 3, 0);
  CHECK (p.x == 512 && p.y == 768 + 129 && p.flags == 0 && p.normal > EAST && p.normal > SOUTH && p.normal < WEST);
  /* A corner: the middle of both crossings. */
  p = at_pixel (contours, 3, 3, 0);
  CHECK (p.x == 768 + 86 && p.y == 768 + 65 && p.flags == 0 && p.normal > EAST && p.normal < SOUTH);
  ctr_contours_unref (contours);

  describe ("dark lines one pixel wide, and 16 bits");
  static uint16_t lines[7 * 9];
  for (int i = 0; i < 7 * 9; i++)
    lines[i] = i / 9 == 3 && i % 9 > 0 && i % 9 < 8 ? 10000 : 50000;
  image = (CtrImage){.data = lines, .stride = 18, .width = 9, .height = 7, .format = CTR_FORMAT_GRAY16};
  params.foreground.threshold = 20000;
  params.foreground.invert = true;
  contours = follow_borders (borders, &setup, &image, &params);
  CHECK (contours->count == 1 && contours->point_count == 12);
  for (uint32_t x = 2; x < 7; x++) { /* (19999.5 - 10000) / 40000 to its own side */
    CHECK (is_point (at_pixel (contours, x, 3, 0), x * 256, 768 + 64, 40000 * 256, SOUTH, 0));
    CHECK (is_point (at_pixel (contours, x, 3, 1), x * 256, 768 - 64, 40000 * 256, NORTH, 0));
  }
  CHECK (is_point (at_pixel (contours, 1, 3, 0), 256 - 64, 768, 40000 * 256, WEST, 0));
  CHECK (is_point (at_pixel (contours, 7, 3, 0), 7 * 256 + 64, 768, 40000 * 256, EAST, 0));
  ctr_contours_unref (contours);
}

/* What is not refined stays at its pixel. */
static void
test_flags (void)
{
  static const uint8_t picture[] = {
      200, 200, 200, 200, 9, 9, 9,   //
      200, 200, 200, 200, 9, 9, 9,   //
      200, 200, 200, 200, 9, 9, 200, //
      200, 200, 200, 200, 9, 9, 9,   //
  };
  const CtrImage image = grey_image (picture, 7, 4);
  for (int method = CTR_SUBPIXEL_THRESHOLD; method <= CTR_SUBPIXEL_EDGE; method++) {
    describe ("points at the frame and a lone one, method %d", method);
    const CtrBordersParams params = params_with (method, 0.5, 100);
    CtrContours *contours = follow_borders (borders, &setup, &image, &params);
    CHECK (contours->count == 2);
    CHECK (is_point (at_pixel (contours, 6, 2, 0), 6 * 256, 512, 0, 0, CTR_SUBPIXEL_LONE));
    CHECK (is_point (at_pixel (contours, 0, 1, 0), 0, 256, 0, WEST, CTR_SUBPIXEL_FRAME));
    CHECK (is_point (at_pixel (contours, 1, 0, 0), 256, 0, 0, NORTH, CTR_SUBPIXEL_FRAME));
    CHECK (is_point (at_pixel (contours, 1, 3, 0), 256, 768, 0, SOUTH, CTR_SUBPIXEL_FRAME));
    const CtrSubpixelPoint edge = at_pixel (contours, 3, 1, 0);
    CHECK (edge.flags == 0 && edge.y == 256 && abs (edge.x - 3 * 256 - 128) <= 8);
    ctr_contours_unref (contours);
  }
  describe ("a closing moves the border away from the level");
  CtrBordersParams params = params_with (CTR_SUBPIXEL_THRESHOLD, 0, 100);
  uint8_t gap[9 * 9];
  for (int i = 0; i < 81; i++)
    gap[i] = i / 9 > 1 && i / 9 < 7 && i % 9 > 1 && i % 9 < 7 && i != 4 * 9 + 6 ? 200 : 10;
  params.foreground.close_size = 3;
  const CtrImage notched = grey_image (gap, 9, 9);
  CtrContours *contours = follow_borders (borders, &setup, &notched, &params);
  CHECK (contours->count == 1);
  CHECK (is_point (at_pixel (contours, 6, 4, 0), 6 * 256, 4 * 256, 0, EAST, CTR_SUBPIXEL_NO_EDGE));
  CHECK (at_pixel (contours, 6, 3, 0).flags == 0);
  ctr_contours_unref (contours);
}

static void
compare_with_reference (bool deep, CtrSubpixel method, double sigma, bool invert, uint32_t *refined)
{
  const int width = 20 + (int) random_below (&rng, 50), height = 20 + (int) random_below (&rng, 40);
  const double most = deep ? 65535 : 255;
  double *samples = smooth_new (&rng, width, height, most, random_below (&rng, 2));
  uint8_t *bytes = malloc ((size_t) 2 * width * height);
  for (int i = 0; i < width * height; i++) {
    if (deep)
      ((uint16_t *) bytes)[i] = (uint16_t) samples[i];
    else
      bytes[i] = (uint8_t) samples[i];
  }
  const CtrImage image = {.data = bytes,
      .stride = (size_t) width * (deep ? 2 : 1),
      .width = width,
      .height = height,
      .format = deep ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
  CtrBordersParams params =
      params_with (method, sigma, (uint32_t) (most / 4) + random_below (&rng, (uint32_t) most / 8));
  params.foreground.invert = invert;
  params.connectivity = random_below (&rng, 2) ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
  describe ("%d x %d, %d bits, method %d, sigma %g, %d-connected%s", width, height, deep ? 16 : 8, method, sigma,
      params.connectivity, invert ? ", inverted" : "");
  CtrContours *contours = follow_borders (borders, &setup, &image, &params);
  const CtrContour *table = ctr_contours_map_table (contours, NULL);
  const CtrPoint *points = ctr_contours_map_points (contours, NULL);
  const CtrSubpixelPoint *actual = subpixels_of (contours);
  const SubpixelPicture picture = {samples, width, height};
  const SubpixelCase what = {method, sigma, params.foreground.threshold - 0.5, invert ? -1 : 1};
  for (uint32_t k = 0; k < contours->count; k++)
    for (uint32_t i = 0; i < table[k].count; i++) {
      const SubpixelExpected e = reference_subpixel (&picture, &what, points + table[k].first, table[k].count, i);
      const CtrSubpixelPoint a = actual[table[k].first + i];
      if (e.close_call)
        continue;
      CHECK (a.flags == e.flags);
      *refined += a.flags == 0;
      /* A position may be rounded to either side; weights of 14 bits add less than that. */
      CHECK (fabs (a.x / 256.0 - e.x) < 1.6 / 256 && fabs (a.y / 256.0 - e.y) < 1.6 / 256);
      CHECK (fabs (a.strength / 256.0 - e.strength) < 1.0 / 128 + e.strength * 0.01);
      CHECK (e.flags == CTR_SUBPIXEL_LONE || turn (a.normal * acos (-1) / 32768, e.normal) < 0.02);
    }
  ctr_contours_unref (contours);
  free (samples);
  free (bytes);
}

static void
test_definition (void)
{
  static const double sigmas[] = {0.5, 0.8, 1, 1.5, 2.3, 4};
  uint32_t refined[2] = {0, 0};
  for (int i = 0; i < (setup.quick ? 8 : 120); i++) {
    compare_with_reference (i % 2, CTR_SUBPIXEL_THRESHOLD, 0, i % 3 == 0, &refined[0]);
    if (i % 3 == 0)
      compare_with_reference (i % 2, CTR_SUBPIXEL_EDGE, sigmas[i / 3 % LENGTH (sigmas)], i % 4 == 0, &refined[1]);
  }
  CHECK (refined[0] > (setup.quick ? 200u : 4000u) && refined[1] > (setup.quick ? 50u : 1000u));
}

static void
check_refused (const CtrBordersParams *params, const char *words)
{
  const uint8_t picture[4] = {1, 0, 0, 1};
  const CtrImage image = grey_image (picture, 2, 2);
  CtrError error;
  describe ("%s", words);
  CHECK (!ctr_borders_run (borders, &image, params, setup.stream, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, words));
}

static void
test_arguments (void)
{
  CtrBordersParams params = params_with (3, 0, 1);
  check_refused (&params, "unknown subpixel method 3");
  static const double sigmas[] = {0.49, 4.01, -1, INFINITY, NAN};
  for (size_t i = 0; i < LENGTH (sigmas); i++) {
    params = params_with (CTR_SUBPIXEL_EDGE, sigmas[i], 1);
    check_refused (&params, "it must be 0.5 to 4");
  }
  params = params_with (CTR_SUBPIXEL_THRESHOLD, 0, 1);
  params.foreground.upper_threshold = 9;
  check_refused (&params, "the upper threshold is 9");
  params.foreground.mode = CTR_THRESHOLD_ADAPTIVE_MEAN;
  params.foreground.block_size = 3;
  check_refused (&params, "the threshold mode is adaptive-mean");
  params.foreground.ranges = 1;
  check_refused (&params, "ranges of channels");
  params = params_with (CTR_SUBPIXEL_NONE, 0, 1);
  params.features = CTR_CONTOUR_FEATURE_SUBPIXEL;
  check_refused (&params, "unknown features");

  const uint8_t picture[4] = {1, 0, 0, 1};
  const CtrImage image = grey_image (picture, 2, 2);
  CtrError error;
  CtrBorderStrips *strips = ctr_border_strips_new (setup.backend, 16, &error);
  CHECK (strips);
  params = params_with (CTR_SUBPIXEL_EDGE, 0, 1);
  describe ("strips");
  CHECK (!ctr_border_strips_submit (strips, &image, &params, setup.stream, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "subpixel edge: contours of strips"));
  ctr_border_strips_free (strips);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"levels", test_levels}, {"flags", test_flags}, {"definition", test_definition}, {"arguments", test_arguments}};
  setup = setup_open (argv[1], false);
  borders = follower_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_borders_free (borders);
  return 0;
}
