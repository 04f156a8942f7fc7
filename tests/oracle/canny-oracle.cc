/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the edge detection with cv::GaussianBlur() and cv::Canny(), pixel by pixel, on synthetic images
 * of many sizes and the pictures in the folder CTR_TEST_DATA. */
#include "oracle.h"

#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

static Random rng = {17};
static CtrCanny *detector;

/* The arguments of cv::Canny(), with its Sobel operator scaled to the same thresholds. */
static double
gain_of (uint32_t aperture)
{
  return aperture == 3 ? 1 : aperture == 5 ? 12 : 160;
}

static double
otsu_of (const cv::Mat &grey)
{
  cv::Mat unused;
  return cv::threshold (grey, unused, 0, 255, cv::THRESH_OTSU);
}

static double
median_of (const cv::Mat &grey)
{
  std::vector<uint8_t> samples (grey.begin<uint8_t> (), grey.end<uint8_t> ());
  const auto middle = samples.begin () + std::ptrdiff_t ((samples.size () - 1) / 2);
  std::nth_element (samples.begin (), middle, samples.end ());
  return *middle;
}

static bool
is_native (const cv::Mat &samples, const CtrCannyParams &params)
{
  return params.native_depth && samples.depth () == CV_16U;
}

/* The gradient of SAMPLES of 8 or 16 bits, in 16 bits with a sign. False if it does not fit, or so large that the test of
 * the direction in cv::Canny() overflows. */
static bool
gradient_of (const cv::Mat &samples, const CtrCannyParams &params, cv::Mat *dx, cv::Mat *dy)
{
  cv::Mat blurred, exact_x, exact_y;
  const int aperture = int (params.aperture);
  const double scale = aperture == 7 ? 1 / 16. : 1;
  if (params.sigma > 0)
    cv::GaussianBlur (samples, blurred, cv::Size (0, 0), params.sigma);
  else
    blurred = samples;
  cv::Sobel (blurred, exact_x, CV_64F, 1, 0, aperture, scale, 0, cv::BORDER_REPLICATE);
  cv::Sobel (blurred, exact_y, CV_64F, 0, 1, aperture, scale, 0, cv::BORDER_REPLICATE);
  exact_x.convertTo (*dx, CV_16S);
  exact_y.convertTo (*dy, CV_16S);
  return cv::norm (exact_x, cv::NORM_INF) < 27146 && cv::norm (exact_y, cv::NORM_INF) < 27146;
}

/* The thresholds as shares of the greatest magnitude, rounded down as canny.h says, so that they are exact in DOUBLE. */
static void
relative_thresholds (const cv::Mat &dx, const cv::Mat &dy, const CtrCannyParams &params, double *low, double *high)
{
  int64_t greatest = 0;
  for (int y = 0; y < dx.rows; y++)
    for (int x = 0; x < dx.cols; x++) {
      const int64_t across = std::abs (int (dx.at<int16_t> (y, x))), down = std::abs (int (dy.at<int16_t> (y, x)));
      greatest = std::max (greatest, params.l2_gradient ? across * across + down * down : across + down);
    }
  const auto share = [&] (double wanted) {
    const auto parts = std::llround (wanted * CTR_CANNY_SHARES);
    return params.l2_gradient ? std::sqrt (
               double (__int128 (greatest) * parts * parts / (int64_t (CTR_CANNY_SHARES) * CTR_CANNY_SHARES)) + 0.5)
                              : double (greatest * parts / CTR_CANNY_SHARES);
  };
  *low = share (std::min (params.low_share, params.high_share));
  *high = share (std::max (params.low_share, params.high_share));
}

/* By the function that takes gradients. No edges if they do not fit into it. */
static cv::Mat
edges_of_gradient (const cv::Mat &samples, const cv::Mat &grey, const CtrCannyParams &params)
{
  cv::Mat dx, dy, edges;
  if (!gradient_of (samples, params, &dx, &dy))
    return edges;
  const double divisor = params.aperture == 7 ? 16 : 1,
               unit = is_native (samples, params) ? 1 << (params.significant_bits - 8) : 1;
  const double gain = unit * gain_of (params.aperture) / divisor;
  double low = params.low_threshold / divisor, high = params.high_threshold / divisor;
  if (params.threshold_mode == CTR_CANNY_RELATIVE) {
    relative_thresholds (dx, dy, params, &low, &high);
  } else if (params.threshold_mode == CTR_CANNY_OTSU) {
    high = gain * otsu_of (grey);
    low = high / 2;
  } else if (params.threshold_mode == CTR_CANNY_MEDIAN) {
    const double median = median_of (grey);
    low = gain * (67 * median) / 100;
    high = gain * std::min (133 * median, 25500.) / 100;
  }
  /* It limits them to 32767 for L2, which we do not. */
  if (params.l2_gradient && std::max (low, high) > 32767)
    return edges;
  cv::Canny (dx, dy, edges, low, high, params.l2_gradient);
  return edges;
}

