/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of the background's removal for the equality test: random streams of images, large images, benchmark. */
#include "tests/core/background/reference.h"
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CtrBackground *
remover_new (const Setup *setup)
{
  CtrBackground *background = ctr_background_new (setup->backend, NULL);
  CHECK (background);
  return background;
}

EQUALITY_STATE (CtrBackground, remover_new, ctr_background_free)

enum { GUARD = 77, KEPT_ROWS = 3, KEPT_ROW = 21, KEPT_STRIDE = 40 };

/* What a corrected picture is made in, with bytes around it that stay. */
typedef struct {
  CtrCorrectedPicture corrected;
  uint8_t *rows; /* on the host */
  void *device;  /* the same there, or NULL */
  size_t offset, bytes, row;
  uint32_t height;
} Output;

static Output
output_new (Random *rng, const CtrImage *image, bool device)
{
  const size_t align = image->format == CTR_FORMAT_GRAY16 ? 2 : 1;
  Output output = {.row = ctr_format_row_size (image->format, image->width), .height = image->height};
  output.offset = random_below (rng, 20) * align;
  output.corrected.stride = (output.row + random_below (rng, 40) * align + align - 1) / align * align;
  if (random_below (rng, 2)) {
    output.offset = 0;
    output.corrected.stride = (output.corrected.stride + 255) / 256 * 256;
  }
  output.bytes = output.offset + output.corrected.stride * image->height;
  output.rows = malloc (output.bytes);
  memset (output.rows, GUARD, output.bytes);
  if (device) {
    output.device = gpu_alloc (output.bytes);
    gpu_upload (output.device, output.rows, output.bytes);
  }
  output.corrected.data = (uint8_t *) (device ? output.device : output.rows) + output.offset;
  output.corrected.memory = device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
  return output;
}

/* Fetches the picture and checks what is around it. */
static const uint8_t *
output_fetch (Output *output)
{
  if (output->device)
    gpu_download (output->rows, output->device, output->bytes);
  for (size_t i = 0; i < output->bytes; i++)
    if (i < output->offset || (i - output->offset) % output->corrected.stride >= output->row)
      CHECK (output->rows[i] == GUARD);
  return output->rows + output->offset;
}

static void
output_free (Output *output)
{
  if (output->device)
    gpu_free (output->device);
  free (output->rows);
}

/* Random planes that are kept, one behind the other, and where they are copied to. */
static void
keep_planes (Random *rng, Output *output, uint8_t *source, uint8_t *target, void *device)
{
  const size_t half = sizeof (uint8_t) * KEPT_STRIDE * KEPT_ROWS * CTR_BACKGROUND_MAX_KEPT;
  for (size_t i = 0; i < half; i++)
    source[i] = (uint8_t) random_next (rng);
  memset (target, GUARD, half);
  if (device) {
    gpu_upload (device, source, half);
    gpu_upload ((uint8_t *) device + half, target, half);
    source = device;
    target = source + half;
  }
  output->corrected.kept_count = random_below (rng, CTR_BACKGROUND_MAX_KEPT + 1);
  for (uint32_t i = 0; i < output->corrected.kept_count; i++)
    output->corrected.kept[i] = (CtrKeptPlane){
        .data = target + i * KEPT_STRIDE * KEPT_ROWS,
        .stride = KEPT_STRIDE,
        .source = source + i * KEPT_STRIDE * KEPT_ROWS,
        .source_stride = KEPT_STRIDE,
        .row_size = KEPT_ROW,
        .rows = KEPT_ROWS,
    };
}

static void
check_kept (const Output *output, const uint8_t *source, const uint8_t *target)
{
  for (uint32_t i = 0; i < KEPT_STRIDE * KEPT_ROWS * CTR_BACKGROUND_MAX_KEPT; i++) {
    const bool copied = i / (KEPT_STRIDE * KEPT_ROWS) < output->corrected.kept_count && i % KEPT_STRIDE < KEPT_ROW;
    CHECK (target[i] == (copied ? source[i] : GUARD));
  }
}

