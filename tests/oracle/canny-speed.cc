/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the speed of the CPU backend's edge detection with that of cv::GaussianBlur() and cv::Canny()
 * on one core, with sigma 2 and thresholds 50 and 150.
 *
 *   canny-speed [PICTURE]
 *
 * It prints the best of five runs of each image: blurred noise of full contrast with discs and bars, and PICTURE in
 * mirrored tiles. */
#include "oracle.h"

#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <chrono>

template <typename Work>
static double
best_of_five (Work work)
{
  double best = 1e9;
  for (int i = 0; i < 5; i++) {
    const auto start = std::chrono::steady_clock::now ();
    work ();
    best = std::min (best, std::chrono::duration<double> (std::chrono::steady_clock::now () - start).count ());
  }
  return best;
}

static cv::Mat
synthetic (int width, int height)
{
  cv::Mat mat (height, width, CV_8U);
  cv::RNG rng (1);
  rng.fill (mat, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur (mat, mat, cv::Size (0, 0), 3);
  cv::normalize (mat, mat, 40, 120, cv::NORM_MINMAX);
  for (int i = 0; i < width * height / 40000; i++) {
    const cv::Point a (rng.uniform (0, width), rng.uniform (0, height)), b (rng.uniform (20, 80), rng.uniform (20, 80));
    if (i % 2)
      cv::circle (mat, a, b.x, rng.uniform (100, 255), cv::FILLED);
    else
      cv::rectangle (mat, a, a + b, rng.uniform (100, 255), cv::FILLED);
  }
  return mat;
}

static void
compare (const char *name, const cv::Mat &grey)
{
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  cv::Mat blurred, edges, mask (grey.rows, grey.cols, CV_8U);
  CtrEdgePicture picture;
  ctr_edge_picture_init_mask (&picture, mask.data, mask.step, CTR_MEMORY_HOST);
  const CtrImage image = image_of (grey);
  CtrCanny *canny = ctr_canny_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (canny, "ctr_canny_new");
  const double blur = best_of_five ([&] { cv::GaussianBlur (grey, blurred, cv::Size (0, 0), params.sigma); });
  const double rest = best_of_five (
      [&] { cv::Canny (blurred, edges, params.low_threshold, params.high_threshold, 3, params.l2_gradient); });
  const double ours =
      best_of_five ([&] { REQUIRE (ctr_canny_run (canny, &image, &params, &picture, nullptr, nullptr), "%s", name); });
  REQUIRE (cv::norm (edges, mask, cv::NORM_INF) == 0, "%s", name);
  std::printf ("%-10s %4d x %4d  %9.2f + %7.2f  %9.2f  %8.2f  %4.1fx\n", name, grey.cols, grey.rows, blur * 1e3,
      rest * 1e3, ours * 1e3, ours * 1e9 / double (grey.total ()), (blur + rest) / ours);
  std::fflush (stdout);
  ctr_canny_free (canny);
}

int
main (int argc, char **argv)
{
  static const cv::Size sizes[] = {{1920, 1080}, {3840, 2160}, {8192, 8192}};
  cv::setNumThreads (1);
  cv::ipp::setUseIPP (false);
  std::printf ("one core, ms        OpenCV: blur + edges       ours  ns/pixel  ratio\n");
  for (const cv::Size &size : sizes) {
    compare ("synthetic", synthetic (size.width, size.height));
    if (argc > 1) {
      const cv::Mat picture = cv::imread (argv[1], cv::IMREAD_GRAYSCALE);
      cv::Mat tiled;
      REQUIRE (!picture.empty (), "%s cannot be read", argv[1]);
      cv::copyMakeBorder (picture, tiled, 0, std::max (0, size.height - picture.rows), 0,
          std::max (0, size.width - picture.cols), cv::BORDER_REFLECT);
      compare ("picture", tiled (cv::Rect (0, 0, size.width, size.height)).clone ());
    }
  }
  return 0;
}