/* GREY: the samples in 8 bits. */
static cv::Mat
expected_edges (const cv::Mat &samples, const cv::Mat &grey, const CtrCannyParams &params)
{
  cv::Mat blurred, edges;
  double low = params.low_threshold, high = params.high_threshold;
  const double gain = gain_of (params.aperture);
  if (is_native (samples, params))
    return edges_of_gradient (samples, grey, params);
  if (params.threshold_mode == CTR_CANNY_RELATIVE)
    return edges_of_gradient (grey, grey, params);
  if (params.threshold_mode == CTR_CANNY_OTSU) {
    high = gain * otsu_of (grey);
    low = high / 2;
  } else if (params.threshold_mode == CTR_CANNY_MEDIAN) {
    const double median = median_of (grey);
    low = gain * (67 * median) / 100;
    high = gain * std::min (133 * median, 25500.) / 100;
  }
  if (params.sigma > 0)
    cv::GaussianBlur (grey, blurred, cv::Size (0, 0), params.sigma);
  cv::Canny (params.sigma > 0 ? blurred : grey, edges, low, high, int (params.aperture), params.l2_gradient);
  return edges;
}

/* SAMPLES are those of IMAGE, GREY is IMAGE in 8 bits. Returns the number of edge pixels, -1 if OpenCV cannot find them. */
static int
compare_samples (const CtrImage &image, const cv::Mat &samples, const cv::Mat &grey, const CtrCannyParams &params,
    const std::string &name)
{
  const cv::Mat expected = expected_edges (samples, grey, params);
  if (expected.empty ())
    return -1;
  cv::Mat actual (grey.rows, grey.cols + int (random_below (&rng, 20)), CV_8U, cv::Scalar (7));
  CtrEdgePicture picture;
  CtrError error;
  ctr_edge_picture_init_mask (&picture, actual.data, actual.step, CTR_MEMORY_HOST);
  REQUIRE (
      ctr_canny_run (detector, &image, &params, &picture, nullptr, &error), "%s: %s", name.c_str (), error.message);
  const cv::Mat beside = actual.colRange (grey.cols, actual.cols);
  REQUIRE (beside.empty () || cv::countNonZero (beside != 7) == 0, "%s of %d x %d: bytes between the rows",
      name.c_str (), grey.cols, grey.rows);
  for (int y = 0; y < grey.rows; y++) {
    if (std::memcmp (actual.ptr (y), expected.ptr (y), size_t (grey.cols)) == 0)
      continue;
    for (int x = 0; x < grey.cols; x++) {
      const int wanted = expected.at<uint8_t> (y, x);
      REQUIRE (actual.at<uint8_t> (y, x) == wanted,
          "%s of %d x %d, format %d, sigma %.17g, aperture %u, L%d, threshold mode %d, %.17g and %.17g, %u bits: %d "
          "instead of %d at %d, %d",
          name.c_str (), grey.cols, grey.rows, image.format, params.sigma, params.aperture, params.l2_gradient ? 2 : 1,
          params.threshold_mode, params.low_threshold, params.high_threshold, params.significant_bits,
          actual.at<uint8_t> (y, x), wanted, x, y);
    }
  }
  return cv::countNonZero (expected);
}

static int
compare (const CtrImage &image, const cv::Mat &grey, const CtrCannyParams &params, const std::string &name)
{
  return compare_samples (image, grey, grey, params, name);
}

enum { NOISE, BLURRED_NOISE, BINARY, RAMP, PLATEAUS, CHEQUERBOARD, SHAPE, CONTENT_COUNT };
static const char *const content_names[] = {
    "noise", "blurred noise", "binary noise", "ramps", "plateaus", "chequerboard", "shape"};

static cv::Mat
noise (int width, int height)
{
  cv::Mat mat (height, width, CV_8U);
  for (auto sample = mat.begin<uint8_t> (); sample != mat.end<uint8_t> (); ++sample)
    *sample = uint8_t (random_next (&rng));
  return mat;
}

