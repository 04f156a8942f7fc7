/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/cracks/cracks_check.h"

#include "tests/bench/cracks/levels.h"
#include "tests/bench/common/masks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WIDTH = 1920, MAX_HEIGHT = 1080, PADDING = 6 };

static const size_t max_pixels = (size_t) MAX_WIDTH * MAX_HEIGHT;

typedef struct {
  CracksGpu *gpu;
  CtrCracks *host;
  uint8_t *drawn;    /* room for max_pixels */
  uint8_t *samples;  /* the image, with its padding: room for max_pixels of 2 bytes */
  uint32_t *numbers; /* room for max_pixels */
} Check;

/* check->samples, in every mode, connectivity and frame. */
static bool
check_image (Check *check, CracksWork *work, uint32_t padding, bool on_device)
{
  const CtrImage view = cracks_view (work, check->samples, padding);
  bool ok = true;
  for (uint32_t i = 0; i < 8; i++) {
    work->params.mode = i & 1 ? CTR_LEVELS_EQUAL : CTR_LEVELS_AT_LEAST;
    work->params.connectivity = i & 2 ? 4 : 8;
    work->params.frame = i & 4 ? CTR_IMAGE_BORDER_ZERO : CTR_IMAGE_BORDER_PAD;
    CtrContours *expected = cracks_run_host (check->host, work, &view);
    ok = expected && cracks_gpu_check (check->gpu, work, &view, on_device, expected) && ok;
    ctr_contours_unref (expected);
  }
  return ok;
}

static void
draw_random (Check *check, uint32_t index, const CracksWork *work)
{
  static const uint32_t tops[] = {1, 2, 3, 7, 40, 255};
  const size_t pixels = (size_t) work->width * work->height;
  bench_random_numbers (index, pixels, check->numbers);
  for (size_t i = 0; i < pixels; i++)
    check->drawn[i] = (uint8_t) ((check->numbers[i] >> 8) % (tops[index / 7 % (sizeof tops / sizeof *tops)] + 1));
}

/* Into check->drawn: the INDEXth of the images. */
static const char *
draw (Check *check, uint32_t index, const CracksWork *work)
{
  const uint32_t width = work->width, height = work->height, size = 1 + index / 7 % 4;
  switch (index % 7) {
    case 0:
      bench_stripes (size, index % 2, width, height, check->drawn);
      return "stripes";
    case 1:
      bench_chequers (size, width, height, width, height, check->drawn);
      return "chequers";
    case 2:
      bench_grey_chequers (size, index % 3 ? 256 : 6, width, height, check->drawn);
      return "grey chequers";
    case 3:
      return bench_photo (width, height, check->drawn) ? "photo" : NULL;
    case 4:
      bench_pattern_mask (index / 7 % BENCH_PATTERNS, width, height, check->drawn);
      return bench_pattern_name (index / 7 % BENCH_PATTERNS);
    case 5:
      if (width >= 12 && height >= 5) /* there is room for things to stand there */
        return bench_disparity (width, height, check->drawn) ? "disparity" : NULL;
      memset (check->drawn, 3, (size_t) width * height);
      return "flat";
    default:
      draw_random (check, index, work);
      return "random";
  }
}

/* check->drawn to check->samples, rows apart. In 16 bits, the values are the same ones, or far apart. */
static void
lay_out (Check *check, const CracksWork *work, uint32_t factor, uint32_t padding)
{
  const size_t stride = work->width * work->bytes + padding;
  memset (check->samples, 0xa5, stride * work->height);
  for (uint32_t y = 0; y < work->height; y++)
    for (uint32_t x = 0; x < work->width; x++) {
      const uint8_t value = check->drawn[(size_t) y * work->width + x];
      uint8_t *row = check->samples + y * stride;
      if (work->bytes == 1)
        row[x] = value;
      else
        ((uint16_t *) row)[x] = (uint16_t) (value * factor);
    }
}

static void
set_levels (CtrCracksParams *params, uint32_t index, uint32_t factor)
{
  static const uint32_t list[] = {1, 2, 5, 77, 128, 255, 257, 514, 32896, 65535};
  if (index % 4 == 1) {
    params->minimum = (1 + index % 9) * factor;
    params->maximum = (100 + index % 200) * factor;
    params->step = (1 + index % 5) * factor;
  } else if (index % 4 == 3) {
    params->levels = list;
    params->level_count = sizeof list / sizeof *list;
  } else if (factor > 1) {
    params->minimum = params->step =
        factor; /* all of 65535 levels, of an image of 256 values, are many times the same contours */
  }
}

static void
set_limits (CtrCracksParams *params, uint32_t index)
{
  if (index % 3 == 0)
    params->min_area = index % 5 * 2.5;
  if (index % 7 == 0)
    params->max_area = 20 + index % 100;
  if (index % 5 == 1)
    params->min_length = index % 9 * 3.5;
}

static bool
check_one (Check *check, uint32_t index, uint32_t width, uint32_t height, uint32_t padding)
{
  CracksWork work = {.width = width, .height = height, .bytes = 1 + index / 3 % 2};
  const uint32_t factor = work.bytes == 2 && index % 4 ? 257 : 1;
  work.name = draw (check, index, &work);
  ctr_cracks_params_init (&work.params);
  set_levels (&work.params, index / 2, factor);
  if (index % 2)
    set_limits (&work.params, index / 2);
  work.params.features = index % 3 == 1 ? CTR_CONTOUR_FEATURE_MOMENTS : 0;
  if (!work.name)
    return false;
  lay_out (check, &work, factor, padding);
  return check_image (check, &work, padding, index % 5 > 0);
}

/* A few hundred small images whose sides lie around every width that is special to a kernel, some large ones. */
static uint32_t
check_all (Check *check, uint32_t *count)
{
  static const uint32_t sides[] = {1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 129, 200, 257, 333};
  const uint32_t n_sides = sizeof sides / sizeof *sides;
  uint32_t images = 0, bad = 0;
  for (uint32_t i = 0; i < n_sides * n_sides * 2; i++, images++)
    bad += !check_one (check, i + i / n_sides, sides[i % n_sides], sides[i / n_sides % n_sides], i % 4 ? 0 : PADDING);
  /* Drawn as the ones at these numbers: all but samples at random, of which the contours are too many. */
  for (uint32_t i = 0; i < 12; i++, images++)
    bad += !check_one (check, i + i / 6, MAX_WIDTH - i % 5, MAX_HEIGHT / 2 + i % 7, 0);
  *count = images;
  return bad;
}

int
cracks_check (CracksGpu *gpu, CtrCracks *host)
{
  Check check = {gpu, host, malloc (max_pixels), malloc (max_pixels * 2), malloc (max_pixels * sizeof (uint32_t))};
  int status = 1;
  if (check.drawn && check.samples && check.numbers) {
    uint32_t images, bad = check_all (&check, &images);
    printf ("%s: %u of %u images differ\n", bad ? "DIFFERENT" : "OK", bad, images);
    status = bad ? 1 : 0;
  } else {
    fprintf (stderr, "no host memory for images of %zu pixels\n", max_pixels);
  }
  free (check.drawn);
  free (check.samples);
  free (check.numbers);
  return status;
}
