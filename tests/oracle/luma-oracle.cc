/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program compares the luma of packed RGB with cv::cvtColor(), for every pair of red and green with sixteen random
 * blues. Each colour is a single pixel on black, so that its luma is the grey sum of its component. */
#include "oracle.h"

#include <opencv2/imgproc.hpp>

static Analyser analyser;
static Random rng = {13};

static void
compare (CtrFormat format, int channels, int red, int green, int blue)
{
  const int side = 2048;
  cv::Mat rgb = cv::Mat::zeros (side, side, CV_8UC3), grey;
  cv::Mat packed (side, side, CV_8UC (channels), cv::Scalar::all (0));
  for (int i = 0; i < side / 2 * (side / 2); i++) {
    const int x = i % (side / 2) * 2, y = i / (side / 2) * 2;
    const cv::Vec3b colour (uint8_t (i), uint8_t (i >> 8), uint8_t (random_below (&rng, 256)));
    rgb.at<cv::Vec3b> (y, x) = colour;
    uint8_t *pixel = packed.ptr (y, x);
    if (channels == 4)
      pixel[6 - red - green - blue] = uint8_t (random_next (&rng));
    pixel[red] = colour[0];
    pixel[green] = colour[1];
    pixel[blue] = colour[2];
  }
  cv::cvtColor (rgb, grey, cv::COLOR_RGB2GRAY);
  CtrImage image = image_of (packed);
  image.format = format;
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.foreground.threshold = 1;
  params.features = CTR_FEATURE_GREY;
  CtrComponents *components = analyser.run (image, params);
  uint32_t row = 0;
  for (int y = 0; y < side; y += 2)
    for (int x = 0; x < side; x += 2) {
      const uint8_t expected = grey.at<uint8_t> (y, x);
      if (expected == 0)
        continue;
      const cv::Vec3b colour = rgb.at<cv::Vec3b> (y, x);
      REQUIRE (row < components->count, "format %d: %u colours seen", format, components->count);
      REQUIRE (components->grey[row].sum == expected, "format %d, colour %d %d %d: luma %u instead of %d", format,
          colour[0], colour[1], colour[2], unsigned (components->grey[row].sum), expected);
      row++;
    }
  REQUIRE (row == components->count, "format %d: %u colours seen instead of %u", format, components->count, row);
  ctr_components_unref (components);
}

int
main ()
{
  compare (CTR_FORMAT_RGB, 3, 0, 1, 2);
  compare (CTR_FORMAT_BGR, 3, 2, 1, 0);
  compare (CTR_FORMAT_RGBX, 4, 0, 1, 2);
  compare (CTR_FORMAT_BGRX, 4, 2, 1, 0);
  compare (CTR_FORMAT_XRGB, 4, 1, 2, 3);
  compare (CTR_FORMAT_XBGR, 4, 3, 2, 1);
  return 0;
}
