/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random pictures, objects and parameters: the host's backend against the reference, others against the host's.
 *
 *   snake-random BACKEND [SEED [PICTURES]]
 *
 * Picture number i of a seed is the same in every run of a backend, whatever came before it: to repeat a failure, run
 * with the seed it names for one picture. A long soak is a large PICTURES. */
#include "snake-reference.h"

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

/* The number of targets found. */
static uint32_t
check_one (uint64_t seed)
{
  const bool small = setup.backend == CTR_BACKEND_CPU || setup.quick;
  Random random = {seed}, *rng = &random;
  const uint32_t largest = random_below (rng, 6) ? 14 : small ? 36 : 300;
  uint32_t width = random_side (rng, largest), height = random_side (rng, largest);
  if (random_below (rng, 8) == 0) { /* long ones */
    width += 300 / (height + 2);
    height += 300 / (width + 2);
  }
  const uint32_t count = random_below (rng, 3) ? 1 : random_below (rng, MOST_OBJECTS + 1);
  CtrSnakeObject objects[MOST_OBJECTS];
  CtrSnakeParams params = random_snake_params (rng);
  Picture picture = random_snake_picture (rng, width, height);
  random_snake_objects (rng, width, height, objects, count);
  char name[64];
  snprintf (name, sizeof name, "seed %llu", (unsigned long long) seed);
  describe_snake (name, &picture.view, &params, objects, count);
  uint32_t found;
  if (setup.backend == CTR_BACKEND_CPU) {
    found = check_snake (snake, &setup, &picture.view, &params, objects, count);
  } else {
    const Setup cpu = {.backend = CTR_BACKEND_CPU};
    CtrContours *there = run_snake (snake, &setup, &picture.view, &params, objects, count);
    CtrContours *here = run_snake (host, &cpu, &picture.view, &params, objects, count);
    const SnakeResult expected = snake_result_of (here), actual = snake_result_of (there);
    check_snakes_equal (&expected, &actual);
    found = here->count;
    ctr_contours_unref (here);
    ctr_contours_unref (there);
  }
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
