/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the removal of a background with cv::accumulateWeighted(), cv::subtract() and cv::absdiff(), on
 * streams of random images and of the pictures in the folder CTR_TEST_DATA.
 *
 * OpenCV may fuse the multiplications and additions of the average. One step then differs by at most 1.5 units in the last
 * place of the largest sample, and all earlier ones by a share that falls with each step: together by less than that
 * divided by the rate. So the backgrounds are equal wherever the average is farther from a half, and differ by one at
 * most. */
#include "oracle.h"

#include <cmath>
#include <cstring>

static Random rng = {23};
static CtrBackground *remover;

static cv::Mat
run (const cv::Mat &frame, const CtrBackgroundParams &params)
{
  cv::Mat result (frame.rows, frame.cols, frame.type ());
  const CtrImage image = image_of (frame);
  CtrCorrectedPicture corrected = {};
  CtrError error;
  corrected.data = result.data;
  corrected.stride = result.step;
  REQUIRE (ctr_background_run (remover, &image, &params, &corrected, nullptr, &error), "%s", error.message);
  return result;
}

/* The background that has been learned: what is missing from white. */
static cv::Mat
background_of (const cv::Mat &frame, CtrBackgroundParams params)
{
  const double white = frame.depth () == CV_8U ? 255 : 65535;
  params.mode = CTR_BACKGROUND_SUBTRACT;
  params.learning = false;
  params.offset = 0;
  const cv::Mat all (frame.rows, frame.cols, frame.type (), cv::Scalar (white));
  return all - run (all, params);
}

struct Count {
  uint64_t pixels, different;
};

template <typename Sample>
static void
compare_backgrounds (const cv::Mat &average, const cv::Mat &ours, double rate, Count *count)
{
  const double white = sizeof (Sample) == 1 ? 255 : 65535;
  const double bound = 1.5 * (white + 1) * std::pow (2.0, -24) / rate;
  for (int y = 0; y < ours.rows; y++)
    for (int x = 0; x < ours.cols; x++) {
      const double theirs = average.at<float> (y, x), found = ours.at<Sample> (y, x);
      const double rounded = std::min (std::nearbyint (theirs), white);
      REQUIRE (std::fabs (found - theirs) <= 0.5 + bound || found == rounded,
          "column %d, row %d: background %g, OpenCV's average %.9g, rate %g", x, y, found, theirs, rate);
      count->pixels++;
      count->different += found != rounded;
    }
}

static bool
are_equal (const cv::Mat &a, const cv::Mat &b)
{
  return cv::norm (a, b, cv::NORM_INF) == 0;
}

static void
check_stream (const std::vector<cv::Mat> &frames, Count *count)
{
  static const double rates[] = {1, 0.5, 0.05, 0.01, 0.3, 0.9};
  CtrBackgroundParams params;
  cv::Mat average;
  ctr_background_params_init (&params);
  params.learning_rate = rates[random_below (&rng, 6)];
  ctr_background_reset (remover);
  for (const cv::Mat &frame : frames) {
    cv::Mat expected;
    if (average.empty ())
      frame.convertTo (average, CV_32F);
    else
      cv::accumulateWeighted (frame, average, params.learning_rate);
    params.mode = random_below (&rng, 2) ? CTR_BACKGROUND_SUBTRACT : CTR_BACKGROUND_ABSDIFF;
    const cv::Mat corrected = run (frame, params), ours = background_of (frame, params);
    if (frame.depth () == CV_8U)
      compare_backgrounds<uint8_t> (average, ours, params.learning_rate, count);
    else
      compare_backgrounds<uint16_t> (average, ours, params.learning_rate, count);
    if (params.mode == CTR_BACKGROUND_SUBTRACT)
      cv::subtract (frame, ours, expected);
    else
      cv::absdiff (frame, ours, expected);
    REQUIRE (are_equal (expected, corrected), "%d x %d, mode %d", frame.cols, frame.rows, int (params.mode));
  }
}

static void
check_random (Count *count)
{
  const int width = int (1 + random_below (&rng, 300)), height = int (1 + random_below (&rng, 40));
  const bool wide = random_below (&rng, 2);
  std::vector<cv::Mat> frames (1 + random_below (&rng, 30));
  cv::RNG values (random_next (&rng));
  for (cv::Mat &frame : frames) {
    frame.create (height, width, wide ? CV_16U : CV_8U);
    values.fill (frame, cv::RNG::UNIFORM, 0, wide ? 65536 : 256);
  }
  check_stream (frames, count);
}

/* A picture that its rows move through, in both depths. */
static void
check_picture (const std::filesystem::path &path, Count *count)
{
  cv::Mat grey;
  read_picture (path, &grey);
  for (int wide = 0; wide < 2; wide++) {
    std::vector<cv::Mat> frames (6);
    for (size_t i = 0; i < frames.size (); i++) {
      const int shift = int (i) * 3 % grey.rows;
      frames[i] = grey.clone ();
      if (shift > 0)
        cv::vconcat (grey.rowRange (shift, grey.rows), grey.rowRange (0, shift), frames[i]);
      if (frames[i].depth () == CV_8U && wide)
        frames[i].convertTo (frames[i], CV_16U, 257);
      else if (frames[i].depth () == CV_16U && !wide)
        frames[i].convertTo (frames[i], CV_8U, 1 / 257.);
    }
    check_stream (frames, count);
  }
}

int
main ()
{
  const char *folder = std::getenv ("CTR_TEST_DATA"), *quick = std::getenv ("CTR_TEST_QUICK");
  Count count = {};
  int pictures = 0;
  remover = ctr_background_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (remover, "ctr_background_new");
  for (int i = 0; i < (quick ? 30 : 600); i++)
    check_random (&count);
  if (folder)
    for (const auto &entry : std::filesystem::recursive_directory_iterator (folder)) {
      const std::string extension = entry.path ().extension ().string ();
      if ((extension == ".png" || extension == ".jpg") && pictures < (quick ? 4 : 60)) {
        check_picture (entry.path (), &count);
        pictures++;
      }
    }
  ctr_background_free (remover);
  std::printf ("%llu samples of backgrounds, %llu differ from OpenCV's by one, within the bound; %d pictures\n",
      (unsigned long long) count.pixels, (unsigned long long) count.different, pictures);
  return 0;
}
