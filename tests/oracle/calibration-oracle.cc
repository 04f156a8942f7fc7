/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibrations against OpenCV: undistorted points, homographies, files of FileStorage, measures of lines. */
#include "tests/oracle/oracle.h"

#include <contours/calibration.h>
#include <gst/contours/gstcontours.h>
#include <opencv2/calib3d.hpp>

#include <cmath>
#include <cstring>
#include <unistd.h>

static cv::RNG rng (20);

static const int counts[] = {4, 5, 8, 12, 14};

/* A camera with moderate distortion: the model does not fold inside the picture. */
static CtrCalibration
random_camera (int count)
{
  static const double ranges[14] = {
      0.3, 0.1, 0.003, 0.003, 0.05, 0.1, 0.05, 0.02, 0.003, 0.001, 0.003, 0.001, 0.05, 0.05};
  CtrCalibration c = {};
  c.width = 320 + rng.uniform (0, 1600);
  c.height = 240 + rng.uniform (0, 1200);
  c.has_camera = true;
  c.fx = c.width * rng.uniform (0.7, 2.0);
  c.fy = c.fx * rng.uniform (0.95, 1.05);
  c.cx = c.width * rng.uniform (0.45, 0.55);
  c.cy = c.height * rng.uniform (0.45, 0.55);
  for (int i = 0; i < count; i++)
    c.distortion[i] = rng.uniform (-ranges[i], ranges[i]);
  return c;
}

static cv::Mat
camera_matrix (const CtrCalibration &c)
{
  return (cv::Mat_<double> (3, 3) << c.fx, 0, c.cx, 0, c.fy, c.cy, 0, 0, 1);
}

static cv::Mat
coefficients (const CtrCalibration &c, int count)
{
  return cv::Mat (1, count, CV_64F, const_cast<double *> (c.distortion)).clone ();
}

/* A homography of a plane that is seen at an angle, without a horizon in the picture. */
static cv::Mat
random_homography (const CtrCalibration &c)
{
  return (cv::Mat_<double> (3, 3) << rng.uniform (0.05, 0.2), rng.uniform (-0.02, 0.02), rng.uniform (-50.0, 50.0),
      rng.uniform (-0.02, 0.02), rng.uniform (0.05, 0.2), rng.uniform (-50.0, 50.0), rng.uniform (-0.2, 0.2) / c.width,
      rng.uniform (-0.2, 0.2) / c.height, 1);
}

