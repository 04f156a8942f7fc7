/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares borders with results that were worked out by hand. */
#include "tests/core/borders/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrBorders *borders; /* one follower for all drawings */

/* The contours of a drawing: rows of equal length that end in '\n', '#' is foreground. Transfer full. */
static CtrContours *
follow_drawing (const char *drawing, const CtrBordersParams *params)
{
  const uint32_t width = (uint32_t) (strchr (drawing, '\n') - drawing);
  const uint32_t height = (uint32_t) (strlen (drawing) / (width + 1));
  uint8_t *pixels = malloc ((size_t) width * height);
  for (uint32_t i = 0; i < width * height; i++)
    pixels[i] = drawing[i + i / width] == '#' ? 200 : 100;
  CtrImage image = {.data = pixels, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrContours *contours = follow_borders (borders, &setup, &image, params);
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
test_points (void)
{
  static const CtrPoint outside[] = {{1, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 2}, {3, 1}, {2, 1}};
  static const CtrPoint corners[] = {{1, 1}, {1, 3}, {3, 3}, {3, 1}};
  static const CtrPoint hole[] = {{1, 2}, {2, 1}, {3, 2}, {2, 3}};
  static const CtrPoint dot[] = {{5, 0}}, there_and_back[] = {{5, 2}, {6, 3}, {7, 4}, {6, 3}};
  for (int approximation = 1; approximation <= 2; approximation++) {
    const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, approximation, 128, false);
    describe ("a ring, a dot and a line, approximation %d", approximation);
    CtrContours *contours = follow_drawing ("     #  \n"
                                            " ###    \n"
                                            " # # #  \n"
                                            " ###  # \n"
                                            "       #\n",
        &params);
    const Contours all = contours_of (contours);
    CHECK (all.info.count == 4 && all.info.width == 8 && all.info.height == 5 && all.info.threshold == 128);
    CHECK (all.info.coordinates == CTR_COORDINATES_PIXELS && all.info.features == 0);
    const bool ends = approximation == CTR_APPROXIMATION_SIMPLE;
    static const CtrPoint line_ends[] = {{5, 2}, {7, 4}};
    check_points (&all, 0, ends ? line_ends : there_and_back, ends ? 2 : 4);
    check_points (&all, 1, hole, 4);
    check_points (&all, 2, ends ? corners : outside, ends ? 4 : 8);
    check_points (&all, 3, dot, 1);
    const CtrContour *line = &all.table[0], *inner = &all.table[1], *ring = &all.table[2], *point = &all.table[3];
    CHECK (inner->flags == CTR_CONTOUR_HOLE && !ring->flags && !line->flags && !point->flags);
    CHECK (ring->area2 == -8 && inner->area2 == 4 && line->area2 == 0 && point->area2 == 0);
    CHECK (ctr_contour_area (ring, true) == -4 && ctr_contour_area (inner, false) == 2);
    CHECK (ctr_contour_perimeter (ring) == 8 && ctr_contour_perimeter (point) == 0);
    CHECK (ctr_contour_perimeter (inner) == 4 * (double) sqrtf (2));
    CHECK (ctr_contour_perimeter (line) == (ends ? 2 * (double) sqrtf (8) : 4 * (double) sqrtf (2)));
    CHECK (ring->left == 1 && ring->top == 1 && ring->width == 3 && ring->height == 3);
    CHECK (point->left == 5 && point->top == 0 && point->width == 1 && point->height == 1);
    CHECK (line->left == 5 && line->top == 2 && line->width == 3 && line->height == 3);
    ctr_contours_unref (contours);
  }
}

/* Lines of 4-connected foreground, from edge neighbour to edge neighbour. */
static void
test_four_connected (void)
{
  static const CtrPoint hole[] = {{1, 2}, {1, 1}, {2, 1}, {3, 1}, {3, 2}, {3, 3}, {2, 3}, {1, 3}};
  static const CtrPoint hole_corners[] = {{1, 1}, {3, 1}, {3, 3}, {1, 3}};
  static const CtrPoint angle[] = {{0, 0}, {0, 1}, {1, 1}, {0, 1}};
  static const CtrPoint double_hole[] = {
      {0, 1}, {0, 0}, {1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {3, 3}, {2, 3}, {1, 3}, {1, 2}, {0, 2}};
  static const CtrPoint dots[] = {{7, 4}, {6, 3}, {5, 2}};
  for (int approximation = 1; approximation <= 2; approximation++) {
    const bool ends = approximation == CTR_APPROXIMATION_SIMPLE;
    CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, approximation, 128, false);
    params.connectivity = CTR_CONNECTIVITY_4;
    describe ("a ring and pixels that touch at corners, 4-connected, approximation %d", approximation);
    CtrContours *contours = follow_drawing ("        \n"
                                            " ###    \n"
                                            " # # #  \n"
                                            " ###  # \n"
                                            "       #\n",
        &params);
    Contours all = contours_of (contours);
    CHECK (all.info.count == 5 && all.info.connectivity == CTR_CONNECTIVITY_4);
    for (uint32_t i = 0; i < 3; i++)
      check_points (&all, i, dots + i, 1);
    check_points (&all, 4, ends ? hole_corners : hole, ends ? 4 : 8);
    CHECK (all.table[4].flags == CTR_CONTOUR_HOLE && all.table[4].parent == 3 && all.table[3].child == 4);
    CHECK (all.table[3].area2 == -8 && all.table[4].area2 == 8);
    CHECK (ctr_contour_perimeter (&all.table[3]) == 8 && ctr_contour_perimeter (&all.table[4]) == 8);
    ctr_contours_unref (contours);

    describe ("an angle, 4-connected, approximation %d", approximation);
    contours = follow_drawing ("# \n"
                               "##\n",
        &params);
    all = contours_of (contours);
    CHECK (all.info.count == 1 && all.table[0].area2 == 0);
    check_points (&all, 0, angle, 4);
    ctr_contours_unref (contours);

    describe ("a hole of two pixels that touch at a corner, approximation %d", approximation);
    contours = follow_drawing ("####\n"
                               "# ##\n"
                               "## #\n"
                               "####\n",
        &params);
    all = contours_of (contours);
    CHECK (all.info.count == 2 && all.table[1].area2 == 14);
    if (!ends)
      check_points (&all, 1, double_hole, 12);
    ctr_contours_unref (contours);
  }
}

/* What the hierarchy says of a contour, told by twice its first row plus one for a hole. */
typedef struct {
  int what, next, previous, child, parent;
} Family;

static void
check_families (const CtrBordersParams *params, const Family *families, uint32_t count)
{
  CtrContours *contours = follow_drawing ("#########  \n"
                                          "#       #  \n"
                                          "# ##### #  \n"
                                          "# #   # #  \n"
                                          "# # # # #  \n"
                                          "# #   # #  \n"
                                          "# ##### #  \n"
                                          "#       #  \n"
                                          "######### #\n",
      params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == count);
  for (uint32_t i = 0; i < count; i++) {
    const CtrContour *row = all.table + i;
    CHECK (row->top * 2 + (int) (row->flags & CTR_CONTOUR_HOLE) == families[i].what);
    CHECK (row->next == families[i].next && row->previous == families[i].previous);
    CHECK (row->child == families[i].child && row->parent == families[i].parent);
    CHECK (row->level == 0);
  }
  ctr_contours_unref (contours);
}

static void
test_hierarchy (void)
{
  /* From the outside: 0 and 1 are the large ring, 4 and 5 the small one, 8 the dot in it; 16 is the dot beside. */
  static const Family external[] = {{16, 1, -1, -1, -1}, {0, -1, 0, -1, -1}};
  static const Family list[] = {{16, 1, -1, -1, -1}, {8, 2, 0, -1, -1}, {5, 3, 1, -1, -1}, {4, 4, 2, -1, -1},
      {1, 5, 3, -1, -1}, {0, -1, 4, -1, -1}};
  static const Family two_levels[] = {{16, 1, -1, -1, -1}, {8, 2, 0, -1, -1}, {4, 4, 1, 3, -1}, {5, -1, -1, -1, 2},
      {0, -1, 2, 5, -1}, {1, -1, -1, -1, 4}};
  static const Family tree[] = {{16, 1, -1, -1, -1}, {0, -1, 0, 2, -1}, {1, -1, -1, 3, 1}, {4, -1, -1, 4, 2},
      {5, -1, -1, 5, 3}, {8, -1, -1, -1, 4}};
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_EXTERNAL, CTR_APPROXIMATION_SIMPLE, 128, false);
  describe ("nested rings, EXTERNAL");
  check_families (&params, external, LENGTH (external));
  params.mode = CTR_RETRIEVE_LIST;
  describe ("nested rings, LIST");
  check_families (&params, list, LENGTH (list));
  params.mode = CTR_RETRIEVE_CCOMP;
  describe ("nested rings, CCOMP");
  check_families (&params, two_levels, LENGTH (two_levels));
  params.mode = CTR_RETRIEVE_TREE;
  describe ("nested rings, TREE");
  check_families (&params, tree, LENGTH (tree));

  /* The areas are 64, 62, 16, 14, 0 and 0. */
  static const Family tree_without_outside[] = {
      {16, 1, -1, -1, -1}, {1, -1, 0, 2, -1}, {4, -1, -1, 3, 1}, {5, -1, -1, 4, 2}, {8, -1, -1, -1, 3}};
  static const Family two_levels_without_outside[] = {
      {16, 1, -1, -1, -1}, {8, 2, 0, -1, -1}, {4, 4, 1, 3, -1}, {5, -1, -1, -1, 2}, {1, -1, 2, -1, -1}};
  static const Family external_without_outside[] = {{16, -1, -1, -1, -1}};
  static const Family tree_of_rings[] = {{0, -1, -1, 1, -1}, {1, -1, -1, 2, 0}, {4, -1, -1, -1, 1}};
  params.max_area = 63.9;
  describe ("nested rings without the outermost border, TREE");
  check_families (&params, tree_without_outside, LENGTH (tree_without_outside));
  params.mode = CTR_RETRIEVE_CCOMP;
  describe ("nested rings without the outermost border, CCOMP");
  check_families (&params, two_levels_without_outside, LENGTH (two_levels_without_outside));
  params.mode = CTR_RETRIEVE_EXTERNAL;
  describe ("nested rings without the outermost border, EXTERNAL");
  check_families (&params, external_without_outside, LENGTH (external_without_outside));
  params.mode = CTR_RETRIEVE_TREE;
  params.max_area = 64;
  params.min_area = 14.1;
  describe ("nested rings without what is small, TREE");
  check_families (&params, tree_of_rings, LENGTH (tree_of_rings));
}

