/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the component analysis with cv::connectedComponentsWithStats() and CCL_WU: labels, statistics
 * and centroids must be equal, percentiles those of cv::calcHist() with the component as its mask, inscribed circles
 * the maxima of cv::distanceTransform(), on synthetic masks and the pictures in the folder CTR_TEST_DATA. */
#include "oracle.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>

static Analyser analyser;
static Random rng = {5};

enum { MEASURED = 20 /* components of an image whose percentiles and circles are compared */ };

/* The lowest sample that more than INDEX samples of a component are not above. */
static int
sample_with_index (const cv::Mat &histogram, int64_t index)
{
  int sample = 0;
  for (int64_t count = int64_t (histogram.at<float> (0)); count <= index; sample++)
    count += int64_t (histogram.at<float> (sample + 1));
  return sample;
}

/* Percentiles of the samples GREY of every few components. */
static void
compare_percentiles (const cv::Mat &grey, const cv::Mat &labels, const CtrComponents *components, const char *name)
{
  const int levels = grey.depth () == CV_16U ? 65536 : 256, channel = 0;
  const float range[] = {0, float (levels)}, *ranges = range;
  for (uint32_t i = 0; i < components->count; i += 1 + components->count / MEASURED) {
    const CtrComponent &c = components->table[i];
    const cv::Rect box (c.left, c.top, c.width, c.height);
    const cv::Mat part = grey (box), mask = labels (box) == int (i) + 1;
    const CtrComponentPercentiles &p = components->percentiles[i];
    const int actual[5] = {p.p5, p.p25, p.median, p.p75, p.p95}, percents[5] = {5, 25, 50, 75, 95};
    cv::Mat histogram;
    cv::calcHist (&part, 1, &channel, mask, histogram, 1, &levels, &ranges);
    for (int k = 0; k < 5; k++) {
      const int expected = sample_with_index (histogram, (int64_t (c.area) - 1) * percents[k] / 100);
      REQUIRE (actual[k] == expected, "%s: percentile %d of component %u is %d instead of %d", name, percents[k], i,
          actual[k], expected);
    }
  }
}

/* The largest inscribed circles of every few components. OpenCV sees zeros around them. */
static void
compare_inscribed (const cv::Mat &labels, const CtrComponents *components, const char *name)
{
  for (uint32_t i = 0; i < components->count; i += 1 + components->count / MEASURED) {
    const CtrComponent &c = components->table[i];
    const CtrComponentInscribed &circle = components->inscribed[i];
    cv::Mat mask, distances;
    cv::copyMakeBorder (
        labels (cv::Rect (c.left, c.top, c.width, c.height)) == int (i) + 1, mask, 1, 1, 1, 1, cv::BORDER_CONSTANT, 0);
    cv::distanceTransform (mask, distances, cv::DIST_L2, cv::DIST_MASK_PRECISE);
    double greatest;
    cv::minMaxLoc (distances, nullptr, &greatest);
    int at = 0; /* the first one in raster order */
    while (distances.at<float> (at / mask.cols, at % mask.cols) != float (greatest))
      at++;
    const int expected[3] = {int (std::lround (greatest * greatest)), at % mask.cols - 1 + c.left,
        at / mask.cols - 1 + c.top},
              actual[3] = {int (circle.radius_sq), circle.x, circle.y};
    REQUIRE (std::memcmp (actual, expected, sizeof actual) == 0,
        "%s: the circle of component %u has the squared radius %d at %d, %d instead of %d at %d, %d", name, i,
        actual[0], actual[1], actual[2], expected[0], expected[1], expected[2]);
  }
}

