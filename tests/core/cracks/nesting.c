/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy over all levels: trees and branches that were worked out by hand, and images of many nested levels
 * against the definition. */
#include "tests/core/cracks/testing.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCracks *cracks;
static Random rng = {11};

static CtrCracksParams
nested_params (void)
{
  CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  params.hierarchy = CTR_HIERARCHY_LEVELS;
  return params;
}

/* What is expected of a contour: level, hole, parent, depth, birth, death. */
typedef struct {
  uint32_t level, hole;
  int32_t parent;
  uint32_t depth, birth, death;
} Expected;

/* Rows of digits of equal length that end in '\n'. */
static void
check_drawing (const char *drawing, const CtrCracksParams *params, const Expected *expected, uint32_t count)
{
  const uint32_t width = (uint32_t) (strchr (drawing, '\n') - drawing);
  const uint32_t height = (uint32_t) (strlen (drawing) / (width + 1));
  uint8_t *pixels = malloc ((size_t) width * height);
  for (uint32_t i = 0; i < width * height; i++)
    pixels[i] = (uint8_t) (drawing[i + i / width] - '0');
  const CtrImage image = {
      .data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrContours *contours = trace_cracks (cracks, &setup, &image, params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == count && all.info.features == CTR_CONTOUR_FEATURE_NESTING);
  for (uint32_t i = 0; i < count; i++) {
    const CtrContour *row = all.table + i;
    const CtrContourNesting *nesting = all.nesting + i;
    CHECK (row->level == expected[i].level && row->flags == expected[i].hole);
    CHECK (row->parent == expected[i].parent && nesting->depth == expected[i].depth);
    CHECK (nesting->birth == expected[i].birth && nesting->death == expected[i].death);
  }
  ctr_contours_unref (contours);
  check_cracks (cracks, &setup, &image, params);
  free (pixels);
}

/* Two peaks on one base: the higher one continues the base's branch. */
static const char two_peaks[] = "11111111\n"
                                "12211141\n"
                                "13211241\n"
                                "11111111\n";

static void
test_peaks (void)
{
  static const Expected all[] = {
      {1, 0, -1, 0, 1, 4}, /* the base */
      {2, 0, 0, 1, 2, 3},  /* the left peak */
      {2, 0, 0, 1, 1, 4},  /* the right one */
      {3, 0, 2, 2, 1, 4},
      {3, 0, 1, 2, 2, 3},
      {4, 0, 3, 3, 1, 4},
  };
  static const Expected persistent[] = {
      {1, 0, -1, 0, 1, 4}, {2, 0, 0, 1, 1, 4}, {3, 0, 1, 2, 1, 4}, {4, 0, 2, 3, 1, 4}};
  static const Expected shallow[] = {{1, 0, -1, 0, 1, 4}, {2, 0, 0, 1, 2, 3}, {2, 0, 0, 1, 1, 4}};
  static const Expected large[] = {
      {1, 0, -1, 0, 1, 4}, {2, 0, 0, 1, 2, 3}, {2, 0, 0, 1, 1, 4}, {3, 0, 2, 2, 1, 4}, {4, 0, 3, 3, 1, 4}};
  CtrCracksParams params = nested_params ();
  describe ("two peaks");
  check_drawing (two_peaks, &params, all, LENGTH (all));
  describe ("two peaks, the lower one without enough persistence");
  params.min_persistence = 2;
  check_drawing (two_peaks, &params, persistent, LENGTH (persistent));
  params.min_persistence = 4;
  check_drawing (two_peaks, &params, NULL, 0);
  describe ("two peaks, not deeper than 1");
  params.min_persistence = 0;
  params.max_depth = 1;
  check_drawing (two_peaks, &params, shallow, LENGTH (shallow));
  describe ("two peaks without single pixels");
  params.max_depth = CTR_CRACKS_ANY_DEPTH;
  params.min_area = 2;
  check_drawing (two_peaks, &params, large, LENGTH (large));
}

/* Of two peaks of the same height the one whose contour at that level comes last in the order of the rows continues. */
static void
test_equal_peaks (void)
{
  static const Expected both[] = {
      {1, 0, -1, 0, 1, 3}, {2, 0, 0, 1, 2, 3}, {2, 0, 0, 1, 1, 3}, {3, 0, 1, 2, 2, 3}, {3, 0, 2, 2, 1, 3}};
  const CtrCracksParams params = nested_params ();
  describe ("two peaks of one height");
  check_drawing ("1131131\n", &params, both, LENGTH (both));
}

/* Walls: contours of several levels coincide. */
static void
test_walls (void)
{
  static const uint32_t levels[] = {2, 5, 6, 9};
  static const Expected chain[] = {{2, 0, -1, 0, 2, 9}, {5, 0, 0, 1, 2, 9}, {6, 0, 1, 2, 2, 9}, {9, 0, 2, 3, 2, 9}};
  static const Expected rings[] = {{2, 0, -1, 0, 2, 9}, {5, 0, 0, 1, 2, 9}, {5, 1, 1, 2, 5, 9}, {6, 0, 1, 2, 2, 9},
      {6, 1, 3, 3, 5, 9}, {9, 0, 3, 3, 2, 9}, {9, 1, 5, 4, 5, 9}};
  CtrCracksParams params = nested_params ();
  params.levels = levels;
  params.level_count = LENGTH (levels);
  describe ("a block");
  check_drawing ("0000\n0990\n0990\n0000\n", &params, chain, LENGTH (chain));
  describe ("a well, whose walls are upright");
  check_drawing ("99999\n99999\n99399\n99999\n", &params, rings, LENGTH (rings));
}

/* Holes of lower levels lie in those of higher ones. */
static void
test_pits (void)
{
  static const Expected pit[] = {
      {1, 0, -1, 0, 1, 4},
      {2, 0, 0, 1, 1, 4},
      {2, 1, 1, 2, 2, 4}, /* the pixel of 1 */
      {3, 0, 1, 2, 1, 4},
      {3, 1, 3, 3, 2, 4}, /* and those of 2 */
      {4, 0, 3, 3, 1, 4},
      {4, 1, 5, 4, 2, 4},
  };
  static const Expected wells[] = {
      {1, 0, -1, 0, 1, 4},
      {2, 0, 0, 1, 1, 4},
      {2, 1, 1, 2, 2, 4},
      {3, 0, 1, 2, 1, 4},
      {3, 1, 3, 3, 2, 4},
      {3, 1, 3, 3, 3, 3}, /* the pixel of 2: at level 4 it is in the hole with the lower one */
      {4, 0, 3, 3, 1, 4},
      {4, 1, 6, 4, 2, 4},
  };
  static const Expected without_shallow[] = {{1, 0, -1, 0, 1, 4}, {2, 0, 0, 1, 1, 4}, {2, 1, 1, 2, 2, 4},
      {3, 0, 1, 2, 1, 4}, {3, 1, 3, 3, 2, 4}, {4, 0, 3, 3, 1, 4}, {4, 1, 5, 4, 2, 4}};
  static const Expected open_pit[] = {
      {1, 0, -1, 0, 1, 4}, {2, 0, 0, 1, 1, 4}, {2, 1, 1, 2, 2, 2}, {3, 0, 1, 2, 1, 4}, {4, 0, 3, 3, 1, 4}};
  CtrCracksParams params = nested_params ();
  describe ("a pit");
  check_drawing ("444444\n422214\n444444\n", &params, pit, LENGTH (pit));
  describe ("a pit that is open on the right from level 3 on");
  check_drawing ("444444\n422212\n444444\n", &params, open_pit, LENGTH (open_pit));
  describe ("two pits that join");
  check_drawing ("4444444\n4133234\n4444444\n", &params, wells, LENGTH (wells));
  describe ("two pits that join, without what has no persistence");
  params.min_persistence = 1;
  check_drawing ("4444444\n4133234\n4444444\n", &params, without_shallow, LENGTH (without_shallow));
}

static void
test_islands (void)
{
  static const uint32_t levels[] = {2, 5, 8, 9};
  static const Expected hill[] = {
      {1, 0, -1, 0, 1, 3},
      {2, 0, 0, 1, 1, 3},
      {2, 1, 1, 2, 2, 3},
      {2, 0, 2, 3, 2, 2}, /* the hill is in the hole: at level 1 both sides of the hole are one component */
      {3, 0, 1, 2, 1, 3},
      {3, 1, 4, 3, 2, 3},
  };
  static const Expected island[] = {
      {2, 0, -1, 0, 2, 9},
      {2, 1, 0, 1, 2, 9},
      {2, 0, 1, 2, 2, 8},
      {5, 0, 0, 1, 2, 9},
      {5, 1, 3, 2, 2, 9},
      {5, 0, 2, 3, 2, 8}, /* the island of level 2 is nearer than the hole of level 5 */
      {8, 0, 3, 2, 2, 9},
      {8, 1, 6, 3, 2, 9},
      {8, 0, 5, 4, 2, 8},
      {9, 0, 6, 3, 2, 9},
      {9, 1, 9, 4, 2, 9},
  };
  CtrCracksParams params = nested_params ();
  describe ("a hill in a valley");
  check_drawing ("33333\n31113\n31213\n31113\n33333\n", &params, hill, LENGTH (hill));
  params.levels = levels;
  params.level_count = LENGTH (levels);
  describe ("an island");
  check_drawing ("9999999\n9111119\n9188819\n9111119\n9999999\n", &params, island, LENGTH (island));
}

enum { LANDSCAPES = 6 };

/* Shapes on shapes, on ramps, terraces and noise. */
static uint8_t *
landscape_new (uint32_t kind, uint32_t width, uint32_t height)
{
  uint8_t *samples = malloc ((size_t) width * height);
  uint8_t *below = shape_new ((Shape) random_below (&rng, SHAPE_COUNT), width, height);
  uint8_t *above = shape_new ((Shape) random_below (&rng, SHAPE_COUNT), width, height);
  const uint32_t slope = 1 + random_below (&rng, 9), grain = 1 + random_below (&rng, 6);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t i = y * width + x, ramp = (x + 2 * y) * slope / 4 % 120;
      const int dx = (int) (2 * x) - (int) width, dy = (int) (2 * y) - (int) height;
      const uint32_t cone = 200u / (1 + (uint32_t) (dx * dx + dy * dy) / (8 * slope));
      const uint32_t shapes = 60u * (below[i] != 0) + 50u * (above[i] != 0);
      samples[i] = (uint8_t) (kind == 0   ? shapes + ramp
                              : kind == 1 ? shapes + ramp / 20 * 20
                              : kind == 2 ? cone + (above[i] ? 30 : 0)
                              : kind == 3 ? 250 - cone - (above[i] ? 30 : 0)
                              : kind == 4 ? shapes + random_below (&rng, 2 + 4 * slope)
                                          : ((x / grain) ^ (y / grain)) % 16 * 16);
    }
  free (below);
  free (above);
  return samples;
}

