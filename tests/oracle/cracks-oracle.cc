/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the crack contours with cv::findContours() of each level's mask: count, order, first points,
 * types and hierarchy. It also compares them with the mask itself: they enclose exactly the mask, and their areas add
 * up to its pixels. It does so on synthetic images and the pictures in the folder CTR_TEST_DATA.
 *
 *   cracks-oracle [IMAGES [SEED]]
 *
 * OpenCV's foreground is 8-connected: a 4-connected one is the background of the inverted mask. */
#include "oracle.h"
#include "tests/core/results/codes_reference.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

static CtrCracks *cracks;
static Random rng = {6};
static uint64_t images, levels_compared, contours_compared;

/* OpenCV's description of a contour, by the corner of pixels where the core's contour begins. */
struct Expected {
  int y, x;
  bool hole;
  cv::Vec4i family; /* next, previous, child, parent */
};

/* Returns the contours of a mask of 0 and 255, in the order of their first points, with the hierarchy renumbered. */
static std::vector<Expected>
expect (const cv::Mat &mask, CtrConnectivity connectivity)
{
  const bool inverted = connectivity == CTR_CONNECTIVITY_4;
  cv::Mat shown = mask;
  if (inverted)
    cv::copyMakeBorder (~mask, shown, 1, 1, 1, 1, cv::BORDER_CONSTANT, 255);
  std::vector<std::vector<cv::Point>> contours;
  std::vector<cv::Vec4i> hierarchy;
  cv::findContours (shown, contours, hierarchy, cv::RETR_TREE, cv::CHAIN_APPROX_NONE);

  std::vector<Expected> all;
  std::vector<int> order;
  for (size_t i = 0; i < contours.size (); i++) {
    bool hole = false;
    for (int k = hierarchy[i][3]; k >= 0; k = hierarchy[k][3])
      hole = !hole;
    const cv::Point first = contours[i][0];
    all.push_back ({first.y - inverted, first.x + hole - inverted, hole != inverted, hierarchy[i]});
    /* The outermost contour of an inverted mask is the image's border, which does not count. */
    if (!inverted || hierarchy[i][3] >= 0)
      order.push_back (int (i));
  }
  std::sort (order.begin (), order.end (),
      [&] (int a, int b) { return std::tie (all[a].y, all[a].x) < std::tie (all[b].y, all[b].x); });
  std::vector<int> row (contours.size (), -1);
  for (size_t i = 0; i < order.size (); i++)
    row[order[i]] = int (i);
  std::vector<Expected> result;
  for (int i : order) {
    Expected contour = all[i];
    for (int k = 0; k < 4; k++)
      contour.family[k] = contour.family[k] < 0 ? -1 : row[contour.family[k]];
    result.push_back (contour);
  }
  return result;
}

/* Do COUNT rows enclose exactly the mask? Each vertical part of a line inverts what is east of it. */
static bool
encloses (const CtrContour *rows, uint32_t count, const CtrPoint *points, const cv::Mat &mask)
{
  cv::Mat changes (mask.rows, mask.cols + 1, CV_8U, cv::Scalar (0));
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < rows[i].count; k++) {
      const CtrPoint p = points[rows[i].first + k], q = points[rows[i].first + (k + 1) % rows[i].count];
      if ((p.x == q.x) == (p.y == q.y))
        return false;
      /* Points are corners, so that horizontal and vertical parts alternate. */
      const CtrPoint r = points[rows[i].first + (k + 2) % rows[i].count];
      if ((p.x == q.x) == (q.x == r.x))
        return false;
      for (int y = std::min (p.y, q.y); p.x == q.x && y < std::max (p.y, q.y); y++)
        changes.at<uint8_t> (y, p.x) ^= 255;
    }
  for (int y = 0; y < mask.rows; y++) {
    uint8_t inside = 0;
    for (int x = 0; x < mask.cols; x++) {
      inside ^= changes.at<uint8_t> (y, x);
      if (inside != mask.at<uint8_t> (y, x))
        return false;
    }
  }
  return true;
}

