/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares masks with OpenCV's threshold(), inRange(), adaptiveThreshold(), cvtColor(), morphologyEx(),
 * distanceTransform() and connectedComponents(), pixel by pixel, on more than 100,000 images: synthetic ones of many sizes, with parameters of all
 * kinds, and the pictures in the folder CTR_TEST_DATA. CTR_TEST_QUICK=1 takes a tenth, CTR_TEST_FULL=1 ten times as many.
 *
 * Means of neighbourhoods may differ from OpenCV's where these come from floating point, and are close to the middle between
 * two integers. The program requires that, and prints how many pixels differ. Longer than 500 lines: all comparisons share
 * their images. */
#include "oracle.h"
#include "touching.h"

#include "tests/core/foreground/testing.h"

#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>
#include <cstring>

static Random rng = {29};
static CtrMask *maker;
static std::string what; /* that is compared */

static uint64_t image_count;

/* Of 8 or 16 bits and a mode of CtrThresholdMode: how many pixels were compared, and differ, and how far the latter's means
 * are from the middle between two integers. */
static struct Differences {
  uint64_t images, pixels, differ;
  double farthest;
} differences[2][CTR_THRESHOLD_HYSTERESIS + 1];

static cv::Mat
mask_of (const CtrImage &image, const CtrForeground &foreground, uint32_t *threshold = nullptr)
{
  cv::Mat mask (int (image.height), int (image.width), CV_8U, cv::Scalar (77));
  CtrEdgePicture picture;
  CtrError error;
  ctr_edge_picture_init_mask (&picture, mask.data, mask.step, CTR_MEMORY_HOST);
  REQUIRE (
      ctr_mask_run (maker, &image, &foreground, &picture, nullptr, &error), "%s: %s", what.c_str (), error.message);
  if (threshold)
    REQUIRE (ctr_mask_get_threshold (maker, threshold, nullptr), "%s", what.c_str ());
  return mask;
}

static void
describe_case (const char *name, const CtrImage &image, const CtrForeground &f)
{
  char text[400];
  std::snprintf (text, sizeof text,
      "%s, %u x %u, format %d; mode %d, %u to %u, invert %d, block %u, offset %d, channel %d, ranges 0x%x, shape %d, "
      "open "
      "%u, close %u, fill %d, split %u, clear %d",
      name, image.width, image.height, image.format, f.mode, f.threshold, f.upper_threshold, f.invert, f.block_size,
      f.offset, f.channel, f.ranges, f.shape, f.open_size, f.close_size, f.fill_holes, f.split_touching,
      f.clear_border);
  what = text;
}

static void
require_equal (const cv::Mat &expected, const cv::Mat &actual)
{
  cv::Mat differ;
  if (cv::norm (expected, actual, cv::NORM_INF) == 0)
    return;
  cv::compare (expected, actual, differ, cv::CMP_NE);
  std::vector<cv::Point> places;
  cv::findNonZero (differ, places);
  REQUIRE (false, "%s: %zu pixels differ, first %d, %d", what.c_str (), places.size (), places[0].x, places[0].y);
}

/* The samples of IMAGE as OpenCV has them. */
static cv::Mat
rgb_of (const CtrImage &image)
{
  static const int order[][3] = {{0, 1, 2}, {2, 1, 0}, {0, 1, 2}, {2, 1, 0}, {1, 2, 3}, {3, 2, 1}};
  const int channels = int (ctr_format_pixel_size (image.format));
  const cv::Mat packed (
      int (image.height), int (image.width), CV_8UC (channels), const_cast<void *> (image.data), image.stride);
  cv::Mat rgb (packed.size (), CV_8UC3);
  int pairs[6];
  for (int i = 0; i < 3; i++) {
    pairs[2 * i] = order[image.format - CTR_FORMAT_RGB][i];
    pairs[2 * i + 1] = i;
  }
  cv::mixChannels (&packed, 1, &rgb, 1, pairs, 3);
  return rgb;
}

static cv::Mat
chroma_of (const CtrImage &image, int channel)
{
  const CtrChroma &c = image.chroma;
  const uint8_t *plane = channel == CTR_CHANNEL_CB ? c.cb : c.cr;
  cv::Mat samples (int (image.height), int (image.width), CV_8U);
  for (uint32_t y = 0; y < image.height; y++) {
    const uint8_t *from = plane + (y >> c.shift_y) * c.stride;
    uint8_t *to = samples.ptr (int (y));
    for (uint32_t x = 0; x < image.width; x++)
      to[x] = from[(x >> c.shift_x) * c.step];
  }
  return samples;
}

