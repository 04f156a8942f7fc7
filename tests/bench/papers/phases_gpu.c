/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/papers/papers.h"

#include "tests/bench/common/bench.h"
#include "tests/bench/common/device.h"
#include "tests/bench/common/masks.h"
#include "tests/bench/common/outlines.h"
#include "tests/bench/cracks/levels.h"
#include "tests/bench/papers/kernels_seen.h"
#include "tests/core/snake/scenes.h"

#include <contours/contours.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { WARM_UPS = 4, FRAMES = 5 };

typedef struct Phase Phase;

/* A frame of an algorithm, of a size of the papers. */
struct Phase {
  const char *algorithm, *image;
  uint32_t width, height;
  CtrFormat format;
  bool (*draw) (const Phase *phase, uint8_t *image);
  void *(*create) (CtrBackend backend, CtrError *error);
  void (*destroy) (void *object);
  /* Runs a frame; ELEMENTS: what the result has most of. */
  bool (*run) (
      void *object, const Phase *phase, const CtrImage *image, void *stream, uint64_t *elements, CtrError *error);
  const char *elements;
};

static bool
draw_random (const Phase *phase, uint8_t *image)
{
  const uint32_t granularity = 4;
  const uint64_t count = bench_block_count (phase->width, phase->height, granularity);
  uint32_t *numbers = malloc (count * sizeof *numbers);
  if (!numbers)
    return false;
  bench_random_numbers (0, count, numbers);
  bench_random_mask (numbers, phase->width, phase->height, granularity, bench_density_threshold (50), image);
  free (numbers);
  return true;
}

static bool
draw_board (const Phase *phase, uint8_t *image)
{
  bench_board_mask (phase->width, phase->height, image);
  return true;
}

static bool
draw_disparity (const Phase *phase, uint8_t *image)
{
  return bench_disparity (phase->width, phase->height, image);
}

static bool
draw_scene (const Phase *phase, uint8_t *image)
{
  papers_draw_scene (phase->width, phase->height, (uint32_t) ctr_format_pixel_size (phase->format), image);
  return true;
}

static bool
draw_blob (const Phase *phase, uint8_t *image)
{
  const SnakeTarget target = {
      .shape = SNAKE_BLOB, .x = 0.51 * phase->width, .y = 0.49 * phase->height, .radius = 0.38 * phase->height};
  const SnakeScene scene = {.targets = &target,
      .target_count = 1,
      .noise = (SnakeNoise) CTR_SNAKE_GAUSSIAN,
      .inside = {125, 25},
      .outside = {100, 25},
      .seed = 1};
  const CtrImage view = {.data = image,
      .stride = phase->width * ctr_format_pixel_size (phase->format),
      .width = phase->width,
      .height = phase->height,
      .format = phase->format};
  snake_scene_draw (&scene, &view);
  return true;
}

#define CREATE(name, type)                               \
  static void *create_##name (CtrBackend b, CtrError *e) \
  {                                                      \
    return ctr_##name##_new (b, e);                      \
  }                                                      \
  static void destroy_##name (void *object)              \
  {                                                      \
    ctr_##name##_free ((type *) object);                 \
  }

CREATE (cca, CtrCca)
CREATE (borders, CtrBorders)
CREATE (cracks, CtrCracks)
CREATE (canny, CtrCanny)
CREATE (snake, CtrSnake)

static bool
run_cca (void *cca, const Phase *phase, const CtrImage *image, void *stream, uint64_t *elements, CtrError *error)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.connectivity = CTR_CONNECTIVITY_4;
  CtrComponents *result = ctr_cca_run (cca, image, &params, stream, error);
  if (result)
    *elements = result->count;
  ctr_components_unref (result);
  return result;
}

static bool
take (CtrContours *result, uint64_t *elements)
{
  if (result)
    *elements = result->point_count;
  ctr_contours_unref (result);
  return result;
}

static bool
run_borders (
    void *borders, const Phase *phase, const CtrImage *image, void *stream, uint64_t *elements, CtrError *error)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.approximation = CTR_APPROXIMATION_NONE;
  return take (ctr_borders_run (borders, image, &params, stream, error), elements);
}

static bool
run_cracks (void *cracks, const Phase *phase, const CtrImage *image, void *stream, uint64_t *elements, CtrError *error)
{
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.minimum = params.step = 1;
  params.maximum = 127;
  return take (ctr_cracks_run (cracks, image, &params, stream, error), elements);
}

static bool
run_canny (void *canny, const Phase *phase, const CtrImage *image, void *stream, uint64_t *elements, CtrError *error)
{
  static uint8_t *mask; /* on the GPU, for the only picture */
  CtrEdgePicture picture;
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.l2_gradient = true;
  if (!mask && !BENCH_CHECK (cudaMalloc ((void **) &mask, (size_t) image->width * image->height)))
    return false;
  ctr_edge_picture_init_mask (&picture, mask, image->width, CTR_MEMORY_DEVICE);
  *elements = (uint64_t) image->width * image->height;
  return ctr_canny_run (canny, image, &params, &picture, stream, error);
}

