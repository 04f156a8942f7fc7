/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program cuts pictures into strips, and compares the components of the strips with those that
 * cv::connectedComponentsWithStats() finds in the whole picture: statistics and centroids must be equal, on synthetic masks
 * and the pictures in the folder CTR_TEST_DATA. */
#include "oracle.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <cstring>

static Random rng = {9};
static constexpr uint32_t MAX_OPEN_ROWS = 40000;

/* A result's rows, in the coordinates of the whole picture. */
static void
collect (std::vector<CtrComponent> *rows, CtrComponents *result)
{
  for (uint32_t i = 0; result && i < result->count; i++) {
    CtrComponent row = result->table[i];
    row.top = uint16_t (row.top + result->origin_row);
    row.sum_y += result->origin_row * row.area;
    rows->push_back (row);
  }
  if (result)
    REQUIRE (result->unfinished == 0, "%u unfinished components", result->unfinished);
  ctr_components_unref (result);
}

/* The components of IMAGE, cut into strips of HEIGHT rows, 0: of random heights. */
static std::vector<CtrComponent>
run_strips (CtrComponentStrips *strips, const CtrImage &image, const CtrCcaParams &params, uint32_t height)
{
  std::vector<CtrComponent> rows;
  CtrError error;
  for (uint32_t y = 0; y < image.height;) {
    CtrImage strip = image;
    strip.data = static_cast<const uint8_t *> (image.data) + y * image.stride;
    strip.height = std::min (height ? height : 1 + random_below (&rng, 90), image.height - y);
    y += strip.height;
    CtrComponents *result = ctr_component_strips_run (strips, &strip, &params, nullptr, &error);
    REQUIRE (result, "%s", error.message);
    collect (&rows, result);
  }
  CtrComponents *rest;
  REQUIRE (ctr_component_strips_finish (strips, &rest, &error), "%s", error.message);
  collect (&rows, rest);
  std::sort (rows.begin (), rows.end (), [] (const CtrComponent &a, const CtrComponent &b) {
    return a.top != b.top ? a.top < b.top : a.start_x < b.start_x;
  });
  return rows;
}

static void
compare_rows (const std::vector<CtrComponent> &rows, const cv::Mat &stats, const cv::Mat &centroids, const char *name)
{
  REQUIRE (
      int (rows.size ()) == stats.rows - 1, "%s: %zu components instead of %d", name, rows.size (), stats.rows - 1);
  for (size_t i = 0; i < rows.size (); i++) {
    const CtrComponent &c = rows[i];
    const int32_t row[5] = {c.left, c.top, c.width, c.height, int32_t (c.area)};
    double centroid[2];
    ctr_component_centroid (&c, &centroid[0], &centroid[1]);
    REQUIRE (std::memcmp (row, stats.ptr (int (i) + 1), sizeof row) == 0, "%s: statistics of %zu", name, i + 1);
    REQUIRE (
        std::memcmp (centroid, centroids.ptr (int (i) + 1), sizeof centroid) == 0, "%s: centroid of %zu", name, i + 1);
  }
}

/* OpenCV analyses MASK, which is the foreground of IMAGE by PARAMS. */
static void
compare (const CtrImage &image, CtrCcaParams params, const cv::Mat &mask, const std::string &name,
    const std::vector<uint32_t> &heights)
{
  CtrComponentStrips *strips = ctr_component_strips_new (CTR_BACKEND_CPU, MAX_OPEN_ROWS, nullptr);
  for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
    cv::Mat labels, stats, centroids;
    cv::connectedComponentsWithStats (mask, labels, stats, centroids, connectivity, CV_32S, cv::CCL_WU);
    params.connectivity = static_cast<CtrConnectivity> (connectivity);
    for (uint32_t height : heights)
      compare_rows (run_strips (strips, image, params, height), stats, centroids,
          (name + ", " + std::to_string (connectivity) + "-connected, strips of " + std::to_string (height)).c_str ());
  }
  ctr_component_strips_free (strips);
}

static void
compare_mask (
    uint8_t *mask, uint32_t width, uint32_t height, const std::string &name, const std::vector<uint32_t> &heights)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.foreground.threshold = 1;
  const cv::Mat mat (int (height), int (width), CV_8U, mask);
  compare (
      image_of (mat), params, mat, name + " of " + std::to_string (width) + " x " + std::to_string (height), heights);
  std::free (mask);
}

static void
test_masks ()
{
  for (int i = 0; i < 400; i++) {
    const uint32_t width = 1 + random_below (&rng, 80), height = 1 + random_below (&rng, 120);
    compare_mask (
        noise_new (&rng, width, height, random_below (&rng, 101), 1), width, height, "noise", {1, 2, 3, 7, 0, 65535});
  }
  for (uint32_t density = 5; density < 100; density += 15)
    compare_mask (noise_new (&rng, 700, 900, density, 2), 700, 900, std::to_string (density) + " % noise", {1, 64, 0});
  compare_mask (noise_new (&rng, 40, 30000, 55, 1), 40, 30000, "high noise", {7, 1000});
  for (int shape = 0; shape < SHAPE_COUNT; shape++) {
    compare_mask (
        shape_new (static_cast<Shape> (shape), 129, 165), 129, 165, shape_names[shape], {1, 2, 3, 7, 0, 65535});
    compare_mask (shape_new (static_cast<Shape> (shape), 801, 1000), 801, 1000, shape_names[shape], {10, 0});
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
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.foreground.threshold = wide ? 9000 : 110;
  cv::threshold (grey, mask, params.foreground.threshold - 1, wide ? 65535 : 255, cv::THRESH_BINARY);
  mask.convertTo (mask, CV_8U, wide ? 1 / 257.0 : 1);
  compare (image_of (picture), params, mask, path.filename ().string (), {37, 0});
}

int
main ()
{
  cv::setNumThreads (1);
  test_masks ();
  for_each_picture (compare_picture);
  return 0;
}