static cv::Mat
content (int kind, int width, int height)
{
  cv::Mat mat = noise (width, height), wide;
  const int a = int (random_below (&rng, 9)) - 4, b = int (random_below (&rng, 9)) - 4;
  const int size = 1 + int (random_below (&rng, 9)), level = int (random_below (&rng, 256));
  const int step = int (random_below (&rng, 256));
  uint8_t *mask = nullptr;
  switch (kind) {
    case BLURRED_NOISE:
      cv::GaussianBlur (mat, mat, cv::Size (0, 0), 0.5 + size / 2.);
      cv::normalize (mat, mat, 0, 255, cv::NORM_MINMAX);
      break;
    case BINARY:
      mask = noise_new (&rng, uint32_t (width), uint32_t (height), random_below (&rng, 101), uint32_t (size));
      break;
    case SHAPE:
      mask = shape_new (static_cast<Shape> (random_below (&rng, SHAPE_COUNT)), uint32_t ((width + size - 1) / size),
          uint32_t ((height + size - 1) / size));
      break;
    case PLATEAUS:
      mat /= 64;
      mat *= 60;
      cv::resize (mat, wide, cv::Size (), size, size, cv::INTER_NEAREST);
      mat = wide (cv::Rect (0, 0, width, height)).clone ();
      break;
    default:
      break;
  }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      uint8_t &sample = mat.at<uint8_t> (y, x);
      if (kind == RAMP)
        sample = uint8_t ((a * x + b * y) / 2);
      else if (kind == CHEQUERBOARD)
        sample = uint8_t ((x / size + y / size) % 2 ? level : step);
      else if (kind == BINARY)
        sample = uint8_t (mask[y * width + x] ? level : step);
      else if (kind == SHAPE)
        sample = uint8_t (mask[y / size * ((width + size - 1) / size) + x / size] ? level : step);
    }
  std::free (mask);
  return mat;
}

static double
random_unit ()
{
  return double (random_next (&rng) >> 11) / double (UINT64_C (1) << 53);
}

static CtrCannyParams
random_params ()
{
  static const double sigmas[] = {0, 0.05, 0.16, 0.17, 0.3, 0.5, 0.8, 1, 1.4, 2, 2.6, 2.7, 5, 10, 20};
  static const uint32_t apertures[] = {3, 5, 7};
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma =
      random_below (&rng, 2) ? sigmas[random_below (&rng, sizeof sigmas / sizeof *sigmas)] : 10 * random_unit ();
  params.aperture = apertures[random_below (&rng, 3)];
  params.l2_gradient = random_below (&rng, 2);
  params.threshold_mode = static_cast<CtrCannyThresholdMode> (std::max (0, int (random_below (&rng, 7)) - 3));
  params.low_share = random_unit ();
  params.high_share = random_unit ();
  const double gain = gain_of (params.aperture), most = params.sigma > 1 ? 150 : 800;
  if (random_below (&rng, 2))
    params.significant_bits = CTR_CANNY_MIN_BITS + random_below (&rng, 9);
  params.low_threshold = gain * most * random_unit ();
  params.high_threshold = gain * most * random_unit (); /* below the other as often as above */
  switch (random_below (&rng, 8)) {
    case 0:
      params.low_threshold = params.high_threshold;
      break;
    case 1:
      params.low_threshold = 0;
      break;
    case 2:
      params.low_threshold = params.high_threshold = 0;
      break;
    case 3:
      params.low_threshold = gain * random_below (&rng, 100);
      params.high_threshold = gain * random_below (&rng, 100);
      break;
    case 4:
      if (random_below (&rng, 4) == 0)
        params.high_threshold = random_below (&rng, 2) ? 40000 : 1e9;
      break;
    default:
      break;
  }
  return params;
}

/* Returns the grey MAT in one of the formats, 16-bit samples with BITS significant bits. *GREY becomes the image that
 * OpenCV has to analyse. */
