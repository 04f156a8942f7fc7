/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations where they end: folded lenses, horizons, arguments that are refused, lines without an area. The comparison with OpenCV is
 * tests/oracle/calibration-oracle.cc. */
#include <contours/calibration.h>
#include <contours/contourlist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL                                                                                                          \
  (CTR_CONTOUR_FEATURE_HULL | CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET | CTR_CONTOUR_FEATURE_CIRCLE \
      | CTR_CONTOUR_FEATURE_DISTANCES)

static void
require (bool ok, const char *what)
{
  if (ok)
    return;
  fprintf (stderr, "FAILED: %s\n", what);
  exit (1);
}

static bool
near (double a, double b)
{
  return fabs (a - b) < 1e-9;
}

/* r (1 + k r^2) = distorted, by bisection up to the radius at which the model folds. */
static double
undistorted_radius (double k, double distorted)
{
  double low = 0, high = sqrt (-1 / (3 * k));
  for (int i = 0; i < 200; i++) {
    const double middle = (low + high) / 2;
    *(middle * (1 + k * middle * middle) < distorted ? &low : &high) = middle;
  }
  return low;
}

/* A barrel shows no more than two thirds of the radius at which it folds: what lies outside has no counterpart. */
static void
check_fold (void)
{
  const CtrCalibration c = {.has_camera = true, .fx = 100, .fy = 100, .cx = 7, .cy = -3, .distortion = {-0.5}};
  const double fold = 200.0 / 3 * sqrt (1 / 1.5);
  require (ctr_calibration_check (&c, NULL), "a barrel");
  for (double r = 0; r < 80; r += 0.37)
    for (double angle = 0; angle < 6.3; angle += 0.7) {
      double x, y, back_x, back_y, jacobian[4];
      const double cosine = cos (angle), sine = sin (angle);
      const bool ok = ctr_calibration_point (&c, 7 + r * cosine, -3 + r * sine, &x, &y);
      require (ok == (r < fold) && isnan (x) == !ok && isnan (y) == !ok, "points outside have no counterpart");
      require (ctr_calibration_jacobian (&c, 7 + r * cosine, -3 + r * sine, jacobian) == ok, "nor derivatives");
      if (!ok)
        continue;
      require (fabs (hypot (x - 7, y + 3) - 100 * undistorted_radius (-0.5, r / 100)) < 1e-4, "the radius");
      require (ctr_calibration_project (&c, x, y, &back_x, &back_y), "back");
      require (hypot (back_x - 7 - r * cosine, back_y + 3 - r * sine) < 2e-9, "and back");
    }
  double x, y;
  require (!ctr_calibration_project (&c, 7 + 90, -3, &x, &y) && isnan (x) && isnan (y), "behind the fold");
}

static void
check_not_finite (void)
{
  const CtrCalibration all[] = {{.scale = 2},
      {.has_camera = true, .fx = 9, .fy = 9, .distortion = {0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1, 0.2}},
      {.has_homography = true, .homography = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double points[4] = {bad[j], 1, 2, 3};
      require (ctr_calibration_points (&all[i], points, 2, points) == 1, "one of two");
      require (isnan (points[0]) && isnan (points[1]) && !isnan (points[2]) && !isnan (points[3]), "in place");
    }
}

static uint32_t
next_random (uint32_t *state)
{
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

/* Many points at once, of any number and in place, are bit by bit those that are converted one by one. Some lie behind the horizon or
 * are not finite, and some overflow. */
static void
check_many (void)
{
  enum { MOST = 200 };
  const CtrCalibration all[] = {{0}, {.scale = 0.37}, {.scale = 1e300},
      {.has_homography = true, .homography = {0.1, 0.002, 3, 0.001, 0.12, -4, 1e-5, -3e-4, 0.9}},
      {.has_homography = true, .homography = {-1e100, 0, 3, 0, -1e50, 4, 1e-3, 2e-3, -2}, .width = 640, .height = 480},
      {.has_camera = true, .fx = 900, .fy = 890, .cx = 320, .cy = 240, .distortion = {-0.2, 0.05, 1e-3}}};
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e308, 0};
  uint32_t random = 1;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    require (ctr_calibration_check (&all[k], NULL), "it is accepted");
    for (size_t count = 0; count <= MOST; count++) {
      double points[2 * MOST], apart[2 * MOST], in_place[2 * MOST];
      size_t undefined = 0;
      for (size_t i = 0; i < 2 * count; i++)
        points[i] =
            next_random (&random) % 50 ? next_random (&random) % 256000 / 64.0 - 200 : odd[next_random (&random) % 6];
      memcpy (in_place, points, sizeof points);
      const size_t missing = ctr_calibration_points (&all[k], points, count, apart);
      require (ctr_calibration_points (&all[k], in_place, count, in_place) == missing, "in place");
      for (size_t i = 0; i < count; i++) {
        double one[2];
        undefined += !ctr_calibration_point (&all[k], points[2 * i], points[2 * i + 1], &one[0], &one[1]);
        for (int j = 0; j < 2; j++) {
          require (isnan (one[j]) ? isnan (apart[2 * i + j]) : one[j] == apart[2 * i + j], "one by one");
          require (
              isnan (one[j]) ? isnan (in_place[2 * i + j]) : one[j] == in_place[2 * i + j], "one by one, in place");
        }
      }
      require (undefined == missing, "as many have no place");
    }
  }
}

