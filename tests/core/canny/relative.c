/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares edges with the definition where thresholds are shares of the greatest |dx| + |dy| of aperture 3, which one kernel
 * finds together with the edges: in frames of several tiles, with the greatest gradient anywhere. Also in frames with tiles of
 * other heights. */
#include "tests/core/canny/reference.h"
#include "tests/core/canny/testing.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCanny
    *canny; /* one detector for all images, since numbers of frames and counters stay from one to the next */
static Random rng = {83};

static uint32_t
check_image (const char *name, const CtrImage *image, const CtrCannyParams *params)
{
  CtrCannyThresholds thresholds;
  describe_canny (name, image, params);
  const uint32_t edges = check_edges (canny, &setup, image, params);
  const ReferenceLimits limits = reference_canny_limits (image, params);
  CHECK (ctr_canny_get_thresholds (canny, &thresholds, NULL));
  CHECK (thresholds.greatest == (double) limits.greatest);
  return edges;
}

static CtrCannyParams
relative_params (double sigma)
{
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = sigma;
  params.threshold_mode = CTR_CANNY_RELATIVE;
  return params;
}

static CtrImage
view_grey (const uint8_t *grey, uint32_t width, uint32_t height)
{
  return (CtrImage){.data = grey, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

/* Weak noise, and one pixel that makes the greatest gradient: at the corners of the image, and where tiles of 256 columns
 * and the shares of their warps begin and end. */
static void
check_places (uint32_t height, const uint32_t *rows, uint32_t row_count)
{
  enum { WIDTH = 531 };
  static const uint32_t columns[] = {0, 1, 7, 8, 254, 255, 256, 257, 511, 512, WIDTH - 2, WIDTH - 1};
  const size_t pixels = (size_t) WIDTH * height;
  uint8_t *grey = malloc (pixels);
  for (size_t i = 0; i < pixels; i++)
    grey[i] = (uint8_t) (60 + random_below (&rng, 20));
  const CtrImage image = view_grey (grey, WIDTH, height);
  for (size_t i = 0; i < LENGTH (columns) * row_count; i++) {
    uint8_t *pixel = &grey[rows[i / LENGTH (columns)] * WIDTH + columns[i % LENGTH (columns)]], before = *pixel;
    if (setup.quick && i % 13)
      continue;
    *pixel = 255;
    const CtrCannyParams params = relative_params (i % 3 / 2.);
    check_image ("one bright pixel", &image, &params);
    *pixel = before;
  }
  free (grey);
}

/* The second height has tall tiles where the emulator takes the image for one of more than a small frame. */
static void
test_places (void)
{
  static const uint32_t of_middle[] = {0, 1, 5, 6, 42, 43, 44, 45, 87, 88, 93, 94};
  static const uint32_t of_tall[] = {0, 1, 11, 12, 90, 91, 92, 93, 183, 184, 189, 190};
  check_places (95, of_middle, LENGTH (of_middle));
  check_places (191, of_tall, LENGTH (of_tall));
}

/* Every height of tiles, in frames as large as a GPU has them for; the emulator has them for smaller ones. Lines cross their
 * seams, and the thresholds take some of their pixels as weak ones. Larger frames go without the threshold modes for which they
 * have no kernels of their own. */
static void
test_frames (void)
{
  static const uint32_t full[][2] = {{1500, 1100}, {2100, 1300}, {4200, 4000}};
  static const uint32_t quick[][2] = {{300, 100}, {520, 120}, {1090, 230}};
  static const CtrCannyThresholdMode modes[] = {CTR_CANNY_ABSOLUTE, CTR_CANNY_RELATIVE, CTR_CANNY_MEDIAN};
  for (size_t i = 0; i < LENGTH (full); i++) {
    const uint32_t width = (setup.quick ? quick : full)[i][0], height = (setup.quick ? quick : full)[i][1];
    uint8_t *grey = malloc ((size_t) width * height);
    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < width; x++)
        grey[(size_t) y * width + x] = (uint8_t) ((x + 2 * y) % 75 < 9 ? 140 + y / 2 % 80 : 90);
    const CtrImage image = view_grey (grey, width, height);
    for (size_t k = 0; k < LENGTH (modes) - i; k++) {
      CtrCannyParams params = relative_params (k == i ? 0.8 : 2);
      params.threshold_mode = modes[k];
      params.low_threshold = 30;
      params.high_threshold = 120;
      describe_canny ("stripes", &image, &params);
      CHECK (check_edges (canny, &setup, &image, &params) > width * height / 100);
    }
    free (grey);
  }
}

/* Width, height, blur, shares, threshold mode and format change, each also by itself. Some frames have more tiles than the
 * emulated GPU keeps. */
static void
test_changes (void)
{
  static const uint32_t widths[] = {1, 17, 255, 256, 257, 700, 1100}, heights[] = {1, 17, 43, 44, 45, 130, 280};
  static const double sigmas[] = {0, 0.8, 2, 2.7, 5, 8, 12, 20};
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGRX};
  uint32_t width = 257, height = 45;
  CtrFormat format = CTR_FORMAT_GRAY8;
  CtrCannyParams params = relative_params (2);
  for (int i = 0; i < (setup.quick ? 14 : 300); i++) {
    switch (random_below (&rng, 6)) {
      case 0:
        width = widths[random_below (&rng, LENGTH (widths))];
        break;
      case 1:
        height = heights[random_below (&rng, LENGTH (heights))];
        break;
      case 2:
        params.sigma = sigmas[random_below (&rng, LENGTH (sigmas))];
        break;
      case 3:
        params.low_share = random_below (&rng, 1001) / 1000.;
        params.high_share = random_below (&rng, 1001) / 1000.;
        break;
      case 4:
        params.threshold_mode = random_below (&rng, 2) ? CTR_CANNY_RELATIVE : CTR_CANNY_ABSOLUTE;
        break;
      default:
        format = formats[random_below (&rng, LENGTH (formats))];
    }
    uint8_t *grey = grey_new (&rng, width, height);
    Picture picture = picture_of_grey (&rng, grey, width, height, (Layout){.format = format, .padding = 2 * (i % 9)});
    if (params.threshold_mode == CTR_CANNY_RELATIVE) {
      check_image ("changes", &picture.view, &params);
    } else {
      describe_canny ("changes", &picture.view, &params);
      check_edges (canny, &setup, &picture.view, &params);
    }
    picture_free (&picture);
    free (grey);
  }
}