/* A square of 6 x 5 pixels: limits on the value itself, and right beside it. */
static void
test_limits (void)
{
  static const char drawing[] = "######\n######\n######\n######\n######\n";
  static const double area = 20, length = 18;
  const CtrBordersParams none = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 128, false);
  for (int i = 0; i < 18; i++) {
    CtrBordersParams params = none;
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
        params.min_width = i % 2 ? 7 : 6;
        break;
      case 4:
        params.min_height = i % 2 ? 6 : 5;
        break;
      case 5:
        params.max_area = i % 2 ? 1e-300 : 1e300;
        break;
      case 6:
        params.min_area = i % 2 ? 1e300 : 1e-300;
        break;
      case 7:
        params.min_length = i % 2 ? 1e300 : 1e-300;
        break;
      default:
        params.min_area = area;
        params.max_area = i % 2 ? area - 0.5 : area;
    }
    describe ("limit %d on a rectangle", i);
    CtrContours *contours = follow_drawing (drawing, &params);
    CHECK (contours->count == (i % 2 ? 0 : 1));
    CHECK (contours->point_count == (i % 2 ? 0 : 4));
    (void) contours_of (contours);
    ctr_contours_unref (contours);
  }
}

/* Short borders, with longer ones on either side of them: DRAWING's outermost border and the comb inside, which begins in row TOP, are
 * the only ones of LENGTH. */