static void
compare_level (const CtrContour *rows, uint32_t count, uint32_t before, const CtrPoint *points, const cv::Mat &mask,
    const CtrCracksParams &params, const std::string &name)
{
  const std::vector<Expected> expected = expect (mask, params.connectivity);
  REQUIRE (count == expected.size (), "%s: %u contours instead of %zu", name.c_str (), count, expected.size ());
  int64_t area2 = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrContour &row = rows[i];
    const CtrPoint first = points[row.first];
    REQUIRE (first.x == expected[i].x && first.y == expected[i].y, "%s: contour %u begins at %u, %u instead of %d, %d",
        name.c_str (), i, first.x, first.y, expected[i].x, expected[i].y);
    REQUIRE ((row.flags == CTR_CONTOUR_HOLE) == expected[i].hole, "%s: type of %u", name.c_str (), i);
    REQUIRE ((row.area2 < 0) == expected[i].hole && row.area2 != 0, "%s: turn of %u", name.c_str (), i);
    cv::Vec4i family (row.next, row.previous, row.child, row.parent);
    for (int k = 0; k < 4; k++)
      family[k] -= family[k] < 0 ? 0 : int (before);
    REQUIRE (family == expected[i].family, "%s: family of %u", name.c_str (), i);
    area2 += row.area2;
  }
  REQUIRE (area2 == 2 * int64_t (cv::countNonZero (mask)), "%s: areas", name.c_str ());
  REQUIRE (encloses (rows, count, points, mask), "%s: what the lines enclose", name.c_str ());
  levels_compared++;
  contours_compared += count;
}

static void
compare_features (const CtrContour &row, const CtrContourSums &sums, const CtrPoint *points, const std::string &name)
{
  std::vector<cv::Point> line;
  for (uint32_t i = 0; i < row.count; i++)
    line.push_back ({points[row.first + i].x, points[row.first + i].y});
  REQUIRE (ctr_contour_area (&row, true) == cv::contourArea (line, true), "%s: signed area", name.c_str ());
  REQUIRE (ctr_contour_perimeter (&row) == cv::arcLength (line, true), "%s: length", name.c_str ());
  /* OpenCV's bounding box includes the pixels of the points. */
  REQUIRE (
      cv::Rect (row.left, row.top, row.width + 1, row.height + 1) == cv::boundingRect (line), "%s: box", name.c_str ());
  CtrContourMoments ours;
  ctr_contour_moments (&sums, &ours);
  const cv::Moments m = cv::moments (line);
  const double theirs[10] = {m.m00, m.m10, m.m01, m.m20, m.m11, m.m02, m.m30, m.m21, m.m12, m.m03};
  for (int i = 0; i < 10; i++)
    REQUIRE (std::fabs (ours.m[i] - theirs[i]) <= 1e-9 * std::fabs (theirs[i]), "%s: moment %d: %.17g, %.17g",
        name.c_str (), i, ours.m[i], theirs[i]);
}