/* No gradient at all, and the greatest that there is. */
static void
test_extremes (void)
{
  enum { WIDTH = 300, HEIGHT = 60 };
  static uint8_t grey[WIDTH * HEIGHT];
  const CtrImage image = view_grey (grey, WIDTH, HEIGHT);
  for (int level = 0; level < 256; level += 85)
    for (double sigma = 0; sigma <= 2; sigma += 2) {
      const CtrCannyParams params = relative_params (sigma);
      memset (grey, level, sizeof grey);
      CHECK (check_image ("flat", &image, &params) == 0);
    }
  for (int corner = 0; corner < 4; corner++) {
    CtrCannyParams params = relative_params (0);
    CtrCannyThresholds thresholds;
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        const int along = corner & 1 ? WIDTH - 1 - x : x, down = corner & 2 ? HEIGHT - 1 - y : y;
        grey[y * WIDTH + x] = along + down > 50 ? 255 : 0;
      }
    params.low_share = params.high_share = 0.999;
    check_image ("a diagonal step", &image, &params);
    CHECK (ctr_canny_get_thresholds (canny, &thresholds, NULL) && thresholds.greatest == 1530);
  }
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  canny = detector_new (&setup);
  test_extremes ();
  test_places ();
  test_frames ();
  test_changes ();
  ctr_canny_free (canny);
  return 0;
}