/* OpenCV analyses MASK, which is the foreground of IMAGE by PARAMS. */
static void
compare (const CtrImage &image, CtrCcaParams params, const cv::Mat &grey, const cv::Mat &mask, const std::string &name)
{
  cv::Mat labels, stats, centroids;
  for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
    const int count =
        cv::connectedComponentsWithStats (mask, labels, stats, centroids, connectivity, CV_32S, cv::CCL_WU);
    params.connectivity = static_cast<CtrConnectivity> (connectivity);
    params.features = CTR_FEATURE_LABELS | CTR_FEATURE_BACKGROUND | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED;
    CtrComponents *components = analyser.run (image, params);
    REQUIRE (int64_t (components->count) == count - 1, "%s, %d-connected: %u components instead of %d", name.c_str (),
        connectivity, components->count, count - 1);
    REQUIRE (std::memcmp (components->labels, labels.data, labels.total () * 4) == 0, "%s, %d-connected: labels",
        name.c_str (), connectivity);
    /* OpenCV's row 0 is the background. Where there is none, its box has the extremes of its integers. */
    REQUIRE (int32_t (components->background.area) == stats.at<int32_t> (0, cv::CC_STAT_AREA),
        "%s, %d-connected: area of the background", name.c_str (), connectivity);
    for (uint32_t i = components->background.area ? 0 : 1; i <= components->count; i++) {
      const CtrComponent &c = i ? components->table[i - 1] : components->background;
      const int32_t row[5] = {c.left, c.top, c.width, c.height, int32_t (c.area)};
      double centroid[2];
      ctr_component_centroid (&c, &centroid[0], &centroid[1]);
      REQUIRE (std::memcmp (row, stats.ptr (int (i)), sizeof row) == 0, "%s, %d-connected: statistics of %u",
          name.c_str (), connectivity, i);
      REQUIRE (std::memcmp (centroid, centroids.ptr (int (i)), sizeof centroid) == 0,
          "%s, %d-connected: centroid of %u", name.c_str (), connectivity, i);
    }
    compare_percentiles (grey, labels, components, name.c_str ());
    compare_inscribed (labels, components, name.c_str ());
    ctr_components_unref (components);
  }
}

/* Compares the results on MASK, whose foreground gets random samples, and frees it. */
static void
compare_mask (uint8_t *mask, uint32_t width, uint32_t height, const std::string &name)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.foreground.threshold = 1;
  for (size_t i = 0; i < (size_t) width * height; i++)
    mask[i] = mask[i] ? uint8_t (1 + random_below (&rng, 255)) : 0;
  const cv::Mat mat (int (height), int (width), CV_8U, mask);
  compare (image_of (mat), params, mat, mat,
      name + " of " + std::to_string (width) + " x " + std::to_string (height) + " pixels");
  std::free (mask);
}

static void
test_noise ()
{
  for (int i = 0; i < 2500; i++) {
    const uint32_t width = 1 + random_below (&rng, 80), height = 1 + random_below (&rng, 60);
    compare_mask (noise_new (&rng, width, height, random_below (&rng, 101), 1), width, height, "small noise");
  }
  for (uint32_t grain = 1; grain <= 16; grain *= 2)
    for (uint32_t density = 5; density < 100; density += 15)
      compare_mask (noise_new (&rng, 700, 500, density, grain), 700, 500,
          std::to_string (density) + " % noise in squares of " + std::to_string (grain));
  compare_mask (noise_new (&rng, 4096, 2176, 45, 1), 4096, 2176, "large noise");
  compare_mask (noise_new (&rng, 65535, 17, 50, 1), 65535, 17, "wide noise");
  compare_mask (noise_new (&rng, 17, 65535, 50, 1), 17, 65535, "high noise");
}

static void
test_shapes ()
{
  static const uint32_t sizes[][2] = {{1, 1}, {1, 50}, {50, 1}, {13, 8}, {64, 64}, {129, 65}, {801, 600}, {2048, 1000}};
  for (const auto &size : sizes)
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
      compare_mask (shape_new (static_cast<Shape> (shape), size[0], size[1]), size[0], size[1], shape_names[shape]);
}

static void
compare_picture (const std::filesystem::path &path)
{
  cv::Mat grey, mask;
  const cv::Mat picture = read_picture (path, &grey);
  const double maximum = picture.depth () == CV_16U ? 65535 : 255;
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  for (int otsu = 0; otsu <= 1; otsu++)
    for (int invert = 0; invert <= (grey.total () < 4000000); invert++) {
      params.foreground.mode = otsu ? CTR_THRESHOLD_OTSU : CTR_THRESHOLD_FIXED;
      params.foreground.threshold = picture.depth () == CV_16U ? 9000 : 110;
      params.foreground.invert = invert;
      const int type = (invert ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY) | (otsu ? cv::THRESH_OTSU : 0);
      cv::threshold (grey, mask, params.foreground.threshold - 1, maximum, type);
      mask.convertTo (mask, CV_8U, 255 / maximum);
      compare (image_of (picture), params, grey, mask,
          path.filename ().string () + (otsu ? ", Otsu" : ", fixed threshold") + (invert ? ", inverted" : ""));
    }
}

int
main ()
{
  cv::setNumThreads (1);
  test_noise ();
  test_shapes ();
  for_each_picture (compare_picture);
  return 0;
}
