/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the speed of the CPU backend's removal of a background with that of cv::accumulateWeighted(),
 * cv::Mat::convertTo() and cv::absdiff() or cv::subtract() on one core, at 3840 x 2160. It prints the best of seven. */
#include "oracle.h"

#include <opencv2/core/utility.hpp>

#include <chrono>

template <typename Work>
static double
best_of_seven (Work work)
{
  double best = 1e9;
  for (int i = 0; i < 7; i++) {
    const auto start = std::chrono::steady_clock::now ();
    work ();
    best = std::min (best, std::chrono::duration<double> (std::chrono::steady_clock::now () - start).count ());
  }
  return best * 1e3;
}

static void
compare (int type, CtrBackgroundMode mode)
{
  cv::Mat frame (2160, 3840, type), average, background, expected, result (2160, 3840, type);
  cv::RNG (1).fill (frame, cv::RNG::UNIFORM, 0, type == CV_8U ? 256 : 65536);
  frame.convertTo (average, CV_32F);
  const double theirs = best_of_seven ([&] {
    cv::accumulateWeighted (frame, average, 0.05);
    average.convertTo (background, type);
    if (mode == CTR_BACKGROUND_ABSDIFF)
      cv::absdiff (frame, background, expected);
    else
      cv::subtract (frame, background, expected);
  });
  const CtrImage image = image_of (frame);
  CtrBackground *remover = ctr_background_new (CTR_BACKEND_CPU, nullptr);
  CtrCorrectedPicture corrected = {};
  CtrBackgroundParams params;
  REQUIRE (remover, "ctr_background_new");
  corrected.data = result.data;
  corrected.stride = result.step;
  ctr_background_params_init (&params);
  params.mode = mode;
  const double ours =
      best_of_seven ([&] { ctr_background_run (remover, &image, &params, &corrected, nullptr, nullptr); });
  ctr_background_free (remover);
  std::printf ("3840 x 2160, %d bits, average, %s: OpenCV %.2f ms, this %.2f ms\n", type == CV_8U ? 8 : 16,
      mode == CTR_BACKGROUND_ABSDIFF ? "absdiff" : "subtract", theirs, ours);
}

int
main ()
{
  cv::setNumThreads (1);
  for (const int type : {CV_8U, CV_16U})
    for (const CtrBackgroundMode mode : {CTR_BACKGROUND_SUBTRACT, CTR_BACKGROUND_ABSDIFF})
      compare (type, mode);
  return 0;
}
