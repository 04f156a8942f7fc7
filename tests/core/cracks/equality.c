/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of contours of levels for the equality test: random pictures, adversarial cases, benchmark. */
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"
#include "tests/core/results/codes_reference.h"
#include "tests/core/cracks/reference.h"
#include "tests/core/cracks/testing.h"

#include <stdio.h>
#include <stdlib.h>

EQUALITY_STATE (CtrCracks, tracer_new, ctr_cracks_free)

/* Mostly small, sometimes one of the sizes where words end. */
static uint32_t
random_side (Random *rng)
{
  static const uint32_t edges[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129};
  return random_below (rng, 4) ? 1 + random_below (rng, 30) : edges[random_below (rng, LENGTH (edges))];
}

/* Some of the levels that a sample may have, a few beyond them among those. */
static uint32_t
random_list (Random *rng, uint32_t *levels, uint32_t room, uint32_t largest)
{
  const uint32_t widest = 1 + 2 * (largest + 20) / room;
  uint32_t count = 0, level = 0;
  while (count < room && level < largest + 50)
    levels[count++] = level += 1 + random_below (rng, widest);
  return count;
}

/* Changes the samples of PICTURE to a few that are near levels, each square of GRAIN pixels to one of them. */
static void
flatten (Random *rng, Picture *picture, const uint32_t *levels, uint32_t count, uint32_t largest)
{
  const uint32_t grain = 1 + random_below (rng, 4), salt = random_below (rng, 1000);
  const size_t pixel = ctr_format_pixel_size (picture->view.format);
  for (uint32_t y = 0; y < picture->view.height; y++) {
    uint8_t *row = (uint8_t *) (uintptr_t) picture->view.data + y * picture->view.stride;
    for (uint32_t x = 0; x < picture->view.width; x++) {
      Random square = {((uint64_t) (y / grain) << 32 | x / grain) + salt * 7919};
      const uint32_t level = levels[random_below (&square, count)] - random_below (&square, 2);
      const uint32_t sample = random_below (&square, 4) == 0 ? 0 : level < largest ? level : largest;
      if (picture->view.format == CTR_FORMAT_GRAY16)
        ((uint16_t *) row)[x] = (uint16_t) sample;
      else
        for (size_t i = 0; i < pixel; i++)
          row[x * pixel + i] = (uint8_t) sample;
    }
  }
}

static void
compare_random (void *data, uint64_t seed)
{
  State *state = data;
  Random random = {seed}, *rng = &random;
  Layout layout = random_layout (rng);
  if (random_below (rng, 2))
    layout.format = CTR_FORMAT_GRAY8;
  const bool wide = layout.format == CTR_FORMAT_GRAY16, on_device = state->on_cpu && random_below (rng, 2);
  const uint32_t largest = wide ? 65535 : 255, width = random_side (rng), height = random_side (rng);
  CtrCracksParams params = random_cracks_params (rng);
  uint32_t levels[24];
  const uint32_t count = random_list (rng, levels, 1 + random_below (rng, LENGTH (levels)), largest);
  Picture picture = picture_random (rng, width, height, layout);
  if (random_below (rng, 5))
    flatten (rng, &picture, levels, count, largest);
  if (random_below (rng, 2)) {
    params.levels = levels;
    params.level_count = count;
  } else {
    params.minimum = 1 + random_below (rng, largest / 4);
    params.step = 1 + largest / 16 + random_below (rng, largest / 4);
    params.maximum = params.minimum + random_below (rng, largest + 20);
  }
  describe_cracks (on_device ? "on the device" : "in host memory", &picture.view, &params);
  void *memory;
  const CtrImage image = equality_image (&picture, on_device, &memory);
  Contours expected = reference_cracks (&picture.view, &params);
  CtrContours *contours = trace_cracks (state->tested, &state->setup, &image, &params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  check_codes (contours);
  ctr_contours_unref (contours);
  reference_contours_free (&expected);
  if (memory)
    gpu_free (memory);
  picture_free (&picture);
}

/* In every mode, connectivity and frame. The hierarchy over all levels is for one of the modes. */
static void
compare (State *state, const char *name, const Picture *picture, bool on_device, const CtrCracksParams asked)
{
  void *memory;
  const CtrImage image = equality_image (picture, on_device, &memory);
  for (int i = 0; i < 8; i++) {
    CtrCracksParams params = asked;
    if (i & 1) {
      params.hierarchy = CTR_HIERARCHY_PER_LEVEL;
      params.min_persistence = 0;
      params.max_depth = CTR_CRACKS_ANY_DEPTH;
    }
    params.mode = i & 1 ? CTR_LEVELS_EQUAL : CTR_LEVELS_AT_LEAST;
    params.connectivity = i & 2 ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
    params.frame = i & 4 ? CTR_IMAGE_BORDER_ZERO : CTR_IMAGE_BORDER_PAD;
    describe_cracks (name, &picture->view, &params);
    CtrContours *one = trace_cracks (state->on_cpu, &state->cpu, &picture->view, &params);
    CtrContours *other = trace_cracks (state->tested, &state->setup, &image, &params);
    const Contours expected = contours_of (one), actual = contours_of (other);
    check_contours_equal (&expected, &actual);
    check_codes_equal (one, other);
    ctr_contours_unref (one);
    ctr_contours_unref (other);
  }
  if (memory)
    gpu_free (memory);
}

/* 0 .. TOP, then back. */
static uint32_t
to_and_fro (uint32_t position, uint32_t top)
{
  const uint32_t phase = position % (2 * top);
  return phase <= top ? phase : 2 * top - phase;
}

enum { GREY_KINDS = 7 };

/* Samples of the INDEXth kind. Transfer full (free). */
static uint8_t *
level_samples_new (Random *rng, uint32_t index, uint32_t width, uint32_t height, const char **name)
{
  static const char *const names[GREY_KINDS] = {
      "stripes", "upright stripes", "chequers", "grey chequers", "a shape", "random levels", "random grey"};
  const uint32_t kind = index % GREY_KINDS, size = 1 + index / GREY_KINDS % 4;
  const uint32_t top = 1 + random_below (rng, random_below (rng, 2) ? 8 : 255);
  *name = names[kind];
  if (kind == 4)
    return shape_new ((Shape) (index / GREY_KINDS % SHAPE_COUNT), width, height);
  if (kind == 6)
    return grey_new (rng, width, height);
  uint8_t *samples = malloc ((size_t) width * height);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t column = x / size, row = y / size;
      const uint32_t sample = kind == 0   ? row % 2
                              : kind == 1 ? column % 2
                              : kind == 2 ? (column + row) % 2
                              : kind == 3 ? 1 + to_and_fro (3 * column + 2 * row, index % 3 ? 254 : 4)
                                          : random_below (rng, top + 1);
      samples[(size_t) y * width + x] = (uint8_t) sample;
    }
  return samples;
}

