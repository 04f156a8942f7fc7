/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparisons of the strips of a picture with OpenCV's analysis of the whole picture: the pictures, and their cutting. */
#ifndef CTR_TESTS_ORACLE_STRIPS_H
#define CTR_TESTS_ORACLE_STRIPS_H

#include "oracle.h"

#include <opencv2/imgproc.hpp>

static constexpr uint32_t MAX_OPEN_ROWS = 40000;

static Random rng = {9};

using Heights = std::vector<uint32_t>;

/* Calls COLLECT for each result of STRIPS, whose functions are RUN and FINISH, in IMAGE cut into strips of HEIGHT rows,
 * 0: of random heights. COLLECT may get NULL as the last one. */
template <typename Result, typename Strips, typename Params, typename Collect>
void
run_strips (Strips *strips, const CtrImage &image, const Params &params, uint32_t height,
    Result *(*run) (Strips *, const CtrImage *, const Params *, void *, CtrError *),
    bool (*finish) (Strips *, Result **, CtrError *), Collect collect)
{
  CtrError error;
  for (uint32_t y = 0; y < image.height;) {
    CtrImage strip = image;
    strip.data = static_cast<const uint8_t *> (image.data) + y * image.stride;
    strip.height = std::min (height ? height : 1 + random_below (&rng, 90), image.height - y);
    y += strip.height;
    Result *result = run (strips, &strip, &params, nullptr, &error);
    REQUIRE (result, "%s", error.message);
    collect (result);
  }
  Result *rest;
  REQUIRE (finish (strips, &rest, &error), "%s", error.message);
  collect (rest);
}

/* Compares IMAGE, cut into strips of each of HEIGHTS, with MASK, its samples from THRESHOLD on. */
using Compare = void (*) (
    const CtrImage &image, uint32_t threshold, const cv::Mat &mask, const std::string &name, const Heights &heights);

/* MASK is freed. */
inline void
compare_mask (Compare compare, uint8_t *mask, cv::Size size, const std::string &name, const Heights &heights)
{
  const cv::Mat mat (size, CV_8U, mask);
  compare (image_of (mat), 1, mat, name + " of " + std::to_string (size.width) + " x " + std::to_string (size.height),
      heights);
  std::free (mask);
}

struct MaskSizes {
  int small_count;
  cv::Size noise, high_noise, shape;
};

inline void
compare_masks (Compare compare, const MaskSizes &sizes)
{
  const Heights small_heights = {1, 2, 3, 7, 0, 65535};
  const auto noise = [] (cv::Size size, uint32_t density, uint32_t grain) {
    return noise_new (&rng, uint32_t (size.width), uint32_t (size.height), density, grain);
  };
  const auto shape = [] (int kind, cv::Size size) {
    return shape_new (static_cast<Shape> (kind), uint32_t (size.width), uint32_t (size.height));
  };
  const int share = is_quick () ? 6 : 1;
  for (int i = 0; i < sizes.small_count / share; i++) {
    const int width = 1 + int (random_below (&rng, 80)), height = 1 + int (random_below (&rng, 120));
    const cv::Size size (width, height);
    compare_mask (compare, noise (size, random_below (&rng, 101), 1), size, "noise", small_heights);
  }
  for (uint32_t density = 5; density < 100; density += 15 * share)
    compare_mask (
        compare, noise (sizes.noise, density, 2), sizes.noise, std::to_string (density) + " % noise", {1, 64, 0});
  const cv::Size high (sizes.high_noise.width, sizes.high_noise.height / share);
  compare_mask (compare, noise (high, 55, 1), high, "high noise", {7, 1000});
  for (int kind = 0; kind < SHAPE_COUNT; kind++) {
    const cv::Size small (129, 165);
    compare_mask (compare, shape (kind, small), small, shape_names[kind], small_heights);
    if (!is_quick ())
      compare_mask (compare, shape (kind, sizes.shape), sizes.shape, shape_names[kind], {10, 0});
  }
}

/* With the pictures in the folder CTR_TEST_DATA. */
inline void
compare_pictures (Compare compare)
{
  for_each_picture ([compare] (const std::filesystem::path &path) {
    cv::Mat grey, mask;
    const cv::Mat picture = read_picture (path, &grey);
    const bool wide = picture.depth () == CV_16U;
    const uint32_t threshold = wide ? 9000 : 110;
    cv::threshold (grey, mask, threshold - 1, wide ? 65535 : 255, cv::THRESH_BINARY);
    mask.convertTo (mask, CV_8U, wide ? 1 / 257.0 : 1);
    compare (image_of (picture), threshold, mask, path.filename ().string (), {37, 0});
  });
}

#endif
