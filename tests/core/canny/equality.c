/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of edges for the equality test: random pictures, adversarial cases, benchmark. */
#include "tests/core/canny/reference.h"
#include "tests/core/canny/testing.h"
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

EQUALITY_STATE (CtrCanny, detector_new, ctr_canny_free)

/* The edges of IMAGE, found and left on the device; its rows there are not packed. */
static uint8_t *
detect_on_device (State *state, Random *rng, const Picture *picture, const CtrCannyParams *params)
{
  const uint32_t width = picture->view.width, height = picture->view.height;
  const size_t stride = width + random_below (rng, 300);
  uint8_t *rows = malloc (stride * height), *mask = malloc ((size_t) width * height);
  CtrEdgePicture edges;
  CtrError error;
  void *pixels, *output = gpu_alloc (stride * height);
  const CtrImage image = equality_image (picture, true, &pixels);
  memset (rows, 77, stride * height);
  gpu_upload (output, rows, stride * height);
  ctr_edge_picture_init_mask (&edges, output, stride, CTR_MEMORY_DEVICE);
  if (!ctr_canny_run (state->tested, &image, params, &edges, state->setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
  gpu_download (rows, output, stride * height);
  for (uint32_t y = 0; y < height; y++) {
    memcpy (mask + (size_t) y * width, rows + y * stride, width);
    for (size_t x = width; x < stride; x++)
      CHECK (rows[y * stride + x] == 77);
  }
  gpu_free (pixels);
  gpu_free (output);
  free (rows);
  return mask;
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
  const Layout layout = random_layout (rng);
  const uint32_t width = random_side (rng), height = random_side (rng);
  const bool on_device = state->on_cpu && random_below (rng, 2);
  const CtrCannyParams params = random_canny_params (rng);
  Picture picture;
  if (random_below (rng, 4) == 0) {
    picture = picture_random (rng, width, height, layout);
  } else {
    uint8_t *grey = grey_new (rng, width, height);
    picture = picture_of_grey (rng, grey, width, height, layout);
    free (grey);
  }
  describe_canny (on_device ? "on the device" : "in host memory", &picture.view, &params);
  uint8_t *expected = reference_canny (&picture.view, &params);
  uint8_t *actual = on_device ? detect_on_device (state, rng, &picture, &params)
                              : detect (state->tested, &state->setup, &picture.view, &params);
  check_masks_equal (expected, actual, width, height);
  free (expected);
  free (actual);
  picture_free (&picture);
}

/* Images and masks in host memory and on the device. Returns how many pixels are edges. */
static size_t
compare (State *state, Random *rng, const char *name, const Picture *picture, const CtrCannyParams *params)
{
  const CtrImage *image = &picture->view;
  describe_canny (name, image, params);
  uint8_t *expected = detect (state->on_cpu, &state->cpu, image, params);
  uint8_t *actual = detect (state->tested, &state->setup, image, params);
  check_masks_equal (expected, actual, image->width, image->height);
  free (actual);
  actual = detect_on_device (state, rng, picture, params);
  check_masks_equal (expected, actual, image->width, image->height);
  free (actual);
  size_t edges = 0;
  for (size_t i = 0; i < (size_t) image->width * image->height; i++)
    edges += expected[i] != 0;
  free (expected);
  return edges;
}

/* Takes GREY. */
static size_t
compare_grey (State *state, Random *rng, const char *name, uint8_t *grey, uint32_t width, uint32_t height,
    const CtrCannyParams *params)
{
  static const CtrFormat formats[] = {
      CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGRX};
  Picture picture =
      picture_of_grey (rng, grey, width, height, (Layout){.format = formats[random_below (rng, LENGTH (formats))]});
  const size_t edges = compare (state, rng, name, &picture, params);
  picture_free (&picture);
  free (grey);
  return edges;
}

/* Squares of two levels: many edges, long and short; thresholds that take some of their pixels as strong ones. */
static void
compare_noise (State *state, Random *rng, uint32_t width, uint32_t height, uint32_t density, uint32_t grain)
{
  CtrCannyParams params;
  uint8_t *grey = noise_new (rng, width, height, density, grain);
  ctr_canny_params_init (&params);
  params.sigma = random_below (rng, 2) ? 0.8 : 2;
  params.l2_gradient = random_below (rng, 2);
  params.low_threshold = 20;
  params.high_threshold = 60 + random_below (rng, 200);
  for (size_t i = 0; i < (size_t) width * height; i++)
    grey[i] = (uint8_t) (60 + 120 * grey[i]);
  compare_grey (state, rng, "squares", grey, width, height, &params);
}

/* A weak line over the whole image; with STRONG its end is strong, and with it the whole outline. */
static void
compare_line (State *state, Random *rng, Shape shape, uint32_t width, uint32_t height, bool strong)
{
  const uint32_t scale = 3, columns = width / scale - 2, rows = height / scale - 2;
  uint8_t *mask = shape_new (shape, columns, rows), *grey = malloc ((size_t) width * height);
  uint32_t end_x = columns / 2, end_y = shape == SHAPE_SPIRAL ? rows / 2 : rows - 1;
  while (!mask[end_y * columns + end_x] || mask[end_y * columns + end_x - 1] != mask[end_y * columns + end_x + 1])
    end_y--;
  /* Apart from the border, the outline is closed. */
  memset (grey, 100, (size_t) width * height);
  for (uint32_t y = 0; y < rows * scale; y++)
    for (uint32_t x = 0; x < columns * scale; x++) {
      const bool end = strong && x / scale == end_x && y / scale == end_y;
      grey[(size_t) (y + scale) * width + x + scale] =
          (uint8_t) (end ? 255 : 100 + 20 * mask[y / scale * columns + x / scale]);
    }
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = 0;
  params.low_threshold = 30;
  params.high_threshold = 200;
  const size_t edges = compare_grey (state, rng, shape_names[shape], grey, width, height, &params);
  CHECK (strong ? edges > (size_t) width * height / 10 : edges == 0);
  free (mask);
}

/* All pairs of the sides at which words and warps end. */
static void
compare_sides (State *state, Random *rng)
{
  const uint32_t step = state->setup.quick ? 83 : 1;
  for (uint32_t i = 0; i < equality_side_count * equality_side_count * 2; i += step) {
    const uint32_t width = equality_sides[i % equality_side_count];
    const uint32_t height = equality_sides[i / equality_side_count % equality_side_count];
    const CtrCannyParams params = random_canny_params (rng);
    uint8_t *grey = grey_new (rng, width, height);
    const Layout layout = {
        .format = i % 3 ? CTR_FORMAT_GRAY8 : (CtrFormat) (i / 3 % (CTR_FORMAT_VYUY + 1)), .padding = i % 4 * 2};
    Picture picture = picture_of_grey (rng, grey, width, height, layout);
    compare (state, rng, "sides", &picture, &params);
    picture_free (&picture);
    free (grey);
  }
}

static void
compare_cases (void *data)
{
  static const uint32_t sizes[][2] = {
      {203, 140}, {1920, 1080}, {3840, 2160}, {4096, 2176}, {4801, 3501}, {65535, 33}, {31, 65535}, {2049, 2047}};
  static const Shape lines[] = {SHAPE_SPIRAL, SHAPE_SERPENTINE, SHAPE_SERPENTINE_UPRIGHT};
  State *state = data;
  Random random = {41}, *rng = &random;
  const bool quick = state->setup.quick;
  compare_sides (state, rng);
  for (size_t i = 0; i < (quick ? 1 : LENGTH (sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    for (uint32_t grain = 1; grain <= 16; grain *= 4)
      for (uint32_t density = 5; density < 100; density += quick ? 45 : 30)
        compare_noise (state, rng, w, h, density, grain);
    for (size_t k = 0; k < LENGTH (lines); k++) {
      compare_line (state, rng, lines[k], w, h, false);
      compare_line (state, rng, lines[k], w, h, true);
    }
    for (int k = 0; k < (quick ? 4 : 12); k++) {
      const CtrCannyParams params = random_canny_params (rng);
      compare_grey (state, rng, "random", grey_new (rng, w, h), w, h, &params);
    }
    for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_VYUY; format += quick ? 3 : 1) {
      Picture picture = picture_random (rng, w, h, (Layout){.format = format});
      const CtrCannyParams params = random_canny_params (rng);
      compare (state, rng, "random samples", &picture, &params);
      picture_free (&picture);
    }
  }
}

typedef struct {
  State *state;
  CtrImage image;
  CtrCannyParams params;
  CtrEdgePicture edges;
} Work;

static void
run (void *data)
{
  Work *work = data;
  CtrError error;
  if (!ctr_canny_run (
          work->state->tested, &work->image, &work->params, &work->edges, work->state->setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
}

static void
bench (void *data)
{
  enum { WIDTH = 1920, HEIGHT = 1080 };
  State *state = data;
  Random rng = {7};
  const bool on_device = state->on_cpu;
  for (uint32_t grain = 1; grain <= 16; grain *= 4) {
    char what[64];
    void *memory, *edges = on_device ? gpu_alloc (WIDTH * HEIGHT) : malloc (WIDTH * HEIGHT);
    uint8_t *mask = noise_new (&rng, WIDTH, HEIGHT, 50, grain);
    Picture picture = picture_of_mask (&rng, mask, WIDTH, HEIGHT, (Layout){.format = CTR_FORMAT_GRAY8}, 128, false);
    Work work = {.state = state, .image = equality_bench_image (&state->setup, &picture, &memory)};
    ctr_canny_params_init (&work.params);
    ctr_edge_picture_init_mask (&work.edges, edges, WIDTH, work.image.memory);
    snprintf (what, sizeof what, "canny, 1920 x 1080, grain %u", grain);
    equality_time (&state->setup, what, run, &work);
    if (on_device) {
      gpu_free (memory);
      gpu_free (edges);
    } else {
      free (edges);
    }
    picture_free (&picture);
    free (mask);
  }
}

const Equality canny_equality = {
    .name = "canny",
    .count = 400,
    .quick_count = 30,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};
