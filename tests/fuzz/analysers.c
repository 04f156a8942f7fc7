/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every algorithm on any picture, with any settings, against the definitions of tests/core/. The first byte chooses the
 * algorithm, the second the number of threads. */
#include "tests/fuzz/fuzz.h"

#include "tests/core/borders/testing.h"
#include "tests/core/canny/testing.h"
#include "tests/core/cca/testing.h"
#include "tests/core/cracks/testing.h"
#include "tests/core/snake/testing.h"

#include <contours/threads.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_SIDE = 40,
  LEVEL_PIXELS = 1 << 22, /* pixels of all levels together, which the definition of cracks visits one by one */
};

static const Setup setup = {.backend = CTR_BACKEND_CPU, .quick = true};

/* An image whose samples are the next bytes, again and again. Its memory ends with its last pixel. */
static Picture
take_picture (FuzzInput *input, Random *rng)
{
  const uint32_t width = 1 + fuzz_take_byte (input) % MOST_SIDE, height = 1 + fuzz_take_byte (input) % MOST_SIDE;
  const Layout layout = random_layout (rng);
  Picture picture = picture_random (rng, width, height, layout);
  uint8_t *to = (uint8_t *) picture.view.data;
  const size_t end = (size_t) ((uint8_t *) picture.memory + picture.bytes - to);
  for (size_t i = 0; input->size > 0 && i < end; i++)
    to[i] = input->bytes[i % input->size];
  return picture;
}

static void
try_snake (const CtrImage *image, Random *rng)
{
  static CtrSnake *snake;
  CtrSnakeParams params = random_snake_params (rng);
  CtrSnakeObject objects[2];
  if (!snake)
    snake = snake_new (&setup);
  params.max_iterations = 50;
  random_snake_objects (rng, image->width, image->height, objects, LENGTH (objects));
  describe_snake ("fuzz", image, &params, objects, LENGTH (objects));
  check_snake (snake, &setup, image, &params, objects, LENGTH (objects));
  random_snake_objects_free (objects, LENGTH (objects));
}

static void
try_cca (const CtrImage *image, Random *rng)
{
  static CtrCca *cca;
  CtrCcaParams params = params_of (random_below (rng, 2) ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8,
      1 + random_below (rng, 255), random_below (rng, 2), (uint32_t) random_next (rng) & ALL_FEATURES);
  if (!cca)
    cca = analyser_new (&setup);
  if (random_below (rng, 3) == 0)
    params.foreground.mode = CTR_THRESHOLD_OTSU;
  if (random_below (rng, 3) == 0)
    params.min_area = random_below (rng, 9);
  if (params.features & CTR_FEATURE_CONTRAST)
    params.features |= CTR_FEATURE_GREY; /* as the result says */
  describe ("fuzz: components of %u x %u, features 0x%x", image->width, image->height, params.features);
  check_cca (cca, &setup, image, &params);
}

static void
try_borders (const CtrImage *image, Random *rng)
{
  static CtrBorders *borders;
  CtrBordersParams params = random_borders_params (rng, 1 + random_below (rng, 255), random_below (rng, 2));
  if (!borders)
    borders = follower_new (&setup);
  if (random_below (rng, 3) == 0)
    params.foreground.mode = CTR_THRESHOLD_OTSU;
  describe_borders ("fuzz", image, &params);
  check_borders (borders, &setup, image, &params);
}

static void
try_cracks (const CtrImage *image, Random *rng)
{
  static CtrCracks *cracks;
  CtrCracksParams params = random_cracks_params (rng);
  const uint32_t levels = LEVEL_PIXELS / (image->width * image->height);
  if (!cracks)
    cracks = tracer_new (&setup);
  if (image->format == CTR_FORMAT_GRAY16 && levels < UINT16_MAX)
    params.step = (UINT16_MAX + levels - 1) / levels;
  describe_cracks ("fuzz", image, &params);
  check_cracks (cracks, &setup, image, &params);
}

static void
try_canny (const CtrImage *image, Random *rng)
{
  static CtrCanny *canny;
  const CtrCannyParams params = random_canny_params (rng);
  if (!canny)
    canny = detector_new (&setup);
  describe_canny ("fuzz", image, &params);
  check_edges (canny, &setup, image, &params);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static void (*const tries[]) (const CtrImage *, Random *) = {try_cca, try_borders, try_cracks, try_canny, try_snake};
  FuzzInput input = {bytes, size};
  const uint8_t kind = fuzz_take_byte (&input), threads = fuzz_take_byte (&input);
  Random rng = {fuzz_take_uint64 (&input)};
  Picture picture = take_picture (&input, &rng);
  ctr_threads_set_current (1 + threads % 3);
  tries[kind % LENGTH (tries)](&picture.view, &rng);
  picture_free (&picture);
  return 0;
}
