/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the tree of all levels of the crack contours with one that it builds from cv::findContours() of
 * each level's mask, and their branches with cv::connectedComponents(): parents, depths, births and deaths, and what
 * limits leave. It does so on synthetic images and on parts of the pictures in the folder CTR_TEST_DATA.
 *
 *   levels-oracle [IMAGES [SEED]]
 *
 * The foreground is 8-connected, as OpenCV's. */
#include "oracle.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

static CtrCracks *cracks;
static Random rng = {9};
static uint64_t images, contours_compared, kept_compared;

/* A contour of OpenCV's, by the corner of pixels where the core's contour begins. */
struct Nested {
  uint32_t level;
  int y, x;
  bool hole;
  cv::Rect box;   /* of OpenCV's contour: that of a hole has the pixels around it */
  cv::Mat inside; /* of the box: the pixels that the crack contour encloses */
  int area;
  int parent = -1, link = -1, depth = 0;
  size_t furthest = 0; /* the last one of its branch */
};

static cv::Mat
mask_of (const cv::Mat &picture, uint32_t level, CtrImageBorder frame)
{
  cv::Mat mask;
  cv::compare (picture, double (level), mask, cv::CMP_GE);
  if (frame == CTR_IMAGE_BORDER_ZERO)
    cv::rectangle (mask, cv::Rect (0, 0, mask.cols, mask.rows), cv::Scalar (0));
  return mask;
}

/* Adds the contours of a mask of 0 and 255, in the order of their first points. */
static void
add_contours (const cv::Mat &mask, uint32_t level, std::vector<Nested> &all)
{
  std::vector<std::vector<cv::Point>> contours;
  std::vector<cv::Vec4i> hierarchy;
  cv::findContours (mask, contours, hierarchy, cv::RETR_CCOMP, cv::CHAIN_APPROX_NONE);
  const size_t first = all.size ();
  for (size_t i = 0; i < contours.size (); i++) {
    const bool hole = hierarchy[i][3] >= 0;
    Nested one = {level, contours[i][0].y, contours[i][0].x + hole, hole, cv::boundingRect (contours[i]), {}, 0};
    one.inside = cv::Mat::zeros (one.box.size (), CV_8U);
    cv::drawContours (
        one.inside, contours, int (i), cv::Scalar (255), cv::FILLED, cv::LINE_8, cv::noArray (), 0, -one.box.tl ());
    if (hole) /* OpenCV's contour of a hole lies on the pixels around it. */
      for (const cv::Point &p : contours[i])
        one.inside.at<uint8_t> (p - one.box.tl ()) = 0;
    one.area = cv::countNonZero (one.inside);
    all.push_back (one);
  }
  std::sort (all.begin () + ptrdiff_t (first), all.end (),
      [] (const Nested &a, const Nested &b) { return std::tie (a.y, a.x) < std::tie (b.y, b.x); });
}

static bool
contains (const Nested &outer, const Nested &inner)
{
  if ((outer.box & inner.box) != inner.box)
    return false;
  const cv::Rect part = inner.box - outer.box.tl ();
  return cv::countNonZero (inner.inside & ~outer.inside (part)) == 0;
}

static bool
is_around (const Nested &q, const Nested &c)
{
  const bool may_be_equal = !q.hole && !c.hole && q.level < c.level;
  return &q != &c && (q.area > c.area || (q.area == c.area && may_be_equal)) && contains (q, c);
}

/* Links the contours of type HOLE from FIRST to before END to those of another mask from OTHER to before OTHER_END. */
static void
find_links (const cv::Mat &other_mask, bool hole, std::vector<Nested> &all, size_t other, size_t other_end,
    size_t first, size_t end)
{
  cv::Mat labels;
  cv::Mat padded;
  cv::copyMakeBorder (other_mask, padded, 1, 1, 1, 1, cv::BORDER_CONSTANT, 0);
  cv::connectedComponents (hole ? ~padded : padded, labels, hole ? 4 : 8, CV_32S);
  std::map<int, int> number_of;
  for (size_t i = other; i < other_end; i++)
    if (all[i].hole == hole)
      number_of[labels.at<int> (all[i].y + 1, all[i].x + 1)] = int (i);
  for (size_t i = first; i < end; i++) {
    const auto found = number_of.find (labels.at<int> (all[i].y + 1, all[i].x + 1));
    if (all[i].hole == hole && found != number_of.end ())
      all[i].link = found->second;
  }
}