/* Points that both can convert: OpenCV says nothing of those it cannot. Returns how many were compared. */
static int
compare_points (CtrCalibration c, int count)
{
  const cv::Mat matrix = camera_matrix (c), distortion = coefficients (c, count), homography = random_homography (c);
  const int n = 500;
  std::vector<cv::Point2d> seen, undistorted, expected;
  /* Undistorted points are projected, so that a result is known to exist. */
  for (int i = 0; i < n; i++)
    undistorted.emplace_back (rng.uniform (0.0, double (c.width)), rng.uniform (0.0, double (c.height)));
  std::vector<cv::Point3d> rays;
  for (const cv::Point2d &p : undistorted)
    rays.emplace_back ((p.x - c.cx) / c.fx, (p.y - c.cy) / c.fy, 1);
  cv::projectPoints (rays, cv::Vec3d (), cv::Vec3d (), matrix, distortion, seen);
  cv::undistortPoints (seen, expected, matrix, distortion, cv::noArray (), matrix,
      cv::TermCriteria (cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 300, 1e-13));

  std::vector<cv::Point2d> flat (n);
  size_t undefined = ctr_calibration_points (
      &c, reinterpret_cast<double *> (seen.data ()), n, reinterpret_cast<double *> (flat.data ()));
  std::vector<bool> known (n);
  int compared = 0;
  for (int i = 0; i < n; i++) {
    double x, y;
    REQUIRE (ctr_calibration_project (&c, undistorted[i].x, undistorted[i].y, &x, &y) == !std::isnan (x), "a point");
    if (std::isnan (flat[i].x) || std::isnan (x))
      continue;
    REQUIRE (std::hypot (x - seen[i].x, y - seen[i].y) < 1e-9, "point %d with %d coefficients: (%g, %g), not (%g, %g)",
        i, count, x, y, seen[i].x, seen[i].y);
    const cv::Point2d ray ((flat[i].x - c.cx) / c.fx, (flat[i].y - c.cy) / c.fy);
    const std::vector<cv::Point3d> rays_of_one = {cv::Point3d (ray.x, ray.y, 1)};
    std::vector<cv::Point2d> again;
    cv::projectPoints (rays_of_one, cv::Vec3d (), cv::Vec3d (), matrix, distortion, again);
    REQUIRE (cv::norm (again[0] - seen[i]) < 2e-9, "point %d with %d coefficients is distorted again %g pixels away", i,
        count, cv::norm (again[0] - seen[i]));
    /* Where the picture is stretched, as near the fold of a model, so are differences. */
    double j[4];
    REQUIRE (ctr_calibration_jacobian (&c, seen[i].x, seen[i].y, j), "point %d", i);
    const double stretched = std::fabs (j[0]) + std::fabs (j[1]) + std::fabs (j[2]) + std::fabs (j[3]);
    /* OpenCV's iteration need not converge, and another point may be seen at the same place, behind the fold. */
    const bool same = cv::norm (expected[i] - undistorted[i]) < 1e-7 * stretched;
    REQUIRE (!same || cv::norm (flat[i] - expected[i]) < 2e-7 * stretched,
        "point %d with %d coefficients is undistorted to (%.12g, %.12g), not to (%.12g, %.12g)", i, count, flat[i].x,
        flat[i].y, expected[i].x, expected[i].y);
    known[i] = stretched < 4 && cv::norm (flat[i] - undistorted[i]) < 1e-8 * stretched;
    if (!same)
      continue;
    compared++;
  }
  REQUIRE (undefined < n / 50, "%zu of %d points have no result", undefined, n);

  /* With the homography. */
  std::vector<cv::Point2d> world (n), expected_world;
  cv::perspectiveTransform (undistorted, expected_world, homography);
  c.has_homography = true;
  std::memcpy (c.homography, homography.ptr<double> (), sizeof c.homography);
  std::strcpy (c.unit, "mm");
  REQUIRE (ctr_calibration_check (&c, nullptr), "a random model");
  for (int i = 0; i < n; i++) {
    double j[4], more[4], less[4], x, y;
    const bool ok = ctr_calibration_point (&c, seen[i].x, seen[i].y, &world[i].x, &world[i].y);
    REQUIRE (ok == !std::isnan (flat[i].x) && ok == !std::isnan (world[i].x), "point %d", i);
    if (!known[i])
      continue;
    REQUIRE (std::hypot (world[i].x - expected_world[i].x, world[i].y - expected_world[i].y) < 1e-7,
        "point %d in the world is (%g, %g), not (%g, %g)", i, world[i].x, world[i].y, expected_world[i].x,
        expected_world[i].y);
    REQUIRE (ctr_calibration_project (&c, world[i].x, world[i].y, &x, &y), "point %d", i);
    REQUIRE (std::hypot (x - seen[i].x, y - seen[i].y) < 1e-6, "point %d comes back off by %g", i,
        std::hypot (x - seen[i].x, y - seen[i].y));
    /* The derivatives, by differences. */
    const double h = 1e-3;
    if (!ctr_calibration_point (&c, seen[i].x + h, seen[i].y, &more[0], &more[2])
        || !ctr_calibration_point (&c, seen[i].x, seen[i].y + h, &more[1], &more[3])
        || !ctr_calibration_point (&c, seen[i].x - h, seen[i].y, &less[0], &less[2])
        || !ctr_calibration_point (&c, seen[i].x, seen[i].y - h, &less[1], &less[3]))
      continue;
    REQUIRE (ctr_calibration_jacobian (&c, seen[i].x, seen[i].y, j), "point %d", i);
    for (int k = 0; k < 4; k++) {
      const double slope = (more[k] - less[k]) / (2 * h);
      REQUIRE (std::fabs (slope - j[k]) < 1e-4 * (std::fabs (j[0]) + std::fabs (j[3]) + 0.01),
          "derivative %d of point %d is %g, not %g", k, i, j[k], slope);
    }
  }
  return compared;
}

static std::string folder;

static std::string
path_of (const char *name)
{
  return folder + "/" + name;
}

