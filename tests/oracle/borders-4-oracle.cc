/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares borders of 4-connected foreground with a second way to them: cv::connectedComponents() labels the
 * foreground with connectivity 4 and the background with 8, and a wall follower walks along one label at a time, from edge
 * neighbour to edge neighbour, with its right hand on the background. It also compares
 *   - numbers, kinds and first pixels with cv::findContours() of the inverted image, whose foreground is 8-connected;
 *   - areas with the squares between four pixels, lengths with the sides between pixels, both counted.
 * It does so on synthetic images and the pictures in the folder CTR_TEST_DATA.
 *
 *   borders-4-oracle [IMAGES [SEED]] */
#include "oracle.h"
#include "tests/core/results/codes_reference.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <set>
#include <string>
#include <vector>

static CtrBorders *borders;
static Random rng = {8};
static uint64_t images, borders_compared;

/* Images here have a margin of one background pixel. */
enum { MARGIN = 1 };

struct Border {
  bool hole;
  int label;       /* of its component or hole */
  cv::Point first; /* pixel of the component or hole, in raster order */
  int parent;      /* among all borders, or -1 */
  std::vector<cv::Point> points;
};

static bool
comes_before (const cv::Point &a, const cv::Point &b)
{
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

/* Walks along what IS_WALL says is background, from START, whose background is on the right of HEADING. */
template <typename IsWall>
static std::vector<cv::Point>
follow_wall (cv::Point start, int heading, IsWall is_wall)
{
  static const cv::Point steps[4] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}}; /* anticlockwise from the east */
  std::vector<cv::Point> points;
  cv::Point at = start;
  int first_heading = -1;
  for (;;) {
    int turn = 0;
    while (turn < 4 && is_wall (at + steps[(heading + 3 + turn) % 4]))
      turn++; /* right, straight, left, back */
    if (turn == 4)
      return {at};
    heading = (heading + 3 + turn) % 4;
    if (at == start && heading == first_heading)
      return points;
    if (first_heading < 0)
      first_heading = heading;
    points.push_back (at);
    at += steps[heading];
  }
}

/* The first pixel of each label, in raster order. */
static std::vector<cv::Point>
first_pixels (const cv::Mat &labels, int count)
{
  std::vector<cv::Point> firsts (count, cv::Point (-1, -1));
  for (int y = 0; y < labels.rows; y++)
    for (int x = 0; x < labels.cols; x++) {
      cv::Point &first = firsts[labels.at<int> (y, x)];
      if (first.x < 0)
        first = {x, y};
    }
  return firsts;
}

struct Labels {
  cv::Mat mask; /* with its margin, 0 and 255 */
  cv::Mat foreground, background;
  int components, holes; /* labels in use, with 0 and the surroundings */
};

static Labels
label (const cv::Mat &mask)
{
  Labels l;
  cv::copyMakeBorder (mask, l.mask, MARGIN, MARGIN, MARGIN, MARGIN, cv::BORDER_CONSTANT, 0);
  l.components = cv::connectedComponents (l.mask, l.foreground, 4, CV_32S);
  l.holes = cv::connectedComponents (~l.mask, l.background, 8, CV_32S);
  return l;
}

/* All borders, in raster order of their first pixels. */
static std::vector<Border>
find_borders (const Labels &l)
{
  const std::vector<cv::Point> of_components = first_pixels (l.foreground, l.components);
  const std::vector<cv::Point> of_holes = first_pixels (l.background, l.holes);
  const int around = l.background.at<int> (0, 0);
  std::vector<Border> all;
  for (int i = 1; i < l.components; i++)
    all.push_back ({false, i, of_components[i], -1,
        follow_wall (of_components[i], 3, [&] (cv::Point p) { return l.foreground.at<int> (p) != i; })});
  for (int i = 1; i < l.holes; i++)
    if (i != around)
      all.push_back ({true, i, of_holes[i], -1, follow_wall (of_holes[i] + cv::Point (-1, 0), 1, [&] (cv::Point p) {
                        return l.background.at<int> (p) == i;
                      })});
  std::sort (
      all.begin (), all.end (), [] (const Border &a, const Border &b) { return comes_before (a.first, b.first); });
  std::vector<int> component (l.components, -1), hole (l.holes, -1);
  for (size_t i = 0; i < all.size (); i++)
    (all[i].hole ? hole : component)[all[i].label] = int (i);
  for (Border &border : all) {
    const cv::Point west = border.first + cv::Point (-1, 0);
    border.parent = border.hole ? component[l.foreground.at<int> (west)] : hole[l.background.at<int> (west)];
  }
  return all;
}

