/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the shape of contours with OpenCV's: convexHull(), contourArea(), arcLength(), convexityDefects(),
 * minAreaRect(), minEnclosingCircle() and HuMoments(). It does so on synthetic masks and the pictures in the folder CTR_TEST_DATA.
 *
 *   shapes-oracle [IMAGES [SEED]]
 *
 * Hulls are equal, vertex by vertex. OpenCV works in single precision, so its rectangle may be larger than the least one, its
 * circle larger or, by its own tolerance, smaller, and it rounds depths to 1/256. What is not OpenCV's is computed here from
 * the points in another way. */
#include "oracle.h"

#include <cmath>
#include <cstring>
#include <set>

static CtrBorders *borders;
static Random rng = {7};
static uint64_t images, compared, defects_compared, defects_refused, ellipses_compared;

typedef std::vector<cv::Point> Line;

static cv::Point
cv_point (const CtrPoint &p)
{
  return cv::Point (p.x, p.y);
}

static double
span (const Line &line, double angle)
{
  const double c = std::cos (angle * CV_PI / 180), s = std::sin (angle * CV_PI / 180);
  double low = 1e9, high = -1e9;
  for (const cv::Point &p : line) {
    low = std::min (low, p.x * c + p.y * s);
    high = std::max (high, p.x * c + p.y * s);
  }
  return high - low;
}

static void
compare_hull (const CtrContourShape &shape, const CtrContourShapeValues &v, const Line &line, const std::string &name)
{
  Line theirs;
  cv::convexHull (line, theirs);
  std::vector<CtrPoint> points;
  for (const cv::Point &p : line)
    points.push_back ({uint16_t (p.x), uint16_t (p.y)});
  std::vector<uint32_t> ours (points.size ());
  ours.resize (ctr_contour_hull (points.data (), uint32_t (points.size ()), ours.data ()));
  /* Both turn the same way; the first vertex differs. */
  REQUIRE (ours.size () == theirs.size () && shape.hull_count == ours.size (), "%s: %zu vertices instead of %zu",
      name.c_str (), ours.size (), theirs.size ());
  const size_t shift = size_t (std::find (theirs.begin (), theirs.end (), line[ours[0]]) - theirs.begin ());
  for (size_t i = 0; i < ours.size (); i++)
    REQUIRE (line[ours[i]] == theirs[(i + shift) % theirs.size ()], "%s: vertex %zu", name.c_str (), i);
  REQUIRE (v.hull_area == cv::contourArea (theirs), "%s: area of the hull", name.c_str ());
  REQUIRE (std::fabs (v.hull_perimeter - cv::arcLength (theirs, true)) <= 1e-6 * (1 + v.hull_perimeter),
      "%s: perimeter of the hull", name.c_str ());
}

/* Defects of contours that touch themselves are beyond OpenCV, which refuses most of them. */
static void
compare_defects (const CtrContourShapeValues &v, const Line &line, const std::string &name)
{
  std::set<std::pair<int, int>> different;
  for (const cv::Point &p : line)
    different.insert ({p.x, p.y});
  std::vector<int> hull;
  std::vector<cv::Vec4i> defects;
  cv::convexHull (line, hull);
  if (different.size () < line.size () || hull.size () < 3 || line.size () < 4) {
    defects_refused++;
    return;
  }
  cv::convexityDefects (line, hull, defects);
  int deepest = 0;
  for (const cv::Vec4i &d : defects)
    deepest = std::max (deepest, d[3]);
  REQUIRE (std::fabs (v.defect_depth - deepest / 256.0) <= 0.5001 / 256, "%s: depth %.17g instead of %.17g",
      name.c_str (), v.defect_depth, deepest / 256.0);
  defects_compared++;
}

