/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images in host memory, on either backend: the caller may change the image as soon as the call that queues the work
 * returns. The CUDA backend uploads page-locked memory directly, and other memory in parts. */
#include "tests/core/borders/testing.h"
#include "tests/core/canny/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/snake/testing.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static const Setup cpu = {.backend = CTR_BACKEND_CPU};
static Random rng = {17};

/* An image whose memory the caller can spoil. */
typedef struct {
  const Picture *picture; /* what it shows */
  CtrImage view;
  void *memory;
} Fragile;

static void
spoil (const Fragile *fragile)
{
  memset (fragile->memory, 0x5a, fragile->picture->bytes);
}

static void
check_cca_upload (const Fragile *fragile)
{
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES);
  CtrCca *tested = analyser_new (&setup), *reference = analyser_new (&cpu);
  CHECK (ctr_cca_enqueue (tested, &fragile->view, &params, setup.stream, NULL));
  spoil (fragile);
  CtrComponents *actual = ctr_cca_finish (tested, NULL);
  CtrComponents *expected = analyse (reference, &cpu, &fragile->picture->view, &params);
  CHECK (actual);
  check_components_equal (expected, actual);
  ctr_components_unref (expected);
  ctr_components_unref (actual);
  ctr_cca_free (tested);
  ctr_cca_free (reference);
}

/* Takes both. */
static void
compare_contours (CtrContours *expected, CtrContours *actual)
{
  CHECK (actual);
  const Contours a = contours_of (expected), b = contours_of (actual);
  check_contours_equal (&a, &b);
  ctr_contours_unref (expected);
  ctr_contours_unref (actual);
}

static void
check_borders_upload (const Fragile *fragile)
{
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_NONE, 0, false);
  CtrBorders *tested = follower_new (&setup), *reference = follower_new (&cpu);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  CHECK (ctr_borders_enqueue (tested, &fragile->view, &params, setup.stream, NULL));
  spoil (fragile);
  CtrContours *actual = ctr_borders_finish (tested, NULL);
  compare_contours (follow_borders (reference, &cpu, &fragile->picture->view, &params), actual);
  ctr_borders_free (tested);
  ctr_borders_free (reference);
}

static void
check_cracks_upload (const Fragile *fragile)
{
  const CtrCracksParams params = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
  CtrCracks *tested = tracer_new (&setup), *reference = tracer_new (&cpu);
  CHECK (ctr_cracks_enqueue (tested, &fragile->view, &params, setup.stream, NULL));
  spoil (fragile);
  CtrContours *actual = ctr_cracks_finish (tested, NULL);
  compare_contours (trace_cracks (reference, &cpu, &fragile->picture->view, &params), actual);
  ctr_cracks_free (tested);
  ctr_cracks_free (reference);
}

static void
check_canny_upload (const Fragile *fragile)
{
  const CtrImage *view = &fragile->view;
  uint8_t *mask = malloc ((size_t) view->width * view->height);
  CtrCanny *tested = detector_new (&setup), *reference = detector_new (&cpu);
  for (CtrCannyThresholdMode mode = CTR_CANNY_ABSOLUTE; mode <= CTR_CANNY_RELATIVE; mode++) {
    CtrCannyParams params;
    CtrEdgePicture picture;
    ctr_canny_params_init (&params);
    params.threshold_mode = mode;
    ctr_edge_picture_init_mask (&picture, mask, view->width, CTR_MEMORY_HOST);
    memcpy (fragile->memory, fragile->picture->memory, fragile->picture->bytes);
    CHECK (ctr_canny_enqueue (tested, view, &params, &picture, setup.stream, NULL));
    spoil (fragile);
    CHECK (ctr_canny_finish (tested, NULL));
    uint8_t *expected = detect (reference, &cpu, &fragile->picture->view, &params);
    check_masks_equal (expected, mask, view->width, view->height);
    free (expected);
  }
  ctr_canny_free (tested);
  ctr_canny_free (reference);
  free (mask);
}

static void
check_snake_upload (const Fragile *fragile)
{
  const CtrSnakeObject whole = {.start = CTR_SNAKE_START_AUTO};
  CtrSnakeParams params;
  CtrSnake *tested = snake_new (&setup), *reference = snake_new (&cpu);
  ctr_snake_params_init (&params);
  CHECK (ctr_snake_enqueue (tested, &fragile->view, &params, &whole, 1, setup.stream, NULL));
  spoil (fragile);
  CtrContours *actual = ctr_snake_finish (tested, NULL);
  CtrContours *expected = run_snake (reference, &cpu, &fragile->picture->view, &params, &whole, 1);
  CHECK (actual);
  const SnakeResult a = snake_result_of (expected), b = snake_result_of (actual);
  check_snakes_equal (&a, &b);
  ctr_contours_unref (expected);
  ctr_contours_unref (actual);
  ctr_snake_free (tested);
  ctr_snake_free (reference);
}

static const struct {
  const char *name;
  void (*check) (const Fragile *fragile);
} checks[] = {{"components", check_cca_upload}, {"borders", check_borders_upload}, {"cracks", check_cracks_upload},
    {"canny", check_canny_upload}, {"snake", check_snake_upload}};

/* Runs all CHECKS, or only the first, on a picture in ordinary and in page-locked memory. Takes the picture. */
static void
check_picture (Picture picture, size_t count)
{
  const size_t offset = (size_t) ((const uint8_t *) picture.view.data - (uint8_t *) picture.memory);
  for (size_t i = 0; i < count; i++)
    for (int pinned = 0; pinned <= (setup.backend == CTR_BACKEND_CUDA); pinned++) {
      Fragile fragile = {.picture = &picture, .view = picture.view};
      fragile.memory = pinned ? gpu_alloc_pinned (picture.bytes) : malloc (picture.bytes);
      fragile.view.data = (uint8_t *) fragile.memory + offset;
      memcpy (fragile.memory, picture.memory, picture.bytes);
      describe ("%s of %u x %u pixels, format %d, stride %zu, %s memory", checks[i].name, picture.view.width,
          picture.view.height, picture.view.format, picture.view.stride, pinned ? "page-locked" : "ordinary");
      checks[i].check (&fragile);
      pinned ? gpu_free_pinned (fragile.memory) : free (fragile.memory);
    }
  picture_free (&picture);
}

static Picture
some_picture (uint32_t width, uint32_t height, Layout layout)
{
  uint8_t *mask = noise_new (&rng, width, height, 40, 7);
  const Picture picture = picture_of_mask (&rng, mask, width, height, layout, 128, false);
  free (mask);
  return picture;
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  for (int i = 0; i < (setup.quick ? 4 : 40); i++)
    check_picture (some_picture (1 + random_below (&rng, 150), 1 + random_below (&rng, 80), random_layout (&rng)),
        LENGTH (checks));
  /* Several parts; a row larger than one. */
  check_picture (some_picture (2048, 560, (Layout){.format = CTR_FORMAT_GRAY8, .padding = 3}), 1);
  check_picture (some_picture (65000, 9, (Layout){.format = CTR_FORMAT_RGB}), 1);
  if (!setup.quick)
    check_picture (some_picture (2048, 1500, (Layout){.format = CTR_FORMAT_BGRX}), LENGTH (checks) - 1);
  return 0;
}