static std::vector<cv::Point>
ends_of (const std::vector<cv::Point> &points)
{
  const size_t count = points.size ();
  std::vector<cv::Point> ends;
  for (size_t i = 0; i < count; i++) {
    const cv::Point in = points[i] - points[(i + count - 1) % count], out = points[(i + 1) % count] - points[i];
    if (count == 1 || in != out)
      ends.push_back (points[i]);
  }
  return ends;
}

/* The borders within PARENT, the last one first, each followed by what is within it. */
static void
list_within (const std::vector<std::vector<int>> &children, int parent, std::vector<int> &list)
{
  const std::vector<int> &within = children[parent + 1];
  for (size_t i = within.size (); i-- > 0;) {
    list.push_back (within[i]);
    list_within (children, within[i], list);
  }
}

/* The rows of a mode, and the parent of each border in it. */
static std::vector<int>
rows_of (const std::vector<Border> &all, CtrRetrieval mode, std::vector<int> &parents)
{
  std::vector<std::vector<int>> children (all.size () + 1);
  parents.assign (all.size (), -1);
  for (size_t i = 0; i < all.size (); i++) {
    if (mode == CTR_RETRIEVE_TREE || (mode == CTR_RETRIEVE_CCOMP && all[i].hole))
      parents[i] = all[i].parent;
    if (mode != CTR_RETRIEVE_EXTERNAL || all[i].parent < 0)
      children[parents[i] + 1].push_back (int (i));
  }
  std::vector<int> list;
  list_within (children, -1, list);
  return list;
}

static void
compare_mode (const CtrImage &image, CtrBordersParams params, const std::vector<Border> &all, const std::string &name)
{
  CtrError error;
  std::vector<int> parents;
  const std::vector<int> list = rows_of (all, params.mode, parents);
  CtrContours *contours = ctr_borders_run (borders, &image, &params, nullptr, &error);
  REQUIRE (contours, "%s: %s", name.c_str (), error.message);
  const CtrContour *rows = ctr_contours_map_table (contours, nullptr);
  const CtrPoint *points = ctr_contours_map_points (contours, nullptr);
  REQUIRE (contours->connectivity == CTR_CONNECTIVITY_4, "%s", name.c_str ());
  REQUIRE (
      contours->count == list.size (), "%s: %u borders instead of %zu", name.c_str (), contours->count, list.size ());
  std::vector<int> place (all.size (), -1), last_child (all.size () + 1, -1);
  for (size_t i = 0; i < list.size (); i++)
    place[list[i]] = int (i);
  for (uint32_t i = 0; i < contours->count; i++) {
    const Border &border = all[list[i]];
    const std::vector<cv::Point> expected =
        params.approximation == CTR_APPROXIMATION_NONE ? border.points : ends_of (border.points);
    REQUIRE (rows[i].count == expected.size (), "%s: border %u has %u points instead of %zu", name.c_str (), i,
        rows[i].count, expected.size ());
    for (uint32_t k = 0; k < rows[i].count; k++) {
      const CtrPoint p = points[rows[i].first + k];
      REQUIRE (expected[k] == cv::Point (p.x + MARGIN, p.y + MARGIN), "%s: point %u of border %u is %u, %u",
          name.c_str (), k, i, p.x, p.y);
    }
    REQUIRE (!!(rows[i].flags & CTR_CONTOUR_HOLE) == border.hole, "%s: kind of %u", name.c_str (), i);
    const int parent = parents[list[i]] < 0 ? -1 : place[parents[list[i]]], before = last_child[parent + 1];
    REQUIRE (rows[i].parent == parent && rows[i].previous == before, "%s: family of %u", name.c_str (), i);
    REQUIRE (before < 0 || rows[before].next == int (i), "%s: next of %d", name.c_str (), before);
    REQUIRE (before >= 0 || parent < 0 || rows[parent].child == int (i), "%s: child of %d", name.c_str (), parent);
    last_child[parent + 1] = int (i);
  }
  check_codes (contours);
  ctr_contours_unref (contours);
  borders_compared += list.size ();
}

