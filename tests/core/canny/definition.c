/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares edges with their definition, for every size, format, parameter and output picture. */
#include "tests/core/canny/reference.h"
#include "tests/core/canny/testing.h"
#include "tests/core/common/gpu.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCanny *canny; /* one detector for all images: they come in every order of size and format */
static Random rng = {31};

static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGR,
    CTR_FORMAT_RGBX, CTR_FORMAT_BGRX, CTR_FORMAT_XRGB, CTR_FORMAT_XBGR, CTR_FORMAT_YUYV, CTR_FORMAT_YVYU,
    CTR_FORMAT_UYVY, CTR_FORMAT_VYUY};

static Picture
random_picture (uint32_t width, uint32_t height, Layout layout)
{
  uint8_t *grey = grey_new (&rng, width, height);
  Picture picture = picture_of_grey (&rng, grey, width, height, layout);
  free (grey);
  return picture;
}

static void
check_random (const char *name, uint32_t width, uint32_t height)
{
  const Layout layout = {
      .format = CTR_FORMAT_GRAY8, .offset = random_below (&rng, 20), .padding = random_below (&rng, 40)};
  Picture picture = random_picture (width, height, layout);
  const CtrCannyParams params = random_canny_params (&rng);
  describe_canny (name, &picture.view, &params);
  check_edges (canny, &setup, &picture.view, &params);
  picture_free (&picture);
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 4 : 1;
  for (uint32_t height = 1; height <= 17; height += step)
    for (uint32_t width = 1; width <= 17; width += step)
      for (int i = 0; i < (setup.quick ? 1 : 4); i++)
        check_random ("small", width, height);
}

static void
test_lines (void)
{
  static const uint32_t lengths[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 16383, 65535};
  for (size_t i = 0; i < LENGTH (lengths); i += setup.quick ? 6 : 1)
    for (uint32_t rows = 1; rows <= (setup.quick ? 1 : 3); rows++) {
      check_random ("wide", lengths[i], rows);
      check_random ("high", rows, lengths[i]);
    }
}

/* Around what tiles, words and warps may measure. */
static void
test_edge_sizes (void)
{
  static const uint16_t widths[][2] = {{31, 33}, {63, 65}, {127, 129}, {247, 257}, {511, 513}};
  static const uint16_t heights[][2] = {{27, 33}, {59, 65}, {119, 129}};
  for (size_t i = 0; i < LENGTH (widths); i++)
    for (uint32_t width = widths[i][0]; width <= widths[i][1]; width += setup.quick ? 8 : 1)
      for (size_t j = 0; j < LENGTH (heights); j += setup.quick ? 2 : 1)
        for (uint32_t height = heights[j][0]; height <= heights[j][1]; height++)
          if (!setup.quick)
            check_random ("edge size", width, height);
          else if (height == heights[j][0] + random_below (&rng, 4) && width < 300)
            check_random ("edge size", width, height);
}

/* Frames with high tiles, where these end: in the emulator those of more than 60,000 pixels, and of more than 250,000 with a wide
 * blur. Radii up to 8 are of a narrow one. */
static void
test_high_tiles (void)
{
  static const uint32_t sizes[][2] = {{331, 184}, {657, 92}, {260, 277}, {657, 93}, {240, 253}, {1003, 251}};
  static const double sigmas[] = {2, 2.6, 0, 5, 2, 10};
  for (size_t i = 0; i < LENGTH (sizes); i++)
    for (size_t f = 0; f < LENGTH (formats); f++) {
      CtrCannyParams params;
      if (setup.quick && f != 5 * i % LENGTH (formats))
        continue;
      ctr_canny_params_init (&params);
      params.sigma = sigmas[i];
      params.low_threshold = i % 2 ? 20 : 50;
      Picture picture =
          picture_random (&rng, sizes[i][0], sizes[i][1], (Layout){.format = formats[f], .padding = 2 * f});
      describe_canny ("high tiles", &picture.view, &params);
      check_edges (canny, &setup, &picture.view, &params);
      picture_free (&picture);
    }
}

