/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the quantities in floating point that the core derives from a component's sums. */
#include "tests/core/common/testing.h"

#include <math.h>

typedef struct {
  CtrComponent component;
  CtrComponentMoments moments;
} Sums;

static void
add_pixel (Sums *s, uint64_t x, uint64_t y)
{
  s->component.area++;
  s->component.sum_x += x;
  s->component.sum_y += y;
  s->moments.sum_xx += x * x;
  s->moments.sum_xy += x * y;
  s->moments.sum_yy += y * y;
}

/* WIDTH x HEIGHT pixels from (LEFT, TOP); each row starts SLANT pixels right of the one above. */
static CtrComponentShape
shape_of (uint64_t left, uint64_t top, uint32_t width, uint32_t height, int slant)
{
  Sums s = {0};
  CtrComponentShape shape;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      add_pixel (&s, left + x + (uint64_t) (slant * (int64_t) y), top + y);
  ctr_component_shape (&s.component, &s.moments, &shape);
  return shape;
}

static bool
near (double a, double b)
{
  return fabs (a - b) <= 1e-12 * fmax (1, fabs (b));
}

/* The variance of n neighbouring integers. */
static double
variance (double n)
{
  return (n * n - 1) / 12;
}

static void
test_shapes (void)
{
  describe ("a pixel");
  CtrComponentShape s = shape_of (9, 4, 1, 1, 0);
  CHECK (s.mu20 == 0 && s.mu11 == 0 && s.mu02 == 0);
  CHECK (s.orientation == 0 && s.major_axis == 0 && s.minor_axis == 0 && s.eccentricity == 0);

  describe ("lines");
  s = shape_of (3, 7, 50, 1, 0);
  CHECK (near (s.mu20, variance (50)) && s.mu11 == 0 && s.mu02 == 0);
  CHECK (near (s.major_axis, 4 * sqrt (variance (50))) && s.minor_axis == 0);
  CHECK (s.orientation == 0 && s.eccentricity == 1);
  s = shape_of (3, 7, 1, 50, 0);
  CHECK (near (s.mu02, variance (50)) && near (s.orientation, M_PI / 2));
  s = shape_of (3, 7, 1, 50, 1);
  CHECK (near (s.orientation, M_PI / 4) && near (s.major_axis, 4 * sqrt (2 * variance (50))));
  CHECK (near (s.minor_axis, 0));
  s = shape_of (300, 7, 1, 50, -1);
  CHECK (near (s.orientation, -M_PI / 4));

  describe ("rectangles");
  s = shape_of (0, 0, 40, 20, 0);
  CHECK (near (s.major_axis, 4 * sqrt (variance (40))) && near (s.minor_axis, 4 * sqrt (variance (20))));
  CHECK (near (s.eccentricity, sqrt (1 - variance (20) / variance (40))) && s.orientation == 0);
  s = shape_of (0, 0, 30, 30, 0);
  CHECK (s.major_axis == s.minor_axis && s.eccentricity == 0 && s.orientation == 0);

  describe ("the same parallelogram at both ends of the coordinates");
  s = shape_of (0, 0, 37, 21, 3);
  CtrComponentShape far = shape_of (CTR_MAX_SIDE - 37 - 63, CTR_MAX_SIDE - 21, 37, 21, 3);
  CHECK (s.mu20 == far.mu20 && s.mu11 == far.mu11 && s.mu02 == far.mu02);
  CHECK (s.orientation == far.orientation && s.major_axis == far.major_axis && s.minor_axis == far.minor_axis);
}

static void
test_centroid (void)
{
  CtrComponent c = {.sum_x = 10, .sum_y = 7, .area = 4};
  double x, y;
  describe ("a centroid");
  ctr_component_centroid (&c, &x, &y);
  CHECK (x == 2.5 && y == 1.75);
}

static void
test_grey (void)
{
  CtrComponent c = {.area = 4};
  CtrComponentGrey grey = {.sum = 4 * 65535, .sum_sq = 4 * 65535ull * 65535};
  double mean, std_dev;
  describe ("equal samples");
  ctr_component_grey_stats (&c, &grey, &mean, &std_dev);
  CHECK (mean == 65535 && std_dev == 0);
  describe ("two samples of 10, two of 20");
  grey = (CtrComponentGrey){.sum = 60, .sum_sq = 1000};
  ctr_component_grey_stats (&c, &grey, &mean, &std_dev);
  CHECK (mean == 15 && std_dev == 5);
}

int
main (void)
{
  test_shapes ();
  test_centroid ();
  test_grey ();
  return 0;
}