/* The inverted image has borders between the same parts: those of its 8-connected components are the holes here. */
static void
compare_inverted (const Labels &l, const std::vector<Border> &all, const std::string &name)
{
  std::vector<std::vector<cv::Point>> lines;
  std::vector<cv::Vec4i> hierarchy;
  cv::findContours (~l.mask, lines, hierarchy, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE);
  /* OpenCV's line around a hole begins west of the hole's first pixel. */
  std::set<std::tuple<int, int, bool>> expected, actual;
  for (size_t i = 0; i < lines.size (); i++) {
    const bool is_hole = hierarchy[i][3] >= 0;
    if (lines[i][0] != cv::Point (0, 0) || is_hole)
      expected.insert ({lines[i][0].y, lines[i][0].x + is_hole, !is_hole});
  }
  for (const Border &border : all)
    actual.insert ({border.first.y, border.first.x, border.hole});
  REQUIRE (expected == actual, "%s: %zu borders of the inverted image, not %zu", name.c_str (), expected.size (),
      actual.size ());
}

/* INSIDE: 255 in the component with all that it surrounds, or in the hole with all in it. */
static cv::Mat
fill (const Labels &l, const Border &border)
{
  cv::Mat labels;
  const cv::Mat other = (border.hole ? l.background : l.foreground) != border.label;
  cv::connectedComponents (other, labels, border.hole ? 4 : 8, CV_32S);
  return labels != labels.at<int> (0, 0);
}

/* A line through pixel centres goes around the squares between four pixels that are all inside; around a hole, those of
 * which any is. It has a step for each side between inside and outside, but for four. */
static void
measure (const Labels &l, const CtrImage &image, const std::vector<Border> &all, const std::string &name)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.connectivity = CTR_CONNECTIVITY_4;
  params.foreground.threshold = 1;
  params.approximation = CTR_APPROXIMATION_NONE;
  CtrContours *contours = ctr_borders_run (borders, &image, &params, nullptr, nullptr);
  const CtrContour *rows = ctr_contours_map_table (contours, nullptr);
  for (uint32_t i = 0; i < contours->count; i++) {
    const Border &border = all[all.size () - 1 - i];
    const cv::Mat inside = fill (l, border);
    int64_t squares = 0, sides = 0;
    for (int y = 0; y + 1 < inside.rows; y++)
      for (int x = 0; x + 1 < inside.cols; x++) {
        const int a = inside.at<uint8_t> (y, x) & 1, b = inside.at<uint8_t> (y, x + 1) & 1;
        const int c = inside.at<uint8_t> (y + 1, x) & 1, d = inside.at<uint8_t> (y + 1, x + 1) & 1;
        squares += border.hole ? a | b | c | d : a & b & c & d;
        sides += (a != b) + (a != c);
      }
    const int64_t steps = sides + (border.hole ? 4 : -4);
    REQUIRE (rows[i].area2 == (border.hole ? 2 : -2) * squares, "%s: area of %u", name.c_str (), i);
    REQUIRE (rows[i].count == (steps == 0 ? 1 : steps), "%s: %u points of %u", name.c_str (), rows[i].count, i);
    REQUIRE (rows[i].length == uint64_t (steps) << 23, "%s: length of %u", name.c_str (), i);
  }
  ctr_contours_unref (contours);
}