/* Every sigma, aperture and norm, thresholds of every kind. */
static void
test_parameters (void)
{
  static const double sigmas[] = {0, 0.05, 0.3, 0.8, 2, 2.6, 2.7, 5, 10, 20};
  static const double thresholds[][2] = {{50, 150}, {150, 50}, {20, 20}, {0, 0}, {0.5, 33.3}, {0, 1e9}, {1e300, 1e300}};
  for (size_t i = 0; i < LENGTH (sigmas); i++)
    for (uint32_t aperture = 3; aperture <= 7; aperture += 2)
      for (int l2 = 0; l2 <= 1; l2++)
        for (size_t t = 0; t < LENGTH (thresholds) + 2; t++) {
          CtrCannyParams params;
          if (setup.quick && (i + aperture / 2 + 3 * (size_t) l2 + t) % 16)
            continue;
          ctr_canny_params_init (&params);
          params.sigma = sigmas[i];
          params.aperture = aperture;
          params.l2_gradient = l2;
          if (t < LENGTH (thresholds)) {
            const double gain = aperture == 3 ? 1 : aperture == 5 ? 12 : 160;
            params.low_threshold = gain * thresholds[t][0];
            params.high_threshold = gain * thresholds[t][1];
          } else {
            params.threshold_mode = t == LENGTH (thresholds) ? CTR_CANNY_OTSU : CTR_CANNY_MEDIAN;
          }
          Picture picture = random_picture (151, 83, (Layout){.format = CTR_FORMAT_GRAY8});
          describe_canny ("parameters", &picture.view, &params);
          check_edges (canny, &setup, &picture.view, &params);
          picture_free (&picture);
        }
}