/* LEVELS are the levels of PARAMS. */
static void
compare (const cv::Mat &picture, CtrCracksParams params, const std::vector<uint32_t> &levels, const std::string &name)
{
  const std::string what = name + " of " + std::to_string (picture.cols) + " x " + std::to_string (picture.rows)
                           + " pixels, mode " + std::to_string (params.mode) + ", "
                           + std::to_string (params.connectivity) + "-connected, frame "
                           + std::to_string (params.frame);
  const bool features = random_below (&rng, 4) == 0;
  params.features = features ? CTR_CONTOUR_FEATURE_MOMENTS : 0;
  const CtrImage image = image_of (picture);
  CtrError error;
  CtrContours *contours = ctr_cracks_run (cracks, &image, &params, nullptr, &error);
  REQUIRE (contours, "%s: %s", what.c_str (), error.message);
  const CtrContour *table = ctr_contours_map_table (contours, nullptr);
  const CtrPoint *points = ctr_contours_map_points (contours, nullptr);
  const CtrContourSums *sums = ctr_contours_map_sums (contours, nullptr);
  images++;
  uint32_t done = 0;
  uint64_t first = 0;
  for (uint32_t level : levels) {
    cv::Mat mask;
    cv::compare (picture, double (level), mask, params.mode == CTR_LEVELS_EQUAL ? cv::CMP_EQ : cv::CMP_GE);
    if (params.frame == CTR_IMAGE_BORDER_ZERO)
      cv::rectangle (mask, cv::Rect (0, 0, mask.cols, mask.rows), cv::Scalar (0));
    uint32_t end = done;
    while (end < contours->count && table[end].level == level)
      end++;
    compare_level (table + done, end - done, done, points, mask, params, what + ", level " + std::to_string (level));
    for (; done < end; done++) {
      REQUIRE (table[done].first == first, "%s: first point of %u", what.c_str (), done);
      first += table[done].count;
      if (features)
        compare_features (table[done], sums[done], points, what + ", contour " + std::to_string (done));
    }
  }
  REQUIRE (
      done == contours->count && first == contours->point_count, "%s: more than its levels' contours", what.c_str ());
  check_codes (contours);
  ctr_contours_unref (contours);
}

static CtrCracksParams
random_params ()
{
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.mode = random_below (&rng, 2) ? CTR_LEVELS_AT_LEAST : CTR_LEVELS_EQUAL;
  params.connectivity = random_below (&rng, 3) ? CTR_CONNECTIVITY_8 : CTR_CONNECTIVITY_4;
  params.frame = random_below (&rng, 3) ? CTR_IMAGE_BORDER_PAD : CTR_IMAGE_BORDER_ZERO;
  return params;
}

/* Returns a random picture of LEVELS different values, from LOWEST on and STEP apart. */
static cv::Mat
random_picture (int width, int height, uint32_t lowest, uint32_t levels, uint32_t step, std::string *name)
{
  static const char *const kinds[] = {"noise", "squares", "smooth noise", "slopes", "cells"};
  const uint32_t kind = random_below (&rng, 5), grain = 2 + random_below (&rng, 7);
  cv::Mat values (height, width, CV_32F), picture (height, width, lowest + levels * step > 255 ? CV_16U : CV_8U);
  *name = kinds[kind];
  std::vector<cv::Point> seeds;
  for (uint32_t i = 0; i < 2 + grain; i++)
    seeds.push_back ({int (random_below (&rng, uint32_t (width))), int (random_below (&rng, uint32_t (height)))});
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float &value = values.at<float> (y, x);
      value = float (random_below (&rng, levels));
      if (kind == 1)
        value = values.at<float> (y - y % int (grain), x - x % int (grain));
      else if (kind == 3)
        value = float ((uint32_t (x) + uint32_t (y) * grain + random_below (&rng, 2)) % levels);
      else if (kind == 4) {
        size_t nearest = 0;
        for (size_t i = 1; i < seeds.size (); i++)
          if (cv::norm (seeds[i] - cv::Point (x, y)) < cv::norm (seeds[nearest] - cv::Point (x, y)))
            nearest = i;
        value = float (nearest % levels);
      }
    }
  if (kind == 2) {
    cv::GaussianBlur (values, values, cv::Size (), grain / 3.0, grain / 3.0);
    cv::normalize (values, values, 0, levels - 1, cv::NORM_MINMAX);
  }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const uint32_t sample = lowest + step * uint32_t (std::lround (values.at<float> (y, x)));
      if (picture.depth () == CV_16U)
        picture.at<uint16_t> (y, x) = uint16_t (sample);
      else
        picture.at<uint8_t> (y, x) = uint8_t (sample);
    }
  return picture;
}

