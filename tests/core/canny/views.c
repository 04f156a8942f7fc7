/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* canny-views BACKEND
 *
 * The image and its edges in device memory, with pictures in either memory; and the errors of asking for them. */
#include "tests/core/foreground/placed.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCanny *canny, *on_host;
static Random rng = {17};

static CtrCanny *
detector_new (CtrBackend backend)
{
  CtrError error;
  CtrCanny *new = ctr_canny_new (backend, &error);
  if (!new)
    fail (__FILE__, __LINE__, error.message);
  return new;
}

static CtrCannyParams
random_params (void)
{
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = random_below (&rng, 3);
  params.aperture = 3 + 2 * random_below (&rng, 2);
  params.l2_gradient = random_below (&rng, 2);
  params.threshold_mode = random_below (&rng, CTR_CANNY_RELATIVE + 1);
  params.low_threshold = 20;
  params.high_threshold = 40;
  params.native_depth = random_below (&rng, 2);
  return params;
}

/* WIDTH bytes of each row of VIEW, which is in device memory. Transfer full (free). */
static uint8_t *
download (const CtrImage *view, size_t width)
{
  uint8_t *bytes = malloc (width * view->height);
  for (uint32_t y = 0; y < view->height; y++)
    gpu_download (bytes + y * width, (const uint8_t *) view->data + y * view->stride, width);
  return bytes;
}

/* The views of IMAGE, whose host memory SCENE has, and of its EDGES. */
static void
check_views (const CtrImage *image, const CtrImage *scene, const uint8_t *edges)
{
  const size_t row = scene->width * ctr_format_pixel_size (scene->format);
  CtrImage samples, mask;
  CtrError error;
  if (!ctr_canny_get_device_views (canny, &samples, &mask, &error))
    fail (__FILE__, __LINE__, error.message);
  CHECK (ctr_canny_finish (canny, &error));
  CHECK (samples.width == scene->width && samples.height == scene->height && samples.format == scene->format);
  CHECK (mask.width == scene->width && mask.height == scene->height && mask.format == CTR_FORMAT_GRAY8);
  CHECK (samples.memory == CTR_MEMORY_DEVICE && mask.memory == CTR_MEMORY_DEVICE);
  CHECK (image->memory == CTR_MEMORY_HOST || samples.data == image->data);
  uint8_t *found = download (&mask, mask.width), *there = download (&samples, row);
  CHECK (memcmp (found, edges, (size_t) mask.width * mask.height) == 0);
  for (uint32_t y = 0; y < scene->height; y++)
    CHECK (memcmp (there + y * row, (const uint8_t *) scene->data + y * scene->stride, row) == 0);
  free (found);
  free (there);
}

