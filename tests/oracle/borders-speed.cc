/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the CPU backend's speed with that of cv::findContours() on one core, with the points of
 * CHAIN_APPROX_SIMPLE.
 *
 *   borders-speed [PICTURE]
 *
 * PICTURE is measured at 1, 2 and 4 times its size, with a threshold of 128. The program prints the median of as many
 * runs as fit into two seconds, at least one: OpenCV's hierarchy of noise may take longer. */
#include "oracle.h"

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

static CtrBorders *borders;

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
measure (const cv::Mat &mask, const char *name)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.foreground.threshold = 1;
  const CtrImage image = image_of (mask);
  for (int mode = cv::RETR_LIST; mode <= cv::RETR_TREE; mode += cv::RETR_TREE - cv::RETR_LIST) {
    params.mode = static_cast<CtrRetrieval> (mode);
    uint32_t count = 0;
    const double ours = median ([&] {
      CtrContours *contours = ctr_borders_run (borders, &image, &params, nullptr, nullptr);
      REQUIRE (contours, "%s", name);
      count = contours->count;
      ctr_contours_unref (contours);
    });
    const double theirs = median ([&] {
      std::vector<std::vector<cv::Point>> contours;
      std::vector<cv::Vec4i> hierarchy;
      cv::findContours (mask, contours, hierarchy, mode, cv::CHAIN_APPROX_SIMPLE);
    });
    std::printf ("%-18s %5d x %-5d %8u  %-4s  %9.3f  %9.3f  %6.1fx\n", name, mask.cols, mask.rows, count,
        mode == cv::RETR_TREE ? "TREE" : "LIST", theirs, ours, theirs / ours);
    std::fflush (stdout);
  }
}

static cv::Mat
blobs (int width, int height, double sigma)
{
  Random rng = {1};
  cv::Mat grey (height, width, CV_8U);
  for (size_t i = 0; i < grey.total (); i++)
    grey.data[i] = uint8_t (random_next (&rng));
  cv::GaussianBlur (grey, grey, cv::Size (), sigma, sigma);
  cv::threshold (grey, grey, 127, 255, cv::THRESH_BINARY);
  return grey;
}

int
main (int argc, char **argv)
{
  cv::setNumThreads (1);
  borders = ctr_borders_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (borders, "ctr_borders_new");
  std::printf ("picture                 pixels  contours  mode  OpenCV ms    ours ms\n");
  if (argc > 1) {
    cv::Mat picture = cv::imread (argv[1], cv::IMREAD_GRAYSCALE), larger;
    REQUIRE (!picture.empty (), "%s cannot be read", argv[1]);
    cv::threshold (picture, picture, 127, 255, cv::THRESH_BINARY);
    for (int scale = 1; scale <= 4; scale *= 2) {
      cv::resize (picture, larger, cv::Size (), scale, scale, cv::INTER_NEAREST);
      measure (larger, "picture");
    }
  }
  measure (blobs (1920, 1080, 3), "blobs");
  measure (blobs (4928, 4112, 3), "blobs");
  Random rng = {1};
  for (uint32_t density = 10; density <= 90; density += 40) {
    uint8_t *noise = noise_new (&rng, 2048, 2048, density, 1);
    const std::string name = "noise of " + std::to_string (density) + " %";
    measure (cv::Mat (2048, 2048, CV_8U, noise), name.c_str ());
    std::free (noise);
  }
  for (Shape shape : {SHAPE_SPIRAL, SHAPE_RINGS, SHAPE_CHEQUERBOARD, SHAPE_ZEROS}) {
    /* OpenCV needs minutes for the hierarchy of the larger chequerboard. */
    const int side = shape == SHAPE_CHEQUERBOARD ? 512 : 2048;
    uint8_t *mask = shape_new (shape, uint32_t (side), uint32_t (side));
    measure (cv::Mat (side, side, CV_8U, mask), shape_names[shape]);
    std::free (mask);
  }
  ctr_borders_free (borders);
  return 0;
}