/* The automatic thresholds of few levels, of one, of the ends. */
static void
test_thresholds (void)
{
  static const uint8_t levels[][2] = {
      {0, 0}, {255, 255}, {0, 255}, {254, 255}, {0, 1}, {100, 101}, {190, 195}, {7, 60}};
  for (size_t i = 0; i < LENGTH (levels); i++)
    for (uint32_t density = 25; density <= 75; density += 25)
      for (int mode = CTR_CANNY_OTSU; mode <= CTR_CANNY_RELATIVE; mode++) {
        const uint32_t width = 1 + random_below (&rng, 40), height = 1 + random_below (&rng, 40);
        CtrCannyParams params = random_canny_params (&rng);
        uint8_t *grey = noise_new (&rng, width, height, density, 3);
        for (size_t k = 0; k < (size_t) width * height; k++)
          grey[k] = levels[i][grey[k]];
        params.sigma = random_below (&rng, 2);
        params.threshold_mode = (CtrCannyThresholdMode) mode;
        const CtrImage image = {
            .data = grey, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
        describe_canny ("two levels", &image, &params);
        if (!setup.quick || (i + density / 25) % 4 == 0)
          check_edges (canny, &setup, &image, &params);
        free (grey);
      }
}

/* Any stride, any alignment, any format, colours too; the image itself stays as it is. */
static void
test_layouts (void)
{
  for (uint32_t width = 1; width <= 140; width += setup.quick ? 67 : 3)
    for (size_t f = 0; f < LENGTH (formats); f++)
      for (int coloured = 0; coloured <= 1; coloured++) {
        Layout layout = {.format = formats[f], .offset = random_below (&rng, 70), .padding = random_below (&rng, 80)};
        if (layout.format == CTR_FORMAT_GRAY16) {
          layout.offset &= ~1u;
          layout.padding &= ~1u;
        }
        const uint32_t height = 1 + random_below (&rng, setup.quick ? 20 : 70);
        Picture picture =
            coloured ? picture_random (&rng, width, height, layout) : random_picture (width, height, layout);
        void *before = malloc (picture.bytes);
        memcpy (before, picture.memory, picture.bytes);
        const CtrCannyParams params = random_canny_params (&rng);
        describe_canny (coloured ? "colours" : "grey", &picture.view, &params);
        check_edges (canny, &setup, &picture.view, &params);
        CHECK (memcmp (before, picture.memory, picture.bytes) == 0);
        free (before);
        picture_free (&picture);
      }
}

/* Weak lines that hang together, without a strong pixel, and with one at their far end. */
static void
test_propagation (void)
{
  static const Shape shapes[] = {SHAPE_SPIRAL, SHAPE_SERPENTINE, SHAPE_SERPENTINE_UPRIGHT};
  const uint32_t side = setup.quick ? 31 : 101, scale = 3, size = (side + 2) * scale;
  for (size_t i = 0; i < LENGTH (shapes); i++)
    for (int strong = 0; strong <= 1; strong++) {
      uint8_t *mask = shape_new (shapes[i], side, side), *grey = malloc ((size_t) size * size);
      uint32_t x = side / 2, y = shapes[i] == SHAPE_SPIRAL ? side / 2 : side - 1;
      while (!mask[y * side + x] || mask[y * side + x - 1] != mask[y * side + x + 1])
        y--;
      /* Apart from the border, outlines are closed. */
      memset (grey, 100, (size_t) size * size);
      for (uint32_t k = 0; k < side * scale * side * scale; k++) {
        const uint32_t px = k % (side * scale), py = k / (side * scale);
        const bool end = strong && px / scale == x && py / scale == y;
        grey[(py + scale) * size + px + scale] =
            (uint8_t) (end ? 255 : 100 + 20 * mask[py / scale * side + px / scale]);
      }
      CtrCannyParams params;
      ctr_canny_params_init (&params);
      params.sigma = 0;
      params.low_threshold = 30;
      params.high_threshold = 200;
      const CtrImage image = {.data = grey, .stride = size, .width = size, .height = size, .format = CTR_FORMAT_GRAY8};
      describe_canny (shape_names[shapes[i]], &image, &params);
      const uint32_t edges = check_edges (canny, &setup, &image, &params);
      CHECK (strong ? edges > size * side / 4 : edges == 0);
      free (mask);
      free (grey);
    }
}

/* Weak lines that fall by one pixel a column, or rise, and are stronger in the columns before. At a corner of four tiles, which
 * are 256 pixels wide, a line goes on in the tile across the corner and touches neither of the others. */
static void
test_corners (void)
{
  enum { WIDTH = 300, HEIGHT = 72, DISTANCE = 8, WEAK = 248, SEAM = 256 };
  uint8_t *grey = malloc (WIDTH * HEIGHT);
  const CtrImage image = {.data = grey, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = 0;
  params.low_threshold = 100;
  params.high_threshold = 600;
  /* Tiles have a multiple of four rows: with one of the shifts a line goes through each corner. */
  for (uint32_t shift = 0; shift < 2 * DISTANCE; shift += setup.quick ? 4 : 1) {
    const bool rises = shift >= DISTANCE;
    describe_canny (rises ? "rising lines" : "falling lines", &image, &params);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
      const uint32_t x = i % WIDTH, y = i / WIDTH, along = rises ? 2 * SEAM - 1 - x : x;
      const uint32_t phase = (along + HEIGHT + shift - y) % (2 * DISTANCE), before = along < WEAK ? WEAK - along : 0;
      const uint32_t contrast = 40 + 5 * (before < 32 ? before : 32);
      grey[i] = (uint8_t) (20 + (phase % DISTANCE == 0 ? contrast / 2 : phase < DISTANCE ? contrast : 0));
    }
    check_edges (canny, &setup, &image, &params);
    uint8_t *edges = detect (canny, &setup, &image, &params);
    for (uint32_t y = 2; y < HEIGHT - 2; y++)
      /* Behind the strong parts, where the lines that come from there are. */
      for (uint32_t along = WEAK + 2; along + 16 < WEAK + y && along < 2 * SEAM - WEAK; along++)
        CHECK (edges[y * WIDTH + (rises ? 2 * SEAM - 1 - along : along)]
               == ((along + HEIGHT + shift - y) % DISTANCE == 0 ? 255 : 0));
    free (edges);
  }
  free (grey);
}

/* Memory of a plane as it is expected, and as it becomes, on the device where DEVICE. */
typedef struct {
  uint8_t *expected, *actual;
  void *device;
  size_t bytes;
} Memory;

static Memory
memory_new (size_t bytes, bool device)
{
  Memory memory = {.expected = malloc (bytes), .actual = malloc (bytes), .bytes = bytes};
  for (size_t i = 0; i < bytes; i++)
    memory.actual[i] = memory.expected[i] = (uint8_t) random_next (&rng);
  if (device) {
    memory.device = gpu_alloc (bytes);
    gpu_upload (memory.device, memory.actual, bytes);
  }
  return memory;
}

/* Is it what is expected, what lies between the rows included? */
static void
memory_check_and_free (Memory *memory)
{
  if (memory->device) {
    gpu_download (memory->actual, memory->device, memory->bytes);
    gpu_free (memory->device);
  }
  CHECK (memory->bytes == 0 || memcmp (memory->expected, memory->actual, memory->bytes) == 0);
  free (memory->expected);
  free (memory->actual);
  *memory = (Memory){0};
}

static void *
where (const Memory *memory, size_t offset)
{
  return memory->device ? (uint8_t *) memory->device + offset : memory->actual + offset;
}

/* A random plane for ACTUAL, with its twin on the host for EXPECTED. */
static void
make_plane (CtrEdgePlane *expected, CtrEdgePlane *actual, Memory *data, Memory *source, uint32_t width, uint32_t height,
    bool device)
{
  const bool plain = random_below (&rng, 4) == 0;
  CtrEdgePlane plane = {.pixel_size = 1, .edge = {255}};
  if (!plain) {
    plane.pixel_size = 1 + random_below (&rng, 4);
    plane.x_shift = random_below (&rng, 3);
    plane.y_shift = random_below (&rng, 3);
    for (int i = 0; i < 4; i++) {
      plane.edge[i] = (uint8_t) random_next (&rng);
      plane.background[i] = (uint8_t) random_next (&rng);
    }
    if (random_below (&rng, 4) == 0)
      memset (plane.background, plane.edge[0], sizeof plane.background); /* a background of one byte */
    if (random_below (&rng, 4) == 0)
      memcpy (plane.background, plane.edge, sizeof plane.background); /* no edges, as in chroma */
  }
  const uint32_t plane_width = (width + (1 << plane.x_shift) - 1) >> plane.x_shift,
                 plane_height = (height + (1 << plane.y_shift) - 1) >> plane.y_shift;
  const uint32_t offset = random_below (&rng, 9), kind = plain ? 0 : random_below (&rng, 3);
  plane.stride = plane_width * plane.pixel_size + random_below (&rng, 30);
  *data = memory_new (offset + plane.stride * plane_height, device);
  *expected = *actual = plane;
  expected->data = data->expected + offset;
  actual->data = where (data, offset);
  if (kind == 1) {
    expected->source = expected->data;
    actual->source = actual->data;
    expected->source_stride = actual->source_stride = plane.stride;
  } else if (kind == 2) {
    expected->source_stride = actual->source_stride = plane_width * plane.pixel_size + random_below (&rng, 30);
    *source = memory_new (expected->source_stride * plane_height, device);
    expected->source = source->expected;
    actual->source = where (source, 0);
  }
}

/* Planes of every kind, in host memory and on the device, from images in either. */
static void
test_pictures (void)
{
  const bool gpu = setup.backend == CTR_BACKEND_CUDA;
  for (int i = 0; i < (setup.quick ? 8 : 300); i++) {
    const uint32_t width = 1 + random_below (&rng, setup.quick ? 60 : 300),
                   height = 1 + random_below (&rng, setup.quick ? 40 : 100);
    const bool image_on_device = gpu && random_below (&rng, 2), picture_on_device = gpu && random_below (&rng, 2);
    Picture picture =
        random_picture (width, height, (Layout){.format = formats[random_below (&rng, LENGTH (formats))]});
    const CtrCannyParams params = random_canny_params (&rng);
    CtrEdgePicture expected = {.plane_count = 1 + random_below (&rng, CTR_EDGE_MAX_PLANES)}, actual = expected;
    Memory data[CTR_EDGE_MAX_PLANES] = {0}, source[CTR_EDGE_MAX_PLANES] = {0};
    CtrImage image = picture.view;
    CtrError error;
    for (uint32_t p = 0; p < expected.plane_count; p++)
      make_plane (&expected.planes[p], &actual.planes[p], &data[p], &source[p], width, height, picture_on_device);
    actual.memory = picture_on_device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
    void *uploaded = NULL;
    if (image_on_device) {
      uploaded = gpu_alloc (picture.bytes);
      gpu_upload (uploaded, picture.memory, picture.bytes);
      image.data = uploaded;
      image.memory = CTR_MEMORY_DEVICE;
    }
    describe_canny (picture_on_device ? "picture on the device" : "picture", &picture.view, &params);
    if (!ctr_canny_run (canny, &image, &params, &actual, setup.stream, &error))
      fail (__FILE__, __LINE__, error.message);
    uint8_t *mask = reference_canny (&picture.view, &params);
    reference_paint (&expected, mask, width, height);
    for (uint32_t p = 0; p < CTR_EDGE_MAX_PLANES; p++) {
      memory_check_and_free (&data[p]);
      memory_check_and_free (&source[p]);
    }
    if (uploaded)
      gpu_free (uploaded);
    free (mask);
    picture_free (&picture);
  }
}

/* The picture in the image's own host memory: as a mask, and as the image where there are edges. */
static void
test_in_place (void)
{
  for (int i = 0; i < (setup.quick ? 4 : 100); i++) {
    const uint32_t width = 1 + random_below (&rng, 200), height = 1 + random_below (&rng, setup.quick ? 20 : 100);
    const bool plain = i % 2;
    const CtrFormat format = plain ? CTR_FORMAT_GRAY8 : formats[random_below (&rng, LENGTH (formats))];
    Picture picture =
        random_picture (width, height, (Layout){.format = format, .padding = 2 * random_below (&rng, 20)});
    const CtrCannyParams params = random_canny_params (&rng);
    CtrEdgePicture expected;
    CtrError error;
    uint8_t *mask = reference_canny (&picture.view, &params), *copy = malloc (picture.bytes);
    memcpy (copy, picture.memory, picture.bytes);
    ctr_edge_picture_init_mask (&expected, copy, picture.view.stride, CTR_MEMORY_HOST);
    if (!plain) {
      expected.planes[0].source = copy;
      expected.planes[0].source_stride = picture.view.stride;
      expected.planes[0].pixel_size = (uint32_t) ctr_format_pixel_size (format);
    }
    CtrEdgePicture actual = expected;
    actual.planes[0].data = picture.memory;
    if (!plain)
      actual.planes[0].source = picture.memory;
    reference_paint (&expected, mask, width, height);
    describe_canny ("in place", &picture.view, &params);
    if (!ctr_canny_run (canny, &picture.view, &params, &actual, setup.stream, &error))
      fail (__FILE__, __LINE__, error.message);
    CHECK (memcmp (copy, picture.memory, picture.bytes) == 0);
    free (copy);
    free (mask);
    picture_free (&picture);
  }
}

/* Several images queued, one finish: all host pictures are complete. */
static void
test_queue (void)
{
  enum { COUNT = 3 };
  Picture pictures[COUNT];
  uint8_t *masks[COUNT];
  CtrCannyParams params[COUNT];
  for (int i = 0; i < COUNT; i++) {
    CtrEdgePicture picture;
    pictures[i] = random_picture (90 + 10 * (uint32_t) i, 50, (Layout){.format = CTR_FORMAT_GRAY8});
    params[i] = random_canny_params (&rng);
    masks[i] = malloc ((size_t) pictures[i].view.width * 50);
    ctr_edge_picture_init_mask (&picture, masks[i], pictures[i].view.width, CTR_MEMORY_HOST);
    describe_canny ("queued", &pictures[i].view, &params[i]);
    CHECK (ctr_canny_enqueue (canny, &pictures[i].view, &params[i], &picture, setup.stream, NULL));
  }
  CHECK (ctr_canny_finish (canny, NULL));
  for (int i = 0; i < COUNT; i++) {
    uint8_t *expected = reference_canny (&pictures[i].view, &params[i]);
    describe_canny ("queued", &pictures[i].view, &params[i]);
    check_masks_equal (expected, masks[i], pictures[i].view.width, 50);
    free (expected);
    free (masks[i]);
    picture_free (&pictures[i]);
  }
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  canny = detector_new (&setup);
  test_small_sizes ();
  test_lines ();
  test_edge_sizes ();
  test_high_tiles ();
  test_parameters ();
  test_thresholds ();
  test_layouts ();
  test_propagation ();
  test_corners ();
  test_pictures ();
  test_in_place ();
  test_queue ();
  ctr_canny_free (canny);
  return 0;
}
