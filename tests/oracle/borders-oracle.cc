/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the border following with cv::findContours(): points, order and hierarchy; and what is derived
 * from the points with cv::contourArea(), arcLength(), boundingRect(), moments() and approxPolyDP(). It does so on
 * synthetic masks and the pictures in the folder CTR_TEST_DATA.
 *
 *   borders-oracle [IMAGES [SEED]]
 *
 * All results are equal, with two exceptions. The core's moments are exact, but OpenCV rounds each step of its sums.
 * The core's simplification measures distances from the segment between two points, as OpenCV does since 4.13; before,
 * OpenCV measured them from the line through the points. The reference implements both, so that an older OpenCV
 * confirms the reference, and the reference confirms the core. */
#include "oracle.h"
#include "tests/core/results/codes_reference.h"
#include "tests/core/results/simplify_reference.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

static CtrBorders *borders;
static Random rng = {5};
static uint64_t images, contours_compared, simplified, simplified_directly;
static ReferenceDistance opencv_distance; /* the installed OpenCV's */

static CtrContours *
follow (const CtrImage &image, const CtrBordersParams &params)
{
  CtrError error;
  CtrContours *contours = ctr_borders_run (borders, &image, &params, nullptr, &error);
  REQUIRE (contours, "%s", error.message);
  return contours;
}

static bool
equal (const std::vector<cv::Point> &line, const CtrContour &row, const CtrPoint *points)
{
  if (line.size () != row.count)
    return false;
  for (uint32_t i = 0; i < row.count; i++)
    if (line[i].x != points[row.first + i].x || line[i].y != points[row.first + i].y)
      return false;
  return true;
}

/* The bound of OpenCV's rounding error in the moment of order (P, Q): each segment's term is |c| (x0 + x1)^P (y0 +
 * y1)^Q at most. The bound is 0 if the sum fits into a double's 53 bits. */
static double
rounding (const std::vector<cv::Point> &line, int p, int q)
{
  double sum = 0;
  cv::Point from = line.back ();
  for (const cv::Point &to : line) {
    const double c = double (from.x) * to.y - double (to.x) * from.y;
    sum += std::fabs (c) * std::pow (from.x + to.x, p) * std::pow (from.y + to.y, q);
    from = to;
  }
  return sum < 9e15 ? 0 : sum * double (line.size ()) * std::numeric_limits<double>::epsilon ();
}

static void
compare_moments (
    const CtrContour &row, const CtrContourSums &sums, const std::vector<cv::Point> &line, const std::string &name)
{
  CtrContourMoments ours;
  ctr_contour_moments (&sums, &ours);
  const cv::Moments m = cv::moments (line);
  const double spatial[10] = {m.m00, m.m10, m.m01, m.m20, m.m11, m.m02, m.m30, m.m21, m.m12, m.m03};
  const double central[7] = {m.mu20, m.mu11, m.mu02, m.mu30, m.mu21, m.mu12, m.mu03};
  const double normalised[7] = {m.nu20, m.nu11, m.nu02, m.nu30, m.nu21, m.nu12, m.nu03};
  static const int p[10] = {0, 1, 0, 2, 1, 0, 3, 2, 1, 0}, q[10] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3};
  for (int i = 0; i < 10; i++)
    REQUIRE (std::fabs (ours.m[i] - spatial[i]) <= 1e-12 * std::fabs (spatial[i]) + rounding (line, p[i], q[i]),
        "%s: spatial moment %d: %.17g, %.17g", name.c_str (), i, ours.m[i], spatial[i]);
  /* Differences of numbers as large as this. */
  for (int i = 0; i < 7; i++) {
    const double scale = m.m00 * std::pow (row.left + row.width, p[i + 3]) * std::pow (row.top + row.height, q[i + 3]);
    const double norm = m.m00 > 0 ? std::pow (m.m00, -(p[i + 3] + q[i + 3]) / 2.0 - 1) : 0;
    REQUIRE (std::fabs (ours.mu[i] - central[i]) <= 1e-10 * scale, "%s: central moment %d: %.17g, %.17g", name.c_str (),
        i, ours.mu[i], central[i]);
    REQUIRE (std::fabs (ours.nu[i] - normalised[i]) <= 1e-10 * scale * norm, "%s: normalised moment %d: %.17g, %.17g",
        name.c_str (), i, ours.nu[i], normalised[i]);
  }
}