static void
compare_rectangle (const CtrContourShapeValues &v, const Line &line, const std::string &name)
{
  const double area = v.rectangle_width * v.rectangle_height;
  const cv::RotatedRect theirs = cv::minAreaRect (line);
  const double size = 1 + v.rectangle_width + v.rectangle_height;
  REQUIRE (area <= double (theirs.size.area ()) * (1 + 1e-4) + 1e-3 * size, "%s: rectangle of %g instead of %g",
      name.c_str (), area, double (theirs.size.area ()));
  REQUIRE (area >= double (theirs.size.area ()) * (1 - 1e-4) - 1e-3 * size, "%s: rectangle of %g instead of %g",
      name.c_str (), area, double (theirs.size.area ()));
  REQUIRE (v.rectangle_angle >= 0 && v.rectangle_angle < 90, "%s: angle %g", name.c_str (), v.rectangle_angle);
  const double c = std::cos (v.rectangle_angle * CV_PI / 180), s = std::sin (v.rectangle_angle * CV_PI / 180);
  for (const cv::Point &p : line) {
    const double dx = p.x - v.rectangle_x, dy = p.y - v.rectangle_y;
    REQUIRE (std::fabs (dx * c + dy * s) <= v.rectangle_width / 2 + 1e-6
                 && std::fabs (dy * c - dx * s) <= v.rectangle_height / 2 + 1e-6,
        "%s: a point outside the rectangle", name.c_str ());
  }
}

static void
compare_feret (const CtrContourShapeValues &v, const Line &line, const std::string &name)
{
  Line hull;
  cv::convexHull (line, hull);
  double greatest = 0;
  for (const cv::Point &p : hull)
    for (const cv::Point &q : hull)
      greatest = std::max (greatest, cv::norm (p - q));
  REQUIRE (std::fabs (v.feret_max - greatest) <= 1e-9 * (1 + greatest), "%s: diameter", name.c_str ());
  if (hull.size () < 2)
    return;
  REQUIRE (
      std::fabs (span (hull, v.feret_max_angle) - v.feret_max) <= 1e-6, "%s: angle of the diameter", name.c_str ());
  REQUIRE (std::fabs (span (hull, v.feret_min_angle) - v.feret_min) <= 1e-6, "%s: angle of the width", name.c_str ());
  double least = greatest;
  for (size_t i = 0; i < hull.size (); i++) {
    const cv::Point d = hull[(i + 1) % hull.size ()] - hull[i];
    least = std::min (least, span (hull, std::atan2 (d.x, -d.y) * 180 / CV_PI));
  }
  REQUIRE (
      std::fabs (v.feret_min - least) <= 1e-6, "%s: width %.17g instead of %.17g", name.c_str (), v.feret_min, least);
}

static void
compare_circle (const CtrContourShapeValues &v, const Line &line, const std::string &name)
{
  cv::Point2f centre;
  float radius;
  cv::minEnclosingCircle (line, centre, radius);
  REQUIRE (std::fabs (v.circle_radius - radius) <= 1e-3 + 1e-4 * radius, "%s: radius %.17g instead of %.9g",
      name.c_str (), v.circle_radius, radius);
  double farthest = 0;
  for (const cv::Point &p : line)
    farthest = std::max (farthest, std::hypot (p.x - v.circle_x, p.y - v.circle_y));
  REQUIRE (std::fabs (farthest - v.circle_radius) <= 1e-9 * (1 + farthest), "%s: the circle", name.c_str ());
}

/* The sum of squared values of the ellipse's equation, with 4 a c - b^2 = 1. */
static double
cost_of (double x, double y, double major, double minor, double degrees, const Line &all)
{
  const double c = std::cos (degrees * CV_PI / 180), s = std::sin (degrees * CV_PI / 180), factor = major * minor / 2;
  double cost = 0;
  for (const cv::Point &p : all) {
    const double along = ((p.x - x) * c + (p.y - y) * s) / major, across = ((p.y - y) * c - (p.x - x) * s) / minor;
    cost += std::pow ((along * along + across * across - 1) * factor, 2);
  }
  return cost;
}

