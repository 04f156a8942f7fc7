/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of components for the equality test: random pictures, adversarial cases, benchmark. */
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/reference.h"
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>

/* Those that take far longer than the others. The short form has them less often. */
#define SLOW_FEATURES ((uint32_t) (CTR_FEATURE_INSCRIBED | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON))

EQUALITY_STATE (CtrCca, analyser_new, ctr_cca_free)

/* Mostly small, sometimes one of the sizes where words and tiles end. */
static uint32_t
random_side (Random *rng)
{
  static const uint32_t edges[] = {1, 63, 64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 257, 512, 513};
  return random_below (rng, 3) ? 1 + random_below (rng, 100) : pick (rng, edges, LENGTH (edges));
}

/* Some values in squares, and one of them, none or another one as the background. */
static Picture
random_values (Random *rng, uint32_t width, uint32_t height, Layout layout, CtrCcaParams *params)
{
  const uint32_t grain = 1 + random_below (rng, random_below (rng, 2) ? 3 : 40);
  Picture picture = values_new (rng, width, height, layout, 1 + random_below (rng, 6), grain);
  params->mode = CTR_COMPONENTS_EQUAL;
  params->background = (int32_t) random_below (rng, 5) - 1;
  if (params->background > 0)
    params->background =
        (int32_t) reference_sample (&picture.view, random_below (rng, width), random_below (rng, height));
  return picture;
}

static void
compare_random (void *data, uint64_t seed)
{
  State *state = data;
  Random random = {seed}, *rng = &random;
  const Layout layout = random_layout (rng);
  const uint32_t width = random_side (rng), height = random_side (rng);
  const uint32_t threshold = 1 + random_below (rng, layout.format == CTR_FORMAT_GRAY16 ? 65535 : 255);
  const bool invert = random_below (rng, 2), on_device = state->on_cpu && random_below (rng, 2);
  CtrCcaParams params = params_of (random_below (rng, 2) ? 4 : 8, threshold, invert, random_below (rng, 16));
  params.features |= random_below (rng, 2) ? CTR_FEATURE_PERCENTILES : 0;
  params.features |= random_below (rng, 2) ? CTR_FEATURE_INSCRIBED : 0;
  params.features |= random_below (rng, 2) ? CTR_FEATURE_SKELETON : 0;
  params.features |= random_below (rng, 2) ? CTR_FEATURE_CONTRAST | CTR_FEATURE_GREY : 0;
  params.ring_width = 1 + random_below (rng, CTR_CCA_MOST_RING_WIDTH);
  params.min_area = random_below (rng, 4) ? 0 : random_below (rng, 12);
  params.max_area = random_below (rng, 4) ? 0 : random_below (rng, 40);
  Picture picture;
  if (random_below (rng, 3) == 0) {
    picture = random_values (rng, width, height, layout, &params);
  } else if (random_below (rng, 8) == 0) {
    picture = picture_random (rng, width, height, layout);
    params.foreground.mode = random_below (rng, 2) ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
  } else {
    uint8_t *mask = random_mask_new (rng, width, height);
    picture = picture_of_mask (rng, mask, width, height, layout, threshold, invert);
    free (mask);
  }
  describe ("format %d, %u x %u, offset %u, padding %u, %d-connected, features %u%s", layout.format, width, height,
      layout.offset, layout.padding, params.connectivity, params.features, on_device ? ", on the device" : "");
  void *memory;
  const CtrImage image = equality_image (&picture, on_device, &memory);
  CtrComponents *expected = reference_cca (&picture.view, &params);
  CtrComponents *actual = analyse (state->tested, &state->setup, &image, &params);
  check_components_equal (expected, actual);
  ctr_components_unref (actual);
  reference_components_free (expected);
  if (memory)
    gpu_free (memory);
  picture_free (&picture);
}

static void
compare (State *state, const Picture *picture, bool on_device, const CtrCcaParams *params)
{
  void *memory;
  const CtrImage image = equality_image (picture, on_device, &memory);
  CtrComponents *expected = analyse (state->on_cpu, &state->cpu, &picture->view, params);
  CtrComponents *actual = analyse (state->tested, &state->setup, &image, params);
  check_components_equal (expected, actual);
  ctr_components_unref (expected);
  ctr_components_unref (actual);
  if (memory)
    gpu_free (memory);
}