/* One image through the tested object, where the reference expects SAMPLES. */
static void
check_image (
    State *state, Random *rng, const Picture *picture, const CtrBackgroundParams *params, const uint16_t *samples)
{
  enum { KEPT = KEPT_STRIDE * KEPT_ROWS * CTR_BACKGROUND_MAX_KEPT };
  const bool gpu = state->on_cpu, device = gpu && random_below (rng, 3);
  const bool from_device = gpu && (device ? random_below (rng, 4) != 0 : random_below (rng, 4) == 0);
  uint8_t source[KEPT], target[KEPT];
  Output output = output_new (rng, &picture->view, device);
  void *memory = NULL, *kept = device ? gpu_alloc (2 * KEPT) : NULL;
  CtrImage image = from_device ? equality_image (picture, true, &memory) : picture->view;
  CtrError error;
  keep_planes (rng, &output, source, target, kept);
  if (!ctr_background_run (state->tested, &image, params, &output.corrected, state->setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
  check_corrected_rows (&picture->view, samples, output_fetch (&output), output.corrected.stride);
  if (kept) {
    gpu_download (target, (uint8_t *) kept + KEPT, KEPT);
    gpu_free (kept);
  }
  check_kept (&output, source, target);
  if (memory)
    gpu_free (memory);
  output_free (&output);
}

static uint32_t
random_side (Random *rng)
{
  static const uint32_t edges[] = {1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 513};
  return random_below (rng, 3) ? 1 + random_below (rng, 24) : pick (rng, edges, LENGTH (edges));
}

static Picture
random_picture (Random *rng, uint32_t width, uint32_t height, Layout layout)
{
  if (random_below (rng, 2))
    return picture_random (rng, width, height, layout);
  uint8_t *grey = grey_new (rng, width, height);
  Picture picture = picture_of_grey (rng, grey, width, height, layout);
  free (grey);
  return picture;
}

/* A picture for CTR_BACKGROUND_GIVEN that suits FORMAT. */
static void
set_picture (
    State *state, ReferenceBackground *reference, Random *rng, uint32_t width, uint32_t height, CtrFormat format)
{
  const Layout layout = {.format = format == CTR_FORMAT_GRAY16 ? format : CTR_FORMAT_GRAY8, .padding = 6};
  Picture picture = random_picture (rng, width, height, layout);
  CHECK (ctr_background_set_picture (state->tested, &picture.view, NULL));
  reference_background_set_picture (reference, &picture.view);
  picture_free (&picture);
}

/* A stream of images, in which everything may change. */
static void
compare_random (void *data, uint64_t seed)
{
  State *state = data;
  Random random = {seed}, *rng = &random;
  ReferenceBackground reference = {0};
  Layout layout = random_layout (rng);
  uint32_t width = random_side (rng), height = random_side (rng);
  CtrBackgroundParams params = random_background_params (rng);
  const uint32_t images = 1 + random_below (rng, 2 * params.frames);
  ctr_background_reset (state->tested);
  set_picture (state, &reference, rng, width, height, layout.format);
  for (uint32_t i = 0; i < images; i++) {
    const bool renews = random_below (rng, 12) == 0;
    if (random_below (rng, 6) == 0) {
      const CtrBackgroundParams other = random_background_params (rng);
      params.mode = other.mode;
      params.learning = other.learning;
      params.learning_rate = other.learning_rate;
      params.interval = other.interval;
      params.offset = other.offset;
    }
    if (random_below (rng, 16) == 0)
      params = random_background_params (rng);
    if (renews) {
      layout = random_layout (rng);
      height = random_side (rng);
      width = random_below (rng, 2) ? width : random_side (rng);
      set_picture (state, &reference, rng, width, height, layout.format);
    } else if (random_below (rng, 20) == 0) {
      ctr_background_reset (state->tested);
      reference.begun = false;
    }
    Picture picture = random_picture (rng, width, height, layout);
    describe_background ("stream", &picture.view, &params);
    uint16_t *samples = reference_background (&reference, &picture.view, &params);
    check_image (state, rng, &picture, &params, samples);
    free (samples);
    picture_free (&picture);
  }
  reference_background_release (&reference);
}

/* All small sizes, and large ones, with each model. */
static void
compare_cases (void *data)
{
  static const uint32_t sizes[][2] = {{1919, 13}, {65535, 2}, {3, 65535}, {1283, 717}};
  State *state = data;
  Random random = {41}, *rng = &random;
  const uint32_t step = state->setup.quick ? 7 : 1;
  for (uint32_t i = 0; i < 17 * 17 + LENGTH (sizes) - (state->setup.quick ? 3 : 0); i += step) {
    const uint32_t width = i < 17 * 17 ? 1 + i % 17 : sizes[i - 17 * 17][0];
    const uint32_t height = i < 17 * 17 ? 1 + i / 17 : sizes[i - 17 * 17][1];
    for (int model = 0; model < 4; model++) {
      ReferenceBackground reference = {0};
      CtrBackgroundParams params = random_background_params (rng);
      const Layout layout = random_layout (rng);
      params.model = (CtrBackgroundModel) model;
      ctr_background_reset (state->tested);
      set_picture (state, &reference, rng, width, height, layout.format);
      for (int k = 0; k < 4; k++) {
        Picture picture = random_picture (rng, width, height, layout);
        describe_background ("sizes", &picture.view, &params);
        uint16_t *samples = reference_background (&reference, &picture.view, &params);
        check_image (state, rng, &picture, &params, samples);
        free (samples);
        picture_free (&picture);
      }
      reference_background_release (&reference);
    }
  }
}

typedef struct {
  State *state;
  CtrImage image;
  CtrBackgroundParams params;
  CtrCorrectedPicture corrected;
} Work;

static void
run (void *data)
{
  Work *work = data;
  CtrError error;
  if (!ctr_background_run (
          work->state->tested, &work->image, &work->params, &work->corrected, work->state->setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
}

static void
bench (void *data)
{
  enum { WIDTH = 3840, HEIGHT = 2160 };
  static const struct {
    const char *name;
    CtrBackgroundMode mode;
    CtrBackgroundModel model;
    uint32_t frames;
  } cases[] = {{"average, subtract", CTR_BACKGROUND_SUBTRACT, CTR_BACKGROUND_AVERAGE, 3},
      {"average, absdiff", CTR_BACKGROUND_ABSDIFF, CTR_BACKGROUND_AVERAGE, 3},
      {"average, divide", CTR_BACKGROUND_DIVIDE, CTR_BACKGROUND_AVERAGE, 3},
      {"first, subtract", CTR_BACKGROUND_SUBTRACT, CTR_BACKGROUND_FIRST, 3},
      {"first, divide", CTR_BACKGROUND_DIVIDE, CTR_BACKGROUND_FIRST, 3},
      {"median of 7, subtract", CTR_BACKGROUND_SUBTRACT, CTR_BACKGROUND_MEDIAN, 7},
      {"median of 15, subtract", CTR_BACKGROUND_SUBTRACT, CTR_BACKGROUND_MEDIAN, 15}};
  State *state = data;
  Random rng = {7};
  for (int wide = 0; wide < 2; wide++) {
    const Layout layout = {.format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
    const size_t stride = (size_t) WIDTH * (wide ? 2 : 1);
    Picture picture = picture_random (&rng, WIDTH, HEIGHT, layout);
    void *memory, *output = state->on_cpu ? gpu_alloc (stride * HEIGHT) : malloc (stride * HEIGHT);
    Work work = {.state = state, .image = equality_bench_image (&state->setup, &picture, &memory)};
    work.corrected = (CtrCorrectedPicture){.data = output, .stride = stride, .memory = work.image.memory};
    ctr_background_params_init (&work.params);
    for (size_t i = 0; i < LENGTH (cases); i++) {
      char what[80];
      work.params.mode = cases[i].mode;
      work.params.model = cases[i].model;
      work.params.frames = cases[i].frames;
      snprintf (what, sizeof what, "background, 3840 x 2160, %d bits, %s", wide ? 16 : 8, cases[i].name);
      equality_time (&state->setup, what, run, &work);
    }
    if (state->on_cpu) {
      gpu_free (memory);
      gpu_free (output);
    } else {
      free (output);
    }
    picture_free (&picture);
  }
}

const Equality background_equality = {
    .name = "background",
    .count = 600,
    .quick_count = 40,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};
