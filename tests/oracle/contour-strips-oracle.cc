/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program cuts pictures into strips, and compares the borders of the strips with those that cv::findContours() finds
 * in the whole picture, point for point, and the level contours in number and area, on synthetic masks and the pictures in
 * the folder CTR_TEST_DATA. */
#include "strips.h"

#include <array>

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

/* RUN and FINISH are the functions of STRIPS. */
template <typename Strips, typename Params, typename Run, typename Finish>
static Found
find_contours (Strips *strips, const CtrImage &image, const Params &params, uint32_t height, Run run, Finish finish)
{
  Found found;
  run_strips (strips, image, params, height, run, finish, [&found] (CtrContours *result) { collect (&found, result); });
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

static void
compare (
    const CtrImage &image, uint32_t threshold, const cv::Mat &mask, const std::string &name, const Heights &heights)
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
      const Found found =
          find_contours (borders, image, params, height, ctr_border_strips_run, ctr_border_strips_finish);
      REQUIRE (found.lines == expected, "%s, strips of %u: %zu borders, not the %zu of OpenCV", name.c_str (), height,
          found.lines.size (), expected.size ());
      if (approximation == 2)
        continue;
      const Found level = find_contours (cracks, image, levels, height, ctr_crack_strips_run, ctr_crack_strips_finish);
      REQUIRE (level.lines.size () == expected.size () && level.area2 == 2 * int64_t (cv::countNonZero (mask)),
          "%s, strips of %u: %zu level contours", name.c_str (), height, level.lines.size ());
    }
  }
  ctr_border_strips_free (borders);
  ctr_crack_strips_free (cracks);
}

int
main ()
{
  cv::setNumThreads (1);
  compare_masks (compare, {300, {500, 600}, {30, 20000}, {401, 700}});
  compare_pictures (compare);
  return 0;
}