static void
compare_features (
    const CtrContour &row, const CtrContourSums &sums, const std::vector<cv::Point> &line, const std::string &name)
{
  REQUIRE (ctr_contour_area (&row, true) == cv::contourArea (line, true), "%s: signed area", name.c_str ());
  REQUIRE (ctr_contour_area (&row, false) == cv::contourArea (line), "%s: area", name.c_str ());
  REQUIRE (ctr_contour_perimeter (&row) == cv::arcLength (line, true), "%s: length", name.c_str ());
  REQUIRE (cv::Rect (row.left, row.top, row.width, row.height) == cv::boundingRect (line), "%s: box", name.c_str ());
  compare_moments (row, sums, line, name);
}

static bool
equal (const std::vector<CtrPoint> &a, const CtrPoint *b, size_t count)
{
  return a.size () == count && std::memcmp (a.data (), b, count * sizeof *b) == 0;
}

static std::vector<CtrPoint>
points_of (const std::vector<cv::Point> &line)
{
  std::vector<CtrPoint> points;
  for (const cv::Point &p : line)
    points.push_back ({static_cast<uint16_t> (p.x), static_cast<uint16_t> (p.y)});
  return points;
}

static std::vector<CtrPoint>
simplify_by_opencv (const std::vector<CtrPoint> &points, double epsilon)
{
  std::vector<cv::Point> line, simple;
  for (const CtrPoint &p : points)
    line.emplace_back (p.x, p.y);
  cv::approxPolyDP (line, simple, epsilon, true);
  return points_of (simple);
}

static std::vector<CtrPoint>
simplify_by_reference (const std::vector<CtrPoint> &points, double epsilon, ReferenceDistance distance)
{
  std::vector<CtrPoint> simple (points.size ());
  simple.resize (reference_simplify (points.data (), uint32_t (points.size ()), epsilon, distance, simple.data ()));
  return simple;
}

/* Returns what OpenCV 4.13 and newer keep of POINTS, as far as the installed OpenCV can tell. */
static std::vector<CtrPoint>
simplify (const std::vector<CtrPoint> &points, double epsilon, const std::string &name)
{
  const std::vector<CtrPoint> theirs = simplify_by_opencv (points, epsilon);
  const std::vector<CtrPoint> same = simplify_by_reference (points, epsilon, opencv_distance);
  REQUIRE (equal (same, theirs.data (), theirs.size ()), "%s: the reference, epsilon %.17g", name.c_str (), epsilon);
  const std::vector<CtrPoint> expected = simplify_by_reference (points, epsilon, REFERENCE_SEGMENT);
  simplified++;
  simplified_directly += equal (expected, theirs.data (), theirs.size ());
  return expected;
}

/* The distance of the tip (2, 1) is 1 from the line through (3, 2) and (5, 2), but 1.41 from the segment. */
static void
find_distance_of_opencv ()
{
  const std::vector<CtrPoint> hook = {{4, 0}, {4, 1}, {3, 2}, {2, 1}, {3, 2}, {4, 1}, {5, 2}, {4, 1}};
  const size_t kept = simplify_by_opencv (hook, 1).size ();
  REQUIRE (kept == 3 || kept == 4, "%zu points", kept);
  opencv_distance = kept == 3 ? REFERENCE_LINE : REFERENCE_SEGMENT;
  std::printf ("OpenCV %s: approxPolyDP measures from %s\n", cv::getVersionString ().c_str (),
      opencv_distance == REFERENCE_LINE ? "the endless line, as before 4.13" : "the segment, as since 4.13");
}

/* Compares the reference with OpenCV on random lines; another test compares the core with the reference. */
static void
test_reference ()
{
  for (int i = 0; i < (is_quick () ? 20000 : 300000); i++) {
    std::vector<CtrPoint> points (RANDOM_LINE_POINTS);
    points.resize (random_line (&rng, points.data ()));
    (void) simplify (points, random_epsilon (&rng), "random line " + std::to_string (i));
  }
  std::printf ("%llu random lines: the reference is equal; for %llu of them both distances give the same\n",
      static_cast<unsigned long long> (simplified), static_cast<unsigned long long> (simplified_directly));
  simplified = simplified_directly = 0;
}

