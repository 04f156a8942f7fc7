/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the speed of the CPU backend's contours of all levels with that of a loop over the levels with
 * OpenCV on one core: cv::compare(), then cv::findContours() with LIST and CHAIN_APPROX_SIMPLE.
 *
 *   cracks-speed [PICTURE]
 *
 * PICTURE, for example a disparity map, is scaled to 2048 x 768 pixels of the levels 0 to 127. The program prints the
 * median of as many runs as fit into two seconds, at least one. */
#include "oracle.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

static CtrCracks *cracks;

template <typename Work>
static double
median (Work work)
{
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  const auto end = clock::now () + std::chrono::seconds (2);
  do {
    const auto start = clock::now ();
    work ();
    times.push_back (std::chrono::duration<double, std::milli> (clock::now () - start).count ());
  } while (clock::now () < end && times.size () < 500);
  std::nth_element (times.begin (), times.begin () + ptrdiff_t (times.size () / 2), times.end ());
  return times[times.size () / 2];
}

static void
measure (const cv::Mat &picture, CtrLevelMode mode, const char *name)
{
  double maximum;
  cv::minMaxLoc (picture, nullptr, &maximum);
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.mode = mode;
  params.maximum = uint32_t (maximum);
  const CtrImage image = image_of (picture);
  uint32_t count = 0;
  uint64_t points = 0;
  const double ours = median ([&] {
    CtrContours *contours = ctr_cracks_run (cracks, &image, &params, nullptr, nullptr);
    REQUIRE (contours, "%s", name);
    count = contours->count;
    points = contours->point_count;
    ctr_contours_unref (contours);
  });
  const double theirs = median ([&] {
    cv::Mat mask;
    std::vector<std::vector<cv::Point>> contours;
    size_t found = 0;
    for (uint32_t level = 1; level <= params.maximum; level++) {
      cv::compare (picture, double (level), mask, mode == CTR_LEVELS_EQUAL ? cv::CMP_EQ : cv::CMP_GE);
      cv::findContours (mask, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
      found += contours.size ();
    }
    REQUIRE (found == count, "%s: %zu contours", name, found);
  });
  std::printf ("%-20s %5d x %-5d %6u %-5s %9u  %9llu  %9.3f  %9.3f  %6.1fx\n", name, picture.cols, picture.rows,
      params.maximum, mode == CTR_LEVELS_EQUAL ? "equal" : "least", count, static_cast<unsigned long long> (points),
      theirs, ours, theirs / ours);
  std::fflush (stdout);
}

/* Returns smooth noise from 0 to MAXIMUM. */
static cv::Mat
hills (int width, int height, double sigma, double maximum)
{
  Random rng = {1};
  cv::Mat values (height, width, CV_32F), grey;
  for (size_t i = 0; i < values.total (); i++)
    values.at<float> (int (i)) = float (random_below (&rng, 65536));
  cv::GaussianBlur (values, values, cv::Size (), sigma, sigma);
  cv::normalize (values, values, 0, maximum, cv::NORM_MINMAX);
  values.convertTo (grey, maximum > 255 ? CV_16U : CV_8U);
  return grey;
}

/* Returns discs, each with its own label. */
static cv::Mat
labels (int width, int height, int spacing)
{
  cv::Mat image (height, width, CV_16U, cv::Scalar (0));
  int label = 0;
  for (int y = spacing / 2; y < height; y += spacing)
    for (int x = spacing / 2; x < width; x += spacing)
      cv::circle (image, {x, y}, spacing * 2 / 5, cv::Scalar (++label), cv::FILLED);
  return image;
}

int
main (int argc, char **argv)
{
  cv::setNumThreads (1);
  cracks = ctr_cracks_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (cracks, "ctr_cracks_new");
  std::printf ("picture                     pixels levels        contours     points  OpenCV ms    ours ms\n");
  if (argc > 1) {
    cv::Mat picture = cv::imread (argv[1], cv::IMREAD_GRAYSCALE);
    REQUIRE (!picture.empty (), "%s cannot be read", argv[1]);
    cv::resize (picture, picture, cv::Size (2048, 768), 0, 0, cv::INTER_NEAREST);
    cv::normalize (picture, picture, 0, 127, cv::NORM_MINMAX);
    measure (picture, CTR_LEVELS_AT_LEAST, "picture");
    measure (picture, CTR_LEVELS_EQUAL, "picture");
    Random rng = {1};
    for (size_t i = 0; i < picture.total () / 50; i++)
      picture.data[random_below (&rng, uint32_t (picture.total ()))] = uint8_t (random_below (&rng, 128));
    measure (picture, CTR_LEVELS_AT_LEAST, "picture, 2 % noise");
  }
  measure (hills (2048, 768, 12, 127), CTR_LEVELS_AT_LEAST, "hills");
  measure (hills (2048, 768, 2, 127), CTR_LEVELS_AT_LEAST, "rough hills");
  measure (hills (2048, 768, 2, 127), CTR_LEVELS_EQUAL, "rough hills");
  measure (hills (2048, 768, 0.4, 127), CTR_LEVELS_AT_LEAST, "noise");
  measure (labels (1920, 1080, 128), CTR_LEVELS_EQUAL, "labels");
  measure (labels (2048, 2048, 64), CTR_LEVELS_EQUAL, "labels");
  ctr_cracks_free (cracks);
  return 0;
}