/* The tree of all levels, with the contours in the order of the core's rows. */
static std::vector<Nested>
build_tree (const cv::Mat &picture, const std::vector<uint32_t> &levels, CtrImageBorder frame)
{
  std::vector<Nested> all;
  size_t below = 0, own = 0;
  cv::Mat last;
  for (uint32_t level : levels) {
    const cv::Mat mask = mask_of (picture, level, frame);
    add_contours (mask, level, all);
    for (size_t i = own; i < all.size (); i++) {
      Nested &c = all[i];
      for (size_t k = below; k < all.size (); k++)
        if (is_around (all[k], c) && (c.parent < 0 || all[k].area <= all[size_t (c.parent)].area))
          c.parent = int (k);
      c.depth = c.parent < 0 ? 0 : all[size_t (c.parent)].depth + 1;
    }
    if (own > below || !last.empty ()) {
      find_links (last, false, all, below, own, own, all.size ());
      find_links (mask, true, all, own, all.size (), below, own);
    }
    last = mask;
    below = own;
    own = all.size ();
  }
  for (size_t i = 0; i < all.size (); i++)
    all[i].furthest = i;
  for (size_t i = 0; i < all.size (); i++)
    for (int at = int (i); at >= 0; at = all[size_t (at)].link) {
      size_t &furthest = all[size_t (at)].furthest;
      furthest = all[i].hole ? std::min (furthest, i) : std::max (furthest, i);
    }
  return all;
}

static void
compare_with (
    const cv::Mat &picture, const CtrCracksParams &params, const std::vector<Nested> &all, const std::string &name)
{
  std::map<size_t, std::pair<uint32_t, uint32_t>> branches;
  for (const Nested &one : all) {
    auto &branch = branches.insert ({one.furthest, {one.level, one.level}}).first->second;
    branch = {std::min (branch.first, one.level), std::max (branch.second, one.level)};
  }
  const CtrImage image = image_of (picture);
  CtrError error;
  CtrContours *contours = ctr_cracks_run (cracks, &image, &params, nullptr, &error);
  REQUIRE (contours, "%s: %s", name.c_str (), error.message);
  const CtrContour *table = ctr_contours_map_table (contours, nullptr);
  const CtrPoint *points = ctr_contours_map_points (contours, nullptr);
  const CtrContourNesting *nesting = ctr_contours_map_nesting (contours, nullptr);
  std::vector<int> rows (all.size (), -1);
  uint32_t row = 0;
  for (size_t i = 0; i < all.size (); i++) {
    const Nested &one = all[i];
    const auto branch = branches[one.furthest];
    if (branch.second - branch.first < params.min_persistence || uint32_t (one.depth) > params.max_depth
        || one.area < params.min_area)
      continue;
    int parent = one.parent;
    while (parent >= 0 && rows[size_t (parent)] < 0)
      parent = all[size_t (parent)].parent;
    REQUIRE (row < contours->count, "%s: only %u contours", name.c_str (), contours->count);
    const CtrContour &c = table[row];
    const CtrPoint start = points[c.first];
    REQUIRE (c.level == one.level && start.x == one.x && start.y == one.y && (c.flags != 0) == one.hole,
        "%s: contour %u at %u, %u of level %u, instead of %d, %d of %u", name.c_str (), row, start.x, start.y, c.level,
        one.x, one.y, one.level);
    REQUIRE (
        c.parent == (parent < 0 ? -1 : rows[size_t (parent)]), "%s: parent of %u is %d", name.c_str (), row, c.parent);
    REQUIRE (nesting[row].depth == uint32_t (one.depth), "%s: depth of %u", name.c_str (), row);
    REQUIRE (nesting[row].birth == branch.first && nesting[row].death == branch.second,
        "%s: branch of %u is %u to %u, instead of %u to %u", name.c_str (), row, nesting[row].birth, nesting[row].death,
        branch.first, branch.second);
    rows[i] = int (row++);
  }
  REQUIRE (row == contours->count, "%s: %u contours instead of %u", name.c_str (), contours->count, row);
  kept_compared += row;
  ctr_contours_unref (contours);
}