/* A channel of packed YUV, which OpenCV has as two channels of pixels or four of pairs. */
static cv::Mat
yuv_channel_of (const CtrImage &image, int channel)
{
  static const int chroma[][2] = {{1, 3}, {3, 1}, {0, 2}, {2, 0}}; /* Cb and Cr in a pair */
  const int format = image.format - CTR_FORMAT_YUYV, width = int (image.width), height = int (image.height);
  void *const data = const_cast<void *> (image.data);
  cv::Mat samples;
  if (channel == CTR_CHANNEL_LUMA) {
    cv::extractChannel (cv::Mat (height, width, CV_8UC2, data, image.stride), samples, format / 2);
    return samples;
  }
  cv::extractChannel (cv::Mat (height, (width + 1) / 2, CV_8UC4, data, image.stride), samples,
      chroma[format][channel == CTR_CHANNEL_CR]);
  cv::resize (samples, samples, cv::Size (2 * samples.cols, height), 0, 0, cv::INTER_NEAREST);
  return samples.colRange (0, width).clone ();
}

static cv::Mat
channel_of (const CtrImage &image, int channel)
{
  if (image.format >= CTR_FORMAT_YUYV)
    return yuv_channel_of (image, channel);
  if (image.format < CTR_FORMAT_RGB && channel != CTR_CHANNEL_LUMA)
    return chroma_of (image, channel);
  if (image.format < CTR_FORMAT_RGB)
    return cv::Mat (int (image.height), int (image.width), image.format == CTR_FORMAT_GRAY16 ? CV_16U : CV_8U,
        const_cast<void *> (image.data), image.stride)
        .clone ();
  const cv::Mat rgb = rgb_of (image);
  cv::Mat converted = rgb, samples;
  if (channel == CTR_CHANNEL_LUMA) {
    cv::cvtColor (rgb, samples, cv::COLOR_RGB2GRAY);
    return samples;
  }
  if (channel >= CTR_CHANNEL_CB)
    cv::cvtColor (rgb, converted, cv::COLOR_RGB2YCrCb);
  else if (channel >= CTR_CHANNEL_HUE)
    cv::cvtColor (rgb, converted, cv::COLOR_RGB2HSV);
  static const int places[CTR_CHANNELS] = {0, 0, 1, 2, 0, 1, 2, 2, 1};
  cv::extractChannel (converted, samples, places[channel]);
  return samples;
}

/* The components of MASK that have a pixel of SEEDS. */
static cv::Mat
components_with (const cv::Mat &mask, const cv::Mat &seeds, int connectivity)
{
  cv::Mat labels, found = cv::Mat::zeros (mask.size (), CV_8U);
  const int count = cv::connectedComponents (mask, labels, connectivity, CV_32S);
  std::vector<uint8_t> wanted (size_t (count), 0);
  for (int y = 0; y < mask.rows; y++)
    for (int x = 0; x < mask.cols; x++)
      if (mask.at<uint8_t> (y, x) && seeds.at<uint8_t> (y, x))
        wanted[size_t (labels.at<int> (y, x))] = 255;
  for (int y = 0; y < mask.rows; y++)
    for (int x = 0; x < mask.cols; x++)
      found.at<uint8_t> (y, x) = wanted[size_t (labels.at<int> (y, x))];
  return found;
}

static cv::Mat
border_of (const cv::Mat &mask)
{
  cv::Mat border (mask.size (), CV_8U, cv::Scalar (255));
  if (mask.rows > 2 && mask.cols > 2)
    border (cv::Rect (1, 1, mask.cols - 2, mask.rows - 2)) = 0;
  return border;
}

/* Samples from LOWER on, up to UPPER. inRange() takes no bounds outside the range of samples. */
static cv::Mat
in_range (const cv::Mat &samples, double lower, double upper)
{
  cv::Mat mask = cv::Mat::zeros (samples.size (), CV_8U);
  if (lower <= upper)
    cv::inRange (samples, cv::Scalar (lower), cv::Scalar (upper), mask);
  return mask;
}