static void
check_without_short (const char *drawing, int mode, double length, uint32_t top)
{
  CtrBordersParams params = borders_params_of (mode, CTR_APPROXIMATION_NONE, 128, false);
  params.min_length = length;
  CtrContours *contours = follow_drawing (drawing, &params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == 2);
  const uint32_t ring = mode == CTR_RETRIEVE_TREE ? 0 : 1, comb = 1 - ring;
  CHECK (all.table[ring].top == 0 && all.table[comb].top == top);
  CHECK (!all.table[ring].flags && !all.table[comb].flags && all.table[ring].parent == -1);
  if (mode == CTR_RETRIEVE_TREE) {
    CHECK (all.table[ring].child == 1 && all.table[ring].next == -1);
    CHECK (all.table[comb].parent == 0 && all.table[comb].previous == -1);
  } else {
    CHECK (all.table[ring].child == -1 && all.table[ring].previous == 0);
    CHECK (all.table[comb].parent == -1 && all.table[comb].next == 1);
  }
  ctr_contours_unref (contours);
}

static void
test_short_borders (void)
{
  static const char hole[] = "########## \n"
                             "#       #  \n"
                             "# # # # # #\n"
                             "# # # # # #\n"
                             "# # # # # #\n"
                             "# # # # # #\n"
                             "# # # # # #\n"
                             "# # # # # #\n"
                             "# ##### # #\n"
                             "#       # #\n"
                             "######### #\n"
                             "        ## \n";
  static const char three[] = "#################          \n"
                              "#               #          \n"
                              "# ############# #          \n"
                              "# #           # #          \n"
                              "# # # # # # # # #          \n"
                              "# # # # # # # # #          \n"
                              "# # # # # # # # #          \n"
                              "# # # # # # # # #          \n"
                              "# # # # # # # # #          \n"
                              "# # # # # # # # #          \n"
                              "# # ######### # #          \n"
                              "# #           # #          \n"
                              "# ############# #          \n"
                              "#               #          \n"
                              "###########################\n";
  for (int mode = CTR_RETRIEVE_CCOMP; mode <= CTR_RETRIEVE_TREE; mode++) {
    describe ("a ring and what is in it, the hole too short, mode %d", mode);
    check_without_short (hole, mode, 38, 2);
    /* Once more for each order in which threads may climb past the three. */
    for (int i = 0; i < 6; i++) {
      describe ("rings, and three short borders between two long ones, mode %d, run %d", mode, i);
      check_without_short (three, mode, 70, 4);
    }
  }
}

