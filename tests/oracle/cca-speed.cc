/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the CPU backend's speed with OpenCV's on one core, on random squares of 1, 4 and 16 pixels at
 * densities of 0 to 100 %.
 *
 *   cca-speed [SIDE]
 *
 * It takes the best of three runs of each image. Throughput is all pixels over all time; "least" is the smallest ratio
 * to CCL_WU among the densities. OpenCV always writes labels; the CPU backend runs without and with them. */
#include "oracle.h"

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <chrono>

template <typename Work>
static double
best_of_three (Work work)
{
  double best = 1e9;
  for (int i = 0; i < 3; i++) {
    const auto start = std::chrono::steady_clock::now ();
    work ();
    best = std::min (best, std::chrono::duration<double> (std::chrono::steady_clock::now () - start).count ());
  }
  return best;
}

int
main (int argc, char **argv)
{
  const uint32_t side = argc > 1 ? uint32_t (std::strtoul (argv[1], nullptr, 10)) : 2048;
  cv::setNumThreads (1);
  Analyser analyser;
  std::printf ("%u x %u, one core, Gpix/s (ratios to CCL_WU)\n", side, side);
  std::printf ("conn  grain  CCL_WU  Spaghetti  ours   least at  with labels  least at\n");
  for (int connectivity = 4; connectivity <= 8; connectivity += 4)
    for (uint32_t grain = 1; grain <= 16; grain *= 4) {
      Random rng = {1};
      double wu = 0, spaghetti = 0, ours[2] = {}, least[2] = {1e9, 1e9};
      uint32_t least_at[2] = {};
      int images = 0;
      for (uint32_t density = 0; density <= 100; density += 10, images++) {
        uint8_t *noise = noise_new (&rng, side, side, density, grain);
        const cv::Mat mask = cv::Mat (int (side), int (side), CV_8U, noise);
        cv::Mat labels, stats, centroids;
        const auto opencv = [&] (int algorithm) {
          return best_of_three ([&] {
            cv::connectedComponentsWithStats (mask, labels, stats, centroids, connectivity, CV_32S, algorithm);
          });
        };
        const double reference = opencv (cv::CCL_WU);
        wu += reference;
        spaghetti += opencv (cv::CCL_SPAGHETTI);
        CtrCcaParams params;
        ctr_cca_params_init (&params);
        params.foreground.threshold = 1;
        params.connectivity = static_cast<CtrConnectivity> (connectivity);
        for (int with_labels = 0; with_labels <= 1; with_labels++) {
          params.features = with_labels ? CTR_FEATURE_LABELS : 0;
          const double time = best_of_three ([&] { ctr_components_unref (analyser.run (image_of (mask), params)); });
          ours[with_labels] += time;
          if (reference / time < least[with_labels]) {
            least[with_labels] = reference / time;
            least_at[with_labels] = density;
          }
        }
        std::free (noise);
      }
      const double gigapixels = double (side) * side * images / 1e9;
      std::printf ("%4d  %5u  %6.3f  %9.3f  %5.2f  %4.1fx %3u%%  %11.2f  %4.1fx %3u%%\n", connectivity, grain,
          gigapixels / wu, gigapixels / spaghetti, gigapixels / ours[0], least[0], least_at[0], gigapixels / ours[1],
          least[1], least_at[1]);
      std::fflush (stdout);
    }
  return 0;
}