static void
compare (const cv::Mat &picture, std::vector<uint32_t> levels, CtrImageBorder frame, const std::string &name)
{
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.frame = frame;
  params.hierarchy = CTR_HIERARCHY_LEVELS;
  params.levels = levels.data ();
  params.level_count = uint32_t (levels.size ());
  const std::vector<Nested> all = build_tree (picture, levels, frame);
  images++;
  contours_compared += all.size ();
  compare_with (picture, params, all, name);
  params.min_persistence = 1 + random_below (&rng, levels.back () - levels.front () + 1);
  compare_with (picture, params, all, name + ", persistent");
  params.min_persistence = 0;
  params.max_depth = random_below (&rng, 8);
  compare_with (picture, params, all, name + ", not deep");
  params.max_depth = CTR_CRACKS_ANY_DEPTH;
  params.min_area = random_below (&rng, 30);
  compare_with (picture, params, all, name + ", large");
}

/* Noise, smooth or not, and steps; some levels of those that it has. */
static void
compare_random (int side)
{
  const int width = int (1 + random_below (&rng, uint32_t (side))),
            height = int (1 + random_below (&rng, uint32_t (side)));
  const uint32_t values = 2 + random_below (&rng, random_below (&rng, 3) ? 8 : 60),
                 step = 1 + random_below (&rng, 1000);
  const uint32_t grain = 1 + random_below (&rng, 4);
  cv::Mat picture (height, width, CV_32F);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      picture.at<float> (y, x) = float (random_below (&rng, values));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      picture.at<float> (y, x) = picture.at<float> (y - y % int (grain), x - x % int (grain));
  if (random_below (&rng, 2)) {
    cv::GaussianBlur (picture, picture, cv::Size (), 1 + random_below (&rng, 30) / 10.0);
    cv::normalize (picture, picture, 0, values - 1, cv::NORM_MINMAX);
  }
  cv::Mat samples;
  picture.convertTo (samples, CV_32S);
  samples *= double (step);
  samples.convertTo (samples, CV_16U);
  std::vector<uint32_t> levels;
  for (uint32_t i = 1; i < values; i++)
    if (random_below (&rng, 4))
      levels.push_back (i * step - random_below (&rng, step));
  if (levels.empty ())
    levels.push_back (1);
  compare (samples, levels, random_below (&rng, 3) ? CTR_IMAGE_BORDER_PAD : CTR_IMAGE_BORDER_ZERO, "noise");
}

/* The middle of a picture: disparity maps at all levels (16-bit maps at every 256th), others at every 12th. */
static void
compare_picture (const std::filesystem::path &path)
{
  cv::Mat picture = cv::imread (path.string (), cv::IMREAD_UNCHANGED);
  REQUIRE (!picture.empty (), "%s cannot be read", path.c_str ());
  if (picture.channels () > 1)
    cv::cvtColor (picture, picture, picture.channels () == 3 ? cv::COLOR_BGR2GRAY : cv::COLOR_BGRA2GRAY);
  const bool map = path.parent_path ().filename () == "disparity", wide = picture.depth () == CV_16U;
  const int width = std::min (picture.cols, map ? 360 : 200), height = std::min (picture.rows, map ? 260 : 150);
  picture = picture (cv::Rect ((picture.cols - width) / 2, (picture.rows - height) / 2, width, height)).clone ();
  double maximum;
  cv::minMaxLoc (picture, nullptr, &maximum);
  std::vector<uint32_t> levels;
  for (uint32_t level = 1; level <= std::max (1.0, maximum); level += wide ? 256 : map ? 1 : 12)
    levels.push_back (level);
  compare (picture, levels, CTR_IMAGE_BORDER_PAD, path.filename ().string ());
}

int
main (int argc, char **argv)
{
  const uint64_t count = argc > 1 ? std::strtoull (argv[1], nullptr, 0) : is_quick () ? 300 : 1200;
  rng.state = argc > 2 ? std::strtoull (argv[2], nullptr, 0) : 9;
  cv::setNumThreads (1);
  cracks = ctr_cracks_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (cracks, "ctr_cracks_new");
  for (uint64_t i = 0; i < count; i++)
    compare_random (i % 40 == 0 ? 90 : 24);
  for_each_picture (compare_picture);
  ctr_cracks_free (cracks);
  std::printf ("%llu images equal: %llu contours, %llu rows\n", static_cast<unsigned long long> (images),
      static_cast<unsigned long long> (contours_compared), static_cast<unsigned long long> (kept_compared));
  return 0;
}