static cv::Mat
ranges_of (const CtrImage &image, const CtrForeground &f)
{
  cv::Mat mask (int (image.height), int (image.width), CV_8U, cv::Scalar (255));
  for (int c = 0; c < CTR_CHANNELS; c++) {
    if (!(f.ranges >> c & 1))
      continue;
    const cv::Mat samples = channel_of (image, c);
    mask &= f.lower[c] <= f.upper[c] ? in_range (samples, f.lower[c], f.upper[c])
                                     : in_range (samples, f.lower[c], 255) | in_range (samples, 0, f.upper[c]);
  }
  return mask;
}

/* By how much at most a mean differs from that of means_of(): see core/foreground/adaptive.h and core/foreground/gaussian.c.
 * Means of 16 bits are compared with those of double precision. */
static double
mean_tolerance (const CtrForeground &f, bool wide)
{
  const double unit = std::ldexp (1, -24), most = wide ? 65535 : 255;
  if (f.mode == CTR_THRESHOLD_ADAPTIVE_MEAN)
    return f.block_size < 165 || wide ? 0 : 2.01 * unit * most;
  return f.block_size <= 9 ? 0 : (wide ? 4 * f.block_size + 1 : 6 * f.block_size + 4) * unit * most;
}

/* The mean of the block around each pixel before it is rounded, from adaptiveThreshold()'s own functions. */
static cv::Mat
means_of (const cv::Mat &samples, const CtrForeground &f)
{
  const cv::Size block (int (f.block_size), int (f.block_size));
  const int border = cv::BORDER_REPLICATE | cv::BORDER_ISOLATED;
  const bool mean = f.mode == CTR_THRESHOLD_ADAPTIVE_MEAN;
  cv::Mat real, means;
  samples.convertTo (real, mean || samples.depth () == CV_16U ? CV_64F : CV_32F);
  if (mean) {
    cv::boxFilter (real, means, CV_64F, block, cv::Point (-1, -1), false, border);
    return means / (double (f.block_size) * f.block_size);
  }
  cv::GaussianBlur (real, means, block, 0, 0, border);
  means.convertTo (means, CV_64F);
  return means;
}

/* Compares MASK, of thresholds of neighbourhoods. */
static void
compare_adaptive (const cv::Mat &samples, const CtrForeground &f, const cv::Mat &mask)
{
  const bool mean = f.mode == CTR_THRESHOLD_ADAPTIVE_MEAN, wide = samples.depth () == CV_16U;
  const double tolerance = mean_tolerance (f, wide);
  Differences &sum = differences[wide][f.mode];
  cv::Mat expected, means, rounded;
  if (wide || tolerance > 0)
    means = means_of (samples, f);
  if (wide) {
    means.convertTo (rounded, CV_32S);
    cv::Mat levels;
    samples.convertTo (levels, CV_32S);
    cv::compare (levels, rounded - double (f.offset), expected, f.invert ? cv::CMP_LE : cv::CMP_GT);
  } else {
    cv::adaptiveThreshold (samples, expected, 255, mean ? cv::ADAPTIVE_THRESH_MEAN_C : cv::ADAPTIVE_THRESH_GAUSSIAN_C,
        f.invert ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY, int (f.block_size), f.offset);
  }
  sum.images++;
  sum.pixels += samples.total ();
  if (tolerance == 0) {
    require_equal (expected, mask);
    return;
  }
  for (int y = 0; y < mask.rows; y++)
    for (int x = 0; x < mask.cols; x++) {
      if (mask.at<uint8_t> (y, x) == expected.at<uint8_t> (y, x))
        continue;
      const double value = means.at<double> (y, x), distance = std::abs (value - std::floor (value) - 0.5);
      REQUIRE (distance <= tolerance, "%s: the mean of %d, %d is %.9g", what.c_str (), x, y, value);
      sum.differ++;
      sum.farthest = std::max (sum.farthest, distance);
    }
}

/* How many samples a level of the triangle has, in an image of 16 bits. */
static int
triangle_unit (const cv::Mat &samples, uint32_t significant_bits)
{
  double largest;
  if (significant_bits > 0)
    return 1 << significant_bits >> 8;
  cv::minMaxLoc (samples, nullptr, &largest);
  return largest < 1024 ? 4 : largest < 4096 ? 16 : largest < 16384 ? 64 : 256;
}

