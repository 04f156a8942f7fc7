/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/borders/borders_check.h"

#include "tests/bench/borders/borders_work.h"
#include "tests/bench/common/masks.h"
#include "tests/bench/common/outlines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 2048, PADDING = 5 };

typedef struct {
  BordersGpu *gpu;
  CtrBorders *host;
  uint8_t *image;    /* room for SIDE * SIDE, and so for a small image's padding */
  uint32_t *numbers; /* room for SIDE * SIDE */
} Check;

/* check->image, with every mode and approximation. */
static bool
check_image (Check *check, BordersWork *work, uint32_t padding, bool on_device)
{
  const CtrImage view = borders_view (work, check->image, padding);
  bool ok = true;
  for (uint32_t y = padding ? work->height : 0; y-- > 0;)
    memmove (check->image + y * view.stride, check->image + (size_t) y * work->width, work->width);
  for (uint32_t i = 0; i < 8; i++) {
    work->params.mode = i % 4;
    work->params.approximation = i / 4 ? CTR_APPROXIMATION_NONE : CTR_APPROXIMATION_SIMPLE;
    CtrContours *expected = borders_run_host (check->host, work, &view);
    ok = expected && borders_gpu_check (check->gpu, work, &view, on_device, expected) && ok;
    ctr_contours_unref (expected);
  }
  return ok;
}

/* Into check->image: the INDEXth of the small images. */
static const char *
draw_small (Check *check, uint32_t index, uint32_t width, uint32_t height)
{
  static const uint32_t densities[] = {0, 7, 25, 41, 50, 60, 85, 100};
  const uint32_t kind = index % 12;
  if (kind < BENCH_PATTERNS) {
    bench_pattern_mask (kind, width, height, check->image);
    return bench_pattern_name (kind);
  }
  if (kind == BENCH_PATTERNS) {
    bench_rings_mask (2 + index / 12 % 3, width, height, check->image);
    return "rings";
  }
  if (kind == BENCH_PATTERNS + 1)
    return bench_blobs_mask (0.7 + index / 12 % 5 * 0.5, width, height, check->image) ? "blobs" : NULL;
  const uint32_t granularity = 1 + index % 5 / 2;
  bench_random_numbers (index, bench_block_count (width, height, granularity), check->numbers);
  bench_random_mask (check->numbers, width, height, granularity,
      bench_density_threshold (densities[index / 3 % (sizeof densities / sizeof *densities)]), check->image);
  return "random";
}

static void
set_limits (CtrBordersParams *params, uint32_t index)
{
  if (index % 3 == 0)
    params->min_area = index % 5 * 2.5;
  if (index % 7 == 0)
    params->max_area = 20 + index % 100;
  if (index % 4 == 1)
    params->min_length = index % 9 * 1.5;
  if (index % 5 == 2) {
    params->min_width = index % 4;
    params->min_height = index % 3 + 1;
  }
}

/* A few hundred small images whose sides lie around every width that is special to a kernel, some large ones; each with
 * every mode and approximation. */
static uint32_t
check_all (Check *check, uint32_t *count)
{
  static const uint32_t sides[] = {1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 129, 200, 257, 333};
  const uint32_t n_sides = sizeof sides / sizeof *sides;
  uint32_t images = 0, bad = 0;
  for (uint32_t i = 0; i < n_sides * n_sides * 2; i++) {
    BordersWork work = {.width = sides[i % n_sides], .height = sides[i / n_sides % n_sides]};
    work.name = draw_small (check, i + i / n_sides, work.width, work.height);
    ctr_borders_params_init (&work.params);
    if (i % 2)
      set_limits (&work.params, i / 2);
    work.params.features = i % 3 == 1 ? CTR_CONTOUR_FEATURE_MOMENTS : 0;
    work.params.epsilon = i % 11 == 4 ? 1.5 : 0;
    work.params.foreground.mode = i % 13 == 5 ? CTR_THRESHOLD_OTSU : CTR_THRESHOLD_FIXED;
    work.params.foreground.invert = i % 7 == 3;
    bad += !work.name || !check_image (check, &work, i % 4 ? 0 : PADDING, i % 5 > 0);
    images++;
  }
  for (uint32_t i = 0; i < 24; i++) {
    BordersWork work = {.width = SIDE - i % 5, .height = SIDE / 2 + i % 7};
    work.name = draw_small (check, i, work.width, work.height);
    ctr_borders_params_init (&work.params);
    if (i >= 12)
      set_limits (&work.params, i);
    work.params.features = i % 2 ? CTR_CONTOUR_FEATURE_MOMENTS : 0;
    bad += !work.name || !check_image (check, &work, 0, true);
    images++;
  }
  *count = images;
  return bad;
}

int
borders_check (BordersGpu *gpu, CtrBorders *host)
{
  const size_t pixels = (size_t) SIDE * SIDE;
  Check check = {gpu, host, malloc (pixels), malloc (pixels * sizeof (uint32_t))};
  int status = 1;
  if (check.image && check.numbers) {
    uint32_t images, bad = check_all (&check, &images);
    printf ("%s: %u of %u images differ\n", bad ? "DIFFERENT" : "OK", bad, images);
    status = bad ? 1 : 0;
  } else {
    fprintf (stderr, "no host memory for images of %zu pixels\n", pixels);
  }
  free (check.image);
  free (check.numbers);
  return status;
}