static void
compare_simplified (const CtrImage &image, CtrBordersParams params, const std::vector<std::vector<cv::Point>> &lines,
    const std::string &name)
{
  params.epsilon = random_epsilon (&rng);
  CtrContours *contours = follow (image, params);
  const CtrContour *table = ctr_contours_map_table (contours, nullptr);
  const CtrPoint *points = ctr_contours_map_points (contours, nullptr);
  REQUIRE (contours->count == lines.size (), "%s, simplified: %u contours", name.c_str (), contours->count);
  for (uint32_t i = 0; i < contours->count; i += is_quick () ? 8 : 1) {
    const std::vector<CtrPoint> expected = simplify (points_of (lines[i]), params.epsilon, name);
    REQUIRE (equal (expected, points + table[i].first, table[i].count),
        "%s, simplified by %.17g: contour %u of %zu points", name.c_str (), params.epsilon, i, lines[i].size ());
  }
  ctr_contours_unref (contours);
}

/* OpenCV analyses MASK, which is the foreground of IMAGE by PARAMS. */
static void
compare (const CtrImage &image, CtrBordersParams params, const cv::Mat &mask, const std::string &name)
{
  static const char *const modes[] = {"EXTERNAL", "LIST", "CCOMP", "TREE"};
  std::vector<std::vector<cv::Point>> expected;
  std::vector<cv::Vec4i> hierarchy;
  images++;
  for (int mode = 0; mode < 4; mode++)
    for (int approximation = 1; approximation <= 2; approximation++) {
      const std::string what = name + ", " + modes[mode] + (approximation == 1 ? ", NONE" : ", SIMPLE");
      const bool features = random_below (&rng, 4) == uint32_t (mode);
      cv::findContours (mask, expected, hierarchy, mode, approximation);
      params.mode = static_cast<CtrRetrieval> (mode);
      params.approximation = static_cast<CtrApproximation> (approximation);
      params.features = features ? CTR_CONTOUR_FEATURE_MOMENTS : 0;
      CtrContours *contours = follow (image, params);
      const CtrContour *table = ctr_contours_map_table (contours, nullptr);
      const CtrPoint *points = ctr_contours_map_points (contours, nullptr);
      const CtrContourSums *sums = ctr_contours_map_sums (contours, nullptr);
      REQUIRE (contours->count == expected.size (), "%s: %u contours instead of %zu", what.c_str (), contours->count,
          expected.size ());
      uint64_t first = 0;
      for (uint32_t i = 0; i < contours->count; i++) {
        const CtrContour &row = table[i];
        REQUIRE (row.first == first, "%s: first point of contour %u", what.c_str (), i);
        REQUIRE (equal (expected[i], row, points), "%s: points of contour %u", what.c_str (), i);
        REQUIRE (hierarchy[i] == cv::Vec4i (row.next, row.previous, row.child, row.parent), "%s: hierarchy of %u",
            what.c_str (), i);
        if (features)
          compare_features (row, sums[i], expected[i], what + ", contour " + std::to_string (i));
        first += row.count;
      }
      REQUIRE (first == contours->point_count, "%s: points", what.c_str ());
      contours_compared += contours->count;
      check_codes (contours);
      ctr_contours_unref (contours);
      if (features)
        compare_simplified (image, params, expected, what);
    }
}

/* Compares the results on MASK, and frees it. */
static void
compare_mask (uint8_t *mask, uint32_t width, uint32_t height, const std::string &name)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.foreground.threshold = 1;
  const cv::Mat mat (int (height), int (width), CV_8U, mask);
  compare (image_of (mat), params, mat,
      name + " of " + std::to_string (width) + " x " + std::to_string (height) + " pixels");
  std::free (mask);
}

