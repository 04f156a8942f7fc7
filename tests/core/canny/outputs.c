/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the pictures of gradient, direction and candidates with their definition, in planes of every kind. */
#include "tests/core/canny/reference.h"
#include "tests/core/canny/testing.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCanny *canny;
static Random rng = {71};

static CtrEdgePlane
random_plane (uint32_t width, uint32_t height, size_t *bytes)
{
  CtrEdgePlane plane = {.pixel_size = 1, .edge = {255}};
  if (random_below (&rng, 3)) {
    plane.sample_size = random_below (&rng, 3);
    plane.pixel_size = plane.sample_size == 2 ? 2 + 2 * random_below (&rng, 2) : 1 + random_below (&rng, 4);
    plane.x_shift = random_below (&rng, 3);
    plane.y_shift = random_below (&rng, 3);
    for (int i = 0; i < 4; i++) {
      plane.edge[i] = random_below (&rng, 2) ? 255 : (uint8_t) random_next (&rng);
      plane.background[i] = random_below (&rng, 2) ? 0 : (uint8_t) random_next (&rng);
    }
    if (random_below (&rng, 4) == 0)
      memcpy (plane.background, plane.edge, sizeof plane.background); /* as in chroma */
  }
  plane.stride = (size_t) (((width - 1) >> plane.x_shift) + 1) * plane.pixel_size + random_below (&rng, 30);
  *bytes = plane.stride * (((height - 1) >> plane.y_shift) + 1);
  return plane;
}

typedef struct {
  uint8_t *expected, *actual;
  void *device;
  size_t bytes;
} Memory;

static void
check_plane (const Memory *memory, uint32_t index)
{
  if (memory->device) {
    gpu_download (memory->actual, memory->device, memory->bytes);
    gpu_free (memory->device);
  }
  for (size_t i = 0; i < memory->bytes; i++)
    if (memory->expected[i] != memory->actual[i]) {
      fprintf (stderr, "plane %u, byte %zu of %zu: %u instead of %u\n", index, i, memory->bytes, memory->actual[i],
          memory->expected[i]);
      fail (__FILE__, __LINE__, "planes are equal");
    }
  free (memory->expected);
  free (memory->actual);
}