/* The quotients, rounded down, at most 255. */
static cv::Mat
divided (const cv::Mat &samples, int unit)
{
  cv::Mat quotients (samples.size (), CV_8U);
  for (int y = 0; y < samples.rows; y++)
    for (int x = 0; x < samples.cols; x++)
      quotients.at<uchar> (y, x) = uchar (
          std::min (255, (samples.depth () == CV_16U ? samples.at<ushort> (y, x) : samples.at<uchar> (y, x)) / unit));
  return quotients;
}

static void
compare_first_steps (const CtrImage &image, const CtrForeground &f, const cv::Mat &mask, uint32_t threshold)
{
  if (f.ranges) {
    const cv::Mat expected = ranges_of (image, f);
    require_equal (f.invert ? cv::Mat (255 - expected) : expected, mask);
    return;
  }
  const cv::Mat samples = channel_of (image, f.channel);
  const bool wide = samples.depth () == CV_16U;
  const double most = wide ? 65535 : 255, upper = std::min (double (f.upper_threshold), most);
  cv::Mat expected;
  double found = 0;
  int unit;
  switch (f.mode) {
    case CTR_THRESHOLD_FIXED:
      expected = in_range (samples, f.threshold, upper > 0 ? upper : most);
      found = f.threshold;
      break;
    case CTR_THRESHOLD_OTSU:
      found = cv::threshold (samples, expected, 0, most, cv::THRESH_OTSU) + 1;
      expected.convertTo (expected, CV_8U, 255 / most);
      break;
    case CTR_THRESHOLD_TRIANGLE:
      /* Where OpenCV sees 8 bits. */
      unit = wide ? triangle_unit (samples, f.significant_bits) : 1;
      found = (cv::threshold (divided (samples, unit), expected, 0, 255, cv::THRESH_TRIANGLE) + 1) * unit;
      break;
    case CTR_THRESHOLD_HYSTERESIS:
      expected =
          components_with (in_range (samples, f.threshold, most), in_range (samples, f.upper_threshold, most), 4);
      found = f.threshold;
      break;
    default:
      compare_adaptive (samples, f, mask);
      REQUIRE (threshold == 0, "%s", what.c_str ());
      return;
  }
  REQUIRE (threshold == found, "%s: the threshold is %u instead of %g", what.c_str (), threshold, found);
  differences[wide][f.mode].images++;
  differences[wide][f.mode].pixels += samples.total ();
  require_equal (f.invert ? cv::Mat (255 - expected) : expected, mask);
}

/* The steps from opening on. */
static void
apply_steps (cv::Mat *mask, const CtrForeground &f)
{
  static const int shapes[] = {cv::MORPH_RECT, cv::MORPH_CROSS, cv::MORPH_ELLIPSE};
  const auto element = [&] (uint32_t size) {
    return cv::getStructuringElement (shapes[f.shape], cv::Size (int (size), int (size)));
  };
  if (f.open_size > 0)
    cv::morphologyEx (*mask, *mask, cv::MORPH_OPEN, element (f.open_size));
  if (f.close_size > 0)
    cv::morphologyEx (*mask, *mask, cv::MORPH_CLOSE, element (f.close_size));
  if (f.fill_holes)
    *mask = 255 - components_with (255 - *mask, border_of (*mask), 4);
  if (f.split_touching)
    *mask = TouchingParts (*mask, f.split_touching / 16.).cut ();
  if (f.clear_border)
    *mask &= 255 - components_with (*mask, border_of (*mask), 8);
}

static void
compare (const char *name, const CtrImage &image, const CtrForeground &foreground)
{
  CtrForeground first = foreground;
  uint32_t threshold;
  image_count++;
  first.open_size = first.close_size = 0;
  first.fill_holes = first.clear_border = false;
  first.split_touching = 0;
  describe_case (name, image, foreground);
  cv::Mat mask = mask_of (image, first, &threshold);
  compare_first_steps (image, first, mask, threshold);
  if (foreground.open_size == 0 && foreground.close_size == 0 && !foreground.fill_holes
      && foreground.split_touching == 0 && !foreground.clear_border)
    return;
  const cv::Mat actual = mask_of (image, foreground);
  apply_steps (&mask, foreground);
  require_equal (mask, actual);
}