static void
check_scene (uint32_t width, uint32_t height)
{
  Scene scene = random_scene (&rng, width, height);
  const CtrImage *image = &scene.picture.view;
  const CtrCannyParams params = random_params ();
  const size_t pixels = (size_t) width * height;
  const bool on_device = random_below (&rng, 2), to_device = random_below (&rng, 2), shows = random_below (&rng, 2);
  uint8_t *edges = malloc (pixels), *painted = malloc (pixels);
  CtrEdgePicture picture;
  CtrError error;
  describe ("%u x %u, format %d, %s, %s picture %s, mode %d", width, height, image->format,
      on_device ? "on the device" : "in host memory", shows ? "masked" : "plain",
      to_device ? "on the device" : "in host memory", params.threshold_mode);
  ctr_edge_picture_init_mask (&picture, edges, width, CTR_MEMORY_HOST);
  CHECK (ctr_canny_run (on_host, image, &params, &picture, NULL, &error));
  Placed placed = place (&scene, on_device);
  void *device = to_device ? gpu_alloc (pixels) : NULL, *source = to_device ? gpu_alloc (pixels) : NULL;
  ctr_edge_picture_init_mask (
      &picture, to_device ? device : painted, width, to_device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST);
  if (shows) {
    picture.planes[0].source = to_device ? source : edges;
    picture.planes[0].source_stride = width;
  }
  if (!ctr_canny_enqueue (canny, &placed.image, &params, &picture, setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
  check_views (&placed.image, image, edges);
  unplace (&placed);
  for (void *memory = device; memory; memory = memory == device ? source : NULL)
    gpu_free (memory);
  free (edges);
  free (painted);
  scene_free (&scene);
}

static void
test_views (void)
{
  if (setup.backend == CTR_BACKEND_CPU)
    return;
  for (uint32_t i = 0; i < (setup.quick ? 40 : 400); i++)
    check_scene (1 + random_below (&rng, 300), 1 + random_below (&rng, 90));
}

/* A mask in device memory whose rows begin at multiples of 16: what is behind the last pixel of a row stays as it is. */
static void
test_aligned_masks (void)
{
  const uint32_t stride = 64, height = 12;
  if (setup.backend == CTR_BACKEND_CPU)
    return;
  for (uint32_t width = 1; width <= stride; width++) {
    Scene scene = random_scene (&rng, width, height);
    const CtrCannyParams params = random_params ();
    uint8_t *edges = malloc (width * height), *found = malloc (stride * height);
    void *memory = gpu_alloc (stride * height);
    CtrEdgePicture picture;
    CtrError error;
    describe ("an aligned mask of %u x %u", width, height);
    ctr_edge_picture_init_mask (&picture, edges, width, CTR_MEMORY_HOST);
    CHECK (ctr_canny_run (on_host, &scene.picture.view, &params, &picture, NULL, &error));
    memset (found, 77, stride * height);
    gpu_upload (memory, found, stride * height);
    ctr_edge_picture_init_mask (&picture, memory, stride, CTR_MEMORY_DEVICE);
    if (!ctr_canny_run (canny, &scene.picture.view, &params, &picture, setup.stream, &error))
      fail (__FILE__, __LINE__, error.message);
    gpu_download (found, memory, stride * height);
    for (uint32_t i = 0; i < stride * height; i++)
      CHECK (found[i] == (i % stride < width ? edges[i / stride * width + i % stride] : 77));
    gpu_free (memory);
    free (edges);
    free (found);
    scene_free (&scene);
  }
}

static void
check_refused (CtrStatus status, const char *words)
{
  CtrImage samples, edges;
  CtrError error;
  describe ("%s", words);
  CHECK (!ctr_canny_get_device_views (canny, &samples, &edges, &error));
  CHECK (error.status == status && strstr (error.message, words));
}

static void
test_errors (void)
{
  uint8_t pixels[64] = {0}, mask[64];
  const CtrImage image = {.data = pixels, .stride = 8, .width = 8, .height = 8, .format = CTR_FORMAT_GRAY8};
  CtrCannyParams params;
  CtrEdgePicture picture;
  CtrError error;
  ctr_canny_params_init (&params);
  ctr_edge_picture_init_mask (&picture, mask, 8, CTR_MEMORY_HOST);
  check_refused (CTR_ERROR_INVALID_ARGUMENT, "enqueue");
  if (setup.backend == CTR_BACKEND_CPU) {
    CHECK (ctr_canny_enqueue (canny, &image, &params, &picture, setup.stream, &error));
    check_refused (CTR_ERROR_INVALID_ARGUMENT, "the CPU backend has no edges in device memory");
  } else {
    params.output = CTR_CANNY_GRADIENT;
    CHECK (ctr_canny_enqueue (canny, &image, &params, &picture, setup.stream, &error));
    check_refused (CTR_ERROR_INVALID_ARGUMENT, "the output 1 has no edges");
  }
  CHECK (ctr_canny_finish (canny, &error));
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"views", test_views}, {"aligned masks", test_aligned_masks}, {"errors", test_errors}};
  setup = setup_open (argv[1], false);
  canny = detector_new (setup.backend);
  on_host = detector_new (CTR_BACKEND_CPU);
  run_tests (tests, LENGTH (tests));
  ctr_canny_free (canny);
  ctr_canny_free (on_host);
  return 0;
}