static bool
run_snake (void *snake, const Phase *phase, const CtrImage *image, void *stream, uint64_t *elements, CtrError *error)
{
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  return take (ctr_snake_run (snake, image, &params, &object, 1, stream, error), elements);
}

#define ALGORITHM(name) create_##name, destroy_##name, run_##name

static const Phase phases[] = {
    {"components", "random, g = 4, 50 %", 8192, 8192, CTR_FORMAT_GRAY8, draw_random, ALGORITHM (cca), "components"},
    {"borders", "board", 4928, 4112, CTR_FORMAT_GRAY8, draw_board, ALGORITHM (borders), "points"},
    {"cracks", "disparity", 2048, 768, CTR_FORMAT_GRAY8, draw_disparity, ALGORITHM (cracks), "points"},
    {"canny", "scene, RGB, L2", 4444, 3136, CTR_FORMAT_RGB, draw_scene, ALGORITHM (canny), "pixels"},
    {"snake", "blob, 8 bits", 3900, 3900, CTR_FORMAT_GRAY8, draw_blob, ALGORITHM (snake), "points"},
    {"snake", "blob, 16 bits", 3900, 3900, CTR_FORMAT_GRAY16, draw_blob, ALGORITHM (snake), "points"},
};

static size_t
used_memory (void)
{
  size_t unused = 0, total = 0;
  return cudaMemGetInfo (&unused, &total) == cudaSuccess ? total - unused : 0;
}

static bool
run_frames (const Phase *phase, void *object, const CtrImage *image, cudaStream_t stream, int count, uint64_t *elements)
{
  CtrError error = {.message = "a call of CUDA failed"};
  for (int i = 0; i < count; i++)
    if (!phase->run (object, phase, image, stream, elements, &error)) {
      fprintf (stderr, "%s, %s: %s\n", phase->algorithm, phase->image, error.message);
      return false;
    }
  return true;
}

static void
print_kernels (const Phase *phase, const KernelSeen *seen, int count)
{
  for (int i = 0; i < count; i++)
    printf ("{\"type\": \"kernel\", \"algorithm\": \"%s\", \"image\": \"%s\", \"width\": %u, \"height\": %u, "
            "\"order\": %d, \"kernel\": \"%s\", \"calls\": %.2f, \"us\": %.3f}\n",
        phase->algorithm, phase->image, phase->width, phase->height, i, seen[i].name, seen[i].calls / (double) FRAMES,
        seen[i].ns / 1e3 / FRAMES);
}

/* PIXELS is the picture on the GPU. */
static bool
measure_phase (const Phase *phase, const uint8_t *pixels, cudaStream_t stream)
{
  const CtrImage image = {.data = pixels,
      .stride = phase->width * ctr_format_pixel_size (phase->format),
      .width = phase->width,
      .height = phase->height,
      .format = phase->format,
      .memory = CTR_MEMORY_DEVICE};
  static KernelSeen seen[MAX_KERNELS_SEEN];
  uint64_t elements = 0;
  CtrError error;
  const size_t before = used_memory ();
  void *object = phase->create (CTR_BACKEND_CUDA, &error);
  if (!object) {
    fprintf (stderr, "%s: %s\n", phase->algorithm, error.message);
    return false;
  }
  bool ok = run_frames (phase, object, &image, stream, WARM_UPS, &elements);
  if (ok)
    printf ("{\"type\": \"memory\", \"algorithm\": \"%s\", \"image\": \"%s\", \"width\": %u, \"height\": %u, "
            "\"bytes\": %zu, \"elements\": %" PRIu64 ", \"elements_are\": \"%s\"}\n",
        phase->algorithm, phase->image, phase->width, phase->height, used_memory () - before, elements,
        phase->elements);
  if (ok && kernels_seen_begin ()) {
    ok = run_frames (phase, object, &image, stream, FRAMES, &elements) && BENCH_CHECK (cudaStreamSynchronize (stream));
    const int count = kernels_seen_end (seen);
    if (count >= 0)
      print_kernels (phase, seen, count);
    else
      printf ("{\"type\": \"missing\", \"what\": \"phases\", \"reason\": \"CUPTI failed\"}\n");
  }
  phase->destroy (object);
  fflush (stdout);
  return ok;
}

bool
papers_phases (const PapersOptions *options)
{
  BenchDevice device = {0};
  const char *missing = kernels_seen_missing ();
  size_t largest = 0;
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
    const size_t size = phases[i].width * ctr_format_pixel_size (phases[i].format) * phases[i].height;
    largest = size > largest ? size : largest;
  }
  uint8_t *image = malloc (largest);
  bool ok = image && bench_device_open (&device, largest);
  if (missing)
    printf ("{\"type\": \"missing\", \"what\": \"phases\", \"reason\": \"%s\"}\n", missing);
  for (size_t i = 0; ok && i < sizeof phases / sizeof *phases && bench_now () < options->until; i++) {
    const Phase *phase = phases + i;
    const size_t size = phase->width * ctr_format_pixel_size (phase->format) * phase->height;
    ok = phase->draw (phase, image) && bench_device_upload (&device, image, size)
         && measure_phase (phase, device.images, device.stream);
  }
  free (image);
  bench_device_close (&device);
  return ok;
}