static void
test_landscapes (void)
{
  static const uint32_t sides[][2] = {{1, 40}, {40, 1}, {17, 17}, {31, 33}, {64, 64}, {65, 63}, {129, 40}};
  for (uint32_t i = 0; i < LENGTH (sides) * LANDSCAPES * (setup.quick ? 1 : 3); i++) {
    const uint32_t *side = sides[i % LENGTH (sides)], kind = i / LENGTH (sides) % LANDSCAPES;
    uint8_t *samples = landscape_new (kind, side[0], side[1]);
    const CtrImage image = {
        .data = samples, .stride = side[0], .width = side[0], .height = side[1], .format = CTR_FORMAT_GRAY8};
    CtrCracksParams params = random_cracks_params (&rng);
    params.mode = CTR_LEVELS_AT_LEAST;
    params.hierarchy = CTR_HIERARCHY_LEVELS;
    params.minimum = 1 + random_below (&rng, 20);
    params.step = 1 + random_below (&rng, setup.quick ? 40 : 25);
    describe_cracks ("a landscape", &image, &params);
    if (!setup.quick || side[0] * side[1] < 2500)
      check_cracks (cracks, &setup, &image, &params);
    free (samples);
  }
}

/* Rings in rings of one level: the tree is as deep as there are rings, whatever the number of levels. */
static void
test_rings (void)
{
  enum { SIDE = 161 };
  static uint8_t pixels[SIDE * SIDE];
  CtrCracksParams params = nested_params ();
  params.step = 100;
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      const int dx = abs (x - SIDE / 2), dy = abs (y - SIDE / 2);
      pixels[y * SIDE + x] = (dx > dy ? dx : dy) % 2 ? 0 : 255;
    }
  const CtrImage image = {.data = pixels, .stride = SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY8};
  describe_cracks ("rings", &image, &params);
  CtrContours *contours = trace_cracks (cracks, &setup, &image, &params);
  const Contours all = contours_of (contours);
  uint32_t deepest = 0;
  for (uint32_t i = 0; i < all.info.count; i++)
    deepest = all.nesting[i].depth > deepest ? all.nesting[i].depth : deepest;
  CHECK (all.info.count == 3 * (SIDE / 2 + 1) && deepest == SIDE / 2 + 2);
  ctr_contours_unref (contours);
  check_cracks (cracks, &setup, &image, &params);
}

/* All of 65535 levels, each with one contour: a single branch, as long as it can be. */
static void
test_longest_branch (void)
{
  static uint16_t pixels[3] = {0, 65535, 0};
  const CtrImage image = {.data = pixels, .stride = 6, .width = 3, .height = 1, .format = CTR_FORMAT_GRAY16};
  const CtrCracksParams params = nested_params ();
  describe_cracks ("the longest branch", &image, &params);
  CtrContours *contours = trace_cracks (cracks, &setup, &image, &params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == 65535);
  for (uint32_t i = 0; i < all.info.count; i++) {
    CHECK (all.table[i].level == i + 1 && all.table[i].parent == (int32_t) i - 1);
    CHECK (all.nesting[i].depth == i && all.nesting[i].birth == 1 && all.nesting[i].death == 65535);
  }
  ctr_contours_unref (contours);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"peaks", test_peaks},
      {"equal peaks", test_equal_peaks},
      {"walls", test_walls},
      {"pits", test_pits},
      {"islands", test_islands},
      {"landscapes", test_landscapes},
      {"rings", test_rings},
      {"the longest branch", test_longest_branch},
  };
  setup = setup_open (argv[1], false);
  cracks = tracer_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_cracks_free (cracks);
  return 0;
}