/* Takes MASK. SLOW: with features that take the host backend seconds for a large image. */
static void
compare_mask (State *state, Random *rng, uint8_t *mask, uint32_t width, uint32_t height, bool slow, const char *name)
{
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGRX};
  const CtrFormat format = formats[random_below (rng, LENGTH (formats))];
  const uint32_t threshold = 1 + random_below (rng, 255);
  Picture picture = picture_of_mask (rng, mask, width, height, (Layout){.format = format}, threshold, false);
  FOR_BOTH_CONNECTIVITIES (c)
  {
    CtrCcaParams params = params_of (c, threshold, false, ALL_FEATURES);
    describe ("%s, %u x %u, format %d, %d-connected", name, width, height, format, c);
    if (!slow || (state->setup.quick && c != CTR_CONNECTIVITY_8))
      params.features &= ~SLOW_FEATURES;
    compare (state, &picture, false, &params);
    if (!slow || state->setup.quick)
      params.features &= ~SLOW_FEATURES;
    params.select = (CtrSelect){.count = 2,
        .limits = {{.feature = CTR_COMPONENT_NUMBER_CX, .min = random_below (rng, width), .max = CTR_MAX_SIDE},
            {.feature = CTR_COMPONENT_NUMBER_ECCENTRICITY, .max = 0.1 * random_below (rng, 11)}}};
    compare (state, &picture, false, &params);
    params.select.count = 0;
    params.features = 0;
    params.min_area = 3;
    params.max_area = 1000;
    compare (state, &picture, true, &params);
  }
  picture_free (&picture);
  free (mask);
}

/* All pairs of the sides at which words and tiles end. */
static void
compare_sides (State *state, Random *rng)
{
  const uint32_t step = state->setup.quick ? 43 : 1;
  for (uint32_t i = 0; i < equality_side_count * equality_side_count * 2; i += step) {
    const uint32_t width = equality_sides[i % equality_side_count];
    const uint32_t height = equality_sides[i / equality_side_count % equality_side_count];
    compare_mask (state, rng, random_mask_new (rng, width, height), width, height, true, "sides");
  }
}

static void
compare_cases (void *data)
{
  static const uint32_t all_sizes[][2] = {
      {640, 480}, {333, 777}, {1920, 1080}, {2047, 1025}, {4096, 2176}, {8192, 4301}, {65535, 33}, {31, 65535}};
  static const uint32_t small_sizes[][2] = {{320, 240}, {167, 389}}; /* of several tiles in both directions, too */
  State *state = data;
  Random random = {11}, *rng = &random;
  compare_sides (state, rng);
  const uint32_t (*const sizes)[2] = state->setup.quick ? small_sizes : all_sizes;
  for (size_t i = 0; i < (state->setup.quick ? LENGTH (small_sizes) : LENGTH (all_sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    const bool large = w * h > 1000000;
    for (Shape shape = i % 2; shape < SHAPE_COUNT; shape += large ? 3 : 1)
      compare_mask (
          state, rng, shape_new (shape, w, h), w, h, state->setup.quick ? shape % 5 == 0 : !large, shape_names[shape]);
    for (uint32_t grain = 1; grain <= 16; grain *= 4)
      for (uint32_t density = 5; density < 100; density += large ? 45 : 15) {
        char name[64];
        snprintf (name, sizeof name, "noise of %u %% in squares of %u", density, grain);
        compare_mask (state, rng, noise_new (rng, w, h, density, grain), w, h,
            (!large && !state->setup.quick) || (density == 50 && grain == 16), name);
      }
    for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_VYUY; format++) {
      Picture picture = picture_random (rng, w, h, (Layout){.format = format});
      CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 0, i % 2, ALL_FEATURES);
      if (large || state->setup.quick)
        params.features &= ~SLOW_FEATURES;
      params.foreground.mode = CTR_THRESHOLD_OTSU;
      describe ("Otsu of random samples, %u x %u, format %d", w, h, format);
      compare (state, &picture, false, &params);
      picture_free (&picture);
    }
  }
}

typedef struct {
  State *state;
  CtrImage image;
  CtrCcaParams params;
} Work;

static void
run (void *data)
{
  Work *work = data;
  ctr_components_unref (analyse (work->state->tested, &work->state->setup, &work->image, &work->params));
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
    ctr_cca_params_init (&work.params);
    snprintf (what, sizeof what, "cca, 1920 x 1080, grain %u", grain);
    equality_time (&state->setup, what, run, &work);
    if (memory)
      gpu_free (memory);
    picture_free (&picture);
    free (mask);
  }
}

const Equality cca_equality = {
    .name = "cca",
    .count = 1000,
    .quick_count = 16,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};