/* OpenCV's result has single precision. No ellipse near ours may be better, either. */
static void
compare_ellipse (const CtrContourShapeValues &v, const Line &all, const std::string &name)
{
  if (std::isnan (v.ellipse_major))
    return;
  const double angle = std::isnan (v.ellipse_angle) ? 0 : v.ellipse_angle;
  const double ours = cost_of (v.ellipse_x, v.ellipse_y, v.ellipse_major, v.ellipse_minor, angle, all);
  REQUIRE (v.ellipse_major >= v.ellipse_minor && v.ellipse_minor > 0, "%s: half axes", name.c_str ());
  if (v.ellipse_major > 1e3 * (1 + v.feret_max) || v.ellipse_minor < 0.5) /* nearly a parabola, or a line */
    return;
  const double slack = 1e-9 * double (all.size ()) * std::pow (v.ellipse_major, 4);
  for (int i = 0; i < 10; i++) {
    const double step = (i % 2 ? 1e-3 : -1e-3) * v.ellipse_minor;
    const double other = cost_of (v.ellipse_x + (i / 2 == 0) * step, v.ellipse_y + (i / 2 == 1) * step,
        v.ellipse_major + (i / 2 == 2) * step, v.ellipse_minor + (i / 2 == 3) * step,
        angle + (i / 2 == 4) * 0.05 * (i % 2 ? 1 : -1), all);
    REQUIRE (other >= ours - slack, "%s: a better ellipse, %d: %.17g instead of %.17g", name.c_str (), i, other, ours);
  }
  if (all.size () < 6)
    return;
  const cv::RotatedRect theirs = cv::fitEllipseDirect (all);
  const double width = theirs.size.width / 2.0, height = theirs.size.height / 2.0;
  if (!(width > 0 && height > 0))
    return;
  const double cost = cost_of (theirs.center.x, theirs.center.y, width, height, theirs.angle, all);
  REQUIRE (cost >= ours - slack, "%s: OpenCV's ellipse is better: %.17g instead of %.17g", name.c_str (), cost, ours);
  /* Often it takes another method, as fitEllipse() does, so the axes are compared where pixels are near an ellipse. */
  const double residual = std::sqrt (ours / double (all.size ())) / (v.ellipse_major * v.ellipse_minor / 2);
  if (all.size () >= 30 && residual < 0.05) {
    const double size = 0.03 * v.ellipse_major;
    REQUIRE (std::fabs (std::max (width, height) - v.ellipse_major) < size
                 && std::fabs (std::min (width, height) - v.ellipse_minor) < size
                 && std::hypot (theirs.center.x - v.ellipse_x, theirs.center.y - v.ellipse_y) < size,
        "%s: axes %g, %g instead of %g, %g", name.c_str (), v.ellipse_major, v.ellipse_minor, width, height);
    ellipses_compared++;
  }
}

/* The root of the mean squared distance from a line. */
static double
deviation_from (const cv::Point2d &on, double c, double s, const Line &all)
{
  double sum = 0;
  for (const cv::Point &p : all)
    sum += std::pow ((p.y - on.y) * c - (p.x - on.x) * s, 2);
  return std::sqrt (sum / double (all.size ()));
}

