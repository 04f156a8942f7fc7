/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend's edges against the CPU backend's, pixel by pixel, up to images too large for the reference; images
 * and pictures in host memory and on the device. Runs in a CUDA context of its own, as GStreamer does. */
#include "tests/core/canny/reference.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup cpu, cuda;
static CtrCanny *on_cpu, *on_cuda;
static Random rng = {41};

/* The edges of IMAGE, found and left on the device; its rows there are not packed. */
static uint8_t *
detect_on_device (const Picture *picture, const CtrCannyParams *params)
{
  const uint32_t width = picture->view.width, height = picture->view.height;
  const size_t stride = width + random_below (&rng, 300);
  uint8_t *rows = malloc (stride * height), *mask = malloc ((size_t) width * height);
  CtrImage image = picture->view;
  CtrEdgePicture edges;
  CtrError error;
  void *pixels = gpu_alloc (picture->bytes), *output = gpu_alloc (stride * height);
  gpu_upload (pixels, picture->memory, picture->bytes);
  memset (rows, 77, stride * height);
  gpu_upload (output, rows, stride * height);
  image.data = pixels;
  image.memory = CTR_MEMORY_DEVICE;
  ctr_edge_picture_init_mask (&edges, output, stride, CTR_MEMORY_DEVICE);
  if (!ctr_canny_run (on_cuda, &image, params, &edges, cuda.stream, &error))
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

/* Returns how many pixels are edges. */
static size_t
compare (const char *name, const Picture *picture, const CtrCannyParams *params)
{
  const CtrImage *image = &picture->view;
  describe_canny (name, image, params);
  uint8_t *expected = detect (on_cpu, &cpu, image, params), *actual = detect (on_cuda, &cuda, image, params);
  check_masks_equal (expected, actual, image->width, image->height);
  free (actual);
  actual = detect_on_device (picture, params);
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
compare_grey (const char *name, uint8_t *grey, uint32_t width, uint32_t height, const CtrCannyParams *params)
{
  static const CtrFormat formats[] = {
      CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGRX};
  Picture picture =
      picture_of_grey (&rng, grey, width, height, (Layout){.format = formats[random_below (&rng, LENGTH (formats))]});
  const size_t edges = compare (name, &picture, params);
  picture_free (&picture);
  free (grey);
  return edges;
}

/* Squares of two levels: many edges, long and short; thresholds that take some of their pixels as strong ones. */
static void
compare_noise (uint32_t width, uint32_t height, uint32_t density, uint32_t grain)
{
  CtrCannyParams params;
  uint8_t *grey = noise_new (&rng, width, height, density, grain);
  ctr_canny_params_init (&params);
  params.sigma = random_below (&rng, 2) ? 0.8 : 2;
  params.l2_gradient = random_below (&rng, 2);
  params.low_threshold = 20;
  params.high_threshold = 60 + random_below (&rng, 200);
  for (size_t i = 0; i < (size_t) width * height; i++)
    grey[i] = (uint8_t) (60 + 120 * grey[i]);
  compare_grey ("squares", grey, width, height, &params);
}

/* A weak line over the whole image; with STRONG its end is strong, and with it the whole outline. */
static void
compare_line (Shape shape, uint32_t width, uint32_t height, bool strong)
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
  const size_t edges = compare_grey (shape_names[shape], grey, width, height, &params);
  CHECK (strong ? edges > (size_t) width * height / 10 : edges == 0);
  free (mask);
}

int
main (int argc, char **argv)
{
  static const uint32_t sizes[][2] = {
      {203, 140}, {1920, 1080}, {3840, 2160}, {4096, 2176}, {4801, 3501}, {65535, 33}, {31, 65535}, {2049, 2047}};
  static const Shape lines[] = {SHAPE_SPIRAL, SHAPE_SERPENTINE, SHAPE_SERPENTINE_UPRIGHT};
  cuda = setup_open ("cuda", true);
  cpu = setup_open ("cpu", false);
  on_cpu = detector_new (&cpu);
  on_cuda = detector_new (&cuda);
  for (size_t i = 0; i < (cuda.quick ? 1 : LENGTH (sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    for (uint32_t grain = 1; grain <= 16; grain *= 4)
      for (uint32_t density = 5; density < 100; density += cuda.quick ? 45 : 30)
        compare_noise (w, h, density, grain);
    for (size_t k = 0; k < LENGTH (lines); k++) {
      compare_line (lines[k], w, h, false);
      compare_line (lines[k], w, h, true);
    }
    for (int k = 0; k < (cuda.quick ? 4 : 12); k++) {
      const CtrCannyParams params = random_canny_params (&rng);
      compare_grey ("random", grey_new (&rng, w, h), w, h, &params);
    }
    for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_XBGR; format += cuda.quick ? 3 : 1) {
      Picture picture = picture_random (&rng, w, h, (Layout){.format = format});
      const CtrCannyParams params = random_canny_params (&rng);
      compare ("random samples", &picture, &params);
      picture_free (&picture);
    }
  }
  ctr_canny_free (on_cpu);
  ctr_canny_free (on_cuda);
  return 0;
}