static void
check_refused (void)
{
  const CtrCalibration wrong[] = {
      {.has_camera = true, .fx = 0, .fy = 1},
      {.has_camera = true, .fx = 1, .fy = NAN},
      {.has_camera = true, .fx = 1, .fy = 1, .distortion = {INFINITY}},
      {.has_camera = true, .fx = 1, .fy = 1, .distortion = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.6}},
      {.has_homography = true},
      {.has_homography = true, .homography = {1, 2, 3, 2, 4, 6, 0, 0, 1}},
      {.has_homography = true, .homography = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .scale = 1},
      {.scale = -1},
      {.scale = NAN},
      {.scale = 1, .width = 5},
      {.scale = 1, .width = 70000, .height = 5},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CtrError error = {CTR_OK, ""};
    require (!ctr_calibration_check (&wrong[i], &error), "it is refused");
    require (error.status == CTR_ERROR_INVALID_ARGUMENT && strlen (error.message) > 15, "with a message");
    require (!ctr_calibration_check (&wrong[i], NULL), "or without");
  }
}

static CtrWorldShape
measure (const double *points, size_t count, bool closed)
{
  CtrWorldShape shape;
  require (ctr_world_shape_measure (points, count, closed, ALL, &shape, NULL), "there is memory");
  return shape;
}

static void
check_lines (void)
{
  const double square[] = {1, 2, 4, 2, 4, 6, 1, 6}, line[] = {0, 0, 3, 4, 6, 8, 3, 4}, same[] = {5, 5, 5, 5},
               undefined[] = {0, 0, NAN, 1};
  CtrWorldShape s = measure (square, 4, true);
  require (near (s.area, 12) && near (s.perimeter, 14) && near (s.cx, 2.5) && near (s.cy, 4), "a rectangle");
  require (near (s.x, 1) && near (s.y, 2) && near (s.w, 3) && near (s.h, 4), "its box");
  require (near (s.hull_area, 12) && near (s.hull_perimeter, 14) && near (s.feret_max, 5) && near (s.feret_min, 3)
               && near (s.feret_min_angle, 0),
      "its hull");
  require (near (s.rectangle_width, 3) && near (s.rectangle_height, 4) && near (s.rectangle_angle, 0)
               && near (s.rectangle_x, 2.5) && near (s.rectangle_y, 4),
      "its rectangle");
  require (near (s.circle_x, 2.5) && near (s.circle_y, 4) && near (s.circle_radius, 2.5), "its circle");
  require (near (s.distance_mean, 2.5) && near (s.distance_deviation, 0) && near (s.distance_max, 2.5), "distances");
  s = measure (square, 4, false);
  require (s.area == 0 && near (s.perimeter, 10) && isnan (s.cx), "an open line");
  s = measure (line, 4, true);
  require (s.area == 0 && near (s.perimeter, 20) && near (s.feret_max, 10) && s.feret_min == 0
               && near (s.circle_radius, 5) && near (s.rectangle_width * s.rectangle_height, 0) && s.hull_area == 0,
      "points on a line");
  for (size_t count = 1; count < 3; count++) {
    s = measure (same, count, true);
    require (s.area == 0 && s.perimeter == 0 && s.feret_max == 0 && s.feret_min == 0 && s.circle_radius == 0
                 && s.circle_x == 5 && s.rectangle_width == 0 && s.hull_perimeter == 0 && s.distance_mean == 0
                 && s.w == 0,
        "one point");
    require (isnan (s.feret_max_angle) && isnan (s.cx), "which has no direction");
  }
  s = measure (undefined, 2, true);
  require (isnan (s.area) && isnan (s.perimeter) && isnan (s.circle_radius) && isnan (s.w), "an undefined point");
  s = measure (NULL, 0, true);
  require (isnan (s.area) && isnan (s.hull_area), "no point");
}

int
main (void)
{
  check_fold ();
  check_not_finite ();
  check_many ();
  check_refused ();
  check_lines ();
  puts ("calibrations end where they should");
  return 0;
}
