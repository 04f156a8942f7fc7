/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edges and region snakes on GPUs with little shared memory, of which CTR_EMULATION_SHARED says how much. Tiles of edges are lower or go by a
 * blurred plane, and the edges are those of the host. With 64 KB, a blur with more than 40 pixels of radius has one error, and the next frame
 * has its edges. So have region snakes one error where a polygon has too many points, and the next frame has its contours. */
#include <contours/canny.h>
#include <contours/snake.h>

#include "tests/core/canny/testing.h"
#include "tests/core/common/equality.h"

#include <stdlib.h>
#include <string.h>

static const Setup gpu_setup = {.backend = CTR_BACKEND_CUDA}, host_setup = {.backend = CTR_BACKEND_CPU};
static CtrCanny *gpu, *host;
static bool little; /* 64 KB */

static void
check_refused (const CtrImage *image, const CtrCannyParams *params)
{
  CtrError error = {CTR_OK, ""};
  CtrEdgePicture picture;
  uint8_t *mask = malloc ((size_t) image->width * image->height);
  ctr_edge_picture_init_mask (&picture, mask, image->width, CTR_MEMORY_HOST);
  CHECK (!ctr_canny_run (gpu, image, params, &picture, NULL, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  CHECK (strstr (error.message, "sigma") && strstr (error.message, "shared memory"));
  free (mask);
}

static void
check (const CtrImage *image, const CtrCannyParams *params)
{
  describe_canny ("little shared memory", image, params);
  if (little && params->sigma > 13.4) {
    check_refused (image, params);
    return;
  }
  uint8_t *expected = detect (host, &host_setup, image, params), *actual = detect (gpu, &gpu_setup, image, params);
  check_masks_equal (expected, actual, image->width, image->height);
  free (expected);
  free (actual);
}

/* A polygon of POINTS points around a comb. */
static CtrContours *
find_comb (CtrSnake *snake, uint32_t points, CtrError *error)
{
  enum { HEIGHT = 9, TOOTH = 6 };
  const uint32_t width = (points - 2) / 2, stride = width + 2;
  uint8_t *samples = malloc ((size_t) stride * HEIGHT);
  CtrPoint *polygon = malloc (points * sizeof *polygon);
  for (uint32_t y = 0; y < HEIGHT; y++)
    for (uint32_t x = 0; x < stride; x++)
      samples[y * stride + x] = x < width && (x % 2 == 0 || y >= TOOTH) ? 200 : 50;
  uint32_t count = 0;
  for (uint32_t x = 0; x < width; x += 2) {
    const uint16_t left = (uint16_t) x, right = (uint16_t) (x + 1), next = (uint16_t) (x + 2);
    polygon[count++] = (CtrPoint){left, 0};
    polygon[count++] = (CtrPoint){right, 0};
    polygon[count++] = (CtrPoint){right, TOOTH};
    polygon[count++] = (CtrPoint){next, TOOTH};
  }
  polygon[count++] = (CtrPoint){(uint16_t) width, HEIGHT};
  polygon[count++] = (CtrPoint){0, HEIGHT};
  CHECK (count == points);
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.max_step = 1;
  params.max_iterations = 2;
  params.prune = false;
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_POLYGON, .points = polygon, .point_count = count};
  const CtrImage image = {
      .data = samples, .stride = stride, .width = stride, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  CtrContours *contours = ctr_snake_run (snake, &image, &params, &object, 1, NULL, error);
  free (samples);
  free (polygon);
  return contours;
}

static void
check_snakes (void)
{
  enum { FEW = 1026, MANY = 16382 };
  CtrError error = {CTR_OK, ""};
  CtrSnake *snake = ctr_snake_new (CTR_BACKEND_CUDA, &error);
  CHECK (snake);
  for (int i = 0; i < 2; i++) {
    CtrContours *contours = find_comb (snake, FEW, &error);
    CHECK (contours && contours->count == 1);
    ctr_contours_unref (contours);
    CHECK (!find_comb (snake, MANY, &error));
    CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
    CHECK (strstr (error.message, "min_segment") && strstr (error.message, "shared memory"));
  }
  ctr_snake_free (snake);
}

int
main (void)
{
  /* Frames with the tiles of each height, see CTR_CANNY_SMALL_FRAME and CTR_CANNY_LARGE_FRAME. */
  static const uint32_t sizes[][2] = {{33, 20}, {201, 67}, {610, 103}, {911, 280}};
  static const double sigmas[] = {2, 9, 13.3, 20};
  const char *shared = getenv ("CTR_EMULATION_SHARED");
  Random rng = {5};
  CHECK (shared);
  little = atoi (shared) <= 65536;
  gpu = detector_new (&gpu_setup);
  host = detector_new (&host_setup);
  for (size_t i = 0; i < LENGTH (sizes); i++) {
    Picture picture = picture_random (&rng, sizes[i][0], sizes[i][1], (Layout){.format = CTR_FORMAT_GRAY8});
    for (size_t s = 0; s < LENGTH (sigmas); s++)
      for (int variant = 0; variant < (i == 3 ? 1 : 3); variant++) {
        CtrCannyParams params;
        ctr_canny_params_init (&params);
        params.sigma = sigmas[s];
        params.low_threshold = 2;
        params.high_threshold = 6;
        params.aperture = variant == 1 ? 7 : 3;
        if (variant == 2)
          params.threshold_mode = CTR_CANNY_RELATIVE;
        check (&picture.view, &params);
      }
    picture_free (&picture);
  }
  ctr_canny_free (gpu);
  ctr_canny_free (host);
  check_snakes ();
  return 0;
}