static void
test_epsilon (void)
{
  static const char drawing[] = "     #        \n"
                                " ############ \n"
                                " #          # \n"
                                " #    ##    # \n"
                                " #          # \n"
                                " ############ \n"
                                "              \n";
  static const CtrPoint corners[] = {{1, 1}, {1, 5}, {12, 5}, {12, 1}};
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_NONE, 128, false);
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  CtrContours *before = follow_drawing (drawing, &params);
  const Contours expected = contours_of (before);
  static const double epsilons[] = {0.1, 1.2, 1e9};
  for (size_t e = 0; e < LENGTH (epsilons); e++) {
    params.epsilon = epsilons[e];
    describe ("a rectangle with a bump, epsilon %g", params.epsilon);
    CtrContours *contours = follow_drawing (drawing, &params);
    const Contours all = contours_of (contours);
    CHECK (all.info.count == 3 && expected.info.count == 3);
    CHECK (memcmp (all.sums, expected.sums, 3 * sizeof *all.sums) == 0);
    uint64_t first = 0;
    for (uint32_t i = 0; i < 3; i++) {
      CtrContour row = all.table[i];
      CHECK (row.first == first && row.count >= 1 && row.count <= expected.table[i].count);
      first += row.count;
      row.first = expected.table[i].first;
      row.count = expected.table[i].count;
      CHECK (memcmp (&row, expected.table + i, sizeof row) == 0);
    }
    CHECK (first == all.info.point_count);
    if (epsilons[e] == 1.2) {
      CHECK (all.table[0].count == 4);
      for (int i = 0; i < 4; i++) {
        bool found = false;
        for (int k = 0; k < 4; k++)
          found |= memcmp (all.points + k, corners + i, sizeof *corners) == 0;
        CHECK (found);
      }
    }
    if (epsilons[e] == 1e9)
      CHECK (all.info.point_count == 3);
    ctr_contours_unref (contours);
  }
  ctr_contours_unref (before);

  /* The tip in the west is 1 from the line through (3, 2) and (5, 2), but 1.41 from the segment. */
  static const CtrPoint ends[] = {{4, 0}, {3, 2}, {2, 1}, {5, 2}};
  params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_NONE, 128, false);
  params.epsilon = 1;
  describe ("a line that turns back, epsilon 1");
  CtrContours *hooked = follow_drawing ("    # \n"
                                        "  # # \n"
                                        "   # #\n",
      &params);
  const Contours hook = contours_of (hooked);
  CHECK (hook.info.count == 1);
  check_points (&hook, 0, ends, LENGTH (ends));
  ctr_contours_unref (hooked);

  describe ("no contours, simplified");
  CtrContours *contours = follow_drawing ("   \n   \n", &params);
  CHECK (contours->count == 0 && contours->point_count == 0);
  (void) contours_of (contours);
  ctr_contours_unref (contours);
}