static void
check_picture (const CtrImage *view, const CtrImage *image, const CtrCannyParams *params, bool device)
{
  CtrEdgePicture expected = {.plane_count = 1 + random_below (&rng, 3)}, actual;
  Memory planes[CTR_EDGE_MAX_PLANES];
  CtrError error;
  actual = expected;
  actual.memory = device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
  for (uint32_t p = 0; p < expected.plane_count; p++) {
    Memory *memory = &planes[p];
    expected.planes[p] = actual.planes[p] = random_plane (view->width, view->height, &memory->bytes);
    memory->expected = malloc (memory->bytes);
    memory->actual = malloc (memory->bytes);
    memory->device = NULL;
    for (size_t i = 0; i < memory->bytes; i++)
      memory->expected[i] = memory->actual[i] = (uint8_t) random_next (&rng);
    if (device) {
      memory->device = gpu_alloc (memory->bytes);
      gpu_upload (memory->device, memory->actual, memory->bytes);
    }
    expected.planes[p].data = memory->expected;
    actual.planes[p].data = device ? memory->device : memory->actual;
  }
  if (!ctr_canny_run (canny, image, params, &actual, setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
  uint16_t *values = reference_canny_values (view, params);
  reference_paint_values (&expected, values, view->width, view->height);
  for (uint32_t p = 0; p < expected.plane_count; p++)
    check_plane (&planes[p], p);
  free (values);
}

static void
check_random (uint32_t width, uint32_t height)
{
  const bool gpu = setup.backend == CTR_BACKEND_CUDA, on_device = gpu && random_below (&rng, 2);
  const Layout layout = random_layout (&rng);
  uint8_t *grey = grey_new (&rng, width, height);
  Picture picture = picture_of_grey (&rng, grey, width, height, layout);
  CtrCannyParams params = random_canny_params (&rng);
  CtrImage image = picture.view;
  void *uploaded = NULL;
  params.output = (CtrCannyOutput) (CTR_CANNY_GRADIENT + random_below (&rng, 3));
  if (on_device) {
    uploaded = gpu_alloc (picture.bytes);
    gpu_upload (uploaded, picture.memory, picture.bytes);
    image.data = (uint8_t *) uploaded + ((const uint8_t *) picture.view.data - (const uint8_t *) picture.memory);
    image.memory = CTR_MEMORY_DEVICE;
  }
  describe_canny (on_device ? "on the device" : "on the host", &picture.view, &params);
  check_picture (&picture.view, &image, &params, gpu && random_below (&rng, 2));
  if (uploaded)
    gpu_free (uploaded);
  picture_free (&picture);
  free (grey);
}

static void
test_sizes (void)
{
  static const uint32_t lengths[] = {31, 33, 64, 127, 129, 255, 257, 1000, 65535};
  for (uint32_t height = 1; height <= 17; height += setup.quick ? 5 : 1)
    for (uint32_t width = 1; width <= 17; width += setup.quick ? 5 : 1)
      check_random (width, height);
  for (size_t i = 0; i < LENGTH (lengths) - (setup.quick ? 2 : 0); i += setup.quick ? 3 : 1) {
    check_random (lengths[i], 1 + random_below (&rng, 3));
    check_random (1 + random_below (&rng, 3), lengths[i]);
  }
  for (int i = 0; i < (setup.quick ? 8 : 300); i++)
    check_random (1 + random_below (&rng, setup.quick ? 60 : 300), 1 + random_below (&rng, setup.quick ? 40 : 100));
}

/* The picture in the image's own host memory. */
static void
test_in_place (void)
{
  for (int i = 0; i < (setup.quick ? 4 : 60); i++) {
    const uint32_t width = 1 + random_below (&rng, 200), height = 1 + random_below (&rng, setup.quick ? 20 : 100);
    const bool wide = i % 2;
    uint8_t *grey = grey_new (&rng, width, height);
    Picture picture =
        picture_of_grey (&rng, grey, width, height, (Layout){.format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8});
    CtrCannyParams params = random_canny_params (&rng);
    CtrEdgePicture expected, actual;
    CtrError error;
    params.output = (CtrCannyOutput) (CTR_CANNY_GRADIENT + i % 3);
    uint16_t *values = reference_canny_values (&picture.view, &params);
    uint8_t *copy = malloc (picture.bytes);
    memcpy (copy, picture.memory, picture.bytes);
    ctr_edge_picture_init_mask (&expected, copy, picture.view.stride, CTR_MEMORY_HOST);
    if (wide) {
      expected.planes[0].pixel_size = expected.planes[0].sample_size = 2;
      expected.planes[0].edge[1] = 255;
    }
    actual = expected;
    actual.planes[0].data = picture.memory;
    reference_paint_values (&expected, values, width, height);
    describe_canny ("in place", &picture.view, &params);
    if (!ctr_canny_run (canny, &picture.view, &params, &actual, setup.stream, &error))
      fail (__FILE__, __LINE__, error.message);
    CHECK (memcmp (copy, picture.memory, picture.bytes) == 0);
    free (copy);
    free (values);
    free (grey);
    picture_free (&picture);
  }
}

/* Several images of different outputs queued, one finish: all host pictures are complete. */
static void
test_queue (void)
{
  enum { COUNT = 6 };
  Picture pictures[COUNT];
  uint8_t *found[COUNT];
  CtrCannyParams params[COUNT];
  for (int i = 0; i < COUNT; i++) {
    CtrEdgePicture picture;
    uint8_t *grey = grey_new (&rng, 90 + 10 * (uint32_t) (i % 3), 50);
    pictures[i] = picture_of_grey (
        &rng, grey, 90 + 10 * (uint32_t) (i % 3), 50, (Layout){.format = i % 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8});
    params[i] = random_canny_params (&rng);
    params[i].output = (CtrCannyOutput) (i % 4);
    found[i] = malloc ((size_t) pictures[i].view.width * 50);
    ctr_edge_picture_init_mask (&picture, found[i], pictures[i].view.width, CTR_MEMORY_HOST);
    describe_canny ("queued", &pictures[i].view, &params[i]);
    CHECK (ctr_canny_enqueue (canny, &pictures[i].view, &params[i], &picture, setup.stream, NULL));
    free (grey);
  }
  CHECK (ctr_canny_finish (canny, NULL));
  for (int i = 0; i < COUNT; i++) {
    const uint32_t width = pictures[i].view.width;
    describe_canny ("queued", &pictures[i].view, &params[i]);
    if (params[i].output == CTR_CANNY_EDGES) {
      uint8_t *expected = reference_canny (&pictures[i].view, &params[i]);
      check_masks_equal (expected, found[i], width, 50);
      free (expected);
    } else {
      uint16_t *values = reference_canny_values (&pictures[i].view, &params[i]);
      for (size_t k = 0; k < (size_t) width * 50; k++)
        CHECK (found[i][k] == values[k] >> 8);
      free (values);
    }
    free (found[i]);
    picture_free (&pictures[i]);
  }
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  canny = detector_new (&setup);
  test_sizes ();
  test_in_place ();
  test_queue ();
  ctr_canny_free (canny);
  return 0;
}