static CtrImage
in_random_format (const cv::Mat &mat, uint32_t bits, cv::Mat *holder, cv::Mat *grey)
{
  const int format = int (random_below (&rng, 2 * (CTR_FORMAT_XBGR + 1)));
  const int margin = int (random_below (&rng, 20));
  cv::Mat samples;
  *grey = mat;
  if (format == CTR_FORMAT_GRAY16) {
    const uint32_t unit = 1u << (bits - 8);
    *grey = mat.clone ();
    mat.convertTo (samples, CV_16U, unit);
    auto of_grey = grey->begin<uint8_t> ();
    for (auto sample = samples.begin<uint16_t> (); sample != samples.end<uint16_t> (); ++sample, ++of_grey) {
      *sample = uint16_t (*sample + random_below (&rng, unit));
      /* Samples with more bits than set, as after a wrong setting, count as the maximum. */
      if (bits < 16 && random_below (&rng, 50) == 0) {
        *sample = uint16_t (*sample + (1u << bits));
        *of_grey = 255;
      }
    }
  } else if (format >= CTR_FORMAT_RGB && format <= CTR_FORMAT_XBGR) {
    /* Red, green and blue are near the grey value; the padding is random. */
    cv::Mat rgb, spread (mat.rows, mat.cols, CV_8UC3), unused = noise (mat.cols, mat.rows);
    cv::randu (spread, 0, random_below (&rng, 2) ? 1 : 80);
    cv::cvtColor (mat, rgb, cv::COLOR_GRAY2RGB);
    rgb -= spread;
    cv::cvtColor (rgb, *grey, cv::COLOR_RGB2GRAY);
    static const int order[][4] = {{0, 1, 2}, {2, 1, 0}, {0, 1, 2, 3}, {2, 1, 0, 3}, {3, 0, 1, 2}, {3, 2, 1, 0}};
    const int channels = format >= CTR_FORMAT_RGBX ? 4 : 3;
    samples.create (mat.rows, mat.cols, CV_8UC (channels));
    const cv::Mat from[] = {rgb, unused};
    int pairs[8];
    for (int i = 0; i < channels; i++) {
      pairs[2 * i] = order[format - CTR_FORMAT_RGB][i];
      pairs[2 * i + 1] = i;
    }
    cv::mixChannels (from, 2, &samples, 1, pairs, size_t (channels));
  } else {
    samples = mat;
  }
  cv::copyMakeBorder (samples, *holder, 0, 0, 0, margin, cv::BORDER_CONSTANT, cv::Scalar::all (99));
  CtrImage image = image_of (*holder);
  image.width = uint32_t (mat.cols);
  if (format >= CTR_FORMAT_RGB && format <= CTR_FORMAT_XBGR)
    image.format = static_cast<CtrFormat> (format);
  return image;
}

static void
compare_random (int width, int height)
{
  const int kind = int (random_below (&rng, CONTENT_COUNT));
  cv::Mat holder, grey;
  const CtrCannyParams params = random_params ();
  const CtrImage image = in_random_format (content (kind, width, height), params.significant_bits, &holder, &grey);
  compare (image, grey, params, content_names[kind]);
}

static void
test_random ()
{
  for (int height = 1; height <= 17; height++)
    for (int width = 1; width <= 17; width++)
      for (int i = 0; i < 5; i++)
        compare_random (width, height);
  for (int i = 0; i < 1500; i++)
    compare_random (1 + int (random_below (&rng, 150)), 1 + int (random_below (&rng, 150)));
  for (int i = 0; i < 60; i++)
    compare_random (1 + int (random_below (&rng, 1000)), 1 + int (random_below (&rng, 1000)));
  for (int i = 0; i < 8; i++)
    compare_random (2048, 2048);
  for (int i = 0; i < 3; i++) {
    compare_random (20000, 1 + i);
    compare_random (1 + i, 20000);
    compare_random (65535, 33);
    compare_random (31, 65535);
  }
}

/* Samples of 16 bits, analysed as they are. The gradient of most of them fits into 16 bits with a sign. */
static void
test_native ()
{
  int compared = 0, with_edges = 0;
  for (int i = 0; i < 1500; i++) {
    const int width = 1 + int (random_below (&rng, i % 3 ? 150 : 20)),
              height = 1 + int (random_below (&rng, i % 3 ? 150 : 20));
    const int kind = int (random_below (&rng, CONTENT_COUNT));
    CtrCannyParams params = random_params ();
    params.native_depth = true;
    /* 8-bit samples of 2^EXTRA levels each, with noise below; from some level on. */
    const uint32_t extra = random_below (&rng, params.aperture == 3 ? 6 : 3), bits = 8 + extra;
    const int base = int (random_below (&rng, 65536 - (256u << extra) - (1u << extra)));
    cv::Mat samples (height, width, CV_16U), grey (height, width, CV_8U), holder;
    const cv::Mat picture = content (kind, width, height);
    params.low_threshold *= 1 << extra;
    params.high_threshold *= 1 << extra;
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) {
        const int sample = base + (picture.at<uint8_t> (y, x) << extra) + int (random_below (&rng, 1u << extra));
        samples.at<uint16_t> (y, x) = uint16_t (sample);
        grey.at<uint8_t> (y, x) = uint8_t (std::min (sample >> (params.significant_bits - 8), 255));
      }
    cv::copyMakeBorder (samples, holder, 0, 0, 0, int (random_below (&rng, 20)), cv::BORDER_CONSTANT, cv::Scalar (99));
    CtrImage image = image_of (holder);
    image.width = uint32_t (width);
    const int edges =
        compare_samples (image, samples, grey, params, std::to_string (bits) + " bits of " + content_names[kind]);
    compared += edges >= 0;
    with_edges += edges > 0;
  }
  REQUIRE (compared > 1000 && with_edges > 500, "%d images compared, %d with edges", compared, with_edges);
}

