/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program cuts pictures into strips, and compares the borders of the strips with those that cv::findContours() finds
 * in the whole picture, point for point, and the level contours in number and area, on synthetic masks and the pictures in
 * the folder CTR_TEST_DATA. */
#include "oracle.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <array>

static Random rng = {9};
static constexpr uint32_t MAX_OPEN_ROWS = 40000;

using Line = std::vector<std::array<int, 2>>;

/* What strips have found, in the coordinates of the whole picture. */
struct Found {
  std::vector<Line> lines;
  int64_t area2 = 0;
};

static void
collect (Found *found, CtrContours *result)
{
  if (!result)
    return;
  CtrError error;
  const CtrContour *table = ctr_contours_map_table (result, &error);
  const CtrPoint *points = ctr_contours_map_points (result, &error);
  REQUIRE (table && points && result->unfinished == 0, "%u unfinished contours", result->unfinished);
  for (uint32_t i = 0; i < result->count; i++) {
    Line line;
    for (uint32_t k = 0; k < table[i].count; k++) {
      const CtrPoint p = points[table[i].first + k];
      line.push_back ({p.x, int (p.y + result->origin_row)});
    }
    found->lines.push_back (line);
    found->area2 += table[i].area2;
  }
  ctr_contours_unref (result);
}

/* The contours of IMAGE, cut into strips of HEIGHT rows, 0: of random heights. RUN and FINISH are the functions of
 * STRIPS. */
template <typename Strips, typename Params, typename Run, typename Finish>
static Found
run_strips (Strips *strips, const CtrImage &image, const Params &params, uint32_t height, Run run, Finish finish)
{
  Found found;
  CtrError error;
  for (uint32_t y = 0; y < image.height;) {
    CtrImage strip = image;
    strip.data = static_cast<const uint8_t *> (image.data) + y * image.stride;
    strip.height = std::min (height ? height : 1 + random_below (&rng, 90), image.height - y);
    y += strip.height;
    CtrContours *result = run (strips, &strip, &params, nullptr, &error);
    REQUIRE (result, "%s", error.message);
    collect (&found, result);
  }
  CtrContours *rest;
  REQUIRE (finish (strips, &rest, &error), "%s", error.message);
  collect (&found, rest);
  std::sort (found.lines.begin (), found.lines.end ());
  return found;
}

static std::vector<Line>
expected_lines (const cv::Mat &mask, int approximation)
{
  std::vector<std::vector<cv::Point>> contours;
  std::vector<Line> lines;
  cv::findContours (mask, contours, cv::RETR_LIST, approximation);
  for (const auto &contour : contours) {
    Line line;
    for (const cv::Point &p : contour)
      line.push_back ({p.x, p.y});
    lines.push_back (line);
  }
  std::sort (lines.begin (), lines.end ());
  return lines;
}

/* OpenCV analyses MASK, which are the samples of IMAGE from THRESHOLD on. */
static void
compare (const CtrImage &image, uint32_t threshold, const cv::Mat &mask, const std::string &name,
    const std::vector<uint32_t> &heights)
{
  CtrBorderStrips *borders = ctr_border_strips_new (CTR_BACKEND_CPU, MAX_OPEN_ROWS, nullptr);
  CtrCrackStrips *cracks = ctr_crack_strips_new (CTR_BACKEND_CPU, MAX_OPEN_ROWS, nullptr);
  CtrCracksParams levels;
  ctr_cracks_params_init (&levels);
  levels.minimum = levels.maximum = threshold;
  for (int approximation = 1; approximation <= 2; approximation++) {
    const std::vector<Line> expected = expected_lines (mask, approximation);
    CtrBordersParams params;
    ctr_borders_params_init (&params);
    params.foreground.threshold = threshold;
    params.approximation = static_cast<CtrApproximation> (approximation);
    for (uint32_t height : heights) {
      const Found found = run_strips (borders, image, params, height, ctr_border_strips_run, ctr_border_strips_finish);
      REQUIRE (found.lines == expected, "%s, strips of %u: %zu borders, not the %zu of OpenCV", name.c_str (), height,
          found.lines.size (), expected.size ());
      if (approximation == 2)
        continue;
      const Found level = run_strips (cracks, image, levels, height, ctr_crack_strips_run, ctr_crack_strips_finish);
      REQUIRE (level.lines.size () == expected.size () && level.area2 == 2 * int64_t (cv::countNonZero (mask)),
          "%s, strips of %u: %zu level contours", name.c_str (), height, level.lines.size ());
    }
  }
  ctr_border_strips_free (borders);
  ctr_crack_strips_free (cracks);
}

static void
compare_mask (
    uint8_t *mask, uint32_t width, uint32_t height, const std::string &name, const std::vector<uint32_t> &heights)
{
  const cv::Mat mat (int (height), int (width), CV_8U, mask);
  compare (image_of (mat), 1, mat, name + " of " + std::to_string (width) + " x " + std::to_string (height), heights);
  std::free (mask);
}

static void
test_masks ()
{
  for (int i = 0; i < 300; i++) {
    const uint32_t width = 1 + random_below (&rng, 80), height = 1 + random_below (&rng, 120);
    compare_mask (
        noise_new (&rng, width, height, random_below (&rng, 101), 1), width, height, "noise", {1, 2, 3, 7, 0, 65535});
  }
  for (uint32_t density = 5; density < 100; density += 15)
    compare_mask (noise_new (&rng, 500, 600, density, 2), 500, 600, std::to_string (density) + " % noise", {1, 64, 0});
  compare_mask (noise_new (&rng, 30, 20000, 55, 1), 30, 20000, "high noise", {7, 1000});
  for (int shape = 0; shape < SHAPE_COUNT; shape++) {
    compare_mask (
        shape_new (static_cast<Shape> (shape), 129, 165), 129, 165, shape_names[shape], {1, 2, 3, 7, 0, 65535});
    compare_mask (shape_new (static_cast<Shape> (shape), 401, 700), 401, 700, shape_names[shape], {10, 0});
  }
}

static void
compare_picture (const std::filesystem::path &path)
{
  cv::Mat picture = cv::imread (path.string (), cv::IMREAD_UNCHANGED), grey = picture, mask;
  REQUIRE (!picture.empty (), "%s cannot be read", path.c_str ());
  if (picture.channels () == 3)
    cv::cvtColor (picture, grey, cv::COLOR_BGR2GRAY);
  else if (picture.channels () == 4)
    cv::cvtColor (picture, grey, cv::COLOR_BGRA2GRAY);
  const bool wide = picture.depth () == CV_16U;
  const uint32_t threshold = wide ? 9000 : 110;
  cv::threshold (grey, mask, threshold - 1, wide ? 65535 : 255, cv::THRESH_BINARY);
  mask.convertTo (mask, CV_8U, wide ? 1 / 257.0 : 1);
  compare (image_of (picture), threshold, mask, path.filename ().string (), {37, 0});
}

int
main ()
{
  cv::setNumThreads (1);
  test_masks ();
  for_each_picture (compare_picture);
  return 0;
}
