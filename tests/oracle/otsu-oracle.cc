/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares Otsu's threshold with cv::threshold() and THRESH_OTSU, for 8 and 16 bits. */
#include "oracle.h"

#include <opencv2/imgproc.hpp>

static Analyser analyser;
static Random rng = {9};

/* A random histogram: a grey value lies within SPREAD levels of one of PEAKS, or at any level. */
struct Histogram {
  uint32_t levels, peaks[4], count, spread;

  explicit Histogram (uint32_t levels) : levels (levels)
  {
    count = random_below (&rng, 5);
    spread = 1 + random_below (&rng, random_below (&rng, 2) ? 8 : levels);
    for (uint32_t &peak : peaks)
      peak = random_below (&rng, levels);
  }

  uint32_t
  sample () const
  {
    if (count == 0)
      return random_below (&rng, levels);
    const uint32_t value = peaks[random_below (&rng, count)] + random_below (&rng, spread);
    return value < levels ? value : levels - 1;
  }
};

static void
compare (const cv::Mat &mat, int number)
{
  cv::Mat mask;
  const double expected = cv::threshold (mat, mask, 0, mat.depth () == CV_16U ? 65535 : 255, cv::THRESH_OTSU);
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  CtrComponents *components = analyser.run (image_of (mat), params);
  REQUIRE (components->threshold == expected + 1, "image %d, %d x %d of type %d: %u instead of %g + 1", number,
      mat.cols, mat.rows, mat.type (), components->threshold, expected);
  ctr_components_unref (components);
}

int
main ()
{
  for (int i = 0; i < 3000; i++) {
    const bool wide = i % 3 == 0;
    const Histogram histogram (wide ? 65536 : 256);
    const int limit = i % 100 == 0 ? 1500 : 60;
    cv::Mat mat (1 + int (random_below (&rng, uint32_t (limit))), 1 + int (random_below (&rng, uint32_t (limit))),
        wide ? CV_16U : CV_8U);
    for (int y = 0; y < mat.rows; y++)
      for (int x = 0; x < mat.cols; x++)
        if (wide)
          mat.at<uint16_t> (y, x) = uint16_t (histogram.sample ());
        else
          mat.at<uint8_t> (y, x) = uint8_t (histogram.sample ());
    compare (mat, i);
  }
  /* Neither OpenCV nor the core counts a class of less than FLT_EPSILON of the pixels. */
  for (int type = CV_8U; type <= CV_16U; type += CV_16U - CV_8U) {
    cv::Mat mat (2176, 4096, type, cv::Scalar (100));
    mat.col (0).row (0) = 7;
    compare (mat, -1);
    mat.col (0).row (0) = 200;
    compare (mat, -2);
  }
  return 0;
}
