/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of borders for the equality test: random pictures, adversarial cases, benchmark. */
#include "tests/core/borders/reference.h"
#include "tests/core/borders/testing.h"
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"
#include "tests/core/results/codes_reference.h"

#include <stdio.h>
#include <stdlib.h>

EQUALITY_STATE (CtrBorders, follower_new, ctr_borders_free)

/* Mostly small, sometimes one of the sizes where words and tiles end. */
static uint32_t
random_side (Random *rng)
{
  static const uint32_t edges[] = {1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 192, 193};
  return random_below (rng, 3) ? 1 + random_below (rng, 50) : pick (rng, edges, LENGTH (edges));
}

/* Rings six pixels wide, every second one toothed outside, with noise: borders in borders whose lengths do not get less
 * towards the middle. */
static uint8_t *
toothed_rings_new (Random *rng, uint32_t width, uint32_t height)
{
  uint8_t *mask = malloc ((size_t) width * height);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t across = x < width - 1 - x ? x : width - 1 - x, down = y < height - 1 - y ? y : height - 1 - y;
      const uint32_t depth = across < down ? across : down, along = across < down ? y : x, ring = depth / 6;
      const bool gap = ring % 4 == 2 && depth % 6 < 4 && along % 2;
      mask[y * width + x] = (ring % 2 == 0 && !gap) ^ (random_below (rng, 200) == 0);
    }
  return mask;
}

static void
compare_random (void *data, uint64_t seed)
{
  State *state = data;
  Random random = {seed}, *rng = &random;
  const Layout layout = random_layout (rng);
  const uint32_t width = random_side (rng), height = random_side (rng), kind = random_below (rng, 8);
  const uint32_t threshold = 1 + random_below (rng, layout.format == CTR_FORMAT_GRAY16 ? 65535 : 255);
  const bool invert = random_below (rng, 2), on_device = state->on_cpu && random_below (rng, 2);
  CtrBordersParams params = random_borders_params (rng, threshold, invert);
  Picture picture;
  if (kind == 0) {
    picture = picture_random (rng, width, height, layout);
    params.foreground.mode = random_below (rng, 2) ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
  } else {
    uint8_t *mask = kind == 1 ? toothed_rings_new (rng, width, height) : random_mask_new (rng, width, height);
    if (kind == 1)
      params.min_length = random_below (rng, 4 * width);
    picture = picture_of_mask (rng, mask, width, height, layout, threshold, invert);
    free (mask);
  }
  describe_borders (on_device ? "on the device" : "in host memory", &picture.view, &params);
  void *memory;
  const CtrImage image = equality_image (&picture, on_device, &memory);
  Contours expected = reference_borders (&picture.view, &params);
  CtrContours *contours = follow_borders (state->tested, &state->setup, &image, &params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  check_codes (contours);
  ctr_contours_unref (contours);
  reference_contours_free (&expected);
  if (memory)
    gpu_free (memory);
  picture_free (&picture);
}

static void
compare (State *state, const char *name, const Picture *picture, bool on_device, const CtrBordersParams *params)
{
  void *memory;
  const CtrImage image = equality_image (picture, on_device, &memory);
  describe_borders (name, &picture->view, params);
  CtrContours *one = follow_borders (state->on_cpu, &state->cpu, &picture->view, params);
  CtrContours *other = follow_borders (state->tested, &state->setup, &image, params);
  const Contours expected = contours_of (one), actual = contours_of (other);
  check_contours_equal (&expected, &actual);
  check_codes_equal (one, other);
  ctr_contours_unref (one);
  ctr_contours_unref (other);
  if (memory)
    gpu_free (memory);
}

/* Takes MASK. */
static void
compare_mask (State *state, Random *rng, uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGRX};
  const Layout layout = {.format = formats[random_below (rng, LENGTH (formats))],
      .offset = 2 * random_below (rng, 20),
      .padding = 2 * random_below (rng, 40)};
  const uint32_t threshold = 1 + random_below (rng, 255);
  const bool large = width * height > 1000000;
  Picture picture = picture_of_mask (rng, mask, width, height, layout, threshold, false);
  for (int mode = CTR_RETRIEVE_EXTERNAL; mode <= CTR_RETRIEVE_TREE; mode++) {
    CtrBordersParams params = borders_params_of (mode, 1 + (mode + height) % 2, threshold, false);
    params.connectivity = (mode + width) % 4 < 2 ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
    params.features = mode % 2 ? CTR_CONTOUR_FEATURE_MOMENTS : 0;
    compare (state, name, &picture, false, &params);
    if (large)
      continue;
    params.approximation = 3 - params.approximation;
    params.connectivity = 12 - params.connectivity;
    compare (state, name, &picture, true, &params);
    for (int i = 0; i < 2; i++) {
      params = random_borders_params (rng, threshold, false);
      borders_params_set_mode (&params, mode);
      params.epsilon = i * 1.5;
      params.select = (CtrSelect){.count = 2,
          .limits = {{.feature = CTR_CONTOUR_NUMBER_X, .min = random_below (rng, width), .max = CTR_MAX_SIDE},
              {.feature = CTR_CONTOUR_NUMBER_CIRCULARITY, .max = 0.1 * random_below (rng, 11)}}};
      compare (state, name, &picture, i, &params);
    }
  }
  picture_free (&picture);
  free (mask);
}