static void
compare (const CtrImage &image, CtrBordersParams params, const cv::Mat &mask, const std::string &name)
{
  const Labels l = label (mask);
  const std::vector<Border> all = find_borders (l);
  params.connectivity = CTR_CONNECTIVITY_4;
  for (int mode = CTR_RETRIEVE_EXTERNAL; mode <= CTR_RETRIEVE_TREE; mode++)
    for (int approximation = CTR_APPROXIMATION_NONE; approximation <= CTR_APPROXIMATION_SIMPLE; approximation++) {
      params.mode = static_cast<CtrRetrieval> (mode);
      params.approximation = static_cast<CtrApproximation> (approximation);
      compare_mode (image, params, all,
          name + ", mode " + std::to_string (mode) + ", approximation " + std::to_string (approximation));
    }
  compare_inverted (l, all, name);
  if (mask.total () <= 1600)
    measure (l, image, all, name);
  images++;
}

/* Compares the results on MASK, and frees it. */
static void
compare_mask (uint8_t *mask, uint32_t width, uint32_t height, const std::string &name)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.foreground.threshold = 1;
  const cv::Mat mat (int (height), int (width), CV_8U, mask);
  compare (image_of (mat), params, mat > 0,
      name + " of " + std::to_string (width) + " x " + std::to_string (height) + " pixels");
  std::free (mask);
}

static void
compare_random (uint32_t side)
{
  uint32_t width = 1 + random_below (&rng, side), height = 1 + random_below (&rng, side);
  const uint32_t kind = random_below (&rng, 8);
  if (kind < 2) {
    const Shape shape = static_cast<Shape> (random_below (&rng, SHAPE_COUNT));
    uint8_t *mask = shape_new (shape, width, height);
    for (uint32_t i = 0; kind == 1 && i < width * height / 20; i++)
      mask[random_below (&rng, width * height)] ^= 1;
    return compare_mask (mask, width, height, shape_names[shape]);
  }
  if (kind == 2)
    (random_below (&rng, 2) ? width : height) = 1;
  const uint32_t grain = random_below (&rng, 3) ? 1 : 1 + random_below (&rng, 8);
  const uint32_t density = random_below (&rng, 101);
  compare_mask (noise_new (&rng, width, height, density, grain), width, height,
      std::to_string (density) + " % noise in squares of " + std::to_string (grain));
}

static void
compare_picture (const std::filesystem::path &path)
{
  const cv::Mat grey = cv::imread (path.string (), cv::IMREAD_GRAYSCALE);
  REQUIRE (!grey.empty (), "%s cannot be read", path.c_str ());
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.foreground.threshold = 110;
  for (int invert = 0; invert <= 1; invert++) {
    params.foreground.invert = invert;
    const cv::Mat mask = invert ? grey < 110 : grey >= 110;
    compare (image_of (grey), params, mask, path.filename ().string () + (invert ? ", inverted" : ""));
  }
}

int
main (int argc, char **argv)
{
  const uint64_t count = argc > 1 ? std::strtoull (argv[1], nullptr, 0) : is_quick () ? 1500 : 6000;
  rng.state = argc > 2 ? std::strtoull (argv[2], nullptr, 0) : 9;
  cv::setNumThreads (1);
  borders = ctr_borders_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (borders, "ctr_borders_new");
  for (uint32_t height = 1; height <= 17; height++)
    for (uint32_t width = 1; width <= 17; width++)
      compare_mask (noise_new (&rng, width, height, 35 + random_below (&rng, 40), 1), width, height, "small noise");
  for (uint64_t i = 0; i < count; i++)
    compare_random (i % 100 == 0 ? 200 : 40);
  for (int shape = 0; shape < SHAPE_COUNT; shape++)
    compare_mask (shape_new (static_cast<Shape> (shape), 200, 133), 200, 133, shape_names[shape]);
  for_each_picture (compare_picture);
  ctr_borders_free (borders);
  std::printf ("%llu images equal: %llu borders\n", static_cast<unsigned long long> (images),
      static_cast<unsigned long long> (borders_compared));
  return 0;
}