static void
write_file (const std::string &path, const CtrCalibration &c, int count, bool old_names)
{
  cv::FileStorage file (path, cv::FileStorage::WRITE);
  REQUIRE (file.isOpened (), "%s", path.c_str ());
  file << "calibration_time"
       << "Mon 12:00: \"noon\", {all}"
       << "image_width" << int (c.width) << "image_height" << int (c.height);
  if (*c.unit)
    file << "unit" << c.unit;
  if (c.has_camera) {
    file << (old_names ? "cameraMatrix" : "camera_matrix") << camera_matrix (c);
    file << (old_names ? "dist_coeffs" : "distortion_coefficients")
         << (old_names ? cv::Mat (coefficients (c, count).t ()) : coefficients (c, count));
  }
  if (c.has_homography)
    file << "homography" << cv::Mat (3, 3, CV_64F, const_cast<double *> (c.homography));
  if (c.scale > 0)
    file << "scale" << c.scale;
  file << "image_points" << cv::Mat (20, 30, CV_32FC2, cv::Scalar (1.5, -2.5)) << "names"
       << "["
       << "a"
       << "b: c"
       << "]";
}

/* FileStorage writes 16 or 17 digits, so numbers come back up to their last bit. */
static bool
are_equal (const CtrCalibration &a, const CtrCalibration &b)
{
  const auto near = [] (const double *p, const double *q, int n) {
    for (int i = 0; i < n; i++)
      if (std::fabs (p[i] - q[i]) > 1e-15 * std::fabs (p[i]))
        return false;
    return true;
  };
  return a.width == b.width && a.height == b.height && a.has_camera == b.has_camera
         && a.has_homography == b.has_homography && near (&a.fx, &b.fx, 1) && near (&a.fy, &b.fy, 1)
         && near (&a.cx, &b.cx, 1) && near (&a.cy, &b.cy, 1) && near (a.distortion, b.distortion, 14)
         && near (a.homography, b.homography, 9) && near (&a.scale, &b.scale, 1) && std::strcmp (a.unit, b.unit) == 0;
}

[[maybe_unused]] static void
compare_files (int count)
{
  for (int kind = 0; kind < 3; kind++) {
    CtrCalibration c = random_camera (count);
    if (kind == 0) {
      std::memcpy (c.homography, random_homography (c).ptr<double> (), sizeof c.homography);
      c.has_homography = true;
      std::strcpy (c.unit, "mm");
    } else if (kind == 1) {
      c.scale = rng.uniform (0.001, 2.0);
      std::strcpy (c.unit, "\u00b5m");
    }
    for (const char *name : {"a.yml", "a.yaml", "a.json"}) {
      GError *error = nullptr;
      write_file (path_of (name), c, count, kind == 2);
      GstContoursCalibration *read = gst_contours_calibration_load (path_of (name).c_str (), &error);
      REQUIRE (read, "%s with %d coefficients: %s", name, count, error->message);
      REQUIRE (are_equal (c, *gst_contours_calibration_peek_model (read)), "%s with %d coefficients, kind %d", name,
          count, kind);
      gst_contours_calibration_unref (read);
    }
  }
}

[[maybe_unused]] static void
refuse_other_files ()
{
  const std::pair<const char *, const char *> files[] = {{"a.yml.gz", "gunzip"}, {"a.xml", "XML"}};
  for (const auto &[name, word] : files) {
    GError *error = nullptr;
    write_file (path_of (name), random_camera (5), 5, false);
    REQUIRE (!gst_contours_calibration_load (path_of (name).c_str (), &error), "%s is accepted", name);
    REQUIRE (std::strstr (error->message, word) && std::strstr (error->message, name), "%s", error->message);
    g_error_free (error);
  }
}

