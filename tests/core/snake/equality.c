/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random pictures, objects and parameters: the host's backend against the reference, others against the host's.
 *
 *   snake-random BACKEND [SEED [PICTURES]]
 *
 * Picture number i of a seed is the same in every run of a backend, whatever came before it: to repeat a failure, run
 * with the seed it names for one picture. A long soak is a large PICTURES. */
#include "tests/core/common/gpu.h"
#include "tests/core/snake/reference.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_OBJECTS = 5 };

static Setup setup;
static CtrSnake *snake, *host;

static uint32_t
random_side (Random *rng, uint32_t largest)
{
  return 1 + random_below (rng, random_below (rng, 8) ? largest : 3);
}

/* Compares with the host's backend, the picture in device memory or not. The number of targets found. */
static uint32_t
check_host (
    const Picture *picture, bool on_device, const CtrSnakeParams *params, const CtrSnakeObject *objects, uint32_t count)
{
  const Setup cpu = {.backend = CTR_BACKEND_CPU};
  CtrImage image = picture->view;
  uint8_t *memory = NULL;
  if (on_device) {
    memory = gpu_alloc (picture->bytes);
    gpu_upload (memory, picture->memory, picture->bytes);
    image.data = memory + ((const uint8_t *) picture->view.data - (const uint8_t *) picture->memory);
    image.memory = CTR_MEMORY_DEVICE;
  }
  CtrContours *there = run_snake (snake, &setup, &image, params, objects, count);
  CtrContours *here = run_snake (host, &cpu, &picture->view, params, objects, count);
  const SnakeResult expected = snake_result_of (here), actual = snake_result_of (there);
  const uint32_t found = here->count;
  check_snakes_equal (&expected, &actual);
  ctr_contours_unref (here);
  ctr_contours_unref (there);
  if (on_device)
    gpu_free (memory);
  return found;
}

/* The number of targets found. */
static uint32_t
check_one (uint64_t seed)
{
  const bool small = setup.backend == CTR_BACKEND_CPU || setup.quick;
  Random random = {seed}, *rng = &random;
  const uint32_t largest = random_below (rng, 9) ? 14 : small ? 36 : 300;
  uint32_t width = random_side (rng, largest), height = random_side (rng, largest);
  if (random_below (rng, 8) == 0) { /* long ones */
    width += 200 / (height + 2);
    height += 200 / (width + 2);
  }
  const uint32_t count = random_below (rng, 3) ? 1 : random_below (rng, MOST_OBJECTS + 1);
  CtrSnakeObject objects[MOST_OBJECTS];
  CtrSnakeParams params = random_snake_params (rng);
  Picture picture = random_snake_picture (rng, width, height);
  random_snake_objects (rng, width, height, objects, count);
  char name[64];
  snprintf (name, sizeof name, "seed %llu", (unsigned long long) seed);
  describe_snake (name, &picture.view, &params, objects, count);
  const uint32_t found = setup.backend == CTR_BACKEND_CPU
                             ? check_snake (snake, &setup, &picture.view, &params, objects, count)
                             : check_host (&picture, seed % 2, &params, objects, count);
  random_snake_objects_free (objects, count);
  picture_free (&picture);
  return found;
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  const uint64_t seed = argc > 2 ? strtoull (argv[2], NULL, 0) : 1;
  const uint64_t pictures = argc > 3 ? strtoull (argv[3], NULL, 0) : setup.quick ? 60 : 2000;
  uint64_t found = 0;
  snake = snake_new (&setup);
  if (setup.backend != CTR_BACKEND_CPU)
    host = snake_new (&(Setup){.backend = CTR_BACKEND_CPU});
  for (uint64_t i = 0; i < pictures; i++)
    found += check_one (seed + i);
  ctr_snake_free (snake);
  ctr_snake_free (host);
  printf ("%llu pictures equal, %llu targets in them, seeds %llu to %llu\n", (unsigned long long) pictures,
      (unsigned long long) found, (unsigned long long) seed, (unsigned long long) (seed + pictures - 1));
  return 0;
}