static void
compare_random (uint32_t width, uint32_t height, uint32_t most)
{
  Scene scene = random_scene (&rng, width, height);
  compare ("random", scene.picture.view, random_foreground (&rng, &scene.picture.view, most));
  scene_free (&scene);
}

static void
test_random (int rounds)
{
  for (int i = 0; i < rounds; i++)
    for (uint32_t height = 1; height <= 17; height++)
      for (uint32_t width = 1; width <= 17; width++)
        compare_random (width, height, CTR_MAX_SHAPE_SIZE);
  for (int i = 0; i < rounds * 100; i++)
    compare_random (1 + random_below (&rng, 70), 1 + random_below (&rng, 40), CTR_MAX_SHAPE_SIZE);
  for (int i = 0; i < rounds; i++) {
    compare_random (1 + random_below (&rng, 500), 1 + random_below (&rng, 400), CTR_MAX_SHAPE_SIZE);
    if (i % 10 == 0)
      compare_random (i % 20 ? 20000 : 1 + uint32_t (i) % 9, i % 20 ? 1 + uint32_t (i) % 9 : 20000, 20);
  }
}

/* Each block size, on samples that are random or few different ones, which have means halfway between integers. */
static void
test_blocks (int rounds)
{
  for (uint32_t size = CTR_MIN_BLOCK_SIZE; size <= CTR_MAX_BLOCK_SIZE; size += 2)
    for (int i = 0; i < rounds; i++) {
      const uint32_t levels = i % 2 ? 256 : 2 + random_below (&rng, 4), base = random_below (&rng, 257 - levels);
      cv::Mat samples (40 + int (random_below (&rng, 40)), 40 + int (random_below (&rng, 60)), CV_8U);
      for (auto sample = samples.begin<uint8_t> (); sample != samples.end<uint8_t> (); ++sample)
        *sample = uint8_t (base + random_below (&rng, levels));
      CtrForeground foreground = {};
      foreground.block_size = size;
      foreground.offset = int32_t (random_below (&rng, 5)) - 2;
      for (const CtrThresholdMode mode : {CTR_THRESHOLD_ADAPTIVE_MEAN, CTR_THRESHOLD_ADAPTIVE_GAUSSIAN}) {
        foreground.mode = mode;
        compare ("blocks", image_of (samples), foreground);
      }
    }
}

/* Each shape of each size. */
static void
test_elements (int rounds)
{
  for (uint32_t size = 1; size <= CTR_MAX_SHAPE_SIZE; size++)
    for (int shape = CTR_SHAPE_RECTANGLE; shape <= CTR_SHAPE_ELLIPSE; shape++)
      for (int i = 0; i < rounds; i++) {
        const uint32_t width = 60 + random_below (&rng, 80), height = 60 + random_below (&rng, 20);
        uint8_t *noise = noise_new (&rng, width, height, random_below (&rng, 101), 1 + random_below (&rng, size));
        const cv::Mat samples (int (height), int (width), CV_8U, noise);
        CtrForeground foreground = {};
        foreground.threshold = 1;
        foreground.shape = CtrShape (shape);
        foreground.open_size = i % 3 == 1 ? 0 : size;
        foreground.close_size = i % 3 == 0 ? 0 : size;
        compare ("elements", image_of (samples), foreground);
        std::free (noise);
      }
}

/* Overlapping discs, with a depth of up to 6 pixels. */
static void
test_touching (int rounds)
{
  for (int i = 0; i < rounds; i++) {
    cv::Mat samples = cv::Mat::zeros (1 + int (random_below (&rng, 200)), 1 + int (random_below (&rng, 200)), CV_8U);
    for (uint32_t count = 2 + random_below (&rng, 40); count > 0; count--)
      cv::circle (samples,
          {int (random_below (&rng, uint32_t (samples.cols))), int (random_below (&rng, uint32_t (samples.rows)))},
          int (random_below (&rng, i % 2 ? 12 : 40)), cv::Scalar (255), cv::FILLED);
    CtrForeground foreground = {};
    foreground.threshold = 1;
    foreground.split_touching = 1 + random_below (&rng, 96);
    compare ("touching", image_of (samples), foreground);
  }
}

/* All colours in CHANNEL: those whose sample OpenCV says is the same make an image, which must be in the range of this
 * sample only. */