/* Lines whose points are single-precision numbers, as OpenCV's functions take them. */
static void
compare_measures (int n)
{
  std::vector<cv::Point2f> points;
  std::vector<double> exact;
  const double radius = rng.uniform (1.0, 100.0), dent = rng.uniform (0.0, 0.8);
  for (int i = 0; i < n; i++) {
    const double angle = 2 * CV_PI * i / n, r = radius * (1 - rng.uniform (0.0, dent));
    points.emplace_back (float (30 + 1.5 * r * std::cos (angle)), float (-70 + r * std::sin (angle)));
    exact.push_back (points.back ().x);
    exact.push_back (points.back ().y);
  }
  CtrWorldShape s;
  REQUIRE (ctr_world_shape_measure (exact.data (), points.size (), true, ~0u, &s, nullptr), "%d points", n);
  const double tolerance = 2e-4 * radius;
  std::vector<cv::Point2f> hull;
  cv::Point2f centre;
  float circle;
  cv::convexHull (points, hull);
  cv::minEnclosingCircle (points, centre, circle);
  const cv::RotatedRect box = cv::minAreaRect (points);
  double diameter = 0, breadth = n > 2 ? 1e9 : 0;
  for (const cv::Point2f &a : hull)
    for (const cv::Point2f &b : hull)
      diameter = std::max (diameter, std::hypot (double (a.x) - b.x, double (a.y) - b.y));
  for (size_t i = 0; hull.size () > 2 && i < hull.size (); i++) {
    const cv::Point2d a = hull[i], b = hull[(i + 1) % hull.size ()];
    double farthest = 0;
    for (const cv::Point2f &p : hull)
      farthest = std::max (farthest, std::fabs ((b - a).cross (cv::Point2d (p) - a)) / cv::norm (b - a));
    breadth = std::min (breadth, farthest);
  }
  REQUIRE (std::fabs (s.area - cv::contourArea (points)) < tolerance * radius, "area %g", s.area);
  REQUIRE (std::fabs (s.perimeter - cv::arcLength (points, true)) < n * tolerance, "perimeter %g", s.perimeter);
  REQUIRE (std::fabs (s.hull_area - cv::contourArea (hull)) < tolerance * radius, "hull area %g", s.hull_area);
  REQUIRE (std::fabs (s.hull_perimeter - cv::arcLength (hull, true)) < n * tolerance, "hull perimeter");
  REQUIRE (std::fabs (s.feret_max - diameter) < tolerance, "diameter %g, not %g", s.feret_max, diameter);
  REQUIRE (std::fabs (s.feret_min - breadth) < tolerance, "breadth %g, not %g", s.feret_min, breadth);
  REQUIRE (s.circle_radius < circle + tolerance, "radius %g, not %g", s.circle_radius, circle);
  for (const cv::Point2f &p : points)
    REQUIRE (std::hypot (p.x - s.circle_x, p.y - s.circle_y) <= s.circle_radius * (1 + 1e-9), "a point outside");
  REQUIRE (s.rectangle_width * s.rectangle_height < box.size.area () + tolerance * radius, "rectangle of %g, not %g",
      s.rectangle_width * s.rectangle_height, box.size.area ());
  const double c = std::cos (s.rectangle_angle * CV_PI / 180), d = std::sin (s.rectangle_angle * CV_PI / 180);
  for (const cv::Point2f &p : points) {
    const double x = p.x - s.rectangle_x, y = p.y - s.rectangle_y;
    REQUIRE (std::fabs (x * c + y * d) <= s.rectangle_width / 2 + 1e-6 * radius
                 && std::fabs (y * c - x * d) <= s.rectangle_height / 2 + 1e-6 * radius,
        "a point outside of the rectangle");
  }
  if (s.area > 0) {
    const cv::Moments m = cv::moments (points);
    REQUIRE (std::hypot (m.m10 / m.m00 - s.cx, m.m01 / m.m00 - s.cy) < 10 * tolerance, "centroid %g %g", s.cx, s.cy);
  }
}

int
main ()
{
  char temporary[] = "/tmp/calibration-oracle-XXXXXX";
  const bool quick = std::getenv ("CTR_TEST_QUICK") != nullptr;
  int models = 0, compared = 0;
  REQUIRE (mkdtemp (temporary), "%s", temporary);
  folder = temporary;
  gst_init (nullptr, nullptr);
  for (int count : counts) {
    for (int i = 0; i < (quick ? 10 : 60); i++, models++)
      compared += compare_points (random_camera (count), count);
#ifdef HAVE_YAML
    compare_files (count);
#endif
  }
#ifdef HAVE_YAML
  refuse_other_files ();
#endif
  for (int n = 1; n < (quick ? 60 : 300); n++)
    compare_measures (n);
  std::filesystem::remove_all (folder);
  std::printf ("%d models: %d points as cv::undistortPoints; files; measures of lines\n", models, compared);
  REQUIRE (compared > models * 400, "%d points", compared);
  return 0;
}