static void
test_moments (void)
{
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_SIMPLE, 128, false);
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  describe ("moments of a rectangle");
  CtrContours *contours = follow_drawing ("       \n ##### \n ##### \n ##### \n", &params);
  const Contours all = contours_of (contours);
  CHECK (all.info.count == 1 && all.info.features == CTR_CONTOUR_FEATURE_MOMENTS);
  CHECK ((int64_t) all.sums->words[0][0] == all.table->area2 && all.sums->words[0][1] == UINT64_MAX);
  CtrContourMoments moments;
  ctr_contour_moments (all.sums, &moments);
  CHECK (moments.m[0] == 8 && moments.m[1] == 24 && moments.m[2] == 16);
  CHECK (fabs (moments.mu[0] - 8 * 16 / 12.0) < 1e-12 && fabs (moments.mu[1]) < 1e-12);
  CHECK (fabs (moments.nu[2] - 8 * 4 / 12.0 / 64) < 1e-12);
  ctr_contours_unref (contours);
}

/* Lines from top to bottom with dots between them. On the GPU they are more pieces than one CTA joins, of few contours. */
static void
test_lines (void)
{
  enum { WIDTH = 512, HEIGHT = 640, DOTS = WIDTH / 16 * (HEIGHT / 64), LINES = WIDTH / 4 };
  uint8_t *pixels = malloc (WIDTH * HEIGHT);
  for (uint32_t y = 0; y < HEIGHT; y++)
    for (uint32_t x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = x % 4 == 0 || (x % 16 == 2 && y % 64 == 30) ? 200 : 100;
  const CtrImage image = {
      .data = pixels, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  const CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_SIMPLE, 128, false);
  for (int i = 0; i < 2; i++) {
    describe ("lines and dots, time %d", i);
    CtrContours *contours = follow_borders (borders, &setup, &image, &params);
    const Contours all = contours_of (contours);
    CHECK (all.info.count == DOTS + LINES && all.info.point_count == DOTS + 2 * LINES);
    for (uint16_t k = 0; k < DOTS; k++) {
      const CtrPoint dot = {WIDTH - 14 - k % (WIDTH / 16) * 16, HEIGHT - 34 - k / (WIDTH / 16) * 64};
      check_points (&all, k, &dot, 1);
    }
    for (uint16_t k = 0; k < LINES; k++) {
      const uint16_t x = WIDTH - 4 - k * 4;
      const CtrPoint ends[] = {{x, 0}, {x, HEIGHT - 1}};
      check_points (&all, DOTS + k, ends, 2);
    }
    ctr_contours_unref (contours);
  }
  free (pixels);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"points", test_points},
      {"four-connected", test_four_connected},
      {"hierarchy", test_hierarchy},
      {"limits", test_limits},
      {"short borders", test_short_borders},
      {"epsilon", test_epsilon},
      {"moments", test_moments},
      {"lines", test_lines},
  };
  setup = setup_open (argv[1], false);
  borders = follower_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_borders_free (borders);
  return 0;
}