/* ALL: every pixel of the contour. */
static void
compare_fits (const CtrContourShapeValues &v, const Line &all, const std::string &name)
{
  const double angle = std::isnan (v.line_angle) ? 0 : v.line_angle * CV_PI / 180, size = 1 + v.feret_max;
  const double deviation = deviation_from ({v.line_x, v.line_y}, std::cos (angle), std::sin (angle), all);
  REQUIRE (std::fabs (deviation - v.line_deviation) <= 1e-7 * size, "%s: deviation %.17g instead of %.17g",
      name.c_str (), v.line_deviation, deviation);
  if (all.size () > 1) {
    cv::Vec4f line;
    Line near_origin = all; /* It works in single precision. */
    for (cv::Point &p : near_origin)
      p -= all[0];
    cv::fitLine (near_origin, line, cv::DIST_L2, 0, 0.01, 0.01);
    const double theirs = deviation_from ({line[2], line[3]}, line[0], line[1], near_origin);
    REQUIRE (std::fabs (deviation - theirs) <= 1e-3 + 1e-5 * size, "%s: line of %g instead of %g", name.c_str (),
        deviation, theirs);
  }
  compare_ellipse (v, all, name);
  REQUIRE (std::isnan (v.fit_circle_x) == (v.line_deviation < 1e-7), "%s: circle of a line", name.c_str ());
  if (std::isnan (v.fit_circle_x))
    return;
  cv::Mat a (int (all.size ()), 3, CV_64F), b (int (all.size ()), 1, CV_64F), solution;
  for (int i = 0; i < a.rows; i++) {
    const double x = (all[i].x - v.line_x) / size, y = (all[i].y - v.line_y) / size;
    a.at<double> (i, 0) = 2 * x;
    a.at<double> (i, 1) = 2 * y;
    a.at<double> (i, 2) = 1;
    b.at<double> (i) = x * x + y * y;
  }
  cv::solve (a, b, solution, cv::DECOMP_SVD);
  const double x = solution.at<double> (0), y = solution.at<double> (1),
               radius = std::sqrt (solution.at<double> (2) + x * x + y * y), near = 1e-6 * (1 + radius * radius);
  double squares = 0;
  for (int i = 0; i < a.rows; i++)
    squares += std::pow (
        std::pow (a.at<double> (i, 0) / 2 - x, 2) + std::pow (a.at<double> (i, 1) / 2 - y, 2) - radius * radius, 2);
  REQUIRE (std::fabs (v.line_x + x * size - v.fit_circle_x) <= near * size
               && std::fabs (v.line_y + y * size - v.fit_circle_y) <= near * size
               && std::fabs (radius * size - v.fit_circle_radius) <= near * size,
      "%s: circle at %.12g, %.12g of %.12g", name.c_str (), v.fit_circle_x, v.fit_circle_y, v.fit_circle_radius);
  REQUIRE (std::fabs (std::sqrt (squares / a.rows) / (2 * radius) * size - v.fit_circle_deviation) <= 10 * near * size,
      "%s: deviation %g from the circle", name.c_str (), v.fit_circle_deviation);
}

/* ALL: every pixel of the contour. */
static void
compare_distances (const CtrContour &row, const CtrContourShapeValues &v, const CtrContourSums &sums, const Line &all,
    const std::string &name)
{
  cv::Point2d centre;
  if (row.area2) {
    CtrContourMoments m;
    ctr_contour_moments (&sums, &m);
    centre = cv::Point2d (m.m[1] / m.m[0], m.m[2] / m.m[0]);
  } else {
    for (const cv::Point &p : all)
      centre += cv::Point2d (p) / double (all.size ());
  }
  double mean = 0, variance = 0, greatest = 0;
  for (const cv::Point &p : all) {
    mean += cv::norm (cv::Point2d (p) - centre) / double (all.size ());
    greatest = std::max (greatest, cv::norm (cv::Point2d (p) - centre));
  }
  for (const cv::Point &p : all)
    variance += std::pow (cv::norm (cv::Point2d (p) - centre) - mean, 2) / double (all.size ());
  /* The centroid is rounded to 1/256. */
  REQUIRE (std::fabs (v.distance_mean - mean) <= 0.004 && std::fabs (v.distance_max - greatest) <= 0.004,
      "%s: distances %g, %g instead of %g, %g", name.c_str (), v.distance_mean, v.distance_max, mean, greatest);
  REQUIRE (std::fabs (v.distance_deviation - std::sqrt (variance)) <= 0.004, "%s: deviation %g instead of %g",
      name.c_str (), v.distance_deviation, std::sqrt (variance));
}

