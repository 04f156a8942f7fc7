/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of masks for the equality test: random pictures, adversarial cases, benchmark. */
#include "tests/core/canny/testing.h"
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"
#include "tests/core/foreground/reference.h"
#include "tests/core/foreground/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

EQUALITY_STATE (CtrMask, mask_maker_new, ctr_mask_free)

/* SCENE in copies on the device: free both with gpu_free(). */
static CtrImage
image_on_device (const Scene *scene, void **pixels, void **chroma)
{
  CtrImage image = equality_image (&scene->picture, true, pixels);
  *chroma = NULL;
  if (!scene->chroma)
    return image;
  *chroma = gpu_alloc (scene->chroma_bytes);
  gpu_upload (*chroma, scene->chroma, scene->chroma_bytes);
  image.chroma.cb = (uint8_t *) *chroma + (scene->picture.view.chroma.cb - scene->chroma);
  image.chroma.cr = (uint8_t *) *chroma + (scene->picture.view.chroma.cr - scene->chroma);
  return image;
}

/* The mask of SCENE, made and left on the device; its rows there are not packed. */
static uint8_t *
make_on_device (State *state, Random *rng, const Scene *scene, const CtrForeground *foreground)
{
  const uint32_t width = scene->picture.view.width, height = scene->picture.view.height;
  const size_t stride = width + random_below (rng, 300);
  uint8_t *rows = malloc (stride * height), *mask = malloc ((size_t) width * height);
  CtrEdgePicture picture;
  CtrError error;
  void *pixels, *chroma, *output = gpu_alloc (stride * height);
  const CtrImage image = image_on_device (scene, &pixels, &chroma);
  memset (rows, 77, stride * height);
  gpu_upload (output, rows, stride * height);
  ctr_edge_picture_init_mask (&picture, output, stride, CTR_MEMORY_DEVICE);
  if (!ctr_mask_run (state->tested, &image, foreground, &picture, state->setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
  gpu_download (rows, output, stride * height);
  for (uint32_t y = 0; y < height; y++) {
    memcpy (mask + (size_t) y * width, rows + y * stride, width);
    for (size_t x = width; x < stride; x++)
      CHECK (rows[y * stride + x] == 77);
  }
  gpu_free (pixels);
  if (chroma)
    gpu_free (chroma);
  gpu_free (output);
  free (rows);
  return mask;
}

static void
check_thresholds (const State *state, uint32_t expected)
{
  uint32_t threshold;
  CHECK (ctr_mask_get_threshold (state->tested, &threshold, NULL) && threshold == expected);
}

/* Mostly small, sometimes one of the sizes where words and warps end. */
static uint32_t
random_side (Random *rng)
{
  static const uint32_t edges[] = {1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257};
  return random_below (rng, 4) ? 1 + random_below (rng, 60) : pick (rng, edges, LENGTH (edges));
}

static void
compare_random (void *data, uint64_t seed)
{
  State *state = data;
  Random random = {seed}, *rng = &random;
  Scene scene = random_scene (rng, random_side (rng), random_side (rng));
  const CtrImage *image = &scene.picture.view;
  const CtrForeground foreground = random_foreground (rng, image, 12);
  const bool on_device = state->on_cpu && random_below (rng, 2);
  uint32_t threshold;
  describe_mask (on_device ? "on the device" : "in host memory", image, &foreground);
  uint8_t *expected = reference_mask (image, &foreground, &threshold);
  uint8_t *actual = on_device ? make_on_device (state, rng, &scene, &foreground)
                              : make_mask (state->tested, &state->setup, image, &foreground);
  check_masks_equal (expected, actual, image->width, image->height);
  check_thresholds (state, threshold);
  free (expected);
  free (actual);
  scene_free (&scene);
}

/* Images and masks in host memory and on the device. */
static void
compare (State *state, Random *rng, const char *name, const Scene *scene, const CtrForeground *foreground)
{
  const CtrImage *image = &scene->picture.view;
  uint32_t threshold;
  describe_mask (name, image, foreground);
  uint8_t *expected = make_mask (state->on_cpu, &state->cpu, image, foreground);
  CHECK (ctr_mask_get_threshold (state->on_cpu, &threshold, NULL));
  uint8_t *actual = make_mask (state->tested, &state->setup, image, foreground);
  check_masks_equal (expected, actual, image->width, image->height);
  check_thresholds (state, threshold);
  free (actual);
  actual = make_on_device (state, rng, scene, foreground);
  check_masks_equal (expected, actual, image->width, image->height);
  check_thresholds (state, threshold);
  free (actual);
  free (expected);
}

/* A mask as it is. Takes MASK. */
static void
compare_shape (
    State *state, Random *rng, const char *name, uint8_t *mask, uint32_t w, uint32_t h, CtrForeground foreground)
{
  Picture picture = picture_of_mask (rng, mask, w, h, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
  Scene scene = {.picture = picture};
  foreground.threshold = 128;
  foreground.upper_threshold = foreground.mode == CTR_THRESHOLD_HYSTERESIS ? 255 : 0;
  compare (state, rng, name, &scene, &foreground);
  picture_free (&picture);
  free (mask);
}

/* All pairs of the sides at which words and warps end. */
static void
compare_sides (State *state, Random *rng)
{
  const uint32_t step = state->setup.quick ? 83 : 1;
  for (uint32_t i = 0; i < equality_side_count * equality_side_count * 4; i += step) {
    Scene scene = random_scene (
        rng, equality_sides[i % equality_side_count], equality_sides[i / equality_side_count % equality_side_count]);
    const CtrForeground foreground = random_foreground (rng, &scene.picture.view, CTR_MAX_SHAPE_SIZE);
    compare (state, rng, "sides", &scene, &foreground);
    scene_free (&scene);
  }
}

/* Every size of structuring elements and blocks. */
static void
compare_parameters (State *state, Random *rng)
{
  const bool quick = state->setup.quick;
  for (uint32_t size = 1; size <= CTR_MAX_BLOCK_SIZE; size += quick ? 50 : 2) {
    Scene scene = random_scene (rng, 333, 150);
    for (int mode = CTR_THRESHOLD_ADAPTIVE_MEAN; size > 1 && mode <= CTR_THRESHOLD_ADAPTIVE_GAUSSIAN; mode++) {
      const CtrForeground foreground = {.mode = (CtrThresholdMode) mode, .block_size = size};
      compare (state, rng, "blocks", &scene, &foreground);
    }
    for (int shape = 0; size / 2 <= CTR_MAX_SHAPE_SIZE && shape < 3; shape++) {
      const CtrForeground foreground = {.shape = (CtrShape) shape, .open_size = size / 4, .close_size = size / 2};
      compare_shape (state, rng, "elements", noise_new (rng, 333, 150, 20 + random_below (rng, 60), 1 + size / 12), 333,
          150, foreground);
    }
    scene_free (&scene);
  }
}

static void
compare_cases (void *data)
{
  static const uint32_t sizes[][2] = {
      {203, 140}, {1920, 1080}, {3840, 2160}, {4096, 2176}, {4801, 3501}, {65535, 33}, {31, 65535}, {2049, 2047}};
  State *state = data;
  Random random = {41}, *rng = &random;
  const bool quick = state->setup.quick;
  compare_sides (state, rng);
  compare_parameters (state, rng);
  for (size_t i = 0; i < (quick ? 1 : LENGTH (sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    /* Of a large image, each shape and each density with one of these. */
    const bool some = quick || (uint64_t) w * h > 2000000;
    static const CtrForeground connected[] = {{.fill_holes = true}, {.clear_border = true},
        {.fill_holes = true, .invert = true}, {.clear_border = true, .invert = true}, {.split_touching = 5},
        {.split_touching = 30, .invert = true}, {.mode = CTR_THRESHOLD_HYSTERESIS}};
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
      for (size_t k = 0; k < LENGTH (connected); k++)
        if (!some || (shape + k + i) % LENGTH (connected) == 0)
          compare_shape (state, rng, shape_names[shape], shape_new ((Shape) shape, w, h), w, h, connected[k]);
    for (uint32_t density = 10; density < 100; density += quick ? 40 : 10)
      for (size_t k = 0; k < LENGTH (connected); k++)
        if (quick || !some || (density / 10 + k + i) % LENGTH (connected) == 0)
          compare_shape (state, rng, "noise", noise_new (rng, w, h, density, 1 + density / 10 % 3), w, h, connected[k]);
    for (int k = 0; k < (quick ? 8 : some ? 12 : 30); k++) {
      Scene scene = random_scene (rng, w, h);
      const CtrForeground foreground = random_foreground (rng, &scene.picture.view, 15);
      compare (state, rng, "random", &scene, &foreground);
      scene_free (&scene);
    }
  }
}

typedef struct {
  State *state;
  CtrImage image;
  CtrForeground foreground;
  CtrEdgePicture picture;
} Work;

static void
run (void *data)
{
  Work *work = data;
  CtrError error;
  if (!ctr_mask_run (
          work->state->tested, &work->image, &work->foreground, &work->picture, work->state->setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
}

static void
bench (void *data)
{
  enum { WIDTH = 3840, HEIGHT = 2160 };
  static const struct {
    const char *name;
    CtrForeground foreground;
  } works[] = {
      {"fixed", {.threshold = 128}},
      {"Otsu", {.mode = CTR_THRESHOLD_OTSU}},
      {"triangle", {.mode = CTR_THRESHOLD_TRIANGLE}},
      {"mean 15", {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 15}},
      {"mean 255", {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 255}},
      {"Gaussian 15", {.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, .block_size = 15}},
      {"Gaussian 101", {.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, .block_size = 101}},
      {"hysteresis", {.mode = CTR_THRESHOLD_HYSTERESIS, .threshold = 128, .upper_threshold = 250}},
      {"open and close 5", {.threshold = 128, .open_size = 5, .close_size = 5}},
      {"ellipse 5", {.threshold = 128, .open_size = 5, .close_size = 5, .shape = CTR_SHAPE_ELLIPSE}},
      {"ellipse 31", {.threshold = 128, .open_size = 31, .shape = CTR_SHAPE_ELLIPSE}},
      {"fill holes", {.threshold = 128, .fill_holes = true}},
      {"split touching", {.threshold = 128, .split_touching = 32}},
      {"clear border", {.threshold = 128, .clear_border = true}},
  };
  State *state = data;
  Random rng = {7};
  const bool on_device = state->on_cpu;
  void *memory, *output = on_device ? gpu_alloc (WIDTH * HEIGHT) : malloc (WIDTH * HEIGHT);
  uint8_t *mask = noise_new (&rng, WIDTH, HEIGHT, 50, 4);
  Picture picture = picture_of_mask (&rng, mask, WIDTH, HEIGHT, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
  Work work = {.state = state, .image = equality_bench_image (&state->setup, &picture, &memory)};
  ctr_edge_picture_init_mask (&work.picture, output, WIDTH, work.image.memory);
  for (size_t i = 0; i < LENGTH (works); i++) {
    char what[64];
    work.foreground = works[i].foreground;
    snprintf (what, sizeof what, "mask, 3840 x 2160, %s", works[i].name);
    equality_time (&state->setup, what, run, &work);
  }
  if (on_device) {
    gpu_free (memory);
    gpu_free (output);
  } else {
    free (output);
  }
  picture_free (&picture);
  free (mask);
}

const Equality mask_equality = {
    .name = "mask",
    .count = 600,
    .quick_count = 60,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};