static void
compare_random (uint32_t side)
{
  int width = int (1 + random_below (&rng, side)), height = int (1 + random_below (&rng, side));
  if (random_below (&rng, 12) == 0)
    (random_below (&rng, 2) ? width : height) = 1;
  const uint32_t count = 1 + random_below (&rng, random_below (&rng, 4) ? 6 : 24);
  const uint32_t step = random_below (&rng, 3) ? 1 : 1 + random_below (&rng, 2000), lowest = random_below (&rng, 3);
  std::string name;
  const cv::Mat picture = random_picture (width, height, lowest, count, step, &name);
  CtrCracksParams params = random_params ();
  std::vector<uint32_t> levels;
  if (random_below (&rng, 2)) {
    params.minimum = 1 + random_below (&rng, 3);
    params.step = step > 1 ? step : 1 + random_below (&rng, 3);
    params.maximum = params.minimum + random_below (&rng, (count + 2) * step);
    for (uint32_t level = params.minimum; level <= params.maximum; level += params.step)
      levels.push_back (level);
  } else {
    for (uint32_t i = 0; i <= count; i++)
      if (random_below (&rng, 3) && lowest + i * step > 0)
        levels.push_back (lowest + i * step);
    if (levels.empty ())
      levels.push_back (1);
    params.levels = levels.data ();
    params.level_count = uint32_t (levels.size ());
  }
  compare (picture, params, levels, name);
}

/* Returns the levels from 1 to the picture's maximum, STEP apart. */
static std::vector<uint32_t>
levels_of (const cv::Mat &picture, uint32_t step)
{
  double maximum;
  cv::minMaxLoc (picture, nullptr, &maximum);
  std::vector<uint32_t> levels;
  for (uint32_t level = 1; level <= std::max (1.0, maximum); level += step)
    levels.push_back (level);
  return levels;
}

/* Compares disparity maps at all levels (16-bit maps at every 64th), and other pictures at every 16th. */
static void
compare_picture (const std::filesystem::path &path)
{
  cv::Mat picture = cv::imread (path.string (), cv::IMREAD_UNCHANGED);
  REQUIRE (!picture.empty (), "%s cannot be read", path.c_str ());
  if (picture.channels () > 1)
    cv::cvtColor (picture, picture, picture.channels () == 3 ? cv::COLOR_BGR2GRAY : cv::COLOR_BGRA2GRAY);
  const bool wide = picture.depth () == CV_16U, map = path.parent_path ().filename () == "disparity";
  const bool labels = path.filename ().string ().find ("labels") != std::string::npos;
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.step = labels || (map && !wide) ? 1 : wide ? 64 : 16;
  const std::vector<uint32_t> levels = levels_of (picture, params.step);
  for (int variant = 0; variant < (map || labels ? 8 : 2); variant++) {
    params.mode = variant % 2 ? CTR_LEVELS_EQUAL : CTR_LEVELS_AT_LEAST;
    params.connectivity = variant / 2 % 2 ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
    params.frame = variant / 4 ? CTR_IMAGE_BORDER_ZERO : CTR_IMAGE_BORDER_PAD;
    compare (picture, params, levels, path.filename ().string ());
  }
}

int
main (int argc, char **argv)
{
  const uint64_t count = argc > 1 ? std::strtoull (argv[1], nullptr, 0) : is_quick () ? 1500 : 6000;
  rng.state = argc > 2 ? std::strtoull (argv[2], nullptr, 0) : 6;
  cv::setNumThreads (1);
  cracks = ctr_cracks_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (cracks, "ctr_cracks_new");
  for (uint64_t i = 0; i < count; i++)
    compare_random (i % 100 == 0 ? 200 : i % 10 == 0 ? 80 : 24);
  for_each_picture (compare_picture);
  ctr_cracks_free (cracks);
  std::printf ("%llu images equal, %llu levels: %llu contours\n", static_cast<unsigned long long> (images),
      static_cast<unsigned long long> (levels_compared), static_cast<unsigned long long> (contours_compared));
  return 0;
}