static void
compare_moments (const CtrContourShapeValues &v, const Line &line, const std::string &name)
{
  const cv::Moments m = cv::moments (line);
  if (m.m00 < 100) /* OpenCV's rounding errors outweigh what little area there is. */
    return;
  double hu[7];
  cv::HuMoments (m, hu);
  /* OpenCV's rounding errors grow with the elongation. */
  static const int degrees[7] = {1, 2, 3, 3, 6, 4, 6};
  for (int i = 0; i < 7; i++)
    REQUIRE (
        std::fabs (v.hu[i] - hu[i]) <= 1e-5 * std::pow (1 + hu[0], degrees[i]), "%s: Hu's moment %d", name.c_str (), i);
  /* The eigenvalues of the second moments. */
  const cv::Matx22d second (m.mu20 / m.m00, m.mu11 / m.m00, m.mu11 / m.m00, m.mu02 / m.m00);
  cv::Vec2d values;
  cv::eigen (second, values);
  REQUIRE (std::fabs (v.major - 2 * std::sqrt (values[0])) <= 1e-4 * (1 + v.major)
               && std::fabs (v.minor - 2 * std::sqrt (std::max (0.0, values[1]))) <= 1e-3 * (1 + v.minor),
      "%s: axes %g, %g", name.c_str (), v.major, v.minor);
}

static void
compare (const cv::Mat &mask, const std::string &name)
{
  std::vector<Line> all;
  std::vector<cv::Vec4i> hierarchy;
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.foreground.threshold = 1;
  params.mode = CTR_RETRIEVE_TREE;
  params.approximation = static_cast<CtrApproximation> (1 + random_below (&rng, 2));
  params.features = CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_FITS | CTR_CONTOUR_SHAPE_FEATURES;
  params.feret_angle = random_below (&rng, 360);
  const CtrImage image = image_of (mask);
  CtrError error;
  CtrContours *contours = ctr_borders_run (borders, &image, &params, nullptr, &error);
  REQUIRE (contours, "%s", error.message);
  const CtrContour *table = ctr_contours_map_table (contours, nullptr);
  const CtrPoint *points = ctr_contours_map_points (contours, nullptr);
  const CtrContourSums *sums = ctr_contours_map_sums (contours, nullptr);
  const CtrContourShape *shapes = ctr_contours_map_shapes (contours, nullptr);
  const CtrContourFits *fits = ctr_contours_map_fits (contours, nullptr);
  cv::findContours (mask, all, hierarchy, cv::RETR_TREE, cv::CHAIN_APPROX_NONE);
  REQUIRE (contours->count == all.size (), "%s: contours", name.c_str ());
  images++;
  for (uint32_t i = 0; i < contours->count; i++) {
    const std::string what = name + ", contour " + std::to_string (i);
    Line line;
    for (uint32_t k = 0; k < table[i].count; k++)
      line.push_back (cv_point (points[table[i].first + k]));
    CtrContourShapeValues v;
    ctr_contour_shape_values (contours, &table[i], &shapes[i], &sums[i], &fits[i], &v);
    compare_hull (shapes[i], v, line, what);
    compare_defects (v, line, what);
    compare_rectangle (v, line, what);
    compare_feret (v, line, what);
    compare_circle (v, line, what);
    compare_distances (table[i], v, sums[i], all[i], what);
    compare_moments (v, line, what);
    compare_fits (v, all[i], what);
    REQUIRE (std::fabs (span (line, params.feret_angle) - v.feret_extent) <= 1e-7 * (1 + v.feret_max),
        "%s: extent %.17g", what.c_str (), v.feret_extent);
    REQUIRE (std::isnan (v.compactness) ? table[i].area2 == 0 : std::fabs (v.compactness * v.circularity - 1) <= 1e-12,
        "%s: compactness", what.c_str ());
    const cv::Rect box = cv::boundingRect (line);
    REQUIRE (v.touches_frame == (box.x == 0 || box.y == 0 || box.br ().x == mask.cols || box.br ().y == mask.rows),
        "%s: touches the frame", what.c_str ());
    double holes = 0, hole_area = 0;
    for (int k = hierarchy[i][2]; k >= 0; k = hierarchy[k][0]) {
      holes++;
      hole_area += cv::contourArea (all[k]);
    }
    if (table[i].flags & CTR_CONTOUR_HOLE)
      REQUIRE (std::isnan (v.holes) && std::isnan (v.euler_number), "%s: holes of a hole", what.c_str ());
    else
      REQUIRE (v.holes == holes && v.hole_area == hole_area && v.euler_number == 1 - holes, "%s: holes", what.c_str ());
    compared++;
  }
  ctr_contours_unref (contours);
}

