/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of snakes follows the definition alone: it counts every sum pixel by pixel, compares every line with
 * every other, and keeps nothing from one step to the next. It shares only criterion.h and geometry.h of core/snake
 * with the backends. */
#ifndef CTR_TESTS_SNAKE_REFERENCE_H
#define CTR_TESTS_SNAKE_REFERENCE_H

#include "tests/core/results/contours.h"
#include "tests/core/snake/polygons_reference.h"

typedef struct {
  Contours contours;
  const CtrSnakeRegion *regions;
  CtrSnakeHistory history;
} SnakeResult;

/* The regions found in a host IMAGE. Free with reference_snake_free(). */
SnakeResult reference_snake (
    const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects, uint32_t object_count);
void reference_snake_free (SnakeResult *result);

#endif