/* All pairs of the sides at which words and tiles end, in every mode and approximation. */
static void
compare_sides (State *state, Random *rng)
{
  const uint32_t step = state->setup.quick ? 53 : 1;
  for (uint32_t i = 0; i < equality_side_count * equality_side_count * 2; i += step) {
    const uint32_t width = equality_sides[i % equality_side_count];
    const uint32_t height = equality_sides[i / equality_side_count % equality_side_count];
    const bool invert = i % 7 == 3;
    uint8_t *mask = random_mask_new (rng, width, height);
    const Layout layout = {.format = CTR_FORMAT_GRAY8, .padding = i % 4 ? 0 : 5};
    Picture picture = picture_of_mask (rng, mask, width, height, layout, 128, invert);
    CtrBordersParams params = random_borders_params (rng, 128, invert);
    params.foreground.mode = i % 13 == 5 ? CTR_THRESHOLD_OTSU : CTR_THRESHOLD_FIXED;
    for (int k = 0; k < 8; k++) {
      borders_params_set_mode (&params, k % 4);
      params.approximation = 1 + k / 4;
      compare (state, "sides", &picture, i % 5 > 0, &params);
    }
    picture_free (&picture);
    free (mask);
  }
}

static void
compare_otsu (State *state, Random *rng, uint32_t width, uint32_t height)
{
  for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_VYUY; format++) {
    Picture picture = picture_random (rng, width, height, (Layout){.format = format});
    CtrBordersParams params = borders_params_of (format % 4, CTR_APPROXIMATION_SIMPLE, 0, format % 2);
    params.foreground.mode = CTR_THRESHOLD_OTSU;
    compare (state, "Otsu of random samples", &picture, format % 2, &params);
    picture_free (&picture);
  }
}

static void
compare_cases (void *data)
{
  static const uint32_t sizes[][2] = {
      {33, 129}, {640, 480}, {333, 777}, {1920, 1080}, {2047, 1025}, {4096, 2176}, {65535, 33}, {31, 65535}};
  State *state = data;
  Random random = {11}, *rng = &random;
  const bool quick = state->setup.quick;
  for (uint32_t i = 0; i < (quick ? 15 : 400); i++) {
    const uint32_t w = 1 + random_below (rng, 40), h = 1 + random_below (rng, 40);
    compare_mask (state, rng, noise_new (rng, w, h, random_below (rng, 101), 1), w, h, "small noise");
  }
  compare_sides (state, rng);
  for (size_t i = 0; i < (quick ? 1 : LENGTH (sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    const bool large = w * h > 1000000;
    for (Shape shape = i % 2; shape < SHAPE_COUNT; shape += large ? 3 : 1)
      compare_mask (state, rng, shape_new (shape, w, h), w, h, shape_names[shape]);
    for (uint32_t grain = 1; grain <= 16; grain *= 4)
      for (uint32_t density = 5; density < 100; density += large ? 45 : 15) {
        char name[64];
        snprintf (name, sizeof name, "noise of %u %% in squares of %u", density, grain);
        compare_mask (state, rng, noise_new (rng, w, h, density, grain), w, h, name);
      }
    compare_otsu (state, rng, w, h);
  }
}

typedef struct {
  State *state;
  CtrImage image;
  CtrBordersParams params;
} Work;

static void
run (void *data)
{
  Work *work = data;
  ctr_contours_unref (follow_borders (work->state->tested, &work->state->setup, &work->image, &work->params));
}

static void
bench (void *data)
{
  State *state = data;
  Random rng = {7};
  for (uint32_t grain = 1; grain <= 16; grain *= 4) {
    char what[64];
    void *memory;
    uint8_t *mask = noise_new (&rng, 1920, 1080, 50, grain);
    Picture picture = picture_of_mask (&rng, mask, 1920, 1080, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
    Work work = {.state = state, .image = equality_bench_image (&state->setup, &picture, &memory)};
    ctr_borders_params_init (&work.params);
    for (int connectivity = 8; connectivity >= 4; connectivity -= 4) {
      work.params.connectivity = (CtrConnectivity) connectivity;
      snprintf (what, sizeof what, "borders, 1920 x 1080, grain %u, %d-connected", grain, connectivity);
      equality_time (&state->setup, what, run, &work);
    }
    if (memory)
      gpu_free (memory);
    picture_free (&picture);
    free (mask);
  }
}

const Equality borders_equality = {
    .name = "borders",
    .count = 1000,
    .quick_count = 25,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};