/* Returns a mask of smooth noise, cut at a random level. */
static uint8_t *
blobs_new (uint32_t width, uint32_t height)
{
  cv::Mat grey (int (height), int (width), CV_8U);
  for (uint32_t i = 0; i < width * height; i++)
    grey.data[i] = uint8_t (random_next (&rng));
  const double sigma = 0.6 + random_below (&rng, 30) / 10.0;
  cv::GaussianBlur (grey, grey, cv::Size (), sigma, sigma);
  cv::threshold (grey, grey, 118 + random_below (&rng, 20), 1, cv::THRESH_BINARY);
  uint8_t *mask = static_cast<uint8_t *> (std::malloc (grey.total ()));
  std::memcpy (mask, grey.data, grey.total ());
  return mask;
}

static void
compare_random (uint32_t side)
{
  uint32_t width = 1 + random_below (&rng, side), height = 1 + random_below (&rng, side);
  switch (random_below (&rng, 10)) {
    case 0:
      return compare_mask (blobs_new (width, height), width, height, "blobs");
    case 1: {
      const Shape shape = static_cast<Shape> (random_below (&rng, SHAPE_COUNT));
      return compare_mask (shape_new (shape, width, height), width, height, shape_names[shape]);
    }
    case 2: {
      const Shape shape = static_cast<Shape> (random_below (&rng, SHAPE_COUNT));
      uint8_t *mask = shape_new (shape, width, height);
      for (uint32_t i = 0; i < width * height / 20; i++)
        mask[random_below (&rng, width * height)] ^= 1;
      return compare_mask (mask, width, height, std::string (shape_names[shape]) + " with noise");
    }
    case 3:
      (random_below (&rng, 2) ? width : height) = 1;
      break;
    default:
      break;
  }
  const uint32_t grain = random_below (&rng, 3) ? 1 : 1 + random_below (&rng, 8);
  const uint32_t density = random_below (&rng, 101);
  compare_mask (noise_new (&rng, width, height, density, grain), width, height,
      std::to_string (density) + " % noise in squares of " + std::to_string (grain));
}

static void
test_large ()
{
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    compare_mask (shape_new (static_cast<Shape> (shape), 320, 257), 320, 257, shape_names[shape]);
  compare_mask (noise_new (&rng, 65535, 7, 50, 1), 65535, 7, "wide noise");
  compare_mask (noise_new (&rng, 7, 65535, 50, 1), 7, 65535, "high noise");
  compare_mask (blobs_new (900, 700), 900, 700, "blobs");
}

static void
compare_picture (const std::filesystem::path &path)
{
  cv::Mat grey, mask;
  const cv::Mat picture = read_picture (path, &grey);
  const double maximum = picture.depth () == CV_16U ? 65535 : 255;
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  for (int otsu = 0; otsu <= 1; otsu++)
    for (int invert = 0; invert <= 1; invert++) {
      params.foreground.mode = otsu ? CTR_THRESHOLD_OTSU : CTR_THRESHOLD_FIXED;
      params.foreground.threshold = picture.depth () == CV_16U ? 9000 : 110;
      params.foreground.invert = invert;
      const int type = (invert ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY) | (otsu ? cv::THRESH_OTSU : 0);
      cv::threshold (grey, mask, params.foreground.threshold - 1, maximum, type);
      mask.convertTo (mask, CV_8U, 255 / maximum);
      compare (image_of (picture), params, mask,
          path.filename ().string () + (otsu ? ", Otsu" : ", fixed threshold") + (invert ? ", inverted" : ""));
    }
}

int
main (int argc, char **argv)
{
  const uint64_t count = argc > 1 ? std::strtoull (argv[1], nullptr, 0) : is_quick () ? 5000 : 20000;
  rng.state = argc > 2 ? std::strtoull (argv[2], nullptr, 0) : 5;
  cv::setNumThreads (1);
  borders = ctr_borders_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (borders, "ctr_borders_new");
  find_distance_of_opencv ();
  test_reference ();
  for (uint64_t i = 0; i < count; i++)
    compare_random (i % 100 == 0 ? 300 : i % 10 == 0 ? 100 : 32);
  test_large ();
  for_each_picture (compare_picture);
  ctr_borders_free (borders);
  std::printf ("%llu images equal, 8 times each: %llu contours\n", static_cast<unsigned long long> (images),
      static_cast<unsigned long long> (contours_compared));
  std::printf ("%llu of them simplified: equal to the reference, %llu to this OpenCV too\n",
      static_cast<unsigned long long> (simplified), static_cast<unsigned long long> (simplified_directly));
  return 0;
}