static void
test_colours (int channel, CtrFormat format)
{
  static const int order[][3] = {{0, 1, 2}, {2, 1, 0}, {0, 1, 2}, {2, 1, 0}, {1, 2, 3}, {3, 2, 1}};
  const int side = 4096, size = int (ctr_format_pixel_size (format)), *place = order[format - CTR_FORMAT_RGB];
  cv::Mat packed (side, side, CV_8UC (size), cv::Scalar::all (201));
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++) {
      uint8_t *pixel = packed.ptr (y, x);
      pixel[place[0]] = uint8_t (x);
      pixel[place[1]] = uint8_t (y);
      pixel[place[2]] = uint8_t (x >> 8 | y >> 8 << 4);
    }
  CtrImage image = {};
  image.data = packed.data;
  image.stride = packed.step;
  image.width = image.height = uint32_t (side);
  image.format = format;
  const cv::Mat samples = channel_of (image, channel);
  std::vector<std::vector<uint32_t>> places (256);
  for (uint32_t i = 0; i < uint32_t (side * side); i++)
    places[samples.data[i]].push_back (i);
  for (int sample = 0; sample < 256; sample++) {
    const std::vector<uint32_t> &alike = places[size_t (sample)];
    if (alike.empty ())
      continue;
    const int rows = int (alike.size () / 4096) + 1;
    cv::Mat colours (rows, 4096, CV_8UC (size));
    for (size_t i = 0; i < size_t (rows) * 4096; i++)
      std::memcpy (
          colours.data + i * size_t (size), packed.data + alike[i % alike.size ()] * size_t (size), size_t (size));
    image.data = colours.data;
    image.stride = colours.step;
    image.width = 4096;
    image.height = uint32_t (rows);
    CtrForeground foreground = {};
    foreground.ranges = UINT32_C (1) << channel;
    foreground.lower[channel] = foreground.upper[channel] = uint8_t (sample);
    describe_case ("all colours", image, foreground);
    require_equal (cv::Mat (rows, 4096, CV_8U, cv::Scalar (255)), mask_of (image, foreground));
  }
}

static void
compare_picture (const std::filesystem::path &path)
{
  const cv::Mat picture = cv::imread (path.string (), cv::IMREAD_UNCHANGED);
  REQUIRE (!picture.empty (), "%s cannot be read", path.c_str ());
  const CtrImage image = image_of (picture);
  const int rounds = picture.total () > 1000000 ? 4 : 20;
  for (int i = 0; i < rounds; i++)
    compare (path.filename ().c_str (), image, random_foreground (&rng, &image, i % 4 ? 9 : CTR_MAX_SHAPE_SIZE));
}

int
main ()
{
  static const char *const names[] = {"fixed", "Otsu's", "triangle", "mean", "Gaussian", "hysteresis"};
  const char *full = std::getenv ("CTR_TEST_FULL");
  const int rounds = is_quick () ? 1 : full && std::string (full) != "0" ? 100 : 10;
  cv::setNumThreads (1);
  cv::ipp::setUseIPP (false);
  maker = ctr_mask_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (maker, "ctr_mask_new");
  test_random (rounds * 25);
  test_blocks (rounds * 2);
  test_elements (rounds);
  test_touching (rounds * 100);
  for (int channel = CTR_CHANNEL_LUMA; channel < CTR_CHANNELS; channel++)
    test_colours (channel, CtrFormat (CTR_FORMAT_RGB + (is_quick () ? channel % 2 : channel % 6)));
  for_each_picture (compare_picture);
  for (int i = 0; i < 2 * (CTR_THRESHOLD_HYSTERESIS + 1); i++) {
    const Differences &sum = differences[i % 2][i / 2];
    std::printf ("%-10s %2d bits %8llu images, %llu of %llu pixels differ", names[i / 2], i % 2 ? 16 : 8,
        (unsigned long long) sum.images, (unsigned long long) sum.differ, (unsigned long long) sum.pixels);
    std::printf (sum.differ ? ", means at most %.2g from the middle\n" : "\n", sum.farthest);
  }
  std::printf ("%llu images\n", (unsigned long long) image_count);
  REQUIRE (is_quick () || image_count >= 100000, "%llu images", (unsigned long long) image_count);
  ctr_mask_free (maker);
  return 0;
}