static void
compare_random (uint32_t side)
{
  uint32_t width = 1 + random_below (&rng, side), height = 1 + random_below (&rng, side);
  cv::Mat mask (int (height), int (width), CV_8U);
  std::string name;
  uint8_t *pixels = nullptr;
  switch (random_below (&rng, 4)) {
    case 0: {
      const Shape shape = static_cast<Shape> (random_below (&rng, SHAPE_COUNT));
      pixels = shape_new (shape, width, height);
      name = shape_names[shape];
      break;
    }
    case 1: {
      pixels = grey_new (&rng, width, height);
      name = "grey";
      for (uint32_t i = 0; i < width * height; i++)
        pixels[i] = pixels[i] >= 128;
      break;
    }
    default:
      pixels = noise_new (&rng, width, height, random_below (&rng, 101), 1 + random_below (&rng, 8));
      name = "noise";
  }
  std::memcpy (mask.data, pixels, mask.total ());
  std::free (pixels);
  /* Discs and polygons have many sides. */
  if (random_below (&rng, 3) == 0)
    cv::ellipse (mask, cv::Point (int (random_below (&rng, width)), int (random_below (&rng, height))),
        cv::Size (int (random_below (&rng, width)), int (random_below (&rng, height))), random_below (&rng, 180), 0,
        360, random_below (&rng, 2), cv::FILLED);
  compare (mask, name + " of " + std::to_string (width) + " x " + std::to_string (height));
}

static void
compare_picture (const std::filesystem::path &path)
{
  cv::Mat grey, mask;
  read_picture (path, &grey);
  grey.convertTo (grey, CV_8U, grey.depth () == CV_16U ? 1 / 256.0 : 1);
  cv::threshold (grey, mask, 0, 1, cv::THRESH_BINARY | cv::THRESH_OTSU);
  compare (mask, path.filename ().string ());
}

/* Coordinates up to the largest: products need all their bits. */
static void
test_far (void)
{
  cv::Mat wide = cv::Mat::zeros (65, CTR_MAX_SIDE, CV_8U), high;
  cv::line (wide, {0, 3}, {CTR_MAX_SIDE - 1, 60}, 1);
  cv::line (wide, {100, 64}, {CTR_MAX_SIDE - 200, 40}, 1);
  cv::transpose (wide, high);
  compare (wide, "wide lines");
  compare (high, "high lines");
  compare (cv::Mat::ones (40, CTR_MAX_SIDE, CV_8U), "a wide rectangle");
}

int
main (int argc, char **argv)
{
  const uint64_t count = argc > 1 ? std::strtoull (argv[1], nullptr, 0) : is_quick () ? 2000 : 10000;
  rng.state = argc > 2 ? std::strtoull (argv[2], nullptr, 0) : 7;
  cv::setNumThreads (1);
  borders = ctr_borders_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (borders, "ctr_borders_new");
  for (uint64_t i = 0; i < count; i++)
    compare_random (i % 100 == 0 ? 300 : i % 10 == 0 ? 100 : 32);
  test_far ();
  for_each_picture (compare_picture);
  ctr_borders_free (borders);
  std::printf ("%llu images, %llu contours equal; defects of %llu, of %llu OpenCV has none or the contour touches "
               "itself; %llu ellipses\n",
      static_cast<unsigned long long> (images), static_cast<unsigned long long> (compared),
      static_cast<unsigned long long> (defects_compared), static_cast<unsigned long long> (defects_refused),
      static_cast<unsigned long long> (ellipses_compared));
  return 0;
}