/* Hysteresis follows connected weak lines through the whole picture, without a strong pixel and with one at either
 * end. */
static void
test_propagation ()
{
  static const Shape shapes[] = {SHAPE_SPIRAL, SHAPE_SERPENTINE, SHAPE_SERPENTINE_UPRIGHT};
  for (const Shape shape : shapes)
    for (int scale = 3; scale <= 7; scale += 2)
      for (int place = 0; place < 3; place++) {
        const int side = 2000 / scale;
        uint8_t *mask = shape_new (shape, uint32_t (side), uint32_t (side));
        cv::Mat mat (side, side, CV_8U, mask), grey;
        mat *= 20;
        cv::resize (mat, grey, cv::Size (), scale, scale, cv::INTER_NEAREST);
        grey += 100;
        /* The ends of the line lie near the first corner and near the last rows, or the middle of a spiral. */
        if (place > 0) {
          int x = 0, y = 0;
          if (place == 2) {
            x = side / 2;
            y = shape == SHAPE_SPIRAL ? side / 2 : side - 1;
            while (!mask[y * side + x] || mask[y * side + x - 1] != mask[y * side + x + 1])
              y--;
          }
          grey (cv::Rect (x * scale, y * scale, scale, scale)) = 255;
        }
        std::free (mask);
        /* Apart from the border, the outline is closed. */
        cv::copyMakeBorder (grey, grey, scale, scale, scale, scale, cv::BORDER_CONSTANT, cv::Scalar (100));
        CtrCannyParams params;
        ctr_canny_params_init (&params);
        params.sigma = 0;
        params.low_threshold = 30;
        params.high_threshold = 200;
        const int edges = compare (image_of (grey), grey, params, shape_names[shape]);
        REQUIRE (place == 0 ? edges == 0 : edges > scale * side * side / 4, "%s: %d edges", shape_names[shape], edges);
      }
}

static void
compare_picture (const std::filesystem::path &path)
{
  static const double thresholds[][2] = {{50, 150}, {20, 60}};
  cv::Mat picture = cv::imread (path.string (), cv::IMREAD_UNCHANGED), grey = picture;
  REQUIRE (!picture.empty (), "%s cannot be read", path.c_str ());
  if (picture.channels () == 3)
    cv::cvtColor (picture, grey, cv::COLOR_BGR2GRAY);
  else if (picture.channels () == 4)
    cv::cvtColor (picture, grey, cv::COLOR_BGRA2GRAY);
  else if (picture.depth () == CV_16U)
    picture.convertTo (grey, CV_8U, 1 / 256., -0.498); /* rounded, the upper 8 bits */
  const bool large = grey.total () > 4000000;
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  for (const double sigma : {0, 1, 2, 5})
    for (const auto &pair : thresholds)
      for (params.aperture = 3; params.aperture <= 7; params.aperture += 2)
        for (int l2 = 0; l2 <= 1; l2++) {
          if (large && params.aperture > 3 && sigma != 2)
            continue;
          params.sigma = sigma;
          params.l2_gradient = l2;
          params.low_threshold = gain_of (params.aperture) * pair[0];
          params.high_threshold = gain_of (params.aperture) * pair[1];
          compare (image_of (picture), grey, params, path.filename ().string ());
        }
  for (const CtrCannyThresholdMode mode : {CTR_CANNY_OTSU, CTR_CANNY_MEDIAN, CTR_CANNY_RELATIVE}) {
    params.threshold_mode = mode;
    params.aperture = 3;
    params.l2_gradient = false;
    compare (image_of (picture), grey, params, path.filename ().string ());
    params.native_depth = true;
    if (picture.depth () == CV_16U)
      compare_samples (image_of (picture), picture, grey, params, path.filename ().string ());
    params.native_depth = false;
  }
}

int
main ()
{
  cv::setNumThreads (1);
  cv::ipp::setUseIPP (false); /* its edges are others */
  detector = ctr_canny_new (CTR_BACKEND_CPU, nullptr);
  REQUIRE (detector, "ctr_canny_new");
  test_random ();
  test_native ();
  test_propagation ();
  for_each_picture (compare_picture);
  ctr_canny_free (detector);
  return 0;
}