/* SAMPLES in 8 bits or 16: there, the same values, or ones that are FACTOR times as far apart. Takes SAMPLES. */
static Picture
picture_of_samples (Random *rng, uint8_t *samples, uint32_t width, uint32_t height, Layout layout, uint32_t factor)
{
  Picture picture = picture_random (rng, width, height, layout);
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = (uint8_t *) (uintptr_t) picture.view.data + y * picture.view.stride;
    for (uint32_t x = 0; x < width; x++) {
      const uint8_t sample = samples[(size_t) y * width + x];
      if (layout.format == CTR_FORMAT_GRAY16)
        ((uint16_t *) row)[x] = (uint16_t) (sample * factor);
      else
        row[x] = sample;
    }
  }
  free (samples);
  return picture;
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
    params->level_count = LENGTH (list);
  } else if (factor > 1) {
    /* At all of 65535 levels, an image of 256 values has the same contours many times. */
    params->minimum = params->step = factor;
  }
}

static void
compare_samples (State *state, Random *rng, uint32_t index, uint32_t width, uint32_t height)
{
  const bool wide = index / 3 % 2;
  const uint32_t factor = wide && index % 4 ? 257 : 1;
  const char *name;
  uint8_t *samples = level_samples_new (rng, index, width, height, &name);
  const Layout layout = {.format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8, .padding = index % 4 ? 0 : 6};
  Picture picture = picture_of_samples (rng, samples, width, height, layout, factor);
  CtrCracksParams params = index % 2 ? random_cracks_params (rng) : cracks_params_of (0, 8, 0);
  set_levels (&params, index / 2, factor);
  compare (state, name, &picture, index % 5 > 0, params);
  picture_free (&picture);
}

/* All pairs of the sides at which words and tiles end, and large images. */
static void
compare_cases (void *data)
{
  State *state = data;
  Random rng = {23};
  const uint32_t step = state->setup.quick ? 53 : 1;
  for (uint32_t i = 0; i < equality_side_count * equality_side_count * 2; i += step) {
    uint32_t width = equality_sides[i % equality_side_count];
    uint32_t height = equality_sides[i / equality_side_count % equality_side_count];
    if (state->setup.quick && width * height > 3000)
      width = 1 + width % 33;
    compare_samples (state, &rng, i + i / equality_side_count, width, height);
  }
  /* Not of random samples, of which the contours are too many. */
  for (uint32_t i = 0; i < GREY_KINDS * 2 && !state->setup.quick; i++)
    if (i % GREY_KINDS < 5)
      compare_samples (state, &rng, i, 1920 - i % 5, 540 + i % 7);
}

typedef struct {
  State *state;
  CtrImage image;
  CtrCracksParams params;
} Work;

static void
run (void *data)
{
  Work *work = data;
  ctr_contours_unref (trace_cracks (work->state->tested, &work->state->setup, &work->image, &work->params));
}

static void
bench (void *data)
{
  State *state = data;
  Random rng = {7};
  for (uint32_t step = 128; step >= 8; step /= 4) {
    char what[64];
    void *memory;
    const char *name;
    uint8_t *samples = level_samples_new (&rng, 3, 1920, 1080, &name);
    Picture picture = picture_of_samples (&rng, samples, 1920, 1080, (Layout){.format = CTR_FORMAT_GRAY8}, 1);
    Work work = {.state = state, .image = equality_bench_image (&state->setup, &picture, &memory)};
    ctr_cracks_params_init (&work.params);
    work.params.step = step;
    snprintf (what, sizeof what, "cracks, 1920 x 1080, step %u", step);
    equality_time (&state->setup, what, run, &work);
    if (memory)
      gpu_free (memory);
    picture_free (&picture);
  }
}

const Equality cracks_equality = {
    .name = "cracks",
    .count = 1000,
    .quick_count = 50,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};
