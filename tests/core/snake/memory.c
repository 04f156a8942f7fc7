/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend without memory: each allocation in turn fails; the call reports it, leaks nothing, and the snake goes
 * on working. */
#include "tests/core/common/allocations.h"
#include "tests/core/snake/reference.h"

#include <stdlib.h>
#include <string.h>

#ifndef HAVE_ALLOCATIONS

int
main (void)
{
  skip ("needs glibc's allocator to itself");
}

#else

int
main (void)
{
  const Setup setup = setup_open ("cpu", false);
  Random rng = {2};
  static const CtrPoint points[] = {{8, 6}, {40, 10}, {20, 38}};
  const CtrSnakeObject objects[] = {{.start = CTR_SNAKE_START_AUTO},
      {.window = {3, 3, 44, 40}, .start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = LENGTH (points)}};
  Picture picture = picture_random (&rng, 50, 45, (Layout){.format = CTR_FORMAT_GRAY8});
  for (uint32_t i = 0; i < 50 * 45; i++)
    if (i % 50 - 12 < 25 && i / 50 - 8 < 26)
      ((uint8_t *) picture.memory)[i] |= 0xc0;
  for (uint32_t prune = 0; prune <= 1; prune++) {
    CtrSnakeParams params;
    ctr_snake_params_init (&params);
    params.prune = prune;
    SnakeResult expected = reference_snake (&picture.view, &params, objects, LENGTH (objects));
    CHECK (expected.contours.info.count == LENGTH (objects));
    const long blocks_before = blocks;
    long failures = 0;
    CtrContours *contours = NULL;
    for (long allowed = 0; !contours; allowed++) {
      CtrError error = {.status = CTR_OK};
      describe ("a snake with %ld allocations to go, pruning %u", allowed, prune);
      allocations_left = allowed;
      CtrSnake *snake = ctr_snake_new (CTR_BACKEND_CPU, &error);
      if (snake)
        contours = ctr_snake_run (snake, &picture.view, &params, objects, LENGTH (objects), NULL, &error);
      allocations_left = -1;
      if (!contours) {
        failures++;
        CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
        CHECK (strstr (error.message, "memory"));
        if (snake)
          check_snake (snake, &setup, &picture.view, &params, objects, LENGTH (objects));
      } else {
        const SnakeResult actual = snake_result_of (contours);
        check_snakes_equal (&expected, &actual);
      }
      ctr_snake_free (snake);
    }
    CHECK (failures > 8);
    ctr_contours_unref (contours);
    describe ("blocks that are left, pruning %u", prune);
    CHECK (blocks == blocks_before);

    describe ("allocations of a later frame: the result and its three arrays, pruning %u", prune);
    CtrSnake *snake = snake_new (&setup);
    ctr_contours_unref (run_snake (snake, &setup, &picture.view, &params, objects, LENGTH (objects)));
    allocations_left = 4;
    contours = run_snake (snake, &setup, &picture.view, &params, objects, LENGTH (objects));
    CHECK (allocations_left == 0);
    allocations_left = -1;
    const SnakeResult actual = snake_result_of (contours);
    check_snakes_equal (&expected, &actual);
    ctr_contours_unref (contours);
    ctr_snake_free (snake);
    reference_snake_free (&expected);
  }
  picture_free (&picture);
  return 0;
}

#endif
